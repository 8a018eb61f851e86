//! The scalar level: SWAR and tables, without vector instructions.
//!
//! # Safety
//!
//! The functions are unsafe only because the trait's are: they need no target features, and the
//! submodules forbid unsafe code. Only `encode_pair` has a condition, the room at `to`. Tested in
//! tests/differential.rs, tests/bounds.rs and tests/form.rs.

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod form;
pub(crate) mod inspect;
pub(crate) mod search;

use super::form_rules::{self, FormRules};
use super::inout::{InOut, Source, Target};
use super::inspection::{Extract, Report};
use super::op::{DecodePolicy, Detail, EncodePolicy, Pass, Plain, Write};
use super::outcome::Progress;
use super::{FormBitmaps, Kernel, ShortOutput};
use crate::byteset::ByteSet;
use crate::rules::{DecodeRules, EncodeRules};

pub(crate) struct Scalar;

impl Kernel for Scalar {
    unsafe fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
        search::find(set, haystack)
    }

    unsafe fn count(set: &ByteSet, haystack: &[u8]) -> usize {
        search::count(set, haystack)
    }

    unsafe fn members(set: &ByteSet, haystack: &[u8]) -> u64 {
        search::members(set, haystack)
    }

    unsafe fn inspect<D: Detail>(haystack: &[u8], extract: &mut Extract, report: &mut Report) {
        inspect::inspect::<D>(haystack, extract, report);
    }

    unsafe fn form_bitmaps(bytes: &[u8], bitmaps: &mut FormBitmaps) {
        *bitmaps = form::form_bitmaps(bytes);
    }

    unsafe fn encode<P: EncodePolicy, M: Pass>(
        source: Source<'_>,
        target: Target<'_>,
        rules: &EncodeRules,
    ) -> Progress {
        encode::encode::<P, M>(InOut::of(source, target), rules)
    }

    unsafe fn decode<P: DecodePolicy, M: Pass>(
        source: Source<'_>,
        target: Target<'_>,
        rules: &DecodeRules,
    ) -> Progress {
        decode::decode::<P, M>(InOut::of(source, target), rules)
    }

    unsafe fn decode_short(source: Source<'_>, target: Target<'_>, strict: bool) -> Option<usize> {
        let progress = decode::decode::<Plain, Write>(InOut::of(source, target), DecodeRules::simple(strict));
        progress.is_end().then_some(progress.written)
    }

    unsafe fn encode_short(input: &[u8], output: &mut ShortOutput, rules: &EncodeRules) -> Option<usize> {
        encode::encode_short(&input[..input.len().min(64)], output, rules)
    }

    unsafe fn encode_pair(name: &[u8], value: &[u8], to: *mut u8, rules: &FormRules) -> usize {
        // SAFETY: the caller guarantees that `to` is valid for writes of `room` bytes.
        let target = unsafe { Target::of(to, form_rules::room(name, value)) };
        form::encode_pair(name, value, InOut::of(Source::of(&[]), target), rules)
    }
}
