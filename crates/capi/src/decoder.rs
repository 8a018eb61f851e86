//! Decoding.
//!
//! # Safety
//!
//! The contract of the functions is that of include/simdpct.h: each pointer is null, or valid for the length that comes
//! with it, or for its type. Covered by tests/functions.c.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use simdpct::offset::OffsetError;
use simdpct::{DecodeIntoError, Decoder};

use crate::memory::{Buffers, buffers, input, zeroed};
use crate::opaque::{DecoderPolicy, borrow, load_set, store};
use crate::outcome::{BEYOND_END, Outcome};

const LENIENT: u32 = 1;
const PLUS: u32 = 2;
const UTF8: u32 = 4;

pub(crate) const DEFAULT: DecoderPolicy = DecoderPolicy { decoder: Decoder::new(), utf8: false };

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_decoder_init(
    decoder: *mut c_void,
    flags: u32,
    keep: *const c_void,
    reject: *const c_void,
) -> bool {
    if flags & !(LENIENT | PLUS | UTF8) != 0 {
        return false;
    }
    let mut policy = DEFAULT;
    policy.utf8 = flags & UTF8 != 0;
    if flags & LENIENT != 0 {
        policy.decoder = policy.decoder.lenient();
    }
    if flags & PLUS != 0 {
        policy.decoder = policy.decoder.plus_for_space();
    }
    // SAFETY: by the contract of the file header.
    if let Some(keep) = unsafe { load_set(keep) } {
        policy.decoder = policy.decoder.keep(keep);
    }
    // SAFETY: by the contract of the file header.
    if let Some(reject) = unsafe { load_set(reject) } {
        policy.decoder = policy.decoder.reject(reject);
    }
    // SAFETY: by the contract of the file header.
    unsafe { store(decoder, policy) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_decode(
    decoder: *const c_void,
    src: *const c_void,
    len: usize,
    dst: *mut c_void,
    cap: usize,
) -> Outcome {
    let mut copy = MaybeUninit::uninit();
    // SAFETY: by the contract of the file header.
    let Some(policy) = (unsafe { borrow(decoder, &DEFAULT, &mut copy) }) else { return Outcome::BAD_ARGUMENT };
    // SAFETY: by the contract of the file header.
    let buffers = match unsafe { buffers(src, len, dst, cap) } {
        Ok(buffers) => buffers,
        Err(outcome) => return outcome,
    };
    if policy.utf8 {
        return decode_text(&policy.decoder, buffers);
    }
    match buffers {
        Buffers::InPlace(buffer) => match policy.decoder.decode_in_place(buffer) {
            Ok(decoded) => Outcome::ok(decoded.len()),
            Err(error) => error.into(),
        },
        Buffers::Apart(input, output) => match policy.decoder.decode_uninit(input, output) {
            Ok(decoded) => Outcome::ok(decoded.len()),
            Err(error) => error.into(),
        },
    }
}

fn decode_text(decoder: &Decoder, buffers: Buffers<'_>) -> Outcome {
    match buffers {
        Buffers::InPlace(buffer) => match decoder.decode_utf8_in_place(buffer) {
            Ok(text) => Outcome::ok(text.len()),
            Err(error) => error.into(),
        },
        Buffers::Apart(input, output) => {
            let room = output.len().min(input.len());
            match decoder.decode_utf8_into(input, zeroed(output, room).unwrap_or_default()) {
                Ok(text) => Outcome::ok(text.len()),
                Err(error) => error.into(),
            }
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_decoded_len(decoder: *const c_void, src: *const c_void, len: usize) -> Outcome {
    let mut copy = MaybeUninit::uninit();
    // SAFETY: by the contract of the file header.
    let (Some(policy), Some(input)) = (unsafe { (borrow(decoder, &DEFAULT, &mut copy), input(src, len)) }) else {
        return Outcome::BAD_ARGUMENT;
    };
    if policy.utf8
        && let Err(DecodeIntoError::Decode(error)) = policy.decoder.decode_utf8_into(input, &mut [])
    {
        return error.into();
    }
    policy.decoder.decoded_len(input).map_or_else(Outcome::from, Outcome::ok)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_input_offset(
    decoder: *const c_void,
    src: *const c_void,
    len: usize,
    decoded_offset: usize,
) -> Outcome {
    let mut copy = MaybeUninit::uninit();
    // SAFETY: by the contract of the file header.
    let (Some(policy), Some(input)) = (unsafe { (borrow(decoder, &DEFAULT, &mut copy), input(src, len)) }) else {
        return Outcome::BAD_ARGUMENT;
    };
    match policy.decoder.input_offset(input, decoded_offset) {
        Ok(offset) => Outcome::ok(offset),
        Err(OffsetError::Decode(error)) => error.into(),
        Err(OffsetError::BeyondEnd { decoded_len }) => Outcome::new(BEYOND_END, decoded_len),
        Err(_) => Outcome::BAD_ARGUMENT,
    }
}
