//! Decodes a value in one pass, in one charset.
#![forbid(unsafe_code)]

use std::ops::Range;

use memchr::{memchr, memchr2};
use simdpct::{ByteSet, DecodeErrorKind, Decoder};

use super::super::charset::{Charset, Converter};
use super::TextDecoding;
use super::escapes::{triplet, unicode_escape};
use super::outcome::Outcome;

/// Length from which a segment is long.
const LONG: usize = 64 * 1024;

/// A pass over a value, in segments that are converted separately: between characters that are not
/// in the charset.
pub(super) struct Pass<'p> {
    rules: &'p TextDecoding,
    charset: Charset,
    value: &'p [u8],
    output: &'p mut Vec<u8>,
    outcome: Outcome,
    converter: Converter,
    /// Whether long segments are split: not if the text before decides what a byte means, or what
    /// becomes of a segment.
    is_split: bool,
    /// The bytes of the segment, and how many of them are converted.
    bytes: Vec<u8>,
    converted: usize,
    /// The start of the segment, in the value and in the output.
    start: usize,
    output_start: usize,
}

impl<'p> Pass<'p> {
    pub(super) fn new(rules: &'p TextDecoding, charset: Charset, value: &'p [u8], output: &'p mut Vec<u8>) -> Self {
        let output_start = output.len();
        let (outcome, bytes) = Default::default();
        let converter = charset.converter();
        let is_split = !charset.is_stateful() && rules.reject.intersection(ByteSet::NON_ASCII).is_empty();
        Self {
            rules,
            charset,
            value,
            output,
            outcome,
            converter,
            is_split,
            bytes,
            converted: 0,
            start: 0,
            output_start,
        }
    }

    pub(super) fn decode(mut self) -> Outcome {
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
            for piece in rest[..literal].chunks(LONG) {
                self.bytes.extend_from_slice(piece);
                at += piece.len();
                self.end_long(at);
            }
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
            self.end_long(at);
        }
        self.flush(range.end);
    }

    /// Ends a long segment at `at`, if a character ends there, so that not all of a long value is
    /// in memory once more.
    fn end_long(&mut self, at: usize) {
        if self.bytes.len() < LONG || !self.is_split {
            return;
        }
        self.convert(false);
        if self.converter.is_between_characters() {
            self.flush(at);
            self.begin(at);
        }
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
        // An ASCII byte may be the end of a character. If it is not, it is converted to itself,
        // even in a malformed sequence: then its triplet takes its place.
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

    /// Notes the rejected byte at `at` in the text of the segment, with the position of its
    /// character. If it is not ASCII, the segment is kept as it is.
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
