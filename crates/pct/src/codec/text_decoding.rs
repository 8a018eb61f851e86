//! `TextDecoding`: decodes triplets of any charset to text, with `%uXXXX` and a fallback charset.
//!
//! A raw character of a value that is UTF-8 is kept: such text was converted before, or never was in
//! another charset. If a value is not UTF-8, its raw bytes are in the charset of the triplets.
//!
//! Bytes to keep and to reject are those of the text, not of the charset: in Shift_JIS, the second
//! byte of a character can be a backslash, and its triplet is decoded even where those of backslashes
//! are kept.
#![forbid(unsafe_code)]

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};
use simdpct::{ByteSet, DecodeErrorKind, Decoder};

use super::charset::{Charset, Converter};
use super::decoding::Decoding;

/// Rules for decoding a value to text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct TextDecoding {
    charset: Charset,
    /// The charset of values that are invalid in the first.
    fallback: Option<Charset>,
    /// Whether `%uXXXX` is decoded.
    unicode: bool,
    plus: bool,
    keep: ByteSet,
    reject: ByteSet,
    passes: u8,
    /// Whether invalid sequences become U+FFFD. Otherwise they are kept.
    replace: bool,
    /// Decodes values of UTF-8 without `%uXXXX`.
    strict: Decoding,
}

/// Errors of a value, and whether it is in the fallback charset.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Outcome {
    /// The first error and its position.
    pub(crate) first: Option<(DecodeErrorKind, usize)>,
    /// Whether there are errors of each kind.
    pub(crate) malformed: bool,
    pub(crate) ill_formed: Option<DecodeErrorKind>,
    pub(crate) lone_surrogate: bool,
    pub(crate) rejected: bool,
    pub(crate) fell_back: bool,
}

impl Outcome {
    fn note(&mut self, kind: DecodeErrorKind, position: usize) {
        match kind {
            DecodeErrorKind::Malformed => self.malformed = true,
            DecodeErrorKind::LoneSurrogate => self.lone_surrogate = true,
            DecodeErrorKind::Rejected(_) => self.rejected = true,
            kind => self.ill_formed = Some(kind),
        }
        // Errors of the charset are found later than others.
        if self.first.is_none_or(|(_, first)| position < first) {
            self.first = Some((kind, position));
        }
    }

    /// Adds the outcome of a later pass.
    fn add(&mut self, later: &Self) {
        self.first = self.first.or(later.first);
        self.malformed |= later.malformed;
        self.ill_formed = self.ill_formed.or(later.ill_formed);
        self.lone_surrogate |= later.lone_surrogate;
        self.rejected |= later.rejected;
        self.fell_back |= later.fell_back;
    }
}

impl TextDecoding {
    /// `strict` has the other rules: its sets, passes, and whether '+' is a space.
    pub(crate) fn new(charset: Charset, fallback: Option<Charset>, unicode: bool, strict: Decoding) -> Self {
        let (plus, passes) = (strict.decodes_plus(), strict.pass_count());
        let (keep, reject) = strict.sets();
        Self { charset, fallback, unicode, plus, keep, reject, passes, replace: false, strict }
    }

    /// Decodes '+' as a space.
    pub(crate) fn plus(self) -> Self {
        Self::new(self.charset, self.fallback, self.unicode, self.strict.plus()).replacing(self.replace)
    }

    /// As [`Decoding::safe`].
    pub(crate) fn safe(self, set: ByteSet) -> Self {
        Self::new(self.charset, self.fallback, self.unicode, self.strict.safe(set)).replacing(self.replace)
    }

    /// Sets whether invalid sequences become U+FFFD.
    pub(crate) fn replacing(self, replace: bool) -> Self {
        Self { replace, ..self }
    }

    /// Bytes without which well-formed UTF-8 decodes to itself without error.
    pub(crate) fn needed(&self) -> ByteSet {
        let is_stateful = [Some(self.charset), self.fallback].into_iter().flatten().any(Charset::is_stateful);
        // Escape, shift out and shift in.
        let shifts = if is_stateful { ByteSet::new(b"\x1B\x0E\x0F") } else { ByteSet::EMPTY };
        self.strict.needed().union(shifts)
    }

    pub(crate) fn rejects(&self, byte: u8) -> bool {
        self.reject.contains(byte)
    }

    /// The rules for a value that is UTF-8 after decoding, and has no `%uXXXX` in any pass.
    pub(crate) fn usual(&self, value: &[u8]) -> Option<Decoding> {
        let may_have_unicode = self.unicode && (self.passes > 1 || memmem::find(value, b"%u").is_some());
        (self.charset == Charset::UTF_8 && !may_have_unicode).then_some(self.strict)
    }

    /// Decodes a value leniently, appending to `output`.
    pub(crate) fn decode_to(&self, value: &[u8], output: &mut Vec<u8>) -> Outcome {
        let start = output.len();
        if self.usual(value).is_some_and(|usual| usual.decode_if_clean(value, output)) {
            return Outcome::default();
        }
        output.truncate(start);
        let mut outcome = self.decode_pass_to(value, output);
        for done in 1..self.passes {
            let decoded = output.split_off(start);
            let mut later = self.decode_pass_to(&decoded, output);
            if let Some((_, position)) = &mut later.first {
                *position = self.origin(value, done, *position);
            }
            outcome.add(&later);
            if output[start..] == decoded {
                break;
            }
        }
        outcome
    }

