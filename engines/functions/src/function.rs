//! `Function`: the SQL functions by name.

use std::ops::RangeInclusive;

use simdpct::columns::OnError;
use simdpct::{Decoder, Encoder, Malformed, Normalizer};

use crate::operation::Operation;
use crate::options::{self, InvalidOption};
use crate::url::Mapping;

/// A SQL function.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[expect(missing_docs, reason = "each is named after its function in SQL")]
pub enum Function {
    PctDecode,
    TryPctDecode,
    PctDecodeLossy,
    FormDecode,
    TryFormDecode,
    FormDecodeLossy,
    PctEncode,
    FormEncode,
    PctNormalize,
    UrlRepair,
    UrlFindings,
    UrlFindingNames,
    UrlHas,
    UrlQueryValue,
    UrlPart,
    UrlParts,
    UrlQueryKeys,
    UrlQueryMap,
    UrlNormalize,
    UrlDomain,
    UrlJoin,
    UrlCut,
    UrlPathCanonical,
    SparkUrlDecode,
    SparkTryUrlDecode,
    SparkUrlEncode,
}

const PCT: Decoder = Decoder::new();
const FORM: Decoder = Decoder::new().plus_for_space();
/// Keeps a malformed `%`, so that no URL makes a query fail.
const KEEP_MALFORMED: Normalizer = Normalizer::new().malformed(Malformed::Keep);

impl Function {
    /// The functions with simdpct's own names. Every engine has them.
    pub const OWN: &[Self] = &[
        Self::PctDecode,
        Self::TryPctDecode,
        Self::PctDecodeLossy,
        Self::FormDecode,
        Self::TryFormDecode,
        Self::FormDecodeLossy,
        Self::PctEncode,
        Self::FormEncode,
        Self::PctNormalize,
        Self::UrlRepair,
        Self::UrlFindings,
        Self::UrlFindingNames,
        Self::UrlHas,
        Self::UrlQueryValue,
        Self::UrlPart,
        Self::UrlParts,
        Self::UrlQueryKeys,
        Self::UrlQueryMap,
        Self::UrlNormalize,
        Self::UrlDomain,
        Self::UrlJoin,
        Self::UrlCut,
        Self::UrlPathCanonical,
    ];

    /// The functions with Spark's names, which return exactly the same as Spark's functions. Other
    /// engines have different functions of these names.
    pub const SPARK: &[Self] = &[Self::SparkUrlDecode, Self::SparkTryUrlDecode, Self::SparkUrlEncode];

