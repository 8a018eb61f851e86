//! How fast are 64 KiB blocks of fresh data coded into a reused buffer, on each level, against the peers and memcpy?

mod common;

use std::hint::black_box;
use std::mem::MaybeUninit;

use criterion::{Criterion, criterion_group, criterion_main};
use percent_encoding::{percent_decode, percent_encode};
use simdpct::{Decoder, Encoder, Level};

const BLOCK: usize = 64 << 10;

fn decode(criterion: &mut Criterion) {
    for corpus in common::corpora() {
        let blocks: Vec<&[u8]> = corpus.text.chunks(BLOCK).collect();
        let lenient = Decoder::new().lenient();
        for block in &blocks {
            assert!(percent_decode(block).eq(lenient.decode(*block).unwrap().iter().copied()));
        }

        let mut group = common::group(criterion, &format!("decode/{}", corpus.name), corpus.text.len());
        let mut output = Vec::with_capacity(BLOCK);
        group.bench_function("memcpy", |bencher| {
            bencher.iter(|| {
                for block in &blocks {
                    output.clear();
                    output.extend_from_slice(block);
                    black_box(&output);
                }
            });
        });
        group.bench_function("percent-encoding", |bencher| {
            bencher.iter(|| {
                for block in &blocks {
                    output.clear();
                    output.extend(percent_decode(block));
                    black_box(&output);
                }
            });
        });
        let mut output = vec![MaybeUninit::uninit(); BLOCK];
        for level in Level::available() {
            let decoder = lenient.level(level);
            group.bench_function(format!("simdpct, {level}"), |bencher| {
                bencher.iter(|| {
                    for block in &blocks {
                        black_box(decoder.decode_uninit(black_box(*block), &mut output).unwrap());
                    }
                });
            });
        }
    }
}

fn encode(criterion: &mut Criterion) {
    for corpus in common::corpora() {
        let blocks: Vec<&[u8]> = corpus.text.chunks(BLOCK).collect();
        for block in &blocks {
            assert_eq!(percent_encode(block, common::COMPONENT).to_string(), Encoder::COMPONENT.encode(*block));
        }

        let mut group = common::group(criterion, &format!("encode/{}", corpus.name), corpus.text.len());
        let mut output = String::with_capacity(3 * BLOCK);
        group.bench_function("percent-encoding", |bencher| {
            bencher.iter(|| {
                for block in &blocks {
                    output.clear();
                    output.extend(percent_encode(block, common::COMPONENT));
                    black_box(&output);
                }
            });
        });
        let mut output = vec![MaybeUninit::uninit(); 3 * BLOCK];
        for level in Level::available() {
            let encoder = Encoder::COMPONENT.level(level);
            group.bench_function(format!("simdpct, {level}"), |bencher| {
                bencher.iter(|| {
                    for block in &blocks {
                        black_box(encoder.encode_uninit(black_box(*block), &mut output).unwrap());
                    }
                });
            });
        }
    }
}

criterion_group!(benches, decode, encode);
criterion_main!(benches);
