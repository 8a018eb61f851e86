//! `Kind`: the functions by name, their types, and what they do with a vector.
#![forbid(unsafe_code)]

use std::ops::{Range, RangeInclusive};

use simdpct::columns::{Conversion, Inspection, OnError, inspect_rows};
use simdpct::{Decoder, Encoder, Kinds, Malformed, Normalizer};

use crate::convert::{Failure, convert, extract, repair};
use crate::options::{self, excerpt};
use crate::vector::{Arguments, Output, Strings};

/// A function.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
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
}

/// The type of a result.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Returns {
    String,
    Number,
    Boolean,
    /// A list of strings.
    Names,
}

/// The type of the first argument. All others are strings.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Takes {
    String,
    Number,
}

const PCT: Decoder = Decoder::new();
const FORM: Decoder = Decoder::new().plus_for_space();
const KEEPING: Normalizer = Normalizer::new().malformed(Malformed::Keep);

/// The names of the kinds that are these bits, as in `url_findings`. Other bits have none.
fn names(bits: u32) -> impl Iterator<Item = &'static str> {
    let known = bits & ((1 << Kinds::ALL.len()) - 1);
    Kinds::from_bits(known).into_iter().flat_map(Kinds::names)
}

impl Kind {
    pub(crate) const ALL: &[Self] = &[
        Self::PctDecode,
        Self::TryPctDecode,
        Self::PctDecodeLossy,
        Self::FormDecode,
        Self::TryFormDecode,
        Self::FormDecodeLossy,
        Self::PctEncode,
        Self::FormEncode,
        Self::UrlNormalize,
        Self::UrlRepair,
        Self::UrlFindings,
        Self::UrlFindingNames,
        Self::UrlHas,
        Self::UrlQueryValue,
        Self::UrlPart,
    ];

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
        }
    }

    /// The numbers of arguments.
    pub(crate) const fn arity(self) -> RangeInclusive<usize> {
        match self {
            Self::PctEncode => 1..=2,
            Self::UrlHas | Self::UrlQueryValue | Self::UrlPart => 2..=2,
            _ => 1..=1,
        }
    }

    pub(crate) const fn takes(self) -> Takes {
        match self {
            Self::UrlFindingNames => Takes::Number,
            _ => Takes::String,
        }
    }

    pub(crate) const fn returns(self) -> Returns {
        match self {
            Self::UrlFindings => Returns::Number,
            Self::UrlFindingNames => Returns::Names,
            Self::UrlHas => Returns::Boolean,
            _ => Returns::String,
        }
    }

    /// Applies the function to a vector. Errors are messages for users.
    pub(crate) fn call(self, arguments: &Arguments<'_>, output: &mut Output) -> Result<(), String> {
        if self.takes() == Takes::Number {
            let findings = arguments.numbers();
            output.copy_nulls(findings.validity());
            output.set_lists(findings.rows().map(|bits| bits.into_iter().flat_map(names)));
            return Ok(());
        }
        let input = arguments.strings(0);
        output.copy_nulls(input.validity());
        let result = if arguments.columns() == 1 {
            self.apply(&input, 0..arguments.rows(), None, output)
        } else {
            let options = arguments.strings(1);
            output.copy_nulls(options.validity());
            self.apply_each(&input, &options, arguments.rows(), output)
        };
        result.map_err(|message| format!("{}: {message}", self.name()))
    }

    /// Applies the function to rows that each have an option: at once to consecutive rows with the
    /// same, which usually are all.
    fn apply_each(
        self,
        input: &Strings<'_>,
        options: &Strings<'_>,
        rows: usize,
        output: &mut Output,
    ) -> Result<(), String> {
        let mut start = 0;
        while start < rows {
            let option = options.row(start);
            let end = start + options.rows(start..rows).take_while(|other| *other == option).count();
            if let Some(option) = option {
                // Strings of DuckDB are UTF-8.
                self.apply(input, start..end, Some(&String::from_utf8_lossy(option)), output)?;
            }
            start = end;
        }
        Ok(())
    }

    /// Applies the function to consecutive rows, with one option for all.
    fn apply(
        self,
        input: &Strings<'_>,
        rows: Range<usize>,
        option: Option<&str>,
        output: &mut Output,
    ) -> Result<(), String> {
        let needed = || option.ok_or("needs a second argument");
        let result = match self {
            Self::PctDecode => convert(input, rows, &Conversion::decode_utf8(&PCT), output),
            Self::FormDecode => convert(input, rows, &Conversion::decode_utf8(&FORM), output),
            Self::TryPctDecode => convert(input, rows, &Conversion::decode_utf8(&PCT).on_error(OnError::Null), output),
            Self::TryFormDecode => {
                convert(input, rows, &Conversion::decode_utf8(&FORM).on_error(OnError::Null), output)
            }
            Self::PctDecodeLossy => convert(input, rows, &Conversion::decode_utf8_lossy(&PCT.lenient()), output),
            Self::FormDecodeLossy => convert(input, rows, &Conversion::decode_utf8_lossy(&FORM.lenient()), output),
            Self::PctEncode => {
                let encoder = option.map_or(Ok(Encoder::COMPONENT), options::encoder)?;
                convert(input, rows, &Conversion::encode(&encoder), output)
            }
            Self::FormEncode => convert(input, rows, &Conversion::encode(&Encoder::FORM), output),
            Self::UrlNormalize => convert(input, rows, &Conversion::normalize(&KEEPING), output),
            Self::UrlRepair => repair(input, rows, output),
            Self::UrlQueryValue => extract(input, rows, &Conversion::query_value(needed()?), output),
            Self::UrlPart => extract(input, rows, &Conversion::uri_part(options::part(needed()?)?), output),
            // See `call`: it takes no strings.
            Self::UrlFindingNames => return Err(String::from("takes a number")),
            Self::UrlFindings => {
                output.set_values(rows.start, inspect_rows(input.rows(rows)).into_bits().into_iter());
                Ok(())
            }
            Self::UrlHas => {
                let kinds = options::kinds(needed()?)?;
                let inspection = Inspection::among_rows(kinds, input.rows(rows.clone()));
                output.set_values(rows.start, inspection.rows.iter().map(|found| found.intersects(kinds)));
                Ok(())
            }
        };
        result.map_err(|failure| self.message(&failure, input))
    }

    /// The row of an invalid value is left out: it is that of a vector, which means nothing to a user.
    fn message(self, failure: &Failure, input: &Strings<'_>) -> String {
        match failure {
            Failure::Invalid { row, error } => {
                let value = input.row(*row).unwrap_or_default();
                // No character takes more than 4 bytes.
                let start = String::from_utf8_lossy(&value[..value.len().min(4 * 65)]);
                format!("'{}': {error}{}", excerpt(&start), self.hint())
            }
            Failure::Other(message) => message.clone(),
        }
    }

    /// What to do about an invalid value.
    const fn hint(self) -> &'static str {
        match self {
            Self::PctDecode => " (try_pct_decode returns NULL, pct_decode_lossy never fails)",
            Self::FormDecode => " (try_form_decode returns NULL, form_decode_lossy never fails)",
            _ => "",
        }
    }
}
