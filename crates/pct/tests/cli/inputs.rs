//! Inputs: files, byte order marks, compression, and read errors.

use std::fs;
use std::io::Write;
use std::process::Output;

use tempfile::TempDir;

use crate::{data, output, pct, run, text};

/// A directory with files of this content.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

#[test]
fn standard_input_is_read_without_files_and_as_a_dash() {
    assert_eq!(output(&["decode"], b"%41"), b"A");
    assert_eq!(output(&["decode", "-"], b"%41"), b"A");
    assert_eq!(output(&["encode"], b" "), b"%20");
    assert_eq!(output(&["encode", "-"], b" "), b"%20");
    assert_eq!(output(&["decode", "--", "-"], b"%41"), b"A");
}

#[test]
fn files_are_read_one_after_the_other() {
    let folder = folder(&[("a", "%41\n%42"), ("b", "%43\n"), ("-dash", "%44"), ("%45", "%46"), ("empty", "")]);
    for (arguments, expected) in [
        (&["decode", "a", "b"][..], "A\nB\nC\n"),
        (&["decode", "b", "empty", "a", "a"], "C\nA\nB\nA\nB"),
        (&["decode", "b", "-", "a"], "C\nin\nA\nB"),
        (&["decode", "-", "-"], "in\n"),
        (&["decode", "./-", "./-dash"], "D"),
        (&["decode", "--", "-dash"], "D"),
        (&["decode", "%45"], "F"),
        (&["encode", "b", "a"], "%2543\n%2541\n%2542"),
        (&["encode", "--raw", "b", "a"], "%2543%0A%2541%0A%2542"),
    ] {
        fs::write(folder.path().join("-"), "").unwrap();
        let found = pct(arguments).current_dir(&folder).write_stdin("i%6E\n").output().unwrap();
        assert_eq!((text(&found.stdout), found.status.code()), (text(expected.as_bytes()), Some(0)), "{arguments:?}");
    }
}

#[test]
fn missing_record_end_is_added_before_the_next_file() {
    let folder = folder(&[
        ("a", "%41"),
        ("b", "%42"),
        ("empty", ""),
        ("bad", "%"),
        ("lf", "%41\n%42"),
        ("crlf", "%41\r\n%42"),
        ("nul", "%41\0%42"),
        ("tsv", "x\t%41\r\ny\t%42"),
        ("json", "{\"u\":\"%41\"}"),
        ("log", "h - - [t] \"GET /%41 HTTP/1.1\" 200 1"),
        ("csv", "u,v\r\n%41,1"),
        ("form", "a=%41"),
    ]);
    let log = "h - - [t] \"GET /A HTTP/1.1\" 200 1";
    for (arguments, expected) in [
        (&["decode", "a", "b", "lf"][..], "A\nB\nA\nB"),
        (&["decode", "a", "empty", "b", "empty"], "A\nB"),
        // The line end is that of the preceding lines.
        (&["decode", "crlf", "lf", "a"], "A\r\nB\r\nA\nB\nA"),
        (&["decode", "-0", "nul", "b"], "A\0B\0B"),
        (&["decode", "--raw", "a", "b"], "AB"),
        (&["encode", "a", "b"], "%2541\n%2542"),
        (&["decode", "-f", "2", "tsv", "tsv"], "x\tA\r\ny\tB\r\nx\tA\r\ny\tB"),
        (&["decode", "--append", "a", "b"], "%41\tA\n%42\tB"),
        (&["decode", "--jsonl", "-k", "u", "json", "json"], "{\"u\":\"A\"}\n{\"u\":\"A\"}"),
        (&["decode", "--log", "common", "log", "log"], &format!("{log}\n{log}")),
        (&["decode", "--csv", "-c", "u", "csv", "csv"], "u,v\r\nA,1\r\nA,1"),
        (&["decode", "--csv", "-c", "1", "csv", "csv"], "u,v\r\nA,1\r\nu,v\r\nA,1"),
        (&["form", "form", "form"], "{\"a\":\"A\"}\n{\"a\":\"A\"}"),
        // A dropped record needs no end.
        (&["decode", "--errors", "drop", "lf", "bad", "a"], "A\nB\nA"),
        (&["decode", "--errors", "drop", "bad", "a"], "A"),
    ] {
        let found = pct(arguments).current_dir(&folder).output().unwrap();
        assert_eq!((text(&found.stdout), found.status.code()), (text(expected.as_bytes()), Some(0)), "{arguments:?}");
    }
    // Each file is processed separately.
    pct(&["decode", "-i", "a", "b"]).current_dir(&folder).assert().success();
    assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"A");
    assert_eq!(fs::read(folder.path().join("b")).unwrap(), b"B");
}

