//! Rows on their way from the input to the output: many at a time where that is the same, else one by one.
#![forbid(unsafe_code)]

use alloc::vec::Vec;
use core::ops::Range;

use super::{Column, ColumnBuf, ColumnError, Offset, OnError};
use crate::byteset::ByteSet;
use crate::driver::batch::{RankBlock, Ranker, Selection, Shift};
use crate::error::DecodeError;
use crate::level::Level;

/// What of the values is read at a time: so little that it is still in the first cache when it is read again.
pub(super) const CHUNK: usize = 8192;

/// Fewer rows than these are done one by one.
const FEW: usize = 4;

/// Marks in a chunk.
pub(super) struct Marks {
    marker: Ranker,
    marks: [RankBlock; CHUNK / 64 + 1],
}

impl Marks {
    /// `None` where marking does not pay.
    pub(super) fn new(level: Option<Level>) -> Option<Self> {
        Ranker::new(level).map(|marker| Self { marker, marks: [RankBlock::default(); CHUNK / 64 + 1] })
    }

    /// Marks a selection of a chunk.
    #[inline]
    pub(super) fn fill(&mut self, selection: Selection, set: &ByteSet, chunk: &[u8]) {
        self.marker.mark(selection, set, chunk, &mut self.marks);
    }

    /// How many there are before a place of the chunk.
    #[inline(always)]
    pub(super) fn before(&self, place: usize) -> usize {
        self.marks[place / 64].before(place)
    }
}

/// What is done to each row.
///
/// A row's output is longer or shorter than its input by as much for each mark in it, and by nothing else. The output of rows in one
/// is that of each by itself, but for triplets that go across the end of a row, and errors.
pub(super) trait Codec {
    /// What a mark adds to the length, modulo 2^n.
    fn each(&self) -> usize;

    /// Whether it matters that a triplet may go across the end of a row.
    fn reads_triplets(&self) -> bool;

    /// Marks what changes lengths in a chunk of which `ends` are the rows' ends, or what is likely to.
    fn mark(&self, chunk: &[u8], ends: impl Iterator<Item = usize>, marks: &mut Marks) -> Marked;

    /// Marks what changes lengths, where something else was likely to.
    fn mark_exactly(&self, chunk: &[u8], marks: &mut Marks);

    /// Whether a mark that is exact may yet change nothing, for what precedes it.
    fn may_leave_marked(&self) -> bool {
        false
    }

    /// Appends the output of rows in one, or as much of it as comes before the first error.
    fn append(&self, rows: &[u8], output: &mut Vec<u8>) -> Result<(), DecodeError>;

    /// Sees to what else the outputs have to be. `rows` have been appended in one; `start` is how many values there were before, and
    /// `first` how many offsets. Nothing, for most.
    fn settle<O: Offset>(
        &mut self,
        sink: &mut Sink<'_, '_, O>,
        rows: Range<usize>,
        start: usize,
        first: usize,
    ) -> Result<(), ColumnError> {
        let _ = (sink, rows, start, first);
        Ok(())
    }

    /// Appends the output of a row by itself, that is not null.
    fn row<O: Offset>(&mut self, sink: &mut Sink<'_, '_, O>, row: usize, bytes: &[u8]) -> Result<(), ColumnError>;
}

/// How well a chunk is marked.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Marked {
    /// With all that changes lengths.
    Exactly,
    /// With that and maybe more. If the length of the output is the right one, there is no more.
    Likely,
    /// Not at all: rows in one are not what each is by itself.
    Not,
}

/// Rows that can be read together.
struct Chunk<'a> {
    bytes: &'a [u8],
    /// Where they begin in the values.
    base: usize,
    marked: Marked,
}

/// How often rows of the last chunks ended where a triplet may have gone on in the next row.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Crossings {
    Never,
    Sometimes,
    /// So often that it does not pay to do those between them in one. Looked at again after so many chunks.
    Often(u8),
}

/// A column on its way from the input to the output.
pub(super) struct Sink<'a, 'c, O> {
    pub(super) column: &'a Column<'c, O>,
    pub(super) output: &'a mut ColumnBuf<O>,
    on_error: OnError,
    /// How many rows the output had before.
    rows_before: usize,
    /// How many rows were at fault so far.
    failed: usize,
    crossings: Crossings,
    /// The rows of a chunk that such rows come before.
    cuts: Vec<usize>,
}

