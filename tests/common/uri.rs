//! The URI grammar, and the invariants of splitting and repair.

use std::borrow::Cow;

use simdpct::uri::{Part, part, repair};
use simdpct::{Decoder, reference};

use grammar::is_uri_reference;

/// RFC 3986 appendix A, rule by rule, independent of the library.
pub mod grammar {
    /// `URI-reference = URI / relative-ref`
    pub fn is_uri_reference(text: &[u8]) -> bool {
        let (text, fragment) = cut(text, b'#');
        let (hier_part, query) = cut(text, b'?');
        let is_query = |text: Option<&[u8]>| {
            text.is_none_or(|text| consists(text, |byte| is_pchar(byte) || b"/?".contains(&byte)))
        };
        is_query(query) && is_query(fragment) && (is_hier_part_of_uri(hier_part) || is_relative_part(hier_part))
    }

    fn is_hier_part_of_uri(text: &[u8]) -> bool {
        let (scheme, Some(hier_part)) = cut(text, b':') else { return false };
        let is_scheme = matches!(scheme, [b'A'..=b'Z' | b'a'..=b'z', ..])
            && scheme.iter().all(|&byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        is_scheme && (is_net_path(hier_part) || is_path(hier_part))
    }

    /// `relative-part = "//" authority path-abempty / path-absolute / path-noscheme / path-empty`
    fn is_relative_part(text: &[u8]) -> bool {
        let (first_segment, _) = cut(text, b'/');
        is_net_path(text) || is_path(text) && !first_segment.contains(&b':')
    }

    /// `"//" authority path-abempty`
    fn is_net_path(text: &[u8]) -> bool {
        let [b'/', b'/', rest @ ..] = text else { return false };
        let (authority, path) = rest.split_at(rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len()));
        is_authority(authority) && consists(path, |byte| is_pchar(byte) || byte == b'/')
    }

    /// `path-absolute / path-rootless / path-empty`
    fn is_path(text: &[u8]) -> bool {
        !text.starts_with(b"//") && consists(text, |byte| is_pchar(byte) || byte == b'/')
    }

    /// `authority = [ userinfo "@" ] host [ ":" port ]`
    fn is_authority(text: &[u8]) -> bool {
        let (userinfo, host_and_port) = match cut(text, b'@') {
            (userinfo, Some(rest)) => (userinfo, rest),
            (rest, None) => (&b""[..], rest),
        };
        let is_literal = |byte| is_unreserved(byte) || is_sub_delim(byte);
        let host_and_port = String::from_utf8_lossy(host_and_port);
        let (is_host, port) = match host_and_port.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((address, "")) => (is_ipv6_address(address) || is_ipv_future(address), ""),
            Some((address, rest)) => {
                let Some(port) = rest.strip_prefix(':') else { return false };
                (is_ipv6_address(address) || is_ipv_future(address), port)
            }
            None => {
                let (host, port) = host_and_port.split_once(':').unwrap_or((&host_and_port, ""));
                (consists(host.as_bytes(), is_literal), port)
            }
        };
        consists(userinfo, |byte| is_literal(byte) || byte == b':')
            && is_host
            && port.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// `"v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`
    fn is_ipv_future(text: &str) -> bool {
        let Some((version, rest)) = text.split_once('.') else { return false };
        let ([b'v' | b'V', digits @ ..], rest) = (version.as_bytes(), rest.as_bytes()) else { return false };
        !digits.is_empty()
            && digits.iter().all(u8::is_ascii_hexdigit)
            && !rest.is_empty()
            && rest.iter().all(|&byte| is_unreserved(byte) || is_sub_delim(byte) || byte == b':')
    }

    /// `IPv6address`: eight groups, or fewer with one `::`; the last two can be an IPv4 address.
    fn is_ipv6_address(text: &str) -> bool {
        let groups = |text: &str, may_end_in_ipv4: bool| -> Option<usize> {
            if text.is_empty() {
                return Some(0);
            }
            let groups: Vec<&str> = text.split(':').collect();
            let (last, others) = groups.split_last()?;
            let is_group =
                |group: &&str| (1..=4).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_hexdigit());
            match others.iter().all(is_group) {
                true if is_group(last) => Some(groups.len()),
                true if may_end_in_ipv4 && is_ipv4_address(last) => Some(groups.len() + 1),
                _ => None,
            }
        };
        match text.split_once("::") {
            Some((before, after)) => {
                matches!((groups(before, false), groups(after, true)), (Some(a), Some(b)) if a + b <= 7)
            }
            None => groups(text, true) == Some(8),
        }
    }

    /// `dec-octet "." dec-octet "." dec-octet "." dec-octet`
    fn is_ipv4_address(text: &str) -> bool {
        let octets: Vec<&str> = text.split('.').collect();
        octets.len() == 4
            && octets.iter().all(|octet| octet.parse::<u8>().is_ok_and(|value| value.to_string() == *octet))
    }

    /// Whether a text consists of `pct-encoded` and bytes for which `literal` holds.
    fn consists(mut text: &[u8], literal: impl Fn(u8) -> bool) -> bool {
        while let Some((&first, rest)) = text.split_first() {
            text = match rest {
                [high, low, rest @ ..] if first == b'%' && high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => rest,
                _ if first != b'%' && literal(first) => rest,
                _ => return false,
            };
        }
        true
    }

    fn is_pchar(byte: u8) -> bool {
        is_unreserved(byte) || is_sub_delim(byte) || b":@".contains(&byte)
    }

    fn is_unreserved(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
    }

    fn is_sub_delim(byte: u8) -> bool {
        b"!$&'()*+,;=".contains(&byte)
    }

    fn cut(text: &[u8], delimiter: u8) -> (&[u8], Option<&[u8]>) {
        match text.iter().position(|&byte| byte == delimiter) {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        }
    }
}

/// Asserts the invariants of repair for any input.
pub fn check_repair(dirty: &[u8]) {
    let case = dirty.escape_ascii();
    let repaired = repair(dirty);
    assert_eq!(repaired, reference::repair(dirty), "{case}");
    assert!(is_uri_reference(repaired.as_bytes()), "{case} became {repaired}");
    assert_eq!(matches!(repaired, Cow::Borrowed(_)), repaired.as_bytes() == dirty, "{case}");
    if is_uri_reference(dirty) {
        assert_eq!(repaired.as_bytes(), dirty);
    }
    // Repair is idempotent and keeps the decoded value.
    assert!(matches!(repair(repaired.as_ref()), Cow::Borrowed(_)), "{case} became {repaired}");
    assert_eq!(Decoder::new().decode(repaired.as_ref()), Decoder::new().lenient().decode(dirty), "{case}");
    // Delimiters stay delimiters: the same components are present, with the same decoded value.
    // Without a port that is a number, the port belongs to the host.
    for &which in Part::ALL {
        if matches!(which, Part::Host | Part::Port) {
            continue;
        }
        let (before, after) = (part(dirty, which), part(&repaired, which));
        assert_eq!(
            after.map(|after| Decoder::new().decode(after).unwrap()),
            before.map(|before| Decoder::new().lenient().decode(before).unwrap()),
            "{which} of {case}"
        );
    }
}

/// Compares every part of a URI reference with the reference implementation.
pub fn compare_parts(bytes: &[u8]) {
    for &which in Part::ALL {
        let wanted = reference::uri_part(bytes, which);
        assert_eq!(part(bytes, which), wanted, "{which} of {}", bytes.escape_ascii());
        if let Ok(text) = std::str::from_utf8(bytes) {
            assert_eq!(part(text, which).map(str::as_bytes), wanted, "{which} of {text}");
        }
    }
}