    /// The position in `value` from which the byte at `position` comes, after `passes` passes.
    #[cold]
    fn origin(&self, value: &[u8], passes: u8, position: usize) -> usize {
        let before = Self { passes, ..*self };
        let is_beyond = |length: usize| {
            let mut output = Vec::new();
            before.decode_to(&value[..length], &mut output);
            output.len() > position
        };
        // The shortest prefix whose result has the byte.
        let (mut low, mut high) = (0, value.len());
        while low + 1 < high {
            let middle = low.midpoint(high);
            if is_beyond(middle) { high = middle } else { low = middle }
        }
        low
    }

    fn decode_pass_to(&self, value: &[u8], output: &mut Vec<u8>) -> Outcome {
        let start = output.len();
        let outcome = Pass::new(self, self.charset, value, output).decode();
        let Some(fallback) = self.fallback.filter(|_| outcome.ill_formed.is_some()) else { return outcome };
        output.truncate(start);
        Outcome { fell_back: true, ..Pass::new(self, fallback, value, output).decode() }
    }
}

/// A pass over a value, in segments that are converted separately: between characters that are not in
/// the charset.
struct Pass<'p> {
    rules: &'p TextDecoding,
    charset: Charset,
    value: &'p [u8],
    output: &'p mut Vec<u8>,
    outcome: Outcome,
    converter: Converter,
    /// The bytes of the segment, and how many of them are converted.
    bytes: Vec<u8>,
    converted: usize,
    /// The start of the segment, in the value and in the output.
    start: usize,
    output_start: usize,
}

impl<'p> Pass<'p> {
    fn new(rules: &'p TextDecoding, charset: Charset, value: &'p [u8], output: &'p mut Vec<u8>) -> Self {
        let output_start = output.len();
        let (outcome, bytes) = Default::default();
        let converter = charset.converter();
        Self { rules, charset, value, output, outcome, converter, bytes, converted: 0, start: 0, output_start }
    }

    fn decode(mut self) -> Outcome {
        if self.charset == Charset::UTF_8 || simdutf8::basic::from_utf8(self.value).is_err() {
            self.run(0..self.value.len());
            return self.outcome;
        }
        // Characters of text are kept, and ASCII text between them is decoded.
        let mut at = 0;
        while at < self.value.len() {
            let rest = &self.value[at..];
            let ascii = ByteSet::NON_ASCII.find(rest).unwrap_or(rest.len());
            let others = rest[ascii..].iter().take_while(|byte| !byte.is_ascii()).count();
            self.run(at..at + ascii);
            self.push_raw(at + ascii..at + ascii + others);
            at += ascii + others;
        }
        self.outcome
    }

    /// Decodes a range of the value in the charset.
    fn run(&mut self, range: Range<usize>) {
        let value = self.value;
        let mut at = range.start;
        self.begin(at);
        while at < range.end {
            let rest = &value[at..range.end];
            let next = if self.rules.plus { memchr2(b'%', b'+', rest) } else { memchr(b'%', rest) };
            let literal = next.unwrap_or(rest.len());
            self.bytes.extend_from_slice(&rest[..literal]);
            at += literal;
            let rest = &rest[literal..];
            if rest.is_empty() {
                break;
            }
            at += if rest[0] == b'+' {
                self.bytes.push(b' ');
                1
            } else if let Some((length, character)) = unicode_escape(rest).filter(|_| self.rules.unicode) {
                self.flush(at);
                self.push_escape(at..at + length, character);
                self.begin(at + length);
                length
            } else if let Some(byte) = triplet(rest) {
                self.push_triplet(at, byte);
                3
            } else {
                self.outcome.note(DecodeErrorKind::Malformed, at);
                self.bytes.push(b'%');
                1
            };
        }
        self.flush(range.end);
    }

    /// Begins a segment.
    fn begin(&mut self, at: usize) {
        self.start = at;
        self.output_start = self.output.len();
    }

    /// Adds the triplet at `at`, or keeps it.
    fn push_triplet(&mut self, at: usize, byte: u8) {
        let is_rejected = byte.is_ascii() && self.rules.reject.contains(byte);
        if !is_rejected && !self.rules.keep.contains(byte) {
            self.bytes.push(byte);
            return;
        }
        self.convert(false);
        let triplet = at..at + 3;
        if !byte.is_ascii() {
            // Otherwise it is part of a character.
            if self.converter.is_between_characters() {
                self.flush(at);
                self.output.extend_from_slice(&self.value[triplet]);
                self.begin(at + 3);
            } else {
                self.bytes.push(byte);
            }
            return;
        }
        // An ASCII byte may be the end of a character. If it is not, it is converted to itself, even in a
        // malformed sequence: then its triplet takes its place.
        let before = self.output.len();
        self.bytes.push(byte);
        self.convert(false);
        if self.output.len() > before && self.output.last() == Some(&byte) {
            self.output.pop();
            self.output.extend_from_slice(&self.value[triplet]);
            if is_rejected {
                self.outcome.note(DecodeErrorKind::Rejected(byte), at);
            }
        }
    }

