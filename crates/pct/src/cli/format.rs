//! Input format options: records, and the fields in them to process.
#![forbid(unsafe_code)]

use clap::Args;
use simdpct::ByteSet;

use crate::error::Error;
use crate::format::{
    Chosen, ColumnName, Columns, Csv, Destination, Format, IN_CELLS, JsonLayout, JsonLines, KeyPath, Log, LogFields,
    LogFormat, LogParser, Outputs, Records, RowBinary, Tsv, WholeInput,
};
use crate::operation::{Operation, Recipe, Unescape, WellFormed, Wrap};
use crate::text::shown::Notation;

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

    /// Rows of one column of Nullable(String) in ClickHouse's format RowBinary
    ///
    /// A row is a byte 1 for NULL; or a byte 0, the length of the string (LEB128) and its bytes.
    /// Line ends are decoded and encoded like any other byte.
    #[arg(long, group = "format", conflicts_with_all = ["append", "append_as", "print_field"])]
    row_binary: bool,

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

    /// Columns of CSV: names in the header, or numbers; implies --csv
    ///
    /// A list of names, numbers and ranges, such as 'url', 3, 2-4 and 'from:to'. In a name, '*' is
    /// any text and '?' any character. A name that occurs more than once in the header selects all
    /// of these columns. A name or a number that the header does not have is an error. Without a
    /// header, a number that no record has is reported at the end.
    ///
    /// Without --csv, a file may also be Apache Parquet or Arrow IPC, which is recognised. A row is
    /// a record there, and columns are given by name or by numbers.
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["raw", "null", "row_binary", "fields", "jsonl", "key", "cdxj", "log"])]
    columns: Vec<String>,

    /// The first record of CSV is a header
    ///
    /// Needed only if the columns are given by number.
    #[arg(long, requires = "columns")]
    header: bool,

    /// Process the strings at --key of JSON Lines
    #[arg(long, group = "format", requires = "key")]
    jsonl: bool,

    /// Key in JSON Lines, such as 'url' or 'request.query'; implies --jsonl
    ///
    /// A '.' separates the names of nested members. In a name, '*' is any text and '?' any
    /// character, and '\' makes the next character an ordinary one. '**' is any number of names:
    /// '**.url' is every url. Keys go through arrays. A key at which no record has a string is
    /// reported at the end.
    #[arg(short, long, value_name = "KEY", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["raw", "null", "row_binary", "fields", "csv", "log"])]
    key: Vec<KeyPath>,

    /// Process the strings at --key of CDXJ [default key: url]
    ///
    /// Each line is an index key, a time and an object of JSON. A line that begins with '!' is
    /// copied.
    #[arg(long, group = "format")]
    cdxj: bool,

    /// Process request and referer of access logs
    ///
    /// FORMAT is a name, or a template as in nginx's log_format, such as '$host "$request"
    /// $status'. Of $request, the target is processed. A line without some of the fields counts as
    /// invalid; those that it has are processed. With 'w3c' and 'cloudfront', '#Fields:' in the log
    /// names the fields.
    ///
    /// Quotes, backslashes and control characters stay escaped. In the request target, spaces stay
    /// escaped too, as a space ends it.
    #[arg(long, value_name = "FORMAT", value_parser = LogParser, group = "format")]
    log: Option<LogFormat>,

    /// Fields of --log to process, such as 'http_*' or 'cs-uri-query'
    ///
    /// A list of variables of the template, with or without '$', or names in '#Fields:'. By
    /// default, these are the fields for URLs and parts of them: request, request_uri, args,
    /// query_string, http_referer, redirect_url, cs-uri, cs-uri-stem, cs-uri-query and cs(Referer).
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "log")]
    log_field: Vec<String>,

    /// Undo the escapes of --log in the fields first, such as \xC3\xA9
    ///
    /// nginx and Apache httpd write \xHH for bytes; Apache httpd also writes \", \\ and \n. Those
    /// of bytes that would stay escaped are kept.
    #[arg(long, requires = "log")]
    unescape: bool,

    /// Field delimiter [default: tab; with --csv: comma]
    #[arg(short, long, value_name = "BYTE", value_parser = delimiter)]
    #[arg(conflicts_with_all = ["raw", "row_binary", "jsonl", "key", "cdxj", "log"])]
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

    /// Add the result as a new column of this name
    ///
    /// Implies --append. For CSV with a header and for JSON Lines, and for a single column or key.
    /// By default, the name of a new column is that of its source, with a suffix such as
    /// '_decoded'.
    #[arg(long, value_name = "NAME", conflicts_with = "raw")]
    append_as: Option<String>,

    /// Write only the result, not the record
    ///
    /// With --fields, the selected fields that the record has, joined by the delimiter. With --csv,
    /// the selected columns and their header. With --jsonl, the string at each --key, joined by
    /// tabs; empty if the record has none. With --log, the selected fields, joined by tabs.
    #[arg(long, conflicts_with_all = ["raw", "append", "append_as"])]
    print_field: bool,

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