/// A triplet that is cut at the end of a file is not continued by the next.
#[test]
fn every_file_is_a_text_of_its_own() {
    let folder = folder(&[("percent", "%"), ("percent4", "%4"), ("1", "1"), ("41", "41"), ("cr", "\r"), ("lf", "\n")]);
    for (arguments, expected) in [
        (&["decode", "--raw", "percent", "41", "percent4", "1"][..], "%41%41"),
        (&["decode", "percent", "41", "percent4", "1"], "%\n41\n%4\n1"),
        (&["encode", "--raw", "--keep-triplets", "percent", "41", "percent4", "1"], "%2541%2541"),
        (&["encode", "cr", "lf"], "%0D\n\n"),
    ] {
        let found = pct(arguments).current_dir(&folder).output().unwrap();
        assert_eq!(text(&found.stdout), text(expected.as_bytes()), "{arguments:?}");
    }
}

/// The mark is kept if the output is in the format of the input. It is not part of any record,
/// column or place, and no other U+FEFF is a mark.
#[test]
fn byte_order_mark_is_not_part_of_a_record() {
    const MARK: &str = "\u{FEFF}";
    let log = |target: &str| format!("h - - [t] \"GET {target} HTTP/1.1\" 200 1 \"-\" \"agent\"\n");
    for (arguments, input, expected) in [
        (&["decode"][..], "%41\n\u{FEFF}%42\n", "\u{FEFF}A\n\u{FEFF}B\n"),
        (&["encode"], "a b\n\u{FEFF}\n", "\u{FEFF}a%20b\n%EF%BB%BF\n"),
        (&["encode"], "\u{FEFF}\n", "\u{FEFF}%EF%BB%BF\n"),
        (&["encode"], "", "\u{FEFF}"),
        (&["encode", "--append"], " \n", "\u{FEFF} \t%20\n"),
        (&["encode", "-0"], "a b\0", "\u{FEFF}a%20b\0"),
        (&["encode", "-f", "1"], "a b\n", "\u{FEFF}a%20b\n"),
        (&["normalize"], "%7e\n", "\u{FEFF}~\n"),
        (&["repair"], "http://e/a b\n", "\u{FEFF}http://e/a%20b\n"),
        (&["encode", "--csv", "-c", "url"], "\"url\",x\n\"a\nb\",\n", "\u{FEFF}\"url\",x\n\"a%0Ab\",\n"),
        (&["encode", "--csv", "-c", "1"], "\"a\nb\",\n", "\u{FEFF}\"a%0Ab\",\n"),
        (&["decode", "--jsonl", "-k", "u"], "{\"u\":\"%41\"}\n", "\u{FEFF}{\"u\":\"A\"}\n"),
        (&["decode", "--log", "combined"], &log("/%41"), &format!("{MARK}{}", log("/A"))),
        // JSON and queries begin without a mark (RFC 8259 8.1).
        (&["form"], "?a=1\n", "{\"a\":\"1\"}\n"),
        (&["form", "--back"], "{\"a\":\"1\"}\n", "a=1\n"),
        // With --raw, every byte is data.
        (&["encode", "--raw"], "a", "%EF%BB%BFa"),
    ] {
        let input = [MARK, input].concat();
        assert_eq!(text(&output(arguments, input.as_bytes())), text(expected.as_bytes()), "{arguments:?} < {input:?}");
        let compressed = output(&["decode", "--no-decompress", "--output-compression", "zstd"], input.as_bytes());
        if !input.contains('%') {
            assert_eq!(text(&output(arguments, &compressed)), text(expected.as_bytes()), "{arguments:?}, compressed");
        }
    }
    for (arguments, input, place) in [
        (&["check"][..], "a%\n", "1:2:"),
        (&["check", "--find", "non-ascii"], "a\n\u{E9}\n", "2:1:"),
        (&["check", "--jsonl", "-k", "u"], "{\"u\":\"%\"}\n", "1:7:"),
        (&["check", "--csv", "-c", "u"], "u\n%\n", "2:1:"),
        (&["check", "--log", "common"], &log("%"), "1:16:"),
        (&["decode"], "a%\n", "1 malformed; first at 1:2\n"),
    ] {
        let found = run(arguments, [MARK, input].concat().as_bytes());
        let told = String::from_utf8([found.stdout, found.stderr].concat()).unwrap();
        let told: Vec<_> = told.lines().filter(|line| !line.starts_with(MARK)).collect();
        assert!(told.len() == 1 && format!("{}\n", told[0]).contains(place), "{arguments:?}: {told:?}");
    }
    // In a single output, only the first file's mark is one.
    let folder = folder(&[("a", "\u{FEFF}%41\n"), ("b", "\u{FEFF}%42\n"), ("c", "%43\n"), ("mark", MARK)]);
    for (arguments, expected) in [
        (["a", "b"], "\u{FEFF}A\nB\n"),
        (["c", "a"], "C\nA\n"),
        (["mark", "c"], "\u{FEFF}C\n"),
        (["mark", "a"], "\u{FEFF}A\n"),
    ] {
        pct(&["decode"]).args(arguments).current_dir(&folder).assert().success().stdout(expected);
    }
    pct(&["decode", "-i", "a", "b"]).current_dir(&folder).assert().success();
    assert_eq!(fs::read_to_string(folder.path().join("b")).unwrap(), "\u{FEFF}B\n");
}

