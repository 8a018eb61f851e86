//! Canonical paths of real URLs, one at a time, against inspection and the path parser of the `url`
//! crate.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use simdpct::path::PathPolicy;
use simdpct::{Findings, Level, reference, uri};
use simdpct_benches::corpora;
use url::Url;

/// The absolute paths of the lines that are URLs.
fn paths(text: &'static [u8]) -> Vec<&'static str> {
    let lines = text.split(|&byte| byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    lines.map(|line| uri::split(line).path).filter(|path| path.starts_with('/')).collect()
}

fn path(criterion: &mut Criterion) {
    let mut all = Vec::new();
    for corpus in corpora().iter().filter(|corpus| corpus.name.ends_with("_urls.txt")) {
        let (canonical, others): (Vec<_>, Vec<_>) =
            paths(corpus.text).into_iter().partition(|path| PathPolicy::DEFAULT.is_canonical(path.as_bytes()));
        all.push((format!("{}, nothing to do", corpus.name), canonical));
        all.push((format!("{}, others", corpus.name), others));
    }
    for (name, paths) in all.iter().filter(|(_, paths)| !paths.is_empty()) {
        let mut group = criterion.benchmark_group("path");
        let bytes = paths.iter().map(|path| path.len() as u64).sum();
        group.throughput(Throughput::ElementsAndBytes { elements: paths.len() as u64, bytes });
        for level in Level::available() {
            let policy = PathPolicy::DEFAULT.level(level);
            for path in paths {
                let expected = reference::canonical_path(&policy, path.as_bytes());
                let found = policy.canonicalize(path).map(|path| path.into_owned().into_bytes());
                assert_eq!(found, expected, "{path} on {level}");
            }
            group.bench_function(BenchmarkId::new(format!("canonicalize, {level}"), name), |bencher| {
                bencher.iter(|| paths.iter().filter(|path| policy.canonicalize(black_box(path)).is_ok()).count());
            });
            group.bench_function(BenchmarkId::new(format!("inspect, {level}"), name), |bencher| {
                bencher.iter(|| paths.iter().filter(|path| Findings::on(level, black_box(**path)).is_empty()).count());
            });
        }
        let mut url = Url::parse("http://example.com/").expect("a valid URL");
        group.bench_function(BenchmarkId::new("url, set_path", name), |bencher| {
            bencher.iter(|| paths.iter().for_each(|path| url.set_path(black_box(path))));
        });
    }
}

criterion_group! { name = benches; config = simdpct_benches::for_long_texts(); targets = path }
criterion_main!(benches);
