//! Log formats: `--log`, `--log-field` and `--unescape`. The lines follow the vendors' documents,
//! whose formats are given with them.

use proptest::prelude::*;

use crate::{assert_outputs, output, run, text};

/// Apache httpd, mod_log_config: "%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\"
/// \"%{User-Agent}i\""
const VHOST: &str = r#"shop.example:443 192.0.2.7 - ann%20e [22/Nov/2026:20:00:00 +0000] "GET /caf%C3%A9?q=%41 HTTP/1.1" 200 512 "http://e/%43 x" "agent %44""#;

/// nginx, ngx_http_log_module, log_format combined: '$remote_addr - $remote_user [$time_local]
/// "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
const NGINX: &str =
    r#"192.0.2.7 - - [22/Nov/2026:20:00:00 +0000] "GET /caf%C3%A9?q=%41 HTTP/2.0" 200 512 "http://e/%43" "agent %44""#;

/// AWS, user guide for Application Load Balancers, access log entries: fields in order, separated
/// by spaces.
const ALB: &str = r#"h2 2026-11-22T20:00:00.186641Z app/lb/50dc6c495c0c9188 192.0.2.7:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 "GET https://www.example.com:443/caf%C3%A9?q=%41%20b HTTP/2.0" "curl/7.46.0 %41" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/t/73e2d6bc24d8a067 "Root=1-58337262-36d228ad5d99923122bbe354" "www.example.com" "arn:aws:acm:us-east-2:123456789012:certificate/1" 1 2026-11-22T20:00:00.180000Z "redirect" "https://www.example.com:443/%7Ea" "-" "10.0.0.1:80" "200" "-" "-" TID_1234abcd"#;

/// Amazon CloudFront, developer guide, standard logs: two directives, fields separated by tabs,
/// URLs encoded twice.
const CLOUDFRONT: &str = "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status \
    cs(Referer) cs(User-Agent) cs-uri-query\n\
    2026-11-22\t20:00:00\tFRA2\t182\t192.0.2.10\tGET\td111.cloudfront.net\t/caf%C3%A9%2520b\t200\thttp://e/%2541\tMozilla/5.0%2520(x)\tq=%2520a&n=%2526\n";

/// IIS, W3C extended log format: fields separated by spaces; '-' is no value.
const IIS: &str = "#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n#Date: 2026-11-22 20:00:00\r\n\
    #Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status\r\n\
    2026-11-22 20:00:00 10.0.0.1 GET /caf%C3%A9/%41.aspx q=%42%20c 443 - 192.0.2.7 Mozilla/5.0+%41 http://e/%43 200\r\n";

#[test]
fn each_named_format_has_its_fields() {
    let combined = VHOST.split_once(' ').unwrap().1;
    let plain_vhost = VHOST.replace("/caf%C3%A9?q=%41", "/café?q=A").replace("/%43", "/C");
    let alb = ALB.replace("/caf%C3%A9?q=%41%20b", "/café?q=A%20b").replace("/%7Ea", "/~a");
    let cloudfront = CLOUDFRONT
        .replace("/caf%C3%A9%2520b", "/café%20b")
        .replace("/%2541", "/%41")
        .replace("q=%2520a&n=%2526", "q=%20a&n=%26");
    let twice = CLOUDFRONT
        .replace("/caf%C3%A9%2520b", "/café%20b")
        .replace("/%2541", "/A")
        .replace("q=%2520a&n=%2526", "q=%20a&n=&");
    let iis = IIS.replace("/caf%C3%A9/%41.", "/café/A.").replace("q=%42%20c", "q=B%20c").replace("/%43", "/C");
    assert_outputs(&[
        (&["decode", "--log", "vhost-combined"], VHOST, &plain_vhost),
        (&["decode", "--log", "combined"], combined, plain_vhost.split_once(' ').unwrap().1),
        (&["decode", "--log", "nginx"], NGINX, &NGINX.replace("/caf%C3%A9?q=%41", "/café?q=A").replace("/%43", "/C")),
        (&["decode", "--log", "alb"], ALB, &alb),
        (&["decode", "--log", "cloudfront"], CLOUDFRONT, &cloudfront),
        // A space would end a field of IIS, so %20 stays; with tabs, as well.
        (&["decode", "--log", "cloudfront", "--times", "2"], CLOUDFRONT, &twice),
        (&["decode", "--log", "w3c"], CLOUDFRONT, &cloudfront),
        (&["decode", "--log", "w3c"], IIS, &iis),
        // Without directives, as in `tail -f`.
        (&["decode", "--log", "cloudfront"], CLOUDFRONT.lines().last().unwrap(), cloudfront.lines().last().unwrap()),
        (&["decode", "--log", "#Fields: a cs-uri b"], "%41 %42 %43\n", "%41 B %43\n"),
    ]);
}

