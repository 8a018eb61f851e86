//! Canonical paths.
//!
//! # Safety
//!
//! The contract of the functions is that of include/simdpct.h: each pointer is null, or valid for the length that comes
//! with it, or for its type. Covered by tests/functions.c.

use core::ffi::{c_char, c_void};
use core::mem::MaybeUninit;

use simdpct::path::{
    Backslash, DotSegments, EmptySegments, EncodedSlash, IllegalBytes, Parameters, PathErrorKind, PathPolicy,
};
use simdpct::{Kinds, Malformed};

use crate::memory::{Buffers, in_copy, input, report};
use crate::opaque::{Constant, Opaque, load, load_set, store, with_buffers, with_input};
use crate::outcome::{BAD_ARGUMENT, Outcome, Status};
use crate::{findings, set};

impl Opaque for PathPolicy {
    const WORDS: usize = 128;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpcP\0");
}

#[unsafe(export_name = "simdpct_path_policy_default")]
static DEFAULT_OF_C: Constant<PathPolicy, 128> = Constant::new(PathPolicy::DEFAULT);

/// The options, by number.
const OPTIONS: [&str; 7] =
    ["malformed", "slash", "backslash", "dot-segments", "empty-segments", "parameters", "illegal"];
/// What is done, by number.
const VALUES: [&str; 10] =
    ["keep", "refuse", "decode", "to-slash", "remove", "clamp", "merge", "strip", "strip-from-dots", "escape"];

/// The policy with an option; `None` if there is no such option, or it has no such value.
fn with(policy: PathPolicy, option: &str, value: &str) -> Option<PathPolicy> {
    Some(match (option, value) {
        ("malformed", "keep") => policy.malformed(Malformed::Keep),
        ("malformed", "refuse") => policy.malformed(Malformed::Error),
        ("malformed", "escape") => policy.malformed(Malformed::Escape),
        ("slash", "keep") => policy.slash(EncodedSlash::Keep),
        ("slash", "refuse") => policy.slash(EncodedSlash::Refuse),
        ("slash", "decode") => policy.slash(EncodedSlash::Decode),
        ("backslash", "keep") => policy.backslash(Backslash::Keep),
        ("backslash", "refuse") => policy.backslash(Backslash::Refuse),
        ("backslash", "to-slash") => policy.backslash(Backslash::ToSlash),
        ("dot-segments", "keep") => policy.dot_segments(DotSegments::Keep),
        ("dot-segments", "refuse") => policy.dot_segments(DotSegments::Refuse),
        ("dot-segments", "remove") => policy.dot_segments(DotSegments::Remove),
        ("dot-segments", "clamp") => policy.dot_segments(DotSegments::Clamp),
        ("empty-segments", "keep") => policy.empty_segments(EmptySegments::Keep),
        ("empty-segments", "refuse") => policy.empty_segments(EmptySegments::Refuse),
        ("empty-segments", "merge") => policy.empty_segments(EmptySegments::Merge),
        ("parameters", "keep") => policy.parameters(Parameters::Keep),
        ("parameters", "refuse") => policy.parameters(Parameters::Refuse),
        ("parameters", "strip") => policy.parameters(Parameters::Strip),
        ("parameters", "strip-from-dots") => policy.parameters(Parameters::StripFromDots),
        ("illegal", "keep") => policy.illegal(IllegalBytes::Keep),
        ("illegal", "refuse") => policy.illegal(IllegalBytes::Refuse),
        ("illegal", "escape") => policy.illegal(IllegalBytes::Escape),
        _ => return None,
    })
}

/// The policy with what a word of a text says: an option, or as the first word a preset.
fn with_word(policy: PathPolicy, word: &str, is_first: bool) -> Option<PathPolicy> {
    match word.split_once('=') {
        None if is_first => PathPolicy::PRESETS.iter().find(|(name, _)| *name == word).map(|&(_, preset)| preset),
        None => None,
        Some(("refuse", kinds)) => {
            let names = kinds.split(',').filter(|_| !kinds.is_empty());
            names
                .map(|name| findings::named(name.as_bytes()))
                .collect::<Option<Kinds>>()
                .map(|kinds| policy.refuse(kinds))
        }
        Some(("decode", name)) => set::named(name.as_bytes()).map(|set| policy.decode(set)),
        Some((option, value)) => with(policy, option, value),
    }
}

