//! Converts arrays, and makes arrays of the results without validating UTF-8 again.
//!
//! The only file with unsafe code: `new_unchecked` of Arrow's arrays. Validating the values again
//! would take half of the time of decoding them. Tests: tests/convert.rs, which validates every
//! array completely, and tests/url.rs.
#![deny(unsafe_op_in_unsafe_fn)]

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{Array, ArrayRef, GenericByteArray, GenericByteViewArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::{ByteView, MAX_INLINE_VIEW_LEN};
use simdpct::columns::{Column, ColumnBuf, Conversion, Offset, OnError, Rewrite};
use simdpct::{Decoder, Encoder, Normalizer, columns};
use simdpct_functions::Value;

use crate::error::Failure;
use crate::view_search::rows_holding;

/// The conversion that a function of this crate applies to each value.
///
/// [`text`](Self::text) must convert text to text: each row of its output is well-formed UTF-8 if
/// each row of its input is. The functions below rely on that, so all implementations are in this
/// file.
pub(crate) trait Job {
    type Operation: Rewrite;

    /// The conversion of strings.
    fn text(&self) -> Conversion<Self::Operation>;

    /// The conversion of binary values.
    fn bytes(&self) -> Conversion<Self::Operation>;

    /// The conversion of values of type `V`.
    fn conversion<V: Value + ?Sized>(&self) -> Conversion<Self::Operation> {
        if V::IS_TEXT { self.text() } else { self.bytes() }
    }
}

pub(crate) struct Decode<'a> {
    pub(crate) decoder: &'a Decoder,
    pub(crate) on_error: OnError,
}

impl Job for Decode<'_> {
    type Operation = columns::Decode;

    fn text(&self) -> Conversion<columns::Decode> {
        Conversion::decode_utf8(self.decoder).on_error(self.on_error)
    }

    fn bytes(&self) -> Conversion<columns::Decode> {
        Conversion::decode(self.decoder).on_error(self.on_error)
    }
}

pub(crate) struct DecodeLossy<'a> {
    pub(crate) decoder: &'a Decoder,
    pub(crate) on_error: OnError,
}

impl Job for DecodeLossy<'_> {
    type Operation = columns::Decode;

    fn text(&self) -> Conversion<columns::Decode> {
        Conversion::decode_utf8_lossy(self.decoder).on_error(self.on_error)
    }

    /// A binary value may have any bytes, so nothing is replaced.
    fn bytes(&self) -> Conversion<columns::Decode> {
        Conversion::decode(self.decoder).on_error(self.on_error)
    }
}

pub(crate) struct DecodeJava {
    pub(crate) on_error: OnError,
}

impl Job for DecodeJava {
    type Operation = columns::Decode;

    fn text(&self) -> Conversion<columns::Decode> {
        Conversion::decode_java().on_error(self.on_error)
    }

    /// Text becomes text, because Java decodes to strings.
    fn bytes(&self) -> Conversion<columns::Decode> {
        self.text()
    }
}

pub(crate) struct Encode<'a> {
    pub(crate) encoder: &'a Encoder,
}

impl Job for Encode<'_> {
    type Operation = columns::Encode;

    /// The output is ASCII; with [`Encoder::keep_non_ascii`], it is UTF-8.
    fn text(&self) -> Conversion<columns::Encode> {
        Conversion::encode(self.encoder)
    }

    fn bytes(&self) -> Conversion<columns::Encode> {
        Conversion::encode(self.encoder)
    }
}

pub(crate) struct Normalize<'a> {
    pub(crate) normalizer: &'a Normalizer,
    pub(crate) on_error: OnError,
}

impl Job for Normalize<'_> {
    type Operation = columns::Normalize;

    /// A normalizer decodes only ASCII characters and keeps other bytes, so text remains text.
    fn text(&self) -> Conversion<columns::Normalize> {
        Conversion::normalize(self.normalizer).on_error(self.on_error)
    }

    fn bytes(&self) -> Conversion<columns::Normalize> {
        Conversion::normalize(self.normalizer).on_error(self.on_error)
    }
}

