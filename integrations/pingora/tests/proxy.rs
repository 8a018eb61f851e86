//! The running proxy before an origin that answers with the request line, on the loopback
//! interface.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use simdpct::path::{HiddenSegments, PathPolicy};

#[path = "../../../crates/tower/tests/common/mod.rs"]
mod common;

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
    /// Starts it with a guard, a prefix whose paths a rule denies, and a level of the log. The log
    /// is not read while the proxy runs, so that it must fit into a pipe.
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

    /// Returns the status, and the target that the origin got.
    fn ask(&self, method: &str, target: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.1).expect("a connection");
        stream.set_read_timeout(Some(LIMIT)).expect("a limit");
        let head = [method.as_bytes(), b" ", target, b" HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n"];
        stream.write_all(&head.concat()).expect("sent");
        let mut response = Vec::new();
        let received = stream.read_to_end(&mut response);
        assert!(received.is_ok(), "{received:?}: {}", String::from_utf8_lossy(target));
        let response = String::from_utf8_lossy(&response);
        let (head, body) = response.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, body.split(' ').nth(1).unwrap_or_default().to_owned())
    }

    /// Stops the proxy, and returns its log.
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
        // A guard refuses hidden segments under every policy.
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

/// Sends targets to a proxy that denies `/admin`. Returns the forwarded targets that the origin may
/// take for `/admin` or a path below it.
fn bypasses(guard: &str, preset: &str, seed: u64) -> Vec<String> {
    let (proxy, origin) = (Proxy::start(guard, "/admin", "off"), common::Origin::of(preset));
    let targets = common::targets(2000, seed);
    let answers: Vec<_> = targets.iter().map(|target| proxy.ask("GET", target.as_bytes())).collect();
    let count = |status| answers.iter().filter(|answer| answer.0 == status).count();
    // "strict" refuses most of them.
    assert!(count(200) > 5 && count(403) > 5, "{guard}: {} {}", count(200), count(403));
    assert_eq!(count(200) + count(400) + count(403), targets.len(), "{guard}");
    let forwarded = answers.into_iter().filter(|&(status, _)| status == 200).map(|(_, target)| target);
    forwarded.filter(|target| origin.may_read_admin(target)).collect()
}

/// A rule of `request_filter` decides on the same target that the origin gets.
#[test]
fn no_random_target_passes_a_rule() {
    for (preset, _) in PathPolicy::PRESETS {
        let seed = common::seed();
        let bypasses = bypasses(&format!("query=nul {preset}"), preset, seed);
        assert!(bypasses.is_empty(), "{preset}, seed {seed}: {bypasses:?}");
    }
}

/// Shows that the test above can fail.
#[test]
fn targets_pass_a_rule_without_a_policy_or_with_hidden_segments() {
    for (guard, preset, expected) in
        [("off", "default", "/x/%2e%2e/admin"), ("rfc3986 hidden-segments=keep", "rfc3986", "/public/..%2Fadmin")]
    {
        let bypasses = bypasses(guard, preset, common::seed());
        assert!(bypasses.iter().any(|target| target == expected), "{guard}: {bypasses:?}");
    }
}
