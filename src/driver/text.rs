//! Decoding to text: ill-formed sequences are errors, are counted or dropped.
//!
//! Its unsafe code is covered by tests/utf8.rs and tests/bounds.rs.

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;
#[cfg(feature = "alloc")]
use alloc::string::String;
use core::mem::MaybeUninit;

use super::DecodePlan;
#[cfg(feature = "alloc")]
use super::append::append_decoded;
#[cfg(feature = "alloc")]
use super::cow;
use super::offset::input_offset;
#[cfg(feature = "alloc")]
use super::utf8::{characters, checked_text, into_text_unchecked, replace_ill_formed};
use super::utf8::{find_ill_formed, incomplete_suffix, is_well_formed};
use super::{as_uninit, decode, decode_in_place, decode_uninit, is_plain, measure_decode, pieces};
use crate::error::{DecodeError, DecodeErrorKind, DecodeIntoError};
#[cfg(feature = "alloc")]
use crate::hex::incomplete_triplet;
use crate::kernel::swar;
use crate::level::Level;
use crate::rules::DecodeRules;

/// Length of a chunk that is decoded on the stack to validate it.
const CHUNK: usize = 8192;

/// The replacement of an ill-formed sequence.
pub(crate) const REPLACEMENT: &str = "\u{FFFD}";

/// What becomes of ill-formed sequences.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum IllFormed {
    /// They are this error.
    Error(DecodeErrorKind),
    /// U+FFFD replaces them.
    Replace,
    /// They are dropped. Where a triplet could be created, U+FFFD replaces them, or they are this
    /// error.
    Drop(Option<DecodeErrorKind>),
}

impl IllFormed {
    pub(crate) const INVALID: Self = Self::Error(DecodeErrorKind::InvalidUtf8);

    /// Replaced by U+FFFD; if a byte of it is rejected, an ill-formed sequence is that error.
    #[inline]
    pub(crate) fn replaced(rules: &DecodeRules) -> Self {
        Self::error_of_replacement(rules).map_or(Self::Replace, Self::Error)
    }

    #[inline]
    pub(crate) fn dropped(rules: &DecodeRules) -> Self {
        Self::Drop(if rules.creates_no_triplets() { Self::error_of_replacement(rules) } else { None })
    }

    #[inline]
    fn error_of_replacement(rules: &DecodeRules) -> Option<DecodeErrorKind> {
        rules.first_rejected(REPLACEMENT.as_bytes()).map(DecodeErrorKind::Rejected)
    }
}

/// Counts the ill-formed sequences of the decoded form (Unicode 3.9), at most `limit`, and returns
/// the input offset of the first one.
///
/// The rules reject nothing and are lenient. Does not allocate. Chunks do not see a malformed `%`
/// that ends the chunk before them, so they may decode a triplet of a digit that the whole input
/// keeps. Both forms are ASCII, so the result is the same.
#[cold]
pub(crate) fn count_ill_formed(
    input: &[u8],
    plan: &DecodePlan,
    level: Option<Level>,
    limit: usize,
) -> (usize, Option<usize>) {
    let mut buffer = [0; 3 + CHUNK];
    let (mut pending, mut pending_place) = (0, 0);
    let (mut count, mut first) = (0, None);
    let mut base = 0;
    for chunk in pieces(input, CHUNK) {
        // Never an error: the rules cannot fail, and the buffer has room for a whole chunk.
        let decoded = decode(chunk, as_uninit(&mut buffer[pending..]), plan, level).unwrap_or(0);
        let length = pending + decoded;
        let unfinished = incomplete_suffix(&buffer[..length]);
        let text = &buffer[..length - unfinished];
        let ill_formed = if is_well_formed(text, level) { &[] } else { text };
        let mut at = 0;
        for part in ill_formed.utf8_chunks().filter(|part| !part.invalid().is_empty()) {
            let from = at + part.valid().len();
            at = from + part.invalid().len();
            count += 1;
            first = first.or_else(|| match from.checked_sub(pending) {
                Some(decoded) => Some(base + input_offset(chunk, plan, decoded)),
                None => Some(pending_place),
            });
            if count == limit {
                return (count, first);
            }
        }
        if unfinished > 0 && unfinished <= decoded {
            pending_place = base + input_offset(chunk, plan, decoded - unfinished);
        }
        buffer.copy_within(length - unfinished..length, 0);
        (pending, base) = (unfinished, base + chunk.len());
    }
    if pending > 0 {
        count += 1;
        first = first.or(Some(pending_place));
    }
    (count, first)
}

/// Returns the first error of decoding to text, given the first one of decoding to bytes: invalid
/// UTF-8 may precede it.
#[cold]
fn first_error(
    input: &[u8],
    plan: &DecodePlan,
    level: Option<Level>,
    error: Option<DecodeError>,
) -> Option<DecodeError> {
    first_ill_formed(input, DecodeErrorKind::InvalidUtf8, plan, level, error).or(error)
}