/// Reads a policy; fails with the position of the first word in error.
fn parse(text: &[u8]) -> Result<PathPolicy, usize> {
    let text = str::from_utf8(text).map_err(|error| error.valid_up_to())?;
    let (mut policy, mut is_first, mut at) = (PathPolicy::DEFAULT, true, 0);
    for word in text.split(' ') {
        if !word.is_empty() {
            policy = with_word(policy, word, is_first).ok_or(at)?;
            is_first = false;
        }
        at += word.len() + 1;
    }
    Ok(policy)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_path_policy_init(
    policy: *mut c_void,
    text: *const c_char,
    len: usize,
    result: *mut Outcome,
) -> Status {
    // SAFETY: by the contract of the file header.
    let outcome = match unsafe { input(text.cast(), len) }.map(parse) {
        None => Outcome::BAD_ARGUMENT,
        Some(Err(position)) => Outcome::new(BAD_ARGUMENT, position),
        // SAFETY: by the contract of the file header.
        Some(Ok(parsed)) => match unsafe { store(policy, parsed) } {
            true => Outcome::ok(0),
            false => Outcome::BAD_ARGUMENT,
        },
    };
    // SAFETY: by the contract of the file header.
    unsafe { report(outcome, result) }
}

/// Replaces a policy; false if there is none, or none to replace it.
unsafe fn change(policy: *mut c_void, changed: impl FnOnce(PathPolicy) -> Option<PathPolicy>) -> bool {
    // SAFETY: by the contract of the file header.
    unsafe { load(policy).and_then(changed).is_some_and(|changed| store(policy, changed)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_path_policy_set(policy: *mut c_void, option: u32, value: u32) -> bool {
    let (Some(option), Some(value)) = (OPTIONS.get(option as usize), VALUES.get(value as usize)) else { return false };
    // SAFETY: by the contract of the file header.
    unsafe { change(policy, |policy| with(policy, option, value)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_path_policy_refuse(policy: *mut c_void, kinds: u32) -> bool {
    // SAFETY: by the contract of the file header.
    unsafe { change(policy, |policy| Kinds::from_bits(kinds).map(|kinds| policy.refuse(kinds))) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_path_policy_decode(policy: *mut c_void, set: *const c_void) -> bool {
    // SAFETY: by the contract of the file header.
    unsafe { change(policy, |policy| load_set(set).map(|set| policy.decode(set))) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_path_split(target: *const c_void, len: usize) -> usize {
    // SAFETY: by the contract of the file header.
    unsafe { input(target, len) }.map_or(0, |target| simdpct::path::split(target).0.len())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_path(
    policy: *const c_void,
    src: *const c_void,
    len: usize,
    dst: *mut c_void,
    cap: usize,
    result: *mut Outcome,
) -> Status {
    // SAFETY: by the contract of the file header.
    unsafe { report(with_buffers(policy, src, len, dst, cap, canonicalize), result) }
}

fn canonicalize(policy: &PathPolicy, buffers: Buffers<'_>) -> Outcome {
    match buffers {
        Buffers::InPlace(path) => match policy.canonicalize_in_place(path) {
            Ok(canonical) => Outcome::ok(canonical.len()),
            Err(error) => error.into(),
        },
        Buffers::Apart(path, output) => canonicalize_apart(policy, path, output),
    }
}

/// Copies the path, which initialises the output, and makes it canonical there, unless a byte has to be escaped.
fn canonicalize_apart(policy: &PathPolicy, path: &[u8], output: &mut [MaybeUninit<u8>]) -> Outcome {
    let in_place = |copy: &mut [u8]| match policy.canonicalize_in_place(copy) {
        Ok(canonical) => Some(Outcome::ok(canonical.len())),
        Err(error) if matches!(error.kind, PathErrorKind::OutputTooSmall { .. }) => None,
        Err(error) => Some(error.into()),
    };
    let apart =
        |path: &[u8], room: &mut [u8]| policy.canonicalize_into(path, room).map_or_else(Outcome::from, Outcome::ok);
    in_copy(path, output, Some(in_place), || policy.output_len_bound(path), apart)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_path_is_canonical(policy: *const c_void, src: *const c_void, len: usize) -> bool {
    // SAFETY: by the contract of the file header.
    unsafe { with_input(policy, src, len, PathPolicy::is_canonical) }.unwrap_or(false)
}
