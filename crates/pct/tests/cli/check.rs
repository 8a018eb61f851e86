//! `pct check`: findings and their places.

use std::fs;
use std::process::Output;

use simdpct::{Kinds, inspect};

use crate::{data, every_text, run, text};

const MALFORMED: &str = "malformed percent-encoding: '%' without two hexadecimal digits";
const NOT_UTF8: &str = "the decoded bytes are not valid UTF-8";

#[track_caller]
fn assert_found(arguments: &[&str], input: &[u8], expected: &[String]) {
    let Output { status, stdout, stderr } = run(&[&["check"], arguments].concat(), input);
    let lines: Vec<_> = str::from_utf8(&stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines, expected, "{arguments:?} < {}", text(input));
    assert_eq!((status.code(), text(&stderr)), (Some(i32::from(!expected.is_empty())), String::new()), "{arguments:?}");
}

fn at(place: &str, what: &str) -> String {
    format!("<stdin>:{place}: {what}")
}

/// Arguments, input, and expected findings.
type Case<'a> = (&'a [&'a str], &'a [u8], &'a [(&'a str, &'a str)]);

#[test]
fn invalid_records_are_listed() {
    let cases: &[Case<'_>] = &[
        (&[], b"", &[]),
        (&[], b"a%41\n%0A%00\n", &[]),
        (&[], b"a%4\nb\n%zz%\n%C3%A9%FF", &[("1:2", MALFORMED), ("3:1", MALFORMED), ("4:7", NOT_UTF8)]),
        (&[], b"a\r\nb%C3\r\n", &[("2:2", NOT_UTF8)]),
        (&["--raw"], b"a%4\nb%\n", &[("1:2", MALFORMED)]),
        (&["-0"], b"a%4\0b%", &[("1:2", MALFORMED), ("2:2", MALFORMED)]),
        (&["-f", "2"], b"%\ta%4\n%\ta\n", &[("1:4", MALFORMED)]),
        (&["-f", "2", "-d", ";"], b"%;a%4\n", &[("1:4", MALFORMED)]),
        (&["--csv", "-c", "b"], b"a,b\n%,x%\n", &[("2:4", MALFORMED)]),
        (&["--csv", "-c", "2", "--header"], b"%,%\n%,x%\n", &[("2:4", MALFORMED)]),
        (&["--jsonl", "-k", "u"], b"{\"u\":\"a%\",\"v\":\"%\"}\n", &[("1:8", MALFORMED)]),
        (&["--log", "common"], b"h - - [t] \"GET /% HTTP/1.1\" 200 1\n", &[("1:17", MALFORMED)]),
        // A dialect's errors, and options that refine it.
        (&["--dialect", "python"], b"%\n%FF\n", &[]),
        (&["--dialect", "rfc3986"], b"%\n%FF\n", &[("1:1", MALFORMED)]),
        (&["--dialect", "java"], b"%+4\n%+\n%FF", &[("2:1", MALFORMED)]),
        (&["--dialect", "nginx"], b"a%00\n", &[("1:2", "rejected byte 0x00")]),
        (&["--reject", "/"], b"a%2F\n/b\n", &[("1:2", "rejected byte 0x2F"), ("2:1", "rejected byte 0x2F")]),
        (&["--times", "2"], b"%2541\na%25\n", &[("2:2", MALFORMED)]),
        // Findings of the inspection.
        (&["--find", "nul"], b"a%00\n%2F\n", &[("1:2", "an encoded NUL")]),
        (
            &["--find", "nul,slash"],
            b"a%00\n%2F%00\n",
            &[("1:2", "an encoded NUL"), ("2:1", "an encoded NUL; an encoded '/'")],
        ),
        (&["--find", "percent", "--find", "dot"], b"%41%252e\n", &[("1:4", "an encoded '%'")]),
        (&["--find", "illegal"], b"a\nb c\n", &[("2:2", "a raw byte that is illegal in a URI")]),
        (&["--find", "plus"], b"a+\n%4", &[("1:2", "a '+', a space in form data"), ("2:1", MALFORMED)]),
        (&["--find", "nul"], b"%00%4\n%4%00\n", &[("1:1", "an encoded NUL"), ("2:1", MALFORMED)]),
    ];
    for &(arguments, input, expected) in cases {
        assert_found(arguments, input, &expected.iter().map(|(place, what)| at(place, what)).collect::<Vec<_>>());
    }
}

#[test]
fn each_kind_can_be_looked_for() {
    for (kind, input) in [
        ("escape", "%41"),
        ("plus", "+"),
        ("malformed", "%"),
        ("nul", "%00"),
        ("control", "%1F"),
        ("slash", "%2F"),
        ("backslash", "%5C"),
        ("dot", "%2E"),
        ("percent", "%25"),
        ("unreserved", "%41"),
        ("lower-hex", "%2f"),
        ("non-ascii", "\u{E9}"),
        ("illegal", "|"),
        ("invalid-utf8", "%FF"),
        ("dot-segment", "/%2E./b"),
        ("empty-segment", "//"),
        ("double", "%252f"),
        ("semicolon", ";"),
        ("path-end", "%23"),
        ("unicode", "%u00e9"),
    ] {
        let arguments = ["check", "--dialect", "whatwg", "--find", kind];
        assert_eq!(run(&arguments, b"a\n").status.code(), Some(0), "{kind}");
        assert_eq!(run(&arguments, format!("a{input}\n").as_bytes()).status.code(), Some(1), "{kind}");
    }
}

/// The number of these hexadecimal digits.
fn hexadecimal(digits: Option<&[u8]>) -> Option<u32> {
    let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u32::from_str_radix(str::from_utf8(digits).unwrap(), 16).ok()
}

/// The character of the `%uXXXX` at the start of a text.
fn unicode_escape(text: &[u8]) -> Option<char> {
    hexadecimal(text.get(2..6)).filter(|_| text.starts_with(b"%u")).and_then(char::from_u32)
}

/// The text with triplets instead of each `%uXXXX`.
fn with_triplets(text: &[u8]) -> Vec<u8> {
    let (mut spelled, mut at) = (Vec::new(), 0);
    while at < text.len() {
        match unicode_escape(&text[at..]) {
            Some(character) => {
                character
                    .to_string()
                    .bytes()
                    .for_each(|byte| spelled.extend_from_slice(format!("%{byte:02X}").as_bytes()));
                at += 6;
            }
            None => {
                spelled.push(text[at]);
                at += 1;
            }
        }
    }
    spelled
}

/// A plain implementation: all triplets and, with `unicode`, each `%uXXXX` of a text, decoded once.
fn decoded_once(text: &[u8], unicode: bool, plus: bool) -> Vec<u8> {
    let mut decoded = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let unit = unicode_escape(&text[at..]).filter(|_| unicode);
        let byte = hexadecimal(text.get(at + 1..at + 3)).filter(|_| text[at] == b'%');
        at += match (unit, byte) {
            (Some(character), _) => {
                decoded.extend_from_slice(character.to_string().as_bytes());
                6
            }
            (_, Some(byte)) => {
                decoded.push(byte as u8);
                3
            }
            _ => {
                decoded.push(if plus && text[at] == b'+' { b' ' } else { text[at] });
                1
            }
        };
    }
    decoded
}

