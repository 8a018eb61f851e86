//! `--reversible`: decoding whose result decodes to what the text decodes to.
//!
//! Where triplets such as `%0A` stay, `%250A` must stay too: decoded, it would be `%0A`, and
//! decoded again a line end.
#![forbid(unsafe_code)]

use memchr::memchr;
use simdpct::ByteSet;

use super::batch::{self, Batch, Batches};
use super::{Fault, Operation, Stream};

/// Applies an operation to the text between the triplets that are kept, so that no triplet is made:
/// `%25` before two hexadecimal digits, and after a malformed `%` the first digit that is encoded.
pub(crate) struct Reversible(pub(crate) Box<dyn Operation>);

impl Operation for Reversible {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let mut fault = None;
        let mut start = 0;
        // '%' is no hexadecimal digit and no part of a character, so nothing spans a kept triplet.
        while let Some(at) = next_kept(field, start) {
            let found = self.0.apply(&field[start..at], output).map(|found| found.shifted_by(start));
            fault = Fault::first(fault, found);
            output.extend_from_slice(&field[at..at + 3]);
            start = at + 3;
        }
        Fault::first(fault, self.0.apply(&field[start..], output).map(|found| found.shifted_by(start)))
    }

    fn triggers(&self) -> Option<ByteSet> {
        self.0.triggers()
    }

    /// Separators are not hexadecimal digits.
    fn batches(&self) -> Batches<'_> {
        match self.0.batches() {
            Batches::Whole(_) => Batches::Whole(self),
            others => others,
        }
    }

    /// What follows a `%25` is needed before it is written.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

impl Batch for Reversible {
    fn apply_if_clean(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> bool {
        match next_kept(records, 0) {
            Some(_) => self.apply_records(records, separator, output).is_none(),
            None => batch::apply_if_clean(&*self.0, records, separator, output),
        }
    }
}

/// The position of the next triplet that is kept, from `start`.
fn next_kept(field: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr(b'%', &field[at..])?;
        let rest = &field[at + 1..];
        let is_triplet = matches!(rest, [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit());
        if is_triplet && !rest.starts_with(b"25") {
            at += 3;
            continue;
        }
        let digits = if is_triplet { &rest[2..] } else { rest };
        match after_digit(digits).and_then(after_digit) {
            Some(_) if is_triplet => return Some(at),
            // The first digit that is encoded: the second if the first is not.
            Some(_) => return Some(at + if rest[0] == b'%' { 1 } else { 2 }),
            None => at += 1,
        }
    }
}

/// The text after a hexadecimal digit, raw or encoded.
fn after_digit(text: &[u8]) -> Option<&[u8]> {
    match *text {
        [b'%', b'3', b'0'..=b'9', ref rest @ ..] | [b'%', b'4' | b'6', b'1'..=b'6', ref rest @ ..] => Some(rest),
        [first, ref rest @ ..] if first.is_ascii_hexdigit() => Some(rest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use simdpct::{ByteSet, Decoder};

    use super::{Operation, Reversible, batch, next_kept};
    use crate::codec::Decoding;
    use crate::operation::Decode;

    const LENIENT: Decoder = Decoder::new().lenient();

    /// All texts of up to 6 symbols that can make a triplet.
    #[test]
    fn results_decode_to_what_the_text_decodes_to() {
        const SYMBOLS: [&[u8]; 9] = [b"%", b"%25", b"2", b"5", b"A", b"%34", b"%0A", b"%e", b"x"];
        let decode =
            |keep: ByteSet| Decode::new(Decoding::new(&crate::codec::NO_DIALECT).strict().protecting(keep), false);
        let of_lines = ByteSet::new(b"\n");
        let (usual, reversible) = (decode(of_lines), Reversible(Box::new(decode(of_lines))));
        let (mut lost, mut kept) = (0, 0);
        for length in 0..=6u32 {
            for number in 0..SYMBOLS.len().pow(length) {
                let text: Vec<u8> = (0..length)
                    .flat_map(|at| SYMBOLS[number / SYMBOLS.len().pow(at) % SYMBOLS.len()])
                    .copied()
                    .collect();
                let (mut result, mut again, mut without) = (Vec::new(), Vec::new(), Vec::new());
                let fault = reversible.apply(&text, &mut result);
                assert_eq!(LENIENT.decode(&result), LENIENT.decode(&text), "{}", text.escape_ascii());
                // It is a fixed point, so that a second run changes nothing.
                reversible.apply(&result, &mut again);
                assert_eq!(again, result, "{}", text.escape_ascii());
                // Faults are as without the option, and so is what becomes no triplet.
                assert_eq!(usual.apply(&text, &mut without), fault, "{}", text.escape_ascii());
                let decoded = next_kept(&text, 0).is_none();
                assert_eq!(result == without, decoded, "{}", text.escape_ascii());
                kept += usize::from(result != without);
                lost += usize::from(LENIENT.decode(&without) != LENIENT.decode(&text));
            }
        }
        // Little is kept that would not be lost.
        assert!(lost > 10_000 && kept < lost + lost / 4, "{lost} lost, {kept} kept");
    }

    #[test]
    fn batches_equal_single_records() {
        let rules = Decoding::new(&crate::codec::NO_DIALECT).strict().protecting(ByteSet::new(b"\n"));
        let operation = Reversible(Box::new(Decode::new(rules, false)));
        for (records, expected) in [
            (&b"%2541\n%41%25\n41%25%34\n1"[..], &b"%2541\nA%\n41%4\n1"[..]),
            (b"%41\n%42", b"A\nB"),
            (b"%250A%0A\n", b"%250A%0A\n"),
        ] {
            let mut output = Vec::new();
            assert!(batch::apply_if_clean(&operation, records, b'\n', &mut output));
            assert_eq!(output.escape_ascii().to_string(), expected.escape_ascii().to_string());
        }
    }
}
