//! The border to DuckDB: its vectors as slices, and its callbacks.
//!
//! The only file with unsafe code. Everything else sees [`Strings`], [`Numbers`], [`StringOutput`]
//! and [`Plain`] slices. DuckDB passes flat vectors to functions of its C interface; the pointers
//! are valid during a call. Tests: tests/test_extension.py.
//!
//! # Safety
//!
//! The functions that DuckDB calls rely on its C interface: handles are valid until they return.
//! No panic leaves them.

use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null;
use std::slice;
use std::sync::OnceLock;

use libduckdb_sys::{
    DUCKDB_TYPE_DUCKDB_TYPE_BLOB, DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN, DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER,
    DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR, duckdb_add_scalar_function_to_set, duckdb_connect, duckdb_connection,
    duckdb_create_list_type, duckdb_create_logical_type, duckdb_create_map_type, duckdb_create_scalar_function,
    duckdb_create_scalar_function_set, duckdb_create_struct_type, duckdb_data_chunk,
    duckdb_data_chunk_get_column_count, duckdb_data_chunk_get_size, duckdb_data_chunk_get_vector,
    duckdb_destroy_logical_type, duckdb_destroy_scalar_function, duckdb_destroy_scalar_function_set, duckdb_disconnect,
    duckdb_ext_api_v1, duckdb_extension_access, duckdb_extension_info, duckdb_function_info, duckdb_list_entry,
    duckdb_list_vector_get_child, duckdb_list_vector_reserve, duckdb_list_vector_set_size, duckdb_logical_type,
    duckdb_register_scalar_function_set, duckdb_rs_extension_api_init, duckdb_scalar_function_add_parameter,
    duckdb_scalar_function_get_extra_info, duckdb_scalar_function_set_error, duckdb_scalar_function_set_extra_info,
    duckdb_scalar_function_set_function, duckdb_scalar_function_set_name, duckdb_scalar_function_set_return_type,
    duckdb_scalar_function_set_volatile, duckdb_state_DuckDBSuccess, duckdb_string_t, duckdb_struct_vector_get_child,
    duckdb_unsafe_vector_assign_string_element_len, duckdb_vector, duckdb_vector_assign_string_element_len,
    duckdb_vector_ensure_validity_writable, duckdb_vector_get_data, duckdb_vector_get_validity,
    duckdb_vector_reference_vector,
};

use simdpct::uri::Part;
use simdpct_functions::Function;

use crate::apply::{self, Item, Pairs, Returns, Takes};

/// Minimum version of DuckDB's C interface: the first version with all functions that the extension
/// calls. An older DuckDB refuses the extension. `engines/duckdb/build` writes the same version.
const API_VERSION: &str = "v1.2.0";

/// The first version of DuckDB whose interface has all functions of the bindings, in the same
/// order.
const COMPLETE: (u32, u32, u32) = (1, 5, 6);

/// Number of bytes at the start of the interface that are the same in all versions. They include
/// every function that the extension calls.
const COMMON: usize = offset_of!(duckdb_ext_api_v1, duckdb_register_scalar_function_set) + size_of::<fn()>();

/// The interface of the DuckDB that loads the extension. Functions that it lacks are `None`.
static API: OnceLock<Api> = OnceLock::new();

/// A copy of DuckDB's structure.
struct Api {
    functions: Box<duckdb_ext_api_v1>,
    /// Whether the copy has all functions of the bindings.
    is_complete: bool,
    /// Whether DuckDB calls functions for values of a dictionary that no row of the query has.
    converts_dictionaries: bool,
}

// SAFETY: the structure contains functions only, and is never written again. Tests:
// tests/test_extension.py.
unsafe impl Send for Api {}
// SAFETY: as above. Tests: tests/test_extension.py.
unsafe impl Sync for Api {}

/// Whether DuckDB's interface has all functions of the bindings.
fn is_complete() -> bool {
    API.get().is_some_and(|api| api.is_complete)
}

/// The numbers of a version such as `v1.5.6` or `v1.6.0-dev1`.
fn version_numbers(version: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = version.strip_prefix('v')?.splitn(3, '.');
    let patch = |text: &str| text.split_once('-').map_or(text, |(number, _)| number).parse().ok();
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?, patch(numbers.next()?)?))
}

