//! Arguments of `pct explain`.
#![forbid(unsafe_code)]

use std::ffi::OsString;

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  pct explain 'http://example.com/a%252Fb/%2e%2e/c?q=fish+%26+chips'
  pct check --find double access.log | head     Find lines to explain
  pct explain --color always < suspicious.txt | less -R";

/// Show the parts of a URL, each layer of encoding, and what programs make of it
///
/// A table of the components; under each, its text decoded once, twice, and so on; the normal form,
/// as by 'normalize --url'; findings, as in 'check' and 'stats'; and how browsers, nginx, Java and
/// Python read path and query, where they differ.
///
/// Findings are marked in colour: red where programs disagree or fail, yellow where the URL is just
/// not normal. Control characters, and characters that change the text direction, are always
/// escaped, as \\u{1b}.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArguments {
    /// Whether to mark findings in colour
    ///
    /// 'auto' does on a terminal, unless NO_COLOR is set or TERM is 'dumb'.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub(crate) color: When,

    /// URLs or request targets [default: the lines of standard input]
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<OsString>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}
