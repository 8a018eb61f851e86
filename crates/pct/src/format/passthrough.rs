//! Fast path: copies runs of records that need no change.
#![forbid(unsafe_code)]

use memchr::{memchr, memrchr};
use simdpct::ByteSet;

use crate::operation::{Fault, split_ending};
use crate::record::Job;

/// Length of the groups of lines that are validated as UTF-8 together: an invalid line slows down
/// its whole group.
const GROUP: usize = 16 * 1024;

/// Tells which records of a block need no change. Records are asked for in order.
pub(super) struct UnchangedRecords<'r> {
    records: &'r [u8],
    /// [`Operation::triggers`](crate::operation::Operation::triggers).
    triggers: Option<ByteSet>,
    /// End of the groups that are validated.
    validated: usize,
    /// End of the last group that is not UTF-8.
    ill_formed: usize,
    /// Position of the next trigger byte.
    next: NextTrigger,
    /// Records from the last one asked for to this position need no change.
    known: usize,
}

/// Position of the next byte of a set, for ranges that are asked for in order.
#[derive(Default)]
pub(super) struct NextTrigger(usize);

impl NextTrigger {
    /// Whether a byte of the set is in the range.
    #[inline]
    pub(super) fn is_in(&mut self, set: &ByteSet, bytes: &[u8], start: usize, end: usize) -> bool {
        if self.0 <= start {
            self.0 = set.find(&bytes[start..]).map_or(bytes.len(), |at| start + at);
        }
        self.0 < end
    }
}

impl<'r> UnchangedRecords<'r> {
    pub(super) fn new(records: &'r [u8], triggers: Option<ByteSet>) -> Self {
        Self { records, triggers, validated: 0, ill_formed: 0, next: NextTrigger::default(), known: 0 }
    }

    /// As `new`, for records that are well-formed UTF-8.
    pub(super) fn of_text(records: &'r [u8], triggers: Option<ByteSet>) -> Self {
        Self { validated: records.len(), ..Self::new(records, triggers) }
    }

    /// Whether the record is without trigger bytes, in a group of well-formed UTF-8.
    #[inline]
    pub(super) fn is_unchanged(&mut self, start: usize, end: usize) -> bool {
        end <= self.known || self.search(start, end)
    }

    fn search(&mut self, start: usize, end: usize) -> bool {
        let Some(triggers) = &self.triggers else { return false };
        let is_needed = self.next.is_in(triggers, self.records, start, end);
        self.validate(end);
        if is_needed || start < self.ill_formed {
            return false;
        }
        self.known = self.next.0.min(self.validated);
        true
    }

    fn validate(&mut self, end: usize) {
        while self.validated < end {
            let group = self.validated..group_end(self.records, self.validated);
            self.validated = group.end;
            if simdutf8::basic::from_utf8(&self.records[group]).is_err() {
                self.ill_formed = self.validated;
            }
        }
    }
}

/// Transforms lines, or records with another separator: passes on runs of lines that need no
/// change, and calls `transform` with the text of each other line. Line ends are kept.
///
/// `triggers` is [`Operation::triggers`](crate::operation::Operation::triggers), and `is_line`
/// tells whether a line is in the expected format. A line is passed on only if it has no trigger
/// byte and `is_line` is true.
pub(super) fn transform_lines(
    records: &[u8],
    separator: u8,
    triggers: Option<ByteSet>,
    job: &mut Job,
    is_line: impl Fn(&[u8]) -> bool,
    transform: impl Fn(&[u8], &mut Vec<u8>, &mut Vec<u8>) -> Option<Fault>,
) {
    let mut unchanged = UnchangedRecords::new(records, triggers);
    let mut start = 0;
    let mut run = 0;
    while start < records.len() {
        let end = memchr(separator, &records[start..]).map_or(records.len(), |at| start + at + 1);
        let line = &records[start..end];
        if !(unchanged.is_unchanged(start, end) && is_line(line)) {
            job.unchanged(&records[run..start]);
            run = end;
            let (text, ending) = split_ending(line, separator);
            let done = job.record(line, start, |output, appended| {
                let fault = transform(text, output, appended);
                output.extend_from_slice(ending);
                fault
            });
            if done.is_break() {
                return;
            }
        }
        start = end;
    }
    job.unchanged(&records[run..]);
}

