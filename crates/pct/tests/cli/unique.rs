//! `pct normalize --unique`.

use std::fs;

use crate::{output, run, text};

#[test]
fn the_first_record_of_each_normal_form_is_kept_as_it_is() {
    let cases: &[(&[&str], &str, &str)] = &[
        (&[], "/%7e\n/~\n/%7E\n/a\n/%41\n", "/%7e\n/a\n/%41\n"),
        (&["--url"], "HTTP://A\nhttp://a/\nhttp://a:80/.\nhttp://b", "HTTP://A\nhttp://b"),
        (&["--url"], "http://a\r\nhttp://a/\r\n\r\n\r\nhttp://b\r\n", "http://a\r\n\r\nhttp://b\r\n"),
        (&["--url"], "http://a/\nhttp://b\nhttp://A", "http://a/\nhttp://b\n"),
        (&["--path", "default"], "/a//b\n/a/b\n/a/./b\n", "/a//b\n"),
        (&["--url", "-0"], "/a/./b\0/a/b\0/c", "/a/./b\0/c"),
        (&["--url", "--raw"], "/a\n/a\n", "/a\n/a\n"),
        (&["--url", "-f", "2"], "1\t/a/../b\t%41\n2\t/b\n3\t/c\n4\n5\n", "1\t/a/../b\t%41\n3\t/c\n4\n5\n"),
        (&["--url", "-f", "1-2"], "ab\tc\na\tbc\nab\tc\tx\n", "ab\tc\na\tbc\n"),
        (&["--url", "--csv", "-c", "u"], "u,v\n\"/%7e\",1\n/~,2\n\n/b,3\n", "u,v\n\"/%7e\",1\n\n/b,3\n"),
        (&["--url", "--csv", "-c", "1"], "/a\n\"/a\"\n/b\n", "/a\n/b\n"),
        (
            &["--url", "--jsonl", "-k", "u"],
            "{\"u\":\"/a\",\"n\":1}\n{\"u\":\"\\/.\\/a\"}\n{\"n\":2}\n{\"n\":2}\n{\"u\":\"/b\"}\n",
            "{\"u\":\"/a\",\"n\":1}\n{\"n\":2}\n{\"n\":2}\n{\"u\":\"/b\"}\n",
        ),
        (
            &["--url", "--log", "common"],
            "h - - [1] \"GET /a HTTP/1.1\" 200 1\nh - - [2] \"GET /./a HTTP/1.1\" 200 2\nno line of a log\nno line of a log\n",
            "h - - [1] \"GET /a HTTP/1.1\" 200 1\nno line of a log\nno line of a log\n",
        ),
    ];
    for &(options, input, expected) in cases {
        let arguments = [&["normalize", "--unique"], options].concat();
        assert_eq!(text(&output(&arguments, input.as_bytes())), text(expected.as_bytes()), "{arguments:?} < {input:?}");
    }
}

#[test]
fn invalid_records_follow_the_policy_and_are_compared_if_kept() {
    let input = "http://a:x/.\nhttp://a:x/\n/%\n/%\n\n/b\n";
    for (policy, expected, summary) in [
        ("keep", "http://a:x/.\n/%\n\n/b\n", "4 distinct, 2 duplicates"),
        // A record that is not processed has no normal form.
        ("skip", input, "2 distinct, 0 duplicates"),
        ("drop", "\n/b\n", "2 distinct, 0 duplicates"),
        ("fail", "", "0 distinct, 0 duplicates"),
    ] {
        let found = run(&["normalize", "--url", "--unique", "--errors", policy], input.as_bytes());
        assert_eq!(text(&found.stdout), text(expected.as_bytes()), "{policy}");
        assert!(
            text(&found.stderr).contains(&format!("pct: {summary}; memory: ")),
            "{policy}: {}",
            text(&found.stderr)
        );
    }
}

#[test]
fn the_summary_has_the_numbers_and_the_memory() {
    let found = run(&["normalize", "--unique"], b"a\na\nb\n");
    assert_eq!(text(&found.stderr), "pct: 2 distinct, 1 duplicates; memory: 1.12 KiB\\n");
    let found = run(&["normalize", "--unique", "--report", "json"], b"a\na\nb\n");
    let report: serde_json::Value = serde_json::from_slice(&found.stderr).unwrap();
    assert_eq!(report["unique"], serde_json::json!({ "distinct": 2, "duplicates": 1, "memory": 1152 }));
    assert_eq!(text(&run(&["normalize", "--unique", "-q"], b"a\na\n").stderr), "");
    // Without --unique, nothing is said of it.
    let found = run(&["normalize", "--report", "json"], b"a\n");
    assert!(!text(&found.stderr).contains("unique"));
}

#[test]
fn files_of_one_output_are_compared_and_files_in_place_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["1", "2"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let [first, second] = &files;
    let write = || {
        fs::write(first, "/a\n/%61").unwrap();
        fs::write(second, "/b\n/%61\n/a\n").unwrap();
    };
    write();
    assert_eq!(text(&output(&["normalize", "--unique", first, second], b"")), "/a\\n/b\\n");
    let found = run(&["normalize", "--unique", "-i", first, second], b"");
    assert_eq!(text(&found.stderr), "pct: 3 distinct, 2 duplicates; memory: 1.12 KiB\\n");
    assert_eq!(fs::read_to_string(first).unwrap(), "/a\n");
    assert_eq!(fs::read_to_string(second).unwrap(), "/b\n/%61\n");
}

/// Many blocks, in which every record occurs several times, in one of several spellings.
#[test]
fn the_first_in_input_order_is_kept_with_any_number_of_threads() {
    let url = |number: usize| {
        let id = number * 7919 % 30_011;
        match number % 3 {
            0 => format!("http://h/a/../{id}"),
            1 => format!("HTTP://H:80/{id}"),
            _ => format!("http://h/%{:02X}{}", id.to_string().as_bytes()[0], &id.to_string()[1..]),
        }
    };
    let long = format!("http://h/{}", "long/../".repeat(200_000));
    for (options, wrap) in [
        (&[][..], (&|url: &str| format!("{url}\n")) as &dyn Fn(&str) -> String),
        (&["-f", "2"], &|url| format!("x\t{url}\ty\n")),
        (&["--csv", "-c", "2"], &|url| format!("x,\"{url}\",y\n")),
        (&["--jsonl", "-k", "u"], &|url| format!("{{\"n\":1,\"u\":\"{url}\"}}\n")),
        (&["--log", "common"], &|url| format!("h - - [t] \"GET {url} HTTP/1.1\" 200 1\n")),
    ] {
        let mut input = String::new();
        let mut expected = String::new();
        let mut seen = std::collections::HashSet::new();
        for number in 0..80_000 {
            let line = wrap(&url(number));
            input += &line;
            if seen.insert(number * 7919 % 30_011) {
                expected += &line;
            }
            if number == 40_000 {
                input += &wrap(&long);
                input += &wrap(&long);
                expected += &wrap(&long);
            }
        }
        for threads in ["1", "2", "5"] {
            let arguments = [&["normalize", "--url", "--unique", "-j", threads], options].concat();
            assert!(output(&arguments, input.as_bytes()) == expected.as_bytes(), "{arguments:?}");
        }
    }
}
