//! Arguments of `pct get`.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};
use simdpct::ByteSet;

use super::TextArguments;
use super::reading::ReadingArguments;
use crate::codec::{self, Decoding, DecodingOptions, TextDecoding};
use crate::error::Error;
use crate::operation::{
    Decode, DecodeText, Get, Part, PartFound, PartsOutput, PartsShape, Reading, Template, ValueDecoding, ValueRules,
};
use crate::record::Policy;
use crate::source::Source;

const EXAMPLES: &str = "\
Examples:
  pct get host urls.txt                               The host of each URL, decoded
  pct get key:q --log combined --print-field *.log    What was searched for
  pct get key:q --log cloudfront --log-field cs-uri-query *.log
  pct get segment:-1 --raw urls.txt                   The last segment of the path, not decoded
  pct get keys --csv -c url --append visits.csv       Add a new column 'url_keys'
  pct get --format '{host}\\t{path}\\t{key:q}' urls.txt
  pct get --format '{domain} {key:q}' --as csv --csv -c url --append visits.csv
  pct get pair:utm_* --raw --separator '&' urls.txt   utm_source=mail&utm_medium=x
  pct get port --only-matching urls.txt               Only URLs that have a port";

/// Get parts of URLs
///
/// Of each URL or request target, writes the part, decoded once. URLs are split as in RFC 3986, and
/// are not checked. With --log, the URL is the target of the request.
///
/// A URL without the part has an empty result and is counted. --only-matching leaves it out.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = codec::long_help(EXAMPLES))]
#[command(mut_arg("raw", |argument| argument.long("whole-input").hide(true)))]
#[command(mut_arg("only_changed", |argument| argument.hide(true)))]
pub(crate) struct GetArguments {
    /// Part to get, unless --format has it
    #[arg(value_name = "PART", value_parser = PartParser, required_unless_present = "template")]
    part: Option<OsString>,

    /// Get several parts: '{host}\t{path}'
    ///
    /// Parts in braces, and text between them: \t, \n and \\ are a tab, a line end and a backslash,
    /// {{ and }} are braces. A tab or line end of the text stays escaped in the parts. A URL that
    /// lacks some part counts as one without the part.
    #[arg(long = "format", id = "template", value_name = "TEMPLATE")]
    template: Option<Template>,

    /// Write the parts as CSV or JSON
    ///
    /// The names of the fields are the parts. A missing part is empty in CSV, and null in JSON.
    /// With --csv, each part is a column: with --append, a new one.
    #[arg(long = "as", value_name = "SHAPE", value_enum)]
    shape: Option<PartsShape>,

    /// Decode the part, which is the default
    #[arg(long, overrides_with = "undecoded")]
    decode: bool,

    /// Leave the part as it is in the text
    #[arg(long = "raw", id = "undecoded", overrides_with = "decode")]
    undecoded: bool,

    /// Write hosts and domains in Unicode, not in Punycode
    ///
    /// And in lower case, by UTS 46. A host that is not valid stays as it is.
    #[arg(long, conflicts_with = "undecoded")]
    unicode_host: bool,

    /// Text between several keys or values [default: a space]
    ///
    /// Where it would break a record, as a space in the target of a log, it is escaped.
    #[arg(long, value_name = "TEXT", default_value = " ", hide_default_value = true)]
    separator: String,

    #[command(flatten)]
    reading: ReadingArguments,

    #[command(flatten)]
    rules: DecodingOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

/// What `get` makes of each field, once the options are checked.
pub(crate) struct Parts {
    template: Template,
    reading: Reading,
    shape: Shape,
}

/// How the parts are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Shape {
    Text,
    /// `is_in_csv` means that the format of the records is CSV, which has its own header or none.
    Csv {
        delimiter: u8,
        is_in_csv: bool,
    },
    Json,
}

impl GetArguments {
    /// With --format, the first argument is a file.
    pub(super) fn sort_arguments(&mut self) -> Result<(), Error> {
        match self.part.take_if(|_| self.template.is_some()) {
            Some(file) => self.text.input.add_first(Source::from(file)),
            None => Ok(()),
        }
    }

    /// What to get. An error if options do not fit together.
    pub(crate) fn parts(&self) -> Result<Parts, Error> {
        let template = self.template()?;
        let reading = self.reading.reading(&self.text.format);
        if reading == Reading::Query && !template.parts().iter().all(Part::is_of_query) {
            let input = if self.reading.query { "--query" } else { "--log: the field is a query" };
            let message = format!("invalid part for {input}: expected query, keys, key:NAME or pair:NAME");
            return Err(Error::Usage(message));
        }
        if self.shape.is_some() && !template.is_list() {
            let expected = "expected each part once, and nothing but spaces, tabs, ',', ';' and '|' between them";
            return Err(Error::Usage(format!("invalid --format for --as: {expected}")));
        }
        let format = &self.text.format;
        let shape = match self.shape {
            None => Shape::Text,
            Some(PartsShape::Csv) => Shape::Csv { delimiter: format.delimiter_of_rows()?, is_in_csv: format.is_csv() },
            Some(PartsShape::Json) if format.is_log() && !format.is_whole_record() => {
                return Err(Error::Usage("invalid --as json for --log: expected --print-field with it".into()));
            }
            Some(PartsShape::Json) => {
                format.check_json("--as json")?;
                Shape::Json
            }
        };
        Ok(Parts { template, reading, shape })
    }

