//! What belongs together, and which part of it is meant.
#![forbid(unsafe_code)]

use clap::Args;
use simdpct::ByteSet;

use crate::error::Error;
use crate::format::{Chosen, Columns, Csv, JsonLines, Log, LogFormat, Outputs, Path, Records, Tsv, Unit, WholeInput};
use crate::operation::Recipe;
use crate::shown::Notation;

#[derive(Args, Debug)]
#[command(next_help_heading = "Units (lines, unless said otherwise)")]
pub(crate) struct UnitArguments {
    /// Each file is a single record; line ends are decoded and encoded like any other byte
    #[arg(long, group = "unit")]
    raw: bool,

    /// Records end with NUL, not with a line feed, as in 'find -print0'
    #[arg(short = '0', long, group = "unit")]
    null: bool,

    /// These fields of lines, as 'cut' counts them: 3,5-7,9-,-2
    ///
    /// A field that no record has is told at the end.
    #[arg(short, long, value_name = "LIST", group = "unit", allow_hyphen_values = true)]
    fields: Option<Columns>,

    /// These columns of quoted CSV; with --columns
    ///
    /// Several files with one output become one: their headers have to be equal, and the first one is written.
    #[arg(long, group = "unit", requires = "columns")]
    csv: bool,

    /// The columns of --csv: names in the header, or numbers
    ///
    /// A name that the header has more than once means all of these columns. A name or a number that the header does not have is an
    /// error; a number that no record has, where there is no header, is told at the end.
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', requires = "csv", allow_hyphen_values = true)]
    columns: Vec<String>,

    /// The first record of --csv is a header, though columns are given by number
    #[arg(long, requires = "csv")]
    header: bool,

    /// The strings under these keys of JSON lines; with --key
    #[arg(long, group = "unit", requires = "key")]
    jsonl: bool,

    /// A key of --jsonl: 'url', or 'request.query' for a member of a member
    ///
    /// A key at which no record has a string is told at the end.
    #[arg(short, long, value_name = "KEY", requires = "jsonl", allow_hyphen_values = true)]
    key: Vec<Path>,

    /// The request target and the referer of an access log
    ///
    /// These stay escaped in both: quotes, backslashes and control characters; in the target also the space, which ends it.
    #[arg(long, value_name = "FORMAT", value_enum, group = "unit")]
    log: Option<LogFormat>,

    /// The byte between fields [default: a tab; with --csv a comma]
    #[arg(short, long, value_name = "BYTE", value_parser = delimiter, conflicts_with_all = ["raw", "jsonl", "log"])]
    delimiter: Option<u8>,

    /// Add the result as a new column instead of replacing the text by it
    ///
    /// With --fields and --csv, the first record says how many fields a record has. A shorter record is padded with empty fields. The
    /// surplus fields of a longer one follow the new columns, and it counts as invalid. A new column of a name that the header has
    /// already is an error; an object that has a member of the new name counts as invalid, and does not get another.
    #[arg(long, conflicts_with = "raw")]
    append: bool,

    /// Decode even what breaks a line, field or record, and write control characters to a terminal
    #[arg(long)]
    unsafe_controls: bool,
}

/// One byte, or a name that shells do not write easily.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        b"\\0" => Ok(0),
        b"\\\\" => Ok(b'\\'),
        // Encoding writes '%', digits and '+': what it writes must not end a field.
        &[byte] if !b"\n\r%+".contains(&byte) && !byte.is_ascii_hexdigit() => Ok(byte),
        _ => Err("expected one byte, but no line end, '%', '+' or hexadecimal digit".into()),
    }
}

/// Ends a line.
const LINE_ENDS: ByteSet = ByteSet::new(b"\n\r");

impl UnitArguments {
    /// Whether each record is a field, and nothing else is asked for.
    pub(crate) fn are_lines(&self) -> bool {
        let is_other = self.raw || self.fields.is_some() || self.csv || self.jsonl || self.log.is_some() || self.append;
        !is_other && self.delimiter.is_none() && !self.unsafe_controls
    }

    /// Whether any bytes at all are text.
    pub(crate) fn are_binary(&self) -> bool {
        self.raw
    }

    /// Whether NUL ends each record.
    pub(crate) fn end_with_nul(&self) -> bool {
        self.null
    }

    /// How a terminal is shown what it would act upon; `None` if it is to act.
    pub(crate) fn notation(&self) -> Option<Notation> {
        let notation = if self.jsonl { Notation::Json } else { Notation::Triplets };
        (!self.unsafe_controls).then_some(notation)
    }

    /// Whether there is to be a new column.
    pub(crate) fn append(&self) -> bool {
        self.append
    }

    /// The unit. New columns are named after those that they come from, and `suffix`.
    pub(crate) fn unit(
        &self,
        recipe: &Recipe<'_>,
        suffix: &'static str,
        outputs: Outputs,
    ) -> Result<Box<dyn Unit>, Error> {
        if self.delimiter.is_some() && self.fields.is_none() && !self.csv && !self.append {
            return Err(Error::Usage("invalid --delimiter: expected --fields, --csv or --append with it".into()));
        }
        let safe = |unsafe_bytes: ByteSet| recipe(if self.unsafe_controls { ByteSet::EMPTY } else { unsafe_bytes });
        let delimiter = self.delimiter.unwrap_or(if self.csv { b',' } else { b'\t' });
        let append = self.append.then_some(delimiter);
        let suffix = self.append.then_some(suffix);
        let delimited = |ends: ByteSet| if self.append { ends.with(delimiter) } else { ends };
        Ok(if self.raw {
            Box::new(WholeInput::new(safe(ByteSet::EMPTY)))
        } else if self.null {
            Box::new(Records::new(0, safe(delimited(ByteSet::new(b"\0"))), append))
        } else if let Some(columns) = &self.fields {
            let operation = safe(LINE_ENDS.with(delimiter));
            Box::new(Tsv::new(delimiter, columns.clone(), operation, self.append, outputs))
        } else if self.csv {
            // Delimiters and quotes are quoted; line ends could be, but much software would take them for ends of records.
            Box::new(Csv::new(delimiter, self.chosen(), self.header, safe(LINE_ENDS), suffix, outputs))
        } else if self.jsonl {
            // Whatever is decoded is escaped as JSON wants it.
            Box::new(JsonLines::new(&self.key, recipe(ByteSet::EMPTY), suffix))
        } else if let Some(format) = self.log {
            Box::new(Log::new(format, self.append, &safe))
        } else {
            Box::new(Records::new(b'\n', safe(delimited(LINE_ENDS)), append))
        })
    }

    /// Numbers and ranges, if there is nothing else: then no header is needed.
    fn chosen(&self) -> Chosen {
        match self.columns.join(",").parse() {
            Ok(columns) => Chosen::Numbers(columns),
            Err(_) => Chosen::Names(self.columns.clone()),
        }
    }
}
