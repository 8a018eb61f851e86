//! Encodes and decodes whole columns, in the layout of Apache Arrow's `Binary` and `Utf8` arrays.
//!
//! A column consists of a buffer of values and a buffer of offsets. Row `n` is the bytes from
//! offset `n` to offset `n + 1`, so there is one more offset than there are rows. Offsets are `i32`
//! (`Binary`, `Utf8`) or `i64` (`LargeBinary`, `LargeUtf8`). An optional validity bitmap says which
//! rows are null: bit `n`, counted from the lowest bit of the first byte, is 1 if row `n` is valid.
//! The bytes of null rows are ignored, and null rows are empty in the output.
//!
//! This crate does not depend on Arrow. Arrow's buffers dereference to the slices that
//! [`Column::new`] takes, and can be created from the vectors of a [`ColumnBuf`] without copying.
//!
//! ```
//! use simdpct::columns::{self, Column, OnError};
//! use simdpct::Decoder;
//!
//! let column = Column::new(b"caf%C3%A9/100%a%20b", &[0_i32, 10, 14, 19])?;
//! let decoded = columns::decode_utf8(&column, &Decoder::new(), OnError::Null)?;
//! assert_eq!(decoded.values, "café/a b".as_bytes());
//! assert_eq!(decoded.offsets, [0, 6, 6, 9]);
//! assert_eq!(decoded.validity.as_deref(), Some(&[0b101][..]));
//! # Ok::<(), columns::ColumnError>(())
//! ```
//!
//! # When to use it
//!
//! For the rows of a table: in an engine, an extension of a database, or a library for data frames.
//! A text, or a few of them, are simpler with the functions of the crate root, and a file or socket
//! with [`stream`](crate::stream).
//!
//! # Choosing a form
//!
//! | you have | use |
//! |---|---|
//! | a column, and want a new one | [`decode_utf8`](fn@decode_utf8) and the other functions |
//! | an array that you can return if no row changed, or want the first error | [`Conversion::convert`] |
//! | several columns that become one | [`Conversion::append`] |
//! | rows that are not in one buffer: Arrow's views, DuckDB's strings | [`Conversion::append_rows`] |
//! | offsets of `i32`, and an output that may be over 2 GiB | [`Conversion::append_fitting`] |
//! | rows of which few change, and a way to share the others | [`rows_holding`] with [`Conversion::triggers`], then [`Conversion::append_rows`] |
//! | URIs, and want a part or a parameter | [`Conversion::uri_part`], [`Conversion::query_value`] |
//! | a question about each row | [`inspect`](fn@inspect) |
//!
//! # Example: a parameter of each URL
//!
//! The third URL has no parameter `utm_source`, and the fourth row is null: both are null in the
//! output. Names are compared as decoded.
//!
//! ```
//! use simdpct::columns::{ColumnBuf, Conversion};
//!
//! let urls = [
//!     Some("https://www.example.org/?utm_source=newsletter&utm_campaign=spring+sale"),
//!     Some("https://www.example.org/shop?item=7,9&utm_source=caf%C3%A9"),
//!     Some("https://www.example.org/shop?item=7"),
//!     None,
//!     Some("https://www.example.org/?%75tm_source=partner%20%26%20co"),
//! ];
//! let mut sources = ColumnBuf::<i32>::new();
//! let summary = Conversion::query_value("utm_source").append_rows(urls, &mut sources)?;
//! assert_eq!((summary.rows, summary.invalid), (5, 0));
//! let column = sources.as_column()?;
//! let rows: Vec<_> = (0..5).map(|row| column.row(row).map(String::from_utf8_lossy)).collect();
//! assert_eq!(rows[..3], [Some("newsletter".into()), Some("café".into()), None]);
//! assert_eq!(rows[3..], [None, Some("partner & co".into())]);
//! # Ok::<(), simdpct::columns::ColumnError>(())
//! ```
//!
//! # Mistakes
//!
//! * **One offset per row.** A column of `n` rows has `n + 1` offsets, and an empty column has one.
//! * **To put the output of [`decode`](fn@decode) in an array of text.** A row may decode to any
//!   bytes: only `decode_utf8` and `decode_utf8_lossy` write well-formed UTF-8.
//! * **To ignore the output's bitmap.** With [`OnError::Null`], rows become null although the input
//!   has no bitmap. They look like empty rows then.
//! * **To decode a query before its values are extracted.** An encoded `&` would end a value.
//!   [`Conversion::query_value`] splits first.
//! * **To reuse a [`ColumnBuf`] whose values or offsets were moved out.** Functions that append to
//!   it return [`ColumnError::BadOutput`]. Make a new one.
//!
//! # Speed
//!
//! Each row is converted by itself: a triplet or character never extends across the end of a row.
//! There is no allocation and no kernel look-up per row. Most rows are converted together,
//! thousands of bytes at a time; the offsets of the output are computed from the number of triplets
//! before each offset of the input (a rank bitmap).
#![forbid(unsafe_code)]

