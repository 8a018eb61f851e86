//! A whole column at once: values and offsets, the layout of Apache Arrow's `Binary` and `Utf8` arrays.
//!
//! A column is one buffer of values and one of offsets: row `n` is the bytes from offset `n` to offset `n + 1`, so there is one
//! offset more than there are rows. Offsets are `i32` (`Binary`, `Utf8`) or `i64` (`LargeBinary`, `LargeUtf8`). A validity bitmap
//! may say which rows are null: bit `n`, the lowest bit of a byte first, is 1 where row `n` is valid. A null row's bytes are never
//! looked at; in the output it is empty. The crate does not depend on Arrow: its buffers deref to the slices that
//! [`Column::new`] takes, and are made from the vectors of a [`ColumnBuf`] without copying.
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
//! The result is that of each row by itself: no triplet and no character goes across the end of a row. Nothing is allocated, and
//! no kernel looked up, per row. Most rows are not even touched one by one: the kernels go over thousands of bytes at a time,
//! and the offsets of the output follow from how many triplets come before those of the input.
#![forbid(unsafe_code)]

mod codecs;
mod rows;

use alloc::vec::Vec;
use core::error::Error;
use core::fmt;
use core::ops::Range;

use self::codecs::{Decoding, Encoding, Text};
use self::rows::{CHUNK, Marks, run};
use crate::byteset::ByteSet;
use crate::decode::Decoder;
use crate::driver::batch::{ILLEGAL_BYTES, Index, Selection};
use crate::driver::inspect::{Inspector, Presence};
use crate::encode::Encoder;
use crate::error::DecodeError;
use crate::inspect::{Findings, Kinds};
use crate::level::Level;
use crate::normalize::Normalizer;

/// An offset into a column's values: `i32` or `i64`, as Arrow has them.
pub trait Offset: Index {}
impl Offset for i32 {}
impl Offset for i64 {}

/// A column to read: values, offsets and maybe a validity bitmap, checked once. Copy.
///
/// Offsets need not start at 0, nor end where the values do: a slice of a column is a slice of its offsets.
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
    /// At least one; none is negative, less than the one before it, or more than there are values.
    offsets: &'a [O],
    validity: Option<Validity<'a>>,
}

/// A bitmap that has a bit for each row.
#[derive(Clone, Copy, Debug)]
struct Validity<'a> {
    bitmap: &'a [u8],
    offset: usize,
}

impl<'a, O: Offset> Column<'a, O> {
    /// A column without null rows: one row less than there are offsets.
    ///
    /// # Errors
    ///
    /// No offsets; or the first one that is negative, less than the one before it, or beyond the end of the values.
    pub fn new(values: &'a [u8], offsets: &'a [O]) -> Result<Self, ColumnError> {
        let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else { return Err(ColumnError::NoOffsets) };
        // Without a branch per offset; where the fault is, is looked up once there is one.
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

    /// The column with a validity bitmap: row `n` is valid if bit `bit_offset + n` is 1, the lowest bit of a byte first.
    ///
    /// # Errors
    ///
    /// The bitmap has fewer bits than that.
    pub fn with_validity(mut self, bitmap: &'a [u8], bit_offset: usize) -> Result<Self, ColumnError> {
        match bit_offset.checked_add(self.len()) {
            Some(bits) if bits.div_ceil(8) <= bitmap.len() => {
                self.validity = Some(Validity { bitmap, offset: bit_offset });
                Ok(self)
            }
            _ => Err(ColumnError::ValidityTooShort),
        }
    }

    /// The number of rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A row's bytes; `None` if it is null, or there is no such row.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<&'a [u8]> {
        if row < self.len() && !self.is_null(row) { Some(self.bytes(row..row + 1)) } else { None }
    }

    #[inline(always)]
    fn is_null(&self, row: usize) -> bool {
        self.validity.is_some_and(|Validity { bitmap, offset }| !bit(bitmap, offset + row))
    }

