//! `pct get`: several parts at once, domains, hosts in Unicode.

use std::fs;

use proptest::prelude::*;
use serde_json::Value;

use crate::get::{PARTS, csv_column, expected, url};
use crate::{assert_outputs, output, run, text};

const URLS: &str = "http://a.example.org/p%20q?k=x%2Cy&l=1&k=%22#f\nhttps://[::1]:80\n/p?k=%09\n";

/// The options of `get`, and its output for three URLs.
#[test]
fn parts_are_written_in_the_form_that_is_asked_for() {
    for (options, expected) in [
        (&["--format", r"{host}\t{path}\t{key:k}"][..], "a.example.org\t/p q\tx,y \"\n[::1]\t\t\n\t/p\t%09\n"),
        (&["--format", r"{{{port}}} \\ {fragment}"], "{} \\ f\n{80} \\ \n{} \\ \n"),
        (&["--format", "{scheme} {key:k}", "--raw", "--separator", ";"], "http x%2Cy;%22\nhttps \n %09\n"),
        (&["--format", r"{key:k}\n{key:l}"], "x,y \"\n1\n\n\n\t\n\n"),
        (&["--format", "{host}"], "a.example.org\n[::1]\n\n"),
        (
            &["--format", r"{host},{path}\t{key:k}", "--as", "csv"],
            "host,path,key:k\na.example.org,/p q,\"x,y \"\"\"\n[::1],,\n,/p,\t\n",
        ),
        (&["key:k", "--as", "csv"], "key:k\n\"x,y \"\"\"\n\"\"\n\t\n"),
        (&["key:a,b", "--as", "csv"], "\"key:a,b\"\n\"\"\n\"\"\n\"\"\n"),
        (
            &["--format", "{host} {key:k} {fragment}", "--as", "json"],
            "{\"host\":\"a.example.org\",\"key:k\":\"x,y \\\"\",\"fragment\":\"f\"}\n\
             {\"host\":\"[::1]\",\"key:k\":null,\"fragment\":null}\n\
             {\"host\":null,\"key:k\":\"\\t\",\"fragment\":null}\n",
        ),
        (&["keys", "--as", "json"], "{\"keys\":\"k l\"}\n{\"keys\":null}\n{\"keys\":\"k\"}\n"),
        (&["pair:*", "--raw", "--separator", "&"], "k=x%2Cy&l=1&k=%22\n\nk=%09\n"),
        (&["--format", r"{pair:k}\t{keys}", "--only-matching"], "k=x,y k=\"\tk l\nk=%09\tk\n"),
        (&["--format", "{host} {port}", "--only-matching"], "[::1] 80\n"),
    ] {
        let arguments = [&["get"], options].concat();
        assert_eq!(text(&output(&arguments, URLS.as_bytes())), text(expected.as_bytes()), "{arguments:?}");
    }
}