mod codecs;
mod conversion;
mod extract;
mod inspection;
mod row_set;
mod rows;

use alloc::vec::Vec;
use core::error::Error;
use core::fmt;
use core::ops::Range;

pub use self::conversion::{
    Conversion, Converted, Decode, Encode, Normalize, Operation, Rewrite, Summary, decode, decode_utf8,
    decode_utf8_lossy, encode, normalize,
};
pub use self::extract::{FormValue, UriPart};
pub use self::inspection::{Inspection, inspect, inspect_rows};
pub use self::row_set::{RowSet, rows_holding};
use self::rows::CHUNK;
use crate::driver::batch::Index;
use crate::error::DecodeError;

/// An offset into a column's values: `i32` or `i64`, as in Arrow.
pub trait Offset: Index {}
impl Offset for i32 {}
impl Offset for i64 {}

/// A column to read: borrowed values, offsets and an optional validity bitmap, validated on
/// construction.
///
/// Offsets need not start at 0 or end at the length of the values, so a slice of the offsets is a
/// slice of the column.
///
/// ```
/// use simdpct::columns::{Column, ColumnError};
///
/// let column = Column::new(b"one%20two", &[3_i64, 6, 9])?.with_validity(&[0b10], 0)?;
/// assert_eq!(column.len(), 2);
/// assert_eq!((column.row(0), column.row(1)), (None, Some(&b"two"[..])));
/// assert_eq!(Column::new(b"one", &[0_i32, 4]).unwrap_err(), ColumnError::OffsetBeyondValues { index: 1 });
/// # Ok::<(), ColumnError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Column<'a, O> {
    values: &'a [u8],
    /// At least one; none is negative, less than its predecessor, or greater than the length of the
    /// values.
    offsets: &'a [O],
    validity: Option<Validity<'a>>,
}

/// A bitmap with one bit per row.
#[derive(Clone, Copy, Debug)]
struct Validity<'a> {
    bitmap: &'a [u8],
    offset: usize,
}

impl<'a, O: Offset> Column<'a, O> {
    /// Creates a column without null rows. It has one row less than there are offsets. All offsets
    /// are checked, in time linear in their number.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no offsets, or for the first offset that is negative, less
    /// than its predecessor, or beyond the end of the values.
    pub fn new(values: &'a [u8], offsets: &'a [O]) -> Result<Self, ColumnError> {
        let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else { return Err(ColumnError::NoOffsets) };
        // Branch-free; only if the check fails, the invalid offset is searched for.
        let is_sorted = offsets.iter().zip(&offsets[1..]).fold(true, |sorted, (start, end)| sorted & (start <= end));
        let is_within = |offset: O| offset.checked().is_some_and(|offset| offset <= values.len());
        let column = Self { values, offsets, validity: None };
        if is_sorted && first >= O::ZERO && is_within(last) {
            return Ok(column);
        }
        let before = core::iter::once(O::ZERO).chain(offsets.iter().copied());
        let fault = before.zip(offsets).enumerate().find_map(|(index, (before, &offset))| {
            if offset < O::ZERO {
                Some(ColumnError::NegativeOffset { index })
            } else if offset < before {
                Some(ColumnError::DecreasingOffset { index })
            } else if is_within(offset) {
                None
            } else {
                Some(ColumnError::OffsetBeyondValues { index })
            }
        });
        fault.map_or(Ok(column), Err)
    }

