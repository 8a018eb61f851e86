//! The driver: the only caller of kernels. Owns modes, sizes and failures, and the steps from bytes to text.
//!
//! Its unsafe code is held by tests/bounds.rs and tests/guarded_heap.rs, where buffers touch pages that may not be touched, and by
//! tests/differential.rs, which has every form compared with the oracle on every level.

#[cfg(feature = "alloc")]
pub(crate) mod alloc;
#[cfg(feature = "alloc")]
pub(crate) mod batch;
pub(crate) mod form;
#[cfg(feature = "alloc")]
pub(crate) mod form_decode;
#[cfg(feature = "alloc")]
pub(crate) mod form_encode;
pub(crate) mod inspect;
pub(crate) mod offset;
#[cfg(feature = "alloc")]
pub(crate) mod small;
pub(crate) mod text;

use core::mem::MaybeUninit;

use self::text::is_well_formed;
use crate::byteset::ByteSet;
use crate::error::{BufferTooSmall, DecodeError, DecodeErrorKind, DecodeIntoError};
use crate::kernel::inout::InOut;
use crate::kernel::op::{Measure, Pass, Scan, Write};
use crate::kernel::outcome::{Progress, Stop};
use crate::kernel::{Kernels, swar};
use crate::level::Level;
use crate::rules::{DecodeRules, EncodeRules};

/// Inputs of up to this many bytes are short: what there is to do is then known from one look.
const SHORT: usize = 64;

#[inline]
pub(crate) fn find(set: &ByteSet, haystack: &[u8], level: Option<Level>) -> Option<usize> {
    // SAFETY: a usable level is one that the machine has. (tests/differential.rs)
    unsafe { (Kernels::of(Level::supported(level)).find)(set, haystack) }
}

#[inline]
pub(crate) fn count(set: &ByteSet, haystack: &[u8], level: Option<Level>) -> usize {
    // SAFETY: as in `find`.
    unsafe { (Kernels::of(Level::supported(level)).count)(set, haystack) }
}

/// The members of `set` among the first 64 bytes of `haystack`, as bits.
#[inline]
fn members(set: &ByteSet, haystack: &[u8], level: Option<Level>) -> u64 {
    let haystack = &haystack[..haystack.len().min(64)];
    // SAFETY: as in `find`.
    unsafe { (Kernels::of(Level::supported(level)).members)(set, haystack) }
}

#[inline]
fn run_encode<M: Pass>(io: InOut<'_>, rules: &EncodeRules, level: Option<Level>) -> Progress {
    let kernel = Kernels::of(Level::supported(level)).encode::<M>(rules);
    let (source, target) = io.halves();
    // SAFETY: as in `find`; the io keeps the rest. (tests/differential.rs, tests/bounds.rs)
    unsafe { kernel(source, target, rules) }
}

/// Decodes at most 64 bytes without policies; `None` if there is no room, or also if it is strict and finds an error.
#[inline]
fn run_decode_short(io: InOut<'_>, strict: bool, level: Option<Level>) -> Option<usize> {
    let (source, target) = io.halves();
    // SAFETY: as in `run_encode`.
    unsafe { (Kernels::of(Level::supported(level)).decode_short)(source, target, strict) }
}

#[inline]
fn run_decode<M: Pass>(io: InOut<'_>, rules: &DecodeRules, level: Option<Level>) -> Progress {
    let kernel = Kernels::of(Level::supported(level)).decode::<M>(rules);
    let (source, target) = io.halves();
    // SAFETY: as in `run_encode`.
    unsafe { kernel(source, target, rules) }
}

/// Hands `encode` the input in parts, each with its offset and the rules that the kernels go by: all at once, unless bytes
/// from 0x80 are to stay and some of them are not part of well-formed UTF-8.
#[inline]
fn for_each_part<E>(
    input: &[u8],
    rules: &EncodeRules,
    level: Option<Level>,
    mut encode: impl FnMut(usize, &[u8], &EncodeRules) -> Result<(), E>,
) -> Result<(), E> {
    if !rules.keep_non_ascii {
        return encode(0, input, rules);
    }
    let literal = rules.for_well_formed();
    if is_well_formed(input, level) {
        return encode(0, input, &literal);
    }
    let mut at = 0;
    for chunk in input.utf8_chunks() {
        encode(at, chunk.valid().as_bytes(), &literal)?;
        at += chunk.valid().len();
        encode(at, chunk.invalid(), rules)?;
        at += chunk.invalid().len();
    }
    Ok(())
}

/// Length of the encoded form; `usize::MAX` if it is more than that, which only a 32-bit machine can see.
#[inline]
pub(crate) fn measure_encode(input: &[u8], rules: &EncodeRules, level: Option<Level>) -> usize {
    if input.len() <= SHORT && !rules.keep_triplets && !rules.keep_non_ascii {
        return input.len() + 2 * members(rules.escape(), input, level).count_ones() as usize;
    }
    let mut length = 0_usize;
    let _: Result<(), ()> = for_each_part(input, rules, level, |_, part, rules| {
        for piece in pieces(part, MEASURABLE) {
            length = length.saturating_add(run_encode::<Measure>(InOut::source_only(piece), rules, level).written);
        }
        Ok(())
    });
    length
}

/// The encoded form of so many bytes has a length that a `usize` holds. No 64-bit machine has an input that is longer.
const MEASURABLE: usize = usize::MAX / 3;

