//! Invalid usage: messages and exit code 2.

use std::process::Output;

use crate::{run, text};

#[test]
fn bad_usage_is_exit_code_2_and_writes_nothing() {
    for arguments in [
        &[][..],
        &["frobnicate"],
        &["--strict"],
        &["decode", "--frobnicate"],
        &["decode", "--set", "path"],
        &["decode", "--strict=yes"],
        &["encode", "--strict", "--errors", "keep"],
        &["encode", "--set"],
        &["decode", "--errors", "ignore"],
        &["decode", "--max-errors", "-1"],
        &["decode", "--report", "xml"],
        &["decode", "--report", "json", "--quiet"],
        &["decode", "-j", "0"],
        &["decode", "--raw", "-0"],
        &["decode", "--raw", "--append"],
        &["decode", "-f", "0"],
        &["decode", "-f", "-0"],
        &["decode", "-d", ","],
        &["get", "--format", "{host} {path}", "--as", "csv", "--count"],
        &["decode", "-0", "-d", ","],
        &["check", "-d", ","],
        &["check", "--append"],
        &["stats", "--jsonl", "-k", "a", "--append"],
        &["decode", "-f", "1", "--raw"],
        &["decode", "-f", "1", "-d", "ab"],
        &["decode", "-f", "1", "-d", "%"],
        &["decode", "-f", "1", "-d", "a"],
        &["encode", "-f", "1", "-d", "+"],
        &["decode", "--csv"],
        &["decode", "-c", "1", "-k", "a"],
        &["decode", "-c", "1", "-0"],
        &["decode", "-c", "1", "--log", "common"],
        &["decode", "-k", "a", "--csv"],
        &["decode", "-k", "a", "-f", "1"],
        &["decode", "-k", "a", "-d", ","],
        &["decode", "--cdxj", "--jsonl", "-k", "a"],
        &["decode", "--cdxj", "-c", "a"],
        &["decode", "-k", "?.?.?.?.?.?.?.?.?"],
        &["decode", "--header"],
        &["decode", "--jsonl"],
        &["decode", "--jsonl", "-k", "a..b"],
        &["decode", "--log", "custom"],
        &["decode", "--log", "$"],
        &["decode", "--log", "$host $status"],
        &["decode", "--log", "$host$request_uri"],
        &["decode", "--log", "combined", "--log-field", "http_cookie"],
        &["decode", "--log-field", "request"],
        &["decode", "--unescape"],
        &["decode", "--charset", "utf-16"],
        &["decode", "--charset", "latin-1"],
        &["decode", "--charset", "latin1", "--dialect", "java"],
        &["decode", "--fallback", "latin1", "--dialect", "java"],
        &["decode", "--unicode", "--dialect", "js"],
        &["encode", "--charset", "latin1", "--keep-non-ascii"],
        &["encode", "--fallback", "latin1"],
        &["normalize", "--charset", "latin1"],
        &["decode", "--output-compression", "rar"],
        &["decode", "--in-place"],
        &["normalize", "--plus"],
        &["repair", "--set", "path"],
        &["encode", "--set", "no-such-set"],
        &["encode", "--set", "Path"],
        &["get", "--format", "host"],
        &["get", "--format", "{host}\\x"],
        &["get", "--format", "{host}{host}", "--as", "json"],
        &["get", "--format", "http://{host}", "--as", "csv"],
        &["get", "host", "--as", "tsv"],
        &["get", "host", "--as", "csv", "-0"],
        &["get", "host", "--as", "csv", "--append"],
        &["get", "host", "--as", "csv", "-f", "1"],
        &["get", "host", "--as", "csv", "-f", "1,2", "--print-field"],
        &["get", "host", "--as", "csv", "-k", "u", "-k", "v", "--print-field"],
        &["get", "host", "--as", "csv", "-k", "u*", "--print-field"],
        &["get", "host", "--as", "csv", "-k", "u"],
        &["get", "host", "--as", "csv", "--csv", "-c", "u"],
        &["get", "host", "--as", "csv", "--csv", "-c", "u", "--append-as", "v"],
        &["get", "path", "--as", "csv", "--log", "$request_uri \"$request\"", "--print-field"],
        &["get", "path", "--as", "csv", "--log", "combined"],
        &["get", "path", "--as", "json", "--log", "combined"],
        &["get", "host", "--as", "json", "-f", "1", "-d", ","],
        &["get", "host", "--raw", "--unicode-host"],
        &["get", "--format", "{key:q}{host}", "--query"],
        &["get", "--format", "{host}", "a.txt", "-s", "//h"],
    ] {
        let Output { status, stdout, stderr } = run(arguments, b"%41");
        assert_eq!((status.code(), text(&stdout)), (Some(2), String::new()), "{arguments:?}");
        assert_ne!(text(&stderr), "", "{arguments:?}");
    }
}

