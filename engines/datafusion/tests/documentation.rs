//! The examples of the SQL documentation give the results that they show.

use super::common::{query, session, values};
use datafusion::arrow::util::pretty::pretty_format_batches;

#[test]
fn example_of_each_function_gives_its_result() {
    let session = session();
    let functions = simdpct_datafusion::functions().into_iter().chain(simdpct_datafusion::spark_functions());
    for function in functions {
        let documentation = function.documentation().unwrap();
        let example = documentation.sql_example.as_deref().unwrap();
        let example = example.trim_start_matches("```sql\n> ").trim_end_matches("\n```");
        let (sql, table) = example.split_once(";\n").unwrap();
        let rows = query(&session, sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(pretty_format_batches(&rows).unwrap().to_string(), table, "{sql}");
        assert!(sql.contains(&format!("{}(", function.name())), "{sql}");
        assert!(documentation.syntax_example.starts_with(&format!("{}(", function.name())));
    }
}

#[test]
fn related_function_exists() {
    let session = session();
    for function in simdpct_datafusion::functions().into_iter().chain(simdpct_datafusion::spark_functions()) {
        for related in function.documentation().unwrap().related_udfs.iter().flatten() {
            let sql = format!("select count(*) > 0 from information_schema.routines where routine_name = '{related}'");
            assert_eq!(values(&session, &sql), [Some("true".to_owned())], "{related}");
        }
    }
}
