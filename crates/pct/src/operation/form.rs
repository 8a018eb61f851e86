//! `pct form`: converts form data (WHATWG URL 5), also that of URLs, to and from JSON or TSV.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use clap::ValueEnum;
use memchr::{memchr, memchr2};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use simdpct::uri::Part;
use simdpct::{ByteSet, Findings, form, inspect, sets};

use super::{Fault, FaultKind, Operation, Reading, Stream};
use crate::codec::{ErrorKinds, write_string};

/// Format of the decoded pairs of a form. The comments of the variants are help texts.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Shape {
    /// {"q":"fish & chips","tag":["a","b"]}: an object, with an array for a repeated name
    Json,
    /// [["q","fish & chips"],["tag","a"],["tag","b"]]: all pairs in order
    Pairs,
    /// A cell q=fish & chips for each pair; with --names, only the values of these names
    Tsv,
}

/// Converts form data to a shape.
pub(crate) struct FromForm {
    pub(crate) shape: Shape,
    /// How URLs are read.
    pub(crate) reading: Reading,
    /// Names for the columns of TSV; empty for all pairs.
    pub(crate) names: Vec<String>,
}

/// Converts a shape to form data.
pub(crate) struct ToForm {
    pub(crate) shape: Shape,
    pub(crate) names: Vec<String>,
}

type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

impl Operation for FromForm {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        match simdutf8::basic::from_utf8(field) {
            Ok(text) => self.apply_text(text, output),
            Err(_) => {
                let range = form_range(field, self.reading);
                let form = &field[range.clone()];
                self.apply_to_pairs(range.start, form, form::parse(form), output)
            }
        }
    }

    /// The parts of text need not be validated one by one.
    fn apply_text(&self, field: &str, output: &mut Vec<u8>) -> Option<Fault> {
        let range = form_range(field.as_bytes(), self.reading);
        // The form is between ASCII characters.
        let form = &field[range.clone()];
        if self.shape == Shape::Json && write_plain_object(form.as_bytes(), output) {
            return None;
        }
        self.apply_to_pairs(range.start, form.as_bytes(), form::parse(form), output)
    }

    fn is_json(&self) -> bool {
        self.shape != Shape::Tsv
    }

    /// Whether there is a pair.
    fn matches(&self, field: &[u8], _: Option<&Fault>) -> bool {
        form::split(&field[form_range(field, self.reading)]).next().is_some()
    }

    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

/// From about this number of names on, hashing them is faster than comparing them.
const MANY: usize = 16;

/// Appends the object of a form in which nothing is encoded, nothing must be escaped in JSON, and no
/// name is repeated. False, with nothing done, for other forms, and for those of many pairs.
///
/// `pct form` of `typical_urls.txt`: 2.0 -> 1.4 s/GB (Zen 5, `scripts/bench-cli`).
fn write_plain_object(form: &[u8], output: &mut Vec<u8>) -> bool {
    const NOT_PLAIN: ByteSet = ByteSet::range(0, 0x1F).union(ByteSet::new(b"%+\"\\"));
    if NOT_PLAIN.find(form).is_some() {
        return false;
    }
    let before = output.len();
    let (mut names, mut count) = ([&b""[..]; MANY], 0);
    output.push(b'{');
    let mut rest = Some(form);
    while let Some(pairs) = rest {
        let name_end = memchr2(b'=', b'&', pairs).unwrap_or(pairs.len());
        let (name, value) = pairs.split_at(name_end);
        let end = if value.starts_with(b"=") { memchr(b'&', value).unwrap_or(value.len()) } else { 0 };
        rest = value.get(end + 1..);
        if name_end + end == 0 {
            // Nothing is between two '&'.
            continue;
        }
        if count == MANY || names[..count].contains(&name) {
            output.truncate(before);
            return false;
        }
        names[count] = name;
        count += 1;
        let separator: &[u8] = if count > 1 { b",\"" } else { b"\"" };
        for part in [separator, name, b"\":\"", value[..end].get(1..).unwrap_or_default(), b"\""] {
            output.extend_from_slice(part);
        }
    }
    output.push(b'}');
    true
}

