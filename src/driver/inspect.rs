//! Inspection: runs the kernels chunk by chunk, and validates the UTF-8 of the bytes that they
//! extract.
//!
//! Its unsafe code is covered by tests/inspect.rs and tests/bounds.rs.

use core::marker::PhantomData;

use super::segments::{Forms, Segments};
use super::text::count_ill_formed;
use super::utf8::{incomplete_suffix, is_well_formed};
use super::{DecodePlan, assume_init, find, pieces};
use crate::hex;
use crate::kernel::Inspect;
#[cfg(feature = "alloc")]
use crate::kernel::InspectRows;
use crate::kernel::dispatch::INSPECT;
#[cfg(feature = "alloc")]
use crate::kernel::dispatch::INSPECT_ROWS;
#[cfg(feature = "alloc")]
pub(crate) use crate::kernel::inspection::ROWS_CHUNK;
use crate::kernel::inspection::{self, DOUBLE, Extract, UNICODE};
pub(crate) use crate::kernel::inspection::{ON_REQUEST, Report, Tables};
use crate::kernel::op::Detail;
pub(crate) use crate::kernel::op::{Occurrences, Presence};
use crate::level::Level;

/// Inspects one string.
pub(crate) fn inspect<D: Detail>(input: &[u8], level: Option<Level>) -> Report {
    Inspector::<D>::new(level).inspect(input)
}

/// Inspects any number of strings; looks up the kernel and sets up the extraction buffer once.
pub(crate) struct Inspector<D: Detail> {
    kernel: Inspect,
    extract: Extract,
    level: Option<Level>,
    detail: PhantomData<D>,
}

impl<D: Detail> Inspector<D> {
    #[inline]
    pub(crate) fn new(level: Option<Level>) -> Self {
        let kernel = D::of(INSPECT.of(Level::supported(level)));
        Self { kernel, extract: Extract::empty(), level, detail: PhantomData }
    }

    /// Inspects one string.
    #[inline]
    pub(crate) fn inspect(&mut self, input: &[u8]) -> Report {
        let Self { kernel, extract, level, .. } = self;
        let mut report = Report::new::<D>();
        (extract.length, extract.is_open) = (0, false);
        let mut is_well_formed = true;
        for chunk in pieces(input, inspection::CHUNK) {
            // SAFETY: the kernel is that of a supported level. The buffer of `extract` holds a
            // chunk and the at most 3 bytes of an incomplete suffix. (tests/inspect.rs,
            // tests/bounds.rs)
            unsafe { kernel(chunk, extract, &mut report) }
            report.base += chunk.len();
            is_well_formed = is_well_formed && is_well_formed_but_for_the_end(extract, *level);
            if !is_well_formed {
                extract.length = 0;
            }
        }
        let is_incomplete = core::mem::take(&mut extract.length) > 0;
        extract.is_open = false;
        if !is_well_formed || is_incomplete {
            if D::COUNTS {
                let (count, first) = count_ill_formed(input, &DecodePlan::LENIENT, *level, usize::MAX);
                report.note_counted(inspection::INVALID_UTF8, count, first.unwrap_or_default());
            } else {
                report.note::<Presence>(inspection::INVALID_UTF8, 1, 0);
            }
        }
        report
    }
}

/// A kernel for rows, of a supported level.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy)]
pub(crate) struct RowKernel(InspectRows);

/// Inspection of many short strings, whose UTF-8 is validated together: a call per string would
/// take longer than the rest of the inspection.
#[cfg(feature = "alloc")]
impl Inspector<Presence> {
    /// The kernel for rows, if the level has one.
    pub(crate) fn row_kernel(&self) -> Option<RowKernel> {
        INSPECT_ROWS.of(Level::supported(self.level)).map(RowKernel)
    }

