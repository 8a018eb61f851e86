//! The generic algorithm over [`Vector`]: what SSE4.1, AVX2 and NEON share.
//!
//! Each operation goes block by block while a whole block (and what decoding looks ahead at) can be loaded and whatever it may
//! become can be stored; then the rest, in registers of 16 lanes, is loaded zero-padded and stored through a buffer on the
//! stack where the output is short of room. Zero is neither `%` nor `+` nor a hexadecimal digit, so what is cut off is
//! malformed without further ado.
//!
//! # Safety
//!
//! The functions may be called where the CPU has the instructions of the [`Vector`], from a function that enables them; what they
//! need beyond that is said at each. Held by tests/bounds.rs, where buffers touch pages that may not be touched, by
//! tests/guarded_heap.rs and tests/differential.rs.

pub(super) mod block;
pub(super) mod columns;
pub(super) mod compact;
pub(super) mod decode;
pub(super) mod encode;
pub(super) mod form;
pub(super) mod inspect;
pub(super) mod search;

/// Stamps out a level's entry points: the one thing that generics cannot say is which instructions a function is compiled with.
macro_rules! kernel {
    ($level:ty, $vector:ty, $features:literal) => {
        impl $crate::kernel::Kernel for $level {
            #[target_feature(enable = $features)]
            unsafe fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
                // SAFETY: the caller has the instructions, with which this function is compiled and what it calls is inlined
                // into it. So too below.
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
                // SAFETY: as in `find`, and the caller keeps to the lengths.
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
                unsafe { generic::decode::decode::<$vector, P, M, false>(io, rules) }
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
                // SAFETY: as in `find`, and the caller promises the room.
                unsafe { generic::form::encode_pair::<<$vector as Vector>::Half>(name, value, to, rules) }
            }

            #[target_feature(enable = $features)]
            unsafe fn decode_short(source: Source<'_>, target: Target<'_>, strict: bool) -> Option<usize> {
                let io = InOut::of(source, target);
                if !generic::decode::is_short::<<$vector as Vector>::Half>(&io) {
                    let rules = DecodeRules::simple(strict);
                    // SAFETY: as in `find`.
                    let progress = unsafe {
                        Self::decode::<$crate::kernel::op::Plain, $crate::kernel::op::Write>(source, target, rules)
                    };
                    return progress.is_end().then_some(progress.written);
                }
                // SAFETY: as in `find`, and the io is short.
                unsafe { generic::decode::decode_short::<<$vector as Vector>::Half>(io, strict) }
            }
        }

        /// Out of line: what this needs in registers, and saves before, short texts have no use for.
        #[inline(never)]
        #[target_feature(enable = $features)]
        unsafe fn decode_long<P: DecodePolicy>(io: InOut<'_>, rules: &DecodeRules) -> Progress {
            // SAFETY: as in `find`.
            unsafe { generic::decode::decode::<$vector, P, $crate::kernel::op::Write, true>(io, rules) }
        }

        impl $crate::kernel::rank::RankKernel for $level {
            #[target_feature(enable = $features)]
            unsafe fn mark<S: $crate::kernel::rank::Select>(
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
                $crate::kernel::rank::place(marks, text, places, base, shift, placed)
            }
        }
    };
}
pub(super) use kernel;
