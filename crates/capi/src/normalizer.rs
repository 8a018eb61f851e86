//! Normalisation and equivalence.
//!
//! # Safety
//!
//! The contract of the functions is that of include/simdpct.h: each pointer is null, or valid for the length that comes
//! with it, or for its type. Covered by tests/functions.c.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use simdpct::{Decoder, Malformed, Normalizer};

use crate::memory::{Buffers, buffers, copied, input};
use crate::opaque::{Opaque, load_or, load_set, store};
use crate::outcome::Outcome;

const KEEP: u32 = 1;
const ESCAPE: u32 = 2;

/// A normalizer, and its policy for malformed `%`s. One that escapes them is strict, and used on the parts between.
#[derive(Clone, Copy)]
struct Policy {
    normalizer: Normalizer,
    malformed: Malformed,
}

impl Opaque for Policy {
    const WORDS: usize = 32;
    const MAGIC: u64 = u64::from_le_bytes(*b"simdpctN");
}

const DEFAULT: Policy = Policy { normalizer: Normalizer::new(), malformed: Malformed::Error };

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_normalizer_init(normalizer: *mut c_void, flags: u32, decode: *const c_void) -> bool {
    let mut policy = DEFAULT;
    match flags {
        0 => {}
        KEEP => (policy.normalizer, policy.malformed) = (policy.normalizer.malformed(Malformed::Keep), Malformed::Keep),
        ESCAPE => policy.malformed = Malformed::Escape,
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
) -> Outcome {
    // SAFETY: by the contract of the file header.
    match unsafe { (load_or(normalizer, DEFAULT), buffers(src, len, dst, cap)) } {
        (Some(policy), Ok(Buffers::InPlace(buffer))) => policy.normalize_in_place(buffer),
        (Some(policy), Ok(Buffers::Apart(input, output))) => policy.normalize(input, output),
        (Some(_), Err(outcome)) => outcome,
        (None, _) => Outcome::BAD_ARGUMENT,
    }
}

impl Policy {
    fn normalize_in_place(&self, buffer: &mut [u8]) -> Outcome {
        if self.malformed == Malformed::Escape {
            // Nothing may be overwritten if there is a '%' to escape.
            let escaped = malformed(buffer).count();
            if escaped > 0 {
                return Outcome::no_room(buffer.len() + 2 * escaped);
            }
        }
        self.normalizer.normalize_in_place(buffer).map_or_else(Outcome::from, |normal| Outcome::ok(normal.len()))
    }

    fn normalize(&self, input: &[u8], output: &mut [MaybeUninit<u8>]) -> Outcome {
        match copied(input, output).map(|buffer| self.normalizer.normalize_in_place(buffer)) {
            Some(Ok(normal)) => Outcome::ok(normal.len()),
            Some(Err(_)) if self.malformed == Malformed::Escape => self.escape(input, output),
            Some(Err(error)) => error.into(),
            None => self.too_small(input),
        }
    }

    /// The outcome for an output that is shorter than the input.
    fn too_small(&self, input: &[u8]) -> Outcome {
        match (self.malformed, STRICT.check(input)) {
            (Malformed::Error, Err(error)) => error.into(),
            (Malformed::Escape, _) => Outcome::no_room(input.len() + 2 * malformed(input).count()),
            _ => Outcome::no_room(input.len()),
        }
    }

    /// Normalises the parts between malformed `%`s, and writes `%25` for each of these.
    fn escape(&self, input: &[u8], output: &mut [MaybeUninit<u8>]) -> Outcome {
        let needed = input.len() + 2 * malformed(input).count();
        let Some(output) = output.get_mut(..needed) else { return Outcome::no_room(needed) };
        let (mut start, mut written) = (0, 0);
        let ends = malformed(input).map(|at| (at, &b"%25"[..])).chain([(input.len(), &b""[..])]);
        for (end, escape) in ends {
            // Both fit: `needed` counts them.
            let part = copied(&input[start..end], &mut output[written..]);
            let normal = part.and_then(|part| self.normalizer.normalize_in_place(part).ok());
            written += normal.map_or(0, |normal| normal.len());
            copied(escape, &mut output[written..]);
            written += escape.len();
            start = end + 1;
        }
        Outcome::ok(written)
    }
}

const STRICT: Decoder = Decoder::new();

/// The positions of malformed `%`s. Linear: each search begins after the one before.
fn malformed(input: &[u8]) -> impl Iterator<Item = usize> {
    let mut start = 0;
    core::iter::from_fn(move || {
        let at = start + STRICT.check(input.get(start..)?).err()?.position;
        start = at + 1;
        Some(at)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_is_normal(normalizer: *const c_void, src: *const c_void, len: usize) -> bool {
    // SAFETY: by the contract of the file header.
    match unsafe { (load_or(normalizer, DEFAULT), input(src, len)) } {
        (Some(policy), Some(input)) => policy.normalizer.is_normal(input),
        _ => false,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_equivalent(a: *const c_void, a_len: usize, b: *const c_void, b_len: usize) -> bool {
    // SAFETY: by the contract of the file header.
    match unsafe { (input(a, a_len), input(b, b_len)) } {
        (Some(a), Some(b)) => simdpct::equivalent(a, b),
        _ => false,
    }
}
