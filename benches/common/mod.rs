//! Shared benchmark code: texts, peers and timing.

#![allow(missing_docs, reason = "for the benchmarks of this package only")]

pub mod contest;
pub mod corpora;
pub mod peers;

use std::time::Duration;

use criterion::Criterion;

pub use contest::Contest;
pub use corpora::{Corpus, Random, corpora, generated};

/// Whether every benchmark runs once, untimed (`--test`); then parts of the texts suffice.
pub fn is_test() -> bool {
    std::env::args().any(|argument| argument == "--test")
}

/// The timing of each contestant, unless overridden on the command line (`--warm-up-time`,
/// `--measurement-time`, `--sample-size`).
///
/// Each iteration processes more data than a branch predictor can learn, so few iterations suffice.
/// The report uses medians, which need no resampling.
pub fn criterion(measurement: Duration) -> Criterion {
    Criterion::default()
        .warm_up_time(measurement / 4)
        .measurement_time(measurement)
        .sample_size(12)
        .nresamples(1001)
        .without_plots()
}

/// For texts of some MiB.
pub fn for_long_texts() -> Criterion {
    criterion(Duration::from_millis(60))
}

/// For thousands of short inputs of many kinds.
pub fn for_short_inputs() -> Criterion {
    criterion(Duration::from_millis(15))
}
