//! Registrable domains, and hosts in Unicode.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use simdpct::uri::{self, UrlNormalizer};
use simdpct::{ByteSet, sets};

/// Bytes that the normal form of a host name keeps.
const NORMAL: ByteSet = ByteSet::range(b'a', b'z').union(sets::DIGIT).union(ByteSet::new(b"-._"));

/// ASCII characters of host names.
const OF_NAMES: ByteSet = NORMAL.union(sets::ALPHA);

/// The registrable domain of a host as it is in a URL: the public suffix and the label before it,
/// in lower case and ASCII. `None` for an IP address, a public suffix, and a host that IDNA
/// refuses. Only the host decides: the port may be invalid.
pub(super) fn registrable(host: &[u8]) -> Option<Cow<'_, str>> {
    if is_normal(host) {
        return of_normal(str::from_utf8(host).ok()?).map(Cow::Borrowed);
    }
    let normal = UrlNormalizer::new().normalize(&[b"//", host].concat()).ok()?.into_owned();
    let normal = String::from_utf8(normal).ok()?;
    // Not `uri::part`: with a second caller its function is not inlined, and `get path` takes 7 %
    // more.
    let authority = uri::split(&normal).authority?;
    of_normal(uri::split_authority(authority).host).map(|domain| Cow::Owned(domain.to_owned()))
}

/// Whether a host is known to be its own normal form, and no IP address. `get domain`: 10.3 -> 5.4
/// s/GB (AMD EPYC, hosts of `typical_urls.txt` in lower case).
fn is_normal(host: &[u8]) -> bool {
    let last = host.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    NORMAL.complement().find(host).is_none()
        && last.first().is_some_and(u8::is_ascii_lowercase)
        && !host.split(|&byte| byte == b'.').any(|label| label.starts_with(b"xn--"))
}

/// The registrable domain of a host in normal form.
fn of_normal(host: &str) -> Option<&str> {
    let is_address = host.starts_with('[') || ends_in_a_number(host);
    psl::domain_str(host).filter(|_| !is_address)
}

/// Whether a host is an IPv4 address or none at all (WHATWG URL 3.5): no top-level domain is a
/// number.
fn ends_in_a_number(host: &str) -> bool {
    let last = host.strip_suffix('.').unwrap_or(host).rsplit('.').next().unwrap_or_default();
    let is_hex = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    !last.is_empty() && last.bytes().all(|digit| digit.is_ascii_digit()) || last.strip_prefix("0x").is_some_and(is_hex)
}

/// A host name, decoded, in Unicode (UTS 46). `None` for one that does not change: also for an IP
/// address, and a host that IDNA refuses.
pub(super) fn in_unicode(host: &[u8]) -> Option<String> {
    let has_work = |byte: &u8| byte.is_ascii_uppercase() || !byte.is_ascii();
    if !host.iter().any(has_work) && !host.windows(4).any(|prefix| prefix == b"xn--") {
        return None;
    }
    let text = str::from_utf8(host).ok()?;
    if !host.iter().all(|&byte| OF_NAMES.contains(byte) || !byte.is_ascii()) {
        return None;
    }
    let (name, result) = idna::domain_to_unicode(text);
    result.ok().map(|()| name).filter(|name| name != text)
}

#[cfg(test)]
mod tests {
    use super::{in_unicode, registrable};

    #[test]
    fn domains_are_those_of_the_public_suffix_list() {
        for (host, expected) in [
            ("example.com", Some("example.com")),
            ("a.b.example.com", Some("example.com")),
            ("www.example.co.uk", Some("example.co.uk")),
            // Rules of the list: a wildcard, and an exception to it.
            ("a.b.c.ck", Some("b.c.ck")),
            ("www.ck", Some("www.ck")),
            // A suffix that is not ICANN's.
            ("user.github.io", Some("user.github.io")),
            ("github.io", None),
            ("com", None),
            ("localhost", None),
            ("", None),
            // A top-level domain that is not in the list is a suffix (its rule "*").
            ("a.b.invalid", Some("b.invalid")),
            ("WWW.Example.COM", Some("example.com")),
            ("www.b\u{fc}cher.de", Some("xn--bcher-kva.de")),
            ("www.b%C3%BCcher.de", Some("xn--bcher-kva.de")),
            ("www.%65xample.com", Some("example.com")),
            ("a.xn--bcher-kva.de", Some("xn--bcher-kva.de")),
            ("x.\u{98df}\u{72ee}.\u{4e2d}\u{56fd}", Some("xn--85x722f.xn--fiqs8s")),
            ("192.0.2.1", None),
            ("127.1", None),
            ("a.0x7F", None),
            ("1.2.3.400", None),
            ("1.2.com", Some("2.com")),
            ("[::1]", None),
            ("xn--a.com", None),
            ("a b.com", None),
        ] {
            assert_eq!(registrable(host.as_bytes()).as_deref(), expected, "{host}");
        }
        assert_eq!(registrable(b"\xFF.com"), None);
    }

    #[test]
    fn names_are_in_unicode() {
        for (host, expected) in [
            ("example.com", None),
            ("EXAMPLE.com", Some("example.com")),
            ("xn--bcher-kva.example", Some("b\u{fc}cher.example")),
            ("XN--BCHER-KVA.example", Some("b\u{fc}cher.example")),
            ("b\u{fc}cher.example", None),
            ("B\u{dc}CHER.example", Some("b\u{fc}cher.example")),
            ("a_b.xn--bcher-kva", Some("a_b.b\u{fc}cher")),
            ("xn--a.com", None),
            ("[::FFFF]", None),
            ("X Y.com", None),
            ("%FF.Com", None),
        ] {
            assert_eq!(in_unicode(host.as_bytes()).as_deref(), expected, "{host}");
        }
        assert_eq!(in_unicode(b"\xFF.Com"), None);
    }
}
