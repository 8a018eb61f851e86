//! Policies and streams in the opaque arrays of the caller.
//!
//! The first word is a magic number and the offset of the value. C aligns the arrays to 8 bytes, the pools of nginx to
//! 16, but values must be aligned to 32 (`ByteSet`). So [`store`] writes the value at the first aligned address. An array
//! that was copied may have another alignment: then the value is copied out at each call.
//!
//! # Safety
//!
//! The contract of these functions is that of include/simdpct.h: a pointer is null, or points to an array of the type
//! that belongs to `T`, which is zeroed or was written by [`store`]. Covered by tests/functions.c.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use simdpct::{ByteSet, Decoder, Encoder, path::PathPolicy, stream};

use crate::normalizer::NormalizerPolicy;

/// A value that an opaque array of C can hold.
pub(crate) trait Opaque: Sized {
    /// Words of the array, as in the header: checked by tests/functions.c.
    const WORDS: usize;
    /// The first word, different for each type: one type passed for another is refused.
    const MAGIC: u64;
    /// The value fits whatever the alignment of the array, and needs no drop.
    const CHECKED: () = {
        assert!(HEAD + align_of::<Self>() - 1 + size_of::<Self>() <= 8 * Self::WORDS);
        assert!(!core::mem::needs_drop::<Self>() && Self::MAGIC & OFFSET == 0);
    };
}

/// Bytes of the first word.
const HEAD: usize = size_of::<u64>();
/// The bits of the first word that hold the offset of the value.
const OFFSET: u64 = 0xFF;

/// A decoder, and whether its output must be UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct DecoderPolicy {
    pub(crate) decoder: Decoder,
    pub(crate) utf8: bool,
}

impl Opaque for DecoderPolicy {
    const WORDS: usize = 40;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpcD\0");
}

impl Opaque for NormalizerPolicy {
    const WORDS: usize = 40;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpcN\0");
}

impl Opaque for Encoder {
    const WORDS: usize = 24;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpcE\0");
}

impl Opaque for PathPolicy {
    const WORDS: usize = 64;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpcP\0");
}

impl Opaque for stream::Decoder {
    const WORDS: usize = 64;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpcd\0");
}

impl Opaque for stream::Encoder {
    const WORDS: usize = 64;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpce\0");
}

/// Initialises an array; false if there is none.
pub(crate) unsafe fn store<T: Opaque>(to: *mut c_void, value: T) -> bool {
    const { T::CHECKED }
    if to.is_null() {
        return false;
    }
    let offset = to.addr().wrapping_add(HEAD).next_multiple_of(align_of::<T>()).wrapping_sub(to.addr());
    // SAFETY: not null, and valid for writes of `T::WORDS` words by the contract of the file header. `offset` is at most
    // `HEAD + align_of::<T>() - 1`, and `T::CHECKED` says that the value fits after that. It makes the value aligned; the
    // first word needs no alignment.
    unsafe {
        to.cast::<u64>().write_unaligned(T::MAGIC | offset as u64);
        to.byte_add(offset).cast::<T>().write(value);
    }
    true
}

/// The value in an array; `None` if there is no array, or nothing was stored.
unsafe fn find<T: Opaque>(from: *const c_void) -> Option<*const T> {
    const { T::CHECKED }
    if from.is_null() {
        return None;
    }
    // SAFETY: not null, and its first word is initialised by the contract of the file header.
    let head = unsafe { from.cast::<u64>().read_unaligned() };
    // SAFETY: the magic number says that `store` has written this word, so the offset is one within the array.
    (head & !OFFSET == T::MAGIC).then(|| unsafe { from.byte_add((head & OFFSET) as usize).cast() })
}

/// Copies the value out of an array; `None` if there is none.
pub(crate) unsafe fn load<T: Opaque>(from: *const c_void) -> Option<T> {
    // SAFETY: by the contract of the file header. `find` yields where `store` has written a `T`. A bitwise copy is a
    // value of its own, because nothing is to be dropped (`T::CHECKED`).
    unsafe { find::<T>(from).map(|value| value.read_unaligned()) }
}

/// The value in an array, with a default for null; `None` if there is none. `copy` is the space for one that is not
/// aligned. Copying a decoder takes 9 of 25 ns (Xeon with AVX-512, scripts/bench-capi, 50 bytes).
pub(crate) unsafe fn borrow<'a, T: Opaque>(
    from: *const c_void,
    default: &'a T,
    copy: &'a mut MaybeUninit<T>,
) -> Option<&'a T> {
    if from.is_null() {
        return Some(default);
    }
    // SAFETY: by the contract of the file header.
    let value = unsafe { find::<T>(from) }?;
    if value.is_aligned() {
        // SAFETY: aligned, and written by `store`. By the contract of the header nothing writes to it during the call.
        Some(unsafe { &*value })
    } else {
        // SAFETY: as `find` returned it.
        Some(unsafe { copied(value, copy) })
    }
}

/// Copies a value that is not aligned.
#[cold]
unsafe fn copied<T: Opaque>(value: *const T, copy: &mut MaybeUninit<T>) -> &T {
    // SAFETY: `find` has returned it, so it was written by `store`. A bitwise copy is a value of its own, because nothing
    // is to be dropped (`T::CHECKED`).
    copy.write(unsafe { value.read_unaligned() })
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
