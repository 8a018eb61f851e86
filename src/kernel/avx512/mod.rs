//! AVX-512 with VBMI2: 64 lanes, its own algorithms: masks in mask registers, exact classification by two table lookups,
//! compression in a register, and ends that are just shorter masks.
//!
//! # Safety
//!
//! The functions may be called where the CPU has the instructions of [`Avx512`], from a function that enables them; what they need
//! beyond that is said at each. Held by tests/bounds.rs, where buffers touch pages that may not be touched, by
//! tests/guarded_heap.rs and tests/differential.rs.
#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "the intrinsics' instructions are there by the trait's contract; what loads and stores rely on stands with them"
)]
mod block;
mod columns;
mod decode;
mod encode;
mod form;
mod inspect;
mod memory;
mod search;
mod utf8;

use super::form_rules::FormRules;
use super::inout::{Source, Target};
use super::inspection::{Extract, Report};
use super::op::{DecodePolicy, Detail, EncodePolicy, Pass};
use super::outcome::Progress;
use super::rank::{self, Index, RankBlock, RankKernel, Select, Shift};
use super::{FormBitmaps, Kernel, ShortOutput};
use crate::byteset::ByteSet;
use crate::rules::{DecodeRules, EncodeRules};

/// Needs AVX-512 F, BW, VL, VBMI and VBMI2, BMI1, BMI2 and POPCNT.
pub(crate) struct Avx512;

pub(super) const LANES: usize = 64;

impl Kernel for Avx512 {
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
