//! `RequestGuard`: agreement with the policy and with inspection for every form of target, its
//! text, and its lines.

use proptest::prelude::*;
use proptest::sample::select;
use simdpct::path::{
    Action, HiddenSegments, PathErrorKind, PathPolicy, Refusal, RequestGuard, RequestMethod, Target, TargetPart, split,
};
use simdpct::{Kinds, Malformed, sets};

use crate::common::is_quick;
use crate::common::path::every_policy;
use crate::common::strategies::any_level;
use crate::common::target::{compare_guard, compare_split};

/// The action as text: `pass`, the new target, or the line for a log.
fn decision(guard: &RequestGuard, method: RequestMethod, target: &str) -> String {
    let mut output = vec![0; RequestGuard::output_len_bound(target.len())];
    let verdict = guard.check(method, target.as_bytes(), &mut output);
    match (verdict.action, verdict.refusal) {
        (Action::Pass, None) => "pass".to_owned(),
        (Action::Pass, Some(refusal)) => format!("pass, {}", refusal.line(target.as_bytes())),
        (Action::Rewrite(target), None) => str::from_utf8(target).expect("text").to_owned(),
        (Action::Refuse, Some(refusal)) => refusal.line(target.as_bytes()).to_string(),
        (action, refusal) => panic!("{action:?}, {refusal:?}"),
    }
}

const ANY: RequestMethod = RequestMethod::Other;

