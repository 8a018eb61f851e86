//! Forms: the bitmaps that a parser goes by, and the encoding of a pair.
#![forbid(unsafe_code)]

use super::encode::encode_each;
use crate::kernel::FormMarks;
use crate::kernel::pair::PairRules;
use crate::kernel::tape::Tape;
use crate::kernel::word;

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