    /// Where a row begins, or for the number of rows, where the last one ends.
    #[inline(always)]
    fn bound(&self, row: usize) -> usize {
        self.offsets[row].index()
    }

    /// All bytes of these rows.
    #[inline(always)]
    fn bytes(&self, rows: Range<usize>) -> &'a [u8] {
        &self.values[self.bound(rows.start)..self.bound(rows.end)]
    }

    /// Where the rows end that can be read together with this one: they are at most [`CHUNK`] bytes, of which no null row has any.
    /// This row itself if there is none.
    #[inline]
    fn chunk_end(&self, row: usize) -> usize {
        let limit = self.bound(row) + CHUNK;
        let ends = &self.offsets[row + 1..];
        // First a window that has it: the offsets far behind it are not in cache.
        let mut window = 64;
        while ends.get(window).is_some_and(|end| end.index() <= limit) && window < CHUNK {
            window *= 2;
        }
        let ends = &ends[..ends.len().min(window)];
        if self.validity.is_none() {
            return row + ends.partition_point(|end| end.index() <= limit);
        }
        // Looks no further than it has to, or many null rows that have bytes would take quadratic time.
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

/// A column that is written: values, offsets and maybe a validity bitmap, as Arrow takes them.
///
/// There is one offset more than there are rows, and the last one is the number of values. What is appended to must be like that:
/// [`new`](Self::new) is, and what these functions make.
///
/// ```
/// use simdpct::Encoder;
/// use simdpct::columns::{self, Column, ColumnBuf};
///
/// let mut output = ColumnBuf::<i32>::new();
/// for names in [&b"a&b"[..], b"c d"] {
///     let column = Column::new(names, &[0_i32, 3])?;
///     columns::encode_to(&column, &Encoder::COMPONENT, &mut output)?;
/// }
/// assert_eq!((output.values, output.offsets), (b"a%26bc%20d".to_vec(), vec![0, 5, 10]));
/// # Ok::<(), columns::ColumnError>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ColumnBuf<O> {
    /// The bytes of all rows, without gaps.
    pub values: Vec<u8>,
    /// Where each row begins, and where the last one ends.
    pub offsets: Vec<O>,
    /// A bit for each row, the lowest bit of a byte first, 0 where the row is null; the bits behind the last row are 0. `None` if
    /// no row can be null: the column that was read has no bitmap, and no row was made null.
    pub validity: Option<Vec<u8>>,
}

impl<O: Offset> Default for ColumnBuf<O> {
    fn default() -> Self {
        Self::new()
    }
}

impl<O: Offset> ColumnBuf<O> {
    /// A column without rows.
    #[must_use]
    pub fn new() -> Self {
        Self { values: Vec::new(), offsets: Vec::from([O::ZERO]), validity: None }
    }

    /// Removes all rows and keeps the memory of values and offsets for others.
    pub fn clear(&mut self) {
        self.values.clear();
        self.offsets.clear();
        self.offsets.push(O::ZERO);
        self.validity = None;
    }

    /// The column, to be read.
    ///
    /// # Errors
    ///
    /// The vectors were changed, and now are no column.
    pub fn as_column(&self) -> Result<Column<'_, O>, ColumnError> {
        let column = Column::new(&self.values, &self.offsets)?;
        self.validity.as_ref().map_or(Ok(column), |bitmap| column.with_validity(bitmap, 0))
    }

    /// Makes room for these rows, whose values may yet become longer, and says which of them are null.
    fn begin(&mut self, column: &Column<'_, O>) -> Result<Rollback, ColumnError> {
        let rows = self.offsets.len().checked_sub(1).ok_or(ColumnError::BadOutput)?;
        let has_bits = self.validity.as_ref().is_none_or(|bitmap| rows.div_ceil(8) <= bitmap.len());
        if self.offsets[rows].checked() != Some(self.values.len()) || !has_bits {
            return Err(ColumnError::BadOutput);
        }
        let rollback = Rollback { rows, values: self.values.len(), had_validity: self.validity.is_some() };
        self.offsets.reserve(column.len());
        self.values.reserve(column.bytes(0..column.len()).len());
        if column.validity.is_some() || rollback.had_validity {
            let bitmap = self.validity.get_or_insert_with(|| ones(rows));
            append_bits(bitmap, rows, column);
        }
        Ok(rollback)
    }

    /// Makes a row null; there are to be so many.
    fn set_null(&mut self, row: usize, rows: usize) {
        let bitmap = self.validity.get_or_insert_with(|| ones(rows));
        bitmap[row / 8] &= !(1 << (row % 8));
    }

    fn roll_back(&mut self, to: &Rollback) {
        self.values.truncate(to.values);
        self.offsets.truncate(to.rows + 1);
        match &mut self.validity {
            Some(bitmap) if to.had_validity => truncate_bits(bitmap, to.rows),
            validity => *validity = None,
        }
    }
}

