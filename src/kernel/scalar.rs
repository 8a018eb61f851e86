//! The scalar level: words and tables, no vector instructions, no unsafe code.
#![forbid(unsafe_code)]

use core::hint::select_unpredictable;
use core::mem::MaybeUninit;

use super::pair::PairRules;
use super::report::{self, Extract, Report};
use super::tape::Tape;
use super::word;
use super::{
    ALPHANUMERIC, FormMarks, KEEP, MEASURE, PLUS, Progress, REJECT, SCAN, Stop, UPPERCASE, WRITE, from_digits,
};
use crate::byteset::ByteSet;
use crate::rules::{self, DecodeRules, EncodeRules};

/// A set as a row of 16 bits for each low nibble, which takes next to nothing to make.
struct Rows {
    rows: [[u8; 2]; 16],
    /// Whether no ASCII letter or digit is a member: true of the sets of all standards.
    alphanumeric_is_plain: bool,
}

/// Whether no ASCII letter or digit is a member.
#[inline(always)]
pub(crate) fn has_no_alphanumeric(set: &ByteSet) -> bool {
    let ([ascii, _], [alphanumeric, _]) = (set.rows(), ALPHANUMERIC.rows());
    u128::from_le_bytes(*ascii) & u128::from_le_bytes(*alphanumeric) == 0
}

impl Rows {
    #[inline(always)]
    fn of(set: &ByteSet) -> Self {
        let [low, high] = set.rows();
        // In this form, compilers see that it is the interleaving of two registers.
        let mut rows = [[0; 2]; 16];
        for ((row, low), high) in rows.iter_mut().zip(low).zip(high) {
            *row = [*low, *high];
        }
        Self { rows, alphanumeric_is_plain: has_no_alphanumeric(set) }
    }

    /// 1 for a member, else 0.
    #[inline(always)]
    fn class(&self, byte: u8) -> u32 {
        u32::from(u16::from_le_bytes(self.rows[usize::from(byte & 15)])) >> (byte >> 4) & 1
    }

    /// Whether it is known at a glance that there is no member among eight bytes.
    #[inline(always)]
    fn surely_none(&self, word: u64) -> bool {
        self.alphanumeric_is_plain && word::is_alphanumeric(word)
    }

    /// The members among eight bytes, as bits, the first one lowest.
    #[inline(always)]
    fn members(&self, word: u64) -> u64 {
        if self.surely_none(word) {
            return 0;
        }
        (0..8).fold(0, |members, lane| members | u64::from(self.class((word >> (8 * lane)) as u8)) << lane)
    }

