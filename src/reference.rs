//! The reference implementation: the shortest obviously correct code, one function per operation.
//! It defines the behaviour of the library.
//!
//! The library never calls it. The tests and fuzz targets compare everything else with it. It is
//! compiled with the feature `__reference` only, hidden from the documentation and exempt from
//! semantic versioning: users have no reason to call it.
#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use crate::accept::AcceptError;
use crate::error::DecodeErrorKind;
use crate::ext_value::{Charset, ExtValueError};
use crate::legacy::java;
use crate::offset::OffsetError;
use crate::path::{
    Backslash, DotSegments, EmptySegments, EncodedSlash, HiddenSegments, IllegalBytes, Parameters, PathError,
    PathErrorKind, PathPolicy,
};
use crate::uri::Part;
use crate::{ByteSet, DecodeError, Decoder, Encoder, Kinds, Malformed, Normalizer, sets};

/// Offset of the first member of `set`.
#[must_use]
pub fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
    haystack.iter().position(|&byte| set.contains(byte))
}

/// Number of members of `set`.
#[must_use]
pub fn count(set: &ByteSet, haystack: &[u8]) -> usize {
    haystack.iter().filter(|&&byte| set.contains(byte)).count()
}

/// The byte of the triplet at `at`, if there is one (RFC 3986 2.1).
#[must_use]
pub fn triplet(input: &[u8], at: usize) -> Option<u8> {
    let &[b'%', high, low] = input.get(at..at + 3)? else { return None };
    let value = char::from(high).to_digit(16)? * 16 + char::from(low).to_digit(16)?;
    Some(value as u8)
}

/// Whether the triplet at `at` encodes a hexadecimal digit that, once decoded, could complete a
/// malformed `%` to a triplet.
///
/// That `%` is one or two bytes before it, and malformed because the `%` of this triplet follows.
#[must_use]
pub fn could_complete(input: &[u8], at: usize) -> bool {
    let follows_malformed = match input[..at] {
        [.., b'%'] => true,
        [.., b'%', digit] => digit.is_ascii_hexdigit(),
        _ => false,
    };
    follows_malformed && triplet(input, at).is_some_and(|byte| byte.is_ascii_hexdigit())
}

/// Encodes with the options of `encoder`.
#[must_use]
pub fn encode(encoder: &Encoder, input: &[u8]) -> String {
    let plan = &encoder.plan;
    let mut well_formed = Vec::new();
    for chunk in input.utf8_chunks() {
        well_formed.resize(well_formed.len() + chunk.valid().len(), true);
        well_formed.resize(well_formed.len() + chunk.invalid().len(), false);
    }
    let mut output = Vec::new();
    let mut at = 0;
    while let Some(&byte) = input.get(at) {
        if plan.keep_triplets && triplet(input, at).is_some() {
            output.extend_from_slice(&input[at..at + 3]);
            at += 3;
            continue;
        }
        if plan.plus() && byte == b' ' {
            output.push(b'+');
        } else if plan.keep_non_ascii && byte >= 0x80 && well_formed[at] {
            output.push(byte);
        } else if plan.escape().contains(byte) || byte >= 0x80 || plan.plus() && byte == b'+' {
            output.extend([b'%', plan.digits[usize::from(byte >> 4)], plan.digits[usize::from(byte & 15)]]);
        } else {
            output.push(byte);
        }
        at += 1;
    }
    String::from_utf8(output).unwrap_or_default()
}

/// The decoded bytes up to the first error, each with the offset of the byte or triplet that it
/// comes from.
#[must_use]
pub fn symbols(decoder: &Decoder, input: &[u8]) -> (Vec<(usize, u8)>, Option<DecodeError>) {
    let plan = &decoder.plan;
    let mut symbols = Vec::new();
    let mut at = 0;
    while let Some(&raw) = input.get(at) {
        let decoded = triplet(input, at);
        let kept = decoded.is_some_and(|byte| plan.keep.is_some_and(|keep| keep.contains(byte)))
            || plan.creates_no_triplets() && could_complete(input, at);
        if raw == b'%' && decoded.is_none() && plan.strict {
            return (symbols, Some(DecodeError::new(DecodeErrorKind::Malformed, at)));
        }
        let (byte, width) = match decoded {
            Some(byte) if !kept => (byte, 3),
            _ if raw == b'+' && plan.plus => (b' ', 1),
            _ => (raw, 1),
        };
        if plan.reject.is_some_and(|reject| reject.contains(byte)) {
            return (symbols, Some(DecodeError::new(DecodeErrorKind::Rejected(byte), at)));
        }
        symbols.push((at, byte));
        at += width;
    }
    (symbols, None)
}

