//! Policies and streams in the opaque arrays of the caller.
//!
//! The first word is a magic number, the rest the value. The arrays are aligned to 8 bytes at most, the values to 32
//! (`ByteSet`), so values are copied out: 3 ns for a decoder. The pools of nginx align to 16 bytes.
//!
//! # Safety
//!
//! The contract of these functions is that of include/simdpct.h: a pointer is null, or points to an array of the type
//! that belongs to `T`, which is zeroed or was written by [`store`]. Covered by tests/functions.c.

use core::ffi::c_void;

use simdpct::{ByteSet, Decoder, Encoder, path::PathPolicy, stream};

/// A value that an opaque array of C can hold.
pub(crate) trait Opaque: Sized {
    /// Words of the array, as in the header: checked by tests/functions.c.
    const WORDS: usize;
    /// The first word, different for each type: one type passed for another is refused.
    const MAGIC: u64;
    /// It fits, and nobody has to drop it.
    const CHECKED: () = assert!(HEAD + size_of::<Self>() <= 8 * Self::WORDS && !core::mem::needs_drop::<Self>());
}

/// Bytes before the value.
const HEAD: usize = size_of::<u64>();

/// A decoder, and whether its output must be UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct DecoderPolicy {
    pub(crate) decoder: Decoder,
    pub(crate) utf8: bool,
}

impl Opaque for DecoderPolicy {
    const WORDS: usize = 32;
    const MAGIC: u64 = u64::from_le_bytes(*b"simdpctD");
}

impl Opaque for Encoder {
    const WORDS: usize = 16;
    const MAGIC: u64 = u64::from_le_bytes(*b"simdpctE");
}

impl Opaque for PathPolicy {
    const WORDS: usize = 64;
    const MAGIC: u64 = u64::from_le_bytes(*b"simdpctP");
}

impl Opaque for stream::Decoder {
    const WORDS: usize = 64;
    const MAGIC: u64 = u64::from_le_bytes(*b"simdpctd");
}

impl Opaque for stream::Encoder {
    const WORDS: usize = 64;
    const MAGIC: u64 = u64::from_le_bytes(*b"simdpcte");
}

/// Initialises an array; false if there is none.
pub(crate) unsafe fn store<T: Opaque>(to: *mut c_void, value: T) -> bool {
    const { T::CHECKED }
    if to.is_null() {
        return false;
    }
    // SAFETY: not null, and valid for writes of `T::WORDS` words by the contract of the file header. `T::CHECKED` says
    // that word and value fit. Neither needs alignment.
    unsafe {
        to.cast::<u64>().write_unaligned(T::MAGIC);
        to.byte_add(HEAD).cast::<T>().write_unaligned(value);
    }
    true
}

/// Copies the value out of an array; `None` if there is none, or none was stored.
pub(crate) unsafe fn load<T: Opaque>(from: *const c_void) -> Option<T> {
    const { T::CHECKED }
    // SAFETY: read only if not null, and then valid for reads of `T::WORDS` words, of which the first is initialised, by
    // the contract of the file header.
    if from.is_null() || unsafe { from.cast::<u64>().read_unaligned() } != T::MAGIC {
        return None;
    }
    // SAFETY: the magic number says that `store` has written a `T` here. A bitwise copy is a value of its own, because
    // nothing is to be dropped (`T::CHECKED`).
    Some(unsafe { from.byte_add(HEAD).cast::<T>().read_unaligned() })
}

/// Like [`load`], with a default for null.
pub(crate) unsafe fn load_or<T: Opaque>(from: *const c_void, default: T) -> Option<T> {
    if from.is_null() {
        return Some(default);
    }
    // SAFETY: by the contract of the file header.
    unsafe { load(from) }
}

/// Makes an array one that was never initialised.
pub(crate) unsafe fn clear(array: *mut c_void) {
    // SAFETY: not null and valid for writes by the contract of the file header: `load` has found a value there.
    unsafe { array.cast::<u64>().write_unaligned(0) }
}

/// A `simdpct_set`: the set itself. Any bits are a set.
const _: () = assert!(size_of::<ByteSet>() == 32);

pub(crate) unsafe fn load_set(from: *const c_void) -> Option<ByteSet> {
    if from.is_null() {
        return None;
    }
    // SAFETY: not null, and 32 initialised bytes by the contract of the file header. `ByteSet` is an array of bytes, of
    // which each value is valid.
    Some(unsafe { from.cast::<ByteSet>().read_unaligned() })
}
