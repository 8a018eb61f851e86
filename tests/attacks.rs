//! Regression tests for known attacks on other decoders: one test for each attack, with its
//! original string.

use crate::common::{Surrounded, compare_decoding, compare_encoding, is_quick};
use simdpct::DecodeErrorKind::{InvalidUtf8, Malformed, Rejected};
use simdpct::legacy::UnicodeDecoder;
use simdpct::{ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, Kinds, Normalizer, form, inspect, uri};

/// A strict input filter: rejects NUL, a second layer of escapes, and separators that were escaped.
const GUARD: Decoder = Decoder::new().reject(ByteSet::new(b"\0/\\%"));

/// The decoder on every level.
fn on_every_level(decoder: Decoder) -> impl Iterator<Item = Decoder> {
    crate::common::levels().map(move |level| decoder.level(level))
}

#[track_caller]
fn assert_refuses<T>(result: Result<T, DecodeError>, kind: DecodeErrorKind, position: usize) {
    let error = result.err().map(|error| (error.kind, error.position));
    assert_eq!(error, Some((kind, position)));
}

/// `%252e%252e` passes a filter for `..` and `%2e%2e`, and decoding it twice gives `..`. Every
/// function decodes once, and rejecting `%` reveals the second layer.
#[test]
fn double_decoding() {
    let attack = "%252e%252e";
    for decoder in on_every_level(Decoder::new()).chain(on_every_level(Decoder::new().lenient())) {
        assert_eq!(decoder.decode(attack).as_deref(), Ok(&b"%2e%2e"[..]));
        assert_eq!(decoder.decode_utf8(attack).as_deref(), Ok("%2e%2e"));
    }
    assert_eq!(simdpct::decode_utf8_lossy(attack), "%2e%2e");
    assert_eq!(simdpct::normalize(attack).as_deref(), Ok("%252e%252e"));
    assert_eq!(Normalizer::new().decode(ByteSet::ALL).normalize(attack).as_deref(), Ok("%252e%252e"));
    assert_eq!(form::parse_lossy(attack).next().unwrap().0, "%2e%2e");
    assert_eq!(uri::repair(attack), attack);
    // An encoder that keeps triplets adds no second layer.
    assert_eq!(Encoder::URI.encode(attack), attack);
    assert!(inspect(attack).contains(Kinds::PERCENT));
    on_every_level(GUARD).for_each(|guard| assert_refuses(guard.decode(attack), Rejected(b'%'), 0));
}

/// `%%32%65`: a decoder that rescans its output turns it into `%2e`, and that into a dot. Here
/// scanning continues after the stray percent sign, and output is never rescanned.
#[test]
fn second_decoding_after_a_stray_percent() {
    let attack = "%%32%65";
    on_every_level(Decoder::new()).for_each(|decoder| assert_refuses(decoder.decode(attack), Malformed, 0));
    for decoder in on_every_level(Decoder::new().lenient()) {
        assert_eq!(decoder.decode(attack).as_deref(), Ok(&b"%2e"[..]));
        let mut buffer = attack.as_bytes().to_vec();
        assert_eq!(decoder.decode_in_place(&mut buffer).as_deref(), Ok(&b"%2e"[..]));
    }
    // A malformed '%' becomes `%25`, so that a later decoder cannot see a triplet in the result.
    let normalizer = Normalizer::new().malformed(simdpct::Malformed::Escape);
    assert_eq!(normalizer.normalize(attack).as_deref(), Ok("%252e"));
    assert_eq!(uri::repair(attack), "%25%32%65");
    assert!(inspect(attack).contains(Kinds::MALFORMED));
    // If the output is a URI, the digits stay escaped.
    let normalizer = Normalizer::new().malformed(simdpct::Malformed::Keep);
    let keeping = Decoder::new().lenient().keep(ByteSet::new(b"%"));
    for (attack, expected) in [("%%32%66", "%%32f"), ("%%%33%34%31", "%%%3341"), ("%2%46", "%2%46")] {
        assert_eq!(normalizer.normalize(attack).as_deref(), Ok(expected));
        for decoder in on_every_level(keeping) {
            assert_eq!(decoder.decode_utf8(attack).as_deref(), Ok(expected));
        }
    }
}