    /// Adds a validity bitmap: row `n` is valid if bit `bit_offset + n`, counted from the lowest
    /// bit of the first byte, is 1.
    ///
    /// # Errors
    ///
    /// Returns [`ColumnError::ValidityTooShort`] if the bitmap has fewer than `bit_offset + len()`
    /// bits.
    pub fn with_validity(mut self, bitmap: &'a [u8], bit_offset: usize) -> Result<Self, ColumnError> {
        match bit_offset.checked_add(self.len()) {
            Some(bits) if bits.div_ceil(8) <= bitmap.len() => {
                self.validity = Some(Validity { bitmap, offset: bit_offset });
                Ok(self)
            }
            _ => Err(ColumnError::ValidityTooShort),
        }
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes of a row; `None` if the row is null or does not exist.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<&'a [u8]> {
        if row < self.len() && !self.is_null(row) { Some(self.bytes(row..row + 1)) } else { None }
    }

    /// The column without its first `rows` rows; without rows if there are fewer.
    ///
    /// ```
    /// use simdpct::columns::Column;
    ///
    /// let column = Column::new(b"abc", &[0_i32, 1, 2, 3])?;
    /// assert_eq!((column.skip(2).len(), column.skip(2).row(0)), (1, Some(&b"c"[..])));
    /// assert!(column.skip(4).is_empty());
    /// # Ok::<(), simdpct::columns::ColumnError>(())
    /// ```
    #[must_use]
    pub fn skip(&self, rows: usize) -> Self {
        let rows = rows.min(self.len());
        let validity = self.validity.map(|Validity { bitmap, offset }| Validity { bitmap, offset: offset + rows });
        Self { values: self.values, offsets: &self.offsets[rows..], validity }
    }

    #[inline(always)]
    fn is_null(&self, row: usize) -> bool {
        self.validity.is_some_and(|Validity { bitmap, offset }| !bit(bitmap, offset + row))
    }

    /// Start of a row; for `row == len()`, end of the last row.
    #[inline(always)]
    fn bound(&self, row: usize) -> usize {
        self.offsets[row].index()
    }

    /// The bytes of consecutive rows.
    #[inline(always)]
    fn bytes(&self, rows: Range<usize>) -> &'a [u8] {
        &self.values[self.bound(rows.start)..self.bound(rows.end)]
    }

    /// End of the rows that can be processed together starting with `row`: they have at most
    /// `limit` bytes in total, and null rows among them are empty. Returns `row` if there are none.
    #[inline]
    fn chunk_end(&self, row: usize, limit: usize) -> usize {
        let limit = self.bound(row) + limit;
        let ends = &self.offsets[row + 1..];
        // Exponential search for a window that contains the end: offsets far ahead are not in
        // cache.
        let mut window = 64;
        while ends.get(window).is_some_and(|end| end.index() <= limit) && window < CHUNK {
            window *= 2;
        }
        let ends = &ends[..ends.len().min(window)];
        if self.validity.is_none() {
            return row + ends.partition_point(|end| end.index() <= limit);
        }
        // Stops at the first non-empty null row. Scanning on would take quadratic time if there are
        // many of them.
        let mut start = self.bound(row);
        let fits = |&(number, end): &(usize, &O)| {
            let is_empty = core::mem::replace(&mut start, end.index()) == end.index();
            end.index() <= limit && (is_empty || !self.is_null(row + number))
        };
        row + ends.iter().enumerate().take_while(fits).count()
    }
}

#[inline(always)]
fn bit(bitmap: &[u8], index: usize) -> bool {
    bitmap[index / 8] >> (index % 8) & 1 != 0
}

