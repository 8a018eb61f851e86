//! A cluster of Apache Ballista 55 whose SQL has the functions of [`simdpct_datafusion`]: the
//! program `simdpct-ballista`, and its parts.
//!
//! Ballista sends plans by the names of their functions. Each of its three parts must therefore
//! know them:
//!
//! | part | how it is told |
//! |---|---|
//! | scheduler | [`session_state`] as `SchedulerConfig::override_session_builder` |
//! | executor | [`function_registry`] as `ExecutorProcessConfig::override_function_registry` |
//! | client | [`connect`] |
//!
//! Programs with a scheduler or an executor of their own, for example with an object store that
//! `simdpct-ballista` does not have, use these.
//!
//! [`session_config`] turns adaptive planning off: with it, a query hangs if an executor is lost
//! after it has written files for other executors (apache/datafusion-ballista#1986).
//!
//! ```no_run
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! use datafusion::prelude::ParquetReadOptions;
//!
//! let session = simdpct_ballista::connect("127.0.0.1:50050".parse().unwrap(), simdpct_ballista::session_config())?;
//! session.register_parquet("urls", "/shared/urls/", ParquetReadOptions::default()).await?;
//! session.sql("select url_part(url, 'host'), count(*) from urls group by 1").await?.show().await?;
//! # Ok::<(), datafusion::error::DataFusionError>(())
//! # }).unwrap();
//! ```
#![forbid(unsafe_code)]

mod announce;
#[doc(hidden)]
pub mod cli;
mod endpoint;
mod executor;
mod message;
#[doc(hidden)]
pub mod program;
mod query;
mod scheduler;
mod signal;

use std::sync::Arc;

use ballista_core::extension::{SessionConfigExt, SessionStateExt, ballista_scalar_functions};
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::utils::default_session_builder;
use datafusion::error::Result;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::{SessionConfig, SessionContext};

pub use endpoint::Endpoint;
pub use message::tidy;

/// Ballista's configuration, without adaptive planning.
#[must_use]
pub fn session_config() -> SessionConfig {
    SessionConfig::new_with_ballista().with_ballista_adaptive_query_planner(false)
}

/// The session of a query in the scheduler: Ballista's, with all functions.
///
/// # Errors
///
/// Returns the error of DataFusion, if it has no temporary folder.
pub fn session_state(config: SessionConfig) -> Result<SessionState> {
    let mut state = default_session_builder(config)?;
    simdpct_datafusion::register(&mut state)?;
    simdpct_datafusion::register_spark_functions(&mut state)?;
    Ok(state)
}

/// The functions of an executor: Ballista's, and all of [`simdpct_datafusion`].
#[must_use]
pub fn function_registry() -> BallistaFunctionRegistry {
    let mut registry = BallistaFunctionRegistry::default();
    // Ballista's clients and schedulers have functions of lists too, but its executors do not.
    let functions = ballista_scalar_functions().into_iter().chain(functions());
    registry.scalar_functions.extend(functions.map(|function| (function.name().to_owned(), function)));
    registry
}

/// Makes a session whose queries run in the cluster of a scheduler. It has all functions except
/// Spark's, which [`simdpct_datafusion::register_spark_functions`] adds.
///
/// # Errors
///
/// Returns the error of DataFusion. A missing scheduler is an error of the first query, not of this
/// function.
pub fn connect(scheduler: Endpoint, config: SessionConfig) -> Result<SessionContext> {
    let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
    let state = SessionStateExt::upgrade_for_ballista(state, format!("http://{scheduler}"))?;
    let mut session = SessionContext::new_with_state(state);
    simdpct_datafusion::register(&mut session)?;
    Ok(session)
}

fn functions() -> impl Iterator<Item = Arc<ScalarUDF>> {
    simdpct_datafusion::functions().into_iter().chain(simdpct_datafusion::spark_functions())
}
