//! Byte sets of the standards, each with a reference to its paragraph.
//!
//! There are two kinds. The first words of each constant's documentation say which one it is:
//!
//! - **Allowed literally**: a character class of a grammar, with the grammar's name
//!   ([`UNRESERVED`], [`PCHAR`]). Contains no byte of 0x80 or above.
//! - **To escape**: a percent-encode set, named after the component that it is for ([`PATH`],
//!   [`QUERY`]). This is the kind that [`Encoder::new`](crate::Encoder::new) takes. Contains all
//!   bytes of 0x80 or above and all control characters.
//!
//! The [complement](ByteSet::complement) of one kind is of the other kind. [`CTL`] and some sets of
//! [`rfc1738`] are classes that must be escaped.
//!
//! | To encode | use |
//! |---|---|
//! | a value, for any component; when in doubt, use this | [`COMPONENT`] |
//! | one segment of a path | [`PATH_SEGMENT`] |
//! | a path whose `/` are separators | [`PATH`] |
//! | a whole query | [`QUERY`] |
//! | a key or value in a query of the form `key=value&key=value` | [`QUERY_VALUE`] |
//! | a fragment | [`FRAGMENT`] |
//! | a user name or password | [`USERINFO`] |
//! | a registered name (a host that is not an IP address) | [`REG_NAME`] |
//! | a whole URI, keeping its delimiters | [`URI`] |
//! | a name or value of an HTML form | [`whatwg::FORM`] |
//! | components of a URL, as browsers do | [`whatwg`] |
//! | as ECMAScript's functions do | [`js`] |
//! | a parameter of an HTTP header field, as in `filename*=UTF-8''...` | [`rfc5987::VALUE_CHARS`] |
//! | a variable of a URI template | [`rfc6570`] |
//! | an AWS request to be signed | [`aws`] |
//! | as RFC 1738 (1994) requires | [`rfc1738`] |
//!
//! A custom set can be derived from a predefined one:
//!
//! ```
//! use simdpct::{ByteSet, Encoder, sets};
//!
//! const USER_NAME: ByteSet = sets::USERINFO.with(b':');
//!
//! assert!(sets::UNRESERVED.contains(b'~'));
//! assert!(!sets::COMPONENT.contains(b'~'));
//! assert_eq!(Encoder::new(sets::PATH).encode("a b/c?"), "a%20b/c%3F");
//! assert_eq!(Encoder::new(sets::PATH_SEGMENT).encode("a b/c?"), "a%20b%2Fc%3F");
//! assert_eq!(Encoder::new(USER_NAME).encode("a:b"), "a%3Ab");
//! ```
#![forbid(unsafe_code)]

use crate::ByteSet;

// The classes of RFC 3986.

/// Allowed literally: `ALPHA`, A to Z and a to z (RFC 3986 1.3; RFC 5234 B.1).
pub const ALPHA: ByteSet = ByteSet::range(b'A', b'Z').union(ByteSet::range(b'a', b'z'));

/// Allowed literally: `DIGIT`, 0 to 9 (RFC 3986 1.3; RFC 5234 B.1).
pub const DIGIT: ByteSet = ByteSet::range(b'0', b'9');

/// Allowed literally: `HEXDIG`, hexadecimal digits of either case (RFC 3986 1.3, 2.1; RFC 5234
/// B.1).
pub const HEXDIG: ByteSet = DIGIT.union(ByteSet::range(b'A', b'F')).union(ByteSet::range(b'a', b'f'));

/// A class that must always be escaped: `CTL`, the ASCII control characters, 0x00 to 0x1F and 0x7F
/// (RFC 5234 B.1).
#[doc(alias = "CONTROLS")]
pub const CTL: ByteSet = ByteSet::range(0x00, 0x1F).with(0x7F);

/// Allowed literally, and equivalent when escaped: `unreserved` (RFC 3986 2.3).
pub const UNRESERVED: ByteSet = ALPHA.union(DIGIT).union(ByteSet::new(b"-._~"));

/// Allowed literally, as delimiters of components: `gen-delims` (RFC 3986 2.2).
pub const GEN_DELIMS: ByteSet = ByteSet::new(b":/?#[]@");

/// Allowed literally, as delimiters within a component or as data: `sub-delims` (RFC 3986 2.2).
pub const SUB_DELIMS: ByteSet = ByteSet::new(b"!$&'()*+,;=");

/// Allowed literally, but not equivalent when escaped: `reserved` (RFC 3986 2.2).
pub const RESERVED: ByteSet = GEN_DELIMS.union(SUB_DELIMS);