/// A column to write: values, offsets and an optional validity bitmap, as Arrow takes them.
///
/// There is one more offset than there are rows, and the last offset is the length of the values.
/// Functions that append to a column require this; [`new`](Self::new) and all functions of this
/// module ensure it.
///
/// ```
/// use simdpct::Encoder;
/// use simdpct::columns::{self, Column, ColumnBuf, Conversion};
///
/// let mut output = ColumnBuf::<i32>::new();
/// for names in [&b"a&b"[..], b"c d"] {
///     let column = Column::new(names, &[0_i32, 3])?;
///     Conversion::encode(&Encoder::COMPONENT).append(&column, &mut output)?;
/// }
/// assert_eq!((output.values, output.offsets), (b"a%26bc%20d".to_vec(), vec![0, 5, 10]));
/// # Ok::<(), columns::ColumnError>(())
/// ```
// Exhaustive: a column of the Arrow layout is these three buffers, and users move them in and out
// by name. Another layout would be another type.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ColumnBuf<O> {
    /// The bytes of all rows, without gaps.
    pub values: Vec<u8>,
    /// The start of each row, and the end of the last one.
    pub offsets: Vec<O>,
    /// One bit per row, starting with the lowest bit of the first byte; 0 if the row is null. Bits
    /// after the last row are 0. `None` if no row is null: the input has no bitmap, and no row was
    /// set to null.
    pub validity: Option<Vec<u8>>,
}

impl<O: Offset> Default for ColumnBuf<O> {
    fn default() -> Self {
        Self::new()
    }
}

impl<O: Offset> ColumnBuf<O> {
    /// Creates a column without rows.
    #[must_use]
    pub fn new() -> Self {
        Self { values: Vec::new(), offsets: Vec::from([O::ZERO]), validity: None }
    }

    /// Removes all rows; keeps the capacity of values and offsets.
    pub fn clear(&mut self) {
        self.values.clear();
        self.offsets.clear();
        self.offsets.push(O::ZERO);
        self.validity = None;
    }

    /// Borrows the column for reading. Checks it, as [`Column::new`] does.
    ///
    /// # Errors
    ///
    /// Returns an error if the vectors were modified and are no longer a valid column.
    pub fn as_column(&self) -> Result<Column<'_, O>, ColumnError> {
        let column = Column::new(&self.values, &self.offsets)?;
        self.validity.as_ref().map_or(Ok(column), |bitmap| column.with_validity(bitmap, 0))
    }

    /// The current lengths, to roll back to.
    fn checkpoint(&self) -> Result<Checkpoint, ColumnError> {
        let rows = self.offsets.len().checked_sub(1).ok_or(ColumnError::BadOutput)?;
        let has_bits = self.validity.as_ref().is_none_or(|bitmap| rows.div_ceil(8) <= bitmap.len());
        if self.offsets[rows].checked() != Some(self.values.len()) || !has_bits {
            return Err(ColumnError::BadOutput);
        }
        Ok(Checkpoint { rows, values: self.values.len(), had_validity: self.validity.is_some() })
    }

    /// Reserves capacity for the rows of `column` (the values may need more), and appends its
    /// validity. Returns the number of rows before.
    fn begin(&mut self, column: &Column<'_, O>) -> usize {
        let rows = self.offsets.len() - 1;
        self.offsets.reserve(column.len());
        self.values.reserve(column.bytes(0..column.len()).len());
        if column.validity.is_some() || self.validity.is_some() {
            let bitmap = self.validity.get_or_insert_with(|| ones(rows));
            append_bits(bitmap, rows, column);
        }
        rows
    }

    /// Sets a row to null in a column of `rows` rows.
    fn set_null(&mut self, row: usize, rows: usize) {
        let bitmap = self.validity.get_or_insert_with(|| ones(rows));
        bitmap[row / 8] &= !(1 << (row % 8));
    }

    fn roll_back(&mut self, to: &Checkpoint) {
        self.values.truncate(to.values);
        self.offsets.truncate(to.rows + 1);
        match &mut self.validity {
            Some(bitmap) if to.had_validity => truncate_bits(bitmap, to.rows),
            validity => *validity = None,
        }
    }
}

/// Lengths of a column before rows were appended.
struct Checkpoint {
    rows: usize,
    values: usize,
    had_validity: bool,
}

