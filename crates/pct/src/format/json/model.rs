//! Fast path for JSON Lines: a line that differs from the last scanned one only in its strings and
//! numbers is compared with it instead of being parsed.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use super::found::{Escapes, Found};
use super::keys::Tree;
use super::scan::{MOST_SCALARS, Scalar, number_len, scan};
use crate::format::{ColumnName, near};

/// Scans lines, which usually have the same keys in the same order: most lines differ from the last
/// one that was scanned only in their strings and numbers.
pub(super) struct Scanner<'l, 'n> {
    tree: &'n Tree,
    append: Option<&'n ColumnName>,
    /// A line that was accepted, and its strings and numbers; empty if it has too many.
    model: &'l str,
    scalars: Vec<Scalar<'l>>,
    found: Vec<Found<'l>>,
}

impl<'l, 'n> Scanner<'l, 'n> {
    pub(super) fn new(tree: &'n Tree, append: Option<&'n ColumnName>) -> Self {
        Self { tree, append, model: "", scalars: Vec::new(), found: Vec::new() }
    }

    /// The selected strings of a line in order; `None` if it is not of the usual kind.
    ///
    /// `text` has no control characters, and with `is_plain` no backslash. With `append`, the names
    /// of new members, an object that already has such a member is not of the usual kind.
    #[inline]
    pub(super) fn find(&mut self, text: &'l str, is_plain: bool) -> Option<&[Found<'l>]> {
        if !(is_plain && self.is_like_model(text)) {
            self.scan(text)?;
        }
        Some(&self.found)
    }