/// Replaces DuckDB's `get_api` for the bindings, which read the whole structure. An older DuckDB
/// has a shorter structure.
unsafe extern "C" fn get_api(_: duckdb_extension_info, _: *const c_char) -> *const c_void {
    API.get().map_or(null(), |api| (&raw const *api.functions).cast())
}

/// Gives the functions of DuckDB's interface to the bindings. Returns false if DuckDB has set an
/// error.
///
/// # Safety
///
/// DuckDB's pointers are valid during the call.
unsafe fn load_api(info: duckdb_extension_info, access: *const duckdb_extension_access) -> Result<bool, &'static str> {
    // SAFETY: the pointers are valid. DuckDB's structure has at least the functions of the
    // requested version, and from version `COMPLETE` on all functions of the bindings; only these
    // are read. An optional function of zeros is `None`. Tests: tests/test_extension.py, in every
    // version.
    unsafe {
        let original = (*access).get_api.ok_or("DuckDB has no get_api")?;
        let version = CString::new(API_VERSION).unwrap_or_default();
        let given = original(info, version.as_ptr()).cast::<duckdb_ext_api_v1>();
        if given.is_null() {
            return Ok(false);
        }
        let library_version = (&raw const (*given).duckdb_library_version).read().ok_or("DuckDB has no version")?;
        let version = CStr::from_ptr(library_version()).to_string_lossy();
        let numbers = version_numbers(&version);
        let is_complete = numbers.is_some_and(|numbers| numbers >= COMPLETE);
        let bytes = if is_complete { size_of::<duckdb_ext_api_v1>() } else { COMMON };
        let mut copy = Box::new(MaybeUninit::<duckdb_ext_api_v1>::zeroed());
        copy.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(given.cast(), bytes);
        let functions = copy.assume_init();
        let converts_dictionaries = numbers.is_none_or(|numbers| numbers < (2, 0, 0));
        API.get_or_init(|| Api { functions, is_complete, converts_dictionaries });
        let access = duckdb_extension_access { get_api: Some(get_api), ..*access };
        duckdb_rs_extension_api_init(info, &raw const access, API_VERSION)
    }
}

/// Maximum length of a string that is stored inline in its `duckdb_string_t`.
pub(crate) const INLINE: usize = 12;

/// The arguments of a call.
pub(crate) struct Arguments<'a> {
    chunk: duckdb_data_chunk,
    columns: usize,
    rows: usize,
    first: Takes,
    lifetime: PhantomData<&'a [duckdb_string_t]>,
}

impl<'a> Arguments<'a> {
    /// Number of rows.
    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    /// The type of the first argument.
    pub(crate) const fn first(&self) -> Takes {
        self.first
    }

    /// Number of arguments.
    pub(crate) const fn columns(&self) -> usize {
        self.columns
    }

    /// An argument that is a string. Only the first argument of some functions is not.
    pub(crate) fn strings(&self, index: usize) -> Strings<'a> {
        assert!(index < self.columns && (index > 0 || self.first != Takes::Number));
        // SAFETY: `call` made `self` of a chunk that is valid for 'a, and `register` gave the
        // parameter the type VARCHAR or BLOB, as the assertion says, so the data are `rows`
        // strings. A chunk without rows may have no data. A validity has a bit for each row, in
        // words of 64.
        unsafe {
            let vector = duckdb_data_chunk_get_vector(self.chunk, index as u64);
            if self.rows == 0 {
                return Strings { vector, strings: &[], validity: None };
            }
            let validity = duckdb_vector_get_validity(vector);
            Strings {
                vector,
                strings: slice::from_raw_parts(duckdb_vector_get_data(vector).cast(), self.rows),
                validity: (!validity.is_null()).then(|| slice::from_raw_parts(validity, self.rows.div_ceil(64))),
            }
        }
    }

    /// The first argument, if it is a number.
    pub(crate) fn numbers(&self) -> Numbers<'a> {
        assert!(self.columns > 0 && self.first == Takes::Number);
        // SAFETY: as in `strings`; the type is UINTEGER, as the assertion says.
        unsafe {
            let vector = duckdb_data_chunk_get_vector(self.chunk, 0);
            if self.rows == 0 {
                return Numbers { numbers: &[], validity: None };
            }
            let validity = duckdb_vector_get_validity(vector);
            Numbers {
                numbers: slice::from_raw_parts(duckdb_vector_get_data(vector).cast(), self.rows),
                validity: (!validity.is_null()).then(|| slice::from_raw_parts(validity, self.rows.div_ceil(64))),
            }
        }
    }
}

