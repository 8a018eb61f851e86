//! Pairs as JSON: an object, or an array of pairs.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{MAX_COMPARED_NAMES, Pair, write_separated};
use crate::codec::write_string;
use crate::operation::{Fault, FaultKind};

/// Appends an object, its names in the order of their first occurrence.
pub(super) fn write_object(pairs: &[Pair<'_>], output: &mut Vec<u8>) {
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

/// Returns true only if the names are distinct. Always false for more than [`MAX_COMPARED_NAMES`]
/// pairs.
fn are_distinct(pairs: &[Pair<'_>]) -> bool {
    pairs.len() <= MAX_COMPARED_NAMES
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

/// Appends an array of all pairs in order.
pub(super) fn write_pairs(pairs: &[Pair<'_>], output: &mut Vec<u8>) {
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

/// Reads an object or an array.
pub(super) fn read(text: &str) -> Result<Vec<(String, String)>, Fault> {
    // The position of an error is a column, counted from 1 in bytes.
    let fault = |error: serde_json::Error| {
        let position = error.column().saturating_sub(1).min(text.len());
        Fault::new(FaultKind::Format("not a form as JSON"), position)
    };
    serde_json::from_str(text).map(|Pairs(pairs)| pairs).map_err(fault)
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
