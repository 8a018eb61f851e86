//! `Conversion`: the operation on each row, and the forms of input and output that it is applied
//! to.
#![forbid(unsafe_code)]

use super::codecs::{Operate, Text};
use super::rows::{Overflow, Run};
use super::{Column, ColumnBuf, ColumnError, Offset, OnError, RowError};
use crate::byteset::ByteSet;
use crate::decode::Decoder;
use crate::driver;
use crate::encode::Encoder;
use crate::input::Input;
use crate::legacy::java;
use crate::level::Level;
use crate::normalize::Normalizer;

/// A conversion of rows: an operation, and how to handle invalid rows.
///
/// A conversion is a small constant. The functions of the module, such as
/// [`decode`](crate::columns::decode), are shortcuts for its most frequent use.
///
/// | method | input | output |
/// |---|---|---|
/// | [`convert`](Self::convert) | a column | a new column, or "nothing changed" |
/// | [`append`](Self::append) | a column | appended to a column; on error nothing is |
/// | [`append_rows`](Self::append_rows) | an iterator of rows, wherever they are | the same |
/// | [`append_fitting`](Self::append_fitting), [`append_fitting_rows`](Self::append_fitting_rows) | either | the same, up to the first row that exceeds the range of the offsets |
///
/// ```
/// use simdpct::Decoder;
/// use simdpct::columns::{Column, Conversion, OnError};
///
/// let decoder = Decoder::new();
/// let conversion = Conversion::decode_utf8(&decoder).on_error(OnError::Null);
/// let column = Column::new(b"a%20b%zz", &[0_i32, 5, 8])?;
///
/// let converted = conversion.convert(&column)?;
/// assert_eq!((converted.summary.rows, converted.summary.invalid), (2, 1));
/// assert_eq!(converted.summary.first_error.map(|error| error.row), Some(1));
/// assert_eq!(converted.column.map(|column| column.values).as_deref(), Some(&b"a b"[..]));
///
/// let plain = Column::new(b"ab", &[0_i32, 1, 2])?;
/// assert_eq!(conversion.convert(&plain)?.column, None);
/// # Ok::<(), simdpct::columns::ColumnError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[must_use = "a conversion does nothing until it is applied"]
pub struct Conversion<C> {
    operation: C,
    on_error: OnError,
}

/// The operation of a [`Conversion`] on a row. Sealed: implemented by the operations of this
/// module.
pub trait Operation: Operate {}

/// An [`Operation`] that leaves most rows as they are: every operation that does not extract.
/// Sealed.
pub trait Rewrite: Operation {}

/// Decodes; see [`Conversion::decode`], [`Conversion::decode_utf8`] and
/// [`Conversion::decode_utf8_lossy`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Decode {
    pub(super) decoder: Decoder,
    pub(super) text: Text,
}

/// Encodes; see [`Conversion::encode`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Encode {
    pub(super) encoder: Encoder,
}

/// Normalizes; see [`Conversion::normalize`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Normalize {
    pub(super) normalizer: Normalizer,
}

impl Operation for Decode {}
impl Operation for Encode {}
impl Operation for Normalize {}
impl Rewrite for Decode {}
impl Rewrite for Encode {}
impl Rewrite for Normalize {}

/// The report of a conversion.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// Number of rows appended.
    pub rows: usize,
    /// Number of invalid rows among them, which were handled according to [`OnError`].
    pub invalid: usize,
    /// The first invalid row, also if it was set to null or kept.
    pub first_error: Option<RowError>,
    /// Whether any row differs from its input. Null rows equal null rows, whatever bytes they have.
    pub changed: bool,
}

/// Result of [`Conversion::convert`].
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Converted<O> {
    /// The output. `None` if no row changed: the input is the result.
    pub column: Option<ColumnBuf<O>>,
    /// The report of the conversion.
    pub summary: Summary,
}

impl<C> Conversion<C> {
    pub(super) const fn new(operation: C) -> Self {
        Self { operation, on_error: OnError::Refuse }
    }

    /// Sets how to handle an invalid row. The default is [`OnError::Refuse`].
    pub const fn on_error(mut self, on_error: OnError) -> Self {
        self.on_error = on_error;
        self
    }
}

impl Conversion<Decode> {
    /// Decodes every row to bytes.
    pub const fn decode(decoder: &Decoder) -> Self {
        Self::new(Decode { decoder: *decoder, text: Text::Bytes })
    }

    /// Decodes every row to text: each row of the output is well-formed UTF-8. A row that decodes
    /// to anything else is invalid.
    pub const fn decode_utf8(decoder: &Decoder) -> Self {
        Self::new(Decode { decoder: *decoder, text: Text::Strict })
    }

