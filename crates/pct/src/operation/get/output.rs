//! What becomes of the parts of a URL: text between them, and how each part is written.
#![forbid(unsafe_code)]

use clap::ValueEnum;
use simdpct::ByteSet;

use super::Template;
use crate::codec::{end_string, escape_ill_formed, write_string};
use crate::text::quoted;

/// What `--as` makes of the parts. The comments of the variants are help texts.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum PartsShape {
    /// host,path: a row of CSV, after a header of the parts
    Csv,
    /// {"host":"example.org","path":null}: an object
    Json,
}

/// How the parts of a URL are written.
pub(crate) struct PartsOutput {
    /// The text before each part, and after the last one.
    pub(super) texts: Vec<Vec<u8>>,
    style: Style,
    /// Names of the fields of a row.
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
enum Style {
    /// As it is. Bytes of this set, which the text between the parts has, are escaped.
    Plain(ByteSet),
    /// A field of CSV, quoted if it has a byte of this set.
    Csv(ByteSet),
    /// A string, or `null`.
    Json,
}

impl PartsOutput {
    /// Text. Bytes of `safe` are escaped in the text of the template; parts contain no byte of
    /// `apart`.
    pub(crate) fn text(template: &Template, safe: ByteSet, apart: ByteSet) -> Self {
        let texts = template.texts().iter().map(|text| escaped(text.as_bytes(), safe)).collect();
        Self { texts, style: Style::Plain(apart), names: Vec::new() }
    }

    /// Fields of CSV.
    pub(crate) fn csv(template: &Template, delimiter: u8) -> Self {
        let count = template.parts().len();
        let texts = (0..=count).map(|at| if at == 0 || at == count { Vec::new() } else { vec![delimiter] }).collect();
        let names = template.parts().iter().map(|part| part.suffix()).collect();
        Self { texts, style: Style::Csv(quoted::bytes_to_quote(delimiter)), names }
    }

    /// An object.
    pub(crate) fn json(template: &Template) -> Self {
        let mut texts: Vec<Vec<u8>> = Vec::new();
        for part in template.parts() {
            let mut text = if texts.is_empty() { vec![b'{'] } else { vec![b','] };
            write_string(&part.to_string(), &mut text);
            text.push(b':');
            texts.push(text);
        }
        texts.push(vec![b'}']);
        Self { texts, style: Style::Json, names: Vec::new() }
    }

    /// The header of rows of CSV.
    pub(crate) fn header(template: &Template, delimiter: u8) -> Vec<u8> {
        let mut header = Vec::new();
        for (at, part) in template.parts().iter().enumerate() {
            if at > 0 {
                header.push(delimiter);
            }
            let start = header.len();
            header.extend_from_slice(part.to_string().as_bytes());
            quote(start, quoted::bytes_to_quote(delimiter), &mut header);
        }
        header.push(b'\n');
        header
    }

    /// Suffixes of the names of the fields of a row; none if the result is one field.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether parts are written as they are, with nothing around them.
    pub(super) fn is_bare(&self) -> bool {
        matches!(self.style, Style::Plain(apart) if apart == ByteSet::EMPTY)
            && self.texts.iter().all(Vec::is_empty)
            && self.texts.len() == 2
    }

    pub(super) fn is_json(&self) -> bool {
        matches!(self.style, Style::Json)
    }

    /// Begins a part.
    #[inline]
    pub(super) fn begin(&self, output: &mut Vec<u8>) {
        if self.is_json() {
            output.push(b'"');
        }
    }

    /// Completes a part that was begun at `start`, and is appended or missing.
    #[inline]
    pub(super) fn complete(&self, start: usize, is_missing: bool, output: &mut Vec<u8>) {
        match self.style {
            Style::Plain(apart) => {
                if apart != ByteSet::EMPTY && apart.find(&output[start..]).is_some() {
                    let part = escaped(&output[start..], apart);
                    output.truncate(start);
                    output.extend_from_slice(&part);
                }
            }
            Style::Csv(to_quote) => quote(start, to_quote, output),
            Style::Json if is_missing => {
                output.truncate(start);
                output.extend_from_slice(b"null");
            }
            Style::Json => {
                escape_ill_formed(output, start + 1);
                end_string(start, output);
            }
        }
    }

    /// Ends the result that begins at `start`.
    #[inline]
    pub(super) fn end(&self, start: usize, output: &mut Vec<u8>) {
        // A row of one empty field would be an empty line, which is no record.
        if matches!(self.style, Style::Csv(_)) && output.len() == start {
            output.extend_from_slice(b"\"\"");
        }
    }
}

/// Quotes the field at the end of the output, from `start` on, if it has a byte of the set.
fn quote(start: usize, to_quote: ByteSet, output: &mut Vec<u8>) {
    if to_quote.find(&output[start..]).is_some() {
        let field = output.split_off(start);
        quoted::push(&field, output);
    }
}

/// The text, with bytes of `safe` escaped.
pub(super) fn escaped(text: &[u8], safe: ByteSet) -> Vec<u8> {
    let escape = |byte| match safe.contains(byte) {
        true => format!("%{byte:02X}").into_bytes(),
        false => vec![byte],
    };
    text.iter().copied().flat_map(escape).collect()
}
