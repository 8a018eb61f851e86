//! `simdpct-sql`: runs SQL over Parquet, CSV and JSON Lines, with the functions of
//! `simdpct-datafusion`.
#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::process::ExitCode;

use datafusion::prelude::{SessionConfig, SessionContext};
use simdpct_datafusion::program::{self, Failure, Output};

const HELP: &str = "\
Run SQL over Parquet, CSV and JSON Lines, with functions for percent-encoding

Usage: simdpct-sql [OPTIONS] SQL [FILE]...

Each file is a table, named after it without extensions: access.csv.gz is the
table access. Quote other names than of lower-case letters, digits and '_'.
The first file is also the table t. A folder is a table with the rows of its
files.

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
try_form_decode, form_decode_lossy, pct_encode, form_encode, pct_normalize,
url_repair, url_part, url_parts, url_query_value, url_query_keys, url_query_map,
url_normalize, url_domain, url_join, url_cut, url_path_canonical, url_findings,
url_finding_names, url_has, and those of DataFusion.

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
        Err(failure) => failure.report("simdpct-sql"),
        Ok(()) => ExitCode::SUCCESS,
    }
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
        let (mut output, mut settings, mut has_spark_functions) = (Output::default(), Vec::new(), false);
        let mut others = Vec::new();
        let mut has_options = true;
        while let Some(argument) = arguments.next() {
            // SQL may begin with a comment, which no option looks like.
            let is_comment = argument.strip_prefix("--").is_some_and(|rest| rest.starts_with(char::is_whitespace));
            if !has_options || !argument.starts_with('-') || argument == "-" || is_comment {
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
                "-o" | "--output" => output = value()?.parse()?,
                "-c" | "--config" => settings.push(program::setting(&value()?)?),
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
    program::register_files(&session, &arguments.files).await?;
    program::run(&session, &arguments.sql, arguments.output).await
}