/// Decodes with the options of `decoder`.
pub fn decode(decoder: &Decoder, input: &[u8]) -> Result<Vec<u8>, DecodeError> {
    match symbols(decoder, input) {
        (symbols, None) => Ok(symbols.into_iter().map(|(_, byte)| byte).collect()),
        (_, Some(error)) => Err(error),
    }
}

/// Decodes to well-formed text. The error with the smallest position is reported, so the output
/// before another error must be well-formed by itself.
pub fn decode_utf8(decoder: &Decoder, input: &[u8]) -> Result<String, DecodeError> {
    let (symbols, error) = symbols(decoder, input);
    let bytes = symbols.iter().map(|&(_, byte)| byte).collect();
    match (String::from_utf8(bytes), error) {
        (Err(invalid), _) => {
            Err(DecodeError::new(DecodeErrorKind::InvalidUtf8, symbols[invalid.utf8_error().valid_up_to()].0))
        }
        (Ok(_), Some(error)) => Err(error),
        (Ok(text), None) => Ok(text),
    }
}

/// Decodes to text, with `replacement` for each maximal subpart of an ill-formed sequence (Unicode
/// 3.9, WHATWG Encoding 4.1): U+FFFD, or nothing to drop it.
///
/// Where no triplets may be created, U+FFFD also replaces a sequence that would be dropped directly
/// after a malformed `%`, or its first digit: with the text that follows, the `%` could become a
/// triplet. A sequence whose replacement has a rejected byte is an error.
pub fn decode_utf8_replacing(decoder: &Decoder, input: &[u8], replacement: &str) -> Result<String, DecodeError> {
    let plan = &decoder.plan;
    let (symbols, error) = symbols(decoder, input);
    let bytes: Vec<u8> = symbols.iter().map(|&(_, byte)| byte).collect();
    let (mut text, mut at) = (String::new(), 0);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        at += chunk.valid().len();
        if chunk.invalid().is_empty() {
            continue;
        }
        let is_open = match text.as_bytes() {
            [.., b'%'] => true,
            [.., b'%', digit] => digit.is_ascii_hexdigit(),
            _ => false,
        };
        let joins = replacement.is_empty() && is_open && plan.creates_no_triplets();
        let written = if joins { "\u{FFFD}" } else { replacement };
        if let Some(byte) = written.bytes().find(|&byte| plan.reject.is_some_and(|reject| reject.contains(byte))) {
            return Err(DecodeError::new(DecodeErrorKind::Rejected(byte), symbols[at].0));
        }
        text.push_str(written);
        at += chunk.invalid().len();
    }
    error.map_or(Ok(text), Err)
}

