//! The functions that the npm package calls. The package copies inputs to memory that [`begin`] and
//! [`more`] return, calls a function, and copies out the results that [`result`] describes.
//!
//! Its unsafe code turns addresses from JavaScript into slices, and is covered by
//! npm/test/suite.js.
#![no_std]

extern crate alloc;

mod arena;

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::cell::Cell;
use core::mem::ManuallyDrop;
use core::panic::PanicInfo;
use core::str::FromStr;

use simdpct::columns::{self, Column, ColumnBuf, ColumnError, Conversion, OnError, Operation};
use simdpct::path::{Action, PathErrorKind, PathPolicy, PolicyError, RequestGuard, RequestMethod};
use simdpct::{ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, Kinds, Level, Malformed, Normalizer};

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// The outcome of the last call, in words of 32 bits. The package reads them by their order.
#[repr(C)]
#[derive(Clone, Copy)]
struct Outcome {
    values: u32,
    values_length: u32,
    offsets: u32,
    /// Number of offsets.
    offsets_length: u32,
    /// 0: all rows are valid.
    validity: u32,
    validity_length: u32,
    /// One byte or word for each row.
    rows: u32,
    rows_length: u32,
    /// Whether the output differs from the input. If it does not, nothing is output.
    changed: u32,
    /// Number of rows that are invalid.
    invalid: u32,
    /// The first error: its kind (0: none), its row and its position in that row.
    kind: u32,
    row: u32,
    position: u32,
}

impl Outcome {
    const NONE: Self = Self {
        values: 0,
        values_length: 0,
        offsets: 0,
        offsets_length: 0,
        validity: 0,
        validity_length: 0,
        rows: 0,
        rows_length: 0,
        changed: 0,
        invalid: 0,
        kind: 0,
        row: 0,
        position: 0,
    };
}

struct Shared(Cell<Outcome>);

// SAFETY: the module has one thread. (npm/test/suite.js)
unsafe impl Sync for Shared {}

static OUTCOME: Shared = Shared(Cell::new(Outcome::NONE));

/// Errors of decoding, of columns and of paths, numbered for JavaScript: `ERRORS` in npm/core.js.
mod kind {
    pub(super) const MALFORMED: u32 = 1;
    pub(super) const INVALID_UTF8: u32 = 2;
    pub(super) const OFFSETS: u32 = 3;
    pub(super) const TOO_LONG: u32 = 4;
    pub(super) const VALIDITY: u32 = 5;
    pub(super) const NOT_ABSOLUTE: u32 = 6;
    pub(super) const REFUSED: u32 = 7;
    pub(super) const ILLEGAL_BYTE: u32 = 8;
    pub(super) const ENCODED_SLASH: u32 = 9;
    pub(super) const BACKSLASH: u32 = 10;
    pub(super) const PARAMETER: u32 = 11;
    pub(super) const DOT_SEGMENT: u32 = 12;
    pub(super) const ABOVE_ROOT: u32 = 13;
    pub(super) const EMPTY_SEGMENT: u32 = 14;
    pub(super) const OTHER: u32 = 15;
}

/// Options, as bits: the same as `flags` in npm/core.js.
mod flag {
    pub(super) const PLUS: u32 = 1;
    pub(super) const LENIENT: u32 = 2;
    pub(super) const STRICT_TEXT: u32 = 4;
    pub(super) const LOSSY_TEXT: u32 = 8;
    pub(super) const NULL_ON_ERROR: u32 = 16;
    pub(super) const KEEP_ON_ERROR: u32 = 32;
    pub(super) const ESCAPE_MALFORMED: u32 = 64;
}

/// Releases the memory of the former call, and returns memory for `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn begin(length: usize) -> *mut u8 {
    arena::begin();
    OUTCOME.0.set(Outcome::NONE);
    more(length)
}

/// Returns more memory for this call.
#[unsafe(no_mangle)]
pub extern "C" fn more(length: usize) -> *mut u8 {
    ManuallyDrop::new(Vec::<u128>::with_capacity(length.div_ceil(16).max(1))).as_mut_ptr().cast()
}

/// The address of the last call's outcome.
#[unsafe(no_mangle)]
pub extern "C" fn result() -> *const u32 {
    OUTCOME.0.as_ptr().cast()
}