    /// Inspects concatenated rows, given their ends, which are not beyond [`ROWS_CHUNK`], and
    /// writes the bitmask of the kinds found in each. The ends are overwritten.
    ///
    /// Text after the last row is read ahead, which saves a check of the end for most rows.
    #[inline]
    pub(crate) fn inspect_rows(&mut self, kernel: RowKernel, text: &[u8], ends: &mut [u16], found: &mut [u32]) {
        debug_assert!(ends.last().is_none_or(|&end| usize::from(end) <= text.len().min(ROWS_CHUNK)));
        // SAFETY: the kernel is that of a supported level: only `row_kernel` returns one.
        // (tests/columns.rs, tests/bounds.rs)
        unsafe { (kernel.0)(text, ends, &mut self.extract, found) }
        // SAFETY: the kernel initialised the first `length` bytes. (tests/columns.rs)
        let text = unsafe { assume_init(&mut self.extract.buffer, self.extract.length) };
        if !is_well_formed(text, self.level) {
            let mut start = 0;
            for (&end, found) in ends.iter().zip(found) {
                let text = &text[start..usize::from(end)];
                if !text.is_empty() && !is_well_formed(text, self.level) {
                    *found |= 1 << inspection::INVALID_UTF8;
                }
                start = usize::from(end);
            }
        }
        self.extract.length = 0;
    }

    /// Whether [`inspect_later_validated`](Self::inspect_later_validated) has room for a string of
    /// this length.
    #[inline]
    pub(crate) fn has_room(&self, length: usize) -> bool {
        // One byte ends the string.
        self.extract.length + length < inspection::CHUNK
    }

    /// Inspects one string, for which there is room, except that invalid UTF-8 is not found.
    #[inline]
    pub(crate) fn inspect_later_validated(&mut self, input: &[u8]) -> Report {
        let Self { kernel, extract, .. } = self;
        let mut report = Report::new::<Presence>();
        debug_assert!(extract.length + input.len() < inspection::CHUNK);
        let before = extract.length;
        // SAFETY: the kernel is that of a supported level. The buffer of `extract` holds a chunk
        // and the at most 3 bytes of an incomplete suffix; `has_room` was true for this input, so
        // the bytes of the strings before it and this one fit. (tests/columns.rs, tests/bounds.rs)
        unsafe { kernel(input, extract, &mut report) }
        if extract.length > before {
            // ASCII: an incomplete character before it is ill-formed.
            extract.buffer[extract.length].write(b' ');
            extract.length += 1;
        }
        extract.is_open = false;
        report
    }

    /// Whether all strings since the last call, or since the inspector was created, are well-formed
    /// UTF-8 once decoded.
    #[inline]
    pub(crate) fn are_well_formed(&mut self) -> bool {
        // SAFETY: kernel and separators initialised the first `length` bytes. (tests/columns.rs)
        let text = unsafe { assume_init(&mut self.extract.buffer, self.extract.length) };
        let is_good = is_well_formed(text, self.level);
        (self.extract.length, self.extract.is_open) = (0, false);
        is_good
    }
}

/// Bitmask of those `wanted` kinds that are looked for [`on request`](inspection::ON_REQUEST) and
/// occur. `found` are the kinds that the kernels found.
#[inline]
pub(crate) fn requested_kinds(input: &[u8], found: u32, wanted: u32) -> u32 {
    let wanted = wanted & inspection::ON_REQUEST;
    if wanted == 0 { 0 } else { search_kinds(input, found, wanted) }
}

/// [`requested_kinds`], out of line.
fn search_kinds(input: &[u8], found: u32, wanted: u32) -> u32 {
    let wanted = wanted & possible(found);
    let is_wanted = |kind: usize| wanted >> kind & 1 != 0;
    let mut kinds = 0;
    if is_wanted(DOUBLE) && doubles(input).next().is_some() {
        kinds |= 1 << DOUBLE;
    }
    if is_wanted(UNICODE) && unicodes(input).next().is_some() {
        kinds |= 1 << UNICODE;
    }
    let wanted_segments = wanted & SEGMENTS;
    let mut segments = Segments::new(input, segment_forms(input, found));
    while kinds & SEGMENTS != wanted_segments
        && let Some((_, kind)) = segments.next()
    {
        kinds |= 1 << kind & wanted_segments;
    }
    kinds
}

