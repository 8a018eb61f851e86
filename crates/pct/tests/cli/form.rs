//! `pct form`: conversion and round trip.

use std::process::Output;

use crate::{assert_outputs, every_text, output, run, text};

#[test]
fn forms_take_shape() {
    let cases: &[(&[&str], &str, &str)] = &[
        (&[], "q=fish+%26+chips&page=2\n", "{\"q\":\"fish & chips\",\"page\":\"2\"}\n"),
        (&[], "?q=1\n\n?\nb\n=c\n&&\n", "{\"q\":\"1\"}\n{}\n{}\n{\"b\":\"\"}\n{\"\":\"c\"}\n{}\n"),
        // A repeated name; the order of the others is kept.
        (&[], "b=1&a=2&b=3", "{\"b\":[\"1\",\"3\"],\"a\":\"2\"}"),
        (&[], "a=%22%5C%0A%00%C3%A9=\r\n", "{\"a\":\"\\\"\\\\\\n\\u0000é=\"}\r\n"),
        (&["-0"], "a=1\0b=2%0A\0", "{\"a\":\"1\"}\0{\"b\":\"2\\n\"}\0"),
        (&["--as", "json"], "a=1", "{\"a\":\"1\"}"),
        (&["--as", "pairs"], "b=1&a=2&b=3\n\n", "[[\"b\",\"1\"],[\"a\",\"2\"],[\"b\",\"3\"]]\n[]\n"),
        (&["--as", "tsv"], "b=1&a=x%09y%5C&b%3D=3=\n\n", "b=1\ta=x\\ty\\\\\tb\\==3=\n\n"),
        (&["--as", "tsv"], "a=%0D%0A%00\n", "a=\\r\\n\\0\n"),
        (&["--as", "tsv", "--names", "a,c,b,b,b"], "b=1&a=2&b=&d=4\n", "2\t\\N\t1\t\t\\N\n"),
        (&["--as", "tsv", "--names", "a", "--names", "b"], "b=%5CN&a=2\n", "2\t\\\\N\n"),
    ];
    for &(arguments, input, expected) in cases {
        let arguments = [&["form"], arguments].concat();
        assert_eq!(text(&output(&arguments, input.as_bytes())), text(expected.as_bytes()), "{arguments:?} < {input:?}");
    }
}

#[test]
fn shapes_become_forms() {
    let cases: &[(&[&str], &str, &str)] = &[
        (&[], "{\"q\":\"fish & chips\",\"page\":2}\n", "q=fish+%26+chips&page=2\n"),
        (&[], "{\"z\":[\"1\",2.5,true,null],\"a\":null,\"b\":\"\"}\n\n{}\r\n[]\n", "z=1&z=2.5&z=true&b=\n\n\r\n\n"),
        (&[], "[[\"b\",\"é\"],[\"a\",1],[\"b\",\"\"]]", "b=%C3%A9&a=1&b="),
        (&["--as", "pairs"], "[[\"a\",\"=&+\"]]\n{\"a\":\"b\"}\n", "a=%3D%26%2B\na=b\n"),
        (&["-0"], "{\"a\":\n1}\0", "a=1\0"),
        (&["--as", "tsv"], "b=1\ta=x\\ty\\\\\tb\\==3=\tc\n\n", "b=1&a=x%09y%5C&b%3D=3%3D&c=\n\n"),
        (&["--as", "tsv", "--names", "a,b,b"], "2\t\\N\t\\\\N\n1\n\\N\n", "a=2&b=%5CN\na=1\n\n"),
    ];
    for &(arguments, input, expected) in cases {
        let arguments = [&["form", "--back"], arguments].concat();
        assert_eq!(text(&output(&arguments, input.as_bytes())), text(expected.as_bytes()), "{arguments:?} < {input:?}");
    }
}

#[test]
fn numbers_made_forms_keep_their_digits() {
    for number in
        ["12345678901234567890123", "1.10", "-0", "1e3", "1E+03", "0.1000000000000000055511151231257827", "-7"]
    {
        let expected = format!("a={}\n", number.replace('+', "%2B"));
        for (shape, input) in [
            ("json", format!("{{\"a\":{number}}}\n")),
            ("json", format!("{{\"a\": [ {number} ] }}\n")),
            ("pairs", format!("[[\"a\",{number} ]]\n")),
        ] {
            let found = output(&["form", "--back", "--as", shape], input.as_bytes());
            assert_eq!(text(&found), text(expected.as_bytes()), "{shape}: {input}");
        }
    }
}

