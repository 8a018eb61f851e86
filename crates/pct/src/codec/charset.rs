//! `Charset`: the charsets of the Encoding Standard by their labels, and exact ISO-8859-1.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use encoding_rs::DecoderResult;
use simdpct::Encoder;
use simdpct::legacy::charset::{self, Encoding, UTF_8};
use simdpct::legacy::{Unencodable, latin1};

/// A charset in which triplets may be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Charset {
    /// ISO-8859-1 with the control characters U+0080 to U+009F. The Encoding Standard has
    /// windows-1252 by this name.
    Latin1,
    Known(&'static Encoding),
}

/// Name of [`Charset::Latin1`].
const LATIN1: &str = "latin1-exact";

/// Names for help, completions and messages: those of the Encoding Standard, and common labels.
const NAMES: [&str; 49] = [
    "utf-8",
    "windows-1252",
    "iso-8859-1",
    "latin1",
    LATIN1,
    "ascii",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-8",
    "iso-8859-8-i",
    "iso-8859-9",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "windows-874",
    "windows-1250",
    "windows-1251",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "cp1250",
    "cp1251",
    "cp1252",
    "ibm866",
    "cp866",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "x-mac-cyrillic",
    "x-user-defined",
    "gbk",
    "gb2312",
    "gb18030",
    "big5",
    "euc-jp",
    "shift_jis",
    "sjis",
    "iso-2022-jp",
    "euc-kr",
    "ks_c_5601-1987",
];

impl Charset {
    pub(crate) const UTF_8: Self = Self::Known(UTF_8);

    /// The charset of a label; `None` if it is unknown, or not compatible with URLs, as UTF-16 is
    /// not.
    fn of(label: &str) -> Option<Self> {
        if label.eq_ignore_ascii_case(LATIN1) {
            return Some(Self::Latin1);
        }
        let known = Encoding::for_label_no_replacement(label.as_bytes())?;
        // UTF-16 has no encoder in the Encoding Standard.
        (known.output_encoding() == known).then_some(Self::Known(known))
    }

    pub(super) fn converter(self) -> Converter {
        match self {
            Self::Latin1 => Converter::Latin1,
            Self::Known(known) => Converter::Known(known.new_decoder_without_bom_handling()),
        }
    }

    /// Whether ASCII text may mean something else. ISO-2022-JP switches with escape sequences.
    pub(super) fn is_stateful(self) -> bool {
        matches!(self, Self::Known(known) if !known.is_ascii_compatible())
    }

    /// Encodes text in this charset, and the result with `encoder`.
    pub(super) fn encode<'t>(self, text: &'t str, encoder: &Encoder) -> Result<Cow<'t, str>, Unencodable> {
        match self {
            Self::Latin1 => latin1::encode_with(text, encoder),
            Self::Known(known) => charset::encode(text, known, encoder),
        }
    }
}

/// Converts bytes of a charset to text, in parts.
pub(super) enum Converter {
    Latin1,
    Known(encoding_rs::Decoder),
}

impl Converter {
    /// Appends the text of the next part of a value. Calls `malformed` for each malformed sequence,
    /// with the number of bytes of the part after its start, which may be in an earlier part, and
    /// its length.
    pub(super) fn convert(
        &mut self,
        part: &[u8],
        is_last: bool,
        output: &mut Vec<u8>,
        mut malformed: impl FnMut(usize, usize, &mut Vec<u8>),
    ) {
        let decoder = match self {
            Self::Latin1 => {
                let text: String = part.iter().copied().map(char::from).collect();
                output.extend_from_slice(text.as_bytes());
                return;
            }
            Self::Known(decoder) => decoder,
        };
        let mut text = String::new();
        let mut rest = part;
        loop {
            text.clear();
            text.reserve(decoder.max_utf8_buffer_length_without_replacement(rest.len()).unwrap_or(rest.len()));
            let (result, read) = decoder.decode_to_string_without_replacement(rest, &mut text, is_last);
            output.extend_from_slice(text.as_bytes());
            rest = &rest[read..];
            match result {
                DecoderResult::InputEmpty => return,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(length, after) => {
                    malformed(rest.len() + usize::from(length + after), length.into(), output);
                }
            }
        }
    }

    /// Whether the next byte begins a character.
    pub(super) fn is_between_characters(&self) -> bool {
        match self {
            Self::Latin1 => true,
            Self::Known(decoder) => decoder.latin1_byte_compatible_up_to(b"").is_some(),
        }
    }
}

/// Parses a [`Charset`], and provides the names for clap's help and completions.
#[derive(Clone, Copy)]
pub(super) struct CharsetParser;

impl TypedValueParser for CharsetParser {
    type Value = Charset;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Charset, clap::Error> {
        let label = value.to_string_lossy();
        Charset::of(&label).ok_or_else(|| {
            let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
            let argument = argument.map(ToString::to_string).unwrap_or_default();
            error.insert(ContextKind::InvalidArg, ContextValue::String(argument));
            error.insert(ContextKind::InvalidValue, ContextValue::String(label.to_string()));
            let near = near(&label);
            let (kind, names) = if near.is_empty() {
                (ContextKind::ValidValue, NAMES.map(str::to_owned).to_vec())
            } else {
                (ContextKind::SuggestedValue, near)
            };
            error.insert(kind, ContextValue::Strings(names));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(NAMES.into_iter().map(PossibleValue::new)))
    }
}

/// The names that are like a label, the nearest first.
fn near(label: &str) -> Vec<String> {
    let plain = |name: &str| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let label = plain(label);
    let mut near: Vec<_> = NAMES
        .iter()
        .map(|name| (distance(&label, &plain(name)), *name))
        .filter(|&(distance, name)| distance <= if name.len() < 5 { 1 } else { 2 })
        .collect();
    near.sort_by_key(|&(distance, _)| distance);
    let least = near.first().map_or(0, |&(distance, _)| distance);
    near.into_iter().filter(|&(distance, _)| distance == least).take(5).map(|(_, name)| name.to_owned()).collect()
}

/// The number of characters to insert, remove or replace (Levenshtein's distance).
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<_> = (0..=other.len()).collect();
    for (at, first) in one.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, second) in other.bytes().enumerate() {
            let replaced = diagonal + usize::from(first != second);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::{Charset, LATIN1, NAMES, distance, near};

    #[test]
    fn every_name_is_that_of_a_charset() {
        for name in NAMES {
            assert!(Charset::of(name).is_some(), "{name}");
        }
        assert_eq!(Charset::of("LATIN1-Exact"), Charset::of(LATIN1));
        for name in ["utf-16", "utf-16be", "replacement", "hz-gb-2312", "cp437", ""] {
            assert_eq!(Charset::of(name), None, "{name}");
        }
    }

    #[test]
    fn names_like_an_unknown_one_are_found() {
        for (label, expected) in [
            ("latin-1", &["latin1"][..]),
            ("windows1252", &["windows-1252"]),
            ("shift-jis-2", &["shift_jis"]),
            ("cp1253", &["cp1250", "cp1251", "cp1252"]),
            ("nonsense", &[]),
        ] {
            assert_eq!(near(label), expected, "{label}");
        }
    }

    #[test]
    fn distances_are_those_of_levenshtein() {
        for (one, other, expected) in
            [("", "", 0), ("", "ab", 2), ("kitten", "sitting", 3), ("ab", "ba", 2), ("abc", "abc", 0)]
        {
            assert_eq!((distance(one, other), distance(other, one)), (expected, expected), "{one} {other}");
        }
    }
}
