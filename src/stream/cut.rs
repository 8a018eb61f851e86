//! Triplets and UTF-8 sequences that are split by the end of a chunk.
#![forbid(unsafe_code)]

use core::ops::Deref;
use core::str;

/// Prefix of a triplet or character, which the next chunk may complete.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prefix {
    bytes: [u8; 4],
    length: u8,
}

impl Prefix {
    /// Creates a prefix of at most four bytes.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut prefix = Self::default();
        prefix.bytes[..bytes.len()].copy_from_slice(bytes);
        prefix.length = bytes.len() as u8;
        prefix
    }

    /// Appends a byte. The prefix must have fewer than four bytes; no triplet or character is
    /// longer.
    pub(super) fn with(mut self, next: u8) -> Self {
        self.bytes[usize::from(self.length)] = next;
        self.length += 1;
        self
    }
}

impl Deref for Prefix {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// Classification of a prefix with one more byte.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Extended {
    /// Still a prefix.
    Incomplete,
    /// A complete triplet or character.
    Complete,
    /// Malformed, whatever follows.
    Malformed,
}

/// Classifies `bytes`, which without the last byte are the prefix of a triplet or character.
pub(super) fn extended(bytes: &[u8]) -> Extended {
    match bytes {
        [b'%', .., digit] if !digit.is_ascii_hexdigit() => Extended::Malformed,
        [b'%', _] => Extended::Incomplete,
        [b'%', ..] => Extended::Complete,
        _ => match str::from_utf8(bytes) {
            Ok(_) => Extended::Complete,
            Err(error) if error.error_len().is_none() => Extended::Incomplete,
            Err(_) => Extended::Malformed,
        },
    }
}

/// Whether `byte` is a UTF-8 continuation byte.
pub(super) fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}