/// A vector of numbers, for reading.
#[derive(Clone, Copy)]
pub(crate) struct Numbers<'a> {
    numbers: &'a [u32],
    validity: Option<&'a [u64]>,
}

impl<'a> Numbers<'a> {
    /// All rows; `None` if one is NULL.
    pub(crate) fn rows(self) -> impl Iterator<Item = Option<u32>> + 'a {
        let is_valid = move |row| self.validity.is_none_or(|validity| validity[row / 64] >> (row % 64) & 1 == 1);
        self.numbers.iter().enumerate().map(move |(row, &number)| is_valid(row).then_some(number))
    }

    /// A bit for each row, 0 if it is NULL.
    pub(crate) const fn validity(&self) -> Option<&'a [u64]> {
        self.validity
    }
}

/// A vector of strings, for reading.
#[derive(Clone, Copy)]
pub(crate) struct Strings<'a> {
    vector: duckdb_vector,
    strings: &'a [duckdb_string_t],
    validity: Option<&'a [u64]>,
}

impl<'a> Strings<'a> {
    /// The bytes of a row; `None` if it is NULL.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> Option<&'a [u8]> {
        let string = &self.strings[row];
        if self.validity.is_some_and(|validity| validity[row / 64] >> (row % 64) & 1 == 0) {
            return None;
        }
        // SAFETY: DuckDB initialized the string, since it is not NULL. Both variants of the union
        // begin with the length. Up to `INLINE` bytes are in the string itself, which is borrowed
        // for 'a. More bytes are at the pointer, which is valid as long as the vector.
        unsafe {
            let length = string.value.inlined.length as usize;
            let start = if length <= INLINE {
                (&raw const string.value.inlined.inlined).cast()
            } else {
                string.value.pointer.ptr.cast_const().cast()
            };
            Some(slice::from_raw_parts(start, length))
        }
    }

    /// A bit for each row, 0 if it is NULL.
    pub(crate) const fn validity(&self) -> Option<&'a [u64]> {
        self.validity
    }

    /// Consecutive rows.
    pub(crate) fn rows(self, range: Range<usize>) -> impl Iterator<Item = Option<&'a [u8]>> + Clone {
        range.map(move |row| self.row(row))
    }
}

/// Where the result of a call goes.
pub(crate) struct Output {
    vector: duckdb_vector,
    returns: Returns,
    rows: usize,
}

/// A vector within the result: the values of lists or maps, or the fields of a structure.
struct Child<'a> {
    vector: duckdb_vector,
    rows: usize,
    /// Of a structure.
    fields: usize,
    lifetime: PhantomData<&'a mut Output>,
}

impl Child<'_> {
    /// A field of a structure.
    fn field(&self, index: usize) -> Self {
        assert!(index < self.fields);
        // SAFETY: the vector contains structures, and `index` is one of the fields that `type_of`
        // declares. Each field has room for as many rows.
        let vector = unsafe { duckdb_struct_vector_get_child(self.vector, index as u64) };
        Self { vector, rows: self.rows, fields: 0, lifetime: PhantomData }
    }

    /// Sets all rows to values.
    fn set_column(self, item: Item, values: &[Option<&[u8]>]) {
        assert!(self.fields == 0);
        // SAFETY: `type_of` declares that it is a vector of these values; it is flat, and has room
        // for `rows`. Only this output writes to it: each value of `Child` is used once.
        let mut output = unsafe { Output::new(self.vector, item.returns(), self.rows) };
        output.set_values_of_strings(values);
    }
}

impl Output {
    /// The result of `call`. Strings are empty at first.
    ///
    /// # Safety
    ///
    /// The vector is of the type `returns`, flat, without NULL, and has room for `rows` rows. Only
    /// this value writes to it.
    unsafe fn new(vector: duckdb_vector, returns: Returns, rows: usize) -> Self {
        if returns.is_string() && rows > 0 {
            // SAFETY: there is room for `rows` strings. All bytes of an empty string are 0.
            unsafe { duckdb_vector_get_data(vector).cast::<duckdb_string_t>().write_bytes(0, rows) };
        }
        Self { vector, returns, rows }
    }

