//! The operations on rows: decoding, of which normalization is a special case, and encoding.
#![forbid(unsafe_code)]

use alloc::vec::Vec;
use core::ops::Range;

use super::rows::{Codec, Marking, Ranks, Sink};
use super::{ColumnBuf, ColumnError, Decode, Encode, Normalize, Offset};
use crate::byteset::ByteSet;
use crate::decode::Decoder;
use crate::driver::batch::{BatchDecoder, BatchEncoder, Rows, RowsDecoded, Selection};
use crate::driver::text::{IllFormed, REPLACEMENT};
use crate::driver::{self, EncodePlan};
use crate::encode::Encoder;
use crate::error::DecodeError;
use crate::legacy::java;
use crate::level::Level;
use crate::normalize::{Malformed, Normalizer};

const DIGITS: ByteSet = ByteSet::new(b"0123456789ABCDEFabcdef");

/// An operation on rows, as its options. Sealed: `pub` only because the public operations name it.
pub trait Operate {
    type Codec<'a>: Codec
    where
        Self: 'a;

    fn codec(&self) -> Self::Codec<'_>;

    fn level(&self) -> Option<Level>;

    /// The trigger bytes: every row that changes or is invalid contains at least one of them;
    /// `in_text`, if the row is well-formed UTF-8. `None` if an empty row may change.
    fn triggers(&self, in_text: bool) -> Option<ByteSet>;
}

const PERCENT: ByteSet = ByteSet::new(b"%");

impl Operate for Decode {
    type Codec<'a> = DecodeCodec;

    fn codec(&self) -> DecodeCodec {
        DecodeCodec::new(&self.decoder, self.text)
    }

    fn level(&self) -> Option<Level> {
        self.decoder.level
    }

    fn triggers(&self, in_text: bool) -> Option<ByteSet> {
        let plan = &self.decoder.plan;
        let set = PERCENT.union(plan.reject.unwrap_or(ByteSet::EMPTY));
        let set = if plan.plus { set.with(b'+') } else { set };
        Some(if in_text || self.text == Text::Bytes { set } else { set.union(ByteSet::NON_ASCII) })
    }
}

impl Operate for Encode {
    type Codec<'a> = EncodeCodec<'a>;

    fn codec(&self) -> EncodeCodec<'_> {
        EncodeCodec::new(&self.encoder)
    }

    fn level(&self) -> Option<Level> {
        self.encoder.level
    }

    fn triggers(&self, in_text: bool) -> Option<ByteSet> {
        let plan = &self.encoder.plan;
        let plan = if in_text && plan.keep_non_ascii { plan.for_well_formed() } else { *plan };
        Some(if plan.plus() { plan.escape().with(b' ') } else { *plan.escape() })
    }
}

impl Operate for Normalize {
    type Codec<'a> = DecodeCodec;

    fn codec(&self) -> DecodeCodec {
        DecodeCodec::normalizing(&self.normalizer)
    }

    fn level(&self) -> Option<Level> {
        self.normalizer.level
    }

    fn triggers(&self, _: bool) -> Option<ByteSet> {
        Some(PERCENT)
    }
}

/// Required form of the decoded output.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Text {
    Bytes,
    /// Well-formed UTF-8; anything else is an error.
    Strict,
    /// Well-formed UTF-8; ill-formed sequences are replaced.
    Lossy,
    /// As Java: well-formed UTF-8, ill-formed sequences are replaced, and more triplets are
    /// accepted. The decoder is [`java::DECODER`].
    Java,
}

pub struct DecodeCodec {
    decoder: Decoder,
    kernel: BatchDecoder,
    text: Text,
    /// What becomes of ill-formed sequences, if the output is text.
    ill_formed: IllFormed,
    /// A malformed `%` becomes `%25`.
    escape: bool,
    /// Buffer for output that must be rewritten.
    scratch: Vec<u8>,
}

impl DecodeCodec {
    pub(super) fn new(decoder: &Decoder, text: Text) -> Self {
        let kernel = BatchDecoder::new(&decoder.plan, decoder.level);
        let ill_formed = match text {
            Text::Bytes | Text::Java => IllFormed::Replace,
            Text::Strict => IllFormed::INVALID,
            Text::Lossy => IllFormed::replaced(&decoder.plan),
        };
        Self { decoder: *decoder, kernel, text, ill_formed, escape: false, scratch: Vec::new() }
    }

    pub(super) fn normalizing(normalizer: &Normalizer) -> Self {
        let decoder = Decoder { plan: normalizer.plan, level: normalizer.level };
        Self { escape: normalizer.malformed == Malformed::Escape, ..Self::new(&decoder, Text::Bytes) }
    }