/// The error for the first ill-formed sequence before `error`, the first one of decoding to bytes.
/// Does not allocate.
fn first_ill_formed(
    input: &[u8],
    kind: DecodeErrorKind,
    plan: &DecodePlan,
    level: Option<Level>,
    error: Option<DecodeError>,
) -> Option<DecodeError> {
    let before = &input[..error.map_or(input.len(), |error| error.position)];
    let (_, first) = count_ill_formed(before, &before_error(plan), level, 1);
    first.map(|position| DecodeError::new(kind, position))
}

/// The plan for the input before the first error of decoding. There a lenient decoder without
/// rejected bytes yields the same output. A strict one would fail at a kept triplet that is
/// truncated because one of its digits is rejected.
const fn before_error(plan: &DecodePlan) -> DecodePlan {
    plan.strict(false).without_reject()
}

/// Whether no triplet was decoded, or the output would be shorter, and the input is known to be
/// text or is ASCII. Reads the input, which takes 3 ns for a line: a load from the output waits for
/// the kernel's stores, 10 ns and more.
#[inline(always)]
fn is_same_text(input: &[u8], is_text: bool, decoded: &[u8]) -> bool {
    decoded.len() == input.len() && (is_text || swar::is_ascii(input))
}

/// Decodes to text at the start of `output`. On failure its contents are unspecified. If the input
/// is known to be text, the output is validated only if something is decoded.
#[inline]
pub(crate) fn decode_text<'a>(
    input: &[u8],
    is_text: bool,
    output: &'a mut [MaybeUninit<u8>],
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<&'a mut str, DecodeIntoError> {
    let failed = match decode_uninit(input, output, plan, level) {
        Ok(bytes) if is_same_text(input, is_text, bytes) || is_well_formed(bytes, level) => {
            // SAFETY: one of the functions returned true. (tests/utf8.rs)
            return Ok(unsafe { core::str::from_utf8_unchecked_mut(bytes) });
        }
        Ok(bytes) => {
            let decoded = find_ill_formed(bytes, level).unwrap_or_default();
            DecodeError::new(DecodeErrorKind::InvalidUtf8, input_offset(input, plan, decoded)).into()
        }
        Err(failed) => failed,
    };
    Err(match failed {
        DecodeIntoError::Decode(error) if error.kind == DecodeErrorKind::InvalidUtf8 => failed,
        DecodeIntoError::Decode(error) => first_error(input, plan, level, Some(error)).unwrap_or(error).into(),
        DecodeIntoError::BufferTooSmall(_) => {
            first_error(input, plan, level, None).map_or(failed, DecodeIntoError::Decode)
        }
    })
}

/// Longest input that is decoded in place through a buffer on the stack.
const STAGED: usize = 1024;

/// Decodes to text at the start of `buffer`, in place. On failure its contents are unspecified.
#[inline]
pub(crate) fn decode_text_in_place<'a>(
    buffer: &'a mut [u8],
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<&'a mut str, DecodeError> {
    // The position of an error is found in the input, which decoding in place overwrites.
    let written = if is_plain(buffer, plan) && (swar::is_ascii(buffer) || is_well_formed(buffer, level)) {
        buffer.len()
    } else if buffer.len() <= STAGED {
        let mut stage = [const { MaybeUninit::uninit() }; STAGED];
        match decode_text(buffer, false, &mut stage, plan, level) {
            Ok(text) => {
                buffer[..text.len()].copy_from_slice(text.as_bytes());
                text.len()
            }
            Err(DecodeIntoError::Decode(error)) => return Err(error),
            // Unreachable: the output is never longer than the input.
            Err(DecodeIntoError::BufferTooSmall(_)) => 0,
        }
    } else {
        let error = measure_decode(buffer, plan, level).err();
        if let Some(error) = first_error(buffer, plan, level, error) {
            return Err(error);
        }
        decode_in_place(buffer, plan, level)?
    };
    // SAFETY: these bytes are text, a copy of text, or decoded by rules for which `first_error`
    // found no ill-formed sequence. (tests/utf8.rs)
    Ok(unsafe { core::str::from_utf8_unchecked_mut(&mut buffer[..written]) })
}

