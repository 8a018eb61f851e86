//! Decisions of the layer, and its changes to requests, without a server.

use std::convert::Infallible;
use std::fmt::Write;
use std::future::{Future, ready};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use http::{Method, Request, Response, StatusCode, Uri};
use proptest::prelude::*;
use proptest::sample::select;
use simdpct::path::{
    Backslash, DotSegments, EmptySegments, EncodedSlash, HiddenSegments, IllegalBytes, Parameters, PathErrorKind,
    PathPolicy,
};
use simdpct::{Kinds, Malformed, inspect};
use simdpct_tower::{OnRefused, PathFindings, PathGuardLayer, Reason, ReceivedUri, Refusal, Verdict};
use tower::{Layer, Service, service_fn};

/// The output of a future that is ready immediately.
fn output<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the service answers at once"),
    }
}

/// Sends a request through the layer. Returns the request that the service got, or the response if
/// the service got none.
fn passed<R>(layer: &PathGuardLayer<R>, request: Request<()>) -> Result<Request<()>, Box<Response<String>>>
where
    R: OnRefused<String> + Clone,
{
    let mut got = None;
    let service = service_fn(|request: Request<()>| {
        got = Some(request);
        ready(Ok::<_, Infallible>(Response::new(String::new())))
    });
    let mut guard = layer.layer(service);
    let response = output(guard.call(request));
    drop(guard);
    match (got, response) {
        (Some(request), _) => Ok(request),
        (None, Ok(response)) => Err(Box::new(response)),
        (None, Err(never)) => match never {},
    }
}

fn get(target: &str) -> Request<()> {
    Request::get(target).body(()).expect("a valid target")
}

fn refusal<R>(layer: &PathGuardLayer<R>, method: Method, target: &str) -> Refusal {
    match layer.verdict(&method, &target.parse().expect("a valid target")) {
        Verdict::Refused(refusal) => refusal,
        verdict => panic!("{target}: {verdict:?}"),
    }
}

const GUARD: PathGuardLayer = PathGuardLayer::new();

#[test]
fn path_not_canonical_is_rewritten_and_the_received_target_kept() {
    for (received, expected) in [
        ("/%61dmin", "/admin"),
        ("/a/../admin", "/admin"),
        ("/a//b/./c?x=/../%2e", "/a/b/c?x=/../%2e"),
        ("/%7e?", "/~?"),
        ("http://example.com:80/a/%2e%2e/b%2f?q", "http://example.com:80/b%2F?q"),
        ("/{a}\"", "/%7Ba%7D%22"),
        ("/caf\u{e9}", "/caf%C3%A9"),
    ] {
        let request = passed(&GUARD, get(received)).expect("passed");
        assert_eq!(request.uri().to_string(), expected, "{received}");
        assert_eq!(request.extensions().get(), Some(&ReceivedUri(received.parse().unwrap())), "{received}");
        assert_eq!(ReceivedUri::of(&request), received);
    }
}

#[test]
fn canonical_path_passes_without_extensions() {
    for target in ["/", "/admin?x=%zz", "/b%2F;a", "http://example.com", "http://example.com?q", "/a/?/../b"] {
        let request = passed(&GUARD, get(target)).expect("passed");
        assert_eq!(request.uri(), target);
        assert_eq!(request.uri().query(), target.split_once('?').map(|(_, query)| query));
        assert!(request.extensions().is_empty(), "{target}");
        assert_eq!(ReceivedUri::of(&request), target);
    }
}

#[test]
fn refused_path_never_reaches_the_service_and_gets_a_status_and_a_summary() {
    for (target, summary) in [
        ("/user/%00", "nul,control at byte 6 of path"),
        ("/user/%zz", "malformed at byte 6 of path"),
        ("/user/..%5cx", "backslash at byte 8 of path"),
        ("/user/..\\x", "backslash at byte 8 of path"),
        ("http://h/a/%ff", "invalid-utf8 at byte 3 of path"),
        ("/a/../../b?c", "above-root at byte 6 of path"),
    ] {
        let response = passed(&GUARD, get(target)).expect_err(target);
        assert_eq!(response.status(), StatusCode::BAD_REQUEST);
        assert!(response.headers().is_empty());
        assert_eq!(*response.body(), format!("{summary}\n"), "{target}");
    }
}

