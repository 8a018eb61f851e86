//! Forms: the bitmaps of a parser, and the encoding of a pair.
#![forbid(unsafe_code)]

use super::encode::encode_each;
use crate::kernel::FormBitmaps;
use crate::kernel::form_rules::FormRules;
use crate::kernel::inout::InOut;
use crate::kernel::swar;

pub(crate) fn form_bitmaps(bytes: &[u8]) -> FormBitmaps {
    let mut marks = FormBitmaps::default();
    let mut mark = |word, at| {
        let coded = word | swar::exactly(word, b'%') | swar::exactly(word, b'+');
        marks.ends |= swar::top_bits(swar::exactly(word, b'&')) << at;
        marks.equals |= swar::top_bits(swar::exactly(word, b'=')) << at;
        marks.coded |= swar::top_bits(coded) << at;
    };
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        mark(u64::from_le_bytes(*word), 8 * at);
    }
    // The zero padding matches nothing.
    if !rest.is_empty() {
        mark(swar::load(rest).0, 8 * words.len());
    }
    marks
}

/// The io's source is empty, and its target has room for the pair.
#[inline(always)]
pub(crate) fn encode_pair(name: &[u8], value: &[u8], io: InOut<'_>, rules: &FormRules) -> usize {
    let equals = encode_part(name, io, 0, rules);
    let _fits = io.write(equals, [b'=']);
    encode_part(value, io, equals + 1, rules)
}

/// Encodes a name or a value to offset `written` of the output. Returns the end of the output.
#[inline(always)]
fn encode_part(part: &[u8], io: InOut<'_>, mut written: usize, rules: &FormRules) -> usize {
    let symbol = |byte| rules.symbols[usize::from(byte)];
    let (words, rest) = part.as_chunks::<8>();
    for bytes in words {
        if swar::is_alphanumeric(u64::from_le_bytes(*bytes)) {
            let _fits = io.write(written, *bytes);
            written += 8;
        } else {
            written = encode_each(bytes, io, written, symbol);
        }
    }
    encode_each(rest, io, written, symbol)
}