/// Amazon S3, user guide, server access log format: the example, with its key and request encoded.
const S3: &str = r#"79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be amzn-s3-demo-bucket1 [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be 3E57427F3EXAMPLE REST.GET.OBJECT caf%25C3%25A9.txt "GET /amzn-s3-demo-bucket1/caf%C3%A9.txt?versioning HTTP/1.1" 200 - 113 - 7 - "http://e/%43" "S3Console/0.4 %44" - s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5mKR3/eTPFvsiP/XV/VLi31234= SigV4 ECDHE-RSA-AES128-GCM-SHA256 AuthHeader amzn-s3-demo-bucket1.s3.us-west-1.amazonaws.com TLSV1.2 arn:aws:s3:us-west-1:123456789012:accesspoint/example-AP Yes"#;

/// AWS, user guide for Classic Load Balancers, access log entries: the example, with a path.
const ELB: &str = r#"2015-05-13T23:39:43.945958Z my-loadbalancer 192.168.131.39:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 "GET http://www.example.com:80/caf%C3%A9 HTTP/1.1" "curl/7.38.0 %44" - -"#;

/// Envoy, documentation of access logging, default format string: the example, with a path.
const ENVOY: &str = r#"[2016-04-15T20:17:00.310Z] "POST /api/v1/caf%C3%A9 HTTP/2" 204 - 154 0 226 100 "10.0.35.28" "nsq2http %44" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "locations" "tcp://10.0.2.1:80""#;

/// Traefik, documentation of access logs, CLF: fields in order.
const TRAEFIK: &str = r#"192.0.2.7 - - [22/Nov/2026:20:00:00 +0000] "GET /caf%C3%A9 HTTP/1.1" 200 512 "http://e/%43" "agent %44" 17 "router@docker" "http://10.0.0.2:80" 3ms"#;

/// HAProxy, configuration manual, 8.2.3 HTTP log format: the example, with a path, and the same
/// without captured headers.
const HAPROXY: &str = r#"Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /caf%C3%A9 HTTP/1.1""#;

/// Squid, logformat squid: "%ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %[un %Sh/%<a %mt"
const SQUID: &str = "1795377600.186      7 192.0.2.7 TCP_MISS/200 1500 GET http://www.example.com/caf%C3%A9?q=%20b ann%41 HIER_DIRECT/10.0.0.1 text/html";

/// Its duration is padded to six digits, and longer ones are not.
#[test]
fn several_spaces_are_one_in_the_native_log_of_squid() {
    let tunnel =
        "1795377600.186 123456 192.0.2.7 TCP_TUNNEL/200 39 CONNECT www.example.com:443 - HIER_DIRECT/10.0.0.1 -";
    let expected = SQUID.replace("caf%C3%A9", "café");
    assert_outputs(&[
        (&["decode", "--log", "squid"], SQUID, &expected),
        (&["decode", "--log", "squid", "--log-field", "remote_user"], SQUID, &SQUID.replace("%41", "A")),
        (&["decode", "--log", "squid"], tunnel, tunnel),
        (&["decode", "--log", "squid", "--append"], SQUID, &format!("{SQUID} \"http://www.example.com/café?q=%20b\"")),
        (
            &["get", "host", "--log", "squid", "--print-field"],
            &format!("{SQUID}\n{SQUID}\n"),
            "www.example.com\nwww.example.com\n",
        ),
        (&["get", "key:q", "--log", "squid", "--print-field"], SQUID, " b"),
        (&["normalize", "--url", "--surt", "--log", "squid", "--print-field"], SQUID, "com,example)/caf%c3%a9?q=%20b"),
    ]);
    let found = run(&["decode", "--log", "squid"], b"1795377600.186      7 192.0.2.7 TCP_MISS/200\n");
    assert_eq!(text(&found.stderr), "pct: <stdin>: 1 not in the format; first at 1:1\\n");
}