/// Whether this module uses simd128.
#[unsafe(no_mangle)]
pub extern "C" fn has_simd() -> u32 {
    u32::from(Level::Simd128.is_available())
}

/// Outputs the names of the kinds of findings, from bit 0 on, each followed by a line break.
#[unsafe(no_mangle)]
pub extern "C" fn kinds() {
    let mut names = Vec::new();
    for (_, name) in Kinds::ALL {
        names.extend_from_slice(name.as_bytes());
        names.push(b'\n');
    }
    give_values(names);
}

/// Makes an encoder for the set with this name. Returns its address, or 0 if the name is unknown.
///
/// # Safety
///
/// `name` is valid for reads of `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn encoder_by_name(name: *const u8, length: usize, flags: u32) -> usize {
    // SAFETY: guaranteed by the caller.
    let name = unsafe { bytes(name, length) };
    let encoder = core::str::from_utf8(name).ok().and_then(Encoder::from_name);
    encoder.map_or(0, |encoder| kept(with_plus(encoder, flags)))
}

/// Makes an encoder that escapes the bytes of a bitmap, and all bytes from 0x80. Returns its
/// address.
///
/// # Safety
///
/// `bitmap` is valid for reads of 32 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn encoder_by_bitmap(bitmap: *const [u8; 32], flags: u32) -> usize {
    // SAFETY: guaranteed by the caller.
    kept(with_plus(Encoder::new(ByteSet::from_bitmap(unsafe { *bitmap })), flags))
}

fn with_plus(encoder: Encoder, flags: u32) -> Encoder {
    if flags & flag::PLUS == 0 { encoder } else { encoder.plus_for_space() }
}

/// Makes a policy from its text. Returns its address, or 0 if the text is not a policy; the outcome
/// then has the position of the first wrong word.
///
/// # Safety
///
/// `text` is valid for reads of `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn policy(text: *const u8, length: usize) -> usize {
    // SAFETY: guaranteed by the caller.
    unsafe { kept_from_text::<PathPolicy>(text, length) }
}

/// A guard by its text, as a [`policy`](fn@policy).
///
/// # Safety
///
/// `text` is valid for reads of `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn guard(text: *const u8, length: usize) -> usize {
    // SAFETY: guaranteed by the caller.
    unsafe { kept_from_text::<RequestGuard>(text, length) }
}

/// # Safety
///
/// `text` is valid for reads of `length` bytes.
unsafe fn kept_from_text<T: FromStr<Err = PolicyError>>(text: *const u8, length: usize) -> usize {
    // SAFETY: guaranteed by the caller.
    let text = core::str::from_utf8(unsafe { bytes(text, length) }).unwrap_or_default();
    match text.parse::<T>() {
        Ok(value) => kept(value),
        Err(error) => {
            give(|outcome| outcome.position = error.position() as u32);
            0
        }
    }
}

/// Keeps a value as long as the module, and returns its address.
fn kept<T>(value: T) -> usize {
    let address = Box::into_raw(Box::new(value)) as usize;
    arena::keep();
    address
}

/// Decodes to bytes, or to text with [`flag::STRICT_TEXT`] or [`flag::LOSSY_TEXT`]. Overwrites the
/// input.
///
/// # Safety
///
/// `input` is valid for reads and writes of `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode(input: *mut u8, length: usize, flags: u32) {
    // SAFETY: guaranteed by the caller.
    let input = unsafe { core::slice::from_raw_parts_mut(input, length) };
    let decoder = decoder(flags);
    let result = if flags & flag::LOSSY_TEXT != 0 {
        // The output is longer than the input if anything is replaced.
        decoder.decode_utf8_lossy(input).map(|text| give_slice(text.into_owned().leak().as_bytes()))
    } else if flags & flag::STRICT_TEXT != 0 {
        decoder.decode_utf8_in_place(input).map(|text| give_slice(text.as_bytes()))
    } else {
        decoder.decode_in_place(input).map(|decoded| give_slice(decoded))
    };
    result.unwrap_or_else(give_error);
}

