//! The contestants: each peer in its fastest form, and every level of ours.
//!
//! Decoding is lenient. Encoding is for any component: it escapes all except RFC 3986's unreserved
//! characters.

use std::borrow::Cow;
use std::fmt::Write;

use fluent_uri::pct_enc::encoder::{Data, Query};
use fluent_uri::pct_enc::{EStr, EString};
use pct_crate::{PctStr, PctString, UriReserved};
use percent_encoding::{percent_decode, percent_decode_str, percent_encode};
use simdpct::{Decoder, Encoder, Level, reference};

use super::contest::{Contest, OURS, Reuse};

pub const LENIENT: Decoder = Decoder::new().lenient();
const ENCODER: Encoder = Encoder::COMPONENT;

/// [`simdpct::sets::COMPONENT`] as a set of percent-encoding.
pub const COMPONENT: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// [`simdpct::sets::COMPONENT`] as a set of percent-encoding-rfc3986.
const COMPONENT_RFC3986: &percent_encoding_rfc3986::AsciiSet =
    &percent_encoding_rfc3986::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Runs a block for each available level. The level is a constant, and so are codecs made with it,
/// as in most users' code and as the peers' sets are.
#[macro_export]
macro_rules! on_each_level {
    ($level:ident => $work:block) => {
        $crate::on_each_level!(@ $level $work Scalar Sse41 Avx2 Avx512 Neon);
    };
    (@ $level:ident $work:block $($name:ident)*) => {$(
        if Level::$name.is_available() {
            const $level: Level = Level::$name;
            $work
        }
    )*};
}
pub use on_each_level;

/// The name of one of our contestants.
pub fn ours(level: Level) -> String {
    format!("{OURS}, {level}")
}

/// The output of lenient decoding, by the reference implementation.
pub fn decoded(input: &[u8]) -> Vec<u8> {
    reference::decode(&LENIENT, input).expect("lenient decoding has no errors")
}

/// The output of encoding, by the reference implementation.
pub fn encoded(input: &[u8]) -> Vec<u8> {
    reference::encode(&ENCODER, input).into_bytes()
}

/// Decoding to a `Cow`, or to a peer's nearest equivalent.
pub fn decode_returning(contest: &mut Contest<'_>) {
    contest.returns("percent-encoding", |input| Cow::<[u8]>::from(percent_decode(input)));
    contest.returns("urlencoding", |input| urlencoding::decode_binary(input));
    contest.returns("percent-encoding-rfc3986", |input| {
        percent_encoding_rfc3986::percent_decode(input).map(Cow::<[u8]>::from)
    });
    contest.returns("pct", |input| PctStr::new(input).map(PctStr::decode));
    contest.returns_from_text("fluent-uri", |input| EStr::<Query>::new(input).map(|text| text.decode().to_bytes()));
    contest.returns_from_text("url-escape", |input| url_escape::decode(input));
    on_each_level!(LEVEL => {
        const DECODER: Decoder = LENIENT.level(LEVEL);
        contest.returns(ours(LEVEL), |input| DECODER.decode(input));
    });
}

/// Decoding text to text.
pub fn decode_text_returning(contest: &mut Contest<'_>) {
    contest.returns_from_text("percent-encoding", |input| percent_decode_str(input).decode_utf8());
    contest.returns_from_text("urlencoding", urlencoding::decode);
    on_each_level!(LEVEL => {
        const DECODER: Decoder = LENIENT.level(LEVEL);
        contest.returns_from_text(ours(LEVEL), |input| DECODER.decode_utf8(input));
    });
}

/// Encoding to a `Cow`, or to a peer's nearest equivalent.
pub fn encode_returning(contest: &mut Contest<'_>) {
    contest.returns("percent-encoding", |input| Cow::<str>::from(percent_encode(input, COMPONENT)));
    contest.returns("urlencoding", |input| urlencoding::encode_binary(input));
    contest.returns("percent-encoding-rfc3986", |input| {
        Cow::<str>::from(percent_encoding_rfc3986::percent_encode(input, COMPONENT_RFC3986))
    });
    contest.returns_from_text("pct", |input| PctString::encode_bytes(input, UriReserved::Any).into_bytes());
    contest.returns_from_text("fluent-uri", |input| {
        let mut output = EString::<Query>::new();
        output.encode_str::<Data>(input);
        output.into_string()
    });
    contest.returns_from_text("url-escape", |input| url_escape::encode(input, COMPONENT));
    on_each_level!(LEVEL => {
        const CODEC: Encoder = ENCODER.level(LEVEL);
        contest.returns(ours(LEVEL), |input| CODEC.encode(input));
    });
}

