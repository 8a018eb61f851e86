//! Records across the borders of blocks: output and report do not depend on the length of blocks.

use pct::InMemory;
use proptest::prelude::*;

use crate::text;

const COMMANDS: [&[&str]; 8] = [
    &["decode"],
    &["decode", "--charset", "shift_jis", "--reject", "%00"],
    &["decode", "--charset", "iso-2022-jp", "--times", "2"],
    &["decode", "--fallback", "windows-1252", "--keep", "reserved"],
    &["decode", "--unicode", "--plus"],
    &["encode", "--charset", "gb18030"],
    &["encode", "--unicode", "--keep-triplets"],
    &["normalize"],
];

const FORMATS: [&[&str]; 12] = [
    &[],
    &["-0"],
    &["--append"],
    &["-f", "2-"],
    &["-c", "u:", "--append"],
    &["-c", "?,*b*"],
    &["-k", "u*", "-k", "*b*"],
    &["--cdxj", "--append"],
    &["--log", "combined", "--unescape"],
    &["--log", "$a \"$request\" $args|$b", "--append"],
    &["--log", "w3c"],
    &["--log", "cloudfront", "--append", "--unescape"],
];

const POLICIES: [&[&str]; 6] = [
    &["--errors", "keep"],
    &["--errors", "replace"],
    &["--errors", "skip"],
    &["--errors", "drop"],
    &["--errors", "fail"],
    &["--max-errors", "1"],
];

/// Pieces of text that some format or charset treats differently.
const PIECES: [&str; 40] = [
    "\n",
    "\n",
    "\r\n",
    "\0",
    "\t",
    " ",
    ",",
    "|",
    "\"",
    "\\",
    "%41",
    "%E9",
    "%C3%A9",
    "%95",
    "%5C",
    "%0A",
    "%00",
    "%1B$B",
    "%1B(J",
    "%u20AC",
    "%uD83D",
    "%25",
    "%",
    "+",
    "é",
    "表",
    "u,ab,c\n",
    "a \"GET /%41 HTTP/1.1\" q=%E9|b\n",
    "h - - [t] \"GET /%41\\xE9",
    " HTTP/1.1\" 200 1 \"",
    "\" \"agent\"\n",
    "#Fields: a cs-uri cs-uri-query\n",
    "#Fields: cs-uri-stem\n",
    "#",
    "{\"u\":\"%E9\",\"abc\":[\"",
    "\"]}\n",
    "x 1 {\"url\":\"%E9",
    "\\x41",
    "\\n",
    "-",
];

/// Whether a triplet is decoded depends on the two bytes before it.
#[test]
fn normal_forms_of_short_texts_do_not_depend_on_block_length() {
    for options in [&[][..], &["--append"], &["--raw"], &["--escape-malformed"]] {
        let pct = InMemory::new(&[&["pct", "normalize"], options].concat()).unwrap();
        for length in 0..if crate::is_long() { 7 } else { 6 } {
            for number in 0..4_usize.pow(length) {
                let input: Vec<u8> = (0..length).map(|at| b"%41g"[number / 4_usize.pow(at) % 4]).collect();
                let whole = pct.run(&input, 1 << 16);
                for block in 1..5 {
                    assert_eq!(text(&pct.run(&input, block).output), text(&whole.output), "{options:?} {block}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, ..ProptestConfig::default() })]

    #[test]
    fn output_and_report_do_not_depend_on_block_length(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40),
        raw in prop::option::of(any::<u8>()),
        command in prop::sample::select(&COMMANDS[..]),
        format in prop::sample::select(&FORMATS[..]),
        policy in prop::sample::select(&POLICIES[..]),
        block in 0..64_usize,
        threads in prop::sample::select(vec!["1", "1", "3"]),
    ) {
        let mut input = pieces.concat().into_bytes();
        input.extend(raw);
        let arguments = [&["pct"], command, format, policy, &["--report", "json", "-j", threads]].concat();
        let pct = InMemory::new(&arguments).unwrap();
        let (whole, cut) = (pct.run(&input, 1 << 16), pct.run(&input, block));
        let context = format!("{arguments:?} in blocks of {block}: {}", text(&input));
        prop_assert_eq!(&cut.error, &whole.error, "{}", context);
        if whole.error.is_some() {
            // The part of a long record before the error may be written, and later records are not
            // counted.
            prop_assert_eq!(text(&cut.output[..whole.output.len().min(cut.output.len())]), text(&whole.output), "{}", context);
            return Ok(());
        }
        prop_assert_eq!(text(&cut.output), text(&whole.output), "{}", context);
        prop_assert_eq!(cut.report, whole.report, "{}", context);
    }
}