/// Decodes as Java's `URLDecoder`, character by character: a run of triplets is a string of its
/// own.
pub fn decode_java(input: &str) -> Result<String, DecodeError> {
    let (mut text, mut run) = (String::new(), Vec::new());
    let mut rest = input.chars();
    loop {
        let position = input.len() - rest.as_str().len();
        let character = rest.next();
        if character == Some('%') {
            // Integer.parseInt(substring, 16).
            let value = match (rest.next(), rest.next().and_then(java::digit)) {
                (Some('+'), low) => low,
                (Some('-'), low) => low.filter(|&low| low == 0),
                (high, Some(low)) => high.and_then(java::digit).map(|high| 16 * high + low),
                _ => None,
            };
            run.push(value.ok_or(DecodeError::new(DecodeErrorKind::Malformed, position))?);
            continue;
        }
        // new String(run, UTF_8): a surrogate is one ill-formed sequence, also if cut off.
        let mut at = 0;
        while at < run.len() {
            if run[at] == 0xED && run.get(at + 1).is_some_and(|byte| (0xA0..=0xBF).contains(byte)) {
                text.push('\u{FFFD}');
                at += if run.get(at + 2).is_some_and(|byte| (0x80..=0xBF).contains(byte)) { 3 } else { 2 };
                continue;
            }
            let chunk = run[at..].utf8_chunks().next();
            match chunk.as_ref().and_then(|chunk| chunk.valid().chars().next()) {
                Some(character) => {
                    text.push(character);
                    at += character.len_utf8();
                }
                None => {
                    text.push('\u{FFFD}');
                    at += chunk.map_or(1, |chunk| chunk.invalid().len());
                }
            }
        }
        run.clear();
        match character {
            Some('+') => text.push(' '),
            Some(character) => text.push(character),
            None => return Ok(text),
        }
    }
}

/// Length of the output of the input before `input_offset`, as if nothing was an error.
#[must_use]
pub fn decoded_offset(decoder: &Decoder, input: &[u8], input_offset: usize) -> usize {
    let plan = decoder.plan.without_reject().strict(false);
    let (symbols, _) = symbols(&Decoder { plan, ..*decoder }, input);
    let ends = symbols.iter().skip(1).map(|(start, _)| *start).chain([input.len()]);
    symbols.iter().zip(ends).filter(|(_, end)| *end <= input_offset).count()
}

/// Offset in the input of the byte or triplet that produces the byte at `decoded_offset` of the
/// output.
pub fn input_offset(decoder: &Decoder, input: &[u8], decoded_offset: usize) -> Result<usize, OffsetError> {
    let (symbols, error) = symbols(decoder, input);
    match symbols.get(decoded_offset) {
        Some(&(at, _)) => Ok(at),
        // The end of the input that can be decoded.
        None if decoded_offset == symbols.len() => Ok(error.map_or(input.len(), |error| error.position)),
        None => Err(error.map_or(OffsetError::BeyondEnd { decoded_len: symbols.len() }, OffsetError::Decode)),
    }
}

/// Decodes to text that contains accepted characters only.
pub fn decode_utf8_accepting(
    decoder: &Decoder,
    input: &[u8],
    accept: impl Fn(char) -> bool,
) -> Result<String, AcceptError> {
    let (symbols, _) = symbols(decoder, input);
    let bytes: Vec<u8> = symbols.iter().map(|&(_, byte)| byte).collect();
    let well_formed = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    match well_formed.char_indices().find(|&(_, character)| !accept(character)) {
        Some((at, character)) => Err(AcceptError::NotAccepted { character, position: symbols[at].0 }),
        None => Ok(decode_utf8(decoder, input)?),
    }
}

/// Converts any bytes to a valid URI reference (RFC 3986 4.1).
#[must_use]
pub fn repair(uri: &[u8]) -> String {
    // RFC 3986 appendix B, component by component; `rest` is what has not been split off.
    let (rest, fragment) = split_once(uri, b"#");
    let (rest, query) = split_once(rest, b"?");
    let (scheme, rest) = split_scheme(rest);
    let (authority, path) = match rest.strip_prefix(b"//") {
        Some(rest) => {
            let end = rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len());
            (Some(&rest[..end]), &rest[end..])
        }
        None => (None, rest),
    };

    let escape = |set, text| encode(&Encoder::new(set).keep_triplets(), text);
    let mut repaired = String::new();
    if let Some(scheme) = scheme {
        repaired += &escape(ByteSet::EMPTY, scheme);
        repaired += ":";
    }
    if let Some(mut host) = authority {
        repaired += "//";
        if let Some(at) = host.iter().rposition(|&byte| byte == b'@') {
            repaired += &escape(sets::USERINFO, &host[..at]);
            repaired += "@";
            host = &host[at + 1..];
        }
        let digits = host.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (before, port) = host.split_at(host.len() - digits);
        let (host, port) = before.strip_suffix(b":").map_or((host, None), |host| (host, Some(port)));
        repaired += &escape(if is_ip_literal(host) { ByteSet::EMPTY } else { sets::REG_NAME }, host);
        if let Some(port) = port {
            repaired += ":";
            repaired += &escape(ByteSet::EMPTY, port);
        }
    }
    // RFC 3986 4.2: a relative reference has no colon in its first segment.
    let is_relative = scheme.is_none() && authority.is_none();
    let first_segment = path.iter().position(|&byte| byte == b'/').unwrap_or(path.len());
    let (first, others) = path.split_at(if is_relative { first_segment } else { 0 });
    repaired += &escape(sets::PATH_SEGMENT.with(b':'), first);
    repaired += &escape(sets::PATH, others);
    if let Some(query) = query {
        repaired += "?";
        repaired += &escape(sets::QUERY, query);
    }
    if let Some(fragment) = fragment {
        repaired += "#";
        repaired += &escape(sets::FRAGMENT, fragment);
    }
    repaired
}