/// `%2>`: a decoder that computes digit values without validating them takes `>` for fourteen, and
/// reads a dot. Only `0-9`, `a-f` and `A-F` are digits.
#[test]
fn non_hexadecimal_digits() {
    for attack in ["%2>", "%2N", "%2\u{E}", "%\u{12}e", "%2:", "%+2", "% 2", "%0x", "%-1", "%2`", "%2g", "%2@", "%/e"] {
        on_every_level(Decoder::new()).for_each(|decoder| assert_refuses(decoder.decode(attack), Malformed, 0));
        for decoder in on_every_level(Decoder::new().lenient()) {
            assert_eq!(decoder.decode(attack).as_deref(), Ok(attack.as_bytes()));
        }
    }
    for (high, low) in (0..=u16::MAX).map(|pair| (pair as u8, (pair >> 8) as u8)) {
        let attack = [b'%', high, low];
        let is_triplet = high.is_ascii_hexdigit() && low.is_ascii_hexdigit();
        for decoder in on_every_level(Decoder::new()) {
            assert_eq!(decoder.check(&attack).is_ok(), is_triplet, "{}", attack.escape_ascii());
        }
    }
}

/// `%c0%af` is a slash to a UTF-8 decoder that accepts overlong forms. They are ill-formed (Unicode
/// 3.9, table 3-7), and no function decodes them to a slash.
#[test]
fn overlong_slash() {
    for attack in ["%c0%af", "%e0%80%af", "%f0%80%80%af", "%C0%2f", "%c1%9c", "%c0%ae"] {
        for decoder in on_every_level(Decoder::new()) {
            assert_refuses(decoder.decode_utf8(attack), InvalidUtf8, 0);
            let lossy = decoder.decode_utf8_lossy(attack).unwrap();
            assert!(lossy.starts_with('\u{FFFD}') && !lossy.contains(['\\', '.']), "{lossy}");
            let dropped = decoder.decode_utf8_dropping(attack).unwrap();
            // The slash of `%C0%2f` is a separate character.
            assert_eq!(
                (&*dropped, lossy.contains('/')),
                if attack.contains("%2f") { ("/", true) } else { ("", false) }
            );
        }
        assert_refuses(simdpct::decode_utf8(attack), InvalidUtf8, 0);
        assert!(inspect(attack).contains(Kinds::INVALID_UTF8));
    }
}

/// `%u002e` is a dot to IIS and to no URI standard. It is malformed unless decoded with
/// `UnicodeDecoder`, which applies the rejected set to this form too.
#[test]
fn unicode_escapes() {
    let attack = "%u002e%u002e%u2215";
    on_every_level(Decoder::new()).for_each(|decoder| assert_refuses(decoder.decode(attack), Malformed, 0));
    for decoder in on_every_level(Decoder::new().lenient()) {
        assert_eq!(decoder.decode_utf8(attack).as_deref(), Ok(attack));
    }
    assert!(inspect(attack).contains(Kinds::MALFORMED));
    // U+2215 is not a slash, although some code pages map it to one.
    assert_eq!(UnicodeDecoder::new(Decoder::new()).decode_utf8(attack).as_deref(), Ok("..\u{2215}"));
    let guarded = UnicodeDecoder::new(GUARD);
    assert_refuses(guarded.decode_utf8("a%u002fb"), Rejected(b'/'), 1);
    assert_refuses(guarded.decode_utf8("a%u0000"), Rejected(0), 1);
    // Its output is not decoded again.
    assert_eq!(UnicodeDecoder::new(Decoder::new()).decode_utf8("%u0025u002e").as_deref(), Ok("%u002e"));
    // If escapes are kept in the output, none is created.
    let keeping = UnicodeDecoder::new(Decoder::new()).keep_triplets();
    for (attack, expected) in [("%u00252F", "%u00252F"), ("%u0025%u0032%u0046", "%u00252F"), ("a%u002F%2F", "a/%2F")] {
        assert_eq!(keeping.decode_utf8(attack).as_deref(), Ok(expected));
    }
}

