//! Every set of `sets` has exactly the bytes that its standard lists.

use std::iter::zip;

use simdpct::sets::*;
use simdpct::{ByteSet, Encoder};

const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const DIGITS: &str = "0123456789";
const CONTROLS: &str = concat!(
    "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F",
    "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F\x7F",
);

/// The members of a set, written as in its standard. All characters are ASCII.
enum Members {
    /// Only these characters.
    Only(&'static [&'static str]),
    /// These characters and the bytes 0x80 to 0xFF.
    OnlyAndNonAscii(&'static [&'static str]),
    /// Every byte except these characters.
    AllBut(&'static [&'static str]),
}

use Members::{AllBut, Only, OnlyAndNonAscii};

struct Row {
    name: &'static str,
    set: ByteSet,
    members: Members,
}

/// A macro, so that a row has the name of its set.
macro_rules! table {
    ($($set:path: $members:expr;)*) => {
        &[$(Row { name: stringify!($set), set: $set, members: $members }),*]
    };
}

/// One row for each constant, in the order of the source.
const TABLE: &[Row] = table! {
    // RFC 5234 B.1; RFC 3986 2.1 makes the lower-case hexadecimal digits equal to the upper-case
    // ones.
    ALPHA: Only(&[UPPER, LOWER]);
    DIGIT: Only(&[DIGITS]);
    HEXDIG: Only(&["0123456789", "ABCDEF", "abcdef"]);
    CTL: Only(&[CONTROLS]);
    // RFC 3986 2.3
    UNRESERVED: Only(&[UPPER, LOWER, DIGITS, "-._~"]);
    // RFC 3986 2.2
    GEN_DELIMS: Only(&[":/?#[]@"]);
    SUB_DELIMS: Only(&["!$&'()", "*+,;="]);
    RESERVED: Only(&[":/?#[]@", "!$&'()", "*+,;="]);
    // RFC 3986 3.3: unreserved / pct-encoded / sub-delims / ":" / "@"
    PCHAR: Only(&[UPPER, LOWER, DIGITS, "-._~", "!$&'()", "*+,;=", ":@"]);

    // RFC 3986 2.3, 2.4
    COMPONENT: AllBut(&[UPPER, LOWER, DIGITS, "-._~"]);
    // RFC 3986 3.3: segment = *pchar
    PATH_SEGMENT: AllBut(&[UPPER, LOWER, DIGITS, "-._~", "!$&'()", "*+,;=", ":@"]);
    // RFC 3986 3.3: segments separated by "/"
    PATH: AllBut(&[UPPER, LOWER, DIGITS, "-._~", "!$&'()", "*+,;=", ":@", "/"]);
    // RFC 3986 3.4: *( pchar / "/" / "?" )
    QUERY: AllBut(&[UPPER, LOWER, DIGITS, "-._~", "!$&'()", "*+,;=", ":@", "/?"]);
    // The query set without "&" (WHATWG URL 5.1), "=" (5.1), "+" (5.1) and ";" (HTML 4.01 B.2.2).
    QUERY_VALUE: AllBut(&[UPPER, LOWER, DIGITS, "-._~", "!$'()", "*,", ":@", "/?"]);
    // RFC 3986 3.5: *( pchar / "/" / "?" )
    FRAGMENT: AllBut(&[UPPER, LOWER, DIGITS, "-._~", "!$&'()", "*+,;=", ":@", "/?"]);
    // RFC 3986 3.2.1: *( unreserved / pct-encoded / sub-delims / ":" )
    USERINFO: AllBut(&[UPPER, LOWER, DIGITS, "-._~", "!$&'()", "*+,;=", ":"]);
    // RFC 3986 3.2.2: *( unreserved / pct-encoded / sub-delims )
    REG_NAME: AllBut(&[UPPER, LOWER, DIGITS, "-._~", "!$&'()", "*+,;="]);
    // RFC 3986 2: a URI has only unreserved and reserved characters and triplets.
    URI: AllBut(&[UPPER, LOWER, DIGITS, "-._~", ":/?#[]@", "!$&'()", "*+,;="]);

    // WHATWG URL 1.3: each set in full, where the standard extends the preceding one.
    whatwg::C0_CONTROL: OnlyAndNonAscii(&[CONTROLS]);
    whatwg::FRAGMENT: OnlyAndNonAscii(&[CONTROLS, " \"<>`"]);
    whatwg::QUERY: OnlyAndNonAscii(&[CONTROLS, " \"#<>"]);
    whatwg::SPECIAL_QUERY: OnlyAndNonAscii(&[CONTROLS, " \"#'<>"]);
    whatwg::PATH: OnlyAndNonAscii(&[CONTROLS, " \"#<>?^`{}"]);
    whatwg::USERINFO: OnlyAndNonAscii(&[CONTROLS, " \"#/:;<=>?@[\\]^`{|}"]);
    whatwg::COMPONENT: OnlyAndNonAscii(&[CONTROLS, " \"#$%&+,/:;<=>?@[\\]^`{|}"]);
    // The standard's note: all except the ASCII alphanumerics, "*", "-", "." and "_".
    whatwg::FORM: AllBut(&[UPPER, LOWER, DIGITS, "*-._"]);

    // ECMA-262 19.2.6.5: the ASCII word characters and "-.!~*'()"; 19.2.6.3 adds ";/?:@&=+$,#",
    // 19.2.6.4 nothing.
    js::ENCODE_URI: AllBut(&[UPPER, LOWER, DIGITS, "_", "-.!~*'()", ";/?:@&=+$,#"]);
    js::ENCODE_URI_COMPONENT: AllBut(&[UPPER, LOWER, DIGITS, "_", "-.!~*'()"]);
    // ECMA-262 B.2.1.1: the ASCII word characters and "@*+-./"
    js::ESCAPE: AllBut(&[UPPER, LOWER, DIGITS, "_", "@*+-./"]);

    // RFC 1738 5, 2.2
    rfc1738::SAFE: Only(&["$-_.+"]);
    rfc1738::EXTRA: Only(&["!*'(),"]);
    rfc1738::UNRESERVED: Only(&[UPPER, LOWER, DIGITS, "$-_.+", "!*'(),"]);
    rfc1738::RESERVED: Only(&[";/?:@&="]);
    rfc1738::NATIONAL: Only(&["{}|\\^~[]`"]);
    rfc1738::PUNCTUATION: Only(&["<>#%\""]);
    rfc1738::UNSAFE: Only(&[" ", "<>", "\"", "#", "%", "{}|\\^~[]`"]);
    rfc1738::NO_GRAPHIC: OnlyAndNonAscii(&[CONTROLS]);
    rfc1738::COMPONENT: AllBut(&[UPPER, LOWER, DIGITS, "$-_.+", "!*'(),"]);
    rfc1738::URL: AllBut(&[UPPER, LOWER, DIGITS, "$-_.+", "!*'(),", ";/?:@&="]);

    // RFC 5987 3.2.1, RFC 8187 3.2.1
    rfc5987::ATTR_CHAR: Only(&[UPPER, LOWER, DIGITS, "!#$&+-.", "^_`|~"]);
    rfc5987::VALUE_CHARS: AllBut(&[UPPER, LOWER, DIGITS, "!#$&+-.", "^_`|~"]);

    // RFC 6570 1.5, 3.2.1
    rfc6570::U: AllBut(&[UPPER, LOWER, DIGITS, "-._~"]);
    rfc6570::U_R: AllBut(&[UPPER, LOWER, DIGITS, "-._~", ":/?#[]@", "!$&'()", "*+,;="]);

    // AWS Signature Version 4, UriEncode()
    aws::URI_ENCODE: AllBut(&[UPPER, LOWER, DIGITS, "-._~"]);
    aws::OBJECT_KEY: AllBut(&[UPPER, LOWER, DIGITS, "-._~", "/"]);
};