    #[inline(always)]
    fn find(&self, tape: Tape<'_>) -> Option<usize> {
        let mut at = 0;
        while let Some(bytes) = tape.read::<8>(at) {
            let members = self.members(u64::from_le_bytes(bytes));
            if members != 0 {
                return Some(at + members.trailing_zeros() as usize);
            }
            at += 8;
        }
        while let Some([byte]) = tape.read(at) {
            if self.class(byte) != 0 {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    #[inline(always)]
    fn count(&self, tape: Tape<'_>) -> usize {
        let (mut at, mut count) = (0, 0);
        while let Some(bytes) = tape.read::<8>(at) {
            count += bytes.iter().map(|&byte| self.class(byte)).sum::<u32>() as usize;
            at += 8;
        }
        while let Some([byte]) = tape.read(at) {
            count += self.class(byte) as usize;
            at += 1;
        }
        count
    }
}

/// Eight letters.
const ALL_LETTERS: u64 = u64::from_le_bytes([b'a'; 8]);

pub(crate) fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
    Rows::of(set).find(Tape::source_only(haystack))
}

pub(crate) fn count(set: &ByteSet, haystack: &[u8]) -> usize {
    Rows::of(set).count(Tape::source_only(haystack))
}

pub(crate) fn members(set: &ByteSet, haystack: &[u8]) -> u64 {
    let rows = Rows::of(set);
    let length = haystack.len();
    let Some(last) = haystack.last_chunk() else {
        // What stands behind the end may be anything, if only it is seen at a glance.
        let (word, _) = word::load(haystack);
        return rows.members(word | ALL_LETTERS << (8 * length)) & ((1 << length) - 1);
    };
    let (words, rest) = haystack.as_chunks::<8>();
    let mut members = 0;
    for (at, word) in words.iter().enumerate() {
        members |= rows.members(u64::from_le_bytes(*word)) << (8 * at);
    }
    if !rest.is_empty() {
        // Some of them were looked at before.
        members |= rows.members(u64::from_le_bytes(*last)) << (length - 8);
    }
    members
}

pub(crate) fn inspect<const COUNT: bool>(haystack: &[u8], extract: &mut Extract, report: &mut Report) {
    let mut at = 0;
    while let Some(&raw) = haystack.get(at) {
        if !report::SUSPECTS.contains(raw) {
            extract.separate();
            at += 1;
            continue;
        }
        let triplet = match haystack[at..] {
            [b'%', high, low, ..] => from_digits(high, low).map(|byte| (byte, [high, low])),
            _ => None,
        };
        let mut note = |kind, found| report.note::<COUNT>(kind, u64::from(found), at);
        note(report::PLUS, raw == b'+');
        note(report::NON_ASCII, !raw.is_ascii());
        note(report::ILLEGAL, report::ILLEGAL_BYTES.contains(raw));
        note(report::MALFORMED, raw == b'%' && triplet.is_none());
        if let Some((byte, digits)) = triplet {
            note(report::ESCAPE, true);
            note(report::LOWER_HEX, digits.iter().any(u8::is_ascii_lowercase));
            for bit in 0..report::CATEGORY_BITS {
                note(report::NUL + bit, report::CATEGORIES[usize::from(byte)] >> bit & 1 != 0);
            }
        }
        let (byte, width) = triplet.map_or((raw, 1), |(byte, _)| (byte, 3));
        if byte.is_ascii() {
            extract.separate();
        } else {
            extract.push(byte);
            extract.is_open = true;
        }
        at += width;
    }
}

pub(crate) fn form_marks(bytes: &[u8]) -> FormMarks {
    let mut marks = FormMarks::default();
    let mut mark = |word, at| {
        let coded = word | word::exactly(word, b'%') | word::exactly(word, b'+');
        marks.ends |= word::top_bits(word::exactly(word, b'&')) << at;
        marks.equals |= word::top_bits(word::exactly(word, b'=')) << at;
        marks.coded |= word::top_bits(coded) << at;
    };
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        mark(u64::from_le_bytes(*word), 8 * at);
    }
    // What stands behind the end, zeros, is nothing special.
    if !rest.is_empty() {
        mark(word::load(rest).0, 8 * words.len());
    }
    marks
}

#[inline(always)]
pub(crate) fn decode<const VARIANT: u8, const MODE: u8>(tape: Tape<'_>, rules: &DecodeRules) -> Progress {
    let (mut read, mut written) = (0, 0);
    let mut completing = NOWHERE;
    let stop = loop {
        // Where bytes may be rejected, each has to be looked at.
        if VARIANT & REJECT == 0 {
            let is_special = copy_plain::<VARIANT, MODE>(tape, &mut read, &mut written);
            if VARIANT & KEEP == 0 && is_special && decode_triplets::<MODE>(tape, &mut read, &mut written) {
                continue;
            }
            if !is_special {
                if decode_rest::<VARIANT, MODE>(tape, &mut read, &mut written) {
                    break Stop::End;
                }
                break step_to_end::<VARIANT, MODE>(tape, rules, &mut read, &mut written, &mut completing);
            }
        }
        if let Some(stop) = step::<VARIANT, MODE>(tape, rules, &mut read, &mut written, &mut completing) {
            break stop;
        }
    };
    Progress::new(read, written, stop)
}

/// A word with its spaces for '+', and where it is special: the lowest bit says where first.
#[inline(always)]
fn look_at<const VARIANT: u8, const MODE: u8>(mut word: u64) -> (u64, u64) {
    let mut special = word::equal(word, b'%');
    if VARIANT & PLUS != 0 {
        if MODE == SCAN {
            special |= word::equal(word, b'+');
        } else {
            word = word::replace(word, b'+', b' ');
        }
    }
    (word, special)
}

/// Passes plain bytes on, a word at a time, up to a special one: a '%', or a '+' that is to be found. False if there is no room for
/// a word: that near the end of the input or of the output, the next byte may be any.
#[inline(always)]
fn copy_plain<const VARIANT: u8, const MODE: u8>(tape: Tape<'_>, read: &mut usize, written: &mut usize) -> bool {
    loop {
        let Some(word) = tape.read(*read).map(u64::from_le_bytes) else { return false };
        let (word, special) = look_at::<VARIANT, MODE>(word);
        let bytes = word.to_le_bytes();
        // A branch, and not a count that is 8 here, so that the next word need not wait for it.
        if special == 0 {
            if MODE == WRITE && !tape.write(*written, bytes) {
                return false;
            }
            *read += 8;
            *written += 8;
            continue;
        }
        let plain = special.trailing_zeros() as usize / 8;
        if MODE == WRITE {
            // The whole word is faster; what is not plain gets overwritten. In place, that must not reach what is not read.
            if !tape.is_in_place() || *written + 8 <= *read + plain {
                if !tape.write(*written, bytes) {
                    return false;
                }
            } else {
                for (offset, &byte) in bytes[..plain].iter().enumerate() {
                    let _fits = tape.write(*written + offset, [byte]);
                }
            }
        }
        *read += plain;
        *written += plain;
        return true;
    }
}

/// Decodes the last bytes, less than a word, if there is room for a word and nothing about them is remarkable: in a register, so
/// that how many they are and where they are special makes hardly a branch go another way.
#[inline(always)]
fn decode_rest<const VARIANT: u8, const MODE: u8>(tape: Tape<'_>, read: &mut usize, written: &mut usize) -> bool {
    let mut rest = tape.length() - *read;
    if rest >= 8 || VARIANT & KEEP != 0 || MODE == WRITE && tape.is_in_place() {
        return false;
    }
    // What stands behind the end is nothing special, and no digit.
    let mut input = tape.read_rest(*read);
    loop {
        while input as u8 == b'%' {
            let [_, high, low, ..] = input.to_le_bytes();
            let Some(byte) = from_digits(high, low) else { return false };
            if MODE == SCAN || MODE == WRITE && !tape.write(*written, [byte]) {
                return false;
            }
            input >>= 24;
            *read += 3;
            *written += 1;
            rest -= 3;
        }
        let (word, special) = look_at::<VARIANT, MODE>(input);
        if MODE == WRITE && !tape.write(*written, word.to_le_bytes()) {
            return false;
        }
        let plain = if special == 0 { rest } else { special.trailing_zeros() as usize / 8 };
        *read += plain;
        *written += plain;
        if special == 0 {
            return true;
        }
        if VARIANT & PLUS != 0 && MODE == SCAN {
            return false;
        }
        input >>= 8 * plain;
        rest -= plain;
    }
}

/// Decodes triplets, as long as one follows the other, from a special byte on. False if there is none.
#[inline(always)]
fn decode_triplets<const MODE: u8>(tape: Tape<'_>, read: &mut usize, written: &mut usize) -> bool {
    if MODE == SCAN {
        return false;
    }
    let start = *read;
    // The byte is asked for alone first: that it is no '%' is how this mostly ends, whether or not three more are left.
    while tape.read(*read) == Some([b'%'])
        && let Some([high, low]) = tape.read(*read + 1)
        && let Some(byte) = from_digits(high, low)
        && (MODE != WRITE || tape.write(*written, [byte]))
    {
        *read += 3;
        *written += 1;
    }
    *read != start
}

/// One byte or triplet at a time, where a word is too much: at the end of the input or of the output.
#[inline(always)]
fn step_to_end<const VARIANT: u8, const MODE: u8>(
    tape: Tape<'_>,
    rules: &DecodeRules,
    read: &mut usize,
    written: &mut usize,
    completing: &mut usize,
) -> Stop {
    loop {
        if let Some(stop) = step::<VARIANT, MODE>(tape, rules, read, written, completing) {
            return stop;
        }
    }
}

/// No offset at which a triplet begins.
const NOWHERE: usize = usize::MAX;

/// Decodes one byte or triplet. A kept triplet is three plain bytes: its digits are nothing special, unless they are to be
/// upper-case.
///
/// `completing` is the offset at which a decoded digit could complete the last malformed '%'.
#[inline(always)]
fn step<const VARIANT: u8, const MODE: u8>(
    tape: Tape<'_>,
    rules: &DecodeRules,
    read: &mut usize,
    written: &mut usize,
    completing: &mut usize,
) -> Option<Stop> {
    let Some([raw]) = tape.read(*read) else { return Some(Stop::End) };
    let (mut byte, mut width, mut changed) = (raw, 1, false);
    if raw == b'%' {
        match tape.read(*read + 1).and_then(|[high, low]| from_digits(high, low)) {
            Some(decoded)
                if VARIANT & KEEP != 0
                    && (rules.keep.is_some_and(|keep| keep.contains(decoded))
                        || *read == *completing && decoded.is_ascii_hexdigit()) =>
            {
                if VARIANT & UPPERCASE != 0
                    && let Some(digits) = tape.read::<2>(*read + 1)
                {
                    return step_uppercase::<MODE>(tape, digits, read, written);
                }
            }
            Some(decoded) => (byte, width, changed) = (decoded, 3, true),
            None if rules.strict => return Some(Stop::Malformed),
            None if VARIANT & KEEP != 0 && rules.creates_no_triplets() => {
                let is_before_digit = tape.read(*read + 1).is_some_and(|[next]: [u8; 1]| next.is_ascii_hexdigit());
                *completing = *read + if is_before_digit { 2 } else { 1 };
            }
            None => {}
        }
    } else if VARIANT & PLUS != 0 && raw == b'+' {
        (byte, changed) = (b' ', true);
    }
    if VARIANT & REJECT != 0 && rules.reject.is_some_and(|reject| reject.contains(byte)) {
        return Some(Stop::Rejected(byte));
    }
    if MODE == SCAN && changed {
        return Some(Stop::Change);
    }
    if MODE == WRITE && !tape.write(*written, [byte]) {
        return Some(Stop::Full);
    }
    *read += width;
    *written += 1;
    None
}

/// Passes a triplet on with these digits in upper case.
#[inline(always)]
fn step_uppercase<const MODE: u8>(
    tape: Tape<'_>,
    digits: [u8; 2],
    read: &mut usize,
    written: &mut usize,
) -> Option<Stop> {
    let [high, low] = digits.map(|digit| digit.to_ascii_uppercase());
    if MODE == SCAN && [high, low] != digits {
        return Some(Stop::Change);
    }
    if MODE == WRITE && !tape.write(*written, [b'%', high, low]) {
        return Some(Stop::Full);
    }
    *read += 3;
    *written += 3;
    None
}

#[inline(always)]
pub(crate) fn encode<const VARIANT: u8, const MODE: u8>(tape: Tape<'_>, rules: &EncodeRules) -> Progress {
    let mut rows = Rows::of(rules.escape());
    if VARIANT & KEEP == 0 && MODE == MEASURE {
        let length = tape.length();
        return Progress::new(length, length + 2 * rows.count(tape), Stop::End);
    }
    if VARIANT & KEEP == 0 && MODE == SCAN {
        if VARIANT & PLUS != 0 {
            rows.rows[usize::from(b' ' & 15)][0] |= 1 << (b' ' >> 4);
        }
        return match rows.find(tape) {
            Some(at) => Progress::new(at, at, Stop::Change),
            None => Progress::new(tape.length(), tape.length(), Stop::End),
        };
    }
    if MODE == WRITE && tape.length() >= WORTH_A_TABLE {
        return encode_by_table::<VARIANT>(tape, &rows, rules);
    }
    let case = Symbols::case(rules);
    let symbol = |byte| Symbols::one::<VARIANT>(byte, rows.class(byte), case);
    encode_symbols::<VARIANT, MODE>(tape, symbol, |word| rows.surely_none(word))
}

/// The tape has no source, and room for the pair.
#[inline(always)]
pub(crate) fn encode_pair(name: &[u8], value: &[u8], tape: Tape<'_>, rules: &PairRules) -> usize {
    let equals = encode_part(name, tape, 0, rules);
    let _fits = tape.write(equals, [b'=']);
    encode_part(value, tape, equals + 1, rules)
}

/// Encodes to `written` of the output, and returns where that ends.
#[inline(always)]
fn encode_part(part: &[u8], tape: Tape<'_>, mut written: usize, rules: &PairRules) -> usize {
    let symbol = |byte| rules.symbols[usize::from(byte)];
    let (words, rest) = part.as_chunks::<8>();
    for bytes in words {
        if word::is_alphanumeric(u64::from_le_bytes(*bytes)) {
            let _fits = tape.write(written, *bytes);
            written += 8;
        } else {
            written = encode_each(bytes, tape, written, symbol);
        }
    }
    encode_each(rest, tape, written, symbol)
}

/// What [`encode_few`] needs for four bytes, four at a time.
#[cfg(feature = "alloc")]
pub(crate) const FEW_OUTPUT: usize = 16;

/// Encodes a few bytes by rules that keep nothing and leave spaces alone, as far as there is room, and returns the length of the output.
#[inline(always)]
pub(crate) fn encode_few(input: &[u8], output: &mut [MaybeUninit<u8>], rules: &EncodeRules) -> usize {
    let ([ascii, _], case) = (rules.escape().rows(), Symbols::case(rules));
    let symbol = |byte: u8| {
        // All bytes from 0x80 are escaped.
        let row = u32::from(ascii[usize::from(byte & 15)]) | 0xFF00;
        let is_escaped = row >> (byte >> 4) & 1 != 0;
        select_unpredictable(is_escaped, TRIPLETS[usize::from(byte)] | case, u32::from(byte) | 1 << 24)
    };
    encode_each(input, Tape::new(&[], output), 0, symbol)
}

/// [`encode`] of at most 64 bytes, by rules that keep nothing and leave spaces alone: the length of the output, if that is not the input.
#[inline(always)]
pub(crate) fn encode_short(input: &[u8], output: &mut [MaybeUninit<u8>], rules: &EncodeRules) -> Option<usize> {
    let written = if input.len() <= 8 {
        encode_few(input, output, rules)
    } else {
        encode::<0, WRITE>(Tape::new(input, output), rules).written
    };
    (written > input.len()).then_some(written)
}

/// Encodes to `written` of the output, as far as there is room, and returns where that ends.
#[inline(always)]
fn encode_each(bytes: &[u8], tape: Tape<'_>, mut written: usize, symbol: impl Fn(u8) -> u32) -> usize {
    for &byte in bytes {
        let symbol = symbol(byte);
        // Four bytes in any case is faster than a branch on how many are meant.
        if !tape.write(written, symbol.to_le_bytes()) {
            break;
        }
        written += (symbol >> 24) as usize;
    }
    written
}

/// Out of line, so that short inputs need not make room for the table.
#[inline(never)]
fn encode_by_table<const VARIANT: u8>(tape: Tape<'_>, rows: &Rows, rules: &EncodeRules) -> Progress {
    let mut symbols = Symbols([0; 256]);
    symbols.fill::<VARIANT>(rows, rules);
    encode_symbols::<VARIANT, WRITE>(tape, |byte| symbols.0[usize::from(byte)], |_| false)
}

/// From this length on it pays to look up once what each byte becomes.
const WORTH_A_TABLE: usize = 256;

/// What each byte becomes: up to three bytes from the lowest on, and how many in the highest.
pub(super) struct Symbols([u32; 256]);

impl Symbols {
    #[inline(always)]
    fn fill<const VARIANT: u8>(&mut self, rows: &Rows, rules: &EncodeRules) {
        let case = Self::case(rules);
        for (high, symbols) in self.0.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            for (low, symbol) in symbols.iter_mut().enumerate() {
                let byte = (high << 4 | low) as u8;
                *symbol = Self::one::<VARIANT>(byte, rows.class(byte), case);
            }
        }
    }

