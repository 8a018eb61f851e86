//! Table of dialects: how each implementation treats percent-encoded text.
#![forbid(unsafe_code)]

use clap::ValueEnum;
use simdpct::{ByteSet, sets};

/// An implementation whose behaviour is reproduced exactly. The comments of the variants are help
/// texts.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Dialect {
    /// URLs in browsers (WHATWG URL 1.3)
    Whatwg,
    /// URIs, exactly as in RFC 3986
    Rfc3986,
    /// HTML forms: names and values of application/x-www-form-urlencoded (WHATWG URL 5)
    Form,
    /// java.net.URLDecoder and URLEncoder with UTF-8, and so url_decode and url_encode of Spark and
    /// Trino
    Java,
    /// JavaScript's decodeURIComponent and encodeURIComponent
    Js,
    /// Python's urllib.parse.unquote and quote
    Python,
    /// Decoding of a path to $uri, and encoding for proxy_pass, in nginx
    Nginx,
}

/// How an implementation treats a '%' without two hexadecimal digits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Malformed {
    Keep,
    Error,
    /// An error, unless Java's integer parser accepts the two characters.
    ErrorAsJava,
}

/// How an implementation treats decoded bytes that are ill-formed UTF-8.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum IllFormed {
    Keep,
    Error,
    /// U+FFFD for each maximal subpart of an ill-formed sequence (Unicode 3.9; WHATWG Encoding).
    Replace,
    /// As `Replace`, but the three bytes of a surrogate are one sequence.
    ReplaceAsJava,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Rules {
    /// Decode '+' as a space, and encode a space as '+'.
    pub(crate) plus: bool,
    pub(crate) malformed: Malformed,
    pub(crate) ill_formed: IllFormed,
    /// Decoded text that contains one of these bytes is an error.
    pub(crate) reject: ByteSet,
    /// Bytes to encode.
    pub(crate) escape: ByteSet,
}

/// Rules without `--dialect`: lenient, since logs contain malformed text, and no byte of it may be
/// lost.
pub(crate) const NO_DIALECT: Rules = Rules {
    plus: false,
    malformed: Malformed::Keep,
    ill_formed: IllFormed::Keep,
    reject: ByteSet::EMPTY,
    escape: sets::COMPONENT,
};

impl Dialect {
    /// Taken from the documentation, and verified against the implementations by
    /// `crates/pct/check-dialects`.
    pub(crate) const fn rules(self) -> Rules {
        match self {
            // "Percent-decode", then "UTF-8 decode without BOM", as the host parser does it. U+FEFF
            // stays.
            Self::Whatwg => Rules { ill_formed: IllFormed::Replace, escape: sets::whatwg::COMPONENT, ..NO_DIALECT },
            // No charset is specified for old schemes (2.5), so any bytes are allowed. A malformed
            // '%' is illegal (2.1).
            Self::Rfc3986 => Rules { malformed: Malformed::Error, ..NO_DIALECT },
            // For a single name or value, not for pairs: '&' and '=' are not delimiters.
            Self::Form => {
                Rules { plus: true, ill_formed: IllFormed::Replace, escape: sets::whatwg::FORM, ..NO_DIALECT }
            }
            // '*' is not encoded and '~' is, so the set is that of forms. Spark and Trino fail
            // where the decoder throws.
            Self::Java => Rules {
                plus: true,
                malformed: Malformed::ErrorAsJava,
                ill_formed: IllFormed::ReplaceAsJava,
                escape: sets::whatwg::FORM,
                ..NO_DIALECT
            },
            // Both errors are its URIError (ECMA-262 19.2.6.6).
            Self::Js => Rules {
                malformed: Malformed::Error,
                ill_formed: IllFormed::Error,
                escape: sets::js::ENCODE_URI_COMPONENT,
                ..NO_DIALECT
            },
            // `unquote`, not `unquote_plus`, which is --plus. `quote` does not encode '/', the
            // default of its parameter `safe`.
            Self::Python => {
                Rules { ill_formed: IllFormed::Replace, escape: sets::COMPONENT.without(b'/'), ..NO_DIALECT }
            }
            // Responds 400 to a malformed '%' and to %00. The encoded bytes are those since 1.21.1.
            // Path normalization (dot segments, repeated '/') is not percent-decoding, and not done
            // here.
            Self::Nginx => Rules {
                malformed: Malformed::Error,
                reject: ByteSet::new(b"\0"),
                escape: sets::whatwg::PATH.union(ByteSet::new(b"%\\|")),
                ..NO_DIALECT
            },
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Text below the options in the long help of each command with `--dialect`.
pub(crate) fn long_help(examples: &str) -> String {
    format!("{examples}\n\n{}", table())
}

/// The table for the long help.
fn table() -> String {
    let mut table = String::from(
        "Dialects:\n            malformed '%'  not UTF-8  '+' is    rejected  not encoded besides letters and digits\n",
    );
    let rows = Dialect::value_variants().iter().map(|&dialect| (dialect.name(), dialect.rules()));
    for (name, rules) in [("(none)".to_owned(), NO_DIALECT)].into_iter().chain(rows) {
        let malformed = match rules.malformed {
            Malformed::Keep => "kept",
            Malformed::Error => "error",
            Malformed::ErrorAsJava => "error*",
        };
        let ill_formed = match rules.ill_formed {
            IllFormed::Keep => "kept",
            IllFormed::Error => "error",
            IllFormed::Replace => "U+FFFD",
            IllFormed::ReplaceAsJava => "U+FFFD**",
        };
        let plus = if rules.plus { "a space" } else { "a plus" };
        let rejected = if rules.reject == ByteSet::EMPTY { "-" } else { "NUL" };
        let left: String = (b'!'..=b'~')
            .filter(|byte| !byte.is_ascii_alphanumeric() && !rules.escape.contains(*byte))
            .filter(|byte| !(rules.plus && *byte == b'+'))
            .map(char::from)
            .collect();
        table += &format!("  {name:<9} {malformed:<14} {ill_formed:<10} {plus:<9} {rejected:<9} {left}\n");
    }
    table += "
  *  Except that Java's integer parser accepts %+4 as %04, %-0 as %00, and digits of other scripts.
  ** One for each ill-formed sequence. The three bytes of a surrogate are one in Java, else three.
  All dialects treat input that is not UTF-8 as bytes; js and java have no string for it.";
    table
}
