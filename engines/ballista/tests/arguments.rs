//! Arguments of the program.

use std::net::{IpAddr, Ipv4Addr};

use clap::{CommandFactory, Parser};
use log::LevelFilter;
use simdpct_ballista::Endpoint;
use simdpct_ballista::cli::{Arguments, Executor, Query, Role, Scheduler, Scheduling};
use simdpct_datafusion::program::Output;

fn parse(arguments: &[&str]) -> Result<Role, String> {
    Arguments::try_parse_from([&["simdpct-ballista"], arguments].concat())
        .map(|arguments| arguments.role)
        .map_err(|error| error.to_string())
}

fn scheduler(arguments: &[&str]) -> Scheduler {
    match parse(&[&["scheduler"], arguments].concat()) {
        Ok(Role::Scheduler(options)) => options,
        other => panic!("{other:?}"),
    }
}

fn executor(arguments: &[&str]) -> Executor {
    match parse(&[&["executor"], arguments].concat()) {
        Ok(Role::Executor(options)) => options,
        other => panic!("{other:?}"),
    }
}

fn query(arguments: &[&str]) -> Query {
    match parse(&[&["query"], arguments].concat()) {
        Ok(Role::Query(options)) => options,
        other => panic!("{other:?}"),
    }
}

#[test]
fn arguments_are_consistent() {
    Arguments::command().debug_assert();
}

#[test]
fn defaults_are_loopback_and_recover_within_a_minute() {
    let options = scheduler(&[]);
    assert_eq!(options.network.bind, IpAddr::V4(Ipv4Addr::LOCALHOST));
    assert_eq!((options.port, options.scheduling), (50050, Scheduling::Pull));
    assert_eq!((options.executor_timeout, options.check_interval, options.grace), (30, 5, None));
    assert_eq!((options.task_failures, options.stage_failures, options.keep_results), (4, 4, 300));
    assert!(!options.proxy_results);
    assert_eq!(options.log, LevelFilter::Info);

    let options = executor(&[]);
    assert_eq!(options.network.bind, IpAddr::V4(Ipv4Addr::LOCALHOST));
    assert_eq!(options.scheduler, Endpoint { host: "127.0.0.1".to_owned(), port: 50050 });
    assert_eq!((options.port, options.grpc_port, options.tasks, options.memory), (50051, 0, 0, None));
    assert_eq!((options.heartbeat, options.connect_timeout, options.drain, options.keep_work), (5, 30, 30, 86_400));
    assert_eq!((options.work_dir, options.network.external_host), (None, None));

    let options = query(&["select 1"]);
    assert_eq!((options.sql.as_str(), options.files.len(), options.output), ("select 1", 0, Output::Table));
    assert_eq!((options.wait, options.timeout, options.spark, options.log), (90, None, false, LevelFilter::Off));
}

#[test]
fn all_options_are_taken() {
    let options = scheduler(&[
        "--bind=0.0.0.0",
        "--external-host=s.internal",
        "--port=0",
        "--scheduling=push",
        "--executor-timeout=8",
        "--check-interval=2",
        "--grace=0",
        "--keep-results=0",
        "--task-failures=1",
        "--stage-failures=2",
        "--proxy-results",
        "--log=debug",
    ]);
    assert!(options.network.bind.is_unspecified());
    assert_eq!(options.network.external_host.as_deref(), Some("s.internal"));
    assert_eq!((options.port, options.scheduling), (0, Scheduling::Push));
    assert_eq!((options.executor_timeout, options.check_interval, options.grace), (8, 2, Some(0)));
    assert_eq!((options.keep_results, options.task_failures, options.stage_failures), (0, 1, 2));
    assert!(options.proxy_results);
    assert_eq!(options.log, LevelFilter::Debug);

    let options = executor(&["--scheduler=s.internal:1", "--tasks=3", "--memory=8G", "--work-dir=/w", "--heartbeat=2"]);
    assert_eq!(options.scheduler.to_string(), "s.internal:1");
    assert_eq!((options.tasks, options.memory, options.heartbeat), (3, Some(8 << 30), 2));
    assert_eq!(options.work_dir.as_deref(), Some(std::path::Path::new("/w")));

    let options =
        query(&["-o", "jsonl", "-c", "a.b=c=d", "--timeout", "9", "--wait=1", "--spark", "select 1", "f", "g"]);
    assert_eq!((options.output, options.timeout, options.wait, options.spark), (Output::Jsonl, Some(9), 1, true));
    assert_eq!(options.config, [("a.b".to_owned(), "c=d".to_owned())]);
    assert_eq!(options.files, ["f", "g"]);
}

#[test]
fn wrong_arguments_are_explained() {
    let failures: [(&[&str], &str); 13] = [
        (&["frobnicate"], "unrecognized subcommand 'frobnicate'"),
        (&["scheduler", "--bind=localhost"], "invalid IP address"),
        (&["scheduler", "--port=65536"], "65536 is not in 0..=65535"),
        (&["scheduler", "--executor-timeout=5"], "5 is not in 6.."),
        (&["scheduler", "--check-interval=0"], "0 is not in 1.."),
        (&["scheduler", "--task-failures=0"], "expected a number from 1"),
        (&["scheduler", "--scheduling=other"], "[possible values: pull, push]"),
        (&["executor", "--memory=8X"], "invalid size '8X': expected a number of bytes, such as 512M or 8G"),
        (&["executor", "--scheduler=:1"], "invalid address ':1': expected HOST, HOST:PORT or [IPV6]:PORT"),
        (&["executor", "--log=loud"], "--log <LEVEL>"),
        (&["query"], "<SQL>"),
        (&["query", "-o", "xml", "select 1"], "invalid output 'xml': expected table, csv or jsonl"),
        (&["query", "-c", "key", "select 1"], "invalid option 'key': expected KEY=VALUE"),
    ];
    for (arguments, expected) in failures {
        let message = parse(arguments).expect_err(&arguments.join(" "));
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn sizes_have_units_of_1024() {
    let memory =
        |size: &str| parse(&["executor", "--memory", size]).map(|_| executor(&["--memory", size]).memory.unwrap());
    for (text, bytes) in
        [("0", 0), ("7", 7), ("7B", 7), ("3K", 3 << 10), ("3KiB", 3 << 10), ("5M", 5 << 20), ("2T", 2 << 40)]
    {
        assert_eq!(memory(text), Ok(bytes), "{text}");
    }
    for text in ["", "G", "-1", "1.5G", "1g", "18446744073709551616", "99999999T"] {
        assert!(memory(text).is_err(), "{text}");
    }
}

#[test]
fn addresses_have_default_port_and_brackets() {
    for (text, host, port) in [
        ("a", "a", 50050),
        ("a.b-c_d:1", "a.b-c_d", 1),
        ("10.0.0.1", "10.0.0.1", 50050),
        ("[::1]", "[::1]", 50050),
        ("[fe80::2]:65535", "[fe80::2]", 65535),
    ] {
        assert_eq!(text.parse(), Ok(Endpoint { host: host.to_owned(), port }), "{text}");
    }
    for text in
        ["", ":1", "a:", "a:0", "a:65536", "a:b", "::1", "[::1", "[a]", "[::1]1", "a/b", "http://a", "a b", "a\r\n"]
    {
        assert!(text.parse::<Endpoint>().is_err(), "{text}");
    }
}