    /// Number of rows.
    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    /// The validity of the rows, all valid at first.
    fn validity(&mut self) -> &mut [u64] {
        if self.rows == 0 {
            return &mut [];
        }
        // SAFETY: `call` made `self` of a vector with room for the rows of the arguments. Once it
        // is writable, its validity has a bit for each, in words of 64. The slice borrows `self`,
        // so only one exists at a time.
        unsafe {
            duckdb_vector_ensure_validity_writable(self.vector);
            slice::from_raw_parts_mut(duckdb_vector_get_validity(self.vector), self.rows.div_ceil(64))
        }
    }

    /// Makes a row NULL.
    pub(crate) fn set_null(&mut self, row: usize) {
        assert!(row < self.rows);
        self.validity()[row / 64] &= !(1 << (row % 64));
    }

    /// Makes those rows NULL that are NULL in an argument with this validity.
    pub(crate) fn copy_nulls(&mut self, validity: Option<&[u64]>) {
        if let Some(validity) = validity
            && validity.iter().any(|&word| word != u64::MAX)
        {
            for (output, word) in self.validity().iter_mut().zip(validity) {
                *output &= word;
            }
        }
    }

    /// Sets the values of consecutive rows, from `first` on.
    pub(crate) fn set_values<T: Plain>(&mut self, first: usize, values: impl Iterator<Item = T>) {
        assert!(self.returns == T::RETURNS);
        if self.rows == 0 {
            return;
        }
        // SAFETY: `register` declared the type of the result, which is `T`'s, as the assertion
        // says. There is room for `rows` of them.
        let data = unsafe {
            slice::from_raw_parts_mut(duckdb_vector_get_data(self.vector).cast::<MaybeUninit<T>>(), self.rows)
        };
        for (row, value) in data[first..].iter_mut().zip(values) {
            row.write(value);
        }
    }

    /// Sets all rows to lists of values.
    pub(crate) fn set_lists(&mut self, rows: &[Vec<Cow<'_, [u8]>>]) {
        let Returns::List(item) = self.returns else { unreachable!("it is a vector of lists") };
        if let Some(child) = self.set_entries(rows.iter().map(Vec::len)) {
            child.set_column(item, &rows.iter().flatten().map(|value| Some(&**value)).collect::<Vec<_>>());
        }
    }

    /// Sets all rows to maps.
    pub(crate) fn set_maps(&mut self, rows: &[Pairs<'_>]) {
        let Returns::Map(item) = self.returns else { unreachable!("it is a vector of maps") };
        if let Some(child) = self.set_entries(rows.iter().map(Vec::len)) {
            let pairs = || rows.iter().flatten();
            child.field(0).set_column(item, &pairs().map(|(key, _)| Some(&**key)).collect::<Vec<_>>());
            child.field(1).set_column(item, &pairs().map(|(_, value)| Some(&**value)).collect::<Vec<_>>());
        }
    }

    /// Sets all rows to the parts of URLs; rows without parts become NULL.
    pub(crate) fn set_parts(&mut self, rows: &[Vec<Option<&[u8]>>]) {
        let Returns::Parts(item) = self.returns else { unreachable!("it is a vector of structures") };
        assert!(rows.len() == self.rows);
        if self.rows == 0 {
            return;
        }
        let whole = Child { vector: self.vector, rows: self.rows, fields: Part::ALL.len(), lifetime: PhantomData };
        for index in 0..Part::ALL.len() {
            let column: Vec<_> = rows.iter().map(|row| row.get(index).copied().flatten()).collect();
            whole.field(index).set_column(item, &column);
        }
    }

    /// Sets the lengths of all rows, which are lists or maps. Returns the vector of their values,
    /// or `None` without rows.
    fn set_entries(&mut self, lengths: impl Iterator<Item = usize>) -> Option<Child<'_>> {
        let mut end = 0;
        let entries: Vec<duckdb_list_entry> = lengths
            .map(|length| {
                let offset = end;
                end += length as u64;
                duckdb_list_entry { offset, length: length as u64 }
            })
            .collect();
        assert!(entries.len() == self.rows);
        if self.rows == 0 {
            return None;
        }
        // SAFETY: the vector contains lists or maps, as the callers found and `register` says, and
        // has room for `rows` entries. Its child has room for all values once that is reserved.
        let vector = unsafe {
            assert!(duckdb_list_vector_reserve(self.vector, end) == duckdb_state_DuckDBSuccess);
            assert!(duckdb_list_vector_set_size(self.vector, end) == duckdb_state_DuckDBSuccess);
            let data = duckdb_vector_get_data(self.vector).cast::<duckdb_list_entry>();
            data.copy_from_nonoverlapping(entries.as_ptr(), self.rows);
            duckdb_list_vector_get_child(self.vector)
        };
        let fields = if matches!(self.returns, Returns::Map(_)) { 2 } else { 0 };
        Some(Child { vector, rows: end as usize, fields, lifetime: PhantomData })
    }

    /// Sets all rows to values.
    fn set_values_of_strings(&mut self, values: &[Option<&[u8]>]) {
        assert!(values.len() == self.rows);
        let long = values.iter().flatten().filter(|value| value.len() > INLINE);
        let mut output = self.strings();
        let stored = output.store(&long.copied().collect::<Vec<_>>().concat());
        let mut start = 0;
        for (row, value) in values.iter().enumerate() {
            match value {
                Some(value) if value.len() > INLINE => {
                    output.set_long(row, &stored, start..start + value.len());
                    start += value.len();
                }
                Some(value) => output.set_short(row, value),
                None => output.set_null(row),
            }
        }
    }

    /// The result as strings.
    pub(crate) fn strings(&mut self) -> StringOutput<'_> {
        assert!(self.returns.is_string());
        // SAFETY: the vector is valid, as `call` says. It contains strings, as the assertion says.
        let data = unsafe { duckdb_vector_get_data(self.vector).cast() };
        StringOutput { output: self, data }
    }
}