#[test]
fn parts_are_in_the_records_of_each_format() {
    let csv = "id,u\n1,\"http://h/p?q=a%2Cb\"\n2\n3,/p,more\n";
    let log = "h - - [t] \"GET /a%20b?q=1 HTTP/1.1\" 200 1 \"-\" \"agent\"\n";
    let path_and_q = ["--format", r"{path}\t{key:q}"];
    let host_and_q = ["--format", "{host} {key:q}"];
    let get = |options: &[&'static str], others: &[&'static str]| [&["get"][..], options, others].concat();
    assert_outputs(&[
        // One column of text, in which the text of the template stays in the column.
        (&get(&path_and_q, &["--append"]), "/p?q=1%09\n", "/p?q=1%09\t/p%091%09\n"),
        (&get(&path_and_q, &["-f", "2"]), "x\t/p?q=1\ty\n", "x\t/p%091\ty\n"),
        (&get(&path_and_q, &["-f", "2", "--print-field"]), "x\t/p?q=1%09\ty\n", "/p\t1%09\n"),
        (&get(&path_and_q, &["-0"]), "/p?q=%0A\0", "/p\t\n\0"),
        (&get(&path_and_q, &["--csv", "-c", "u", "--append"]), "u\n/p?q=1\n", "u,u_parts\n/p?q=1,/p\t1\n"),
        (&get(&["--format", r"{path}\n{key:q}"], &["--csv", "-c", "u"]), "u\n/p?q=1\n", "u\n/p%0A1\n"),
        (
            &get(&path_and_q, &["-k", "u", "--append-as", "new"]),
            "{\"u\":\"/p?q=%22\"}\n",
            "{\"u\":\"/p?q=%22\",\"new\":\"/p\\t\\\"\"}\n",
        ),
        (&get(&path_and_q, &["--log", "combined", "--print-field"]), log, "/a b\t1\n"),
        (&get(&["--format", "{path} {key:q}"], &["--log", "combined"]), log, &log.replace("/a%20b?q=1", "/a%20b%201")),
        // Columns of CSV.
        (
            &get(&host_and_q, &["--as", "csv", "--csv", "-c", "u", "--append"]),
            csv,
            "id,u,u_host,u_q\n1,\"http://h/p?q=a%2Cb\",h,\"a,b\"\n2,,,\n3,/p,,,more\n",
        ),
        (&get(&host_and_q, &["--as", "csv", "-c", "u", "--print-field"]), csv, "u_host,u_q\nh,\"a,b\"\n,\n,\n"),
        (
            &get(&host_and_q, &["--as", "csv", "-c", "u,v", "--append", "-d", ";"]),
            "u;v\n//h;/?q=;\n",
            "u;v;u_host;u_q;v_host;v_q\n//h;/?q=;h;;;;\n",
        ),
        (&get(&["host"], &["--as", "csv", "-c", "1", "--append"]), "//h\n", "//h,h\n"),
        (&get(&["host"], &["--as", "csv", "-c", "u", "--append"]), "u\n//h\n", "u,u_host\n//h,h\n"),
        // Rows of CSV of other formats, with a header.
        (&get(&path_and_q, &["--as", "csv", "--log", "combined", "--print-field"]), log, "path,key:q\n/a b,1\n"),
        (&get(&path_and_q, &["--as", "csv", "-f", "2", "--print-field"]), "x\t/p\n", "path,key:q\n/p,\n"),
        (&get(&path_and_q, &["--as", "csv", "-k", "u", "--print-field"]), "{\"u\":\"/?q=a\"}\n", "path,key:q\n/,a\n"),
        (&get(&path_and_q, &["--as", "csv"]), "", "path,key:q\n"),
        // Objects.
        (
            &get(&host_and_q, &["--as", "json", "-k", "u", "--append"]),
            "{\"u\":\"//h\"}\n",
            "{\"u\":\"//h\",\"u_parts\":{\"host\":\"h\",\"key:q\":null}}\n",
        ),
        (
            &get(&host_and_q, &["--as", "json", "--cdxj", "--append-as", "parts"]),
            "com,h)/ 1 {\"url\":\"http://h.com/?q=%0A\"}\n",
            "com,h)/ 1 {\"url\":\"http://h.com/?q=%0A\",\"parts\":{\"host\":\"h.com\",\"key:q\":\"\\n\"}}\n",
        ),
        (&get(&["host"], &["--as", "json", "-f", "1", "--append"]), "//h\n", "//h\t{\"host\":\"h\"}\n"),
        (&get(&["host"], &["--as", "json", "-c", "u"]), "u\n//h\n", "u\n\"{\"\"host\"\":\"\"h\"\"}\"\n"),
        (
            &get(&path_and_q, &["--as", "json", "--log", "combined", "--print-field"]),
            log,
            "{\"path\":\"/a b\",\"key:q\":\"1\"}\n",
        ),
        // Queries.
        (&get(&["--format", "{key:a}-{keys}-{query}"], &["--query"]), "a=1&b=2\n-\n", "1-a b-a=1&b=2\n--\n"),
    ]);
}

/// What JSON and CSV cannot contain as it is.
#[test]
fn parts_that_are_not_text_are_escaped_in_json() {
    let found = output(&["get", "path", "--as", "json"], b"/\xFF%\n/%FF\"\n");
    assert_eq!(text(&found), text(b"{\"path\":\"/%FF%\"}\n{\"path\":\"/%FF\\\"\"}\n"));
    // A tab in the text of a URL.
    assert_outputs(&[
        (&["get", "--format", r"{path}\t{key:q}"], "/a\tb?q=\t%09\n", "/a%09b\t%09%09\n"),
        (&["get", "--format", r"{path}\t{key:q}", "--raw"], "/a\tb?q=%09\n", "/a%09b\t%09\n"),
        (&["get", "--format", r"{path}\t{key:q}", "--unsafe-controls"], "/a\tb?q=%09\n", "/a\tb\t\t\n"),
    ]);
}

