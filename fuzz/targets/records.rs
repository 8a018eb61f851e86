//! The command `pct`: no record is lost, split or joined. Each record is converted as it would be
//! alone, nothing else changes, and the result depends neither on block length nor on threads.
#![no_main]

use std::cell::RefCell;
use std::collections::HashMap;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pct::{InMemory, Outcome};
use simdpct::uri;
use simdpct_fuzz::exact;
use simdpct_fuzz::records::{
    BYTE_ORDER_MARK, Columns, Filter, LogFormat, Operation, Part, Path, Shape, To, Unit, records, same,
};

const COMMANDS: [(&[&str], Operation); 45] = [
    (&["decode"], Operation::DECODE),
    (&["decode", "--plus"], Operation::DECODE_PLUS),
    (&["decode", "--keep", "reserved", "--reject", "%00A"], Operation::OtherDecoding),
    (&["decode", "--times", "2"], Operation::OtherDecoding),
    (&["decode", "--dialect", "whatwg"], Operation::OtherDecoding),
    (&["decode", "--dialect", "rfc3986"], Operation::OtherDecoding),
    (&["decode", "--dialect", "form", "--times", "3"], Operation::OtherDecoding),
    (&["decode", "--dialect", "java"], Operation::OtherDecoding),
    (&["decode", "--dialect", "js"], Operation::OtherDecoding),
    (&["decode", "--dialect", "nginx"], Operation::OtherDecoding),
    (&["decode", "--charset", "shift_jis", "--reject", "%00"], Operation::OtherDecoding),
    (&["decode", "--charset", "gb18030", "--times", "2"], Operation::OtherDecoding),
    (&["decode", "--fallback", "iso-2022-jp", "--keep", "reserved"], Operation::OtherDecoding),
    (&["decode", "--unicode", "--fallback", "windows-1252"], Operation::OtherDecoding),
    (&["encode", "--unicode"], Operation::Other),
    (&["encode", "--charset", "iso-2022-jp"], Operation::Other),
    (&["encode"], Operation::ENCODE),
    (&["encode", "--set", "form", "--keep-triplets"], Operation::Other),
    (&["encode", "--keep-non-ascii", "--lower"], Operation::Other),
    (&["normalize"], Operation::Other),
    (&["normalize", "--escape-malformed", "--keep", "~"], Operation::Other),
    (&["normalize", "--url"], Operation::Other),
    (&["normalize", "--url", "--sort-query", "--drop-www", "--drop-query", "a*"], Operation::Other),
    (&["repair"], Operation::Other),
    (&["form"], Operation::FromForm(Shape::Json)),
    (&["form", "--back"], Operation::ToForm(Shape::Json)),
    (&["form", "--as", "pairs"], Operation::FromForm(Shape::Pairs)),
    (&["form", "--as", "tsv"], Operation::FromForm(Shape::Tsv)),
    (&["form", "--as", "tsv", "--names", "a,b,a"], Operation::FromForm(Shape::Values(&["a", "b", "a"]))),
    (&["form", "--back", "--as", "pairs"], Operation::ToForm(Shape::Pairs)),
    (&["get", "scheme"], Operation::get(Part::Uri(uri::Part::Scheme))),
    (&["get", "host"], Operation::get(Part::Uri(uri::Part::Host))),
    (&["get", "path"], Operation::get(Part::Uri(uri::Part::Path))),
    (&["get", "port", "--raw"], Operation::get_raw(Part::Uri(uri::Part::Port))),
    (&["get", "query", "--raw"], Operation::get_raw(Part::Uri(uri::Part::Query))),
    (&["get", "fragment"], Operation::get(Part::Uri(uri::Part::Fragment))),
    (&["get", "segment:-1"], Operation::get(Part::Segment(-1))),
    (&["get", "segment:2", "--raw"], Operation::get_raw(Part::Segment(2))),
    (&["get", "extension"], Operation::get(Part::Extension)),
    (&["get", "keys"], Operation::get(Part::Keys)),
    (&["get", "keys", "--raw"], Operation::get_raw(Part::Keys)),
    (&["get", "key:a"], Operation::get(Part::Key("a"))),
    (&["get", "key:a", "--raw"], Operation::get_raw(Part::Key("a"))),
    (&["check", "--not"], Operation::Check),
    (&["check", "--only-matching"], Operation::Check),
];