/// Allowed literally in a segment of a path: `pchar` without its `pct-encoded`, so without `%` (RFC
/// 3986 3.3).
pub const PCHAR: ByteSet = UNRESERVED.union(SUB_DELIMS).union(ByteSet::new(b":@"));

// The components of RFC 3986.

/// To escape in a value for any component: all but [`UNRESERVED`] (RFC 3986 2.3, 2.4).
pub const COMPONENT: ByteSet = UNRESERVED.complement();

/// To escape in one `segment` of a path: all but [`PCHAR`] (RFC 3986 3.3).
///
/// In the first segment of a relative path that does not start with `/`, `:` must be escaped as
/// well (`segment-nz-nc`).
pub const PATH_SEGMENT: ByteSet = PCHAR.complement();

/// To escape in a `path`: all but [`PCHAR`] and `/` (RFC 3986 3.3).
pub const PATH: ByteSet = PATH_SEGMENT.without(b'/');

/// To escape in a `query`: all but [`PCHAR`], `/` and `?` (RFC 3986 3.4).
pub const QUERY: ByteSet = PATH.without(b'?');

/// To escape in a key or a value of a query of the form `key=value&key=value`: [`QUERY`], and `&`,
/// `=`, `+` and `;`.
///
/// RFC 3986 3.4 mentions this form but does not define it. `&` and `=` are delimiters, as is `;`,
/// an alternative to `&` (HTML 4.01 B.2.2). A literal `+` is decoded as a space (WHATWG URL 5.1).
///
/// ```
/// use simdpct::{Encoder, sets};
///
/// let value = "http://user:password@example.com/?foo=bar";
/// assert_eq!(Encoder::new(sets::QUERY_VALUE).encode(value), "http://user:password@example.com/?foo%3Dbar");
/// ```
pub const QUERY_VALUE: ByteSet = QUERY.union(ByteSet::new(b"&=+;"));

/// To escape in a `fragment`: all but [`PCHAR`], `/` and `?` (RFC 3986 3.5).
pub const FRAGMENT: ByteSet = QUERY;

/// To escape in a `userinfo`: all but [`UNRESERVED`], [`SUB_DELIMS`] and `:` (RFC 3986 3.2.1).
///
/// The first `:` ends the user name, so in a user name alone `:` must be escaped as well.
pub const USERINFO: ByteSet = REG_NAME.without(b':');

/// To escape in a `reg-name`, a host that is not an IP address: all but [`UNRESERVED`] and
/// [`SUB_DELIMS`] (RFC 3986 3.2.2).
pub const REG_NAME: ByteSet = UNRESERVED.union(SUB_DELIMS).complement();

/// To escape in a whole URI: all but [`UNRESERVED`] and [`RESERVED`] (RFC 3986 2).
///
/// Contains `%`; use [`Encoder::keep_triplets`](crate::Encoder::keep_triplets) to keep existing
/// triplets.
pub const URI: ByteSet = UNRESERVED.union(RESERVED).complement();

/// The sets by name, as in `pct encode --set`, in the C library and in SQL functions: all that are
/// to escape, then some classes.
///
/// [`named`] finds one of them.
pub const NAMED: &[(&str, ByteSet)] = &[
    ("component", COMPONENT),
    ("path-segment", PATH_SEGMENT),
    ("path", PATH),
    ("query", QUERY),
    ("query-value", QUERY_VALUE),
    ("fragment", FRAGMENT),
    ("userinfo", USERINFO),
    ("reg-name", REG_NAME),
    ("uri", URI),
    ("form", whatwg::FORM),
    ("whatwg-c0-control", whatwg::C0_CONTROL),
    ("whatwg-fragment", whatwg::FRAGMENT),
    ("whatwg-query", whatwg::QUERY),
    ("whatwg-special-query", whatwg::SPECIAL_QUERY),
    ("whatwg-path", whatwg::PATH),
    ("whatwg-userinfo", whatwg::USERINFO),
    ("whatwg-component", whatwg::COMPONENT),
    ("js-encode-uri", js::ENCODE_URI),
    ("js-encode-uri-component", js::ENCODE_URI_COMPONENT),
    ("rfc1738-url", rfc1738::URL),
    ("rfc1738-component", rfc1738::COMPONENT),
    ("rfc5987", rfc5987::VALUE_CHARS),
    ("aws-object-key", aws::OBJECT_KEY),
    ("reserved", RESERVED),
    ("unreserved", UNRESERVED),
    ("pchar", PCHAR),
    ("control", CTL),
    ("non-ascii", ByteSet::NON_ASCII),
];

