//! Appends the output of many rows at once, and translates their offsets with a rank bitmap.
//!
//! Rows are processed in chunks of up to [`CHUNK`] bytes, in three steps:
//!
//! * The kernel encodes or decodes the bytes of all rows of the chunk at once, as if they were one
//!   string.
//! * A rank bitmap marks each byte of the input that changes the length of the output. For
//!   decoding, this is the `%` of each decoded triplet (2 bytes shorter); for encoding, each
//!   escaped byte (2 bytes longer). Each 64-byte block has a bitmask and the number of marks in the
//!   preceding blocks, so `rank(p)`, the number of marks before offset `p`, takes one look-up and
//!   one popcount.
//! * Each row end `p` of the input becomes `origin + p + length_delta_per_mark * rank(p)` in the
//!   output.
//!
//! The result is wrong for a triplet that is split by the end of a row, for errors, and for marks
//! that turn out not to change the length. These cases are detected, and the rows concerned are
//! processed one by one.
#![forbid(unsafe_code)]

use alloc::vec::Vec;
use core::ops::Range;

use super::{Column, ColumnBuf, ColumnError, Offset, OnError};
use crate::byteset::ByteSet;
use crate::driver::batch::{RankBlock, Ranker, Selection, Shift};
use crate::error::DecodeError;
use crate::level::Level;

/// Bytes of values per chunk: small enough that the second pass hits the first-level cache.
pub(super) const CHUNK: usize = 8192;

/// Minimum number of rows in a chunk; fewer rows are processed one by one.
const FEW: usize = 4;

/// Rank bitmap of a chunk.
pub(super) struct Ranks {
    ranker: Ranker,
    blocks: [RankBlock; CHUNK / 64 + 1],
}

impl Ranks {
    /// `None` at levels where marking costs more than it saves.
    pub(super) fn new(level: Option<Level>) -> Option<Self> {
        Ranker::new(level).map(|ranker| Self { ranker, blocks: [RankBlock::default(); CHUNK / 64 + 1] })
    }

    /// Marks a selection of the bytes of a chunk.
    #[inline]
    pub(super) fn fill(&mut self, selection: Selection, set: &ByteSet, chunk: &[u8]) {
        self.ranker.mark(selection, set, chunk, &mut self.blocks);
    }

    /// Number of marks before `offset` in the chunk.
    #[inline(always)]
    pub(super) fn rank(&self, offset: usize) -> usize {
        self.blocks[offset / 64].rank(offset)
    }
}

/// Operation on the rows of a column.
///
/// Each mark changes the length of a row's output by the same amount, and nothing else does. The
/// output of concatenated rows is the concatenation of their outputs, except for triplets that are
/// split by the end of a row, and for errors.
pub(super) trait Codec {
    /// How much each mark adds to the length of the output, modulo 2^n.
    fn length_delta_per_mark(&self) -> usize;

    /// Whether a triplet that is split by the end of a row matters.
    fn reads_triplets(&self) -> bool;

    /// Marks the bytes that change the length, or a likely superset. `ends` are the ends of the
    /// rows in `chunk`.
    fn mark(&self, chunk: &[u8], ends: impl Iterator<Item = usize>, ranks: &mut Ranks) -> Marking;

    /// Marks exactly the bytes that change the length, after [`Marking::Likely`].
    fn mark_exactly(&self, chunk: &[u8], ranks: &mut Ranks);

    /// Whether an exactly marked byte may still be kept, depending on the bytes preceding it.
    fn may_keep_marked(&self) -> bool {
        false
    }

    /// Appends the output of concatenated rows. On error, appends the output that precedes the
    /// error.
    fn append(&self, rows: &[u8], output: &mut Vec<u8>) -> Result<(), DecodeError>;

