//! The functions in SQL over tables of every string type, with nulls, slices and dictionaries,
//! compared with the library row by row.

use std::sync::Arc;

use super::common::{error, query, session, value, values};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, DictionaryArray, Int32Array, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Int32Type, Schema};
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use simdpct::legacy::java;
use simdpct::uri::Part;
use simdpct::{Decoder, Encoder, Kinds, Malformed, Normalizer, form, uri};
use simdpct_functions::{Function, Operation, query_map};

const FORM: Decoder = Decoder::new().plus_for_space();

/// The columns with text: name and type.
fn text_columns() -> Vec<(&'static str, DataType)> {
    let dictionary = |values| DataType::Dictionary(Box::new(DataType::Int32), Box::new(values));
    vec![
        ("utf8", DataType::Utf8),
        ("large", DataType::LargeUtf8),
        ("view", DataType::Utf8View),
        ("dictionary", dictionary(DataType::Utf8)),
        ("dictionary_large", dictionary(DataType::LargeUtf8)),
        ("dictionary_view", dictionary(DataType::Utf8View)),
    ]
}

fn binary_columns() -> Vec<(&'static str, DataType)> {
    vec![("bin", DataType::Binary), ("large_bin", DataType::LargeBinary), ("bin_view", DataType::BinaryView)]
}

/// Rows of pieces, the same in every run. A quarter of the rows are null.
fn sample() -> Vec<Option<String>> {
    const PIECES: [&str; 24] = [
        "%20",
        "%C3%A9",
        "%2f",
        "%41",
        "%00",
        "%2B",
        "+",
        "é",
        "a",
        "/",
        "plain text",
        "http://u@host:80/p",
        "?q=1+2&k=%20",
        "?k=%zz",
        "#f",
        "%",
        "%4",
        "%FF",
        "%E4%BD",
        "&q=x",
        "//",
        "a long text without escapes",
        "%25",
        " ",
    ];
    let mut state = 1_u64;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut text = || (0..next(6)).map(|_| PIECES[next(24) as usize]).collect::<String>();
    (0..300).map(|number| (number % 4 != 1).then(&mut text)).collect()
}

/// A session with table `t`: `id`, `part`, and the sample as each type, in slices. The dictionaries
/// have an invalid value that no row uses.
fn sample_session() -> (SessionContext, Vec<Option<String>>) {
    let rows = sample();
    let hidden = Some("%zz hidden");
    let all: StringArray = [hidden].into_iter().chain(rows.iter().map(Option::as_deref)).chain([hidden]).collect();
    let dictionary: DictionaryArray<Int32Type> = all.iter().collect();
    let parts = ["host", "path", "query", "Path"];
    let part: StringArray = (0..all.len()).map(|row| (row % 9 != 0).then(|| parts[row / 5 % 4])).collect();
    let id: Int32Array = (0..all.len() as i32).collect();
    let mut columns: Vec<(String, ArrayRef)> = vec![("id".into(), Arc::new(id)), ("part".into(), Arc::new(part))];
    for (name, data_type) in text_columns() {
        let source: &dyn Array = if matches!(data_type, DataType::Dictionary(..)) { &dictionary } else { &all };
        columns.push((name.into(), cast(source, &data_type).unwrap()));
    }
    for (name, data_type) in binary_columns() {
        columns.push((name.into(), cast(&all, &data_type).unwrap()));
    }
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(name, array.data_type().clone(), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), columns.into_iter().map(|(_, array)| array).collect()).unwrap();
    let batches = vec![batch.slice(1, 100), batch.slice(101, 77), batch.slice(178, 0), batch.slice(178, 123)];
    let session = session();
    session.register_table("t", Arc::new(MemTable::try_new(schema, vec![batches]).unwrap())).unwrap();
    (session, rows)
}

type OfText<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Compares an expression, in which `$` is the column, with a function of its rows.
fn compare(expression: &str, expected: OfText<'_>, keeps_type: bool) {
    let (session, rows) = sample_session();
    let expected: Vec<_> = rows.iter().map(|row| expected(row.as_ref()?)).collect();
    for (column, data_type) in text_columns() {
        let expression = expression.replace('$', column);
        let sql = format!("select {expression} as result from t order by id");
        assert_eq!(values(&session, &sql), expected, "{sql}");
        if keeps_type {
            let batches = query(&session, &sql).unwrap();
            assert_eq!(batches[0].column(0).data_type(), &data_type, "{sql}");
        }
        // Also in a filter, which leaves only some rows.
        let sql = format!("select count(*) from t where {expression} is null");
        let nulls = expected.iter().filter(|value| value.is_none()).count();
        assert_eq!(values(&session, &sql), [Some(nulls.to_string())], "{sql}");
    }
}

