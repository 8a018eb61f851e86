//! Hosts in normal form: lower case, IDNA (UTS 46), IPv6 addresses as in RFC 5952.
#![forbid(unsafe_code)]

use alloc::format;
use alloc::vec::Vec;
use core::net::Ipv6Addr;

use idna::AsciiDenyList;
use memchr::{memchr, memmem};

use super::error::{UrlError, UrlErrorKind};
use super::scheme::Scheme;
use crate::byteset::ByteSet;
use crate::decode::Decoder;
use crate::encode::Encoder;
use crate::normalize::{Malformed, Normalizer};
use crate::sets;

/// Escapes characters that IDNA allows and a URI does not, such as `"`.
const REG_NAME: Encoder = Encoder::new(sets::REG_NAME);

/// IDNA leaves a host of these bytes as it is, unless it has the prefix [`PUNYCODE`].
const PLAIN: ByteSet = ByteSet::range(b'a', b'z').union(sets::DIGIT).union(ByteSet::new(b"-."));

const PUNYCODE: &[u8] = b"xn--";

/// Appends the normal form of a host. On an error, the appended bytes are unspecified.
pub(super) fn append(host: &str, rules: Scheme, output: &mut Vec<u8>) -> Result<(), UrlError> {
    let error = |kind| UrlError { kind, position: 0 };
    if let Some(literal) = host.strip_prefix('[') {
        return append_literal(literal, output).ok_or(error(UrlErrorKind::Host));
    }
    if host.is_empty() {
        return if rules.needs_host { Err(error(UrlErrorKind::NoHost)) } else { Ok(()) };
    }
    if PLAIN.complement().find(host.as_bytes()).is_none() && memmem::find(host.as_bytes(), PUNYCODE).is_none() {
        output.extend_from_slice(host.as_bytes());
        return Ok(());
    }
    if !rules.needs_host && has_escaped_delimiter(host) {
        append_opaque(host, output);
        return Ok(());
    }
    // RFC 3986 3.2.2: a name is percent-encoded UTF-8. It becomes IDNA before it is looked up.
    let name = Decoder::new().decode_utf8(host)?;
    let name = idna::domain_to_ascii_cow(name.as_bytes(), AsciiDenyList::URL).map_err(|_| error(UrlErrorKind::Host))?;
    if name.is_empty() {
        return Err(error(UrlErrorKind::NoHost));
    }
    REG_NAME.encode_to(&*name, output);
    Ok(())
}

/// Whether a triplet remains that encodes neither an unreserved character nor part of a non-ASCII
/// character.
fn has_escaped_delimiter(host: &str) -> bool {
    let Ok(normal) = Normalizer::new().normalize(host) else { return false };
    normal
        .match_indices('%')
        .any(|(at, _)| normal.as_bytes().get(at + 1).is_some_and(|digit| (b'0'..b'8').contains(digit)))
}

/// Appends a name that is not a DNS name, such as the path of a socket: in lower case, with normal
/// triplets.
fn append_opaque(host: &str, output: &mut Vec<u8>) {
    let start = output.len();
    // A malformed '%' was found before.
    let normal = Normalizer::new().malformed(Malformed::Keep).normalize(host).unwrap_or_default();
    REG_NAME.keep_triplets().encode_to(&*normal, output);
    let mut at = start;
    while at < output.len() {
        match output[at] {
            b'%' => at += 3,
            _ => {
                output[at].make_ascii_lowercase();
                at += 1;
            }
        }
    }
}

/// Appends an IP literal, whose `[` is already removed (RFC 3986 3.2.2); `None` if it is invalid.
fn append_literal(literal: &str, output: &mut Vec<u8>) -> Option<()> {
    let address = literal.strip_suffix(']')?;
    let normal = if let Some((address, zone)) = address.split_once("%25") {
        // RFC 6874: the zone is a name of this machine, so its case is kept.
        let zone = Normalizer::new().normalize(zone).ok().filter(|zone| !zone.is_empty())?;
        let is_zone_byte = |byte: u8| byte == b'%' || sets::UNRESERVED.contains(byte);
        if !zone.bytes().all(is_zone_byte) {
            return None;
        }
        format!("[{}%25{zone}]", address.parse::<Ipv6Addr>().ok()?)
    } else if address.starts_with(['v', 'V']) {
        is_future_address(address).then(|| format!("[{}]", address.to_ascii_lowercase()))?
    } else {
        // `Display` writes RFC 5952.
        format!("[{}]", address.parse::<Ipv6Addr>().ok()?)
    };
    output.extend_from_slice(normal.as_bytes());
    Some(())
}

/// `"v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )` (RFC 3986 3.2.2).
fn is_future_address(address: &str) -> bool {
    const TEXT: ByteSet = sets::UNRESERVED.union(sets::SUB_DELIMS).with(b':');
    let Some((version, text)) = address[1..].split_once('.') else { return false };
    let is_all = |text: &str, set: ByteSet| !text.is_empty() && set.complement().find(text.as_bytes()).is_none();
    is_all(version, sets::HEXDIG) && is_all(text, TEXT)
}

/// Removes `www.` from the start of the host that `output` ends with, as often as it is there,
/// unless no dot would remain.
pub(super) fn drop_www(start: usize, output: &mut Vec<u8>) {
    let mut rest = &output[start..];
    while let Some(domain) = rest.strip_prefix(b"www.")
        && memchr(b'.', domain.strip_suffix(b".").unwrap_or(domain)).is_some()
    {
        rest = domain;
    }
    let kept = output.len() - rest.len();
    output.drain(start..kept);
}
