//! Encoding: escaping bytes as triplets.
#![forbid(unsafe_code)]

use core::hint::select_unpredictable;
use core::mem::MaybeUninit;

use super::search::{ALL_LETTERS, Rows};
use crate::hex::{TRIPLETS, from_digits};
use crate::kernel::inout::InOut;
use crate::kernel::op::{EncodePolicy, Escape, Pass, Write};
use crate::kernel::outcome::{Progress, Stop};
use crate::rules::EncodeRules;

#[inline(always)]
pub(crate) fn encode<P: EncodePolicy, M: Pass>(io: InOut<'_>, rules: &EncodeRules) -> Progress {
    let mut rows = Rows::of(rules.escape());
    if !P::KEEP && !M::WRITES && !M::STOPS_AT_CHANGE {
        let length = io.length();
        return Progress::new(length, length + 2 * rows.count(io), Stop::End);
    }
    if !P::KEEP && M::STOPS_AT_CHANGE {
        if P::PLUS {
            rows.rows[usize::from(b' ' & 15)][0] |= 1 << (b' ' >> 4);
        }
        return match rows.find(io) {
            Some(at) => Progress::new(at, at, Stop::Change),
            None => Progress::new(io.length(), io.length(), Stop::End),
        };
    }
    if M::WRITES && io.length() >= WORTH_A_TABLE {
        return encode_by_table::<P>(io, &rows, rules);
    }
    let case = Symbols::case(rules);
    let symbol = |byte| Symbols::one::<P>(byte, rows.class(byte), case);
    encode_symbols::<P, M>(io, symbol, |word| rows.surely_none(word))
}

/// The output capacity that [`encode_few`] needs for four bytes: each is stored as four.
#[cfg(feature = "alloc")]
pub(crate) const FEW_OUTPUT: usize = 16;

/// Encodes a few bytes, without kept triplets or `+` for space, as far as there is room. Returns
/// the length of the output.
#[inline(always)]
pub(crate) fn encode_few(input: &[u8], output: &mut [MaybeUninit<u8>], rules: &EncodeRules) -> usize {
    let ([ascii, _], case) = (rules.escape().rows(), Symbols::case(rules));
    let symbol = |byte: u8| {
        // All bytes from 0x80 are escaped.
        let row = u32::from(ascii[usize::from(byte & 15)]) | 0xFF00;
        let is_escaped = row >> (byte >> 4) & 1 != 0;
        select_unpredictable(is_escaped, TRIPLETS[usize::from(byte)] | case, u32::from(byte) | 1 << 24)
    };
    encode_each(input, InOut::new(&[], output), 0, symbol)
}

/// Encodes at most 64 bytes, without kept triplets or `+` for space. Returns the length of the
/// output, or `None` if nothing is escaped.
#[inline(always)]
pub(crate) fn encode_short(input: &[u8], output: &mut [MaybeUninit<u8>], rules: &EncodeRules) -> Option<usize> {
    let written = if input.len() <= 8 {
        encode_few(input, output, rules)
    } else {
        encode::<Escape<false, false>, Write>(InOut::new(input, output), rules).written
    };
    (written > input.len()).then_some(written)
}

/// Encodes to offset `written` of the output, as far as there is room. Returns the end of the
/// output.
#[inline(always)]
pub(super) fn encode_each(bytes: &[u8], io: InOut<'_>, mut written: usize, symbol: impl Fn(u8) -> u32) -> usize {
    for &byte in bytes {
        let symbol = symbol(byte);
        // Storing four bytes regardless is faster than a branch on the symbol's length.
        if !io.write(written, symbol.to_le_bytes()) {
            break;
        }
        written += (symbol >> 24) as usize;
    }
    written
}

/// Outlined, so that short inputs don't pay for the table's stack space.
#[inline(never)]
fn encode_by_table<P: EncodePolicy>(io: InOut<'_>, rows: &Rows, rules: &EncodeRules) -> Progress {
    let mut symbols = Symbols([0; 256]);
    symbols.fill::<P>(rows, rules);
    encode_symbols::<P, Write>(io, |byte| symbols.0[usize::from(byte)], |_| false)
}