    /// Decodes every row to text, and replaces each maximal subpart of an ill-formed sequence by
    /// U+FFFD, also in rows that are kept unchanged otherwise.
    pub const fn decode_utf8_lossy(decoder: &Decoder) -> Self {
        Self::new(Decode { decoder: *decoder, text: Text::Lossy })
    }

    /// Decodes every row to text as Java's `URLDecoder`, and so as Spark's and Trino's
    /// `url_decode`; see [`java::decode`]. With [`OnError::Null`], it is Spark's `try_url_decode`.
    /// Their `url_encode` is [`encode`](Self::encode) with [`Encoder::FORM`].
    ///
    /// ```
    /// use simdpct::columns::{Column, Conversion, OnError};
    ///
    /// let column = Column::new(b"a+%+4%ED%A0%80%", &[0_i32, 5, 14, 15])?;
    /// let decoded = Conversion::decode_java().on_error(OnError::Null).convert(&column)?;
    /// let decoded = decoded.column.unwrap();
    /// assert_eq!((&decoded.values[..], &decoded.offsets[..]), ("a \x04\u{FFFD}".as_bytes(), &[0, 3, 6, 6][..]));
    /// assert_eq!(decoded.validity, Some(vec![0b011]));
    /// # Ok::<(), simdpct::columns::ColumnError>(())
    /// ```
    pub const fn decode_java() -> Self {
        Self::new(Decode { decoder: java::DECODER, text: Text::Java })
    }

    /// Selects the level to run on. If the CPU lacks it, the best available level below it is used.
    /// The result is the same on every level.
    pub const fn level(mut self, level: Level) -> Self {
        self.operation.decoder.level = Some(level);
        self
    }
}

impl Conversion<Encode> {
    /// Encodes every row. The output is ASCII, or UTF-8 with [`Encoder::keep_non_ascii`]. No row is
    /// invalid.
    pub const fn encode(encoder: &Encoder) -> Self {
        Self::new(Encode { encoder: *encoder })
    }
}

impl Conversion<Normalize> {
    /// Normalizes the percent-encoding of every row (RFC 3986 6.2.2). Bytes from 0x80 are kept, so
    /// text remains text.
    pub const fn normalize(normalizer: &Normalizer) -> Self {
        Self::new(Normalize { normalizer: *normalizer })
    }
}

impl<C: Operation> Conversion<C> {
    /// Converts a column. If nothing changes, returns that instead of a copy: no memory is
    /// allocated if no row holds one of the [`triggers`](Self::triggers).
    ///
    /// # Errors
    ///
    /// Returns [`ColumnError::Row`] for an invalid row, according to [`OnError`], and
    /// [`ColumnError::TooLong`] if the output exceeds the range of the offset type.
    pub fn convert<O: Offset>(&self, column: &Column<'_, O>) -> Result<Converted<O>, ColumnError> {
        if self.leaves(column) {
            return Ok(Converted { column: None, summary: Summary { rows: column.len(), ..Summary::default() } });
        }
        let mut output = ColumnBuf::new();
        let summary = self.append(column, &mut output)?;
        Ok(Converted { column: summary.changed.then_some(output), summary })
    }

    /// Converts a column and appends the result.
    ///
    /// # Errors
    ///
    /// Same as [`convert`](Self::convert), and [`ColumnError::BadOutput`] if `output` is not a
    /// valid column. On error nothing is appended.
    pub fn append<O: Offset>(&self, column: &Column<'_, O>, output: &mut ColumnBuf<O>) -> Result<Summary, ColumnError> {
        self.run(Overflow::Refuse, output)?.column(column)
    }

    /// Like [`append`](Self::append), for rows that are not in one buffer; `None` is a null row.
    ///
    /// Short rows are copied to a buffer of 8 KiB and converted together, which takes less time
    /// than one by one.
    ///
    /// # Errors
    ///
    /// Same as [`append`](Self::append). [`ColumnError::TooLong`] is also returned for a row of the
    /// input that is longer than the greatest offset.
    ///
    /// ```
    /// use simdpct::Encoder;
    /// use simdpct::columns::{ColumnBuf, Conversion};
    ///
    /// let mut output = ColumnBuf::<i32>::new();
    /// Conversion::encode(&Encoder::COMPONENT).append_rows([Some("a b"), None, Some("c")], &mut output)?;
    /// assert_eq!((output.values, output.offsets), (b"a%20bc".to_vec(), vec![0, 5, 5, 6]));
    /// assert_eq!(output.validity, Some(vec![0b101]));
    /// # Ok::<(), simdpct::columns::ColumnError>(())
    /// ```
    pub fn append_rows<O: Offset, T: Input>(
        &self,
        rows: impl IntoIterator<Item = Option<T>>,
        output: &mut ColumnBuf<O>,
    ) -> Result<Summary, ColumnError> {
        self.run(Overflow::Refuse, output)?.rows(rows)
    }

