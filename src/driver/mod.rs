//! Driver: the only caller of the kernels. Handles chunking, output sizes, errors and UTF-8
//! validation.
//!
//! Its unsafe code is covered by tests/bounds.rs and tests/guarded_heap.rs, which place buffers
//! next to guard pages, and by tests/differential.rs, which compares every operation with the
//! reference implementation on every level.

#[cfg(feature = "alloc")]
pub(crate) mod append;
#[cfg(feature = "alloc")]
pub(crate) mod batch;
#[cfg(feature = "alloc")]
pub(crate) mod cow;
pub(crate) mod form;
#[cfg(feature = "alloc")]
pub(crate) mod form_decode;
#[cfg(feature = "alloc")]
pub(crate) mod form_encode;
pub(crate) mod inspect;
pub(crate) mod offset;
pub(crate) mod pieces;
pub(crate) mod plan;
pub(crate) mod segments;
#[cfg(feature = "alloc")]
pub(crate) mod small;
pub(crate) mod text;
pub(crate) mod utf8;

use core::mem::MaybeUninit;

pub(crate) use self::plan::{DecodePlan, EncodePlan};
use self::utf8::is_well_formed;
use crate::byteset::ByteSet;
use crate::error::{BufferTooSmall, DecodeError, DecodeErrorKind, DecodeIntoError};
use crate::kernel::dispatch::{COUNT, DECODE_SHORT, FIND, MEMBERS};
use crate::kernel::inout::InOut;
use crate::kernel::op::{Measure, Pass, Scan, Write};
use crate::kernel::outcome::{Progress, Stop};
use crate::kernel::swar;
use crate::level::{Level, Supported};

/// Maximum length of a short input, which one 64-bit bitmask covers.
const SHORT: usize = 64;

#[inline]
pub(crate) fn find(set: &ByteSet, haystack: &[u8], level: Option<Level>) -> Option<usize> {
    // SAFETY: [`Level::supported`] returns only levels that this CPU has. (tests/differential.rs)
    unsafe { FIND.of(Level::supported(level))(set, haystack) }
}

#[inline]
pub(crate) fn count(set: &ByteSet, haystack: &[u8], level: Option<Level>) -> usize {
    // SAFETY: as in `find`.
    unsafe { COUNT.of(Level::supported(level))(set, haystack) }
}

/// Bitmask of the members of `set` among the first 64 bytes of `haystack`; LSB = first byte.
#[inline]
fn members(set: &ByteSet, haystack: &[u8], level: Option<Level>) -> u64 {
    let haystack = &haystack[..haystack.len().min(64)];
    // SAFETY: as in `find`.
    unsafe { MEMBERS.of(Level::supported(level))(set, haystack) }
}

#[inline]
fn run_encode<M: Pass>(io: InOut<'_>, plan: &EncodePlan, level: Option<Level>) -> Progress {
    let kernel = plan.kernel::<M>(Level::supported(level));
    let (source, target) = io.halves();
    // SAFETY: as in `find`; `InOut` guarantees that source and target are valid.
    // (tests/differential.rs, tests/bounds.rs)
    unsafe { kernel(source, target, plan) }
}

/// Decodes at most 64 bytes without policies. `None` if the output is too small, or if the input is
/// malformed and `strict` is set.
#[inline]
fn run_decode_short(io: InOut<'_>, strict: bool, level: Option<Level>) -> Option<usize> {
    let (source, target) = io.halves();
    // SAFETY: as in `run_encode`.
    unsafe { DECODE_SHORT.of(Level::supported(level))(source, target, strict) }
}

#[inline]
fn run_decode<M: Pass>(io: InOut<'_>, plan: &DecodePlan, level: Option<Level>) -> Progress {
    let kernel = plan.kernel::<M>(Level::supported(level));
    let (source, target) = io.halves();
    // SAFETY: as in `run_encode`.
    unsafe { kernel(source, target, plan) }
}

/// Calls `encode` with each part of the input, its offset, and the rules for the kernel. There is a
/// single part unless `keep_non_ascii` is set and the input contains invalid UTF-8.
#[inline]
fn for_each_part<E>(
    input: &[u8],
    plan: &EncodePlan,
    level: Option<Level>,
    mut encode: impl FnMut(usize, &[u8], &EncodePlan) -> Result<(), E>,
) -> Result<(), E> {
    if !plan.keep_non_ascii {
        return encode(0, input, plan);
    }
    let literal = plan.for_well_formed();
    if is_well_formed(input, level) {
        return encode(0, input, &literal);
    }
    let mut at = 0;
    for chunk in input.utf8_chunks() {
        encode(at, chunk.valid().as_bytes(), &literal)?;
        at += chunk.valid().len();
        encode(at, chunk.invalid(), plan)?;
        at += chunk.invalid().len();
    }
    Ok(())
}

/// Offset of the first byte that encoding changes.
#[inline]
pub(crate) fn scan_encode(input: &[u8], plan: &EncodePlan, level: Option<Level>) -> Option<usize> {
    for_each_part(input, plan, level, |at, part, plan| {
        let progress = run_encode::<Scan>(InOut::source_only(part), plan, level);
        if progress.stop() == Stop::Change { Err(at + progress.read()) } else { Ok(()) }
    })
    .err()
}