/// `a.php%00.png` ends at the NUL when passed to C. It decodes in full, and rejecting NUL makes it
/// an error.
#[test]
fn encoded_nul() {
    let attack = "a.php%00.png";
    assert_eq!(simdpct::decode_utf8(attack).as_deref(), Ok("a.php\0.png"));
    assert!(inspect(attack).contains(Kinds::NUL | Kinds::CONTROL));
    on_every_level(GUARD).for_each(|guard| assert_refuses(guard.decode(attack), Rejected(0), 5));
    // A raw NUL too.
    on_every_level(GUARD).for_each(|guard| assert_refuses(guard.decode("a.php\0.png"), Rejected(0), 5));
    assert_eq!(simdpct::normalize(attack).as_deref(), Ok(attack));
}

/// `..%2f` and `..%5c` pass a filter that splits at separators before decoding. They can be kept or
/// rejected.
#[test]
fn encoded_slash_and_backslash() {
    let attack = "/static/..%2f..%5Cetc";
    for decoder in on_every_level(Decoder::new().keep(ByteSet::new(b"/\\"))) {
        assert_eq!(decoder.decode_utf8(attack).as_deref(), Ok(attack));
    }
    on_every_level(GUARD).for_each(|guard| assert_refuses(guard.decode(&attack[8..]), Rejected(b'/'), 2));
    on_every_level(GUARD).for_each(|guard| assert_refuses(guard.decode("..%5Cetc"), Rejected(b'\\'), 2));
    assert!(inspect(attack).contains(Kinds::SLASH | Kinds::BACKSLASH));
    // Normalizing turns neither into a separator, nor a separator into data.
    assert_eq!(simdpct::normalize(attack).as_deref(), Ok("/static/..%2F..%5Cetc"));
    assert!(!simdpct::equivalent("/a%2Fb", "/a/b"));
    // Encoding escapes separators in data.
    assert_eq!(Encoder::PATH_SEGMENT.encode("../\\"), "..%2F%5C");
    assert_eq!(uri::path(["..", "a/b"]).unwrap_err().position, 1);
}

/// `%`, `%4` at the end: a decoder without a bounds check reads past the buffer. Here the bytes
/// after it would complete the triplet, and are not read.
#[test]
fn truncated_at_the_end_of_the_buffer() {
    for length in 0..200 {
        for end in ["%", "%4", "%41%", "%41%4", "%u", "%u004"] {
            let input = ["a".repeat(length), end.into()].concat();
            let attack = Surrounded::new(input.as_bytes());
            let position = input.rfind('%').unwrap();
            for decoder in on_every_level(Decoder::new()) {
                assert_refuses(decoder.decode(attack.input()), Malformed, position);
            }
            compare_decoding(&Decoder::new().lenient(), attack.input());
        }
    }
}

/// A digit table indexed by a signed byte is read before its start. Bytes from 0x80 are not digits
/// in either position, and stay unchanged.
#[test]
fn digits_of_negative_signed_bytes() {
    for byte in 0x80..=0xFF_u8 {
        for attack in [[b'%', byte, b'1'], [b'%', b'1', byte], [b'%', byte, byte], [byte, b'4', b'1'], [byte; 3]] {
            let attack = attack.repeat(23);
            let is_malformed = attack.contains(&b'%');
            for decoder in on_every_level(Decoder::new()) {
                assert_eq!(decoder.check(&attack).is_err(), is_malformed);
                assert_eq!(decoder.lenient().decode(&attack).as_deref(), Ok(&*attack));
            }
            compare_encoding(&Encoder::COMPONENT, &attack);
        }
        let set = ByteSet::new(&[byte]);
        assert!(crate::common::levels().all(|level| set.find_on(level, &[b'a', byte & 0x7F, byte]) == Some(2)));
    }
}

