//! Data of engines/ballista/check, and the comparison of a cluster's result with the library.
//!
//! usage: cluster_data make CORPORA FOLDER    write FOLDER/urls (16 Parquet files), FOLDER/dirty
//!        cluster_data check CORPORA RESULT   compare the JSON lines of QUERY with the library
//!        cluster_data query                  print QUERY

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type, Schema, UInt32Type};
use datafusion::arrow::json::ReaderBuilder;
use datafusion::parquet::arrow::ArrowWriter;
use simdpct::columns::{self, Column, OnError};
use simdpct::{Decoder, uri};

const FILES: usize = 16;

const QUERY: &str = "select id, url, try_pct_decode(url) as decoded, pct_decode_lossy(url) as lossy, \
    url_part(url, 'host') as host, url_findings(url) as findings from urls";

/// A value that messages cut: its 64th character is '4', its 65th 'X'.
const INVALID: &str = "http://e/0123456789012345678901234567890123456789012345678901234X/secret/%zz";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", corpora, folder] => make(Path::new(corpora), Path::new(folder)),
        ["check", corpora, result] => check(&rows(Path::new(corpora)), Path::new(result)),
        ["query"] => println!("{QUERY}"),
        _ => panic!("usage: cluster_data make CORPORA FOLDER | check CORPORA RESULT | query"),
    }
}

/// The lines of all corpora, with a few NULLs and empty values among them.
fn rows(corpora: &Path) -> Vec<Option<String>> {
    let mut rows = Vec::new();
    for name in ["access.log", "typical_urls.txt", "resource_urls.txt", "nonlatin_urls.txt", "hostile.txt"] {
        let path = corpora.join(name);
        let text = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            match rows.len() % 1000 {
                7 | 70 | 700 => rows.push(None),
                9 => rows.push(Some(String::new())),
                _ => {}
            }
            rows.push(Some(String::from_utf8_lossy(line).into_owned()));
        }
    }
    rows
}

fn make(corpora: &Path, folder: &Path) {
    let rows = rows(corpora);
    fs::create_dir_all(folder.join("urls")).unwrap();
    fs::create_dir_all(folder.join("dirty")).unwrap();
    for file in 0..FILES {
        // Takes every 16th row, so that each file has lines of each corpus.
        let ids: Vec<i64> = (0..rows.len()).skip(file).step_by(FILES).map(|row| row as i64).collect();
        let urls = ids.iter().map(|&id| rows[id as usize].as_deref()).collect::<StringArray>();
        write(&folder.join(format!("urls/part-{file:02}.parquet")), ids, urls);
    }
    write(&folder.join("dirty/part-00.parquet"), vec![0, 1], StringArray::from(vec!["a%20b", "c"]));
    write(&folder.join("dirty/part-01.parquet"), vec![2, 3], StringArray::from(vec![None, Some(INVALID)]));
    println!("{} rows, {} of them NULL", rows.len(), rows.iter().filter(|row| row.is_none()).count());
}

fn write(path: &Path, ids: Vec<i64>, urls: StringArray) {
    let columns = [("id", Arc::new(Int64Array::from(ids)) as ArrayRef), ("url", Arc::new(urls))];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The rows decoded by the library's columns.
struct Expected {
    decoded: Vec<Option<String>>,
    lossy: Vec<Option<String>>,
}

impl Expected {
    fn of(rows: &[Option<String>]) -> Self {
        let (mut values, mut offsets, mut validity) = (Vec::new(), vec![0_i64], vec![0_u8; rows.len().div_ceil(8)]);
        for (index, row) in rows.iter().enumerate() {
            if let Some(text) = row {
                values.extend(text.as_bytes());
                validity[index / 8] |= 1 << (index % 8);
            }
            offsets.push(values.len() as i64);
        }
        let column = Column::new(&values, &offsets).unwrap().with_validity(&validity, 0).unwrap();
        let texts = |output: columns::ColumnBuf<i64>| -> Vec<Option<String>> {
            let column = output.as_column().unwrap();
            (0..rows.len()).map(|row| Some(String::from_utf8(column.row(row)?.to_vec()).unwrap())).collect()
        };
        Self {
            decoded: texts(columns::decode_utf8(&column, &Decoder::new(), OnError::Null).unwrap()),
            lossy: texts(columns::decode_utf8_lossy(&column, &Decoder::new().lenient(), OnError::Refuse).unwrap()),
        }
    }
}

fn check(rows: &[Option<String>], result: &Path) {
    let expected = Expected::of(rows);
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let schema = Schema::new(vec![
        Field::new("id", DataType::Int64, true),
        text("url"),
        text("decoded"),
        text("lossy"),
        text("host"),
        Field::new("findings", DataType::UInt32, true),
    ]);
    let reader: Box<dyn BufRead> = Box::new(BufReader::new(File::open(result).unwrap()));
    let mut seen = HashSet::new();
    let mut nulls = 0;
    for batch in ReaderBuilder::new(Arc::new(schema)).build(reader).unwrap() {
        let batch = batch.unwrap();
        let ids = batch.column(0).as_primitive::<Int64Type>();
        let findings = batch.column(5).as_primitive::<UInt32Type>();
        for row in 0..batch.num_rows() {
            let id = ids.value(row) as usize;
            let text = |column: usize| {
                let column = batch.column(column).as_string::<i32>();
                column.is_valid(row).then(|| column.value(row))
            };
            let url = rows[id].as_deref();
            assert_eq!(text(1), url, "url of row {id}");
            assert_eq!(text(2), expected.decoded[id].as_deref(), "try_pct_decode of {url:?}");
            assert_eq!(text(3), expected.lossy[id].as_deref(), "pct_decode_lossy of {url:?}");
            assert_eq!(text(4), url.and_then(|url| uri::part(url, uri::Part::Host)), "host of {url:?}");
            let found = findings.is_valid(row).then(|| findings.value(row));
            assert_eq!(found, url.map(|url| simdpct::inspect(url).kinds().bits()), "findings of {url:?}");
            nulls += usize::from(text(2).is_none());
            assert!(seen.insert(id), "row {id} is there twice");
        }
    }
    assert_eq!(seen.len(), rows.len(), "rows of the result");
    println!("{} rows are those of the library, {nulls} of them not decodable or NULL", seen.len());
}