/// The scheme (RFC 3986 3.1), if there is one, and the rest after its colon.
fn split_scheme(text: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let is_scheme = |text: &[u8]| {
        text.first().is_some_and(u8::is_ascii_alphabetic)
            && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
    };
    match split_once(text, b":") {
        (scheme, Some(rest)) if is_scheme(scheme) => (Some(scheme), rest),
        _ => (None, text),
    }
}

/// A part of a URI reference (RFC 3986 appendix B, with schemes per 3.1; authority per WHATWG URL
/// 4.4).
#[must_use]
pub fn uri_part(uri: &[u8], part: Part) -> Option<&[u8]> {
    let (rest, fragment) = split_once(uri, b"#");
    let (rest, query) = split_once(rest, b"?");
    let (scheme, rest) = split_scheme(rest);
    let (authority, path) = match rest.strip_prefix(b"//") {
        Some(rest) => {
            let (authority, _) = split_once(rest, b"/");
            (Some(authority), &rest[authority.len()..])
        }
        None => (None, rest),
    };
    let mut after_at = authority.map(|authority| (None, authority));
    while let Some((_, after)) = after_at
        && let (_, Some(rest)) = split_once(after, b"@")
    {
        after_at = authority.map(|authority| (Some(&authority[..authority.len() - rest.len() - 1]), rest));
    }
    let host_and_port = after_at.map(|(_, after)| after);
    let is_port_colon = |text: &[u8], at: usize| {
        let opened = text[..at].iter().rposition(|&byte| byte == b'[');
        let closed = text[..at].iter().rposition(|&byte| byte == b']');
        text[at] == b':' && opened <= closed
    };
    let colon = host_and_port.and_then(|text| (0..text.len()).find(|&at| is_port_colon(text, at)));
    match part {
        Part::Scheme => scheme,
        Part::Authority => authority,
        Part::Userinfo => after_at.and_then(|(userinfo, _)| userinfo),
        Part::Host => host_and_port.map(|text| &text[..colon.unwrap_or(text.len())]),
        Part::Port => host_and_port.and_then(|text| colon.map(|colon| &text[colon + 1..])),
        Part::Path => Some(path),
        Part::Query => query,
        Part::Fragment => fragment,
    }
}

/// The value of the first pair of a form with this name (WHATWG URL 5.1).
#[must_use]
pub fn form_value(form: &[u8], name: &str) -> Option<String> {
    let decoder = Decoder::new().lenient().plus_for_space();
    let decode = |part| decode_utf8_replacing(&decoder, part, "\u{FFFD}").unwrap_or_default();
    let pairs = form.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty());
    let mut pairs = pairs.map(|pair| split_once(pair, b"="));
    pairs.find(|(found, _)| decode(found) == name).map(|(_, value)| decode(value.unwrap_or_default()))
}