/// What a column was before rows were appended.
struct Rollback {
    rows: usize,
    values: usize,
    had_validity: bool,
}

/// A bitmap of as many ones.
fn ones(length: usize) -> Vec<u8> {
    let mut bitmap = alloc::vec![0xFF; length.div_ceil(8)];
    truncate_bits(&mut bitmap, length);
    bitmap
}

/// Makes the bits from `length` on zero, and the bitmap no longer than it need be.
fn truncate_bits(bitmap: &mut Vec<u8>, length: usize) {
    bitmap.truncate(length.div_ceil(8));
    if let Some(last) = bitmap.last_mut()
        && !length.is_multiple_of(8)
    {
        *last &= (1 << (length % 8)) - 1;
    }
}

/// Appends the validity of these rows to a bitmap of `length` bits.
fn append_bits<O: Offset>(bitmap: &mut Vec<u8>, length: usize, column: &Column<'_, O>) {
    truncate_bits(bitmap, length);
    let total = length + column.len();
    bitmap.resize(total.div_ceil(8), 0);
    let mut row = 0;
    while row < column.len() {
        // Up to the end of a byte of the output: from one or two bytes of the input.
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

/// What becomes of a row that is at fault: whose `%` is malformed, that holds a rejected byte, or that is not text but should be.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum OnError {
    /// Nothing is written, and the first such row is the error.
    Fail,
    /// It becomes null.
    Null,
    /// It stays as it is, rejected bytes and all. (Where the output is to be text, and the row itself is not text, that cannot be:
    /// then it is the error, unless the conversion is a lossy one.)
    Keep,
}

/// Why a column cannot be read or written.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ColumnError {
    /// There are no offsets; even a column without rows has one.
    NoOffsets,
    /// The offset with this index is below zero.
    NegativeOffset {
        /// Which of the offsets, counted from 0.
        index: usize,
    },
    /// The offset with this index is less than the one before it.
    DecreasingOffset {
        /// Which of the offsets, counted from 0.
        index: usize,
    },
    /// The offset with this index is more than there are values.
    OffsetBeyondValues {
        /// Which of the offsets, counted from 0.
        index: usize,
    },
    /// The validity bitmap has fewer bits than the column has rows, after its bit offset.
    ValidityTooShort,
    /// The column to append to is none: its last offset is not the number of its values, or its validity bitmap is too short.
    BadOutput,
    /// This row is at fault, and [`OnError::Fail`] was asked for (or what was asked for cannot be).
    Row {
        /// Which row, counted from 0.
        row: usize,
        /// What is wrong with it; the position counts from the start of the row.
        error: DecodeError,
    },
    /// With this row the output is longer than its offsets can say: `i32::MAX` bytes for `i32`.
    TooLong {
        /// Which row, counted from 0.
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
            Self::BadOutput => f.write_str("the output's vectors are not those of a column"),
            Self::Row { row, error } => write!(f, "row {row}: {error}"),
            Self::TooLong { row } => write!(f, "with row {row} the output is longer than its offsets can say"),
        }
    }
}

