//! Hostile targets, and the paths as which an origin may read them, for the tests "rule against
//! origin" here and in integrations/pingora.
//! Follows integrations/lib/targets.py and readings.py, and does not use the library that it
//! judges.

use std::collections::BTreeSet;
use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

/// The meaning of each piece depends on the server.
const SYMBOLS: &[&[&str]] = &[
    &["/", "/", "/", "/", "//", "%2f", "%2F", "\\", "%5C", "%5c", "%252f", "%255c"],
    &["/", "/", "/", "/", "//", "%2f", "%2F", "\\", "%5C", "%5c", "%252f", "%255c"],
    &[
        ".", "..", "..", "/..", "/../", "%2e", "%2E%2e", ".%2e", "..;", "..;x", "..%3B", "..%2F", "%2F..", "..%5C",
        "..%3F",
    ],
    &[
        ".", "..", "..", "/..", "/../", "%2e", "%2E%2e", "%252e", "..;", "..%3Bx=1", "..%2F", "..%23", "/./", "/.;/",
        ".%2E",
    ],
    &[";", ";x", ";x=/../", "%3B", "%3b", "/;/", "/;x/"],
    &["#", "?", "?a=/../", "%3F", "%3f", "%23", "#/../", "%00", "%20", "%0a", "%09"],
    &[
        "a", "x", "~", "%7e", "%61", "%", "%2", "%25", "%zz", "%ff", "%c3%a9", "\u{e9}", "|", "+", ":", "&", "=", "@",
        "\"", "<",
    ],
    &["admin", "admin", "/admin", "/admin/", "/admin/x", "%61dmin", "adm%69n", "public", "/public/", "api", "/api/"],
];
const STARTS: &[&str] =
    &["/", "/", "/", "//", "/public/", "/api/", "/admin", "/./", "/;/", "/x/", "/.;/", "/%2e/", "/%2F"];

/// Targets that once passed a rule, or nearly did.
const KNOWN: &[&str] = &[
    "/admin",
    "/admin/",
    "/admin/x",
    "/administrator",
    "/api/..;/admin/x",
    "/x#/../admin/x",
    "/x%2fy/../admin/x",
    "//admin/x",
    "/x\\..\\admin",
    "/public/..%2Fadmin",
    "/a%2F../admin",
    "/public/..%3Bx/admin",
    "/public/..%3F/admin",
    "/public/..%23/admin",
    "/public/..%5Cadmin",
    "/;/admin",
    "/;x/admin",
    "/.;/admin",
    "/.//admin",
    "/%2e//admin",
    "/admin?x",
    "/admin;x",
    "/admin%3Fx",
    "/admin%23",
    "/admin%2Fx",
    "/%61dmin",
    "/%2561dmin",
    "/x/%2e%2e/admin",
    "/%2F/admin",
    "/%2Fadmin",
    "/x/..//admin",
    "/x//../admin",
    "/x/%2F../../admin",
    "/public/%2e%2e%2fadmin",
    "/public?/../admin",
    "/public%3F/../admin",
    "/..;/admin",
    "/../admin",
    "/admin/..;/public",
    "/admin/../public",
    "http://localhost/admin",
    "http://localhost/x/../admin",
    "http://localhost",
    "http://localhost?/admin",
];

/// The seed of the targets; printed if a test fails. The environment variable `SIMDPCT_SEED` sets
/// it.
pub fn seed() -> u64 {
    match env::var("SIMDPCT_SEED") {
        Ok(seed) => seed.parse().expect("a number"),
        Err(_) => SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_nanos() as u64,
    }
}

/// The known targets and random ones, without spaces and line breaks.
pub fn targets(count: usize, seed: u64) -> Vec<String> {
    // xorshift64*. Zero is not a valid state.
    let mut state = seed | 1;
    let mut below = |limit: usize| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    };
    let mut targets: Vec<String> = KNOWN.iter().map(|&target| target.to_owned()).collect();
    while targets.len() < count {
        let mut target = STARTS[below(STARTS.len())].to_owned();
        for _ in 0..1 + below(8) {
            let symbols = SYMBOLS[below(SYMBOLS.len())];
            target.push_str(symbols[below(symbols.len())]);
        }
        // Most random targets would never come near a rule.
        if below(2) == 0 {
            target.push_str(["/admin", "/admin/x", "admin"][below(3)]);
        }
        if below(20) == 0 {
            target.insert_str(0, "http://localhost");
        }
        targets.push(target);
    }
    targets
}

/// The behaviour of an origin that depends on the policy in front of it.
pub struct Origin {
    backslash_is_slash: bool,
    merges: bool,
    parameters: Parameters,
}

#[derive(PartialEq)]
enum Parameters {
    Kept,
    /// Removed from dot segments only.
    FromDots,
    /// Also if the policy refuses them: a refused segment must not occur, so every reading of it
    /// counts.
    Removed,
}