/// Converts an array with offsets, except the rows in `nulls`: the null rows of the array, and
/// possibly others. Returns `None` if nothing changes.
pub(crate) fn convert_offsets<T>(
    array: &GenericByteArray<T>,
    nulls: Option<&NullBuffer>,
    job: &impl Job,
) -> Result<Option<ArrayRef>, Failure>
where
    T: ByteArrayType<Offset: Offset, Native: Value>,
{
    let mut column = Column::new(array.value_data(), array.value_offsets())?;
    if let Some(nulls) = nulls {
        column = column.with_validity(nulls.validity(), nulls.offset())?;
    }
    let converted = job.conversion::<T::Native>().convert(&column)?;
    let Some(ColumnBuf { values, offsets, validity }) = converted.column else { return Ok(None) };
    let nulls = if converted.summary.invalid == 0 { nulls.cloned() } else { null_buffer(validity, array.len()) };
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let values = Buffer::from_vec(values);
    // SAFETY: the offsets are validated by `OffsetBuffer::new`, and the last one is the length of
    // the values (a property of `ColumnBuf`); there is one more than rows, as in the input, and so
    // in `nulls`. If `T` is a type of strings, each row is UTF-8: it was converted from UTF-8 by
    // `Job::text`.
    Ok(Some(Arc::new(unsafe { GenericByteArray::<T>::new_unchecked(offsets, values, nulls) })))
}

/// Maximum number of input bytes for one buffer. A byte may become three, and Arrow requires
/// offsets below `i32::MAX`.
const BUFFER_INPUT: usize = i32::MAX as usize / 3;

/// Converts an array of views. Unchanged rows keep their views and share the buffers of the input;
/// the output of the other rows is in new buffers.
pub(crate) fn convert_views<T>(
    array: &GenericByteViewArray<T>,
    nulls: Option<&NullBuffer>,
    job: &impl Job,
) -> Result<Option<ArrayRef>, Failure>
where
    T: ByteViewType<Native: Value>,
{
    convert_views_with_buffer_limit(array, nulls, job, BUFFER_INPUT)
}

/// [`convert_views`] with at most `buffer_input` bytes of input, or one row, for each new buffer.
pub(crate) fn convert_views_with_buffer_limit<T>(
    array: &GenericByteViewArray<T>,
    nulls: Option<&NullBuffer>,
    job: &impl Job,
    buffer_input: usize,
) -> Result<Option<ArrayRef>, Failure>
where
    T: ByteViewType<Native: Value>,
{
    let conversion = job.conversion::<T::Native>();
    let bytes = |row: usize| -> &[u8] { array.value(row).as_ref() };
    let triggers = if T::Native::IS_TEXT { conversion.triggers_in_text() } else { conversion.triggers() };
    let holding = rows_holding(array, nulls, &triggers);
    let mut views = Views::of(array);
    let mut is_changed = false;
    let mut rest = &holding[..];
    while !rest.is_empty() {
        let mut total = 0_usize;
        let fits = |&&row: &&usize| {
            total = total.saturating_add(bytes(row).len());
            total <= buffer_input
        };
        let (rows, others) = rest.split_at(rest.iter().take_while(fits).count().max(1));
        rest = others;
        let mut output = ColumnBuf::<i32>::new();
        let summary = conversion
            .append_rows(rows.iter().map(|&row| Some(bytes(row))), &mut output)
            .map_err(|error| Failure::from(error).of_row(|row| rows[row]))?;
        if summary.changed {
            is_changed = true;
            // If `T` is a type of strings, `Job::text` made the output.
            views.replace(rows, output)?;
        }
    }
    Ok(is_changed.then(|| views.finish(nulls)))
}

/// Maps each value to another, or to null. A result that is borrowed from its value shares the
/// input's buffers; other results are copied. Returns `None` if nothing changes.
pub(crate) fn map_views<T>(
    array: &GenericByteViewArray<T>,
    map: impl for<'v> Fn(&'v T::Native) -> Option<Cow<'v, T::Native>>,
) -> Option<ArrayRef>
where
    T: ByteViewType<Native: Value>,
{
    map_views_with_buffer_limit(array, map, i32::MAX as usize)
}

