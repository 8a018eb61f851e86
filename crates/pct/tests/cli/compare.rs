//! `--count`, `--top`, `--not-in` and `--only-in`.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use pct::InMemory;

use crate::{assert_outputs, output, run, text};

#[test]
fn counts_precede_what_print_field_writes() {
    assert_outputs(&[
        (&["normalize", "--count"], "/%7e\n/a\n/~", "2\t/~\n1\t/a\n"),
        (&["normalize", "--count"], "/b\r\n/%7E\r\n/~", "1\t/b\r\n2\t/~\r\n"),
        (&["normalize", "--unique", "--count"], "/b\n/a\n/b\n/b\n/a\n/c\n", "3\t/b\n2\t/a\n1\t/c\n"),
        (&["normalize", "--top", "2"], "/c\n/b\n/a\n/b\n/a\n", "2\t/b\n2\t/a\n"),
        (&["normalize", "--count", "--top", "99"], "/c\n/b\n/b\n", "2\t/b\n1\t/c\n"),
        (&["normalize", "--count"], "", ""),
        (&["normalize", "--count"], "\n\n", "2\t\n"),
        (&["decode", "--count", "-0"], "a\n\0a\0%61\n\0b", "2\ta\n\x001\ta\x001\tb\0"),
        (&["get", "host", "--top", "1"], "//a/b\n//b\n//%61\n/c\n", "2\ta\n"),
        (&["get", "host", "--count", "--only-matching"], "/c\n//b\n", "1\tb\n"),
        (&["get", "host", "--count"], "/c\n//b\n\n", "2\t\n1\tb\n"),
        (&["decode", "--count", "-f", "2"], "x\t%41\ny\tA\nz\n", "2\tA\n"),
        (&["decode", "--count", "-f", "1,3", "-d", ";"], "a;b;c\na;d;%63\n", "2;a;c\n"),
        (&["decode", "--count", "-c", "u"], "u,v\n\"A\",1\n%41,2\n\n\"%2C\",3\n", "count,u\n2,A\n1,\",\"\n"),
        (&["decode", "--count", "-c", "2", "-d", ";"], "1;a\n\"2\";\"a\"\n3\n", "2;a\n"),
        (&["decode", "--count", "-c", "u"], "u\n\n", "count,u\n"),
        (&["decode", "--count", "-k", "u"], "{\"u\":\"%41\"}\n{\"u\":\"A\"}\n{}\n\nno JSON\n", "2\tA\n"),
        (
            &["decode", "--count", "-k", "u", "-k", "v"],
            "{\"u\":\"a\"}\n{\"v\":\"a\"}\n{\"v\":\"a\"}\n",
            "1\ta\t\n2\t\ta\n",
        ),
        (&["decode", "--count", "-k", "t"], "{\"t\":[\"a b\",\"c\"]}\n{\"t\":[\"a\",\"b c\"]}\n", "2\ta b c\n"),
        (&["decode", "--count", "--log", "w3c"], "#Fields: cs-uri-stem\n/a\n/%61\n", "2\t/a\n"),
        (&["decode", "--count", "--cdxj"], "!CDXJ 1\nk 1 {\"url\":\"%41\"}\n", "1\tA\n"),
        (
            &["get", "path", "--count", "--log", "common"],
            "h - - [1] \"GET /a HTTP/1.1\" 200 1\nh - - [2] \"GET /%61?b HTTP/1.1\" 200 2\nno line of a log\n",
            "2\t/a\n",
        ),
        (&["form", "--count"], "a=1\na=%31\n", "2\t{\"a\":\"1\"}\n"),
        (&["encode", "--count"], "a b\na b\n", "2\ta%20b\n"),
        (&["repair", "--count"], "a b\na%20b\n", "2\ta%20b\n"),
        (&["decode", "--only-changed", "--count"], "%41\nA\n%41\nb\n", "2\tA\n"),
        (&["decode", "--only-matching", "--top", "1"], "%42\n%41\nA\n%41\nb\n", "2\tA\n"),
    ]);
}