/// Length of the encoded form. Saturates at `usize::MAX`, which only a 32-bit target can reach.
#[inline]
pub(crate) fn measure_encode(input: &[u8], plan: &EncodePlan, level: Option<Level>) -> usize {
    if input.len() <= SHORT && !plan.keep_triplets && !plan.keep_non_ascii {
        return input.len() + 2 * members(plan.escape(), input, level).count_ones() as usize;
    }
    let mut length = 0_usize;
    let _: Result<(), ()> = for_each_part(input, plan, level, |_, part, plan| {
        for piece in pieces(part, MEASURABLE) {
            length = length.saturating_add(run_encode::<Measure>(InOut::source_only(piece), plan, level).written);
        }
        Ok(())
    });
    length
}

/// Maximum input length whose encoded length always fits in a `usize`. On 64-bit targets no input
/// is longer.
const MEASURABLE: usize = usize::MAX / 3;

/// Splits the input into pieces of at most `longest` bytes (at least 3), never within a triplet.
#[inline]
fn pieces(input: &[u8], longest: usize) -> impl Iterator<Item = &[u8]> {
    let mut rest = input;
    core::iter::from_fn(move || {
        let length = if rest.len() <= longest {
            rest.len()
        } else {
            let last_two = longest - 2;
            rest[last_two..longest].iter().position(|&byte| byte == b'%').map_or(longest, |at| last_two + at)
        };
        let (piece, after) = rest.split_at(length);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Encodes to the start of `output` and returns the length written.
#[inline]
pub(crate) fn encode(
    input: &[u8],
    output: &mut [MaybeUninit<u8>],
    plan: &EncodePlan,
    level: Option<Level>,
) -> Result<usize, BufferTooSmall> {
    let mut written = 0;
    for_each_part(input, plan, level, |_, part, plan| {
        let progress = run_encode::<Write>(InOut::new(part, &mut output[written..]), plan, level);
        written += progress.written;
        if progress.is_end() { Ok(()) } else { Err(()) }
    })
    .map(|()| written)
    .map_err(|()| BufferTooSmall::new(measure_encode(input, plan, level)))
}

/// Offset of the first byte or triplet that decoding changes, or the error if it comes first.
#[inline]
pub(crate) fn scan_decode(input: &[u8], plan: &DecodePlan, level: Option<Level>) -> Result<Option<usize>, DecodeError> {
    let progress = run_decode::<Scan>(InOut::source_only(input), plan, level);
    match progress.stop() {
        Stop::Change => Ok(Some(progress.read())),
        _ => decode_outcome(&progress).map(|()| None),
    }
}

/// Cheap sufficient test that decoding is the identity; SWAR, for short inputs only.
#[inline(always)]
pub(crate) fn is_plain(input: &[u8], plan: &DecodePlan) -> bool {
    // One branch for all the rare cases.
    if plan.plus | plan.reject.is_some()
        && (input.len() > SHORT || plan.reject.is_some() || swar::contains(input, b'+'))
    {
        return false;
    }
    if input.len() < 3 && !plan.strict {
        return true;
    }
    input.len() <= SHORT && !swar::contains(input, b'%')
}

/// Whether the driver tests a short input with [`is_plain`], and copies it, before it calls a
/// kernel that writes. AVX-512 decodes 47 clean bytes in 9 ns, as fast as test and copy (11 ns);
/// the kernels of the other levels take 20 to 25 ns.
#[inline(always)]
pub(crate) fn copies_plain(level: Supported) -> bool {
    level.level() != Level::Avx512
}

/// Copies to the start of `output`, if it has the room.
#[inline(always)]
fn copy(input: &[u8], output: &mut [MaybeUninit<u8>]) -> Result<usize, BufferTooSmall> {
    let Some(output) = output.get_mut(..input.len()) else { return Err(BufferTooSmall::new(input.len())) };
    // SAFETY: `u8` and `MaybeUninit<u8>` have the same layout, and initialised bytes are valid as
    // either.
    output.copy_from_slice(unsafe { core::slice::from_raw_parts(input.as_ptr().cast(), input.len()) });
    Ok(input.len())
}

/// Length of the decoded form.
#[inline]
pub(crate) fn measure_decode(input: &[u8], plan: &DecodePlan, level: Option<Level>) -> Result<usize, DecodeError> {
    if is_plain(input, plan) {
        return Ok(input.len());
    }
    let progress = run_decode::<Measure>(InOut::source_only(input), plan, level);
    decode_outcome(&progress).map(|()| progress.written)
}

/// Decodes to the start of `output` and returns the length written.
#[inline]
pub(crate) fn decode(
    input: &[u8],
    output: &mut [MaybeUninit<u8>],
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<usize, DecodeIntoError> {
    if copies_plain(Level::supported(level)) && is_plain(input, plan) {
        return copy(input, output).map_err(Into::into);
    }
    let io = InOut::new(input, output);
    if input.len() <= SHORT
        && plan.are_simple()
        && let Some(written) = run_decode_short(io, plan.strict, level)
    {
        return Ok(written);
    }
    let progress = run_decode::<Write>(io, plan, level);
    if progress.stop() == Stop::Full {
        // An error in the input takes precedence over a buffer that is too small.
        return Err(BufferTooSmall::new(measure_decode(input, plan, level)?).into());
    }
    decode_outcome(&progress)?;
    Ok(progress.written)
}

/// Decodes to the start of `buffer`, in place, and returns the length written.
#[inline]
pub(crate) fn decode_in_place(
    buffer: &mut [u8],
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<usize, DecodeError> {
    // Nothing is copied, so the test is faster than each kernel.
    if is_plain(buffer, plan) {
        return Ok(buffer.len());
    }
    let io = InOut::in_place(buffer);
    let progress = run_decode::<Write>(io, plan, level);
    decode_outcome(&progress).map(|()| progress.written)
}

/// Decodes by strict rules to the start of `output`, and replaces each malformed `%` by `%25`.
/// Returns the length written.
pub(crate) fn decode_escaping(
    input: &[u8],
    output: &mut [u8],
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<usize, DecodeIntoError> {
    let (mut read, mut written) = (0, 0);
    loop {
        let io = InOut::new(&input[read..], as_uninit(&mut output[written..]));
        let progress = run_decode::<Write>(io, plan, level);
        let room = match progress.stop() {
            Stop::Malformed => output.get_mut(written + progress.written..).and_then(<[u8]>::first_chunk_mut::<3>),
            Stop::Full => None,
            _ => return decode_outcome(&progress).map(|()| written + progress.written).map_err(Into::into),
        };
        let Some(room) = room else {
            return Err(BufferTooSmall::new(measure_escaping(input, plan, level)?).into());
        };
        *room = *b"%25";
        read += progress.read() + 1;
        written += progress.written + room.len();
    }
}

/// Length of the result of [`decode_escaping`]. Saturates at `usize::MAX`.
fn measure_escaping(input: &[u8], plan: &DecodePlan, level: Option<Level>) -> Result<usize, DecodeError> {
    let (mut read, mut length) = (0, 0_usize);
    loop {
        let progress = run_decode::<Measure>(InOut::source_only(&input[read..]), plan, level);
        length = length.saturating_add(progress.written);
        if progress.stop() != Stop::Malformed {
            return decode_outcome(&progress).map(|()| length);
        }
        length = length.saturating_add(b"%25".len());
        read += progress.read() + 1;
    }
}

#[inline]
fn decode_outcome(progress: &Progress) -> Result<(), DecodeError> {
    if progress.is_end() {
        return Ok(());
    }
    let kind = match progress.stop() {
        Stop::End | Stop::Change | Stop::Full => return Ok(()),
        Stop::Malformed => DecodeErrorKind::Malformed,
        Stop::Rejected(byte) => DecodeErrorKind::Rejected(byte),
    };
    Err(DecodeError::new(kind, progress.read()))
}

/// Views an initialised buffer as possibly uninitialised memory for the kernels to write to.
///
/// Writing an uninitialised byte through the result would be unsound, because the caller still
/// holds the buffer as `u8`. Only kernels write through it, and everything they store is
/// initialised, including bytes after the end of the output: it is computed from the input, from
/// tables and from private buffers that are initialised. No kernel copies from a [`MaybeUninit`]
/// buffer.
#[inline]
pub(crate) fn as_uninit(buffer: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    let length = buffer.len();
    // SAFETY: `u8` and `MaybeUninit<u8>` have the same layout, and no uninitialised byte is written
    // (see above). (scripts/check-memory: valgrind)
    unsafe { core::slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), length) }
}

/// Encodes into possibly uninitialised memory. On failure its contents are unspecified.
#[inline]
pub(crate) fn encode_uninit<'a>(
    input: &[u8],
    output: &'a mut [MaybeUninit<u8>],
    plan: &EncodePlan,
    level: Option<Level>,
) -> Result<&'a mut [u8], BufferTooSmall> {
    let written = encode(input, output, plan, level)?;
    // SAFETY: the kernel initialised the first `written` bytes. (tests/bounds.rs)
    Ok(unsafe { assume_init(output, written) })
}

/// Decodes into possibly uninitialised memory. On failure its contents are unspecified.
#[inline]
pub(crate) fn decode_uninit<'a>(
    input: &[u8],
    output: &'a mut [MaybeUninit<u8>],
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<&'a mut [u8], DecodeIntoError> {
    let written = decode(input, output, plan, level)?;
    // SAFETY: as in `encode_uninit`.
    Ok(unsafe { assume_init(output, written) })
}

/// # Safety
///
/// The first `length` bytes of the buffer are initialised.
#[inline]
unsafe fn assume_init(buffer: &mut [MaybeUninit<u8>], length: usize) -> &mut [u8] {
    // SAFETY: the caller guarantees that the bytes are initialised. The slice index checks the
    // length, and the reborrow keeps the lifetime.
    unsafe { &mut *(core::ptr::from_mut(&mut buffer[..length]) as *mut [u8]) }
}
