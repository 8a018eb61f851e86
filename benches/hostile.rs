//! Linear time on hostile inputs: throughput from 1 to 8 MiB on the worst known patterns.
//!
//! There are no peers: a pattern's throughput must not fall from one size to the next. The
//! throughput of an operation that scans the rest of its input for each triplet would halve each
//! time.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use simdpct::accept::Ranges;
use simdpct::legacy::{LoneSurrogates, UnicodeDecoder, js};
use simdpct::offset::OffsetMap;
use simdpct::{Decoder, Encoder, Malformed, Normalizer, form, inspect_counting, stream, uri};

const SIZES: [usize; 4] = [1 << 20, 2 << 20, 4 << 20, 8 << 20];

const LENIENT: Decoder = Decoder::new().lenient();
const ESCAPING: Normalizer = Normalizer::new().malformed(Malformed::Escape);
const UNICODE: UnicodeDecoder = UnicodeDecoder::new(LENIENT).lone_surrogates(LoneSurrogates::Keep);

/// An operation that reduces its output to a number, so that it cannot be optimized out.
type Operation = (&'static str, fn(&str) -> usize);

const OPERATIONS: &[Operation] = &[
    ("decode", |text| LENIENT.decode(text).map_or(0, |bytes| bytes.len())),
    ("decode in place", |text| {
        // The copy is linear too.
        LENIENT.decode_in_place(&mut text.as_bytes().to_vec()).map_or(0, |bytes| bytes.len())
    }),
    ("decode, rejecting and keeping", |text| {
        let decoder = LENIENT.plus_for_space().keep(simdpct::ByteSet::new(b"/")).reject(simdpct::ByteSet::new(b"\0"));
        decoder.decoded_len(text).unwrap_or(0)
    }),
    ("decode to text, replacing", |text| LENIENT.decode_utf8_lossy(text).map_or(0, |text| text.len())),
    ("decode accepted characters", |text| {
        LENIENT.decode_utf8_accepting(text, &Ranges::LATIN).map_or_else(|error| error.position(), |text| text.len())
    }),
    ("position of the last byte", |text| {
        let length = LENIENT.decoded_len(text).unwrap_or(0);
        LENIENT.input_offset(text, length).unwrap_or(0)
    }),
    ("positions of some bytes", |text| {
        let map = OffsetMap::new(&LENIENT, text).expect("lenient");
        (0..map.decoded_len()).step_by(4096).filter_map(|offset| map.input_offset(offset)).count()
    }),
    ("encode", |text| Encoder::COMPONENT.encode(text).len()),
    ("encode, keeping triplets and text", |text| Encoder::URI.keep_non_ascii().encode(text).len()),
    ("normalize, escaping", |text| ESCAPING.normalize(text).map_or(0, |text| text.len())),
    ("compare", |text| usize::from(simdpct::equivalent(text, text))),
    ("inspect", |text| inspect_counting(text).count(simdpct::Kinds::MALFORMED)),
    ("parse a form", |text| form::parse_lossy(text).map(|(name, value)| name.len() + value.len()).sum()),
    ("repair a URI", |text| uri::repair(text).len()),
    ("unescape", |text| js::unescape_lossy(text).len() + UNICODE.decode_utf8(text).map_or(0, |text| text.len())),
    ("stream, a byte at a time", |text| {
        let (mut decoder, mut buffer, mut written) = (stream::Decoder::new(LENIENT).utf8_lossy(), [0; 64], 0);
        for byte in text.as_bytes().chunks(1) {
            written += decoder.feed(byte, &mut buffer).map_or(0, |progress| progress.written);
        }
        written
    }),
    ("encode for a charset", |text| {
        use simdpct::legacy::charset;
        let charsets = [charset::ISO_2022_JP, charset::WINDOWS_1252];
        charsets.map(|charset| charset::encode_with_references(text, charset, &Encoder::FORM).len()).iter().sum()
    }),
    ("decode from a charset", |text| {
        use simdpct::legacy::charset;
        charset::decode_lossy(text, charset::ISO_2022_JP, &LENIENT).map_or(0, |text| text.len())
    }),
];

/// Malformed and cut triplets throughout, both mixed with valid triplets, and triplets one byte
/// before a block's end.
fn patterns() -> Vec<(&'static str, String)> {
    let behind_clean = |length: usize, special: &str| "z".repeat(length) + special;
    vec![
        ("%", "%".into()),
        ("%4", "%4".into()),
        ("%%%41", "%%%41".into()),
        ("%ab", "%ab".into()),
        ("15 and %41", behind_clean(15, "%41")),
        ("31 and %", behind_clean(31, "%")),
        ("63 and %4", behind_clean(63, "%4")),
        ("63 and %FF", behind_clean(63, "%FF")),
        ("&", "&".into()),
        ("%=&", "%=&".into()),
        ("%uD83D", "%uD83D".into()),
        ("é%", "é%".into()),
        // ISO-2022-JP cannot encode it, because it would switch the state.
        ("U+000E", "\u{E}".into()),
    ]
}

fn hostile(criterion: &mut Criterion) {
    for &(name, operation) in OPERATIONS {
        for (pattern_name, pattern) in patterns() {
            let mut group = criterion.benchmark_group(format!("hostile/{name}/{pattern_name}"));
            group.sample_size(10).warm_up_time(Duration::from_millis(50)).measurement_time(Duration::from_millis(150));
            for size in SIZES {
                let text = pattern.repeat(size / pattern.len());
                group.throughput(Throughput::Bytes(text.len() as u64));
                group.bench_function(BenchmarkId::from_parameter(format!("{} MiB", size >> 20)), |bencher| {
                    bencher.iter(|| operation(black_box(&text)));
                });
            }
        }
    }
}

criterion_group!(benches, hostile);
criterion_main!(benches);