#[test]
fn invalid_records_are_counted_if_they_are_kept() {
    let input = b"/%\n/%\n/a\n";
    for (policy, expected, code) in
        [("keep", "2\t/%\n1\t/a\n", 0), ("skip", "1\t/a\n", 0), ("drop", "1\t/a\n", 0), ("fail", "", 1)]
    {
        let found = run(&["normalize", "--count", "-q", "--errors", policy], input);
        assert_eq!((text(&found.stdout), found.status.code()), (text(expected.as_bytes()), Some(code)), "{policy}");
    }
    let found = run(&["normalize", "--count", "--max-record", "256K", "--errors", "skip"], &[b'a'; 1 << 20]);
    assert_eq!(text(&found.stdout), "");
}

#[test]
fn unique_compares_what_every_command_makes_of_the_fields() {
    assert_outputs(&[
        (&["get", "host", "--unique"], "//a/1\n//b/2\n//%61/3\n", "//a/1\n//b/2\n"),
        (&["get", "host", "--unique", "--print-field"], "//a/1\n//b/2\n//%61/3\n", "a\nb\n"),
        (&["get", "host", "--unique", "--append"], "//%61/1\n//b/2\n//a/3\n", "//%61/1\ta\n//b/2\tb\n"),
        (&["get", "host", "--unique", "--only-matching"], "/\n//b/2\n//b/3\n", "//b/2\n"),
        (&["decode", "--unique", "--only-changed"], "%41\nA\n%41\nB\n%42\n", "%41\n%42\n"),
        (&["decode", "--unique", "-c", "u", "--print-field"], "v,u\n1,a\n2,%61\n3,\"b\"\n", "u\na\n\"b\"\n"),
        (
            &["decode", "--unique", "-k", "u", "--append"],
            "{\"u\":\"%41\"}\n{\"u\":\"A\"}\n",
            "{\"u\":\"%41\",\"u_decoded\":\"A\"}\n",
        ),
        // The same text at another key is another record.
        (
            &["decode", "--unique", "-k", "u", "-k", "v"],
            "{\"u\":\"a\"}\n{\"v\":\"a\"}\n{\"v\":\"%61\"}\n",
            "{\"u\":\"a\"}\n{\"v\":\"a\"}\n",
        ),
    ]);
}

