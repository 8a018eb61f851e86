//! Appends the output of many rows in one call, and translates their offsets with a rank bitmap.
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
//! If many bytes are triplets, and the level has a kernel for it, decoding is one step instead: the
//! kernel marks the bytes that it drops, and translates the row ends with them.
//!
//! The result is wrong for a triplet that is split by the end of a row, for errors, and for marks
//! that turn out not to change the length. These cases are detected, and the rows concerned are
//! processed one by one.
#![forbid(unsafe_code)]

use alloc::vec::Vec;
use core::ops::Range;

use super::{Checkpoint, Column, ColumnBuf, ColumnError, Offset, OnError, RowError, Summary, Validity};
use crate::byteset::ByteSet;
use crate::driver::batch::{RankBlock, Ranker, Rows, RowsDecoded, Selection, Shift, is_same};
use crate::error::DecodeError;
use crate::input::Input;
use crate::level::Level;

/// Bytes of values per chunk: small enough that the second pass hits the first-level cache.
pub(super) const CHUNK: usize = 8192;

/// Minimum number of rows in a chunk; fewer rows are processed one by one.
const FEW: usize = 4;

/// If at least one of this many bytes was dropped, the next chunk is decoded in one pass.
const DENSE: usize = 64;

/// Rank bitmap of a chunk.
pub struct Ranks {
    pub(super) ranker: Ranker,
    pub(super) blocks: [RankBlock; CHUNK / 64 + 1],
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
pub trait Codec {
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

    /// Appends the output of concatenated rows and their ends in one pass. Returns `None` if there
    /// is no kernel for it or a row is invalid; what was appended is then unspecified.
    fn append_rows<O: Offset>(
        &self,
        ranks: &mut Ranks,
        rows: Rows<'_, O>,
        output: &mut ColumnBuf<O>,
    ) -> Option<RowsDecoded> {
        let _ = (ranks, rows, output);
        None
    }

    /// Validates the output of rows that were appended in one call, and rewrites it if necessary.
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
pub enum Marking {
    /// Exactly the bytes that change the length are marked.
    Exact,
    /// These bytes are marked, and possibly others. If the length of the output is as predicted, no
    /// others are marked.
    Likely,
    /// Not marked: concatenated rows have another output than single rows.
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
    /// Too often for processing the rows between them in one call. Tested again after this number
    /// of chunks.
    Often(u8),
}

/// A column to convert, and the output to append it to.
pub struct Sink<'a, 'c, O> {
    pub(super) column: &'a Column<'c, O>,
    pub(super) output: &'a mut ColumnBuf<O>,
    /// Number of rows in the output before the rows of the column.
    rows_before: usize,
    /// Index in the whole input of the column's first row.
    first_row: usize,
    state: &'a mut State,
}

/// The state that a conversion keeps between the columns of its input.
struct State {
    on_error: OnError,
    summary: Summary,
    crossings: Crossings,
    /// Whether the last chunk had many triplets and no invalid row, so that one pass is faster.
    is_dense: bool,
    /// Scratch: the rows of a chunk that begin where a triplet may be split.
    cuts: Vec<usize>,
}

/// How to handle output that exceeds the range of the offset type.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Overflow {
    /// Return an error, and append nothing.
    Refuse,
    /// Stop before that row.
    Stop,
}

/// A conversion that appends its output.
pub(super) struct Run<'a, O, C> {
    output: &'a mut ColumnBuf<O>,
    codec: C,
    ranks: Option<Ranks>,
    before: Checkpoint,
    overflow: Overflow,
    state: State,
}

impl<'a, O: Offset, C: Codec> Run<'a, O, C> {
    pub(super) fn new(
        codec: C,
        level: Option<Level>,
        on_error: OnError,
        overflow: Overflow,
        output: &'a mut ColumnBuf<O>,
    ) -> Result<Self, ColumnError> {
        let before = output.checkpoint()?;
        let state = State {
            on_error,
            summary: Summary::default(),
            crossings: Crossings::Never,
            is_dense: true,
            cuts: Vec::new(),
        };
        Ok(Self { output, codec, ranks: Ranks::new(level), before, overflow, state })
    }

