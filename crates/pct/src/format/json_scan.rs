//! Finds the selected strings of a line of JSON in one pass, if it is of the usual kind.
//!
//! The scanner accepts only JSON (RFC 8259), and less than serde_json: no control characters between
//! tokens, no escapes in keys on the way to a selected string, no deep nesting. The caller passes any
//! line that it does not accept to serde_json, which decides whether it is JSON.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use super::jsonl::{Escapes, Found};
use super::keys::Node;
use super::{ColumnName, near};

/// Maximum nesting of objects and arrays.
const DEEPEST: usize = 64;

/// Maximum number of scalars of a line that is a model for others.
const MOST_SCALARS: usize = 256;

/// Scans lines, which usually have the same keys in the same order: most lines differ from the last
/// one that was scanned only in their strings and numbers.
pub(super) struct Scanner<'l, 'n> {
    root: &'n Node,
    append: Option<&'n ColumnName>,
    /// A line that was accepted, and its strings and numbers; empty if it has too many.
    model: &'l str,
    scalars: Vec<Scalar<'l>>,
    found: Vec<Found<'l>>,
}

/// A value in the model.
struct Scalar<'l> {
    /// Range without quotes.
    start: usize,
    end: usize,
    is_string: bool,
    /// The end of the paths that select it, and its key.
    selected: Option<(usize, Option<&'l str>)>,
}

impl<'l, 'n> Scanner<'l, 'n> {
    pub(super) fn new(root: &'n Node, append: Option<&'n ColumnName>) -> Self {
        Self { root, append, model: "", scalars: Vec::new(), found: Vec::new() }
    }

    /// The selected strings of a line in order; `None` if it is not of the usual kind.
    ///
    /// `text` has no control characters, and with `is_plain` no backslash. With `append`, the names of
    /// new members, an object that already has such a member is not of the usual kind.
    #[inline]
    pub(super) fn find(&mut self, text: &'l str, is_plain: bool) -> Option<&[Found<'l>]> {
        if !(is_plain && self.is_like_model(text)) {
            self.scan(text)?;
        }
        Some(&self.found)
    }

    fn scan(&mut self, text: &'l str) -> Option<()> {
        let Self { root, append, model, scalars, found } = self;
        *model = "";
        scalars.clear();
        found.clear();
        let mut scan = Scan { text, at: 0, append: *append, scalars, found };
        scan.value(Some(root), None, DEEPEST)?;
        if scan.next().is_some() {
            return None;
        }
        if scalars.len() < MOST_SCALARS {
            *model = text;
        }
        Some(())
    }

    /// Whether a line without backslashes and control characters has other strings and numbers than
    /// the model, and otherwise the same text. If so, finds its strings.
    fn is_like_model(&mut self, text: &'l str) -> bool {
        let (bytes, model) = (text.as_bytes(), self.model.as_bytes());
        if model.is_empty() {
            return false;
        }
        self.found.clear();
        // Start of the next literal text, in the line and in the model.
        let (mut at, mut start) = (0, 0);
        for scalar in &self.scalars {
            let literal = &model[start..scalar.start];
            if !bytes[at..].starts_with(literal) {
                return false;
            }
            at += literal.len();
            start = scalar.end;
            if scalar.is_string {
                let Some(length) = near::find(b'"', &bytes[at..]) else { return false };
                if let Some((end, key)) = scalar.selected {
                    let string = &text[at - 1..=at + length];
                    let key = key.map(Cow::Borrowed);
                    self.found.push(Found { string, key, end, key_exists: false, escapes: Escapes::None });
                }
                at += length;
            } else {
                let Some(length) = number_len(&bytes[at..]) else { return false };
                at += length;
            }
        }
        bytes[at..] == model[start..]
    }
}

