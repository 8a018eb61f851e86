//! Sessions, queries and results.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{SessionConfig, SessionContext};

/// A session with all functions, Spark's included.
pub fn session() -> SessionContext {
    // This batch size divides no length in the tests, so arrays are cut and sliced.
    let config = SessionConfig::new().with_target_partitions(2).with_batch_size(7).with_information_schema(true);
    let mut session = SessionContext::new_with_config(config);
    simdpct_datafusion::register(&mut session).unwrap();
    simdpct_datafusion::register_spark_functions(&mut session).unwrap();
    session
}

/// The result of a query, or the message of its error.
pub fn query(session: &SessionContext, sql: &str) -> Result<Vec<RecordBatch>, String> {
    // Plans are recursive, and unoptimized builds have large stack frames.
    let runtime = tokio::runtime::Builder::new_multi_thread().thread_stack_size(32 << 20).build().unwrap();
    let (session, sql) = (session.clone(), sql.to_owned());
    let done = runtime.spawn(async move { session.sql(&sql).await?.collect().await });
    runtime.block_on(done).unwrap().map_err(|error| error.strip_backtrace())
}

/// The values of the first column of a query, as text; null is `None`.
pub fn values(session: &SessionContext, sql: &str) -> Vec<Option<String>> {
    let batches = query(session, sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let mut values = Vec::new();
    for batch in &batches {
        let column = batch.column(0);
        let options = FormatOptions::default();
        let formatter = ArrayFormatter::try_new(column, &options).unwrap();
        let nulls = column.logical_nulls();
        values.extend((0..column.len()).map(|row| {
            nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)).then(|| formatter.value(row).to_string())
        }));
    }
    values
}

/// The value of an expression.
pub fn value(session: &SessionContext, expression: &str) -> Option<String> {
    values(session, &format!("select {expression}")).swap_remove(0)
}

/// The message of a query that fails.
pub fn error(session: &SessionContext, sql: &str) -> String {
    query(session, sql).map(|rows| pretty_format_batches(&rows).unwrap().to_string()).expect_err(sql)
}
