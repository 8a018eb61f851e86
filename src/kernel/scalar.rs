//! The scalar level: words and tables, no vector instructions, no unsafe code.
#![forbid(unsafe_code)]

use super::report::{self, Extract, Report};
use super::tape::Tape;
use super::word;
use super::{FormMarks, KEEP, PLUS, Progress, REJECT, SCAN, Stop, UPPERCASE, WRITE, from_digits};
use crate::byteset::ByteSet;
use crate::rules::{DecodeRules, EncodeRules};

pub(crate) fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
    haystack.iter().position(|&byte| set.contains(byte))
}

pub(crate) fn count(set: &ByteSet, haystack: &[u8]) -> usize {
    haystack.iter().filter(|&&byte| set.contains(byte)).count()
}

pub(crate) fn members(set: &ByteSet, haystack: &[u8]) -> u64 {
    haystack.iter().rev().fold(0, |members, &byte| members << 1 | u64::from(set.contains(byte)))
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
    bytes.iter().rev().fold(FormMarks::default(), |marks, &byte| FormMarks {
        ampersands: marks.ampersands << 1 | u64::from(byte == b'&'),
        equals: marks.equals << 1 | u64::from(byte == b'='),
        coded: marks.coded << 1 | u64::from(byte >= 0x80 || byte == b'%' || byte == b'+'),
    })
}

#[inline(always)]
pub(crate) fn decode<const VARIANT: u8, const MODE: u8>(tape: Tape<'_>, rules: &DecodeRules) -> Progress {
    let (mut read, mut written) = (0, 0);
    let stop = loop {
        // Where bytes may be rejected, each has to be looked at.
        if VARIANT & REJECT == 0 {
            let fits = copy_plain::<VARIANT, MODE>(tape, &mut read, &mut written);
            if VARIANT & KEEP == 0 && decode_triplets::<MODE>(tape, &mut read, &mut written) {
                continue;
            }
            if !fits {
                break step_to_end::<VARIANT, MODE>(tape, rules, &mut read, &mut written);
            }
        }
        if let Some(stop) = step::<VARIANT, MODE>(tape, rules, &mut read, &mut written) {
            break stop;
        }
    };
    Progress::new(read, written, stop)
}

/// Passes plain bytes on up to a special one, a word at a time. False if there is no room for a word: that near the end of the
/// input or of the output, the next byte may be any.
#[inline(always)]
fn copy_plain<const VARIANT: u8, const MODE: u8>(tape: Tape<'_>, read: &mut usize, written: &mut usize) -> bool {
    let special = |word: [u8; 8]| {
        let lanes = u64::from_le_bytes(word);
        let plus = if VARIANT & PLUS != 0 { word::equal(lanes, b'+') } else { 0 };
        word::equal(lanes, b'%') | plus
    };
    loop {
        let Some(bytes) = tape.read::<8>(*read) else { return false };
        let found = special(bytes);
        if found != 0 {
            let plain = found.trailing_zeros() as usize / 8;
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
        if MODE == WRITE && !tape.write(*written, bytes) {
            return false;
        }
        *read += 8;
        *written += 8;
    }
}

/// Decodes triplets as long as one follows the other. False if there is none.
#[inline(always)]
fn decode_triplets<const MODE: u8>(tape: Tape<'_>, read: &mut usize, written: &mut usize) -> bool {
    if MODE == SCAN {
        return false;
    }
    let start = *read;
    while let Some([b'%', high, low]) = tape.read(*read)
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
) -> Stop {
    loop {
        if let Some(stop) = step::<VARIANT, MODE>(tape, rules, read, written) {
            return stop;
        }
    }
}

/// Decodes one byte or triplet. A kept triplet is three plain bytes: its digits are nothing special, unless they are to be
/// upper-case.
#[inline(always)]
fn step<const VARIANT: u8, const MODE: u8>(
    tape: Tape<'_>,
    rules: &DecodeRules,
    read: &mut usize,
    written: &mut usize,
) -> Option<Stop> {
    let Some([raw]) = tape.read(*read) else { return Some(Stop::End) };
    let (mut byte, mut width, mut changed) = (raw, 1, false);
    if raw == b'%' {
        match tape.read(*read + 1).and_then(|[high, low]| from_digits(high, low)) {
            Some(decoded) if VARIANT & KEEP != 0 && rules.keep.is_some_and(|keep| keep.contains(decoded)) => {
                if VARIANT & UPPERCASE != 0
                    && let Some(digits) = tape.read::<2>(*read + 1)
                {
                    return step_uppercase::<MODE>(tape, digits, read, written);
                }
            }
            Some(decoded) => (byte, width, changed) = (decoded, 3, true),
            None if rules.strict => return Some(Stop::Malformed),
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
    let (mut read, mut written) = (0, 0);
    let stop = loop {
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
        let escaped = rules.escape().contains(byte);
        let space = VARIANT & PLUS != 0 && byte == b' ';
        if MODE == SCAN && (escaped || space) {
            break Stop::Change;
        }
        let width = if escaped { 3 } else { 1 };
        if MODE == WRITE {
            let plain = if space { b'+' } else { byte };
            let digit = |value: u8| rules.digits[usize::from(value & 15)];
            let symbol = if escaped { [b'%', digit(byte >> 4), digit(byte), 0] } else { [plain, 0, 0, 0] };
            // Four bytes in any case is faster than a branch on how many are meant; near the end of the output it is too many.
            let fits = tape.write(written, symbol)
                || if escaped {
                    tape.write(written, [symbol[0], symbol[1], symbol[2]])
                } else {
                    tape.write(written, [plain])
                };
            if !fits {
                break Stop::Full;
            }
        }
        read += 1;
        written += width;
    };
    Progress::new(read, written, stop)
}
