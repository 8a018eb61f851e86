//! `--count` and `--top`: the number of records of each output.
#![forbid(unsafe_code)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::table::Table;

/// The least number of bytes by which a list grows; later, it grows by an eighth.
const LEAST: usize = 1 << 12;

/// Distinct outputs in the order of their first occurrence, and how often each occurred.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// The numbers of the outputs.
    numbers: Table<usize>,
    outputs: Vec<Output>,
    /// The texts of all outputs.
    text: Vec<u8>,
}

#[derive(Debug)]
struct Output {
    count: u64,
    /// The end of its text. The text of the next output begins there.
    end: usize,
}

impl Counts {
    /// Counts an output. Returns whether it is new.
    pub(super) fn add(&mut self, key: u128, text: &[u8]) -> bool {
        if let Some(number) = self.numbers.insert(key, self.outputs.len()) {
            self.outputs[number].count += 1;
            return false;
        }
        grow(&mut self.text, text.len());
        self.text.extend_from_slice(text);
        grow(&mut self.outputs, 1);
        self.outputs.push(Output { count: 1, end: self.text.len() });
        true
    }

    /// Number of distinct outputs.
    pub(super) fn len(&self) -> u64 {
        self.numbers.len()
    }

    /// The bytes that it takes at most.
    pub(super) fn most(&self) -> usize {
        self.numbers.most() + self.outputs.capacity() * size_of::<Output>() + self.text.capacity()
    }

    /// All counts and texts, in the order of their first occurrence.
    pub(super) fn all(&self) -> impl Iterator<Item = (u64, &[u8])> {
        (0..self.outputs.len()).map(|number| self.output(number))
    }

    /// The greatest counts and their texts, in descending order; of equal counts, the first.
    pub(super) fn top(&self, most: usize) -> impl Iterator<Item = (u64, &[u8])> {
        let mut top = BinaryHeap::new();
        for (number, output) in self.outputs.iter().enumerate() {
            // The least of the heap is at its top.
            top.push(Reverse((output.count, Reverse(number))));
            if top.len() > most {
                top.pop();
            }
        }
        top.into_sorted_vec().into_iter().map(|Reverse((_, Reverse(number)))| self.output(number))
    }

    fn output(&self, number: usize) -> (u64, &[u8]) {
        let start = number.checked_sub(1).map_or(0, |before| self.outputs[before].end);
        let Output { count, end } = self.outputs[number];
        (count, &self.text[start..end])
    }
}

/// Makes room for more items, with less to spare than the standard library would add.
fn grow<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 8).max(LEAST / size_of::<T>()));
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    #[test]
    fn outputs_are_counted_and_sorted() {
        let mut counts = Counts::default();
        for (key, text) in [(7, "b"), (9, "a"), (1, ""), (9, "a"), (3, "c"), (7, "b"), (9, "a")] {
            counts.add(key, text.as_bytes());
        }
        let shown = |(count, text): (u64, &[u8])| format!("{count}{}", str::from_utf8(text).unwrap());
        assert_eq!(counts.all().map(shown).collect::<Vec<_>>(), ["2b", "3a", "1", "1c"]);
        for (most, expected) in [(1, &["3a"][..]), (2, &["3a", "2b"]), (3, &["3a", "2b", "1"])] {
            assert_eq!(counts.top(most).map(shown).collect::<Vec<_>>(), expected);
        }
        assert_eq!(counts.top(usize::MAX).map(shown).collect::<Vec<_>>(), ["3a", "2b", "1", "1c"]);
        assert_eq!(counts.len(), 4);
    }
}
