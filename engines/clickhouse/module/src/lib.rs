//! Functions on columns of strings that ClickHouse runs in WebAssembly, by its ABI `BUFFERED_V1`
//! and its format `Buffers`.
//!
//! Each function takes one argument of the type String and returns a String; `canonical_path`
//! returns a Nullable(String).
#![no_std]

extern crate alloc;

mod buffer;
mod strings;

use alloc::vec::Vec;
use core::panic::PanicInfo;

use simdpct::columns::{Column, ColumnBuf, Conversion, Operation};
use simdpct::path::PathPolicy;
use simdpct::{Decoder, Encoder, Malformed, Normalizer, sets};

use buffer::Buffer;

#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// ClickHouse reports the trap as an error of the query.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

const DECODER: Decoder = Decoder::new().lenient();

/// Decodes, with invalid records kept and ill-formed UTF-8 replaced by U+FFFD.
#[unsafe(no_mangle)]
pub extern "C" fn pct_decode_lossy(input: &Buffer, rows: u32) -> *mut Buffer {
    convert(Conversion::decode_utf8_lossy(&DECODER), input, rows)
}

/// Like [`pct_decode_lossy`], with `+` as a space.
#[unsafe(no_mangle)]
pub extern "C" fn form_decode_lossy(input: &Buffer, rows: u32) -> *mut Buffer {
    convert(Conversion::decode_utf8_lossy(&DECODER.plus_for_space()), input, rows)
}

/// Decodes to any bytes, with invalid records kept.
#[unsafe(no_mangle)]
pub extern "C" fn pct_decode_bytes(input: &Buffer, rows: u32) -> *mut Buffer {
    convert(Conversion::decode(&DECODER), input, rows)
}

/// Escapes all bytes but unreserved ones.
#[unsafe(no_mangle)]
pub extern "C" fn pct_encode(input: &Buffer, rows: u32) -> *mut Buffer {
    convert(Conversion::encode(&Encoder::new(sets::COMPONENT)), input, rows)
}

/// The normal form of percent-encoding (RFC 3986 6.2.2), with invalid records kept.
#[unsafe(no_mangle)]
pub extern "C" fn pct_normalize(input: &Buffer, rows: u32) -> *mut Buffer {
    convert(Conversion::normalize(&Normalizer::new().malformed(Malformed::Keep)), input, rows)
}

/// The canonical path of a request, or NULL if the default policy refuses it.
#[unsafe(no_mangle)]
pub extern "C" fn canonical_path(input: &Buffer, rows: u32) -> *mut Buffer {
    let column = strings::read(input.bytes(), rows);
    let mut nulls = Vec::with_capacity(rows as usize);
    let mut paths = ColumnBuf::<i32>::new();
    for ends in column.offsets.windows(2) {
        let path = &column.values[ends[0] as usize..ends[1] as usize];
        nulls.push(u8::from(PathPolicy::DEFAULT.canonicalize_to(path, &mut paths.values).is_err()));
        paths.offsets.push(i32::try_from(paths.values.len()).expect("less than 2 GiB"));
    }
    Buffer::give(strings::write(&paths.values, &paths.offsets, Some(&nulls)))
}

fn convert<C: Operation>(conversion: Conversion<C>, input: &Buffer, rows: u32) -> *mut Buffer {
    let input = strings::read(input.bytes(), rows);
    let column = Column::new(&input.values, &input.offsets).expect("a column");
    let converted = conversion.convert(&column).expect("no row is refused").column;
    let output = converted.as_ref().unwrap_or(&input);
    Buffer::give(strings::write(&output.values, &output.offsets, None))
}