/// Encodes.
///
/// # Safety
///
/// `input` is valid for reads of `length` bytes; `encoder` comes from [`encoder_by_name`] or
/// [`encoder_by_bitmap`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn encode(input: *const u8, length: usize, encoder: *const Encoder) {
    // SAFETY: guaranteed by the caller.
    let (input, encoder) = unsafe { (bytes(input, length), &*encoder) };
    let mut output = Vec::new();
    encoder.encode_to(input, &mut output);
    give_values(output);
}

/// Normalizes.
///
/// # Safety
///
/// `input` is valid for reads of `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn normalize(input: *const u8, length: usize, flags: u32) {
    // SAFETY: guaranteed by the caller.
    let input = unsafe { bytes(input, length) };
    let mut output = Vec::new();
    match normalizer(flags).normalize_to(input, &mut output) {
        Ok(()) => give_values(output),
        Err(error) => give_error(error),
    }
}

/// The canonical form of a path.
///
/// # Safety
///
/// `input` is valid for reads of `length` bytes; `policy` comes from [`policy`](fn@policy).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canonical_path(input: *const u8, length: usize, policy: *const PathPolicy) {
    // SAFETY: guaranteed by the caller.
    let (path, policy) = unsafe { (bytes(input, length), &*policy) };
    let mut output = Vec::new();
    match policy.canonicalize_to(path, &mut output) {
        Ok(()) => give_values(output),
        Err(error) => give(|outcome| {
            (outcome.kind, outcome.position) = (path_kind(error.kind), error.position as u32);
        }),
    }
}

/// The decision on a request target: 0 to pass, 1 to rewrite it to the values, 2 to refuse it. The
/// line of the refusal is in the rows, also if the guard only reports.
///
/// # Safety
///
/// The texts are valid for reads of their lengths; `guard` comes from [`guard`](fn@guard).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn check(
    target: *const u8,
    target_length: usize,
    method: *const u8,
    method_length: usize,
    guard: *const RequestGuard,
) -> u32 {
    // SAFETY: guaranteed by the caller.
    let (target, method, guard) = unsafe { (bytes(target, target_length), bytes(method, method_length), &*guard) };
    let mut room = Vec::new();
    let verdict = guard.check_with(RequestMethod::from_name(method), target, |needed| {
        room.resize(needed, 0);
        Some(&mut room)
    });
    if let Some(refusal) = verdict.refusal {
        let line = refusal.line(target).to_string().leak();
        give(|outcome| (outcome.rows, outcome.rows_length) = (line.as_ptr() as u32, line.len() as u32));
    }
    match verdict.action {
        Action::Pass => 0,
        Action::Rewrite(target) => {
            give_values(target.to_vec());
            1
        }
        Action::Refuse => 2,
    }
}

/// The kinds of an input's findings, as bits.
///
/// # Safety
///
/// `input` is valid for reads of `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inspect(input: *const u8, length: usize) -> u32 {
    // SAFETY: guaranteed by the caller.
    simdpct::inspect(unsafe { bytes(input, length) }).kinds().bits()
}

/// A column in JavaScript's memory layout. A validity of 0 means that all rows are valid.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Input {
    values: *const u8,
    values_length: usize,
    offsets: *const i32,
    offsets_length: usize,
    validity: *const u8,
    validity_length: usize,
    validity_offset: usize,
}

impl Input {
    /// # Safety
    ///
    /// The addresses are valid for reads of their lengths.
    unsafe fn column<'a>(self) -> Result<Column<'a, i32>, ColumnError> {
        // SAFETY: guaranteed by the caller; `begin` and `more` align offsets.
        let (values, offsets, validity) = unsafe {
            (
                bytes(self.values, self.values_length),
                core::slice::from_raw_parts(self.offsets, self.offsets_length),
                (!self.validity.is_null()).then(|| bytes(self.validity, self.validity_length)),
            )
        };
        let column = Column::new(values, offsets)?;
        validity.map_or(Ok(column), |bitmap| column.with_validity(bitmap, self.validity_offset))
    }
}