#[test]
fn formats_of_vendors_have_their_target_and_referer() {
    let bare = HAPROXY.replace("{1wt.eu} {} ", "");
    for (name, line) in
        [("s3", S3), ("elb", ELB), ("envoy", ENVOY), ("traefik", TRAEFIK), ("haproxy", HAPROXY), ("haproxy", &bare)]
    {
        let expected = line.replace("caf%C3%A9", "café").replace("%43", "C");
        assert_outputs(&[
            (&["decode", "--log", name], line, &expected),
            (&["decode", "--log", name, "--log-field", "request"], line, &line.replace("caf%C3%A9", "café")),
        ]);
        let path = output(&["get", "segment:-1", "--log", name, "--print-field"], line.as_bytes());
        assert!(str::from_utf8(&path).unwrap().starts_with("café"), "{name}: {}", text(&path));
        let found = run(&["check", "--find", "lower-hex", "--log", name], line.as_bytes());
        assert_eq!((found.status.code(), text(&found.stderr)), (Some(0), String::new()), "{name}");
    }
    assert_outputs(&[(
        &["decode", "--log", "s3", "--log-field", "key", "--times", "2"],
        S3,
        &S3.replace("caf%25C3%25A9", "café"),
    )]);
}

#[test]
fn fields_are_chosen_by_name() {
    let decodes = |arguments: &[&str], input: &str, expected: &str| {
        assert_outputs(&[(&[&["decode", "--log"], arguments].concat(), input, expected)]);
    };
    for name in ["http_user_agent", "$http_user_agent", "*agent", "http_user_agen?"] {
        decodes(&["nginx", "--log-field", name], NGINX, &NGINX.replace("%44", "D"));
    }
    decodes(&["combined", "--log-field", "http_*"], NGINX, &NGINX.replace("%43", "C").replace("%44", "D"));
    decodes(&["combined", "--log-field", "request"], NGINX, &NGINX.replace("/caf%C3%A9?q=%41", "/café?q=A"));
    decodes(&["vhost-combined", "--log-field", "remote_user"], VHOST, VHOST);
    decodes(&["alb", "--log-field", "user_agent"], ALB, &ALB.replace("7.46.0 %41", "7.46.0 A"));
    decodes(
        &["w3c", "--log-field", "cs-uri-*,cs(User-Agent)"],
        IIS,
        &IIS.replace("/caf%C3%A9/%41.", "/café/A.").replace("%42", "B").replace("+%41", "+A"),
    );
    decodes(&["common", "--log-field", "request"], NGINX, &NGINX.replace("/caf%C3%A9?q=%41", "/café?q=A"));
}

#[test]
fn templates_are_those_of_nginx() {
    assert_outputs(&[
        (&["decode", "--log", "$host|$request_uri|$status"], "h%41|/%41%7C%20|200%41\n", "h%41|/A%7C%20|200%41\n"),
        (&["decode", "--log", "${host} ${args}x", "--log-field", "args"], "%41 %42x%43\n", "%41 Bx%43\n"),
        (&["decode", "--log", "$time_iso8601 \"$request_uri\""], "t \"/%41 %22\"", "t \"/A %22\""),
        // An unquoted request is three fields.
        (
            &["decode", "--log", "[$time_local] $request $status"],
            "[a] GET /%41%20 HTTP/1.1 200\n",
            "[a] GET /A%20 HTTP/1.1 200\n",
        ),
        (
            &["decode", "--log", "t=\"$request\" r=\"$http_referer\""],
            "t=\"GET /%41 HTTP/1.1\" r=\"%42 \\\"%43\" x",
            "t=\"GET /A HTTP/1.1\" r=\"B \\\"C\" x",
        ),
        (&["decode", "--log", "$a$b $request_uri"], "x%41 %41", "x%41 A"),
        (&["decode", "--log", "$request_uri"], "/%41 %42%20\n", "/A B%20\n"),
        (&["decode", "--log", "$request_uri"], "/%41\r\n", "/A\r\n"),
    ]);
}

