//! Decoding, normalizing and encoding options.
#![forbid(unsafe_code)]

use clap::Args;
use simdpct::ByteSet;

use super::charset::{Charset, CharsetParser};
use super::decoding::Decoding;
use super::dialect::{Dialect, NO_DIALECT, Rules};
use super::encoding::Encoding;
use super::set::{SetArgument, SetName, SetParser};
use super::text_decoding::TextDecoding;
use super::text_encoding::TextEncoding;

const SET: &str = "SET";

fn rules(dialect: Option<Dialect>) -> Rules {
    dialect.map_or(NO_DIALECT, Dialect::rules)
}

fn union(sets: &[SetArgument]) -> ByteSet {
    sets.iter().fold(ByteSet::EMPTY, |all, set| all.union(set.bytes()))
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Decoding rules")]
pub(crate) struct DecodingOptions {
    /// Behave like another implementation
    ///
    /// It determines how to decode '+', malformed '%' and invalid UTF-8.
    #[arg(long, value_name = "NAME", value_enum, conflicts_with_all = ["charset", "fallback", "unicode"])]
    dialect: Option<Dialect>,

    /// Decode '+' as a space
    ///
    /// As in forms.
    #[arg(long)]
    plus: bool,

    /// Do not decode these bytes
    ///
    /// A set name, such as 'reserved', or the bytes themselves, such as '/?%0A'. The names are
    /// those of 'encode --set'.
    #[arg(long, value_name = SET, value_parser = SetParser, hide_possible_values = true)]
    keep: Vec<SetArgument>,

    /// Fail if the result contains one of these bytes
    ///
    /// A set name or the bytes themselves, as for --keep. A record whose result contains one of
    /// them, escaped in the input or not, is invalid.
    #[arg(long, value_name = SET, value_parser = SetParser, hide_possible_values = true)]
    reject: Vec<SetArgument>,

    #[command(flatten)]
    text: TextOptions,
}

/// Which layers of encoding are decoded, and how the bytes become text.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Decoding rules")]
pub(crate) struct TextOptions {
    /// Decode N times
    ///
    /// At most 16 times. With 2, %2541 becomes A. CloudFront logs are encoded twice.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    times: u8,

    /// Charset of the decoded bytes [default: utf-8]
    ///
    /// A label of the Encoding Standard, such as 'windows-1252', 'shift_jis' or 'gbk'. 'iso-8859-1'
    /// is windows-1252 there; 'latin1-exact' is not. The result is UTF-8. Raw characters of text
    /// that is UTF-8 are kept.
    #[arg(long, value_name = "NAME", value_parser = CharsetParser, hide_possible_values = true)]
    charset: Option<Charset>,

    /// Charset of text that is invalid in --charset
    ///
    /// The whole field is decoded in it, and the record is counted, but is not invalid.
    #[arg(long, value_name = "NAME", value_parser = CharsetParser, hide_possible_values = true)]
    fallback: Option<Charset>,

    /// Decode %uXXXX, too
    ///
    /// As IIS and ECMAScript's unescape do. It is a UTF-16 code unit in four hexadecimal digits.
    #[arg(long)]
    unicode: bool,
}

impl TextOptions {
    /// Whether any of these options is given.
    pub(crate) fn are_given(&self) -> bool {
        self.times > 1 || self.decode_text()
    }

    fn decode_text(&self) -> bool {
        self.charset.is_some() || self.fallback.is_some() || self.unicode
    }

    /// The rules for names and values of forms.
    pub(crate) fn form_decoding(&self) -> TextDecoding {
        self.decoding(Decoding::new(&NO_DIALECT).passes(self.times).strict()).plus().replacing(true)
    }

    fn decoding(&self, strict: Decoding) -> TextDecoding {
        TextDecoding::new(self.charset.unwrap_or(Charset::UTF_8), self.fallback, self.unicode, strict)
    }
}

impl DecodingOptions {
    /// The rules for text of other charsets, or with `%uXXXX`, if these options are given.
    pub(crate) fn text_decoding(&self) -> Option<TextDecoding> {
        self.text.decode_text().then(|| self.text.decoding(self.decoding()))
    }

    pub(crate) fn decoding(&self) -> Decoding {
        let mut rules = rules(self.dialect);
        rules.plus |= self.plus;
        rules.reject = rules.reject.union(union(&self.reject));
        let decoding = Decoding::new(&rules).keeping(union(&self.keep)).passes(self.text.times);
        // Without a dialect, report everything that is an error in any of them.
        if self.dialect.is_none() { decoding.strict() } else { decoding }
    }
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Normalizing rules")]
pub(crate) struct NormalizingOptions {
    /// Do not decode these bytes
    ///
    /// A set name, or the bytes themselves, such as '~.'. The names are those of 'encode --set'.
    #[arg(long, value_name = SET, value_parser = SetParser, hide_possible_values = true)]
    keep: Vec<SetArgument>,
}

impl NormalizingOptions {
    pub(crate) fn keep(&self) -> ByteSet {
        union(&self.keep)
    }
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Encoding rules")]
pub(crate) struct EncodingOptions {
    /// Behave like another implementation
    ///
    /// It determines which bytes to encode, and how to encode a space.
    #[arg(long, value_name = "NAME", value_enum)]
    dialect: Option<Dialect>,

    /// Encode these bytes [default: component]
    ///
    /// A set name, or the bytes themselves, such as '%0A/?' for LF, '/' and '?'. Non-ASCII bytes
    /// are always encoded. The default is the set of --dialect, if given.
    #[arg(long, value_name = SET, value_parser = SetParser)]
    set: Option<SetArgument>,

    /// Do not encode these bytes
    ///
    /// A set name or the bytes themselves, as for --set.
    #[arg(long, value_name = SET, value_parser = SetParser, hide_possible_values = true)]
    keep: Vec<SetArgument>,

    /// Encode a space as '+', and '+' as %2B
    ///
    /// As in forms.
    #[arg(long)]
    space_as_plus: bool,

    /// Write hexadecimal digits in lower case
    #[arg(long)]
    lower: bool,

    /// Do not encode the '%' of existing triplets
    #[arg(long)]
    keep_triplets: bool,

    /// Do not encode well-formed UTF-8
    ///
    /// As in an IRI. Any other non-ASCII byte is encoded.
    #[arg(long)]
    keep_non_ascii: bool,

    /// Charset of the encoded bytes [default: utf-8]
    ///
    /// A label of the Encoding Standard, such as 'windows-1252', or 'latin1-exact'. A character
    /// that it does not have makes the record invalid, and is encoded in UTF-8; with --errors
    /// replace, as its number (%26%23NNN%3B), as browsers do.
    #[arg(long, value_name = "NAME", value_parser = CharsetParser, hide_possible_values = true)]
    #[arg(conflicts_with = "keep_non_ascii")]
    charset: Option<Charset>,

    /// Encode non-ASCII characters as %uXXXX
    ///
    /// As ECMAScript's escape does. With --charset, only those that the charset does not have.
    #[arg(long, conflicts_with = "keep_non_ascii")]
    unicode: bool,
}

impl EncodingOptions {
    /// The rules for text in other charsets, or with `%uXXXX`, if these options are given.
    pub(crate) fn text_encoding(&self) -> Option<TextEncoding> {
        let is_given = self.charset.is_some() || self.unicode;
        is_given.then(|| TextEncoding::new(self.charset, self.unicode, self.encoding()))
    }

    pub(crate) fn encoding(&self) -> Encoding {
        let rules = rules(self.dialect);
        let is = |name| self.set.is_some_and(|set| set.is(name));
        Encoding {
            set: self.set.map_or(rules.escape, SetArgument::bytes),
            space_as_plus: self.space_as_plus || rules.plus || is(SetName::Form),
            lower: self.lower,
            keep_triplets: self.keep_triplets || is(SetName::Uri),
            keep_non_ascii: self.keep_non_ascii,
        }
        .leaving(union(&self.keep))
    }
}
