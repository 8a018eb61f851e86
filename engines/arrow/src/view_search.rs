//! Finds the rows of a view array that contain a byte of a set. Values that are adjacent in a
//! buffer are searched with one call.
#![forbid(unsafe_code)]

use std::ops::Range;

use arrow_array::types::ByteViewType;
use arrow_array::{Array, GenericByteViewArray};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::{ByteView, MAX_INLINE_VIEW_LEN};
use simdpct::ByteSet;

/// Maximum number of bytes to search beyond the end of a value. The search is wasted if the next
/// value is elsewhere.
const MOST_AHEAD: usize = 4096;

/// Finds the rows that contain a byte of `set`, except for `nulls`.
pub(crate) fn rows_holding<T: ByteViewType>(
    array: &GenericByteViewArray<T>,
    nulls: Option<&NullBuffer>,
    set: &ByteSet,
) -> Vec<usize> {
    let mut search = Search { set, buffers: array.data_buffers(), buffer: 0, clean: 0..0, is_hit: false, ahead: 0 };
    let mut holds = |row: usize| {
        let view = ByteView::from(array.views()[row]);
        if view.length <= MAX_INLINE_VIEW_LEN {
            set.find(AsRef::<[u8]>::as_ref(array.value(row))).is_some()
        } else {
            search.holds(view)
        }
    };
    let is_valid = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
    (0..array.len()).filter(|&row| is_valid(row) && holds(row)).collect()
}

/// A search in the buffers of an array.
///
/// Most arrays store the values of consecutive rows one after another in a buffer. With values of
/// some 60 bytes, a call for each value takes three times as long as one call for all.
struct Search<'a> {
    set: &'a ByteSet,
    buffers: &'a [Buffer],
    /// The buffer that was searched last.
    buffer: u32,
    /// A part of this buffer without bytes of the set.
    clean: Range<usize>,
    /// Whether a byte of the set follows this part.
    is_hit: bool,
    /// Number of bytes to search beyond the end of a value. Doubled while values are adjacent.
    ahead: usize,
}

impl Search<'_> {
    fn holds(&mut self, view: ByteView) -> bool {
        let start = view.offset as usize;
        let end = start + view.length as usize;
        let bytes = self.buffers[view.buffer_index as usize].as_slice();
        let is_next =
            view.buffer_index == self.buffer && (self.clean.start..self.clean.end + MOST_AHEAD).contains(&start);
        if !is_next {
            self.ahead = 0;
        }
        if !is_next || start > self.clean.end {
            (self.buffer, self.clean, self.is_hit) = (view.buffer_index, start..start, false);
        }
        if !self.is_hit && self.clean.end < end {
            let rest = &bytes[self.clean.end..end.max((self.clean.end + self.ahead).min(bytes.len()))];
            let found = self.set.find(rest);
            self.is_hit = found.is_some();
            self.clean.end += found.unwrap_or(rest.len());
            self.ahead = (2 * self.ahead).max(end - start).min(MOST_AHEAD);
        }
        self.clean.end < end
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::builder::StringViewBuilder;
    use arrow_array::{Array, StringViewArray};
    use arrow_buffer::NullBuffer;
    use simdpct::ByteSet;

    use super::rows_holding;

    /// Values with and without a `%`, inline and in several buffers, in the order of the buffers,
    /// reversed, and shuffled: exactly the rows whose value contains a `%` are found.
    #[test]
    fn rows_in_any_order_are_found_as_one_by_one() {
        let values: Vec<_> = (0..5000_usize)
            .map(|number| {
                let mut value = "a".repeat(number * 7919 % 97);
                // Runs of values without a `%` are shorter and longer than the look-ahead.
                if number * number % 1009 < number / 8 {
                    value.insert(number % (value.len() + 1), '%');
                }
                value
            })
            .collect();
        let array = {
            let mut builder = StringViewBuilder::new().with_fixed_block_size(1 << 14);
            values.iter().enumerate().for_each(|(row, value)| builder.append_option((row % 31 != 0).then_some(value)));
            builder.finish()
        };
        assert!(array.data_buffers().len() > 5);
        let rows = || 0..values.len() as u32;
        for order in [
            rows().collect::<Vec<_>>(),
            rows().rev().collect(),
            rows().map(|row| row * 4001 % 5000).collect(),
            rows().map(|row| row / 3 + row % 3 * 50).collect(),
            rows().filter(|row| row % 40 == 0).collect(),
        ] {
            let views: Vec<_> = order.iter().map(|&row| array.views()[row as usize]).collect();
            let nulls = NullBuffer::from_iter(order.iter().map(|&row| array.is_valid(row as usize)));
            let taken = StringViewArray::new(views.into(), array.data_buffers().to_vec(), Some(nulls));
            let expected: Vec<_> =
                (0..taken.len()).filter(|&row| taken.is_valid(row) && taken.value(row).contains('%')).collect();
            assert_eq!(rows_holding(&taken, taken.nulls(), &ByteSet::new(b"%")), expected, "{:?}", &order[..5]);
            assert!(!expected.is_empty() && expected.len() < taken.len() / 2);
        }
    }
}