/// Appends the output of all rows, or nothing. Returns how many rows were at fault.
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
    let result = match Marks::new(level) {
        Some(mut marks) => sink.all(codec, &mut marks),
        None => sink.rows(codec, 0..column.len()),
    };
    let result = result.map(|()| sink.failed);
    if result.is_err() {
        output.roll_back(&before);
    }
    result
}

impl<O: Offset> Sink<'_, '_, O> {
    fn all(&mut self, codec: &mut impl Codec, marks: &mut Marks) -> Result<(), ColumnError> {
        let mut row = 0;
        while row < self.column.len() {
            let end = self.column.chunk_end(row);
            if end - row >= FEW {
                self.chunk(codec, marks, row..end)?;
                row = end;
            } else {
                let end = end.max(row + 1);
                self.rows(codec, row..end)?;
                row = end;
            }
        }
        Ok(())
    }

    /// Rows one by one.
    fn rows(&mut self, codec: &mut impl Codec, rows: Range<usize>) -> Result<(), ColumnError> {
        for row in rows {
            if let Some(bytes) = self.column.row(row) {
                codec.row(self, row, bytes)?;
            }
            let end = self.end(row)?;
            self.output.offsets.push(end);
        }
        Ok(())
    }

    /// Where the output ends, as an offset.
    #[inline]
    pub(super) fn end(&self, row: usize) -> Result<O, ColumnError> {
        let end = self.output.values.len();
        if end > O::MAX { Err(ColumnError::TooLong { row }) } else { Ok(O::of(end)) }
    }

    /// Rows of at most [`CHUNK`] bytes, of which no null row has any.
    fn chunk(&mut self, codec: &mut impl Codec, marks: &mut Marks, rows: Range<usize>) -> Result<(), ColumnError> {
        let column = self.column;
        let (base, bytes) = (column.bound(rows.start), column.bytes(rows.clone()));
        let ends = column.offsets[rows.start + 1..=rows.end].iter().map(|end| end.index() - base);
        if let Crossings::Often(chunks_left) = &mut self.crossings {
            match chunks_left.checked_sub(1) {
                Some(left) => {
                    *chunks_left = left;
                    return self.rows(codec, rows);
                }
                None => self.crossings = Crossings::Sometimes,
            }
        }
        let longest = self.output.values.len().checked_add(3 * bytes.len());
        if longest.is_none_or(|longest| longest > O::MAX) {
            return self.rows(codec, rows);
        }
        let marked = codec.mark(bytes, ends.clone(), marks);
        if marked == Marked::Not {
            return self.rows(codec, rows);
        }
        let mut chunk = Chunk { bytes, base, marked };
        let mut row = rows.start;
        if self.crossings == Crossings::Never {
            row = self.piece(codec, marks, &mut chunk, rows.clone(), codec.reads_triplets())?;
        }
        if row == rows.end {
            return Ok(());
        }
        // Something is in the way: go on in pieces, each up to where a triplet may go across.
        let mut cuts = core::mem::take(&mut self.cuts);
        cuts.clear();
        if codec.reads_triplets() {
            let crossed =
                (row + 1..).zip(ends.skip(row - rows.start)).filter(|&(_, end)| is_behind_percent(bytes, end));
            cuts.extend(crossed.map(|(row, _)| row));
        }
        let result = self.pieces(codec, marks, &mut chunk, row..rows.end, &cuts);
        self.cuts = cuts;
        result
    }

