//! Decodes a column in the layout of Apache Arrow: all rows in one call. Malformed rows become
//! null.
//!
//! ```sh
//! cargo run --example columns
//! ```

use simdpct::Decoder;
use simdpct::columns::{Column, ColumnBuf, ColumnError, OnError, decode_utf8};

fn main() -> Result<(), ColumnError> {
    let urls = ["/caf%C3%A9", "/100%", "/plain"];
    for row in rows(&decode_column(&urls)?) {
        println!("{}", row.unwrap_or("null"));
    }
    Ok(())
}

/// Rows are the bytes between two offsets of one buffer.
pub fn decode_column(urls: &[&str]) -> Result<ColumnBuf<i32>, ColumnError> {
    let mut offsets = vec![0];
    let mut values = String::new();
    for url in urls {
        values.push_str(url);
        // Arrow's 32-bit offsets; columns over 2 GiB take i64.
        offsets.push(i32::try_from(values.len()).expect("less than 2 GiB"));
    }
    decode_utf8(&Column::new(values.as_bytes(), &offsets)?, &Decoder::new(), OnError::Null)
}

/// The rows of a column of text; `None` is null.
pub fn rows(column: &ColumnBuf<i32>) -> Vec<Option<&str>> {
    let is_valid = |row: usize| column.validity.as_ref().is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1);
    let text = |row: usize| {
        let [start, end] = [column.offsets[row], column.offsets[row + 1]].map(|offset| offset as usize);
        str::from_utf8(&column.values[start..end]).expect("decode_utf8 makes UTF-8")
    };
    (0..column.offsets.len() - 1).map(|row| is_valid(row).then(|| text(row))).collect()
}
