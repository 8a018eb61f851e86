//! Arrays of strings and binary values, and dictionaries of them.
#![forbid(unsafe_code)]

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{GenericByteBuilder, GenericByteViewBuilder, PrimitiveBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, BinaryType, BinaryViewType, ByteArrayType, LargeBinaryType, LargeUtf8Type, StringViewType,
    Utf8Type,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, downcast_dictionary_array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{ArrowError, DataType};

use crate::columnar::value::Converter;
use crate::operation::Fault;

/// Whether values of this type are processed.
pub(super) fn is_supported(data_type: &DataType) -> bool {
    matches!(
        values_of(data_type),
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
    )
}

/// Whether values of this type are UTF-8.
pub(super) fn is_text(data_type: &DataType) -> bool {
    matches!(values_of(data_type), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The type of the values, of a dictionary that of those in it.
fn values_of(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values,
        data_type => data_type,
    }
}

/// The results for an array. A dictionary has one for each of its values, whether or not a row has
/// it.
pub(super) struct Results<'a> {
    array: &'a ArrayRef,
    /// The array, or the values of the dictionary.
    values: &'a ArrayRef,
    /// Of a dictionary: for each row, the number of its value.
    keys: Option<Vec<usize>>,
    /// For each value, its result in `output` if that is another one.
    changed: Vec<Option<Range<usize>>>,
    output: Vec<u8>,
    /// For each value, its fault.
    faults: Vec<Option<Fault>>,
    has_faults: bool,
}

/// What a row has that is not converted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Unconverted {
    /// Its old value.
    Old,
    Null,
}

impl<'a> Results<'a> {
    pub(super) fn of(array: &'a ArrayRef, converter: &Converter<'_>) -> Result<Self, ArrowError> {
        let dictionary = array.as_any_dictionary_opt();
        let values = dictionary.map_or(array, |dictionary| dictionary.values());
        let keys = dictionary.map(|dictionary| match values.is_empty() {
            // All rows are null.
            true => vec![0; array.len()],
            false => dictionary.normalized_keys(),
        });
        let mut changed = Vec::with_capacity(values.len());
        let mut faults = Vec::with_capacity(values.len());
        let mut output = Vec::new();
        for at in 0..values.len() {
            let start = output.len();
            let (is_changed, fault) = match value(values, at)? {
                None => (false, None),
                Some(value) => converter.apply(value, &mut output),
            };
            changed.push(is_changed.then_some(start..output.len()));
            faults.push(fault);
        }
        let has_faults = faults.iter().any(Option::is_some);
        Ok(Self { array, values, keys, changed, output, faults, has_faults })
    }

    /// The result of a row; `None` if it is null.
    pub(super) fn of_row(&self, row: usize) -> Option<&[u8]> {
        if self.array.is_null(row) {
            return None;
        }
        let at = self.keys.as_ref().map_or(row, |keys| keys[row]);
        match &self.changed[at] {
            Some(range) => Some(&self.output[range.clone()]),
            None => value(self.values, at).ok().flatten(),
        }
    }

    /// Whether a value is invalid. Of a dictionary, perhaps no row has it.
    pub(super) fn has_faults(&self) -> bool {
        self.has_faults
    }

    /// Calls `each` with every invalid row, its fault and its value.
    pub(super) fn each_fault(&self, mut each: impl FnMut(usize, Fault, &[u8])) {
        if !self.has_faults {
            return;
        }
        for row in (0..self.array.len()).filter(|&row| self.array.is_valid(row)) {
            let at = self.keys.as_ref().map_or(row, |keys| keys[row]);
            if let Some(fault) = self.faults[at] {
                each(row, fault, value(self.values, at).ok().flatten().unwrap_or_default());
            }
        }
    }

    /// Returns the array with its values replaced by the results. The rows in `except`, a sorted
    /// list, keep their old values; in a dictionary, only with `keeps_old`, which appends the old
    /// values after the results. All batches of a file must pass the same `keeps_old`, because the
    /// file has a single dictionary.
    ///
    /// `None` if nothing changes.
    pub(super) fn replaced(&self, except: &[u64], keeps_old: bool) -> Result<Option<ArrayRef>, ArrowError> {
        if self.changed.iter().all(Option::is_none) {
            return Ok(None);
        }
        match self.keys {
            None => self.built(except, Unconverted::Old).map(Some),
            Some(_) => {
                let results = self.built(&[], Unconverted::Old)?;
                if !keeps_old {
                    return self.dictionary(results, |_, key| Some(key)).map(Some);
                }
                let values = arrow_select::concat::concat(&[&results, self.values])?;
                let is_excepted = |row: usize| except.binary_search(&(row as u64)).is_ok();
                let old = self.values.len();
                self.dictionary(values, |row, key| Some(if is_excepted(row) { old + key } else { key })).map(Some)
            }
        }
    }

    /// The results as an array. The rows of a sorted list are null.
    pub(super) fn appended(&self, except: &[u64]) -> Result<ArrayRef, ArrowError> {
        match self.keys {
            None => self.built(except, Unconverted::Null),
            Some(_) => {
                let results = self.built(&[], Unconverted::Old)?;
                let is_excepted = |row: usize| except.binary_search(&(row as u64)).is_ok();
                self.dictionary(results, |row, key| (!is_excepted(row)).then_some(key))
            }
        }
    }

