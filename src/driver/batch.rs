//! Codecs for many inputs: the kernel is looked up once, not per input. Rank bitmaps for columns.
//!
//! Its unsafe code is covered by tests/columns.rs, tests/bounds.rs, tests/differential.rs and
//! tests/normalize.rs.

use alloc::vec::Vec;

use super::{DecodePlan, EncodePlan, SHORT, copies_plain, decode_outcome, for_each_part, is_plain, measure_encode};
use crate::byteset::ByteSet;
use crate::error::DecodeError;
use crate::kernel::dispatch::{DECODE_SHORT, RANKS};
use crate::kernel::inout::InOut;
pub(crate) use crate::kernel::inspection::ILLEGAL_BYTES;
use crate::kernel::op::Write;
pub(crate) use crate::kernel::rank::{Index, RankBlock, RowsDecoded, Selection, Shift};
use crate::kernel::rank::{RankKernels, RowEnds};
pub(crate) use crate::kernel::swar::is_same;
use crate::kernel::{Decode, DecodeShort, Encode};
use crate::level::Level;

/// Decodes any number of inputs; looks up the kernel once.
pub(crate) struct BatchDecoder {
    kernel: Decode,
    /// Kernel for inputs of up to [`SHORT`] bytes, if the rules allow one.
    short: Option<DecodeShort>,
    copies_plain: bool,
    plan: DecodePlan,
}

impl BatchDecoder {
    #[inline]
    pub(crate) fn new(plan: &DecodePlan, level: Option<Level>) -> Self {
        let level = Level::supported(level);
        Self {
            kernel: plan.kernel::<Write>(level),
            short: plan.are_simple().then(|| *DECODE_SHORT.of(level)),
            copies_plain: copies_plain(level),
            plan: *plan,
        }
    }

    /// Appends the decoded form. On error, appends the part that precedes the error.
    #[inline]
    pub(crate) fn append(&self, input: &[u8], output: &mut Vec<u8>) -> Result<(), DecodeError> {
        if self.copies_plain && is_plain(input, &self.plan) {
            output.extend_from_slice(input);
            return Ok(());
        }
        output.reserve(input.len());
        let length = output.len();
        let (source, target) = InOut::new(input, output.spare_capacity_mut()).halves();
        if input.len() <= SHORT
            && let Some(short) = self.short
            // SAFETY: the kernel is that of a supported level; `InOut` guarantees source and
            // target.
            && let Some(written) = unsafe { short(source, target, self.plan.strict) }
        {
            // SAFETY: the kernel initialised `written` bytes of the spare capacity.
            // (tests/bounds.rs)
            unsafe { output.set_len(length + written) }
            return Ok(());
        }
        // SAFETY: as above. The target is overwritten from its start.
        let progress = unsafe { (self.kernel)(source, target, &self.plan) };
        // The output is never longer than the input, whose length was reserved.
        let written = progress.initialised();
        // SAFETY: the kernel initialised `written` bytes of the spare capacity. (tests/bounds.rs)
        unsafe { output.set_len(length + written) }
        decode_outcome(&progress)
    }

    /// Appends the decoded form of concatenated rows, a malformed `%` unchanged, and their ends.
    /// Returns `None`, without appending, if the rules or the level have no kernel for this.
    #[inline]
    pub(crate) fn append_rows<I: Index>(
        &self,
        ranker: Ranker,
        marks: &mut [RankBlock],
        rows: Rows<'_, I>,
        output: &mut Vec<u8>,
        offsets: &mut Vec<I>,
    ) -> Option<RowsDecoded> {
        if self.plan.keep.is_some() || self.plan.reject.is_some() {
            return None;
        }
        let decode_rows = I::decode_rows(ranker.0)?;
        let Rows { bytes, ends, base } = rows;
        output.reserve(bytes.len());
        let (length, first) = (output.len(), offsets.len());
        offsets.resize(first + ends.len(), I::ZERO);
        let ends = RowEnds { ends, base, origin: length, placed: &mut offsets[first..] };
        let (source, target) = InOut::new(bytes, output.spare_capacity_mut()).halves();
        // SAFETY: the kernels of a `Ranker` are those of a supported level; `InOut` guarantees
        // source and target, which has room for the input.
        let decoded = unsafe { decode_rows(source, target, self.plan.plus, marks, ends) };
        // SAFETY: the kernel initialised `written` bytes of the spare capacity. (tests/bounds.rs)
        unsafe { output.set_len(length + decoded.written) }
        Some(decoded)
    }

