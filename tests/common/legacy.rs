//! ECMAScript's functions, `%uXXXX` and ISO-8859-1, written character by character as in their
//! definitions.

use std::borrow::Cow;

use simdpct::DecodeErrorKind::{InvalidUtf8, LoneSurrogate, Malformed, Rejected, Unencodable};
use simdpct::legacy::{LoneSurrogates, UnicodeDecoder, java, js, latin1};
use simdpct::{ByteSet, DecodeErrorKind, Decoder, Level, reference};

use super::decoder;

/// The code unit of the escape at `at`: four digits after `%u`.
pub fn code_unit(input: &[u8], at: usize) -> Option<u16> {
    let digits = input.get(at..at + 6)?.strip_prefix(b"%u")?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

/// ECMA-262 B.2.1.2, step by step, on UTF-16 code units.
pub fn unescape_to_utf16(text: &str) -> Vec<u16> {
    let (input, mut units, mut at) = (text.as_bytes(), Vec::new(), 0);
    while let Some(character) = text[at..].chars().next() {
        if let Some(unit) = code_unit(input, at) {
            units.push(unit);
            at += 6;
        } else if let Some(byte) = reference::triplet(input, at) {
            units.push(byte.into());
            at += 3;
        } else {
            units.extend(character.encode_utf16(&mut [0; 2]).iter());
            at += character.len_utf8();
        }
    }
    units
}

/// Whether `character`, decoded at `at`, could complete a malformed `%`, `%H`, `%u`, `%uH`, `%uHH`
/// or `%uHHH` that precedes it.
fn could_complete(input: &[u8], at: usize, character: char) -> bool {
    let follows = |prefix: &[u8], digits: usize| {
        let Some(start) = at.checked_sub(prefix.len() + digits) else { return false };
        let (actual, rest) = input[start..at].split_at(prefix.len());
        actual == prefix && rest.iter().all(u8::is_ascii_hexdigit)
    };
    let completes_digit = (0..=1).any(|digits| follows(b"%", digits)) || (0..=3).any(|digits| follows(b"%u", digits));
    character.is_ascii_hexdigit() && completes_digit || character == 'u' && follows(b"%", 0)
}

/// The expected result of a [`UnicodeDecoder`]: collects each output byte with its input position,
/// and validates at the end.
pub fn decode_unicode(
    input: &[u8],
    decoder: &Decoder,
    kept_triplets: ByteSet,
    kept: Option<ByteSet>,
    rejected: Option<ByteSet>,
    policy: LoneSurrogates,
) -> Result<String, (DecodeErrorKind, usize)> {
    let (mut bytes, mut error, mut at) = (Vec::new(), None, 0);
    let creates_none = kept_triplets.contains(b'%');
    let stays = |at, character| creates_none && (character == '%' || could_complete(input, at, character));
    while at < input.len() && error.is_none() {
        let Some(unit) = code_unit(input, at) else {
            let stays = reference::triplet(input, at).is_some_and(|byte| stays(at, char::from(byte)));
            let kept_triplets = if stays { ByteSet::ALL } else { kept_triplets };
            let symbol = &input[at..input.len().min(at + 3)];
            let (symbols, failure) = reference::symbols(&decoder.keep(kept_triplets), symbol);
            match symbols.first() {
                Some(&(_, byte)) => bytes.push((at, byte)),
                None => error = failure.map(|failure| (failure.kind, at)),
            }
            let decoded = reference::triplet(input, at).filter(|&byte| !kept_triplets.contains(byte));
            at += if decoded.is_some() { 3 } else { 1 };
            continue;
        };
        let units = [Some(unit), code_unit(input, at + 6)];
        let pair = String::from_utf16(&units.map(|unit| unit.unwrap_or(0xD800))).ok();
        let is_high = (0xD800..0xDC00).contains(&unit);
        let (character, width) = match (String::from_utf16(&[unit]).ok(), pair) {
            (None, Some(pair)) if is_high => (Some(pair), 12),
            (Some(single), _) => (Some(single), 6),
            _ if policy == LoneSurrogates::Refuse => {
                error = Some((LoneSurrogate, at));
                continue;
            }
            _ => ((policy == LoneSurrogates::Replace).then(|| "\u{FFFD}".into()), 6),
        };
        let is_real = String::from_utf16(&[unit]).is_ok() || width == 12;
        let is_kept = |text: &String| is_real && kept.is_some_and(|kept| text.bytes().all(|byte| kept.contains(byte)));
        let creates = |text: &String| is_real && text.chars().all(|character| stays(at, character));
        match character.filter(|text| !is_kept(text) && !creates(text)) {
            Some(text) => bytes.extend(text.bytes().map(|byte| (at, byte))),
            None => bytes.extend((at..at + width).map(|at| (at, input[at]))),
        }
        let is_rejected = |byte| rejected.is_some_and(|set| set.contains(byte));
        if let Some(&(position, byte)) = bytes.iter().find(|&&(_, byte)| is_rejected(byte)) {
            error = Some((Rejected(byte), position));
            // A character is rejected as a whole.
            bytes.retain(|&(from, _)| from < position);
        }
        at += width;
    }
    let text = String::from_utf8(bytes.iter().map(|&(_, byte)| byte).collect());
    match (text, error) {
        (Err(invalid), _) => Err((InvalidUtf8, bytes[invalid.utf8_error().valid_up_to()].0)),
        (Ok(_), Some(error)) => Err(error),
        (Ok(text), None) => Ok(text),
    }
}

/// Compares both forms of `unescape` with its definition (ECMA-262 B.2.1.2).
pub fn compare_unescaping(text: &str) {
    let units = unescape_to_utf16(text);
    assert_eq!(js::unescape_lossy(text), String::from_utf16_lossy(&units));
    match (js::unescape(text), String::from_utf16(&units)) {
        (Ok(result), Ok(expected)) => assert_eq!(result, expected),
        (Err(error), Err(_)) => {
            // It is the position of an escape, and the text before it has no error.
            assert_eq!(error.kind, LoneSurrogate);
            assert!(code_unit(text.as_bytes(), error.position).is_some_and(|unit| unit & 0xF800 == 0xD800));
            assert!(js::unescape(&text[..error.position]).is_ok());
        }
        (result, expected) => panic!("{result:?}, {expected:?}"),
    }
}

/// Compares `escape` with its definition (ECMA-262 B.2.1.1), and decodes the result.
pub fn compare_escaping(text: &str) {
    let expected: String = text
        .encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() || b"@*_+-./".contains(&byte) => char::from(byte).to_string(),
            Ok(byte) => format!("%{byte:02X}"),
            Err(_) => format!("%u{unit:04X}"),
        })
        .collect();
    let escaped = js::escape(text);
    assert_eq!(&escaped, &expected);
    assert_eq!(js::unescape(&escaped), Ok(Cow::from(text)));
    let back = UnicodeDecoder::new(Decoder::new()).decode_utf8(&*escaped);
    if text.encode_utf16().all(|unit| !(0x80..0x100).contains(&unit)) {
        assert_eq!(back, Ok(Cow::from(text)));
    }
}