    /// Rows in pieces, of which all but the last end before one of `cuts`.
    fn pieces(
        &mut self,
        codec: &mut impl Codec,
        marks: &mut Marks,
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
            return self.rows(codec, rows);
        }
        let mut row = rows.start;
        for &end in cuts.iter().chain([&rows.end]) {
            while row < end {
                row = self.piece(codec, marks, chunk, row..end, false)?;
            }
        }
        Ok(())
    }

    /// Rows in one, and one by one those around the first error, if there is any. Returns how far it came: nowhere if there may be a
    /// triplet that goes across the end of a row, which is only looked for if asked to.
    #[inline]
    fn piece(
        &mut self,
        codec: &mut impl Codec,
        marks: &mut Marks,
        chunk: &mut Chunk<'_>,
        rows: Range<usize>,
        look_for_crossings: bool,
    ) -> Result<usize, ColumnError> {
        let column = self.column;
        let (start, first) = (self.output.values.len(), self.output.offsets.len());
        let (from, to) = (column.bound(rows.start) - chunk.base, column.bound(rows.end) - chunk.base);
        let result = codec.append(&chunk.bytes[from..to], &mut self.output.values);
        let good_end = match result {
            Ok(()) => rows.end,
            // The rows that end before it.
            Err(error) => {
                let ends = &column.offsets[rows.start + 1..=rows.end];
                rows.start + ends.partition_point(|end| end.index() - chunk.base <= from + error.position)
            }
        };

        let mut each = codec.each();
        if chunk.marked == Marked::Likely {
            let grown = (self.output.values.len() - start).wrapping_sub(to - from);
            if grown == 0 {
                each = 0;
            } else if result.is_err() || grown != each.wrapping_mul(marks.before(to) - marks.before(from)) {
                codec.mark_exactly(chunk.bytes, marks);
                chunk.marked = Marked::Exactly;
            }
        }
        if chunk.marked == Marked::Exactly && codec.may_leave_marked() {
            // Marks say nothing of neighbours. The lengths show whether one of them made a difference, which is rare.
            let end = result.map_or_else(|error| from + error.position, |()| to);
            let grown = (self.output.values.len() - start).wrapping_sub(end - from);
            if grown != each.wrapping_mul(marks.before(end) - marks.before(from)) {
                self.output.values.truncate(start);
                self.rows(codec, rows.clone())?;
                return Ok(rows.end);
            }
        }
        let origin = start.wrapping_sub(from).wrapping_sub(each.wrapping_mul(marks.before(from)));
        let text = if look_for_crossings { chunk.bytes } else { &[] };
        let ends = &column.offsets[rows.start + 1..=good_end];
        self.output.offsets.resize(first + ends.len(), O::ZERO);
        let placed = &mut self.output.offsets[first..];
        let shift = Shift { origin, each };
        if marks.marker.place(&marks.marks, text, ends, chunk.base, shift, placed) {
            self.output.offsets.truncate(first);
            self.output.values.truncate(start);
            return Ok(rows.start);
        }
        match (result, placed.last_mut()) {
            // Not what was placed: if a triplet goes across this end, its '%' has the wrong mark.
            (Ok(()), Some(last)) => {
                let end = self.output.values.len();
                let is_crossed = is_behind_percent(column.values, column.bound(good_end));
                debug_assert!(is_crossed || last.index() == end, "{last:?} should be {end}");
                *last = O::of(end);
            }
            (_, last) => self.output.values.truncate(last.map_or(start, |last| last.index())),
        }
        codec.settle(self, rows.start..good_end, start, first)?;
        if result.is_ok() {
            return Ok(rows.end);
        }
        // Where one row is at fault others may be too, and then pieces cost more than rows.
        let rows_left = if good_end - rows.start < FEW { 2 * FEW } else { 1 };
        let next = rows.end.min(good_end + rows_left);
        self.rows(codec, good_end..next)?;
        Ok(next)
    }

    /// What the policy has for a row at fault, of which nothing has been written. `keep` appends it as it is, if it can.
    #[cold]
    pub(super) fn fail(
        &mut self,
        row: usize,
        keep: impl FnOnce(&[u8], &mut Vec<u8>) -> bool,
        error: impl FnOnce(&[u8]) -> DecodeError,
    ) -> Result<(), ColumnError> {
        self.failed += 1;
        let bytes = self.column.bytes(row..row + 1);
        let is_settled = match self.on_error {
            OnError::Fail => false,
            OnError::Keep => keep(bytes, &mut self.output.values),
            OnError::Null => {
                self.output.set_null(self.rows_before + row, self.rows_before + self.column.len());
                true
            }
        };
        if is_settled { Ok(()) } else { Err(ColumnError::Row { row, error: error(bytes) }) }
    }
}

/// Whether a triplet may begin before `at` and end behind it.
#[inline(always)]
fn is_behind_percent(bytes: &[u8], at: usize) -> bool {
    let is_percent = |distance| bytes.get(at.wrapping_sub(distance)) == Some(&b'%');
    is_percent(1) | is_percent(2)
}