/// Drops ill-formed sequences, except that U+FFFD replaces those after which a triplet could be
/// created.
#[cfg(feature = "alloc")]
fn drop_ill_formed(bytes: &[u8], plan: &DecodePlan, level: Option<Level>) -> String {
    if !plan.creates_no_triplets() {
        return replace_ill_formed(bytes, "", level);
    }
    let mut text = String::with_capacity(bytes.len());
    for piece in characters(bytes) {
        if let Some(piece) = checked_text(piece, level) {
            text.push_str(piece);
            continue;
        }
        for chunk in piece.utf8_chunks() {
            text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() && incomplete_triplet(text.as_bytes()) > 0 {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
    }
    text
}

/// Offset of the first ill-formed sequence that [`drop_ill_formed`] replaces, for rules that create
/// no triplets.
#[cold]
#[cfg(feature = "alloc")]
fn find_separated(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    bytes.utf8_chunks().find_map(|chunk| {
        let start = at + chunk.valid().len();
        at = start + chunk.invalid().len();
        // After a dropped sequence nothing is open, so the text before it is of no concern.
        (at > start && incomplete_triplet(chunk.valid().as_bytes()) > 0).then_some(start)
    })
}

/// Decodes an input that was not found [plain](is_plain) to text. `text` is the input, if it is
/// known to be text: then it is validated only if something is decoded.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn decode_to_cow<'a>(
    input: &'a [u8],
    text: Option<&'a str>,
    ill_formed: IllFormed,
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<Cow<'a, str>, DecodeError> {
    match (cow::decode_not_plain(input, plan, level), text) {
        (Ok(Cow::Borrowed(_)), Some(text)) => Ok(Cow::Borrowed(text)),
        (Ok(bytes), _) => checked(input, bytes, ill_formed, plan, level),
        (Err(error), _) => Err(earliest(input, ill_formed, plan, level, error)),
    }
}

/// The bytes that were decoded from `input`, as text.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn checked<'a>(
    input: &[u8],
    decoded: Cow<'a, [u8]>,
    ill_formed: IllFormed,
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<Cow<'a, str>, DecodeError> {
    // Not by a function that returns the bytes with the offset of an error: a `Cow` in an error was
    // stored and loaded again, and decoding 5 to 60 bytes took 25 to 29 ns instead of 17 to 20
    // (EPYC, AVX-512).
    match find_ill_formed(&decoded, level) {
        // SAFETY: `find_ill_formed` found nothing (tests/differential.rs).
        None => Ok(unsafe { into_text_unchecked(decoded) }),
        Some(at) => repaired(input, &decoded, at, ill_formed, plan, level).map(Cow::Owned),
    }
}

/// The decoded bytes, whose first ill-formed sequence is at `at`, as text.
#[cold]
#[cfg(feature = "alloc")]
fn repaired(
    input: &[u8],
    decoded: &[u8],
    at: usize,
    ill_formed: IllFormed,
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<String, DecodeError> {
    match ill_formed {
        IllFormed::Error(kind) => Err(DecodeError::new(kind, input_offset(input, plan, at))),
        IllFormed::Replace => Ok(replace_ill_formed(decoded, REPLACEMENT, level)),
        IllFormed::Drop(kind) => match kind.and_then(|kind| separated(input, decoded, kind, plan)) {
            Some(error) => Err(error),
            None => Ok(drop_ill_formed(decoded, plan, level)),
        },
    }
}

/// The error for the first sequence of the decoded bytes that would be replaced rather than
/// dropped.
#[cfg(feature = "alloc")]
fn separated(input: &[u8], decoded: &[u8], kind: DecodeErrorKind, plan: &DecodePlan) -> Option<DecodeError> {
    find_separated(decoded).map(|at| DecodeError::new(kind, input_offset(input, plan, at)))
}

/// The first error, given the first one of decoding to bytes: an ill-formed sequence may precede
/// it.
#[cold]
#[cfg(feature = "alloc")]
fn earliest(
    input: &[u8],
    ill_formed: IllFormed,
    plan: &DecodePlan,
    level: Option<Level>,
    error: DecodeError,
) -> DecodeError {
    let earlier = match ill_formed {
        IllFormed::Error(kind) => first_ill_formed(input, kind, plan, level, Some(error)),
        IllFormed::Replace | IllFormed::Drop(None) => None,
        IllFormed::Drop(Some(kind)) => {
            let before = &input[..error.position];
            let decoded = cow::decode_to_cow(before, &before_error(plan), level);
            decoded.ok().and_then(|decoded| separated(before, &decoded, kind, plan))
        }
    };
    earlier.unwrap_or(error)
}

/// Appends the decoded text; appends nothing on error. If the input is known to be text, the output
/// is validated only if something is decoded.
#[cfg(feature = "alloc")]
pub(crate) fn append(
    input: &[u8],
    is_text: bool,
    output: &mut String,
    ill_formed: IllFormed,
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<(), DecodeError> {
    let before = output.len();
    // SAFETY: what is appended is truncated unless it is well-formed, and nothing in between
    // panics. (tests/utf8.rs)
    let bytes = unsafe { output.as_mut_vec() };
    append_decoded(input, bytes, plan, level).map_err(|error| earliest(input, ill_formed, plan, level, error))?;
    let decoded = &bytes[before..];
    let ill_formed_at = if is_same_text(input, is_text, decoded) { None } else { find_ill_formed(decoded, level) };
    let Some(at) = ill_formed_at else { return Ok(()) };
    bytes.truncate(before);
    if let IllFormed::Error(kind) = ill_formed {
        return Err(DecodeError::new(kind, input_offset(input, plan, at)));
    }
    // Rare, so a second pass is acceptable.
    output.push_str(&decode_to_cow(input, None, ill_formed, plan, level)?);
    Ok(())
}