const PATHS: [&Path; 2] = [&["u"], &["a", "b"]];
const ALL_PATHS: [&Path; 2] = [&["u*"], &["*a*", "?"]];

const UNITS: [(&[&str], Unit); 26] = [
    (&[], Unit::Records { separator: b'\n', to: To::Field }),
    (&["-0"], Unit::Records { separator: 0, to: To::Field }),
    (&["--append"], Unit::Records { separator: b'\n', to: To::Column }),
    (&["-0", "--append"], Unit::Records { separator: 0, to: To::Column }),
    (&["-f", "2"], Unit::Fields { delimiter: b'\t', columns: 1..2, to: To::Field }),
    (&["-f", "1-3", "-d", ","], Unit::Fields { delimiter: b',', columns: 0..3, to: To::Field }),
    (&["-f", "2-", "-d", " "], Unit::Fields { delimiter: b' ', columns: 1..usize::MAX, to: To::Field }),
    (&["-f", "1-", "--append"], Unit::Fields { delimiter: b'\t', columns: 0..usize::MAX, to: To::Column }),
    (&["--csv", "-c", "1-"], Unit::Csv { delimiter: b',', columns: Columns::Range(0..usize::MAX), to: To::Field }),
    (&["--csv", "-c", "2", "-d", ";"], Unit::Csv { delimiter: b';', columns: Columns::Range(1..2), to: To::Field }),
    (&["--csv", "-c", "a,2"], Unit::Csv { delimiter: b',', columns: Columns::Unknown, to: To::Field }),
    (
        &["--csv", "-c", "1-", "--append"],
        Unit::Csv { delimiter: b',', columns: Columns::Range(0..usize::MAX), to: To::Column },
    ),
    (&["--jsonl", "-k", "u", "-k", "a.b"], Unit::Json { paths: &PATHS, to: To::Field }),
    (&["--jsonl", "-k", "u", "-k", "a.b", "--append"], Unit::Json { paths: &PATHS, to: To::Column }),
    (&["--log", "combined"], Unit::Log { format: LogFormat::Combined, to: To::Field }),
    (&["--log", "common", "--append"], Unit::Log { format: LogFormat::Common, to: To::Column }),
    (
        &["--log", "$before] \"$request\"$between\"$http_referer\""],
        Unit::Log { format: LogFormat::Template, to: To::Field },
    ),
    (&["--jsonl", "-k", "u*", "-k", "*a*.?", "--append"], Unit::Json { paths: &ALL_PATHS, to: To::Column }),
    (&["--print-field"], Unit::Records { separator: b'\n', to: To::Field }),
    (&["-f", "2-3", "--print-field"], Unit::Fields { delimiter: b'\t', columns: 1..3, to: To::Alone }),
    (
        &["--csv", "-c", "1,2", "--print-field"],
        Unit::Csv { delimiter: b',', columns: Columns::Range(0..2), to: To::Alone },
    ),
    (
        &["--csv", "-c", "a", "--print-field"],
        Unit::Csv { delimiter: b',', columns: Columns::Named("a"), to: To::Alone },
    ),
    (
        &["--csv", "-c", "a", "--append-as", "n"],
        Unit::Csv { delimiter: b',', columns: Columns::Named("a"), to: To::Named("n") },
    ),
    (&["--jsonl", "-k", "u*", "-k", "*a*.?", "--print-field"], Unit::Json { paths: &ALL_PATHS, to: To::Alone }),
    (&["--jsonl", "-k", "u", "--append-as", "n"], Unit::Json { paths: &[&["u"]], to: To::Named("n") }),
    (&["--log", "combined", "--print-field"], Unit::Log { format: LogFormat::Combined, to: To::Alone }),
];

const POLICIES: [&[&str]; 8] = [
    &["--errors", "keep"],
    &["--errors", "keep"],
    &["--errors", "keep"],
    &["--errors", "replace"],
    &["--errors", "skip"],
    &["--errors", "drop"],
    &["--errors", "fail"],
    &["--max-errors", "1"],
];

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    command: u8,
    unit: u8,
    /// Selects the policy and the filter.
    policy: u8,
    /// Selects block length and number of threads.
    blocks: u8,
    input: &'a [u8],
}

/// Longer than any input.
const ONE_BLOCK: usize = 4096;

