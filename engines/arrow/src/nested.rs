//! Lists, maps and structures of the parts of URLs.
//!
//! Their values are `Utf8` for arrays of strings of any layout, and `Binary` for arrays of binary
//! values.
#![forbid(unsafe_code)]

use std::sync::Arc;

use arrow_array::builder::GenericByteBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, ByteArrayType, Utf8Type};
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use simdpct::uri::Part;
use simdpct_functions::{Value, query_map as pairs_in, url_parts};

use crate::each::unpacked;
use crate::error::Failure;

/// Lists the decoded names in the query of each URL, each once, in their order. Queries are read as
/// forms (WHATWG URL 5.1). Null stays null.
///
/// # Errors
///
/// Returns the errors of the [crate].
///
/// ```
/// use arrow_array::{Array, StringArray, cast::AsArray};
///
/// let keys = simdpct_arrow::query_keys(&StringArray::from(vec![Some("/?b=1&a%20c&b"), None]))?;
/// assert_eq!(keys.value(0).as_string::<i32>(), &StringArray::from(vec!["b", "a c"]));
/// assert!(keys.is_null(1));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn query_keys(array: &dyn Array) -> Result<ListArray, ArrowError> {
    let DataType::List(item) = list_type(array.data_type()) else { unreachable!("it is the type of lists") };
    let array = unpacked(array)?;
    let pairs = pairs(&array).map_err(|failure| failure.of(&array))?;
    ListArray::try_new(item, pairs.offsets, pairs.names, pairs.nulls)
}

/// Maps the decoded names in the query of each URL to their values. Queries are read as forms
/// (WHATWG URL 5.1). The first pair with a name counts. Null stays null.
///
/// # Errors
///
/// Returns the errors of the [crate].
///
/// ```
/// use arrow_array::{StringArray, cast::AsArray};
///
/// let maps = simdpct_arrow::query_map(&StringArray::from(vec!["/?a=1&b=%25&a=2"]))?;
/// assert_eq!(maps.keys().as_string::<i32>(), &StringArray::from(vec!["a", "b"]));
/// assert_eq!(maps.values().as_string::<i32>(), &StringArray::from(vec!["1", "%"]));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn query_map(array: &dyn Array) -> Result<MapArray, ArrowError> {
    let DataType::Map(entry, _) = map_type(array.data_type()) else { unreachable!("it is the type of maps") };
    let DataType::Struct(fields) = entry.data_type() else { unreachable!("entries are structures") };
    let array = unpacked(array)?;
    let pairs = pairs(&array).map_err(|failure| failure.of(&array))?;
    let entries = StructArray::try_new(fields.clone(), vec![pairs.names, pairs.values], None)?;
    MapArray::try_new(entry, pairs.offsets, entries, pairs.nulls, false)
}

/// All parts of each URL as written, in the order of [`Part::ALL`]. A part that the URL does not
/// have is null. Null stays null.
///
/// # Errors
///
/// Returns the errors of the [crate].
///
/// ```
/// use arrow_array::{Array, StringArray, cast::AsArray};
///
/// let parts = simdpct_arrow::parts(&StringArray::from(vec!["http://h:80/a"]))?;
/// assert_eq!(parts.column_by_name("host").unwrap().as_string::<i32>().value(0), "h");
/// assert!(parts.column_by_name("query").unwrap().is_null(0));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn parts(array: &dyn Array) -> Result<StructArray, ArrowError> {
    let DataType::Struct(fields) = parts_type(array.data_type()) else { unreachable!("it is the type of parts") };
    let array = unpacked(array)?;
    let columns = Rows::of(&array).and_then(|rows| match rows {
        Rows::Texts(rows) => parts_of::<Utf8Type>(&rows),
        Rows::Bytes(rows) => parts_of::<BinaryType>(&rows),
    });
    let columns = columns.map_err(|failure| failure.of(&array))?;
    StructArray::try_new(fields, columns, array.logical_nulls().filter(|nulls| nulls.null_count() > 0))
}

/// The type of the values for arrays of this type.
fn value_type(input: &DataType) -> DataType {
    match input {
        DataType::Dictionary(_, values) => value_type(values),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
        _ => DataType::Utf8,
    }
}

/// The type of lists of an array of this type.
pub(crate) fn list_type(input: &DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(value_type(input), true)))
}

