//! `Endpoint`: host and port of a scheduler.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use http::uri::Authority;

/// Host and port of a scheduler: `HOST`, `HOST:PORT` or `[IPV6]:PORT`. The port is 50050 by
/// default.
///
/// ```
/// use simdpct_ballista::Endpoint;
///
/// let endpoint: Endpoint = "scheduler.internal".parse()?;
/// assert_eq!((endpoint.host.as_str(), endpoint.port), ("scheduler.internal", 50050));
/// assert_eq!("[::1]:1234".parse::<Endpoint>()?.to_string(), "[::1]:1234");
/// assert!("host:port".parse::<Endpoint>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Endpoint {
    /// A name or an address; one of IPv6 in brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl Endpoint {
    /// Ballista's default port of a scheduler.
    pub const DEFAULT_PORT: u16 = 50050;
}

impl FromStr for Endpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let invalid = || format!("invalid address '{text}': expected HOST, HOST:PORT or [IPV6]:PORT");
        let authority: Authority = text.parse().map_err(|_| invalid())?;
        let host = authority.host();
        let is_name =
            |host: &str| host.chars().all(|character| character.is_ascii_alphanumeric() || "-._".contains(character));
        let is_host = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => !host.is_empty() && is_name(host),
        };
        let port = match authority.port_u16() {
            // An empty port, or one above 65535, is no port for `Authority`.
            None if authority.as_str() == host => Self::DEFAULT_PORT,
            port => port.filter(|&port| port > 0).ok_or_else(invalid)?,
        };
        // Anything else is user information.
        let has_only_these = authority.as_str().strip_prefix(host).is_some_and(|rest| !rest.contains('@'));
        if is_host && has_only_these { Ok(Self { host: host.to_owned(), port }) } else { Err(invalid()) }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}