/// A vector of strings, for writing.
pub(crate) struct StringOutput<'a> {
    output: &'a mut Output,
    /// Room for `output.rows` strings, all initialized.
    data: *mut duckdb_string_t,
}

/// Bytes that the result's vector owns.
pub(crate) struct Stored<'a> {
    start: *const u8,
    length: usize,
    vector: PhantomData<Cell<&'a ()>>,
}

impl<'a> StringOutput<'a> {
    /// Makes a row NULL.
    pub(crate) fn set_null(&mut self, row: usize) {
        self.output.set_null(row);
    }

    /// Whether [`reference`](Self::reference) may be called: DuckDB has the function for it.
    pub(crate) fn can_reference() -> bool {
        is_complete()
    }

    /// Makes the argument's vector the result, without a copy.
    pub(crate) fn reference(self, input: &Strings<'_>) {
        // SAFETY: both vectors are valid and of strings, and have the same rows. DuckDB counts the
        // references to the shared memory. `self` is consumed, so nothing writes to the vector
        // afterwards.
        unsafe { duckdb_vector_reference_vector(self.output.vector, input.vector) };
    }

    /// Copies the bytes of many rows into the vector's memory with one call;
    /// [`set_long`](Self::set_long) then points rows at parts of them. Each row must be UTF-8; all
    /// bytes together at most `u32::MAX`.
    pub(crate) fn store(&mut self, bytes: &[u8]) -> Stored<'a> {
        assert!(u32::try_from(bytes.len()).is_ok());
        if bytes.len() <= INLINE || self.output.rows == 0 {
            return Stored { start: std::ptr::null(), length: 0, vector: PhantomData };
        }
        // SAFETY: row 0 exists and is initialized. DuckDB copies the bytes to memory of the vector.
        // Row 0 then points there, because there are more than `INLINE` bytes. Row 0 is restored.
        unsafe {
            let first = self.data.read();
            let (start, length) = (bytes.as_ptr().cast::<c_char>(), bytes.len() as u64);
            if is_complete() {
                duckdb_unsafe_vector_assign_string_element_len(self.output.vector, 0, start, length);
            } else {
                // DuckDB may check UTF-8 in a vector of strings. The bytes are UTF-8.
                duckdb_vector_assign_string_element_len(self.output.vector, 0, start, length);
            }
            let start = (*self.data).value.pointer.ptr.cast_const().cast();
            self.data.write(first);
            Stored { start, length: bytes.len(), vector: PhantomData }
        }
    }

    /// Sets a row to bytes of at most [`INLINE`].
    #[inline]
    pub(crate) fn set_short(&mut self, row: usize, bytes: &[u8]) {
        assert!(row < self.output.rows && bytes.len() <= INLINE);
        // The bytes after the string must be 0: DuckDB compares all 12. SAFETY: the row exists, so
        // it has 16 bytes: the length, and `INLINE` more.
        unsafe {
            let string = self.data.add(row);
            string.write_bytes(0, 1);
            (*string).value.inlined.length = bytes.len() as u32;
            let start = (&raw mut (*string).value.inlined.inlined).cast::<u8>();
            start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
    }

    /// Sets a row to stored bytes of more than [`INLINE`].
    #[inline]
    pub(crate) fn set_long(&mut self, row: usize, stored: &Stored<'a>, range: Range<usize>) {
        let length = range.end - range.start;
        assert!(row < self.output.rows && length > INLINE && range.end <= stored.length);
        // SAFETY: the row exists. The range is within the stored bytes, and has more than the four
        // bytes of the prefix. The bytes live as long as the vector.
        unsafe {
            let start = stored.start.add(range.start);
            let string = &mut (*self.data.add(row)).value.pointer;
            string.length = length as u32;
            string.prefix = start.cast::<[c_char; 4]>().read();
            string.ptr = start.cast_mut().cast();
        }
    }
}