// What it says is all there is to say, so there is no source.
impl Error for ColumnError {}

/// Decodes every row to bytes.
///
/// # Errors
///
/// A row at fault, with [`OnError::Fail`]; or an output that is too long for its offsets.
///
/// ```
/// use simdpct::columns::{self, Column, ColumnError, OnError};
/// use simdpct::{DecodeErrorKind, Decoder};
///
/// let column = Column::new(b"a%2Fb50%%FF", &[0_i32, 5, 8, 11])?;
/// let kept = columns::decode(&column, &Decoder::new(), OnError::Keep)?;
/// assert_eq!((kept.values, kept.offsets), (b"a/b50%\xFF".to_vec(), vec![0, 3, 6, 7]));
///
/// let error = columns::decode(&column, &Decoder::new(), OnError::Fail).unwrap_err();
/// let ColumnError::Row { row, error } = error else { panic!("{error}") };
/// assert_eq!((row, error.kind, error.position), (1, DecodeErrorKind::Malformed, 2));
/// # Ok::<(), ColumnError>(())
/// ```
pub fn decode<O: Offset>(
    column: &Column<'_, O>,
    decoder: &Decoder,
    on_error: OnError,
) -> Result<ColumnBuf<O>, ColumnError> {
    collect(|output| decode_to(column, decoder, on_error, output))
}

/// [`decode`] that appends to a column, and returns how many rows were at fault.
///
/// # Errors
///
/// As [`decode`], or the output is no column. Nothing is appended then.
pub fn decode_to<O: Offset>(
    column: &Column<'_, O>,
    decoder: &Decoder,
    on_error: OnError,
    output: &mut ColumnBuf<O>,
) -> Result<usize, ColumnError> {
    run(column, on_error, output, decoder.level, &mut Decoding::new(decoder, Text::Bytes))
}

/// Decodes every row to text: the output is well-formed UTF-8, row by row.
///
/// # Errors
///
/// As [`decode`]; a row that is not well-formed UTF-8 once decoded is at fault too.
///
/// ```
/// use simdpct::Decoder;
/// use simdpct::columns::{self, Column, OnError};
///
/// // Each row by itself: two halves of a character in two rows are none.
/// let column = Column::new(b"%C3%A9%C3%A9", &[0_i32, 6, 9, 12])?;
/// let decoded = columns::decode_utf8(&column, &Decoder::new(), OnError::Null)?;
/// assert_eq!((decoded.values, decoded.offsets), ("é".into(), vec![0, 2, 2, 2]));
/// assert_eq!(decoded.validity, Some(vec![0b001]));
/// # Ok::<(), columns::ColumnError>(())
/// ```
pub fn decode_utf8<O: Offset>(
    column: &Column<'_, O>,
    decoder: &Decoder,
    on_error: OnError,
) -> Result<ColumnBuf<O>, ColumnError> {
    collect(|output| decode_utf8_to(column, decoder, on_error, output))
}

/// [`decode_utf8`] that appends to a column, and returns how many rows were at fault.
///
/// # Errors
///
/// As [`decode_utf8`], or the output is no column. Nothing is appended then.
pub fn decode_utf8_to<O: Offset>(
    column: &Column<'_, O>,
    decoder: &Decoder,
    on_error: OnError,
    output: &mut ColumnBuf<O>,
) -> Result<usize, ColumnError> {
    run(column, on_error, output, decoder.level, &mut Decoding::new(decoder, Text::Strict))
}

