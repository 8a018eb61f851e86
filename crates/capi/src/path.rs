//! Canonical paths.
//!
//! # Safety
//!
//! The functions have the contract of include/simdpct.h: each pointer is null, or valid for
//! the length that comes with it, or for its type. Covered by tests/functions.c.

use core::ffi::{c_char, c_void};
use core::fmt::Write;
use core::str::FromStr;

use simdpct::Kinds;
use simdpct::path::{PathPolicy, PolicyError};

use crate::memory::{Buffers, copy_to_output, input, output, report, zeroed};
use crate::opaque::{Constant, Opaque, load, load_set, store, with_buffers, with_input};
use crate::outcome::{BAD_ARGUMENT, CResult, Outcome, Status};
use crate::text::Text;

impl Opaque for PathPolicy {
    const WORDS: usize = 128;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpcP\0");
}

#[unsafe(export_name = "simdpct_path_policy_default")]
static DEFAULT_OF_C: Constant<PathPolicy, 128> = Constant::new(PathPolicy::DEFAULT);

/// The options, by number.
const OPTIONS: [&str; 8] =
    ["malformed", "slash", "backslash", "dot-segments", "empty-segments", "parameters", "illegal", "hidden-segments"];
/// The values of options, by number.
const VALUES: [&str; 11] =
    ["keep", "refuse", "decode", "to-slash", "remove", "clamp", "merge", "strip", "strip-from-dots", "escape", "nginx"];

/// Initializes an array with the value that a text describes. On error, the result has the position
/// of the invalid word.
pub(crate) unsafe fn store_from_text<T: Opaque + Copy + FromStr<Err = PolicyError>>(
    array: *mut c_void,
    text: *const c_char,
    len: usize,
) -> Outcome {
    // SAFETY: by the contract of the file header.
    let Some(text) = (unsafe { input(text.cast(), len) }) else { return Outcome::BAD_ARGUMENT };
    match parse::<T>(text) {
        Err(position) => Outcome::new(BAD_ARGUMENT, position),
        // SAFETY: by the contract of the file header.
        Ok(value) if unsafe { store(array, value) } => Outcome::ok(0),
        Ok(_) => Outcome::BAD_ARGUMENT,
    }
}

fn parse<T: FromStr<Err = PolicyError>>(text: &[u8]) -> Result<T, usize> {
    let text = str::from_utf8(text).map_err(|error| error.valid_up_to())?;
    text.parse().map_err(|error: PolicyError| error.position())
}

/// Writes why a text is invalid; an empty text if it is valid.
pub(crate) unsafe fn write_error<T: FromStr<Err = PolicyError>>(
    text: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
) -> usize {
    // SAFETY: by the contract of the file header.
    let (input, output) = unsafe { (input(text.cast(), len), output(dst.cast(), cap)) };
    let Some(output) = output else { return 0 };
    let mut line = Text::new(output);
    // Writing to a `Text` never fails.
    let _ = match input.map(str::from_utf8) {
        None => line.write_str("bad-argument"),
        Some(Err(error)) => write!(line, "invalid UTF-8 at byte {}", error.valid_up_to()),
        Some(Ok(text)) => text.parse::<T>().err().map_or(Ok(()), |error| write!(line, "{error}")),
    };
    line.finish()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_path_policy_init(
    policy: *mut c_void,
    text: *const c_char,
    len: usize,
    result: *mut CResult,
) -> Status {
    // SAFETY: by the contract of the file header.
    unsafe { report(store_from_text::<PathPolicy>(policy, text, len), result) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_path_policy_error(text: *const c_char, len: usize, dst: *mut c_char, cap: usize) -> usize {
    // SAFETY: by the contract of the file header.
    unsafe { write_error::<PathPolicy>(text, len, dst, cap) }
}

/// Replaces the policy by the result of `changed`. Returns false if the array holds no policy, or
/// if `changed` returns `None`.
unsafe fn change(policy: *mut c_void, changed: impl FnOnce(PathPolicy) -> Option<PathPolicy>) -> bool {
    // SAFETY: by the contract of the file header.
    unsafe { load(policy).and_then(changed).is_some_and(|changed| store(policy, changed)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_path_policy_set(policy: *mut c_void, option: u32, value: u32) -> bool {
    let (Some(option), Some(value)) = (OPTIONS.get(option as usize), VALUES.get(value as usize)) else { return false };
    // SAFETY: by the contract of the file header.
    unsafe { change(policy, |policy| policy.with_option(option, value)) }
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
    result: *mut CResult,
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
        Buffers::Apart(path, output) => match policy.canonicalize_with(path, |needed| zeroed(output, needed)) {
            Ok(Some(canonical)) => Outcome::ok(canonical.len()),
            Ok(None) => {
                let path = policy.cut(path);
                copy_to_output(path, output).map_or(Outcome::no_room(path.len()), |_| Outcome::ok(path.len()))
            }
            Err(error) => error.into(),
        },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_path_is_canonical(policy: *const c_void, src: *const c_void, len: usize) -> bool {
    // SAFETY: by the contract of the file header.
    unsafe { with_input(policy, src, len, PathPolicy::is_canonical) }.unwrap_or(false)
}