/// The kinds in each layer of a text that is decoded `times` times, by the library.
fn kinds_in_layers(text: &str, times: usize, unicode: bool, plus: bool) -> Vec<Kinds> {
    let mut layer = text.as_bytes().to_vec();
    (0..times)
        .map(|done| {
            let escapes = if unicode { inspect(&layer).kinds_among(Kinds::UNICODE) } else { Kinds::NONE };
            let spelled = if unicode { with_triplets(&layer) } else { layer.clone() };
            let kinds = inspect(&spelled).iter_among(Kinds::EVERY).fold(escapes, |kinds, finding| {
                let raw = Kinds::DOT_SEGMENT | Kinds::EMPTY_SEGMENT | Kinds::PLUS;
                let is_of_text = done == 0 || spelled[finding.position] == b'%';
                kinds | if is_of_text { finding.kinds } else { finding.kinds.intersection(raw) }
            });
            layer = decoded_once(&layer, unicode, plus);
            kinds
        })
        .collect()
}

/// All texts of up to 3 pieces, in a long run 4, by all ways of decoding: no kind is missed in any
/// layer that is decoded, and none is found below.
#[test]
fn kinds_are_found_in_every_layer_that_is_decoded() {
    let all: Vec<_> = Kinds::ALL.iter().map(|&(_, name)| name).collect();
    let all = all.join(",");
    let pieces = ["%", "25", "00", "2e", "2B", "/", "u00", "+"];
    let numbers: Vec<u8> = (0..pieces.len() as u8).collect();
    for (options, unicode, plus) in [
        (&["--dialect", "whatwg"][..], false, false),
        (&["--plus"], false, true),
        (&["--unicode"], true, false),
        (&["--charset", "windows-1252"], false, false),
        (&["--fallback", "shift_jis", "--plus"], false, true),
    ] {
        for times in 1..=3 {
            let number = times.to_string();
            let arguments = [&["pct", "check", "--find", &all, "--times", &number], options].concat();
            let command = pct::InMemory::new(&arguments).unwrap();
            for text in every_text(&numbers, if crate::is_long() { 4 } else { 3 }) {
                let text: String = text.iter().map(|&piece| pieces[usize::from(piece)]).collect();
                let layers = kinds_in_layers(&text, times, unicode, plus);
                let expected = layers.iter().fold(Kinds::NONE, |all, &kinds| all | kinds);
                let report: serde_json::Value =
                    serde_json::from_str(&command.run(text.as_bytes(), 1 << 10).report).unwrap();
                let first = &report["files"][0]["first"][0];
                let found = first["found"].as_array().into_iter().flatten();
                let found =
                    found.filter_map(|name| Kinds::from_name(name.as_str()?)).fold(Kinds::NONE, |all, kind| all | kind);
                assert_eq!(found, expected, "{arguments:?}: {text:?}");
                // The layer of the first finding has it.
                if !found.is_empty() && first["kind"] == "suspicious" {
                    let layer = first["layer"].as_u64().unwrap_or(0) as usize;
                    assert!(!layers[layer].is_empty(), "{arguments:?}: {text:?}: {first}");
                }
            }
        }
    }
}

