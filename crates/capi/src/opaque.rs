//! Policies and streams in the opaque arrays of the caller.
//!
//! The first word is a magic number and the offset of the value. C aligns the arrays to 8 bytes and
//! nginx's pools to 16, but values must be aligned to 32 (`ByteSet`). So [`store`] writes the value
//! at the first aligned address. If a copied array has another alignment, each call copies the
//! value out of it.
//!
//! # Safety
//!
//! These functions have the contract of include/simdpct.h: a pointer is null, or points to an
//! array of the type that belongs to `T`, which is zeroed or was written by [`store`] or is a
//! [`Constant`]. Covered by tests/functions.c.

use core::ffi::c_void;
use core::mem::{MaybeUninit, offset_of};

use simdpct::ByteSet;

use crate::memory::{Buffers, buffers, input};
use crate::outcome::Outcome;

/// A value that an opaque array of C may contain.
pub(crate) trait Opaque: Sized {
    /// Number of words of the array, as in the header. tests/functions.c checks it.
    const WORDS: usize;
    /// The first word, different for each type, so that an array of another type is refused.
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

/// A default policy of the library, laid out as by [`store`]. The dynamic linker may give a program
/// a copy with another alignment (copy relocations). The copy is treated like any copied array.
#[repr(C)]
pub(crate) union Constant<T: Copy, const WORDS: usize> {
    value: Aligned<T>,
    words: [u64; WORDS],
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Aligned<T> {
    head: u64,
    value: T,
}

impl<T: Opaque + Copy, const WORDS: usize> Constant<T, WORDS> {
    pub(crate) const fn new(value: T) -> Self {
        assert!(WORDS == T::WORDS && size_of::<Self>() == 8 * WORDS);
        Self { value: Aligned { head: T::MAGIC | offset_of!(Aligned<T>, value) as u64, value } }
    }
}

/// Initializes an array. Returns false if the pointer is null.
pub(crate) unsafe fn store<T: Opaque>(to: *mut c_void, value: T) -> bool {
    const { T::CHECKED }
    if to.is_null() {
        return false;
    }
    let offset = to.addr().wrapping_add(HEAD).next_multiple_of(align_of::<T>()).wrapping_sub(to.addr());
    // SAFETY: not null, and valid for writes of `T::WORDS` words by the contract of the file
    // header. `offset` is at most `HEAD + align_of::<T>() - 1`, and `T::CHECKED` ensures that the
    // value fits after it. The offset aligns the value; the first word needs no alignment.
    unsafe {
        to.cast::<u64>().write_unaligned(T::MAGIC | offset as u64);
        to.byte_add(offset).cast::<T>().write(value);
    }
    true
}

/// Finds the value in an array. Returns `None` if the pointer is null or nothing was stored.
#[inline]
unsafe fn value_ptr<T: Opaque>(from: *const c_void) -> Option<*const T> {
    const { T::CHECKED }
    if from.is_null() {
        return None;
    }
    // SAFETY: not null, and its first word is initialized by the contract of the file header.
    let head = unsafe { from.cast::<u64>().read_unaligned() };
    // SAFETY: the magic number says that `store` or `Constant::new` has written this word, so the
    // offset lies within the array.
    (head & !OFFSET == T::MAGIC).then(|| unsafe { from.byte_add((head & OFFSET) as usize).cast() })
}

/// Copies the value out of an array. Returns `None` if the array contains no value.
pub(crate) unsafe fn load<T: Opaque>(from: *const c_void) -> Option<T> {
    // SAFETY: by the contract of the file header. `store` has written a `T` where `value_ptr`
    // points. A bitwise copy is independent, because a `T` needs no drop (`T::CHECKED`).
    unsafe { value_ptr::<T>(from).map(|value| value.read_unaligned()) }
}

/// Calls `run` with the value in an array. Returns `None` if the array contains no value. Only an
/// unaligned value is copied: copying a decoder takes 9 of 25 ns (Xeon with AVX-512,
/// crates/capi/bench/run, 50 bytes).
#[inline]
pub(crate) unsafe fn with<T: Opaque, R>(array: *const c_void, run: impl FnOnce(&T) -> R) -> Option<R> {
    // SAFETY: by the contract of the file header.
    let value = unsafe { value_ptr::<T>(array) }?;
    let mut copy = MaybeUninit::uninit();
    let value = if value.is_aligned() {
        // SAFETY: aligned, and written by `store` or a `Constant`. By the contract of the header
        // nothing writes to it during the call.
        unsafe { &*value }
    } else {
        // SAFETY: `value_ptr` returned this pointer.
        unsafe { copy_out(value, &mut copy) }
    };
    Some(run(value))
}

/// Calls `run` with the policy in an array and the input. Returns `None` if either is a bad
/// argument.
#[inline]
pub(crate) unsafe fn with_input<T: Opaque, R>(
    policy: *const c_void,
    src: *const c_void,
    len: usize,
    run: impl FnOnce(&T, &[u8]) -> R,
) -> Option<R> {
    // SAFETY: by the contract of the file header.
    unsafe { with(policy, |policy| input(src, len).map(|input| run(policy, input))) }?
}

/// Calls `run` with the policy in an array and the caller's buffers.
#[inline]
pub(crate) unsafe fn with_buffers<T: Opaque>(
    policy: *const c_void,
    src: *const c_void,
    len: usize,
    dst: *mut c_void,
    cap: usize,
    run: impl FnOnce(&T, Buffers<'_>) -> Outcome,
) -> Outcome {
    // SAFETY: by the contract of the file header.
    let outcome = unsafe {
        with(policy, |policy| match buffers(src, len, dst, cap) {
            Ok(buffers) => run(policy, buffers),
            Err(outcome) => outcome,
        })
    };
    outcome.unwrap_or(Outcome::BAD_ARGUMENT)
}

/// Copies a value that is not aligned.
#[cold]
unsafe fn copy_out<T: Opaque>(value: *const T, copy: &mut MaybeUninit<T>) -> &T {
    // SAFETY: `value_ptr` returned the pointer, so `store` or a `Constant` wrote the value. A
    // bitwise copy is independent, because a `T` needs no drop (`T::CHECKED`).
    copy.write(unsafe { value.read_unaligned() })
}

/// Resets an array to the uninitialized state: later calls refuse it.
pub(crate) unsafe fn clear(array: *mut c_void) {
    // SAFETY: not null and valid for writes by the contract of the file header: `load` has found a
    // value there.
    unsafe { array.cast::<u64>().write_unaligned(0) }
}

/// A `simdpct_set` is the set itself: any bits are valid.
const _: () = assert!(size_of::<ByteSet>() == 32);

pub(crate) unsafe fn load_set(from: *const c_void) -> Option<ByteSet> {
    if from.is_null() {
        return None;
    }
    // SAFETY: not null, and 32 initialized bytes by the contract of the file header. `ByteSet` is
    // an array of bytes, and any bytes are valid.
    Some(unsafe { from.cast::<ByteSet>().read_unaligned() })
}
