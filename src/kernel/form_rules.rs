//! `FormRules`: the tables for encoding form pairs (WHATWG URL 5.2), in the layouts of all levels.
#![cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "pairs are only appended to growable outputs"))]

use crate::rules::EncodeRules;

/// The rules for a pair. No triplets are kept, and letters and digits are not escaped.
// Aligned to cache lines, in this order, so that the 64-byte table loads of AVX-512 do not cross
// one.
#[repr(C, align(64))]
pub(crate) struct FormRules {
    /// The output of each byte: up to three bytes, the first one lowest, and their number in the
    /// top byte.
    pub(super) symbols: [u32; 256],
    /// The output of each ASCII character that is not escaped: itself, except for a space;
    /// [`ESCAPED`] for the others.
    #[allow(dead_code, reason = "used only by AVX-512")]
    pub(super) plain: [u8; 128],
    /// The characters that are not escaped, by row as in [`ByteSet::rows`](crate::ByteSet).
    #[allow(dead_code, reason = "used only by levels with vectors")]
    pub(super) kept: [u8; 16],
    /// The value XORed with a space that is not escaped.
    #[allow(dead_code, reason = "used only by levels with vectors")]
    pub(super) space: u8,
    /// The sixteen hexadecimal digits of the output.
    #[allow(dead_code, reason = "used only by levels with vectors")]
    pub(super) digits: &'static [u8; 16],
}

const _: () = assert!(core::mem::offset_of!(FormRules, plain).is_multiple_of(64));

/// Entry of `plain` for escaped characters; its top bit is the test.
pub(super) const ESCAPED: u8 = 0x80;

impl FormRules {
    pub(crate) const fn new(rules: &EncodeRules) -> Self {
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
        let space = if rules.plus() { b' ' ^ b'+' } else { 0 };
        Self { symbols, plain, kept, space, digits: rules.digits }
    }
}

/// The capacity that kernels require: the worst case of the name, `=` and the value, and 64 bytes
/// more, so that they can store whole registers. The sum of the lengths cannot overflow, even if
/// both are the same slice: none is longer than `isize::MAX`.
#[inline(always)]
pub(crate) fn room(name: &[u8], value: &[u8]) -> usize {
    worst(name, value).saturating_add(64)
}

/// The worst-case length of a pair with the preceding `&`.
#[inline(always)]
pub(crate) fn worst(name: &[u8], value: &[u8]) -> usize {
    (name.len() + value.len() + 1).saturating_mul(3)
}