    /// Like [`append`](Self::append), but if the output would exceed the range of the offset type,
    /// appends the rows that fit. [`Summary::rows`] is their number: continue with
    /// [`Column::skip`] and a new output.
    ///
    /// # Errors
    ///
    /// Same as [`append`](Self::append), but [`ColumnError::TooLong`] only if `output` has no rows
    /// and the first row does not fit, so that a loop comes to an end.
    ///
    /// ```
    /// use simdpct::Encoder;
    /// use simdpct::columns::{Column, ColumnBuf, Conversion};
    ///
    /// let mut rest = Column::new(b"a b", &[0_i32, 1, 2, 3])?;
    /// let mut outputs = Vec::new();
    /// while !rest.is_empty() {
    ///     let mut output = ColumnBuf::new();
    ///     let done = Conversion::encode(&Encoder::COMPONENT).append_fitting(&rest, &mut output)?.rows;
    ///     rest = rest.skip(done);
    ///     outputs.push(output);
    /// }
    /// assert_eq!(outputs.len(), 1);
    /// # Ok::<(), simdpct::columns::ColumnError>(())
    /// ```
    pub fn append_fitting<O: Offset>(
        &self,
        column: &Column<'_, O>,
        output: &mut ColumnBuf<O>,
    ) -> Result<Summary, ColumnError> {
        self.run(Overflow::Stop, output)?.column(column)
    }

    /// [`append_fitting`](Self::append_fitting) for rows that are not in one buffer. To continue,
    /// skip [`Summary::rows`] rows of a new iterator: some of the following rows have been taken
    /// from this one.
    ///
    /// # Errors
    ///
    /// Same as [`append_fitting`](Self::append_fitting).
    pub fn append_fitting_rows<O: Offset, T: Input>(
        &self,
        rows: impl IntoIterator<Item = Option<T>>,
        output: &mut ColumnBuf<O>,
    ) -> Result<Summary, ColumnError> {
        self.run(Overflow::Stop, output)?.rows(rows)
    }

    fn run<'a, O: Offset>(
        &self,
        overflow: Overflow,
        output: &'a mut ColumnBuf<O>,
    ) -> Result<Run<'a, O, C::Codec<'_>>, ColumnError> {
        Run::new(self.operation.codec(), self.operation.level(), self.on_error, overflow, output)
    }

    /// Returns true only if no row changes and no row is invalid. Ends at the first byte that may
    /// change.
    fn leaves<O: Offset>(&self, column: &Column<'_, O>) -> bool {
        let (level, bytes) = (self.operation.level(), column.bytes(0..column.len()));
        let of_rows = (self.operation.triggers(false), self.operation.triggers(true));
        let (Some(triggers), Some(in_text)) = of_rows else { return false };
        let holds = |set| driver::find(&set, bytes, level).is_some();
        if holds(in_text) {
            return false;
        }
        triggers == in_text
            || bytes.is_ascii()
            || driver::utf8::checked_text(bytes, level).is_some_and(|text| {
                let base = column.bound(0);
                column.offsets.iter().all(|offset| text.is_char_boundary(offset.index() - base))
            })
    }

    fn column<O: Offset>(&self, column: &Column<'_, O>) -> Result<ColumnBuf<O>, ColumnError> {
        let mut output = ColumnBuf::new();
        self.append(column, &mut output).map(|_| output)
    }
}

impl<C: Rewrite> Conversion<C> {
    /// The trigger bytes: every row that changes, or is invalid, contains at least one of them.
    ///
    /// The converse does not hold: a row with such a byte may remain as it is. Use it with
    /// [`rows_holding`](super::rows_holding).
    ///
    /// ```
    /// use simdpct::columns::Conversion;
    /// use simdpct::{ByteSet, Decoder};
    ///
    /// let conversion = Conversion::decode_utf8(&Decoder::new().plus_for_space());
    /// assert_eq!(conversion.triggers_in_text(), ByteSet::new(b"%+"));
    /// assert_eq!(conversion.triggers(), ByteSet::new(b"%+").union(ByteSet::NON_ASCII));
    /// ```
    #[must_use]
    pub fn triggers(&self) -> ByteSet {
        self.operation.triggers(false).unwrap_or(ByteSet::ALL)
    }