/// Creates a bitmap of `length` ones.
fn ones(length: usize) -> Vec<u8> {
    let mut bitmap = alloc::vec![0xFF; length.div_ceil(8)];
    truncate_bits(&mut bitmap, length);
    bitmap
}

/// Truncates the bitmap to `length` bits, and clears the unused bits of the last byte.
fn truncate_bits(bitmap: &mut Vec<u8>, length: usize) {
    bitmap.truncate(length.div_ceil(8));
    if let Some(last) = bitmap.last_mut()
        && !length.is_multiple_of(8)
    {
        *last &= (1 << (length % 8)) - 1;
    }
}

/// Appends the validity of the rows of `column` to a bitmap of `length` bits.
fn append_bits<O: Offset>(bitmap: &mut Vec<u8>, length: usize, column: &Column<'_, O>) {
    truncate_bits(bitmap, length);
    let total = length + column.len();
    bitmap.resize(total.div_ceil(8), 0);
    let mut row = 0;
    while row < column.len() {
        // One byte of the output per iteration, from one or two bytes of the input.
        let at = length + row;
        let bits = match column.validity {
            None => 0xFF,
            Some(Validity { bitmap, offset }) => {
                let from = offset + row;
                let next = bitmap.get(from / 8 + 1).map_or(0, |&byte| u16::from(byte));
                ((next << 8 | u16::from(bitmap[from / 8])) >> (from % 8)) as u8
            }
        };
        bitmap[at / 8] |= bits << (at % 8);
        row += 8 - at % 8;
    }
    truncate_bits(bitmap, total);
}

/// How to handle an invalid row: one with a malformed `%`, a rejected byte, or, if text is
/// required, invalid UTF-8.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum OnError {
    /// Return an error for the first invalid row, and write nothing.
    Refuse,
    /// Set the row to null.
    Null,
    /// Keep the row unchanged, including rejected bytes. If text is required and the row itself is
    /// not valid UTF-8, it is an error nevertheless, unless the conversion is lossy.
    Keep,
}

/// An invalid row and its error.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct RowError {
    /// Index of the row in the input.
    pub row: usize,
    /// The error; its position is relative to the start of the row.
    pub error: DecodeError,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}: {}", self.row, self.error)
    }
}

// No source: `Display` already prints the inner error.
impl Error for RowError {}

/// Error of reading or writing a column.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ColumnError {
    /// There are no offsets. Even a column without rows has one offset.
    NoOffsets,
    /// This offset is negative.
    NegativeOffset {
        /// Index of the offset.
        index: usize,
    },
    /// This offset is less than its predecessor.
    DecreasingOffset {
        /// Index of the offset.
        index: usize,
    },
    /// This offset is greater than the length of the values.
    OffsetBeyondValues {
        /// Index of the offset.
        index: usize,
    },
    /// The validity bitmap has fewer bits, after its bit offset, than the column has rows.
    ValidityTooShort,
    /// The output is not a valid column: it has no offsets, its last offset is not the length of
    /// its values, or its validity bitmap is too short.
    BadOutput,
    /// This row is invalid, and [`OnError::Refuse`] was given or [`OnError::Keep`] is impossible.
    Row(RowError),
    /// With this row, the output exceeds the range of the offset type: `i32::MAX` bytes for `i32`.
    TooLong {
        /// Index of the row.
        row: usize,
    },
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOffsets => f.write_str("a column has at least one offset"),
            Self::NegativeOffset { index } => write!(f, "offset {index} is negative"),
            Self::DecreasingOffset { index } => write!(f, "offset {index} is less than the one before it"),
            Self::OffsetBeyondValues { index } => write!(f, "offset {index} is beyond the end of the values"),
            Self::ValidityTooShort => f.write_str("the validity bitmap has fewer bits than the column has rows"),
            Self::BadOutput => f.write_str("the output is not a valid column"),
            Self::Row(error) => error.fmt(f),
            Self::TooLong { row } => write!(f, "row {row}: output exceeds the offset type's range"),
        }
    }
}

// No source: `Display` already prints the inner error.
impl Error for ColumnError {}