/// [`map_views`] with new buffers of at most `buffer_length` bytes, or one value.
pub(crate) fn map_views_with_buffer_limit<T>(
    array: &GenericByteViewArray<T>,
    map: impl for<'v> Fn(&'v T::Native) -> Option<Cow<'v, T::Native>>,
    buffer_length: usize,
) -> Option<ArrayRef>
where
    T: ByteViewType<Native: Value>,
{
    let mut views = Views::of(array);
    let mut is_changed = false;
    // Collects the values that are not in a buffer of the input.
    let mut new = Vec::new();
    for row in (0..array.len()).filter(|&row| array.is_valid(row)) {
        let value = array.value(row);
        let mapped = map(value);
        let Some(mapped) = mapped.as_deref() else {
            views.set_null(row);
            is_changed = true;
            continue;
        };
        let skipped = place_in(mapped.as_ref(), value.as_ref());
        if skipped == Some(0) && mapped.as_ref().len() == value.as_ref().len() {
            continue;
        }
        is_changed = true;
        if let Some(skipped) = skipped {
            views.narrow(row, mapped, skipped);
        } else {
            if new.len() + mapped.as_ref().len() > buffer_length && !new.is_empty() {
                views.new_buffers.push(Buffer::from_vec(std::mem::take(&mut new)));
            }
            views.append(row, mapped, &mut new);
        }
    }
    views.new_buffers.push(Buffer::from_vec(new));
    is_changed.then(|| views.finish(array.nulls()))
}

/// Returns the offset of `part` in `value`, or `None` if `part` does not lie in the memory of
/// `value`.
fn place_in(part: &[u8], value: &[u8]) -> Option<usize> {
    let skipped = (part.as_ptr() as usize).checked_sub(value.as_ptr() as usize)?;
    (skipped.checked_add(part.len())? <= value.len()).then_some(skipped)
}

/// The views of a new array; initially copied from an array.
///
/// Each view refers to a value of type `T::Native`, inline or within one of the buffers.
struct Views<'a, T: ByteViewType> {
    array: &'a GenericByteViewArray<T>,
    views: Vec<u128>,
    /// Buffers added to the array's buffers.
    new_buffers: Vec<Buffer>,
    /// Rows that were set to null.
    new_nulls: Vec<usize>,
}

impl<'a, T: ByteViewType<Native: Value>> Views<'a, T> {
    fn of(array: &'a GenericByteViewArray<T>) -> Self {
        Self { array, views: array.views().to_vec(), new_buffers: Vec::new(), new_nulls: Vec::new() }
    }

    /// The index of the next new buffer. Arrow's indices have 32 bits, and 2^32 buffers do not fit
    /// in memory.
    fn next_buffer(&self) -> u32 {
        (self.array.data_buffers().len() + self.new_buffers.len()) as u32
    }

    /// Replaces `rows` by the rows of `output`, each of which must be UTF-8 if `T` is a type of
    /// strings.
    fn replace(&mut self, rows: &[usize], output: ColumnBuf<i32>) -> Result<(), Failure> {
        let index = self.next_buffer();
        let column = output.as_column()?;
        for (number, &row) in rows.iter().enumerate() {
            match column.row(number) {
                // Not negative: validated by `as_column`.
                Some(value) => self.views[row] = view(value, index, output.offsets[number].cast_unsigned()),
                None => self.set_null(row),
            }
        }
        self.new_buffers.push(Buffer::from_vec(output.values));
        Ok(())
    }

    /// Replaces the value of a row by its part from offset `skipped` on.
    fn narrow(&mut self, row: usize, part: &T::Native, skipped: usize) {
        let old = ByteView::from(self.array.views()[row]);
        // If the part has more than 12 bytes, so has the value, which is therefore in a buffer.
        self.views[row] = view(part.as_ref(), old.buffer_index, old.offset.wrapping_add(skipped as u32));
    }

    /// Replaces the value of a row by one in `new`, which will be the next buffer.
    fn append(&mut self, row: usize, value: &T::Native, new: &mut Vec<u8>) {
        self.views[row] = view(value.as_ref(), self.next_buffer(), new.len() as u32);
        if value.as_ref().len() > MAX_INLINE_VIEW_LEN as usize {
            new.extend_from_slice(value.as_ref());
        }
    }

    fn set_null(&mut self, row: usize) {
        self.views[row] = 0;
        self.new_nulls.push(row);
    }

