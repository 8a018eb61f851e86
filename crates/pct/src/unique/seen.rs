//! The keys of all records so far.
#![forbid(unsafe_code)]

use std::sync::{Mutex, PoisonError};

use super::Keyed;
use super::table::Table;

/// The keys of all records so far, in input order.
#[derive(Default)]
pub(crate) struct Seen(Mutex<Keys>);

#[derive(Default)]
struct Keys {
    keys: Table,
    /// Keys of outputs that are complete.
    before: u64,
    duplicates: u64,
}

/// What `--unique` found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Summary {
    /// Records that were written.
    pub(crate) distinct: u64,
    /// Records that were not.
    pub(crate) duplicates: u64,
    /// The most bytes that the keys took.
    pub(crate) memory: u64,
}

impl Seen {
    /// Calls `write` with the parts of `output` to write: all but the records whose key was seen before.
    pub(crate) fn filter<E>(
        &self,
        output: &[u8],
        records: &[Keyed],
        mut write: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut start = 0;
        for record in records {
            if !table.keys.insert(record.key) {
                table.duplicates += 1;
                if start < record.start {
                    write(&output[start..record.start])?;
                }
                start = record.end;
            }
        }
        if start < output.len() { write(&output[start..]) } else { Ok(()) }
    }

    /// Begins another output, which has its own first records.
    pub(crate) fn forget(&self) {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.before += table.keys.len();
        table.keys.clear();
    }

    pub(crate) fn summary(&self) -> Summary {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Summary {
            distinct: table.before + table.keys.len(),
            duplicates: table.duplicates,
            memory: table.keys.most() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::{Keyed, Seen, Summary};

    #[test]
    fn parts_between_the_records_are_written_and_duplicates_are_not() {
        let seen = Seen::default();
        let keyed = |start, end, key| Keyed { start, end, key };
        for (output, records, expected) in [
            ("head a a b tail", &[keyed(5, 7, 1), keyed(7, 9, 1), keyed(9, 11, 2)][..], "head a b tail"),
            ("b a c", &[keyed(0, 2, 2), keyed(2, 4, 1), keyed(4, 5, 3)], "c"),
            ("c", &[keyed(0, 1, 3)], ""),
            ("", &[], ""),
        ] {
            let mut written = String::new();
            let Ok(()) = seen.filter::<Infallible>(output.as_bytes(), records, |part| {
                assert_ne!(part, b"");
                written += str::from_utf8(part).unwrap();
                Ok(())
            });
            assert_eq!(written, expected);
        }
        let Summary { distinct, duplicates, memory } = seen.summary();
        assert_eq!((distinct, duplicates), (3, 4));
        assert!((3 * 16..2000).contains(&memory), "{memory}");
        seen.forget();
        let Ok(()) = seen.filter::<Infallible>(b"a", &[keyed(0, 1, 1)], |_| Ok(()));
        assert_eq!((seen.summary().distinct, seen.summary().duplicates), (4, 4));
    }
}
