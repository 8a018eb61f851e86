//! Searching with a [`ByteSet`]: where the first member is, and how many there are.
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

    /// How many bytes of `haystack` are members. Linear, with SIMD.
    #[must_use]
    #[inline]
    pub fn count(&self, haystack: &[u8]) -> usize {
        driver::count(self, haystack, None)
    }

    /// [`find`](Self::find) on a level of one's choice.
    #[must_use]
    pub fn find_on(&self, level: Level, haystack: &[u8]) -> Option<usize> {
        driver::find(self, haystack, Some(level))
    }

    /// [`count`](Self::count) on a level of one's choice.
    #[must_use]
    pub fn count_on(&self, level: Level, haystack: &[u8]) -> usize {
        driver::count(self, haystack, Some(level))
    }
}
