//! `pct explain`.

use crate::{run, text};

/// The explanation, without colours.
fn explained(url: &str) -> String {
    let found = run(&["explain", "--color", "never", "--", url], b"");
    assert_eq!((found.status.code(), text(&found.stderr)), (Some(0), String::new()), "{url}");
    String::from_utf8(found.stdout).unwrap()
}

/// Blocks of a URL and its explanation.
#[test]
fn urls_are_explained_as_in_the_examples() {
    let examples = include_str!("explained.txt");
    let mut count = 0;
    for example in examples.split("==> ").skip(1) {
        let (url, expected) = example.split_once('\n').unwrap();
        let url: String = serde_json::from_str(&format!("\"{url}\"")).unwrap();
        assert_eq!(explained(&url).trim_end(), expected.trim_end(), "{url}");
        count += 1;
    }
    assert!(count >= 8, "{count}");
}

#[test]
fn several_urls_come_from_arguments_or_lines() {
    let arguments = run(&["explain", "/a", "/b"], b"/c");
    let lines = run(&["explain"], b"/a\r\n\n/b");
    assert_eq!(text(&arguments.stdout), text(&lines.stdout));
    assert_eq!(text(&arguments.stdout).matches("normal").count(), 2);
    assert_eq!(text(&arguments.stdout).matches("\\n\\n").count(), 1);
    assert_eq!(text(&run(&["explain"], b"").stdout), "");
}

#[test]
fn findings_are_in_colour_only_where_asked() {
    let coloured = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = crate::pct(&[&["explain", "/%2e%2e/%41%00"], arguments].concat());
        command.env_remove("NO_COLOR").env("TERM", "xterm");
        let found = command.envs(variables.iter().copied()).output().unwrap();
        text(&found.stdout).contains("\\x1b[")
    };
    // Standard output is no terminal.
    assert!(!coloured(&[], &[]));
    assert!(!coloured(&["--color", "auto"], &[]));
    assert!(!coloured(&["--color", "never"], &[]));
    assert!(coloured(&["--color", "always"], &[]));
    assert!(coloured(&["--color", "always"], &[("NO_COLOR", "1"), ("TERM", "dumb")]));
    let found = text(&run(&["explain", "--color", "always", "/%00%c3%a9é%41"], b"").stdout);
    // Red, yellow, and no colour for the rest.
    assert!(found.contains("\\x1b[1m\\x1b[31m%00\\x1b[0m"), "{found}");
    assert!(found.contains("\\x1b[33m%c3%a9\\x1b[0m"), "{found}");
    // Without them, the text is the same.
    let mut plain = found;
    for code in ["\\x1b[0m", "\\x1b[1m", "\\x1b[31m", "\\x1b[33m", "\\x1b[36m"] {
        plain = plain.replace(code, "");
    }
    assert_eq!(plain, text(explained("/%00%c3%a9é%41").as_bytes()));
}

/// Also in a pipe: a row is a line.
#[test]
fn no_text_can_control_a_terminal_or_break_the_table() {
    let active = ["\x1B[31m", "\x07", "\x7F", "\u{9B}31m", "\u{202E}", "\u{2066}", "\u{200F}", "\n", "\r"];
    for active in active {
        let encoded: String = active.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let twice = encoded.replace('%', "%25");
        for part in [active, &encoded, &twice] {
            let url = format!("http://{part}@{part}:{part}/{part}?{part}={part}&b={part}#{part}");
            let expected_rows = explained(&url.replace(part, "x%2525").replace('\n', "")).lines().count();
            for url in [url, part.to_owned(), format!("a{part}:b")] {
                let found = explained(&url);
                assert!(found.chars().all(|shown| shown == '\n' || !shown.is_control()), "{found:?}");
                assert!(!found.contains(['\u{202E}', '\u{2066}', '\u{200F}']), "{found:?}");
                assert!(found.lines().count() <= 2 * expected_rows + 20, "{found}");
                assert!(found.lines().all(|line| !line.starts_with("31m")), "{found}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn text_that_is_not_utf8_is_explained() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let found = crate::pct(&["explain"]).arg(OsStr::from_bytes(b"http://\xFF/\xFF%FF")).output().unwrap();
    assert_eq!(found.status.code(), Some(0));
    let found = String::from_utf8(found.stdout).unwrap();
    assert!(found.contains("authority   \\xff"), "{found}");
    assert!(found.contains("none: not valid UTF-8"), "{found}");
}

/// In the table of docs/dialects.md, the readers differ exactly here.
#[test]
fn readers_are_shown_where_they_differ() {
    for (url, expected) in [
        ("http://a/b?c=d", &[][..]),
        ("/a%20b", &["nginx, Java, Python"]),
        ("/a%2fb/%2e%2e/c?x=%41+", &["browsers  ", "nginx  ", "Java, Python  "]),
        ("/%zz", &["browsers, Python", "400 Bad Request", "error: "]),
        ("/../a", &["400 Bad Request"]),
        ("http://a\\@b/", &["RFC 3986  b", "browsers  a"]),
        ("/?x=%E9", &["\u{FFFD}"]),
    ] {
        let found = explained(url);
        assert_eq!(found.contains("readers"), !expected.is_empty(), "{found}");
        for part in expected {
            assert!(found.contains(part), "{part}: {found}");
        }
    }
}