/// Records that lack some part are counted, and their places are those of errors in any part.
#[test]
fn records_that_lack_a_part_are_counted() {
    for (options, input, summary) in [
        (&["--format", "{host} {port}"][..], "//h\n//h:1\n/\n", "2 without the part"),
        (&["--format", "{path} {host}"], "//h/%\n/%\n", "2 malformed, 1 without the part; first at 1:5"),
        // The earlier of two errors in the URL, whatever the order of the parts.
        (&["--format", "{fragment}{key:q}"], "?q=%#%\n", "1 malformed; first at 1:4"),
        (&["host", "--as", "json"], "/\n", "1 without the part"),
    ] {
        let arguments = [&["get"], options].concat();
        let found = run(&arguments, input.as_bytes());
        let messages = String::from_utf8(found.stderr).unwrap();
        let found = messages.lines().find(|line| line.starts_with("pct: <stdin>"));
        assert_eq!(found, Some(&*format!("pct: <stdin>: {summary}")), "{arguments:?}");
    }
    for (options, input, is_hinted) in [
        (&["--format", "{path} {key:q}"][..], "q=1\n", true),
        (&["--format", "{path} {key:q} {port}"], "/?q=1\n", false),
        (&["--format", "{path}"], "/\n", false),
    ] {
        let arguments = [&["get"], options].concat();
        let messages = text(&run(&arguments, input.as_bytes()).stderr);
        assert_eq!(messages.contains("no record has"), is_hinted, "{arguments:?}: {messages}");
    }
}

#[test]
fn with_a_template_the_first_argument_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["host", "other"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    fs::write(&names[0], "//a\n").unwrap();
    fs::write(&names[1], "//b\n").unwrap();
    let (one, other) = (&*names[0], &*names[1]);
    for (arguments, expected) in [
        (&["get", "--format", "<{host}>", one][..], "<a>\n"),
        (&["get", one, other, "--format", "<{host}>"], "<a>\n<b>\n"),
        (&["get", "--format", "<{host}>", "-s", "//c"], "<c>\n"),
        (&["get", "--format", "{host} {path}", "--as", "csv", one, other], "host,path\na,\nb,\n"),
        (&["get", "host", one, other], "a\nb\n"),
        (&["get", "--format", "<{host}>", "-"], "<d>\n"),
        (&["get", "--format", "<{host}>"], "<d>\n"),
    ] {
        assert_eq!(text(&output(arguments, b"//d\n")), text(expected.as_bytes()), "{arguments:?}");
    }
    // In place, each file has its header.
    output(&["get", "--format", "{host} {path}", "--as", "csv", "-i", one, other], b"");
    assert_eq!(fs::read_to_string(one).unwrap(), "host,path\na,\n");
    assert_eq!(fs::read_to_string(other).unwrap(), "host,path\nb,\n");
}

/// A mark at the start of the text would not be at the start of the rows.
#[test]
fn byte_order_mark_is_dropped_from_rows_and_objects() {
    assert_outputs(&[
        (&["get", "host", "--as", "csv"], "\u{FEFF}//h\n", "host\nh\n"),
        (&["get", "host", "--as", "json"], "\u{FEFF}//h\n", "{\"host\":\"h\"}\n"),
    ]);
}

#[test]
fn hosts_and_domains_are_in_unicode_on_request() {
    let urls = "http://www.B%C3%BCcher.Example.DE/\nhttps://user@a.xn--bcher-kva.co.uk:8/\n//192.0.2.1\n//[::FFFF]\nhttp://com\n";
    assert_outputs(&[
        (&["get", "domain"], urls, "example.de\nxn--bcher-kva.co.uk\n\n\n\n"),
        (&["get", "domain", "--unicode-host"], urls, "example.de\nb\u{fc}cher.co.uk\n\n\n\n"),
        (&["get", "host"], urls, "www.B\u{fc}cher.Example.DE\na.xn--bcher-kva.co.uk\n192.0.2.1\n[::FFFF]\ncom\n"),
        (
            &["get", "host", "--unicode-host"],
            urls,
            "www.b\u{fc}cher.example.de\na.b\u{fc}cher.co.uk\n192.0.2.1\n[::FFFF]\ncom\n",
        ),
        // The domain is computed, so it is the same raw; its error is none of the URL's.
        (&["get", "domain", "--raw"], "//%41.ORG\n//a%.org\n", "a.org\n\n"),
        (
            &["get", "--format", "{domain} {host}", "--as", "json"],
            "//WWW.a.org\n",
            "{\"domain\":\"a.org\",\"host\":\"WWW.a.org\"}\n",
        ),
        (
            &["get", "domain", "--log", "common", "--print-field"],
            "h - - [t] \"CONNECT www.a.org:443 HTTP/1.1\" 200 1\n",
            "a.org\n",
        ),
    ]);
}