/// Where the form is: in a URL with an authority, or in what begins with a slash, the query; else all of the field, without
/// the '?' with which a query is often extracted.
fn form_range(field: &[u8], reading: Reading) -> Range<usize> {
    match field.first() {
        Some(b'?') => return 1..field.len(),
        Some(b'/') => {}
        Some(first) if first.is_ascii_alphabetic() && has_authority(field) => {}
        _ => return 0..field.len(),
    }
    // Many URLs have no query.
    if memchr(b'?', field).is_none() {
        return field.len()..field.len();
    }
    match reading.part(field, Part::Query) {
        Some(query) => {
            let start = query.as_ptr().addr() - field.as_ptr().addr();
            start..start + query.len()
        }
        None => field.len()..field.len(),
    }
}

/// Whether `://` follows the first bytes of a scheme (RFC 3986 3.1).
fn has_authority(field: &[u8]) -> bool {
    const SCHEME: ByteSet = sets::ALPHA.union(sets::DIGIT).union(ByteSet::new(b"+-."));
    let end = field.iter().position(|&byte| !SCHEME.contains(byte));
    end.is_some_and(|end| field[end..].starts_with(b"://"))
}

impl FromForm {
    /// Appends the result for a form, which starts at `start` in its field.
    #[inline]
    fn apply_to_pairs(&self, start: usize, form: &[u8], pairs: form::Parse<'_>, output: &mut Vec<u8>) -> Option<Fault> {
        match pairs.collect::<Result<Vec<_>, _>>() {
            Ok(pairs) => {
                self.write(&pairs, output);
                None
            }
            Err(error) => {
                let kinds = inspect(form).kinds();
                let kinds = ErrorKinds {
                    malformed: kinds.contains(Findings::MALFORMED),
                    ill_formed: kinds.contains(Findings::INVALID_UTF8),
                    rejected: false,
                };
                let pairs: Vec<_> = form::parse_lossy(form).collect();
                self.write(&pairs, output);
                Some(Fault::of_errors(error.kind, start + error.position, kinds))
            }
        }
    }

    fn write(&self, pairs: &[Pair<'_>], output: &mut Vec<u8>) {
        match self.shape {
            Shape::Json => write_object(pairs, output),
            Shape::Pairs => {
                output.push(b'[');
                write_separated(pairs, b',', output, |(name, value), output| {
                    output.push(b'[');
                    write_string(name, output);
                    output.push(b',');
                    write_string(value, output);
                    output.push(b']');
                });
                output.push(b']');
            }
            Shape::Tsv if self.names.is_empty() => write_separated(pairs, b'\t', output, |(name, value), output| {
                write_cell(name, &ESCAPED_IN_NAMES, output);
                output.push(b'=');
                write_cell(value, &ESCAPED_IN_VALUES, output);
            }),
            Shape::Tsv => write_separated(&self.named(pairs), b'\t', output, |value, output| match value {
                Some(value) => write_cell(value, &ESCAPED_IN_VALUES, output),
                None => output.extend_from_slice(ABSENT.as_bytes()),
            }),
        }
    }

    /// The value for each name; a repeated name selects the next value.
    fn named<'p>(&self, pairs: &'p [Pair<'_>]) -> Vec<Option<&'p str>> {
        let nth = |at: usize, name: &String| {
            let before = self.names[..at].iter().filter(|other| *other == name).count();
            pairs.iter().filter(|pair| pair.0 == *name).nth(before).map(|(_, value)| &**value)
        };
        self.names.iter().enumerate().map(|(at, name)| nth(at, name)).collect()
    }
}

impl Operation for ToForm {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        if field.is_empty() {
            return None;
        }
        let pairs = match str::from_utf8(field) {
            Ok(text) => self.pairs(text),
            Err(error) => Err(Fault::new(FaultKind::NotUtf8, error.valid_up_to())),
        };
        match pairs {
            Ok(pairs) => {
                output.extend_from_slice(form::serialize(pairs).as_bytes());
                None
            }
            Err(fault) => {
                output.extend_from_slice(field);
                Some(fault)
            }
        }
    }

    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

impl ToForm {
    fn pairs(&self, text: &str) -> Result<Vec<(String, String)>, Fault> {
        if self.shape == Shape::Tsv {
            return self.cells(text);
        }
        // The position of an error is a column, counted from 1 in bytes.
        let fault = |error: serde_json::Error| {
            let position = error.column().saturating_sub(1).min(text.len());
            Fault::new(FaultKind::Format("not a form as JSON"), position)
        };
        serde_json::from_str(text).map(|Pairs(pairs)| pairs).map_err(fault)
    }

    fn cells(&self, text: &str) -> Result<Vec<(String, String)>, Fault> {
        let mut position = 0;
        let mut pairs = Vec::new();
        for (at, cell) in text.split('\t').enumerate() {
            let pair = if self.names.is_empty() {
                let end = end_of_name(cell);
                let (name, value) = (&cell[..end], cell.get(end + 1..).unwrap_or_default());
                Some((unescaped(name), unescaped(value)))
            } else {
                let Some(name) = self.names.get(at) else {
                    return Err(Fault::new(FaultKind::TooManyFields, position));
                };
                (cell != ABSENT).then(|| (name.clone(), unescaped(cell)))
            };
            pairs.extend(pair);
            position += cell.len() + 1;
        }
        Ok(pairs)
    }
}

/// The TSV cell of an absent name, as in databases.
const ABSENT: &str = "\\N";

/// Position of the first unescaped '='.
fn end_of_name(cell: &str) -> usize {
    let mut is_escaped = false;
    let end = cell.bytes().position(|byte| {
        let is_end = byte == b'=' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.unwrap_or(cell.len())
}

fn unescaped(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    let mut characters = cell.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('0') => '\0',
                Some(other) => other,
                None => '\\',
            },
            _ => character,
        });
    }
    text
}

