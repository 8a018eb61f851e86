//! `--jsonl`: a JSON value in each line. The strings at the selected keys are fields.
//!
//! Everything else is copied byte for byte, and so is a string that the operation does not change.
//! Lines are parsed by `json_scan` if possible, else by serde_json. Both find the same strings.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::{memchr, memmem};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use simdpct::ByteSet;

use super::passthrough::{Next, Unchanged, group_end};
use super::{Format, json_scan};
use crate::codec::write_string;
use crate::operation::{Fault, FaultKind, Operation, split_ending};
use crate::record::Job;
use crate::source::{Scanner, Separated};

/// Path of keys to a string: `req.q`, with `\.` for a dot in a name. Arrays on the path are
/// traversed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct KeyPath {
    names: Vec<String>,
    /// The path as given, for messages.
    text: String,
}

impl FromStr for KeyPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut names = vec![String::new()];
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            let character = match character {
                '.' => {
                    names.push(String::new());
                    continue;
                }
                '\\' => characters.next().ok_or("expected a character after '\\'")?,
                other => other,
            };
            names.last_mut().ok_or("")?.push(character);
        }
        if names.iter().any(String::is_empty) {
            return Err("expected names with a '.' between them, none of them empty".into());
        }
        Ok(Self { names, text: text.to_owned() })
    }
}

/// Maximum nesting of traversed arrays, the limit of serde_json: each level takes stack, and
/// another parse of its content.
const DEEPEST: usize = 128;

pub(crate) struct JsonLines {
    root: Node,
    paths: Vec<KeyPath>,
    /// For each path, whether it led to a string so far.
    is_matched: Vec<AtomicBool>,
    has_records: AtomicBool,
    operation: Box<dyn Operation>,
    /// [`Operation::needed`], unless each selected string has a result.
    needed: Option<ByteSet>,
    /// Escapes that do not stand for a needed byte.
    unneeded_escapes: Escapes,
    /// With `--append`: suffix of the keys of new members.
    append: Option<&'static str>,
}

/// The selected parts of a value: a tree of the paths.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The path that ends here. It selects the value if it is a string, or its strings if it is an
    /// array.
    pub(super) path: Option<usize>,
    /// The nodes of its members.
    pub(super) members: Vec<(String, Node)>,
}

/// A selected string: as in the line, with its quotes; its key, if it is a member's value.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Found<'l, 'n> {
    pub(super) string: &'l str,
    pub(super) key: Option<&'n str>,
    pub(super) path: usize,
    /// Whether the object already has a member of the new name.
    pub(super) key_exists: bool,
    pub(super) escapes: Escapes,
}

/// The escapes of a string.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Escapes {
    None,
    /// A backslash and one character, for one of [`SHORT`].
    Short,
    /// `\u` and four hexadecimal digits, for any character, or a lone surrogate.
    Unicode,
}

impl Escapes {
    fn of(string: &str) -> Self {
        match memchr(b'\\', string.as_bytes()) {
            None => Self::None,
            Some(_) if memmem::find(string.as_bytes(), b"\\u").is_none() => Self::Short,
            Some(_) => Self::Unicode,
        }
    }
}

/// The characters with short escapes (RFC 8259 7).
const SHORT: ByteSet = ByteSet::new(b"\"\\/\x08\x0C\n\r\t");

/// Control characters but the line feed, with which lines end.
const CONTROLS: ByteSet = ByteSet::range(0, 0x1F).without(b'\n');

/// Bytes that a plain line does not have.
const NOT_PLAIN: ByteSet = CONTROLS.with(b'\\');

impl JsonLines {
    pub(crate) fn new(paths: &[KeyPath], operation: Box<dyn Operation>, append: Option<&'static str>) -> Self {
        let mut root = Node::default();
        for (number, path) in paths.iter().enumerate() {
            path.names.iter().fold(&mut root, |node, name| node.member(name)).path = Some(number);
        }
        let is_matched = paths.iter().map(|_| AtomicBool::new(false)).collect();
        let needed = operation.needed().filter(|_| append.is_none());
        let are_short_unneeded = needed.is_some_and(|needed| needed.intersection(SHORT).is_empty());
        Self {
            root,
            paths: paths.to_vec(),
            is_matched,
            has_records: AtomicBool::new(false),
            operation,
            needed,
            unneeded_escapes: if are_short_unneeded { Escapes::Short } else { Escapes::None },
            append,
        }
    }

