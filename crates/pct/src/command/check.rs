//! `pct check`: prints a line for every invalid record, or the records.
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use super::scan::Scan;
use super::stdout::{self, write_json};
use crate::cli::{CheckArguments, FindingsForm};
use crate::error::{Error, Status};
use crate::operation::{Filter, Inspect};
use crate::pipeline::Observer;
use crate::report::{self, InvalidRecord};

pub(crate) fn check(arguments: &CheckArguments) -> Result<Status, Error> {
    let filter = arguments.filter();
    let lists = !arguments.quiet && filter == Filter::All && arguments.report == FindingsForm::Text;
    let lister = Lister { lists, lines: Mutex::default() };
    let mut reports = Vec::new();
    let (status, unmatched) = scan(arguments, &lister).run(|report| {
        reports.push(report);
        Ok(())
    })?;
    match arguments.report {
        _ if arguments.quiet => {}
        FindingsForm::Text => report::print_text(&[], &unmatched),
        // Standard output has the records.
        FindingsForm::Json if filter != Filter::All => report::print_json(&reports, &unmatched, None),
        FindingsForm::Json => return Ok(status.after(write_json(&report::as_json(&reports, &unmatched)))),
    }
    Ok(status)
}

/// The scan for the command.
pub(crate) fn scan<'s>(arguments: &'s CheckArguments, observer: &'s dyn Observer) -> Scan<'s> {
    Scan {
        input: &arguments.input,
        format: &arguments.format,
        operation: Inspect::for_faults(arguments.rules.decoding(), arguments.wanted())
            .with_text_decoding(arguments.rules.text_decoding()),
        filter: arguments.filter(),
        is_quiet: arguments.quiet,
        observer,
    }
}

/// Prints a line for each, in the format of compiler messages.
struct Lister {
    lists: bool,
    lines: Mutex<String>,
}

impl Observer for Lister {
    fn observe(&self, name: &str, invalid: &InvalidRecord, _: &[u8]) -> Result<(), Error> {
        if self.lists {
            let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            // Writing to a String does not fail.
            let _ = write!(lines, "{}:{}: ", stdout::name(name), invalid.place);
            let _ = invalid.field.map(|field| write!(lines, "{}: ", stdout::name(field)));
            let _ = writeln!(lines, "{}", invalid.kind);
        }
        Ok(())
    }

    fn pause(&self) -> Result<(), Error> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if !lines.is_empty() {
            stdout::write(lines.as_bytes())?;
            lines.clear();
        }
        Ok(())
    }
}