/// Decodes every row to text, with U+FFFD for each maximal subpart of an ill-formed sequence, also in rows that are kept.
///
/// # Errors
///
/// As [`decode`]; so none about rows if the decoder is lenient and rejects nothing.
///
/// ```
/// use simdpct::Decoder;
/// use simdpct::columns::{self, Column, OnError};
///
/// let column = Column::new(b"%E4pfel100%", &[0_i32, 7, 11])?;
/// let decoded = columns::decode_utf8_lossy(&column, &Decoder::new().lenient(), OnError::Fail)?;
/// assert_eq!((decoded.values, decoded.offsets), ("\u{FFFD}pfel100%".into(), vec![0, 7, 11]));
/// # Ok::<(), columns::ColumnError>(())
/// ```
pub fn decode_utf8_lossy<O: Offset>(
    column: &Column<'_, O>,
    decoder: &Decoder,
    on_error: OnError,
) -> Result<ColumnBuf<O>, ColumnError> {
    collect(|output| decode_utf8_lossy_to(column, decoder, on_error, output))
}

/// [`decode_utf8_lossy`] that appends to a column, and returns how many rows were at fault.
///
/// # Errors
///
/// As [`decode_utf8_lossy`], or the output is no column. Nothing is appended then.
pub fn decode_utf8_lossy_to<O: Offset>(
    column: &Column<'_, O>,
    decoder: &Decoder,
    on_error: OnError,
    output: &mut ColumnBuf<O>,
) -> Result<usize, ColumnError> {
    run(column, on_error, output, decoder.level, &mut Decoding::new(decoder, Text::Lossy))
}

/// Encodes every row. The output is text: ASCII, but for what [`Encoder::keep_non_ascii`] keeps.
///
/// # Errors
///
/// An output that is too long for its offsets.
///
/// ```
/// use simdpct::Encoder;
/// use simdpct::columns::{self, Column};
///
/// let column = Column::new("a/b é".as_bytes(), &[0_i32, 3, 6])?;
/// let encoded = columns::encode(&column, &Encoder::COMPONENT)?;
/// assert_eq!((encoded.values, encoded.offsets), (b"a%2Fb%20%C3%A9".to_vec(), vec![0, 5, 14]));
/// # Ok::<(), columns::ColumnError>(())
/// ```
pub fn encode<O: Offset>(column: &Column<'_, O>, encoder: &Encoder) -> Result<ColumnBuf<O>, ColumnError> {
    collect(|output| encode_to(column, encoder, output))
}

/// [`encode`] that appends to a column.
///
/// # Errors
///
/// As [`encode`], or the output is no column. Nothing is appended then.
pub fn encode_to<O: Offset>(
    column: &Column<'_, O>,
    encoder: &Encoder,
    output: &mut ColumnBuf<O>,
) -> Result<(), ColumnError> {
    run(column, OnError::Fail, output, encoder.level, &mut Encoding::new(encoder)).map(|_| ())
}

/// Brings every row into the normal form of RFC 3986 6.2.2. Bytes from 0x80 stay as they are, so text stays text.
///
/// # Errors
///
/// A row with a malformed `%`, if the normaliser refuses it, with [`OnError::Fail`]; or an output that is too long for its offsets.
///
/// ```
/// use simdpct::Normalizer;
/// use simdpct::columns::{self, Column, OnError};
///
/// let column = Column::new(b"/%7euser/%2f", &[0_i32, 8, 12])?;
/// let normal = columns::normalize(&column, &Normalizer::new(), OnError::Fail)?;
/// assert_eq!((normal.values, normal.offsets), (b"/~user/%2F".to_vec(), vec![0, 6, 10]));
/// # Ok::<(), columns::ColumnError>(())
/// ```
pub fn normalize<O: Offset>(
    column: &Column<'_, O>,
    normalizer: &Normalizer,
    on_error: OnError,
) -> Result<ColumnBuf<O>, ColumnError> {
    collect(|output| normalize_to(column, normalizer, on_error, output))
}

/// [`normalize`] that appends to a column, and returns how many rows were at fault.
///
/// # Errors
///
/// As [`normalize`], or the output is no column. Nothing is appended then.
pub fn normalize_to<O: Offset>(
    column: &Column<'_, O>,
    normalizer: &Normalizer,
    on_error: OnError,
    output: &mut ColumnBuf<O>,
) -> Result<usize, ColumnError> {
    run(column, on_error, output, normalizer.level, &mut Decoding::normalizing(normalizer))
}

