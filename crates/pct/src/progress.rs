//! A bar with rate and time left: on a terminal, for long inputs.
#![forbid(unsafe_code)]

use std::fs;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::source::Source;

/// Shorter inputs are done before a bar could be read.
const LONG: u64 = 256 * 1024 * 1024;

/// Shown or not; a clone is the same bar.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn hidden() -> Self {
        Self { bar: ProgressBar::hidden() }
    }

    /// A bar, if it is known how long the inputs are, they are long, and somebody looks.
    pub(crate) fn of(sources: &[Source]) -> Self {
        let length = |source: &Source| {
            let metadata = fs::metadata(source.path()?).ok()?;
            metadata.is_file().then_some(metadata.len())
        };
        let Some(total) = sources.iter().map(length).sum::<Option<u64>>() else { return Self::hidden() };
        if total < LONG || !io::stderr().is_terminal() {
            return Self::hidden();
        }
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(
            "{wide_bar} {percent:>3} %  {bytes} of {total_bytes}  {bytes_per_sec}  {eta} left",
        ) {
            bar.set_style(style);
        }
        bar.tick();
        Self { bar }
    }

    /// So many bytes have been read.
    pub(crate) fn advance(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// Writes something to standard error that the bar must not overwrite.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Leaves no trace.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