    fn scan(&mut self, text: &'l str) -> Option<()> {
        self.model = "";
        scan(text, self.tree, self.append, &mut self.scalars, &mut self.found)?;
        if self.scalars.len() < MOST_SCALARS {
            self.model = text;
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::found::Found;
    use super::super::keys::{KeyPath, Tree};
    use super::super::parse::parse;
    use super::Scanner;
    use crate::format::ColumnName;

    /// What to find: paths, and the names of new members.
    struct Wanted {
        tree: Tree,
        append: Option<ColumnName>,
    }

    const PATHS: &[&str] = &["u", "a.u", "a.b.\u{e9}", "a*.?"];

    /// Paths through any number of keys.
    const DEEP: &[&str] = &["**.u", "a.**.b", "**.a.?"];

    fn wanted(append: Option<&str>) -> Wanted {
        wanted_at(PATHS, append)
    }

    fn wanted_at(paths: &[&str], append: Option<&str>) -> Wanted {
        let paths: Vec<KeyPath> = paths.iter().map(|path| path.parse().unwrap()).collect();
        let append = append.map(|suffix| ColumnName::Suffix(suffix.into()));
        Wanted { tree: Tree::of(&paths).0, append }
    }

    /// Whether the scanner accepts the text. If so, serde_json must find the same strings.
    #[track_caller]
    fn is_accepted(wanted: &Wanted, text: &str) -> bool {
        is_accepted_after("", wanted, text)
    }

    /// The same, if the scanner has seen another line before.
    #[track_caller]
    fn is_accepted_after(before: &str, wanted: &Wanted, text: &str) -> bool {
        let mut scanner = Scanner::new(&wanted.tree, wanted.append.as_ref());
        let _ = scanner.find(before, !before.contains('\\'));
        let Some(found) = scanner.find(text, !text.contains('\\')) else { return false };
        let expected: Result<Vec<Found<'_>>, _> = parse(text, &wanted.tree, wanted.append.as_ref());
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
        for (paths, append) in [(PATHS, None), (PATHS, Some("_new")), (DEEP, None)] {
            let wanted = wanted_at(paths, append);
            let mut accepted = 0;
            for length in 0..=5 {
                for number in 0..TOKENS.len().pow(length) {
                    let tokens = (0..length).map(|at| TOKENS[number / TOKENS.len().pow(at) % TOKENS.len()]);
                    accepted += usize::from(is_accepted(&wanted, &tokens.collect::<String>()));
                }
            }
            assert!(accepted > 100, "{accepted}");
        }
    }

    /// All texts of up to 6 bytes of numbers, and what begins like literals: exactly JSON is
    /// accepted.
    #[test]
    fn scalars_are_accepted_exactly_if_they_are_json() {
        let wanted = wanted(None);
        let symbols = *b"01-+.eE";
        for length in 0..=6 {
            for number in 0..symbols.len().pow(length) {
                let digits = (0..length).map(|at| symbols[number / symbols.len().pow(at) % symbols.len()]);
                let text: String = digits.map(char::from).collect();
                assert_eq!(is_accepted(&wanted, &text), parse(&text, &wanted.tree, None).is_ok(), "{text}");
            }
        }
        for literal in ["true", "false", "null", "\"\\u00aF\\\"\\/\"", "\"\\x\"", "\"\\u00g0\"", "\"\\u00\""] {
            for end in 0..=literal.len() {
                for rest in ["", "x", "\"", " "] {
                    let text = [&literal[..end], rest].concat();
                    assert_eq!(is_accepted(&wanted, &text), parse(&text, &wanted.tree, None).is_ok(), "{text}");
                }
            }
        }
    }

    /// The scanner does what it is for.
    #[test]
    fn usual_lines_are_accepted() {
        let wanted = wanted(Some("_new"));
        for text in [
            r#"{"id":1,"time":"2015-05-17T10:05:03","u":"http://h/p?q=%41","ok":true}"#,
            r#"{"a": {"u": "http:\/\/h\/", "b": {"é": "x"}}, "n": [1.5e-3, {"u": null}]}"#,
            r#" {"u":["a","\u00e9"],"u":"again","k":{"u\n":"x"}} "#,
        ] {
            assert!(is_accepted(&wanted, text), "{text}");
        }
        let model = r#"{"id":1,"u":"a","a":{"u":"b"},"n":[0]}"#;
        for text in [
            r#"{"id":-1.5e7,"u":"","a":{"u":"é"},"n":[12]}"#,
            r#"{"id":1,"u":"a","a":{"u":"b"},"n":[0],"x":"y"}"#,
            r#"{"id":"1","u":"a","a":{"u":"b"},"n":[0]}"#,
            r#"{"id":1,"x":"a","a":{"u":"b"},"n":[0]}"#,
            "{}",
        ] {
            assert!(is_accepted_after(model, &wanted, text), "{text}");
        }
        for text in [
            r#"{"id":01,"u":"a","a":{"u":"b"},"n":[0]}"#,
            r#"{"id":1,"u":"a","a":{"u":"b"},"n":[0]}}"#,
            r#"{"id":1,"u":"a"#,
        ] {
            assert!(!is_accepted_after(model, &wanted, text), "{text}");
        }
        for text in ["", "{}x", "{\"u_new\":1}", r#"{"\u0075":"x"}"#] {
            assert!(!is_accepted(&wanted, text), "{text}");
        }
        let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert!(is_accepted(&wanted, &nested(64)) && !is_accepted(&wanted, &nested(65)));
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
        fn accepted_values_have_the_same_strings(
            text in value(),
            paths in prop::sample::select(vec![PATHS, DEEP]),
            appends: bool,
        ) {
            is_accepted(&wanted_at(paths, appends.then_some("_new")), &text);
        }

        /// A line is found to be like another or not, without consequences.
        #[test]
        fn lines_after_others_are_accepted_as_the_first(before in value(), after in value(), appends: bool) {
            let wanted = wanted(appends.then_some("_new"));
            for text in [&before, &after] {
                let is_accepted = is_accepted(&wanted, text);
                prop_assert_eq!(is_accepted_after(&before, &wanted, text), is_accepted);
            }
        }

        /// A byte changed, removed or inserted.
        #[test]
        fn accepted_damaged_values_are_json(text in value(), at: prop::sample::Index, byte in "[ -~]?", removed in 0..2_usize) {
            let wanted = wanted(None);
            let at = at.index(text.len() + 1);
            if let (Some(before), Some(after)) = (text.get(..at), text.get((at + removed).min(text.len())..)) {
                let damaged = [before, &byte, after].concat();
                prop_assert_eq!(is_accepted_after(&text, &wanted, &damaged), is_accepted(&wanted, &damaged));
            }
        }
    }
}
