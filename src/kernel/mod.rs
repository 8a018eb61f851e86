//! The kernels: their contract.
//!
//! A kernel runs one operation on a whole [`InOut`](inout::InOut) with the instructions of one
//! [`Level`](crate::level::Level). It does not allocate, and has no error types and no options. The
//! rules are passed as data. A rule that would slow down the plain path is a compile-time variant
//! instead ([`op`]). The outcome is returned as [`Progress`].
//!
//! There are three implementations: [`scalar`] (words and tables), `vectors::generic` (SSE4.1,
//! AVX2, NEON and simd128, one algorithm over a trait `Vector`) and `vectors::avx512` (its own
//! algorithms). The driver picks a level, and calls through the function pointer that an operation
//! has for it ([`dispatch`]). Operations that have one per policy are called through a plan
//! (`driver::plan`).
//!
//! # Safety
//!
//! The functions of a [`Kernel`] must only be called if the CPU has the target features of its
//! level, which a [`Supported`](crate::level::Supported) level guarantees. Those of the scalar
//! level need none. Tested in tests/differential.rs, tests/level.rs and tests/bounds.rs.

pub(crate) mod dispatch;
pub(crate) mod form_rules;
pub(crate) mod inout;
pub(crate) mod inspection;
pub(crate) mod op;
pub(crate) mod outcome;
pub(crate) mod rank;
pub(crate) mod scalar;
pub(crate) mod swar;
mod vectors;

use core::mem::MaybeUninit;

use self::form_rules::FormRules;
use crate::byteset::ByteSet;
use crate::rules::{DecodeRules, EncodeRules};
use inout::{Source, Target};
use inspection::{Extract, Report};
use op::{DecodePolicy, Detail, EncodePolicy, Pass};
use outcome::Progress;
use rank::RankKernels;

/// Bitmasks of the bytes that delimit and encode form pairs (WHATWG URL 5.1). Bit *i* is byte *i*.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct FormBitmaps {
    /// `&`, which ends a pair.
    pub(crate) ends: u64,
    /// `=`; the first one in a pair ends the name.
    pub(crate) equals: u64,
    /// `%`, `+` and bytes from 0x80. A name or value without any of them decodes to itself.
    pub(crate) coded: u64,
}

/// Output capacity for 64 input bytes: 192 bytes in the worst case, and 64 more so that kernels can
/// store whole registers.
pub(crate) const SHORT_OUTPUT: usize = 256;
pub(crate) type ShortOutput = [MaybeUninit<u8>; SHORT_OUTPUT];

/// The operations of one level.
///
/// # Safety
///
/// Every method must only be called on a CPU that has the level. Obtain kernels through
/// [`ByLevel::of`](dispatch::ByLevel::of), which requires a [`Supported`](crate::level::Supported)
/// level as proof. Slices and [`InOut`](inout::InOut)s are valid by construction, so there is no
/// other condition except for [`encode_pair`](Self::encode_pair) and for the lengths given at
/// [`inspect`](Self::inspect). In return, a method reads only the source's `length` bytes and
/// writes only the target's `capacity` bytes, for any input.
pub(crate) trait Kernel {
    /// Rank bitmaps. `None` for the scalar level: without vectors, marking costs more than it
    /// saves.
    const RANKS: Option<RankKernels> = None;

    /// Inspection of rows. `None` where one call for each row that may have findings is as fast.
    const INSPECT_ROWS: Option<InspectRows> = None;

    /// The offset of the first member of `set`.
    unsafe fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize>;

    /// The number of members of `set`.
    unsafe fn count(set: &ByteSet, haystack: &[u8]) -> usize;

    /// Whether a text is well-formed UTF-8. The default is simdutf8, which detects the CPU itself;
    /// override it only where it is faster.
    unsafe fn is_well_formed(text: &[u8]) -> bool {
        simdutf8::basic::from_utf8(text).is_ok()
    }

