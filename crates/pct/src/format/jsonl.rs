//! `--jsonl`: a JSON value in each line. The strings at the selected keys are fields. `--cdxj`: the same
//! after a prefix.
//!
//! Everything else is copied byte for byte, and so is a string that the operation does not change. With
//! `--print-field`, a line has only the results, without quotes: one cell for each key.
//! Lines are parsed by `json_scan` if possible, else by serde_json. Both find the same strings.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::{memchr, memmem};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use simdpct::{ByteSet, Encoder};

use super::keys::{KeyPath, Node};
use super::passthrough::{Next, Unchanged, group_end};
use super::{ColumnName, Destination, Format, json_scan};
use crate::codec::{escape_ill_formed, write_string};
use crate::operation::{Fault, FaultKind, Operation, split_ending};
use crate::record::Job;
use crate::source::{Scanner, Separated};

/// Maximum nesting of traversed arrays, the limit of serde_json: each level takes stack, and
/// another parse of its content.
const DEEPEST: usize = 128;

pub(crate) struct JsonLines {
    root: Node,
    paths: Vec<KeyPath>,
    /// For each end of paths in the tree: the numbers of the paths, and whether it was a string so far.
    ends: Vec<(Vec<usize>, AtomicBool)>,
    layout: JsonLayout,
    has_records: AtomicBool,
    operation: Box<dyn Operation>,
    /// [`Operation::needed`].
    needed: Option<ByteSet>,
    /// Escapes that do not stand for a needed byte.
    unneeded_escapes: Escapes,
    destination: Destination,
}

/// Where the JSON of a line is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum JsonLayout {
    /// The whole line is JSON.
    Line,
    /// JSON follows a prefix, the key and the time of a capture. Lines that begin with '!' are directives.
    Cdxj,
}

impl JsonLayout {
    /// The start of the JSON in a line; `None` if there is none.
    #[inline]
    fn start(self, line: &[u8]) -> Option<usize> {
        match self {
            Self::Line => Some(0),
            Self::Cdxj => memmem::find(line, b" {").map(|at| at + 1),
        }
    }

    fn is_directive(self, line: &[u8]) -> bool {
        self == Self::Cdxj && line.starts_with(b"!")
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Line => "not a line of JSON",
            Self::Cdxj => "not a line of CDXJ",
        }
    }
}

/// A selected string: as in the line, with its quotes; its key, if it is a member's value.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Found<'l> {
    pub(super) string: &'l str,
    pub(super) key: Option<Cow<'l, str>>,
    /// The end of the paths that selected it.
    pub(super) end: usize,
    /// Whether the object already has a member of the new name.
    pub(super) key_exists: bool,
    pub(super) escapes: Escapes,
}

impl Found<'_> {
    /// Its position in the line.
    fn start(&self, line: &str) -> usize {
        self.string.as_ptr().addr() - line.as_ptr().addr()
    }

    /// The text; `None` if it has a lone surrogate, which is valid JSON, but not Unicode text.
    fn unescaped(&self) -> Option<Cow<'_, str>> {
        if self.escapes == Escapes::None {
            return Some(Cow::Borrowed(&self.string[1..self.string.len() - 1]));
        }
        serde_json::from_str(self.string).ok().map(Cow::Owned)
    }

    /// A fault of the text, as a fault of the line.
    fn locate(&self, fault: Fault, line: &str) -> Fault {
        // With escapes, offsets in the unescaped string are not those in the line.
        let at = if self.escapes == Escapes::None { fault.position } else { 0 };
        Fault { position: self.start(line) + 1 + at, ..fault }
    }
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

/// Bytes that are escaped as triplets in cells: they end a cell or a line.
pub(crate) const IN_CELLS: ByteSet = ByteSet::new(b"\t\n\r");

/// Bytes that a plain line does not have.
const NOT_PLAIN: ByteSet = CONTROLS.with(b'\\');

