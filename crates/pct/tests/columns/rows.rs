//! Rows with nested columns, and what `pct` makes of them as JSON lines.

use serde_json::{Value, json};

use crate::{Random, run};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) url: Option<String>,
    /// NULL, or a list with NULLs.
    pub(crate) tags: Option<Vec<Option<String>>>,
    /// A record with a name.
    pub(crate) place: Option<String>,
}

/// Parts of values, valid and not.
const PARTS: [&str; 12] =
    ["http://e/", "%41", "%C3%A9", "caf%E9", "%", "%zz", "%0A", "é", "a b", "%2541", "%00", "?q=a+b&c"];

fn value(random: &mut Random) -> String {
    // Most are valid, and few values are distinct.
    let parts = if random.below(8) == 0 { &PARTS[..] } else { &PARTS[..3] };
    (0..random.below(4)).map(|_| *random.pick(parts)).collect()
}

pub(crate) fn random_rows(random: &mut Random, count: usize) -> Vec<Row> {
    let optional = |random: &mut Random| (random.below(5) > 0).then(|| value(random));
    (0..count)
        .map(|id| Row {
            id: id as i64,
            url: optional(random),
            tags: (random.below(4) > 0).then(|| (0..random.below(4)).map(|_| optional(random)).collect()),
            place: optional(random),
        })
        .collect()
}

impl Row {
    /// The members are in the order of the columns: the first invalid one is named.
    fn as_json(&self) -> String {
        let [url, tags, place] = [json!(self.url), json!(self.tags), json!({ "name": self.place })];
        format!(r#"{{"id":{},"url":{url},"tags":{tags},"place":{place}}}"#, self.id)
    }

    fn of_json(value: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(String::from);
        Self {
            id: value["id"].as_i64().unwrap(),
            url: text(&value["url"]),
            tags: value["tags"].as_array().map(|tags| tags.iter().map(text).collect()),
            place: text(&value["place"]["name"]),
        }
    }
}

/// What a command makes of the rows as JSON lines, and its report.
pub(crate) fn as_lines(rows: &[Row], command: &[&str], keys: &[&str]) -> (Vec<Row>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = rows.iter().map(|row| format!("{}\n", row.as_json())).collect();
    std::fs::write(folder.path().join("rows.jsonl"), lines).unwrap();
    let mut arguments = [command, &["--report", "json", "--jsonl"]].concat();
    arguments.extend(keys.iter().flat_map(|key| ["-k", key]));
    let output = run(folder.path(), &[&arguments[..], &["rows.jsonl"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let report = serde_json::from_slice(&output.stderr).unwrap();
    (text.lines().map(|line| Row::of_json(&serde_json::from_str(line).unwrap())).collect(), report)
}

/// What a report has in common with one on JSON lines. The place in a line is another than that in
/// a value.
pub(crate) fn comparable(report: &Value) -> Value {
    let file = &report["files"][0];
    let first = file["first"].as_array().unwrap().iter();
    let first: Vec<_> = first.map(|invalid| json!([invalid["line"], invalid["kind"]])).collect();
    json!({ "records": file["records"], "invalid": file["invalid"], "counts": file["counts"], "first": first })
}
