//! Fast paths for inputs of up to 64 bytes. Most strings that are encoded or decoded one by one are
//! this short, and for them a kernel call costs more than the work itself.
//!
//! Encoding to a `Cow`, with rules that only escape:
//!
//! | bytes | path | gain over the next path, Zen 5, `short` benchmark |
//! |---|---|---|
//! | 1 to 3 | one table look-up per byte, [`encode_few`] | 2 and 3 bytes: 11.4 to 10.5 ns, 13.9 to 10.5 ns |
//! | 4 to 8, exactly one of them not alphanumeric | SWAR, [`encode_around`] | 13.3 to 11.3 ns; all escapes 4 % slower |
//! | 4 | [`encode_few`] | 13.5 to 12.6 ns |
//! | up to 64 | the kernel's `encode_short`, through a stack buffer | |
//!
//! Decoding to a `Cow`, with rules that set at most `strict`:
//!
//! | bytes | path | gain |
//! |---|---|---|
//! | any, without `%` | borrowed: [`is_plain`] | no kernel call |
//! | 3 | the byte of the triplet | 10 to 13 ns to 8.0 ns |
//! | 4 or 5, one `%`, without masked loads | SWAR, [`decode_around`] | 12.4 to 11.2 ns; scalar 17.4 to 11.0 ns |
//! | up to 64 | the kernel's `decode_short` | |
//!
//! [`cow`](super::cow) has the ladder, and the paths for longer inputs.
//!
//! Its unsafe code is covered by tests/bounds.rs, tests/differential.rs and tests/exhaustive.rs.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::mem::MaybeUninit;

use super::append::SLACK;
use super::utf8::to_text;
use super::{DecodePlan, EncodePlan, decode_outcome};
use crate::byteset::ByteSet;
use crate::error::DecodeError;
use crate::hex::{TRIPLETS, first_triplet, from_digits};
use crate::kernel::SHORT_OUTPUT;
use crate::kernel::dispatch::{DECODE_SHORT, ENCODE_SHORT};
use crate::kernel::inout::InOut;
use crate::kernel::op::Measure;
use crate::kernel::scalar::encode::{FEW_OUTPUT, Symbols, encode_few as encode_few_bytes};
use crate::kernel::swar;
use crate::level::Supported;

/// Bytes per SWAR word.
pub(super) const WORD: usize = 8;

/// Encodes one to four bytes without a kernel: many callers encode one character at a time.
#[inline(never)]
pub(super) fn encode_few<'a>(input: &'a [u8], plan: &EncodePlan) -> Cow<'a, str> {
    let mut output = Vec::with_capacity(FEW_OUTPUT);
    let written = encode_few_bytes(input, output.spare_capacity_mut(), plan);
    // SAFETY: `encode_few_bytes` initialised `written` bytes. (tests/bounds.rs)
    unsafe { output.set_len(written) }
    // SAFETY: `output` is the encoding of `input`; if it is not longer, nothing was escaped.
    unsafe { to_text((written > input.len()).then_some(output), input) }
}

/// Encodes 4 to 8 bytes.
#[inline(never)]
pub(super) fn encode_word<'a>(input: &'a [u8], plan: &EncodePlan, level: Supported) -> Cow<'a, str> {
    let suspects = Suspects::of(input);
    if !plan.escape().is_disjoint(&ByteSet::ALPHANUMERIC) {
        return if input.len() == 4 { encode_few(input, plan) } else { encode_short(input, plan, level) };
    }
    if suspects.are_none() {
        // SAFETY: all bytes are alphanumeric, and the rules escape none of those.
        return unsafe { to_text(None, input) };
    }
    match suspects.only_one(input.len()) {
        Some(at) => encode_around(input, at, plan),
        None if input.len() == 4 => encode_few(input, plan),
        None => encode_short(input, plan, level),
    }
}

/// Encodes 4 to 8 bytes of which only the one at `at` may need escaping.
#[inline(never)]
fn encode_around<'a>(input: &'a [u8], at: usize, plan: &EncodePlan) -> Cow<'a, str> {
    if plan.leaves(input[at]) {
        // SAFETY: the only byte that might need escaping does not.
        return unsafe { to_text(None, input) };
    }
    let mut output = Vec::with_capacity(ROOM_FOR_ONE);
    let written = escape_one(input, at, output.spare_capacity_mut(), plan);
    // SAFETY: `escape_one` initialised `written` bytes. (tests/bounds.rs)
    unsafe { output.set_len(written) }
    // SAFETY: `output` is the encoding of `input`.
    unsafe { to_text(Some(output), input) }
}

/// Bitmask of the non-alphanumeric bytes among 4 to 8 bytes, one bit per byte at its top bit. The
/// first four bytes are in the upper half, the last four in the lower half; a byte in both halves
/// has a bit in each.
#[derive(Clone, Copy)]
struct Suspects(u64);

impl Suspects {
    #[inline(always)]
    fn of(input: &[u8]) -> Self {
        let half = |half: Option<&[u8; 4]>| half.map_or(0, |half| u64::from(u32::from_le_bytes(*half)));
        Self(swar::not_alphanumeric(half(input.first_chunk()) << 32 | half(input.last_chunk())))
    }

    #[inline(always)]
    fn are_none(self) -> bool {
        self.0 == 0
    }