/// Bytes that are escaped in TSV. NUL would end a record with -0.
const ESCAPED_IN_VALUES: ByteSet = ByteSet::new(b"\t\n\r\0\\");
const ESCAPED_IN_NAMES: ByteSet = ESCAPED_IN_VALUES.with(b'=');

fn write_cell(text: &str, escaped: &ByteSet, output: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    while let Some(at) = escaped.find(rest) {
        output.extend_from_slice(&rest[..at]);
        output.push(b'\\');
        output.push(match rest[at] {
            b'\t' => b't',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\0' => b'0',
            other => other,
        });
        rest = &rest[at + 1..];
    }
    output.extend_from_slice(rest);
}

/// Writes an object, its names in the order of their first occurrence.
fn write_object(pairs: &[Pair<'_>], output: &mut Vec<u8>) {
    output.push(b'{');
    if are_distinct(pairs) {
        write_separated(pairs, b',', output, |(name, value), output| {
            write_string(name, output);
            output.push(b':');
            write_string(value, output);
        });
    } else {
        write_separated(&grouped(pairs), b',', output, |(name, values), output| {
            write_string(name, output);
            output.push(b':');
            match values[..] {
                [value] => write_string(value, output),
                _ => {
                    output.push(b'[');
                    write_separated(values, b',', output, |value, output| write_string(value, output));
                    output.push(b']');
                }
            }
        });
    }
    output.push(b'}');
}

/// Whether the names are surely distinct; may be false for many distinct names.
fn are_distinct(pairs: &[Pair<'_>]) -> bool {
    pairs.len() <= MANY
        && pairs.iter().enumerate().all(|(at, (name, _))| pairs[..at].iter().all(|(other, _)| other != name))
}

/// The values of each name, in the order of the first occurrences of the names.
fn grouped<'p>(pairs: &'p [Pair<'_>]) -> Vec<(&'p str, Vec<&'p str>)> {
    let mut members: Vec<(&str, Vec<&str>)> = Vec::with_capacity(pairs.len());
    let mut places = HashMap::with_capacity(pairs.len());
    for (name, value) in pairs {
        let place = *places.entry(&**name).or_insert(members.len());
        match members.get_mut(place) {
            Some((_, values)) => values.push(value),
            None => members.push((name, vec![value])),
        }
    }
    members
}

fn write_separated<T>(items: &[T], separator: u8, output: &mut Vec<u8>, write: impl Fn(&T, &mut Vec<u8>)) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            output.push(separator);
        }
        write(item, output);
    }
}

/// Pairs from a JSON object or array, in order.
struct Pairs(Vec<(String, String)>);

impl Pairs {
    /// Adds a member of an object. An array adds a pair for each of its elements.
    fn add(&mut self, name: &str, value: &RawValue) -> Result<(), serde_json::Error> {
        if !value.get().starts_with('[') {
            return self.add_scalar(name, value);
        }
        serde_json::from_str::<Vec<&RawValue>>(value.get())?
            .into_iter()
            .try_for_each(|element| self.add_scalar(name, element))
    }