/// Counts the findings of those `wanted` kinds that are looked for [`on
/// request`](inspection::ON_REQUEST).
pub(crate) fn count_requested(input: &[u8], wanted: u32, report: &mut Report) {
    let found = report.kinds();
    let wanted = wanted & possible(found);
    report.base = 0;
    if wanted >> DOUBLE & 1 != 0 {
        doubles(input).for_each(|at| report.note::<Occurrences>(DOUBLE, 1, at));
    }
    if wanted >> UNICODE & 1 != 0 {
        unicodes(input).for_each(|at| report.note::<Occurrences>(UNICODE, 1, at));
    }
    if wanted & SEGMENTS != 0 {
        for (at, kind) in Segments::new(input, segment_forms(input, found)) {
            if wanted >> kind & 1 != 0 {
                report.note::<Occurrences>(kind, 1, at);
            }
        }
    }
}

/// The kinds that may occur in an input with findings of these kinds: each [`DOUBLE`] is also a
/// [`PERCENT`](inspection::PERCENT), each [`UNICODE`] also [`MALFORMED`](inspection::MALFORMED).
const fn possible(found: u32) -> u32 {
    let doubles = (found >> inspection::PERCENT & 1) << DOUBLE;
    let unicodes = (found >> inspection::MALFORMED & 1) << UNICODE;
    !(1 << DOUBLE | 1 << UNICODE) | doubles | unicodes
}

/// The offsets of [`DOUBLE`].
fn doubles(input: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(input, b"%25").filter(|&at| is_double(&input[at..]))
}

/// The offsets of [`UNICODE`].
fn unicodes(input: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(input, b"%u").filter(|&at| is_unicode(&input[at..]))
}