#[test]
fn policies_apply_to_invalid_records() {
    let cases: &[(&[&str], &[u8], &str, &str)] = &[
        (
            &["form"],
            b"a=%zz\nb=%FF\nc=1\n",
            "{\"a\":\"%zz\"}\n{\"b\":\"\u{FFFD}\"}\n{\"c\":\"1\"}\n",
            "1 malformed, 1 not UTF-8; first at 1:3",
        ),
        (&["form", "--errors", "drop"], b"?a=%zz\nc=1\n", "{\"c\":\"1\"}\n", "1 malformed; first at 1:4"),
        (&["form", "--errors", "skip"], b"a=%zz\nc=1\n", "a=%zz\n{\"c\":\"1\"}\n", "1 malformed; first at 1:3"),
        (
            &["form", "--back"],
            b"{\"a\":{}}\n{\"a\":\"1\"}\nx\n",
            "{\"a\":{}}\na=1\nx\n",
            "2 not in the format; first at 1:",
        ),
        (
            &["form", "--back", "--errors", "drop"],
            b"[1]\n{\"a\":[[1]]}\n{\"a\":1}\n[[\"a\",[]]]\n\xFF\n",
            "a=1\n",
            "first at 1:",
        ),
        (
            &["form", "--back", "--as", "tsv", "--names", "a"],
            b"1\t2\n3\n",
            "1\t2\na=3\n",
            "1 with too many fields; first at 1:3",
        ),
    ];
    for &(arguments, input, expected, told) in cases {
        let Output { status, stdout, stderr } = run(arguments, input);
        assert_eq!((status.code(), str::from_utf8(&stdout).unwrap()), (Some(0), expected), "{arguments:?}");
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(stderr.contains(told), "{arguments:?}: {stderr}");
    }
    let Output { status, stdout, .. } = run(&["form", "--errors", "fail"], b"a=1\nb=%\nc=1\n");
    assert_eq!((status.code(), text(&stdout)), (Some(1), text(b"{\"a\":\"1\"}\n")));
}

#[test]
fn forms_of_urls_are_their_queries() {
    for (url, form) in [
        ("http://h/p?q=1#f", "q=1"),
        ("http://h/p#f?q=1", ""),
        ("http://h?q=1&r=%23", "q=1&r=%23"),
        ("http://h/p", ""),
        ("HTTP+x-1.0://h?a", "a"),
        ("/p?q=1?2", "q=1?2"),
        ("//h/p?q=é#", "q=é"),
        ("/p?", ""),
        ("/", ""),
        // Forms, as before.
        ("?q=1#f", "q=1#f"),
        ("p?q=1", "p?q=1"),
        ("mailto:a?b=1", "mailto:a?b=1"),
        ("u=http://h/?a=1&b=2", "u=http://h/?a=1&b=2"),
        ("1://h?a=1", "1://h?a=1"),
        ("a:/?b=1", "a:/?b=1"),
        ("", ""),
    ] {
        for shape in ["json", "pairs", "tsv"] {
            // With '?', it is a form.
            let expected = output(&["form", "--as", shape], format!("?{form}\n").as_bytes());
            let found = output(&["form", "--as", shape], format!("{url}\n").as_bytes());
            assert_eq!(text(&found), text(&expected), "{url}");
        }
    }
    // The position of an error is in the line; the rest of the URL is not decoded.
    let Output { stdout, stderr, .. } = run(&["form"], b"http://%/p?a=1&b=%\nhttp://h/\xFF?a=1\nhttp://h/?\xFF#\xFF\n");
    assert_eq!(str::from_utf8(&stdout).unwrap(), "{\"a\":\"1\",\"b\":\"%\"}\n{\"a\":\"1\"}\n{\"\u{FFFD}\":\"\"}\n");
    assert_eq!(text(&stderr), "pct: <stdin>: 1 malformed, 1 not UTF-8; first at 1:18\\n");
}