    /// Appends all rows of a column, or nothing on error.
    pub(super) fn column(mut self, column: &Column<'_, O>) -> Result<Summary, ColumnError> {
        let result = self.append(column);
        self.finish(result)
    }

    /// Appends rows from anywhere, or nothing on error.
    pub(super) fn rows<T: Input>(mut self, rows: impl IntoIterator<Item = Option<T>>) -> Result<Summary, ColumnError> {
        let result = self.gather(rows);
        self.finish(result)
    }

    /// Copies short rows to columns of at most [`CHUNK`] bytes, and appends these columns. Copying
    /// takes less time than processing rows one by one.
    fn gather<T: Input>(&mut self, rows: impl IntoIterator<Item = Option<T>>) -> Result<(), ColumnError> {
        let mut gathered = Gathered::new();
        let rows = rows.into_iter();
        if self.overflow == Overflow::Refuse {
            // Saves the copies of an output that grows. A hint may be wrong, so it may be too
            // large.
            let _ = self.output.offsets.try_reserve(rows.size_hint().0);
        }
        for row in rows {
            let bytes = row.as_ref().map(Input::as_bytes);
            let length = bytes.map_or(0, <[u8]>::len);
            if gathered.values.len() + length > CHUNK || gathered.offsets.len() > CHUNK {
                self.append(&gathered.column())?;
                gathered.clear();
            }
            match bytes {
                Some(bytes) if length > CHUNK / FEW => {
                    self.append(&gathered.column())?;
                    gathered.clear();
                    if length > O::MAX {
                        return Err(ColumnError::TooLong { row: self.state.summary.rows });
                    }
                    self.append(&Column { values: bytes, offsets: &[O::ZERO, O::of(length)], validity: None })?;
                }
                bytes => gathered.push(bytes),
            }
        }
        self.append(&gathered.column())
    }

    fn append(&mut self, column: &Column<'_, O>) -> Result<(), ColumnError> {
        let rows_before = self.output.begin(column);
        let Self { output, state, codec, ranks, .. } = self;
        let first_row = state.summary.rows;
        let mut sink = Sink { column, output, rows_before, first_row, state };
        let result = sink.append_all(codec, ranks.as_mut());
        self.state.summary.rows = first_row + (self.output.offsets.len() - 1 - rows_before);
        result
    }

    fn finish(self, result: Result<(), ColumnError>) -> Result<Summary, ColumnError> {
        let Self { output, before, overflow, state, .. } = self;
        let summary = state.summary;
        match result {
            Ok(()) => Ok(summary),
            // A row that does not fit an empty output never will.
            Err(ColumnError::TooLong { .. }) if overflow == Overflow::Stop && output.offsets.len() > 1 => {
                let rows = before.rows + summary.rows;
                output.roll_back(&Checkpoint { rows, values: output.offsets[rows].index(), had_validity: true });
                Ok(summary)
            }
            Err(error) => {
                output.roll_back(&before);
                Err(error)
            }
        }
    }
}

/// Rows copied to a column.
struct Gathered<O> {
    values: Vec<u8>,
    offsets: Vec<O>,
    /// One bit per row.
    validity: Vec<u8>,
    has_nulls: bool,
}

impl<O: Offset> Gathered<O> {
    fn new() -> Self {
        Self {
            values: Vec::with_capacity(CHUNK),
            offsets: Vec::from([O::ZERO]),
            validity: Vec::new(),
            has_nulls: false,
        }
    }

    fn push(&mut self, row: Option<&[u8]>) {
        let number = self.offsets.len() - 1;
        if number.is_multiple_of(8) {
            self.validity.push(0xFF);
        }
        match row {
            Some(bytes) => self.values.extend_from_slice(bytes),
            None => {
                self.validity[number / 8] &= !(1 << (number % 8));
                self.has_nulls = true;
            }
        }
        self.offsets.push(O::of(self.values.len()));
    }

    fn column(&self) -> Column<'_, O> {
        let validity = self.has_nulls.then_some(Validity { bitmap: &self.validity, offset: 0 });
        Column { values: &self.values, offsets: &self.offsets, validity }
    }

    fn clear(&mut self) {
        self.values.clear();
        self.offsets.truncate(1);
        self.validity.clear();
        self.has_nulls = false;
    }
}

