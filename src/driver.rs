//! The driver: the only caller of kernels. Owns modes, sizes and failures, and the steps from bytes to text.
//!
//! Its unsafe code is held by tests/bounds.rs and tests/guarded_heap.rs, where buffers touch pages that may not be touched, and by
//! tests/differential.rs, which has every form compared with the oracle on every level.

pub(crate) mod form;
#[cfg(feature = "alloc")]
pub(crate) mod many;
#[cfg(feature = "alloc")]
pub(crate) mod owned;

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::byteset::ByteSet;
use crate::error::{BufferTooSmall, DecodeError, DecodeErrorKind, DecodeIntoError};
use crate::hex::first_triplet;
use crate::kernel::op::{Detail, Measure, Pass, Scan, Write};
pub(crate) use crate::kernel::op::{Occurrences, Presence};
use crate::kernel::outcome::{Progress, Stop};
use crate::kernel::report::{self, Extract, Report};
use crate::kernel::tape::Tape;
use crate::kernel::{Inspect, Kernels, word};
use crate::level::Level;
use crate::rules::{DecodeRules, EncodeRules};

/// Inputs of up to this many bytes are short: what there is to do is then known from one look.
const SHORT: usize = 64;

#[inline]
pub(crate) fn find(set: &ByteSet, haystack: &[u8], level: Option<Level>) -> Option<usize> {
    // SAFETY: a usable level is one that the machine has. (tests/differential.rs)
    unsafe { (Kernels::of(Level::usable(level)).find)(set, haystack) }
}

#[inline]
pub(crate) fn count(set: &ByteSet, haystack: &[u8], level: Option<Level>) -> usize {
    // SAFETY: as in `find`.
    unsafe { (Kernels::of(Level::usable(level)).count)(set, haystack) }
}

/// The members of `set` among the first 64 bytes of `haystack`, as bits.
#[inline]
fn members(set: &ByteSet, haystack: &[u8], level: Option<Level>) -> u64 {
    let haystack = &haystack[..haystack.len().min(64)];
    // SAFETY: as in `find`.
    unsafe { (Kernels::of(Level::usable(level)).members)(set, haystack) }
}

#[inline]
fn run_encode<M: Pass>(tape: Tape<'_>, rules: &EncodeRules, level: Option<Level>) -> Progress {
    let kernel = Kernels::of(Level::usable(level)).encode::<M>(rules);
    let (source, target) = tape.halves();
    // SAFETY: as in `find`; the tape keeps the rest. (tests/differential.rs, tests/bounds.rs)
    unsafe { kernel(source, target, rules) }
}

/// Decodes at most 64 bytes without policies; `None` if there is no room, or also if it is strict and finds an error.
#[inline]
fn run_decode_short(tape: Tape<'_>, strict: bool, level: Option<Level>) -> Option<usize> {
    let (source, target) = tape.halves();
    // SAFETY: as in `run_encode`.
    unsafe { (Kernels::of(Level::usable(level)).decode_short)(source, target, strict) }
}

#[inline]
fn run_decode<M: Pass>(tape: Tape<'_>, rules: &DecodeRules, level: Option<Level>) -> Progress {
    let kernel = Kernels::of(Level::usable(level)).decode::<M>(rules);
    let (source, target) = tape.halves();
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
            length = length.saturating_add(run_encode::<Measure>(Tape::source_only(piece), rules, level).written);
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
        let progress = run_encode::<Write>(Tape::new(part, &mut output[written..]), rules, level);
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
    let progress = run_decode::<Scan>(Tape::source_only(input), rules, level);
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
        && (input.len() > SHORT || rules.reject.is_some() || word::contains(input, b'+'))
    {
        return false;
    }
    if input.len() < 3 && !rules.strict {
        return true;
    }
    input.len() <= SHORT && !word::contains(input, b'%')
}

