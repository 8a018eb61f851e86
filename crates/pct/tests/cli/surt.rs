//! `pct normalize --url --surt`.

use crate::{assert_outputs, output, run, text};

/// Rows of the table: URL, key by the Python package `surt`, key by `pct`.
/// `crates/pct/compare-canonical --surt` asks the package again.
fn rows() -> impl Iterator<Item = [&'static str; 3]> {
    let lines = include_str!("surt.tsv").lines().filter(|line| !line.starts_with("# ") && !line.is_empty());
    lines.map(|line| {
        let fields: Vec<_> = line.split('\t').collect();
        fields.try_into().unwrap_or_else(|_| panic!("three fields: {line}"))
    })
}

#[test]
fn keys_are_those_of_the_python_package() {
    let rows: Vec<_> = rows().collect();
    assert!(rows.len() > 200);
    // What differs is documented in docs/pct.md.
    assert!(rows.iter().filter(|[_, _, ours]| *ours != "=").count() < 20);
    let input: Vec<_> = rows.iter().map(|[url, ..]| *url).collect();
    let found = run(&["normalize", "--url", "--surt", "-q"], input.join("\n").as_bytes());
    let found = String::from_utf8(found.stdout).unwrap();
    assert_eq!(found.lines().count(), rows.len());
    for ([url, theirs, ours], found) in rows.into_iter().zip(found.lines()) {
        let expected = match ours {
            "=" => theirs,
            "!" => url,
            ours => ours,
        };
        assert_eq!(found, expected, "{url}");
        let strict = run(&["normalize", "--url", "--surt", "--strict", "-s", url], b"");
        assert_eq!(strict.status.code(), Some(i32::from(ours == "!")), "{url}");
    }
}

#[test]
fn spaces_and_line_ends_are_no_part_of_a_url() {
    for url in [" http://e.com/a ", "\thttp://e.com/a\r", "ht\ttp://e.c\nom/\ra", "\x0Bhttp://e.com/a\x0C"] {
        let found = output(&["normalize", "--url", "--surt", "-0"], url.as_bytes());
        assert_eq!(text(&found), "com,e)/a", "{url:?}");
    }
    assert_outputs(&[
        (&["normalize", "--url", "--surt"], "\nhttp://a\n\n", "\na)/\n\n"),
        (&["normalize", "--url", "--surt"], "http://a/\u{A0}", "a)/%c2%a0"),
    ]);
    // A key is ASCII, whatever the input.
    assert_eq!(text(&output(&["normalize", "--url", "--surt"], b"http://\xFF.a/\xFF?\xFF")), "a,%ff)/%ff?%ff");
}

#[test]
fn a_port_that_is_no_number_is_an_invalid_url() {
    let found = run(&["normalize", "--url", "--surt", "--errors", "drop"], b"http://a/B\n  http://u@b:8x/\n");
    assert_eq!(text(&found.stdout), "a)/b\\n");
    assert_eq!(text(&found.stderr), "pct: <stdin>: 1 with an invalid URL; first at 2:14\\n");
}

#[test]
fn keys_are_made_in_every_format() {
    let surt = |options: &[&str], input: &str, expected: &str| {
        let arguments = [&["normalize", "--url", "--surt"], options].concat();
        assert_outputs(&[(&arguments, input, expected)]);
    };
    surt(&["-f", "2"], "x\thttp://A.b/C\ty\n", "x\tb,a)/c\ty\n");
    surt(&["-f", "1", "--append"], "http://A.b/C\n", "http://A.b/C\tb,a)/c\n");
    surt(&["-c", "u"], "u,v\nhttp://A.b/C,1\n", "u,v\n\"b,a)/c\",1\n");
    surt(&["-k", "u", "--append"], "{\"u\":\"http://A.b/C\"}", "{\"u\":\"http://A.b/C\",\"u_normalized\":\"b,a)/c\"}");
    // The second capture of a page.
    surt(&["--unique"], "http://www.a.b/C/\nhttps://a.b/c\nhttp://a.b/d\n", "http://www.a.b/C/\nhttp://a.b/d\n");
}

#[test]
fn delimiters_of_a_format_stay_escaped_or_refuse_the_key() {
    let line = |target: &str, referer: &str| format!("h - - [t] \"GET {target} HTTP/1.1\" 200 1 \"{referer}\" \"a\"\n");
    let surt = &["normalize", "--url", "--surt", "--log", "combined"];
    assert_outputs(&[
        (surt, &line("http://A.b/%22%20", "http://A.b/%22%5C"), &line("b,a)/%22%20", "b,a)/%22%5c")),
        (surt, &line("*", "-"), &line("*", "-")),
        (&[&surt[..], &["--base", "https://WWW.a.b/x"]].concat(), &line("//C/../d?b&a", "-"), &line("b,a)/d?a&b", "-")),
        (&["normalize", "--url", "--surt", "-f", "1", "-d", ";"], "http://a/b%3Bc;d", "a)/b%3bc;d"),
    ]);
    // A target has no host.
    let found = run(surt, line("/a", "-").as_bytes());
    assert_eq!((text(&found.stdout), found.status.code()), (text(line("/a", "-").as_bytes()), Some(0)));
    assert!(text(&found.stderr).starts_with("pct: <stdin>: 1 with an invalid URL"), "{}", text(&found.stderr));
    // The commas of a key cannot be escaped.
    let found = run(&["normalize", "--url", "--surt", "-f", "1", "-d", ","], b"http://a/b,http://A.b\nhttp://A.b/,c");
    assert_eq!(text(&found.stdout), "a)/b,http://A.b\\nhttp://A.b/,c");
    assert!(text(&found.stderr).starts_with("pct: <stdin>: 1 with an invalid URL"), "{}", text(&found.stderr));
}

#[test]
fn a_key_has_its_own_rules() {
    for option in ["--sort-query", "--drop-query=a", "--drop-fragment", "--drop-www", "--keep=~", "--escape-malformed"]
    {
        let found = run(&["normalize", "--url", "--surt", option], b"");
        assert_eq!(found.status.code(), Some(2), "{option}");
    }
    assert_eq!(run(&["normalize", "--surt"], b"").status.code(), Some(2));
}

/// A quadratic search for session IDs or triplets would take minutes.
#[test]
fn long_urls_take_linear_time() {
    let id = "0123456789abcdefghijklmn";
    for part in [
        "%25",
        "%",
        "/..",
        "/",
        "a=b&",
        "cfid=",
        "cfid=1&cftoken=",
        "sid=",
        "jsessionid=0",
        "aspsessionid",
        "www.",
        "1.",
        "http://",
        &format!("/({id})"),
        &format!("/({id})?"),
        &format!("/(a({id}))/.aspx"),
        &format!("/(a({id})"),
    ] {
        for start in ["http://e.com/", "http://e.com/?", "http://", ""] {
            let url = format!("{start}{}", part.repeat((1 << 20) / part.len()));
            let time = std::time::Instant::now();
            let _ = output(&["normalize", "--url", "--surt"], url.as_bytes());
            assert!(time.elapsed().as_secs() < 60, "{start}{part}: {:?}", time.elapsed());
        }
    }
}
