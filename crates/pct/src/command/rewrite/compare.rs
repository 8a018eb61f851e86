//! Comparing records: reads the other files first, and writes the counts at the end.
#![forbid(unsafe_code)]

use simdpct::ByteSet;

use super::{Rewriting, Task};
use crate::command::inputs::{Content, Inputs, Rows};
use crate::error::Error;
use crate::format::Outputs;
use crate::operation::split_ending;
use crate::pipeline::{Plan, Progress};
use crate::report::FileReport;
use crate::sink::Sink;
use crate::source::{BLOCK, Source};
use crate::unique::{Comparison, Kept, Others, Seen, Table};

/// Counts are written in pieces of about this length.
const PIECE: usize = 1 << 16;

impl Task<'_> {
    /// Writes the counts, if there are any.
    pub(crate) fn write_counts(&self, sink: &mut Sink) -> Result<(), Error> {
        let Some(seen) = self.seen.as_ref().filter(|seen| seen.comparison.kept == Kept::Counts) else { return Ok(()) };
        let (delimiter, ending) = self.arguments.format.count_delimiters();
        let mut lines = Vec::new();
        // Of an input without an end of its last record.
        let mut missing: Option<Vec<u8>> = None;
        seen.each_count(self.arguments.compare.top, |(count, output)| {
            let (text, end) = split_ending(output, ending);
            lines.extend_from_slice(count.to_string().as_bytes());
            lines.push(delimiter);
            lines.extend_from_slice(text);
            match (end, &missing) {
                (b"", None) => lines.push(ending),
                (b"", Some(end)) => lines.extend_from_slice(end),
                _ => {
                    missing.get_or_insert_with(|| end.to_vec());
                    lines.extend_from_slice(end);
                }
            }
            if lines.len() >= PIECE {
                sink.write(&lines)?;
                lines.clear();
            }
            Ok(())
        })?;
        sink.write(&lines)
    }
}

impl Rewriting<'_> {
    /// Reads the files of `--not-in` and `--only-in`. Their reports precede the reports of the
    /// inputs.
    pub(super) fn read_others(&mut self) -> Result<(), Error> {
        let compare = &self.arguments.compare;
        let Some(seen) = self.task.seen.as_ref().filter(|_| compare.others().next().is_some()) else { return Ok(()) };
        let sources = compare.others().chain(self.arguments.input.sources());
        if sources.filter(|source| matches!(source, Source::StandardInput)).count() > 1 {
            return Err(Error::Usage("invalid input '-': expected standard input only once".into()));
        }
        let (not_in, only_in) = (self.keys(&compare.not_in, seen)?, self.keys(&compare.only_in, seen)?);
        seen.compare_with(Others { not_in, only_in });
        self.others = self.reports.len();
        Ok(())
    }

    /// The keys of all records of these files; `None` if there are none.
    fn keys(&mut self, sources: &[Source], seen: &Seen) -> Result<Option<Table>, Error> {
        if sources.is_empty() {
            return Ok(None);
        }
        let keys = Seen::new(Comparison { kept: Kept::First, ..seen.comparison }, seen.secret);
        for source in sources {
            self.read_other(source, &keys)?;
        }
        Ok(Some(keys.into_keys()))
    }

    fn read_other(&mut self, source: &Source, keys: &Seen) -> Result<(), Error> {
        // It need not have the columns of the inputs at the same places.
        let format = self.task.format(Outputs::Each)?;
        // The bar shows how much of the inputs is read.
        let others = Inputs { progress: Progress::hidden(), ..*self.inputs };
        let (opened, columnar) = others
            .open(source, format.ending(), Content::Text)
            .map_err(|error| Error::Input(source.to_string(), error))?;
        let found = self.reports.iter().map(FileReport::faults).sum();
        let plan = Plan { threads: self.threads, seen: Some(keys), ..self.task.plan(&*format, found, BLOCK, false) };
        let (report, result) = match columnar {
            Some(columnar) => {
                let operation = (self.task.recipe)(ByteSet::EMPTY);
                let task = self.task.by_columns(plan, &*operation);
                let (report, result) = others.columns(source, opened, columnar, task, Rows::Nowhere);
                (report, result.map(drop))
            }
            None => others.text(source, opened, &plan, &mut Sink::nowhere()?),
        };
        let has_records = report.records() > 0;
        self.reports.push(report);
        result?;
        let unmatched = format.unmatched().into_iter().filter(|_| has_records);
        self.warnings.extend(unmatched.map(|warning| format!("{source}: {warning}")));
        Ok(())
    }
}