#[test]
fn try_functions_are_null_for_invalid_rows() {
    compare("try_pct_decode($)", &|row| simdpct::decode_utf8(row).ok().map(Into::into), true);
    compare("try_form_decode($)", &|row| FORM.decode_utf8(row).ok().map(Into::into), true);
}

#[test]
fn strict_functions_decode_valid_rows() {
    let is_valid = "case when try_pct_decode($) is not null then pct_decode($) end";
    compare(is_valid, &|row| simdpct::decode_utf8(row).ok().map(Into::into), false);
    let is_valid = "case when try_form_decode($) is not null then form_decode($) end";
    compare(is_valid, &|row| FORM.decode_utf8(row).ok().map(Into::into), false);
}

#[test]
fn lossy_functions_decode_all_rows() {
    compare("pct_decode_lossy($)", &|row| Some(simdpct::decode_utf8_lossy(row).into()), true);
    compare("form_decode_lossy($)", &|row| FORM.lenient().decode_utf8_lossy(row).ok().map(Into::into), true);
}

#[test]
fn encoding_is_that_of_set() {
    compare("pct_encode($)", &|row| Some(simdpct::encode(row).into()), true);
    compare("pct_encode($, 'path')", &|row| Some(Encoder::PATH.encode(row).into()), true);
    compare("pct_encode($, arrow_cast('uri', 'Utf8View'))", &|row| Some(Encoder::URI.encode(row).into()), true);
    let keeping = Encoder::new(simdpct::sets::COMPONENT.without(b'/').without(b' '));
    compare("pct_encode($, '/ ')", &|row| Some(keeping.encode(row).into()), true);
    compare("form_encode($)", &|row| Some(Encoder::FORM.encode(row).into()), true);
    compare("url_encode($)", &|row| Some(Encoder::FORM.encode(row).into()), true);
}

#[test]
fn urls_are_normalized_and_repaired() {
    let keeping = Normalizer::new().malformed(Malformed::Keep);
    compare("pct_normalize($)", &|row| Some(keeping.normalize(row).unwrap().into()), true);
    compare("url_repair($)", &|row| Some(uri::repair(row).into()), true);
}

#[test]
fn parts_and_query_values_are_those_of_url() {
    compare("url_part($, 'path')", &|row| Some(uri::split(row).path.into()), true);
    compare("url_part($, 'QUERY')", &|row| uri::split(row).query.map(Into::into), true);
    let value = |row: &str| form::parse_lossy(uri::split(row).query?).get("q").map(Into::into);
    compare("url_query_value($, 'q')", &value, true);
}

#[test]
fn findings_are_bits_names_and_booleans() {
    let kinds = |row: &str| simdpct::inspect(row).kinds();
    compare("url_findings($)", &|row| Some(kinds(row).bits().to_string()), false);
    let names = |row: &str| Some(format!("[{}]", kinds(row).names().collect::<Vec<_>>().join(", ")));
    compare("url_finding_names(url_findings($))", &names, false);
    let wanted: Kinds = simdpct::Kinds::NUL | simdpct::Kinds::MALFORMED;
    compare("url_has($, 'nul, malformed')", &|row| Some(kinds(row).intersects(wanted).to_string()), false);
}

#[test]
fn functions_of_urls_are_those_of_rows() {
    for (function, option) in [
        ("url_normalize", None),
        ("url_normalize", Some("sort-query, drop-query:q")),
        ("url_domain", None),
        ("url_join", Some("../b?c")),
        ("url_cut", Some("key:q,fragment")),
        ("url_path_canonical", Some("rfc3986")),
        ("url_part", Some("file")),
    ] {
        let operation = Function::from_name(function).unwrap().operation(option).unwrap();
        let Operation::Map(mapping) = operation else { unreachable!("{function} maps") };
        let argument = option.map(|option| format!(", '{option}'")).unwrap_or_default();
        compare(&format!("{function}(${argument})"), &|row| mapping.of(row).map(Into::into), true);
    }
    let count = |row: &str| Some(query_map(row).len().to_string());
    compare("cardinality(url_query_map($))", &count, false);
    compare("coalesce(array_length(url_query_keys($)), case when $ is not null then 0 end)", &count, false);
    let of_q =
        |row: &str| query_map(row).into_iter().find(|(name, _)| name == "q").map(|(_, value)| value.into_owned());
    compare("map_extract(url_query_map($), 'q')[1]", &of_q, false);
    for &part in Part::ALL {
        compare(&format!("url_parts($)['{part}']"), &|row| uri::part(row, part).map(str::to_owned), false);
    }
}

