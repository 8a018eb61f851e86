//! The generic kernels: one algorithm over [`Vector`](super::vector::Vector), shared by SSE4.1,
//! AVX2 and NEON.
//!
//! # Families
//!
//! A family is a set of kernels that share their algorithms: scalar, generic and AVX-512. A level
//! of the generic family consists of an implementation of `Vector` (load,
//! compare, 16-entry lookup, ...) in its own file, and one use of the `kernel!` macro below.
//! Everything in this directory is written once, for `V: Vector`.
//!
//! # Blocks
//!
//! A block is one register of input: 32 bytes with AVX2, 16 with SSE4.1 and NEON. An operation runs
//! up to three loops over its input:
//!
//! ```text
//!  0                                                        length
//!  | block | block | ... | block | half | half |   tail   |0000000|
//!  '------------ 1 ------------'  '---- 2 ----'  '------ 3 -------'
//!     V::LANES bytes each           16 bytes each  16 lanes, zero padded
//! ```
//!
//! 1. Full blocks of `V`, while the input has a block plus its look-ahead, and the output has room
//!    for the worst case: the block's own length when decoding, three times that when encoding.
//! 2. The same with `V::Half`, a register of 16 lanes. With 16-byte levels the two loops are the
//!    same one. With AVX2, short inputs skip the first loop: its set-up cost exceeds its gain.
//! 3. The tail, in registers of 16 lanes, loaded so that no byte outside the input is read. If the
//!    output is nearly full, the tail is stored to a stack buffer first, and copied if it fits.
//!
//! # Look-ahead
//!
//! A triplet is recognised at its `%`, so decoding needs the two bytes that follow each lane. A
//! [`Window`](block::Window) holds three registers: the block, and the input loaded at offsets 1
//! and 2. Triplets cannot overlap, because `%` is not a hex digit. So all lanes are checked
//! independently, and the result is exact for malformed input too. A triplet in one of the last two
//! lanes extends into the next block, where its digits are dropped. These two bits, the carry, are
//! the only loop-carried state of plain decoding.
//!
//! # Tails and zero padding
//!
//! Zero padding contains no `%`, `+` or hex digit, so a triplet truncated by the end of input is
//! malformed with no special case. When encoding, NUL must be escaped, so the bitmask is limited to
//! the tail's length. A tail of less than 16 bytes, with other input before it, is loaded with the
//! 16 bytes that end where it ends, and shifted down: one load, without a branch on the length.
//!
//! # In place
//!
//! Decoding may write over its input. Output never overtakes input: `written <= read`. A store at
//! `written` reaches at most `read + LANES`, and the window holds all bytes up to there before the
//! store. The two look-ahead bytes after that are unchanged in memory for the next block.
//!
//! # Instantiation
//!
//! Generics cannot express the instruction set that a function is compiled with. So everything here
//! is `#[inline(always)]`, and the `kernel!` macro generates, per level, one `#[target_feature]`
//! function per operation, into which the generic code is inlined.
//!
//! # Safety
//!
//! Every function here must only be called if the CPU has the target features of `V`, and must be
//! inlined into a function that enables them. Further conditions are stated at each function.
//! `SAFETY` comments say "CPU features" for the common condition. Tested in tests/bounds.rs
//! (buffers that end at inaccessible pages), tests/guarded_heap.rs and tests/differential.rs.

pub(super) mod block;
pub(super) mod columns;
pub(super) mod compact;
pub(super) mod decode;
pub(super) mod decode_short;
pub(super) mod encode;
pub(super) mod form;
pub(super) mod inspect;
pub(super) mod search;

