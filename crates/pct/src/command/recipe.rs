//! From the arguments of a command that rewrites text to its task: the operation on each field, and
//! the filter of records.
#![forbid(unsafe_code)]

use std::sync::Arc;

use simdpct::ByteSet;

use super::rewrite::Task;
use crate::cli::{RewriteCommand, UrlForm};
use crate::error::Error;
use crate::operation::{
    CanonicalPath, Decode, DecodeText, Encode, EncodeText, Filter, NormalUrl, Normalize, Operation, PartFound, Repair,
    Resolved, Reversible, Surt,
};
use crate::record::Policy;
use crate::text::shown::Notation;

/// The task of a command that rewrites text.
pub(super) fn task(command: &RewriteCommand) -> Result<Task<'_>, Error> {
    let filter = filter(command)?;
    let task = match command {
        RewriteCommand::Form(arguments) => {
            arguments.check()?;
            let task = Task::new(&arguments.text, "_form", |_| arguments.operation()).only_targets();
            let task = task.shown_as(arguments.notation());
            if arguments.keeps_format() { task } else { task.into_other_format() }
        }
        RewriteCommand::Decode(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let (decoding, reversible) = (arguments.rules.decoding(), arguments.reversible);
            let text_decoding = arguments.rules.text_decoding();
            Task::new(&arguments.text, "_decoded", move |safe: ByteSet| -> Box<dyn Operation> {
                match text_decoding {
                    Some(decoding) => Box::new(DecodeText::new(decoding.protecting(safe).replacing(replace))),
                    None if reversible => {
                        Box::new(Reversible(Box::new(Decode::new(decoding.protecting(safe), replace))))
                    }
                    None => Box::new(Decode::new(decoding.protecting(safe), replace)),
                }
            })
        }
        RewriteCommand::Encode(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let encoding = arguments.rules.encoding();
            let text_encoding = arguments.rules.text_encoding();
            Task::new(&arguments.text, "_encoded", move |_| -> Box<dyn Operation> {
                match text_encoding {
                    Some(encoding) => Box::new(EncodeText::new(encoding.replacing(replace))),
                    None => Box::new(Encode::new(encoding, replace)),
                }
            })
        }
        RewriteCommand::Normalize(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let escape_malformed = arguments.escape_malformed;
            let keep = arguments.rules.keep();
            let (policy, url) = (arguments.path(), arguments.url());
            let (base, has_targets) = (arguments.base(), arguments.has_targets());
            Task::new(&arguments.text, "_normalized", move |safe| -> Box<dyn Operation> {
                let normalize = Normalize::new(safe.union(keep), escape_malformed, replace);
                let operation: Box<dyn Operation> = match (policy, &url) {
                    (Some(policy), _) => Box::new(CanonicalPath::new(policy, normalize, safe)),
                    (None, Some(UrlForm::Normal(url, dropped))) => {
                        Box::new(NormalUrl::new(normalize.of_urls(**url), dropped.clone(), safe))
                    }
                    (None, Some(UrlForm::Surt)) => Box::new(Surt::new(has_targets, safe)),
                    (None, None) => Box::new(normalize),
                };
                match base.clone() {
                    Some(base) => Box::new(Resolved::new(base, operation, has_targets, safe)),
                    None => operation,
                }
            })
        }
        RewriteCommand::Get(arguments) => {
            let text = &arguments.text;
            let parts = Arc::new(arguments.parts()?);
            if text.compare.counts() && !parts.header().is_empty() {
                let message = "invalid --as csv with --count or --top: expected --as json, or --format alone";
                return Err(Error::Usage(message.into()));
            }
            let (of_operations, seen) = (parts.clone(), PartFound::default());
            let of_run = seen.clone();
            let recipe =
                move |safe| -> Box<dyn Operation> { Box::new(arguments.operation(&of_operations, safe, seen.clone())) };
            let task = Task::new(text, parts.suffix(), recipe).only_targets().headed(parts.header());
            let task = if parts.is_json() { task.shown_as(Notation::Json) } else { task };
            let task = if arguments.keeps_format() { task } else { task.into_other_format() };
            task.hinting(move || (!of_run.get()).then(|| parts.hint()))
        }
        RewriteCommand::Repair(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            Task::new(&arguments.text, "_repaired", move |_| Box::new(Repair::new(replace)))
        }
    };
    Ok(task.filtered(filter))
}

/// Which records a command that rewrites text writes.
fn filter(command: &RewriteCommand) -> Result<Filter, Error> {
    use Filter::{Changed, Matching};
    match command {
        RewriteCommand::Decode(arguments) => arguments.text.filter.filter("decode", &[Changed, Matching]),
        RewriteCommand::Encode(arguments) => arguments.text.filter.filter("encode", &[Changed]),
        RewriteCommand::Normalize(arguments) => arguments.text.filter.filter("normalize", &[Changed]),
        RewriteCommand::Repair(arguments) => arguments.text.filter.filter("repair", &[Changed]),
        RewriteCommand::Form(arguments) => arguments.text.filter.filter("form", &[Matching]),
        RewriteCommand::Get(arguments) => arguments.text.filter.filter("get", &[Matching]),
    }
}
