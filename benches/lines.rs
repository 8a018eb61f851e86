//! How long does a line of real text take, as a `Cow`, against the peers?

mod common;

use std::borrow::Cow;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use percent_encoding::{percent_decode, percent_encode};
use simdpct::{Decoder, Encoder, Level};

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).take(20_000).collect()
}

fn decode(criterion: &mut Criterion) {
    for corpus in common::corpora() {
        let lines = lines(&corpus.text);
        let lenient = Decoder::new().lenient();
        for line in &lines {
            let ours = lenient.decode(*line).unwrap();
            assert!(percent_decode(line).eq(ours.iter().copied()) && urlencoding::decode_binary(line) == ours);
        }

        let bytes = lines.iter().map(|line| line.len()).sum();
        let mut group = common::group(criterion, &format!("decode lines/{}", corpus.name), bytes);
        group.bench_function("percent-encoding", |bencher| {
            bencher.iter(|| {
                for line in &lines {
                    let decoded: Cow<'_, [u8]> = percent_decode(black_box(line)).into();
                    black_box(&*decoded);
                }
            });
        });
        group.bench_function("urlencoding", |bencher| {
            bencher.iter(|| {
                for line in &lines {
                    black_box(&*urlencoding::decode_binary(black_box(line)));
                }
            });
        });
        for level in Level::available() {
            let decoder = lenient.level(level);
            group.bench_function(format!("simdpct, {level}"), |bencher| {
                bencher.iter(|| {
                    for line in &lines {
                        black_box(&*decoder.decode(black_box(*line)).unwrap());
                    }
                });
            });
        }
    }
}

fn encode(criterion: &mut Criterion) {
    for corpus in common::corpora() {
        let lines = lines(&corpus.text);
        for line in &lines {
            let ours = Encoder::COMPONENT.encode(*line);
            assert_eq!(percent_encode(line, common::COMPONENT).to_string(), ours);
            assert_eq!(urlencoding::encode_binary(line), ours);
        }

        let bytes = lines.iter().map(|line| line.len()).sum();
        let mut group = common::group(criterion, &format!("encode lines/{}", corpus.name), bytes);
        group.bench_function("percent-encoding", |bencher| {
            bencher.iter(|| {
                for line in &lines {
                    let encoded: Cow<'_, str> = percent_encode(black_box(line), common::COMPONENT).into();
                    black_box(&*encoded);
                }
            });
        });
        group.bench_function("urlencoding", |bencher| {
            bencher.iter(|| {
                for line in &lines {
                    black_box(&*urlencoding::encode_binary(black_box(line)));
                }
            });
        });
        for level in Level::available() {
            let encoder = Encoder::COMPONENT.level(level);
            group.bench_function(format!("simdpct, {level}"), |bencher| {
                bencher.iter(|| {
                    for line in &lines {
                        black_box(&*encoder.encode(black_box(*line)));
                    }
                });
            });
        }
    }
}

criterion_group!(benches, decode, encode);
criterion_main!(benches);
