//! The layer in running servers of hyper and axum, on the loopback interface. Every wait is
//! bounded.

use std::convert::Infallible;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::routing::{any, get};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use simdpct::path::{EncodedSlash, HiddenSegments, PathPolicy, split};
use simdpct::{Kinds, inspect};
use simdpct_tower::{OnRefused, PathFindings, PathGuardLayer, ReceivedUri, Verdict};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tower::{Layer, ServiceExt, service_fn};

#[allow(dead_code, reason = "a program, whose main function the test does not call")]
#[path = "../examples/guarded_router.rs"]
mod guarded_router;

const LIMIT: Duration = Duration::from_secs(60);

/// Runs a test with its servers, which end with the test.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { timeout(LIMIT, test).await.expect("the test ends in time") });
}

async fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    (listener, address)
}

/// Answers with the target as the handler got it, or refuses `CONNECT`, after which hyper sends no
/// body.
fn echo<B>(request: &Request<B>) -> Response<String> {
    let mut response = Response::new(format!("uri={} received={}", request.uri(), ReceivedUri::of(request)));
    if request.method() == Method::CONNECT {
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    }
    if let Some(verdict) = request.extensions().get::<Verdict>() {
        let findings = request.extensions().get::<PathFindings>().expect("reported with the verdict");
        response.body_mut().push_str(&format!(" {verdict} {:?}", findings.path));
    }
    response
}

/// A server of hyper, HTTP/1 or HTTP/2, with the layer. Counts the requests that reach its handler.
async fn hyper_with<R>(layer: PathGuardLayer<R>) -> (SocketAddr, Arc<AtomicUsize>)
where
    R: OnRefused<String> + Clone + Send + Sync + 'static,
{
    let (listener, address) = listener().await;
    let reached = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&reached);
    let service = layer.layer(service_fn(move |request: Request<Incoming>| {
        counter.fetch_add(1, Ordering::Relaxed);
        async move { Ok::<_, Infallible>(echo(&request)) }
    }));
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            let service = TowerToHyperService::new(service.clone());
            tokio::spawn(async move {
                // Clients of these tests may close the connection early.
                let _ = auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    (address, reached)
}

/// The status and the body of the response to a request line.
async fn raw(address: SocketAddr, method: &str, target: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head = [method.as_bytes(), b" ", target, b" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"].concat();
    stream.write_all(&head).await.expect("sent");
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.expect("received");
    let response = String::from_utf8(response).expect("text");
    let (head, body) = response.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, body.to_owned())
}

async fn body(address: SocketAddr, target: &str) -> String {
    let (status, body) = raw(address, "GET", target.as_bytes()).await;
    assert_eq!(status, 200, "{target}: {body}");
    body
}

fn router() -> Router {
    Router::new()
        .route("/admin", get(async || "admin"))
        .route("/user/{name}", get(async |Path(name): Path<String>| format!("{name:?}")))
        .fallback(any(async || (StatusCode::NOT_FOUND, "none")))
}

async fn axum_with<S>(service: S) -> SocketAddr
where
    S: tower::Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let (listener, address) = listener().await;
    let make = axum::ServiceExt::<Request<Body>>::into_make_service(service);
    tokio::spawn(async move { axum::serve(listener, make).await });
    address
}