    /// Validates the output of rows that were appended at once, and rewrites it if necessary.
    /// `start` and `first` are the numbers of values and offsets before that. Does nothing by
    /// default.
    fn validate<O: Offset>(
        &mut self,
        sink: &mut Sink<'_, '_, O>,
        rows: Range<usize>,
        start: usize,
        first: usize,
    ) -> Result<(), ColumnError> {
        let _ = (sink, rows, start, first);
        Ok(())
    }

    /// Appends the output of a single non-null row.
    fn append_row<O: Offset>(
        &mut self,
        sink: &mut Sink<'_, '_, O>,
        row: usize,
        bytes: &[u8],
    ) -> Result<(), ColumnError>;
}

/// Accuracy of the marks of a chunk.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Marking {
    /// Exactly the bytes that change the length are marked.
    Exact,
    /// Those bytes are marked, and possibly others. If the length of the output is as predicted,
    /// there are no others.
    Likely,
    /// Not marked: the output of concatenated rows differs from that of each row.
    Unusable,
}

/// Rows that are processed together.
struct Chunk<'a> {
    bytes: &'a [u8],
    /// Offset of `bytes` in the column's values.
    base: usize,
    marking: Marking,
}

/// How often the ends of rows in recent chunks may split a triplet.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Crossings {
    Never,
    Sometimes,
    /// Too often for processing the rows between them at once. Tested again after this number of
    /// chunks.
    Often(u8),
}

/// State of a conversion: input column, output column and error counts.
pub(super) struct Sink<'a, 'c, O> {
    pub(super) column: &'a Column<'c, O>,
    pub(super) output: &'a mut ColumnBuf<O>,
    on_error: OnError,
    /// Number of rows in the output before the conversion.
    rows_before: usize,
    /// Number of invalid rows so far.
    failed: usize,
    crossings: Crossings,
    /// Scratch: the rows of a chunk that begin where a triplet may be split.
    cuts: Vec<usize>,
}

/// Appends the output of all rows, or nothing on error. Returns the number of invalid rows.
pub(super) fn run<O: Offset>(
    column: &Column<'_, O>,
    on_error: OnError,
    output: &mut ColumnBuf<O>,
    level: Option<Level>,
    codec: &mut impl Codec,
) -> Result<usize, ColumnError> {
    let before = output.begin(column)?;
    let rows_before = before.rows;
    let mut sink =
        Sink { column, output, on_error, rows_before, failed: 0, crossings: Crossings::Never, cuts: Vec::new() };
    let result = match Ranks::new(level) {
        Some(mut ranks) => sink.append_all(codec, &mut ranks),
        None => sink.append_one_by_one(codec, 0..column.len()),
    };
    let result = result.map(|()| sink.failed);
    if result.is_err() {
        output.roll_back(&before);
    }
    result
}

impl<O: Offset> Sink<'_, '_, O> {
    fn append_all(&mut self, codec: &mut impl Codec, ranks: &mut Ranks) -> Result<(), ColumnError> {
        let mut row = 0;
        while row < self.column.len() {
            let end = self.column.chunk_end(row);
            if end - row >= FEW {
                self.append_chunk(codec, ranks, row..end)?;
                row = end;
            } else {
                let end = end.max(row + 1);
                self.append_one_by_one(codec, row..end)?;
                row = end;
            }
        }
        Ok(())
    }

    /// Processes rows one by one.
    fn append_one_by_one(&mut self, codec: &mut impl Codec, rows: Range<usize>) -> Result<(), ColumnError> {
        for row in rows {
            if let Some(bytes) = self.column.row(row) {
                codec.append_row(self, row, bytes)?;
            }
            let end = self.end(row)?;
            self.output.offsets.push(end);
        }
        Ok(())
    }

    /// Current end of the output, as an offset.
    #[inline]
    pub(super) fn end(&self, row: usize) -> Result<O, ColumnError> {
        let end = self.output.values.len();
        if end > O::MAX { Err(ColumnError::TooLong { row }) } else { Ok(O::of(end)) }
    }

