//! `Kind`: the functions by name, their types, and what they do to an array.

use std::sync::Arc;

use datafusion::arrow::array::cast::AsArray;
use datafusion::arrow::array::types::UInt32Type;
use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::arrow::error::ArrowError;
use datafusion::common::{Result, exec_datafusion_err, plan_err};
use datafusion::error::DataFusionError;
use simdpct::{Decoder, Encoder, Malformed, Normalizer};
use simdpct_arrow::{InvalidValue, OnError};

use crate::options;

/// A function.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Kind {
    PctDecode,
    TryPctDecode,
    PctDecodeLossy,
    FormDecode,
    TryFormDecode,
    FormDecodeLossy,
    PctEncode,
    FormEncode,
    UrlNormalize,
    UrlRepair,
    UrlFindings,
    UrlFindingNames,
    UrlHas,
    UrlQueryValue,
    UrlPart,
    SparkUrlDecode,
    SparkTryUrlDecode,
    SparkUrlEncode,
}

/// The functions that [`register`](crate::register) adds.
pub(crate) const OWN: [Kind; 15] = [
    Kind::PctDecode,
    Kind::TryPctDecode,
    Kind::PctDecodeLossy,
    Kind::FormDecode,
    Kind::TryFormDecode,
    Kind::FormDecodeLossy,
    Kind::PctEncode,
    Kind::FormEncode,
    Kind::UrlNormalize,
    Kind::UrlRepair,
    Kind::UrlFindings,
    Kind::UrlFindingNames,
    Kind::UrlHas,
    Kind::UrlQueryValue,
    Kind::UrlPart,
];

/// The functions that [`register_spark_functions`](crate::register_spark_functions) adds.
pub(crate) const SPARK: [Kind; 3] = [Kind::SparkUrlDecode, Kind::SparkTryUrlDecode, Kind::SparkUrlEncode];

