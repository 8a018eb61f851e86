//! Properties of single schemes: default ports, and whether a URL must have a host.
#![forbid(unsafe_code)]

use super::error::UrlErrorKind;

/// Rules of a scheme.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Scheme {
    /// The port without which a URL means the same (RFC 3986 6.2.3).
    default_port: Option<u16>,
    /// Whether a URL without a host is invalid. Such a host is a name of the DNS, so it has no
    /// escaped delimiters.
    pub(super) needs_host: bool,
    pub(super) is_file: bool,
}

impl Scheme {
    /// For references without a scheme, and for schemes without rules.
    pub(super) const NONE: Self = Self { default_port: None, needs_host: false, is_file: false };

    /// The rules of a scheme in lower case.
    ///
    /// Default ports are from the RFC of each scheme.
    pub(super) fn of(name: &[u8]) -> Self {
        let with_host = |port| Self { default_port: Some(port), needs_host: true, ..Self::NONE };
        let with_port = |port| Self { default_port: Some(port), ..Self::NONE };
        match name {
            // RFC 9110 4.2: a URL of these without a host is invalid.
            b"http" => with_host(80),
            b"https" => with_host(443),
            // RFC 6455 3.
            b"ws" => with_host(80),
            b"wss" => with_host(443),
            // RFC 1738 3.2.
            b"ftp" => with_host(21),
            // RFC 8089.
            b"file" => Self { is_file: true, ..Self::NONE },
            b"acap" => with_port(674),          // RFC 2244
            b"coap" => with_port(5683),         // RFC 7252
            b"coaps" => with_port(5684),        // RFC 7252
            b"dict" => with_port(2628),         // RFC 2229
            b"gopher" => with_port(70),         // RFC 4266
            b"imap" => with_port(143),          // RFC 5092
            b"ipp" | b"ipps" => with_port(631), // RFC 3510, RFC 7472
            b"ldap" => with_port(389),          // RFC 4516
            b"nfs" => with_port(2049),          // RFC 2224
            b"nntp" => with_port(119),          // RFC 5538
            b"pop" => with_port(110),           // RFC 2384
            b"rsync" => with_port(873),         // RFC 5781
            b"rtsp" => with_port(554),          // RFC 7826
            b"rtsps" => with_port(322),         // RFC 7826
            b"telnet" => with_port(23),         // RFC 4248
            _ => Self::NONE,
        }
    }
}

/// The port to write: none if it is empty or the default (RFC 3986 6.2.3), and without leading
/// zeros.
pub(super) fn port(digits: &str, scheme: Scheme) -> Result<Option<u16>, UrlErrorKind> {
    if digits.is_empty() {
        return Ok(None);
    }
    // `u16::from_str` would take a sign.
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(UrlErrorKind::Port);
    }
    let digits = digits.trim_start_matches('0');
    let port = if digits.is_empty() { 0 } else { digits.parse().map_err(|_| UrlErrorKind::Port)? };
    Ok(Some(port).filter(|_| scheme.default_port != Some(port)))
}
