//! An executor of Ballista without the functions of `simdpct-ballista`, for engines/ballista/check.
//!
//! usage: plain_executor SCHEDULER_PORT PORT WORK_DIR

use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, scheduler_port, port, work_dir] = &arguments[..] else {
        panic!("usage: plain_executor SCHEDULER_PORT PORT WORK_DIR");
    };
    let config = ExecutorProcessConfig {
        scheduler_host: "127.0.0.1".to_owned(),
        scheduler_port: scheduler_port.parse().unwrap(),
        port: port.parse().unwrap(),
        vcores: 1,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(work_dir.clone()),
        ..ExecutorProcessConfig::default()
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().thread_stack_size(32 << 20).enable_all().build().unwrap();
    runtime.block_on(start_executor_process(Arc::new(config))).unwrap();
}
