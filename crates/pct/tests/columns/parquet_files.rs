//! Parquet files of rows, and of other columns beside them.

use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::file::metadata::{KeyValue, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::Random;
use crate::rows::Row;

const SCHEMA: &str = "message rows {
    required int64 id;
    optional binary url (string);
    optional group tags (list) { repeated group list { optional binary element (string); } }
    optional group place { required binary name (string); optional double x; }
    required boolean flag;
    optional fixed_len_byte_array(3) fixed;
    required int96 time;
    optional binary raw;
    required int32 day (date);
    repeated float weights;
}";

/// Numbers of the columns.
pub(crate) const URL: usize = 1;
pub(crate) const TAGS: usize = 2;
pub(crate) const PLACE: usize = 3;

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) compression: Compression,
    pub(crate) is_dictionary: bool,
    pub(crate) version: WriterVersion,
    pub(crate) has_bloom_filters: bool,
    pub(crate) has_page_indexes: bool,
    /// Rows of a group.
    pub(crate) group: usize,
}

impl Settings {
    pub(crate) fn random(random: &mut Random) -> Self {
        let compressions = [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(Default::default()),
            Compression::ZSTD(Default::default()),
            Compression::LZ4_RAW,
        ];
        Self {
            compression: *random.pick(&compressions),
            is_dictionary: random.below(2) == 0,
            version: *random.pick(&[WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0]),
            has_bloom_filters: random.below(4) == 0,
            has_page_indexes: random.below(2) == 0,
            group: *random.pick(&[1, 7, 100, 5000]),
        }
    }
}

pub(crate) fn write(path: &Path, rows: &[Row], settings: &Settings) {
    let properties = WriterProperties::builder()
        .set_compression(settings.compression)
        .set_dictionary_enabled(settings.is_dictionary)
        .set_writer_version(settings.version)
        .set_bloom_filter_enabled(settings.has_bloom_filters)
        .set_offset_index_disabled(!settings.has_page_indexes)
        .set_statistics_enabled(if settings.has_page_indexes {
            EnabledStatistics::Page
        } else {
            EnabledStatistics::Chunk
        })
        .set_bloom_filter_max_ndv(100)
        .set_data_page_row_count_limit(64)
        .set_write_batch_size(64)
        .set_created_by("tests of pct version 1".into())
        .set_key_value_metadata(Some(vec![KeyValue::new("note".into(), "%41".to_owned())]))
        .build();
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    // Not thousands of groups, each with ten columns.
    for rows in rows.chunks(settings.group.max(rows.len() / 50)) {
        let mut group = writer.next_row_group().unwrap();
        let mut number = 0;
        while let Some(mut column) = group.next_column().unwrap() {
            write_column(number, rows, column.untyped());
            column.close().unwrap();
            number += 1;
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
}

fn bytes(text: &str) -> ByteArray {
    text.as_bytes().to_vec().into()
}

fn write_column(number: usize, rows: &[Row], column: &mut ColumnWriter<'_>) {
    let ids = || rows.iter().map(|row| row.id);
    let every_third = || ids().map(|id| i16::from(id % 3 > 0));
    let written = match column {
        ColumnWriter::Int64ColumnWriter(column) => column.write_batch(&ids().collect::<Vec<_>>(), None, None),
        ColumnWriter::BoolColumnWriter(column) => {
            column.write_batch(&ids().map(|id| id % 2 == 0).collect::<Vec<_>>(), None, None)
        }
        ColumnWriter::Int96ColumnWriter(column) => {
            column.write_batch(&ids().map(|id| vec![id as u32, 1, 2].into()).collect::<Vec<_>>(), None, None)
        }
        ColumnWriter::Int32ColumnWriter(column) => {
            column.write_batch(&ids().map(|id| id as i32).collect::<Vec<_>>(), None, None)
        }
        ColumnWriter::DoubleColumnWriter(column) => {
            let levels: Vec<_> =
                rows.iter().map(|row| row.place.as_ref().map_or(0, |_| 1 + (row.id % 2) as i16)).collect();
            let values = vec![0.5; levels.iter().filter(|&&level| level == 2).count()];
            column.write_batch(&values, Some(&levels), None)
        }
        ColumnWriter::FloatColumnWriter(column) => {
            // Of two out of three rows, two values.
            let levels: Vec<_> = every_third().flat_map(|level| vec![level; 1 + level as usize]).collect();
            let repetitions: Vec<_> =
                every_third().flat_map(|level| if level > 0 { vec![0, 1] } else { vec![0] }).collect();
            let values = vec![1.5; levels.iter().filter(|&&level| level > 0).count()];
            column.write_batch(&values, Some(&levels), Some(&repetitions))
        }
        ColumnWriter::FixedLenByteArrayColumnWriter(column) => {
            let levels: Vec<_> = every_third().collect();
            let value = FixedLenByteArray::from(vec![b'%', b'4', b'1']);
            column.write_batch(&vec![value; levels.iter().filter(|&&level| level > 0).count()], Some(&levels), None)
        }
        ColumnWriter::ByteArrayColumnWriter(column) => match number {
            TAGS => {
                let (mut values, mut levels, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
                for row in rows {
                    let tags = row.tags.as_deref().unwrap_or_default();
                    if tags.is_empty() {
                        levels.push(i16::from(row.tags.is_some()));
                        repetitions.push(0);
                    }
                    for (at, tag) in tags.iter().enumerate() {
                        levels.push(if tag.is_some() { 3 } else { 2 });
                        repetitions.push(i16::from(at > 0));
                        values.extend(tag.as_deref().map(bytes));
                    }
                }
                column.write_batch(&values, Some(&levels), Some(&repetitions))
            }
            _ => {
                let raw = |row: &Row| (row.id % 4 > 0).then(|| "%41\u{e9}".to_owned());
                let value = |row: &Row| match number {
                    URL => row.url.clone(),
                    PLACE => row.place.clone(),
                    _ => raw(row),
                };
                let levels: Vec<_> = rows.iter().map(|row| i16::from(value(row).is_some())).collect();
                let values: Vec<_> = rows.iter().filter_map(value).map(|value| bytes(&value)).collect();
                column.write_batch(&values, Some(&levels), None)
            }
        },
    };
    written.unwrap();
}

/// All values of all rows.
pub(crate) fn content(path: &Path) -> Vec<String> {
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(|row| format!("{:?}", row.unwrap())).collect()
}

pub(crate) fn metadata(path: &Path) -> ParquetMetaData {
    let options = ParquetMetaDataOptions::new().with_encoding_stats_as_mask(false);
    let reader = ParquetMetaDataReader::new().with_metadata_options(Some(options));
    reader.parse_and_finish(&std::fs::File::open(path).unwrap()).unwrap()
}

/// The bytes of a column chunk.
pub(crate) fn chunk(path: &Path, metadata: &ParquetMetaData, group: usize, column: usize) -> Vec<u8> {
    let (start, length) = metadata.row_group(group).column(column).byte_range();
    std::fs::read(path).unwrap()[start as usize..][..length as usize].to_vec()
}