/// Decodes a column.
///
/// # Safety
///
/// `input` and the addresses in it are valid for reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode_many(input: *const Input, flags: u32) {
    let decoder = decoder(flags);
    let conversion = if flags & flag::LOSSY_TEXT != 0 {
        Conversion::decode_utf8_lossy(&decoder)
    } else if flags & flag::STRICT_TEXT != 0 {
        Conversion::decode_utf8(&decoder)
    } else {
        Conversion::decode(&decoder)
    };
    // SAFETY: guaranteed by the caller.
    give_converted(conversion.on_error(on_error(flags)), unsafe { (*input).column() });
}

/// Encodes a column.
///
/// # Safety
///
/// As for [`decode_many`]; `encoder` as for [`encode`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn encode_many(input: *const Input, encoder: *const Encoder) {
    // SAFETY: guaranteed by the caller.
    unsafe { give_converted(Conversion::encode(&*encoder), (*input).column()) };
}

/// Normalizes a column.
///
/// # Safety
///
/// As for [`decode_many`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn normalize_many(input: *const Input, flags: u32) {
    let conversion = Conversion::normalize(&normalizer(flags)).on_error(on_error(flags));
    // SAFETY: guaranteed by the caller.
    give_converted(conversion, unsafe { (*input).column() });
}

/// The canonical paths of a column. Refused rows are null. The byte of each row is the kind of its
/// error.
///
/// # Safety
///
/// As for [`decode_many`]; `policy` as for [`canonical_path`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canonical_paths(input: *const Input, policy: *const PathPolicy) {
    // SAFETY: guaranteed by the caller.
    let (column, policy) = unsafe { ((*input).column(), &*policy) };
    let column = match column {
        Ok(column) => column,
        Err(error) => return give_column_error(&error),
    };
    let mut output = ColumnBuf::<i32>::new();
    output.offsets.reserve(column.len());
    let mut kinds = alloc::vec![0_u8; column.len()];
    let mut validity = alloc::vec![0_u8; column.len().div_ceil(8)];
    let mut first = None;
    let (mut invalid, mut nulls) = (0, 0);
    // Allocated last, so that it grows in place.
    let mut values = Vec::with_capacity((0..column.len()).filter_map(|row| column.row(row)).map(<[u8]>::len).sum());
    for row in 0..column.len() {
        match column.row(row).map(|path| policy.canonicalize_to(path, &mut values)) {
            None => nulls += 1,
            Some(Ok(())) => validity[row / 8] |= 1 << (row % 8),
            Some(Err(error)) => {
                kinds[row] = path_kind(error.kind) as u8;
                invalid += 1;
                first = first.or(Some((row, error)));
            }
        }
        let Ok(end) = i32::try_from(values.len()) else { return give_column_error(&ColumnError::TooLong { row }) };
        output.offsets.push(end);
    }
    output.values = values;
    output.validity = (invalid + nulls != 0).then_some(validity);
    give_column(output);
    let kinds = kinds.leak();
    give(|outcome| {
        outcome.changed = 1;
        outcome.invalid = invalid;
        (outcome.rows, outcome.rows_length) = (kinds.as_ptr() as u32, kinds.len() as u32);
        if let Some((row, error)) = first {
            (outcome.kind, outcome.row, outcome.position) = (path_kind(error.kind), row as u32, error.position as u32);
        }
    });
}

/// The kinds of findings of each row of a column, as words.
///
/// # Safety
///
/// As for [`decode_many`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inspect_many(input: *const Input) {
    // SAFETY: guaranteed by the caller.
    match unsafe { (*input).column() } {
        Ok(column) => {
            let bits = columns::inspect(&column).into_bits().leak();
            give(|outcome| (outcome.rows, outcome.rows_length) = (bits.as_ptr() as u32, bits.len() as u32));
        }
        Err(error) => give_column_error(&error),
    }
}

/// # Safety
///
/// `start` is valid for reads of `length` bytes.
unsafe fn bytes<'a>(start: *const u8, length: usize) -> &'a [u8] {
    // SAFETY: guaranteed by the caller. (npm/test/suite.js)
    unsafe { core::slice::from_raw_parts(start, length) }
}

fn decoder(flags: u32) -> Decoder {
    let decoder = if flags & flag::PLUS == 0 { Decoder::new() } else { Decoder::new().plus_for_space() };
    if flags & flag::LENIENT == 0 { decoder } else { decoder.lenient() }
}