/// Fields before a gap are processed, and the line counts as not in the format.
#[test]
fn target_is_decoded_if_the_referer_is_missing() {
    let cut = "h - - [t] \"GET /%41 HTTP/1.1\" 200 1";
    for (arguments, input, expected, told) in [
        (&["--log", "combined"][..], cut.to_owned(), cut.replace("%41", "A"), "not in the format; first at 1:1"),
        (
            &["--log", "nginx", "--log-field", "request,http_referer"],
            cut.to_owned(),
            cut.replace("%41", "A"),
            "not in the format; first at 1:1",
        ),
        (
            &["--log", "combined"],
            format!("{cut} \"%42"),
            format!("{} \"%42", cut.replace("%41", "A")),
            "not in the format; first at 1:1",
        ),
        (
            &["--log", "combined"],
            "h - - [t] \"GET /%41".into(),
            "h - - [t] \"GET /%41".into(),
            "not in the format; first at 1:1",
        ),
        (
            &["--log", "combined", "--append"],
            cut.to_owned(),
            format!("{cut} \"/A\" \"-\""),
            "not in the format; first at 1:1",
        ),
        (&["--log", "combined", "--append"], "x".into(), "x".into(), "not in the format; first at 1:1"),
        (
            &["--log", "w3c"],
            "#Fields: a cs-uri-stem b cs-uri-query\n%41 %42\n".into(),
            "#Fields: a cs-uri-stem b cs-uri-query\n%41 B\n".into(),
            "not in the format; first at 2:1",
        ),
        (&["--log", "w3c"], "%41 %42\n".into(), "%41 %42\n".into(), "not in the format; first at 1:1"),
        (
            &["--log", "combined"],
            format!("{} \"%42", cut.replace("%41", "%zz")),
            format!("{} \"%42", cut.replace("%41", "%zz")),
            "malformed, 1 not in the format; first at 1:1",
        ),
    ] {
        let arguments = [&["decode"], arguments].concat();
        let found = run(&arguments, input.as_bytes());
        assert_eq!(text(&found.stdout), text(expected.as_bytes()), "{arguments:?} < {input:?}");
        assert_eq!(
            str::from_utf8(&found.stderr).unwrap(),
            format!("pct: <stdin>: 1 {told}\n"),
            "{arguments:?} < {input:?}"
        );
        let skipped = output(&[&arguments[..], &["--errors", "skip"]].concat(), input.as_bytes());
        assert_eq!(text(&skipped), text(input.as_bytes()), "{arguments:?}");
    }
}

#[test]
fn results_are_appended_in_the_notation_of_the_log() {
    let [common, referer] = ["h - - [t] \"GET /%41 HTTP/1.1\" 200 1", " \"%43 d\" \"a\""];
    let combined = [common, referer].concat();
    assert_outputs(&[
        (&["decode", "--log", "common", "--append"], common, &[common, " \"/A\""].concat()),
        (&["decode", "--log", "combined", "--append"], &combined, &[&combined, " \"/A\" \"C d\""].concat()),
        (&["decode", "--log", "$a $request_uri", "--append"], "x /%41\n", "x /%41 \"/A\"\n"),
        (
            &["decode", "--log", "w3c", "--append"],
            "#Fields: a cs-uri-stem b cs-uri-query\r\n%41 %42 - %43\r\n\"x\" \"%44 \" -\n",
            "#Fields: a cs-uri-stem b cs-uri-query cs-uri-stem_decoded cs-uri-query_decoded\r\n%41 %42 - %43 B C\r\n\"x\" \"%44 \" - \"D \" -\n",
        ),
    ]);
    // Tabs stay escaped, as all control characters.
    assert_outputs(&[(
        &["decode", "--log", "w3c", "--append"],
        "#Fields: a cs-uri\nx\t%41%09\n",
        "#Fields: a cs-uri cs-uri_decoded\nx\t%41%09\tA%09\n",
    )]);
}

