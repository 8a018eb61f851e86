//! AVX-512 with VBMI2: 64 lanes, with algorithms of its own.
//!
//! The structure is that of [`generic`](super::generic): full blocks with a two-byte look-ahead,
//! then a tail. This module differs in five points.
//!
//! # Mask registers
//!
//! A comparison yields a 64-bit mask (bit *i* = lane *i*) in a mask register, which moves to a
//! general-purpose register in one instruction. So triplets, carries and stops are computed with
//! scalar shifts and logic on `u64`, and `popcnt` gives the number of output bytes.
//!
//! # Classification by two lookups
//!
//! Set membership and hex digits are exact table lookups, without range comparisons:
//!
//! ```text
//!  set:     row = vpshufb(rows, x)            16 rows by low nibble, ASCII and other halves
//!           bit = vpermb(1 << (i & 7), x >> 4)
//!           member = vptestmb(row, bit)
//!
//!  digits:  t = vpermb(DIGITS, x & 63)        high nibble: that of a digit with these 6 bits
//!                                             low nibble:  its value
//!           valid = (t ^ x) & 0xF0 == 0
//! ```
//!
//! Both digits of a triplet are tested at once: one ternary-logic instruction and one masked test.
//!
//! # Compression in a register
//!
//! Decoding drops the lanes of digits, and encoding drops the unused lanes of an expanded group,
//! with `vpcompressb`. It always compresses to a register, which is then stored. With a memory
//! operand the instruction is 17 times slower on Zen 4.
//!
//! # Masked tails
//!
//! A tail is a masked load, zero padded: there are no narrower registers and no length thresholds.
//! Near the end of the output, a masked store writes exactly the output bytes.
//!
//! # Page ends
//!
//! Masked-off lanes never fault, but a masked access that extends into an unmapped or untouched
//! page takes a microcode assist (about 100 times slower for stores). So if 64 bytes from the start
//! would cross a page end, the access is moved down to *end* at the last byte, and the data is
//! permuted to the top lanes ([`memory`]).
//!
//! # Safety
//!
//! Every function here must only be called if the CPU has the target features of [`Avx512`], and
//! must be inlined into a function that enables them, or enable them itself. Further conditions are
//! stated at each function. Tested in tests/bounds.rs (buffers that end at inaccessible pages),
//! tests/guarded_heap.rs and tests/differential.rs.
#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "intrinsics need the CPU features that the trait guarantees; loads and stores state more"
)]
mod block;
mod columns;
mod decode;
mod encode;
mod form;
mod inspect;
mod inspect_rows;
mod memory;
mod search;
mod utf8;

use crate::byteset::ByteSet;
use crate::kernel::form_rules::FormRules;
use crate::kernel::inout::{Source, Target};
use crate::kernel::inspection::{Extract, Report};
use crate::kernel::op::{DecodePolicy, Detail, EncodePolicy, Pass};
use crate::kernel::outcome::Progress;
use crate::kernel::rank::{Index, RankBlock, RankKernels, RowEnds, RowsDecoded, Shift};
use crate::kernel::vectors::rank::{self, RankKernel, Select};
use crate::kernel::{FormBitmaps, InspectRows, Kernel, ShortOutput};
use crate::rules::{DecodeRules, EncodeRules};

/// Needs AVX-512 F, BW, VL, VBMI and VBMI2, BMI1, BMI2 and POPCNT.
pub(crate) struct Avx512;

pub(super) const LANES: usize = 64;

impl Kernel for Avx512 {
    const RANKS: Option<RankKernels> =
        Some(RankKernels::of::<Self>().with_decode_rows(Self::decode_rows, Self::decode_rows));
    const INSPECT_ROWS: Option<InspectRows> = Some(Self::inspect_rows);

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
        search::find(set, haystack)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn count(set: &ByteSet, haystack: &[u8]) -> usize {
        search::count(set, haystack)
    }

    unsafe fn is_well_formed(text: &[u8]) -> bool {
        utf8::is_well_formed(text)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn members(set: &ByteSet, haystack: &[u8]) -> u64 {
        search::members(set, haystack)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn inspect<D: Detail>(haystack: &[u8], extract: &mut Extract, report: &mut Report) {
        inspect::inspect::<D>(haystack, extract, report)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn form_bitmaps(bytes: &[u8], bitmaps: &mut FormBitmaps) {
        form::form_bitmaps(bytes, bitmaps);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn encode<P: EncodePolicy, M: Pass>(
        source: Source<'_>,
        target: Target<'_>,
        rules: &EncodeRules,
    ) -> Progress {
        encode::encode::<P, M>(source, target, rules)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn decode<P: DecodePolicy, M: Pass>(
        source: Source<'_>,
        target: Target<'_>,
        rules: &DecodeRules,
    ) -> Progress {
        decode::decode::<P, M>(source, target, rules)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn decode_short(source: Source<'_>, target: Target<'_>, strict: bool) -> Option<usize> {
        decode::decode_short(source, target, strict)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn encode_short(input: &[u8], output: &mut ShortOutput, rules: &EncodeRules) -> Option<usize> {
        encode::encode_short(input, output, rules)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn encode_pair(name: &[u8], value: &[u8], to: *mut u8, rules: &FormRules) -> usize {
        form::encode_pair(name, value, to, rules)
    }
}

impl Avx512 {
    /// See [`InspectRows`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn inspect_rows(text: &[u8], ends: &mut [u16], extract: &mut Extract, found: &mut [u32]) {
        inspect_rows::inspect_rows(text, ends, extract, found)
    }

    /// See [`DecodeRows`](crate::kernel::rank::DecodeRows).
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn decode_rows<I: Index>(
        source: Source<'_>,
        target: Target<'_>,
        plus: bool,
        marks: &mut [RankBlock],
        rows: RowEnds<'_, I>,
    ) -> RowsDecoded {
        columns::decode_rows(source, target, plus, marks, rows)
    }
}

impl RankKernel for Avx512 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn mark<S: Select>(set: &ByteSet, text: &[u8], marks: &mut [RankBlock]) {
        columns::mark::<S>(set, text, marks)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn place<I: Index>(
        marks: &[RankBlock],
        text: &[u8],
        places: &[I],
        base: usize,
        shift: Shift,
        placed: &mut [I],
    ) -> bool {
        rank::place(marks, text, places, base, shift, placed)
    }
}
