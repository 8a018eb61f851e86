//! Arguments of `pct get`.
#![forbid(unsafe_code)]

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Args, Command};
use simdpct::ByteSet;

use super::TextArguments;
use super::reading::ReadingArguments;
use crate::codec::{self, DecodingOptions};
use crate::error::Error;
use crate::operation::{Decode, DecodeText, Operation, Part, Reading};

const EXAMPLES: &str = "\
Examples:
  pct get host urls.txt                               The host of each URL, decoded
  pct get key:q --log combined --print-field *.log    What was searched for
  pct get key:q --log cloudfront --log-field cs-uri-query *.log
  pct get segment:-1 --raw urls.txt                   The last segment of the path, not decoded
  pct get keys --csv -c url --append visits.csv       Add a new column 'url_keys'
  pct get key:utm_source --jsonl -k url --append-as source clicks.jsonl
  pct get port --only-matching urls.txt               Only URLs that have a port";

/// Get a part of URLs
///
/// Of each URL or request target, writes the part, decoded once. URLs are split as in RFC 3986, and are not checked.
/// With --log, the URL is the target of the request.
///
/// A URL without the part has an empty result and is counted. --only-matching leaves it out.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = codec::long_help(EXAMPLES))]
#[command(mut_arg("raw", |argument| argument.long("whole-input").hide(true)))]
#[command(mut_arg("only_changed", |argument| argument.hide(true)))]
pub(crate) struct GetArguments {
    /// Part to get
    #[arg(value_name = "PART", value_parser = PartParser)]
    pub(crate) part: Part,

    /// Decode the part, which is the default
    #[arg(long, overrides_with = "undecoded")]
    decode: bool,

    /// Leave the part as it is in the text
    #[arg(long = "raw", id = "undecoded", overrides_with = "decode")]
    undecoded: bool,

    /// Text between several keys or values [default: a space]
    ///
    /// Where it would break a record, as a space in the target of a log, it is escaped.
    #[arg(long, value_name = "TEXT", default_value = " ", hide_default_value = true)]
    pub(crate) separator: String,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,

    #[command(flatten)]
    rules: DecodingOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

impl GetArguments {
    /// How URLs are read. An error if a query does not have the part.
    pub(crate) fn reading(&self) -> Result<Reading, Error> {
        let reading = self.reading.reading(&self.text.format);
        if reading != Reading::Query || self.part.is_of_query() {
            return Ok(reading);
        }
        let input = if self.reading.query { "--query" } else { "--log: the field is a query" };
        Err(Error::Usage(format!("invalid part for {input}: expected query, keys or key:NAME")))
    }

    /// What to say if no record has the part.
    pub(crate) fn hint(&self, reading: Reading) -> &'static str {
        match reading {
            Reading::Reference if self.part.is_of_query() => {
                "no record has the part: of queries without a URL, --query gets it"
            }
            Reading::Reference => {
                "no record has the part: of a URL, the host follows '//', and the path begins with '/'"
            }
            Reading::Target => "no record has the part in the target of the request: --log-field selects other fields",
            Reading::Query => "no record has the part in its query",
        }
    }

    /// Decodes parts for a format in which these bytes stay escaped, unless they are left as they are.
    pub(crate) fn decode(&self, safe: ByteSet, replace: bool) -> Option<Box<dyn Operation>> {
        if self.undecoded {
            return None;
        }
        let is_of_form = self.part.is_of_form();
        Some(match self.rules.text_decoding() {
            Some(decoding) => {
                let decoding = if is_of_form { decoding.plus() } else { decoding };
                Box::new(DecodeText::new(decoding.safe(safe).replacing(replace)))
            }
            None => {
                let decoding = self.rules.decoding();
                let decoding = if is_of_form { decoding.plus() } else { decoding };
                Box::new(Decode::new(decoding.safe(safe), replace))
            }
        })
    }
}

/// Parses a [`Part`], and provides the names for clap's help and completions.
#[derive(Clone, Copy)]
struct PartParser;

impl TypedValueParser for PartParser {
    type Value = Part;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Part, clap::Error> {
        value.to_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
            let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
            if let Some(argument) = argument {
                error.insert(ContextKind::InvalidArg, ContextValue::String(argument.to_string()));
            }
            error.insert(ContextKind::InvalidValue, ContextValue::String(value.to_string_lossy().into_owned()));
            let names = Part::HELP.map(|(name, _)| name.to_owned()).to_vec();
            error.insert(ContextKind::ValidValue, ContextValue::Strings(names));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Part::HELP.into_iter().map(|(name, help)| PossibleValue::new(name).help(help))))
    }
}