fuzz_target!(|case: Case<'_>| {
    let (command, operation) = &COMMANDS[usize::from(case.command) % COMMANDS.len()];
    let units: Vec<_> = UNITS.iter().filter(|(_, unit)| unit.supports(*operation)).collect();
    let (options, unit) = units[usize::from(case.unit) % units.len()];
    // `check` has no policies.
    let policy = if *operation == Operation::Check { 0 } else { usize::from(case.policy) % POLICIES.len() };
    let (filter, filter_option) = filter(command, unit, case.policy / POLICIES.len() as u8);
    let policy_options: &[&str] = if *operation == Operation::Check { &[] } else { POLICIES[policy] };
    let is_kept = policy_options.get(1).is_none_or(|&policy| policy == "keep");
    let threads = if case.blocks >= 240 { "3" } else { "1" };
    let others: &[&str] = &["--report", "json", "-j", threads];
    let arguments = [&["pct"], *command, *options, filter_option, policy_options, others].concat();
    let input = exact(case.input);

    let whole = run(&arguments, &input, ONE_BLOCK);
    let cut = run(&arguments, &input, usize::from(case.blocks % 64));
    // For a record longer than a block, the position of an error in a later pass or in a Java
    // triplet is less exact.
    let knows_places = !command.contains(&"--times") && !command.contains(&"java");
    if whole.error.is_some() {
        assert!(
            cut.error.is_some() && (cut.error == whole.error || !knows_places),
            "{arguments:?} {:?} {:?}",
            whole.error,
            cut.error
        );
        // The part of an oversized record before the error may have been written.
        same(&cut.output[..whole.output.len().min(cut.output.len())], &whole.output, &input);
        return;
    }
    assert_eq!(cut.error, whole.error, "{arguments:?}");
    assert!(cut.report == whole.report || !knows_places, "{arguments:?} {} {}", whole.report, cut.report);
    same(&cut.output, &whole.output, &input);

    let is_marked = input.starts_with(BYTE_ORDER_MARK);
    let keeps_mark = is_marked && unit.keeps_mark(*operation);
    assert!(!keeps_mark || whole.output.starts_with(BYTE_ORDER_MARK));
    let text = if is_marked { &input[BYTE_ORDER_MARK.len()..] } else { &input };
    let result = if keeps_mark { &whole.output[BYTE_ORDER_MARK.len()..] } else { &whole.output };

    let each = records(unit.separator(), text);
    // Alone, a record that starts with a byte order mark would lose it.
    let has_mark = each.iter().any(|record| record.starts_with(BYTE_ORDER_MARK));
    let is_alone = !has_mark && !unit.needs_first_record();
    if is_alone && !policy_options.contains(&"--max-errors") && each.len() <= 16 {
        let alone: Vec<u8> = each.iter().flat_map(|record| run(&arguments, record, ONE_BLOCK).output).collect();
        same(&alone, result, &input);
    }

    // Results of invalid fields are known only with `--errors keep`.
    match (is_kept, filter) {
        (true, _) => unit.check(text, result, filter, *operation),
        (false, Filter::All) if !policy_options.contains(&"drop") && unit.to() != To::Alone => {
            unit.check(text, result, filter, operation.unknown());
        }
        (false, _) => {}
    }
});

/// The filter of a command, and its option.
fn filter(command: &[&str], unit: &Unit, choice: u8) -> (Filter, &'static [&'static str]) {
    match command[0] {
        "check" => (if command.contains(&"--not") { Filter::Valid } else { Filter::Invalid }, &[]),
        _ if !unit.is_filtered() => (Filter::All, &[]),
        "decode" | "encode" | "normalize" | "repair" if choice % 4 == 2 => (Filter::Changed, &["--only-changed"]),
        "decode" | "get" | "form" if choice % 4 == 3 => (Filter::Matching, &["--only-matching"]),
        _ => (Filter::All, &[]),
    }
}

fn run(arguments: &[&'static str], input: &[u8], block: usize) -> Outcome {
    thread_local! {
        /// Arguments are parsed once, because parsing takes longer than everything else.
        static COMMANDS: RefCell<HashMap<Vec<&'static str>, InMemory>> = RefCell::default();
    }
    COMMANDS.with_borrow_mut(|commands| {
        commands
            .entry(arguments.to_vec())
            .or_insert_with(|| InMemory::new(arguments).expect("arguments of the table"))
            .run(input, block)
    })
}
