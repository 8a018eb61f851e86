//! `simdpct-ballista query`.

use std::time::{Duration, Instant};

use simdpct_datafusion::program::{self, Failure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::cli::Query;
use crate::{Endpoint, connect, session_config, tidy};

/// How often the scheduler is asked for executors during a query.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// Runs the query, and watches that an executor is registered.
pub(crate) async fn run(options: Query) -> Result<(), Failure> {
    let patience = Duration::from_secs(options.wait);
    let limit = async {
        match options.timeout {
            Some(seconds) => sleep(Duration::from_secs(seconds)).await,
            None => std::future::pending().await,
        }
    };
    let done = async {
        wait_for_executor(&options.scheduler, patience).await?;
        tokio::select! {
            result = query(&options) => match result {
                Err(Failure::Query(message)) => Err(scheduler_lost(&options.scheduler, message).await),
                result => result,
            },
            failure = executors_gone(&options.scheduler, patience) => Err(failure),
        }
    };
    tokio::select! {
        result = done => result.map_err(|failure| match failure {
            Failure::Query(message) => Failure::Query(tidy(&message)),
            failure @ Failure::Output(_) => failure,
        }),
        () = limit => Err(Failure::Query(format!("no result within {} s", options.timeout.unwrap_or_default()))),
    }
}

async fn query(options: &Query) -> Result<(), Failure> {
    let mut config = session_config();
    for (key, value) in &options.config {
        config.options_mut().set(key, value)?;
    }
    let mut session = connect(options.scheduler.clone(), config)?;
    if options.spark {
        simdpct_datafusion::register_spark_functions(&mut session)?;
    }
    program::register_files(&session, &options.files).await?;
    program::run(&session, &options.sql, options.output).await
}

/// Makes the failure of a query with this message. If the scheduler is gone, the message only tells
/// of a broken connection, so the failure names the scheduler.
async fn scheduler_lost(scheduler: &Endpoint, message: String) -> Failure {
    Failure::Query(match ask(scheduler).await {
        Answer::Silent(error) => format!("lost the scheduler at {scheduler}: {error}"),
        Answer::Ready | Answer::NoExecutor => message,
    })
}

/// The scheduler's answer about its executors.
enum Answer {
    Ready,
    NoExecutor,
    /// No scheduler answers, for this reason.
    Silent(String),
}

impl Answer {
    /// Why no query can run.
    fn failure(self, scheduler: &Endpoint, patience: Duration) -> Failure {
        let seconds = patience.as_secs();
        Failure::Query(match self {
            Self::Silent(error) => format!("cannot reach the scheduler at {scheduler}: {error}"),
            Self::NoExecutor | Self::Ready => {
                format!("the scheduler at {scheduler} has had no executor for {seconds} s")
            }
        })
    }
}

/// Returns when an executor is registered. Fails after `patience`, and immediately if nothing
/// listens.
async fn wait_for_executor(scheduler: &Endpoint, patience: Duration) -> Result<(), Failure> {
    let start = Instant::now();
    loop {
        match ask(scheduler).await {
            Answer::Ready => return Ok(()),
            silent @ Answer::Silent(_) => return Err(silent.failure(scheduler, patience)),
            answer @ Answer::NoExecutor if start.elapsed() >= patience => {
                return Err(answer.failure(scheduler, patience));
            }
            Answer::NoExecutor => sleep(Duration::from_millis(200)).await,
        }
    }
}

/// Returns when there has been no executor, or no scheduler, for `patience`. Ballista itself
/// reports the loss only to queries that had begun before it. Other queries would wait forever.
async fn executors_gone(scheduler: &Endpoint, patience: Duration) -> Failure {
    let mut last_ready = Instant::now();
    loop {
        sleep(WATCH_INTERVAL).await;
        match ask(scheduler).await {
            Answer::Ready => last_ready = Instant::now(),
            answer if last_ready.elapsed() >= patience => return answer.failure(scheduler, patience),
            Answer::NoExecutor | Answer::Silent(_) => {}
        }
    }
}

/// Asks the scheduler's probe of readiness.
async fn ask(scheduler: &Endpoint) -> Answer {
    let answer = timeout(Duration::from_secs(5), status_line(scheduler)).await;
    match answer {
        Ok(Ok(line)) if line.starts_with("HTTP/1.1 200") => Answer::Ready,
        Ok(Ok(line)) if line.starts_with("HTTP/1.1 503") => Answer::NoExecutor,
        Ok(Ok(_)) => Answer::Silent("no scheduler of Ballista 55 answers there".to_owned()),
        Ok(Err(error)) => Answer::Silent(error.to_string()),
        Err(_) => Answer::Silent("no answer within 5 s".to_owned()),
    }
}

async fn status_line(scheduler: &Endpoint) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(scheduler.to_string()).await?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {scheduler}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(4096).read_to_end(&mut answer).await?;
    let line = answer.split(|&byte| byte == b'\r').next().unwrap_or_default();
    Ok(String::from_utf8_lossy(line).into_owned())
}