/// The text before the first of `delimiters`, and the text after it, if any.
fn split_once<'a>(text: &'a [u8], delimiters: &[u8]) -> (&'a [u8], Option<&'a [u8]>) {
    match text.iter().position(|byte| delimiters.contains(byte)) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// RFC 3986 3.2.2: `"[" ( IPv6address / IPvFuture ) "]"`.
fn is_ip_literal(host: &[u8]) -> bool {
    let text = core::str::from_utf8(host).unwrap_or_default();
    let Some(address) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else { return false };
    let future = address.strip_prefix(['v', 'V']).and_then(|address| address.split_once('.'));
    let is_future = future.is_some_and(|(version, rest)| {
        let literal = sets::UNRESERVED.union(sets::SUB_DELIMS).with(b':');
        let are_digits = version.bytes().all(|byte| byte.is_ascii_hexdigit());
        !version.is_empty() && are_digits && !rest.is_empty() && rest.bytes().all(|byte| literal.contains(byte))
    });
    is_future || address.parse::<core::net::Ipv6Addr>().is_ok()
}

/// Normalizes with the options of `normalizer`.
pub fn normalize(normalizer: &Normalizer, input: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let mut output = Vec::new();
    let mut at = 0;
    while let Some(&raw) = input.get(at) {
        let stays = |byte| {
            normalizer.plan.keep.is_some_and(|keep| keep.contains(byte))
                || normalizer.malformed == Malformed::Keep && could_complete(input, at)
        };
        match triplet(input, at) {
            Some(byte) if !stays(byte) => output.push(byte),
            Some(_) => output.extend(input[at..at + 3].to_ascii_uppercase()),
            None if raw != b'%' || normalizer.malformed == Malformed::Keep => output.push(raw),
            None if normalizer.malformed == Malformed::Escape => output.extend(b"%25"),
            None => return Err(DecodeError::new(DecodeErrorKind::Malformed, at)),
        }
        at += if triplet(input, at).is_some() { 3 } else { 1 };
    }
    Ok(output)
}

/// Parses an extended value (RFC 8187 3.2.1) to its charset, language and text.
pub fn ext_value(input: &[u8]) -> Result<(Charset, String, String), ExtValueError> {
    let unexpected = |position| Err(ExtValueError::Unexpected { position });
    let mut at = 0;
    while input.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"!#$%&+-^_`{}~".contains(byte)) {
        at += 1;
    }
    if at == 0 || input.get(at) != Some(&b'\'') {
        return unexpected(at);
    }
    let charset = match input[..at].to_ascii_lowercase().as_slice() {
        b"utf-8" => Charset::Utf8,
        b"iso-8859-1" => Charset::Latin1,
        _ => return Err(ExtValueError::UnsupportedCharset),
    };
    at += 1;
    let mut language = String::new();
    // Length of the current subtag, and its index.
    let (mut length, mut subtag) = (0, 0);
    loop {
        match input.get(at) {
            Some(b'\'') if length > 0 || language.is_empty() => break,
            Some(b'-') if length > 0 => (length, subtag) = (0, subtag + 1),
            Some(byte) if length < 8 && (byte.is_ascii_alphabetic() || subtag > 0 && byte.is_ascii_digit()) => {
                length += 1
            }
            _ => return unexpected(at),
        }
        language.push(char::from(input[at]));
        at += 1;
    }
    at += 1;
    let is_value = |&byte: &u8| byte == b'%' || sets::rfc5987::ATTR_CHAR.contains(byte);
    let end = at + input[at..].iter().take_while(|byte| is_value(byte)).count();
    let in_input = |error: DecodeError| ExtValueError::Decode(DecodeError::new(error.kind, at + error.position));
    let text = match charset {
        Charset::Utf8 => decode_utf8(&Decoder::new(), &input[at..end]).map_err(in_input)?,
        Charset::Latin1 => {
            decode(&Decoder::new(), &input[at..end]).map_err(in_input)?.into_iter().map(char::from).collect()
        }
    };
    if end < input.len() { unexpected(end) } else { Ok((charset, language, text)) }
}