#[test]
fn targets_of_each_form_pass_are_rewritten_or_refused() {
    let guard = RequestGuard::new().refuse_in_query(Kinds::NUL | Kinds::MALFORMED);
    for (method, target, expected) in [
        (ANY, "/a/b?c=d", "pass"),
        (ANY, "/a%2Fb", "pass"),
        (ANY, "/a/../b?c=/../d", "/b?c=/../d"),
        (ANY, "/%7euser", "/~user"),
        (ANY, "/a b?c d", "/a%20b?c d"),
        (ANY, "//host/path", "/host/path"),
        (ANY, "/?", "pass"),
        // Absolute form (RFC 9112 3.2.2).
        (ANY, "http://host/a/../b?c", "http://host/b?c"),
        (ANY, "HTTP://[::1]:80/a", "pass"),
        (ANY, "http://host", "http://host/"),
        (ANY, "http://host?c", "http://host/?c"),
        (ANY, "http://host/%00", r#"refused: nul,control at byte 1 of path: "/%00""#),
        (ANY, "http://host/?a=%00", r#"refused: nul at byte 2 of query: "a=%00""#),
        (ANY, "http://a@host/", r#"refused: illegal-byte 0x40 at byte 8 of target: "http://a@host/""#),
        (ANY, r"http://a\b/", r#"refused: illegal-byte 0x5C at byte 8 of target: "http://a\\b/""#),
        (ANY, "http:///a", r#"refused: not-absolute at byte 7 of target: "http:///a""#),
        (ANY, "http://:80/a", r#"refused: not-absolute at byte 7 of target: "http://:80/a""#),
        (ANY, "http:/a", r#"refused: not-absolute at byte 0 of target: "http:/a""#),
        (ANY, "a/b", r#"refused: not-absolute at byte 0 of target: "a/b""#),
        (ANY, "", r#"refused: not-absolute at byte 0 of target: """#),
        (ANY, "*", r#"refused: not-absolute at byte 0 of target: "*""#),
        // Asterisk form and authority form (3.2.3, 3.2.4).
        (RequestMethod::Options, "*", "pass"),
        (RequestMethod::Options, "/a/./b", "/a/b"),
        (RequestMethod::Connect, "host:80", "pass"),
        (RequestMethod::Connect, "[::1]:443", "pass"),
        (RequestMethod::Connect, "host", r#"refused: not-absolute at byte 0 of target: "host""#),
        (RequestMethod::Connect, ":80", r#"refused: not-absolute at byte 0 of target: ":80""#),
        (RequestMethod::Connect, "/a", r#"refused: illegal-byte 0x2F at byte 0 of target: "/a""#),
        (ANY, "host:80", r#"refused: not-absolute at byte 0 of target: "host:80""#),
        // A fragment (3.2: a target has none).
        (ANY, "/a#b", r##"refused: illegal-byte 0x23 at byte 2 of path: "/a#b""##),
        (ANY, "/a?b#c", r##"refused: illegal-byte 0x23 at byte 1 of query: "b#c""##),
        (ANY, "http://host#c", r##"refused: illegal-byte 0x23 at byte 0 of path: "#c""##),
        // The path comes before the query.
        (ANY, "/%00?%00", r#"refused: nul,control at byte 1 of path: "/%00""#),
        (ANY, "/a?%zz", r#"refused: malformed at byte 0 of query: "%zz""#),
        (ANY, "/public/..%2Fadmin", r#"refused: dot-segment at byte 8 of path: "/public/..%2Fadmin""#),
        (ANY, "/a%zz", r#"refused: malformed at byte 2 of path: "/a%zz""#),
        (ANY, "/../a", r#"refused: above-root at byte 1 of path: "/../a""#),
    ] {
        assert_eq!(decision(&guard, method, target), expected, "{method:?} {target}");
    }
}

#[test]
fn guard_that_only_reports_changes_nothing() {
    let guard = RequestGuard::new().report_only();
    for (target, expected) in
        [("/a", "pass"), ("/a/../b", "pass"), ("/%00", r#"pass, refused: nul,control at byte 1 of path: "/%00""#)]
    {
        assert_eq!(decision(&guard, ANY, target), expected);
    }
}

#[test]
fn guard_without_a_policy_refuses_kinds_and_rewrites_nothing() {
    let guard = RequestGuard::new().policy(None).refuse_in_path(RequestGuard::DEFAULT_KINDS);
    for (target, expected) in [
        ("/a/../%7e", "pass"),
        ("http://host", "pass"),
        ("/%5C", r#"refused: backslash at byte 1 of path: "/%5C""#),
        ("/#", r##"refused: illegal-byte 0x23 at byte 1 of path: "/#""##),
    ] {
        assert_eq!(decision(&guard, ANY, target), expected, "{target}");
    }
}

/// Kinds are also added to the kinds of a later policy, but the kinds of a replaced policy are
/// gone.
#[test]
fn kinds_add_to_the_policy_in_any_order() {
    let (base, policy) = (RequestGuard::new(), PathPolicy::NGINX);
    let expected = base.policy(Some(policy.refuse(policy.refused() | Kinds::SLASH | Kinds::DOT)));
    for guard in [
        base.policy(Some(policy)).refuse_in_path(Kinds::SLASH).refuse_in_path(Kinds::DOT),
        base.refuse_in_path(Kinds::SLASH)
            .policy(Some(PathPolicy::STRICT))
            .policy(Some(policy))
            .refuse_in_path(Kinds::DOT),
        base.refuse_in_path(Kinds::SLASH | Kinds::DOT).policy(None).policy(Some(policy)),
    ] {
        for target in ["/%2f", "/%2e", "/%00", "/%41%0a%5c", "/%25"] {
            assert_eq!(decision(&guard, ANY, target), decision(&expected, ANY, target), "{target}");
        }
    }
}

#[test]
fn long_targets_are_quoted_around_the_position() {
    let target = format!("/{}%00{}", "a".repeat(300), "b".repeat(300));
    let line = decision(&RequestGuard::new(), ANY, &target);
    let expected = format!("{}%00{}", "a".repeat(64), "b".repeat(61));
    assert_eq!(line, format!("refused: nul,control at byte 301 of path: ...\"{expected}\"..."));
    let line = Refusal::new(PathErrorKind::Backslash, 1, TargetPart::Path).line(b"/\n\"\\\xff").to_string();
    assert_eq!(line, r#"refused: backslash at byte 1 of path: "/\n\"\\\xff""#);
    // The line for another target does not panic.
    assert!(Refusal::new(PathErrorKind::Backslash, 99, TargetPart::Query).line(b"").to_string().contains("query"));
}

#[test]
fn output_without_room_is_refused() {
    let guard = RequestGuard::new();
    let target = b"http://h/a b?c";
    for room in 0..16 {
        let mut output = vec![0; room];
        let verdict = guard.check(ANY, target, &mut output);
        let refusal = Refusal::new(PathErrorKind::OutputTooSmall { needed: 16 }, 8, TargetPart::Path);
        assert_eq!((verdict.action, verdict.refusal), (Action::Refuse, Some(refusal)), "{room}");
    }
    assert_eq!(guard.check(ANY, target, &mut [0; 16]).action, Action::Rewrite(b"http://h/a%20b?c"));
    // A canonical path needs no memory, even if it has symbols to examine.
    for target in ["/a?b", "/.well-known/a%2Fb;c?d", "http://h/%25"] {
        let verdict = guard.check(ANY, target.as_bytes(), &mut []);
        assert_eq!((verdict.action, verdict.refusal), (Action::Pass, None), "{target}");
    }
}

#[test]
fn texts_of_guards_are_read() {
    let base = RequestGuard::new();
    for (text, expected) in [
        ("", base),
        ("strict", base.policy(Some(PathPolicy::STRICT))),
        ("off", base.policy(None)),
        ("path=default off", base.policy(None).refuse_in_path(RequestGuard::DEFAULT_KINDS)),
        ("\tquery=nul,double\n envoy  slash=keep", {
            let policy = PathPolicy::ENVOY.slash(simdpct::path::EncodedSlash::Keep);
            base.policy(Some(policy)).refuse_in_query(Kinds::NUL | Kinds::DOUBLE)
        }),
        ("report-only hidden-segments=keep", base.keep_hidden_segments().report_only()),
        ("rfc3986 hidden-segments=keep", base.policy(Some(PathPolicy::RFC3986)).keep_hidden_segments()),
        ("rfc3986", base.policy(Some(PathPolicy::RFC3986.hidden_segments(HiddenSegments::Refuse)))),
    ] {
        let guard: RequestGuard = text.parse().expect(text);
        assert_eq!(guard, expected, "{text}");
        assert_eq!(guard.to_string().parse(), Ok(guard), "{text}");
    }
    for (text, expected) in [
        ("path=nul path=nul", r#""path=nul" at byte 9: given twice"#),
        ("report-only report-only", r#""report-only" at byte 12: given twice"#),
        ("off strict", r#""strict" at byte 4: expected path= or query= beside off"#),
        ("strict off", r#""off" at byte 7: expected path= or query= beside off"#),
        ("query=zero", r#""query=zero" at byte 0: expected names of kinds, separated by commas"#),
        ("strict strict", r#""strict" at byte 7: a preset comes first"#),
    ] {
        assert_eq!(text.parse::<RequestGuard>().unwrap_err().to_string(), expected, "{text}");
    }
    let message = "dry-run".parse::<RequestGuard>().unwrap_err().to_string();
    for word in ["report-only", "path=", "query=", "off", "strict", "slash="] {
        assert!(message.contains(word), "{message} names {word}");
    }
}

#[test]
fn texts_of_policies_are_read() {
    for (text, policy) in [
        ("", PathPolicy::DEFAULT),
        ("nginx", PathPolicy::NGINX),
        ("malformed=keep", PathPolicy::DEFAULT.malformed(Malformed::Keep)),
        ("rfc3986 refuse=nul,percent decode=%21", {
            PathPolicy::RFC3986.refuse(Kinds::NUL | Kinds::PERCENT).decode(simdpct::ByteSet::new(b"!"))
        }),
        ("refuse=", PathPolicy::DEFAULT.refuse(Kinds::NONE)),
        ("decode=unreserved\u{a0}slash=decode", {
            PathPolicy::DEFAULT.decode(sets::UNRESERVED).slash(simdpct::path::EncodedSlash::Decode)
        }),
    ] {
        assert_eq!(text.parse(), Ok(policy), "{text}");
    }
    for (text, expected) in [
        ("slash=refuse slash=keep", r#""slash=keep" at byte 13: given twice"#),
        ("slash=refuse default", r#""default" at byte 13: a preset comes first"#),
        ("slash=remove", r#""slash=remove" at byte 0: expected keep, refuse or decode"#),
        ("decode=%2", r#""decode=%2" at byte 0: expected the name of a set, or triplets"#),
        ("refuse=zero", r#""refuse=zero" at byte 0: expected names of kinds, separated by commas"#),
    ] {
        let error = text.parse::<PathPolicy>().unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
    for text in ["lenient", "x=y"] {
        let message = text.parse::<PathPolicy>().unwrap_err().to_string();
        assert!(message.contains("expected a preset (default, strict, ") && message.contains("slash="), "{message}");
    }
}

/// Every combination of options, and kinds and sets that differ from the presets'.
#[test]
fn policies_are_what_their_text_says() {
    for policy in every_policy() {
        let text = policy.to_string();
        assert_eq!(text.parse(), Ok(policy), "{text}");
    }
}

fn any_guard() -> impl Strategy<Value = RequestGuard> {
    let kinds = || prop_oneof![2 => Just(Kinds::NONE), 1 => select(Kinds::ALL.to_vec()).prop_map(|(kind, _)| kind)];
    let policies = || select(PathPolicy::PRESETS.to_vec()).prop_map(|(_, policy)| policy);
    let policy = (policies(), any_level(), 0..4).prop_map(|(policy, level, number)| match number {
        0 => None,
        _ => Some(policy.level(level)),
    });
    (policy, kinds(), kinds(), any::<bool>()).prop_map(|(policy, path, query, keeps_hidden)| {
        let guard = RequestGuard::new().policy(policy).refuse_in_path(path).refuse_in_query(query);
        if keeps_hidden { guard.keep_hidden_segments() } else { guard }
    })
}

fn any_target() -> impl Strategy<Value = Vec<u8>> {
    let symbols = vec![
        "/", "//", ".", "..", ";", "?", "#", "%2F", "%2e", "%5C", "\\", "%3F", "%23", "%3B", "%25", "%00", "%", "a",
        "admin", ":", "@", "*", " ", "\u{e9}", "+",
    ];
    let start = select(vec!["/", "", "http://host", "HTTP://h:1/", "http://", "http:", "//h/", "host:80", "*"]);
    (start, prop::collection::vec(select(symbols), 0..10))
        .prop_map(|(start, symbols)| [start.to_owned(), symbols.concat()].concat().into_bytes())
}

/// All targets of a few symbols: their forms and parts, and the decision.
#[test]
fn every_short_target_is_split_and_decided_on() {
    const SYMBOLS: [&str; 12] = ["/", "//", ":", "?", "#", "@", "*", "..", "%2F", "h", "1", "http://"];
    let mut targets = vec![String::new()];
    let mut last = targets.clone();
    for _ in 0..if is_quick() { 3 } else { 4 } {
        last = last.iter().flat_map(|start| SYMBOLS.map(|symbol| format!("{start}{symbol}"))).collect();
        targets.extend_from_slice(&last);
    }
    for target in targets {
        for method in [ANY, RequestMethod::Options, RequestMethod::Connect] {
            compare_split(method, target.as_bytes());
            compare_guard(Some(PathPolicy::DEFAULT), Kinds::NONE, Kinds::ESCAPE, method, target.as_bytes());
            compare_guard(None, Kinds::SLASH, Kinds::NONE, method, target.as_bytes());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn guards_agree_with_their_policy_and_with_inspection(
        policy in prop::option::of(select(PathPolicy::PRESETS.to_vec())),
        path_kinds in prop::option::of(select(Kinds::ALL.to_vec())),
        query_kinds in prop::option::of(select(Kinds::ALL.to_vec())),
        method in select(vec![ANY, RequestMethod::Options, RequestMethod::Connect]),
        target in any_target(),
    ) {
        let policy = policy.map(|(_, policy)| policy);
        let [path_kinds, query_kinds] = [path_kinds, query_kinds].map(|kind| kind.map_or(Kinds::NONE, |(kind, _)| kind));
        compare_guard(policy, path_kinds, query_kinds, method, &target);
    }

    /// A guard lets its result pass again, unchanged. A guard that only reports finds the same
    /// refusals.
    #[test]
    fn guards_pass_what_they_have_rewritten(guard in any_guard(), target in any_target(), room in 0..60usize) {
        let mut output = vec![0; RequestGuard::output_len_bound(target.len())];
        let verdict = guard.check(ANY, &target, &mut output);
        let mut other = vec![0; RequestGuard::output_len_bound(target.len())];
        let reported = guard.report_only().check(ANY, &target, &mut other);
        prop_assert_eq!((reported.action, reported.refusal), (Action::Pass, verdict.refusal));
        if let Action::Rewrite(new) = verdict.action {
            let mut again = vec![0; RequestGuard::output_len_bound(new.len())];
            let again = guard.check(ANY, new, &mut again);
            prop_assert_eq!((again.action, again.refusal), (Action::Pass, None), "{}", new.escape_ascii());
        }
        if let Some(refusal) = verdict.refusal {
            prop_assert!(refusal.position <= target.len());
            let line = refusal.line(&target).to_string();
            prop_assert!(line.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{}", line);
        }
        // With less memory, the verdict is the same, or tells the required size.
        let mut small = vec![0; room];
        let found = guard.check(ANY, &target, &mut small);
        match found.refusal {
            Some(Refusal { kind: PathErrorKind::OutputTooSmall { needed }, .. }) => {
                prop_assert!(needed > room && needed <= RequestGuard::output_len_bound(target.len()));
                prop_assert_ne!((verdict.action, verdict.refusal), (Action::Pass, None));
                let mut enough = vec![0; needed];
                prop_assert_eq!(guard.check(ANY, &target, &mut enough), verdict);
            }
            _ => prop_assert_eq!(found, verdict),
        }
    }

    #[test]
    fn texts_of_random_guards_are_read_back(guard in any_guard()) {
        // The level is not part of the text.
        let text = guard.to_string();
        prop_assert_eq!(text.parse::<RequestGuard>().map(|guard| guard.to_string()), Ok(text));
    }

    #[test]
    fn origin_form_is_split_like_a_path(target in any_target()) {
        if let (Ok(parts), b"/") = (Target::split(ANY, &target), &target[..target.len().min(1)]) {
            prop_assert_eq!((parts.path, parts.query), split(&target));
        }
    }
}
