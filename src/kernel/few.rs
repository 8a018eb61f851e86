//! Up to 16 bytes in words: what is so short, and has one triplet or one character to escape, takes less than to call a kernel.
#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::scalar::encode::Symbols;
use super::tape::Tape;
use super::word;
use crate::hex::{TRIPLETS, from_digits};
use crate::rules::EncodeRules;

/// Decodes up to 8 bytes in which there is one '%', if it begins a triplet: what they become, two bytes less.
#[inline(always)]
pub(crate) fn decode_triplet(input: &[u8]) -> Option<[u8; 8]> {
    let word = word::load_up_to_8(input);
    let percent = word::exactly(word, b'%');
    if !percent.is_power_of_two() {
        return None;
    }
    let at = percent.trailing_zeros() - 7;
    let [_, high, low, ..] = (word >> at).to_le_bytes();
    let behind = word >> at >> 16 & !0xFF | u64::from(from_digits(high, low)?);
    Some((word & ((1 << at) - 1) | behind << at).to_le_bytes())
}

/// Which of 4 to 8 bytes, or, as `TWO` words, of 9 to 16, are neither letters nor digits, by the top bits of bytes: of the first four
/// above the last four in one word, or of the first eight and of the last eight. A byte that is among both is there twice.
#[derive(Clone, Copy)]
pub(crate) struct Suspects<const TWO: bool>([u64; 2]);

impl<const TWO: bool> Suspects<TWO> {
    #[inline(always)]
    pub(crate) fn of(input: &[u8]) -> Self {
        Self(if TWO {
            let word = |half: Option<&[u8; 8]>| half.map_or(0, |half| u64::from_le_bytes(*half));
            [word(input.first_chunk()), word(input.last_chunk())].map(word::not_alphanumeric)
        } else {
            let word = |half: Option<&[u8; 4]>| half.map_or(0, |half| u64::from(u32::from_le_bytes(*half)));
            [word::not_alphanumeric(word(input.first_chunk()) << 32 | word(input.last_chunk())), 0]
        })
    }

    #[inline(always)]
    pub(crate) fn are_none(self) -> bool {
        // One condition, where two would be two branches to predict.
        self.0[0] | self.0[1] == 0
    }

    /// If there is one only: its place among so many bytes.
    #[inline(always)]
    pub(crate) fn only_one(self, length: usize) -> Option<usize> {
        let Self([first, last]) = self;
        // A byte that is there twice comes to one place.
        let bit = if TWO {
            let bits = u128::from(first) | u128::from(last) << (8 * (length - 8));
            bits.is_power_of_two().then(|| bits.trailing_zeros())
        } else {
            let bits = first >> 32 | (first & u64::from(u32::MAX)) << (8 * (length - 4));
            bits.is_power_of_two().then(|| bits.trailing_zeros())
        };
        bit.map(|bit| bit as usize / 8)
    }
}

/// The room that [`encode_one`] asks for: as if the last byte of one word or of two was escaped, and as many came behind it.
pub(crate) const fn room_for_one<const TWO: bool>() -> usize {
    if TWO { 15 + 3 + 16 } else { 7 + 3 + 8 }
}

/// Encodes 4 to 8 bytes, or, as `TWO`, 9 to 16, of which the one at `at` is escaped and no other, if there is room, and returns the
/// length of the output.
#[inline(always)]
pub(crate) fn encode_one<const TWO: bool>(
    input: &[u8],
    at: usize,
    output: &mut [MaybeUninit<u8>],
    rules: &EncodeRules,
) -> usize {
    let tape = Tape::new(input, output);
    let (low, high) = if TWO { word::load(input) } else { (word::load_up_to_8(input), 0) };
    let text = u128::from(high) << 64 | u128::from(low);
    let from = text >> (8 * at);
    let (triplet, behind) = (TRIPLETS[usize::from(from as u8)] | Symbols::case(rules), from >> 8);
    // The triplet's fourth byte is how long it is. What comes behind it is stored over that.
    let fits = if TWO {
        tape.write(0, text.to_le_bytes())
            && tape.write(at, triplet.to_le_bytes())
            && tape.write(at + 3, behind.to_le_bytes())
    } else {
        tape.write(0, low.to_le_bytes())
            && tape.write(at, triplet.to_le_bytes())
            && tape.write(at + 3, (behind as u64).to_le_bytes())
    };
    if fits { input.len() + 2 } else { 0 }
}
