//! `simdpct-sql`: runs SQL over Parquet, CSV and JSON lines, with the functions of
//! `simdpct-datafusion`.
#![forbid(unsafe_code)]

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv::WriterBuilder;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::util::display::FormatOptions;
use datafusion::arrow::util::pretty::pretty_format_batches_with_options;
use datafusion::common::TableReference;
use datafusion::dataframe::DataFrame;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::error::DataFusionError;
use datafusion::prelude::{CsvReadOptions, JsonReadOptions, ParquetReadOptions, SessionConfig, SessionContext};
use datafusion::sql::parser::DFParser;
use futures_util::TryStreamExt;

const HELP: &str = "\
Run SQL over Parquet, CSV and JSON lines, with functions for percent-encoding

Usage: simdpct-sql [OPTIONS] SQL [FILE]...

Each file is a table, named after it without extensions: access.csv.gz is the
table access. Quote other names than of lower-case letters, digits and '_'.
The first file is also the table t.

Formats, by extension: .parquet; .csv, .tsv, .json, .jsonl and .ndjson, also
compressed (.gz, .bz2, .xz, .zst). JSON is one object per line.

Options:
  -o, --output <FORMAT>    table, csv or jsonl [default: table]
  -c, --config <KEY=VALUE> Set an option of DataFusion, such as
                           datafusion.execution.target_partitions=1
      --spark              Add Spark's url_decode, try_url_decode, url_encode
  -h, --help               Print this help
  -V, --version            Print the version

Functions: pct_decode, try_pct_decode, pct_decode_lossy, form_decode,
try_form_decode, form_decode_lossy, pct_encode, form_encode, url_normalize,
url_repair, url_part, url_query_value, url_findings, url_finding_names, url_has,
and those of DataFusion.

Example:
  simdpct-sql \"select url_part(url, 'host'), count(*) from t group by 1\" a.csv

Exit code: 0 on success, 1 if a query fails, 2 for wrong arguments.
";

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(Request::Run(arguments)) => arguments,
        Ok(Request::Print(text)) => return exit_code(io::stdout().write_all(text.as_bytes()).map_err(Failure::from)),
        Err(message) => {
            eprintln!("simdpct-sql: {message}\nTry 'simdpct-sql --help'.");
            return ExitCode::from(2);
        }
    };
    exit_code(run(arguments))
}

fn exit_code(result: Result<(), Failure>) -> ExitCode {
    match result {
        // A reader that has seen enough closes the pipe.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            eprintln!("simdpct-sql: <stdout>: {error}");
            ExitCode::FAILURE
        }
        Err(Failure::Query(message)) => {
            eprintln!("simdpct-sql: {message}");
            ExitCode::FAILURE
        }
        Ok(()) => ExitCode::SUCCESS,
    }
}

enum Failure {
    Query(String),
    Output(io::Error),
}

impl From<DataFusionError> for Failure {
    fn from(error: DataFusionError) -> Self {
        Self::Query(error.strip_backtrace())
    }
}