/// Whether the input begins with a triplet of `%` and two digits.
fn is_double(input: &[u8]) -> bool {
    matches!(input, [b'%', b'2', b'5', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

/// Whether the input begins with `%u` and four digits.
fn is_unicode(input: &[u8]) -> bool {
    input.starts_with(b"%u") && input.get(2..6).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// The forms of segments to look for in an input with findings of these kinds.
fn segment_forms(input: &[u8], kinds: u32) -> Forms {
    const ENCODED: u32 = 1 << inspection::SLASH | 1 << inspection::BACKSLASH | 1 << inspection::DOT;
    // A raw backslash is illegal.
    let has_backslash = || kinds >> inspection::ILLEGAL & 1 != 0 && memchr::memchr(b'\\', input).is_some();
    if kinds & ENCODED != 0 || has_backslash() { Forms::All } else { Forms::Raw }
}

/// The kinds of segments.
const SEGMENTS: u32 = 1 << inspection::DOT_SEGMENT | 1 << inspection::EMPTY_SEGMENT;

/// Whether the extracted bytes are well-formed, except for an incomplete suffix, which is moved to
/// the start of the buffer.
fn is_well_formed_but_for_the_end(extract: &mut Extract, level: Option<Level>) -> bool {
    let length = extract.length;
    if length == 0 {
        return true;
    }
    // SAFETY: the kernel initialised the first `length` bytes. (tests/inspect.rs, tests/bounds.rs)
    let text = unsafe { assume_init(&mut extract.buffer, length) };
    let unfinished = incomplete_suffix(text);
    let is_good = is_well_formed(&text[..length - unfinished], level);
    text.copy_within(length - unfinished.., 0);
    extract.length = unfinished;
    is_good
}

/// The findings of a string, one byte or triplet at a time.
#[derive(Clone)]
pub(crate) struct Walk<'a> {
    input: &'a [u8],
    wanted: u32,
    position: usize,
    /// Offset of the first suspect from `position` on, or the length of the input, once searched
    /// for. Kept, because a search for each segment would take quadratic time.
    suspect: Option<usize>,
    /// End of the UTF-8 sequence that was judged last: bytes and triplets before it begin none.
    sequence_end: usize,
    /// If segments are wanted, the first one that is a finding from `position` on, and those after
    /// it.
    segment: Option<(usize, usize)>,
    segments: Segments<'a>,
    level: Option<Level>,
}

impl<'a> Walk<'a> {
    /// Walks the findings of the `wanted` kinds.
    pub(crate) fn new(input: &'a [u8], wanted: u32, level: Option<Level>) -> Self {
        let mut segments = Segments::new(input, Forms::All);
        let segment = if wanted & SEGMENTS != 0 { segments.next() } else { None };
        Self { input, wanted, position: 0, suspect: None, sequence_end: 0, segment, segments, level }
    }

    /// Offset at which the search continues.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Offset of the next byte or triplet that is a finding, and the bitmask of its wanted kinds.
    pub(crate) fn next(&mut self) -> Option<(usize, u32)> {
        loop {
            let (at, kinds) = self.next_of_any()?;
            if kinds & self.wanted != 0 {
                return Some((at, kinds & self.wanted));
            }
        }
    }

    /// Offset of the next byte or triplet that is a finding of any kind, and the bitmask of its
    /// kinds.
    fn next_of_any(&mut self) -> Option<(usize, u32)> {
        let at = *self.suspect.get_or_insert_with(|| {
            let rest = &self.input[self.position..];
            self.position + find(&inspection::SUSPECTS, rest, self.level).unwrap_or(rest.len())
        });
        let mut segment_kind = 0;
        if let Some((segment, kind)) = self.segment
            && segment <= at
        {
            self.segment = self.segments.next();
            segment_kind = 1 << kind;
            if segment < at {
                self.position = segment + 1;
                return Some((segment, segment_kind));
            }
        }
        let rest = &self.input[at..];
        let (byte, length) = first_decoded(rest)?;
        self.suspect = None;
        let mut kinds = match (length, byte) {
            (3, _) => {
                let categories = inspection::CATEGORIES[usize::from(byte)];
                let is_lower_hex = rest[1..3].iter().any(u8::is_ascii_lowercase);
                1 << inspection::ESCAPE
                    | u32::from(categories) << inspection::NUL
                    | u32::from(byte == b';') << inspection::SEMICOLON
                    | u32::from(is_double(rest)) << DOUBLE
                    | u32::from(is_lower_hex) << inspection::LOWER_HEX
            }
            (_, b'%') => 1 << inspection::MALFORMED | u32::from(is_unicode(rest)) << UNICODE,
            (_, b'+') => 1 << inspection::PLUS,
            (_, b';') => 1 << inspection::SEMICOLON,
            _ => 1 << inspection::ILLEGAL | u32::from(byte >= 0x80) << inspection::NON_ASCII,
        };
        if byte >= 0x80 && at >= self.sequence_end {
            let (sequence_length, is_well_formed) = first_sequence(rest);
            self.sequence_end = at + sequence_length;
            kinds |= u32::from(!is_well_formed) << inspection::INVALID_UTF8;
        }
        self.position = at + length;
        Some((at, kinds | segment_kind))
    }
}

/// The first byte of the decoded form, and the length of the byte or triplet that it comes from.
fn first_decoded(input: &[u8]) -> Option<(u8, usize)> {
    match hex::first_triplet(input) {
        Some(byte) => Some((byte, 3)),
        None => input.first().map(|&byte| (byte, 1)),
    }
}

/// Length in the input of the first character of the decoded form, or of the maximal subpart of an
/// ill-formed sequence (Unicode 3.9), and whether it is a character.
fn first_sequence(input: &[u8]) -> (usize, bool) {
    let (mut bytes, mut ends, mut count, mut end) = ([0; 4], [0; 4], 0, 0);
    while let (true, Some((byte, length))) = (count < 4, first_decoded(&input[end..])) {
        end += length;
        (bytes[count], ends[count]) = (byte, end);
        count += 1;
    }
    let sequence = bytes[..count].utf8_chunks().next();
    let (length, is_well_formed) = sequence.map_or((1, true), |part| match part.valid().chars().next() {
        Some(character) => (character.len_utf8(), true),
        None => (part.invalid().len(), false),
    });
    (ends[length - 1], is_well_formed)
}
