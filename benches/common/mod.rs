//! What the benchmarks share: the texts they measure on, the peers, and how a contest between them is timed.

#![allow(missing_docs, reason = "for the benchmarks of this package only")]

pub mod contest;
pub mod corpora;
pub mod peers;

use std::time::Duration;

use criterion::Criterion;

pub use contest::Contest;
pub use corpora::{Corpus, Random, corpora, generated};

/// Whether every benchmark is to run once, untimed: then parts of the texts are enough.
pub fn is_test() -> bool {
    std::env::args().any(|argument| argument == "--test")
}

/// How long each contestant is timed, unless the command line says otherwise (`--warm-up-time`, `--measurement-time`,
/// `--sample-size`).
///
/// Each iteration goes through more data than a branch predictor can learn, so few are enough. The medians are what counts, and
/// they need no resampling.
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

/// For some thousand short inputs, of which there are many kinds.
pub fn for_short_inputs() -> Criterion {
    criterion(Duration::from_millis(15))
}
