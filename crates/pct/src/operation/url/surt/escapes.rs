//! Percent-encoding in keys: all is decoded, and little is escaped.
#![forbid(unsafe_code)]

use memchr::memchr;
use simdpct::ByteSet;

/// The bytes that are escaped in every component.
pub(super) const ESCAPED: ByteSet = ByteSet::range(0, b' ').with(0x7F).union(ByteSet::NON_ASCII).with(b'#').with(b'%');

/// Appends a component decoded, escaped and in lower case.
pub(super) fn append(text: &[u8], escaped: ByteSet, output: &mut Vec<u8>) {
    let start = output.len();
    decode(text, output);
    escape(start, escaped, output);
}

/// Appends a text decoded until no triplet is left: `%252F` becomes `/`. Linear: each decoding
/// makes the output shorter.
pub(super) fn decode(text: &[u8], output: &mut Vec<u8>) {
    let (before, mut rest) = text.split_at(memchr(b'%', text).unwrap_or(text.len()));
    output.extend_from_slice(before);
    let start = output.len();
    while let [b'%', after @ ..] = rest {
        output.push(b'%');
        let (literal, next) = after.split_at(memchr(b'%', after).unwrap_or(after.len()));
        // Only the next two bytes can complete a triplet, and the two after each byte that is
        // decoded.
        let (mut done, mut candidates) = (0, 2);
        while candidates > 0
            && let Some(&byte) = literal.get(done)
        {
            output.push(byte);
            done += 1;
            candidates -= 1;
            while let [.., b'%', high, low] = output[start..]
                && let (Some(high), Some(low)) = (hex(high), hex(low))
            {
                output.truncate(output.len() - 3);
                output.push(high << 4 | low);
                candidates = 2;
            }
        }
        output.extend_from_slice(&literal[done..]);
        rest = next;
    }
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// Escapes bytes of the text from `start` on, and makes all of it lower case.
pub(super) fn escape(start: usize, escaped: ByteSet, output: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    output[start..].make_ascii_lowercase();
    let Some(first) = escaped.find(&output[start..]) else { return };
    for byte in output.split_off(start + first) {
        if escaped.contains(byte) {
            output.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        } else {
            output.push(byte);
        }
    }
}