/// Compares decoding of ISO-8859-1 with the reference implementation's bytes, mapped to characters.
pub fn compare_latin1_decoding(decoder: &Decoder, text: &str) {
    let cut = text.char_indices().find(|&(_, character)| character > '\u{FF}');
    let known: Vec<char> = text[..cut.map_or(text.len(), |(at, _)| at)].chars().collect();
    let bytes: Vec<u8> = known.iter().map(|&character| character as u8).collect();
    let position = |at: usize| known[..at].iter().map(|character| character.len_utf8()).sum();
    // The rejected byte is the byte itself, or a UTF-8 byte of its character.
    let rejects = |byte: u8| decoder.check(&[byte]).is_err_and(|error| matches!(error.kind, Rejected(_)));
    let (symbols, _) = reference::symbols(decoder, &bytes);
    let in_output = symbols.iter().find_map(|&(at, byte)| {
        let rejected = char::from(byte).to_string().bytes().find(|&byte| rejects(byte))?;
        Some((Rejected(rejected), position(at)))
    });
    let expected = match (reference::decode(decoder, &bytes), cut) {
        _ if in_output.is_some() => Err(in_output.unwrap_or((Malformed, 0))),
        (Err(error), _) => Err((error.kind, position(error.position))),
        (Ok(_), Some((at, character))) => Err((Unencodable(character), at)),
        (Ok(decoded), None) => Ok(decoded.into_iter().map(char::from).collect::<String>()),
    };
    let result = latin1::decode_with(text, decoder);
    assert_eq!(result.as_deref().map_err(|error| (error.kind, error.position)), expected.as_deref().map_err(|&e| e));
}

