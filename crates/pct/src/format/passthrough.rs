//! Fast path: passes through runs of lines that need no change.
#![forbid(unsafe_code)]

use memchr::{memchr, memrchr};

use crate::operation::{Fault, split_ending};
use crate::record::Job;

/// Length of the groups of lines that are validated as UTF-8 together: an invalid line slows down
/// its whole group.
const GROUP: usize = 16 * 1024;

/// Transforms lines: copies runs of lines that need no change, and calls `transform` with the text
/// of each other line. Line ends are kept.
///
/// `needed` is [`Operation::needed`](crate::operation::Operation::needed), and `is_line` tells
/// whether a line is in the expected format. A line is copied only if it has no `needed` byte and
/// `is_line` is true.
pub(super) fn transform_lines(
    records: &[u8],
    needed: Option<u8>,
    job: &mut Job,
    is_line: impl Fn(&[u8]) -> bool,
    transform: impl Fn(&[u8], &mut Vec<u8>, &mut Vec<u8>) -> Option<Fault>,
) {
    let mut start = 0;
    while start < records.len() {
        let end = group_end(records, start);
        let needed = needed.filter(|_| simdutf8::basic::from_utf8(&records[start..end]).is_ok());
        let next = |from: usize| match needed {
            Some(byte) => memchr(byte, &records[from..end]).map_or(end, |at| from + at),
            None => from,
        };
        // Position of the next needed byte; lines that end before it need no change.
        let mut touched = next(start);
        let mut run = start;
        while start < end {
            let line_end = memchr(b'\n', &records[start..end]).map_or(end, |at| start + at + 1);
            let line = &records[start..line_end];
            if touched < line_end || !is_line(line) {
                job.output.extend_from_slice(&records[run..start]);
                let (text, ending) = split_ending(line, b'\n');
                let done = job.record(line, start, |output, appended| {
                    let fault = transform(text, output, appended);
                    output.extend_from_slice(ending);
                    fault
                });
                if done.is_break() {
                    return;
                }
                run = line_end;
                if touched < line_end {
                    touched = next(line_end);
                }
            }
            start = line_end;
        }
        job.output.extend_from_slice(&records[run..end]);
    }
}

/// The end of the group of lines that begins at `start`.
fn group_end(records: &[u8], start: usize) -> usize {
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
    use crate::format::{Format, Log, LogFormat, Outputs, Tsv};
    use crate::operation::{Decode, Fault, Operation, Stream};
    use crate::record::{Job, Policy};

    /// Decodes without reporting a needed byte, which disables the fast path.
    struct Reticent(Decode);

    impl Operation for Reticent {
        fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
            self.0.apply(field, output)
        }

        fn stream(&self, until_fault: bool) -> Option<Box<dyn Stream>> {
            self.0.stream(until_fault)
        }
    }

    fn decode(safe: ByteSet) -> Decode {
        let arguments = Arguments::parse_from(["pct", "decode"]);
        let Command::Rewrite(RewriteCommand::Decode(arguments)) = arguments.command else { unreachable!() };
        Decode::new(arguments.rules.decoding().safe(safe), false)
    }

    /// All sequences of up to 4 lines, in one group and in many: the output is the same without the
    /// fast path.
    #[test]
    fn the_fast_path_does_not_change_lines() {
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
        let format: [[Box<dyn Format>; 2]; 2] = [
            [
                Box::new(Tsv::new(b'\t', columns(), Box::new(decode(safe)), false, Outputs::Each)),
                Box::new(Tsv::new(b'\t', columns(), Box::new(Reticent(decode(safe))), false, Outputs::Each)),
            ],
            [
                Box::new(Log::new(LogFormat::Combined, false, &|safe| Box::new(decode(safe)))),
                Box::new(Log::new(LogFormat::Combined, false, &|safe| Box::new(Reticent(decode(safe))))),
            ],
        ];
        let mut texts = 0;
        for count in 0..=4 {
            for number in 0..kinds.len().pow(count) {
                for (repetitions, end) in [(1, ""), (1, "\n"), (if number % 7 == 0 { 500 } else { 1 }, "x\n")] {
                    let lines = (0..count).map(|at| &kinds[number / kinds.len().pow(at) % kinds.len()][..]);
                    let lines: Vec<_> = lines.flat_map(|line| std::iter::repeat_n(line, repetitions)).collect();
                    let text = [&lines.join(&b'\n'), end.as_bytes()].concat();
                    texts += 1;
                    for [format, slow] in &format {
                        for policy in [Policy::Keep, Policy::Drop, Policy::Skip] {
                            let [found, expected] = [format, slow].map(|format| {
                                let mut job = Job::new(policy, false);
                                job.begin(u64::MAX, true);
                                format.transform(&text, &mut job);
                                (job.tally.faults(), job.output)
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
