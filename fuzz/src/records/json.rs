//! JSON Lines, as serde_json reads them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use simdpct::{ByteSet, Encoder, reference};

use super::{Filter, Operation, Place, To, count, is_faulty, pairs, records, same, split_end};

/// A value with all members of objects in order, and the text of scalars.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Json {
    Object(Vec<(String, Json)>),
    Array(Vec<Json>),
    Scalar(String),
}

struct Members<'j>(Vec<(String, &'j RawValue)>);

impl<'j> Deserialize<'j> for Members<'j> {
    fn deserialize<D: Deserializer<'j>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'j> Visitor<'j> for Collect {
            type Value = Members<'j>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'j>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

impl Json {
    /// `None` if it is not JSON, or has a key that is not text.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        Self::of(serde_json::from_slice(text).ok()?)
    }

    fn of(value: &RawValue) -> Option<Self> {
        let text = value.get();
        Some(match text.as_bytes()[0] {
            b'{' => {
                let Members(members) = serde_json::from_str(text).ok()?;
                let members = members.into_iter().map(|(key, value)| Some((key, Self::of(value)?)));
                Self::Object(members.collect::<Option<_>>()?)
            }
            b'[' => {
                let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                Self::Array(elements.into_iter().map(Self::of).collect::<Option<_>>()?)
            }
            _ => Self::Scalar(text.to_owned()),
        })
    }

    /// The text of a string; `None` for other values, and with a lone surrogate.
    pub(super) fn text(&self) -> Option<String> {
        let Self::Scalar(raw) = self else { return None };
        raw.starts_with('"').then(|| serde_json::from_str(raw).ok()).flatten()
    }

    fn is_string(&self) -> bool {
        matches!(self, Self::Scalar(raw) if raw.starts_with('"'))
    }
}

/// A string as JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("text")
}

/// The names between the dots of `--key`, in which '*' is any text and '?' any character.
pub type Path = [&'static str];

fn matches(pattern: &str, name: &str) -> bool {
    let mut rest = pattern.chars();
    let mut characters = name.chars();
    match rest.next() {
        None => name.is_empty(),
        Some('*') => (0..=name.len()).any(|at| name.get(at..).is_some_and(|name| matches(rest.as_str(), name))),
        Some('?') => characters.next().is_some() && matches(rest.as_str(), characters.as_str()),
        Some(other) => characters.next() == Some(other) && matches(rest.as_str(), characters.as_str()),
    }
}

/// For the paths that lead into a member: the rest of the path, and its number.
fn into_member<'p>(paths: &[(usize, &'p Path)], name: &str) -> Vec<(usize, &'p Path)> {
    let rest = |&(number, path): &(usize, &'p Path)| {
        let (first, rest) = path.split_first()?;
        matches(first, name).then_some((number, rest))
    };
    paths.iter().filter_map(rest).collect()
}

/// Calls `each` with every string at a path, and the numbers of its paths.
fn each_string(value: &Json, paths: &[(usize, &Path)], each: &mut impl FnMut(&Json, &[usize])) {
    match value {
        Json::Scalar(_) => {
            let ends: Vec<_> = paths.iter().filter(|(_, rest)| rest.is_empty()).map(|&(number, _)| number).collect();
            if !ends.is_empty() && value.is_string() {
                each(value, &ends);
            }
        }
        Json::Array(elements) => elements.iter().for_each(|element| each_string(element, paths, each)),
        Json::Object(members) => {
            members.iter().for_each(|(name, member)| each_string(member, &into_member(paths, name), each));
        }
    }
}

/// The results of an operation for the strings at the paths.
struct Rewrite<'r> {
    operation: Operation,
    to: To,
    paths: Vec<(usize, &'r Path)>,
}

