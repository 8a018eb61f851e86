//! Streams in 64 KiB chunks, against independent chunks and against the reader and writer adapters.

use std::hint::black_box;
use std::io::{self, Write};
use std::mem::MaybeUninit;

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use simdpct::{Decoder, Encoder, stream};

const CHUNK: usize = 64 << 10;

fn group<'c>(criterion: &'c mut Criterion, name: String, text: &[u8]) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(text.len() as u64));
    group
}

/// Feeds all chunks to `feed`, which takes input and output and returns its progress.
fn feed_all(text: &[u8], output: &mut [u8], mut feed: impl FnMut(&[u8], &mut [u8]) -> stream::Progress) {
    for mut chunk in text.chunks(CHUNK) {
        while !chunk.is_empty() {
            let progress = feed(black_box(chunk), output);
            chunk = &chunk[progress.read..];
            black_box(&*output);
        }
    }
}

/// The adapters take the whole text and cut it by their buffers.
fn adapters<C: Copy, R: io::Read, W: Write>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    text: &'static [u8],
    codec: C,
    reader: impl Fn(&'static [u8], C) -> R,
    writer: impl Fn(Vec<u8>, C) -> W,
    output: &mut [u8],
) {
    group.bench_function("read adapter", |bencher| {
        bencher.iter(|| {
            let mut reader = reader(text, codec);
            while reader.read(black_box(output)).unwrap() > 0 {}
        });
    });
    group.bench_function("write adapter", |bencher| {
        bencher.iter(|| {
            let mut writer = writer(Vec::new(), codec);
            text.chunks(CHUNK).for_each(|chunk| writer.write_all(chunk).unwrap());
        });
    });
}

fn decode(criterion: &mut Criterion) {
    for corpus in simdpct_benches::corpora() {
        let text = corpus.text;
        let mut group = group(criterion, format!("stream-decode/{}", corpus.name), text);
        let decoder = Decoder::new().lenient();
        let mut uninit = vec![MaybeUninit::uninit(); CHUNK];
        group.bench_function("one shot, bytes", |bencher| {
            bencher.iter(|| {
                for chunk in text.chunks(CHUNK) {
                    black_box(decoder.decode_uninit(black_box(chunk), &mut uninit).unwrap());
                }
            });
        });
        let mut output = vec![0; CHUNK + 16];
        group.bench_function("feed, bytes", |bencher| {
            bencher.iter(|| {
                let mut stream = stream::Decoder::new(decoder);
                feed_all(text, &mut output, |input, output| stream.feed(input, output).unwrap());
            });
        });
        let mut vector = Vec::new();
        group.bench_function("feed_to, bytes", |bencher| {
            bencher.iter(|| {
                let mut stream = stream::Decoder::new(decoder);
                for chunk in text.chunks(CHUNK) {
                    vector.clear();
                    stream.feed_to(black_box(chunk), &mut vector).unwrap();
                    black_box(&vector);
                }
            });
        });
        group.bench_function("one shot, lossy text", |bencher| {
            bencher.iter(|| {
                for chunk in text.chunks(CHUNK) {
                    black_box(decoder.decode_utf8_lossy(black_box(chunk)).unwrap());
                }
            });
        });
        group.bench_function("feed, lossy text", |bencher| {
            bencher.iter(|| {
                let mut stream = stream::Decoder::new(decoder).utf8_lossy();
                feed_all(text, &mut output, |input, output| stream.feed(input, output).unwrap());
            });
        });
        adapters(&mut group, text, decoder, stream::read::Decoder::new, stream::write::Decoder::new, &mut output);
    }
}

fn encode(criterion: &mut Criterion) {
    for corpus in simdpct_benches::corpora() {
        let text = corpus.text;
        let mut group = group(criterion, format!("stream-encode/{}", corpus.name), text);
        for (name, encoder) in [("component", Encoder::COMPONENT), ("uri", Encoder::URI)] {
            let mut uninit = vec![MaybeUninit::uninit(); 3 * CHUNK];
            group.bench_function(format!("one shot, {name}"), |bencher| {
                bencher.iter(|| {
                    for chunk in text.chunks(CHUNK) {
                        black_box(encoder.encode_uninit(black_box(chunk), &mut uninit).unwrap());
                    }
                });
            });
            let mut output = vec![0; 3 * CHUNK + 16];
            group.bench_function(format!("feed, {name}"), |bencher| {
                bencher.iter(|| {
                    let mut stream = stream::Encoder::new(encoder);
                    feed_all(text, &mut output, |input, output| stream.feed(input, output));
                });
            });
            group.bench_function(format!("feed, {name}, 64 KiB of output"), |bencher| {
                bencher.iter(|| {
                    let mut stream = stream::Encoder::new(encoder);
                    feed_all(text, &mut output[..CHUNK], |input, output| stream.feed(input, output));
                });
            });
        }
        let mut output = vec![0; CHUNK];
        let (reader, writer) = (stream::read::Encoder::new, stream::write::Encoder::new);
        adapters(&mut group, text, Encoder::COMPONENT, reader, writer, &mut output);
    }
}

criterion_group! { name = benches; config = simdpct_benches::for_long_texts(); targets = decode, encode }
criterion_main!(benches);
