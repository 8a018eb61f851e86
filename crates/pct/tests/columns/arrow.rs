//! Arrow IPC files and streams, of all types of strings, against JSON lines of the same rows.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{BinaryDictionaryBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, Int64Array, LargeBinaryArray, LargeStringArray, RecordBatch,
    StringArray, StringViewArray, StructArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, Schema};

use crate::rows::{Row, as_lines, comparable, random_rows};
use crate::{Random, run, success};

/// The types of the column `url`.
const TYPES: usize = 8;

fn urls(rows: &[Row], kind: usize) -> ArrayRef {
    let text = || rows.iter().map(|row| row.url.as_deref());
    let bytes = || text().map(|value| value.map(str::as_bytes));
    match kind {
        0 => Arc::new(text().collect::<StringArray>()),
        1 => Arc::new(text().collect::<LargeStringArray>()),
        2 => Arc::new(text().collect::<StringViewArray>()),
        3 => Arc::new(bytes().collect::<BinaryArray>()),
        4 => Arc::new(bytes().collect::<LargeBinaryArray>()),
        5 => Arc::new(bytes().collect::<BinaryViewArray>()),
        6 => {
            // One dictionary for all batches, as a file requires.
            let mut builder = StringDictionaryBuilder::<Int32Type>::new();
            text().for_each(|value| builder.append_option(value));
            Arc::new(builder.finish())
        }
        _ => {
            let mut builder = BinaryDictionaryBuilder::<Int8Type>::new();
            bytes().for_each(|value| builder.append_option(value.filter(|value| value.len() < 7)));
            Arc::new(builder.finish())
        }
    }
}

fn whole(rows: &[Row], kind: usize) -> RecordBatch {
    let ids: ArrayRef = Arc::new(rows.iter().map(|row| row.id).collect::<Int64Array>());
    let places: ArrayRef = Arc::new(rows.iter().map(|row| row.place.as_deref()).collect::<StringArray>());
    let nested = Field::new("name", DataType::Utf8, true);
    let place: ArrayRef = Arc::new(StructArray::from(vec![(Arc::new(nested), Arc::clone(&places))]));
    let url = urls(rows, kind);
    let fields = vec![
        Field::new("id", DataType::Int64, false),
        Field::new("url", url.data_type().clone(), true).with_metadata([("note".into(), "%41".into())].into()),
        Field::new("name", DataType::Utf8, true),
        Field::new("place", place.data_type().clone(), true),
    ];
    let schema = Schema::new_with_metadata(fields, [("schema".into(), "%42".into())].into());
    RecordBatch::try_new(Arc::new(schema), vec![ids, url, places, place]).unwrap()
}

fn write(path: &Path, batch: &RecordBatch, rows: usize, compression: Option<CompressionType>) {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let file = File::create(path).unwrap();
    let starts = (0..batch.num_rows()).step_by(rows);
    let parts = starts.map(|start| batch.slice(start, rows.min(batch.num_rows() - start)));
    if path.extension().unwrap() == "arrows" {
        let mut writer = StreamWriter::try_new_with_options(file, &batch.schema(), options).unwrap();
        parts.for_each(|part| writer.write(&part).unwrap());
        writer.finish().unwrap();
    } else {
        let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options).unwrap();
        writer.write_metadata("file", "%43");
        parts.for_each(|part| writer.write(&part).unwrap());
        writer.finish().unwrap();
    }
}

fn read(path: &Path) -> Vec<RecordBatch> {
    let file = File::open(path).unwrap();
    if path.extension().unwrap() == "arrows" {
        return StreamReader::try_new(file, None).unwrap().map(Result::unwrap).collect();
    }
    let reader = FileReader::try_new(file, None).unwrap();
    assert_eq!(reader.custom_metadata().get("file").map(String::as_str), Some("%43"));
    reader.map(Result::unwrap).collect()
}

/// A value of a string or binary array, or of a dictionary.
fn value(array: &dyn Array, row: usize) -> Option<Vec<u8>> {
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).into(),
        DataType::Utf8View => array.as_string_view().value(row).into(),
        DataType::Binary => array.as_binary::<i32>().value(row).into(),
        DataType::LargeBinary => array.as_binary::<i64>().value(row).into(),
        DataType::BinaryView => array.as_binary_view().value(row).into(),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            return value(dictionary.values(), dictionary.normalized_keys()[row]);
        }
        other => panic!("{other}"),
    })
}

fn values(batches: &[RecordBatch], name: &str) -> Vec<Option<Vec<u8>>> {
    batches
        .iter()
        .flat_map(|batch| {
            let array = batch.column_by_name(name).unwrap();
            batch.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
            (0..batch.num_rows()).map(|row| value(array, row)).collect::<Vec<_>>()
        })
        .collect()
}