#[test]
fn readable_files_are_processed_and_others_reported() {
    let folder = folder(&[("a", "%41\n"), ("b", "%42\n")]);
    fs::create_dir(folder.path().join("subfolder")).unwrap();
    for command in ["decode", "encode"] {
        let arguments = [command, "--raw", "a", "missing", "subfolder", "b", "also/missing"];
        let Output { status, stdout, stderr } = pct(&arguments).current_dir(&folder).output().unwrap();
        assert_eq!(status.code(), Some(3));
        assert_eq!(stdout, if command == "decode" { &b"A\nB\n"[..] } else { b"%2541%0A%2542%0A" });
        let stderr = String::from_utf8(stderr).unwrap();
        let messages: Vec<_> = stderr.lines().collect();
        assert_eq!(messages.len(), 3, "{stderr}");
        for (message, name) in messages.iter().zip(["missing", "subfolder", "also/missing"]) {
            assert!(message.starts_with(&format!("pct: {name}: ")), "{message}");
        }
    }
}

/// The worst exit code counts.
#[test]
fn an_unreadable_file_and_then_malformed_text_is_exit_code_3() {
    let Output { status, stderr, .. } = run(&["decode", "--strict", "no such file", "-"], b"%");
    assert_eq!(status.code(), Some(3));
    assert_eq!(String::from_utf8(stderr).unwrap().lines().count(), 2);
}

/// A file must not determine how much memory is allocated. The defaults of all formats' commands
/// can be read, and also `zstd --long=27` and `xz -9`.
#[test]
fn memory_for_decompression_is_bounded() {
    fn zstd(window_log: u32) -> Vec<u8> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(window_log).unwrap();
        encoder.write_all(b"%41\n").unwrap();
        // Otherwise the header would have the length of the text, which limits the window.
        encoder.flush().unwrap();
        encoder.finish().unwrap()
    }
    fn xz(dictionary: u32) -> Vec<u8> {
        use liblzma::stream::{Check, Filters, LzmaOptions, Stream};

        let mut options = LzmaOptions::new_preset(0).unwrap();
        options.dict_size(dictionary);
        let stream = Stream::new_stream_encoder(Filters::new().lzma2(&options), Check::Crc32).unwrap();
        let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
        encoder.write_all(b"%41\n").unwrap();
        encoder.finish().unwrap()
    }
    for file in [zstd(23), zstd(27), xz(8 << 20), xz(64 << 20), xz(128 << 20)] {
        assert_eq!(text(&output(&["decode"], &file)), "A\\n");
    }
    for file in [zstd(28), xz(256 << 20), xz(1 << 30)] {
        let found = run(&["decode"], &file);
        assert_eq!((text(&found.stdout), found.status.code()), (String::new(), Some(3)));
        let message = text(&found.stderr);
        assert!(message.starts_with("pct: <stdin>: decompressing takes more than 128 MiB"), "{message}");
    }
}

