//! Finds the selected strings of a line of JSON in one pass, if it is of the usual kind.
//!
//! Accepts only JSON (RFC 8259), and less than serde_json: no control characters between tokens, no
//! escapes in keys on the way to a selected string, no deep nesting.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use super::found::{Escapes, Found};
use super::keys::{Node, Tree};
use crate::format::{ColumnName, near};

/// Maximum nesting of objects and arrays.
const MAX_NESTING: usize = 64;

/// Maximum number of scalars that are noted.
pub(super) const MOST_SCALARS: usize = 256;

/// A string or a number of a line.
pub(super) struct Scalar<'l> {
    /// Range without quotes.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_string: bool,
    /// The end of the paths that select it, and its key.
    pub(super) selected: Option<(usize, Option<&'l str>)>,
}

/// Finds the selected strings of a line in order, and notes its first scalars. `None` if it is not
/// of the usual kind.
///
/// `text` has no control characters. With `append`, the names of new members, an object that
/// already has such a member is not of the usual kind.
pub(super) fn scan<'l>(
    text: &'l str,
    tree: &Tree,
    append: Option<&ColumnName>,
    scalars: &mut Vec<Scalar<'l>>,
    found: &mut Vec<Found<'l>>,
) -> Option<()> {
    scalars.clear();
    found.clear();
    let mut scan = Scan { text, at: 0, tree, append, scalars, found };
    scan.value(Some(tree.root()), None, MAX_NESTING)?;
    scan.next().is_none().then_some(())
}

/// Length of the number at the start of a text: `[ "-" ] int [ frac ] [ exp ]` (RFC 8259 6).
#[inline]
pub(super) fn number_len(text: &[u8]) -> Option<usize> {
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

/// Reads one line.
struct Scan<'l, 'n, 's> {
    text: &'l str,
    at: usize,
    tree: &'n Tree,
    append: Option<&'n ColumnName>,
    /// At most [`MOST_SCALARS`].
    scalars: &'s mut Vec<Scalar<'l>>,
    found: &'s mut Vec<Found<'l>>,
}

impl<'l, 'n> Scan<'l, 'n, '_> {
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
    fn value(&mut self, node: Option<&'n Node>, key: Option<&'l str>, depth: usize) -> Option<()> {
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
            b'{' => self.object(node.filter(|node| node.has_members()), depth.checked_sub(1)?),
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

    fn object(&mut self, node: Option<&'n Node>, depth: usize) -> Option<()> {
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
                selected = self.tree.member(node, name).map(|node| (name, node));
                if self
                    .append
                    .is_some_and(|new| new.is_for_some(name, |source| self.tree.member(node, source).is_some()))
                {
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

    fn array(&mut self, node: Option<&'n Node>, depth: usize) -> Option<()> {
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
