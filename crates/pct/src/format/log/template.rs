//! Lines by a template in the syntax of nginx's `log_format`: text, and variables such as
//! `$request`.
#![forbid(unsafe_code)]

use memchr::memchr;
use memchr::memmem::Finder;
use simdpct::ByteSet;

use super::chosen::Chosen;
use super::{Field, Layout, closing_quote, target};

/// The variable of which the target is processed: `method target protocol`.
const REQUEST: &str = "request";

/// A parsed template.
pub(super) struct Template {
    /// The text before the first part.
    start: Vec<u8>,
    /// The parts up to the last selected one.
    parts: Vec<Part>,
    width: usize,
    /// Whether several spaces in a line are one.
    merges_spaces: bool,
}

/// A variable, and the text after it.
struct Part {
    name: String,
    after: Text,
    /// Whether there are quotes around the variable.
    is_quoted: bool,
    is_selected: bool,
}

/// Text that ends a variable.
enum Text {
    /// The end of the line.
    End,
    Byte(u8),
    Bytes(Box<Finder<'static>>),
}

impl Text {
    fn of(text: &str) -> Self {
        match text.as_bytes() {
            [] => Self::End,
            &[byte] => Self::Byte(byte),
            bytes => Self::Bytes(Box::new(Finder::new(bytes).into_owned())),
        }
    }

    fn find(&self, rest: &[u8]) -> Option<usize> {
        match self {
            Self::End => Some(rest.len()),
            Self::Byte(byte) => memchr(*byte, rest),
            Self::Bytes(finder) => finder.find(rest),
        }
    }

    fn as_bytes(&self) -> &[u8] {
        match self {
            Self::End => b"",
            Self::Byte(byte) => std::slice::from_ref(byte),
            Self::Bytes(finder) => finder.needle(),
        }
    }
}

/// Each variable, and the text after it.
type Variables<'t> = Vec<(&'t str, &'t str)>;

/// Splits a template into the text before the first variable, and each variable with the text after
/// it. A variable is `$name` or `${name}`.
pub(super) fn parse(template: &str) -> Result<(&str, Variables<'_>), String> {
    let mut pieces = template.split('$');
    let start = pieces.next().unwrap_or_default();
    let mut variables = Vec::new();
    for piece in pieces {
        let (name, after) = match piece.strip_prefix('{').and_then(|braced| braced.split_once('}')) {
            Some(split) => split,
            None => {
                let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
                piece.split_at(piece.find(|character| !is_name(character)).unwrap_or(piece.len()))
            }
        };
        if name.is_empty() {
            return Err("expected a name after '$'".into());
        }
        variables.push((name, after));
    }
    Ok((start, variables))
}

impl Template {
    pub(super) fn new(template: &str, chosen: &Chosen) -> Result<Self, String> {
        let (start, variables) = parse(template)?;
        let names: Vec<_> = variables.iter().map(|&(name, _)| name).collect();
        chosen.check(&names)?;
        let mut parts: Vec<Part> = Vec::new();
        let mut before = start;
        for (at, &(name, after)) in variables.iter().enumerate() {
            let is_selected = chosen.contains(name);
            let is_quoted = before.ends_with('"') && after.starts_with('"');
            let next = variables.get(at + 1).map(|&(next, _)| next);
            before = after;
            if let Some(next) = next.filter(|_| after.is_empty()) {
                if is_selected || chosen.contains(next) {
                    return Err(format!("invalid template: expected text between '${name}' and '${next}'"));
                }
                // One field, of which neither part is selected.
                continue;
            }
            let part = |name: &str, after, is_selected| Part {
                name: name.to_owned(),
                after: Text::of(after),
                is_quoted,
                is_selected,
            };
            if name == REQUEST && !is_quoted {
                parts.extend([
                    part("request_method", " ", false),
                    part(name, " ", is_selected),
                    part("server_protocol", after, false),
                ]);
            } else {
                parts.push(part(name, after, is_selected));
            }
        }
        let width = parts.iter().filter(|part| part.is_selected).count();
        let last = parts.iter().rposition(|part| part.is_selected);
        parts.truncate(last.map_or(0, |last| last + 1));
        Ok(Self { start: start.as_bytes().to_owned(), parts, width, merges_spaces: false })
    }

    /// Takes several spaces for one, for fields that are padded.
    pub(super) fn merging_spaces(self) -> Self {
        Self { merges_spaces: true, ..self }
    }

    /// Bytes that end selected fields that are not in quotes.
    pub(super) fn delimiters(&self) -> ByteSet {
        let unquoted = self.parts.iter().filter(|part| part.is_selected && !part.is_quoted);
        unquoted.filter_map(|part| part.after.as_bytes().first()).fold(ByteSet::EMPTY, |all, &byte| all.with(byte))
    }
}

impl Layout for Template {
    fn find(&self, line: &[u8], mut each: impl FnMut(Field)) -> bool {
        if !line.starts_with(&self.start) {
            return false;
        }
        let mut at = self.start.len();
        for (number, part) in self.parts.iter().enumerate() {
            if self.merges_spaces {
                at += line[at..].iter().take_while(|&&byte| byte == b' ').count();
            }
            let rest = &line[at..];
            let length = if part.is_quoted { closing_quote(rest) } else { part.after.find(rest) };
            let Some(length) = length else { return false };
            if part.is_selected {
                let is_request = part.is_quoted && part.name == REQUEST;
                let found = if is_request { target(&rest[..length]) } else { 0..length };
                each(Field { range: at + found.start..at + found.end, is_quoted: part.is_quoted && !is_request });
            }
            at += length;
            // After the last part, nothing is searched for, so that a line may end early.
            if number + 1 < self.parts.len() {
                let after = part.after.as_bytes();
                if !line[at..].starts_with(after) {
                    return false;
                }
                at += after.len();
            }
        }
        true
    }

    fn width(&self) -> usize {
        self.width
    }

    fn message(&self) -> &'static str {
        "not a line of this log format"
    }
}