/// Length of the number at the start of a text: `[ "-" ] int [ frac ] [ exp ]` (RFC 8259 6).
#[inline]
fn number_len(text: &[u8]) -> Option<usize> {
    // Length of at least one digit.
    let digits = |start: usize| {
        let length = text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        (length > 0).then_some(length)
    };
    let mut length = usize::from(text.first() == Some(&b'-'));
    length += if text.get(length) == Some(&b'0') { 1 } else { digits(length)? };
    if text.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(length) {
        length += 1 + usize::from(matches!(text.get(length + 1), Some(b'+' | b'-')));
        length += digits(length)?;
    }
    Some(length)
}

struct Scan<'l, 'n, 's> {
    text: &'l str,
    at: usize,
    append: Option<&'n ColumnName>,
    /// At most [`MOST_SCALARS`].
    scalars: &'s mut Vec<Scalar<'l>>,
    found: &'s mut Vec<Found<'l>>,
}

impl<'l> Scan<'l, '_, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The first byte of the next token.
    fn next(&mut self) -> Option<u8> {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
        self.peek()
    }

    /// Skips the next token if it is this byte.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.next() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips a value. If `node` has paths, finds the selected strings in it; `key` is that of the
    /// member, if it is one.
    fn value(&mut self, node: Option<&Node>, key: Option<&'l str>, depth: usize) -> Option<()> {
        match self.next()? {
            b'"' => {
                let start = self.at;
                let (string, escapes) = self.string()?;
                let selected = node.and_then(|node| node.end).map(|end| (end, key));
                if let Some((end, key)) = selected {
                    self.found.push(Found { string, key: key.map(Cow::Borrowed), end, key_exists: false, escapes });
                }
                self.note(Scalar { start: start + 1, end: self.at - 1, is_string: true, selected });
                Some(())
            }
            b'{' => self.object(node.filter(|node| !node.members.is_empty()), depth.checked_sub(1)?),
            b'[' => self.array(node, depth.checked_sub(1)?),
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            _ => {
                let start = self.at;
                self.at += number_len(&self.text.as_bytes()[start..])?;
                self.note(Scalar { start, end: self.at, is_string: false, selected: None });
                Some(())
            }
        }
    }

    fn object(&mut self, node: Option<&Node>, depth: usize) -> Option<()> {
        self.at += 1;
        if self.take(b'}') {
            return Some(());
        }
        loop {
            if self.next()? != b'"' {
                return None;
            }
            let (key, escapes) = self.string()?;
            let mut selected = None;
            if let Some(node) = node {
                if escapes != Escapes::None {
                    return None;
                }
                let name = &key[1..key.len() - 1];
                selected = node.member(name).map(|node| (name, node));
                if self.append.is_some_and(|new| new.is_for_some(name, |source| node.member(source).is_some())) {
                    return None;
                }
            }
            if !self.take(b':') {
                return None;
            }
            match selected {
                Some((name, node)) => self.value(Some(node), Some(name), depth)?,
                None => self.value(None, None, depth)?,
            }
            if !self.take(b',') {
                return self.take(b'}').then_some(());
            }
        }
    }

    fn array(&mut self, node: Option<&Node>, depth: usize) -> Option<()> {
        self.at += 1;
        if self.take(b']') {
            return Some(());
        }
        loop {
            self.value(node, None, depth)?;
            if !self.take(b',') {
                return self.take(b']').then_some(());
            }
        }
    }

    /// Skips a string, and returns it with its quotes.
    fn string(&mut self) -> Option<(&'l str, Escapes)> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut escapes = Escapes::None;
        let mut at = start + 1;
        loop {
            at += near::find2(b'"', b'\\', &bytes[at..])?;
            if bytes[at] == b'"' {
                self.at = at + 1;
                return Some((&self.text[start..=at], escapes));
            }
            let (escape, length) = match *bytes.get(at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => (Escapes::Short, 2),
                b'u' if bytes.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit) => (Escapes::Unicode, 6),
                _ => return None,
            };
            escapes = escapes.max(escape);
            at += length;
        }
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        self.text.as_bytes()[self.at..].starts_with(literal.as_bytes()).then(|| self.at += literal.len())
    }

    fn note(&mut self, scalar: Scalar<'l>) {
        if self.scalars.len() < MOST_SCALARS {
            self.scalars.push(scalar);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Scanner;
    use crate::format::jsonl::{Found, JsonLayout, JsonLines, parse};
    use crate::format::keys::KeyPath;
    use crate::format::{ColumnName, Destination};
    use crate::operation::{Fault, Operation, Stream};

    struct Unused;

    impl Operation for Unused {
        fn apply(&self, _: &[u8], _: &mut Vec<u8>) -> Option<Fault> {
            None
        }

        fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
            None
        }
    }

    fn json_lines(append: Option<&str>) -> JsonLines {
        let paths: [KeyPath; 4] = ["u", "a.u", "a.b.\u{e9}", "a*.?"].map(|path| path.parse().unwrap());
        let column = append.map(|suffix| Destination::Column(ColumnName::Suffix(suffix.into())));
        JsonLines::new(&paths, JsonLayout::Line, Box::new(Unused), column.unwrap_or_default())
    }

    /// Whether the scanner accepts the text. If so, serde_json must find the same strings.
    #[track_caller]
    fn is_accepted(lines: &JsonLines, text: &str) -> bool {
        is_accepted_after("", lines, text)
    }

    /// The same, if the scanner has seen another line before.
    #[track_caller]
    fn is_accepted_after(before: &str, lines: &JsonLines, text: &str) -> bool {
        let mut scanner = Scanner::new(lines.root(), lines.destination().column());
        let _ = scanner.find(before, !before.contains('\\'));
        let Some(found) = scanner.find(text, !text.contains('\\')) else { return false };
        let expected: Result<Vec<Found<'_>>, _> = parse(text, lines.root(), lines.destination().column());
        match expected {
            Ok(expected) => assert_eq!(found, expected, "{text}"),
            Err(error) => panic!("{text}: {error}"),
        }
        true
    }

    /// All sequences of up to 5 tokens.
    #[test]
    fn accepted_sequences_of_tokens_are_json_with_the_same_strings() {
        const TOKENS: [&str; 13] =
            ["{", "}", "[", "]", ":", ",", " ", "\"u\"", "\"a\"", "\"u\\n\"", "1", "null", "\"u_new\""];
        for append in [None, Some("_new")] {
            let lines = json_lines(append);
            let mut accepted = 0;
            for length in 0..=5 {
                for number in 0..TOKENS.len().pow(length) {
                    let tokens = (0..length).map(|at| TOKENS[number / TOKENS.len().pow(at) % TOKENS.len()]);
                    accepted += usize::from(is_accepted(&lines, &tokens.collect::<String>()));
                }
            }
            assert!(accepted > 100, "{accepted}");
        }
    }

    /// All texts of up to 6 bytes of numbers, and what begins like literals: exactly JSON is
    /// accepted.
    #[test]
    fn scalars_are_accepted_exactly_if_they_are_json() {
        let lines = json_lines(None);
        let symbols = *b"01-+.eE";
        for length in 0..=6 {
            for number in 0..symbols.len().pow(length) {
                let digits = (0..length).map(|at| symbols[number / symbols.len().pow(at) % symbols.len()]);
                let text: String = digits.map(char::from).collect();
                assert_eq!(is_accepted(&lines, &text), parse(&text, lines.root(), None).is_ok(), "{text}");
            }
        }
        for literal in ["true", "false", "null", "\"\\u00aF\\\"\\/\"", "\"\\x\"", "\"\\u00g0\"", "\"\\u00\""] {
            for end in 0..=literal.len() {
                for rest in ["", "x", "\"", " "] {
                    let text = [&literal[..end], rest].concat();
                    assert_eq!(is_accepted(&lines, &text), parse(&text, lines.root(), None).is_ok(), "{text}");
                }
            }
        }
    }

    /// The scanner does what it is for.
    #[test]
    fn usual_lines_are_accepted() {
        let lines = json_lines(Some("_new"));
        for text in [
            r#"{"id":1,"time":"2015-05-17T10:05:03","u":"http://h/p?q=%41","ok":true}"#,
            r#"{"a": {"u": "http:\/\/h\/", "b": {"é": "x"}}, "n": [1.5e-3, {"u": null}]}"#,
            r#" {"u":["a","\u00e9"],"u":"again","k":{"u\n":"x"}} "#,
        ] {
            assert!(is_accepted(&lines, text), "{text}");
        }
        let model = r#"{"id":1,"u":"a","a":{"u":"b"},"n":[0]}"#;
        for text in [
            r#"{"id":-1.5e7,"u":"","a":{"u":"é"},"n":[12]}"#,
            r#"{"id":1,"u":"a","a":{"u":"b"},"n":[0],"x":"y"}"#,
            r#"{"id":"1","u":"a","a":{"u":"b"},"n":[0]}"#,
            r#"{"id":1,"x":"a","a":{"u":"b"},"n":[0]}"#,
            "{}",
        ] {
            assert!(is_accepted_after(model, &lines, text), "{text}");
        }
        for text in [
            r#"{"id":01,"u":"a","a":{"u":"b"},"n":[0]}"#,
            r#"{"id":1,"u":"a","a":{"u":"b"},"n":[0]}}"#,
            r#"{"id":1,"u":"a"#,
        ] {
            assert!(!is_accepted_after(model, &lines, text), "{text}");
        }
        for text in ["", "{}x", "{\"u_new\":1}", r#"{"\u0075":"x"}"#] {
            assert!(!is_accepted(&lines, text), "{text}");
        }
        let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert!(is_accepted(&lines, &nested(64)) && !is_accepted(&lines, &nested(65)));
    }

    /// JSON values, as text.
    fn value() -> impl Strategy<Value = String> {
        let key = prop::sample::select(vec!["u", "a", "b", "\u{e9}", "x", "u_new", "\\u0075"]);
        let scalar = prop::sample::select(vec![
            "null",
            "true",
            "-0.5E+7",
            "12",
            "\"\"",
            "\"%41\"",
            "\"a\\\"\\\\\"",
            "\"\\ud800\"",
            "\"\u{e9}\"",
        ]);
        scalar.prop_map(str::to_owned).prop_recursive(4, 24, 4, move |inner| {
            let member = (key.clone(), inner.clone()).prop_map(|(key, value)| format!("\"{key}\": {value}"));
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
                prop::collection::vec(member, 0..4).prop_map(|items| format!("{{{} }}", items.join(" ,"))),
            ]
        })
    }

    proptest! {
        #[test]
        fn accepted_values_have_the_same_strings(text in value(), appends: bool) {
            let lines = json_lines(appends.then_some("_new"));
            is_accepted(&lines, &text);
        }

        /// A line is found to be like another or not, without consequences.
        #[test]
        fn lines_after_others_are_accepted_as_the_first(before in value(), after in value(), appends: bool) {
            let lines = json_lines(appends.then_some("_new"));
            for text in [&before, &after] {
                let is_accepted = is_accepted(&lines, text);
                prop_assert_eq!(is_accepted_after(&before, &lines, text), is_accepted);
            }
        }

        /// A byte changed, removed or inserted.
        #[test]
        fn accepted_damaged_values_are_json(text in value(), at: prop::sample::Index, byte in "[ -~]?", removed in 0..2_usize) {
            let lines = json_lines(None);
            let at = at.index(text.len() + 1);
            if let (Some(before), Some(after)) = (text.get(..at), text.get((at + removed).min(text.len())..)) {
                let damaged = [before, &byte, after].concat();
                prop_assert_eq!(is_accepted_after(&text, &lines, &damaged), is_accepted(&lines, &damaged));
            }
        }
    }
}