    /// Builds the array. `nulls` contains the null rows of the input, and possibly others.
    fn finish(self, nulls: Option<&NullBuffer>) -> ArrayRef {
        let nulls = if self.new_nulls.is_empty() {
            nulls.cloned()
        } else {
            let mut bits = vec![0xFF; self.array.len().div_ceil(8)];
            self.new_nulls.iter().for_each(|row| bits[row / 8] &= !(1 << (row % 8)));
            NullBuffer::union(nulls, null_buffer(Some(bits), self.array.len()).as_ref())
        };
        let buffers: Arc<[Buffer]> = self.array.data_buffers().iter().cloned().chain(self.new_buffers).collect();
        let views = ScalarBuffer::from(self.views);
        // SAFETY: there are as many views as rows in the array, and so in `nulls`. Each view is one
        // of three: a view of the array, whose buffers keep their places; a view that `view` made
        // of a value at its place, in a new buffer (`replace`, `append`) or in a buffer of the
        // array (`narrow`); or zero, the view of an empty value. If `T` is a type of strings, all
        // values are UTF-8: `replace` requires it, and the other methods take a `str`.
        Arc::new(unsafe { GenericByteViewArray::<T>::new_unchecked(views, buffers, nulls) })
    }
}

/// The view of a value: inline if it is short, else at `offset` in the buffer.
fn view(value: &[u8], buffer_index: u32, offset: u32) -> u128 {
    // A value in an array of views, and in a column with offsets of 32 bits, is shorter than 2^32.
    let length = value.len() as u32;
    if length <= MAX_INLINE_VIEW_LEN {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes[4..4 + value.len()].copy_from_slice(value);
        u128::from_le_bytes(bytes)
    } else {
        ByteView::new(length, &value[..4]).with_buffer_index(buffer_index).with_offset(offset).as_u128()
    }
}

fn null_buffer(bitmap: Option<Vec<u8>>, rows: usize) -> Option<NullBuffer> {
    bitmap.map(|bitmap| NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(bitmap), 0, rows)))
}

#[cfg(test)]
mod tests {
    use arrow_array::StringViewArray;
    use arrow_array::cast::AsArray;

    use super::*;

    /// Values longer than a view, so that each is stored in a buffer.
    const ROWS: [&str; 4] =
        ["%41 in the first long row", "%42 in the second long row", "kept", "%43 in the third long row"];

    #[test]
    fn output_longer_than_a_buffer_is_in_several() {
        let array = StringViewArray::from(ROWS.to_vec());
        let job = Decode { decoder: &Decoder::new(), on_error: OnError::Refuse };
        for (limit, buffers) in [(1, 3), (ROWS[0].len() + ROWS[1].len(), 2), (1000, 1)] {
            let decoded = convert_views_with_buffer_limit(&array, None, &job, limit).unwrap().unwrap();
            decoded.to_data().validate_full().unwrap();
            let decoded = decoded.as_string_view();
            assert_eq!(decoded.data_buffers().len(), array.data_buffers().len() + buffers);
            let expected = ["A in the first long row", "B in the second long row", "kept", "C in the third long row"];
            assert!(decoded.iter().flatten().eq(expected));
        }
    }

    #[test]
    fn error_of_later_buffer_is_of_row_of_input() {
        let array = StringViewArray::from(vec!["plain", "%41", "plain", "%42", "%"]);
        let job = Decode { decoder: &Decoder::new(), on_error: OnError::Refuse };
        let failure = convert_views_with_buffer_limit(&array, None, &job, 1).unwrap_err();
        assert!(matches!(failure, Failure::Invalid { row: 4, .. }), "{failure:?}");
    }

    #[test]
    fn mapped_values_longer_than_a_buffer_are_in_several() {
        let array = StringViewArray::from(ROWS.to_vec());
        for limit in [1, 60, 1000] {
            let mapped =
                map_views_with_buffer_limit(&array, |value| Some(Cow::Owned(value.to_uppercase())), limit).unwrap();
            mapped.to_data().validate_full().unwrap();
            assert!(
                mapped.as_string_view().iter().flatten().eq(ROWS.map(str::to_uppercase).iter().map(String::as_str))
            );
        }
    }

    /// An encoder returns a borrowed constant for a value of one byte.
    #[test]
    fn borrowed_value_from_elsewhere_is_copied() {
        let array = StringViewArray::from(vec!["!", "another value"]);
        let mapped = map_views(&array, |_| Some(Cow::Borrowed("a constant that is not in the value"))).unwrap();
        mapped.to_data().validate_full().unwrap();
        assert!(mapped.as_string_view().iter().flatten().all(|value| value == "a constant that is not in the value"));
    }
}