/// Says what every row holds. A null row holds nothing.
///
/// ```
/// use simdpct::Findings;
/// use simdpct::columns::{self, Column};
///
/// let column = Column::new(b"/plain/..%2f/%00", &[0_i32, 6, 12, 16])?;
/// let inspection = columns::inspect(&column);
/// assert!(inspection.rows[0].is_empty());
/// assert!(inspection.rows[1].contains(Findings::SLASH | Findings::LOWER_HEX));
/// assert_eq!(inspection.count(Findings::ESCAPE), 2);
/// assert!(inspection.kinds().contains(Findings::NUL));
/// # Ok::<(), columns::ColumnError>(())
/// ```
#[must_use]
pub fn inspect<O: Offset>(column: &Column<'_, O>) -> Inspection {
    Inspection::of(column, None)
}

/// What [`inspect`] found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Inspection {
    /// What each row holds; [`Kinds::bits`] has it as a number.
    pub rows: Vec<Kinds>,
}

impl Inspection {
    /// What the rows hold, taken together.
    #[must_use]
    pub fn kinds(&self) -> Kinds {
        Kinds::from_bits(self.rows.iter().fold(0, |all, kinds| all | kinds.bits()))
    }

    /// How many rows hold any of these kinds.
    #[must_use]
    pub fn count(&self, kinds: Kinds) -> usize {
        self.rows.iter().filter(|found| found.intersects(kinds)).count()
    }

    /// [`inspect`] on a level of one's choice.
    #[must_use]
    pub fn on<O: Offset>(level: Level, column: &Column<'_, O>) -> Self {
        Self::of(column, Some(level))
    }

    fn of<O: Offset>(column: &Column<'_, O>, level: Option<Level>) -> Self {
        /// Raw bytes that are, or may begin, more than one kind of finding.
        const MANIFOLD: ByteSet = ByteSet::NON_ASCII.with(b'%').with(b'+');
        /// Raw bytes that are but illegal.
        const SIMPLE: ByteSet = ILLEGAL_BYTES.intersection(ByteSet::NON_ASCII.complement());
        let mut inspector = Inspector::<Presence>::new(level);
        let mut inspect = |bytes: &[u8]| Kinds::from_bits(inspector.inspect(bytes).kinds());
        let mut rows = Vec::with_capacity(column.len());
        let (Some(mut manifold), Some(mut simple)) = (Marks::new(level), Marks::new(level)) else {
            rows.extend((0..column.len()).map(|row| column.row(row).map_or(Kinds::NONE, &mut inspect)));
            return Self { rows };
        };
        while rows.len() < column.len() {
            let first = rows.len();
            let end = column.chunk_end(first);
            if end == first {
                rows.push(column.row(first).map_or(Kinds::NONE, &mut inspect));
                continue;
            }
            let bytes = column.bytes(first..end);
            manifold.fill(Selection::Members, &MANIFOLD, bytes);
            simple.fill(Selection::Members, &SIMPLE, bytes);
            let base = column.bound(first);
            let (mut start, mut before) = (0, (0, 0));
            rows.extend(column.offsets[first + 1..=end].iter().map(|end| {
                let end = end.index() - base;
                let after = (manifold.before(end), simple.before(end));
                let kinds = if after.0 != before.0 {
                    inspect(&bytes[start..end])
                } else if after.1 != before.1 {
                    Findings::ILLEGAL
                } else {
                    Kinds::NONE
                };
                (start, before) = (end, after);
                kinds
            }));
        }
        Self { rows }
    }
}

fn collect<O: Offset, R>(
    append: impl FnOnce(&mut ColumnBuf<O>) -> Result<R, ColumnError>,
) -> Result<ColumnBuf<O>, ColumnError> {
    let mut output = ColumnBuf::new();
    append(&mut output).map(|_| output)
}
