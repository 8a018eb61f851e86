//! Findings.
//!
//! # Safety
//!
//! The functions have the contract of include/simdpct.h: each pointer is null, or valid for
//! the length that comes with it, or for its type. Covered by tests/functions.c.

use core::ffi::{c_char, c_void};
use core::fmt::Write;
use core::ptr;

use simdpct::{Counts, Kinds};

use crate::memory::{input, output, put};
use crate::text::{NAME, Text, c_name};

/// `simdpct_counts`.
#[repr(C)]
struct CountsOf32 {
    count: [usize; 32],
    first: [usize; 32],
}

/// The kinds among these bits.
fn known(bits: u32) -> Kinds {
    Kinds::from_bits(bits & Kinds::EVERY.bits()).unwrap_or_default()
}

/// The bits of unknown kinds. They count as found in any input, so that checks fail closed.
const fn unknown(bits: u32) -> u32 {
    bits & !Kinds::EVERY.bits()
}

/// The kinds found, and the position of the first finding. The position takes a separate search.
fn examine(input: &[u8], kinds: u32, with_position: bool) -> (u32, usize) {
    let findings = simdpct::inspect(input);
    let found = findings.kinds_among(known(kinds));
    let position = match unknown(kinds) {
        0 if with_position => findings.first_of(found).unwrap_or(usize::MAX),
        _ => 0,
    };
    (found.bits() | unknown(kinds), position)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_inspect(src: *const c_void, len: usize, kinds: u32, first: *mut usize) -> u32 {
    // SAFETY: by the contract of the file header.
    let (found, position) = match unsafe { input(src, len) } {
        Some(input) => examine(input, kinds, !first.is_null()),
        None => (kinds, if kinds == 0 { usize::MAX } else { 0 }),
    };
    // SAFETY: by the contract of the file header.
    unsafe { put(first, position) };
    found
}

/// Counts the kinds found.
fn count(input: &[u8], kinds: u32, numbers: &mut CountsOf32) -> u32 {
    let found = Counts::among(known(kinds), input);
    for kind in found.kinds() {
        let index = kind.bits().trailing_zeros() as usize;
        numbers.count[index] = found.count(kind);
        numbers.first[index] = found.first(kind).unwrap_or(usize::MAX);
    }
    found.kinds().bits()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_inspect_counting(src: *const c_void, len: usize, kinds: u32, counts: *mut c_void) -> u32 {
    let mut numbers = CountsOf32 { count: [0; 32], first: [usize::MAX; 32] };
    // SAFETY: by the contract of the file header.
    let (found, unexamined) = match unsafe { input(src, len) } {
        Some(input) => (count(input, kinds, &mut numbers), unknown(kinds)),
        None => (0, kinds),
    };
    let mut left = unexamined;
    while left != 0 {
        let bit = left.trailing_zeros() as usize;
        (numbers.count[bit], numbers.first[bit]) = (1, 0);
        left &= left - 1;
    }
    // SAFETY: by the contract of the file header.
    unsafe { put(counts.cast(), numbers) };
    found | unexamined
}

/// The names of the kinds, by the number of their bit.
static NAMES: [[u8; NAME]; Kinds::ALL.len()] = {
    let mut names = [[0; NAME]; Kinds::ALL.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = c_name(Kinds::ALL[index].1);
        index += 1;
    }
    names
};

#[unsafe(no_mangle)]
extern "C" fn simdpct_kind_name(kind: u32) -> *const c_char {
    let name = if kind.is_power_of_two() { NAMES.get(kind.trailing_zeros() as usize) } else { None };
    name.map_or(ptr::null(), |name| name.as_ptr().cast())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_kind_from_name(name: *const c_char, len: usize) -> u32 {
    // SAFETY: by the contract of the file header.
    let name = unsafe { input(name.cast(), len) };
    name.and_then(named).unwrap_or_default().bits()
}

pub(crate) fn named(name: &[u8]) -> Option<Kinds> {
    Kinds::from_name(str::from_utf8(name).ok()?)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_kinds_write(kinds: u32, dst: *mut c_char, cap: usize) -> usize {
    // SAFETY: by the contract of the file header.
    let Some(output) = (unsafe { output(dst.cast(), cap) }) else { return 0 };
    let mut text = Text::new(output);
    write_names(kinds, &mut text);
    text.finish()
}

pub(crate) fn write_names(kinds: u32, text: &mut Text<'_>) {
    let unknown = (unknown(kinds) != 0).then_some("unknown");
    for (index, name) in known(kinds).names().chain(unknown).enumerate() {
        // Writing to a `Text` never fails.
        let _ = write!(text, "{}{name}", if index > 0 { "," } else { "" });
    }
}
