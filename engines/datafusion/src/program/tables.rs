//! Files and folders as tables.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use datafusion::common::TableReference;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::error::DataFusionError;
use datafusion::prelude::{CsvReadOptions, JsonReadOptions, ParquetReadOptions, SessionContext};

use super::Failure;

/// Registers each file or folder as a table with its name without extensions. The first table is
/// also called `t`. The table of a folder has the rows of all files that have the extension of the
/// folder's first file.
///
/// # Errors
///
/// Fails if a file does not exist, has an unknown extension or cannot be read, and if two tables
/// have the same name.
pub async fn register_files(session: &SessionContext, files: &[String]) -> Result<(), Failure> {
    let mut names = HashSet::new();
    for file in files {
        let source = Source::of(file)?;
        if !names.insert(source.table.clone()) {
            return Err(Failure::Query(format!("two files would be the table '{}': {file}", source.table)));
        }
        source.register(session, &source.table, file).await.map_err(|error| in_file(file, &error))?;
    }
    if let Some(first) = files.first()
        && !names.contains("t")
    {
        Source::of(first)?.register(session, "t", first).await.map_err(|error| in_file(first, &error))?;
    }
    Ok(())
}

fn in_file(file: &str, error: &DataFusionError) -> Failure {
    Failure::Query(format!("{file}: {}", error.strip_backtrace()))
}

enum Format {
    Parquet,
    /// CSV with this delimiter.
    Csv(u8),
    Json,
}

/// A file or a folder as a table.
struct Source {
    table: String,
    format: Format,
    compression: FileCompressionType,
    /// All extensions of a file's name.
    extension: String,
    is_folder: bool,
}

impl Source {
    fn of(file: &str) -> Result<Self, Failure> {
        let path = Path::new(file);
        if path.is_dir() {
            let first = first_file(path)
                .map_err(|error| Failure::Query(format!("{file}: {error}")))?
                .ok_or_else(|| Failure::Query(format!("{file}: no file in this folder")))?;
            let table = file_name(path, file).split('.').next().unwrap_or_default().to_owned();
            return Ok(Self { table, is_folder: true, ..Self::of_file(&first.to_string_lossy())? });
        }
        if !path.is_file() {
            return Err(Failure::Query(format!("{file}: no such file")));
        }
        Self::of_file(file)
    }

    fn of_file(file: &str) -> Result<Self, Failure> {
        let name = file_name(Path::new(file), file);
        let (stem, compression) = match name.rsplit_once('.') {
            Some((stem, "gz")) => (stem, FileCompressionType::GZIP),
            Some((stem, "bz2")) => (stem, FileCompressionType::BZIP2),
            Some((stem, "xz")) => (stem, FileCompressionType::XZ),
            Some((stem, "zst")) => (stem, FileCompressionType::ZSTD),
            _ => (name, FileCompressionType::UNCOMPRESSED),
        };
        let (table, format) = match stem.rsplit_once('.') {
            Some((table, "parquet")) if stem == name => (table, Format::Parquet),
            Some((table, "csv")) => (table, Format::Csv(b',')),
            Some((table, "tsv")) => (table, Format::Csv(b'\t')),
            Some((table, "json" | "jsonl" | "ndjson")) => (table, Format::Json),
            _ => {
                let expected = ".parquet, .csv, .tsv, .json, .jsonl or .ndjson";
                return Err(Failure::Query(format!("{file}: unknown extension: expected {expected}")));
            }
        };
        let extension = name[table.len()..].to_owned();
        Ok(Self { table: table.to_owned(), format, compression, extension, is_folder: false })
    }

    async fn register(&self, session: &SessionContext, table: &str, file: &str) -> Result<(), DataFusionError> {
        let table = TableReference::bare(table);
        // DataFusion takes a path that ends in '/' for a folder.
        let folder = if self.is_folder && !file.ends_with('/') { Some(format!("{file}/")) } else { None };
        let file = folder.as_deref().unwrap_or(file);
        match self.format {
            Format::Parquet => {
                let options = ParquetReadOptions { file_extension: &self.extension, ..Default::default() };
                session.register_parquet(table, file, options).await
            }
            Format::Csv(delimiter) => {
                let options = CsvReadOptions::new()
                    .delimiter(delimiter)
                    .file_extension(&self.extension)
                    .file_compression_type(self.compression);
                session.register_csv(table, file, options).await
            }
            Format::Json => {
                let options =
                    JsonReadOptions::default().file_extension(&self.extension).file_compression_type(self.compression);
                session.register_json(table, file, options).await
            }
        }
    }
}

/// The name of a file or folder.
fn file_name<'a>(path: &'a Path, file: &'a str) -> &'a str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or(file)
}

/// The first file of a folder by name, except for marker files that engines leave there, such as
/// `_SUCCESS`.
fn first_file(folder: &Path) -> std::io::Result<Option<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let is_hidden =
            path.file_name().is_some_and(|name| matches!(name.as_encoded_bytes().first(), Some(b'.' | b'_')));
        if path.is_file() && !is_hidden {
            files.push(path);
        }
    }
    Ok(files.into_iter().min())
}