    #[cfg(test)]
    pub(super) fn root(&self) -> &Node {
        &self.root
    }

    #[cfg(test)]
    pub(super) fn append(&self) -> Option<&'static str> {
        self.append
    }

    /// Transforms one line without its end.
    fn line(&self, line: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let mut pass_on = |kind, position| {
            output.extend_from_slice(line);
            Some(Fault::new(kind, position))
        };
        let Ok(text) = simdutf8::compat::from_utf8(line) else {
            return pass_on(
                FaultKind::NotUtf8,
                str::from_utf8(line).map_or_else(|error| error.valid_up_to(), str::len),
            );
        };
        if text.trim_ascii().is_empty() {
            output.extend_from_slice(line);
            return None;
        }
        match parse(text, &self.root, self.append) {
            Ok(found) => self.replace(text, &found, output),
            Err(error) => {
                pass_on(FaultKind::Format("not a line of JSON"), error.column().saturating_sub(1).min(line.len()))
            }
        }
    }

    /// Appends the text of a line, with the selected strings transformed.
    fn replace(&self, text: &str, found: &[Found<'_, '_>], output: &mut Vec<u8>) -> Option<Fault> {
        let line = text.as_bytes();
        let mut done = 0;
        let mut fault = None;
        for &Found { string, key, path, key_exists, escapes } in found {
            self.match_path(path);
            let start = string.as_ptr().addr() - text.as_ptr().addr();
            let end = start + string.len();
            output.extend_from_slice(&line[done..start]);
            done = end;
            if key_exists {
                output.extend_from_slice(string.as_bytes());
                fault = Fault::first(fault, Some(Fault::new(FaultKind::KeyExists, start)));
                continue;
            }
            let found = self.string(string, key, escapes, output);
            // With escapes, offsets in the unescaped string are not those in the line.
            let position = |at: usize| start + 1 + if escapes == Escapes::None { at } else { 0 };
            fault = Fault::first(fault, found.map(|found| Fault { position: position(found.position), ..found }));
        }
        output.extend_from_slice(&line[done..]);
        fault
    }

    /// Transforms one string; with `--append`, copies it and adds a new member.
    fn string(&self, raw: &str, key: Option<&str>, escapes: Escapes, output: &mut Vec<u8>) -> Option<Fault> {
        let unescaped = if escapes == Escapes::None {
            Cow::Borrowed(&raw[1..raw.len() - 1])
        } else {
            match serde_json::from_str(raw) {
                Ok(unescaped) => Cow::Owned(unescaped),
                // A lone surrogate is valid JSON, but not Unicode text.
                Err(_) => {
                    output.extend_from_slice(raw.as_bytes());
                    return Some(Fault::new(FaultKind::NotUtf8, 0));
                }
            }
        };
        let mut result = Vec::with_capacity(unescaped.len());
        let fault = self.operation.apply_text(&unescaped, &mut result);
        let text = String::from_utf8(result).unwrap_or_else(|error| escape_ill_formed(error.as_bytes()));
        match (self.append, key) {
            (None, _) if text == unescaped => output.extend_from_slice(raw.as_bytes()),
            (None, _) => write_string(&text, output),
            (Some(suffix), key) => {
                output.extend_from_slice(raw.as_bytes());
                // An element of an array has no key, so no new member can be added.
                if let Some(key) = key {
                    output.push(b',');
                    write_string(&[key, suffix].concat(), output);
                    output.push(b':');
                    write_string(&text, output);
                }
            }
        }
        fault
    }

    /// Notes that the path led to a string.
    fn match_path(&self, path: usize) {
        if !self.is_matched[path].load(Ordering::Relaxed) {
            self.is_matched[path].store(true, Ordering::Relaxed);
        }
    }

    /// Transforms lines of well-formed UTF-8, which start at `offset` in the block.
    fn transform_text<'l, 'n>(
        &'n self,
        lines: &'l str,
        offset: usize,
        scanner: &mut json_scan::Scanner<'l, 'n>,
        job: &mut Job,
    ) -> ControlFlow<()> {
        let bytes = lines.as_bytes();
        let mut not_plain = Next::default();
        let mut unchanged = Unchanged::of_text(bytes, self.needed);
        // Start of the lines to copy.
        let mut run = 0;
        each_line(bytes, |line, start| {
            let (text, ending) = split_ending(line, b'\n');
            let end = start + text.len();
            let text = &lines[start..end];
            let is_plain = !not_plain.is_in(&NOT_PLAIN, bytes, start, end);
            let found =
                if is_plain || CONTROLS.find(text.as_bytes()).is_none() { scanner.find(text, is_plain) } else { None };
            if let Some(found) = found
                && unchanged.contains(start, end)
                && found.iter().all(|found| found.escapes <= self.unneeded_escapes)
            {
                found.iter().for_each(|found| self.match_path(found.path));
                return ControlFlow::Continue(());
            }
            job.output.extend_from_slice(&bytes[run..start]);
            run = start + line.len();
            job.record(line, offset + start, |output, _| {
                let fault = match found {
                    Some(found) => self.replace(text, found, output),
                    None => self.line(text.as_bytes(), output),
                };
                output.extend_from_slice(ending);
                fault
            })
        })?;
        job.output.extend_from_slice(&bytes[run..]);
        ControlFlow::Continue(())
    }

    /// Transforms lines of any bytes, which start at `offset` in the block.
    fn transform_bytes(&self, lines: &[u8], offset: usize, job: &mut Job) -> ControlFlow<()> {
        each_line(lines, |line, start| {
            let (text, ending) = split_ending(line, b'\n');
            job.record(line, offset + start, |output, _| {
                let fault = self.line(text, output);
                output.extend_from_slice(ending);
                fault
            })
        })
    }
}