#[test]
fn axum_routes_canonical_paths_and_handlers_never_see_refused_ones() {
    run(async {
        let plain = axum_with(router()).await;
        let guarded = axum_with(PathGuardLayer::new().layer(router())).await;
        for (target, without, with) in [
            ("/admin", (200, "admin"), (200, "admin")),
            ("/%61dmin", (404, "none"), (200, "admin")),
            ("/a/../admin", (404, "none"), (200, "admin")),
            ("//admin", (404, "none"), (200, "admin")),
            ("http://example.com/a/%2e%2E/%61dmin", (404, "none"), (200, "admin")),
            ("/user/%7ea%20b", (200, r#""~a b""#), (200, r#""~a b""#)),
            ("/user/%252e", (200, r#""%2e""#), (200, r#""%2e""#)),
            ("/user/%00", (200, r#""\0""#), (400, "nul,control at byte 6 of path\n")),
            ("/user/..%5cx", (200, r#""..\\x""#), (400, "backslash at byte 8 of path\n")),
            ("/user/%zz", (200, r#""%zz""#), (400, "malformed at byte 6 of path\n")),
        ] {
            let (status, body) = raw(plain, "GET", target.as_bytes()).await;
            assert_eq!((status, &*body), without, "{target}, without the layer");
            let (status, body) = raw(guarded, "GET", target.as_bytes()).await;
            assert_eq!((status, &*body), with, "{target}");
        }
    });
}

/// The pitfall that the documentation warns of.
#[test]
fn axum_runs_the_layers_of_a_router_after_routing() {
    run(async {
        let inside = axum_with(router().layer(PathGuardLayer::new())).await;
        assert_eq!(raw(inside, "GET", b"/%61dmin").await, (404, "none".to_owned()));
        assert_eq!(raw(inside, "GET", b"/user/%00").await.0, 400);
    });
}

/// The other pitfall: an encoded slash within a segment.
#[test]
fn axum_decodes_encoded_slash_unless_refused() {
    run(async {
        let kept = axum_with(PathGuardLayer::new().layer(router())).await;
        assert_eq!(body(kept, "/user/a%2fx").await, r#""a/x""#);
        // This is a dot segment for a reader that decodes the slash.
        assert_eq!(raw(kept, "GET", b"/user/..%2fx").await, (400, "dot-segment at byte 6 of path\n".to_owned()));
        let policy = PathPolicy::DEFAULT.slash(EncodedSlash::Refuse);
        let refused = axum_with(PathGuardLayer::new().policy(policy).layer(router())).await;
        assert_eq!(raw(refused, "GET", b"/user/a%2fx").await, (400, "encoded-slash at byte 7 of path\n".to_owned()));
    });
}

#[test]
fn hyper_handler_gets_canonical_path_and_the_received_target() {
    run(async {
        let (address, reached) = hyper_with(PathGuardLayer::new()).await;
        assert_eq!(body(address, "/%61//b?/../c").await, "uri=/a/b?/../c received=/%61//b?/../c");
        assert_eq!(body(address, "/a?b").await, "uri=/a?b received=/a?b");
        assert_eq!(
            body(address, "http://other.example/a/%2e/b").await,
            "uri=http://other.example/a/b received=http://other.example/a/%2e/b"
        );
        assert_eq!(reached.load(Ordering::Relaxed), 3);
        for target in ["/user/%00", "/user/%zz", "/user/..%5cx", "/..", "*", "example.com:80"] {
            assert_eq!(raw(address, "GET", target.as_bytes()).await.0, 400, "{target}");
        }
        assert_eq!(reached.load(Ordering::Relaxed), 3);
    });
}

#[test]
fn hyper_passes_asterisk_and_authority_forms_to_the_handler() {
    run(async {
        let (address, reached) = hyper_with(PathGuardLayer::new().policy(PathPolicy::STRICT)).await;
        assert_eq!(raw(address, "OPTIONS", b"*").await, (200, "uri=* received=*".to_owned()));
        let (status, body) = raw(address, "CONNECT", b"example.com:443").await;
        assert_eq!((status, &*body), (405, "uri=example.com:443 received=example.com:443"));
        assert_eq!(reached.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn hyper_handler_gets_verdicts_if_only_reported() {
    run(async {
        let (address, _) = hyper_with(PathGuardLayer::new().refuse_query(Kinds::NUL).report_only()).await;
        for (target, verdict) in [
            ("/a", "unchanged"),
            ("/%61/../b", "rewritten: /b"),
            ("/user/%00", r#"refused: nul,control at byte 6 of path: "/user/%00""#),
            ("/a?x=%00", r#"refused: nul at byte 2 of query: "x=%00""#),
        ] {
            let (path, _) = split(target.as_bytes());
            let expected =
                format!("uri={target} received={target} {verdict} {:?}", inspect(path).kinds_among(Kinds::EVERY));
            assert_eq!(body(address, target).await, expected);
        }
    });
}

#[test]
fn hyper_sends_custom_response_and_the_line_for_the_log() {
    run(async {
        let layer = PathGuardLayer::new().on_refused(|request, refusal| {
            let line = format!("{} {:?} {refusal}", request.method, request.version);
            Response::builder().status(StatusCode::NOT_FOUND).body(line).unwrap()
        });
        let (address, reached) = hyper_with(layer).await;
        let (status, body) = raw(address, "POST", "/caf\u{e9}\"%00".as_bytes()).await;
        assert_eq!(status, 404);
        assert_eq!(body, r#"POST HTTP/1.1 refused: nul,control at byte 7 of path: "/caf\xc3\xa9\"%00""#);
        assert_eq!(reached.load(Ordering::Relaxed), 0);
    });
}

#[test]
fn http2_is_guarded_alike() {
    run(async {
        let (address, reached) = hyper_with(PathGuardLayer::new()).await;
        let stream = TcpStream::connect(address).await.expect("a connection");
        let (mut sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
        tokio::spawn(connection);
        for (method, target, expected) in [
            (Method::GET, "http://h/a/../%61dmin?b", (200, "uri=http://h/admin?b received=http://h/a/../%61dmin?b")),
            (Method::GET, "http://h/user/%00", (400, "nul,control at byte 6 of path\n")),
            (Method::GET, "http://h/user/..%5cx", (400, "backslash at byte 8 of path\n")),
        ] {
            let request = Request::builder().method(method).uri(target).body(Empty::<Bytes>::new()).unwrap();
            let response = sender.send_request(request).await.expect("a response");
            assert_eq!(response.version(), http::Version::HTTP_2);
            let status = response.status().as_u16();
            let body = response.into_body().collect().await.expect("a body").to_bytes();
            assert_eq!((status, &*String::from_utf8_lossy(&body)), expected, "{target}");
        }
        assert_eq!(reached.load(Ordering::Relaxed), 1);
    });
}

/// The targets of the table, `\xHH` undone.
fn targets() -> Vec<Vec<u8>> {
    let unescaped = |text: &str| {
        let mut parts = text.split("\\x");
        let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            bytes.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
            bytes.extend_from_slice(&part.as_bytes()[2..]);
        }
        bytes
    };
    let table = include_str!("../../../tests/data/path-confusion.tsv");
    table.lines().skip(1).map(|row| unescaped(row.split('\t').next().unwrap_or_default())).collect()
}

#[test]
fn targets_that_servers_disagree_about_end_refused_or_canonical() {
    let targets = targets();
    assert_eq!(targets.len(), 50);
    for &(name, policy) in PathPolicy::PRESETS {
        // A guard refuses hidden segments under every policy.
        let policy = policy.hidden_segments(HiddenSegments::Refuse);
        run(async {
            let (address, reached) = hyper_with(PathGuardLayer::new().policy(policy)).await;
            let mut passed = 0;
            for target in &targets {
                let target = std::str::from_utf8(target).expect("text");
                // http drops a fragment.
                let (without_fragment, _) = target.split_once('#').unwrap_or((target, ""));
                let (origin, path_and_query) = match without_fragment.strip_prefix("http://other.example") {
                    Some(rest) => ("http://other.example", rest),
                    None => ("", without_fragment),
                };
                let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
                let (status, body) = raw(address, "GET", target.as_bytes()).await;
                match policy.canonicalize(path) {
                    Ok(canonical) => {
                        passed += 1;
                        let mark = if path_and_query.contains('?') { "?" } else { "" };
                        let expected = format!("uri={origin}{canonical}{mark}{query} received={without_fragment}");
                        assert_eq!((status, body), (200, expected), "{name}: {target}");
                        assert!(policy.is_canonical(canonical.as_bytes()), "{name}: {target}");
                    }
                    // A target that is not a path is refused as a whole.
                    Err(error) => {
                        assert_eq!(status, 400, "{name}: {target}: {body}");
                        let part = if path.starts_with('/') { "path" } else { "target" };
                        let end = format!(" at byte {} of {part}\n", error.position);
                        assert!(body.ends_with(&end), "{target}: {body}");
                    }
                }
            }
            assert_eq!(reached.load(Ordering::Relaxed), passed, "{name}");
        });
    }
}

#[test]
fn example_routes_canonical_paths_and_refuses_others() {
    run(async {
        for (target, status, text) in [
            ("/a/..//%61dmin", StatusCode::FORBIDDEN, "forbidden"),
            ("/user/..%5cx", StatusCode::BAD_REQUEST, ""),
            ("/user/%252e", StatusCode::BAD_REQUEST, ""),
            ("/user/caf%C3%A9", StatusCode::OK, "hello, café"),
        ] {
            let request = Request::get(target).body(Body::empty()).expect("a valid target");
            let response = guarded_router::service().oneshot(request).await.expect("the service never fails");
            assert_eq!(response.status(), status, "{target}");
            let body = response.into_body().collect().await.expect("a body").to_bytes();
            assert!(text.is_empty() || body == text, "{target}: {body:?}");
        }
    });
}
