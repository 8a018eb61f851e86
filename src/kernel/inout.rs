//! `InOut`: the input and output buffers of a kernel, with bounds-checked access.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::swar;

/// An input and an output buffer, which are disjoint or start at the same address (in place).
///
/// In place, a kernel may only write at offset `o` after it has read all input up to `o`. Decoding
/// never grows, so it is sound to load a block and its look-ahead, and then store at or before the
/// start of the block. Vector kernels use the raw pointers, the scalar one the checked accessors.
#[derive(Clone, Copy)]
pub(crate) struct InOut<'a> {
    source: Source<'a>,
    target: Target<'a>,
}

/// The input half of an [`InOut`], two words, so that it is passed in registers.
///
/// Sealed, like [`Target`]: `pub` only because the offset types of the public columns name it.
#[derive(Clone, Copy)]
pub struct Source<'a>(*const u8, usize, PhantomData<&'a [u8]>);

/// The output half of an [`InOut`], two words, so that it is passed in registers.
#[derive(Clone, Copy)]
pub struct Target<'a>(*mut u8, usize, PhantomData<&'a mut [u8]>);

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
    /// `start` is valid for writes of `capacity` bytes for `'a`, and nothing else accesses them.
    /// (tests/form.rs, tests/guarded_heap.rs)
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

    /// An empty output, for passes that measure or scan.
    #[inline]
    pub(crate) fn source_only(source: &'a [u8]) -> Self {
        Self::new(source, &mut [])
    }

    /// Reads and writes the same buffer.
    #[inline]
    pub(crate) fn in_place(buffer: &'a mut [u8]) -> Self {
        let (start, length) = (buffer.as_mut_ptr(), buffer.len());
        Self { source: Source(start, length, PhantomData), target: Target(start, length, PhantomData) }
    }

    #[inline(always)]
    pub(crate) fn halves(self) -> (Source<'a>, Target<'a>) {
        (self.source, self.target)
    }

    /// The inverse of [`halves`](Self::halves).
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

    /// Whether the output is the input, so that a write may overwrite unread input.
    #[inline(always)]
    pub(crate) fn is_in_place(&self) -> bool {
        core::ptr::eq(self.source(), self.target())
    }

    /// The `N` bytes at offset `at` of the input, if it has them.
    #[inline(always)]
    pub(crate) fn read<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        if self.length().checked_sub(N).is_some_and(|last| at <= last) {
            // SAFETY: `at + N <= length`, and the source is valid for reads of `length` bytes for
            // `'a`. Byte arrays have alignment 1. (tests/bounds.rs)
            Some(unsafe { self.source().add(at).cast::<[u8; N]>().read() })
        } else {
            None
        }
    }

    /// The last bytes of the input, from offset `at`, as a zero-padded little-endian word. Fewer
    /// than eight must be left.
    #[inline(always)]
    pub(crate) fn read_rest(&self, at: usize) -> u64 {
        if let Some(start) = self.length().checked_sub(8) {
            let last = self.read(start).map_or(0, u64::from_le_bytes);
            // At the end of input the shift is by 64 bits.
            last.checked_shr(8 * (at - start) as u32).unwrap_or(0)
        } else {
            // SAFETY: the source is valid for reads of `length` bytes, and nothing is written while
            // this reference is alive. (tests/bounds.rs)
            let (word, _) = swar::load(unsafe { core::slice::from_raw_parts(self.source(), self.length()) });
            word >> (8 * at)
        }
    }

    /// Writes `bytes` at offset `at` of the output if they fit, and returns whether they did.
    #[inline(always)]
    #[must_use]
    pub(crate) fn write<const N: usize>(&self, at: usize, bytes: [u8; N]) -> bool {
        let fits = self.capacity().checked_sub(N).is_some_and(|last| at <= last);
        if fits {
            // SAFETY: `at + N <= capacity`, and the target is valid for writes of `capacity` bytes
            // for `'a`. No reference into it is alive, since the constructors took the slices'
            // borrows. (tests/bounds.rs)
            unsafe { self.target().add(at).cast::<[u8; N]>().write(bytes) }
        }
        fits
    }
}