/// Values, rows, counts and metadata, for all types, files and streams, compressed or not.
#[test]
fn rows_become_what_json_lines_become() {
    let mut random = Random(0xA0761D64);
    let compressions = [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];
    for round in 0..80 {
        let kind = round % TYPES;
        let count = *random.pick(&[1, 40, 200]);
        let mut rows = random_rows(&mut random, count);
        if kind >= 3 && kind != 6 {
            // Binary values need not be UTF-8, unlike JSON strings.
            rows.iter_mut()
                .for_each(|row| row.url = row.url.take().filter(|url| !url.contains("%E9") && url.len() < 7));
        }
        let command = *random.pick(&[
            &["decode"][..],
            &["decode", "--errors", "skip"],
            &["decode", "--errors", "drop"],
            &["encode", "--set", "path"],
            &["normalize"],
            &["repair", "--errors", "skip"],
            &["decode", "--only-changed"],
            &["decode", "--only-matching", "--errors", "skip"],
            &["normalize", "--unique"],
            &["decode", "--unique", "--only-changed", "--errors", "drop"],
        ]);
        let (columns, keys) = *random.pick(&[("url", &["url"][..]), ("name,url", &["place.name", "url"])]);
        let name = *random.pick(&["rows.arrow", "rows.arrows"]);
        let (size, compression) = (*random.pick(&[3, 64, 1000]), *random.pick(&compressions));
        let told = format!("{kind} {command:?} {columns} {name} {size} {compression:?}");
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join(name), &whole(&rows, kind), size, compression);
        let out = name.replacen("rows", "out", 1);
        let others = ["--report", "json", "-c", columns, name, "-o", &out];
        let report = serde_json::from_str(&success(folder.path(), &[command, &others].concat())).unwrap();
        let (expected, expected_report) = as_lines(&rows, command, keys);
        assert_eq!(comparable(&report), comparable(&expected_report), "{told}");

        let old = read(&folder.path().join(name));
        let found = read(&folder.path().join(&out));
        assert!(found.iter().all(|batch| batch.schema() == old[0].schema()), "{told}");
        let text = |of: fn(&Row) -> &Option<String>| -> Vec<_> {
            expected.iter().map(|row| of(row).clone().map(String::into_bytes)).collect()
        };
        assert_eq!(values(&found, "url"), text(|row| &row.url), "{told}");
        let changed = if keys.len() > 1 { text(|row| &row.place) } else { Vec::new() };
        if !changed.is_empty() {
            assert_eq!(values(&found, "name"), changed, "{told}");
        }
        // The nested column and the numbers are those of the rows that are left.
        let ids: Vec<_> = found
            .iter()
            .flat_map(|batch| batch["id"].as_primitive::<arrow_array::types::Int64Type>().values().to_vec())
            .collect();
        assert_eq!(ids, expected.iter().map(|row| row.id).collect::<Vec<_>>(), "{told}");
        let places = found.iter().flat_map(|batch| {
            let names = batch["place"].as_struct().column(0).as_string::<i32>().clone();
            (0..names.len())
                .map(move |row| names.is_valid(row).then(|| names.value(row).to_owned()))
                .collect::<Vec<_>>()
        });
        assert!(places.eq(expected.iter().map(|row| rows[row.id as usize].place.clone())), "{told}");
        // The compression is that of the input: with any, a stream is not that without.
        let length = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
        if command == ["decode"] && rows.len() == 200 && size == 1000 {
            assert!(length(&out) < length(name) + 64, "{told}");
        }
    }
}

#[test]
fn appended_column_is_null_where_a_row_is_skipped() {
    let mut random = Random(4);
    for kind in 0..TYPES {
        let rows = random_rows(&mut random, 60);
        let folder = tempfile::tempdir().unwrap();
        let batch = whole(&rows, kind);
        write(&folder.path().join("rows.arrow"), &batch, 25, None);
        success(
            folder.path(),
            &["decode", "-q", "--append", "--errors", "skip", "-c", "url", "rows.arrow", "-o", "out.arrow"],
        );
        let found = read(&folder.path().join("out.arrow"));
        let (old, new) = (values(&found, "url"), values(&found, "url_decoded"));
        assert_eq!(old, values(&[batch], "url"), "{kind}");
        for (old, new) in old.iter().zip(&new) {
            let expected = old.as_ref().and_then(|old| simdpct::Decoder::new().decode_utf8(old).ok());
            assert_eq!(new.as_deref(), expected.as_deref().map(str::as_bytes), "{kind} {old:?}");
        }
    }
}

#[test]
fn threads_do_not_change_a_byte() {
    let rows = random_rows(&mut Random(8), 2000);
    for name in ["rows.arrow", "rows.arrows"] {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join(name), &whole(&rows, 2), 30, Some(CompressionType::ZSTD));
        let outputs = ["1", "2", "7"].map(|threads| {
            let output = run(folder.path(), &["decode", "-j", threads, "-c", "url", name]);
            assert_eq!(output.status.code(), Some(0));
            (output.stdout, output.stderr)
        });
        assert!(outputs.iter().all(|output| *output == outputs[0]));
    }
}