    /// Whether the output is in the format of the input.
    pub(crate) fn keeps_format(&self) -> bool {
        self.shape.is_none() || !self.text.format.is_whole_record()
    }

    fn template(&self) -> Result<Template, Error> {
        if let Some(template) = &self.template {
            return Ok(template.clone());
        }
        let part = self.part.as_deref().unwrap_or_default().to_string_lossy();
        part.parse().map(Template::of).map_err(Error::Usage)
    }

    /// The operation for a format in which these bytes stay escaped.
    pub(crate) fn operation(&self, parts: &Parts, safe: ByteSet, seen: PartFound) -> Get {
        let Parts { template, reading, shape } = parts;
        let (output, safe) = match shape {
            Shape::Text if self.text.format.is_whole_record() => {
                let apart = self.apart(template);
                (PartsOutput::text(template, ByteSet::EMPTY, apart), safe.union(apart))
            }
            Shape::Text => (PartsOutput::text(template, safe, ByteSet::EMPTY), safe),
            Shape::Csv { delimiter, .. } => (PartsOutput::csv(template, *delimiter), safe),
            // JSON escapes what would break a record.
            Shape::Json => (PartsOutput::json(template), ByteSet::EMPTY),
        };
        let rules = ValueRules {
            reading: *reading,
            decoding: self.decoding(safe),
            separator: &self.separator,
            safe,
            is_unicode_host: self.unicode_host,
        };
        Get::new(template, output, rules, seen)
    }

    /// How parts are decoded, unless they are left as they are.
    fn decoding(&self, safe: ByteSet) -> Option<ValueDecoding> {
        if self.undecoded {
            return None;
        }
        let replace = self.text.errors.policy() == Policy::Replace;
        Some(match self.rules.text_decoding() {
            Some(decoding) => {
                let operation =
                    |decoding: TextDecoding| Box::new(DecodeText::new(decoding.protecting(safe).replacing(replace)));
                ValueDecoding { form: operation(decoding.plus()), plain: operation(decoding) }
            }
            None => {
                let decoding = self.rules.decoding();
                let operation = |decoding: Decoding| Box::new(Decode::new(decoding.protecting(safe), replace));
                ValueDecoding { form: operation(decoding.plus()), plain: operation(decoding) }
            }
        })
    }

    /// Control characters between the parts, by which their reader tells them apart.
    fn apart(&self, template: &Template) -> ByteSet {
        let texts = template.texts().iter().flat_map(|text| text.bytes());
        let controls = texts.filter(|byte| byte.is_ascii_control() && !self.text.format.unsafe_controls());
        controls.fold(ByteSet::EMPTY, ByteSet::with)
    }
}

impl Parts {
    /// Suffix of the name of a new column.
    pub(crate) fn suffix(&self) -> String {
        match self.template.parts() {
            [part] => part.suffix(),
            _ => "_parts".into(),
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.shape == Shape::Json
    }

    /// The header of rows of CSV in a format without headers.
    pub(crate) fn header(&self) -> Vec<u8> {
        match self.shape {
            Shape::Csv { delimiter, is_in_csv: false } => PartsOutput::header(&self.template, delimiter),
            _ => Vec::new(),
        }
    }

    /// What to say if no record has any of the parts.
    pub(crate) fn hint(&self) -> String {
        let parts = self.template.parts();
        let subject = if parts.len() > 1 { "any of the parts" } else { "the part" };
        match self.reading {
            Reading::Reference if parts.iter().any(Part::is_of_query) => {
                format!("no record has {subject}: for queries without a URL, use --query")
            }
            Reading::Reference => {
                format!("no record has {subject}: of a URL, the host follows '//', and the path begins with '/'")
            }
            Reading::Target => {
                format!("no record has {subject} in the target of the request: --log-field selects other fields")
            }
            Reading::Query => format!("no record has {subject} in its query"),
        }
    }
}

/// Takes any text, which may be a file, and provides the names of parts for clap's help and
/// completions.
#[derive(Clone, Copy)]
struct PartParser;

impl TypedValueParser for PartParser {
    type Value = OsString;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<OsString, clap::Error> {
        Ok(value.to_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Part::HELP.into_iter().map(|(name, help)| PossibleValue::new(name).help(help))))
    }
}
