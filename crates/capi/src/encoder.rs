//! Encoding.
//!
//! # Safety
//!
//! The contract of the functions is that of include/simdpct.h: each pointer is null, or valid for the length that comes
//! with it, or for its type. Covered by tests/functions.c.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use simdpct::{Encoder, sets};

use crate::memory::{Buffers, buffers, input};
use crate::opaque::{borrow, load_set, store};
use crate::outcome::Outcome;

const PLUS: u32 = 1;
const KEEP_TRIPLETS: u32 = 2;
const KEEP_NON_ASCII: u32 = 4;
const LOWERCASE: u32 = 8;

pub(crate) const DEFAULT: Encoder = Encoder::COMPONENT;

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
) -> Outcome {
    let mut copy = MaybeUninit::uninit();
    // SAFETY: by the contract of the file header.
    match unsafe { (borrow(encoder, &DEFAULT, &mut copy), buffers(src, len, dst, cap)) } {
        (Some(encoder), Ok(Buffers::Apart(input, output))) => match encoder.encode_uninit(input, output) {
            Ok(encoded) => Outcome::ok(encoded.len()),
            Err(error) => error.into(),
        },
        _ => Outcome::BAD_ARGUMENT,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_encoded_len(encoder: *const c_void, src: *const c_void, len: usize) -> Outcome {
    let mut copy = MaybeUninit::uninit();
    // SAFETY: by the contract of the file header.
    match unsafe { (borrow(encoder, &DEFAULT, &mut copy), input(src, len)) } {
        (Some(encoder), Some(input)) => Outcome::ok(encoder.encoded_len(input)),
        _ => Outcome::BAD_ARGUMENT,
    }
}