/// The canonical form of a path by the policy, built from a list of segments.
pub fn canonical_path(policy: &PathPolicy, path: &[u8]) -> Result<Vec<u8>, PathError> {
    let path = match policy.illegal {
        IllegalBytes::Nginx => path.split(|&byte| byte == b'#').next().unwrap_or_default(),
        _ => path,
    };
    if !path.starts_with(b"/") {
        return Err(PathError::new(PathErrorKind::NotAbsolute, 0));
    }
    if !policy.refuse.is_empty() {
        let refused = findings(path).into_iter().filter(|&(_, kind)| policy.refuse.contains(kind));
        if let Some(first) = refused.clone().map(|(at, _)| at).min() {
            let kinds = refused.fold(Kinds::NONE, |kinds, (_, kind)| kinds | kind);
            return Err(PathError::new(PathErrorKind::Refused(kinds), first));
        }
    }
    let mut segments: Vec<Vec<u8>> = Vec::new();
    let mut first_removed = None;
    let mut at = 1;
    loop {
        let start = at;
        let (mut text, mut parameters, mut is_last) = (Vec::new(), None, true);
        while at < path.len() && is_last {
            let written = path_symbol(policy, path, at).map_err(|kind| PathError::new(kind, at))?;
            if written == b";" && parameters.is_none() {
                parameters = Some((text.len(), at));
            }
            at += if triplet(path, at).is_some() { 3 } else { 1 };
            is_last = written != b"/";
            text.extend(written);
        }
        if !is_last {
            text.pop();
        }
        let error = |kind| Err(PathError::new(kind, start));
        let is_dots = |text: &[u8]| text == b"." || text == b"..";
        if let Some((length, position)) = parameters {
            let rest = &text[..length];
            let is_judged = rest.is_empty() && !is_last && policy.empty_segments != EmptySegments::Keep;
            if match policy.parameters {
                Parameters::Strip => true,
                Parameters::StripFromDots => is_dots(rest) || is_judged,
                Parameters::Keep | Parameters::Refuse => false,
            } {
                text.truncate(length);
                first_removed = first_removed.or(Some(position));
            }
        }
        let is_removed = if is_dots(&text) {
            match policy.dot_segments {
                DotSegments::Keep => false,
                DotSegments::Refuse => return error(PathErrorKind::DotSegment),
                DotSegments::Remove if text == b".." && segments.is_empty() => return error(PathErrorKind::AboveRoot),
                DotSegments::Remove | DotSegments::Clamp => {
                    if text == b".." {
                        segments.pop();
                    }
                    // "/a/b/.." is "/a/".
                    text.clear();
                    !is_last
                }
            }
        } else if text.is_empty() && !is_last {
            match policy.empty_segments {
                EmptySegments::Refuse => return error(PathErrorKind::EmptySegment),
                EmptySegments::Merge => true,
                EmptySegments::Keep => false,
            }
        } else {
            if policy.hidden_segments == HiddenSegments::Refuse && text.iter().any(|byte| b"%\\;?#".contains(byte)) {
                let before = [joined(&segments), b"/".to_vec()].concat();
                let hidden = hidden_segments(&before, &text, is_last);
                if !hidden.is_empty() {
                    return error(PathErrorKind::Refused(hidden));
                }
            }
            false
        };
        if !is_removed {
            segments.push(text);
        }
        if is_last {
            break;
        }
    }
    let mut canonical = joined(&segments);
    // An empty segment has come to the front: "//" would begin an authority.
    if policy.empty_segments == EmptySegments::Keep && canonical.starts_with(b"//") && !path.starts_with(b"//") {
        if policy.dot_segments == DotSegments::Refuse || policy.refuse.contains(Kinds::DOT_SEGMENT) {
            return Err(PathError::new(PathErrorKind::EmptySegment, 1));
        }
        canonical = [b"/.", &canonical[..]].concat();
    }
    let Some(position) = first_removed else { return Ok(canonical) };
    let refused = policy.refuse & (Kinds::DOT_SEGMENT | Kinds::EMPTY_SEGMENT);
    let found = findings(&canonical).into_iter().fold(Kinds::NONE, |kinds, (_, kind)| kinds | kind & refused);
    if found.is_empty() { Ok(canonical) } else { Err(PathError::new(PathErrorKind::Refused(found), position)) }
}