impl Rewrite<'_> {
    /// The result for a string. A value that is not text is unchanged.
    fn result(&self, string: &Json) -> Json {
        let Some(text) = string.text() else { return string.clone() };
        let result = self.operation.apply(text.as_bytes(), Place::TEXT).expect("it is known");
        if self.operation.is_json() {
            return Json::parse(&result).expect("it is JSON");
        }
        let result = String::from_utf8(result).expect("it is text");
        if result == text { string.clone() } else { Json::Scalar(quoted(&result)) }
    }

    /// Adds the new member for a string at a path.
    fn append(&self, members: &[(String, Json)], name: &str, member: &Json, after: &mut Vec<(String, Json)>) {
        let new = match self.to {
            To::Named(new) => new.to_owned(),
            _ => name.to_owned() + &self.operation.suffix(),
        };
        let is_text = member.text().is_some();
        if is_text && members.iter().all(|(name, _)| *name != new) {
            after.push((new, self.new_value(member)));
        }
    }

    /// The result as a new value, which is written as serde_json writes it.
    fn new_value(&self, string: &Json) -> Json {
        match self.result(string) {
            Json::Scalar(raw) => Json::Scalar(serde_json::from_str::<String>(&raw).map_or(raw, |text| quoted(&text))),
            other => other,
        }
    }

    fn value(&self, value: &Json, paths: &[(usize, &Path)]) -> Json {
        let is_end = paths.iter().any(|(_, rest)| rest.is_empty());
        match value {
            Json::Scalar(_) if is_end && value.is_string() && self.to == To::Field => self.result(value),
            Json::Scalar(_) => value.clone(),
            Json::Array(elements) => Json::Array(elements.iter().map(|element| self.value(element, paths)).collect()),
            Json::Object(members) => {
                let mut after = Vec::new();
                for (name, member) in members {
                    let paths = into_member(paths, name);
                    after.push((name.clone(), self.value(member, &paths)));
                    let is_end = paths.iter().any(|(_, rest)| rest.is_empty());
                    if self.to != To::Field && is_end && member.is_string() {
                        self.append(members, name, member, &mut after);
                    }
                }
                Json::Object(after)
            }
        }
    }

    /// With `--print-field`: a cell for each path.
    fn cells(&self, value: &Json) -> Vec<u8> {
        const IN_CELLS: ByteSet = ByteSet::new(b"\t\n\r");
        let mut cells: Vec<Vec<Vec<u8>>> = vec![Vec::new(); self.paths.len()];
        each_string(value, &self.paths, &mut |string, ends| {
            let result = string.text().map_or_else(Vec::new, |text| {
                let result = self.operation.apply(text.as_bytes(), Place::safe(IN_CELLS)).expect("it is known");
                match text.contains(['\t', '\n', '\r']) {
                    true => reference::encode(&Encoder::new(IN_CELLS).keep_non_ascii(), &result).into_bytes(),
                    false => result,
                }
            });
            ends.iter().for_each(|&path| cells[path].push(result.clone()));
        });
        cells.into_iter().map(|results| results.join(&b' ')).collect::<Vec<_>>().join(&b'\t')
    }
}

/// serde_json reads 128 levels, and a result can have two more than its string.
const DEEPEST: usize = 120;

pub(super) fn check(input: &[u8], output: &[u8], paths: &[&Path], to: To, filter: Filter, operation: Operation) {
    if count(input, b'[') + count(input, b'{') > DEEPEST {
        return;
    }
    let rewrite = Rewrite { operation, to, paths: paths.iter().copied().enumerate().collect() };
    let Some(kept) = kept(input, &rewrite, filter) else { return };
    for (before, after) in pairs(&kept, output, b'\n') {
        let (text, end) = split_end(before, b'\n');
        let parsed = Json::parse(text);
        if to != To::Alone {
            let (is_json, was_json) = (is_json(after), is_json(before));
            assert_eq!(is_json, was_json, "{} became {}", before.escape_ascii(), after.escape_ascii());
        }
        let Some(value) = parsed.filter(|_| operation.is_known()) else { continue };
        if to == To::Alone {
            same(after, &[&rewrite.cells(&value), end].concat(), before);
        } else {
            let found = Json::parse(after).expect("it is JSON if it was");
            assert_eq!(found, rewrite.value(&value, &rewrite.paths), "{}", before.escape_ascii());
        }
    }
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(line).is_ok()
}

/// The records that the filter writes; `None` if that is unknown.
fn kept(input: &[u8], rewrite: &Rewrite<'_>, filter: Filter) -> Option<Vec<u8>> {
    let place = if rewrite.to == To::Alone { Place::safe(ByteSet::new(b"\t\n\r")) } else { Place::TEXT };
    let mut kept = Vec::new();
    for record in records(b'\n', input) {
        let text = split_end(record, b'\n').0;
        let mut fields = Vec::new();
        let mut is_invalid = false;
        match Json::parse(text) {
            Some(value) => each_string(&value, &rewrite.paths, &mut |string, _| match string.text() {
                Some(text) => {
                    is_invalid |= is_faulty(text.as_bytes());
                    fields.push(text.into_bytes());
                }
                None => is_invalid = true,
            }),
            // A key that is not text is invalid only if keys are compared.
            None if is_json(text) || serde_json::from_slice::<&RawValue>(text).is_ok() => {
                if filter != Filter::All {
                    return None;
                }
            }
            None => is_invalid = !text.trim_ascii().is_empty(),
        }
        if filter.writes(rewrite.operation, &fields, place, is_invalid)? {
            kept.extend_from_slice(record);
        }
    }
    Some(kept)
}
