//! Rule against origin: axum's router decides on the same path that an origin gets. A router denies
//! `/admin` and all paths below it, by routes or by a middleware. An origin must not read a
//! forwarded target as a denied path.

mod common;

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use http::{StatusCode, Uri};
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper_util::rt::{TokioExecutor, TokioIo};
use simdpct_tower::PathGuardLayer;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tower::Layer;

use common::{Origin, seed, targets};

const PRESETS: [&str; 6] = ["default", "strict", "rfc3986", "nginx", "envoy", "lighttpd"];
const LIMIT: Duration = Duration::from_secs(120);
const COUNT: usize = 2000;

/// Plays an origin: answers with the target that would be forwarded.
async fn forward(target: Uri) -> String {
    target.to_string()
}

/// A rule by routes, as axum documents them.
fn with_routes() -> Router {
    let denied = any(async || StatusCode::FORBIDDEN);
    Router::new()
        .route("/admin", denied.clone())
        .route("/admin/", denied.clone())
        .route("/admin/{*rest}", denied)
        .fallback(forward)
}

/// A rule by a middleware, on the path decoded once.
fn with_middleware() -> Router {
    async fn deny(request: Request, next: Next) -> Response {
        let is_admin = match simdpct::decode_utf8(request.uri().path()) {
            Ok(path) => path == "/admin" || path.starts_with("/admin/"),
            Err(_) => true,
        };
        if is_admin { StatusCode::FORBIDDEN.into_response() } else { next.run(request).await }
    }
    Router::new().fallback(forward).layer(from_fn(deny))
}

async fn serve<S>(service: S) -> SocketAddr
where
    S: tower::Service<Request, Response = http::Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let make = axum::ServiceExt::<Request>::into_make_service(service);
    tokio::spawn(async move { axum::serve(listener, make).await });
    address
}

/// The status and the body of the response to each target, on as few connections as the server
/// allows.
async fn ask_http1(address: SocketAddr, targets: &[String]) -> Vec<(u16, String)> {
    let (mut answers, mut connection) = (Vec::new(), None);
    for target in targets {
        let mut stream = match connection.take() {
            Some(stream) => stream,
            None => BufReader::new(TcpStream::connect(address).await.expect("a connection")),
        };
        stream.write_all(format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).await.expect("sent");
        let (mut line, mut length, mut status, mut is_open) = (String::new(), 0, 0, true);
        loop {
            line.clear();
            stream.read_line(&mut line).await.expect("a line");
            let field = line.trim_end().to_ascii_lowercase();
            match field.split_once(": ") {
                _ if field.is_empty() => break,
                Some(("content-length", value)) => length = value.parse().expect("a length"),
                Some(("connection", "close")) => is_open = false,
                None => status = field.split(' ').nth(1).expect("a status").parse().expect("a number"),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.expect("a body");
        answers.push((status, String::from_utf8(body).expect("text")));
        connection = is_open.then_some(stream);
    }
    answers
}

/// Same as [`ask_http1`], by HTTP/2. The status is 0 if the client does not send the target.
async fn ask_http2(address: SocketAddr, targets: &[String]) -> Vec<(u16, String)> {
    let stream = TcpStream::connect(address).await.expect("a connection");
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
    tokio::spawn(connection);
    let mut answers = Vec::new();
    for target in targets {
        let uri = if target.starts_with('/') { format!("http://localhost{target}") } else { target.clone() };
        let Ok(request) = http::Request::get(uri).body(Empty::<Bytes>::new()) else {
            answers.push((0, String::new()));
            continue;
        };
        let response = sender.send_request(request).await.expect("a response");
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        answers.push((status, String::from_utf8(body.into()).expect("text")));
    }
    answers
}

/// Sends targets to a router behind a guard. Returns the forwarded targets, and the forwarded
/// targets that an origin may read as denied paths.
fn outcome(router: Router, guard: Option<&str>, preset: &str, seed: u64) -> (usize, Vec<String>) {
    let targets = targets(COUNT, seed);
    let origin = Origin::of(preset);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let exchange = async {
            let address = match guard {
                Some(text) => {
                    serve(PathGuardLayer::new().policy(text.parse().expect("a valid text")).layer(router)).await
                }
                None => serve(router).await,
            };
            [ask_http1(address, &targets).await, ask_http2(address, &targets).await].concat()
        };
        let answers = timeout(LIMIT, exchange).await.expect("in time");
        let count = |status| answers.iter().filter(|answer| answer.0 == status).count();
        // "strict" refuses most of them.
        assert!(count(200) > COUNT / 400 && count(403) > COUNT / 400, "{guard:?}: {} {}", count(200), count(403));
        let forwarded = answers.iter().filter(|answer| answer.0 == 200).map(|(_, target)| target);
        (count(200), forwarded.filter(|target| origin.may_read_admin(target)).cloned().collect())
    })
}

#[test]
fn no_target_passes_routes_with_encoded_slashes_refused() {
    for preset in PRESETS {
        let seed = seed();
        let (_, bypasses) = outcome(with_routes(), Some(&format!("{preset} slash=refuse")), preset, seed);
        assert!(bypasses.is_empty(), "{preset}, seed {seed}: {bypasses:?}");
    }
}

/// With `slash=keep`, a rule has to look at the path decoded once.
#[test]
fn no_target_passes_a_rule_on_the_decoded_path() {
    for preset in PRESETS {
        let seed = seed();
        let (_, bypasses) = outcome(with_middleware(), Some(preset), preset, seed);
        assert!(bypasses.is_empty(), "{preset}, seed {seed}: {bypasses:?}");
    }
}

/// Shows that the tests above could fail. Without a guard, targets pass the rules. With encoded
/// slashes, targets pass the routes, which are matched undecoded.
#[test]
fn targets_pass_rules_without_a_guard() {
    let seed = seed();
    for (router, guard, expected) in [
        (with_routes(), None, "/%61dmin"),
        (with_middleware(), None, "//admin/x"),
        (with_routes(), Some("default"), "/admin%2Fx"),
    ] {
        let preset = guard.unwrap_or("default");
        let (forwarded, bypasses) = outcome(router, guard, preset, seed);
        let has = bypasses.iter().any(|target| target.ends_with(expected));
        assert!(has, "{guard:?}, {forwarded}, seed {seed}: {bypasses:?}");
    }
}