/// RFC 9112 3.2.3 and 3.2.4.
#[test]
fn targets_without_a_path_pass_with_their_methods_only() {
    for (method, target, is_passed) in [
        (Method::OPTIONS, "*", true),
        (Method::GET, "*", false),
        (Method::CONNECT, "*", false),
        (Method::CONNECT, "example.com:443", true),
        (Method::CONNECT, "example.com", false),
        (Method::GET, "example.com:443", false),
        (Method::OPTIONS, "example.com", false),
        (Method::OPTIONS, "/", true),
        (Method::OPTIONS, "http://example.com", true),
    ] {
        let request = Request::builder().method(method.clone()).uri(target).body(()).unwrap();
        match passed(&GUARD, request) {
            Ok(request) => {
                assert!(is_passed, "{method} {target}");
                assert_eq!(request.uri(), target);
                assert!(request.extensions().is_empty());
            }
            Err(response) => {
                assert!(!is_passed, "{method} {target}");
                assert_eq!(response.body(), "not-absolute at byte 0 of target\n");
            }
        }
    }
    // HTTP/2 has a scheme and an authority beside the asterisk (RFC 9113 8.3.1).
    let asterisk = Uri::builder().scheme("http").authority("example.com").path_and_query("*").build().unwrap();
    assert!(passed(&GUARD, Request::options(asterisk.clone()).body(()).unwrap()).is_ok());
    assert!(passed(&GUARD, Request::get(asterisk).body(()).unwrap()).is_err());
    // Extended CONNECT (RFC 8441 4) has a path.
    let request = Request::connect("https://example.com/%61").body(()).unwrap();
    assert_eq!(passed(&GUARD, request).unwrap().uri(), "https://example.com/a");
}

/// RFC 9110 4.2.4.
#[test]
fn user_information_is_refused_with_its_position() {
    for (method, target, position) in [
        (Method::GET, "http://user@example.com/a", 11),
        (Method::GET, "https://user:password@example.com", 21),
        (Method::OPTIONS, "http://@example.com/", 7),
        (Method::CONNECT, "user@example.com:443", 4),
    ] {
        let request = Request::builder().method(method).uri(target).body(()).unwrap();
        let response = passed(&GUARD, request).expect_err(target);
        assert_eq!(*response.body(), format!("illegal-byte 0x40 at byte {position} of target\n"), "{target}");
    }
}

#[test]
fn double_encoding_is_kept_or_refused_by_policy() {
    assert_eq!(passed(&GUARD, get("/a%252fb")).unwrap().uri(), "/a%252fb");
    let refusing = GUARD.refuse_path(Kinds::PERCENT);
    assert_eq!(passed(&refusing, get("/a%252fb")).unwrap_err().body(), "percent at byte 2 of path\n");
    assert!(passed(&GUARD.policy(PathPolicy::STRICT), get("/a%252fb")).is_err());
}

#[test]
fn kinds_add_to_the_policy_in_any_order() {
    let policy = PathPolicy::NGINX;
    for layer in [
        GUARD.policy(policy).refuse_path(Kinds::SLASH).refuse_path(Kinds::DOT),
        GUARD.refuse_path(Kinds::SLASH).policy(policy).refuse_path(Kinds::DOT),
        GUARD.refuse_path(Kinds::SLASH | Kinds::DOT).policy(policy),
        GUARD.refuse_path(Kinds::SLASH).refuse_path(Kinds::DOT).policy(policy),
    ] {
        for target in ["/%2f", "/%2e", "/%00"] {
            assert!(passed(&layer, get(target)).is_err(), "{target}");
        }
        assert_eq!(passed(&layer, get("/%41%0a%5c")).unwrap().uri(), "/A%0A%5C");
    }
    // The kinds belong to the new policy, not to the replaced one.
    let layer = GUARD.policy(PathPolicy::STRICT).policy(policy);
    assert!(passed(&layer, get("/%25")).is_ok());
}

#[test]
fn query_is_refused_by_its_own_kinds_after_the_path() {
    let layer = GUARD.refuse_query(Kinds::NUL).refuse_query(Kinds::MALFORMED);
    for (target, expected) in [
        ("/a?x=%00", "nul at byte 2 of query\n"),
        ("/a?x=%2f&y=%zz&z=%00", "malformed,nul at byte 8 of query\n"),
        ("http://h?%", "malformed at byte 0 of query\n"),
        ("/%00?%00", "nul,control at byte 1 of path\n"),
    ] {
        assert_eq!(passed(&layer, get(target)).expect_err(target).body(), expected);
    }
    assert!(passed(&layer, get("/a?x=%0a&y=..%2f%5c")).is_ok());
    assert!(passed(&GUARD, get("/a?x=%00%zz")).is_ok());
}

