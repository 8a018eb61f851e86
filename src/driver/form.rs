//! Where the names and values of a form stand (WHATWG URL 5.1): found 64 bytes at a time, not pair by pair.
//!
//! Its unsafe code is covered by tests/form.rs, tests/bounds.rs and tests/guarded_heap.rs.

#[cfg(feature = "serde")]
use core::marker::PhantomData;

use crate::kernel::{FormBitmaps, Kernels};
use crate::level::Level;

/// A name or a value as it stands in the form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    bytes: &'a [u8],
    /// Nothing but ASCII, and neither '%' nor '+': what decoding yields as it stands. Without that, it may be so yet.
    #[cfg_attr(not(feature = "alloc"), expect(dead_code, reason = "without decoding, nobody asks"))]
    is_plain: bool,
}

impl<'a> Part<'a> {
    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The decoded text, where that is known to be the part itself.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn plain_text(&self) -> Option<&'a str> {
        // SAFETY: only this module makes parts, and plain ones are ASCII.
        self.is_plain.then(|| unsafe { core::str::from_utf8_unchecked(self.bytes) })
    }
}

/// A [`Part`] in two words, for those who hold many: the top bit of the length, which no slice has, says whether it is plain.
#[cfg(feature = "serde")]
#[derive(Clone, Copy)]
pub(crate) struct PackedPart<'a> {
    start: *const u8,
    length: usize,
    lifetime: PhantomData<&'a [u8]>,
}

#[cfg(feature = "serde")]
impl<'a> PackedPart<'a> {
    const IS_PLAIN: usize = 1 << (usize::BITS - 1);

    pub(crate) fn new(part: Part<'a>) -> Self {
        let flag = if part.is_plain { Self::IS_PLAIN } else { 0 };
        Self { start: part.bytes.as_ptr(), length: part.bytes.len() | flag, lifetime: PhantomData }
    }

    pub(crate) fn part(&self) -> Part<'a> {
        let length = self.length & !Self::IS_PLAIN;
        // SAFETY: the start and the length are those of the slice of a part that lives for 'a. (tests/form_serde.rs)
        let bytes = unsafe { core::slice::from_raw_parts(self.start, length) };
        Part { bytes, is_plain: self.length != length }
    }
}

/// The pairs of a form that are not empty, in order.
///
/// The marks of up to 64 bytes are looked up at once; they serve all pairs that end within them. The pair that does not
/// starts the next such window, and only one longer than a window is searched by itself. So every byte is looked at a
/// bounded number of times.
#[derive(Clone, Debug)]
pub(crate) struct Pairs<'a> {
    input: &'a [u8],
    level: Option<Level>,
    /// Where the next pair starts; behind the end of the input after its last byte.
    at: usize,
    /// Where the marks start.
    window: usize,
    /// The kernel puts them here itself: what it returned in memory would be copied in pieces other than it stored, and such loads
    /// wait for the stores. The ends are those of the pairs from `at` on, and the end of the input if the window reaches it.
    bitmaps: FormBitmaps,
}

/// The lowest bit that is set.
#[inline(always)]
fn lowest(bits: u64) -> u64 {
    bits & bits.wrapping_neg()
}

/// How many bytes there are marks of at once.
pub(super) const WINDOW: usize = 64;

impl<'a> Pairs<'a> {
    #[inline]
    pub(crate) fn new(input: &'a [u8], level: Option<Level>) -> Self {
        Self { input, level, at: 0, window: 0, bitmaps: FormBitmaps::default() }
    }

    #[inline]
    pub(crate) fn set_level(&mut self, level: Level) {
        self.level = Some(level);
    }

    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn level(&self) -> Option<Level> {
        self.level
    }

    /// Where a part that came from this form starts in it.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn offset(&self, part: &Part<'a>) -> usize {
        (part.bytes.as_ptr() as usize).wrapping_sub(self.input.as_ptr() as usize)
    }

    /// Moves the window to where the next pair starts.
    #[inline]
    fn look(&mut self) {
        let rest = &self.input[self.at..];
        let window = &rest[..rest.len().min(WINDOW)];
        // SAFETY: a usable level is one that the machine has. (tests/form.rs)
        unsafe { (Kernels::of(Level::supported(self.level)).form_bitmaps)(window, &mut self.bitmaps) }
        let end = if rest.len() < WINDOW { 1 << rest.len() } else { 0 };
        self.bitmaps.ends |= end;
        self.window = self.at;
    }

    /// A pair of which the window, that starts with it, sees no end.
    #[cold]
    fn long_pair(&mut self) -> (Part<'a>, Part<'a>) {
        let rest = &self.input[self.at..];
        let find = |byte, text: &[u8]| memchr::memchr(byte, text.get(WINDOW..)?).map(|at| WINDOW + at);
        let pair = &rest[..find(b'&', rest).unwrap_or(rest.len())];
        self.at += pair.len() + 1;
        // Where that is in the window, what the name has is known. What takes long to look at is looked at once, by the decoder.
        let (equals, is_plain) = match lowest(self.bitmaps.equals) {
            0 => (find(b'=', pair), false),
            equals => (Some(equals.trailing_zeros() as usize), self.bitmaps.coded & (equals - 1) == 0),
        };
        let (name, value) = match equals {
            Some(equals) => (&pair[..equals], &pair[equals + 1..]),
            None => (pair, &pair[pair.len()..]),
        };
        (Part { bytes: name, is_plain }, Part { bytes: value, is_plain: false })
    }
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (Part<'a>, Part<'a>);

    // A pair that the marks show takes a few instructions, fewer than to hand it over in memory.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.bitmaps.ends == 0 {
                if self.at >= self.input.len() {
                    return None;
                }
                self.look();
                if self.bitmaps.ends == 0 {
                    return Some(self.long_pair());
                }
            }
            let start = 1 << (self.at - self.window);
            let end = lowest(self.bitmaps.ends);
            self.bitmaps.ends ^= end;
            let from = self.at;
            let pair_end = self.window + end.trailing_zeros() as usize;
            self.at = pair_end + 1;
            if start == end {
                continue;
            }
            // The first '=' from the start on, else the end. Differences of such bits have all those between them set.
            let name_end = lowest((self.bitmaps.equals | end) & start.wrapping_neg());
            let name_length = name_end.trailing_zeros() as usize;
            let value_start = self.window + name_length + usize::from(name_end != end);
            let part = |from, to, bits| {
                // SAFETY: the places are in order, and a mark is of a byte, or is the end of the input. (tests/bounds.rs)
                let bytes = unsafe { self.input.get_unchecked(from..to) };
                Part { bytes, is_plain: self.bitmaps.coded & bits == 0 }
            };
            let name = part(from, self.window + name_length, name_end - start);
            return Some((name, part(value_start, pair_end, end - name_end)));
        }
    }

    /// Each pair has a byte at least, and all but the last a '&' behind it.
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.input.len().saturating_sub(self.at).div_ceil(2)))
    }
}
