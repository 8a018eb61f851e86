//! Finds the selected strings of any line of JSON, with serde_json.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::found::{Escapes, Found};
use super::keys::{Node, Tree};
use crate::format::ColumnName;

/// Maximum nesting of traversed arrays, and of objects, the limit of serde_json: each level takes
/// stack, and another parse of its content.
const MAX_NESTING: usize = 128;

/// The selected strings of a line in order.
pub(super) fn parse<'l>(
    text: &'l str,
    tree: &Tree,
    append: Option<&ColumnName>,
) -> Result<Vec<Found<'l>>, serde_json::Error> {
    let mut found = Vec::new();
    let place = Place { tree, node: tree.root(), append, arrays: MAX_NESTING, objects: MAX_NESTING };
    collect(place, serde_json::from_str(text)?, None, &mut found)?;
    Ok(found)
}

/// Where a value is, and what to find in it.
#[derive(Clone, Copy)]
struct Place<'n> {
    tree: &'n Tree,
    node: &'n Node,
    /// With `--append`: the names of new members.
    append: Option<&'n ColumnName>,
    /// How many more arrays may be nested.
    arrays: usize,
    /// How many more objects may be nested.
    objects: usize,
}

impl Place<'_> {
    /// The place of what is in an array.
    fn in_array(self) -> Result<Self, serde_json::Error> {
        Ok(Self { arrays: one_less(self.arrays)?, ..self })
    }

    /// The place of what is in an object.
    fn in_object(self) -> Result<Self, serde_json::Error> {
        Ok(Self { objects: one_less(self.objects)?, ..self })
    }
}

fn one_less(levels: usize) -> Result<usize, serde_json::Error> {
    levels.checked_sub(1).ok_or_else(|| serde_json::Error::custom("nested too deep"))
}

/// Collects the selected strings of a value in order.
fn collect<'l>(
    place: Place<'_>,
    value: &'l RawValue,
    key: Option<String>,
    found: &mut Vec<Found<'l>>,
) -> Result<(), serde_json::Error> {
    match (value.get().as_bytes().first(), place.node.end) {
        (Some(b'"'), Some(end)) => {
            let string = value.get();
            let key = key.map(Cow::Owned);
            found.push(Found { string, key, end, key_exists: false, escapes: Escapes::of(string) });
        }
        (Some(b'{'), _) if place.node.has_members() => {
            let members = Members { place: place.in_object()?, found };
            serde_json::Deserializer::from_str(value.get()).deserialize_map(members)?;
        }
        (Some(b'['), _) => {
            let place = place.in_array()?;
            for element in serde_json::from_str::<Vec<&RawValue>>(value.get())? {
                collect(place, element, None, found)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Visits the members of an object.
struct Members<'n, 'f, 'l> {
    place: Place<'n>,
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
        while let Some(member) = map.next_key_seed(Name { place: self.place })? {
            existing.extend(member.new_name_of);
            do_all_exist |= member.is_new_name;
            match member.selected {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some((name, node)) => {
                    let value: &'l RawValue = map.next_value()?;
                    if self.place.append.is_some() && value.get().starts_with('"') && node.end.is_some() {
                        strings.push(self.found.len());
                    }
                    collect(Place { node, ..self.place }, value, Some(name), self.found).map_err(A::Error::custom)?;
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
struct Name<'n> {
    place: Place<'n>,
}

impl<'l, 'n> DeserializeSeed<'l> for Name<'n> {
    type Value = Member<'n>;

    fn deserialize<D: Deserializer<'l>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'n> Visitor<'_> for Name<'n> {
    type Value = Member<'n>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        let Place { tree, node, append, .. } = self.place;
        let selected = tree.member(node, name).map(|node| (name.to_owned(), node));
        let (new_name_of, is_new_name) = match append {
            Some(ColumnName::Suffix(suffix)) => {
                let stem = name.strip_suffix(&**suffix);
                (stem.filter(|stem| tree.member(node, stem).is_some()).map(str::to_owned), false)
            }
            Some(ColumnName::Name(new)) => (None, name == new),
            None => (None, false),
        };
        Ok(Member { selected, new_name_of, is_new_name })
    }
}
