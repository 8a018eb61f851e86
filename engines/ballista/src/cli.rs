//! Arguments of `simdpct-ballista`.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use ballista_core::config::TaskSchedulingPolicy;
use clap::builder::Styles;
use clap::{Args, Parser, Subcommand, ValueEnum};
use log::{LevelFilter, warn};
use simdpct_datafusion::program::{self, Output};

use crate::Endpoint;

/// SQL over files on several machines, with functions for percent-encoding and URLs.
///
/// A cluster of Apache Ballista 55 is one scheduler and any number of executors. Queries are sent
/// to the scheduler, which gives a task for each part of the data to the executors. All see the
/// files under the same paths.
///
/// There is no authentication and no encryption: whoever reaches the port of a scheduler or
/// executor can read every file that the process can read. docs/cluster.md has more.
#[derive(Debug, Parser)]
#[command(name = "simdpct-ballista", version, styles = Styles::plain(), arg_required_else_help = true)]
pub struct Arguments {
    /// What to run.
    #[command(subcommand)]
    pub role: Role,
}

/// What to run.
#[derive(Debug, Subcommand)]
pub enum Role {
    Scheduler(Scheduler),
    Executor(Executor),
    Query(Query),
}

/// How a server is reached.
#[derive(Args, Debug)]
pub struct Network {
    /// Address to listen on; 0.0.0.0 for all
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub bind: IpAddr,

    /// Name or address under which others reach this server [default: the address they see]
    #[arg(long, value_name = "HOST")]
    pub external_host: Option<String>,
}

impl Network {
    /// Warns if other machines can reach this server: Ballista has no authentication.
    pub(crate) fn warn_if_exposed(&self) {
        if !self.bind.is_loopback() {
            warn!(
                "listening beyond this machine, on {}: there is no authentication and no encryption, so whoever reaches \
                 the port can read every file that this process can read; docs/cluster.md says how to restrict access",
                self.bind
            );
        }
    }

    /// The address to listen on, in the form that Ballista needs before a port.
    pub(crate) fn bind_host(&self) -> String {
        match self.bind {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        }
    }
}

/// How executors get their tasks.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Scheduling {
    /// Executors ask the scheduler, which need not reach them
    Pull,
    /// The scheduler sends tasks to a second port of the executors
    Push,
}

impl From<Scheduling> for TaskSchedulingPolicy {
    fn from(scheduling: Scheduling) -> Self {
        match scheduling {
            Scheduling::Pull => Self::PullStaged,
            Scheduling::Push => Self::PushStaged,
        }
    }
}

/// Plan queries and give their tasks to executors.
///
/// Prints 'scheduler listening on IP:PORT', and serves until SIGTERM or ctrl-c. GET /readyz on the
/// same port is answered by 200 if there is an executor.
#[derive(Args, Debug)]
pub struct Scheduler {
    #[command(flatten)]
    pub network: Network,

    /// Port to listen on; 0 for a free one
    #[arg(long, default_value_t = Endpoint::DEFAULT_PORT)]
    pub port: u16,

    /// How executors get their tasks; theirs must be the same
    #[arg(long, value_enum, default_value = "pull")]
    pub scheduling: Scheduling,

    /// Seconds without a heartbeat after which an executor counts as lost. A busy executor sends
    /// one every 5 s, or with --scheduling push every --heartbeat seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(6..))]
    pub executor_timeout: u64,

    /// Seconds between checks for lost executors
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    pub check_interval: u64,

    /// Seconds without any executor after which running queries fail [default: --executor-timeout]
    #[arg(long, value_name = "SECONDS")]
    pub grace: Option<u64>,

    /// Seconds for which executors keep results for clients to fetch; 0: until --keep-work of the
    /// executor
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub keep_results: u64,

