//! `--jsonl`: a JSON value in each line; strings under the keys that are meant are fields. Parsing and escaping is serde_json's work.
//!
//! Whatever is not such a string stays byte for byte, and so does a string that the operation does not change.
#![forbid(unsafe_code)]

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

use memchr::memchr;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::Unit;
use crate::operation::{Fault, FaultKind, Operation, split_ending};
use crate::pipeline::Job;
use crate::source::{Scanner, Separated};

/// The names on the way to a string: `req.q`, with `\.` for a dot that is part of a name. Arrays on the way are walked through.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Path(Vec<String>);

impl FromStr for Path {
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
                '\\' => characters.next().ok_or("a '\\' stands before nothing")?,
                other => other,
            };
            names.last_mut().ok_or("")?.push(character);
        }
        if names.iter().any(String::is_empty) { Err("a name is empty".into()) } else { Ok(Self(names)) }
    }
}

/// Arrays that are walked through may be nested so deep, as for serde_json: each costs some of the stack, and another look at all
/// that it holds.
const DEEPEST: usize = 128;

pub(crate) struct JsonLines {
    paths: Node,
    operation: Box<dyn Operation>,
    /// What the keys of new members end with, if there are any.
    append: Option<&'static str>,
}

/// What is meant of a value.
#[derive(Debug, Default)]
struct Node {
    /// The string that it is, or those that it holds as an array.
    is_meant: bool,
    /// What is meant of its members.
    members: Vec<(String, Node)>,
}

/// A string as it stands in the line, with its quotes, and the key whose value it is, if it is one.
struct Found<'l> {
    string: &'l str,
    key: Option<String>,
}

impl JsonLines {
    pub(crate) fn new(paths: &[Path], operation: Box<dyn Operation>, append: Option<&'static str>) -> Self {
        let mut root = Node::default();
        for Path(names) in paths {
            names.iter().fold(&mut root, |node, name| node.member(name)).is_meant = true;
        }
        Self { paths: root, operation, append }
    }

    /// Appends what becomes of one line without its end.
    fn line(&self, line: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let mut pass_on = |kind, position| {
            output.extend_from_slice(line);
            Some(Fault { kind, position })
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
        let mut found = Vec::new();
        let parsed = serde_json::from_str(text).and_then(|value| self.paths.collect(value, None, DEEPEST, &mut found));
        if let Err(error) = parsed {
            return pass_on(FaultKind::Format("a line of JSON"), error.column().saturating_sub(1).min(line.len()));
        }
        let mut done = 0;
        let mut fault = None;
        for Found { string, key } in found {
            let start = string.as_ptr().addr() - text.as_ptr().addr();
            let end = start + string.len();
            output.extend_from_slice(&line[done..start]);
            done = end;
            let found = self.string(string, key, output);
            // Behind an escape, the place of a byte in the string is not that in the line.
            let is_plain = !string.contains('\\');
            let position = |at: usize| start + 1 + if is_plain { at } else { 0 };
            fault = Fault::first(fault, found.map(|found| Fault { position: position(found.position), ..found }));
        }
        output.extend_from_slice(&line[done..]);
        fault
    }

    /// Appends what becomes of one string, or the string and a new member.
    fn string(&self, raw: &str, key: Option<String>, output: &mut Vec<u8>) -> Option<Fault> {
        let unescaped: String = match serde_json::from_str(raw) {
            Ok(unescaped) => unescaped,
            // Half of a surrogate pair: it is valid JSON, but no text.
            Err(_) => {
                output.extend_from_slice(raw.as_bytes());
                return Some(Fault { kind: FaultKind::NotUtf8, position: 0 });
            }
        };
        let mut result = Vec::with_capacity(unescaped.len());
        let fault = self.operation.apply(unescaped.as_bytes(), &mut result);
        let text = String::from_utf8(result).unwrap_or_else(|error| escape_ill_formed(error.as_bytes()));
        match (self.append, key) {
            (None, _) if text == unescaped => output.extend_from_slice(raw.as_bytes()),
            (None, _) => write_string(&text, output),
            (Some(suffix), key) => {
                output.extend_from_slice(raw.as_bytes());
                // An element of an array has no name for what would stand beside it.
                if let Some(key) = key {
                    output.push(b',');
                    write_string(&(key + suffix), output);
                    output.push(b':');
                    write_string(&text, output);
                }
            }
        }
        fault
    }
}

/// No string of JSON has bytes that are not UTF-8: they stay the triplets that they were.
fn escape_ill_formed(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        simdpct::Encoder::COMPONENT.encode_to(chunk.invalid(), &mut text);
    }
    text
}

