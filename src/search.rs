//! Search with a [`ByteSet`]: position of the first member and number of members.
#![forbid(unsafe_code)]

use crate::byteset::ByteSet;
use crate::driver;
use crate::level::Level;

impl ByteSet {
    /// Offset of the first member in `haystack`. Linear, with SIMD.
    #[must_use]
    #[inline]
    pub fn find(&self, haystack: &[u8]) -> Option<usize> {
        driver::find(self, haystack, None)
    }

    /// Number of bytes of `haystack` that are members. Linear, with SIMD.
    #[must_use]
    #[inline]
    pub fn count(&self, haystack: &[u8]) -> usize {
        driver::count(self, haystack, None)
    }

    /// Like [`find`](Self::find), on the given level.
    #[must_use]
    pub fn find_on(&self, level: Level, haystack: &[u8]) -> Option<usize> {
        driver::find(self, haystack, Some(level))
    }

    /// Like [`count`](Self::count), on the given level.
    #[must_use]
    pub fn count_on(&self, level: Level, haystack: &[u8]) -> usize {
        driver::count(self, haystack, Some(level))
    }
}
