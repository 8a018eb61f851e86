//! The running proxy before an origin that answers with the request line, on the loopback interface.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use simdpct::path::{HiddenSegments, PathPolicy};

const LIMIT: Duration = Duration::from_secs(30);

/// Answers each connection with its request line.
fn origin() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut reader = BufReader::new(&stream);
                let (mut line, mut header) = (String::new(), String::new());
                reader.read_line(&mut line).expect("a request line");
                while reader.read_line(&mut header).is_ok_and(|length| length > 2) {
                    header.clear();
                }
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", line.len());
                (&stream).write_all(format!("{head}{line}").as_bytes()).expect("sent");
            });
        }
    });
    address
}

/// The proxy, killed at the end of the test.
struct Proxy(Child, SocketAddr);

impl Proxy {
    /// With a guard, a prefix whose paths a rule denies, and a level of the log. Nobody reads the log while the proxy runs,
    /// so that it must fit into a pipe.
    fn start(guard: &str, denied: &str, log: &str) -> Self {
        // The port is free again once the listener is dropped.
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = free.local_addr().expect("an address");
        drop(free);
        let child = Command::new(env!("CARGO_BIN_EXE_simdpct-pingora"))
            .args([address.to_string(), origin().to_string(), guard.to_owned(), denied.to_owned()])
            .env("RUST_LOG", log)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the proxy starts");
        let mut proxy = Self(child, address);
        let start = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(start.elapsed() < LIMIT && proxy.0.try_wait().expect("a state").is_none(), "the proxy listens");
            thread::sleep(Duration::from_millis(20));
        }
        proxy
    }

    /// The status, and the target that the origin got.
    fn ask(&self, method: &str, target: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.1).expect("a connection");
        stream.set_read_timeout(Some(LIMIT)).expect("a limit");
        let head = [method.as_bytes(), b" ", target, b" HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n"];
        stream.write_all(&head.concat()).expect("sent");
        let mut response = Vec::new();
        let received = stream.read_to_end(&mut response);
        assert!(received.is_ok(), "{received:?}: {}", target.escape_ascii());
        let response = String::from_utf8_lossy(&response);
        let (head, body) = response.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, body.split(' ').nth(1).unwrap_or_default().to_owned())
    }

    /// Stops the proxy: its log.
    fn log(mut self) -> String {
        self.0.kill().expect("killed");
        let mut log = String::new();
        self.0.stderr.take().expect("piped").read_to_string(&mut log).expect("text");
        log
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Undoes `\xHH`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes
}

#[test]
fn targets_that_servers_disagree_about_end_refused_or_canonical() {
    let table = include_str!("../../../tests/data/path-confusion.tsv");
    for &(name, policy) in PathPolicy::PRESETS {
        // A guard refuses hidden segments whatever its policy.
        let policy = policy.hidden_segments(HiddenSegments::Refuse);
        let proxy = Proxy::start(&format!("query=nul {name}"), "/denied", "off");
        for row in table.lines().skip(1) {
            let target = unescaped(row.split('\t').next().unwrap_or_default());
            let text = std::str::from_utf8(&target).expect("text");
            // Pingora drops a fragment.
            let (text, _) = text.split_once('#').unwrap_or((text, ""));
            let (origin, path_and_query) =
                text.split_at(if text.starts_with("http://other.example") { "http://other.example".len() } else { 0 });
            let (path, query) = path_and_query.split_at(path_and_query.find('?').unwrap_or(path_and_query.len()));
            let expected = match policy.canonicalize(path) {
                Ok(path) if query != "?x=%00" => (200, format!("{origin}{path}{query}")),
                _ => (400, String::new()),
            };
            assert_eq!(proxy.ask("GET", &target), expected, "{name}: {text}");
        }
    }
}

#[test]
fn refusal_is_logged_and_asterisk_passes() {
    let proxy = Proxy::start("query=nul", "/denied", "error");
    assert_eq!(proxy.ask("OPTIONS", b"*"), (200, "*".to_owned()));
    assert_eq!(proxy.ask("GET", b"/user/%00\"").0, 400);
    assert_eq!(proxy.ask("GET", b"/?%00").0, 400);
    assert_eq!(proxy.ask("GET", b"/a%5cb").0, 400);
    let log = proxy.log();
    for line in [
        r#"refused: nul,control at byte 6 of path: "/user/%00\"""#,
        r#"refused: nul at byte 0 of query: "%00""#,
        r#"refused: backslash at byte 2 of path: "/a%5cb""#,
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
}

/// Whether an origin may take a target for one below /admin: decoded once, dot segments resolved; as the policy does,
/// parameters cut off, backslashes taken for slashes, and empty segments left out.
fn is_below_admin(target: &str, name: &str) -> bool {
    let path = target.split('?').next().unwrap_or_default();
    let decoded = simdpct::Decoder::new().lenient().decode(path).expect("lenient").into_owned();
    let is_slash = |&byte: &u8| byte == b'/' || byte == b'\\' && name == "envoy";
    let mut segments: Vec<&[u8]> = Vec::new();
    for segment in decoded.split(is_slash).skip(1).filter(|segment| name == "rfc3986" || !segment.is_empty()) {
        let start = segment.split(|&byte| byte == b';').next().unwrap_or_default();
        let cuts = name == "strict" || matches!(name, "default" | "envoy") && matches!(start, b"." | b"..");
        match if cuts { start } else { segment } {
            b"." => {}
            b".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    segments.first() == Some(&&b"admin"[..])
}

/// What a rule of `request_filter` decides on is what the origin gets: random targets, every preset.
#[test]
fn no_random_target_passes_a_rule_for_a_prefix() {
    const SYMBOLS: [&str; 23] = [
        "/", "//", "/.", "/..", ".", "..", ";", ";x", "%2F", "%2f", "%2e", "%5C", "\\", "%3B", "%25", "%252e", "?",
        "%3F", "%23", "a", "admin", "%61dmin", "/admin/x",
    ];
    let mut state = std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64);
    println!("seed {state}");
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize % below
    };
    for &(name, _) in PathPolicy::PRESETS {
        let proxy = Proxy::start(name, "/admin", "off");
        let (mut passed, mut denied) = (0, 0);
        for _ in 0..2000 {
            let count = 1 + next(7);
            let target = format!("/{}", (0..count).map(|_| SYMBOLS[next(SYMBOLS.len())]).collect::<String>());
            match proxy.ask("GET", target.as_bytes()) {
                (200, forwarded) => {
                    passed += 1;
                    assert!(!is_below_admin(&forwarded, name), "{name}: {target} as {forwarded}");
                }
                (403, _) => denied += 1,
                (status, _) => assert_eq!(status, 400, "{name}: {target}"),
            }
        }
        assert!(passed > 5 && denied > 5, "{name}: {passed} passed, {denied} denied");
    }
}