impl<O: Offset> Sink<'_, '_, O> {
    fn append_all(&mut self, codec: &mut impl Codec, mut ranks: Option<&mut Ranks>) -> Result<(), ColumnError> {
        let mut row = 0;
        while row < self.column.len() {
            let first = self.output.offsets.len();
            let end = self.column.chunk_end(row, CHUNK);
            let (result, end) = match &mut ranks {
                Some(ranks) if end - row >= FEW => {
                    let (start, invalid) = (self.output.values.len(), self.state.summary.invalid);
                    let result = self.append_chunk(codec, ranks, row..end);
                    let length = self.column.bytes(row..end).len();
                    let dropped = (start + length).saturating_sub(self.output.values.len());
                    self.state.is_dense = dropped >= length / DENSE && self.state.summary.invalid == invalid;
                    (result, end)
                }
                _ => {
                    let end = end.max(row + 1);
                    (self.append_one_by_one(codec, row..end), end)
                }
            };
            // The rows before a row that is too long may remain; the rows before an invalid row do
            // not.
            if matches!(result, Ok(()) | Err(ColumnError::TooLong { .. })) {
                self.note_changes(row, first);
            }
            result?;
            row = end;
        }
        Ok(())
    }

    /// Compares the rows of the output from offset `first` on with the rows of the input from `row`
    /// on. Cheap: it ends with the first changed chunk.
    fn note_changes(&mut self, row: usize, first: usize) {
        if self.state.summary.changed {
            return;
        }
        let (column, output) = (self.column, &*self.output);
        let rows = row..row + (output.offsets.len() - first);
        let bounds = |row: usize| output.offsets[first - 1 + row - rows.start].index();
        let bytes = |rows: Range<usize>| &output.values[bounds(rows.start)..bounds(rows.end)];
        let is_unchanged = |rows: Range<usize>| {
            let starts = || rows.clone().map(|row| (bounds(row), column.bound(row)));
            let (to, from) = (bounds(rows.start), column.bound(rows.start));
            is_same(bytes(rows.clone()), column.bytes(rows.clone()))
                && starts().all(|(after, before)| after - to == before - from)
        };
        // Null rows may have bytes in the input.
        let is_null = |row| column.is_null(row);
        self.state.summary.changed =
            !is_unchanged(rows.clone()) && !rows.clone().all(|row| is_null(row) || is_unchanged(row..row + 1));
    }

