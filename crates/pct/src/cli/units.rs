//! What belongs together, and which part of it is meant.
#![forbid(unsafe_code)]

use clap::Args;
use simdpct::ByteSet;

use crate::error::Error;
use crate::operation::Recipe;
use crate::units::{Records, Unit, WholeInput};

#[derive(Args, Debug)]
#[command(next_help_heading = "Units (lines, unless said otherwise)")]
pub(crate) struct UnitArguments {
    /// Take each file as one text, its line ends as bytes like any others
    #[arg(long, group = "unit")]
    raw: bool,

    /// Records end with NUL, not with a line feed, as those of 'find -print0' do
    #[arg(short = '0', long, group = "unit")]
    null: bool,

    /// Add the result to the record instead of replacing the text by it
    #[arg(long, conflicts_with = "raw")]
    append: bool,

    /// Decode even what breaks a line or record, and control bytes for a terminal
    #[arg(long)]
    unsafe_controls: bool,
}

/// Ends a line.
const LINE_ENDS: ByteSet = ByteSet::new(b"\n\r");

/// What a terminal acts upon. A tab is what it seems.
const CONTROLS: ByteSet = ByteSet::range(0, 0x1F).with(0x7F).without(b'\t');

impl UnitArguments {
    /// The unit for one input. What is shown on a terminal must not do anything to it.
    pub(crate) fn unit(&self, recipe: &Recipe, to_terminal: bool) -> Result<Box<dyn Unit>, Error> {
        let operation = |unsafe_bytes: ByteSet| {
            let on_terminal = if to_terminal { CONTROLS } else { ByteSet::EMPTY };
            recipe(if self.unsafe_controls { ByteSet::EMPTY } else { unsafe_bytes.union(on_terminal) })
        };
        let append = self.append.then_some(b'\t');
        let appended = if self.append { ByteSet::new(b"\t") } else { ByteSet::EMPTY };
        Ok(if self.raw {
            Box::new(WholeInput::new(operation(ByteSet::EMPTY)))
        } else if self.null {
            Box::new(Records::new(0, operation(appended.with(0)), append))
        } else {
            Box::new(Records::new(b'\n', operation(LINE_ENDS.union(appended)), append))
        })
    }
}
