//! Time of a whole column, against row-by-row conversion into the same buffers.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use simdpct::columns::{self, Column, ColumnBuf, Conversion};
use simdpct::{ByteSet, Decoder, Encoder, Kinds, Level, Malformed, Normalizer};
use simdpct_benches::{Corpus, corpora};

/// A text as a column: its lines, or 50-byte pieces.
struct Rows {
    name: String,
    values: Vec<u8>,
    offsets: Vec<i32>,
}

impl Rows {
    fn of(name: String, rows: impl Iterator<Item = impl AsRef<[u8]>>) -> Self {
        let mut column = Self { name, values: Vec::new(), offsets: vec![0] };
        for row in rows {
            column.values.extend_from_slice(row.as_ref());
            column.offsets.push(column.values.len() as i32);
        }
        column
    }

    fn column(&self) -> Column<'_, i32> {
        Column::new(&self.values, &self.offsets).unwrap()
    }

    fn throughput(&self) -> Throughput {
        Throughput::ElementsAndBytes { elements: self.offsets.len() as u64 - 1, bytes: self.values.len() as u64 }
    }

    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.offsets.windows(2).map(|ends| &self.values[ends[0] as usize..ends[1] as usize])
    }
}

/// A text in pieces of 50 bytes, or 48 or 49 if a triplet would be cut, because real rows do not
/// end within a triplet.
fn pieces(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let cut_back = |distance: usize| text.len() > 50 && text[50 - distance] == b'%';
        let length = if cut_back(1) {
            49
        } else if cut_back(2) {
            48
        } else {
            text.len().min(50)
        };
        let (piece, rest) = text.split_at(length);
        text = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The 50-byte pieces of all corpora in random order, so that neighbouring rows differ.
fn shuffled_mix() -> Rows {
    let mut rows: Vec<&[u8]> = corpora().into_iter().flat_map(|corpus| pieces(corpus.text).take(20_000)).collect();
    let mut state = 1_u64;
    for last in (1..rows.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        rows.swap(last, (state >> 33) as usize % (last + 1));
    }
    Rows::of("shuffled mix in 50 bytes".to_owned(), rows.into_iter())
}

/// For each corpus, a column of its lines and a column of its 50-byte pieces; and a mix of all.
fn columns() -> Vec<Rows> {
    let of_corpus = |corpus: Corpus| {
        let lines = corpus.text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        // Generated text has no lines.
        let lines = corpus.text.contains(&b'\n').then(|| Rows::of(format!("{} lines", corpus.name), lines));
        let pieces = Rows::of(format!("{} in 50 bytes", corpus.name), pieces(corpus.text));
        lines.into_iter().chain([pieces])
    };
    corpora().into_iter().flat_map(of_corpus).chain([shuffled_mix()]).collect()
}

/// The label of the default level.
const BEST: &str = "best level";

/// A buffer to which rows are appended.
trait Output: Default {
    fn clear(&mut self);
    fn bytes(&self) -> &[u8];
}

impl Output for Vec<u8> {
    fn clear(&mut self) {
        self.clear();
    }

    fn bytes(&self) -> &[u8] {
        self
    }
}

impl Output for String {
    fn clear(&mut self) {
        self.clear();
    }

    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// Asserts that both methods have equal outputs, then measures each with reused buffers.
fn compare<T: Output>(
    criterion: &mut Criterion,
    name: &str,
    how: &str,
    rows: &Rows,
    mut append_row: impl FnMut(&[u8], &mut T),
    mut append_column: impl FnMut(&Column<'_, i32>, &mut ColumnBuf<i32>),
) {
    let (mut values, mut offsets) = (T::default(), Vec::new());
    let mut by_row = |values: &mut T, offsets: &mut Vec<i32>| {
        values.clear();
        offsets.clear();
        offsets.push(0);
        for row in black_box(rows).rows() {
            append_row(row, values);
            offsets.push(i32::try_from(values.bytes().len()).unwrap());
        }
    };
    let mut output = ColumnBuf::new();
    let mut by_column = |output: &mut ColumnBuf<i32>| {
        output.clear();
        append_column(&black_box(rows).column(), output);
    };
    by_row(&mut values, &mut offsets);
    by_column(&mut output);
    assert!(output.values == values.bytes() && output.offsets == offsets, "{name}, {}", rows.name);

    let mut group = criterion.benchmark_group(format!("columns, {name}"));
    group.throughput(rows.throughput());
    group.bench_function(BenchmarkId::new(format!("row by row, {how}"), &rows.name), |bencher| {
        bencher.iter(|| by_row(black_box(&mut values), &mut offsets));
    });
    group.bench_function(BenchmarkId::new(format!("column, {how}"), &rows.name), |bencher| {
        bencher.iter(|| by_column(black_box(&mut output)));
    });
}

fn decode(criterion: &mut Criterion) {
    for rows in columns() {
        for level in Level::available() {
            let decoder = Decoder::new().lenient().level(level);
            compare(
                criterion,
                "decode",
                &level.to_string(),
                &rows,
                |row, output: &mut Vec<u8>| decoder.decode_to(row, output).unwrap(),
                |column, output| {
                    assert_eq!(
                        Conversion::decode(&decoder).append(column, output).map(|summary| summary.invalid),
                        Ok(0)
                    )
                },
            );
        }
    }
}

fn decode_utf8_lossy(criterion: &mut Criterion) {
    let decoder = Decoder::new().lenient();
    for rows in columns() {
        compare(
            criterion,
            "decode to text",
            BEST,
            &rows,
            |row, output: &mut String| output.push_str(&decoder.decode_utf8_lossy(row).unwrap()),
            |column, output| {
                assert_eq!(
                    Conversion::decode_utf8_lossy(&decoder).append(column, output).map(|summary| summary.invalid),
                    Ok(0)
                )
            },
        );
    }
}

fn encode(criterion: &mut Criterion) {
    for rows in columns() {
        for level in Level::available() {
            let encoder = Encoder::COMPONENT.level(level);
            compare(
                criterion,
                "encode",
                &level.to_string(),
                &rows,
                |row, output: &mut String| encoder.encode_to(row, output),
                |column, output| assert!(Conversion::encode(&encoder).append(column, output).is_ok()),
            );
        }
        compare(
            criterion,
            "encode, keeping triplets",
            BEST,
            &rows,
            |row, output: &mut String| Encoder::URI.encode_to(row, output),
            |column, output| assert!(Conversion::encode(&Encoder::URI).append(column, output).is_ok()),
        );
    }
}

/// Rows that are not in one buffer, and the search for rows that a conversion may change.
fn rows(criterion: &mut Criterion) {
    let decoder = Decoder::new().lenient();
    let conversion = Conversion::decode_utf8_lossy(&decoder);
    for rows in columns() {
        let mut group = criterion.benchmark_group("columns, rows");
        group.throughput(rows.throughput());
        let mut output = ColumnBuf::<i64>::new();
        group.bench_function(BenchmarkId::new("decode to text", &rows.name), |bencher| {
            bencher.iter(|| {
                output.clear();
                conversion.append_rows(black_box(&rows).rows().map(Some), &mut output).unwrap()
            });
        });
        let percent = ByteSet::new(b"%");
        group.bench_function(BenchmarkId::new("rows_holding", &rows.name), |bencher| {
            bencher.iter(|| columns::rows_holding(black_box(&rows).rows().map(Some), &percent));
        });
        group.bench_function(BenchmarkId::new("Column::rows_holding", &rows.name), |bencher| {
            bencher.iter(|| black_box(&rows).column().rows_holding(&percent));
        });
    }
}

fn normalize(criterion: &mut Criterion) {
    let normalizer = Normalizer::new().malformed(Malformed::Keep);
    for rows in columns() {
        // Row by row, only text can be normalized.
        let rows = Rows::of(rows.name.clone(), rows.rows().filter(|row| std::str::from_utf8(row).is_ok()));
        compare(
            criterion,
            "normalize",
            BEST,
            &rows,
            |row, output: &mut String| normalizer.normalize_to(std::str::from_utf8(row).unwrap(), output).unwrap(),
            |column, output| {
                assert_eq!(
                    Conversion::normalize(&normalizer).append(column, output).map(|summary| summary.invalid),
                    Ok(0)
                )
            },
        );
    }
}

fn inspect(criterion: &mut Criterion) {
    for rows in columns() {
        let by_row = || -> Vec<Kinds> { black_box(&rows).rows().map(|row| simdpct::inspect(row).kinds()).collect() };
        let by_column = || columns::inspect(&black_box(&rows).column()).rows;
        assert!(by_column() == by_row(), "{}", rows.name);

        let mut group = criterion.benchmark_group("columns, inspect");
        group.throughput(rows.throughput());
        group.bench_function(BenchmarkId::new(format!("row by row, {BEST}"), &rows.name), |bencher| {
            bencher.iter(by_row)
        });
        group
            .bench_function(BenchmarkId::new(format!("column, {BEST}"), &rows.name), |bencher| bencher.iter(by_column));
    }
}

criterion_group! {
    name = benches;
    config = simdpct_benches::for_long_texts();
    targets = decode, decode_utf8_lossy, rows, encode, normalize, inspect
}
criterion_main!(benches);
