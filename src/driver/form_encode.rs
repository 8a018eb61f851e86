//! Appends encoded names, values and pairs of forms (WHATWG URL 5.2).
//!
//! Its unsafe code is covered by tests/form.rs, tests/bounds.rs and tests/guarded_heap.rs.

use alloc::string::String;
use alloc::vec::Vec;
use core::mem::take;

use super::EncodePlan;
use super::append::append_encoded;
use super::form::WINDOW;
use crate::kernel::EncodePair;
use crate::kernel::dispatch::ENCODE_PAIR;
use crate::kernel::form_rules;
use crate::kernel::form_rules::FormRules;
use crate::level::Level;

/// Rules for encoding forms: the plan encodes long parts, the tables encode pairs.
pub(crate) struct FormPlan {
    plan: EncodePlan,
    tables: FormRules,
}

impl FormPlan {
    /// No triplets are kept, and letters and digits are not escaped.
    pub(crate) const fn new(plan: EncodePlan) -> Self {
        Self { tables: FormRules::new(plan.rules()), plan }
    }
}

/// Encoder of names, values and pairs; looks up the kernel once. Sealed: `pub` only because the
/// serializer's targets name it.
#[derive(Clone, Copy)]
pub struct PartEncoder {
    pair_kernel: EncodePair,
    plan: &'static FormPlan,
    level: Option<Level>,
}

impl PartEncoder {
    #[inline]
    pub(crate) fn new(plan: &'static FormPlan, level: Option<Level>) -> Self {
        Self { pair_kernel: *ENCODE_PAIR.of(Level::supported(level)), plan, level }
    }

    /// Appends `before` verbatim, then the encoded `part`.
    #[inline]
    pub(crate) fn append_part(&self, output: &mut Vec<u8>, before: &str, part: &[u8]) {
        output.reserve(room(before, part));
        output.extend_from_slice(before.as_bytes());
        append_encoded(part, output, &self.plan.plan, self.level);
    }

    #[inline]
    pub(crate) fn append_part_to_text(&self, output: &mut String, before: &str, part: &[u8]) {
        // SAFETY: `before` is UTF-8, and the encoded part is ASCII. (tests/form.rs)
        self.append_part(unsafe { output.as_mut_vec() }, before, part);
    }

    /// Appends a pair, preceded by `&` unless it is the first. When it grows the output, reserves
    /// space for a second pair of the same size.
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
        // SAFETY: the spare capacity exceeds what the kernel needs by at least the byte of the
        // separator. The kernel is that of a supported level, and it initialises `written` bytes.
        // (tests/form.rs, tests/bounds.rs, tests/guarded_heap.rs)
        unsafe {
            let to = output.as_mut_ptr().add(length);
            to.write(b'&');
            let written = (self.pair_kernel)(name, value, to.add(separator), &self.plan.tables);
            output.set_len(length + separator + written);
        }
    }

    #[inline]
    pub(crate) fn append_pair_to_text(&self, output: &mut String, is_first: bool, name: &[u8], value: &[u8]) {
        // SAFETY: only ASCII is appended. (tests/form.rs)
        self.append_pair(unsafe { output.as_mut_vec() }, is_first, name, value);
    }

    #[inline(never)]
    fn with_long_pair(&self, mut output: Vec<u8>, is_first: bool, name: &[u8], value: &[u8]) -> Vec<u8> {
        self.append_part(&mut output, if is_first { "" } else { "&" }, name);
        self.append_part(&mut output, "=", value);
        output
    }
}

// The outlined functions take the output by value, so that it stays in registers in the caller. A
// reference would force it into memory, where it is stored as 8-byte words and loaded as 16 bytes:
// a failed store-to-load forward.

#[inline(never)]
fn grown(mut output: Vec<u8>, room: usize) -> Vec<u8> {
    output.reserve(room);
    output
}

/// Capacity to reserve: the worst case for a short part, which avoids measuring it. `Vec::reserve`
/// doubles.
#[inline]
fn room(before: &str, part: &[u8]) -> usize {
    before.len() + if part.len() <= WINDOW { 3 * part.len() } else { 0 }
}
