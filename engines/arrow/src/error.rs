//! `InvalidValue`: the error that names the value that could not be converted, and the reason.
#![forbid(unsafe_code)]

use std::error::Error;
use std::fmt;

use arrow_array::Array;
use arrow_schema::ArrowError;
use simdpct::DecodeError;
use simdpct::columns::ColumnError;
use simdpct_functions::excerpt_of_bytes;

use crate::value::bytes_of;

/// Error: a value could not be converted, and [`OnError::Refuse`](crate::OnError::Refuse) was
/// given.
///
/// The functions of this crate return it as [`ArrowError::ExternalError`];
/// [`InvalidValue::of`] finds it there.
///
/// ```
/// use arrow_array::StringArray;
/// use simdpct_arrow::{InvalidValue, OnError, decode};
/// use simdpct::Decoder;
///
/// let urls = StringArray::from(vec!["a%20b", "50%"]);
/// let error = decode(&urls, &Decoder::new(), OnError::Refuse).unwrap_err();
/// let invalid = InvalidValue::of(&error).unwrap();
/// assert_eq!((invalid.row, invalid.value(), invalid.error.position), (1, "50%", 2));
/// assert_eq!(
///     invalid.to_string(),
///     "row 1: '50%': malformed percent-encoding: '%' without two hexadecimal digits at byte 2"
/// );
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct InvalidValue {
    /// Index of the row in the array. Engines cut tables into arrays at will, so the index means
    /// little to their users.
    pub row: usize,
    /// The error; its position is relative to the start of the value.
    pub error: DecodeError,
    excerpt: String,
}

impl InvalidValue {
    /// The value, cut to 64 characters; it ends in `…` if it was longer. Control characters, quotes
    /// and backslashes are escaped as in Rust, and bytes that are not UTF-8 are U+FFFD.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.excerpt
    }

    /// Finds the invalid value that caused an error of this crate. Returns `None` for an error with
    /// another cause.
    #[must_use]
    pub fn of(error: &ArrowError) -> Option<&Self> {
        match error {
            ArrowError::ExternalError(source) => source.downcast_ref(),
            _ => None,
        }
    }

    /// Replaces the row of an error that is about a value. Keeps any other error.
    pub(crate) fn with_row(error: ArrowError, original: impl FnOnce(usize) -> usize) -> ArrowError {
        match Self::of(&error) {
            Some(invalid) => {
                let row = original(invalid.row);
                ArrowError::ExternalError(Box::new(Self { row, ..invalid.clone() }))
            }
            None => error,
        }
    }

    fn new(row: usize, error: DecodeError, value: &[u8]) -> Self {
        Self { row, error, excerpt: excerpt_of_bytes(value) }
    }
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}: '{}': {}", self.row, self.excerpt, self.error)
    }
}

// No source: `Display` already prints the inner error.
impl Error for InvalidValue {}

/// Why an array could not be converted.
#[derive(Debug)]
pub(crate) enum Failure {
    /// This row is invalid.
    Invalid { row: usize, error: DecodeError },
    /// The output exceeds the range of the array's offsets.
    TooLong,
    /// Another error of columns. Valid arrays do not cause it.
    Column(ColumnError),
    /// The array has no strings.
    Unsupported,
}

impl From<ColumnError> for Failure {
    fn from(error: ColumnError) -> Self {
        match error {
            ColumnError::Row(invalid) => Self::Invalid { row: invalid.row, error: invalid.error },
            ColumnError::TooLong { .. } => Self::TooLong,
            error => Self::Column(error),
        }
    }
}

impl Failure {
    /// Translates the row of the failure: row `row` was row `original(row)` of the original array.
    pub(crate) fn of_row(self, original: impl FnOnce(usize) -> usize) -> Self {
        match self {
            Self::Invalid { row, error } => Self::Invalid { row: original(row), error },
            failure => failure,
        }
    }

    /// The error to return for a failure of `array`.
    pub(crate) fn of(self, array: &dyn Array) -> ArrowError {
        match self {
            Self::Invalid { row, error } => {
                let value = bytes_of(array, row).unwrap_or_default();
                ArrowError::ExternalError(Box::new(InvalidValue::new(row, error, value)))
            }
            Self::TooLong => ArrowError::OffsetOverflowError(i32::MAX as usize),
            Self::Column(error) => ArrowError::ComputeError(error.to_string()),
            Self::Unsupported => ArrowError::InvalidArgumentError(format!(
                "expected strings, binary values or a dictionary of them, not {}",
                array.data_type()
            )),
        }
    }
}