    /// Like [`append`](Self::append); with `escape`, a malformed `%` becomes `%25` and decoding
    /// goes on after it.
    #[inline]
    pub(crate) fn append_escaping(&self, input: &[u8], output: &mut Vec<u8>, escape: bool) -> Result<(), DecodeError> {
        let mut rest = input;
        loop {
            match self.append(rest, output) {
                Err(error) if escape => {
                    output.extend_from_slice(b"%25");
                    rest = &rest[error.position + 1..];
                }
                result => return result,
            }
        }
    }
}

/// Concatenated rows.
pub struct Rows<'a, I> {
    pub(crate) bytes: &'a [u8],
    /// The end of each row, plus `base`.
    pub(crate) ends: &'a [I],
    pub(crate) base: usize,
}

/// Encodes any number of inputs; looks up the kernel once.
pub(crate) struct BatchEncoder<'r> {
    kernel: Encode,
    plan: &'r EncodePlan,
    level: Option<Level>,
}

impl<'r> BatchEncoder<'r> {
    #[inline]
    pub(crate) fn new(plan: &'r EncodePlan, level: Option<Level>) -> Self {
        Self { kernel: plan.kernel::<Write>(Level::supported(level)), plan, level }
    }

    /// Appends the encoded form. Measures the input first if the worst case does not fit.
    #[inline]
    pub(crate) fn append(&self, input: &[u8], output: &mut Vec<u8>) {
        if (output.capacity() - output.len()) / 3 < input.len() {
            output.reserve(measure_encode(input, self.plan, self.level));
        }
        self.fill(input, output);
    }

    /// Encodes to the spare capacity, which must suffice.
    #[inline]
    pub(crate) fn fill(&self, input: &[u8], output: &mut Vec<u8>) {
        let _: Result<(), ()> = for_each_part(input, self.plan, self.level, |_, part, plan| {
            let length = output.len();
            let (source, target) = InOut::new(part, output.spare_capacity_mut()).halves();
            // SAFETY: the kernel is that of a supported level; the rules of a part select the same
            // kernel variant as `self.rules`; `InOut` guarantees source and target.
            let progress = unsafe { (self.kernel)(source, target, plan) };
            let written = progress.initialised();
            // SAFETY: the kernel initialised `written` bytes of the spare capacity.
            // (tests/bounds.rs)
            unsafe { output.set_len(length + written) }
            Ok(())
        });
    }
}

/// The rank-bitmap kernels of a level, if it has any: without vectors, marking costs more than it
/// saves.
#[derive(Clone, Copy)]
pub(crate) struct Ranker(&'static RankKernels);

impl Ranker {
    pub(crate) fn new(level: Option<Level>) -> Option<Self> {
        RANKS.of(Level::supported(level)).as_ref().map(Self)
    }

    /// Fills `marks` with the rank bitmap of a selection, as many 64-byte blocks as it has room
    /// for.
    #[inline]
    pub(crate) fn mark(self, selection: Selection, set: &ByteSet, text: &[u8], marks: &mut [RankBlock]) {
        // SAFETY: the kernels are those of a supported level. (tests/columns.rs, tests/bounds.rs)
        unsafe { (self.0.mark(selection))(set, text, marks) }
    }

    /// Maps offsets of `text` to the output by their ranks, as [`Shift`] says. Returns whether any
    /// of them is at most two bytes after a `%`; an empty `text` counts as free of `%`.
    #[inline]
    pub(crate) fn place<I: Index>(
        self,
        marks: &[RankBlock],
        text: &[u8],
        places: &[I],
        base: usize,
        shift: Shift,
        placed: &mut [I],
    ) -> bool {
        // SAFETY: as in `mark`.
        unsafe { I::place(self.0)(marks, text, places, base, shift, placed) }
    }
}
