//! Text for C: constants with a terminating NUL, and output in the manner of `snprintf`.
#![forbid(unsafe_code)]

use core::fmt;
use core::mem::MaybeUninit;

/// Length of the longest name, with its NUL.
pub(crate) const NAME: usize = 24;

/// A name with a terminating NUL, for a constant table.
pub(crate) const fn c_name(name: &str) -> [u8; NAME] {
    let mut bytes = [0; NAME];
    let mut at = 0;
    assert!(name.len() < NAME);
    while at < name.len() {
        bytes[at] = name.as_bytes()[at];
        at += 1;
    }
    bytes
}

/// Text written to a buffer that may be too small for it.
pub(crate) struct Text<'a> {
    buffer: &'a mut [MaybeUninit<u8>],
    /// Length of the whole text.
    length: usize,
}

impl<'a> Text<'a> {
    pub(crate) fn new(buffer: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { buffer, length: 0 }
    }

    /// Writes the terminating NUL, over the last byte if the text does not fit. Returns the length
    /// of the whole text.
    pub(crate) fn finish(self) -> usize {
        if let Some(last) = self.buffer.len().checked_sub(1) {
            self.buffer[self.length.min(last)].write(0);
        }
        self.length
    }
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.buffer.get_mut(self.length..).unwrap_or_default();
        for (to, from) in room.iter_mut().zip(text.bytes()) {
            to.write(from);
        }
        self.length += text.len();
        Ok(())
    }
}