#[test]
fn other_files_are_read_in_the_same_format() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let lines = file("lines", "http://A/%7e\nhttp://b/\n/%\n");
    let more = file("more", "http://c");
    let table = file("table.csv", "u,v\n%61,1\nb,2\n");
    let objects = file("objects.jsonl", "{\"u\":\"%61\"}\n{}\n");
    let log = file("log", "#Fields: n cs-uri-stem\n1 /%61\n");
    let packed = folder.path().join("lines.gz").to_str().unwrap().to_owned();
    output(&["normalize", &lines, "-o", &packed], b"");
    let input = "http://a/~\nhttp://d\nhttp://d/.\nhttp://c/\n";
    for (arguments, input, expected) in [
        (&["normalize", "--url", "--not-in", &lines][..], input, "http://d\nhttp://d/.\nhttp://c/\n"),
        (&["normalize", "--url", "--not-in", &packed], input, "http://d\nhttp://d/.\nhttp://c/\n"),
        (&["normalize", "--url", "--not-in", &lines, "--not-in", &more], input, "http://d\nhttp://d/.\n"),
        (&["normalize", "--url", "--unique", "--not-in", &lines, "--not-in", &more], input, "http://d\n"),
        (&["normalize", "--url", "--only-in", &lines], input, "http://a/~\n"),
        (&["normalize", "--url", "--only-in", &lines, "--only-in", &more], input, "http://a/~\nhttp://c/\n"),
        (&["normalize", "--url", "--only-in", &lines, "--not-in", &lines], input, ""),
        (&["normalize", "--url", "--count", "--not-in", &lines], input, "2\thttp://d/\n1\thttp://c/\n"),
        (&["get", "host", "--print-field", "--not-in", &lines], "http://b/x\nhttp://e/x\n", "e\n"),
        (&["decode", "--not-in", &table, "-c", "u"], "x,u\n1,a\n2,%62\n3,%63\n", "x,u\n3,%63\n"),
        (&["decode", "--only-in", &table, "-c", "u"], "x,u\n1,a\n2,%62\n3,%63\n4\n", "x,u\n1,a\n2,%62\n"),
        (&["decode", "--not-in", &objects, "-k", "u"], "{\"u\":\"a\"}\n{}\n{\"u\":\"b\"}\n", "{}\n{\"u\":\"b\"}\n"),
        (&["decode", "--only-in", &objects, "-k", "u"], "{\"u\":\"a\"}\n{}\n{\"u\":\"b\"}\n", "{\"u\":\"a\"}\n"),
        // Directives name the fields.
        (
            &["normalize", "--only-in", &log, "--log", "w3c"],
            "#Fields: cs-uri-stem n\n/a 1\n#Fields: n cs-uri-stem\n1 /a\n2 /b\n",
            "#Fields: cs-uri-stem n\n/a 1\n#Fields: n cs-uri-stem\n1 /a\n",
        ),
    ] {
        let found = run(arguments, input.as_bytes());
        assert_eq!(text(&found.stdout), text(expected.as_bytes()), "{arguments:?}");
    }
    let found = run(&["normalize", "--url", "--not-in", &lines, "--unique"], input.as_bytes());
    let summary = format!(
        "pct: {lines}: 1 malformed; first at 3:2\\n\
         pct: 1 left out, 3 distinct in other files; memory: 1.12 KiB\\n\
         pct: 2 distinct, 1 duplicates; memory: 1.12 KiB\\n"
    );
    assert_eq!(text(&found.stderr), summary);
    let found = run(&["normalize", "--url", "--not-in", &lines, "--report", "json"], input.as_bytes());
    let report: serde_json::Value = serde_json::from_slice(&found.stderr).unwrap();
    assert_eq!(report["compared"], serde_json::json!({ "listed": 3, "left-out": 1, "memory": 1152 }));
    assert_eq!(report["unique"], serde_json::Value::Null);
    // In place, each file is compared with the others.
    assert_eq!(text(&output(&["normalize", "--url", "--not-in", &more, "-i", &lines, &more], b"")), "");
    assert_eq!(fs::read_to_string(&lines).unwrap(), "http://A/%7e\nhttp://b/\n/%\n");
    assert_eq!(fs::read_to_string(&more).unwrap(), "");
}

#[test]
fn what_cannot_be_compared_is_told() {
    for (arguments, code, told) in [
        (&["normalize", "--count", "-i", "a"][..], 2, "'--count' cannot be used with '--in-place'"),
        (&["normalize", "--top", "3", "-i", "a"], 2, "'--top <N>' cannot be used with '--in-place'"),
        (&["decode", "--count", "--append"], 2, "cannot be used with"),
        (&["decode", "--count", "--raw"], 2, "cannot be used with"),
        (&["decode", "--count", "--row-binary"], 2, "cannot be used with"),
        (&["decode", "--top", "0"], 2, "expected a number of at least 1"),
        (&["decode", "--not-in", "-"], 2, "pct: invalid input '-': expected standard input only once"),
        (&["decode", "--not-in", "no such file"], 3, "pct: no such file: "),
        (&["decode", "--only-in", "no such file", "--count"], 3, "pct: no such file: "),
        (&["stats", "--count"], 2, "unexpected argument '--count'"),
    ] {
        let found = run(arguments, b"%41\n");
        let messages = String::from_utf8(found.stderr).unwrap();
        assert_eq!(
            (found.status.code(), text(&found.stdout)),
            (Some(code), String::new()),
            "{arguments:?}: {messages}"
        );
        assert!(messages.contains(told), "{arguments:?}: {messages}");
    }
}

/// Repeatable random numbers: xorshift (Marsaglia, 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// A format: its options, a record with a URL, one without a field, the header, and a count.
struct Format {
    options: &'static [&'static str],
    record: fn(&str) -> String,
    /// `None` if each record has a field.
    without: Option<&'static str>,
    header: &'static str,
    count_header: &'static str,
    count: fn(usize, &str) -> String,
}