    /// Offset of the only suspect among `length` bytes; `None` if there are several.
    #[inline(always)]
    fn only_one(self, length: usize) -> Option<usize> {
        // Shifting the lower half aligns the two bits of a byte that is in both halves.
        let bits = self.0 >> 32 | (self.0 & u64::from(u32::MAX)) << (8 * (length - 4));
        bits.is_power_of_two().then(|| bits.trailing_zeros() as usize / 8)
    }
}

/// Capacity required by [`escape_one`]: it stores whole words, whose last may start 3 bytes after
/// the last input byte.
const ROOM_FOR_ONE: usize = (WORD - 1) + 3 + WORD;

/// Encodes 4 to 8 bytes, escaping only the one at `at`. Returns the output length, or 0 if `output`
/// is too small.
#[inline(always)]
fn escape_one(input: &[u8], at: usize, output: &mut [MaybeUninit<u8>], plan: &EncodePlan) -> usize {
    let io = InOut::new(input, output);
    let text = swar::load_up_to_8(input);
    let from = text >> (8 * at);
    let triplet = TRIPLETS[usize::from(from as u8)] | Symbols::case(plan);
    // The fourth byte is the triplet's length; the next store overwrites it.
    let fits = io.write(0, text.to_le_bytes())
        && io.write(at, triplet.to_le_bytes())
        && io.write(at + 3, (from >> 8).to_le_bytes());
    if fits { input.len() + 2 } else { 0 }
}

/// Encodes at most 64 bytes to a stack buffer, then allocates exactly as much as is needed.
#[inline(never)]
pub(super) fn encode_short<'a>(input: &'a [u8], plan: &EncodePlan, level: Supported) -> Cow<'a, str> {
    let mut buffer = [MaybeUninit::uninit(); SHORT_OUTPUT];
    // SAFETY: `level` is supported: this CPU has it.
    // (tests/differential.rs, tests/bounds.rs)
    let Some(written) = (unsafe { ENCODE_SHORT.of(level)(input, &mut buffer, plan) }) else {
        // SAFETY: the kernel returned `None`: nothing is escaped.
        return unsafe { to_text(None, input) };
    };
    let mut output = Vec::with_capacity(written.next_multiple_of(PIECE));
    copy_pieces(&buffer, output.spare_capacity_mut(), written);
    // SAFETY: the kernel initialised `written` bytes. (tests/bounds.rs)
    unsafe { output.set_len(written) }
    // SAFETY: `output` is the kernel's encoding of `input`.
    unsafe { to_text(Some(output), input) }
}

const PIECE: usize = 16;

/// Copies `length` rounded up to [`PIECE`]; for one or two pieces cheaper than a `memcpy` call.
#[inline(always)]
fn copy_pieces(from: &[MaybeUninit<u8>], to: &mut [MaybeUninit<u8>], length: usize) {
    let mut copy = |start: usize, end: usize| to[start..end].copy_from_slice(&from[start..end]);
    if length <= 2 * PIECE {
        copy(0, PIECE);
        if length > PIECE {
            copy(PIECE, 2 * PIECE);
        }
    } else {
        copy(0, length);
    }
}

/// Decodes four or five bytes that contain one triplet, without a kernel.
#[inline(never)]
pub(super) fn decode_around<'a>(input: &'a [u8], strict: bool, level: Supported) -> Result<Cow<'a, [u8]>, DecodeError> {
    let Some(bytes) = decode_triplet(input) else { return decode_short(input, strict, level) };
    let mut output = bytes.to_vec();
    output.truncate(input.len() - 2);
    Ok(Cow::Owned(output))
}

/// Decodes up to 8 bytes that contain exactly one `%`, if it begins a triplet. The output is two
/// bytes shorter than the input.
#[inline(always)]
fn decode_triplet(input: &[u8]) -> Option<[u8; 8]> {
    let word = swar::load_up_to_8(input);
    let percent = swar::exactly(word, b'%');
    if !percent.is_power_of_two() {
        return None;
    }
    let at = percent.trailing_zeros() - 7;
    let [_, high, low, ..] = (word >> at).to_le_bytes();
    let rest = word >> at >> 16 & !0xFF | u64::from(from_digits(high, low)?);
    Some((word & ((1 << at) - 1) | rest << at).to_le_bytes())
}

/// Decodes at most 64 bytes without policies.
#[inline(never)]
pub(super) fn decode_short<'a>(input: &'a [u8], strict: bool, level: Supported) -> Result<Cow<'a, [u8]>, DecodeError> {
    // Many callers decode one character at a time.
    if input.len() == 3
        && let Some(byte) = first_triplet(input)
    {
        return Ok(Cow::Owned(Vec::from([byte])));
    }
    let mut output = Vec::with_capacity(input.len() + SLACK);
    let (source, target) = InOut::new(input, output.spare_capacity_mut()).halves();
    // SAFETY: `level` is supported: this CPU has it. `InOut` guarantees
    // that source and target are valid. (tests/differential.rs, tests/bounds.rs)
    match unsafe { DECODE_SHORT.of(level)(source, target, strict) } {
        None => {
            let (source, target) = InOut::source_only(input).halves();
            // SAFETY: as above.
            let progress = unsafe { DecodePlan::STRICT.kernel::<Measure>(level)(source, target, &DecodePlan::STRICT) };
            decode_outcome(&progress).map(|()| Cow::Borrowed(input))
        }
        Some(written) if written == input.len() => Ok(Cow::Borrowed(input)),
        Some(written) => {
            // SAFETY: the kernel initialised `written` bytes of the capacity. (tests/bounds.rs)
            unsafe { output.set_len(written) }
            Ok(Cow::Owned(output))
        }
    }
}
