//! The work that benches/wasm/bench times, and the exports by which JavaScript calls it.

use std::hint::black_box;

use simdpct::columns::{self, Column, OnError};
use simdpct::{Decoder, Encoder, Level, Normalizer};

/// The timed operations: names for the table, in the order of [`Text::run`]'s numbers.
pub const OPERATIONS: [&str; 6] =
    ["decode", "encode", "decode a column", "encode a column", "normalize a column", "inspect a column"];

/// Number of bytes of a chunk.
const CHUNK: usize = 64 << 10;

/// A text, its rows, and memory for outputs.
#[derive(Debug)]
pub struct Text {
    bytes: Vec<u8>,
    offsets: Vec<i32>,
    output: Vec<u8>,
}

impl Text {
    /// Finds the rows: lines without their end.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        let ends = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at as i32 + 1);
        let offsets = std::iter::once(0).chain(ends).collect();
        Self { bytes, offsets, output: vec![0; 3 * CHUNK] }
    }

    /// Does one operation on the whole text, and returns the length of its output.
    pub fn run(&mut self, operation: usize) -> usize {
        let column = Column::new(&self.bytes, &self.offsets).expect("offsets ascend");
        let decoder = Decoder::new().lenient();
        let output = &mut self.output;
        match operation {
            0 => self.bytes.chunks(CHUNK).map(|chunk| black_box(decoder.decode_into(chunk, output)).unwrap_or(0)).sum(),
            1 => {
                let encode = |chunk| black_box(Encoder::COMPONENT.encode_into(chunk, output)).unwrap_or(0);
                self.bytes.chunks(CHUNK).map(encode).sum()
            }
            2 => columns::decode(&column, &decoder, OnError::Keep).map_or(0, |column| black_box(column).values.len()),
            3 => columns::encode(&column, &Encoder::COMPONENT).map_or(0, |column| black_box(column).values.len()),
            4 => {
                let normalized = columns::normalize(&column, &Normalizer::new(), OnError::Keep);
                normalized.map_or(0, |column| black_box(column).values.len())
            }
            _ => black_box(columns::inspect(&column)).rows.len(),
        }
    }
}

/// Memory for a text of this length.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    Vec::leak(vec![0; length]).as_mut_ptr()
}

/// The text in memory of [`allocate`].
///
/// # Safety
///
/// `start` and `length` belong to one call of [`allocate`], and are passed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn text(start: *mut u8, length: usize) -> *mut Text {
    // SAFETY: guaranteed by the caller. (benches/wasm/bench)
    Box::into_raw(Box::new(Text::new(unsafe { Vec::from_raw_parts(start, length, length) })))
}

/// [`Text::run`].
///
/// # Safety
///
/// `text` comes from [`text`](fn@text).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn run(text: *mut Text, operation: usize) -> usize {
    // SAFETY: guaranteed by the caller. (benches/wasm/bench)
    unsafe { (*text).run(operation) }
}

/// Whether the level has vectors.
#[unsafe(no_mangle)]
pub extern "C" fn is_simd() -> u32 {
    u32::from(Level::active() != Level::Scalar)
}
