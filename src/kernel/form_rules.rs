//! `FormRules`: what the pairs of a form are encoded by (WHATWG URL 5.2), in tables as the levels like them.
#![cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "only what grows gets pairs appended"))]

use crate::rules::EncodeRules;

/// The rules of a pair: nothing is kept, no letter and no digit is escaped.
// At a cache line, so that the registers of 64 bytes that AVX-512 loads from the tables do not each take two.
#[repr(align(64))]
pub(crate) struct FormRules {
    pub(crate) rules: EncodeRules,
    /// What each byte becomes: up to three bytes from the lowest on, and how many in the highest.
    pub(super) symbols: [u32; 256],
    /// What each character that is not escaped becomes, itself but for a space; [`ESCAPED`] for the others.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "AVX-512 alone looks it up"))]
    pub(super) plain: [u8; 128],
    /// The characters that are not escaped, by row as [`ByteSet::rows`](crate::ByteSet) has them.
    pub(super) kept: [u8; 16],
    /// What turns a space into what it becomes if it is not escaped, by exclusive or.
    pub(super) space: u8,
}

/// No character.
pub(super) const ESCAPED: u8 = 0x80;

impl FormRules {
    pub(crate) const fn new(rules: EncodeRules) -> Self {
        let (mut symbols, mut plain, mut kept) = ([0; 256], [ESCAPED; 128], [0; 16]);
        let mut byte = 0;
        while byte < 256 {
            let (high, low) = (byte >> 4, byte & 15);
            if rules.escape().contains(byte as u8) {
                symbols[byte] = u32::from_le_bytes([b'%', rules.digits[high], rules.digits[low], 3]);
            } else {
                // All bytes from 0x80 are escaped.
                plain[byte] = if rules.plus() && byte == b' ' as usize { b'+' } else { byte as u8 };
                symbols[byte] = u32::from_le_bytes([plain[byte], 0, 0, 1]);
                kept[low] |= 1 << high;
            }
            byte += 1;
        }
        Self { rules, symbols, plain, kept, space: if rules.plus() { b' ' ^ b'+' } else { 0 } }
    }
}

/// The room that kernels ask for: the worst case of the name, a '=' and the value, and 64 bytes more, so that they can store whole
/// registers. No memory holds slices so long that the sum of their lengths overflows.
#[inline(always)]
pub(crate) fn room(name: &[u8], value: &[u8]) -> usize {
    worst(name, value).saturating_add(64)
}

/// The most that a pair becomes, with the '&' before it.
#[inline(always)]
pub(crate) fn worst(name: &[u8], value: &[u8]) -> usize {
    (name.len() + value.len() + 1).saturating_mul(3)
}