#[test]
fn option_of_column_is_that_of_row() {
    let (session, rows) = sample_session();
    let parts = values(&session, "select part from t order by id");
    let expected: Vec<_> = rows
        .iter()
        .zip(parts)
        .map(|(row, part)| match part?.as_str() {
            "host" => value(&session, &format!("url_part('{}', 'host')", row.as_ref()?)),
            "query" => uri::split(row.as_ref()?).query.map(str::to_owned),
            _ => Some(uri::split(row.as_ref()?).path.to_owned()),
        })
        .collect();
    for (column, _) in text_columns() {
        assert_eq!(
            values(&session, &format!("select url_part({column}, part) from t order by id")),
            expected,
            "{column}"
        );
    }
    // A constant value and a column of options.
    let hosts =
        values(&session, "select url_part('//h/p?q', part) from t where part is null or part = 'host' order by id");
    assert!(hosts.iter().all(|host| host.is_none() || host.as_deref() == Some("h")));
    assert!(hosts.contains(&None) && hosts.len() > 50);
    assert_eq!(values(&session, "select url_part(utf8, part) from t where id < 0"), []);
}

/// A table `t` with a row for each line of the real texts. `None` if the texts are not there.
fn corpus_session() -> Option<(SessionContext, Vec<String>)> {
    let folder = std::env::var("SIMDPCT_CORPORA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpora").to_owned());
    let mut rows = Vec::new();
    for name in ["typical_urls.txt", "nonlatin_urls.txt", "resource_urls.txt", "hostile.txt"] {
        let text = std::fs::read(format!("{folder}/{name}")).ok()?;
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        // 2000 lines from all parts of the file.
        rows.extend(lines.iter().step_by(lines.len() / 2000 + 1).map(|&line| line.to_owned()));
    }
    let session = session();
    let array: ArrayRef = Arc::new(StringArray::from(rows.clone()));
    let id: Int32Array = (0..rows.len() as i32).collect();
    let batch = RecordBatch::try_from_iter([("id", Arc::new(id) as ArrayRef), ("url", array)]).unwrap();
    session.register_batch("t", batch).unwrap();
    Some((session, rows))
}

