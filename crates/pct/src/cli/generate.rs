//! Arguments of `pct completions` and `pct man`.
#![forbid(unsafe_code)]

use clap::Args;
use clap_complete::Shell;

/// Generate shell completions
///
/// Writes them to standard output. For bash: pct completions bash >
/// ~/.local/share/bash-completion/completions/pct
#[derive(Args, Debug)]
pub(crate) struct CompletionsArguments {
    /// Shell to generate completions for
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Print a man page
///
/// Writes it to standard output. To read it: pct man decode | man -l -
#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// Command to describe [default: pct itself]
    pub(crate) command: Option<String>,
}