/// In each format, in a batch, with a long record, and where whole records are written.
#[test]
fn inner_layers_are_inspected_in_each_format() {
    let long = "x".repeat(300_000);
    for finding in ["/%2500", "/%252e%252e/x", "/%25252e%25252e/"] {
        for text in [finding.to_owned(), format!("/{long}{finding}")] {
            for (options, input) in [
                (&[][..], format!("/a\n{text}\n/b\n")),
                (&["--raw"], text.clone()),
                (&["-0"], format!("{text}\0")),
                (&["-f", "2"], format!("a\t{text}\tb\n")),
                (&["-c", "u"], format!("u,v\n\"{text}\",1\n")),
                (&["-k", "u"], format!("{{\"u\":\"{text}\"}}\n")),
                (&["--cdxj"], format!("a 1 {{\"url\":\"{text}\"}}\n")),
                (&["--log", "combined"], format!("h - - [t] \"GET {text} HTTP/1.1\" 200 1 \"-\" \"\"\n")),
                (&["--log", "$host $request_uri"], format!("h {text}\n")),
                (&["--log", "w3c"], format!("#Fields: cs-uri\n{text}\n")),
                (&["--only-matching"], format!("{text}\n")),
            ] {
                for extra in [&[][..], &["--unicode"], &["--charset", "latin1"]] {
                    let arguments =
                        [&["check", "-q", "--times", "3", "--find", "nul,dot-segment"], options, extra].concat();
                    let arguments: Vec<_> = arguments
                        .into_iter()
                        .filter(|one| *one != "-q" || !options.contains(&"--only-matching"))
                        .collect();
                    assert_eq!(run(&arguments, input.as_bytes()).status.code(), Some(1), "{arguments:?}: {finding}");
                }
            }
        }
    }
}