/// The selected strings of a line in order, found by serde_json.
pub(super) fn parse<'l, 'n>(
    text: &'l str,
    root: &'n Node,
    append: Option<&str>,
) -> Result<Vec<Found<'l, 'n>>, serde_json::Error> {
    let mut found = Vec::new();
    root.collect(serde_json::from_str(text)?, None, append, DEEPEST, &mut found)?;
    Ok(found)
}

/// Escapes ill-formed UTF-8 as triplets: a JSON string cannot contain it.
fn escape_ill_formed(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        simdpct::Encoder::COMPONENT.encode_to(chunk.invalid(), &mut text);
    }
    text
}

impl Node {
    fn member(&mut self, name: &str) -> &mut Self {
        let at = self.members.iter().position(|(member, _)| member == name).unwrap_or_else(|| {
            self.members.push((name.to_owned(), Self::default()));
            self.members.len() - 1
        });
        &mut self.members[at].1
    }

    /// Collects the selected strings in order. At most `depth` more arrays may be nested.
    fn collect<'l, 'n>(
        &'n self,
        value: &'l RawValue,
        key: Option<&'n str>,
        append: Option<&str>,
        depth: usize,
        found: &mut Vec<Found<'l, 'n>>,
    ) -> Result<(), serde_json::Error> {
        match (value.get().as_bytes().first(), self.path) {
            (Some(b'"'), Some(path)) => {
                let string = value.get();
                found.push(Found { string, key, path, key_exists: false, escapes: Escapes::of(string) });
            }
            (Some(b'{'), _) if !self.members.is_empty() => {
                let members = Members { node: self, append, depth, found };
                serde_json::Deserializer::from_str(value.get()).deserialize_map(members)?;
            }
            (Some(b'['), _) => {
                let depth = depth.checked_sub(1).ok_or_else(|| serde_json::Error::custom("arrays nested too deep"))?;
                for element in serde_json::from_str::<Vec<&RawValue>>(value.get())? {
                    self.collect(element, None, append, depth, found)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Visits the members of an object.
struct Members<'n, 'f, 'l> {
    node: &'n Node,
    /// With `--append`: suffix of the keys of new members.
    append: Option<&'f str>,
    depth: usize,
    found: &'f mut Vec<Found<'l, 'n>>,
}

impl<'l> Visitor<'l> for Members<'_, '_, 'l> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut map: A) -> Result<(), A::Error> {
        // Indexes of the selected strings among the members, and the keys whose new keys exist.
        let (mut strings, mut existing) = (Vec::new(), Vec::new());
        while let Some(member) = map.next_key_seed(Name { node: self.node, append: self.append })? {
            if let Some(name) = member.new_name_of {
                existing.push(name);
            }
            match member.meant {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some((name, node)) => {
                    let value: &'l RawValue = map.next_value()?;
                    if self.append.is_some() && value.get().starts_with('"') && node.path.is_some() {
                        strings.push(self.found.len());
                    }
                    node.collect(value, Some(name), self.append, self.depth, self.found).map_err(A::Error::custom)?;
                }
            }
        }
        if !existing.is_empty() {
            for string in strings {
                if let Some(found) = self.found.get_mut(string) {
                    found.key_exists = found.key.is_some_and(|key| existing.contains(&key));
                }
            }
        }
        Ok(())
    }
}

/// What the key of a member means to the paths.
struct Member<'n> {
    /// The node of the key, if it is part of a path.
    meant: Option<&'n (String, Node)>,
    /// The key whose new member would have this name.
    new_name_of: Option<&'n str>,
}

/// Looks up a key.
struct Name<'n, 'a> {
    node: &'n Node,
    append: Option<&'a str>,
}

impl<'l, 'n> DeserializeSeed<'l> for Name<'n, '_> {
    type Value = Member<'n>;