/// The end of the group of lines that begins at `start`.
pub(super) fn group_end(records: &[u8], start: usize) -> usize {
    let rest = &records[start..];
    if rest.len() <= GROUP {
        return records.len();
    }
    let length = memrchr(b'\n', &rest[..GROUP]).or_else(|| memchr(b'\n', rest)).map_or(rest.len(), |at| at + 1);
    start + length
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use simdpct::ByteSet;

    use crate::cli::{Arguments, Command, RewriteCommand};
    use crate::format::{
        Chosen, Csv, Destination, Format, JsonLayout, JsonLines, Log, LogFields, LogFormat, Outputs, Tsv,
    };
    use crate::operation::{Decode, Fault, Operation, Recipe, Stream};
    use crate::record::{Job, Policy};

    /// Decodes without reporting a trigger byte, which disables the fast path.
    struct WithoutTriggers(Decode);

    impl Operation for WithoutTriggers {
        fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
            self.0.apply(field, output)
        }

        fn stream(&self, until_fault: bool) -> Option<Box<dyn Stream>> {
            self.0.stream(until_fault)
        }
    }

    fn decode(safe: ByteSet) -> Decode {
        let arguments = Arguments::parse_from(["pct", "decode"]);
        let Command::Rewrite(command) = arguments.command else { unreachable!() };
        let RewriteCommand::Decode(arguments) = *command else { unreachable!() };
        Decode::new(arguments.rules.decoding().protecting(safe), false)
    }

    /// All sequences of up to 4 lines, in one group and in many: output and counts are the same
    /// without the fast path.
    #[test]
    fn lines_in_a_run_are_those_transformed_one_by_one() {
        let log = |target: &str| format!("h - - [t] \"GET {target} HTTP/1.1\" 200 1 \"-\" \"agent\"").into_bytes();
        let kinds = [
            b"plain\ttext\r".to_vec(),
            b"\t%41\t%0A".to_vec(),
            b"%\t%4".to_vec(),
            b"\t\xFF".to_vec(),
            log("/x"),
            log("/%41%22%"),
        ];
        let safe = ByteSet::EMPTY.with(b'\n').with(b'\t');
        let columns = || "2-".parse().unwrap();
        let log_format = |recipe: &Recipe<'_>| -> Box<dyn Format> {
            let format = LogFormat::named("combined");
            Box::new(Log::new(&format, LogFields::All(&[]), Destination::Field, recipe).unwrap())
        };
        let format: [[Box<dyn Format>; 2]; 2] = [
            [
                Box::new(Tsv::new(b'\t', columns(), Box::new(decode(safe)), Destination::Field, Outputs::Each)),
                Box::new(Tsv::new(
                    b'\t',
                    columns(),
                    Box::new(WithoutTriggers(decode(safe))),
                    Destination::Field,
                    Outputs::Each,
                )),
            ],
            [log_format(&|safe| Box::new(decode(safe))), log_format(&|safe| Box::new(WithoutTriggers(decode(safe))))],
        ];
        assert_same(&kinds, 4, &format);
    }

    #[test]
    fn csv_records_in_a_run_are_those_transformed_one_by_one() {
        let kinds = [
            b"a,\"b\",c\r".to_vec(),
            b"%41,\"%41\",%4,\"%2C%22\"".to_vec(),
            b"\"a\n%41,\",\"\"\"%41\"".to_vec(),
            b"a\"b,\"a\"b,%41\"".to_vec(),
            b",\xFF%41".to_vec(),
            b"\r".to_vec(),
            b"a,\"open".to_vec(),
        ];
        let safe = ByteSet::EMPTY.with(b'\n').with(b'\r');
        let csv = |columns: &str, operation: Box<dyn Operation>| -> Box<dyn Format> {
            Box::new(Csv::new(
                b',',
                Chosen::Numbers(columns.parse().unwrap()),
                false,
                operation,
                Destination::Field,
                Outputs::Each,
            ))
        };
        let formats = ["1", "2", "2-"].map(|columns| {
            [csv(columns, Box::new(decode(safe))), csv(columns, Box::new(WithoutTriggers(decode(safe))))]
        });
        assert_same(&kinds, 3, &formats);
    }

    #[test]
    fn json_lines_in_a_run_are_those_transformed_one_by_one() {
        let kinds = [
            br#"{"a":"b"}"#.to_vec(),
            br#"{"a":"%41%4","b":["%41","c\n"]}"#.to_vec(),
            b" { \"b\" : \"%41\\/\\u0025\" , \"a\" : \"x\\/\" }\r".to_vec(),
            br#"{"a":"\u002541","b":"\ud800"}"#.to_vec(),
            b"{\"a\":\"%41\xFF\"}".to_vec(),
            b"{\"b\":1}\t\r".to_vec(),
            br#"{"a":"b",}"#.to_vec(),
            b"".to_vec(),
        ];
        let paths = ["a", "b"].map(|path| path.parse().unwrap());
        let json = |operation: Box<dyn Operation>| -> Box<dyn Format> {
            Box::new(JsonLines::new(&paths, JsonLayout::Line, operation, Destination::Field))
        };
        let format = [json(Box::new(decode(ByteSet::EMPTY))), json(Box::new(WithoutTriggers(decode(ByteSet::EMPTY))))];
        assert_same(&kinds, 3, &[format]);
    }

    /// Transforms all sequences of up to `most` lines of these kinds with both of each pair of
    /// formats.
    fn assert_same(kinds: &[Vec<u8>], most: u32, formats: &[[Box<dyn Format>; 2]]) {
        let mut texts = 0;
        for count in 0..=most {
            for number in 0..kinds.len().pow(count) {
                for (repetitions, end) in [(1, ""), (1, "\n"), (if number % 7 == 0 { 500 } else { 1 }, "x\n")] {
                    let lines = (0..count).map(|at| &kinds[number / kinds.len().pow(at) % kinds.len()][..]);
                    let lines: Vec<_> = lines.flat_map(|line| std::iter::repeat_n(line, repetitions)).collect();
                    let text = [&lines.join(&b'\n'), end.as_bytes()].concat();
                    texts += 1;
                    for formats in formats {
                        for policy in [Policy::Keep, Policy::Drop, Policy::Skip] {
                            let [found, expected] = formats.each_ref().map(|format| {
                                let mut job = Job::new(policy, false);
                                job.begin(u64::MAX, true);
                                format.begin(true, &text).unwrap();
                                format.transform(&text, &mut job);
                                (job.output, format!("{:?} {:?}", job.tally, format.unmatched()))
                            });
                            assert!(found == expected, "{policy:?}, {repetitions} times: {}", text.escape_ascii());
                        }
                    }
                }
            }
        }
        assert!(texts > 1000);
    }
}