    /// Processes rows of at most [`CHUNK`] bytes in total. Null rows among them must be empty.
    fn append_chunk(
        &mut self,
        codec: &mut impl Codec,
        ranks: &mut Ranks,
        rows: Range<usize>,
    ) -> Result<(), ColumnError> {
        let column = self.column;
        let (base, bytes) = (column.bound(rows.start), column.bytes(rows.clone()));
        let ends = column.offsets[rows.start + 1..=rows.end].iter().map(|end| end.index() - base);
        if let Crossings::Often(chunks_left) = &mut self.crossings {
            match chunks_left.checked_sub(1) {
                Some(left) => {
                    *chunks_left = left;
                    return self.append_one_by_one(codec, rows);
                }
                None => self.crossings = Crossings::Sometimes,
            }
        }
        let longest = self.output.values.len().checked_add(3 * bytes.len());
        if longest.is_none_or(|longest| longest > O::MAX) {
            return self.append_one_by_one(codec, rows);
        }
        let marking = codec.mark(bytes, ends.clone(), ranks);
        if marking == Marking::Unusable {
            return self.append_one_by_one(codec, rows);
        }
        let mut chunk = Chunk { bytes, base, marking };
        let mut row = rows.start;
        if self.crossings == Crossings::Never {
            row = self.append_at_once(codec, ranks, &mut chunk, rows.clone(), codec.reads_triplets())?;
        }
        if row == rows.end {
            return Ok(());
        }
        // A triplet may be split, or an error occurred: continue in pieces that end where a triplet
        // may be split.
        let mut cuts = core::mem::take(&mut self.cuts);
        cuts.clear();
        if codec.reads_triplets() {
            let crossed =
                (row + 1..).zip(ends.skip(row - rows.start)).filter(|&(_, end)| may_split_triplet(bytes, end));
            cuts.extend(crossed.map(|(row, _)| row));
        }
        let result = self.append_pieces(codec, ranks, &mut chunk, row..rows.end, &cuts);
        self.cuts = cuts;
        result
    }

    /// Processes rows in pieces that end at each of `cuts` and at the end of `rows`.
    fn append_pieces(
        &mut self,
        codec: &mut impl Codec,
        ranks: &mut Ranks,
        chunk: &mut Chunk<'_>,
        rows: Range<usize>,
        cuts: &[usize],
    ) -> Result<(), ColumnError> {
        self.crossings = match cuts.len() {
            0 => Crossings::Never,
            often if often > rows.len() / 8 => Crossings::Often(16),
            _ => Crossings::Sometimes,
        };
        if self.crossings == Crossings::Often(16) {
            return self.append_one_by_one(codec, rows);
        }
        let mut row = rows.start;
        for &end in cuts.iter().chain([&rows.end]) {
            while row < end {
                row = self.append_at_once(codec, ranks, chunk, row..end, false)?;
            }
        }
        Ok(())
    }