const FORMATS: [Format; 7] = [
    Format {
        options: &[],
        record: |url| format!("{url}\n"),
        without: None,
        header: "",
        count_header: "",
        count: |count, url| format!("{count}\t{url}\n"),
    },
    Format {
        options: &["-0"],
        record: |url| format!("{url}\0"),
        without: None,
        header: "",
        count_header: "",
        count: |count, url| format!("{count}\t{url}\0"),
    },
    Format {
        options: &["-f", "2"],
        record: |url| format!("x\t{url}\ty\n"),
        without: Some("x\n"),
        header: "",
        count_header: "",
        count: |count, url| format!("{count}\t{url}\n"),
    },
    Format {
        options: &["--csv", "-c", "2"],
        record: |url| format!("x,\"{url}\",y\n"),
        without: Some("x\n"),
        header: "",
        count_header: "",
        count: |count, url| format!("{count},{url}\n"),
    },
    Format {
        options: &["--csv", "-c", "u", "-d", ";"],
        record: |url| format!("{url};y\n"),
        without: None,
        header: "u;v\n",
        count_header: "count;u\n",
        count: |count, url| format!("{count};{url}\n"),
    },
    Format {
        options: &["--jsonl", "-k", "u"],
        record: |url| format!("{{\"n\":1,\"u\":\"{url}\"}}\n"),
        without: Some("{\"u\":1}\n"),
        header: "",
        count_header: "",
        count: |count, url| format!("{count}\t{url}\n"),
    },
    Format {
        options: &["--log", "common"],
        record: |url| format!("h - - [t] \"GET {url} HTTP/1.1\" 200 1\n"),
        without: Some("no line of a log\n"),
        header: "",
        count_header: "",
        count: |count, url| format!("{count}\t{url}\n"),
    },
];

/// A record: of the page of this number in one of the spellings, of which the first is the normal
/// form; or without a field.
#[derive(Clone, Copy)]
enum Record {
    Page(usize, usize),
    Without,
}

fn normal(page: usize) -> String {
    format!("http://h/{page}")
}

fn spelling(page: usize, spelling: usize) -> String {
    match spelling {
        0 => normal(page),
        1 => format!("http://h/a/../{page}"),
        2 => format!("HTTP://H:80/{page}"),
        _ => format!("http://h/%{:02X}{}", page.to_string().as_bytes()[0], &page.to_string()[1..]),
    }
}

fn records(random: &mut Random, count: usize, pages: usize, format: &Format) -> Vec<Record> {
    (0..count)
        .map(|_| match random.below(16) {
            0 if format.without.is_some() => Record::Without,
            _ => Record::Page(random.below(pages), random.below(4)),
        })
        .collect()
}

fn written(records: &[Record], format: &Format) -> String {
    let write = |record: &Record| match *record {
        Record::Page(page, how) => (format.record)(&spelling(page, how)),
        Record::Without => format.without.unwrap().to_owned(),
    };
    format.header.to_owned() + &records.iter().map(write).collect::<String>()
}

/// A comparison, as options and as a model.
#[derive(Clone, Copy, Debug)]
struct Compared {
    only_changed: bool,
    unique: bool,
    /// `Some(None)` for `--count`.
    counted: Option<Option<usize>>,
    not_in: bool,
    only_in: bool,
}

impl Compared {
    fn options(self, others: &str) -> Vec<String> {
        let mut options = Vec::new();
        let mut add = |is_given: bool, option: &[&str]| {
            options.extend(option.iter().filter(|_| is_given).map(|&option| option.to_owned()));
        };
        add(self.only_changed, &["--only-changed"]);
        add(self.unique, &["--unique"]);
        add(self.counted == Some(None), &["--count"]);
        add(self.not_in, &["--not-in", others]);
        add(self.only_in, &["--only-in", others]);
        if let Some(Some(top)) = self.counted {
            options.extend(["--top".to_owned(), top.to_string()]);
        }
        options
    }

