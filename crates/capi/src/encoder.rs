//! Encoding.
//!
//! # Safety
//!
//! The functions have the contract of include/simdpct.h: each pointer is null, or valid for
//! the length that comes with it, or for its type. Covered by tests/functions.c.

use core::ffi::c_void;

use simdpct::{Encoder, sets};

use crate::memory::{buffers_apart, report};
use crate::opaque::{Constant, Opaque, load_set, store, with, with_input};
use crate::outcome::{CResult, Outcome, Status};

const PLUS: u32 = 1;
const KEEP_TRIPLETS: u32 = 2;
const KEEP_NON_ASCII: u32 = 4;
const LOWERCASE: u32 = 8;

impl Opaque for Encoder {
    const WORDS: usize = 64;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpcE\0");
}

#[unsafe(export_name = "simdpct_encoder_default")]
static DEFAULT_OF_C: Constant<Encoder, 64> = Constant::new(Encoder::COMPONENT);

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_encoder_init(encoder: *mut c_void, flags: u32, escape: *const c_void) -> bool {
    if flags & !(PLUS | KEEP_TRIPLETS | KEEP_NON_ASCII | LOWERCASE) != 0 {
        return false;
    }
    // SAFETY: by the contract of the file header.
    let mut policy = Encoder::new(unsafe { load_set(escape) }.unwrap_or(sets::COMPONENT));
    if flags & PLUS != 0 {
        policy = policy.plus_for_space();
    }
    if flags & KEEP_TRIPLETS != 0 {
        policy = policy.keep_triplets();
    }
    if flags & KEEP_NON_ASCII != 0 {
        policy = policy.keep_non_ascii();
    }
    if flags & LOWERCASE != 0 {
        policy = policy.lowercase();
    }
    // SAFETY: by the contract of the file header.
    unsafe { store(encoder, policy) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_encode(
    encoder: *const c_void,
    src: *const c_void,
    len: usize,
    dst: *mut c_void,
    cap: usize,
    result: *mut CResult,
) -> Status {
    let encode = |encoder: &Encoder| {
        // SAFETY: by the contract of the file header.
        let (input, output) = unsafe { buffers_apart(src, len, dst, cap) }?;
        Some(encoder.encode_uninit(input, output).map_or_else(Outcome::from, |encoded| Outcome::ok(encoded.len())))
    };
    // SAFETY: by the contract of the file header.
    unsafe { report(with(encoder, encode).flatten().unwrap_or(Outcome::BAD_ARGUMENT), result) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_encoded_len(
    encoder: *const c_void,
    src: *const c_void,
    len: usize,
    result: *mut CResult,
) -> Status {
    // SAFETY: by the contract of the file header.
    let length = unsafe { with_input(encoder, src, len, Encoder::encoded_len::<[u8]>) };
    // SAFETY: by the contract of the file header.
    unsafe { report(length.map_or(Outcome::BAD_ARGUMENT, Outcome::ok), result) }
}
