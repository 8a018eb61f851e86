//! Columns of strings in ClickHouse's format `Buffers`: the number of columns, of rows and of
//! bytes, as 64 bits each, and then the rows, each after its length in groups of seven bits, the
//! lowest first. A Nullable column has a byte for each row before the rows, 1 for NULL.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use simdpct::columns::ColumnBuf;

const HEAD: usize = 24;

/// The rows of the only column. Panics if they are cut off, or longer than 2 GiB.
pub(crate) fn read(input: &[u8], rows: u32) -> ColumnBuf<i32> {
    let mut rest = &input[HEAD..];
    let mut column = ColumnBuf::new();
    column.values.reserve(rest.len());
    column.offsets.reserve(rows as usize);
    for _ in 0..rows {
        let length = read_length(&mut rest);
        let (text, after) = rest.split_at(length);
        column.values.extend_from_slice(text);
        column.offsets.push(i32::try_from(column.values.len()).expect("less than 2 GiB"));
        rest = after;
    }
    column
}

fn read_length(rest: &mut &[u8]) -> usize {
    let mut length = 0;
    for shift in (0..usize::BITS).step_by(7) {
        let (&byte, after) = rest.split_first().expect("a length");
        *rest = after;
        length |= usize::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    length
}

/// Rows, with a null map if the column is Nullable.
pub(crate) fn write(values: &[u8], offsets: &[i32], nulls: Option<&[u8]>) -> Vec<u8> {
    let rows = offsets.len() - 1;
    let nulls = nulls.unwrap_or_default();
    // Most lengths take a byte or two.
    let mut output = Vec::with_capacity(HEAD + nulls.len() + values.len() + 2 * rows);
    output.extend_from_slice(&1_u64.to_le_bytes());
    output.extend_from_slice(&(rows as u64).to_le_bytes());
    output.extend_from_slice(&[0; 8]);
    output.extend_from_slice(nulls);
    for ends in offsets.windows(2) {
        let text = &values[ends[0] as usize..ends[1] as usize];
        let mut length = text.len();
        while length >= 0x80 {
            output.push(length as u8 | 0x80);
            length >>= 7;
        }
        output.push(length as u8);
        output.extend_from_slice(text);
    }
    let size = output.len() - HEAD;
    output[16..HEAD].copy_from_slice(&(size as u64).to_le_bytes());
    output
}