/// Minimum length for [`encode_by_table`]; below it, filling the table costs more than it saves.
const WORTH_A_TABLE: usize = 256;

/// The output of each byte: up to three bytes, the first one lowest, and their number in the top
/// byte.
pub(crate) struct Symbols([u32; 256]);

impl Symbols {
    #[inline(always)]
    fn fill<P: EncodePolicy>(&mut self, rows: &Rows, rules: &EncodeRules) {
        let case = Self::case(rules);
        for (high, symbols) in self.0.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            for (low, symbol) in symbols.iter_mut().enumerate() {
                let byte = (high << 4 | low) as u8;
                *symbol = Self::one::<P>(byte, rows.class(byte), case);
            }
        }
    }

    /// The bits that turn an upper-case triplet lower-case, if the rules ask for that. `%` and
    /// decimal digits already have the bit.
    #[inline(always)]
    pub(crate) fn case(rules: &EncodeRules) -> u32 {
        if rules.is_lowercase() { 0x20_20_20 } else { 0 }
    }

    #[inline(always)]
    fn one<P: EncodePolicy>(byte: u8, class: u32, case: u32) -> u32 {
        let plain = if P::PLUS && byte == b' ' { b'+' } else { byte };
        let plain = u32::from(plain) | 1 << 24;
        let triplet = TRIPLETS[usize::from(byte)] | case;
        plain ^ (plain ^ triplet) & class.wrapping_neg()
    }
}

#[inline(always)]
fn encode_symbols<P: EncodePolicy, M: Pass>(
    io: InOut<'_>,
    symbol: impl Fn(u8) -> u32,
    surely_plain: impl Fn(u64) -> bool,
) -> Progress {
    let (mut read, mut written) = (0, 0);
    let stop = loop {
        // Storing four bytes regardless is faster than a branch on the symbol's length.
        if !P::KEEP && M::WRITES {
            'words: while let Some(bytes) = io.read::<8>(read) {
                if surely_plain(u64::from_le_bytes(bytes)) {
                    if !io.write(written, bytes) {
                        break;
                    }
                    read += 8;
                    written += 8;
                    continue;
                }
                for (offset, byte) in bytes.into_iter().enumerate() {
                    let symbol = symbol(byte);
                    if !io.write(written, symbol.to_le_bytes()) {
                        read += offset;
                        break 'words;
                    }
                    written += (symbol >> 24) as usize;
                }
                read += 8;
            }
            let rest = io.length() - read;
            if rest < 8 {
                let word = io.read_rest(read);
                // The bytes after the end are replaced by letters, which pass the plain test.
                if surely_plain(word | ALL_LETTERS << (8 * rest)) && io.write(written, word.to_le_bytes()) {
                    read += rest;
                    written += rest;
                    break Stop::End;
                }
                for offset in 0..rest {
                    let symbol = symbol((word >> (8 * offset)) as u8);
                    if !io.write(written, symbol.to_le_bytes()) {
                        break;
                    }
                    read += 1;
                    written += (symbol >> 24) as usize;
                }
            }
        }
        let Some([byte]) = io.read(read) else { break Stop::End };
        if P::KEEP
            && byte == b'%'
            && let Some([high, low]) = io.read(read + 1)
            && from_digits(high, low).is_some()
        {
            if M::WRITES && !io.write(written, [byte, high, low]) {
                break Stop::Full;
            }
            read += 3;
            written += 3;
            continue;
        }
        let symbol = symbol(byte).to_le_bytes();
        if M::STOPS_AT_CHANGE && symbol != [byte, 0, 0, 1] {
            break Stop::Change;
        }
        if M::WRITES {
            // Near the end of the output there may not be room for four.
            let fits = io.write(written, symbol)
                || match symbol {
                    [plain, _, _, 1] => io.write(written, [plain]),
                    [percent, high, low, _] => io.write(written, [percent, high, low]),
                };
            if !fits {
                break Stop::Full;
            }
        }
        read += 1;
        written += usize::from(symbol[3]);
    };
    Progress::new(read, written, stop)
}
