//! A form parser written step by step as in the standard (WHATWG URL 5.1), and a comparison of
//! every view of a form with it.

use std::borrow::Cow;

use simdpct::{Decoder, Level, form, reference};

pub type Pairs<T> = Vec<(T, T)>;

/// The parser of 5.1 with the reference implementation's decoding.
pub fn parse(input: &[u8]) -> Pairs<Vec<u8>> {
    let decoder = Decoder::new().lenient().plus_for_space();
    let decode = |part: &[u8]| reference::decode(&decoder, part).unwrap();
    let pairs = input.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty());
    let split = |pair: &'_ [u8]| match pair.iter().position(|&byte| byte == b'=') {
        Some(equals) => (decode(&pair[..equals]), decode(&pair[equals + 1..])),
        None => (decode(pair), Vec::new()),
    };
    pairs.map(split).collect()
}

pub fn text(pairs: &Pairs<Vec<u8>>) -> Pairs<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    pairs.iter().map(|(name, value)| (text(name), text(value))).collect()
}

/// Newline normalization of HTML 4.10.22.4, byte by byte: every CR without a following LF and every
/// LF without a preceding CR becomes CR LF.
pub fn with_normal_newlines(text: &[u8]) -> Vec<u8> {
    let mut normal = Vec::new();
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'\n' if at > 0 && text[at - 1] == b'\r' => {}
            b'\r' | b'\n' => normal.extend(b"\r\n"),
            byte => normal.push(byte),
        }
    }
    normal
}

/// Compares every view of a form, on every level, with the parser above.
#[track_caller]
pub fn compare_parsing(input: &[u8]) {
    let bytes = parse(input);
    let lossy = text(&bytes);
    for level in super::levels() {
        let case = format!("\"{}\" on {level}", input.escape_ascii());
        let ours: Pairs<Vec<u8>> = form::parse_bytes(input).level(level).into_owned().collect();
        assert_eq!(ours, bytes, "{case}");
        let ours: Pairs<String> = form::parse_lossy(input).level(level).into_owned().collect();
        assert_eq!(ours, lossy, "{case}");
        compare_strict(input, level, &case);

        // An input that is known to be text has the same pairs.
        if let Ok(text) = str::from_utf8(input) {
            assert!(form::parse_lossy(text).level(level).eq(form::parse_lossy(input).level(level)), "{case}");
            assert!(form::parse(text).level(level).eq(form::parse(input).level(level)), "{case}");
            assert!(form::parse(text).into_owned().eq(form::parse(input).into_owned()), "{case}");
        }

        // The rest after each pair has the remaining pairs.
        let mut pairs = form::parse_lossy(input).level(level);
        for left in 0..4 {
            assert_eq!(form::parse_lossy(pairs.rest()).count(), lossy.len().saturating_sub(left), "{case}");
            pairs.next();
        }

        let pairs = form::parse_lossy(input).level(level);
        assert!(lossy.len() <= pairs.size_hint().1.unwrap(), "{case}");
        for (name, _) in &lossy {
            let expected: Vec<&str> =
                lossy.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str()).collect();
            assert_eq!(pairs.get_all(name).collect::<Vec<_>>(), expected[..], "{case}");
            assert_eq!(pairs.get(name).as_ref().map(AsRef::as_ref), Some(expected[0]), "{case}");
        }
        for (name, _) in &bytes {
            let expected = bytes.iter().filter(|(other, _)| other == name).map(|(_, value)| Cow::from(value));
            assert!(form::parse_bytes(input).level(level).get_all(name).eq(expected), "{case}");
        }
    }
}

/// Compares each part with a strict decoder's result; error positions count from the start of the
/// form.
#[track_caller]
pub fn compare_strict(input: &[u8], level: Level, case: &str) {
    let decoder = Decoder::new().plus_for_space();
    let start = |part: &[u8]| part.as_ptr() as usize - input.as_ptr() as usize;
    let decode = |part: &[u8]| {
        let text = reference::decode_utf8(&decoder, part);
        text.map_err(|error| (error.kind, start(part) + error.position))
    };
    let parts: Vec<_> = form::split(input).level(level).collect();
    let ours: Vec<_> = form::parse(input).level(level).collect();
    assert_eq!(ours.len(), parts.len(), "{case}");
    for (ours, (name, value)) in ours.into_iter().zip(parts) {
        let expected = decode(name).and_then(|name| Ok((name, decode(value)?)));
        let ours = ours.map(|(name, value)| (name.into_owned(), value.into_owned()));
        assert_eq!(ours.map_err(|error| (error.kind, error.position)), expected, "{case}");
    }
}
