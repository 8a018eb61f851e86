//! `RowSet`: which rows hold a byte of a set, found without converting anything.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use super::rows::{CHUNK, Ranks};
use super::{Column, Offset, bit};
use crate::byteset::ByteSet;
use crate::driver::batch::Selection;
use crate::input::Input;
use crate::level::Level;

/// A set of rows: a bitmap with one bit per row, in the layout of Arrow's boolean arrays.
///
/// Returned by [`Column::rows_holding`] and [`rows_holding`].
///
/// ```
/// use simdpct::ByteSet;
/// use simdpct::columns::rows_holding;
///
/// let escaped = rows_holding([Some("a%20b"), Some("c"), None, Some("%")], &ByteSet::new(b"%"));
/// assert_eq!((escaped.len(), escaped.count()), (4, 2));
/// assert!(escaped.contains(3) && !escaped.contains(2) && !escaped.contains(4));
/// assert_eq!(escaped.iter().collect::<Vec<_>>(), [0, 3]);
/// assert_eq!(escaped.into_bitmap(), [0b1001]);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RowSet {
    bitmap: Vec<u8>,
    rows: usize,
}

impl RowSet {
    fn new() -> Self {
        Self { bitmap: Vec::new(), rows: 0 }
    }

    #[inline]
    fn push(&mut self, is_member: bool) {
        let byte = u8::from(is_member) << (self.rows % 8);
        match self.bitmap.last_mut() {
            Some(last) if !self.rows.is_multiple_of(8) => *last |= byte,
            _ => self.bitmap.push(byte),
        }
        self.rows += 1;
    }

    /// Number of rows of the input, members or not.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows
    }

    /// Whether the input has no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Whether this row is a member; `false` if it does not exist.
    #[must_use]
    #[inline]
    pub fn contains(&self, row: usize) -> bool {
        row < self.rows && bit(&self.bitmap, row)
    }

    /// Number of members.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bitmap.iter().map(|byte| byte.count_ones() as usize).sum()
    }

    /// The members, in ascending order. Takes the time to read the bitmap, and a few instructions
    /// per member.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.bitmap.iter().zip((0..).step_by(8)).flat_map(|(&byte, first)| {
            let mut rest = byte;
            core::iter::from_fn(move || {
                let row = (rest != 0).then(|| first + rest.trailing_zeros() as usize);
                rest &= rest.wrapping_sub(1);
                row
            })
        })
    }

    /// The bitmap: one bit per row, starting with the lowest bit of the first byte. Bits after the
    /// last row are 0. Moved, not copied.
    #[must_use]
    pub fn into_bitmap(self) -> Vec<u8> {
        self.bitmap
    }
}

/// Finds the rows that hold a byte of a set; null rows (`None`) hold none.
///
/// For rows that are not in one buffer, such as Arrow's views and DuckDB's strings: an adapter
/// shares the rows that a conversion leaves unchanged, and converts the others with
/// [`Conversion::append_rows`](super::Conversion::append_rows).
/// [`Conversion::triggers`](super::Conversion::triggers) is the set to search for.
///
/// ```
/// use simdpct::columns::{ColumnBuf, Conversion, rows_holding};
/// use simdpct::Decoder;
///
/// let rows = ["plain", "a%20b", "also plain", "%2F"];
/// let conversion = Conversion::decode_utf8(&Decoder::new());
/// let changing = rows_holding(rows.map(Some), &conversion.triggers_in_text());
/// let mut changed = ColumnBuf::<i64>::new();
/// conversion.append_rows(changing.iter().map(|row| Some(rows[row])), &mut changed)?;
/// assert_eq!((changed.values, changed.offsets), (b"a b/".to_vec(), vec![0, 3, 4]));
/// # Ok::<(), simdpct::columns::ColumnError>(())
/// ```
#[must_use]
pub fn rows_holding<T: Input>(rows: impl IntoIterator<Item = Option<T>>, set: &ByteSet) -> RowSet {
    let rows = rows.into_iter();
    let mut found = RowSet::new();
    found.bitmap.reserve(rows.size_hint().0.div_ceil(8));
    rows.for_each(|row| found.push(row.is_some_and(|row| set.find(row.as_bytes()).is_some())));
    found
}

impl<O: Offset> Column<'_, O> {
    /// Finds the rows that hold a byte of a set; null rows hold none.
    ///
    /// ```
    /// use simdpct::ByteSet;
    /// use simdpct::columns::Column;
    ///
    /// let column = Column::new(b"a%20b", &[0_i32, 1, 4, 5])?;
    /// assert_eq!(column.rows_holding(&ByteSet::new(b"%b")).into_bitmap(), [0b110]);
    /// # Ok::<(), simdpct::columns::ColumnError>(())
    /// ```
    #[must_use]
    pub fn rows_holding(&self, set: &ByteSet) -> RowSet {
        self.holding(None, set)
    }

    /// Like [`rows_holding`](Self::rows_holding), on the given level.
    #[must_use]
    pub fn rows_holding_on(&self, level: Level, set: &ByteSet) -> RowSet {
        self.holding(Some(level), set)
    }

    fn holding(&self, level: Option<Level>, set: &ByteSet) -> RowSet {
        let mut found = RowSet::new();
        found.bitmap.reserve(self.len().div_ceil(8));
        let holds = |bytes: &[u8]| crate::driver::find(set, bytes, level).is_some();
        let Some(mut ranks) = Ranks::new(level) else {
            (0..self.len()).for_each(|row| found.push(self.row(row).is_some_and(holds)));
            return found;
        };
        while found.rows < self.len() {
            let first = found.rows;
            let end = self.chunk_end(first, CHUNK);
            if end == first {
                found.push(self.row(first).is_some_and(holds));
                continue;
            }
            // Null rows of a chunk are empty.
            ranks.fill(Selection::Members, set, self.bytes(first..end));
            let base = self.bound(first);
            let mut before = 0;
            for row in first..end {
                let after = ranks.rank(self.bound(row + 1) - base);
                found.push(after != before);
                before = after;
            }
        }
        found
    }
}
