//! `simdpct-ballista executor`.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ballista_core::config::TaskSchedulingPolicy;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use log::{info, warn};
use simdpct_datafusion::program::Failure;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::announce::announce;
use crate::cli::{Executor, Network};
use crate::{Endpoint, function_registry, session_config, signal};

/// Serves until a signal. Then it finishes its tasks, for at most `--drain` seconds.
pub(crate) async fn run(options: Executor) -> Result<(), Failure> {
    let network = &options.network;
    network.warn_if_exposed();
    // Holds both ports at the same time, so that they differ.
    let (flight, grpc) = (listen(network, options.port)?, listen(network, options.grpc_port)?);
    let (port, grpc_port) = (flight.local_addr()?.port(), grpc.local_addr()?.port());
    drop((flight, grpc));
    // A private folder, deleted on return: Ballista deletes every folder that it finds in its work
    // folder.
    let folder = work_folder(&options.work_dir.unwrap_or_else(std::env::temp_dir))?;
    warn_if_in_memory(folder.path());
    let work_dir = folder.path().to_str().map(str::to_owned);
    let work_dir = work_dir.ok_or_else(|| Failure::Query(format!("{}: not UTF-8", folder.path().display())))?;

    connect(&options.scheduler, Duration::from_secs(options.connect_timeout)).await?;
    let config = ExecutorProcessConfig {
        bind_host: network.bind_host(),
        external_host: network.external_host.clone(),
        port,
        grpc_port,
        scheduler_host: options.scheduler.host.clone(),
        scheduler_port: options.scheduler.port,
        vcores: options.tasks,
        task_scheduling_policy: TaskSchedulingPolicy::from(options.scheduling),
        work_dir: Some(work_dir),
        job_data_ttl_seconds: options.keep_work,
        job_data_clean_up_interval_seconds: (options.keep_work / 4).clamp(1, 3600),
        executor_heartbeat_interval_seconds: options.heartbeat,
        memory_pool_size: options.memory,
        override_function_registry: Some(Arc::new(function_registry())),
        override_config_producer: Some(Arc::new(session_config)),
        ..ExecutorProcessConfig::default()
    };
    announce(&format!("executor {} listening on {}:{port}", config.executor_id, network.bind_host()))?;

    let stopped = tokio::spawn(signal::stopped());
    let drained = async {
        let _ = signal::stopped().await;
        sleep(Duration::from_secs(options.drain)).await;
    };
    tokio::select! {
        result = start_executor_process(Arc::new(config)) => {
            result.map_err(|error| Failure::Query(format!("stopped: {error}")))?;
            // The process does not say why it ended: it also ends if a port or the scheduler fails.
            if !stopped.is_finished() {
                return Err(Failure::Query("stopped without a signal; --log info says why".to_owned()));
            }
            info!("stopped by a signal");
        }
        () = drained => warn!("stopped by a signal {} s ago, with tasks still running", options.drain),
    }
    Ok(())
}

/// Makes a folder for intermediate results.
fn work_folder(parent: &Path) -> Result<TempDir, Failure> {
    std::fs::create_dir_all(parent)
        .and_then(|()| tempfile::Builder::new().prefix("simdpct-ballista-").tempdir_in(parent))
        .map_err(|error| Failure::Query(format!("{}: {error}", parent.display())))
}

/// Warns if a folder for intermediate results is in memory: these may be as large as the data.
#[cfg(target_os = "linux")]
fn warn_if_in_memory(folder: &Path) {
    /// The type of a tmpfs, by statfs(2).
    const TMPFS: i64 = 0x0102_1994;
    if rustix::fs::statfs(folder).is_ok_and(|system| i64::from(system.f_type) == TMPFS) {
        let folder = folder.display();
        warn!("intermediate results take memory: {folder} is on a tmpfs; name a folder on a disk by --work-dir");
    }
}

#[cfg(not(target_os = "linux"))]
fn warn_if_in_memory(_: &Path) {}

/// Listens on a port; 0 means a free port. Ballista must know the port before it listens itself.
fn listen(network: &Network, port: u16) -> Result<TcpListener, Failure> {
    TcpListener::bind(SocketAddr::new(network.bind, port))
        .map_err(|error| Failure::Query(format!("cannot listen on {}:{port}: {error}", network.bind_host())))
}

/// Waits until something listens at the scheduler's address.
async fn connect(scheduler: &Endpoint, patience: Duration) -> Result<(), Failure> {
    let start = Instant::now();
    loop {
        let connected = timeout(Duration::from_secs(5), TcpStream::connect(scheduler.to_string())).await;
        let error = match connected {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no answer".to_owned(),
        };
        if start.elapsed() >= patience {
            return Err(Failure::Query(format!("cannot reach the scheduler at {scheduler}: {error}")));
        }
        sleep(Duration::from_millis(200)).await;
    }
}
