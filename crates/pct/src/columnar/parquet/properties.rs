//! Properties of the output: those of the input.
#![forbid(unsafe_code)]

use ::parquet::basic::{Encoding, PageType};
use ::parquet::file::metadata::{ColumnChunkMetaData, KeyValue, ParquetMetaData, RowGroupMetaData, SortingColumn};
use ::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion};
use ::parquet::schema::types::ColumnPath;

use super::schema::{self, Leaf};

/// Whether each column chunk has an index of its pages. If only some have one, the output has none:
/// the writer of the crate writes all or none.
pub(super) fn has_page_indexes(metadata: &ParquetMetaData) -> bool {
    let mut columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    metadata.offset_index().is_some() && columns.all(|column| column.offset_index_offset().is_some())
}

/// Properties of the file, if its output has these leaves.
pub(super) fn of_file(metadata: &ParquetMetaData, leaves: &[Leaf], kept: &[usize]) -> WriterProperties {
    let file = metadata.file_metadata();
    let schema = file.schema_descr();
    let is_whole = kept.len() == schema.num_columns();
    let mut names: Vec<_> = kept.iter().map(|&leaf| schema.get_column_root(leaf).name()).collect();
    names.dedup();
    if is_whole {
        names.clear();
    }
    let mut builder = WriterProperties::builder()
        .set_writer_version(version(metadata))
        .set_offset_index_disabled(!has_page_indexes(metadata))
        .set_key_value_metadata(key_values(file.key_value_metadata(), leaves, &names))
        // They are numbers of columns of the input.
        .set_sorting_columns(sorting_columns(metadata, leaves).filter(|_| is_whole));
    if let Some(creator) = file.created_by() {
        builder = builder.set_created_by(creator.to_owned());
    }
    builder.build()
}

/// Properties of the columns of a row group that are written again.
pub(super) fn of_group(metadata: &ParquetMetaData, group: usize, leaves: &[Leaf]) -> WriterProperties {
    let columns = metadata.row_group(group);
    let has_indexes = has_page_indexes(metadata);
    let mut builder =
        WriterProperties::builder().set_writer_version(version(metadata)).set_offset_index_disabled(!has_indexes);
    for (index, column) in columns.columns().iter().enumerate() {
        let has_pages_index = has_indexes && column.column_index_offset().is_some();
        builder = copy_properties(builder, column.column_path(), column, columns, has_pages_index);
        let new = leaves.iter().find(|leaf| leaf.index == index).and_then(|leaf| leaf.new.clone());
        if let Some(new) = new {
            builder = copy_properties(builder, &ColumnPath::new(vec![new]), column, columns, has_pages_index);
        }
    }
    builder.build()
}

fn copy_properties(
    builder: WriterPropertiesBuilder,
    path: &ColumnPath,
    column: &ColumnChunkMetaData,
    group: &RowGroupMetaData,
    has_pages_index: bool,
) -> WriterPropertiesBuilder {
    let has = |encoding| column.encodings().any(|found| found == encoding);
    let is_dictionary =
        column.dictionary_page_offset().is_some() || has(Encoding::RLE_DICTIONARY) || has(Encoding::PLAIN_DICTIONARY);
    let others = [
        Encoding::DELTA_BYTE_ARRAY,
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Encoding::DELTA_BINARY_PACKED,
        Encoding::BYTE_STREAM_SPLIT,
    ];
    let encoding = others.into_iter().find(|&encoding| has(encoding)).unwrap_or(Encoding::PLAIN);
    let statistics = match column.statistics() {
        _ if has_pages_index => EnabledStatistics::Page,
        Some(_) => EnabledStatistics::Chunk,
        None => EnabledStatistics::None,
    };
    let has_bloom_filter = column.bloom_filter_offset().is_some();
    let mut builder = builder
        .set_column_compression(path.clone(), column.compression())
        .set_column_dictionary_enabled(path.clone(), is_dictionary)
        .set_column_encoding(path.clone(), encoding)
        .set_column_statistics_enabled(path.clone(), statistics)
        .set_column_bloom_filter_enabled(path.clone(), has_bloom_filter);
    if has_bloom_filter {
        let rows = u64::try_from(group.num_rows()).unwrap_or(1).max(1);
        builder = builder.set_column_bloom_filter_max_ndv(path.clone(), rows);
    }
    builder
}

/// The version whose pages the file has. Many writers say version 2 in the footer and write pages
/// of version 1.
fn version(metadata: &ParquetMetaData) -> WriterVersion {
    let mut columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    let has_new_pages = |column: &ColumnChunkMetaData| {
        let pages = column.page_encoding_stats();
        pages.is_some_and(|pages| pages.iter().any(|page| page.page_type == PageType::DATA_PAGE_V2))
    };
    match columns.any(has_new_pages) {
        true => WriterVersion::PARQUET_2_0,
        false => WriterVersion::PARQUET_1_0,
    }
}

/// The columns by which all row groups are sorted, up to the first whose values change.
fn sorting_columns(metadata: &ParquetMetaData, leaves: &[Leaf]) -> Option<Vec<SortingColumn>> {
    let sorted = metadata.row_groups().first()?.sorting_columns()?;
    if metadata.row_groups().iter().any(|group| group.sorting_columns() != Some(sorted)) {
        return None;
    }
    let changes = |column: &SortingColumn| {
        let is_it = |leaf: &Leaf| leaf.new.is_none() && usize::try_from(column.column_idx) == Ok(leaf.index);
        leaves.iter().any(is_it)
    };
    let kept: Vec<_> = sorted.iter().take_while(|column| !changes(column)).cloned().collect();
    (!kept.is_empty()).then_some(kept)
}

/// The metadata of users and other programs. Arrow's schema gets the new columns, and keeps only
/// the columns of these names, if there are any.
fn key_values(metadata: Option<&Vec<KeyValue>>, leaves: &[Leaf], kept: &[&str]) -> Option<Vec<KeyValue>> {
    let new: Vec<_> = leaves.iter().filter_map(|leaf| Some((leaf.name, leaf.new.as_deref()?))).collect();
    let mut metadata = metadata?.clone();
    if !new.is_empty() || !kept.is_empty() {
        metadata.retain_mut(|entry| {
            if entry.key == schema::ARROW {
                entry.value = entry.value.as_deref().and_then(|schema| schema::arrow_of_output(schema, kept, &new));
            }
            // Without Arrow's schema, types follow from Parquet's.
            entry.key != schema::ARROW || entry.value.is_some()
        });
    }
    Some(metadata)
}
