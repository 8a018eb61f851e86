//! Compares Spark's functions with answers of Java that `crates/pct/check-dialects` has recorded.

use super::common::{error, session, value};

/// The rows of a table of dialects: the input, and the answer of Java, or `None` for an exception.
/// Inputs with invalid UTF-8 are left out, because SQL cannot express them.
fn recorded(table: &str) -> Vec<(String, Option<String>)> {
    let path = format!("{}/../../crates/pct/tests/dialects/{table}.tsv", env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read_to_string(path).unwrap();
    let mut rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let java = rows.next().unwrap().iter().position(|name| *name == "java").unwrap();
    let rows = rows.filter(|row| row[java] != "<->");
    let cells = rows.filter_map(|row| Some((text(row[0])?, text(row[java])?)));
    cells.map(|(input, output)| (input, (output != "<error>").then_some(output))).collect()
}

/// The bytes of a cell: \xNN is a byte, any other text is unchanged.
fn text(cell: &str) -> Option<String> {
    let mut parts = cell.split("\\x");
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[test]
fn url_decode_is_that_of_java() {
    let session = session();
    let rows = recorded("decode");
    assert!(rows.len() > 50);
    for (input, expected) in rows {
        assert_eq!(value(&session, &format!("try_url_decode({})", quoted(&input))), expected, "{input}");
        let call = format!("url_decode({})", quoted(&input));
        match expected {
            Some(expected) => assert_eq!(value(&session, &call), Some(expected), "{input}"),
            None => assert!(error(&session, &format!("select {call}")).contains("url_decode: '"), "{input}"),
        }
    }
}

#[test]
fn url_encode_is_that_of_java() {
    let session = session();
    let rows = recorded("encode");
    assert!(rows.len() > 5);
    for (input, expected) in rows {
        assert_eq!(value(&session, &format!("url_encode({})", quoted(&input))), expected, "{input}");
    }
}

#[test]
fn digits_that_only_java_accepts_are_decoded() {
    let session = session();
    assert_eq!(value(&session, "url_decode('%+4%-0')").as_deref(), Some("\u{4}\0"));
    assert_eq!(value(&session, "try_url_decode('%-1')"), None);
    // An encoded surrogate becomes one character. Other decoders replace its three bytes one by
    // one.
    assert_eq!(value(&session, "url_decode('%ED%A0%80%E4')").as_deref(), Some("\u{FFFD}\u{FFFD}"));
    assert_eq!(value(&session, "pct_decode_lossy('%ED%A0%80')").as_deref(), Some("\u{FFFD}\u{FFFD}\u{FFFD}"));
}