#[test]
fn real_urls_are_those_of_library() {
    let Some((session, rows)) = corpus_session() else {
        eprintln!("real_urls_are_those_of_library: skipped: no corpora");
        return;
    };
    assert!(rows.len() > 1000);
    let functions: [(&str, OfText<'_>); 8] = [
        ("try_pct_decode(url)", &|row| simdpct::decode_utf8(row).ok().map(Into::into)),
        ("pct_decode_lossy(url)", &|row| Some(simdpct::decode_utf8_lossy(row).into())),
        ("try_form_decode(url)", &|row| FORM.decode_utf8(row).ok().map(Into::into)),
        ("try_url_decode(url)", &|row| java::decode(row).ok().map(Into::into)),
        ("pct_encode(url)", &|row| Some(simdpct::encode(row).into())),
        ("url_repair(url)", &|row| Some(uri::repair(row).into())),
        ("url_part(url, 'host')", &|row| uri::part(row, uri::Part::Host).map(Into::into)),
        ("url_findings(url)", &|row| Some(simdpct::inspect(row).kinds().bits().to_string())),
    ];
    for (expression, expected) in functions {
        for cast in ["Utf8", "Utf8View", "Dictionary(Int32, Utf8)"] {
            let expression = expression.replace("url)", &format!("arrow_cast(url, '{cast}'))"));
            let expression = expression.replace("url,", &format!("arrow_cast(url, '{cast}'),"));
            let expected: Vec<_> = rows.iter().map(|row| expected(row)).collect();
            let found = values(&session, &format!("select {expression} from t order by id"));
            let first = (0..rows.len()).find(|&row| found[row] != expected[row]);
            assert_eq!(first.map(|row| (&rows[row], &found[row], &expected[row])), None, "{expression}");
        }
    }
}

#[test]
fn binary_values_are_decoded_to_bytes() {
    let (session, rows) = sample_session();
    let decoder = Decoder::new();
    for (column, data_type) in binary_columns() {
        let sql = format!("select try_pct_decode({column}) from t order by id");
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let decoded = |row: &Option<String>| decoder.decode(row.as_ref()?).ok().map(|bytes| hex(&bytes));
        assert_eq!(values(&session, &sql), rows.iter().map(decoded).collect::<Vec<_>>(), "{sql}");
        assert_eq!(query(&session, &sql).unwrap()[0].column(0).data_type(), &data_type);
    }
}

#[test]
fn scalar_keeps_its_type() {
    let session = session();
    for data_type in ["Utf8", "LargeUtf8", "Utf8View", "Dictionary(Int8, Utf8)"] {
        let call = format!("pct_decode(arrow_cast('caf%C3%A9', '{data_type}'))");
        assert_eq!(value(&session, &call).as_deref(), Some("café"));
        assert_eq!(value(&session, &format!("arrow_typeof({call})")).as_deref(), Some(data_type));
    }
    assert_eq!(value(&session, "pct_decode(arrow_cast('%FF', 'Binary'))").as_deref(), Some("ff"));
}

#[test]
fn null_argument_is_null() {
    let session = session();
    for function in simdpct_datafusion::functions().iter().chain(&simdpct_datafusion::spark_functions()) {
        let name = function.name();
        let calls = match name {
            "url_has" | "url_query_value" | "url_part" | "url_join" | "url_cut" => {
                let option = if name == "url_cut" { "query" } else { "path" };
                vec![format!("{name}(null, '{option}')"), format!("{name}('x', null)"), format!("{name}(null, null)")]
            }
            "pct_encode" | "url_normalize" | "url_path_canonical" => {
                vec![format!("{name}(null)"), format!("{name}('x', null)")]
            }
            _ => vec![format!("{name}(null)")],
        };
        for call in calls {
            if call != "url_has(null, 'path')" {
                assert_eq!(value(&session, &call), None, "{call}");
            }
        }
    }
    let (session, _) = sample_session();
    for (column, _) in text_columns().into_iter().chain(binary_columns()) {
        let sql = format!("select count(url_part({column}, null)) + count(pct_encode({column}, null)) from t");
        assert_eq!(values(&session, &sql), [Some("0".to_owned())], "{column}");
    }
}

#[test]
fn constant_call_is_folded() {
    let session = session();
    let rows = query(&session, "explain select pct_decode('a%20b') || url_part('//h/p', 'host') as constant").unwrap();
    let plan: String = rows[0].column(1).as_string::<i32>().iter().flatten().collect();
    assert!(plan.contains("a bh") && !plan.contains("pct_decode(") && !plan.contains("url_part("), "{plan}");
}

#[test]
fn strict_error_quotes_start_of_value() {
    let (session, _) = sample_session();
    assert_eq!(
        error(&session, "select pct_decode('50%' || cast(id as varchar)) from t where id = 7"),
        "Execution error: pct_decode: '50%7': malformed percent-encoding: '%' without two hexadecimal digits at byte 2 \
         (try_pct_decode returns NULL, pct_decode_lossy never fails)"
    );
    let long = error(&session, "select form_decode(repeat('é', 100) || '%FF' || id) from t");
    assert!(
        long.contains(&format!(
            "form_decode: '{}…': the decoded bytes are not valid UTF-8 at byte 200",
            "é".repeat(64)
        )),
        "{long}"
    );
    // The dictionary's invalid value is not in use.
    assert!(
        query(&session, "select pct_decode(dictionary) from t where try_pct_decode(dictionary) is not null").is_ok()
    );
}

#[test]
fn wrong_arguments_are_errors() {
    let session = session();
    let errors = [
        ("pct_decode(1)", "pct_decode takes strings, binary values or dictionaries of them, not Int64"),
        ("pct_decode()", "pct_decode"),
        ("pct_decode('a', 'b')", "pct_decode takes 1 arguments, not 2"),
        ("pct_encode('a', 'b', 'c')", "pct_encode takes 1 or 2 arguments, not 3"),
        ("pct_encode('a', 1)", "the second argument of pct_encode is a string, not Int64"),
        ("pct_encode('a', 'pth')", "pct_encode: unknown set 'pth': expected component,"),
        ("url_has('a', 'null')", "url_has: 'null': unknown kind of finding: expected escape, plus"),
        ("url_part('a', 'rf')", "url_part: 'rf': unknown part of a URI: expected scheme"),
        ("url_finding_names('a')", "url_finding_names takes the number that url_findings returns, not Utf8"),
    ];
    for (call, expected) in errors {
        let message = error(&session, &format!("select {call}"));
        assert!(message.contains(expected), "{call}: {message}");
    }
    assert_eq!(value(&session, "url_finding_names(1 + 8)").as_deref(), Some("[escape, nul]"));
}

#[test]
fn functions_are_those_of_the_documentation() {
    let mut names: Vec<String> =
        simdpct_datafusion::functions().iter().map(|function| function.name().to_owned()).collect();
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/engines.md")).unwrap();
    names.retain(|name| !page.contains(&format!("`{name}(")));
    assert_eq!(names, Vec::<String>::new());
}