impl JsonLines {
    pub(crate) fn new(
        paths: &[KeyPath],
        layout: JsonLayout,
        operation: Box<dyn Operation>,
        destination: Destination,
    ) -> Self {
        let (root, ends) = Node::of(paths);
        let ends = ends.into_iter().map(|paths| (paths, AtomicBool::new(false))).collect();
        let needed = operation.needed();
        let are_short_unneeded = needed.is_some_and(|needed| needed.intersection(SHORT).is_empty());
        Self {
            root,
            paths: paths.to_vec(),
            ends,
            layout,
            has_records: AtomicBool::new(false),
            operation,
            needed,
            unneeded_escapes: if are_short_unneeded { Escapes::Short } else { Escapes::None },
            destination,
        }
    }

    #[cfg(test)]
    pub(super) fn root(&self) -> &Node {
        &self.root
    }

    #[cfg(test)]
    pub(super) fn destination(&self) -> &Destination {
        &self.destination
    }

    /// Transforms one line without its end.
    fn line(&self, line: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let mut pass_on = |kind, position| {
            if !self.destination.is_alone() {
                output.extend_from_slice(line);
            }
            Some(Fault::new(kind, position))
        };
        let Ok(text) = simdutf8::compat::from_utf8(line) else {
            return pass_on(
                FaultKind::NotUtf8,
                str::from_utf8(line).map_or_else(|error| error.valid_up_to(), str::len),
            );
        };
        if self.layout.is_directive(line) {
            if self.destination.is_alone() {
                return Some(Fault::new(FaultKind::NoRecord, 0));
            }
            output.extend_from_slice(line);
            return Some(Fault::selected());
        }
        if text.trim_ascii().is_empty() {
            output.extend_from_slice(line);
            return None;
        }
        let Some(start) = self.layout.start(line) else { return pass_on(FaultKind::Format(self.layout.expected()), 0) };
        match parse(&text[start..], &self.root, self.destination.column()) {
            Ok(found) => self.found(text, &found, output),
            Err(error) => {
                let position = start + error.column().saturating_sub(1);
                pass_on(FaultKind::Format(self.layout.expected()), position.min(line.len()))
            }
        }
    }

