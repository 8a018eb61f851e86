//! `pct stats`: counts the records with each kind of finding, the most frequent first, with an
//! example of each.
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use simdpct::{Kinds, inspect};

use super::scan::Scan;
use super::stdout::{self, write_json};
use crate::cli::{FindingsForm, StatsArguments};
use crate::error::{Error, Status};
use crate::operation::{Count as Fault, Filter, Inspect, words};
use crate::pipeline::Observer;
use crate::report::{self, FileReport, InvalidRecord, Place};
use crate::text::shown;

pub(crate) fn stats(arguments: &StatsArguments) -> Result<Status, Error> {
    let counter = Counter::default();
    let scan = Scan {
        input: &arguments.input,
        format: &arguments.format,
        operation: Inspect::for_statistics(),
        filter: Filter::All,
        is_quiet: false,
        observer: &counter,
    };
    let mut files = Vec::new();
    let (mut status, unmatched) = scan.run(|report| {
        let counted = counter.lock();
        match arguments.report {
            FindingsForm::Text => stdout::write(text(&report, &counted).as_bytes())?,
            FindingsForm::Json => files.push(report::file_as_json(&report, as_json(&counted))),
        }
        Ok(())
    })?;
    match arguments.report {
        FindingsForm::Text => report::print_text(&[], &unmatched),
        FindingsForm::Json => {
            status = status.after(write_json(&report::document(files, &unmatched)));
        }
    }
    // For `stats`, findings are a success.
    Ok(if status == Status::Found { Status::Success } else { status })
}

/// Findings of each kind in one file.
type KindExamples = [KindExample; Kinds::ALL.len()];

/// Findings of one kind.
#[derive(Default)]
struct KindExample {
    records: u64,
    example: Option<Example>,
}

struct Example {
    place: Place,
    /// An excerpt, printable and short.
    text: String,
}

/// The kinds found, the most frequent first; of equally frequent ones, the more severe first.
fn ranked(counted: &KindExamples) -> Vec<(Kinds, &'static str, u64, &Example)> {
    let mut ranked: Vec<_> = Kinds::ALL
        .iter()
        .zip(counted)
        .filter_map(|(&(kind, name), count)| Some((kind, name, count.records, count.example.as_ref()?)))
        .rev()
        .collect();
    ranked.sort_by_key(|&(_, _, records, _)| std::cmp::Reverse(records));
    ranked
}

#[derive(Default)]
struct Counter {
    /// Findings in the current file.
    counted: Mutex<KindExamples>,
}

impl Counter {
    fn lock(&self) -> MutexGuard<'_, KindExamples> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Counter {
    fn begin(&self) {
        *self.lock() = KindExamples::default();
    }

    fn observe(&self, _: &str, invalid: &InvalidRecord, line: &[u8]) -> Result<(), Error> {
        for (&(kind, _), count) in Kinds::ALL.iter().zip(self.lock().iter_mut()) {
            if invalid.found.contains(kind) {
                count.records += 1;
                count.example.get_or_insert_with(|| example(kind, invalid.place, line));
            }
        }
        Ok(())
    }

    fn pause(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// An excerpt of a line around the first finding of this kind. `place` is that of the first finding
/// of any kind.
fn example(kind: Kinds, place: Place, line: &[u8]) -> Example {
    const BEFORE: usize = 24;
    const LENGTH: usize = 80;
    let first = usize::try_from(place.column - 1).unwrap_or(usize::MAX).min(line.len());
    // In the line, unless the finding depends on where its field begins.
    let in_line = inspect(line).iter_among(kind).map(|finding| finding.position).find(|&position| position >= first);
    let in_field = || inspect(&line[first..]).first_of(kind).map(|position| first + position);
    let position = in_line.or_else(in_field).unwrap_or(first);
    let start = position.saturating_sub(BEFORE);
    let end = line.len().min(start + LENGTH);
    let text = shown::excerpt(&line[start..end]);
    let ellipsis = |is_cut: bool| if is_cut { "..." } else { "" };
    let text = format!("{}{}{}", ellipsis(start > 0), text.trim_end_matches("\\r"), ellipsis(end < line.len()));
    Example { place: Place { column: position as u64 + 1, ..place }, text }
}

fn found(report: &FileReport) -> u64 {
    report.counts[Fault::Suspicious as usize]
}

fn text(report: &FileReport, counted: &KindExamples) -> String {
    let (name, records) = (stdout::name(&report.name), report.records());
    let plural = if records == 1 { "" } else { "s" };
    let mut text = format!("{name}: {records} record{plural}, {} with findings", found(report));
    text += &match report.faults() - found(report) {
        0 => "\n".to_owned(),
        others => format!(", {others} not in the format\n"),
    };
    for (kind, name, records, example) in ranked(counted) {
        // Writing to a String does not fail.
        let _ = writeln!(text, "{records:>12}  {name:<13} {}", words(kind));
        let _ = writeln!(text, "{:>12}  {}: {}", "", example.place, example.text);
    }
    text
}

fn as_json(counted: &KindExamples) -> Vec<Value> {
    ranked(counted)
        .into_iter()
        .map(|(_, name, records, Example { place, text })| {
            json!({
                "kind": name,
                "records": records,
                "example": { "line": place.line, "column": place.column, "text": text },
            })
        })
        .collect()
}