    /// Attempts at a task that fails for a reason that may pass
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = count)]
    pub task_failures: usize,

    /// Attempts at a stage whose input was lost
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = count)]
    pub stage_failures: usize,

    /// Pass results on to clients that cannot reach executors
    #[arg(long)]
    pub proxy_results: bool,

    /// Messages to print on standard error: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub log: LevelFilter,
}

/// Run tasks of a scheduler's queries.
///
/// Prints 'executor ID listening on IP:PORT', and serves until SIGTERM or ctrl-c. Other executors
/// and clients fetch results from this port.
#[derive(Args, Debug)]
pub struct Executor {
    /// Address of the scheduler, HOST or HOST:PORT
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50050")]
    pub scheduler: Endpoint,

    #[command(flatten)]
    pub network: Network,

    /// Port to listen on; 0 for a free one
    #[arg(long, default_value_t = 50051)]
    pub port: u16,

    /// Port for tasks, with --scheduling push; 0 for a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub grpc_port: u16,

    /// How to get tasks; the scheduler's must be the same
    #[arg(long, value_enum, default_value = "pull")]
    pub scheduling: Scheduling,

    /// Tasks at a time; 0: one for each core
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub tasks: usize,

    /// Memory for sorting, grouping and joining, such as 8G; beyond that, disk is used. 0: no limit
    /// [default: 70 % of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub memory: Option<u64>,

    /// Folder for intermediate results; in it, the executor makes one of its own [default: that for
    /// temporary files]
    #[arg(long, value_name = "FOLDER")]
    pub work_dir: Option<PathBuf>,

    /// Seconds after which intermediate results of abandoned queries are deleted
    #[arg(long, value_name = "SECONDS", default_value_t = 86_400, value_parser = clap::value_parser!(u64).range(1..))]
    pub keep_work: u64,

    /// Seconds to wait for the scheduler at the start
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub connect_timeout: u64,

    /// Seconds between heartbeats, with --scheduling push. Three should fit in --executor-timeout
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    pub heartbeat: u64,

    /// Seconds after a signal after which tasks are abandoned
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub drain: u64,

    /// Messages to print on standard error: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub log: LevelFilter,
}

/// Run SQL in a cluster and print the result.
///
/// Each file or folder is a table, named after it without extensions; the first is also the table
/// t. The executors read them, so they must have them under the same path. Formats, by extension:
/// .parquet; .csv, .tsv, .json, .jsonl and .ndjson, also compressed (.gz, .bz2, .xz, .zst).
///
/// Exit code: 0 on success, 1 if the query fails, 2 for wrong arguments.
#[derive(Args, Debug)]
pub struct Query {
    /// The SQL; several statements are separated by ';'
    pub sql: String,

    /// Files and folders to read
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,

    /// Address of the scheduler, HOST or HOST:PORT
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50050")]
    pub scheduler: Endpoint,

    /// Format of the result: table, csv or jsonl
    #[arg(short, long, value_name = "FORMAT", default_value_t)]
    pub output: Output,

    /// Set an option of DataFusion or Ballista, such as datafusion.execution.target_partitions=64
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = program::setting)]
    pub config: Vec<(String, String)>,

    /// Add Spark's url_decode, try_url_decode and url_encode
    #[arg(long)]
    pub spark: bool,

    /// Seconds without any executor after which to give up
    #[arg(long, value_name = "SECONDS", default_value_t = 90)]
    pub wait: u64,

    /// Seconds after which to give up in any case [default: none]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,

    /// Messages to print on standard error: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "off")]
    pub log: LevelFilter,
}

/// A number of bytes: `4096`, or with a unit of 1024, `8G` or `8GiB`.
fn size(text: &str) -> Result<u64, String> {
    let invalid = || format!("invalid size '{text}': expected a number of bytes, such as 512M or 8G");
    let digits = text.len() - text.trim_start_matches(|character: char| character.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(invalid()),
    };
    number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift)).ok_or_else(invalid)
}

/// A positive number.
fn count(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&count| count > 0).ok_or_else(|| "expected a number from 1".to_owned())
}