    /// The name in SQL.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PctDecode => "pct_decode",
            Self::TryPctDecode => "try_pct_decode",
            Self::PctDecodeLossy => "pct_decode_lossy",
            Self::FormDecode => "form_decode",
            Self::TryFormDecode => "try_form_decode",
            Self::FormDecodeLossy => "form_decode_lossy",
            Self::PctEncode => "pct_encode",
            Self::FormEncode => "form_encode",
            Self::PctNormalize => "pct_normalize",
            Self::UrlRepair => "url_repair",
            Self::UrlFindings => "url_findings",
            Self::UrlFindingNames => "url_finding_names",
            Self::UrlHas => "url_has",
            Self::UrlQueryValue => "url_query_value",
            Self::UrlPart => "url_part",
            Self::UrlParts => "url_parts",
            Self::UrlQueryKeys => "url_query_keys",
            Self::UrlQueryMap => "url_query_map",
            Self::UrlNormalize => "url_normalize",
            Self::UrlDomain => "url_domain",
            Self::UrlJoin => "url_join",
            Self::UrlCut => "url_cut",
            Self::UrlPathCanonical => "url_path_canonical",
            Self::SparkUrlDecode => "url_decode",
            Self::SparkTryUrlDecode => "try_url_decode",
            Self::SparkUrlEncode => "url_encode",
        }
    }

    /// The function with this name in SQL.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::OWN, Self::SPARK].concat().into_iter().find(|function| function.name() == name)
    }

    /// The numbers of arguments that the function takes: the value, and an option.
    #[must_use]
    pub const fn arity(self) -> RangeInclusive<usize> {
        match self {
            Self::PctEncode | Self::UrlNormalize | Self::UrlPathCanonical => 1..=2,
            Self::UrlHas | Self::UrlQueryValue | Self::UrlPart | Self::UrlJoin | Self::UrlCut => 2..=2,
            _ => 1..=1,
        }
    }

    /// The operation that the function applies to each value, with an option.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOption`] if the option is invalid, or if a required option is missing.
    pub fn operation(self, option: Option<&str>) -> Result<Operation, InvalidOption> {
        let needed = || option.ok_or_else(InvalidOption::missing);
        Ok(match self {
            Self::PctDecode => Operation::Decode(PCT, OnError::Refuse),
            Self::TryPctDecode => Operation::Decode(PCT, OnError::Null),
            Self::PctDecodeLossy => Operation::DecodeLossy(PCT),
            Self::FormDecode => Operation::Decode(FORM, OnError::Refuse),
            Self::TryFormDecode => Operation::Decode(FORM, OnError::Null),
            Self::FormDecodeLossy => Operation::DecodeLossy(FORM),
            Self::PctEncode => Operation::Encode(option.map_or(Ok(Encoder::COMPONENT), options::encoder)?),
            Self::FormEncode | Self::SparkUrlEncode => Operation::Encode(Encoder::FORM),
            Self::PctNormalize => Operation::Normalize(KEEP_MALFORMED),
            Self::UrlRepair => Operation::Map(Mapping::Repair),
            Self::UrlFindings => Operation::Findings,
            Self::UrlFindingNames => Operation::FindingNames,
            Self::UrlHas => Operation::Has(options::kinds(needed()?)?),
            Self::UrlQueryValue => Operation::Map(Mapping::QueryValue(String::from(needed()?))),
            Self::UrlPart => Operation::Map(options::part(needed()?)?),
            Self::UrlParts => Operation::Parts,
            Self::UrlQueryKeys => Operation::QueryKeys,
            Self::UrlQueryMap => Operation::QueryMap,
            Self::UrlNormalize => {
                Operation::Map(Mapping::Normalize(Box::new(options::normal(option.unwrap_or_default())?)))
            }
            Self::UrlDomain => Operation::Map(Mapping::Domain),
            Self::UrlJoin => Operation::Map(Mapping::Join(String::from(needed()?))),
            Self::UrlCut => Operation::Map(Mapping::Cut(options::cut(needed()?)?)),
            Self::UrlPathCanonical => {
                Operation::Map(Mapping::CanonicalPath(Box::new(options::policy(option.unwrap_or("default"))?)))
            }
            Self::SparkUrlDecode => Operation::DecodeJava(OnError::Refuse),
            Self::SparkTryUrlDecode => Operation::DecodeJava(OnError::Null),
        })
    }

    /// The operation of the function with any valid option, to find the type of its result.
    #[must_use]
    pub fn any_operation(self) -> Operation {
        let options = [None, Some("path"), Some("nul"), Some("query")];
        let operation = options.into_iter().find_map(|option| self.operation(option).ok());
        operation.unwrap_or(Operation::Map(Mapping::Repair))
    }

    /// Advice about an invalid value, for the end of the message; may be empty.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::PctDecode => " (try_pct_decode returns NULL, pct_decode_lossy never fails)",
            Self::FormDecode => " (try_form_decode returns NULL, form_decode_lossy never fails)",
            Self::SparkUrlDecode => " (try_url_decode returns NULL)",
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_is_found_by_its_name() {
        for &function in Function::OWN.iter().chain(Function::SPARK) {
            assert_eq!(Function::from_name(function.name()), Some(function));
        }
        assert_eq!(Function::from_name("PCT_DECODE"), None);
    }

    #[test]
    fn option_is_needed_where_the_arity_says_so() {
        for &function in Function::OWN {
            assert_eq!(function.operation(None).is_ok(), *function.arity().start() == 1, "{function:?}");
        }
        for &function in Function::OWN.iter().chain(Function::SPARK) {
            let is_repair = matches!(function.any_operation(), Operation::Map(Mapping::Repair));
            assert_eq!(is_repair, function == Function::UrlRepair, "{function:?}");
        }
        let error = Function::UrlPart.operation(Some("rf")).unwrap_err();
        assert!(error.to_string().starts_with("'rf': unknown part"), "{error}");
    }
}
