//! Where the names and values of a form stand (WHATWG URL 5.1): found 64 bytes at a time, not pair by pair.
//!
//! Its unsafe code is held by tests/form.rs, tests/bounds.rs and tests/guarded_heap.rs.

#[cfg(feature = "serde")]
use core::marker::PhantomData;

use crate::kernel::{FormMarks, Kernels};
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
    marks: FormMarks,
}

/// The lowest bit that is set.
#[inline(always)]
fn lowest(bits: u64) -> u64 {
    bits & bits.wrapping_neg()
}

/// How many bytes there are marks of at once.
const WINDOW: usize = 64;

impl<'a> Pairs<'a> {
    #[inline]
    pub(crate) fn new(input: &'a [u8], level: Option<Level>) -> Self {
        Self { input, level, at: 0, window: 0, marks: FormMarks::default() }
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
        let ends = unsafe { (Kernels::of(Level::usable(self.level)).form_marks)(window, &mut self.marks) };
        let end = if rest.len() < WINDOW { 1 << rest.len() } else { 0 };
        self.marks.ends = ends | end;
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
        let (equals, is_plain) = match lowest(self.marks.equals) {
            0 => (find(b'=', pair), false),
            equals => (Some(equals.trailing_zeros() as usize), self.marks.coded & (equals - 1) == 0),
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
            if self.marks.ends == 0 {
                if self.at >= self.input.len() {
                    return None;
                }
                self.look();
                if self.marks.ends == 0 {
                    return Some(self.long_pair());
                }
            }
            let start = 1 << (self.at - self.window);
            let end = lowest(self.marks.ends);
            self.marks.ends ^= end;
            let from = self.at;
            let pair_end = self.window + end.trailing_zeros() as usize;
            self.at = pair_end + 1;
            if start == end {
                continue;
            }
            // The first '=' from the start on, else the end. Differences of such bits have all those between them set.
            let name_end = lowest((self.marks.equals | end) & start.wrapping_neg());
            let name_length = name_end.trailing_zeros() as usize;
            let value_start = self.window + name_length + usize::from(name_end != end);
            let part = |from, to, bits| {
                // SAFETY: the places are in order, and a mark is of a byte, or is the end of the input. (tests/bounds.rs)
                let bytes = unsafe { self.input.get_unchecked(from..to) };
                Part { bytes, is_plain: self.marks.coded & bits == 0 }
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

/// What allocates.
#[cfg(feature = "alloc")]
pub(crate) mod owned {
    use alloc::borrow::Cow;
    use alloc::string::String;
    use alloc::vec::Vec;
    use core::mem::take;

    use super::WINDOW;
    use crate::driver::owned::{SLACK, append_encoded, into_text_unchecked, replace_ill_formed};
    use crate::driver::{SHORT, is_well_formed, run_decode};
    use crate::kernel::op::Write;
    use crate::kernel::pair;
    pub(crate) use crate::kernel::pair::PairRules;
    use crate::kernel::tape::Tape;
    use crate::kernel::{EncodePair, Kernels, word};
    use crate::level::Level;
    use crate::rules::DecodeRules;

    /// What the standard decodes with: a '+' is a space, and a malformed '%' stays (WHATWG URL 5.1, steps 3.4 and 3.5).
    const LENIENT: DecodeRules = DecodeRules { strict: false, plus: true, ..DecodeRules::STRICT };

    /// Whether a part has a '%' or a '+', so that it cannot be borrowed but for malformed '%'.
    #[inline]
    fn is_coded(part: &[u8]) -> bool {
        if part.len() <= SHORT {
            word::contains(part, b'%') || word::contains(part, b'+')
        } else {
            memchr::memchr2(b'%', b'+', part).is_some()
        }
    }

    /// The decoded bytes of a part. It is decoded at once: those who ask know that it is not [plain](super::Part::is_plain), so
    /// there is little use in looking at it first.
    #[inline]
    pub(crate) fn decode_part(part: &[u8], level: Option<Level>) -> Cow<'_, [u8]> {
        if !is_coded(part) {
            return Cow::Borrowed(part);
        }
        let mut output = Vec::with_capacity(part.len() + SLACK);
        // Decoding never grows.
        let written = run_decode::<Write>(Tape::new(part, output.spare_capacity_mut()), &LENIENT, level).initialised();
        // SAFETY: the kernel initialised `written` bytes of the capacity. (tests/form.rs, tests/guarded_heap.rs)
        unsafe { output.set_len(written) }
        // What is as long may have a space for a '+' yet.
        if written < part.len() || output != part { Cow::Owned(output) } else { Cow::Borrowed(part) }
    }

    /// The decoded text of a part, with U+FFFD for what is not well-formed UTF-8.
    #[inline]
    pub(crate) fn decode_part_lossy(part: &[u8], level: Option<Level>) -> Cow<'_, str> {
        let bytes = decode_part(part, level);
        if word::is_ascii(&bytes) || is_well_formed(&bytes, level) {
            // SAFETY: it is. (tests/form.rs)
            unsafe { into_text_unchecked(bytes) }
        } else {
            Cow::Owned(replace_ill_formed(&bytes, "\u{FFFD}", level))
        }
    }

    /// What appends names, values and pairs: the kernel is looked up only once. It is as public as the serializer's targets, by word: no
    /// path from outside leads here.
    #[derive(Clone, Copy)]
    pub struct PartEncoder {
        pair_kernel: EncodePair,
        rules: &'static PairRules,
        level: Option<Level>,
    }

    impl PartEncoder {
        #[inline]
        pub(crate) fn new(rules: &'static PairRules, level: Option<Level>) -> Self {
            Self { pair_kernel: Kernels::of(Level::usable(level)).encode_pair, rules, level }
        }

        /// Appends a text as it is, and an encoded part behind it.
        #[inline]
        pub(crate) fn append_part(&self, output: &mut Vec<u8>, before: &str, part: &[u8]) {
            output.reserve(room(before, part));
            output.extend_from_slice(before.as_bytes());
            append_encoded(part, output, &self.rules.rules, self.level);
        }

        #[inline]
        pub(crate) fn append_part_to_text(&self, output: &mut String, before: &str, part: &[u8]) {
            // SAFETY: what is appended is text and, behind it, ASCII. (tests/form.rs)
            self.append_part(unsafe { output.as_mut_vec() }, before, part);
        }

        /// Appends a pair, behind a '&' unless it is the first. Makes room for a second one like it.
        #[inline]
        pub(crate) fn append_pair(&self, output: &mut Vec<u8>, is_first: bool, name: &[u8], value: &[u8]) {
            if name.len() + value.len() > 2 * WINDOW {
                *output = self.with_long_pair(take(output), is_first, name, value);
                return;
            }
            if output.capacity() - output.len() <= pair::room(name, value) {
                let room = pair::worst(name, value) + pair::room(name, value) + 1;
                *output = if output.capacity() == 0 { Vec::with_capacity(room) } else { grown(take(output), room) };
            }
            let length = output.len();
            let separator = usize::from(!is_first);
            // SAFETY: there is more than the room that the kernel needs, which is for the separator; a usable level is one that the
            // machine has; and the kernel initialises as much as it says. (tests/form.rs, tests/bounds.rs, tests/guarded_heap.rs)
            unsafe {
                let to = output.as_mut_ptr().add(length);
                to.write(b'&');
                let written = (self.pair_kernel)(name, value, to.add(separator), self.rules);
                output.set_len(length + separator + written);
            }
        }

        #[inline]
        pub(crate) fn append_pair_to_text(&self, output: &mut String, is_first: bool, name: &[u8], value: &[u8]) {
            // SAFETY: what is appended is ASCII. (tests/form.rs)
            self.append_pair(unsafe { output.as_mut_vec() }, is_first, name, value);
        }

        #[inline(never)]
        fn with_long_pair(&self, mut output: Vec<u8>, is_first: bool, name: &[u8], value: &[u8]) -> Vec<u8> {
            self.append_part(&mut output, if is_first { "" } else { "&" }, name);
            self.append_part(&mut output, "=", value);
            output
        }
    }

    // What is out of line takes the output by value, so that it is in registers where pairs are appended. A reference to it would put it
    // into memory, where it is stored in pieces of 8 bytes and loaded in one of 16, which waits for the stores.

    #[inline(never)]
    fn grown(mut output: Vec<u8>, room: usize) -> Vec<u8> {
        output.reserve(room);
        output
    }

    /// How much to reserve: the worst case of a short part, so that it need not be measured first; by doubling, as always.
    #[inline]
    fn room(before: &str, part: &[u8]) -> usize {
        before.len() + if part.len() <= WINDOW { 3 * part.len() } else { 0 }
    }
}