/// Implements [`Kernel`](crate::kernel::Kernel) and `RankKernel` for a level: one function per
/// operation, compiled with the level's target features.
macro_rules! kernel {
    ($level:ty, $vector:ty, $features:literal) => {
        impl $crate::kernel::Kernel for $level {
            const RANKS: Option<$crate::kernel::rank::RankKernels> =
                Some($crate::kernel::rank::RankKernels::of::<$level>());

            #[target_feature(enable = $features)]
            unsafe fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
                // SAFETY: this function's contract guarantees the CPU features, which it enables,
                // and the callee is inlined into it. The same holds for the functions below.
                unsafe { generic::search::find::<$vector>(set, haystack) }
            }

            #[target_feature(enable = $features)]
            unsafe fn count(set: &ByteSet, haystack: &[u8]) -> usize {
                // SAFETY: as in `find`.
                unsafe { generic::search::count::<$vector>(set, haystack) }
            }

            #[target_feature(enable = $features)]
            unsafe fn members(set: &ByteSet, haystack: &[u8]) -> u64 {
                // SAFETY: as in `find`.
                unsafe { generic::search::members::<$vector>(set, haystack) }
            }

            #[target_feature(enable = $features)]
            unsafe fn inspect<D: Detail>(haystack: &[u8], extract: &mut Extract, report: &mut Report) {
                // SAFETY: as in `find`; the caller guarantees the lengths.
                unsafe { generic::inspect::inspect::<$vector, D>(haystack, extract, report) }
            }

            #[target_feature(enable = $features)]
            unsafe fn form_bitmaps(bytes: &[u8], bitmaps: &mut FormBitmaps) {
                // SAFETY: as in `find`.
                *bitmaps = unsafe { generic::form::form_bitmaps::<$vector>(bytes) };
            }

            #[target_feature(enable = $features)]
            unsafe fn encode<P: EncodePolicy, M: Pass>(
                source: Source<'_>,
                target: Target<'_>,
                rules: &EncodeRules,
            ) -> Progress {
                // SAFETY: as in `find`.
                unsafe { generic::encode::encode::<$vector, P, M>(InOut::of(source, target), rules) }
            }

            #[target_feature(enable = $features)]
            unsafe fn decode<P: DecodePolicy, M: Pass>(
                source: Source<'_>,
                target: Target<'_>,
                rules: &DecodeRules,
            ) -> Progress {
                let io = InOut::of(source, target);
                if M::WRITES && !P::KEEP && !P::REJECT && io.length() >= generic::decode::LONG_FROM {
                    // SAFETY: as in `find`.
                    return unsafe { decode_long::<P>(io, rules) };
                }
                // SAFETY: as in `find`.
                unsafe { generic::decode::decode::<$vector, P, M>(io, rules) }
            }

            #[target_feature(enable = $features)]
            unsafe fn encode_short(input: &[u8], output: &mut ShortOutput, rules: &EncodeRules) -> Option<usize> {
                // SAFETY: as in `find`.
                unsafe { generic::encode::encode_short::<<$vector as Vector>::Half>(input, output, rules) }
            }

            #[target_feature(enable = $features)]
            unsafe fn encode_pair(
                name: &[u8],
                value: &[u8],
                to: *mut u8,
                rules: &$crate::kernel::form_rules::FormRules,
            ) -> usize {
                // SAFETY: as in `find`; the caller guarantees the room at `to`.
                unsafe { generic::form::encode_pair::<<$vector as Vector>::Half>(name, value, to, rules) }
            }

            #[target_feature(enable = $features)]
            unsafe fn decode_short(source: Source<'_>, target: Target<'_>, strict: bool) -> Option<usize> {
                let io = InOut::of(source, target);
                if !generic::decode_short::is_short::<<$vector as Vector>::Half>(&io) {
                    let rules = DecodeRules::simple(strict);
                    // SAFETY: as in `find`.
                    let progress = unsafe {
                        Self::decode::<$crate::kernel::op::Plain, $crate::kernel::op::Write>(source, target, rules)
                    };
                    return progress.is_end().then_some(progress.written);
                }
                // SAFETY: as in `find`; `is_short` was checked above.
                unsafe { generic::decode_short::decode_short::<<$vector as Vector>::Half>(io, strict) }
            }
        }

        /// Outlined, so that short inputs don't pay for its register spills.
        #[inline(never)]
        #[target_feature(enable = $features)]
        unsafe fn decode_long<P: DecodePolicy>(io: InOut<'_>, rules: &DecodeRules) -> Progress {
            // SAFETY: as in `find`.
            unsafe { generic::decode::decode_long::<$vector, P>(io, rules) }
        }

        impl $crate::kernel::vectors::rank::RankKernel for $level {
            #[target_feature(enable = $features)]
            unsafe fn mark<S: $crate::kernel::vectors::rank::Select>(
                set: &ByteSet,
                text: &[u8],
                marks: &mut [$crate::kernel::rank::RankBlock],
            ) {
                // SAFETY: as in `find`.
                unsafe { generic::columns::mark::<$vector, S>(set, text, marks) }
            }

            #[target_feature(enable = $features)]
            unsafe fn place<I: $crate::kernel::rank::Index>(
                marks: &[$crate::kernel::rank::RankBlock],
                text: &[u8],
                places: &[I],
                base: usize,
                shift: $crate::kernel::rank::Shift,
                placed: &mut [I],
            ) -> bool {
                $crate::kernel::vectors::rank::place(marks, text, places, base, shift, placed)
            }
        }
    };
}
pub(super) use kernel;
