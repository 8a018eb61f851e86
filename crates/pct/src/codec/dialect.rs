//! What each system does with percent-encoded text, in one table.
#![forbid(unsafe_code)]

use clap::ValueEnum;
use simdpct::{ByteSet, sets};

/// A system whose rules are to be followed to the letter.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Dialect {
    /// URLs in browsers (WHATWG URL 1.3)
    Whatwg,
    /// URIs by the letter of the standard
    Rfc3986,
    /// HTML forms: names and values of application/x-www-form-urlencoded (WHATWG URL 5)
    Form,
    /// java.net.URLDecoder and URLEncoder in UTF-8, so Spark's and Trino's url_decode and url_encode
    Java,
    /// JavaScript's decodeURIComponent and encodeURIComponent
    Js,
    /// Python's urllib.parse.unquote and quote
    Python,
    /// How nginx decodes a path to $uri, and encodes one for proxy_pass
    Nginx,
}

/// What a system does with a '%' that two hexadecimal digits do not follow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Malformed {
    Keep,
    Error,
    /// An error as well, but what its parser of integers takes for two digits is no such '%'.
    ErrorAsJava,
}

/// What a system does with decoded bytes that are not well-formed UTF-8.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum IllFormed {
    Keep,
    Error,
    /// U+FFFD for each maximal subpart of an ill-formed sequence (Unicode 3.9; WHATWG Encoding).
    Replace,
    /// The same, but three bytes that would be a surrogate are one sequence.
    ReplaceAsJava,
}

/// What a system does, a row of the table.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Rules {
    /// Read '+' as a space, and write a space as '+'.
    pub(crate) plus: bool,
    pub(crate) malformed: Malformed,
    pub(crate) ill_formed: IllFormed,
    /// Decoded text with one of these is an error.
    pub(crate) reject: ByteSet,
    /// What becomes a triplet.
    pub(crate) escape: ByteSet,
}

/// What is done unless a dialect is asked for: logs are dirty, and no byte of them is to be lost.
pub(crate) const NO_DIALECT: Rules = Rules {
    plus: false,
    malformed: Malformed::Keep,
    ill_formed: IllFormed::Keep,
    reject: ByteSet::EMPTY,
    escape: sets::COMPONENT,
};

impl Dialect {
    /// Each was taken from the documentation and then from the real thing, by `scripts/check-dialects`.
    pub(crate) const fn rules(self) -> Rules {
        match self {
            // "Percent-decode", then "UTF-8 decode without BOM", as the host parser does it. U+FEFF stays.
            Self::Whatwg => Rules { ill_formed: IllFormed::Replace, escape: sets::whatwg::COMPONENT, ..NO_DIALECT },
            // Says nothing of a charset for old schemes (2.5), so bytes are bytes. A '%' that begins no triplet is in no URI (2.1).
            Self::Rfc3986 => Rules { malformed: Malformed::Error, ..NO_DIALECT },
            // Of a name or a value, not of pairs: '&' and '=' mean nothing here.
            Self::Form => {
                Rules { plus: true, ill_formed: IllFormed::Replace, escape: sets::whatwg::FORM, ..NO_DIALECT }
            }
            // '*' stays and '~' is escaped, so that its set is that of forms. Where its decoder throws, Spark and Trino fail.
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
            // `unquote` is not `unquote_plus`, for which there is --plus. `quote` leaves '/', its parameter `safe`.
            Self::Python => {
                Rules { ill_formed: IllFormed::Replace, escape: sets::COMPONENT.without(b'/'), ..NO_DIALECT }
            }
            // It answers 400 to a '%' that begins no triplet, and to %00. It escapes what it does since 1.21.1. What it does
            // besides to a path (dot segments, a second '/') is not percent-decoding, and not done here.
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

/// What stands below the options of each command that has `--dialect`.
pub(crate) fn long_help(examples: &str) -> String {
    format!("{examples}\n\n{}", table())
}

/// The table as users read it.
fn table() -> String {
    let mut table = String::from(
        "Dialects:\n            malformed '%'  not UTF-8  '+' is    rejected  encoding leaves letters, digits and\n",
    );
    let rows = Dialect::value_variants().iter().map(|&dialect| (dialect.name(), dialect.rules()));
    for (name, rules) in [("(none)".to_owned(), NO_DIALECT)].into_iter().chain(rows) {
        let malformed = match rules.malformed {
            Malformed::Keep => "stays",
            Malformed::Error => "is an error",
            Malformed::ErrorAsJava => "is an error*",
        };
        let ill_formed = match rules.ill_formed {
            IllFormed::Keep => "stays",
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
  *  Java's parser of integers takes %+4 for %04, %-0 for %00, and the digits of other scripts for digits.
  ** Each ill-formed sequence becomes one U+FFFD; in Java so do the three bytes of a surrogate, three of them elsewhere.
  Text that is not UTF-8 before it is decoded or encoded is bytes to all dialects. js and java have no string for it.";
    table
}