/// What a command makes of each field.
pub(crate) struct Results<'r> {
    pub(crate) recipe: &'r Recipe<'r>,
    pub(crate) wrap: &'r Wrap<'r>,
    /// Suffix of the names of new columns.
    pub(crate) suffix: &'r str,
    /// Whether only targets of requests in logs are processed, unless other fields are named.
    pub(crate) only_targets: bool,
    /// Whether they are written with the number of their records.
    pub(crate) are_counted: bool,
}

/// Bytes of line ends.
const LINE_ENDS: ByteSet = ByteSet::new(b"\n\r");

impl FormatArguments {
    /// Whether the result for a field is the only text of its record.
    pub(crate) fn is_whole_record(&self) -> bool {
        let is_part = self.fields.is_some() || self.is_csv() || self.is_json() || self.is_log();
        !self.append() && (self.print_field || !is_part)
    }

    /// The byte between fields, if they are not quoted.
    pub(crate) fn unquoted_delimiter(&self) -> Option<u8> {
        let is_quoted = self.is_csv() || self.is_json() || self.is_log();
        let is_delimited = self.fields.is_some() || self.append;
        (is_delimited && !is_quoted).then(|| self.delimiter.unwrap_or(b'\t'))
    }

    /// An error if a result that is JSON cannot be in the format.
    pub(crate) fn check_json(&self, command: &str) -> Result<(), Error> {
        match self.unquoted_delimiter() {
            // JSON has punctuation, but no raw control characters.
            Some(delimiter) if !delimiter.is_ascii_control() => {
                let expected = "expected a control character, such as a tab";
                Err(Error::Usage(format!("invalid --delimiter for {command}: {expected}")))
            }
            _ => Ok(()),
        }
    }

    /// The delimiter of results that are rows of CSV. An error if they cannot be in the format.
    pub(crate) fn delimiter_of_rows(&self) -> Result<u8, Error> {
        if self.is_csv() {
            let message = match (self.append() || self.print_field, &self.append_as) {
                (false, _) => "invalid --as csv for --csv: expected --append or --print-field with it",
                (true, Some(_)) => "invalid --append-as for --as csv: expected --append, which names each new column",
                (true, None) => return Ok(self.delimiter.unwrap_or(b',')),
            };
            return Err(Error::Usage(message.into()));
        }
        let is_single = self.fields.as_ref().is_none_or(Columns::is_single)
            && self.key.len() <= 1
            && !self.key.iter().any(KeyPath::has_pattern)
            && self.log_field.len() <= 1;
        let are_lines = !self.raw && !self.null && !self.row_binary;
        if are_lines && is_single && self.is_whole_record() {
            return Ok(b',');
        }
        let expected = "expected lines, --csv, or another format with a single field and --print-field";
        Err(Error::Usage(format!("invalid --as csv: {expected}")))
    }

    /// Whether control characters are decoded.
    pub(crate) fn unsafe_controls(&self) -> bool {
        self.unsafe_controls
    }

    /// Whether records are lines of a log.
    pub(crate) fn is_log(&self) -> bool {
        self.log.is_some()
    }

    /// Whether the selected fields of a log are queries, for a command that takes targets of
    /// requests.
    pub(crate) fn has_queries(&self) -> bool {
        match &self.log {
            Some(_) if !self.log_field.is_empty() => LogFormat::are_queries(&self.log_field),
            Some(format) => format.targets_or_queries() == LogFields::Queries,
            None => false,
        }
    }

    /// Whether each line has JSON.
    fn is_json(&self) -> bool {
        self.jsonl || self.cdxj || !self.key.is_empty()
    }

    /// Whether records have the fields of CSV, or of a columnar file.
    pub(crate) fn is_csv(&self) -> bool {
        self.csv || !self.columns.is_empty()
    }

    /// Names or numbers of columns. If not [of CSV only](Self::may_be_columnar), those of columnar
    /// files, too.
    #[cfg(feature = "columns")]
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Whether there are options that columnar files do not support.
    pub(crate) fn is_for_text(&self) -> bool {
        self.append_as.is_some()
    }

    /// Whether the input may be columnar. Otherwise it is text, whatever it begins with.
    pub(crate) fn may_be_columnar(&self) -> bool {
        !self.csv && !self.columns.is_empty()
    }

    /// Whether a file whose name is that of a columnar one is probably given by mistake.
    pub(crate) fn needs_columns(&self) -> bool {
        let is_other =
            self.raw || self.row_binary || self.null || self.fields.is_some() || self.is_csv() || self.is_json();
        !is_other && !self.is_log()
    }

    /// Whether binary files are accepted for rewriting in place.
    pub(crate) fn accepts_binary(&self) -> bool {
        self.raw || self.row_binary
    }

    /// Whether NUL ends each record.
    pub(crate) fn ends_records_with_nul(&self) -> bool {
        self.null
    }

    /// How active characters are escaped for a terminal; `None` if they are not. `are_counted`
    /// means the same as in [`Results`].
    pub(crate) fn notation(&self, are_counted: bool) -> Option<Notation> {
        let is_json = self.is_json() && !self.print_field && !are_counted;
        let notation = if is_json { Notation::Json } else { Notation::Triplets };
        (!self.unsafe_controls && !self.row_binary).then_some(notation)
    }