    /// Rewrites decoded rows as text, one by one.
    fn rewrite<O: Offset>(
        &self,
        sink: &mut Sink<'_, '_, O>,
        rows: Range<usize>,
        start: usize,
        first: usize,
        decoded: &[u8],
    ) -> Result<(), ColumnError> {
        let mut from = 0;
        for (row, place) in rows.zip(first..) {
            let to = sink.output.offsets[place].index() - start;
            self.write_text(sink, row, &decoded[from..to])?;
            sink.output.offsets[place] = sink.end(row)?;
            from = to;
        }
        Ok(())
    }

    /// Appends a decoded row as text, or handles the error.
    fn write_text<O: Offset>(&self, sink: &mut Sink<'_, '_, O>, row: usize, decoded: &[u8]) -> Result<(), ColumnError> {
        match (driver::utf8::find_ill_formed(decoded, self.decoder.level), self.ill_formed) {
            (None, _) => sink.output.values.extend_from_slice(decoded),
            (Some(at), IllFormed::Error(kind)) => self.fail(sink, row, |bytes| {
                DecodeError::new(kind, driver::offset::input_offset(bytes, &self.decoder.plan, at))
            })?,
            (Some(_), _) => self.append_lossy(decoded, &mut sink.output.values),
        }
        Ok(())
    }

    fn append_lossy(&self, bytes: &[u8], output: &mut Vec<u8>) {
        if self.text == Text::Java {
            output.extend_from_slice(java::text(bytes).as_bytes());
            return;
        }
        for part in driver::utf8::replacing(bytes, REPLACEMENT, self.decoder.level) {
            output.extend_from_slice(part.as_bytes());
        }
    }

    fn fail<O: Offset>(
        &self,
        sink: &mut Sink<'_, '_, O>,
        row: usize,
        error: impl FnOnce(&[u8]) -> DecodeError,
    ) -> Result<(), ColumnError> {
        let keep = |bytes: &[u8], output: &mut Vec<u8>| {
            if matches!(self.text, Text::Lossy | Text::Java) {
                self.append_lossy(bytes, output);
            } else if self.text == Text::Bytes || driver::utf8::is_well_formed(bytes, self.decoder.level) {
                output.extend_from_slice(bytes);
            } else {
                return false;
            }
            true
        };
        sink.fail(row, keep, error)
    }
}

impl Codec for DecodeCodec {
    /// A decoded triplet becomes one byte instead of three.
    fn length_delta_per_mark(&self) -> usize {
        2_usize.wrapping_neg()
    }

    fn reads_triplets(&self) -> bool {
        true
    }

    /// Nearly every `%` begins a triplet, and mostly either all triplets are decoded or none.
    fn mark(&self, chunk: &[u8], _: impl Iterator<Item = usize>, ranks: &mut Ranks) -> Marking {
        ranks.fill(Selection::Percents, &ByteSet::EMPTY, chunk);
        Marking::Likely
    }

    fn mark_exactly(&self, chunk: &[u8], ranks: &mut Ranks) {
        ranks.fill(Selection::TripletsOfOthers, self.decoder.plan.keep.as_ref().unwrap_or(&ByteSet::EMPTY), chunk);
    }

    /// True if the triplet of a digit after a malformed `%` is kept.
    fn may_keep_marked(&self) -> bool {
        self.decoder.plan.creates_no_triplets()
    }

    #[inline]
    fn append(&self, rows: &[u8], output: &mut Vec<u8>) -> Result<(), DecodeError> {
        self.kernel.append(rows, output)
    }

    #[inline]
    fn append_rows<O: Offset>(
        &self,
        ranks: &mut Ranks,
        rows: Rows<'_, O>,
        output: &mut ColumnBuf<O>,
    ) -> Option<RowsDecoded> {
        let (values, offsets) = (&mut output.values, &mut output.offsets);
        let decoded = self.kernel.append_rows(ranks.ranker, &mut ranks.blocks, rows, values, offsets)?;
        (!decoded.has_malformed || !self.decoder.plan.strict).then_some(decoded)
    }

    #[inline]
    fn validate<O: Offset>(
        &mut self,
        sink: &mut Sink<'_, '_, O>,
        rows: Range<usize>,
        start: usize,
        first: usize,
    ) -> Result<(), ColumnError> {
        let decoded = &sink.output.values[start..];
        if self.text == Text::Bytes || decoded.is_ascii() {
            return Ok(());
        }
        // Every row is text if all together are, and no row begins or ends within a character.
        // The boundaries are tested without a branch per row.
        let continues = |end: usize| decoded.get(end).is_some_and(|byte| matches!(byte, 0x80..=0xBF));
        let ends = sink.output.offsets[first..].iter().map(|end| end.index() - start);
        if !ends.fold(false, |is_cut, end| is_cut | continues(end))
            && driver::utf8::is_well_formed(decoded, self.decoder.level)
        {
            return Ok(());
        }
        let mut scratch = core::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend_from_slice(decoded);
        sink.output.values.truncate(start);
        let result = self.rewrite(sink, rows, start, first, &scratch);
        self.scratch = scratch;
        result
    }

