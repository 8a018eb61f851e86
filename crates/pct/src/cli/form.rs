//! Arguments of `pct form`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;
use super::reading::ReadingArguments;
use crate::codec::TextOptions;
use crate::error::Error;
use crate::operation::{FromForm, Operation, Shape, ToForm};
use crate::text::shown::Notation;

const EXAMPLES: &str = "\
Examples:
  pct form queries.txt                          {\"q\":\"fish & chips\",\"page\":\"2\"}
  pct form urls.txt                             Of URLs, the form in the query
  pct form --log combined --print-field *.log   Of the targets of requests
  pct form --log cloudfront --log-field cs-uri-query --times 2 --print-field *.log
  pct form --jsonl -k url --append log.jsonl    Add a new member 'url_form', an object
  pct form --as tsv --names q,page queries.txt  Only the values, in two columns
  pct form --back log.jsonl                     q=fish+%26+chips&page=2
  pct form --as pairs q.txt | pct form --back --as pairs";

/// Convert form data to and from JSON Lines or TSV
///
/// Each line or field is a form, such as a query or a request body: name=value&name=value. A
/// leading '?' is dropped. If the text begins with a slash, or with a scheme and '://', the form is
/// its query. It is split at '&' and '=' before its names and values are decoded. A malformed '%'
/// is kept, and invalid UTF-8 is replaced by U+FFFD. In TSV, tab, LF, CR, NUL and backslash are
/// escaped as \t, \n, \r, \0 and \\, and \N is the value of a name that the form does not have.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("unsafe_controls", |argument| argument.hide(true)))]
#[command(mut_arg("only_changed", |argument| argument.hide(true)))]
pub(crate) struct FormArguments {
    /// Convert JSON Lines or TSV to form data
    #[arg(long)]
    back: bool,

    /// Format to convert to, or with --back from
    #[arg(long = "as", value_name = "SHAPE", value_enum, default_value_t = Shape::Json)]
    shape: Shape,

    /// Names whose values are the columns of TSV
    ///
    /// A name that is given twice has its second value in its second column.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    names: Vec<String>,

    #[command(flatten)]
    reading: ReadingArguments,

    #[command(flatten)]
    rules: TextOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

impl FormArguments {
    /// Checks the combination of options.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let format = &self.text.format;
        let usage = |message: &str| Err(Error::Usage(message.into()));
        if !self.names.is_empty() && self.shape != Shape::Tsv {
            return usage("invalid --names: expected --as tsv with it");
        }
        if self.reading.query && self.back {
            return usage("invalid --query for form --back: expected JSON Lines or TSV");
        }
        if self.rules.are_given() && self.back {
            return usage(
                "invalid --times, --charset, --fallback or --unicode for form --back: expected a form to decode",
            );
        }
        if format.unsafe_controls() {
            return usage("invalid --unsafe-controls for form: expected decode");
        }
        if format.is_log() && (self.back || !(format.is_whole_record() || self.text.compare.counts())) {
            return usage("invalid --log for form: expected --print-field with it, and no --back");
        }
        match (format.unquoted_delimiter(), self.back) {
            (Some(_), false) if self.shape == Shape::Tsv => {
                usage("invalid --as tsv: expected whole lines, --csv or --jsonl with it")
            }
            _ => format.check_json("form"),
        }
    }

    /// Whether the output is in the format of the input.
    pub(crate) fn keeps_format(&self) -> bool {
        !self.text.format.is_whole_record() && !self.text.compare.counts()
    }

    /// How active characters are escaped for a terminal.
    pub(crate) fn notation(&self) -> Notation {
        if self.shape == Shape::Tsv { Notation::Triplets } else { Notation::Json }
    }

    pub(crate) fn operation(&self) -> Box<dyn Operation> {
        let (shape, names) = (self.shape, self.names.clone());
        if self.back {
            return Box::new(ToForm { shape, names });
        }
        let reading = self.reading.reading(&self.text.format);
        let decoding = self.rules.are_given().then(|| self.rules.form_decoding());
        Box::new(FromForm { shape, reading, names, decoding })
    }
}