impl From<ArrowError> for Failure {
    fn from(error: ArrowError) -> Self {
        Self::Query(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

#[derive(Clone, Copy)]
enum Output {
    Table,
    Csv,
    Jsonl,
}

struct Arguments {
    sql: String,
    files: Vec<String>,
    output: Output,
    settings: Vec<(String, String)>,
    has_spark_functions: bool,
}

enum Request {
    Run(Arguments),
    Print(String),
}

impl Arguments {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Request, String> {
        let (mut output, mut settings, mut has_spark_functions) = (Output::Table, Vec::new(), false);
        let mut others = Vec::new();
        let mut has_options = true;
        while let Some(argument) = arguments.next() {
            if !has_options || !argument.starts_with('-') || argument == "-" {
                others.push(argument);
                continue;
            }
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
                _ => (argument, None),
            };
            let mut value =
                || value.clone().or_else(|| arguments.next()).ok_or_else(|| format!("{name} needs a value"));
            match name.as_str() {
                "--" => has_options = false,
                "-h" | "--help" => return Ok(Request::Print(HELP.to_owned())),
                "-V" | "--version" => {
                    return Ok(Request::Print(concat!("simdpct-sql ", env!("CARGO_PKG_VERSION"), "\n").to_owned()));
                }
                "--spark" => has_spark_functions = true,
                "-o" | "--output" => {
                    output = match value()?.as_str() {
                        "table" => Output::Table,
                        "csv" => Output::Csv,
                        "jsonl" => Output::Jsonl,
                        other => return Err(format!("invalid output '{other}': expected table, csv or jsonl")),
                    }
                }
                "-c" | "--config" => {
                    let setting = value()?;
                    let (key, value) = setting
                        .split_once('=')
                        .ok_or_else(|| format!("invalid option '{setting}': expected KEY=VALUE"))?;
                    settings.push((key.to_owned(), value.to_owned()));
                }
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        let mut others = others.into_iter();
        let sql = others.next().ok_or("expected SQL")?;
        Ok(Request::Run(Self { sql, files: others.collect(), output, settings, has_spark_functions }))
    }
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    // Plans are recursive, and unoptimized builds have large stack frames.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .thread_stack_size(32 << 20)
        .enable_all()
        .build()
        .map_err(|error| Failure::Query(format!("cannot start threads: {error}")))?;
    let done = runtime.spawn(query(arguments));
    runtime.block_on(done).map_err(|error| Failure::Query(error.to_string()))?
}

async fn query(arguments: Arguments) -> Result<(), Failure> {
    let mut config = SessionConfig::new().with_information_schema(true);
    for (key, value) in &arguments.settings {
        config.options_mut().set(key, value)?;
    }
    let mut session = SessionContext::new_with_config(config);
    simdpct_datafusion::register(&mut session)?;
    if arguments.has_spark_functions {
        simdpct_datafusion::register_spark_functions(&mut session)?;
    }
    register_files(&session, &arguments.files).await?;
    for statement in DFParser::parse_sql(&arguments.sql)? {
        let plan = session.state().statement_to_plan(statement).await?;
        print(session.execute_logical_plan(plan).await?, arguments.output).await?;
    }
    Ok(())
}

async fn register_files(session: &SessionContext, files: &[String]) -> Result<(), Failure> {
    let mut names = HashSet::new();
    for file in files {
        let source = Source::of(file)?;
        if !names.insert(source.table) {
            return Err(Failure::Query(format!("two files would be the table '{}': {file}", source.table)));
        }
        source.register(session, source.table, file).await.map_err(|error| in_file(file, &error))?;
    }
    if let Some(first) = files.first()
        && !names.contains("t")
    {
        Source::of(first)?.register(session, "t", first).await.map_err(|error| in_file(first, &error))?;
    }
    Ok(())
}

fn in_file(file: &str, error: &DataFusionError) -> Failure {
    Failure::Query(format!("{file}: {}", error.strip_backtrace()))
}

enum Format {
    Parquet,
    /// With this delimiter.
    Csv(u8),
    Json,
}

/// A file as a table.
struct Source<'a> {
    table: &'a str,
    format: Format,
    compression: FileCompressionType,
    extension: &'a str,
}

impl<'a> Source<'a> {
    fn of(file: &'a str) -> Result<Self, Failure> {
        if !Path::new(file).is_file() {
            return Err(Failure::Query(format!("{file}: no such file")));
        }
        let name = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file);
        let (stem, compression) = match name.rsplit_once('.') {
            Some((stem, "gz")) => (stem, FileCompressionType::GZIP),
            Some((stem, "bz2")) => (stem, FileCompressionType::BZIP2),
            Some((stem, "xz")) => (stem, FileCompressionType::XZ),
            Some((stem, "zst")) => (stem, FileCompressionType::ZSTD),
            _ => (name, FileCompressionType::UNCOMPRESSED),
        };
        let (table, format) = match stem.rsplit_once('.') {
            Some((table, "parquet")) if stem == name => (table, Format::Parquet),
            Some((table, "csv")) => (table, Format::Csv(b',')),
            Some((table, "tsv")) => (table, Format::Csv(b'\t')),
            Some((table, "json" | "jsonl" | "ndjson")) => (table, Format::Json),
            _ => {
                let expected = ".parquet, .csv, .tsv, .json, .jsonl or .ndjson";
                return Err(Failure::Query(format!("{file}: unknown extension: expected {expected}")));
            }
        };
        Ok(Self { table, format, compression, extension: &name[table.len()..] })
    }

    async fn register(&self, session: &SessionContext, table: &str, file: &str) -> Result<(), DataFusionError> {
        let table = TableReference::bare(table);
        match self.format {
            Format::Parquet => {
                let options = ParquetReadOptions { file_extension: self.extension, ..Default::default() };
                session.register_parquet(table, file, options).await
            }
            Format::Csv(delimiter) => {
                let options = CsvReadOptions::new()
                    .delimiter(delimiter)
                    .file_extension(self.extension)
                    .file_compression_type(self.compression);
                session.register_csv(table, file, options).await
            }
            Format::Json => {
                let options =
                    JsonReadOptions::default().file_extension(self.extension).file_compression_type(self.compression);
                session.register_json(table, file, options).await
            }
        }
    }
}

async fn print(frame: DataFrame, output: Output) -> Result<(), Failure> {
    let schema = frame.schema().inner().clone();
    // Of `SET` and similar statements.
    if schema.fields().is_empty() {
        frame.collect().await?;
        return Ok(());
    }
    // Rows are formatted in memory, since Arrow's writers do not pass on errors of the output as such.
    let mut text = Vec::new();
    let mut stdout = io::stdout();
    match output {
        Output::Table => {
            let rows = frame.collect().await?;
            let rows = if rows.is_empty() { vec![RecordBatch::new_empty(schema)] } else { rows };
            let table = pretty_format_batches_with_options(&rows, &FormatOptions::default().with_null("NULL"))?;
            writeln!(text, "{table}")?;
        }
        Output::Csv => {
            // An empty batch writes the header.
            WriterBuilder::new().build(&mut text).write(&RecordBatch::new_empty(schema))?;
            let mut rows = frame.execute_stream().await?;
            while let Some(batch) = rows.try_next().await? {
                WriterBuilder::new().with_header(false).build(&mut text).write(&batch)?;
                stdout.write_all(&text)?;
                text.clear();
            }
        }
        Output::Jsonl => {
            let mut rows = frame.execute_stream().await?;
            while let Some(batch) = rows.try_next().await? {
                LineDelimitedWriter::new(&mut text).write(&batch)?;
                stdout.write_all(&text)?;
                text.clear();
            }
        }
    }
    stdout.write_all(&text)?;
    stdout.flush()?;
    Ok(())
}
