//! `Inspection`: the findings of each row.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use super::rows::{CHUNK, Ranks};
use super::{Column, Offset};
use crate::byteset::ByteSet;
use crate::driver::batch::{ILLEGAL_BYTES, Selection};
use crate::driver::inspect::{Inspector, Presence, ROWS_CHUNK, RowKernel, requested_kinds};
use crate::input::Input;
use crate::kinds::Kinds;
use crate::level::Level;

/// Inspects every row, as [`inspect`](fn@crate::inspect) does a string. There are no findings in a
/// null row.
///
/// ```
/// use simdpct::Kinds;
/// use simdpct::columns::{self, Column};
///
/// let column = Column::new(b"/plain/..%2f/%00", &[0_i32, 6, 12, 16])?;
/// let inspection = columns::inspect(&column);
/// assert!(inspection.rows[0].is_empty());
/// assert!(inspection.rows[1].contains(Kinds::SLASH | Kinds::LOWER_HEX));
/// assert_eq!(inspection.count(Kinds::ESCAPE), 2);
/// assert!(inspection.kinds().contains(Kinds::NUL));
/// # Ok::<(), columns::ColumnError>(())
/// ```
#[must_use]
pub fn inspect<O: Offset>(column: &Column<'_, O>) -> Inspection {
    Inspection::of(column, None)
}

/// Like [`inspect`], for rows that are not in one buffer; `None` is a null row.
#[must_use]
pub fn inspect_rows<T: Input>(rows: impl IntoIterator<Item = Option<T>>) -> Inspection {
    let mut inspector = Inspector::<Presence>::new(None);
    let kinds = |row: Option<T>| row.map_or(Kinds::NONE, |row| kinds_of(&inspector.inspect(row.as_bytes())));
    Inspection { rows: rows.into_iter().map(kinds).collect() }
}

/// The kinds of findings of each row: the result of [`inspect`] and [`inspect_rows`].
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Inspection {
    /// The kinds of findings of each row. Those [on request](Kinds::ON_REQUEST) are only in the
    /// result of [`among`](Self::among) and [`among_rows`](Self::among_rows).
    pub rows: Vec<Kinds>,
}

impl Inspection {
    /// The union of the findings of all rows.
    #[must_use]
    pub fn kinds(&self) -> Kinds {
        self.rows.iter().copied().collect()
    }

    /// The findings as numbers, one per row, [`Kinds::bits`] of each: the values of an Arrow array
    /// of type `UInt32`. Its validity is the input's.
    ///
    /// ```
    /// use simdpct::Kinds;
    /// use simdpct::columns::inspect_rows;
    ///
    /// let numbers = inspect_rows([Some("a"), Some("%41+"), None]).into_bits();
    /// let expected = Kinds::ESCAPE | Kinds::UNRESERVED | Kinds::PLUS;
    /// assert_eq!(numbers, [0, expected.bits(), 0]);
    /// ```
    #[must_use]
    pub fn into_bits(self) -> Vec<u32> {
        // In place: both types have the same layout.
        self.rows.into_iter().map(Kinds::bits).collect()
    }

    /// Number of rows with any of these kinds of findings.
    #[must_use]
    pub fn count(&self, kinds: Kinds) -> usize {
        self.rows.iter().filter(|found| found.intersects(kinds)).count()
    }

    /// Like [`inspect`], for these kinds only: those [on request](Kinds::ON_REQUEST) take a second
    /// search of each row.
    ///
    /// ```
    /// use simdpct::Kinds;
    /// use simdpct::columns::{Column, Inspection};
    ///
    /// let column = Column::new(b"/a/../b/%252f%00", &[0_i32, 7, 13, 16])?;
    /// let inspection = Inspection::among(Kinds::DOT_SEGMENT | Kinds::DOUBLE, &column);
    /// assert_eq!(inspection.rows, [Kinds::DOT_SEGMENT, Kinds::DOUBLE, simdpct::Kinds::NONE]);
    /// # Ok::<(), simdpct::columns::ColumnError>(())
    /// ```
    #[must_use]
    pub fn among<O: Offset>(kinds: Kinds, column: &Column<'_, O>) -> Self {
        let mut inspection = Self::of(column, None);
        for (row, found) in inspection.rows.iter_mut().enumerate() {
            *found = column.row(row).map_or(Kinds::NONE, |row| among(*found, kinds, row));
        }
        inspection
    }

    /// Like [`among`](Self::among), for rows that are not in one buffer; `None` is a null row.
    #[must_use]
    pub fn among_rows<T: Input>(kinds: Kinds, rows: impl IntoIterator<Item = Option<T>>) -> Self {
        let mut inspector = Inspector::<Presence>::new(None);
        let mut inspect = |row: T| among(kinds_of(&inspector.inspect(row.as_bytes())), kinds, row.as_bytes());
        Self { rows: rows.into_iter().map(|row| row.map_or(Kinds::NONE, &mut inspect)).collect() }
    }