    /// Whether the result is a new column.
    pub(crate) fn append(&self) -> bool {
        self.append || self.append_as.is_some()
    }

    /// Whether only the result is written.
    pub(crate) fn print_field(&self) -> bool {
        self.print_field
    }

    /// The delimiter that follows the number of records, and the byte that ends each count.
    pub(crate) fn count_delimiters(&self) -> (u8, u8) {
        (self.delimiter.unwrap_or(if self.is_csv() { b',' } else { b'\t' }), if self.null { 0 } else { b'\n' })
    }

    /// Where results go. By default, the name of a new column is that of its source and `suffix`.
    fn destination(&self, suffix: &str, are_counted: bool) -> Result<Destination, Error> {
        let Some(name) = &self.append_as else {
            return Ok(match (self.append, self.print_field) {
                _ if are_counted => Destination::Counted,
                (true, _) => Destination::Column(ColumnName::Suffix(suffix.to_owned())),
                (_, true) => Destination::Alone,
                _ => Destination::Field,
            });
        };
        let has_header = self.header || matches!(self.chosen(), Chosen::Names(_));
        let are_several = self.key.len() > 1 || self.key.iter().any(KeyPath::has_pattern) || self.columns.len() > 1;
        let message = match () {
            () if !(self.is_json() || (self.is_csv() && has_header)) => "--jsonl, or --csv with a header",
            () if are_several => "a single column or key",
            () => return Ok(Destination::Column(ColumnName::Name(name.clone()))),
        };
        Err(Error::Usage(format!("invalid --append-as: expected {message} with it")))
    }

    /// The format.
    pub(crate) fn build(&self, results: &Results<'_>, outputs: Outputs) -> Result<Box<dyn Format>, Error> {
        let Results { recipe, wrap, suffix, only_targets, are_counted } = *results;
        let destination = self.destination(suffix, are_counted)?;
        if self.delimiter.is_some() && self.fields.is_none() && !self.is_csv() && !self.append {
            return Err(Error::Usage("invalid --delimiter: expected --fields, --csv or --append with it".into()));
        }
        let decodable = |bytes: ByteSet| if self.unsafe_controls { ByteSet::EMPTY } else { bytes };
        let safe = |unsafe_bytes: ByteSet| wrap(recipe(decodable(unsafe_bytes)));
        let delimiter = self.delimiter.unwrap_or(if self.is_csv() { b',' } else { b'\t' });
        let append = self.append.then_some(delimiter);
        let delimited = |ends: ByteSet| if self.append { ends.with(delimiter) } else { ends };
        Ok(if self.raw {
            Box::new(WholeInput::new(safe(ByteSet::EMPTY)))
        } else if self.row_binary {
            Box::new(RowBinary::new(safe(ByteSet::EMPTY)))
        } else if self.null {
            Box::new(Records::new(0, safe(delimited(ByteSet::new(b"\0"))), append))
        } else if let Some(columns) = &self.fields {
            let operation = safe(LINE_ENDS.with(delimiter));
            Box::new(Tsv::new(delimiter, columns.clone(), operation, destination, outputs))
        } else if self.is_csv() {
            // Decoded delimiters and quotes are quoted. Line ends could be too, but much software
            // takes any line end for the end of a record.
            Box::new(Csv::new(delimiter, self.chosen(), self.header, safe(LINE_ENDS), destination, outputs))
        } else if self.is_json() {
            let layout = if self.cdxj { JsonLayout::Cdxj } else { JsonLayout::Line };
            let operation = if destination.is_alone() {
                safe(IN_CELLS)
            } else {
                // JSON escapes decoded control characters.
                wrap(Box::new(WellFormed(recipe(ByteSet::EMPTY))))
            };
            Box::new(JsonLines::new(&self.keys()?, layout, operation, destination))
        } else if let Some(format) = &self.log {
            let recipe = |unsafe_bytes: ByteSet| -> Box<dyn Operation> {
                let keep = decodable(unsafe_bytes);
                let operation = recipe(keep);
                wrap(if self.unescape { Box::new(Unescape::new(operation, keep)) } else { operation })
            };
            let is_of_targets = only_targets && self.log_field.is_empty();
            let fields = if is_of_targets { format.targets_or_queries() } else { LogFields::All(&self.log_field) };
            Box::new(Log::new(format, fields, destination, &recipe).map_err(Error::Usage)?)
        } else {
            Box::new(Records::new(b'\n', safe(delimited(LINE_ENDS)), append))
        })
    }

    /// The keys; those of CDXJ have a default.
    fn keys(&self) -> Result<Vec<KeyPath>, Error> {
        KeyPath::check(&self.key).map_err(Error::Usage)?;
        if self.key.is_empty() {
            "url".parse().map(|key| vec![key]).map_err(Error::Usage)
        } else {
            Ok(self.key.clone())
        }
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