    /// Processes rows at once; around the first error, one by one. Returns the next row to process.
    /// If `look_for_crossings` is set and a triplet may be split by the end of a row, appends
    /// nothing and returns `rows.start`.
    #[inline]
    fn append_at_once(
        &mut self,
        codec: &mut impl Codec,
        ranks: &mut Ranks,
        chunk: &mut Chunk<'_>,
        rows: Range<usize>,
        look_for_crossings: bool,
    ) -> Result<usize, ColumnError> {
        let column = self.column;
        let (start, first) = (self.output.values.len(), self.output.offsets.len());
        let (from, to) = (column.bound(rows.start) - chunk.base, column.bound(rows.end) - chunk.base);
        let result = codec.append(&chunk.bytes[from..to], &mut self.output.values);
        let valid_end = match result {
            Ok(()) => rows.end,
            // The rows that end before the error.
            Err(error) => {
                let ends = &column.offsets[rows.start + 1..=rows.end];
                rows.start + ends.partition_point(|end| end.index() - chunk.base <= from + error.position)
            }
        };

        let mut delta = codec.length_delta_per_mark();
        if chunk.marking == Marking::Likely {
            let grown = (self.output.values.len() - start).wrapping_sub(to - from);
            if grown == 0 {
                delta = 0;
            } else if result.is_err() || grown != delta.wrapping_mul(ranks.rank(to) - ranks.rank(from)) {
                codec.mark_exactly(chunk.bytes, ranks);
                chunk.marking = Marking::Exact;
            }
        }
        if chunk.marking == Marking::Exact && codec.may_keep_marked() {
            // Marks ignore preceding bytes. If the length differs from the prediction, a marked
            // byte was kept because of them, which is rare.
            let end = result.map_or_else(|error| from + error.position, |()| to);
            let grown = (self.output.values.len() - start).wrapping_sub(end - from);
            if grown != delta.wrapping_mul(ranks.rank(end) - ranks.rank(from)) {
                self.output.values.truncate(start);
                self.append_one_by_one(codec, rows.clone())?;
                return Ok(rows.end);
            }
        }
        let origin = start.wrapping_sub(from).wrapping_sub(delta.wrapping_mul(ranks.rank(from)));
        let text = if look_for_crossings { chunk.bytes } else { &[] };
        let ends = &column.offsets[rows.start + 1..=valid_end];
        self.output.offsets.resize(first + ends.len(), O::ZERO);
        let new_ends = &mut self.output.offsets[first..];
        let shift = Shift { origin, per_mark: delta };
        if ranks.ranker.place(&ranks.blocks, text, ends, chunk.base, shift, new_ends) {
            self.output.offsets.truncate(first);
            self.output.values.truncate(start);
            return Ok(rows.start);
        }
        match (result, new_ends.last_mut()) {
            // Set explicitly: if this row's end splits a triplet, the mark of its `%` is wrong.
            (Ok(()), Some(last)) => {
                let end = self.output.values.len();
                let is_crossed = may_split_triplet(column.values, column.bound(valid_end));
                debug_assert!(is_crossed || last.index() == end, "{last:?} should be {end}");
                *last = O::of(end);
            }
            (_, last) => self.output.values.truncate(last.map_or(start, |last| last.index())),
        }
        codec.validate(self, rows.start..valid_end, start, first)?;
        if result.is_ok() {
            return Ok(rows.end);
        }
        // Invalid rows come in clusters. Within one, single rows are cheaper than pieces.
        let rows_left = if valid_end - rows.start < FEW { 2 * FEW } else { 1 };
        let next = rows.end.min(valid_end + rows_left);
        self.append_one_by_one(codec, valid_end..next)?;
        Ok(next)
    }

    /// Handles an invalid row, of which nothing has been written yet, according to the policy.
    /// `keep` appends it unchanged, and returns whether it could.
    #[cold]
    pub(super) fn fail(
        &mut self,
        row: usize,
        keep: impl FnOnce(&[u8], &mut Vec<u8>) -> bool,
        error: impl FnOnce(&[u8]) -> DecodeError,
    ) -> Result<(), ColumnError> {
        self.failed += 1;
        let bytes = self.column.bytes(row..row + 1);
        let is_handled = match self.on_error {
            OnError::Fail => false,
            OnError::Keep => keep(bytes, &mut self.output.values),
            OnError::Null => {
                self.output.set_null(self.rows_before + row, self.rows_before + self.column.len());
                true
            }
        };
        if is_handled { Ok(()) } else { Err(ColumnError::Row { row, error: error(bytes) }) }
    }
}

/// Whether a triplet may begin before `at` and end after it.
#[inline(always)]
fn may_split_triplet(bytes: &[u8], at: usize) -> bool {
    let is_percent = |distance| bytes.get(at.wrapping_sub(distance)) == Some(&b'%');
    is_percent(1) | is_percent(2)
}
