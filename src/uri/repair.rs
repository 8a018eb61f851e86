//! Makes a valid URI reference of any text (RFC 3986 4.1).
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;
use core::net::Ipv6Addr;
use core::ops::Range;

use super::Parts;
use super::split::{SEGMENT_END, ranges};
use crate::byteset::ByteSet;
use crate::driver;
use crate::encode::Encoder;
use crate::input::Input;
use crate::sets;

/// Converts any string to a valid URI reference: escapes in each component the bytes that it
/// must not contain.
///
/// Existing triplets and delimiters are kept, and nothing is removed: the result decodes to the
/// same bytes as the input. The result is always a valid `URI-reference` by RFC 3986's grammar.
/// A valid one is never changed, so `repair` is idempotent. Borrows the input if nothing is
/// escaped. Linear, with SIMD.
///
/// | component | escaped |
/// |---|---|
/// | all | control characters, space, `"` `<` `>` `\` `^` `` ` `` `{` `\|` `}`, non-ASCII bytes, and malformed `%` |
/// | path and query | `[` and `]` |
/// | fragment | `[`, `]` and every `#` except the one that starts it |
/// | user information | `[`, `]` and every `@` except the last one of the authority, which ends it, as in browsers |
/// | host | `:`, `[` and `]`, except in an IPv6 or future address in brackets (RFC 3986 3.2.2), which is kept |
/// | port | nothing; a last `:` that is not followed by digits only belongs to the host |
/// | scheme | nothing; text before a `:` that is no scheme belongs to the path, as for [`split`](super::split()), and a `:` in its first segment is escaped (4.2) |
///
/// Notes:
///
/// - Spaces around a URI are escaped like any others. To extract URIs from HTML, first trim
///   them and remove tabs and newlines, per WHATWG URL 4.4.
/// - `\` becomes `%5C`, although browsers read it as `/` in `http` and `https`. In
///   `http://a\@b/` the host is `b` by RFC 3986, but `a` for browsers. In the result the host
///   is `b` for both.
/// - `+`, `&`, `=` and `;` have application-specific meanings in a query. They are kept.
/// - A zone identifier (`[fe80::1%25eth0]`) is not in RFC 3986's grammar, so its brackets are
///   escaped.
///
/// See [Scope](super#scope) for what else a crawler needs.
///
/// ```
/// use simdpct::uri::repair;
/// use std::borrow::Cow;
///
/// assert_eq!(repair("http://u@x:p[w]@[::1]:80/é?a[]=1|2 3"), "http://u%40x:p%5Bw%5D@[::1]:80/%C3%A9?a%5B%5D=1%7C2%203");
/// assert_eq!(repair("/50%/50%25#fish & chips"), "/50%25/50%25#fish%20&%20chips");
/// assert!(matches!(repair("http://example.com/%7Ea?b"), Cow::Borrowed("http://example.com/%7Ea?b")));
/// ```
#[must_use]
pub fn repair<T: Input + ?Sized>(uri: &T) -> Cow<'_, str> {
    repair_input(uri.as_bytes(), uri.as_text())
}

/// `text` is the input, if it is known to be text.
fn repair_input<'a>(uri: &'a [u8], text: Option<&'a str>) -> Cow<'a, str> {
    // Bytes that need no repair are ASCII.
    let to_text = || text.or_else(|| driver::utf8::checked_text(uri, None));
    let parts = ranges(uri);
    if is_plain(uri, &parts)
        && let Some(text) = to_text()
    {
        return Cow::Borrowed(text);
    }
    let pieces = Pieces::of(uri, parts);
    if pieces.iter().all(|piece| piece.is_clean())
        && let Some(text) = to_text()
    {
        return Cow::Borrowed(text);
    }
    let lengths = pieces.iter().map(|piece| piece.encoder.encoded_len(piece.bytes));
    // Saturating: a capacity that is too small is harmless.
    let mut repaired = String::with_capacity(lengths.fold(0, usize::saturating_add));
    for piece in pieces.iter() {
        piece.encoder.encode_to(piece.bytes, &mut repaired);
    }
    Cow::Owned(repaired)
}

/// Escapes nothing; for bytes that are known to be valid.
static LITERAL: Encoder = Encoder::new(ByteSet::EMPTY);
static USERINFO: Encoder = Encoder::USERINFO.keep_triplets();
static REG_NAME: Encoder = Encoder::new(sets::REG_NAME).keep_triplets();
/// `segment-nz-nc` (RFC 3986 3.3): a colon would end a scheme.
static FIRST_SEGMENT: Encoder = Encoder::new(sets::PATH_SEGMENT.with(b':')).keep_triplets();
/// The path contains no `?`, so the set of the query serves for both.
static PATH_AND_QUERY: Encoder = Encoder::QUERY.keep_triplets();
static FRAGMENT: Encoder = Encoder::FRAGMENT.keep_triplets();

/// A part of the input, and the encoder that repairs it.
#[derive(Clone, Copy)]
struct Piece<'a> {
    bytes: &'a [u8],
    encoder: &'static Encoder,
}

