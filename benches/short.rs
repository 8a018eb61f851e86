//! How long does a short input take, as a `Cow`, against the peers? Clean, with one escape somewhere, and full of them.

mod common;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use percent_encoding::{percent_decode, percent_encode};
use simdpct::{Decoder, Encoder, Level};

const LENGTHS: [usize; 12] = [1, 2, 3, 4, 8, 12, 16, 24, 32, 40, 48, 64];
/// Inputs of one length: more than a branch predictor can learn.
const INPUTS: usize = 512;

#[derive(Clone, Copy)]
enum Escapes {
    None,
    One,
    All,
}

/// Letters, with `escape` in place of as many of them as are asked for and fit.
fn inputs(length: usize, escapes: Escapes, escape: impl Fn(&mut common::Random) -> String) -> Vec<Vec<u8>> {
    let mut random = common::Random::new();
    let mut input = || {
        let mut input: Vec<u8> = (0..length).map(|_| b'a' + random.below(26) as u8).collect();
        let width = escape(&mut random).len();
        let (mut at, last) = match escapes {
            Escapes::None => (0, 0),
            Escapes::One if length < width => (0, 0),
            Escapes::One => {
                let at = random.below((length - width + 1) as u64) as usize;
                (at, at + width)
            }
            Escapes::All => (0, length),
        };
        while at + width <= last {
            input[at..at + width].copy_from_slice(escape(&mut random).as_bytes());
            at += width;
        }
        input
    };
    (0..INPUTS).map(|_| input()).collect()
}

const KINDS: [(&str, Escapes); 3] =
    [("clean", Escapes::None), ("one escape", Escapes::One), ("all escapes", Escapes::All)];

fn decode(criterion: &mut Criterion) {
    for (kind, escapes) in KINDS {
        for length in LENGTHS {
            let inputs = inputs(length, escapes, |random| format!("%{:02X}", random.below(256)));
            let lenient = Decoder::new().lenient();
            for input in &inputs {
                let ours = lenient.decode(input).unwrap();
                assert!(percent_decode(input).eq(ours.iter().copied()) && urlencoding::decode_binary(input) == ours);
            }

            let mut group = common::group(criterion, &format!("short decode, {kind}"), INPUTS * length);
            group.bench_function(BenchmarkId::new("percent-encoding", length), |bencher| {
                bencher.iter(|| {
                    for input in &inputs {
                        let decoded: std::borrow::Cow<'_, [u8]> = percent_decode(black_box(input)).into();
                        black_box(&*decoded);
                    }
                });
            });
            group.bench_function(BenchmarkId::new("urlencoding", length), |bencher| {
                bencher.iter(|| {
                    for input in &inputs {
                        black_box(&*urlencoding::decode_binary(black_box(input)));
                    }
                });
            });
            for level in Level::available() {
                let decoder = lenient.level(level);
                group.bench_function(BenchmarkId::new(format!("simdpct, {level}"), length), |bencher| {
                    bencher.iter(|| {
                        for input in &inputs {
                            black_box(&*decoder.decode(black_box(input)).unwrap());
                        }
                    });
                });
            }
        }
    }
}

fn encode(criterion: &mut Criterion) {
    for (kind, escapes) in KINDS {
        for length in LENGTHS {
            let inputs = inputs(length, escapes, |_| " ".to_owned());
            for input in &inputs {
                let ours = Encoder::COMPONENT.encode(input);
                assert_eq!(percent_encode(input, common::COMPONENT).to_string(), ours);
                assert_eq!(urlencoding::encode_binary(input), ours);
            }

            let mut group = common::group(criterion, &format!("short encode, {kind}"), INPUTS * length);
            group.bench_function(BenchmarkId::new("percent-encoding", length), |bencher| {
                bencher.iter(|| {
                    for input in &inputs {
                        let encoded: std::borrow::Cow<'_, str> =
                            percent_encode(black_box(input), common::COMPONENT).into();
                        black_box(&*encoded);
                    }
                });
            });
            group.bench_function(BenchmarkId::new("urlencoding", length), |bencher| {
                bencher.iter(|| {
                    for input in &inputs {
                        black_box(&*urlencoding::encode_binary(black_box(input)));
                    }
                });
            });
            for level in Level::available() {
                let encoder = Encoder::COMPONENT.level(level);
                group.bench_function(BenchmarkId::new(format!("simdpct, {level}"), length), |bencher| {
                    bencher.iter(|| {
                        for input in &inputs {
                            black_box(&*encoder.encode(black_box(input)));
                        }
                    });
                });
            }
        }
    }
}

criterion_group!(benches, decode, encode);
criterion_main!(benches);
