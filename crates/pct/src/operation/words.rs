//! Findings in words. The page docs/explain/ uses this file too.
#![forbid(unsafe_code)]

use simdpct::Kinds;

/// Describes a kind of finding.
pub(crate) fn words(kind: Kinds) -> &'static str {
    match kind {
        Kinds::ESCAPE => "a triplet",
        Kinds::PLUS => "a '+', a space in form data",
        Kinds::MALFORMED => "a '%' without two hexadecimal digits",
        Kinds::NUL => "an encoded NUL",
        Kinds::CONTROL => "an encoded control character",
        Kinds::SLASH => "an encoded '/'",
        Kinds::BACKSLASH => "an encoded '\\'",
        Kinds::DOT => "an encoded '.'",
        Kinds::PERCENT => "an encoded '%'",
        Kinds::UNRESERVED => "an escaped unreserved character",
        Kinds::LOWER_HEX => "a lower-case triplet",
        Kinds::NON_ASCII => "a raw non-ASCII byte",
        Kinds::ILLEGAL => "a raw byte that is illegal in a URI",
        Kinds::DOT_SEGMENT => "a dot segment, raw or encoded",
        Kinds::EMPTY_SEGMENT => "an empty segment",
        Kinds::DOUBLE => "a triplet that is encoded twice",
        Kinds::SEMICOLON => "a ';', raw or encoded",
        Kinds::PATH_END => "an encoded '?' or '#'",
        Kinds::UNICODE => "a '%u' with four hexadecimal digits",
        _ => "not UTF-8 after decoding",
    }
}