/// The set with this name in [`NAMED`].
///
/// ```
/// use simdpct::sets;
///
/// assert_eq!(sets::named("path-segment"), Some(sets::PATH_SEGMENT));
/// assert_eq!(sets::named("paths"), None);
/// ```
#[must_use]
pub fn named(name: &str) -> Option<ByteSet> {
    NAMED.iter().find(|(known, _)| *known == name).map(|&(_, set)| set)
}

/// The percent-encode sets of the WHATWG URL standard (1.3), as used by browsers; as of August
/// 2026.
///
/// [`COMPONENT`](whatwg::COMPONENT) and [`FORM`](whatwg::FORM) contain `%` and are for data. The
/// others do not: a URL parser applies them to text that may already contain triplets.
pub mod whatwg {
    use crate::ByteSet;

    /// To escape in an opaque host or an opaque path: the C0 controls and all above `~` (WHATWG URL
    /// 1.3, C0 control percent-encode set).
    pub const C0_CONTROL: ByteSet = ByteSet::range(0x00, 0x1F).union(ByteSet::range(0x7F, 0xFF));

    /// To escape in a fragment (WHATWG URL 1.3, fragment percent-encode set).
    pub const FRAGMENT: ByteSet = C0_CONTROL.union(ByteSet::new(b" \"<>`"));

    /// To escape in a query, unless the scheme is special (WHATWG URL 1.3, query percent-encode
    /// set).
    pub const QUERY: ByteSet = C0_CONTROL.union(ByteSet::new(b" \"#<>"));

    /// To escape in a query if the scheme is special, as `http` and `https` are (WHATWG URL 1.3,
    /// special-query percent-encode set).
    pub const SPECIAL_QUERY: ByteSet = QUERY.with(b'\'');

    /// To escape in a path (WHATWG URL 1.3, path percent-encode set). `^` is a member since 2025.
    pub const PATH: ByteSet = QUERY.union(ByteSet::new(b"?^`{}"));

    /// To escape in a user name or a password (WHATWG URL 1.3, userinfo percent-encode set).
    pub const USERINFO: ByteSet = PATH.union(ByteSet::new(b"/:;=@[\\]|"));

    /// To escape in a value, for any component (WHATWG URL 1.3, component percent-encode set). The
    /// same set as
    /// [`js::ENCODE_URI_COMPONENT`](super::js::ENCODE_URI_COMPONENT).
    pub const COMPONENT: ByteSet = USERINFO.union(ByteSet::new(b"$%&+,"));

    /// To escape in a name or a value of a form (WHATWG URL 1.3,
    /// `application/x-www-form-urlencoded` percent-encode set).
    ///
    /// Contains the space; [`Encoder::plus_for_space`](crate::Encoder::plus_for_space) encodes it
    /// as `+`, as forms require.
    pub const FORM: ByteSet = COMPONENT.union(ByteSet::new(b"!'()~"));
}

/// The sets of ECMAScript's functions (ECMA-262, edition of 2026).
pub mod js {
    use super::{ALPHA, DIGIT};
    use crate::ByteSet;

    /// The ASCII word characters (ECMA-262 6.1.4).
    const WORD: ByteSet = ALPHA.union(DIGIT).with(b'_');

    /// The characters that the abstract operation `Encode` never escapes (ECMA-262 19.2.6.5).
    const ALWAYS_UNESCAPED: ByteSet = WORD.union(ByteSet::new(b"-.!~*'()"));

    /// To escape in a whole URI, as `encodeURI` does (ECMA-262 19.2.6.3). Unlike
    /// [`URI`](super::URI), contains `[` and `]`.
    pub const ENCODE_URI: ByteSet = ALWAYS_UNESCAPED.union(ByteSet::new(b";/?:@&=+$,#")).complement();

    /// To escape in a component, as `encodeURIComponent` does (ECMA-262 19.2.6.4).
    pub const ENCODE_URI_COMPONENT: ByteSet = ALWAYS_UNESCAPED.complement();

    /// To escape in ISO-8859-1 text, as `escape` does (ECMA-262 B.2.1.1). For code units above
    /// 0xFF, `escape` writes `%uXXXX`.
    pub const ESCAPE: ByteSet = WORD.union(ByteSet::new(b"@*+-./")).complement();
}

/// RFC 1738, the first URL standard (1994). Its syntax is superseded by RFC 3986.
///
/// The percent-encode sets are [`COMPONENT`](rfc1738::COMPONENT) and [`URL`](rfc1738::URL), the
/// others are classes. [`NO_GRAPHIC`](rfc1738::NO_GRAPHIC), [`UNSAFE`](rfc1738::UNSAFE),
/// [`RESERVED`](rfc1738::RESERVED) and [`UNRESERVED`](rfc1738::UNRESERVED) partition all bytes.
pub mod rfc1738 {
    use super::{ALPHA, DIGIT};
    use crate::ByteSet;

