//! Findings.
//!
//! # Safety
//!
//! The contract of the functions is that of include/simdpct.h: each pointer is null, or valid for the length that comes
//! with it, or for its type. Covered by tests/functions.c.

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

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_inspect(src: *const c_void, len: usize) -> u32 {
    // SAFETY: by the contract of the file header.
    unsafe { input(src, len) }.map_or(0, |input| simdpct::inspect(input).kinds_among(Kinds::EVERY).bits())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_inspect_first(src: *const c_void, len: usize, kinds: u32, first: *mut usize) -> u32 {
    // SAFETY: by the contract of the file header.
    let (found, position) = unsafe { input(src, len) }.map_or((Kinds::NONE, None), |input| {
        let findings = simdpct::inspect(input);
        let found = findings.kinds_among(known(kinds));
        (found, findings.first_of(found))
    });
    // SAFETY: by the contract of the file header.
    unsafe { put(first, position.unwrap_or(usize::MAX)) };
    found.bits()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_inspect_counting(src: *const c_void, len: usize, counts: *mut c_void) -> u32 {
    let mut numbers = CountsOf32 { count: [0; 32], first: [usize::MAX; 32] };
    // SAFETY: by the contract of the file header.
    let found = unsafe { input(src, len) }.map_or(Kinds::NONE, |input| {
        let counts = Counts::among(Kinds::EVERY, input);
        for kind in counts.kinds() {
            let index = kind.bits().trailing_zeros() as usize;
            numbers.count[index] = counts.count(kind);
            numbers.first[index] = counts.first(kind).unwrap_or(usize::MAX);
        }
        counts.kinds()
    });
    // SAFETY: by the contract of the file header.
    unsafe { put(counts.cast(), numbers) };
    found.bits()
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
    for (index, name) in known(kinds).names().enumerate() {
        // Writing to a `Text` never fails.
        let _ = write!(text, "{}{name}", if index > 0 { "," } else { "" });
    }
}
