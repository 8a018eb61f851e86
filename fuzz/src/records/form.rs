//! Forms, by the crates form_urlencoded and serde_json.

use std::borrow::Cow;

use simdpct::{reference, uri};

use super::json::{Json, quoted};
use super::url;

/// Format of the pairs of a form.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Shape {
    Json,
    Pairs,
    Tsv,
    /// TSV with only the values of these names.
    Values(&'static [&'static str]),
}

type Pairs<'f> = Vec<(Cow<'f, str>, Cow<'f, str>)>;

/// The form in a field: the query of a URL, otherwise the whole field.
fn form_of(field: &[u8], is_target: bool) -> &[u8] {
    let is_of_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let scheme = field.iter().take_while(|byte| is_of_scheme(byte)).count();
    let is_url = field.first().is_some_and(u8::is_ascii_alphabetic) && field[scheme..].starts_with(b"://");
    match field {
        [b'?', form @ ..] => form,
        [b'/', ..] if is_target => url::of_target(field, uri::Part::Query).unwrap_or_default(),
        _ if is_target && is_url => url::of_target(field, uri::Part::Query).unwrap_or_default(),
        [b'/', ..] => reference::uri_part(field, uri::Part::Query).unwrap_or_default(),
        _ if is_url => reference::uri_part(field, uri::Part::Query).unwrap_or_default(),
        _ => field,
    }
}

pub(super) fn has_pair(field: &[u8], is_target: bool) -> bool {
    !url::pairs(form_of(field, is_target)).is_empty()
}

pub(super) fn from_form(field: &[u8], shape: Shape, is_target: bool) -> Vec<u8> {
    let pairs: Pairs<'_> = form_urlencoded::parse(form_of(field, is_target)).collect();
    let text = match shape {
        Shape::Json => {
            let mut names: Vec<&str> = Vec::new();
            for (name, _) in &pairs {
                if !names.contains(&&**name) {
                    names.push(name);
                }
            }
            let member = |name: &&str| format!("{}:{}", quoted(name), values(&pairs, name));
            format!("{{{}}}", names.iter().map(member).collect::<Vec<_>>().join(","))
        }
        Shape::Pairs => {
            let pair = |(name, value): &(Cow<'_, str>, Cow<'_, str>)| format!("[{},{}]", quoted(name), quoted(value));
            format!("[{}]", pairs.iter().map(pair).collect::<Vec<_>>().join(","))
        }
        Shape::Tsv => {
            let cell = |(name, value): &(Cow<'_, str>, Cow<'_, str>)| {
                format!("{}={}", cell(name).replace('=', "\\="), cell(value))
            };
            pairs.iter().map(cell).collect::<Vec<_>>().join("\t")
        }
        Shape::Values(names) => {
            let value = |(at, name): (usize, &&str)| {
                let before = names[..at].iter().filter(|other| *other == name).count();
                let value = pairs.iter().filter(|pair| pair.0 == **name).nth(before);
                value.map_or_else(|| "\\N".to_owned(), |(_, value)| cell(value))
            };
            names.iter().enumerate().map(value).collect::<Vec<_>>().join("\t")
        }
    };
    text.into_bytes()
}

/// The value of a name as JSON, or the array of its values.
fn values(pairs: &Pairs<'_>, name: &str) -> String {
    let values: Vec<_> = pairs.iter().filter(|pair| pair.0 == name).map(|(_, value)| quoted(value)).collect();
    if values.len() == 1 { values.concat() } else { format!("[{}]", values.join(",")) }
}

fn cell(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\t', "\\t");
    text.replace('\n', "\\n").replace('\r', "\\r").replace('\0', "\\0")
}

/// The form of these pairs; `None` if they are not in this format.
pub(super) fn to_form(field: &[u8], shape: Shape) -> Option<Vec<u8>> {
    if field.is_empty() {
        return Some(Vec::new());
    }
    let json = Json::parse(field)?;
    let pairs = match (shape, json) {
        (Shape::Json | Shape::Pairs, Json::Object(members)) => of_members(&members),
        (Shape::Json | Shape::Pairs, Json::Array(elements)) => of_elements(&elements),
        (Shape::Json | Shape::Pairs, Json::Scalar(_)) => None,
        (Shape::Tsv | Shape::Values(_), _) => unreachable!("no command of the table"),
    }?;
    Some(form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish().into_bytes())
}

fn of_members(members: &[(String, Json)]) -> Option<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    for (name, value) in members {
        let values = if let Json::Array(values) = value { values } else { std::slice::from_ref(value) };
        for value in values {
            pairs.extend(scalar(value)?.map(|text| (name.clone(), text)));
        }
    }
    Some(pairs)
}

fn of_elements(elements: &[Json]) -> Option<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    for element in elements {
        let Json::Array(pair) = element else { return None };
        let [name @ Json::Scalar(_), value] = &pair[..] else { return None };
        let name = name.text()?;
        pairs.extend(scalar(value)?.map(|text| (name, text)));
    }
    Some(pairs)
}

/// The text of a value; `Some(None)` for `null`, `None` for an object, an array or a lone
/// surrogate.
fn scalar(value: &Json) -> Option<Option<String>> {
    match value {
        Json::Scalar(raw) if raw == "null" => Some(None),
        Json::Scalar(raw) if raw.starts_with('"') => value.text().map(Some),
        Json::Scalar(raw) => Some(Some(raw.clone())),
        _ => None,
    }
}