fn write_string(text: &str, output: &mut Vec<u8>) {
    // Text is always a string of JSON, and memory always takes it.
    let _ = serde_json::to_writer(output, text);
}

impl Node {
    fn member(&mut self, name: &str) -> &mut Self {
        let at = self.members.iter().position(|(member, _)| member == name).unwrap_or_else(|| {
            self.members.push((name.to_owned(), Self::default()));
            self.members.len() - 1
        });
        &mut self.members[at].1
    }

    /// Adds the strings that are meant, in the order in which they stand. There may be so many more arrays in each other.
    fn collect<'l>(
        &self,
        value: &'l RawValue,
        key: Option<&str>,
        depth: usize,
        found: &mut Vec<Found<'l>>,
    ) -> Result<(), serde_json::Error> {
        match value.get().as_bytes().first() {
            Some(b'"') if self.is_meant => found.push(Found { string: value.get(), key: key.map(str::to_owned) }),
            Some(b'{') if !self.members.is_empty() => {
                serde_json::Deserializer::from_str(value.get()).deserialize_map(Members {
                    node: self,
                    depth,
                    found,
                })?;
            }
            Some(b'[') => {
                let depth = depth.checked_sub(1).ok_or_else(|| serde_json::Error::custom("arrays nested too deep"))?;
                for element in serde_json::from_str::<Vec<&RawValue>>(value.get())? {
                    self.collect(element, None, depth, found)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Goes through the members of an object.
struct Members<'n, 'f, 'l> {
    node: &'n Node,
    depth: usize,
    found: &'f mut Vec<Found<'l>>,
}

impl<'l> Visitor<'l> for Members<'_, '_, 'l> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(member) = map.next_key_seed(Name { node: self.node })? {
            match member {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some((name, node)) => {
                    let value: &'l RawValue = map.next_value()?;
                    node.collect(value, Some(name), self.depth, self.found).map_err(A::Error::custom)?;
                }
            }
        }
        Ok(())
    }
}

/// Finds what is meant of the member of this name.
struct Name<'n> {
    node: &'n Node,
}

impl<'l, 'n> DeserializeSeed<'l> for Name<'n> {
    type Value = Option<&'n (String, Node)>;

    fn deserialize<D: Deserializer<'l>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'n> Visitor<'_> for Name<'n> {
    type Value = Option<&'n (String, Node)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.node.members.iter().find(|(member, _)| member == name))
    }
}

impl Unit for JsonLines {
    fn scanner(&self) -> Box<dyn Scanner> {
        Box::new(Separated(b'\n'))
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        let _ = each_line(records, |line, start| {
            let (text, ending) = split_ending(line, b'\n');
            job.record(line, start, |output, _| {
                let fault = self.line(text, output);
                output.extend_from_slice(ending);
                fault
            })
        });
    }
}

/// Hands out every line with its end, and where it starts.
fn each_line(records: &[u8], mut each: impl FnMut(&[u8], usize) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut start = 0;
    while start < records.len() {
        let end = memchr(b'\n', &records[start..]).map_or(records.len(), |at| start + at + 1);
        each(&records[start..end], start)?;
        start = end;
    }
    ControlFlow::Continue(())
}