    fn add_scalar(&mut self, name: &str, value: &RawValue) -> Result<(), serde_json::Error> {
        let text = value.get();
        let text = match text.as_bytes().first() {
            // `null` is the absence of a value.
            Some(b'n') => return Ok(()),
            Some(b'"') => serde_json::from_str(text)?,
            Some(b'{' | b'[') => {
                return Err(serde_json::Error::custom("expected a string, number, true, false or null"));
            }
            // `true`, `false` and numbers keep their text: no numeric type can represent all
            // numbers.
            _ => text.to_owned(),
        };
        self.0.push((name.to_owned(), text));
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of strings or an array of pairs")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Pairs, A::Error> {
        let mut pairs = Pairs(Vec::new());
        while let Some((name, value)) = members.next_entry::<String, &RawValue>()? {
            pairs.add(&name, value).map_err(A::Error::custom)?;
        }
        Ok(pairs)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Pairs, A::Error> {
        let mut pairs = Pairs(Vec::new());
        while let Some((name, value)) = items.next_element::<(String, &RawValue)>()? {
            pairs.add_scalar(&name, value).map_err(A::Error::custom)?;
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;
    use simdpct::form;

    use super::{FromForm, Operation, Reading, Shape, ToForm};

    fn through(operation: &dyn Operation, text: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        assert_eq!(operation.apply(text, &mut output), None);
        output
    }

    fn from_form(shape: Shape) -> FromForm {
        FromForm { shape, reading: Reading::Reference, names: Vec::new() }
    }

    fn encoded(pairs: &[(String, String)]) -> String {
        form::serialize(pairs)
    }

    /// All forms of up to 7 bytes that mean something in a form, and long ones.
    #[test]
    fn plain_objects_are_written_as_parsed_ones() {
        let mut plain = 0;
        let mut check = |form: &str| {
            let pairs: Vec<_> = form::parse_lossy(form).collect();
            let (mut expected, mut found) = (Vec::new(), b"before".to_vec());
            super::write_object(&pairs, &mut expected);
            if super::write_plain_object(form.as_bytes(), &mut found) {
                plain += 1;
                assert_eq!(&found[6..], expected, "{form}");
            } else {
                assert_eq!(found, b"before");
            }
        };
        let symbols = *b"ab=&+";
        for length in 0..=7 {
            for number in 0..symbols.len().pow(length) {
                let digits = (0..length).map(|at| symbols[number / symbols.len().pow(at) % symbols.len()]);
                check(&digits.map(char::from).collect::<String>());
            }
        }
        for form in ["http://h/p?q=1#f", "é=", "a;b", "a=%41", "a=\"", "\\", "\u{1}", "\u{7F}"] {
            check(form);
        }
        for count in 10..20 {
            check(&(0..count).map(|number| format!("&n{number}=v")).collect::<String>());
        }
        assert!(plain > 10_000, "{plain}");
    }

    proptest! {
        /// Round trip through each lossless shape.
        #[test]
        fn forms_round_trip(pairs: Vec<(String, String)>) {
            let expected = encoded(&pairs);
            for shape in [Shape::Pairs, Shape::Tsv] {
                let text = through(&from_form(shape), expected.as_bytes());
                prop_assert!(!text.iter().any(|byte| b"\0\n\r".contains(byte)));
                let again = through(&ToForm { shape, names: Vec::new() }, &text);
                prop_assert_eq!(String::from_utf8(again).unwrap(), &expected[..]);
            }
        }

        /// An object may change the order of pairs, but only once.
        #[test]
        fn objects_keep_all_pairs(mut pairs in proptest::collection::vec(("[ab=]{1,2}", any::<String>()), 0..6)) {
            let to_object = from_form(Shape::Json);
            let from_object = ToForm { shape: Shape::Json, names: Vec::new() };
            let object = through(&to_object, encoded(&pairs).as_bytes());
            let again = through(&from_object, &object);
            prop_assert_eq!(through(&to_object, &again), object);
            let owned = |(name, value): (Cow<'_, str>, Cow<'_, str>)| (name.into_owned(), value.into_owned());
            let mut found: Vec<_> = form::parse_lossy(&again).map(owned).collect();
            found.sort();
            pairs.sort();
            prop_assert_eq!(found, pairs);
        }
    }
}