    /// Appends a `%uXXXX`, or two of them; `None` is a lone surrogate.
    fn push_escape(&mut self, range: Range<usize>, character: Option<char>) {
        let character = match character {
            Some(character) => character,
            None => {
                self.outcome.note(DecodeErrorKind::LoneSurrogate, range.start);
                if !self.rules.replace {
                    return self.push_raw(range);
                }
                char::REPLACEMENT_CHARACTER
            }
        };
        let mut bytes = [0; 4];
        let text = character.encode_utf8(&mut bytes).as_bytes();
        if text.iter().all(|&byte| self.rules.keep.contains(byte)) {
            return self.push_raw(range);
        }
        if let Some(at) = self.rules.reject.find(text) {
            self.outcome.note(DecodeErrorKind::Rejected(text[at]), range.start);
            return self.output.extend_from_slice(&self.value[range]);
        }
        self.output.extend_from_slice(text);
    }

    /// Appends text of the value as it is.
    fn push_raw(&mut self, range: Range<usize>) {
        let text = &self.value[range.clone()];
        if let Some(at) = self.rules.reject.find(text) {
            self.outcome.note(DecodeErrorKind::Rejected(text[at]), range.start + at);
        }
        self.output.extend_from_slice(text);
    }

    /// Converts the bytes of the segment so far.
    fn convert(&mut self, is_last: bool) {
        let is_utf8 = self.charset == Charset::UTF_8;
        let kind = if is_utf8 { DecodeErrorKind::InvalidUtf8 } else { DecodeErrorKind::IllFormed };
        let Self { bytes, outcome, rules, value, start, .. } = self;
        let part = &bytes[self.converted..];
        self.converter.convert(part, is_last, self.output, |after_start, length, output| {
            let at = bytes.len().saturating_sub(after_start);
            outcome.note(kind, *start + origin(&value[*start..], rules.plus, at));
            let sequence = bytes.get(at..at + length).unwrap_or_default();
            output.extend_from_slice(if rules.replace { "\u{FFFD}".as_bytes() } else { sequence });
        });
        self.converted = self.bytes.len();
    }

    /// Ends the segment at `end`: converts the rest, and checks its text.
    fn flush(&mut self, end: usize) {
        if self.bytes.is_empty() {
            return;
        }
        self.convert(true);
        if let Some(at) = self.rules.reject.find(&self.output[self.output_start..]) {
            self.note_rejected(at, end);
        }
        self.bytes.clear();
        self.converted = 0;
        self.converter = self.charset.converter();
        self.output_start = self.output.len();
    }

    /// Notes the rejected byte at `at` in the text of the segment, with the position of its character.
    /// If it is not ASCII, the segment is kept as it is.
    #[cold]
    fn note_rejected(&mut self, at: usize, end: usize) {
        let byte = self.output[self.output_start + at];
        let mut converter = self.charset.converter();
        let mut text = Vec::new();
        let mut character = 0;
        for (number, part) in self.bytes.chunks(1).enumerate() {
            let before = text.len();
            let is_last = number + 1 == self.bytes.len();
            converter.convert(part, is_last, &mut text, |_, length, text| text.extend(std::iter::repeat_n(0, length)));
            if text.len() > at {
                break;
            }
            if text.len() > before {
                character = number + 1;
            }
        }
        let position = self.start + origin(&self.value[self.start..], self.rules.plus, character);
        self.outcome.note(DecodeErrorKind::Rejected(byte), position);
        if !byte.is_ascii() {
            self.output.truncate(self.output_start);
            self.output.extend_from_slice(&self.value[self.start..end]);
        }
    }
}

/// The position in a segment of the origin of its byte at `at`.
fn origin(segment: &[u8], plus: bool, at: usize) -> usize {
    let decoder = Decoder::new().lenient();
    let decoder = if plus { decoder.plus_for_space() } else { decoder };
    decoder.input_offset(segment, at).unwrap_or(segment.len())
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// The byte of the triplet at the start of a text.
fn triplet(text: &[u8]) -> Option<u8> {
    let &[b'%', first, second, ..] = text else { return None };
    Some(digit(first)? << 4 | digit(second)?)
}

/// The length of the `%uXXXX` at the start of a text, or of two that are a surrogate pair, and the
/// character; `None` for a lone surrogate.
fn unicode_escape(text: &[u8]) -> Option<(usize, Option<char>)> {
    let unit = |text: &[u8]| {
        let &[b'%', b'u', a, b, c, d, ..] = text else { return None };
        Some(u16::from_be_bytes([digit(a)? << 4 | digit(b)?, digit(c)? << 4 | digit(d)?]))
    };
    let first = unit(text)?;
    if let Some(character) = char::from_u32(first.into()) {
        return Some((6, Some(character)));
    }
    let pair = char::decode_utf16([first, unit(&text[6..]).unwrap_or(0)]).next()?.ok();
    Some((if pair.is_some() { 12 } else { 6 }, pair))
}
