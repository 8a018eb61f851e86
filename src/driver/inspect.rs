//! Inspection: runs the kernels chunk by chunk, and validates the UTF-8 of the bytes that they
//! extract.
//!
//! Its unsafe code is covered by tests/inspect.rs and tests/bounds.rs.

use core::marker::PhantomData;

use super::text::{count_ill_formed, incomplete_suffix, is_well_formed};
use super::{DecodePlan, assume_init, find, pieces};
use crate::hex;
use crate::kernel::Inspect;
use crate::kernel::dispatch::INSPECT;
pub(crate) use crate::kernel::inspection::Report;
use crate::kernel::inspection::{self, Extract};
use crate::kernel::op::Detail;
pub(crate) use crate::kernel::op::{Occurrences, Presence};
use crate::level::Level;

/// Offset of the first byte that is a finding, or begins one.
pub(crate) fn find_suspect(input: &[u8], level: Option<Level>) -> Option<usize> {
    find(&inspection::SUSPECTS, input, level)
}

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
        let mut report = Report::default();
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

/// Inspection of many short strings, whose UTF-8 is validated together: a call per string would
/// take longer than the rest of the inspection.
impl Inspector<Presence> {
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
        let mut report = Report::default();
        debug_assert!(extract.length + input.len() < inspection::CHUNK);
        let before = extract.length;
        // SAFETY: the kernel is that of a supported level. The buffer of `extract` holds a chunk and
        // the at most 3 bytes of an incomplete suffix; `has_room` was true for this input, so the
        // bytes of the strings before it and this one fit. (tests/columns.rs, tests/bounds.rs)
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
    position: usize,
    /// End of the UTF-8 sequence that was judged last: bytes and triplets before it begin none.
    sequence_end: usize,
    level: Option<Level>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(input: &'a [u8], level: Option<Level>) -> Self {
        Self { input, position: 0, sequence_end: 0, level }
    }

    /// Offset at which the search continues.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Offset of the next byte or triplet that is a finding, and the bitmask of its kinds.
    pub(crate) fn next(&mut self) -> Option<(usize, u32)> {
        let at = self.position + find_suspect(&self.input[self.position..], self.level)?;
        let rest = &self.input[at..];
        let (byte, length) = first_decoded(rest)?;
        let mut kinds = match (length, byte) {
            (3, _) => {
                let is_lower_hex = rest[1..3].iter().any(u8::is_ascii_lowercase);
                1 << inspection::ESCAPE
                    | u32::from(inspection::CATEGORIES[usize::from(byte)]) << inspection::NUL
                    | u32::from(is_lower_hex) << inspection::LOWER_HEX
            }
            (_, b'%') => 1 << inspection::MALFORMED,
            (_, b'+') => 1 << inspection::PLUS,
            _ => 1 << inspection::ILLEGAL | u32::from(byte >= 0x80) << inspection::NON_ASCII,
        };
        if byte >= 0x80 && at >= self.sequence_end {
            let (sequence_length, is_well_formed) = first_sequence(rest);
            self.sequence_end = at + sequence_length;
            kinds |= u32::from(!is_well_formed) << inspection::INVALID_UTF8;
        }
        self.position = at + length;
        Some((at, kinds))
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
