//! The program `simdpct-ballista` as a process, without a cluster.

use std::net::TcpListener;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_simdpct-ballista")).args(arguments).output().unwrap()
}

/// The exit code and standard error of a run.
fn failure(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(arguments);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// An address at which nothing listens.
fn closed() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

#[test]
fn help_has_all_roles_and_says_what_is_not_secured() {
    let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
    for expected in ["scheduler", "executor", "query", "no authentication"] {
        assert!(help.contains(expected), "{expected}: {help}");
    }
    for role in ["scheduler", "executor", "query"] {
        let output = run(&[role, "--help"]);
        assert!(output.status.success());
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains("Usage: simdpct-ballista"), "{help}");
        assert_eq!(help.lines().find(|line| line.len() > 100), None);
    }
    assert!(run(&["--version"]).stdout.starts_with(b"simdpct-ballista "));
}

#[test]
fn wrong_arguments_are_code_2() {
    assert_eq!(failure(&[]).0, Some(2));
    assert_eq!(failure(&["query"]).0, Some(2));
    assert_eq!(failure(&["scheduler", "--port=x"]).0, Some(2));
}

#[test]
fn missing_scheduler_is_an_error_at_once() {
    let address = closed();
    for role in [
        &["query", "--scheduler", &address, "select 1"][..],
        &["executor", "--log=off", "--port=0", "--connect-timeout=0", "--scheduler", &address],
    ] {
        let start = Instant::now();
        let (code, message) = failure(role);
        assert_eq!(code, Some(1), "{message}");
        let expected = format!("simdpct-ballista {}: cannot reach the scheduler at {address}: ", role[0]);
        assert!(message.starts_with(&expected) && message.trim_end().lines().count() == 1, "{message}");
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn taken_port_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    for role in ["scheduler", "executor"] {
        let (code, message) = failure(&[role, "--log=off", "--port", &port]);
        assert_eq!(code, Some(1), "{message}");
        let expected = format!("simdpct-ballista {role}: cannot listen on 127.0.0.1:{port}: ");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn push_needs_an_address_that_executors_reach() {
    let (code, message) = failure(&["scheduler", "--bind=0.0.0.0", "--port=0", "--scheduling=push"]);
    assert_eq!(code, Some(1));
    assert!(message.contains("--external-host is needed"), "{message}");
}

/// The warning comes before the error, which ends the program.
#[test]
fn listening_beyond_this_machine_is_a_warning_that_names_the_missing_authentication() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    for role in ["scheduler", "executor"] {
        for (bind, is_exposed) in [("0.0.0.0", true), ("127.0.0.1", false)] {
            let (code, message) = failure(&[role, "--bind", bind, "--port", &port]);
            assert_eq!(code, Some(1), "{message}");
            assert_eq!(message.contains("no authentication"), is_exposed, "{role} {bind}: {message}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn intermediate_results_in_memory_are_a_warning() {
    let address = closed();
    for (folder, is_in_memory) in [("/dev/shm", true), (env!("CARGO_TARGET_TMPDIR"), false)] {
        let arguments = ["executor", "--port=0", "--connect-timeout=0", "--work-dir", folder, "--scheduler", &address];
        let (code, message) = failure(&arguments);
        assert_eq!(code, Some(1), "{message}");
        assert_eq!(message.contains("take memory"), is_in_memory, "{folder}: {message}");
    }
}