    fn deserialize<D: Deserializer<'l>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'n> Visitor<'_> for Name<'n, '_> {
    type Value = Member<'n>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        let members = &self.node.members;
        let meant = members.iter().find(|(member, _)| member == name);
        let stem = self.append.and_then(|suffix| name.strip_suffix(suffix));
        let new_name_of = stem.and_then(|stem| members.iter().find(|(member, _)| member == stem));
        Ok(Member { meant, new_name_of: new_name_of.map(|(member, _)| &member[..]) })
    }
}

impl Format for JsonLines {
    fn scanner(&self) -> Box<dyn Scanner> {
        Box::new(Separated(b'\n'))
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        self.has_records.store(true, Ordering::Relaxed);
        let mut scanner = json_scan::Scanner::new(&self.root, self.append);
        let mut start = 0;
        while start < records.len() {
            let end = group_end(records, start);
            let lines = &records[start..end];
            let done = match simdutf8::basic::from_utf8(lines) {
                Ok(lines) => self.transform_text(lines, start, &mut scanner, job),
                Err(_) => self.transform_bytes(lines, start, job),
            };
            // A break is recorded in the job.
            if done.is_break() {
                return;
            }
            start = end;
        }
    }

    fn unmatched(&self) -> Vec<String> {
        if !self.has_records.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let is_matched = |path: &KeyPath| {
            // The same path may be given twice.
            self.paths
                .iter()
                .zip(&self.is_matched)
                .any(|(same, is_matched)| same.names == path.names && is_matched.load(Ordering::Relaxed))
        };
        let unmatched = self.paths.iter().filter(|path| !is_matched(path));
        unmatched.map(|path| format!("no record has a string at key '{}'", path.text)).collect()
    }
}

/// Calls `each` with every line, including its end, and its offset.
fn each_line(records: &[u8], mut each: impl FnMut(&[u8], usize) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut start = 0;
    while start < records.len() {
        let end = memchr(b'\n', &records[start..]).map_or(records.len(), |at| start + at + 1);
        each(&records[start..end], start)?;
        start = end;
    }
    ControlFlow::Continue(())
}