fn normalizer(flags: u32) -> Normalizer {
    let malformed = if flags & flag::ESCAPE_MALFORMED != 0 {
        Malformed::Escape
    } else if flags & flag::LENIENT != 0 {
        Malformed::Keep
    } else {
        Malformed::Refuse
    };
    Normalizer::new().malformed(malformed)
}

fn on_error(flags: u32) -> OnError {
    if flags & flag::NULL_ON_ERROR != 0 {
        OnError::Null
    } else if flags & flag::KEEP_ON_ERROR != 0 {
        OnError::Keep
    } else {
        OnError::Refuse
    }
}

fn give(change: impl FnOnce(&mut Outcome)) {
    let mut outcome = OUTCOME.0.get();
    change(&mut outcome);
    OUTCOME.0.set(outcome);
}

fn give_slice(values: &[u8]) {
    give(|outcome| {
        (outcome.values, outcome.values_length) = (values.as_ptr() as u32, values.len() as u32);
        outcome.changed = 1;
    });
}

fn give_values(values: Vec<u8>) {
    give_slice(values.leak());
}

fn give_column(column: ColumnBuf<i32>) {
    let (offsets, validity) = (column.offsets.leak(), column.validity.unwrap_or_default().leak());
    give_values(column.values);
    give(|outcome| {
        (outcome.offsets, outcome.offsets_length) = (offsets.as_ptr() as u32, offsets.len() as u32);
        if !validity.is_empty() {
            (outcome.validity, outcome.validity_length) = (validity.as_ptr() as u32, validity.len() as u32);
        }
    });
}

fn give_converted<C: Operation>(conversion: Conversion<C>, column: Result<Column<'_, i32>, ColumnError>) {
    let converted = match column.and_then(|column| conversion.convert(&column)) {
        Ok(converted) => converted,
        Err(error) => return give_column_error(&error),
    };
    let summary = converted.summary;
    if let Some(error) = summary.first_error {
        give_error(error.error);
        give(|outcome| outcome.row = error.row as u32);
    }
    give(|outcome| outcome.invalid = summary.invalid as u32);
    if let Some(column) = converted.column {
        give_column(column);
    }
}

fn give_error(error: DecodeError) {
    give(|outcome| (outcome.kind, outcome.position) = (decode_kind(error.kind), error.position as u32));
}

fn give_column_error(error: &ColumnError) {
    let (kind, row) = match *error {
        ColumnError::Row(row) => {
            give_error(row.error);
            return give(|outcome| outcome.row = row.row as u32);
        }
        ColumnError::NegativeOffset { index }
        | ColumnError::DecreasingOffset { index }
        | ColumnError::OffsetBeyondValues { index } => (kind::OFFSETS, index),
        ColumnError::NoOffsets => (kind::OFFSETS, 0),
        ColumnError::TooLong { row } => (kind::TOO_LONG, row),
        ColumnError::ValidityTooShort => (kind::VALIDITY, 0),
        _ => (kind::OTHER, 0),
    };
    give(|outcome| (outcome.kind, outcome.row) = (kind, row as u32));
}

fn decode_kind(kind: DecodeErrorKind) -> u32 {
    match kind {
        DecodeErrorKind::Malformed => kind::MALFORMED,
        DecodeErrorKind::InvalidUtf8 => kind::INVALID_UTF8,
        _ => kind::OTHER,
    }
}

fn path_kind(kind: PathErrorKind) -> u32 {
    match kind {
        PathErrorKind::NotAbsolute => kind::NOT_ABSOLUTE,
        PathErrorKind::Refused(_) => kind::REFUSED,
        PathErrorKind::Malformed => kind::MALFORMED,
        PathErrorKind::IllegalByte(_) => kind::ILLEGAL_BYTE,
        PathErrorKind::EncodedSlash => kind::ENCODED_SLASH,
        PathErrorKind::Backslash => kind::BACKSLASH,
        PathErrorKind::Parameter => kind::PARAMETER,
        PathErrorKind::DotSegment => kind::DOT_SEGMENT,
        PathErrorKind::AboveRoot => kind::ABOVE_ROOT,
        PathErrorKind::EmptySegment => kind::EMPTY_SEGMENT,
        _ => kind::OTHER,
    }
}