/// A decoder that moves or copies the rest of the text for each triplet takes quadratic time for a
/// megabyte of `%ab`. Here each byte is read a few times at most; benches/hostile.rs shows that the
/// time per byte is the same for any length.
#[test]
fn quadratic_time() {
    let triplets = if is_quick() { 1 << 17 } else { 1 << 20 };
    let attack = "%ab".repeat(triplets);
    for decoder in on_every_level(Decoder::new()) {
        assert!(decoder.decode(&attack).unwrap().iter().eq(std::iter::repeat_n(&0xAB, triplets)));
        assert_eq!(decoder.decode_utf8_lossy(&attack).unwrap().len(), 3 * triplets);
        assert_eq!(decoder.decode_in_place(attack.clone().into_bytes().as_mut_slice()).unwrap().len(), triplets);
        assert_refuses(decoder.decode_utf8(&attack), InvalidUtf8, 0);
    }
    // Inputs in which everything is malformed, or everything must be escaped.
    let stray = "%".repeat(triplets);
    assert_eq!(simdpct::decode_utf8_lossy(&stray).len(), triplets);
    let normalizer = Normalizer::new().malformed(simdpct::Malformed::Escape);
    assert_eq!(normalizer.normalize(&stray).unwrap().len(), 3 * triplets);
    assert_eq!(form::parse_lossy(&"%ab=&".repeat(triplets)).count(), triplets);
    assert_eq!(simdpct::encode(&stray).len(), 3 * triplets);
}

/// `%0d%0a` in a log line decodes to a line end, and the rest becomes a forged record. A kept set
/// stays escaped, so that a line stays one line; `pct` keeps line ends wherever records are lines.
#[test]
fn record_splitting() {
    let attack = "GET /a%0d%0aGET /admin%0A\tx%20y";
    for decoder in on_every_level(Decoder::new().lenient().keep(ByteSet::new(b"\r\n"))) {
        assert_eq!(decoder.decode_utf8(attack).as_deref(), Ok("GET /a%0d%0aGET /admin%0A\tx y"));
    }
    for decoder in on_every_level(Decoder::new().reject(ByteSet::new(b"\r\n"))) {
        assert_refuses(decoder.decode(attack), Rejected(b'\r'), 6);
    }
    assert!(inspect(attack).contains(Kinds::CONTROL));
    // Line ends in data are escaped by every URI set of the standards.
    for encoder in [Encoder::COMPONENT, Encoder::PATH, Encoder::QUERY, Encoder::FORM, Encoder::URI, Encoder::FRAGMENT] {
        assert_eq!(encoder.encode("a\r\nb"), "a%0D%0Ab");
    }
}

/// A router that finds the end of a segment in the decoded path and cuts the raw path at that index
/// cuts at the wrong place: in decoded `/%61%2e%2e/x` the second slash is at 4, and the first 4
/// bytes of the raw path are `/%61`. `input_offset` gives the position in the raw path.
#[test]
fn raw_path_cut_at_decoded_index() {
    let (raw, decoder) = ("/%61%2e%2e/secret", Decoder::new());
    let decoded = decoder.decode_utf8(raw).unwrap();
    let slash = decoded[1..].find('/').unwrap() + 1;
    assert_eq!((slash, &raw[..slash]), (4, "/%61"), "the cut that is wrong");
    for decoder in on_every_level(decoder) {
        let cut = decoder.input_offset(raw, slash).unwrap();
        assert_eq!((&raw[..cut], &raw[cut..]), ("/%61%2e%2e", "/secret"));
    }
    // Error positions refer to the raw path.
    assert_refuses(simdpct::decode_utf8("/%61%2e%2e/%FF"), InvalidUtf8, 11);
}