/// Length of the decoded form.
#[inline]
pub(crate) fn measure_decode(input: &[u8], rules: &DecodeRules, level: Option<Level>) -> Result<usize, DecodeError> {
    if is_plain(input, rules) {
        return Ok(input.len());
    }
    let progress = run_decode::<Measure>(Tape::source_only(input), rules, level);
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
    let tape = Tape::new(input, output);
    if input.len() <= SHORT
        && rules.are_simple()
        && let Some(written) = run_decode_short(tape, rules.strict, level)
    {
        return Ok(written);
    }
    let progress = run_decode::<Write>(tape, rules, level);
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
    let progress = run_decode::<Write>(Tape::in_place(buffer), rules, level);
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

/// The length of the sequence at the end of `text` that more bytes could make a character of UTF-8; 3 at most.
fn unfinished_character(text: &[u8]) -> usize {
    let end = &text[text.len().saturating_sub(3)..];
    let Some(lead) = end.iter().rposition(|&byte| byte >= 0xC0) else { return 0 };
    let sequence = &end[lead..];
    match core::str::from_utf8(sequence) {
        Err(error) if error.error_len().is_none() => sequence.len(),
        _ => 0,
    }
}

/// Offset in the input of the byte or triplet that the byte at `decoded` of the output comes from. Linear; for errors.
pub(crate) fn input_offset(input: &[u8], rules: &DecodeRules, decoded: usize) -> usize {
    let mut at = 0;
    for _ in 0..decoded {
        let stays = |byte: u8| {
            rules.keep.is_some_and(|keep| keep.contains(byte))
                || byte.is_ascii_hexdigit() && open_triplet(&input[..at], rules) > 0
        };
        at += if first_triplet(&input[at..]).is_some_and(|byte| !stays(byte)) { 3 } else { 1 };
    }
    at
}

/// How many bytes at the end of `before`, the input up to a triplet, matter to whether that triplet is decoded: a malformed '%' which
/// a digit could complete, and maybe its first digit, if no triplet may be created.
pub(crate) fn open_triplet(before: &[u8], rules: &DecodeRules) -> usize {
    if rules.creates_no_triplets() { cut_triplet(before) } else { 0 }
}

/// Length of the incomplete triplet that `bytes` end with (RFC 3986 2.1).
pub(crate) fn cut_triplet(bytes: &[u8]) -> usize {
    match bytes {
        [.., b'%'] => 1,
        [.., b'%', digit] if digit.is_ascii_hexdigit() => 2,
        _ => 0,
    }
}

/// Offset of the first byte that is a finding or begins one.
pub(crate) fn find_suspect(input: &[u8], level: Option<Level>) -> Option<usize> {
    find(&report::SUSPECTS, input, level)
}

/// What a string holds.
pub(crate) fn inspect<D: Detail>(input: &[u8], level: Option<Level>) -> Report {
    Inspector::<D>::new(level).inspect(input)
}

/// Inspects any number of strings: the kernel is looked up, and the room for extracted text made, only once.
pub(crate) struct Inspector<D: Detail> {
    kernel: Inspect,
    extract: Extract,
    level: Option<Level>,
    detail: PhantomData<D>,
}

impl<D: Detail> Inspector<D> {
    #[inline]
    pub(crate) fn new(level: Option<Level>) -> Self {
        let kernel = Kernels::of(Level::usable(level)).inspect::<D>();
        Self { kernel, extract: Extract::empty(), level, detail: PhantomData }
    }

    /// What a string holds.
    #[inline]
    pub(crate) fn inspect(&mut self, input: &[u8]) -> Report {
        let Self { kernel, extract, level, .. } = self;
        let mut report = Report::default();
        (extract.length, extract.is_open) = (0, false);
        let mut is_well_formed = true;
        for chunk in pieces(input, report::CHUNK) {
            // SAFETY: as in `find`; chunks are no longer than that, and an unfinished character has 3 bytes at most.
            // (tests/inspect.rs, tests/bounds.rs)
            unsafe { kernel(chunk, extract, &mut report) }
            report.base += chunk.len();
            is_well_formed = is_well_formed && is_well_formed_but_for_the_end(extract, *level);
            if !is_well_formed {
                extract.length = 0;
            }
        }
        if !is_well_formed || extract.length > 0 {
            if D::COUNTS {
                let (count, first) = count_ill_formed(input, *level);
                report.note_counted(report::INVALID_UTF8, count, first);
            } else {
                report.note::<Presence>(report::INVALID_UTF8, 1, 0);
            }
        }
        report
    }
}

/// Whether what was extracted is well-formed up to an unfinished character, which is all that is left of it then.
fn is_well_formed_but_for_the_end(extract: &mut Extract, level: Option<Level>) -> bool {
    let length = extract.length;
    if length == 0 {
        return true;
    }
    // SAFETY: the kernel initialised the first `length` bytes. (tests/inspect.rs, tests/bounds.rs)
    let text = unsafe { assume_init(&mut extract.buffer, length) };
    let unfinished = unfinished_character(text);
    let is_good = is_well_formed(&text[..length - unfinished], level);
    text.copy_within(length - unfinished.., 0);
    extract.length = unfinished;
    is_good
}

/// How many ill-formed sequences the decoded form has, and the place in the input of the first one.
#[cold]
fn count_ill_formed(input: &[u8], level: Option<Level>) -> (usize, usize) {
    let mut buffer = [0; 3 + report::CHUNK];
    let (mut pending, mut pending_place) = (0, 0);
    let (mut count, mut first) = (0, None);
    let mut base = 0;
    for chunk in pieces(input, report::CHUNK) {
        // A lenient decoder has no error, and there is room for the whole chunk.
        let decoded = decode(chunk, as_uninit(&mut buffer[pending..]), &DecodeRules::LENIENT, level).unwrap_or(0);
        let length = pending + decoded;
        let unfinished = unfinished_character(&buffer[..length]);
        let mut at = 0;
        for part in buffer[..length - unfinished].utf8_chunks().filter(|part| !part.invalid().is_empty()) {
            let from = at + part.valid().len();
            at = from + part.invalid().len();
            count += 1;
            first = first.or_else(|| match from.checked_sub(pending) {
                Some(decoded) => Some(base + input_offset(chunk, &DecodeRules::LENIENT, decoded)),
                None => Some(pending_place),
            });
        }
        if unfinished > 0 && unfinished <= decoded {
            pending_place = base + input_offset(chunk, &DecodeRules::LENIENT, decoded - unfinished);
        }
        buffer.copy_within(length - unfinished..length, 0);
        (pending, base) = (unfinished, base + chunk.len());
    }
    if pending > 0 {
        count += 1;
        first = first.or(Some(pending_place));
    }
    (count, first.unwrap_or_default())
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

/// Whether a text is well-formed UTF-8.
#[inline]
pub(crate) fn is_well_formed(text: &[u8], level: Option<Level>) -> bool {
    // SAFETY: as in `find`. (tests/utf8.rs)
    unsafe { (Kernels::of(Level::usable(level)).is_well_formed)(text) }
}

/// Offset of the first byte that is not part of well-formed UTF-8.
#[inline]
pub(crate) fn find_ill_formed(bytes: &[u8], level: Option<Level>) -> Option<usize> {
    if is_well_formed(bytes, level) {
        return None;
    }
    // Rare, so it may look twice.
    simdutf8::compat::from_utf8(bytes).err().map(|error| error.valid_up_to())
}

/// The text that these bytes are.
#[inline]
pub(crate) fn checked_text(bytes: &[u8], level: Option<Level>) -> Option<&str> {
    // SAFETY: just checked. (tests/utf8.rs)
    is_well_formed(bytes, level).then(|| unsafe { core::str::from_utf8_unchecked(bytes) })
}
