//! Where the end of a chunk cuts what belongs together: a triplet, or a character of UTF-8.
#![forbid(unsafe_code)]

use core::ops::Deref;
use core::str;

/// The first bytes of a triplet or a character, whose others the next chunk may bring.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prefix {
    bytes: [u8; 4],
    length: u8,
}

impl Prefix {
    /// `bytes` are at most four.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut prefix = Self::default();
        prefix.bytes[..bytes.len()].copy_from_slice(bytes);
        prefix.length = bytes.len() as u8;
        prefix
    }

    /// With another byte behind it. Fewer than four are there: no triplet and no character is longer.
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

/// What a prefix and one more byte are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Extended {
    /// Still a prefix.
    Cut,
    /// A triplet or a character.
    Whole,
    /// Neither, and nothing that more bytes could make one.
    Broken,
}

/// What `bytes` are, of which all but the last one are the prefix of a triplet or a character.
pub(super) fn extended(bytes: &[u8]) -> Extended {
    match bytes {
        [b'%', .., digit] if !digit.is_ascii_hexdigit() => Extended::Broken,
        [b'%', _] => Extended::Cut,
        [b'%', ..] => Extended::Whole,
        _ => match str::from_utf8(bytes) {
            Ok(_) => Extended::Whole,
            Err(error) if error.error_len().is_none() => Extended::Cut,
            Err(_) => Extended::Broken,
        },
    }
}

/// Whether this byte of UTF-8 stands within a character, not at its start.
pub(super) fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}