/// Labels of host names.
fn host() -> impl Strategy<Value = String> {
    let labels = vec![
        "www",
        "Example",
        "xn--bcher-kva",
        "b\u{fc}cher",
        "%65x",
        "co",
        "uk",
        "com",
        "ck",
        "github",
        "io",
        "a-b",
        "1",
        "x1",
        "\u{4e2d}\u{56fd}",
        "kawasaki",
        "jp",
        "city",
    ];
    prop::collection::vec(prop::sample::select(labels), 1..5).prop_map(|labels| labels.join("."))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// As text, as CSV and as JSON, in lines and in columns, the parts are those of the plain
    /// implementation.
    #[test]
    fn parts_together_are_the_parts_alone(
        urls in prop::collection::vec(url(), 1..12),
        parts in prop::sample::subsequence((0..PARTS.len()).collect::<Vec<_>>(), 2..6).prop_shuffle(),
    ) {
        let expected: Vec<Vec<Option<String>>> = urls.iter().map(|url| {
            let all = expected(url);
            parts.iter().map(|&part| all[part].clone()).collect()
        }).collect();
        let template = parts.iter().map(|&part| format!("{{{}}}", PARTS[part])).collect::<Vec<_>>().join(r"\t");
        let run = |options: &[&str], input: String| {
            let arguments = [&["pct", "get", "--format", &template], options].concat();
            pct::InMemory::new(&arguments).unwrap().run(input.as_bytes(), 64)
        };
        let lines: String = urls.iter().map(|url| format!("{url}\n")).collect();

        let found = run(&[], lines.clone());
        let empty = |row: &Vec<Option<String>>| row.iter().map(|part| part.clone().unwrap_or_default()).collect::<Vec<_>>();
        let joined: String = expected.iter().map(|row| empty(row).join("\t") + "\n").collect();
        prop_assert_eq!(str::from_utf8(&found.output).unwrap(), joined);
        let report: Value = serde_json::from_str(&found.report).unwrap();
        let incomplete = expected.iter().filter(|row| row.contains(&None)).count();
        prop_assert_eq!(&report["files"][0]["counts"]["without-part"], &Value::from(incomplete));

        let found = String::from_utf8(run(&["--as", "csv"], lines.clone()).output).unwrap();
        let appended = format!("u\n{}", urls.iter().map(|url| format!("\"{url}\"\n")).collect::<String>());
        let appended = String::from_utf8(run(&["--as", "csv", "--csv", "-c", "u", "--append"], appended).output).unwrap();
        for (at, &part) in parts.iter().enumerate() {
            let column: Vec<_> = expected.iter().map(|row| row[at].clone().unwrap_or_default()).collect();
            prop_assert_eq!(csv_column(&found, at), [&[PARTS[part].to_owned()], &column[..]].concat());
            prop_assert_eq!(&csv_column(&appended, at + 1)[1..], &column);
        }

        let found = String::from_utf8(run(&["--as", "json"], lines).output).unwrap();
        prop_assert_eq!(found.lines().count(), urls.len());
        for (line, row) in found.lines().zip(&expected) {
            let object: Value = serde_json::from_str(line).unwrap();
            prop_assert_eq!(object.as_object().unwrap().len(), parts.len());
            for (&part, value) in parts.iter().zip(row) {
                // In JSON, line ends are decoded.
                let value = value.as_ref().map(|value| value.replace("%0A", "\n"));
                prop_assert_eq!(&object[PARTS[part]], &Value::from(value));
            }
        }
    }

    /// The crate url reads the host, and the list is the same.
    #[test]
    fn domains_are_those_of_the_host_that_browsers_see(hosts in prop::collection::vec(host(), 1..20)) {
        let urls: String = hosts.iter().map(|host| format!("http://{host}/x.y\n")).collect();
        let expected: String = hosts.iter().map(|host| {
            let domain = match url::Host::parse(host) {
                Ok(url::Host::Domain(name)) => psl::domain_str(&name).unwrap_or_default().to_owned(),
                _ => String::new(),
            };
            domain + "\n"
        }).collect();
        let command = pct::InMemory::new(&["pct", "get", "domain"]).unwrap();
        prop_assert_eq!(String::from_utf8(command.run(urls.as_bytes(), 1 << 20).output).unwrap(), expected);
    }
}