/// A type of values that a vector of DuckDB holds unchanged, unlike strings.
pub(crate) trait Plain: Copy {
    /// The type of functions that return it.
    const RETURNS: Returns;
}

impl Plain for bool {
    const RETURNS: Returns = Returns::Boolean;
}

impl Plain for u32 {
    const RETURNS: Returns = Returns::Number;
}

/// A function with one type of its first argument.
#[derive(Clone, Copy)]
struct Overload {
    function: Function,
    first: Takes,
}

impl Overload {
    const fn returns(self) -> Returns {
        apply::returns(self.function, self.first)
    }
}

/// The function that DuckDB calls. It calls [`apply::call`]; errors and panics become errors of the
/// query.
unsafe extern "C" fn call(info: duckdb_function_info, input: duckdb_data_chunk, output: duckdb_vector) {
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: `register` set the information to a `&'static Overload`, and the type of the
        // result to what it returns. The chunk and the vector are valid during the call; the vector
        // has room for as many rows as the chunk has.
        let (Overload { function, first }, columns, rows, mut output) = unsafe {
            let overload: Overload = *duckdb_scalar_function_get_extra_info(info).cast();
            let columns = duckdb_data_chunk_get_column_count(input) as usize;
            let rows = duckdb_data_chunk_get_size(input) as usize;
            (overload, columns, rows, Output::new(output, overload.returns(), rows))
        };
        apply::call(function, &Arguments { chunk: input, columns, rows, first, lifetime: PhantomData }, &mut output)
    }));
    let message = match result {
        Ok(Ok(())) => return,
        Ok(Err(message)) => message,
        Err(_) => String::from("simdpct: internal error (a panic)"),
    };
    let message = CString::new(message.replace('\0', "\\0")).unwrap_or_default();
    // SAFETY: DuckDB copies the message.
    unsafe { duckdb_scalar_function_set_error(info, message.as_ptr()) };
}

/// The type of a result, to be destroyed.
fn type_of(returns: Returns) -> duckdb_logical_type {
    let simple = |id| {
        // SAFETY: a type has only its own state.
        unsafe { duckdb_create_logical_type(id) }
    };
    let mut item = match returns {
        Returns::String => return simple(DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR),
        Returns::Blob => return simple(DUCKDB_TYPE_DUCKDB_TYPE_BLOB),
        Returns::Number => return simple(DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER),
        Returns::Boolean => return simple(DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN),
        Returns::List(item) | Returns::Map(item) | Returns::Parts(item) => type_of(item.returns()),
    };
    // SAFETY: the new type copies the type of its values, which is destroyed once. A structure gets
    // as many types as names; DuckDB copies both.
    unsafe {
        let result = match returns {
            Returns::Map(_) => duckdb_create_map_type(item, item),
            Returns::Parts(_) => {
                let names: Vec<CString> =
                    Part::ALL.iter().map(|part| CString::new(part.name()).unwrap_or_default()).collect();
                let mut names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
                let mut types = vec![item; names.len()];
                duckdb_create_struct_type(types.as_mut_ptr(), names.as_mut_ptr(), names.len() as u64)
            }
            _ => duckdb_create_list_type(item),
        };
        duckdb_destroy_logical_type(&mut item);
        result
    }
}