/// Options of a [`UnicodeDecoder`].
#[derive(Clone, Copy, Debug)]
pub struct UnicodeCase {
    pub lenient: bool,
    pub plus: bool,
    pub kept: Option<ByteSet>,
    pub rejected: Option<ByteSet>,
    /// Only `%uXXXX` is decoded.
    pub alone: bool,
    pub policy: LoneSurrogates,
    pub level: Level,
}

/// Compares both forms of decoding with the reference implementation.
pub fn compare_unicode_decoding(case: UnicodeCase, input: &[u8]) {
    let decoder = decoder(case.lenient, case.plus, case.kept, case.rejected);
    let mut unicode = UnicodeDecoder::new(decoder.level(case.level)).lone_surrogates(case.policy);
    if case.alone {
        unicode = unicode.keep_triplets();
    }
    let kept_triplets = match (case.alone, case.policy, case.kept.unwrap_or(ByteSet::EMPTY)) {
        (true, ..) => ByteSet::ALL,
        (false, LoneSurrogates::Keep, kept) => kept.with(b'%'),
        (false, _, kept) => kept,
    };
    let expected = decode_unicode(input, &decoder, kept_triplets, case.kept, case.rejected, case.policy);
    let result = unicode.decode_utf8(input);
    assert_eq!(result.as_deref().map_err(|error| (error.kind, error.position)), expected.as_deref().map_err(|&e| e));
    if let Ok(text) = &result {
        assert_eq!(matches!(text, Cow::Borrowed(_)), text.as_bytes() == input);
    }
    let lossy = unicode.decode_utf8_lossy(input);
    match expected {
        Ok(text) => assert_eq!(lossy.as_deref(), Ok(&*text)),
        Err((InvalidUtf8, at)) => {
            match (lossy, case.rejected.and_then(|set| "\u{FFFD}".bytes().find(|&b| set.contains(b)))) {
                (Err(error), Some(byte)) => assert_eq!((error.kind, error.position), (Rejected(byte), at)),
                (lossy, rejected) => {
                    assert!(rejected.is_none() && lossy.ok().is_none_or(|text| text.contains('\u{FFFD}')));
                }
            }
        }
        Err(error) => assert_eq!(lossy.map_err(|error| (error.kind, error.position)), Err(error)),
    }
}

/// Compares Java's functions with their definitions.
pub fn compare_java(text: &str) {
    let decoded = java::decode(text);
    assert_eq!(
        decoded.as_deref().map_err(|error| *error),
        reference::decode_java(text).as_deref().map_err(|error| *error)
    );
    if let Ok(Cow::Borrowed(borrowed)) = decoded {
        assert_eq!(borrowed, text);
    }
    let encoded = java::encode(text);
    assert_eq!(encoded, reference::encode(&simdpct::Encoder::FORM, text.as_bytes()));
    assert_eq!(java::decode(&*encoded).as_deref(), Ok(text));
    // With every triplet kept, triplets that only Java accepts become ordinary triplets.
    let kept = java::decode_with(text, &Decoder::new().keep(ByteSet::ALL));
    match decoded {
        Ok(decoded) => {
            let kept = kept.expect("what Java decodes");
            let bytes = Decoder::new().plus_for_space().decode(&*kept).expect("ordinary triplets");
            assert_eq!(java::text(&bytes), decoded);
            let with = java::decode_with(text, &Decoder::new().plus_for_space());
            assert_eq!(with.as_deref(), Ok(&*bytes));
        }
        Err(error) => assert_eq!(kept, Err(error)),
    }
}
