//! A bar with rate and time left: on a terminal, for long inputs.
#![forbid(unsafe_code)]

use std::fs;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::source::Source;

/// Minimum total input length, in bytes: shorter inputs finish before a bar could be read.
const LONG: u64 = 256 * 1024 * 1024;

/// A progress bar, visible or hidden; clones share it.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn hidden() -> Self {
        Self { bar: ProgressBar::hidden() }
    }

    /// A bar, if the total length is known and long, and standard error is a terminal.
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

    /// Adds to the number of bytes read.
    pub(crate) fn advance(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// Suspends the bar while `write` prints to standard error.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Clears the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