impl Piece<'_> {
    const EMPTY: Self = Piece { bytes: &[], encoder: &LITERAL };

    fn is_clean(&self) -> bool {
        core::ptr::eq(self.encoder, &LITERAL) || driver::scan_encode(self.bytes, &self.encoder.plan, None).is_none()
    }
}

/// The input split into pieces, in order and without gaps: scheme, user information, `@`, host,
/// port, path and query, `#`, fragment.
struct Pieces<'a> {
    rest: &'a [u8],
    list: [Piece<'a>; 8],
    length: usize,
}

impl<'a> Pieces<'a> {
    fn of(uri: &'a [u8], parts: Parts<Range<usize>>) -> Self {
        let mut pieces = Self { rest: uri, list: [Piece::EMPTY; 8], length: 0 };
        if let Some(authority) = parts.authority {
            pieces.take(authority.start, &LITERAL);
            pieces.take_authority(authority.len());
        } else if parts.scheme.is_some() {
            pieces.take(parts.path.start, &LITERAL);
        } else {
            pieces.take(first_segment(uri).len(), &FIRST_SEGMENT);
        }
        match parts.fragment {
            None => pieces.take(pieces.rest.len(), &PATH_AND_QUERY),
            Some(fragment) => {
                pieces.take(pieces.rest.len() - fragment.len() - 1, &PATH_AND_QUERY);
                pieces.take(1, &LITERAL);
                pieces.take(fragment.len(), &FRAGMENT);
            }
        }
        pieces
    }

    /// `[ userinfo "@" ] host [ ":" port ]` (RFC 3986 3.2).
    fn take_authority(&mut self, length: usize) {
        let mut authority = &self.rest[..length];
        if let Some(at) = memchr::memrchr(b'@', authority) {
            self.take(at, &USERINFO);
            self.take(1, &LITERAL);
            authority = &authority[at + 1..];
        }
        let colon = memchr::memrchr(b':', authority);
        let port = colon.filter(|&colon| authority[colon + 1..].iter().all(u8::is_ascii_digit));
        let host = &authority[..port.unwrap_or(authority.len())];
        self.take(host.len(), if is_ip_literal(host) { &LITERAL } else { &REG_NAME });
        self.take(authority.len() - host.len(), &LITERAL);
    }

    fn take(&mut self, length: usize, encoder: &'static Encoder) {
        let (bytes, rest) = self.rest.split_at(length);
        self.rest = rest;
        if !bytes.is_empty() {
            self.list[self.length] = Piece { bytes, encoder };
            self.length += 1;
        }
    }

    fn iter(&self) -> core::slice::Iter<'_, Piece<'a>> {
        self.list[..self.length].iter()
    }
}

/// Fast path, with a single scan: whether `uri` is a valid reference without brackets and user
/// information. If false, it may still be valid.
fn is_plain(uri: &[u8], parts: &Parts<Range<usize>>) -> bool {
    static WHOLE: Encoder = Encoder::new(sets::URI.union(ByteSet::new(b"[]"))).keep_triplets();
    const NOT_IN_REG_NAME: ByteSet = ByteSet::new(b":@");
    // The bytes that `WHOLE` keeps are valid in every component, except for these delimiters.
    let is_host_and_port = |authority: &[u8]| match NOT_IN_REG_NAME.find(authority) {
        Some(at) => authority[at] == b':' && authority[at + 1..].iter().all(u8::is_ascii_digit),
        None => true,
    };
    driver::scan_encode(uri, &WHOLE.plan, None).is_none()
        && (parts.scheme.is_some() || parts.authority.is_some() || memchr::memchr(b':', first_segment(uri)).is_none())
        && parts.authority.clone().is_none_or(|authority| is_host_and_port(&uri[authority]))
        && parts.fragment.clone().is_none_or(|fragment| memchr::memchr(b'#', &uri[fragment]).is_none())
}

/// The first segment of the path of a reference without scheme and authority.
fn first_segment(uri: &[u8]) -> &[u8] {
    &uri[..SEGMENT_END.find(uri).unwrap_or(uri.len())]
}

/// `"[" ( IPv6address / IPvFuture  ) "]"` (RFC 3986 3.2.2).
fn is_ip_literal(host: &[u8]) -> bool {
    let Some(address) = host.strip_prefix(b"[").and_then(|host| host.strip_suffix(b"]")) else { return false };
    is_future_address(address) || core::str::from_utf8(address).is_ok_and(|address| address.parse::<Ipv6Addr>().is_ok())
}

/// `"v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )` (RFC 3986 3.2.2). Strings in ABNF are
/// case-insensitive.
fn is_future_address(address: &[u8]) -> bool {
    const LITERALLY: ByteSet = sets::UNRESERVED.union(sets::SUB_DELIMS).with(b':');
    let [b'v' | b'V', version @ ..] = address else { return false };
    let Some(dot) = memchr::memchr(b'.', version) else { return false };
    let (digits, text) = (&version[..dot], &version[dot + 1..]);
    !digits.is_empty()
        && digits.iter().all(u8::is_ascii_hexdigit)
        && !text.is_empty()
        && text.iter().all(|&byte| LITERALLY.contains(byte))
}