/// The type of maps of an array of this type.
pub(crate) fn map_type(input: &DataType) -> DataType {
    let fields = [Field::new("keys", value_type(input), false), Field::new("values", value_type(input), true)];
    DataType::Map(Arc::new(Field::new("entries", DataType::Struct(fields.into_iter().collect()), false)), false)
}

/// The type of structures of an array of this type.
pub(crate) fn parts_type(input: &DataType) -> DataType {
    let field = |part: &Part| Field::new(part.name(), value_type(input), true);
    DataType::Struct(Part::ALL.iter().map(field).collect::<Fields>())
}

/// The values of the rows of an array.
enum Rows<'a> {
    Texts(Vec<Option<&'a str>>),
    Bytes(Vec<Option<&'a [u8]>>),
}

impl<'a> Rows<'a> {
    fn of(array: &'a dyn Array) -> Result<Self, Failure> {
        Ok(match array.data_type() {
            DataType::Utf8 => Self::Texts(array.as_string::<i32>().iter().collect()),
            DataType::LargeUtf8 => Self::Texts(array.as_string::<i64>().iter().collect()),
            DataType::Utf8View => Self::Texts(array.as_string_view().iter().collect()),
            DataType::Binary => Self::Bytes(array.as_binary::<i32>().iter().collect()),
            DataType::LargeBinary => Self::Bytes(array.as_binary::<i64>().iter().collect()),
            DataType::BinaryView => Self::Bytes(array.as_binary_view().iter().collect()),
            _ => return Err(Failure::Unsupported),
        })
    }
}

/// Collects strings or binary values.
struct Builder<T: ByteArrayType<Offset = i32>>(GenericByteBuilder<T>);

impl<T: ByteArrayType<Offset = i32>> Builder<T> {
    fn new() -> Self {
        Self(GenericByteBuilder::new())
    }

    fn append(&mut self, value: Option<&T::Native>) -> Result<(), Failure> {
        let Some(value) = value else {
            self.0.append_null();
            return Ok(());
        };
        let bytes: &[u8] = value.as_ref();
        // Otherwise the builder would panic.
        if i32::try_from(self.0.values_slice().len() + bytes.len()).is_err() {
            return Err(Failure::TooLong);
        }
        self.0.append_value(value);
        Ok(())
    }

    fn finish(mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

/// The pairs of the queries of all rows, one after the other.
struct Pairs {
    names: ArrayRef,
    values: ArrayRef,
    /// Where the pairs of each row start.
    offsets: OffsetBuffer<i32>,
    nulls: Option<NullBuffer>,
}

fn pairs(array: &dyn Array) -> Result<Pairs, Failure> {
    match Rows::of(array)? {
        Rows::Texts(rows) => pairs_of::<Utf8Type>(&rows),
        Rows::Bytes(rows) => pairs_of::<BinaryType>(&rows),
    }
}

fn pairs_of<T>(rows: &[Option<&T::Native>]) -> Result<Pairs, Failure>
where
    T: ByteArrayType<Offset = i32, Native: Value>,
{
    let (mut names, mut values) = (Builder::<T>::new(), Builder::<T>::new());
    let mut offsets = vec![0];
    let mut end = 0_i32;
    for row in rows {
        for (name, value) in row.map(pairs_in).unwrap_or_default() {
            names.append(Some(&*name))?;
            values.append(Some(&*value))?;
            end = end.checked_add(1).ok_or(Failure::TooLong)?;
        }
        offsets.push(end);
    }
    let offsets = OffsetBuffer::new(offsets.into());
    let nulls = rows.iter().any(Option::is_none).then(|| rows.iter().map(Option::is_some).collect());
    Ok(Pairs { names: names.finish(), values: values.finish(), offsets, nulls })
}

/// A column for each part.
fn parts_of<T>(rows: &[Option<&T::Native>]) -> Result<Vec<ArrayRef>, Failure>
where
    T: ByteArrayType<Offset = i32, Native: Value>,
{
    let mut columns: Vec<Builder<T>> = Part::ALL.iter().map(|_| Builder::new()).collect();
    for row in rows {
        match row {
            Some(url) => {
                columns.iter_mut().zip(url_parts(*url)).try_for_each(|(column, (_, part))| column.append(part))?;
            }
            None => columns.iter_mut().try_for_each(|column| column.append(None))?,
        }
    }
    Ok(columns.into_iter().map(Builder::finish).collect())
}