/// They depend on where a record begins and ends, and need no byte but slashes and dots.
#[test]
fn raw_segments_are_found_in_each_record() {
    let arguments = ["check", "--find", "dot-segment,empty-segment"];
    for (format, separator) in [(&[][..], "\n"), (&["-0"], "\0"), (&["-f", "1"], "\n")] {
        for record in ["..", "../b", "/a/..", "/./b", "//", "/a//b", "/..\\b"] {
            for input in [["/a", record, "/b"], [record, "/a", "/b"], ["/a", "/b", record]] {
                let input = input.map(|record| format!("{record}{separator}")).concat();
                let arguments = [&arguments, format].concat();
                assert_eq!(run(&arguments, input.as_bytes()).status.code(), Some(1), "{format:?}: {input:?}");
            }
        }
        let input = ["/a", "http://b/.c", "/d/e..", "f:/"].map(|record| format!("{record}{separator}")).concat();
        let arguments = [&arguments, format].concat();
        assert_eq!(run(&arguments, input.as_bytes()).status.code(), Some(0), "{format:?}: {input:?}");
    }
}

/// Far from the start, with any number of threads.
#[test]
fn all_are_listed_in_order() {
    let mut input = String::new();
    let mut expected = Vec::new();
    for number in 1..=100_000 {
        if number % 7 == 0 {
            input += "a%C3%A9%zz\n";
            expected.push(at(&format!("{number}:8"), MALFORMED));
        } else {
            input += "/clean/line/with%20a/triplet\n";
        }
    }
    for threads in ["1", "2", "5"] {
        assert_found(&["-j", threads], input.as_bytes(), &expected);
    }
}

#[test]
fn long_records_are_counted() {
    for length in [300_000, 5_000_000] {
        let long = "%E2%82%AC".repeat(length / 9);
        for (tail, expected) in [
            ("", None),
            ("%", Some((long.len() + 1, MALFORMED))),
            ("%E2%82", Some((long.len() + 1, NOT_UTF8))),
            ("%00", Some((long.len() + 1, "an encoded NUL"))),
        ] {
            let input = format!("first\n{long}{tail}\nlast\n");
            let expected: Vec<_> = expected.iter().map(|(column, what)| at(&format!("2:{column}"), what)).collect();
            assert_found(&["--find", "nul"], input.as_bytes(), &expected);
        }
    }
}

#[test]
fn quiet_is_an_exit_code() {
    for (arguments, input, code) in
        [(["check", "-q"], "a%4", 1), (["check", "--quiet"], "a\nb%\n", 1), (["check", "-q"], "a%41\n", 0)]
    {
        let Output { status, stdout, stderr } = run(&arguments, input.as_bytes());
        assert_eq!((status.code(), text(&stdout), text(&stderr)), (Some(code), String::new(), String::new()));
    }
}

#[test]
fn the_report_for_programs_has_counts_and_first_offenders() {
    let Output { status, stdout, .. } = run(&["check", "--report", "json", "--find", "nul"], b"%\n%FF\na\n%00\n%\n");
    assert_eq!(status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&stdout).unwrap();
    let file = &report["files"][0];
    assert_eq!((file["file"].as_str(), file["records"].as_u64()), (Some("<stdin>"), Some(5)));
    for (kind, count) in [("malformed", 2), ("not-utf8", 1), ("suspicious", 1), ("rejected", 0), ("too-long", 0)] {
        assert_eq!(file["counts"][kind].as_u64(), Some(count), "{kind}");
    }
    assert_eq!(file["first"].as_array().unwrap().len(), 4);
    assert_eq!(file["first"][1]["line"].as_u64(), Some(2));
    assert_eq!(file["first"][2]["found"], serde_json::json!(["nul"]));
}