/// The input in order, in pieces of at most `longest` bytes, 3 at least, none of them cut within a triplet.
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
        let (piece, behind) = rest.split_at(length);
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Encodes to the start of `output` and returns how much that was.
#[inline]
pub(crate) fn encode(
    input: &[u8],
    output: &mut [MaybeUninit<u8>],
    rules: &EncodeRules,
    level: Option<Level>,
) -> Result<usize, BufferTooSmall> {
    let mut written = 0;
    for_each_part(input, rules, level, |_, part, rules| {
        let progress = run_encode::<Write>(InOut::new(part, &mut output[written..]), rules, level);
        written += progress.written;
        if progress.is_end() { Ok(()) } else { Err(()) }
    })
    .map(|()| written)
    .map_err(|()| BufferTooSmall::new(measure_encode(input, rules, level)))
}

/// Offset of the first byte or triplet that decoding changes, or the error if that comes first.
#[inline]
pub(crate) fn scan_decode(
    input: &[u8],
    rules: &DecodeRules,
    level: Option<Level>,
) -> Result<Option<usize>, DecodeError> {
    let progress = run_decode::<Scan>(InOut::source_only(input), rules, level);
    match progress.stop() {
        Stop::Change => Ok(Some(progress.read())),
        _ => decode_outcome(&progress).map(|()| None),
    }
}

/// Whether a short input surely is its own decoded form: seen without calling a kernel, so only of short ones.
#[inline(always)]
fn is_plain(input: &[u8], rules: &DecodeRules) -> bool {
    // One branch on all that is rare.
    if rules.plus | rules.reject.is_some()
        && (input.len() > SHORT || rules.reject.is_some() || swar::contains(input, b'+'))
    {
        return false;
    }
    if input.len() < 3 && !rules.strict {
        return true;
    }
    input.len() <= SHORT && !swar::contains(input, b'%')
}

/// Length of the decoded form.
#[inline]
pub(crate) fn measure_decode(input: &[u8], rules: &DecodeRules, level: Option<Level>) -> Result<usize, DecodeError> {
    if is_plain(input, rules) {
        return Ok(input.len());
    }
    let progress = run_decode::<Measure>(InOut::source_only(input), rules, level);
    decode_outcome(&progress).map(|()| progress.written)
}

/// Decodes to the start of `output`.
#[inline]
pub(crate) fn decode(
    input: &[u8],
    output: &mut [MaybeUninit<u8>],
    rules: &DecodeRules,
    level: Option<Level>,
) -> Result<usize, DecodeIntoError> {
    let io = InOut::new(input, output);
    if input.len() <= SHORT
        && rules.are_simple()
        && let Some(written) = run_decode_short(io, rules.strict, level)
    {
        return Ok(written);
    }
    let progress = run_decode::<Write>(io, rules, level);
    if progress.stop() == Stop::Full {
        // The input may yet turn out to be at fault, and then that is what there is to say.
        return Err(BufferTooSmall::new(measure_decode(input, rules, level)?).into());
    }
    decode_outcome(&progress)?;
    Ok(progress.written)
}

/// Decodes to the start of `buffer`.
#[inline]
pub(crate) fn decode_in_place(
    buffer: &mut [u8],
    rules: &DecodeRules,
    level: Option<Level>,
) -> Result<usize, DecodeError> {
    let progress = run_decode::<Write>(InOut::in_place(buffer), rules, level);
    decode_outcome(&progress).map(|()| progress.written)
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

/// A buffer of the caller's as one that may be written only.
///
/// To write an uninitialised byte through the result would be unsound, for the caller has it as `u8`. Only kernels write through it.
/// They store registers and words that come from the input, which is initialised, from tables and from arithmetic on those, also beyond
/// the bytes that count; none copies from a [`MaybeUninit`] buffer. (The private buffers that kernels bounce the end of an output
/// through are initialised.)
#[inline]
pub(crate) fn as_uninit(buffer: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    let length = buffer.len();
    // SAFETY: the layouts are the same, and no uninitialised byte is written, as said above. (scripts/memory: valgrind)
    unsafe { core::slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), length) }
}

/// Encodes into memory that need not be initialised; on failure nothing is said of its contents.
#[inline]
pub(crate) fn encode_uninit<'a>(
    input: &[u8],
    output: &'a mut [MaybeUninit<u8>],
    rules: &EncodeRules,
    level: Option<Level>,
) -> Result<&'a mut [u8], BufferTooSmall> {
    let written = encode(input, output, rules, level)?;
    // SAFETY: the kernel initialised the first `written` bytes. (tests/bounds.rs)
    Ok(unsafe { assume_init(output, written) })
}

/// Decodes into memory that need not be initialised; on failure nothing is said of its contents.
#[inline]
pub(crate) fn decode_uninit<'a>(
    input: &[u8],
    output: &'a mut [MaybeUninit<u8>],
    rules: &DecodeRules,
    level: Option<Level>,
) -> Result<&'a mut [u8], DecodeIntoError> {
    let written = decode(input, output, rules, level)?;
    // SAFETY: as in `encode_uninit`.
    Ok(unsafe { assume_init(output, written) })
}

/// # Safety
///
/// The first `length` bytes of the buffer are initialised.
#[inline]
unsafe fn assume_init(buffer: &mut [MaybeUninit<u8>], length: usize) -> &mut [u8] {
    // SAFETY: the caller's promise, and the reborrow keeps the lifetime; the slice index checks the length.
    unsafe { &mut *(core::ptr::from_mut(&mut buffer[..length]) as *mut [u8]) }
}