/// Encoding to a `String`, by the contestants whose result is formatted.
pub fn encode_to_string(contest: &mut Contest<'_>) {
    contest.returns("percent-encoding", |input| percent_encode(input, COMPONENT).to_string());
    contest.returns("urlencoding", |input| urlencoding::Encoded(input).to_string());
    on_each_level!(LEVEL => {
        const CODEC: Encoder = ENCODER.level(LEVEL);
        contest.returns(ours(LEVEL), |input| CODEC.display(input).to_string());
    });
}

/// Encoding by formatting to a buffer with enough capacity.
pub fn encode_formatting(contest: &mut Contest<'_>, reuse: Reuse) {
    contest.fills(reuse, "percent-encoding", |input, output: &mut String| {
        write!(output, "{}", percent_encode(input, COMPONENT)).is_ok()
    });
    contest.fills(reuse, "urlencoding", |input, output: &mut String| {
        write!(output, "{}", urlencoding::Encoded(input)).is_ok()
    });
    on_each_level!(LEVEL => {
        const CODEC: Encoder = ENCODER.level(LEVEL);
        contest.fills(reuse, ours(LEVEL), |input, output: &mut String| {
            write!(output, "{}", CODEC.display(input)).is_ok()
        });
    });
}

/// Encoding piece by piece, in a loop, to a buffer with enough capacity.
pub fn encode_by_pieces(contest: &mut Contest<'_>, reuse: Reuse) {
    contest.fills(reuse, "percent-encoding", |input, output: &mut String| {
        for piece in percent_encode(input, COMPONENT) {
            output.push_str(piece);
        }
        true
    });
    on_each_level!(LEVEL => {
        const CODEC: Encoder = ENCODER.level(LEVEL);
        contest.fills(reuse, ours(LEVEL), |input, output: &mut String| {
            for piece in CODEC.pieces(input) {
                output.push_str(piece);
            }
            true
        });
    });
}

/// Decoding to a buffer with enough capacity, by the contestants that support it.
pub fn decode_filling(contest: &mut Contest<'_>, reuse: Reuse) {
    decode_filling_beside_one(contest, reuse);
    contest.fills(reuse, "percent-encoding-rfc3986", |input, output: &mut Vec<u8>| {
        percent_encoding_rfc3986::percent_decode(input).map(|decoded| output.extend(decoded)).is_ok()
    });
    contest.fills(reuse, "url-escape", |input, output: &mut Vec<u8>| {
        std::str::from_utf8(input).map(|text| url_escape::decode_to_vec(text, output).len()).is_ok()
    });
}

/// Same as above, by percent-encoding and each level only, for inputs that take long.
pub fn decode_filling_beside_one(contest: &mut Contest<'_>, reuse: Reuse) {
    contest.fills(reuse, "percent-encoding", |input, output: &mut Vec<u8>| {
        output.extend(percent_decode(input));
        true
    });
    on_each_level!(LEVEL => {
        const DECODER: Decoder = LENIENT.level(LEVEL);
        contest.fills(reuse, ours(LEVEL), |input, output: &mut Vec<u8>| DECODER.decode_to(input, output).is_ok());
    });
}

/// Encoding to a buffer with enough capacity, by the contestants that support it.
pub fn encode_filling(contest: &mut Contest<'_>, reuse: Reuse) {
    encode_filling_beside_one(contest, reuse);
    contest.fills(reuse, "urlencoding", |input, output: &mut String| {
        urlencoding::Encoded(input).append_to(output);
        true
    });
    contest.fills(reuse, "percent-encoding-rfc3986", |input, output: &mut String| {
        output.extend(percent_encoding_rfc3986::percent_encode(input, COMPONENT_RFC3986));
        true
    });
}

/// Same as above, by percent-encoding and each level only, for inputs that take long.
pub fn encode_filling_beside_one(contest: &mut Contest<'_>, reuse: Reuse) {
    contest.fills(reuse, "percent-encoding", |input, output: &mut String| {
        output.extend(percent_encode(input, COMPONENT));
        true
    });
    on_each_level!(LEVEL => {
        const CODEC: Encoder = ENCODER.level(LEVEL);
        contest.fills(reuse, ours(LEVEL), |input, output: &mut String| {
            CODEC.encode_to(input, output);
            true
        });
    });
}
