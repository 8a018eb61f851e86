//! Finds the selected strings of any line of JSON, with serde_json.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::found::{Escapes, Found};
use super::keys::Node;
use crate::format::ColumnName;

/// Maximum nesting of traversed arrays, the limit of serde_json: each level takes stack, and
/// another parse of its content.
const DEEPEST: usize = 128;

/// The selected strings of a line in order.
pub(super) fn parse<'l>(
    text: &'l str,
    root: &Node,
    append: Option<&ColumnName>,
) -> Result<Vec<Found<'l>>, serde_json::Error> {
    let mut found = Vec::new();
    collect(root, serde_json::from_str(text)?, None, append, DEEPEST, &mut found)?;
    Ok(found)
}

/// Collects the selected strings of a value in order. At most `depth` more arrays may be nested.
fn collect<'l>(
    node: &Node,
    value: &'l RawValue,
    key: Option<String>,
    append: Option<&ColumnName>,
    depth: usize,
    found: &mut Vec<Found<'l>>,
) -> Result<(), serde_json::Error> {
    match (value.get().as_bytes().first(), node.end) {
        (Some(b'"'), Some(end)) => {
            let string = value.get();
            let key = key.map(Cow::Owned);
            found.push(Found { string, key, end, key_exists: false, escapes: Escapes::of(string) });
        }
        (Some(b'{'), _) if !node.members.is_empty() => {
            let members = Members { node, append, depth, found };
            serde_json::Deserializer::from_str(value.get()).deserialize_map(members)?;
        }
        (Some(b'['), _) => {
            let depth = depth.checked_sub(1).ok_or_else(|| serde_json::Error::custom("arrays nested too deep"))?;
            for element in serde_json::from_str::<Vec<&RawValue>>(value.get())? {
                collect(node, element, None, append, depth, found)?;
            }
        }
        _ => {}
    }
    Ok(())
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
                    collect(node, value, Some(name), self.append, self.depth, self.found).map_err(A::Error::custom)?;
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