    /// Allowed literally: `safe` (RFC 1738 5).
    pub const SAFE: ByteSet = ByteSet::new(b"$-_.+");

    /// Allowed literally: `extra` (RFC 1738 2.2, 5).
    pub const EXTRA: ByteSet = ByteSet::new(b"!*'(),");

    /// Allowed literally, and equivalent when escaped: `unreserved` (RFC 1738 2.2, 5). Unlike
    /// [`UNRESERVED`](super::UNRESERVED), does not contain `~`.
    pub const UNRESERVED: ByteSet = ALPHA.union(DIGIT).union(SAFE).union(EXTRA);

    /// Allowed literally where the scheme gives them a meaning, otherwise to escape: `reserved`
    /// (RFC 1738 2.2, 5).
    pub const RESERVED: ByteSet = ByteSet::new(b";/?:@&=");

    /// A class that must always be escaped: `national`, characters that gateways may change (RFC
    /// 1738 2.2, 5).
    pub const NATIONAL: ByteSet = ByteSet::new(b"{}|\\^~[]`");

    /// A class that must always be escaped: `punctuation`, characters that delimit URLs or escapes
    /// (RFC 1738 2.2, 5).
    pub const PUNCTUATION: ByteSet = ByteSet::new(b"<>#%\"");

    /// A class that must always be escaped: the unsafe characters, which are space, [`NATIONAL`]
    /// and [`PUNCTUATION`] (RFC 1738 2.2). All are printable; control characters and bytes of 0x80
    /// or above are in [`NO_GRAPHIC`].
    pub const UNSAFE: ByteSet = NATIONAL.union(PUNCTUATION).with(b' ');

    /// A class that must always be escaped: the bytes without a graphic character in US-ASCII (RFC
    /// 1738 2.2).
    pub const NO_GRAPHIC: ByteSet = ByteSet::range(0x00, 0x1F).union(ByteSet::range(0x7F, 0xFF));

    /// To escape in a value, for any part of a URL: all but `uchar` (RFC 1738 5).
    pub const COMPONENT: ByteSet = UNRESERVED.complement();

    /// To escape in a whole URL: all but `xchar` (RFC 1738 5). Contains `%`; use
    /// [`Encoder::keep_triplets`](crate::Encoder::keep_triplets) to keep existing triplets.
    pub const URL: ByteSet = UNRESERVED.union(RESERVED).complement();
}

/// Parameters of HTTP header fields: RFC 5987, superseded by RFC 8187 with the same sets.
pub mod rfc5987 {
    use super::{ALPHA, DIGIT};
    use crate::ByteSet;

    /// Allowed literally: `attr-char` (RFC 5987 3.2.1, RFC 8187 3.2.1).
    pub const ATTR_CHAR: ByteSet = ALPHA.union(DIGIT).union(ByteSet::new(b"!#$&+-.^_`|~"));

    /// To escape in the `value-chars` of an extended value: all but [`ATTR_CHAR`] (RFC 5987 3.2.1,
    /// RFC 8187 3.2.1).
    pub const VALUE_CHARS: ByteSet = ATTR_CHAR.complement();
}

/// Expansion of URI templates (RFC 6570), which uses RFC 3986's `unreserved` and `reserved` (1.5).
pub mod rfc6570 {
    use crate::ByteSet;

    /// To escape in a variable where `U` is allowed, all but `unreserved`: `{var}` and every
    /// operator but `+` and `#` (RFC 6570 3.2.1, appendix A).
    pub const U: ByteSet = super::COMPONENT;

    /// To escape in a variable where `U+R` is allowed, all but `unreserved` and `reserved`:
    /// `{+var}` and `{#var}` (RFC 6570 3.2.1, appendix A); and in the literals of a template (3.1).
    ///
    /// Existing triplets are kept too: combine with
    /// [`Encoder::keep_triplets`](crate::Encoder::keep_triplets).
    pub const U_R: ByteSet = super::URI;
}

/// `UriEncode` of AWS Signature Version 4 (Amazon S3 API Reference, "Signature Calculations for the
/// Authorization Header").
pub mod aws {
    use crate::ByteSet;

    /// To escape in the keys and values of the canonical query: all but `unreserved` (`UriEncode`,
    /// with `/` encoded).
    pub const URI_ENCODE: ByteSet = super::COMPONENT;

    /// To escape in the name of an S3 object: all but `unreserved` and `/` (`UriEncode`, with `/`
    /// kept).
    pub const OBJECT_KEY: ByteSet = URI_ENCODE.without(b'/');
}
