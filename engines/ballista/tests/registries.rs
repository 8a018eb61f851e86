//! The functions in the registries of scheduler, executor and client.

use datafusion::execution::FunctionRegistry;
use simdpct_ballista::{connect, function_registry, session_config, session_state};

fn names() -> Vec<String> {
    simdpct_datafusion::functions().iter().map(|function| function.name().to_owned()).collect()
}

fn spark_names() -> Vec<String> {
    simdpct_datafusion::spark_functions().iter().map(|function| function.name().to_owned()).collect()
}

#[test]
fn scheduler_and_executor_have_all_functions() {
    let (scheduler, executor) = (session_state(session_config()).unwrap(), function_registry());
    for name in [names(), spark_names()].concat() {
        assert!(scheduler.udf(&name).is_ok(), "{name}");
        assert!(executor.udf(&name).is_ok(), "{name}");
    }
}

#[test]
fn executor_has_all_functions_of_scheduler() {
    let (scheduler, executor) = (session_state(session_config()).unwrap(), function_registry());
    for name in scheduler.scalar_functions().keys() {
        // The registry knows each function by its name, not by its aliases, because plans have only
        // names.
        let name = scheduler.udf(name).unwrap().name().to_owned();
        assert!(executor.udf(&name).is_ok(), "{name}");
    }
}

#[test]
fn client_has_spark_functions_on_request() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _guard = runtime.enter();
    let mut session = connect("127.0.0.1:1".parse().unwrap(), session_config()).unwrap();
    for name in names() {
        assert!(session.udf(&name).is_ok(), "{name}");
    }
    for name in spark_names() {
        assert!(session.udf(&name).is_err(), "{name}");
    }
    simdpct_datafusion::register_spark_functions(&mut session).unwrap();
    for name in spark_names() {
        assert!(session.udf(&name).is_ok(), "{name}");
    }
}

#[test]
fn adaptive_planning_is_off_until_set() {
    let enabled = |config: &datafusion::prelude::SessionConfig| {
        config
            .options()
            .entries()
            .into_iter()
            .find(|entry| entry.key == "ballista.planner.adaptive.enabled")
            .unwrap()
            .value
    };
    let mut config = session_config();
    assert_eq!(enabled(&config).as_deref(), Some("false"));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _guard = runtime.enter();
    let session = connect("127.0.0.1:1".parse().unwrap(), config.clone()).unwrap();
    assert_eq!(enabled(&session.copied_config()).as_deref(), Some("false"));
    config.options_mut().set("ballista.planner.adaptive.enabled", "true").unwrap();
    let session = connect("127.0.0.1:1".parse().unwrap(), config).unwrap();
    assert_eq!(enabled(&session.copied_config()).as_deref(), Some("true"));
}