#[test]
fn escapes_of_logs_are_undone_on_request() {
    let line = |target: &str, referer: &str| format!("h - - [t] \"GET {target} HTTP/1.1\" 200 1 \"{referer}\" \"a\"\n");
    let log = |options: &[&str], input: &str, expected: &str| {
        assert_outputs(&[(&[&["decode", "--log", "combined"], options].concat(), input, expected)]);
    };
    let unescape = &["--unescape"];
    // nginx, ngx_http_log_module: characters '"', '\', less than 32 and above 126 are escaped as
    // "\xXX".
    log(
        unescape,
        &line(r"/caf\xC3\xA9/%41\x22", r"http://e/\xE5\x8C\x97\x5C\x0A"),
        &line("/café/A\\x22", "http://e/北\\x5C\\x0A"),
    );
    log(&[], &line(r"/caf\xC3\xA9/%41\x22", "-"), &line(r"/caf\xC3\xA9/A\x22", "-"));
    // Apache httpd, mod_log_config: '"' and '\' after a backslash, white space in C-style notation,
    // others "\xhh".
    log(unescape, &line(r#"/caf\xc3\xa9\"\\\t\n"#, "-"), &line(r#"/café\"\\\t\n"#, "-"));
    log(&["--unescape", "--unsafe-controls"], &line(r#"/\"\\\t%41"#, "-"), &line("/\"\\\tA", "-"));
    // The bytes of a character may be escaped in both ways, and in another charset.
    log(unescape, &line(r"/%C3\xA9", "-"), &line("/é", "-"));
    log(&["--unescape", "--fallback", "latin1"], &line(r"/\xE9%E8", "-"), &line("/éè", "-"));
    log(
        &["--unescape", "--append"],
        &line(r"/\xC3\xA9", "-"),
        &[line(r"/\xC3\xA9", "-").trim_end(), " \"/é\" \"-\"\n"].concat(),
    );
    let found = run(&["decode", "--log", "common", "--unescape"], line(r"/\xC3\xA9%zz", "-").as_bytes());
    assert_eq!(text(&found.stderr), "pct: <stdin>: 1 malformed; first at 1:25\\n");
    // Lines without triplets are not skipped.
    let lines = [line("/plain", "-").repeat(3), line(r"/\xC3\xA9", "-"), line("/plain", "-")].concat();
    log(unescape, &lines, &lines.replace(r"\xC3\xA9", "é"));
}

#[test]
fn names_that_no_directive_has_are_reported() {
    let found = run(&["decode", "--log", "w3c", "--log-field", "cs-uri-stem,typo"], IIS.as_bytes());
    assert_eq!(text(&found.stderr), "pct: warning: no record has field \\'typo\\'\\n");
    assert_eq!(text(&run(&["decode", "--log", "w3c", "--log-field", "typo"], b"").stderr), "");
}

/// Each block begins with the fields of the blocks before it, whichever thread transforms it.
#[test]
fn directives_hold_until_the_next_in_any_block() {
    let mut input = String::new();
    let mut expected = String::new();
    for part in 0..60 {
        let (names, number) = if part % 2 == 0 { ("a cs-uri b", 1) } else { ("cs-uri-stem a b", 0) };
        // Some parts have several blocks, and some blocks have several parts.
        let lines = if part % 10 == 0 { 20_000 } else { 40 };
        for text in [&mut input, &mut expected] {
            *text += &format!("#Fields: {names}\n");
        }
        for line in 0..lines {
            let mut fields = ["%41".to_owned(), "%42".to_owned(), format!("{line}%43")];
            input += &format!("{}\n", fields.join(" "));
            fields[number] = ["A", "B"][number].to_owned();
            expected += &format!("{}\n", fields.join(" "));
        }
    }
    for threads in ["1", "2", "5"] {
        assert!(
            output(&["decode", "--log", "w3c", "-j", threads], input.as_bytes()) == expected.as_bytes(),
            "{threads}"
        );
    }
    // Each file begins anew.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "#Fields: cs-uri\n%41 %42\n").unwrap();
    std::fs::write(folder.path().join("b"), "%41 %42\n#Fields: a cs-uri\n%41 %42\n").unwrap();
    let found = crate::pct(&["decode", "-q", "--log", "w3c", "a", "b"]).current_dir(&folder).output().unwrap();
    assert_eq!(text(&found.stdout), "#Fields: cs-uri\\nA %42\\n%41 %42\\n#Fields: a cs-uri\\n%41 B\\n");
}

/// A plain parser of lines by a template whose parts are separated by one byte.
fn reference(line: &str, delimiter: char, selected: usize) -> String {
    let mut fields: Vec<_> = line.split(delimiter).map(str::to_owned).collect();
    if let Some(field) = fields.get_mut(selected) {
        *field = field.replace("%41", "A");
    }
    fields.join(&delimiter.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn lines_are_split_as_by_a_plain_parser(
        lines in prop::collection::vec("([a-z]|%41|%7C|\\|){0,12}", 1..20),
        selected in 0..4_usize,
        threads in prop::sample::select(vec!["1", "3"]),
    ) {
        let names = ["a", "b", "c", "d"];
        let template = names.map(|name| format!("${name}")).join("|");
        let found = output(&["decode", "--log", &template, "--log-field", names[selected], "-j", threads], lines.join("\n").as_bytes());
        let expected: Vec<_> = lines.iter().map(|line| match line.matches('|').count() {
            // The last variable is the rest of the line.
            count if selected == 3 && count >= 3 => {
                let at = line.match_indices('|').nth(2).unwrap().0 + 1;
                line[..at].to_owned() + &line[at..].replace("%41", "A").replace("%7C", "|")
            }
            count if selected < count.min(3) => reference(line, '|', selected),
            _ => line.clone(),
        }).collect();
        prop_assert_eq!(text(&found), text(expected.join("\n").as_bytes()));

        // The same lines with the names in a directive, and a delimiter that is decided for each
        // line.
        for delimiter in [' ', '\t'] {
            let line = |text: &String| text.replace("%7C", "").replace('|', &delimiter.to_string());
            let lines: Vec<_> = lines.iter().map(line).collect();
            let expected: Vec<_> = lines.iter().map(|line| reference(line, delimiter, selected)).collect();
            let log = |lines: &[String]| format!("#Fields: a b c d\n{}", lines.join("\n"));
            let found = output(&["decode", "--log", "w3c", "--log-field", names[selected], "-j", threads], log(&lines).as_bytes());
            prop_assert_eq!(text(&found), text(log(&expected).as_bytes()));
        }
    }

    /// The targets of templates are those of the built-in layout.
    #[test]
    fn named_format_and_its_template_agree(
        lines in prop::collection::vec(
            prop::collection::vec(
                prop::sample::select(vec![
                    "h - - [t] \"GET ", "/%41", " HTTP/1.1", "\" 200 1", " \"", "-", "%42", "\\x22", "\" \"agent\"", "%22", "%20", "%zz", " ", "]", "[",
                ]),
                0..12,
            ),
            1..8,
        ),
        append in any::<bool>(),
    ) {
        let text_of: Vec<String> = lines.iter().map(|parts| parts.concat()).collect();
        let input = text_of.join("\n");
        let options: &[&str] = if append { &["--append"] } else { &[] };
        let named = run(&[&["decode", "--log", "combined"], options].concat(), input.as_bytes());
        // The host, the user and the time are not checked by the built-in layout.
        let template = "$before] \"$request\"$between\"$http_referer\"";
        let by_template = run(&[&["decode", "--log", template], options].concat(), input.as_bytes());
        prop_assert_eq!(text(&named.stdout), text(&by_template.stdout), "{}", input);
        prop_assert_eq!(text(&named.stderr), text(&by_template.stderr), "{}", input);
    }
}
