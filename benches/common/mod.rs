//! What the benchmarks share: the texts they measure on, the peers, and how a group is set up.

#![allow(dead_code, reason = "each benchmark uses a part of this")]

use std::path::PathBuf;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};

/// [`simdpct::sets::COMPONENT`], as percent-encoding spells it.
pub const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A text to measure on.
pub struct Corpus {
    pub name: String,
    pub text: Vec<u8>,
}

/// The corpora of `SIMDPCT_CORPORA` (by default `../shared/corpora`) that are there. Where none is, generated text stands in.
pub fn corpora() -> Vec<Corpus> {
    let folder = std::env::var_os("SIMDPCT_CORPORA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora"), PathBuf::from);
    let names = ["access.log", "typical_urls.txt", "resource_urls.txt", "nonlatin_urls.txt", "hostile.txt"];
    let found: Vec<_> = names
        .into_iter()
        .filter_map(|name| Some(Corpus { name: name.to_owned(), text: std::fs::read(folder.join(name)).ok()? }))
        .collect();
    if found.is_empty() {
        eprintln!("no corpora in {}: measuring on generated text", folder.display());
        return [0.0, 0.005, 0.02, 0.1, 0.3, 1.0].into_iter().map(generated).collect();
    }
    found
}

/// Letters, of which the given share is triplets of random bytes.
pub fn generated(density: f64) -> Corpus {
    let mut random = Random::new();
    let mut text = Vec::new();
    while text.len() < 4 << 20 {
        if random.below(1 << 20) as f64 >= density * f64::from(1 << 20) {
            text.push(b'a' + random.below(26) as u8);
        } else {
            text.extend(format!("%{:02X}", random.below(256)).bytes());
        }
    }
    Corpus { name: format!("generated {}%", density * 100.0), text }
}

/// xorshift64: the same text in every run.
pub struct Random(u64);

impl Random {
    pub const fn new() -> Self {
        Self(88_172_645_463_325_252)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// A group whose iterations take `bytes` bytes each. They go through data that no branch predictor can learn, so few are enough.
pub fn group<'a>(criterion: &'a mut Criterion, name: &str, bytes: usize) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(bytes as u64));
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group
}