    #[inline]
    fn append_row<O: Offset>(
        &mut self,
        sink: &mut Sink<'_, '_, O>,
        row: usize,
        bytes: &[u8],
    ) -> Result<(), ColumnError> {
        let start = sink.output.values.len();
        if let Err(error) = self.kernel.append_escaping(bytes, &mut sink.output.values, self.escape) {
            sink.output.values.truncate(start);
            let error = match self.text {
                Text::Java => match java::decode_on(&self.decoder, bytes) {
                    Ok(text) => {
                        sink.output.values.extend_from_slice(text.as_bytes());
                        return Ok(());
                    }
                    Err(error) => error,
                },
                _ => error,
            };
            return self.fail(sink, row, |bytes| match self.text {
                // Invalid UTF-8 may precede the error.
                Text::Strict => self.decoder.decode_utf8(bytes).err().unwrap_or(error),
                Text::Lossy => self.decoder.decode_utf8_lossy(bytes).err().unwrap_or(error),
                Text::Bytes | Text::Java => error,
            });
        }
        if self.text == Text::Bytes || driver::utf8::is_well_formed(&sink.output.values[start..], self.decoder.level) {
            return Ok(());
        }
        let mut scratch = core::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend_from_slice(&sink.output.values[start..]);
        sink.output.values.truncate(start);
        let result = self.write_text(sink, row, &scratch);
        self.scratch = scratch;
        result
    }
}

pub struct EncodeCodec<'a> {
    encoder: &'a Encoder,
    kernel: BatchEncoder<'a>,
}

impl<'a> EncodeCodec<'a> {
    pub(super) fn new(encoder: &'a Encoder) -> Self {
        Self { encoder, kernel: BatchEncoder::new(&encoder.plan, encoder.level) }
    }

    /// The rules for a chunk, which must be well-formed UTF-8 if `keep_non_ascii` is set.
    fn plan_of(&self, chunk: &[u8]) -> EncodePlan {
        let plan = self.encoder.plan;
        if plan.keep_non_ascii && !chunk.is_ascii() { plan.for_well_formed() } else { plan }
    }
}

impl Codec for EncodeCodec<'_> {
    /// An escaped byte becomes three bytes instead of one.
    fn length_delta_per_mark(&self) -> usize {
        2
    }

    fn reads_triplets(&self) -> bool {
        self.encoder.plan.keep_triplets
    }

    fn mark(&self, chunk: &[u8], mut ends: impl Iterator<Item = usize>, ranks: &mut Ranks) -> Marking {
        let plan = self.plan_of(chunk);
        // Well-formed UTF-8 is kept, provided that each row is well-formed by itself.
        if plan.keep_non_ascii
            && !chunk.is_ascii()
            && !driver::utf8::checked_text(chunk, self.encoder.level)
                .is_some_and(|text| ends.all(|end| text.is_char_boundary(end)))
        {
            return Marking::Unusable;
        }
        if !plan.keep_triplets {
            ranks.fill(Selection::Members, plan.escape(), chunk);
            return Marking::Exact;
        }
        // The digits of kept triplets are not escaped. Which digits these are depends on the
        // neighbouring row, so rows cannot be concatenated.
        if plan.escape().intersection(DIGITS) != ByteSet::EMPTY {
            return Marking::Unusable;
        }
        // Nearly every `%` begins a triplet, and is kept.
        ranks.fill(Selection::Members, &plan.escape().without(b'%'), chunk);
        Marking::Likely
    }

    fn mark_exactly(&self, chunk: &[u8], ranks: &mut Ranks) {
        ranks.fill(Selection::MembersButTriplets, self.plan_of(chunk).escape(), chunk);
    }

    #[inline]
    fn append(&self, rows: &[u8], output: &mut Vec<u8>) -> Result<(), DecodeError> {
        // Reserve the worst case, so that the length need not be measured.
        output.reserve(3 * rows.len());
        self.kernel.append(rows, output);
        Ok(())
    }

    #[inline]
    fn append_row<O: Offset>(&mut self, sink: &mut Sink<'_, '_, O>, _: usize, bytes: &[u8]) -> Result<(), ColumnError> {
        self.kernel.append(bytes, &mut sink.output.values);
        Ok(())
    }
}
