//! Damaged files: an error or a result, but never a panic, and never endless memory or time.

use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, RecordBatch, StringArray};

use crate::parquet_files::{Settings, write};
use crate::rows::random_rows;
use crate::{Random, run};

/// Only a failing test takes as long for one file.
const LONG: Duration = Duration::from_secs(20);

/// Runs commands on damaged copies of a file.
fn damage(file: &[u8], name: &str, random: &mut Random, count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut codes = [0; 4];
    for round in 0..count {
        let mut damaged = file.to_vec();
        match round % 4 {
            0 => damaged.truncate(random.below(file.len())),
            // The metadata is at the end.
            1 => {
                let at = file.len() - 1 - random.below(file.len().min(400));
                damaged[at] ^= 1 << random.below(8);
            }
            _ => (0..1 + random.below(3)).for_each(|_| damaged[random.below(file.len())] = random.below(256) as u8),
        }
        std::fs::write(folder.path().join(name), &damaged).unwrap();
        let policy = *random.pick(&["keep", "skip", "drop"]);
        let start = Instant::now();
        let output =
            run(folder.path(), &["decode", "-j", "2", "--errors", policy, "-c", "url,tags", name, "-o", "out"]);
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(start.elapsed() < LONG, "{round}: {messages}");
        let code = output.status.code();
        // 2: the schema is another one.
        assert!(matches!(code, Some(0 | 2 | 3)), "{round}: {code:?} {messages}");
        assert!(!messages.contains("panicked"), "{round}: {messages}");
        codes[code.unwrap() as usize] += 1;
    }
    assert!(codes[3] > count / 4, "{codes:?}");
}

#[test]
fn damaged_parquet_file_does_not_panic() {
    let mut random = Random(0xBAD);
    for _ in 0..4 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        write(&path, &random_rows(&mut random, 60), &Settings { group: 25, ..Settings::random(&mut random) });
        damage(&std::fs::read(path).unwrap(), "a.parquet", &mut random, 60);
    }
}

#[test]
fn damaged_arrow_file_does_not_panic() {
    let mut random = Random(0xBAD);
    let values =
        |text: &'static str| -> ArrayRef { std::sync::Arc::new(StringArray::from(vec![Some(text), None, Some("%")])) };
    let batch = RecordBatch::try_from_iter([("url", values("%41")), ("tags", values("%C3%A9"))]).unwrap();
    let mut file = Vec::new();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut file, &batch.schema()).unwrap();
    (0..3).for_each(|_| writer.write(&batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    damage(&file, "a.arrow", &mut random, 120);
    let mut stream = Vec::new();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(&mut stream, &batch.schema()).unwrap();
    (0..3).for_each(|_| writer.write(&batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    damage(&stream, "a.arrows", &mut random, 120);
}
