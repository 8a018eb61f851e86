//! Messages that Ballista has wrapped.

use simdpct_ballista::tidy;

/// Wraps the error of a task as Ballista does.
fn wrapped(error: &str) -> String {
    format!(
        "Execution error: Job BNT3 failed: Job failed due to stage 1 failed: Task failed due to runtime execution error: \
         DataFusionError({error})\n\n"
    )
}

#[test]
fn error_of_task_is_its_own_message() {
    let message =
        "pct_decode: 'http://e/?q=%zz': malformed percent-encoding: '%' without two hexadecimal digits at byte 12";
    assert_eq!(tidy(&wrapped(&format!("Execution({message:?})"))), message);
    assert_eq!(tidy(&wrapped(&format!("ArrowError(ExternalError(Execution({message:?})), None)"))), message);
    assert_eq!(tidy(&wrapped(&format!("Context(\"task\", Execution({message:?}))"))), message);
}

#[test]
fn value_with_quotes_is_as_in_process() {
    // The value as the function quotes it: with a quote, a backslash, a parenthesis, a line end and
    // text.
    let value: String = "%(\"a\")\\\n\u{7}é".chars().flat_map(char::escape_debug).collect();
    let message = format!("pct_decode: '{value}': malformed percent-encoding");
    let once = wrapped(&format!("Execution({message:?})"));
    assert_eq!(tidy(&once), message);
    let twice = format!(
        "Execution error: Job a failed: Task 3 in Stage 1 failed 4 times, most recent failure reason: Some({once:?})"
    );
    assert_eq!(tidy(&twice), message);
}

#[test]
fn missing_function_is_named() {
    let message = |kind| {
        wrapped(&format!("NotImplemented(\"{kind}ExtensionCodec is not provided for scalar function try_pct_decode\")"))
    };
    assert_eq!(
        tidy(&message("Physical")),
        "an executor has no function try_pct_decode: all must run simdpct-ballista of the same version"
    );
    assert_eq!(
        tidy(&message("Logical")),
        "the scheduler has no function try_pct_decode: it must run simdpct-ballista of the same version"
    );
}

#[test]
fn other_message_is_kept() {
    let lost = "Execution error: Job x failed: all executors were lost and no executor re-registered within 8s; no executors \
                remain to run the tasks for this job";
    for message in [
        lost,
        "",
        "SQL error: ParserError(\"Expected: an expression",
        "Schema error: No field named \"b\".",
        "invalid (\"text\") that is no error",
        "failed (\"no name before the parenthesis\")",
    ] {
        assert_eq!(tidy(&format!(" {message}\n")), message);
    }
}