    /// A bitmask of the members of `set` in at most 64 bytes. Bit *i* is byte *i*.
    unsafe fn members(set: &ByteSet, haystack: &[u8]) -> u64;

    /// Reports the kinds of raw bytes and triplets, and appends to `extract` the decoded text
    /// needed to validate it as UTF-8. On entry, the haystack and `extract` have at most
    /// [`inspection::CHUNK`] bytes and 3 more, in total.
    unsafe fn inspect<D: Detail>(haystack: &[u8], extract: &mut Extract, report: &mut Report);

    /// The form bitmaps of at most 64 bytes. Returned through a reference.
    unsafe fn form_bitmaps(bytes: &[u8], bitmaps: &mut FormBitmaps);

    /// Encodes. The policy must agree with the rules. The source and the target are the halves of
    /// one [`InOut`](inout::InOut), and disjoint.
    unsafe fn encode<P: EncodePolicy, M: Pass>(source: Source<'_>, target: Target<'_>, rules: &EncodeRules)
    -> Progress;

    /// Decodes. The policy must agree with the rules. The source and the target are the halves of
    /// one [`InOut`](inout::InOut), disjoint or in place.
    unsafe fn decode<P: DecodePolicy, M: Pass>(source: Source<'_>, target: Target<'_>, rules: &DecodeRules)
    -> Progress;

    /// Decodes at most 64 bytes without `+`, kept or rejected bytes, and returns the length of the
    /// output. Returns `None` if the output does not fit, or if `strict` and a `%` is malformed;
    /// the output is then unspecified. The source and the target are the halves of one
    /// [`InOut`](inout::InOut).
    unsafe fn decode_short(source: Source<'_>, target: Target<'_>, strict: bool) -> Option<usize>;

    /// Encodes the first 64 bytes of an input, without kept triplets or `+` for space, and returns
    /// the length of the output. Returns `None` if nothing is escaped; the output is then
    /// unspecified.
    unsafe fn encode_short(input: &[u8], output: &mut ShortOutput, rules: &EncodeRules) -> Option<usize>;

    /// Encodes the name, `=` and the value of a form pair (WHATWG URL 5.2), and returns the length
    /// of the output.
    ///
    /// Unlike the other methods this one takes a raw pointer: `to` must be valid for writes of
    /// [`form_rules::room`] bytes, and must not overlap the name or the value.
    unsafe fn encode_pair(name: &[u8], value: &[u8], to: *mut u8, rules: &FormRules) -> usize;
}

type Find = unsafe fn(&ByteSet, &[u8]) -> Option<usize>;
type Count = unsafe fn(&ByteSet, &[u8]) -> usize;
type IsWellFormed = unsafe fn(&[u8]) -> bool;
type Members = unsafe fn(&ByteSet, &[u8]) -> u64;
pub(crate) type Inspect = unsafe fn(&[u8], &mut Extract, &mut Report);
/// Inspects concatenated rows, given their ends, of which only the first [`inspection::ROWS_CHUNK`]
/// bytes count: writes the bitmask of the kinds found in each, without invalid UTF-8, and
/// overwrites the extract with the decoded text of those that are not ASCII, a space after each.
/// Each end is replaced by the length of the extract after that row.
pub(crate) type InspectRows = unsafe fn(&[u8], &mut [u16], &mut Extract, &mut [u32]);
type FindFormBitmaps = unsafe fn(&[u8], &mut FormBitmaps);
pub(crate) type EncodePair = unsafe fn(&[u8], &[u8], *mut u8, &FormRules) -> usize;
pub(crate) type EncodeShort = unsafe fn(&[u8], &mut ShortOutput, &EncodeRules) -> Option<usize>;
pub(crate) type DecodeShort = unsafe fn(Source<'_>, Target<'_>, bool) -> Option<usize>;
pub(crate) type Encode = unsafe fn(Source<'_>, Target<'_>, &EncodeRules) -> Progress;
pub(crate) type Decode = unsafe fn(Source<'_>, Target<'_>, &DecodeRules) -> Progress;
