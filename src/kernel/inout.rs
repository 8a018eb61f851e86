//! `InOut`: where a kernel reads and writes, checked at every safe access.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::swar;

/// An input and an output buffer. They are disjoint, or they start at the same byte.
///
/// In the second case (decoding in place) a kernel may write at `o` only what it has read all of up to `o`: decoding never
/// grows, so a kernel that loads a block and what it looks ahead at before it stores at or before the start of that block is
/// safe. The vector kernels go through the pointers; the scalar one through the checked accessors.
#[derive(Clone, Copy)]
pub(crate) struct InOut<'a> {
    source: Source<'a>,
    target: Target<'a>,
}

/// The input half of a [`InOut`], small enough to be passed in registers.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a>(*const u8, usize, PhantomData<&'a [u8]>);

/// The output half of a [`InOut`], small enough to be passed in registers.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a>(*mut u8, usize, PhantomData<&'a mut [u8]>);

impl<'a> Source<'a> {
    #[inline(always)]
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self(bytes.as_ptr(), bytes.len(), PhantomData)
    }
}

impl<'a> Target<'a> {
    #[inline]
    fn new(bytes: &'a mut [MaybeUninit<u8>]) -> Self {
        Self(bytes.as_mut_ptr().cast(), bytes.len(), PhantomData)
    }

    /// # Safety
    ///
    /// `start` is valid for writes of `capacity` bytes for 'a, and nothing else goes there. (tests/form.rs, tests/guarded_heap.rs)
    #[inline(always)]
    pub(super) unsafe fn of(start: *mut u8, capacity: usize) -> Self {
        Self(start, capacity, PhantomData)
    }
}

impl<'a> InOut<'a> {
    #[inline]
    pub(crate) fn new(source: &'a [u8], target: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { source: Source::of(source), target: Target::new(target) }
    }

    /// Only reads: for kernels that measure or scan.
    #[inline]
    pub(crate) fn source_only(source: &'a [u8]) -> Self {
        Self::new(source, &mut [])
    }

    /// The output goes where the input is.
    #[inline]
    pub(crate) fn in_place(buffer: &'a mut [u8]) -> Self {
        let (start, length) = (buffer.as_mut_ptr(), buffer.len());
        Self { source: Source(start, length, PhantomData), target: Target(start, length, PhantomData) }
    }

    #[inline(always)]
    pub(crate) fn halves(self) -> (Source<'a>, Target<'a>) {
        (self.source, self.target)
    }

    /// The io that these are the halves of.
    #[inline(always)]
    pub(super) fn of(source: Source<'a>, target: Target<'a>) -> Self {
        Self { source, target }
    }

    /// Valid for reads of [`length`](Self::length) bytes.
    #[inline(always)]
    pub(crate) fn source(&self) -> *const u8 {
        self.source.0
    }

    #[inline(always)]
    pub(crate) fn length(&self) -> usize {
        self.source.1
    }

    /// Valid for writes of [`capacity`](Self::capacity) bytes.
    #[inline(always)]
    pub(crate) fn target(&self) -> *mut u8 {
        self.target.0
    }

    #[inline(always)]
    pub(crate) fn capacity(&self) -> usize {
        self.target.1
    }

    /// Whether the output lies on the input, so that a write may destroy what is not yet read.
    #[inline(always)]
    pub(crate) fn is_in_place(&self) -> bool {
        core::ptr::eq(self.source(), self.target())
    }

    /// The `N` bytes of the input at `at`, if it has them.
    #[inline(always)]
    pub(crate) fn read<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        if self.length().checked_sub(N).is_some_and(|last| at <= last) {
            // SAFETY: `at + N <= length`, and the source is valid for reads of `length` bytes for 'a. Arrays of bytes have no
            // alignment. (tests/bounds.rs)
            Some(unsafe { self.source().add(at).cast::<[u8; N]>().read() })
        } else {
            None
        }
    }

    /// The input from `at` on, where less than eight bytes are left of it, as a little-endian word, zero-padded.
    #[inline(always)]
    pub(crate) fn read_rest(&self, at: usize) -> u64 {
        if let Some(start) = self.length().checked_sub(8) {
            let last = self.read(start).map_or(0, u64::from_le_bytes);
            // At the very end nothing is left: the shift is by 64 bits then.
            last.checked_shr(8 * (at - start) as u32).unwrap_or(0)
        } else {
            // SAFETY: the source is valid for reads of `length` bytes, and nothing is written while this reference lives.
            // (tests/bounds.rs)
            let (word, _) = swar::load(unsafe { core::slice::from_raw_parts(self.source(), self.length()) });
            word >> (8 * at)
        }
    }

    /// Writes `bytes` at `at` of the output if they fit, or nothing.
    #[inline(always)]
    #[must_use]
    pub(crate) fn write<const N: usize>(&self, at: usize, bytes: [u8; N]) -> bool {
        let fits = self.capacity().checked_sub(N).is_some_and(|last| at <= last);
        if fits {
            // SAFETY: `at + N <= capacity`, and the target is valid for writes of `capacity` bytes for 'a; no reference into
            // it is alive, since the constructors took the slices' borrows. (tests/bounds.rs)
            unsafe { self.target().add(at).cast::<[u8; N]>().write(bytes) }
        }
        fits
    }
}
