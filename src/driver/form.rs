//! Finds the names and values of a form (WHATWG URL 5.1), 64 bytes at a time rather than pair by
//! pair.
//!
//! Its unsafe code is covered by tests/form.rs, tests/bounds.rs and tests/guarded_heap.rs.

#[cfg(feature = "serde")]
use core::marker::PhantomData;

use crate::kernel::FormBitmaps;
use crate::kernel::dispatch::FORM_BITMAPS;
use crate::level::Level;

/// A name or value in its encoded form.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part<'a> {
    bytes: &'a [u8],
    #[cfg_attr(not(feature = "alloc"), expect(dead_code, reason = "only decoding uses it"))]
    kind: Kind,
}

/// The properties of a part that are known without decoding it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Kind {
    /// Any bytes.
    #[default]
    Bytes,
    /// UTF-8, as a part of a text.
    Text,
    /// All bytes are ASCII and none is `%` or `+`: decoding is the identity. For the other kinds,
    /// it may also be.
    Plain,
}

impl<'a> Part<'a> {
    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.kind == Kind::Plain
    }

    /// The decoded text, if it is known to equal the part.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn plain_text(&self) -> Option<&'a str> {
        // SAFETY: a plain part is ASCII, and only this module constructs parts. (tests/form.rs)
        self.is_plain().then(|| unsafe { core::str::from_utf8_unchecked(self.bytes) })
    }

    /// The part, if it is known to be text.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn text(&self) -> Option<&'a str> {
        // SAFETY: a part of a text is UTF-8: it starts and ends at an end of the text, or next to
        // an ASCII byte. Only this module constructs parts. (tests/form.rs)
        (self.kind != Kind::Bytes).then(|| unsafe { core::str::from_utf8_unchecked(self.bytes) })
    }
}

/// A [`Part`] packed into two words. The top bit of the length, which no slice length uses, is the
/// `is_plain` flag.
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
        let flag = if part.is_plain() { Self::IS_PLAIN } else { 0 };
        Self { start: part.bytes.as_ptr(), length: part.bytes.len() | flag, lifetime: PhantomData }
    }

    pub(crate) fn part(&self) -> Part<'a> {
        let length = self.length & !Self::IS_PLAIN;
        // SAFETY: start and length are those of the slice of a part that lives for `'a`.
        // (tests/form_serde.rs)
        let bytes = unsafe { core::slice::from_raw_parts(self.start, length) };
        Part { bytes, kind: if self.length == length { Kind::Bytes } else { Kind::Plain } }
    }
}

/// Iterator over the non-empty pairs of a form, in order.
///
/// Bitmaps are computed for windows of up to 64 bytes and serve all pairs that end within the
/// window. A pair that crosses its end starts the next window. Only a pair longer than a window is
/// searched separately, so each byte is examined a bounded number of times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pairs<'a> {
    input: &'a [u8],
    /// The kind of a part that is not known to be plain.
    kind: Kind,
    level: Option<Level>,
    /// Start of the next pair; past the end of the input after its last byte.
    at: usize,
    /// Offset of the window.
    window: usize,
    /// Filled in place: returning it by value would copy it with loads of a different width than
    /// the stores, and fail store-to-load forwarding. `ends` holds the ends of the pairs from `at`
    /// on, and the end of the input if the window reaches it.
    bitmaps: FormBitmaps,
}

/// Isolates the lowest set bit.
#[inline(always)]
fn lowest(bits: u64) -> u64 {
    bits & bits.wrapping_neg()
}

/// Maximum length of a window.
pub(super) const WINDOW: usize = 64;

impl<'a> Pairs<'a> {
    #[inline]
    pub(crate) fn new(input: &'a [u8], is_text: bool) -> Self {
        let kind = if is_text { Kind::Text } else { Kind::Bytes };
        Self { input, kind, level: None, at: 0, window: 0, bitmaps: FormBitmaps::default() }
    }

    /// All pairs of the form.
    #[cfg(feature = "serde")]
    #[inline]
    pub(crate) fn restarted(&self) -> Self {
        Self { at: 0, window: 0, bitmaps: FormBitmaps::default(), ..*self }
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

    /// Offset in this form of a part that it yielded.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn offset(&self, part: &Part<'a>) -> usize {
        (part.bytes.as_ptr() as usize).wrapping_sub(self.input.as_ptr() as usize)
    }

    #[inline(always)]
    fn kind_of(&self, is_plain: bool) -> Kind {
        if is_plain { Kind::Plain } else { self.kind }
    }

    /// The input from the start of the next pair on.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.input.get(self.at..).unwrap_or_default()
    }

    /// Moves the window to `at` and computes its bitmaps.
    #[inline]
    fn look(&mut self) {
        let rest = &self.input[self.at..];
        let window = &rest[..rest.len().min(WINDOW)];
        // SAFETY: the kernel is that of a supported level. (tests/form.rs)
        unsafe { FORM_BITMAPS.of(Level::supported(self.level))(window, &mut self.bitmaps) }
        let end = if rest.len() < WINDOW { 1 << rest.len() } else { 0 };
        self.bitmaps.ends |= end;
        self.window = self.at;
    }

    /// Returns a pair that starts at the window and extends past its end.
    #[cold]
    fn long_pair(&mut self) -> (Part<'a>, Part<'a>) {
        let rest = &self.input[self.at..];
        let find = |byte, text: &[u8]| memchr::memchr(byte, text.get(WINDOW..)?).map(|at| WINDOW + at);
        let pair = &rest[..find(b'&', rest).unwrap_or(rest.len())];
        self.at += pair.len() + 1;
        // If `=` is in the window, the bitmaps tell whether the name is plain. Longer parts are not
        // scanned here; the decoder does that once.
        let (equals, is_plain) = match lowest(self.bitmaps.equals) {
            0 => (find(b'=', pair), false),
            equals => (Some(equals.trailing_zeros() as usize), self.bitmaps.coded & (equals - 1) == 0),
        };
        let (name, value) = match equals {
            Some(equals) => (&pair[..equals], &pair[equals + 1..]),
            None => (pair, &pair[pair.len()..]),
        };
        (Part { bytes: name, kind: self.kind_of(is_plain) }, Part { bytes: value, kind: self.kind })
    }
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (Part<'a>, Part<'a>);

    // Always inlined: finding a pair is cheaper than returning it through memory.
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
            // The first `=` at or after `start`, else `end`. The difference of two single bits is
            // the mask of the bits between them.
            let name_end = lowest((self.bitmaps.equals | end) & start.wrapping_neg());
            let name_length = name_end.trailing_zeros() as usize;
            let value_start = self.window + name_length + usize::from(name_end != end);
            let part = |from, to, bits| {
                // SAFETY: the offsets are in ascending order, and each is that of a byte of the
                // input or its end. (tests/bounds.rs)
                let bytes = unsafe { self.input.get_unchecked(from..to) };
                Part { bytes, kind: self.kind_of(self.bitmaps.coded & bits == 0) }
            };
            let name = part(from, self.window + name_length, name_end - start);
            return Some((name, part(value_start, pair_end, end - name_end)));
        }
    }

    /// Each pair takes at least one byte, and all but the last are followed by `&`.
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.input.len().saturating_sub(self.at).div_ceil(2)))
    }
}
