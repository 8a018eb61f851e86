//! Search for bytes that are probably near: in short fields and strings. SWAR needs no call.
//!
//! CSV with all fields quoted: 1.38 -> 1.24 s/GB (Zen 5, `crates/pct/bench`).
#![forbid(unsafe_code)]

use memchr::{memchr, memchr2};

/// Number of words that are searched without a call.
const WORDS: usize = 3;

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGH: u64 = ONES << 7;

/// As [`memchr`].
#[inline]
pub(super) fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    match find_near(|word| zeros(word ^ (ONES * u64::from(byte))), bytes) {
        Near::At(at) => Some(at),
        Near::Not(length) => memchr(byte, &bytes[length..]).map(|at| length + at),
    }
}

/// As [`memchr2`].
#[inline]
pub(super) fn find2(one: u8, other: u8, bytes: &[u8]) -> Option<usize> {
    let is_any = |word| zeros(word ^ (ONES * u64::from(one))) | zeros(word ^ (ONES * u64::from(other)));
    match find_near(is_any, bytes) {
        Near::At(at) => Some(at),
        Near::Not(length) => memchr2(one, other, &bytes[length..]).map(|at| length + at),
    }
}

enum Near {
    At(usize),
    /// Not within this length.
    Not(usize),
}

#[inline]
fn find_near(matches: impl Fn(u64) -> u64, bytes: &[u8]) -> Near {
    let (words, _) = bytes.as_chunks();
    for (at, &word) in words.iter().take(WORDS).enumerate() {
        let found = matches(u64::from_le_bytes(word));
        if found != 0 {
            return Near::At(8 * at + found.trailing_zeros() as usize / 8);
        }
    }
    Near::Not(8 * words.len().min(WORDS))
}

/// The high bits of the bytes that are zero; above the lowest of them, also of some others.
#[inline]
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGH
}

#[cfg(test)]
mod tests {
    use memchr::{memchr, memchr2};

    use super::{find, find2};

    #[test]
    fn bytes_are_found_where_memchr_finds_them() {
        for length in 0..40 {
            for background in [0, b'"', b'"' ^ 1, b'"' | 0x80, 0x7F, 0x80, 0xFF] {
                for at in 0..=length {
                    for (byte, last) in [(b'"', b'"'), (b'\\', b'"'), (b'"' ^ 1, b'\\'), (0, 0), (0xFF, 0x80)] {
                        let mut bytes = vec![background; length];
                        bytes[at.min(length)..].iter_mut().step_by(2).for_each(|found| *found = byte);
                        bytes.iter_mut().rev().take(1).for_each(|found| *found = last);
                        for needle in [b'"', b'\\', 0, 0x80] {
                            assert_eq!(find(needle, &bytes), memchr(needle, &bytes), "{bytes:?}");
                            assert_eq!(find2(needle, b'\\', &bytes), memchr2(needle, b'\\', &bytes), "{bytes:?}");
                        }
                    }
                }
            }
        }
    }
}