fn joined(segments: &[Vec<u8>]) -> Vec<u8> {
    segments.iter().flat_map(|segment| [b"/", &segment[..]].concat()).collect()
}

/// The kinds of segments that a segment hides. It is neither empty nor a dot segment, and is
/// written after `before`, which ends with a slash.
fn hidden_segments(before: &[u8], segment: &[u8], is_last: bool) -> Kinds {
    let end: &[u8] = if is_last { b"" } else { b"/" };
    let found = findings(&[before, segment, end].concat()).into_iter().filter(|&(at, _)| at >= before.len());
    let segments = Kinds::DOT_SEGMENT | Kinds::EMPTY_SEGMENT;
    found.fold(Kinds::NONE, |kinds, (_, kind)| kinds | kind & segments)
}

/// Whether the byte of the triplet at `at`, once decoded, could complete a sequence that the policy
/// refuses: two digits after an encoded `%`, or four after `%u`.
fn could_complete_refused(policy: &PathPolicy, path: &[u8], at: usize) -> bool {
    let Some(byte) = triplet(path, at) else { return false };
    let before = &path[..at];
    // The text before up to this many digits at its end.
    let followed_by = |digits: usize, end: &[u8]| {
        let is_so = |count: usize| {
            let (text, rest) = before.split_at(at.saturating_sub(count));
            text.ends_with(end) && rest.iter().all(u8::is_ascii_hexdigit)
        };
        (0..=digits).any(is_so)
    };
    let is_double = followed_by(1, b"%25") || policy.malformed == Malformed::Escape && followed_by(1, b"%");
    let is_unicode =
        if byte == b'u' { before.ends_with(b"%") } else { byte.is_ascii_hexdigit() && followed_by(3, b"%u") };
    policy.refuse.contains(Kinds::DOUBLE) && byte.is_ascii_hexdigit() && is_double
        || policy.refuse.contains(Kinds::UNICODE) && policy.malformed == Malformed::Keep && is_unicode
}

/// What is written for the byte or triplet at `at`: a slash if it is a delimiter.
fn path_symbol(policy: &PathPolicy, path: &[u8], at: usize) -> Result<Vec<u8>, PathErrorKind> {
    let escaped = |byte: u8| format!("%{byte:02X}").into_bytes();
    let encoded = triplet(path, at);
    let byte = encoded.unwrap_or(path[at]);
    let completes =
        policy.malformed == Malformed::Keep && could_complete(path, at) || could_complete_refused(policy, path, at);
    // Its raw byte is refused, so it is not decoded.
    let is_refused = byte == b'+' && policy.refuse.intersects(Kinds::PLUS);
    match (byte, encoded.is_some()) {
        (b'/', false) => Ok(vec![b'/']),
        (b'/', true) => match policy.slash {
            EncodedSlash::Keep => Ok(escaped(b'/')),
            EncodedSlash::Decode => Ok(vec![b'/']),
            EncodedSlash::Refuse => Err(PathErrorKind::EncodedSlash),
        },
        (b'\\', _) if policy.backslash == Backslash::ToSlash => Ok(vec![b'/']),
        (b'\\', _) if policy.backslash == Backslash::Refuse => Err(PathErrorKind::Backslash),
        (b';', _) if policy.parameters == Parameters::Refuse => Err(PathErrorKind::Parameter),
        (_, true) if policy.decode.contains(byte) && !completes && !is_refused => Ok(vec![byte]),
        (_, true) => Ok(escaped(byte)),
        (b'%', false) => match policy.malformed {
            Malformed::Keep => Ok(vec![b'%']),
            Malformed::Escape if !policy.refuse.intersects(Kinds::PERCENT | Kinds::ESCAPE) => Ok(escaped(b'%')),
            Malformed::Escape | Malformed::Refuse => Err(PathErrorKind::Malformed),
        },
        _ if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) => Ok(vec![byte]),
        // Its triplet is refused, so it is not escaped.
        _ if byte == 0 && policy.refuse.intersects(Kinds::NUL)
            || byte.is_ascii_control() && policy.refuse.intersects(Kinds::CONTROL)
            || byte == b'\\' && policy.refuse.intersects(Kinds::BACKSLASH)
            || (byte == b'?' || byte == b'#') && policy.refuse.intersects(Kinds::PATH_END)
            || policy.refuse.intersects(Kinds::ESCAPE)
            || policy.illegal == IllegalBytes::Nginx && (byte == b' ' || byte.is_ascii_control()) =>
        {
            Err(PathErrorKind::IllegalByte(byte))
        }
        _ => match policy.illegal {
            IllegalBytes::Keep | IllegalBytes::Nginx => Ok(vec![byte]),
            IllegalBytes::Escape => Ok(escaped(byte)),
            IllegalBytes::Refuse => Err(PathErrorKind::IllegalByte(byte)),
        },
    }
}