/// Adds a function to a database, for each number of arguments that it takes and each type of the
/// first argument.
unsafe fn register(connection: duckdb_connection, function: Function) -> Result<(), String> {
    let name = CString::new(function.name()).unwrap_or_default();
    // SAFETY: the connection is valid. Each handle is created here, used while it exists and
    // destroyed; DuckDB copies what it is given. An `Overload` is never freed, so it needs no
    // destructor.
    let state = unsafe {
        let mut set = duckdb_create_scalar_function_set(name.as_ptr());
        let mut option = type_of(Returns::String);
        for &first in apply::takes(function) {
            let information: &'static Overload = Box::leak(Box::new(Overload { function, first }));
            let mut parameter = type_of(match first {
                Takes::String => Returns::String,
                Takes::Blob => Returns::Blob,
                Takes::Number => Returns::Number,
            });
            let mut result = type_of(information.returns());
            for arguments in function.arity() {
                let mut overload = duckdb_create_scalar_function();
                duckdb_scalar_function_set_name(overload, name.as_ptr());
                for index in 0..arguments {
                    duckdb_scalar_function_add_parameter(overload, if index == 0 { parameter } else { option });
                }
                duckdb_scalar_function_set_return_type(overload, result);
                // An error would be about a value that no row has.
                if API.get().is_some_and(|api| api.converts_dictionaries) && !function.hint().is_empty() {
                    duckdb_scalar_function_set_volatile(overload);
                }
                duckdb_scalar_function_set_function(overload, Some(call));
                duckdb_scalar_function_set_extra_info(overload, (&raw const *information).cast_mut().cast(), None);
                duckdb_add_scalar_function_to_set(set, overload);
                duckdb_destroy_scalar_function(&mut overload);
            }
            duckdb_destroy_logical_type(&mut parameter);
            duckdb_destroy_logical_type(&mut result);
        }
        let state = duckdb_register_scalar_function_set(connection, set);
        duckdb_destroy_logical_type(&mut option);
        duckdb_destroy_scalar_function_set(&mut set);
        state
    };
    if state == duckdb_state_DuckDBSuccess {
        Ok(())
    } else {
        Err(format!("cannot add the function {}", function.name()))
    }
}

/// Connects to the database that loads the extension, and adds all functions.
unsafe fn initialize(info: duckdb_extension_info, access: *const duckdb_extension_access) -> Result<(), String> {
    // SAFETY: DuckDB's pointers are valid during the call, and `load_api` gives the bindings the
    // functions that are needed.
    unsafe {
        if !load_api(info, access)? {
            // DuckDB has set its own error.
            return Err(String::new());
        }
        let get_database = (*access).get_database.ok_or("DuckDB has no get_database")?;
        let database = get_database(info);
        if database.is_null() {
            return Err(String::new());
        }
        let mut connection: duckdb_connection = std::ptr::null_mut();
        if duckdb_connect(*database, &mut connection) != duckdb_state_DuckDBSuccess {
            return Err(String::from("cannot connect to the database"));
        }
        let result = Function::OWN.iter().try_for_each(|&function| register(connection, function));
        duckdb_disconnect(&mut connection);
        result
    }
}

/// Entry point: DuckDB calls the function that has the name of the file.
#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_init_c_api(info: duckdb_extension_info, access: *const duckdb_extension_access) -> bool {
    // SAFETY: DuckDB's pointers are passed on.
    let result = catch_unwind(AssertUnwindSafe(|| unsafe { initialize(info, access) }));
    let message = match result {
        Ok(Ok(())) => return true,
        Ok(Err(message)) if message.is_empty() => return false,
        Ok(Err(message)) => CString::new(message).unwrap_or_default(),
        Err(_) => CStr::to_owned(c"simdpct: internal error (a panic)"),
    };
    // SAFETY: as above; DuckDB copies the message.
    unsafe {
        if let Some(set_error) = (*access).set_error {
            set_error(info, message.as_ptr());
        }
    }
    false
}