/// A hint follows the counts, or is in the message.
#[test]
fn input_in_another_format_has_a_hint() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let parquet = fs::read(data("urls.parquet")).unwrap();
    let pretty = b"{\n  \"url\": \"%41\"\n}\n".to_vec();
    let of_parquet = "it looks like Apache Parquet: --columns without --csv selects its columns";
    let of_utf16 = "it looks like UTF-16: convert it first, as with 'iconv -f UTF-16 -t UTF-8'";
    for (arguments, input, hint) in [
        (&["decode"][..], &parquet, of_parquet),
        (&["get", "host"], &parquet, of_parquet),
        (&["decode", "-f", "2"], &parquet, of_parquet),
        (&["decode", "--log", "combined"], &parquet, of_parquet),
        (&["decode", "-k", "url"], &parquet, of_parquet),
        (&["decode", "--csv", "-c", "url"], &parquet, of_parquet),
        (&["check"], &parquet, of_parquet),
        (&["stats"], &parquet, of_parquet),
        (&["decode"], &[b"PAR1\0".to_vec(), vec![0xFF; 10_000_000]].concat(), of_parquet),
        (&["decode"], &utf16("\u{FEFF}%41\n"), of_utf16),
        (&["decode"], &utf16("http://h/%41\n"), of_utf16),
        (&["decode", "-c", "url"], &utf16("\u{FEFF}url,b\n%41,1\n"), of_utf16),
        (&["decode", "-c", "url"], &b"id;url\n1;%41\n".to_vec(), "'id;url'; ';' separates its columns with -d ';'"),
        (&["decode", "-c", "url"], &b"id\turl\n1\t%41\n".to_vec(), "tabs separate its columns with -d '\\t'"),
        (&["decode", "-c", "url", "-d", ";"], &b"id,url\n".to_vec(), "',' separates its columns with -d ','"),
        (&["decode", "-c", "url"], &b"PK\x03\x04\0a\n".to_vec(), "invalid CSV: it looks like ZIP"),
        (&["decode", "-c", "url"], &b"\x01\0,a\n".to_vec(), "invalid CSV: the header has NUL bytes"),
        (&["decode", "-k", "url"], &pretty, "objects have several lines: 'jq -c .' writes one in each line"),
        (&["check", "-k", "url"], &pretty, "objects have several lines"),
        (&["decode", "-k", "url"], &b"\n[\n{\"url\":1}]\n".to_vec(), "it begins with an array: 'jq -c .[]'"),
    ] {
        let told = run(arguments, input).stderr;
        assert!(String::from_utf8_lossy(&told).contains(hint), "{arguments:?}: {}", text(&told));
        let report = run(&[arguments, &["--report", "json"]].concat(), input);
        let report = [report.stdout, report.stderr].concat();
        let report = String::from_utf8_lossy(&report).replace("\\\\", "\\");
        assert!(report.contains(hint), "{arguments:?}: {report}");
    }
    // None for bytes, for what is valid, and for usual faults.
    for (arguments, input) in [
        (&["decode", "--raw"][..], &parquet),
        (&["decode", "-0"], &b"a\0b\0%\0d\0".to_vec()),
        (&["decode", "-k", "url"], &b"{\"url\":1,\n".to_vec()),
        (&["decode", "-k", "url"], &b"x\n{\n".to_vec()),
        (&["decode", "-c", "url"], &b"id,name\n".to_vec()),
        (&["decode", "-c", "url"], &b"PAR1,name\n".to_vec()),
        (&["decode"], &b"%\n\xFF\n\0\n".to_vec()),
    ] {
        let told = String::from_utf8_lossy(&run(arguments, input).stderr).into_owned();
        let has_hint = ["looks like", "jq -c", "separates", "invalid CSV"].iter().any(|word| told.contains(word));
        let is_misread = input.ends_with(b",\n");
        assert_eq!(has_hint, is_misread, "{arguments:?}: {told}");
    }
}

#[cfg(unix)]
#[test]
fn names_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"caf\xE9");
    // Not every file system allows such a name.
    if fs::write(folder.path().join(name), "%41").is_ok() {
        pct(&["decode"]).arg(name).current_dir(&folder).assert().success().stdout("A");
    }
    let output = pct(&["decode"]).arg(OsStr::from_bytes(b"\xFF")).current_dir(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("pct: \\xff: "));
}
