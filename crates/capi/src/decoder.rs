//! Decoding.
//!
//! # Safety
//!
//! The functions have the contract of include/simdpct.h: each pointer is null, or valid for
//! the length that comes with it, or for its type. Covered by tests/functions.c.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use simdpct::offset::OffsetError;
use simdpct::{DecodeIntoError, Decoder};

use crate::memory::{Buffers, report, zeroed};
use crate::opaque::{Constant, Opaque, load_set, store, with_buffers, with_input};
use crate::outcome::{BEYOND_END, CResult, Outcome, Status};

const LENIENT: u32 = 1;
const PLUS: u32 = 2;
const UTF8: u32 = 4;

/// A decoder, and whether its output must be UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct DecoderPolicy {
    pub(crate) decoder: Decoder,
    pub(crate) utf8: bool,
}

impl Opaque for DecoderPolicy {
    const WORDS: usize = 64;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpcD\0");
}

const DEFAULT: DecoderPolicy = DecoderPolicy { decoder: Decoder::new(), utf8: false };

#[unsafe(export_name = "simdpct_decoder_default")]
static DEFAULT_OF_C: Constant<DecoderPolicy, 64> = Constant::new(DEFAULT);

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
    result: *mut CResult,
) -> Status {
    // SAFETY: by the contract of the file header.
    unsafe { report(with_buffers(decoder, src, len, dst, cap, DecoderPolicy::decode), result) }
}

impl DecoderPolicy {
    #[inline]
    fn decode(&self, buffers: Buffers<'_>) -> Outcome {
        match buffers {
            Buffers::InPlace(buffer) => self.decode_in_place(buffer),
            Buffers::Apart(input, output) if self.utf8 => decode_text(&self.decoder, input, output),
            Buffers::Apart(input, output) => match self.decoder.decode_uninit(input, output) {
                Ok(decoded) => Outcome::ok(decoded.len()),
                Err(error) => error.into(),
            },
        }
    }

    fn decode_in_place(&self, buffer: &mut [u8]) -> Outcome {
        let decoded = match self.utf8 {
            true => self.decoder.decode_utf8_in_place(buffer).map(|text| text.len()),
            false => self.decoder.decode_in_place(buffer).map(|decoded| decoded.len()),
        };
        decoded.map_or_else(Outcome::from, Outcome::ok)
    }

    fn decoded_len(&self, input: &[u8]) -> Outcome {
        if self.utf8
            && let Err(DecodeIntoError::Decode(error)) = self.decoder.decode_utf8_into(input, &mut [])
        {
            return error.into();
        }
        self.decoder.decoded_len(input).map_or_else(Outcome::from, Outcome::ok)
    }

    fn input_offset(&self, input: &[u8], decoded_offset: usize) -> Outcome {
        match self.decoder.input_offset(input, decoded_offset) {
            Ok(offset) => Outcome::ok(offset),
            Err(OffsetError::Decode(error)) => error.into(),
            Err(OffsetError::BeyondEnd { decoded_len }) => Outcome::new(BEYOND_END, decoded_len),
            Err(_) => Outcome::BAD_ARGUMENT,
        }
    }
}

fn decode_text(decoder: &Decoder, input: &[u8], output: &mut [MaybeUninit<u8>]) -> Outcome {
    let room = output.len().min(input.len());
    match decoder.decode_utf8_into(input, zeroed(output, room).unwrap_or_default()) {
        Ok(text) => Outcome::ok(text.len()),
        Err(error) => error.into(),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_decoded_len(
    decoder: *const c_void,
    src: *const c_void,
    len: usize,
    result: *mut CResult,
) -> Status {
    // SAFETY: by the contract of the file header.
    let outcome = unsafe { with_input(decoder, src, len, DecoderPolicy::decoded_len) };
    // SAFETY: by the contract of the file header.
    unsafe { report(outcome.unwrap_or(Outcome::BAD_ARGUMENT), result) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_input_offset(
    decoder: *const c_void,
    src: *const c_void,
    len: usize,
    decoded_offset: usize,
    result: *mut CResult,
) -> Status {
    let offset = |policy: &DecoderPolicy, input: &[u8]| policy.input_offset(input, decoded_offset);
    // SAFETY: by the contract of the file header.
    let outcome = unsafe { with_input(decoder, src, len, offset) };
    // SAFETY: by the contract of the file header.
    unsafe { report(outcome.unwrap_or(Outcome::BAD_ARGUMENT), result) }
}