#[test]
fn forms_are_read_in_all_units() {
    let log = "h - - [t] \"GET //x?q=a+%22#b HTTP/1.1\" 200 1 \"http://r/?r=1\" \"agent\"\n-\n";
    let cases: &[(&[&str], &str, &str)] = &[
        (&["--raw"], "a=1\n&b=2", "{\"a\":\"1\\n\",\"b\":\"2\"}"),
        (&["-0"], "/?a=1\0b", "{\"a\":\"1\"}\0{\"b\":\"\"}"),
        (&["--append"], "/?a=%09\n", "/?a=%09\t{\"a\":\"\\t\"}\n"),
        (&["-f", "2"], "a=1\tb=2\tc\n", "a=1\t{\"b\":\"2\"}\tc\n"),
        (&["-f", "2", "--print-field"], "a=1\tb=2\tc\n", "{\"b\":\"2\"}\n"),
        (&["-f", "1-2", "--as", "pairs", "--append"], "a\tb\n", "a\tb\t[[\"a\",\"\"]]\t[[\"b\",\"\"]]\n"),
        (&["--csv", "-c", "u"], "u,v\n/?a=1,2\n", "u,v\n\"{\"\"a\"\":\"\"1\"\"}\",2\n"),
        (&["--csv", "-c", "u", "--append"], "u\n/\n", "u,u_form\n/,{}\n"),
        (&["--csv", "-c", "u", "--as", "tsv", "--names", "a,b"], "u\n?b=%2C&a=1\n", "u\n\"1\t,\"\n"),
        (&["--jsonl", "-k", "u"], "{\"u\":\"\\/?a=%22\",\"v\":1}\n", "{\"u\":{\"a\":\"\\\"\"},\"v\":1}\n"),
        (&["--jsonl", "-k", "u", "--append"], "{\"u\":\"/?a\"}\n", "{\"u\":\"/?a\",\"u_form\":{\"a\":\"\"}}\n"),
        (&["--jsonl", "-k", "u", "--as", "pairs", "--append-as", "f"], "{\"u\":\"\"}\n", "{\"u\":\"\",\"f\":[]}\n"),
        (&["--jsonl", "-k", "u", "--as", "tsv"], "{\"u\":\"a&b\"}\n", "{\"u\":\"a=\\tb=\"}\n"),
        (&["--jsonl", "-k", "u", "--print-field"], "{\"u\":\"a=1\"}\n", "{\"a\":\"1\"}\n"),
        (&["--log", "combined", "--print-field", "--errors", "drop"], log, "{\"q\":\"a \\\"#b\"}\n"),
        (&["--back", "-f", "1"], "{\"a\":1}\t\n", "a=1\t\n"),
        (&["--back", "--csv", "-c", "1"], "{}\n", "\"\"\n"),
        (&["--back", "--csv", "-c", "1"], "\"{\"\"a\"\":\"\",\"\"}\"\n", "\"a=%2C\"\n"),
        (&["--back", "--jsonl", "-k", "f"], "{\"f\":\"[[\\\"a\\\",1]]\"}\n", "{\"f\":\"a=1\"}\n"),
    ];
    for &(arguments, input, expected) in cases {
        let arguments = [&["form"], arguments].concat();
        assert_eq!(text(&output(&arguments, input.as_bytes())), text(expected.as_bytes()), "{arguments:?} < {input:?}");
    }
}

#[test]
fn names_and_values_are_decoded_by_their_options_after_the_split() {
    let w3c = "#Fields: date cs-uri-query\nd q=caf%25E9%2526\nd -\n";
    assert_outputs(&[
        (&["form", "--times", "2"], "q=a%2526b%253D&c=%25", "{\"q\":\"a&b=\",\"c\":\"%\"}"),
        (&["form", "--charset", "windows-1252"], "%E9=caf%E9%26+%80&é", "{\"é\":[\"café& €\",\"\"]}"),
        (&["form", "--charset", "shift_jis", "--as", "pairs"], "a=%95%5C%83e", "[[\"a\",\"表テ\"]]"),
        (&["form", "--fallback", "latin1", "--as", "tsv"], "a=%E9&b=%C3%A9&%E9", "a=é\tb=é\té="),
        (&["form", "--unicode"], "q=%u20AC%u0026+%26&%u0026=", "{\"q\":\"€& &\",\"&\":\"\"}"),
        (&["form", "--unicode", "--as", "tsv", "--names", "é"], "%u00E9=1&%C3%A9=2", "1"),
        (&["form", "--charset", "latin1", "-c", "u"], "u\na=%E9%2C\n", "u\n\"{\"\"a\"\":\"\"é,\"\"}\"\n"),
        (
            &[
                "form",
                "--log",
                "w3c",
                "--log-field",
                "cs-uri-query",
                "--times",
                "2",
                "--charset",
                "latin1",
                "--print-field",
            ],
            w3c,
            "{\"q\":\"café&\"}\n{}\n",
        ),
    ]);
    for (arguments, input, expected, told) in [
        (&["--fallback", "latin1"][..], "a=%C3%A9&b=%E9\n", "{\"a\":\"é\",\"b\":\"é\"}\n", "1 in the fallback charset"),
        (&["--charset", "euc-kr"], "?a=%FF\n", "{\"a\":\"\u{FFFD}\"}\n", "1 not in the charset; first at 1:4"),
        (&["--times", "2"], "a=1&b=%25zz\n", "{\"a\":\"1\",\"b\":\"%zz\"}\n", "1 malformed; first at 1:7"),
        (&["--times", "2", "--errors", "skip"], "a=%25FF\n", "a=%25FF\n", "1 not UTF-8; first at 1:3"),
        (&["--unicode"], "a=%uD800\n", "{\"a\":\"\u{FFFD}\"}\n", "1 not UTF-8; first at 1:3"),
    ] {
        let Output { status, stdout, stderr } = run(&[&["form"], arguments].concat(), input.as_bytes());
        assert_eq!((status.code(), str::from_utf8(&stdout).unwrap()), (Some(0), expected), "{arguments:?}");
        assert_eq!(str::from_utf8(&stderr).unwrap(), format!("pct: <stdin>: {told}\n"), "{arguments:?}");
    }
}