impl Kind {
    /// The name in SQL.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::PctDecode => "pct_decode",
            Self::TryPctDecode => "try_pct_decode",
            Self::PctDecodeLossy => "pct_decode_lossy",
            Self::FormDecode => "form_decode",
            Self::TryFormDecode => "try_form_decode",
            Self::FormDecodeLossy => "form_decode_lossy",
            Self::PctEncode => "pct_encode",
            Self::FormEncode => "form_encode",
            Self::UrlNormalize => "url_normalize",
            Self::UrlRepair => "url_repair",
            Self::UrlFindings => "url_findings",
            Self::UrlFindingNames => "url_finding_names",
            Self::UrlHas => "url_has",
            Self::UrlQueryValue => "url_query_value",
            Self::UrlPart => "url_part",
            Self::SparkUrlDecode => "url_decode",
            Self::SparkTryUrlDecode => "try_url_decode",
            Self::SparkUrlEncode => "url_encode",
        }
    }

    /// The fewest and the most arguments.
    const fn arity(self) -> (usize, usize) {
        match self {
            Self::PctEncode => (1, 2),
            Self::UrlHas | Self::UrlQueryValue | Self::UrlPart => (2, 2),
            _ => (1, 1),
        }
    }

    const fn is_spark(self) -> bool {
        matches!(self, Self::SparkUrlDecode | Self::SparkTryUrlDecode | Self::SparkUrlEncode)
    }

    /// The types that the arguments are cast to. Strings, binary values and dictionaries of them are
    /// taken as they are.
    pub(crate) fn coerce(self, types: &[DataType]) -> Result<Vec<DataType>> {
        let (fewest, most) = self.arity();
        if types.len() < fewest || types.len() > most {
            let expected = if fewest == most { fewest.to_string() } else { format!("{fewest} or {most}") };
            return plan_err!("{} takes {expected} arguments, not {}", self.name(), types.len());
        }
        let mut coerced = vec![self.coerce_first(&types[0])?];
        for option in &types[1..] {
            let values = if let DataType::Dictionary(_, values) = option { values } else { option };
            match values {
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
                    coerced.push(DataType::Utf8)
                }
                other => return plan_err!("the second argument of {} is a string, not {other}", self.name()),
            }
        }
        Ok(coerced)
    }

    fn coerce_first(self, data_type: &DataType) -> Result<DataType> {
        if self == Self::UrlFindingNames {
            return match data_type {
                DataType::Null => Ok(DataType::UInt32),
                integer if integer.is_integer() => Ok(DataType::UInt32),
                other => plan_err!("{} takes the number that url_findings returns, not {other}", self.name()),
            };
        }
        match data_type {
            DataType::Null => Ok(DataType::Utf8),
            // Spark casts binary values to strings.
            DataType::Binary if self.is_spark() => Ok(DataType::Utf8),
            DataType::LargeBinary if self.is_spark() => Ok(DataType::LargeUtf8),
            DataType::BinaryView if self.is_spark() => Ok(DataType::Utf8View),
            supported if simdpct_arrow::is_supported(supported) => Ok(supported.clone()),
            other => plan_err!("{} takes strings, binary values or dictionaries of them, not {other}", self.name()),
        }
    }

    /// The type of the result for arguments of coerced types.
    pub(crate) fn return_type(self, types: &[DataType]) -> Result<DataType> {
        Ok(match self {
            Self::UrlFindings => DataType::UInt32,
            Self::UrlFindingNames => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
            Self::UrlHas => DataType::Boolean,
            _ => self.coerce(types)?.swap_remove(0),
        })
    }

    /// Applies the function to the rows of an array, with one option for all.
    pub(crate) fn apply(self, array: &dyn Array, option: Option<&str>) -> Result<ArrayRef> {
        const PCT: Decoder = Decoder::new();
        const FORM: Decoder = Decoder::new().plus_for_space();
        const KEEPING: Normalizer = Normalizer::new().malformed(Malformed::Keep);
        let missing = || exec_datafusion_err!("{} needs a second argument", self.name());
        let result = match self {
            Self::PctDecode => simdpct_arrow::decode(array, &PCT, OnError::Fail),
            Self::TryPctDecode => simdpct_arrow::decode(array, &PCT, OnError::Null),
            Self::PctDecodeLossy => simdpct_arrow::decode_lossy(array, &PCT.lenient(), OnError::Fail),
            Self::FormDecode => simdpct_arrow::decode(array, &FORM, OnError::Fail),
            Self::TryFormDecode => simdpct_arrow::decode(array, &FORM, OnError::Null),
            Self::FormDecodeLossy => simdpct_arrow::decode_lossy(array, &FORM.lenient(), OnError::Fail),
            Self::PctEncode => {
                let encoder =
                    option.map_or(Ok(Encoder::COMPONENT), options::encoder).map_err(|error| self.error(&error))?;
                simdpct_arrow::encode(array, &encoder)
            }
            Self::FormEncode | Self::SparkUrlEncode => simdpct_arrow::encode(array, &Encoder::FORM),
            Self::UrlNormalize => simdpct_arrow::normalize(array, &KEEPING, OnError::Fail),
            Self::UrlRepair => simdpct_arrow::repair(array),
            Self::UrlFindings => simdpct_arrow::findings(array).map(|findings| Arc::new(findings) as ArrayRef),
            Self::UrlFindingNames => {
                Ok(Arc::new(simdpct_arrow::finding_names(array.as_primitive::<UInt32Type>())) as ArrayRef)
            }
            Self::UrlHas => {
                let kinds = options::kinds(option.ok_or_else(missing)?).map_err(|error| self.error(&error))?;
                simdpct_arrow::has(array, kinds).map(|has| Arc::new(has) as ArrayRef)
            }
            Self::UrlQueryValue => simdpct_arrow::query_value(array, option.ok_or_else(missing)?),
            Self::UrlPart => {
                let part = options::part(option.ok_or_else(missing)?).map_err(|error| self.error(&error))?;
                simdpct_arrow::part(array, part)
            }
            Self::SparkUrlDecode => simdpct_arrow::decode_java(array, OnError::Fail),
            Self::SparkTryUrlDecode => simdpct_arrow::decode_java(array, OnError::Null),
        };
        result.map_err(|error| self.arrow_error(error))
    }

    /// What to do about an invalid value.
    const fn hint(self) -> &'static str {
        match self {
            Self::PctDecode => " (try_pct_decode returns NULL, pct_decode_lossy never fails)",
            Self::FormDecode => " (try_form_decode returns NULL, form_decode_lossy never fails)",
            Self::SparkUrlDecode => " (try_url_decode returns NULL)",
            _ => "",
        }
    }

    fn error(self, error: &DataFusionError) -> DataFusionError {
        exec_datafusion_err!("{}: {}", self.name(), error.strip_backtrace().trim_start_matches("Execution error: "))
    }

    /// The row of an invalid value is left out: it is that of a batch, which means nothing to a user.
    fn arrow_error(self, error: ArrowError) -> DataFusionError {
        match InvalidValue::of(&error) {
            Some(invalid) => {
                exec_datafusion_err!("{}: '{}': {}{}", self.name(), invalid.value(), invalid.error, self.hint())
            }
            None => DataFusionError::from(error).context(self.name()),
        }
    }
}