    /// What makes upper-case triplets those that are asked for: digits and '%' have this bit already.
    #[inline(always)]
    pub(super) fn case(rules: &EncodeRules) -> u32 {
        if rules.is_lowercase() { 0x20_20_20 } else { 0 }
    }

    #[inline(always)]
    fn one<const VARIANT: u8>(byte: u8, class: u32, case: u32) -> u32 {
        let plain = if VARIANT & PLUS != 0 && byte == b' ' { b'+' } else { byte };
        let plain = u32::from(plain) | 1 << 24;
        let triplet = TRIPLETS[usize::from(byte)] | case;
        plain ^ (plain ^ triplet) & class.wrapping_neg()
    }
}

/// The upper-case triplet of each byte as a [`Symbols`] entry.
pub(super) static TRIPLETS: [u32; 256] = {
    let mut triplets = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        triplets[byte] = u32::from_le_bytes([b'%', rules::UPPERCASE[byte >> 4], rules::UPPERCASE[byte & 15], 3]);
        byte += 1;
    }
    triplets
};

#[inline(always)]
fn encode_symbols<const VARIANT: u8, const MODE: u8>(
    tape: Tape<'_>,
    symbol: impl Fn(u8) -> u32,
    surely_plain: impl Fn(u64) -> bool,
) -> Progress {
    let (mut read, mut written) = (0, 0);
    let stop = loop {
        // Four bytes in any case is faster than a branch on how many are meant.
        if VARIANT & KEEP == 0 && MODE == WRITE {
            'words: while let Some(bytes) = tape.read::<8>(read) {
                if surely_plain(u64::from_le_bytes(bytes)) {
                    if !tape.write(written, bytes) {
                        break;
                    }
                    read += 8;
                    written += 8;
                    continue;
                }
                for (offset, byte) in bytes.into_iter().enumerate() {
                    let symbol = symbol(byte);
                    if !tape.write(written, symbol.to_le_bytes()) {
                        read += offset;
                        break 'words;
                    }
                    written += (symbol >> 24) as usize;
                }
                read += 8;
            }
            let rest = tape.length() - read;
            if rest < 8 {
                let word = tape.read_rest(read);
                // What stands behind the end may be anything, if only it is seen at a glance.
                if surely_plain(word | ALL_LETTERS << (8 * rest)) && tape.write(written, word.to_le_bytes()) {
                    read += rest;
                    written += rest;
                    break Stop::End;
                }
                for offset in 0..rest {
                    let symbol = symbol((word >> (8 * offset)) as u8);
                    if !tape.write(written, symbol.to_le_bytes()) {
                        break;
                    }
                    read += 1;
                    written += (symbol >> 24) as usize;
                }
            }
        }
        let Some([byte]) = tape.read(read) else { break Stop::End };
        if VARIANT & KEEP != 0
            && byte == b'%'
            && let Some([high, low]) = tape.read(read + 1)
            && from_digits(high, low).is_some()
        {
            if MODE == WRITE && !tape.write(written, [byte, high, low]) {
                break Stop::Full;
            }
            read += 3;
            written += 3;
            continue;
        }
        let symbol = symbol(byte).to_le_bytes();
        if MODE == SCAN && symbol != [byte, 0, 0, 1] {
            break Stop::Change;
        }
        if MODE == WRITE {
            // Near the end of the output four are too many.
            let fits = tape.write(written, symbol)
                || match symbol {
                    [plain, _, _, 1] => tape.write(written, [plain]),
                    [percent, high, low, _] => tape.write(written, [percent, high, low]),
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