#[test]
fn an_invalid_set_name_lists_the_valid_ones() {
    let Output { stderr, .. } = run(&["encode", "--set", "no-such-set"], b"");
    let stderr = String::from_utf8(stderr).unwrap();
    for name in ["no-such-set", "component", "path-segment", "form", "whatwg-path", "rfc5987"] {
        assert!(stderr.contains(name), "{name} in {stderr}");
    }
}

#[test]
fn an_invalid_value_reports_what_is_expected() {
    for (arguments, expected) in [
        (&["decode", "-j", "0"][..], "expected a number of at least 1"),
        (&["decode", "-f", "0"], "invalid column '0': expected a number from 1 on"),
        (&["decode", "-f", "3-2"], "invalid range '3-2': expected the lower number first"),
        (&["decode", "-f", "1", "-d", "ab"], "expected a single byte"),
        (&["decode", "-d", ","], "invalid --delimiter: expected --fields, --csv or --append with it"),
        (&["decode", "--charset", "latin-1"], "a similar value exists: 'latin1'"),
        (&["decode", "--fallback", "windows1252"], "a similar value exists: 'windows-1252'"),
        (
            &["decode", "--charset", "nonsense"],
            "possible values: utf-8, windows-1252, iso-8859-1, latin1, latin1-exact,",
        ),
        (
            &["decode", "--log", "custom"],
            "possible values: combined, common, vhost-combined, nginx, alb, elb, s3, envoy, traefik, haproxy, squid, cloudfront, w3c",
        ),
        (&["decode", "--log", "custom"], "expected a name, or a template with variables such as $request"),
        (&["decode", "--log", "a $"], "expected a name after '$'"),
        (&["decode", "--log", "$host$request_uri"], "expected text between '$host' and '$request_uri'"),
        (&["decode", "--log", "$host $status"], "expected --log-field with one of 'host', 'status'"),
        (
            &["decode", "--log", "$host $status", "--log-field", "$hosts"],
            "invalid --log-field 'hosts': expected one of 'host'",
        ),
        (&["decode", "-k", "?.?.?.?.?.?.?.?.?"], "invalid --key: expected at most 8 names with '*' or '?'"),
        (&["decode", "--jsonl", "-k", "a..b"], "expected names with a '.' between them, none of them empty"),
    ] {
        let stderr = String::from_utf8(run(arguments, b"").stderr).unwrap();
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    for arguments in [&["--help"][..], &["-h"], &["decode", "--help"], &["encode", "-h"], &["help", "decode"]] {
        let Output { status, stdout, stderr } = run(arguments, b"");
        assert_eq!((status.code(), text(&stderr)), (Some(0), String::new()), "{arguments:?}");
        assert!(text(&stdout).contains("Usage: pct"), "{arguments:?}");
    }
    let version = run(&["--version"], b"").stdout;
    assert_eq!(String::from_utf8(version).unwrap(), format!("pct {}\n", env!("CARGO_PKG_VERSION")));
}