/// `get` decodes one value with the same options.
#[test]
fn values_are_those_of_get() {
    const SYMBOLS: [&str; 10] = ["%E9", "%25E9", "%C3%A9", "%26", "%2526", "+", "%2B", "%u00E9", "%", "4"];
    let numbers: Vec<u8> = (0..SYMBOLS.len()).map(|at| u8::try_from(at).unwrap()).collect();
    let lines = every_text(&numbers, 3).map(|text| {
        let value: String = text.iter().map(|&at| SYMBOLS[usize::from(at)]).collect();
        format!("v={value}&w=1\n")
    });
    let input: String = lines.collect();
    for options in [
        &["--times", "2"][..],
        &["--times", "3"],
        &["--charset", "latin1"],
        &["--charset", "shift_jis", "--times", "2"],
        &["--fallback", "windows-1252"],
        &["--fallback", "windows-1252", "--unicode", "--times", "2"],
        &["--unicode"],
    ] {
        let form = [&["form", "--as", "tsv", "--names", "v"], options].concat();
        let get = [&["get", "key:v", "--query", "--errors", "replace"], options].concat();
        assert_eq!(text(&output(&form, input.as_bytes())), text(&output(&get, input.as_bytes())), "{options:?}");
    }
}

#[test]
fn bad_usage_is_reported() {
    for arguments in [
        &["form", "--as", "xml"][..],
        &["form", "--names", "a"],
        &["form", "-f", "1", "--as", "tsv"],
        &["form", "-f", "1", "-d", ","],
        &["form", "-f", "1", "-d", "&", "--back"],
        &["form", "--as", "tsv", "--append"],
        &["form", "--append", "-d", ";"],
        &["form", "--log", "common"],
        &["form", "--log", "common", "--append"],
        &["form", "--log", "common", "--print-field", "--back"],
        &["form", "--unsafe-controls"],
        &["form", "--only-changed"],
        &["form", "--dialect", "java"],
        &["form", "--back", "--times", "2"],
        &["form", "--back", "--charset", "latin1"],
        &["form", "--back", "--fallback", "latin1"],
        &["form", "--back", "--unicode"],
    ] {
        let Output { status, stdout, .. } = run(arguments, b"a=1");
        assert_eq!((status.code(), text(&stdout)), (Some(2), String::new()), "{arguments:?}");
    }
    assert_eq!(run(&["form", "no-such-file"], b"").status.code(), Some(3));
}

#[test]
fn the_help_has_examples_and_only_options_that_form_has() {
    let help = String::from_utf8(output(&["form", "--help"], b"")).unwrap();
    assert!(help.contains("Examples:\n  pct form queries.txt"), "{help}");
    for shown in ["--csv", "--log", "--append", "--fields", "--only-matching"] {
        assert!(help.contains(shown), "{shown}: {help}");
    }
    for hidden in ["--unsafe-controls", "--only-changed"] {
        assert!(!help.contains(&format!("      {hidden}")), "{hidden}: {help}");
    }
}