    /// Appends the output for a line in which these strings are selected.
    fn found(&self, text: &str, found: &[Found<'_>], output: &mut Vec<u8>) -> Option<Fault> {
        if self.destination.is_alone() { self.cells(text, found, output) } else { self.replace(text, found, output) }
    }

    /// Appends a cell for each path. The results for several strings of a path have a space between them.
    fn cells(&self, text: &str, found: &[Found<'_>], output: &mut Vec<u8>) -> Option<Fault> {
        let mut fault = None;
        for path in 0..self.paths.len() {
            if path > 0 {
                output.push(b'\t');
            }
            let is_of_path = |found: &&Found<'_>| self.ends[found.end].0.contains(&path);
            for (before, found) in found.iter().filter(is_of_path).enumerate() {
                self.match_end(found.end);
                if before > 0 {
                    output.push(b' ');
                }
                fault = Fault::first(fault, self.cell(found, output).map(|fault| found.locate(fault, text)));
            }
        }
        fault
    }

    /// Appends the result for a string, with the bytes that end a cell escaped.
    fn cell(&self, found: &Found<'_>, output: &mut Vec<u8>) -> Option<Fault> {
        let Some(unescaped) = found.unescaped() else { return Some(Fault::new(FaultKind::NotUtf8, 0)) };
        let start = output.len();
        let fault = self.operation.apply_text(&unescaped, output);
        // The operation writes them only if it is told to, or if they are in the string.
        if IN_CELLS.find(unescaped.as_bytes()).is_some() {
            let escaped = Encoder::new(IN_CELLS).keep_non_ascii().encode(&output[start..]).into_owned();
            output.truncate(start);
            output.extend_from_slice(escaped.as_bytes());
        }
        fault
    }

    /// Appends the text of a line, with the selected strings transformed.
    fn replace(&self, text: &str, found: &[Found<'_>], output: &mut Vec<u8>) -> Option<Fault> {
        let line = text.as_bytes();
        let mut done = 0;
        let mut fault = None;
        for found in found {
            self.match_end(found.end);
            let start = found.start(text);
            output.extend_from_slice(&line[done..start]);
            done = start + found.string.len();
            if found.key_exists {
                output.extend_from_slice(found.string.as_bytes());
                fault = Fault::first(fault, Some(Fault::new(FaultKind::KeyExists, start)));
                continue;
            }
            fault = Fault::first(fault, self.string(found, output).map(|fault| found.locate(fault, text)));
        }
        output.extend_from_slice(&line[done..]);
        fault
    }

    /// Transforms one string; with `--append`, copies it and adds a new member.
    fn string(&self, found: &Found<'_>, output: &mut Vec<u8>) -> Option<Fault> {
        let raw = found.string.as_bytes();
        let Some(unescaped) = found.unescaped() else {
            output.extend_from_slice(raw);
            return Some(Fault::new(FaultKind::NotUtf8, 0));
        };
        let mut result = Vec::with_capacity(unescaped.len());
        let fault = self.operation.apply_text(&unescaped, &mut result);
        let text = String::from_utf8(result).unwrap_or_else(|error| escape_ill_formed(error.as_bytes()));
        match (self.destination.column(), &found.key) {
            (None, _) if text == unescaped && !self.operation.is_json() => output.extend_from_slice(raw),
            (None, _) => self.write(&text, output),
            (Some(name), key) => {
                output.extend_from_slice(raw);
                // An element of an array has no key, so no new member can be added.
                if let Some(key) = key {
                    output.push(b',');
                    write_string(&name.of(key), output);
                    output.push(b':');
                    self.write(&text, output);
                }
            }
        }
        fault
    }

    /// Appends a result as a value.
    fn write(&self, result: &str, output: &mut Vec<u8>) {
        if self.operation.is_json() {
            output.extend_from_slice(result.as_bytes());
        } else {
            write_string(result, output);
        }
    }

    /// Notes that the paths that end here led to a string.
    fn match_end(&self, end: usize) {
        let (_, is_matched) = &self.ends[end];
        if !is_matched.load(Ordering::Relaxed) {
            is_matched.store(true, Ordering::Relaxed);
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
        let needed = self.needed.filter(|_| job.takes_runs(self.destination.is_field()));
        let mut unchanged = Unchanged::of_text(bytes, needed);
        // Start of the lines to copy.
        let mut run = 0;
        each_line(bytes, |line, start| {
            let (text, ending) = split_ending(line, b'\n');
            let end = start + text.len();
            let text = &lines[start..end];
            let found = self.layout.start(text.as_bytes()).and_then(|prefix| {
                let json = &text[prefix..];
                let is_plain = !not_plain.is_in(&NOT_PLAIN, bytes, start + prefix, end);
                let is_usual = is_plain || CONTROLS.find(json.as_bytes()).is_none();
                if is_usual && !self.layout.is_directive(text.as_bytes()) { scanner.find(json, is_plain) } else { None }
            });
            if let Some(found) = found
                && unchanged.contains(start, end)
                && found.iter().all(|found| found.escapes <= self.unneeded_escapes)
            {
                found.iter().for_each(|found| self.match_end(found.end));
                return ControlFlow::Continue(());
            }
            job.unchanged(&bytes[run..start]);
            run = start + line.len();
            job.record(line, offset + start, |output, _| {
                let fault = match found {
                    Some(found) => self.found(text, found, output),
                    None => self.line(text.as_bytes(), output),
                };
                output.extend_from_slice(ending);
                fault
            })
        })?;
        job.unchanged(&bytes[run..]);
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
pub(super) fn parse<'l>(
    text: &'l str,
    root: &Node,
    append: Option<&ColumnName>,
) -> Result<Vec<Found<'l>>, serde_json::Error> {
    let mut found = Vec::new();
    root.collect(serde_json::from_str(text)?, None, append, DEEPEST, &mut found)?;
    Ok(found)
}

impl Node {
    /// Collects the selected strings in order. At most `depth` more arrays may be nested.
    fn collect<'l>(
        &self,
        value: &'l RawValue,
        key: Option<String>,
        append: Option<&ColumnName>,
        depth: usize,
        found: &mut Vec<Found<'l>>,
    ) -> Result<(), serde_json::Error> {
        match (value.get().as_bytes().first(), self.end) {
            (Some(b'"'), Some(end)) => {
                let string = value.get();
                let key = key.map(Cow::Owned);
                found.push(Found { string, key, end, key_exists: false, escapes: Escapes::of(string) });
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
    /// With `--append`: the names of new members.
    append: Option<&'f ColumnName>,
    depth: usize,
    found: &'f mut Vec<Found<'l>>,
}

impl<'l> Visitor<'l> for Members<'_, '_, 'l> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut map: A) -> Result<(), A::Error> {
        // Indexes of the selected strings among the members, and the keys whose new keys exist.
        let (mut strings, mut existing, mut do_all_exist) = (Vec::new(), Vec::new(), false);
        while let Some(member) = map.next_key_seed(Name { node: self.node, append: self.append })? {
            existing.extend(member.new_name_of);
            do_all_exist |= member.is_new_name;
            match member.selected {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some((name, node)) => {
                    let value: &'l RawValue = map.next_value()?;
                    if self.append.is_some() && value.get().starts_with('"') && node.end.is_some() {
                        strings.push(self.found.len());
                    }
                    node.collect(value, Some(name), self.append, self.depth, self.found).map_err(A::Error::custom)?;
                }
            }
        }
        if do_all_exist || !existing.is_empty() {
            for string in strings {
                if let Some(found) = self.found.get_mut(string) {
                    let is_existing = |key: &Cow<'_, str>| existing.iter().any(|name| name == key);
                    found.key_exists = do_all_exist || found.key.as_ref().is_some_and(is_existing);
                }
            }
        }
        Ok(())
    }
}

/// The role of the key of a member in the paths.
struct Member<'n> {
    /// The key and its node, if it is part of a path.
    selected: Option<(String, &'n Node)>,
    /// The key whose new member would have this name.
    new_name_of: Option<String>,
    /// Whether it is the name of all new members.
    is_new_name: bool,
}

/// Looks up a key.
struct Name<'n, 'a> {
    node: &'n Node,
    append: Option<&'a ColumnName>,
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
        let selected = self.node.member(name).map(|node| (name.to_owned(), node));
        let (new_name_of, is_new_name) = match self.append {
            Some(ColumnName::Suffix(suffix)) => {
                let stem = name.strip_suffix(&**suffix);
                (stem.filter(|stem| self.node.member(stem).is_some()).map(str::to_owned), false)
            }
            Some(ColumnName::Name(new)) => (None, name == new),
            None => (None, false),
        };
        Ok(Member { selected, new_name_of, is_new_name })
    }
}

impl Format for JsonLines {
    fn scanner(&self) -> Box<dyn Scanner> {
        Box::new(Separated(b'\n'))
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        self.has_records.store(true, Ordering::Relaxed);
        let mut scanner = json_scan::Scanner::new(&self.root, self.destination.column());
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
        let is_matched = |number: &usize| {
            self.ends.iter().any(|(paths, is_matched)| paths.contains(number) && is_matched.load(Ordering::Relaxed))
        };
        let unmatched = (0..self.paths.len()).filter(|number| !is_matched(number));
        unmatched.map(|number| format!("no record has a string at key '{}'", self.paths[number])).collect()
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
