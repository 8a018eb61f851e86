//! The command `pct`: no record is lost, split or joined, each is converted as it would be alone,
//! nothing else changes, and the result depends neither on block length nor on threads.
#![no_main]

use std::cell::RefCell;
use std::collections::HashMap;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pct::{InMemory, Outcome};
use simdpct_fuzz::exact;
use simdpct_fuzz::records::{
    BYTE_ORDER_MARK, Operation, Unit, check_csv, check_fields, check_json, check_lines, check_log, records, same,
};

const COMMANDS: [(&[&str], Operation); 26] = [
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
    (&["form"], Operation::Form),
    (&["form", "--back"], Operation::Form),
];

const UNITS: [(&[&str], Unit); 18] = [
    (&[], Unit::Records { separator: b'\n', append: false }),
    (&["-0"], Unit::Records { separator: 0, append: false }),
    (&["--append"], Unit::Records { separator: b'\n', append: true }),
    (&["-0", "--append"], Unit::Records { separator: 0, append: true }),
    (&["-f", "2"], Unit::Fields { delimiter: b'\t', columns: 1..2, append: false }),
    (&["-f", "1-3", "-d", ","], Unit::Fields { delimiter: b',', columns: 0..3, append: false }),
    (&["-f", "2-", "-d", " "], Unit::Fields { delimiter: b' ', columns: 1..usize::MAX, append: false }),
    (&["-f", "1-", "--append"], Unit::Fields { delimiter: b'\t', columns: 0..usize::MAX, append: true }),
    (&["--csv", "-c", "1-"], Unit::Csv { delimiter: b',', columns: Some(0..usize::MAX), append: false }),
    (&["--csv", "-c", "2", "-d", ";"], Unit::Csv { delimiter: b';', columns: Some(1..2), append: false }),
    (&["--csv", "-c", "a,2"], Unit::Csv { delimiter: b',', columns: None, append: false }),
    (&["--csv", "-c", "1-", "--append"], Unit::Csv { delimiter: b',', columns: Some(0..usize::MAX), append: true }),
    (&["--jsonl", "-k", "u", "-k", "a.b"], Unit::Json { append: false }),
    (&["--jsonl", "-k", "u", "-k", "a.u", "--append"], Unit::Json { append: true }),
    (&["--log", "combined"], Unit::Log { append: false }),
    (&["--log", "common", "--append"], Unit::Log { append: true }),
    (&["--log", "$before] \"$request\"$between\"$http_referer\""], Unit::Log { append: false }),
    (&["--jsonl", "-k", "u*", "-k", "*a*.?", "--append"], Unit::Json { append: true }),
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
    policy: u8,
    /// Selects block length and number of threads.
    blocks: u8,
    input: &'a [u8],
}

/// Longer than any input.
const ONE_BLOCK: usize = 4096;

fuzz_target!(|case: Case<'_>| {
    let (command, operation) = &COMMANDS[usize::from(case.command) % COMMANDS.len()];
    // Forms support only lines and NUL-terminated records.
    let units = if *operation == Operation::Form { &UNITS[..2] } else { &UNITS[..] };
    let (options, unit) = &units[usize::from(case.unit) % units.len()];
    let policy = POLICIES[usize::from(case.policy) % POLICIES.len()];
    let threads = if case.blocks >= 240 { "3" } else { "1" };
    let arguments = [&["pct"], *command, *options, policy, &["--report", "json", "-j", threads]].concat();
    let input = exact(case.input);

    let whole = rewrite(&arguments, &input, ONE_BLOCK);
    let cut = rewrite(&arguments, &input, usize::from(case.blocks % 64));
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
    // The output of `form` has no byte order mark.
    let keeps_mark = *operation != Operation::Form;
    assert!(!(is_marked && keeps_mark) || whole.output.starts_with(BYTE_ORDER_MARK));
    let text = if is_marked { &input[BYTE_ORDER_MARK.len()..] } else { &input };
    let result = if is_marked && keeps_mark { &whole.output[BYTE_ORDER_MARK.len()..] } else { &whole.output };

    let each = records(unit.separator(), text);
    // Alone, a record that starts with a byte order mark would lose it.
    let has_mark = each.iter().any(|record| record.starts_with(BYTE_ORDER_MARK));
    // The first record says how many fields the others have.
    let is_alone = !has_mark && !matches!(unit, Unit::Csv { .. } | Unit::Fields { append: true, .. });
    if is_alone && case.policy % 8 != 7 && each.len() <= 16 {
        let alone: Vec<u8> = each.iter().flat_map(|record| rewrite(&arguments, record, ONE_BLOCK).output).collect();
        same(&alone, result, &input);
    }

    if policy[1] == "drop" {
        return;
    }
    // Results of invalid fields are known only with `--errors keep`.
    let operation = if policy[1] == "keep" { *operation } else { operation.unknown() };
    match unit {
        Unit::Records { separator, append } => check_lines(text, result, *separator, *append, operation),
        Unit::Fields { delimiter, columns, append } => {
            check_fields(text, result, *delimiter, columns, *append, operation)
        }
        // The csv reader handles the byte order mark itself.
        Unit::Csv { delimiter, columns, append } => {
            check_csv(&input, &whole.output, *delimiter, columns.as_ref(), *append, operation)
        }
        Unit::Json { append } => check_json(text, result, *append, operation),
        Unit::Log { append } => check_log(text, result, *append, operation),
    }
});

fn rewrite(arguments: &[&'static str], input: &[u8], block: usize) -> Outcome {
    thread_local! {
        /// Arguments are parsed once, because parsing takes longer than everything else.
        static COMMANDS: RefCell<HashMap<Vec<&'static str>, InMemory>> = RefCell::default();
    }
    COMMANDS.with_borrow_mut(|commands| {
        commands
            .entry(arguments.to_vec())
            .or_insert_with(|| InMemory::new(arguments).expect("arguments of the table"))
            .rewrite(input, block)
    })
}
