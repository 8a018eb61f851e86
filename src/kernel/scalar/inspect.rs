//! Inspection: the kinds of findings or the count of each, and the decoded text to validate as
//! UTF-8.
#![forbid(unsafe_code)]

use crate::hex::from_digits;
use crate::kernel::inspection::{self, Extract, Report};
use crate::kernel::op::Detail;

pub(crate) fn inspect<D: Detail>(haystack: &[u8], extract: &mut Extract, report: &mut Report) {
    let mut at = 0;
    while let Some(&raw) = haystack.get(at) {
        if !inspection::SUSPECTS.contains(raw) {
            extract.separate();
            at += 1;
            continue;
        }
        let triplet = match haystack[at..] {
            [b'%', high, low, ..] => from_digits(high, low).map(|byte| (byte, [high, low])),
            _ => None,
        };
        let mut note = |kind, found| report.note::<D>(kind, u64::from(found), at);
        note(inspection::PLUS, raw == b'+');
        note(inspection::SEMICOLON, raw == b';');
        note(inspection::NON_ASCII, !raw.is_ascii());
        note(inspection::ILLEGAL, inspection::ILLEGAL_BYTES.contains(raw));
        note(inspection::MALFORMED, raw == b'%' && triplet.is_none());
        if let Some((byte, digits)) = triplet {
            note(inspection::ESCAPE, true);
            note(inspection::LOWER_HEX, digits.iter().any(u8::is_ascii_lowercase));
            for bit in 0..inspection::CATEGORY_BITS {
                note(inspection::NUL + bit, inspection::CATEGORIES[usize::from(byte)] >> bit & 1 != 0);
            }
            note(inspection::SEMICOLON, byte == b';');
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