/// All findings, with the offset of the byte or triplet. Ill-formed sequences come last.
#[must_use]
pub fn findings(input: &[u8]) -> Vec<(usize, Kinds)> {
    let mut findings = Vec::new();
    let digits =
        |at: usize, count: usize| input.get(at..at + count).is_some_and(|text| text.iter().all(u8::is_ascii_hexdigit));
    for (at, &raw) in input.iter().enumerate() {
        match triplet(input, at) {
            Some(byte) => {
                findings.push((at, Kinds::ESCAPE));
                for (is_so, kind) in [
                    (byte == 0, Kinds::NUL),
                    (byte.is_ascii_control(), Kinds::CONTROL),
                    (byte == b'/', Kinds::SLASH),
                    (byte == b'\\', Kinds::BACKSLASH),
                    (byte == b'.', Kinds::DOT),
                    (byte == b'%', Kinds::PERCENT),
                    (byte.is_ascii_alphanumeric() || b"-._~".contains(&byte), Kinds::UNRESERVED),
                    (input[at + 1..at + 3].iter().any(u8::is_ascii_lowercase), Kinds::LOWER_HEX),
                    (byte == b'%' && digits(at + 3, 2), Kinds::DOUBLE),
                    (byte == b';', Kinds::SEMICOLON),
                    (byte == b'?' || byte == b'#', Kinds::PATH_END),
                ] {
                    if is_so {
                        findings.push((at, kind));
                    }
                }
            }
            None if raw == b'%' => {
                findings.push((at, Kinds::MALFORMED));
                if input.get(at + 1) == Some(&b'u') && digits(at + 2, 4) {
                    findings.push((at, Kinds::UNICODE));
                }
            }
            None if raw == b';' => findings.push((at, Kinds::SEMICOLON)),
            None if raw == b'+' => findings.push((at, Kinds::PLUS)),
            None if raw >= 0x80 => findings.extend([(at, Kinds::NON_ASCII), (at, Kinds::ILLEGAL)]),
            None if !raw.is_ascii_alphanumeric() && !b"-._~:/?#[]@!$&'()*,;=".contains(&raw) => {
                findings.push((at, Kinds::ILLEGAL));
            }
            None => {}
        }
    }
    let (symbols, _) = symbols(&Decoder::new().lenient(), input);
    let decoded: Vec<u8> = symbols.iter().map(|&(_, byte)| byte).collect();
    let mut at = 0;
    for chunk in decoded.utf8_chunks() {
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            findings.push((symbols[at].0, Kinds::INVALID_UTF8));
        }
        at += chunk.invalid().len();
    }
    let is_delimiter = |byte: u8| byte == b'/' || byte == b'\\';
    for (at, &(place, byte)) in symbols.iter().enumerate() {
        let before = &decoded[..at];
        if before.last().is_none_or(|&byte| is_delimiter(byte)) {
            let name = decoded[at..].split(|&byte| is_delimiter(byte) || b";?#".contains(&byte)).next();
            if matches!(name, Some(b"." | b"..")) {
                findings.push((place, Kinds::DOT_SEGMENT));
            }
        }
        if is_delimiter(byte)
            && before.last().is_some_and(|&byte| is_delimiter(byte))
            && !before.ends_with(b":/")
            && !before.ends_with(b":\\")
        {
            findings.push((place, Kinds::EMPTY_SEGMENT));
        }
    }
    findings
}
