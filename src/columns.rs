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

use alloc::vec::Vec;
use core::error::Error;
use core::fmt;
use core::ops::Range;

use crate::byteset::ByteSet;
use crate::decode::Decoder;
use crate::driver;
use crate::driver::Inspector;
use crate::driver::owned::{ManyDecoder, ManyEncoder};
use crate::encode::Encoder;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::inspect::{Findings, Kinds};
use crate::kernel::marks::Mark;
use crate::kernel::report::ILLEGAL_BYTES;
use crate::level::Level;
use crate::normalize::{Malformed, Normalizer};

/// An offset into a column's values: `i32` or `i64`, as Arrow has them.
pub trait Offset: sealed::Sealed {}
impl Offset for i32 {}
impl Offset for i64 {}

mod sealed {
    /// What the columns need of an offset. Conversions to `usize` are only made of offsets that have been checked.
    pub trait Sealed: Copy + Ord + core::fmt::Debug {
        const ZERO: Self;
        /// The most bytes that a column can have.
        const MAX: usize;

        fn checked(self) -> Option<usize>;

        /// Exact for offsets of a checked column.
        fn index(self) -> usize;

        /// Exact up to [`MAX`](Self::MAX).
        fn of(index: usize) -> Self;
    }

    macro_rules! sealed {
        ($($offset:ty)*) => {$(
            impl Sealed for $offset {
                const ZERO: Self = 0;
                // On a machine whose `usize` is narrower, no buffer is that long.
                const MAX: usize = if size_of::<Self>() > size_of::<usize>() { usize::MAX } else { Self::MAX as usize };

                #[inline(always)]
                fn checked(self) -> Option<usize> {
                    self.try_into().ok()
                }

                #[inline(always)]
                fn index(self) -> usize {
                    self as usize
                }

                #[inline(always)]
                fn of(index: usize) -> Self {
                    index as Self
                }
            }
        )*};
    }
    sealed!(i32 i64);
}

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
        if is_sorted && first >= O::ZERO && is_within(last) {
            return Ok(Self { values, offsets, validity: None });
        }
        Err(Self::fault(offsets, is_within))
    }

    #[cold]
    fn fault(offsets: &[O], is_within: impl Fn(O) -> bool) -> ColumnError {
        let mut before = O::ZERO;
        for (index, &offset) in offsets.iter().enumerate() {
            if offset < O::ZERO {
                return ColumnError::NegativeOffset { index };
            }
            if offset < before {
                return ColumnError::DecreasingOffset { index };
            }
            if !is_within(offset) {
                return ColumnError::OffsetBeyondValues { index };
            }
            before = offset;
        }
        ColumnError::NoOffsets
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
        let ends = &ends[..ends.len().min(CHUNK)];
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
    run(column, on_error, output, &mut Decoding::new(decoder, Text::Bytes))
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
    run(column, on_error, output, &mut Decoding::new(decoder, Text::Strict))
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
    run(column, on_error, output, &mut Decoding::new(decoder, Text::Lossy))
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
    run(column, OnError::Fail, output, &mut Encoding::new(encoder)).map(|_| ())
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
    run(column, on_error, output, &mut Normalizing::new(normalizer))
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
        let (mut manifold, mut simple) = (Marks::new(), Marks::new());
        let mut inspector = Inspector::<false>::new(level);
        let mut rows = Vec::with_capacity(column.len());
        while rows.len() < column.len() {
            let first = rows.len();
            let end = column.chunk_end(first);
            if end == first {
                let found = column.row(first).map_or(0, |bytes| inspector.inspect(bytes).kinds());
                rows.push(Kinds::from_bits(found));
                continue;
            }
            let bytes = column.bytes(first..end);
            manifold.fill(&MANIFOLD, bytes, level);
            simple.fill(&SIMPLE, bytes, level);
            let base = column.bound(first);
            let (mut start, mut before) = (0, (0, 0));
            rows.extend(column.offsets[first + 1..=end].iter().map(|end| {
                let end = end.index() - base;
                let after = (manifold.before(end), simple.before(end));
                let kinds = if after.0 != before.0 {
                    Kinds::from_bits(inspector.inspect(&bytes[start..end]).kinds())
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

/// What of the values is read at a time: so little that it is still in the first cache when it is read again.
const CHUNK: usize = 8192;

/// Fewer rows than these are done one by one.
const FEW: usize = 4;

/// Where the members of a set are in a chunk, such that those before any place can be counted at once.
struct Marks([Mark; CHUNK / 64 + 1]);

impl Marks {
    fn new() -> Self {
        Self([Mark::default(); CHUNK / 64 + 1])
    }

    #[inline]
    fn fill(&mut self, set: &ByteSet, chunk: &[u8], level: Option<Level>) {
        driver::mark(set, chunk, &mut self.0, level);
    }

    /// How many there are before `at`.
    #[inline(always)]
    fn before(&self, at: usize) -> usize {
        let mark = self.0[at / 64];
        mark.before + (mark.bits & ((1 << (at % 64)) - 1)).count_ones() as usize
    }

    /// Makes the marks of '%' those of the triplets that the rows have, of which `ends` are where they end.
    fn retain_triplets(&mut self, chunk: &[u8], ends: impl Iterator<Item = usize>, level: Option<Level>) {
        const DIGITS: ByteSet = ByteSet::new(b"0123456789ABCDEFabcdef");
        let mut digits = Self::new();
        digits.fill(&DIGITS, chunk, level);
        for number in 0..=chunk.len() / 64 {
            let this = digits.0[number].bits;
            let next = digits.0.get(number + 1).map_or(0, |mark| mark.bits);
            self.0[number].bits &= (this >> 1 | next << 63) & (this >> 2 | next << 62);
        }
        for end in ends {
            // What begins in the last two bytes of a row would go on in the next one.
            for at in end.saturating_sub(2)..end {
                self.0[at / 64].bits &= !(1 << (at % 64));
            }
        }
        let mut before = 0;
        for mark in &mut self.0[..=chunk.len() / 64] {
            mark.before = before;
            before += mark.bits.count_ones() as usize;
        }
    }
}

/// Whether a triplet may begin before `at` and end behind it.
#[inline(always)]
fn may_cross(bytes: &[u8], at: usize) -> bool {
    match bytes[..at] {
        [.., first, second] => (first == b'%') | (second == b'%'),
        [byte] => byte == b'%',
        [] => false,
    }
}

/// A column on its way from the input to the output.
struct Sink<'a, 'c, O> {
    column: &'a Column<'c, O>,
    on_error: OnError,
    output: &'a mut ColumnBuf<O>,
    /// How many rows the output had before.
    rows_before: usize,
    /// How many rows were at fault so far.
    failed: usize,
    marks: Marks,
    /// For rows that have to be written twice.
    scratch: Vec<u8>,
}

/// What is done to each row.
trait Codec {
    /// Appends the output of some rows: no more than [`CHUNK`] bytes, and those of null rows are empty.
    fn chunk<O: Offset>(&mut self, sink: &mut Sink<'_, '_, O>, rows: Range<usize>) -> Result<(), ColumnError>;

    /// Appends the output of a row that is not null.
    fn row<O: Offset>(&mut self, sink: &mut Sink<'_, '_, O>, row: usize, bytes: &[u8]) -> Result<(), ColumnError>;
}

fn run<O: Offset>(
    column: &Column<'_, O>,
    on_error: OnError,
    output: &mut ColumnBuf<O>,
    codec: &mut impl Codec,
) -> Result<usize, ColumnError> {
    let before = output.begin(column)?;
    let rows_before = before.rows;
    let (marks, scratch) = (Marks::new(), Vec::new());
    let mut sink = Sink { column, on_error, output, rows_before, failed: 0, marks, scratch };
    let result = sink.all(codec).map(|()| sink.failed);
    if result.is_err() {
        output.roll_back(&before);
    }
    result
}

impl<O: Offset> Sink<'_, '_, O> {
    fn all(&mut self, codec: &mut impl Codec) -> Result<(), ColumnError> {
        let mut row = 0;
        while row < self.column.len() {
            let end = self.column.chunk_end(row);
            if end - row >= FEW {
                codec.chunk(self, row..end)?;
                row = end;
            } else {
                let end = end.max(row + 1);
                self.rows(codec, row..end)?;
                row = end;
            }
        }
        Ok(())
    }

    /// A row by itself.
    fn row(&mut self, codec: &mut impl Codec, row: usize) -> Result<(), ColumnError> {
        if let Some(bytes) = self.column.row(row) {
            codec.row(self, row, bytes)?;
        }
        self.end_row(row)
    }

    /// Rows one by one.
    fn rows(&mut self, codec: &mut impl Codec, rows: Range<usize>) -> Result<(), ColumnError> {
        rows.into_iter().try_for_each(|row| self.row(codec, row))
    }

    /// Ends a row where the output ends.
    #[inline]
    fn end_row(&mut self, row: usize) -> Result<(), ColumnError> {
        let end = self.output.values.len();
        if end > O::MAX {
            return Err(ColumnError::TooLong { row });
        }
        self.output.offsets.push(O::of(end));
        Ok(())
    }

    /// Whether so many more bytes of output surely are not too many.
    #[inline]
    fn has_room(&self, bytes: usize) -> bool {
        self.output.values.len().checked_add(bytes).is_some_and(|length| length <= O::MAX)
    }

    /// Rows of which many are as they should be: runs of those without a mark are copied, and the others done one by one. The set
    /// has all bytes without which a row stays as it is.
    fn sparse(
        &mut self,
        codec: &mut impl Codec,
        set: &ByteSet,
        rows: Range<usize>,
        level: Option<Level>,
    ) -> Result<(), ColumnError> {
        let base = self.column.bound(rows.start);
        self.marks.fill(set, self.column.bytes(rows.clone()), level);
        let (mut plain, mut before) = (rows.start, 0);
        for row in rows.clone() {
            let after = self.marks.before(self.column.bound(row + 1) - base);
            if after != before {
                self.copy(codec, plain..row)?;
                self.row(codec, row)?;
                (plain, before) = (row + 1, after);
            }
        }
        self.copy(codec, plain..rows.end)
    }

    /// Rows that stay as they are.
    fn copy(&mut self, codec: &mut impl Codec, rows: Range<usize>) -> Result<(), ColumnError> {
        let bytes = self.column.bytes(rows.clone());
        if !self.has_room(bytes.len()) {
            return self.rows(codec, rows);
        }
        let origin = self.output.values.len().wrapping_sub(self.column.bound(rows.start));
        self.output.values.extend_from_slice(bytes);
        let ends = &self.column.offsets[rows.start + 1..=rows.end];
        self.output.offsets.extend(ends.iter().map(|end| O::of(origin.wrapping_add(end.index()))));
        Ok(())
    }

    /// What the policy has for a row at fault. What was written of it is already taken back.
    #[cold]
    fn fail(
        &mut self,
        row: usize,
        bytes: &[u8],
        text: Text,
        error: impl FnOnce() -> DecodeError,
    ) -> Result<(), ColumnError> {
        self.failed += 1;
        match self.on_error {
            OnError::Keep if text != Text::Strict || core::str::from_utf8(bytes).is_ok() => {
                let start = self.output.values.len();
                self.output.values.extend_from_slice(bytes);
                if text == Text::Lossy {
                    self.replace(start);
                }
            }
            OnError::Null => {
                let rows = self.rows_before + self.column.len();
                let bitmap = self.output.validity.get_or_insert_with(|| ones(rows));
                let at = self.rows_before + row;
                bitmap[at / 8] &= !(1 << (at % 8));
            }
            OnError::Fail | OnError::Keep => return Err(ColumnError::Row { row, error: error() }),
        }
        Ok(())
    }

    /// Puts U+FFFD for what is ill-formed in the values from `start` on.
    fn replace(&mut self, start: usize) {
        let values = &mut self.output.values;
        if driver::checked_text(&values[start..]).is_some() {
            return;
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(&values[start..]);
        values.truncate(start);
        for chunk in self.scratch.utf8_chunks() {
            values.extend_from_slice(chunk.valid().as_bytes());
            if !chunk.invalid().is_empty() {
                values.extend_from_slice("\u{FFFD}".as_bytes());
            }
        }
    }

    /// Whether the rows whose offsets are those from `first` on, and whose values those from `start` on, are text, each by itself.
    fn is_text(&self, start: usize, first: usize) -> bool {
        let values = &self.output.values[start..];
        if values.is_ascii() {
            return true;
        }
        let Some(text) = driver::checked_text(values) else { return false };
        let ends = self.output.offsets[first..].iter();
        ends.fold(true, |all, end| all & text.is_char_boundary(end.index() - start))
    }
}

/// What the output of decoding has to be.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Text {
    Bytes,
    /// Well-formed UTF-8.
    Strict,
    /// The same, by replacing what is not.
    Lossy,
}

const PERCENT: ByteSet = ByteSet::new(b"%");

struct Decoding<'a> {
    decoder: &'a Decoder,
    kernel: ManyDecoder,
    text: Text,
    /// If some triplets stay, the bytes that a row must have to be changed or at fault. Else every triplet takes two bytes away,
    /// and where rows end in the output can be told from where triplets are.
    sparse: Option<ByteSet>,
}

impl<'a> Decoding<'a> {
    fn new(decoder: &'a Decoder, text: Text) -> Self {
        let rules = &decoder.rules;
        let sparse = rules.keep.map(|_| {
            let set = PERCENT.union(rules.reject.unwrap_or(ByteSet::EMPTY));
            let set = if rules.plus { set.with(b'+') } else { set };
            if text == Text::Bytes { set } else { set.union(ByteSet::NON_ASCII) }
        });
        Self { decoder, kernel: ManyDecoder::new(rules, decoder.level), text, sparse }
    }

    /// Decodes rows as if they were one, which they are but for triplets that go across, errors, and text that is none.
    fn whole<O: Offset>(&mut self, sink: &mut Sink<'_, '_, O>, rows: Range<usize>) -> Result<(), ColumnError> {
        let column = sink.column;
        let (base, bytes) = (column.bound(rows.start), column.bytes(rows.clone()));
        if !sink.has_room(bytes.len()) {
            return sink.rows(self, rows);
        }
        let (start, first) = (sink.output.values.len(), sink.output.offsets.len());
        sink.marks.fill(&PERCENT, bytes, self.decoder.level);

        // As it nearly always is: every '%' begins a triplet, and its row holds all of it.
        let mut crosses = false;
        let marks = &sink.marks;
        sink.output.offsets.extend(column.offsets[rows.start + 1..=rows.end].iter().map(|end| {
            let end = end.index() - base;
            crosses |= may_cross(bytes, end);
            O::of((start + end).wrapping_sub(2 * marks.before(end)))
        }));
        let mut decoded = None;
        if !crosses {
            let result = self.kernel.append(bytes, &mut sink.output.values);
            let lost = bytes.len() - (sink.output.values.len() - start);
            let is_expected = result.is_ok() && lost == 2 * marks.before(bytes.len());
            if is_expected && (self.text == Text::Bytes || sink.is_text(start, first)) {
                return Ok(());
            }
            decoded = Some((start, result));
        }
        sink.output.offsets.truncate(first);
        self.piecewise(sink, rows, decoded)
    }

    /// The same with all that can get in the way: in pieces, each up to where a triplet may go across, or to an error. All rows may
    /// be decoded already, as far as they could be; then it is said where their output starts.
    #[cold]
    fn piecewise<O: Offset>(
        &mut self,
        sink: &mut Sink<'_, '_, O>,
        rows: Range<usize>,
        mut decoded: Option<(usize, Result<(), DecodeError>)>,
    ) -> Result<(), ColumnError> {
        let column = sink.column;
        let (base, bytes) = (column.bound(rows.start), column.bytes(rows.clone()));
        let end_of = |row: usize| column.bound(row) - base;
        sink.marks.retain_triplets(bytes, (rows.start + 1..=rows.end).map(end_of), self.decoder.level);
        let mut row = rows.start;
        let mut piece_end = if decoded.is_some() { rows.end } else { row };
        while row < rows.end {
            if row == piece_end {
                let crossing = (row + 1..rows.end).find(|&end| may_cross(bytes, end_of(end)));
                piece_end = crossing.unwrap_or(rows.end);
            }
            let from = end_of(row);
            let (start, result) = decoded.take().unwrap_or_else(|| {
                let start = sink.output.values.len();
                (start, self.kernel.append(&bytes[from..end_of(piece_end)], &mut sink.output.values))
            });
            let good_end = match result {
                Ok(()) => piece_end,
                // The rows that end before it.
                Err(error) => {
                    let ends = &column.offsets[row + 1..=piece_end];
                    row + ends.partition_point(|end| end.index() - base <= from + error.position)
                }
            };
            let first = sink.output.offsets.len();
            let marks = &sink.marks;
            let place = |at: usize| start + (at - from) - 2 * (marks.before(at) - marks.before(from));
            sink.output.offsets.extend((row + 1..=good_end).map(|row| O::of(place(end_of(row)))));
            sink.output.values.truncate(place(end_of(good_end)));
            if self.text != Text::Bytes && !sink.is_text(start, first) {
                sink.output.offsets.truncate(first);
                sink.output.values.truncate(start);
                sink.rows(self, row..good_end)?;
            }
            row = good_end;
            if result.is_err() {
                sink.row(self, row)?;
                row += 1;
            }
        }
        Ok(())
    }
}

impl Codec for Decoding<'_> {
    #[inline]
    fn chunk<O: Offset>(&mut self, sink: &mut Sink<'_, '_, O>, rows: Range<usize>) -> Result<(), ColumnError> {
        match self.sparse {
            Some(set) => sink.sparse(self, &set, rows, self.decoder.level),
            None => self.whole(sink, rows),
        }
    }

    #[inline]
    fn row<O: Offset>(&mut self, sink: &mut Sink<'_, '_, O>, row: usize, bytes: &[u8]) -> Result<(), ColumnError> {
        let start = sink.output.values.len();
        let error = match (self.kernel.append(bytes, &mut sink.output.values), self.text) {
            (Err(error), _) => error,
            (Ok(()), Text::Bytes) => return Ok(()),
            (Ok(()), Text::Lossy) => {
                sink.replace(start);
                return Ok(());
            }
            (Ok(()), Text::Strict) => match driver::owned::find_ill_formed(&sink.output.values[start..]) {
                None => return Ok(()),
                Some(at) => {
                    let position = driver::input_offset(bytes, &self.decoder.rules, at);
                    DecodeError::new(DecodeErrorKind::InvalidUtf8, position)
                }
            },
        };
        sink.output.values.truncate(start);
        sink.fail(row, bytes, self.text, || match self.text {
            // What comes before it may be ill-formed already.
            Text::Strict => self.decoder.decode_utf8(bytes).err().unwrap_or(error),
            Text::Bytes | Text::Lossy => error,
        })
    }
}

struct Encoding<'a> {
    encoder: &'a Encoder,
    kernel: ManyEncoder,
    /// If some of the bytes that are escaped may also stay, the bytes that a row must have to be changed. Else each of them takes
    /// two more bytes, and where rows end in the output can be told from where they are.
    sparse: Option<ByteSet>,
}

impl<'a> Encoding<'a> {
    fn new(encoder: &'a Encoder) -> Self {
        let rules = &encoder.rules;
        let escape = *rules.escape();
        let set = if rules.plus() { escape.with(b' ') } else { escape };
        let sparse = (rules.keep_triplets || rules.keep_non_ascii).then_some(set);
        Self { encoder, kernel: ManyEncoder::new(rules, encoder.level), sparse }
    }
}

impl Codec for Encoding<'_> {
    #[inline]
    fn chunk<O: Offset>(&mut self, sink: &mut Sink<'_, '_, O>, rows: Range<usize>) -> Result<(), ColumnError> {
        let column = sink.column;
        let bytes = column.bytes(rows.clone());
        // As much as the kernel can ever want, so that nothing has to be measured.
        sink.output.values.reserve(3 * bytes.len());
        if let Some(set) = self.sparse {
            return sink.sparse(self, &set, rows, self.encoder.level);
        }
        sink.marks.fill(self.encoder.rules.escape(), bytes, self.encoder.level);
        if !sink.has_room(bytes.len() + 2 * sink.marks.before(bytes.len())) {
            return sink.rows(self, rows);
        }
        let (base, start) = (column.bound(rows.start), sink.output.values.len());
        self.kernel.append(bytes, &mut sink.output.values);
        let marks = &sink.marks;
        sink.output.offsets.extend(column.offsets[rows.start + 1..=rows.end].iter().map(|end| {
            let end = end.index() - base;
            O::of(start + end + 2 * marks.before(end))
        }));
        Ok(())
    }

    #[inline]
    fn row<O: Offset>(&mut self, sink: &mut Sink<'_, '_, O>, _: usize, bytes: &[u8]) -> Result<(), ColumnError> {
        self.kernel.append(bytes, &mut sink.output.values);
        Ok(())
    }
}

struct Normalizing<'a> {
    normalizer: &'a Normalizer,
    kernel: ManyDecoder,
}

impl<'a> Normalizing<'a> {
    fn new(normalizer: &'a Normalizer) -> Self {
        Self { normalizer, kernel: ManyDecoder::new(&normalizer.rules, normalizer.level) }
    }
}

impl Codec for Normalizing<'_> {
    #[inline]
    fn chunk<O: Offset>(&mut self, sink: &mut Sink<'_, '_, O>, rows: Range<usize>) -> Result<(), ColumnError> {
        sink.sparse(self, &PERCENT, rows, self.normalizer.level)
    }

    #[inline]
    fn row<O: Offset>(&mut self, sink: &mut Sink<'_, '_, O>, row: usize, bytes: &[u8]) -> Result<(), ColumnError> {
        let start = sink.output.values.len();
        let escape = self.normalizer.malformed == Malformed::Escape;
        match self.kernel.append_escaping(bytes, &mut sink.output.values, escape) {
            Ok(()) => Ok(()),
            Err(error) => {
                sink.output.values.truncate(start);
                // Text that stays as it is stays text.
                sink.fail(row, bytes, Text::Bytes, || error)
            }
        }
    }
}