    /// Like [`inspect`], on the given level.
    #[must_use]
    pub fn on<O: Offset>(level: Level, column: &Column<'_, O>) -> Self {
        Self::of(column, Some(level))
    }

    fn of<O: Offset>(column: &Column<'_, O>, level: Option<Level>) -> Self {
        /// Raw bytes that are, or may begin, more than one kind of finding.
        const MANIFOLD: ByteSet = ByteSet::NON_ASCII.with(b'%').with(b'+').with(b';');
        /// Raw bytes that are only illegal.
        const SIMPLE: ByteSet = ILLEGAL_BYTES.intersection(ByteSet::NON_ASCII.complement());
        let mut inspector = Inspector::<Presence>::new(level);
        if let Some(kernel) = inspector.row_kernel() {
            return Self { rows: inspect_chunks(&mut inspector, kernel, column) };
        }
        let mut rows = Vec::with_capacity(column.len());
        let (Some(mut manifold), Some(mut simple)) = (Ranks::new(level), Ranks::new(level)) else {
            let mut inspect = |bytes: &[u8]| kinds_of(&inspector.inspect(bytes));
            rows.extend((0..column.len()).map(|row| column.row(row).map_or(Kinds::NONE, &mut inspect)));
            return Self { rows };
        };
        while rows.len() < column.len() {
            let first = rows.len();
            let end = column.chunk_end(first, CHUNK);
            if end == first {
                let inspect = |bytes: &[u8]| kinds_of(&inspector.inspect(bytes));
                rows.push(column.row(first).map_or(Kinds::NONE, inspect));
                continue;
            }
            let bytes = column.bytes(first..end);
            manifold.fill(Selection::Members, &MANIFOLD, bytes);
            simple.fill(Selection::Members, &SIMPLE, bytes);
            let base = column.bound(first);
            let (mut start, mut before) = (0, (0, 0));
            // The first row whose UTF-8 has not been validated.
            let mut unsettled = first;
            for end in &column.offsets[first + 1..=end] {
                let end = end.index() - base;
                let after = (manifold.rank(end), simple.rank(end));
                let kinds = if after.0 != before.0 {
                    if !inspector.has_room(end - start) {
                        settle(&mut inspector, column, unsettled, &mut rows);
                        unsettled = rows.len();
                    }
                    if inspector.has_room(end - start) {
                        kinds_of(&inspector.inspect_later_validated(&bytes[start..end]))
                    } else {
                        kinds_of(&inspector.inspect(&bytes[start..end]))
                    }
                } else if after.1 != before.1 {
                    Kinds::ILLEGAL
                } else {
                    Kinds::NONE
                };
                rows.push(kinds);
                (start, before) = (end, after);
            }
            settle(&mut inspector, column, unsettled, &mut rows);
        }
        Self { rows }
    }
}

/// Inspects the rows of each chunk in one call.
fn inspect_chunks<O: Offset>(
    inspector: &mut Inspector<Presence>,
    kernel: RowKernel,
    column: &Column<'_, O>,
) -> Vec<Kinds> {
    let mut found = Vec::with_capacity(column.len());
    let mut ends = Vec::new();
    while found.len() < column.len() {
        let first = found.len();
        let end = column.chunk_end(first, ROWS_CHUNK);
        if end == first {
            found.push(column.row(first).map_or(0, |row| inspector.inspect(row).kinds()));
            continue;
        }
        let base = column.bound(first);
        ends.clear();
        ends.extend(column.offsets[first + 1..=end].iter().map(|end| (end.index() - base) as u16));
        found.resize(end, 0);
        inspector.inspect_rows(kernel, &column.values[base..], &mut ends, &mut found[first..]);
    }
    // In place: both types have the same layout.
    found.into_iter().map(Kinds::from_bits_truncate).collect()
}

/// The findings of the `wanted` kinds, of a row in which the kernels found these.
fn among(found: Kinds, wanted: Kinds, row: &[u8]) -> Kinds {
    let requested = requested_kinds(row, found.bits(), wanted.bits());
    found & wanted | Kinds::from_bits(requested).unwrap_or_default()
}

/// Validates the UTF-8 of the rows from `first` on; if it is ill-formed in any of them, inspects
/// them again, one by one. Null rows among them are empty.
fn settle<O: Offset>(inspector: &mut Inspector<Presence>, column: &Column<'_, O>, first: usize, rows: &mut [Kinds]) {
    if inspector.are_well_formed() {
        return;
    }
    for (row, kinds) in (first..).zip(&mut rows[first..]) {
        // Only a row with a triplet or a byte from 0x80 can be ill-formed.
        if kinds.intersects(Kinds::ESCAPE | Kinds::NON_ASCII) {
            *kinds = kinds_of(&inspector.inspect(column.bytes(row..row + 1)));
        }
    }
}

/// The kinds in a report.
fn kinds_of(report: &crate::driver::inspect::Report) -> Kinds {
    Kinds(report.kinds())
}