#[test]
fn findings_are_recorded_on_request() {
    let layer = GUARD.record_findings();
    for target in ["/", "/%7e?%00", "/a/../b%2Fc?a+b"] {
        let request = passed(&layer, get(target)).expect("passed");
        let findings = *request.extensions().get::<PathFindings>().expect("recorded");
        let received: Uri = target.parse().unwrap();
        assert_eq!(findings, PathFindings::of(&received));
        assert_eq!(findings.path, inspect(received.path()).kinds_among(Kinds::EVERY));
        assert_eq!(findings.query, inspect(received.query().unwrap_or("")).kinds_among(Kinds::EVERY));
    }
    assert!(passed(&GUARD, get("/%7e?%00")).unwrap().extensions().get::<PathFindings>().is_none());
}

#[test]
fn report_only_changes_nothing_and_reports_the_verdict() {
    let layer = GUARD.refuse_query(Kinds::NUL).report_only();
    for (target, expected) in [
        ("/a", "unchanged"),
        ("/a/../%61dmin?q", "rewritten: /admin?q"),
        ("/user/%00", r#"refused: nul,control at byte 6 of path: "/user/%00""#),
        ("/?%00", r#"refused: nul at byte 0 of query: "%00""#),
    ] {
        let request = passed(&layer, get(target)).expect("passed");
        assert_eq!(request.uri(), target);
        let extensions = request.extensions();
        assert_eq!(extensions.get(), Some(&PathFindings::of(request.uri())));
        assert_eq!(extensions.get::<ReceivedUri>(), None);
        assert_eq!(extensions.get::<Verdict>().map(ToString::to_string).as_deref(), Some(expected));
    }
}

#[test]
fn custom_response_is_given_the_request_and_the_refusal() {
    let layer = PathGuardLayer::default().on_refused(|request, refusal| {
        let (kind, position) = (refusal.reason, refusal.position);
        let text = format!("{} {} {kind:?} {position}", request.method, request.headers["x"].to_str().unwrap());
        Response::builder().status(StatusCode::NOT_FOUND).header("a", "b").body(text).unwrap()
    });
    let request = Request::delete("/\\").header("x", "y").body(()).unwrap();
    let response = passed(&layer, request).expect_err("refused");
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    assert_eq!(response.headers()["a"], "b");
    assert_eq!(response.body(), "DELETE y Path(Backslash) 1");
    assert!(passed(&layer, get("/%61")).is_ok());
}

#[test]
fn inner_guard_keeps_the_target_that_the_outer_one_received() {
    let outer = passed(&GUARD, get("/%61//b")).unwrap();
    let inner = passed(&GUARD.policy(PathPolicy::NGINX), Request::from_parts(outer.into_parts().0, ()));
    assert_eq!(ReceivedUri::of(&inner.unwrap()), "/%61//b");

    let outer = passed(&GUARD.policy(PathPolicy::RFC3986), get("/%61//b")).unwrap();
    assert_eq!(outer.uri(), "/a//b");
    let inner = passed(&GUARD, outer).unwrap();
    assert_eq!(inner.uri(), "/a/b");
    assert_eq!(ReceivedUri::of(&inner), "/%61//b");
}

/// `http::Uri` holds up to 65,534 bytes.
#[test]
fn canonical_path_too_long_is_refused() {
    let longest = format!("/{}", "\"".repeat(21_844));
    assert_eq!(passed(&GUARD, get(&longest)).unwrap().uri().path().len(), 65_533);
    let response = passed(&GUARD, get(&format!("{longest}\""))).expect_err("too long");
    assert_eq!(response.status(), StatusCode::URI_TOO_LONG);
    assert_eq!(response.body(), "canonical path too long\n");
    assert!(passed(&GUARD, get(&format!("{longest}?"))).is_ok());
    assert!(passed(&GUARD, get(&format!("{longest}?a"))).is_err());
}

#[test]
fn refusal_quotes_an_excerpt_around_the_position() {
    let (a, b) = ("a".repeat(300), "b".repeat(300));
    let shown = |target: &str| refusal(&GUARD, Method::GET, target).to_string();
    assert_eq!(
        shown(&format!("/{a}%00{b}")),
        format!("refused: nul,control at byte 301 of path: ...\"{}%00{}\"...", &a[..64], &b[..61]),
    );
    assert_eq!(shown(&format!("/%00{b}")), format!("refused: nul,control at byte 1 of path: \"/%00{}\"...", &b[..124]),);
    assert_eq!(
        shown(&format!("/{a}%00")),
        format!("refused: nul,control at byte 301 of path: ...\"{}%00\"", &a[..125]),
    );
    let exact = format!("/{}%00", &a[..124]);
    assert_eq!(shown(&exact), format!("refused: nul,control at byte 125 of path: \"{exact}\""));
    assert_eq!(shown("/\"%00\u{e9}\\"), r#"refused: nul,control at byte 2 of path: "/\"%00\xc3\xa9\\""#);
}

fn any_policy() -> impl Strategy<Value = PathPolicy> {
    let presets: Vec<_> = PathPolicy::PRESETS.iter().map(|&(_, policy)| policy).collect();
    prop_oneof![
        select(presets),
        (
            select(vec![Malformed::Refuse, Malformed::Keep, Malformed::Escape]),
            select(vec![EncodedSlash::Keep, EncodedSlash::Decode, EncodedSlash::Refuse]),
            select(vec![Backslash::Keep, Backslash::ToSlash, Backslash::Refuse]),
            select(vec![DotSegments::Keep, DotSegments::Remove, DotSegments::Clamp, DotSegments::Refuse]),
            select(vec![EmptySegments::Keep, EmptySegments::Merge, EmptySegments::Refuse]),
            select(vec![Parameters::Keep, Parameters::StripFromDots, Parameters::Strip, Parameters::Refuse]),
            select(vec![IllegalBytes::Keep, IllegalBytes::Escape, IllegalBytes::Refuse]),
        )
            .prop_map(|(malformed, slash, backslash, dots, empty, parameters, illegal)| {
                PathPolicy::new()
                    .refuse(Kinds::NONE)
                    .malformed(malformed)
                    .slash(slash)
                    .backslash(backslash)
                    .dot_segments(dots)
                    .empty_segments(empty)
                    .parameters(parameters)
                    .illegal(illegal)
            }),
    ]
}

/// Texts of the bytes that matter and that `http` allows in paths.
fn any_path() -> impl Strategy<Value = String> {
    let pieces =
        vec!["/", ".", "%2e", "%2F", "%5c", "\\", "%", "%00", "%41", "%25", ";", "a", "4", "|", "\u{e9}", "%ff", "%3f"];
    prop::collection::vec(select(pieces), 0..12).prop_map(|pieces| format!("/{}", pieces.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn path_is_what_the_policy_makes_of_it(
        policy in any_policy(),
        kinds in select(vec![Kinds::NONE, Kinds::PERCENT, Kinds::DOT, Kinds::NON_ASCII]),
        path in any_path(),
        query in select(vec![None, Some(""), Some("/../%00?%2f"), Some("\u{e9}=%")]),
        origin in select(vec!["", "http://example.com", "https://b:1"]),
    ) {
        let mut received = format!("{origin}{path}");
        if let Some(query) = query {
            write!(received, "?{query}").unwrap();
        }
        // A guard refuses hidden segments under every policy.
        let expected = policy.refuse(policy.refused() | kinds).hidden_segments(HiddenSegments::Refuse);
        let expected = expected.canonicalize(&path);
        let request = get(&received);
        prop_assert_eq!(request.uri().path(), &path);
        let layer = GUARD.policy(policy).refuse_path(kinds);
        if let Err(error) = &expected {
            let refusal = refusal(&layer, Method::GET, &received);
            prop_assert_eq!((refusal.reason, refusal.position), (Reason::Path(error.kind), error.position));
            prop_assert!(refusal.to_string().bytes().all(|byte| matches!(byte, b' '..=b'~')));
        }
        match (expected, passed(&layer, request)) {
            (Ok(expected), Ok(request)) => {
                prop_assert_eq!(request.uri().path(), &*expected);
                prop_assert_eq!(request.uri().query(), query);
                prop_assert_eq!(request.extensions().get::<ReceivedUri>().is_some(), path != *expected);
                prop_assert_eq!(ReceivedUri::of(&request), received.as_str());
                prop_assert_eq!(request.uri().scheme_str(), origin.split_once("://").map(|(scheme, _)| scheme));
                let authority = request.uri().authority().map(|authority| authority.as_str());
                prop_assert_eq!(authority, origin.split_once("//").map(|(_, authority)| authority));
                // A second decision changes nothing.
                let again = passed(&layer, request).expect("canonical");
                prop_assert_eq!(again.uri().path(), &*expected);
            }
            (Err(_), Err(response)) => prop_assert_eq!(response.status(), StatusCode::BAD_REQUEST),
            (expected, found) => prop_assert!(false, "{expected:?}, {found:?}"),
        }
    }
}

#[test]
fn not_absolute_is_the_reason_without_a_path() {
    let refusal = refusal(&GUARD, Method::POST, "*");
    assert_eq!((refusal.reason, refusal.position), (Reason::Target(PathErrorKind::NotAbsolute), 0));
    assert_eq!(refusal.target, "*");
    assert_eq!(refusal.to_string(), r#"refused: not-absolute at byte 0 of target: "*""#);
}