    /// The output for these records.
    fn model(self, records: &[Record], others: &[Record], format: &Format) -> String {
        let listed: HashSet<_> = others
            .iter()
            .filter_map(|record| match *record {
                Record::Page(page, how) if !self.only_changed || how != 0 => Some(page),
                _ => None,
            })
            .collect();
        let mut seen = HashSet::new();
        let mut kept = Vec::new();
        let mut counts: Vec<(usize, usize)> = Vec::new();
        let mut positions = HashMap::new();
        for &record in records {
            let is_kept = match record {
                Record::Without => !self.only_changed && !self.only_in && self.counted.is_none(),
                Record::Page(page, how) => {
                    let is_selected = (!self.only_changed || how != 0)
                        && !(self.not_in && listed.contains(&page))
                        && (!self.only_in || listed.contains(&page));
                    if is_selected && self.counted.is_some() {
                        let at = *positions.entry(page).or_insert(counts.len());
                        if at == counts.len() {
                            counts.push((page, 0));
                        }
                        counts[at].1 += 1;
                    }
                    is_selected && (!self.unique || seen.insert(page))
                }
            };
            kept.extend(is_kept.then_some(record));
        }
        let Some(top) = self.counted else { return written(&kept, format) };
        if let Some(top) = top {
            // Stable: of equal counts, the first page comes first.
            counts.sort_by_key(|&(_, count)| usize::MAX - count);
            counts.truncate(top);
        }
        let lines: String = counts.iter().map(|&(page, count)| (format.count)(count, &normal(page))).collect();
        format.count_header.to_owned() + &lines
    }
}

fn random_comparison(random: &mut Random, has_others: bool) -> Compared {
    let counted = match random.below(3) {
        0 => None,
        1 => Some(None),
        _ => Some(Some(1 + random.below(8))),
    };
    let others = if has_others { 1 + random.below(3) } else { 0 };
    Compared {
        only_changed: random.below(3) == 0,
        unique: counted.is_none() && (others == 0 || random.below(2) == 0),
        counted,
        not_in: others & 1 > 0,
        only_in: others & 2 > 0,
    }
}

/// Any format, filter and block length.
#[test]
fn comparing_is_as_a_model_says_for_blocks_of_any_length() {
    let mut random = Random(7);
    for round in 0..300 {
        let format = &FORMATS[round % FORMATS.len()];
        let (count, pages) = (random.below(60), 1 + random.below(12));
        let inputs = records(&mut random, count, pages, format);
        let compared = random_comparison(&mut random, false);
        let options = compared.options("");
        let arguments: Vec<_> = ["pct", "normalize", "--url"]
            .into_iter()
            .chain(format.options.iter().copied())
            .chain(options.iter().map(|option| &option[..]))
            .collect();
        let input = written(&inputs, format);
        let expected = compared.model(&inputs, &[], format);
        for block in [4, 17, 100, 1 << 16] {
            let found = InMemory::new(&arguments).unwrap().run(input.as_bytes(), block);
            assert_eq!(text(&found.output), text(expected.as_bytes()), "{arguments:?} {block} {:?}", found.error);
        }
    }
}

/// Any format and filter, other files, and numbers of threads.
#[test]
fn comparing_is_as_a_model_says_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(11);
    for round in 0..14 {
        let format = &FORMATS[round % FORMATS.len()];
        let inputs = records(&mut random, 90_000, 20_000, format);
        let others = records(&mut random, 10_000, 30_000, format);
        let compared = random_comparison(&mut random, round >= 4);
        let path = others_file(folder.path(), round, &written(&others, format));
        let input = written(&inputs, format);
        let expected = compared.model(&inputs, &others, format);
        for threads in ["1", "2", "5"] {
            let options = compared.options(&path);
            let arguments: Vec<_> = ["normalize", "--url", "-j", threads]
                .into_iter()
                .chain(format.options.iter().copied())
                .chain(options.iter().map(|option| &option[..]))
                .collect();
            let found = run(&arguments, input.as_bytes());
            assert!(text(&found.stdout) == text(expected.as_bytes()), "{arguments:?}");
        }
    }
}

/// A file, or a compressed one.
fn others_file(folder: &Path, round: usize, content: &str) -> String {
    let path = folder.join("others");
    fs::write(&path, content).unwrap();
    let path = path.to_str().unwrap().to_owned();
    if round.is_multiple_of(2) {
        return path;
    }
    let packed = format!("{path}.zst");
    output(&["encode", "--set", "%00", "--raw", &path, "-o", &packed], b"");
    packed
}
