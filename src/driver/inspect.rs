//! Inspection: runs the kernels chunk by chunk, and validates the UTF-8 of the bytes that they
//! extract.
//!
//! Its unsafe code is covered by tests/inspect.rs and tests/bounds.rs.

use core::marker::PhantomData;

use super::offset::input_offset;
use super::text::{incomplete_suffix, is_well_formed};
use super::{as_uninit, assume_init, decode, find, pieces};
use crate::kernel::inspection::{self, Extract, Report};
use crate::kernel::op::Detail;
pub(crate) use crate::kernel::op::{Occurrences, Presence};
use crate::kernel::{Inspect, Kernels};
use crate::level::Level;
use crate::rules::DecodeRules;

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
        let kernel = Kernels::of(Level::supported(level)).inspect::<D>();
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
        if !is_well_formed || extract.length > 0 {
            if D::COUNTS {
                let (count, first) = count_ill_formed(input, *level);
                report.note_counted(inspection::INVALID_UTF8, count, first);
            } else {
                report.note::<Presence>(inspection::INVALID_UTF8, 1, 0);
            }
        }
        report
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

/// Counts the ill-formed sequences of the decoded form, and returns the input offset of the first.
#[cold]
fn count_ill_formed(input: &[u8], level: Option<Level>) -> (usize, usize) {
    let mut buffer = [0; 3 + inspection::CHUNK];
    let (mut pending, mut pending_place) = (0, 0);
    let (mut count, mut first) = (0, None);
    let mut base = 0;
    for chunk in pieces(input, inspection::CHUNK) {
        // Never an error: the decoder is lenient, and the buffer has room for a whole chunk.
        let decoded = decode(chunk, as_uninit(&mut buffer[pending..]), &DecodeRules::LENIENT, level).unwrap_or(0);
        let length = pending + decoded;
        let unfinished = incomplete_suffix(&buffer[..length]);
        let mut at = 0;
        for part in buffer[..length - unfinished].utf8_chunks().filter(|part| !part.invalid().is_empty()) {
            let from = at + part.valid().len();
            at = from + part.invalid().len();
            count += 1;
            first = first.or_else(|| match from.checked_sub(pending) {
                Some(decoded) => Some(base + input_offset(chunk, &DecodeRules::LENIENT, decoded)),
                None => Some(pending_place),
            });
        }
        if unfinished > 0 && unfinished <= decoded {
            pending_place = base + input_offset(chunk, &DecodeRules::LENIENT, decoded - unfinished);
        }
        buffer.copy_within(length - unfinished..length, 0);
        (pending, base) = (unfinished, base + chunk.len());
    }
    if pending > 0 {
        count += 1;
        first = first.or(Some(pending_place));
    }
    (count, first.unwrap_or_default())
}
