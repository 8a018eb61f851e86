//! The arguments of `pct form`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;
use crate::error::Error;
use crate::operation::{FromForm, Operation, Shape, ToForm};
use crate::shown::Notation;

const EXAMPLES: &str = "\
Examples:
  pct form queries.txt                          {\"q\":\"fish & chips\",\"page\":\"2\"}
  pct form --as tsv --names q,page queries.txt  The values alone, in two columns
  pct form --back log.jsonl                     q=fish+%26+chips&page=2
  pct form --as pairs q.txt | pct form --back --as pairs";

/// Turn queries and request bodies, name=value&name=value, into JSON lines or TSV, or back
///
/// A line is a form; a '?' before it is left out. Malformed '%' stay, and what is not UTF-8 becomes U+FFFD. In TSV, \t, \n, \r, \0 and
/// \\ are escaped like that, and \N is the value of a name that is not there.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[command(mut_args(hide_what_is_not_for_lines))]
pub(crate) struct FormArguments {
    /// Turn JSON lines or TSV into queries
    #[arg(long)]
    back: bool,

    /// What forms become, or are made of
    #[arg(long = "as", value_name = "SHAPE", value_enum, default_value_t = Shape::Json)]
    shape: Shape,

    /// The names whose values are the columns of TSV; one that is named twice has its second value there
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    names: Vec<String>,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

/// What a line becomes is no part of another format.
const NOT_FOR_LINES: [&str; 11] =
    ["raw", "fields", "csv", "columns", "header", "jsonl", "key", "log", "delimiter", "append", "unsafe_controls"];

fn hide_what_is_not_for_lines(argument: clap::Arg) -> clap::Arg {
    let is_hidden = NOT_FOR_LINES.contains(&argument.get_id().as_str());
    argument.hide(is_hidden)
}

impl FormArguments {
    /// Whether that can be done at all.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if !self.text.units.are_lines() {
            return Err(Error::Usage("form works on lines, or on records that NUL ends".into()));
        }
        if !self.names.is_empty() && self.shape != Shape::Tsv {
            return Err(Error::Usage("--names are the columns of --as tsv".into()));
        }
        Ok(())
    }

    /// How a terminal is shown what it would act upon.
    pub(crate) fn notation(&self) -> Notation {
        if self.shape == Shape::Tsv { Notation::Triplets } else { Notation::Json }
    }

    pub(crate) fn operation(&self) -> Box<dyn Operation> {
        let (shape, names) = (self.shape, self.names.clone());
        if self.back { Box::new(ToForm { shape, names }) } else { Box::new(FromForm { shape, names }) }
    }
}