    /// A dictionary with these values, and other keys.
    fn dictionary(
        &self,
        values: ArrayRef,
        key: impl Fn(usize, usize) -> Option<usize>,
    ) -> Result<ArrayRef, ArrowError> {
        let array = &**self.array;
        downcast_dictionary_array!(
            array => rekeyed(array, values, key),
            other => Err(ArrowError::CastError(format!("{other} is not a dictionary")))
        )
    }

    /// An array of the results, except for the values of a sorted list.
    fn built(&self, except: &[u64], unconverted: Unconverted) -> Result<ArrayRef, ArrowError> {
        match self.values.data_type() {
            DataType::Utf8 => self.text::<Utf8Type>(except, unconverted),
            DataType::LargeUtf8 => self.text::<LargeUtf8Type>(except, unconverted),
            DataType::Utf8View => self.text_views(except, unconverted),
            DataType::Binary => self.binary::<BinaryType>(except, unconverted),
            DataType::LargeBinary => self.binary::<LargeBinaryType>(except, unconverted),
            DataType::BinaryView => self.binary_views(except, unconverted),
            other => Err(ArrowError::CastError(format!("{other} is no type of strings"))),
        }
    }

    /// Calls `append` with each value of the result.
    fn each<'s>(
        &'s self,
        except: &[u64],
        unconverted: Unconverted,
        mut append: impl FnMut(Option<&'s [u8]>),
    ) -> Result<(), ArrowError> {
        for at in 0..self.values.len() {
            let is_excepted = !except.is_empty() && except.binary_search(&(at as u64)).is_ok();
            append(match (value(self.values, at)?, &self.changed[at]) {
                (Some(_), _) if is_excepted && unconverted == Unconverted::Null => None,
                (Some(_), Some(range)) if !is_excepted => Some(&self.output[range.clone()]),
                (old, _) => old,
            });
        }
        Ok(())
    }

    fn text<T: ByteArrayType<Native = str>>(
        &self,
        except: &[u64],
        unconverted: Unconverted,
    ) -> Result<ArrayRef, ArrowError> {
        let mut builder = GenericByteBuilder::<T>::with_capacity(self.values.len(), self.output.len());
        self.each(except, unconverted, |value| builder.append_option(value.map(text)))?;
        Ok(Arc::new(builder.finish()))
    }

    fn binary<T: ByteArrayType<Native = [u8]>>(
        &self,
        except: &[u64],
        unconverted: Unconverted,
    ) -> Result<ArrayRef, ArrowError> {
        let mut builder = GenericByteBuilder::<T>::with_capacity(self.values.len(), self.output.len());
        self.each(except, unconverted, |value| builder.append_option(value))?;
        Ok(Arc::new(builder.finish()))
    }

    fn text_views(&self, except: &[u64], unconverted: Unconverted) -> Result<ArrayRef, ArrowError> {
        let mut builder = GenericByteViewBuilder::<StringViewType>::with_capacity(self.values.len());
        self.each(except, unconverted, |value| builder.append_option(value.map(text)))?;
        Ok(Arc::new(builder.finish()))
    }

    fn binary_views(&self, except: &[u64], unconverted: Unconverted) -> Result<ArrayRef, ArrowError> {
        let mut builder = GenericByteViewBuilder::<BinaryViewType>::with_capacity(self.values.len());
        self.each(except, unconverted, |value| builder.append_option(value))?;
        Ok(Arc::new(builder.finish()))
    }
}

/// The dictionary with other values and keys: `key` maps a row and its key.
fn rekeyed<K: ArrowDictionaryKeyType>(
    array: &DictionaryArray<K>,
    values: ArrayRef,
    key: impl Fn(usize, usize) -> Option<usize>,
) -> Result<ArrayRef, ArrowError> {
    let mut keys = PrimitiveBuilder::<K>::with_capacity(array.len()).with_data_type(K::DATA_TYPE);
    for (row, old) in array.keys().iter().enumerate() {
        let new = old.and_then(|old| key(row, old.as_usize()));
        match new.map(K::Native::from_usize) {
            None => keys.append_null(),
            Some(Some(new)) => keys.append_value(new),
            Some(None) => return Err(ArrowError::DictionaryKeyOverflowError),
        }
    }
    Ok(Arc::new(DictionaryArray::try_new(keys.finish(), values)?))
}

/// A value that is UTF-8: one of a text column, or a result for one.
fn text(value: &[u8]) -> &str {
    // Checked once more, because the builders take text. A converter returns nothing else.
    simdutf8::basic::from_utf8(value).unwrap_or_default()
}

/// The bytes of a value; `None` if it is null.
fn value(array: &ArrayRef, at: usize) -> Result<Option<&[u8]>, ArrowError> {
    if array.is_null(at) {
        return Ok(None);
    }
    Ok(Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(at).as_bytes(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(at).as_bytes(),
        DataType::Utf8View => array.as_string_view().value(at).as_bytes(),
        DataType::Binary => array.as_binary::<i32>().value(at),
        DataType::LargeBinary => array.as_binary::<i64>().value(at),
        DataType::BinaryView => array.as_binary_view().value(at),
        other => return Err(ArrowError::CastError(format!("{other} is no type of strings"))),
    }))
}
