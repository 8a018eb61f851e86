//! Input format options: records, and the fields in them to process.
#![forbid(unsafe_code)]

use clap::Args;
use simdpct::ByteSet;

use crate::error::Error;
use crate::format::{
    Chosen, Columns, Csv, Format, JsonLines, KeyPath, Log, LogFormat, Outputs, Records, Tsv, WholeInput,
};
use crate::operation::Recipe;
use crate::shown::Notation;

#[derive(Args, Debug)]
#[command(next_help_heading = "Input format (default: lines)")]
pub(crate) struct FormatArguments {
    /// Treat each file as a single record
    ///
    /// Line ends are decoded and encoded like any other byte.
    #[arg(long, group = "format")]
    raw: bool,

    /// Records end with NUL, as in 'find -print0'
    #[arg(short = '0', long, group = "format")]
    null: bool,

    /// Process only these fields, as in 'cut -f'
    ///
    /// A list of numbers and ranges: 3,5-7,9-,-2. A field that no record has is reported at the
    /// end.
    #[arg(short, long, value_name = "LIST", group = "format", allow_hyphen_values = true)]
    fields: Option<Columns>,

    /// Process the columns --columns of CSV
    ///
    /// If several files have one output, their headers must be equal. Only the first header is
    /// written.
    #[arg(long, group = "format", requires = "columns")]
    csv: bool,

    /// Columns of --csv: names in the header, or numbers
    ///
    /// A name that occurs more than once in the header selects all of these columns. A name or a
    /// number that the header does not have is an error. Without a header, a number that no record
    /// has is reported at the end.
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', requires = "csv", allow_hyphen_values = true)]
    columns: Vec<String>,

    /// The first record of --csv is a header
    ///
    /// Needed only if the columns are given by number.
    #[arg(long, requires = "csv")]
    header: bool,

    /// Process the strings at --key of JSON Lines
    #[arg(long, group = "format", requires = "key")]
    jsonl: bool,

    /// Key of --jsonl, such as 'url' or 'request.query'
    ///
    /// A '.' separates the names of nested members. A key at which no record has a string is
    /// reported at the end.
    #[arg(short, long, value_name = "KEY", requires = "jsonl", allow_hyphen_values = true)]
    key: Vec<KeyPath>,

    /// Process request and referer of access logs
    ///
    /// Quotes, backslashes and control characters stay escaped. In the request target, spaces stay
    /// escaped too, as a space ends it.
    #[arg(long, value_name = "FORMAT", value_enum, group = "format")]
    log: Option<LogFormat>,

    /// Field delimiter [default: tab; with --csv: comma]
    #[arg(short, long, value_name = "BYTE", value_parser = delimiter, conflicts_with_all = ["raw", "jsonl", "log"])]
    delimiter: Option<u8>,

    /// Add the result as a new column
    ///
    /// Without it, the result replaces the text. With --fields and --csv, the first record
    /// determines the number of fields. A shorter record is padded with empty fields. The surplus
    /// fields of a longer record follow the new columns, and it counts as invalid. A new column
    /// whose name is already in the header is an error. An object that already has a member of the
    /// new name counts as invalid, and no member is added.
    #[arg(long, conflicts_with = "raw")]
    append: bool,

    /// Decode control characters and delimiters too
    ///
    /// Decodes even bytes that end a line, field or record, and writes control characters to a
    /// terminal unescaped.
    #[arg(long)]
    unsafe_controls: bool,
}

/// Parses one byte, or an escape for a byte that is difficult to type in a shell.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        b"\\0" => Ok(0),
        b"\\\\" => Ok(b'\\'),
        // Encoding writes '%', digits and '+', which must not end a field.
        &[byte] if !b"\n\r%+".contains(&byte) && !byte.is_ascii_hexdigit() => Ok(byte),
        _ => Err("expected a single byte other than a line end, '%', '+' or a hexadecimal digit".into()),
    }
}

/// Bytes of line ends.
const LINE_ENDS: ByteSet = ByteSet::new(b"\n\r");

impl FormatArguments {
    /// Whether records are lines, or end with NUL, and no other option of this group is set.
    pub(crate) fn are_lines(&self) -> bool {
        let is_other = self.raw || self.fields.is_some() || self.csv || self.jsonl || self.log.is_some() || self.append;
        !is_other && self.delimiter.is_none() && !self.unsafe_controls
    }

    /// Whether binary files are accepted for rewriting in place.
    pub(crate) fn are_binary(&self) -> bool {
        self.raw
    }

    /// Whether NUL ends each record.
    pub(crate) fn end_with_nul(&self) -> bool {
        self.null
    }

    /// How active characters are escaped for a terminal; `None` if they are not.
    pub(crate) fn notation(&self) -> Option<Notation> {
        let notation = if self.jsonl { Notation::Json } else { Notation::Triplets };
        (!self.unsafe_controls).then_some(notation)
    }

    /// Whether the result is a new column.
    pub(crate) fn append(&self) -> bool {
        self.append
    }

    /// The format. The name of a new column is that of its source and `suffix`.
    pub(crate) fn build(
        &self,
        recipe: &Recipe<'_>,
        suffix: &'static str,
        outputs: Outputs,
    ) -> Result<Box<dyn Format>, Error> {
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
            // Decoded delimiters and quotes are quoted. Line ends could be too, but much software
            // takes any line end for the end of a record.
            Box::new(Csv::new(delimiter, self.chosen(), self.header, safe(LINE_ENDS), suffix, outputs))
        } else if self.jsonl {
            // JSON escapes decoded control characters.
            Box::new(JsonLines::new(&self.key, recipe(ByteSet::EMPTY), suffix))
        } else if let Some(format) = self.log {
            Box::new(Log::new(format, self.append, &safe))
        } else {
            Box::new(Records::new(b'\n', safe(delimited(LINE_ENDS)), append))
        })
    }

    /// The columns by number, which needs no header, if the list has only numbers and ranges; else
    /// by name.
    fn chosen(&self) -> Chosen {
        match self.columns.join(",").parse() {
            Ok(columns) => Chosen::Numbers(columns),
            Err(_) => Chosen::Names(self.columns.clone()),
        }
    }
}