#[test]
fn unreadable_files_are_reported() {
    let log = data("access.log");
    let log = log.to_str().unwrap();
    let Output { status, stdout, stderr } = run(&["check", "no-such-file", log, "-"], b"%");
    assert_eq!(status.code(), Some(3));
    assert!(text(&stderr).starts_with("pct: no-such-file: "), "{}", text(&stderr));
    let stdout = String::from_utf8(stdout).unwrap();
    assert!(stdout.starts_with(&format!("{log}:73:68: {NOT_UTF8}\n")), "{stdout}");
    assert!(stdout.ends_with(&format!("<stdin>:1:1: {MALFORMED}\n")));
    assert_eq!(stdout.lines().count(), 18);
    assert_eq!(run(&["check", "-q", "no-such-file", "-"], b"%").status.code(), Some(3));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gz");
    fs::write(&path, b"\x1F\x8B\x08\0abc").unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(run(&["check", path], b"").status.code(), Some(3));
    assert_eq!(run(&["check", "--no-decompress", "--dialect", "whatwg", path], b"").status.code(), Some(0));
}

/// Names neither break a line nor control a terminal, through a pipe too; JSON has the bytes of
/// what is not UTF-8.
#[cfg(unix)]
#[test]
fn names_of_files_are_escaped() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    for (name, shown, has_bytes) in [
        (&b"a\nb:1:1: \x1B[31m"[..], "a\\nb:1:1: \\u{1b}[31m", false),
        ("é\u{202E}".as_bytes(), "é\\u{202e}", false),
        (b"caf\xE9\x07", "caf\\xe9\\u{7}", true),
        (b"\xFF\xFE\xC3", "\\xff\\xfe\\xc3", true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        // Not every file system allows such a name.
        if fs::write(folder.path().join(OsStr::from_bytes(name)), "a%\n").is_err() {
            continue;
        }
        let told = |arguments: &[&str]| {
            let mut command = crate::pct(arguments);
            let Output { stdout, stderr, .. } =
                command.arg(OsStr::from_bytes(name)).current_dir(folder.path()).output().unwrap();
            String::from_utf8([stdout, stderr].concat()).unwrap()
        };
        assert_eq!(told(&["check"]), format!("{shown}:1:2: {MALFORMED}\n"));
        assert_eq!(told(&["stats"]).lines().next(), Some(&*format!("{shown}: 1 record, 1 with findings")));
        assert_eq!(told(&["decode"]), format!("a%\npct: {shown}: 1 malformed; first at 1:2\n"));
        for arguments in [&["check", "--report", "json"][..], &["stats", "--report", "json"]] {
            let report: serde_json::Value = serde_json::from_str(&told(arguments)).unwrap();
            let file = &report["files"][0];
            // Escaped by JSON alone.
            let named = file["file"].as_str().unwrap();
            assert_eq!(
                named
                    .replace('\n', "\\n")
                    .replace('\u{1b}', "\\u{1b}")
                    .replace('\u{7}', "\\u{7}")
                    .replace('\u{202e}', "\\u{202e}"),
                shown
            );
            let bytes = file.get("file-bytes").map(|bytes| serde_json::from_value::<Vec<u8>>(bytes.clone()).unwrap());
            assert_eq!(bytes.as_deref(), has_bytes.then_some(name), "{arguments:?}");
        }
        fs::remove_file(folder.path().join(OsStr::from_bytes(name))).unwrap();
        assert!(told(&["decode"]).starts_with(&format!("pct: {shown}: ")), "a missing file");
    }
}

#[test]
fn bad_usage_is_reported() {
    for arguments in [
        &["check", "--find", "nothing"][..],
        &["check", "--report", "xml"],
        &["check", "-q", "--report", "json"],
        &["check", "--dialect", "perl"],
        &["check", "-j", "0"],
        &["check", "--csv"],
        &["check", "-o", "file"],
        &["check", "--in-place"],
    ] {
        assert_eq!(run(arguments, b"").status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn the_help_has_examples() {
    for command in ["check", "stats", "info"] {
        let Output { status, stdout, .. } = run(&[command, "--help"], b"");
        let help = String::from_utf8(stdout).unwrap();
        assert_eq!(status.code(), Some(0));
        assert!(help.contains(&format!("Examples:\n  pct {command}")), "{help}");
        assert!(!help.contains("--append") && !help.contains("--unsafe-controls"), "{help}");
    }
}