    /// The [`triggers`](Self::triggers) of rows that are known to be well-formed UTF-8, such as
    /// those of Arrow's `Utf8`.
    #[must_use]
    pub fn triggers_in_text(&self) -> ByteSet {
        self.operation.triggers(true).unwrap_or(ByteSet::ALL)
    }
}

/// Decodes every row to bytes.
///
/// # Errors
///
/// Returns [`ColumnError::Row`] for an invalid row, according to `on_error`, and
/// [`ColumnError::TooLong`] if the output exceeds the range of the offset type.
///
/// ```
/// use simdpct::columns::{self, Column, ColumnError, OnError};
/// use simdpct::{DecodeErrorKind, Decoder};
///
/// let column = Column::new(b"a%2Fb50%%FF", &[0_i32, 5, 8, 11])?;
/// let kept = columns::decode(&column, &Decoder::new(), OnError::Keep)?;
/// assert_eq!((kept.values, kept.offsets), (b"a/b50%\xFF".to_vec(), vec![0, 3, 6, 7]));
///
/// let error = columns::decode(&column, &Decoder::new(), OnError::Refuse).unwrap_err();
/// let ColumnError::Row(first) = error else { panic!("{error}") };
/// assert_eq!((first.row, first.error.kind, first.error.position), (1, DecodeErrorKind::Malformed, 2));
/// # Ok::<(), ColumnError>(())
/// ```
pub fn decode<O: Offset>(
    column: &Column<'_, O>,
    decoder: &Decoder,
    on_error: OnError,
) -> Result<ColumnBuf<O>, ColumnError> {
    Conversion::decode(decoder).on_error(on_error).column(column)
}

/// Decodes every row to text: each row of the output is well-formed UTF-8.
///
/// # Errors
///
/// Same as [`decode`]. A row that decodes to invalid UTF-8 is invalid too.
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
    Conversion::decode_utf8(decoder).on_error(on_error).column(column)
}

/// Decodes every row to text, and replaces each maximal subpart of an ill-formed sequence by
/// U+FFFD, also in rows that are kept unchanged otherwise.
///
/// # Errors
///
/// Same as [`decode`]. If the decoder is lenient and rejects nothing, no row is invalid.
///
/// ```
/// use simdpct::Decoder;
/// use simdpct::columns::{self, Column, OnError};
///
/// let column = Column::new(b"%E4pfel100%", &[0_i32, 7, 11])?;
/// let decoded = columns::decode_utf8_lossy(&column, &Decoder::new().lenient(), OnError::Refuse)?;
/// assert_eq!((decoded.values, decoded.offsets), ("\u{FFFD}pfel100%".into(), vec![0, 7, 11]));
/// # Ok::<(), columns::ColumnError>(())
/// ```
pub fn decode_utf8_lossy<O: Offset>(
    column: &Column<'_, O>,
    decoder: &Decoder,
    on_error: OnError,
) -> Result<ColumnBuf<O>, ColumnError> {
    Conversion::decode_utf8_lossy(decoder).on_error(on_error).column(column)
}

/// Encodes every row. The output is ASCII, or UTF-8 with [`Encoder::keep_non_ascii`].
///
/// # Errors
///
/// Returns [`ColumnError::TooLong`] if the output exceeds the range of the offset type.
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
    Conversion::encode(encoder).column(column)
}

/// Normalizes the percent-encoding of every row (RFC 3986 6.2.2). Bytes from 0x80 are kept, so text
/// remains text.
///
/// # Errors
///
/// Returns [`ColumnError::Row`] for a row with a malformed `%`, according to the normalizer and
/// `on_error`, and [`ColumnError::TooLong`] if the output exceeds the range of the offset type.
///
/// ```
/// use simdpct::Normalizer;
/// use simdpct::columns::{self, Column, OnError};
///
/// let column = Column::new(b"/%7euser/%2f", &[0_i32, 8, 12])?;
/// let normal = columns::normalize(&column, &Normalizer::new(), OnError::Refuse)?;
/// assert_eq!((normal.values, normal.offsets), (b"/~user/%2F".to_vec(), vec![0, 6, 10]));
/// # Ok::<(), columns::ColumnError>(())
/// ```
pub fn normalize<O: Offset>(
    column: &Column<'_, O>,
    normalizer: &Normalizer,
    on_error: OnError,
) -> Result<ColumnBuf<O>, ColumnError> {
    Conversion::normalize(normalizer).on_error(on_error).column(column)
}
