//! Operations that extract a part of each row: parts of URIs, and values of queries and forms.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::codecs::Operate;
use super::rows::{Codec, Marking, Ranks, Sink};
use super::{ColumnError, Conversion, Offset, Operation};
use crate::byteset::ByteSet;
use crate::error::DecodeError;
use crate::form;
use crate::level::Level;
use crate::uri::{self, Part};

/// Extracts a part of each URI; see [`Conversion::uri_part`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct UriPart {
    part: Part,
}

/// Extracts the value of a name in each query or form; see [`Conversion::query_value`] and
/// [`Conversion::form_value`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FormValue<'n> {
    name: &'n str,
    /// The row is a URI, and its query is the form.
    in_query: bool,
}

impl Operation for UriPart {}
impl Operation for FormValue<'_> {}

impl Conversion<UriPart> {
    /// Extracts a part of each URI, raw, as [`uri::part`]. The row is null if the part is
    /// missing. No row is invalid.
    ///
    /// If rows are views, as in Arrow's `Utf8View`, apply [`uri::part`] to each instead: the result
    /// is a part of the row, and so another view of the same buffer.
    ///
    /// ```
    /// use simdpct::columns::{ColumnBuf, Conversion};
    /// use simdpct::uri::Part;
    ///
    /// let mut hosts = ColumnBuf::<i32>::new();
    /// let urls = [Some("http://example.com/a"), Some("/a"), None, Some("file:///a")];
    /// Conversion::uri_part(Part::Host).append_rows(urls, &mut hosts)?;
    /// assert_eq!((hosts.values, hosts.offsets), (b"example.com".to_vec(), vec![0, 11, 11, 11, 11]));
    /// assert_eq!(hosts.validity, Some(vec![0b1001]));
    /// # Ok::<(), simdpct::columns::ColumnError>(())
    /// ```
    pub const fn uri_part(part: Part) -> Self {
        Self::new(UriPart { part })
    }
}

impl<'n> Conversion<FormValue<'n>> {
    /// Extracts the decoded value of the first pair with this name from the query of each URI, as
    /// [`form::parse_lossy`](crate::form::parse_lossy) of [`Part::Query`]. The row is null if there
    /// is none. No row is invalid, and the output is well-formed UTF-8.
    ///
    /// ```
    /// use simdpct::columns::{Column, Conversion};
    ///
    /// let column = Column::new(b"/a?x=1&%71=fish+%26+chips&q=2#q=3/b", &[0_i32, 33, 35])?;
    /// let values = Conversion::query_value("q").convert(&column)?.column.unwrap();
    /// assert_eq!((values.values, values.offsets), (b"fish & chips".to_vec(), vec![0, 12, 12]));
    /// assert_eq!(values.validity, Some(vec![0b01]));
    /// # Ok::<(), simdpct::columns::ColumnError>(())
    /// ```
    pub const fn query_value(name: &'n str) -> Self {
        Self::new(FormValue { name, in_query: true })
    }

    /// Like [`query_value`](Self::query_value), for rows that are queries without `?`, or forms.
    pub const fn form_value(name: &'n str) -> Self {
        Self::new(FormValue { name, in_query: false })
    }
}

/// The result of an extracting operation for a row.
pub trait Extract {
    /// The output of a row; `None` if it is null.
    fn extract<'r>(&self, row: &'r [u8]) -> Option<Cow<'r, [u8]>>;
}

impl Extract for UriPart {
    fn extract<'r>(&self, row: &'r [u8]) -> Option<Cow<'r, [u8]>> {
        uri::part(row, self.part).map(Cow::Borrowed)
    }
}

impl Extract for FormValue<'_> {
    fn extract<'r>(&self, row: &'r [u8]) -> Option<Cow<'r, [u8]>> {
        let form = if self.in_query { uri::part(row, Part::Query)? } else { row };
        let value = form::parse_lossy(form).get(self.name)?;
        Some(match value {
            Cow::Borrowed(value) => Cow::Borrowed(value.as_bytes()),
            Cow::Owned(value) => Cow::Owned(value.into_bytes()),
        })
    }
}

impl<E: Extract> Operate for E {
    type Codec<'a>
        = Extracting<'a, E>
    where
        E: 'a;

    fn codec(&self) -> Extracting<'_, E> {
        Extracting(self)
    }

    fn level(&self) -> Option<Level> {
        None
    }

    fn triggers(&self, _: bool) -> Option<ByteSet> {
        // Even an empty row may become null.
        None
    }
}

/// Processes rows one by one: the output of each depends on where the row begins.
pub struct Extracting<'a, E>(&'a E);

impl<E: Extract> Codec for Extracting<'_, E> {
    fn length_delta_per_mark(&self) -> usize {
        0
    }

    fn reads_triplets(&self) -> bool {
        false
    }

    fn mark(&self, _: &[u8], _: impl Iterator<Item = usize>, _: &mut Ranks) -> Marking {
        Marking::Unusable
    }

    fn mark_exactly(&self, _: &[u8], _: &mut Ranks) {}

    fn append(&self, rows: &[u8], output: &mut Vec<u8>) -> Result<(), DecodeError> {
        output.extend_from_slice(rows);
        Ok(())
    }

    #[inline]
    fn append_row<O: Offset>(
        &mut self,
        sink: &mut Sink<'_, '_, O>,
        row: usize,
        bytes: &[u8],
    ) -> Result<(), ColumnError> {
        match self.0.extract(bytes) {
            Some(value) => sink.output.values.extend_from_slice(&value),
            None => sink.set_null(row),
        }
        Ok(())
    }
}
