//! The code that `simdpct-sql` and `simdpct-ballista query` share: files as tables, and results as
//! text.

mod tables;

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::str::FromStr;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv::WriterBuilder;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::util::display::FormatOptions;
use datafusion::arrow::util::pretty::pretty_format_batches_with_options;
use datafusion::dataframe::DataFrame;
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;
use datafusion::sql::parser::DFParser;
use futures_util::TryStreamExt;

pub use tables::register_files;

/// The failure of a program.
#[derive(Debug)]
pub enum Failure {
    /// The message of a failed query.
    Query(String),
    /// The standard output could not be written.
    Output(io::Error),
}

impl Failure {
    /// Prints a failure of the program `name`. Returns its exit code: 0 if the reader has closed
    /// the pipe, otherwise 1.
    #[must_use]
    pub fn report(&self, name: &str) -> ExitCode {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            Self::Output(error) => eprintln!("{name}: <stdout>: {error}"),
            Self::Query(message) => eprintln!("{name}: {message}"),
        }
        ExitCode::FAILURE
    }
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

/// Format of results.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Output {
    /// A table drawn with characters.
    #[default]
    Table,
    /// CSV with a header.
    Csv,
    /// JSON, an object per line. Keys whose value is NULL are left out.
    Jsonl,
}

impl FromStr for Output {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "table" => Ok(Self::Table),
            "csv" => Ok(Self::Csv),
            "jsonl" => Ok(Self::Jsonl),
            other => Err(format!("invalid output '{other}': expected table, csv or jsonl")),
        }
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table => "table",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
        })
    }
}

/// `KEY=VALUE`, an option of DataFusion.
///
/// # Errors
///
/// Returns a message if there is no `=`.
pub fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or_else(|| format!("invalid option '{text}': expected KEY=VALUE"))?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Runs the statements of `sql` one after another, and prints the result of each.
///
/// # Errors
///
/// Returns the first failure; the results of earlier statements have been printed.
pub async fn run(session: &SessionContext, sql: &str, output: Output) -> Result<(), Failure> {
    for statement in DFParser::parse_sql(sql)? {
        let plan = session.state().statement_to_plan(statement).await?;
        print(session.execute_logical_plan(plan).await?, output).await?;
    }
    Ok(())
}

async fn print(frame: DataFrame, output: Output) -> Result<(), Failure> {
    let schema = frame.schema().inner().clone();
    // The result of `SET` and similar statements.
    if schema.fields().is_empty() {
        frame.collect().await?;
        return Ok(());
    }
    // Formats rows in memory, because an error of Arrow's writers does not tell that the output
    // failed.
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
