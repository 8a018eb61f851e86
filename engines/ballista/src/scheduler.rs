//! `simdpct-ballista scheduler`.

use std::net::SocketAddr;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use log::info;
use simdpct_datafusion::program::Failure;
use tokio::net::TcpListener;

use crate::announce::announce;
use crate::cli::{Scheduler, Scheduling};
use crate::{session_config, session_state, signal};

/// Serves until a signal.
pub(crate) async fn run(options: Scheduler) -> Result<(), Failure> {
    let Scheduler { network, scheduling, .. } = &options;
    let external_host = match &network.external_host {
        Some(host) => host.clone(),
        None if *scheduling == Scheduling::Push && network.bind.is_unspecified() => {
            return Err(Failure::Query(
                "executors cannot connect to an unspecified address: --external-host is needed".to_owned(),
            ));
        }
        None => network.bind_host(),
    };
    network.warn_if_exposed();
    let listener = TcpListener::bind(SocketAddr::new(network.bind, options.port)).await.map_err(|error| {
        Failure::Query(format!("cannot listen on {}:{}: {error}", network.bind_host(), options.port))
    })?;
    let address = listener.local_addr()?;
    let config = SchedulerConfig {
        external_host,
        bind_host: network.bind_host(),
        bind_port: address.port(),
        scheduling_policy: TaskSchedulingPolicy::from(*scheduling),
        task_distribution: TaskDistributionPolicy::RoundRobin,
        executor_timeout_seconds: options.executor_timeout,
        expire_dead_executor_interval_seconds: options.check_interval,
        no_executors_grace_period_seconds: options.grace.unwrap_or(options.executor_timeout),
        finished_job_data_clean_up_interval_seconds: options.keep_results,
        task_max_failures: options.task_failures,
        stage_max_failures: options.stage_failures,
        enable_embedded_flight_proxy: options.proxy_results,
        override_config_producer: Some(Arc::new(session_config)),
        override_session_builder: Some(Arc::new(session_state)),
        ..SchedulerConfig::default()
    };
    let failed = |error| Failure::Query(format!("cannot start: {error}"));
    config.validate().map_err(failed)?;
    let cluster = BallistaCluster::new_from_config(&config).await.map_err(failed)?;
    let scheduler =
        create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, Arc::new(config)).await.map_err(failed)?;
    announce(&format!("scheduler listening on {address}"))?;
    tokio::select! {
        result = start_grpc_service_with_listener(listener, scheduler) => {
            result.map_err(|error| Failure::Query(format!("stopped: {error}")))
        }
        result = signal::stopped() => {
            info!("stopped by a signal");
            result.map_err(|error| Failure::Query(format!("cannot wait for signals: {error}")))
        }
    }
}
