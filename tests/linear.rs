//! Every operation takes linear time on input that is made to be slow.

use std::hint::black_box;

use crate::common::{assert_linear, is_quick};
use simdpct::columns::{self, Column, OnError};
use simdpct::legacy::{self, UnicodeDecoder};
use simdpct::offset::OffsetMap;
use simdpct::path::{DotSegments, Parameters, PathPolicy};
use simdpct::{ByteSet, Counts, Decoder, Encoder, Kinds, Malformed, Normalizer, ext_value, form, inspect, stream, uri};

/// Each is repeated: stray and kept triplets, segments of all forms, ill-formed UTF-8, separators.
const PATTERNS: [&str; 17] = [
    "/",
    "/.",
    "/..",
    "/a/..",
    "%2f",
    "/%2e%2e;",
    ":",
    "%",
    "%4",
    "%%34%31",
    "%25",
    "%2541",
    "%u20AC%uD83D",
    "%E2%82",
    "€%ff",
    "a=b&",
    "+;",
];

/// Keeps a result from being optimized away.
fn consume<T>(result: T) {
    black_box(result);
}

/// Findings of most kinds, after all other findings. A search for the first finding of a kind must
/// not begin anew at each finding.
const LAST: &str = "/./%00%zz\u{80}";

/// A function of a text, and its name.
type Operation = (&'static str, fn(&str));

const OPERATIONS: &[Operation] = &[
    ("decode", |text| consume(Decoder::new().lenient().decode(text))),
    ("decode_utf8_lossy", |text| consume(Decoder::new().lenient().decode_utf8_lossy(text))),
    ("decode, keeping", |text| consume(Decoder::new().lenient().keep(ByteSet::new(b"%/A")).decode(text))),
    ("decode_in_place", |text| {
        consume(Decoder::new().lenient().decode_in_place(&mut text.as_bytes().to_vec()));
    }),
    ("encode", |text| consume(Encoder::COMPONENT.encode(text))),
    ("encode, keeping", |text| consume(Encoder::URI.keep_triplets().keep_non_ascii().encode(text))),
    ("normalize", |text| consume(Normalizer::new().malformed(Malformed::Escape).normalize(text))),
    ("inspect", |text| consume(inspect(text).iter_among(Kinds::EVERY).count())),
    ("kinds_among", |text| consume(inspect(text).kinds_among(Kinds::EVERY))),
    ("first_of", |text| {
        let text = text.to_owned() + LAST;
        for kind in Kinds::EVERY.iter() {
            consume(inspect(&text).first_of(kind));
        }
    }),
    ("count", |text| consume(Counts::among(Kinds::EVERY, text))),
    ("canonicalize", |text| {
        let refusing = PathPolicy::DEFAULT.refuse(Kinds::DOT_SEGMENT);
        let clamping = PathPolicy::RFC3986.dot_segments(DotSegments::Clamp).parameters(Parameters::Strip);
        for policy in [PathPolicy::DEFAULT, PathPolicy::STRICT, refusing, clamping] {
            for path in [format!("/{text}"), format!("/{text}{LAST}")] {
                consume(policy.canonicalize(&path));
            }
        }
    }),
    ("repair", |text| {
        consume(uri::repair(text));
        consume(uri::repair(&("http://".to_owned() + text)));
    }),
    ("split", |text| {
        consume(uri::split(text));
        consume(uri::split_authority(text));
    }),
    ("parse", |text| consume(form::parse_lossy(text).count())),
    ("from_str", |text| consume(form::from_str::<Vec<(String, String)>>(text))),
    ("serialize", |text| consume(form::to_string(&[("a", text), (text, "b")]))),
    ("unescape", |text| consume(legacy::js::unescape_lossy(text))),
    ("unicode", |text| {
        consume(UnicodeDecoder::new(Decoder::new().lenient()).decode_utf8_lossy(text));
    }),
    ("java", |text| {
        consume(legacy::java::decode(text));
        consume(legacy::java::text(&Decoder::new().lenient().decode(text).unwrap()));
    }),
    ("latin1", |text| consume(legacy::latin1::decode_with(text, &Decoder::new().lenient()))),
    ("ext_value", |text| consume(ext_value::decode(&("UTF-8''".to_owned() + text)))),
    ("offsets", |text| {
        let decoder = Decoder::new().lenient();
        let offsets = OffsetMap::new(&decoder, text).unwrap();
        (0..offsets.decoded_len()).step_by(1024).for_each(|at| consume(offsets.input_offset(at)));
    }),
    ("stream", |text| {
        let mut output = Vec::new();
        let mut stream = stream::Decoder::new(Decoder::new().lenient()).utf8_lossy();
        text.as_bytes().chunks(7).for_each(|chunk| stream.feed_to(chunk, &mut output).unwrap());
        let mut stream = stream::Encoder::new(Encoder::URI.keep_non_ascii());
        text.as_bytes().chunks(7).for_each(|chunk| stream.feed_to(chunk, &mut output));
    }),
    ("columns", |text| {
        for length in [2, 4096] {
            let ends = (0..text.len() as i32).step_by(length).chain([text.len() as i32]);
            let offsets: Vec<i32> = ends.collect();
            let column = Column::new(text.as_bytes(), &offsets).unwrap();
            consume(columns::decode(&column, &Decoder::new(), OnError::Null));
            consume(columns::decode_utf8(&column, &Decoder::new().lenient(), OnError::Keep));
            consume(columns::normalize(&column, &Normalizer::new(), OnError::Keep));
            consume(columns::Inspection::among(Kinds::EVERY, &column));
        }
    }),
];

#[test]
fn hostile_input_takes_linear_time() {
    // Seconds, and a minute in an emulator, for loops that all levels share.
    if is_quick() {
        return;
    }
    for (name, operation) in OPERATIONS {
        for pattern in PATTERNS {
            // The message is shown if the test fails.
            println!("{name} {pattern:?}");
            assert_linear(pattern, operation);
        }
    }
}