    /// Processes rows one by one.
    fn append_one_by_one(&mut self, codec: &mut impl Codec, rows: Range<usize>) -> Result<(), ColumnError> {
        for row in rows {
            let summary = self.state.summary;
            if let Some(bytes) = self.column.row(row) {
                codec.append_row(self, row, bytes)?;
            }
            match self.end(row) {
                Ok(end) => self.output.offsets.push(end),
                Err(error) => {
                    // The row was kept, but does not fit.
                    self.state.summary = summary;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Current end of the output, as an offset.
    #[inline]
    pub(super) fn end(&self, row: usize) -> Result<O, ColumnError> {
        let end = self.output.values.len();
        if end > O::MAX { Err(ColumnError::TooLong { row: self.first_row + row }) } else { Ok(O::of(end)) }
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
        if let Crossings::Often(chunks_left) = &mut self.state.crossings {
            match chunks_left.checked_sub(1) {
                Some(left) => {
                    *chunks_left = left;
                    return self.append_one_by_one(codec, rows);
                }
                None => self.state.crossings = Crossings::Sometimes,
            }
        }
        let longest = self.output.values.len().checked_add(3 * bytes.len());
        if longest.is_none_or(|longest| longest > O::MAX) {
            return self.append_one_by_one(codec, rows);
        }
        if self.state.is_dense
            && self.state.crossings == Crossings::Never
            && self.append_in_one_pass(codec, ranks, rows.clone())?
        {
            return Ok(());
        }
        let marking = codec.mark(bytes, ends.clone(), ranks);
        if marking == Marking::Unusable {
            return self.append_one_by_one(codec, rows);
        }
        let mut chunk = Chunk { bytes, base, marking };
        let mut row = rows.start;
        if self.state.crossings == Crossings::Never {
            row = self.append_at_once(codec, ranks, &mut chunk, rows.clone(), codec.reads_triplets())?;
        }
        if row == rows.end {
            return Ok(());
        }
        // A triplet may be split, or an error occurred: continue in pieces that end where a triplet
        // may be split.
        let mut cuts = core::mem::take(&mut self.state.cuts);
        cuts.clear();
        if codec.reads_triplets() {
            let crossed =
                (row + 1..).zip(ends.skip(row - rows.start)).filter(|&(_, end)| may_split_triplet(bytes, end));
            // Stops at one more than is worth processing in pieces: a chunk of `%` would need 64
            // KiB.
            cuts.extend(crossed.map(|(row, _)| row).take(most_cuts(row..rows.end) + 1));
        }
        let result = self.append_pieces(codec, ranks, &mut chunk, row..rows.end, &cuts);
        self.state.cuts = cuts;
        result
    }

    /// Processes rows with a kernel that also translates their ends. Returns false, and appends
    /// nothing, if there is none, a row is invalid, or the end of a row splits a triplet.
    #[inline]
    fn append_in_one_pass(
        &mut self,
        codec: &mut impl Codec,
        ranks: &mut Ranks,
        rows: Range<usize>,
    ) -> Result<bool, ColumnError> {
        let (start, first) = (self.output.values.len(), self.output.offsets.len());
        let chunk = Rows {
            bytes: self.column.bytes(rows.clone()),
            ends: &self.column.offsets[rows.start + 1..=rows.end],
            base: self.column.bound(rows.start),
        };
        match codec.append_rows(ranks, chunk, self.output) {
            Some(RowsDecoded { splits_triplet: false, .. }) => {
                codec.validate(self, rows, start, first)?;
                return Ok(true);
            }
            Some(_) => self.state.crossings = Crossings::Sometimes,
            None => {}
        }
        self.output.values.truncate(start);
        self.output.offsets.truncate(first);
        Ok(false)
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
        self.state.crossings = match cuts.len() {
            0 => Crossings::Never,
            often if often > most_cuts(rows.clone()) => Crossings::Often(16),
            _ => Crossings::Sometimes,
        };
        if self.state.crossings == Crossings::Often(16) {
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

    /// Processes rows in one call, but one by one around the first error. Returns the next row to
    /// process. If `look_for_crossings` is set and a triplet may be split by the end of a row,
    /// appends nothing and returns `rows.start`.
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

    /// Handles an invalid row according to the policy. Nothing of the row has been written yet.
    /// `keep` appends it unchanged, and returns whether it could.
    #[cold]
    pub(super) fn fail(
        &mut self,
        row: usize,
        keep: impl FnOnce(&[u8], &mut Vec<u8>) -> bool,
        error: impl FnOnce(&[u8]) -> DecodeError,
    ) -> Result<(), ColumnError> {
        let bytes = self.column.bytes(row..row + 1);
        let is_handled = match self.state.on_error {
            OnError::Refuse => false,
            OnError::Keep => keep(bytes, &mut self.output.values),
            OnError::Null => {
                self.set_null(row);
                true
            }
        };
        let summary = &mut self.state.summary;
        summary.invalid += 1;
        if is_handled && summary.first_error.is_some() {
            return Ok(());
        }
        let error = RowError { row: self.first_row + row, error: error(bytes) };
        summary.first_error = summary.first_error.or(Some(error));
        if is_handled { Ok(()) } else { Err(ColumnError::Row(error)) }
    }

    /// Sets a row of the output to null; nothing has been appended for it.
    pub(super) fn set_null(&mut self, row: usize) {
        self.output.set_null(self.rows_before + row, self.rows_before + self.column.len());
        self.state.summary.changed = true;
    }
}

/// The number of cuts above which rows are cheaper one by one than in pieces.
fn most_cuts(rows: Range<usize>) -> usize {
    rows.len() / 8
}

/// Whether a triplet may begin before `at` and end after it.
#[inline(always)]
fn may_split_triplet(bytes: &[u8], at: usize) -> bool {
    let is_percent = |distance| bytes.get(at.wrapping_sub(distance)) == Some(&b'%');
    is_percent(1) | is_percent(2)
}
