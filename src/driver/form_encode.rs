//! Appending encoded names, values and pairs of forms (WHATWG URL 5.2).
//!
//! Its unsafe code is held by tests/form.rs, tests/bounds.rs and tests/guarded_heap.rs.

use alloc::string::String;
use alloc::vec::Vec;
use core::mem::take;

use super::alloc::append_encoded;
use super::form::WINDOW;
use crate::kernel::form_rules;
pub(crate) use crate::kernel::form_rules::FormRules;
use crate::kernel::{EncodePair, Kernels};
use crate::level::Level;

/// What appends names, values and pairs: the kernel is looked up only once. It is as public as the serializer's targets, by word: no
/// path from outside leads here.
#[derive(Clone, Copy)]
pub struct PartEncoder {
    pair_kernel: EncodePair,
    rules: &'static FormRules,
    level: Option<Level>,
}

impl PartEncoder {
    #[inline]
    pub(crate) fn new(rules: &'static FormRules, level: Option<Level>) -> Self {
        Self { pair_kernel: Kernels::of(Level::supported(level)).encode_pair, rules, level }
    }

    /// Appends a text as it is, and an encoded part behind it.
    #[inline]
    pub(crate) fn append_part(&self, output: &mut Vec<u8>, before: &str, part: &[u8]) {
        output.reserve(room(before, part));
        output.extend_from_slice(before.as_bytes());
        append_encoded(part, output, &self.rules.rules, self.level);
    }

    #[inline]
    pub(crate) fn append_part_to_text(&self, output: &mut String, before: &str, part: &[u8]) {
        // SAFETY: what is appended is text and, behind it, ASCII. (tests/form.rs)
        self.append_part(unsafe { output.as_mut_vec() }, before, part);
    }

    /// Appends a pair, behind a '&' unless it is the first. Makes room for a second one like it.
    #[inline]
    pub(crate) fn append_pair(&self, output: &mut Vec<u8>, is_first: bool, name: &[u8], value: &[u8]) {
        if name.len() + value.len() > 2 * WINDOW {
            *output = self.with_long_pair(take(output), is_first, name, value);
            return;
        }
        if output.capacity() - output.len() <= form_rules::room(name, value) {
            let room = form_rules::worst(name, value) + form_rules::room(name, value) + 1;
            *output = if output.capacity() == 0 { Vec::with_capacity(room) } else { grown(take(output), room) };
        }
        let length = output.len();
        let separator = usize::from(!is_first);
        // SAFETY: there is more than the room that the kernel needs, which is for the separator; a usable level is one that the
        // machine has; and the kernel initialises as much as it says. (tests/form.rs, tests/bounds.rs, tests/guarded_heap.rs)
        unsafe {
            let to = output.as_mut_ptr().add(length);
            to.write(b'&');
            let written = (self.pair_kernel)(name, value, to.add(separator), self.rules);
            output.set_len(length + separator + written);
        }
    }

    #[inline]
    pub(crate) fn append_pair_to_text(&self, output: &mut String, is_first: bool, name: &[u8], value: &[u8]) {
        // SAFETY: what is appended is ASCII. (tests/form.rs)
        self.append_pair(unsafe { output.as_mut_vec() }, is_first, name, value);
    }

    #[inline(never)]
    fn with_long_pair(&self, mut output: Vec<u8>, is_first: bool, name: &[u8], value: &[u8]) -> Vec<u8> {
        self.append_part(&mut output, if is_first { "" } else { "&" }, name);
        self.append_part(&mut output, "=", value);
        output
    }
}

// What is out of line takes the output by value, so that it is in registers where pairs are appended. A reference to it would put it
// into memory, where it is stored in pieces of 8 bytes and loaded in one of 16, which waits for the stores.

#[inline(never)]
fn grown(mut output: Vec<u8>, room: usize) -> Vec<u8> {
    output.reserve(room);
    output
}

/// How much to reserve: the worst case of a short part, so that it need not be measured first; by doubling, as always.
#[inline]
fn room(before: &str, part: &[u8]) -> usize {
    before.len() + if part.len() <= WINDOW { 3 * part.len() } else { 0 }
}