impl Origin {
    /// The origin for which a preset is made.
    pub fn of(preset: &str) -> Self {
        let (backslash_is_slash, merges, parameters) = match preset {
            "default" | "envoy" => (true, true, Parameters::FromDots),
            "strict" => (true, true, Parameters::Removed),
            "rfc3986" => (false, false, Parameters::Kept),
            "nginx" | "lighttpd" => (false, true, Parameters::Kept),
            _ => panic!("a preset without an origin: {preset}"),
        };
        Self { backslash_is_slash, merges, parameters }
    }

    /// Whether the origin may take a forwarded target for `/admin` or a path below it, once decoded
    /// and resolved.
    pub fn may_read_admin(&self, target: &str) -> bool {
        let start = match target.split_once("://") {
            Some((scheme, rest)) if !target.starts_with('/') => {
                scheme.len() + 3 + rest.find(['/', '?', '#']).unwrap_or(rest.len())
            }
            _ => 0,
        };
        let path = target[start..].split('?').next().unwrap_or_default();
        [path, path.split('#').next().unwrap_or_default()]
            .into_iter()
            .flat_map(|path| self.readings(path))
            .any(|path| path == b"/admin" || path.starts_with(b"/admin/"))
    }

    fn readings(&self, path: &str) -> BTreeSet<Vec<u8>> {
        let decoded = decoded(path.as_bytes());
        let is_slash = |&byte: &u8| byte == b'/' || byte == b'\\' && self.backslash_is_slash;
        let segments: Vec<&[u8]> = decoded.split(is_slash).skip(1).map(|segment| self.cut(segment)).collect();
        let mut readings = BTreeSet::from([self.resolved(&segments)]);
        if self.merges {
            // If slashes are merged before dot segments are resolved, "/a//../b" is "/b", otherwise
            // "/a/b".
            readings.insert(self.resolved(&without_empty(&segments)));
        }
        readings
    }

    fn cut<'s>(&self, segment: &'s [u8]) -> &'s [u8] {
        let name = segment.split(|&byte| byte == b';').next().unwrap_or_default();
        let is_cut = match self.parameters {
            Parameters::Kept => false,
            Parameters::FromDots => matches!(name, b"." | b".."),
            Parameters::Removed => true,
        };
        if is_cut { name } else { segment }
    }

    fn resolved(&self, segments: &[&[u8]]) -> Vec<u8> {
        let mut resolved: Vec<&[u8]> = Vec::new();
        for (index, &segment) in segments.iter().enumerate() {
            match segment {
                b"." | b".." => {
                    if segment == b".." {
                        resolved.pop();
                    }
                    if index + 1 == segments.len() {
                        resolved.push(b"");
                    }
                }
                _ => resolved.push(segment),
            }
        }
        let resolved = if self.merges { without_empty(&resolved) } else { resolved };
        [&b"/"[..], &resolved.join(&b'/')].concat()
    }
}

/// Removes empty segments, except for the last.
fn without_empty<'s>(segments: &[&'s [u8]]) -> Vec<&'s [u8]> {
    let last = segments.len().saturating_sub(1);
    let is_kept = |&(index, segment): &(usize, &'s [u8])| index == last || !segment.is_empty();
    segments.iter().copied().enumerate().filter(is_kept).map(|(_, segment)| segment).collect()
}

/// Decodes once. A malformed `%` stays.
fn decoded(text: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|&byte| char::from(byte).to_digit(16));
    let (mut decoded, mut at) = (Vec::new(), 0);
    while at < text.len() {
        match (text[at], digit(text.get(at + 1)), digit(text.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

#[test]
fn origin_reads_what_an_origin_may_read() {
    for (preset, target, is_admin) in [
        ("default", "/admin", true),
        ("default", "/%61dmin/?x", true),
        ("default", "/administrator", false),
        ("default", "/x/..%2Fadmin", true),
        ("default", "/x/..;a/admin", true),
        ("nginx", "/x/..;a/admin", false),
        ("default", "/admin;a", false),
        ("strict", "/admin;a", true),
        ("default", "//admin", true),
        ("rfc3986", "//admin", false),
        ("default", "/x\\..\\admin", true),
        ("rfc3986", "/x\\..\\admin", false),
        ("default", "/x//../admin", true),
        ("default", "/admin/..", false),
        ("default", "http://localhost/admin", true),
        ("default", "http://localhost?/admin", false),
        ("default", "/admin#/../x", true),
        ("default", "/admin%2Fx", true),
        ("default", "/%2561dmin", false),
    ] {
        assert_eq!(Origin::of(preset).may_read_admin(target), is_admin, "{preset}: {target}");
    }
}