impl Members {
    /// For each byte, whether it is a member.
    fn spelled(&self) -> [bool; 256] {
        let (mut members, listed, pieces) = match self {
            Only(pieces) => ([false; 256], true, pieces),
            OnlyAndNonAscii(pieces) => (std::array::from_fn(|byte| byte >= 0x80), true, pieces),
            AllBut(pieces) => ([true; 256], false, pieces),
        };
        for byte in pieces.iter().flat_map(|piece| piece.bytes()) {
            assert!(byte.is_ascii(), "not ASCII in {pieces:?}");
            assert_ne!(members[usize::from(byte)], listed, "{:?} occurs twice in {pieces:?}", char::from(byte));
            members[usize::from(byte)] = listed;
        }
        members
    }
}

#[test]
fn every_set_has_the_members_of_its_standard() {
    for Row { name, set, members } in TABLE {
        for (byte, member) in zip(0..=0xFF_u8, members.spelled()) {
            assert_eq!(set.contains(byte), member, "{name}: 0x{byte:02X}, {:?}", char::from(byte));
        }
    }
}

/// The names of the public sets in the source, as paths relative to `sets`.
fn names_in_the_source() -> Vec<String> {
    let mut module = String::new();
    let mut names = Vec::new();
    for line in include_str!("../src/sets.rs").lines() {
        if let Some(header) = line.strip_prefix("pub mod ") {
            module = header.replace(" {", "::");
        } else if line == "}" {
            module.clear();
        } else if let Some(constant) = line.trim_start().strip_prefix("pub const ") {
            let (name, rest) = constant.split_once(':').expect("a constant has a type");
            if rest.starts_with(" ByteSet ") {
                names.push(format!("{module}{name}"));
            }
        }
    }
    names
}

#[test]
fn every_public_set_is_in_the_table() {
    let names: Vec<_> = TABLE.iter().map(|row| row.name).collect();
    assert_eq!(names, names_in_the_source());
}

/// `NAMED` names each set as its constant, in lower case with hyphens, except these.
#[test]
fn name_is_that_of_constant() {
    const OTHERS: [(&str, &str); 3] =
        [("form", "whatwg::FORM"), ("rfc5987", "rfc5987::VALUE_CHARS"), ("control", "CTL")];
    for (name, set) in NAMED.iter().filter(|(name, _)| *name != "non-ascii") {
        let is_constant = |row: &&Row| match OTHERS.iter().find(|(other, _)| other == name) {
            Some((_, constant)) => row.name == *constant,
            None => row.name.replace("::", "-").replace('_', "-").to_lowercase() == *name,
        };
        let constant = TABLE.iter().find(is_constant).unwrap_or_else(|| panic!("{name} is of no constant"));
        assert_eq!(*set, constant.set, "{name}");
        assert_eq!(named(name), Some(constant.set));
    }
    assert_eq!(named("non-ascii"), Some(ByteSet::NON_ASCII));
    assert_eq!(named("Path"), None);
}

#[test]
fn encoder_has_name_if_its_set_is_to_escape() {
    for (name, set) in NAMED {
        match Encoder::from_name(name) {
            Some(encoder) => assert_eq!(encoder.set(), *set, "{name}"),
            None => assert!(["reserved", "unreserved", "pchar", "control", "non-ascii"].contains(name), "{name}"),
        }
    }
    assert_eq!(Encoder::names().count(), NAMED.len() - 5);
    assert_eq!(Encoder::from_name("form").unwrap().encode("a b"), "a+b");
    assert_eq!(Encoder::from_name("uri").unwrap().encode("%20 "), "%20%20");
    assert_eq!(Encoder::from_name(""), None);
}
