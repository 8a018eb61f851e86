//! `Endpoint`: host and port of a scheduler.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

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
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest.split_once(']').ok_or_else(invalid)?;
                address.parse::<Ipv6Addr>().map_err(|_| invalid())?;
                let port = if port.is_empty() { None } else { Some(port.strip_prefix(':').ok_or_else(invalid)?) };
                (&text[..address.len() + 2], port)
            }
            None => match text.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        let is_valid = |character: char| character.is_ascii_alphanumeric() || "-._[]:".contains(character);
        if host.is_empty() || !host.chars().all(is_valid) {
            return Err(invalid());
        }
        let port = match port {
            Some(port) => port.parse().ok().filter(|&port| port > 0).ok_or_else(invalid)?,
            None => Self::DEFAULT_PORT,
        };
        Ok(Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}
