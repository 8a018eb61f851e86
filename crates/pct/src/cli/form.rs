//! Arguments of `pct form`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;
use crate::error::Error;
use crate::operation::{FromForm, Operation, Shape, ToForm};
use crate::shown::Notation;

const EXAMPLES: &str = "\
Examples:
  pct form queries.txt                          {\"q\":\"fish & chips\",\"page\":\"2\"}
  pct form --as tsv --names q,page queries.txt  Only the values, in two columns
  pct form --back log.jsonl                     q=fish+%26+chips&page=2
  pct form --as pairs q.txt | pct form --back --as pairs";

/// Convert form data to and from JSON Lines or TSV
///
/// Each line is a form, such as a query or a request body: name=value&name=value. A leading '?' is
/// dropped. A malformed '%' is kept, and invalid UTF-8 is replaced by U+FFFD. In TSV, tab, LF, CR,
/// NUL and backslash are escaped as \t, \n, \r, \0 and \\, and \N is the value of a name that the
/// form does not have.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[command(mut_args(hide_unsupported))]
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
    pub(crate) text: TextArguments,
}

/// Options that `form` does not support: it converts lines only.
const UNSUPPORTED: [&str; 14] = [
    "raw",
    "fields",
    "csv",
    "columns",
    "header",
    "jsonl",
    "key",
    "cdxj",
    "log",
    "log_field",
    "unescape",
    "delimiter",
    "append",
    "unsafe_controls",
];

fn hide_unsupported(argument: clap::Arg) -> clap::Arg {
    let is_hidden = UNSUPPORTED.contains(&argument.get_id().as_str());
    argument.hide(is_hidden)
}

impl FormArguments {
    /// Checks the combination of options.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if !self.text.format.are_lines() {
            return Err(Error::Usage(
                "invalid input format for form: expected lines, or records that end with NUL (-0)".into(),
            ));
        }
        if !self.names.is_empty() && self.shape != Shape::Tsv {
            return Err(Error::Usage("invalid --names: expected --as tsv with it".into()));
        }
        Ok(())
    }

    /// How active characters are escaped for a terminal.
    pub(crate) fn notation(&self) -> Notation {
        if self.shape == Shape::Tsv { Notation::Triplets } else { Notation::Json }
    }

    pub(crate) fn operation(&self) -> Box<dyn Operation> {
        let (shape, names) = (self.shape, self.names.clone());
        if self.back { Box::new(ToForm { shape, names }) } else { Box::new(FromForm { shape, names }) }
    }
}
