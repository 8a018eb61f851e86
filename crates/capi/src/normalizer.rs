//! Normalization and equivalence.
//!
//! # Safety
//!
//! The functions have the contract of include/simdpct.h: each pointer is null, or valid for
//! the length that comes with it, or for its type. Covered by tests/functions.c.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use simdpct::{Decoder, Malformed, Normalizer};

use crate::memory::{Buffers, in_copy, input, report};
use crate::opaque::{Constant, Opaque, load_set, store, with_buffers, with_input};
use crate::outcome::{CResult, Outcome, Status};

const KEEP: u32 = 1;
const ESCAPE: u32 = 2;

/// A normalizer, and whether it escapes malformed `%`s.
#[derive(Clone, Copy)]
pub(crate) struct NormalizerPolicy {
    normalizer: Normalizer,
    escapes: bool,
}

impl Opaque for NormalizerPolicy {
    const WORDS: usize = 64;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpcN\0");
}

const DEFAULT: NormalizerPolicy = NormalizerPolicy { normalizer: Normalizer::new(), escapes: false };

#[unsafe(export_name = "simdpct_normalizer_default")]
static DEFAULT_OF_C: Constant<NormalizerPolicy, 64> = Constant::new(DEFAULT);

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_normalizer_init(normalizer: *mut c_void, flags: u32, decode: *const c_void) -> bool {
    let mut policy = DEFAULT;
    match flags {
        0 => {}
        KEEP => policy.normalizer = policy.normalizer.malformed(Malformed::Keep),
        ESCAPE => {
            policy = NormalizerPolicy { normalizer: policy.normalizer.malformed(Malformed::Escape), escapes: true }
        }
        _ => return false,
    }
    // SAFETY: by the contract of the file header.
    if let Some(decode) = unsafe { load_set(decode) } {
        policy.normalizer = policy.normalizer.decode(decode);
    }
    // SAFETY: by the contract of the file header.
    unsafe { store(normalizer, policy) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_normalize(
    normalizer: *const c_void,
    src: *const c_void,
    len: usize,
    dst: *mut c_void,
    cap: usize,
    result: *mut CResult,
) -> Status {
    // SAFETY: by the contract of the file header.
    unsafe { report(with_buffers(normalizer, src, len, dst, cap, NormalizerPolicy::normalize), result) }
}

impl NormalizerPolicy {
    fn normalize(&self, buffers: Buffers<'_>) -> Outcome {
        match buffers {
            Buffers::InPlace(buffer) => self.normalize_in_place(buffer),
            Buffers::Apart(input, output) => self.normalize_apart(input, output),
        }
    }

    fn normalize_in_place(&self, buffer: &mut [u8]) -> Outcome {
        // If a '%' must be escaped, nothing may be overwritten.
        if self.escapes && STRICT.check(buffer).is_err() {
            return self.normalize_into(buffer, &mut []);
        }
        self.normalizer.normalize_in_place(buffer).map_or_else(Outcome::from, |normal| Outcome::ok(normal.len()))
    }

    fn normalize_apart(&self, input: &[u8], output: &mut [MaybeUninit<u8>]) -> Outcome {
        let room = output.len().min(input.len().saturating_mul(3));
        let in_place = (!self.escapes).then_some(|copy: &mut [u8]| Some(self.normalize_in_place(copy)));
        in_copy(input, output, in_place, || room, |input, output| self.normalize_into(input, output))
    }

    fn normalize_into(&self, input: &[u8], output: &mut [u8]) -> Outcome {
        self.normalizer.normalize_into(input, output).map_or_else(Outcome::from, Outcome::ok)
    }
}

const STRICT: Decoder = Decoder::new();

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_is_normal(normalizer: *const c_void, src: *const c_void, len: usize) -> bool {
    let is_normal = |policy: &NormalizerPolicy, input: &[u8]| policy.normalizer.is_normal(input);
    // SAFETY: by the contract of the file header.
    unsafe { with_input(normalizer, src, len, is_normal) }.unwrap_or(false)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_equivalent(a: *const c_void, a_len: usize, b: *const c_void, b_len: usize) -> bool {
    // SAFETY: by the contract of the file header.
    match unsafe { (input(a, a_len), input(b, b_len)) } {
        (Some(a), Some(b)) => simdpct::equivalent(a, b),
        _ => false,
    }
}
