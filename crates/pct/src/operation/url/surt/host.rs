//! Hosts in keys: numbers as addresses, names by IDNA, labels in reverse order.
#![forbid(unsafe_code)]

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use memchr::memchr_iter;
use simdpct::{ByteSet, sets};

use super::escapes;

/// Hosts without these bytes need no decoding and no escaping.
const NOT_PLAIN: ByteSet = sets::ALPHA.union(sets::DIGIT).union(ByteSet::new(b"-._")).complement();

/// Appends the labels of a host in reverse order, with a comma between them.
pub(super) fn append(host: &[u8], escaped: ByteSet, output: &mut Vec<u8>) {
    let start = output.len();
    let is_plain = NOT_PLAIN.find(host).is_none();
    if is_plain {
        output.extend_from_slice(host);
        output[start..].make_ascii_lowercase();
    } else {
        append_decoded(host, output);
    }
    merge_dots(start, output);
    if let Some(address) = address(&output[start..]) {
        output.truncate(start);
        output.extend_from_slice(address.to_string().as_bytes());
    }
    if !is_plain {
        escapes::escape(start, escaped, output);
    }
    drop_www(start, output);
    reverse(&mut output[start..]);
}

/// Appends a host decoded, as IDNA if that is possible.
fn append_decoded(host: &[u8], output: &mut Vec<u8>) {
    let start = output.len();
    escapes::decode(host, output);
    if !output[start..].is_ascii()
        && let Some(name) = to_ascii(&output[start..])
    {
        output.truncate(start);
        output.extend_from_slice(name.as_bytes());
    }
}

/// The name by IDNA. The package follows IDNA 2003 (RFC 3490), label by label, so that `ß` is `ss`.
/// Here UTS 46 is applied in the same way. Characters that are newer than Unicode 3.2, or that UTS
/// 46 forbids, have other results.
fn to_ascii(host: &[u8]) -> Option<String> {
    let text: String = host.utf8_chunks().map(|chunk| chunk.valid().to_owned()).collect();
    if text.is_empty() {
        return Some(text);
    }
    let text = text.strip_suffix(is_dot).unwrap_or(&text);
    let labels: Option<Vec<_>> = text.split(is_dot).map(label_to_ascii).collect();
    labels.map(|labels| labels.join("."))
}

/// The full stops of IDNA (RFC 3490 3.1).
fn is_dot(character: char) -> bool {
    matches!(character, '.' | '\u{3002}' | '\u{FF0E}' | '\u{FF61}')
}

fn label_to_ascii(label: &str) -> Option<String> {
    let ascii = if label.is_ascii() {
        label.to_owned()
    } else {
        let mapped: String = label
            .chars()
            .map(|character| match character {
                'ß' | 'ẞ' => "ss".to_owned(),
                'ς' => "σ".to_owned(),
                '\u{200C}' | '\u{200D}' => String::new(),
                other => other.to_string(),
            })
            .collect();
        Uts46::new()
            .to_ascii(mapped.as_bytes(), AsciiDenyList::EMPTY, Hyphens::Allow, DnsLength::Ignore)
            .ok()?
            .into_owned()
    };
    (1..=63).contains(&ascii.len()).then_some(ascii)
}

/// Drops dots at both ends, and the second of two dots; of three, two stay, as in the package.
fn merge_dots(start: usize, output: &mut Vec<u8>) {
    let host = &output[start..];
    // A dot at the end, or before another.
    let is_extra = |at: usize| matches!(host.get(at + 1), None | Some(b'.'));
    if !host.starts_with(b".") && !memchr_iter(b'.', host).any(is_extra) {
        return;
    }
    let host = output.split_off(start);
    let is_text = |byte: &u8| *byte != b'.';
    let (Some(first), Some(last)) = (host.iter().position(is_text), host.iter().rposition(is_text)) else { return };
    let mut is_second = false;
    for &byte in &host[first..=last] {
        is_second = byte == b'.' && !is_second;
        if byte != b'.' || is_second {
            output.push(byte);
        }
    }
}

/// The address that a host of digits and dots stands for, as `inet_aton` reads it: `0177.1` is
/// 127.0.0.1. One number is decimal, modulo 2³².
fn address(host: &[u8]) -> Option<std::net::Ipv4Addr> {
    if !host.first()?.is_ascii_digit() || !host.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') {
        return None;
    }
    let parts: Vec<_> = host.split(|&byte| byte == b'.').collect();
    let (&last, bytes) = parts.split_last()?;
    if bytes.is_empty() {
        let number =
            last.iter().fold(0_u32, |number, digit| number.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')));
        return Some(number.into());
    }
    let is_octal = |number: &[u8]| number.iter().all(|digit| *digit < b'8');
    if bytes.len() > 3 || host[0] == b'0' && !parts.iter().all(|part| is_octal(part)) {
        return None;
    }
    let number = |digits: &[u8]| {
        let radix = if digits.len() > 1 && digits[0] == b'0' { 8 } else { 10 };
        u32::from_str_radix(str::from_utf8(digits).ok()?, radix).ok()
    };
    // The last number has the bytes that are left.
    let bits = 32 - 8 * u32::try_from(bytes.len()).ok()?;
    let last = number(last).filter(|last| u64::from(*last) < 1 << bits)?;
    let first =
        bytes.iter().try_fold(0_u32, |all, part| Some(all << 8 | u32::from(u8::try_from(number(part)?).ok()?)))?;
    Some((first << bits | last).into())
}

/// Drops `www.`, or `www1.` and so on, once.
fn drop_www(start: usize, output: &mut Vec<u8>) {
    let Some(rest) = output[start..].strip_prefix(b"www") else { return };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if rest.get(digits) == Some(&b'.') {
        output.drain(start..start + "www".len() + digits + 1);
    }
}

/// Reverses the labels of a host, and puts commas in place of the dots.
fn reverse(host: &mut [u8]) {
    host.reverse();
    for label in host.split_mut(|&byte| byte == b'.') {
        label.reverse();
    }
    for byte in host {
        if *byte == b'.' {
            *byte = b',';
        }
    }
}
