//! Decides which records are written: by the keys of all records so far, and by the keys of other
//! files.
#![forbid(unsafe_code)]

use std::num::NonZero;
use std::sync::{Mutex, MutexGuard};

use super::counts::Counts;
use super::table::Table;
use super::{Comparison, Kept, Keyed, Secret};
use crate::lock::lock;

/// The keys of all records so far, in input order, and of the records of other files.
pub(crate) struct Seen {
    pub(crate) comparison: Comparison,
    pub(crate) secret: Secret,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    keys: Table,
    counts: Counts,
    /// Keys of outputs that are complete.
    before: u64,
    duplicates: u64,
    others: Option<Others>,
    /// Records that are not written because of the others.
    left_out: u64,
}

/// The keys of the records of other files.
#[derive(Default)]
pub(crate) struct Others {
    /// Records with these keys are not written.
    pub(crate) not_in: Option<Table>,
    /// Only records with these keys are written.
    pub(crate) only_in: Option<Table>,
}

/// The numbers that comparing found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Summary {
    /// Unless all records are kept.
    pub(crate) distinct: Option<Distinct>,
    /// With other files.
    pub(crate) compared: Option<Compared>,
}

/// Records that are compared with each other.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Distinct {
    /// Distinct records, which were written or counted.
    pub(crate) distinct: u64,
    /// All others.
    pub(crate) duplicates: u64,
    /// The most bytes that keys and counts took.
    pub(crate) memory: u64,
}

/// Records that are compared with records of other files.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Compared {
    /// Distinct records of the files.
    pub(crate) listed: u64,
    /// Records that were not written because of them.
    pub(crate) left_out: u64,
    /// The most bytes that the keys of the files took.
    pub(crate) memory: u64,
}

impl Others {
    fn keeps(&self, key: u128) -> bool {
        self.not_in.as_ref().is_none_or(|keys| !keys.contains(key))
            && self.only_in.as_ref().is_none_or(|keys| keys.contains(key))
    }

    fn sum(&self, each: impl Fn(&Table) -> u64) -> u64 {
        self.not_in.iter().chain(&self.only_in).map(each).sum()
    }
}

impl Seen {
    pub(crate) fn new(comparison: Comparison, secret: Secret) -> Self {
        Self { comparison, secret, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Compares with the records of other files, too.
    pub(crate) fn compare_with(&self, others: Others) {
        self.state().others = Some(others);
    }

    /// The keys of all records of one output.
    pub(crate) fn into_keys(self) -> Table {
        std::mem::take(&mut self.state().keys)
    }

    /// Removes the records from an output that are not written now.
    pub(crate) fn filter(&self, output: &mut Vec<u8>, records: &[Keyed]) {
        let mut state = self.state();
        // The output is kept up to `kept`, and from `rest` on.
        let (mut kept, mut rest) = (0, 0);
        for record in records {
            if !state.keeps(self.comparison.kept, record.key, &output[record.start..record.end]) {
                output.copy_within(rest..record.start, kept);
                kept += record.start - rest;
                rest = record.end;
            }
        }
        output.copy_within(rest.., kept);
        output.truncate(kept + output.len() - rest);
    }

    /// Whether a record with this key and output is written now.
    #[cfg(feature = "columns")]
    pub(crate) fn keeps(&self, key: Option<u128>, output: &[u8]) -> bool {
        match key {
            None => self.comparison.keeps_keyless,
            Some(key) => self.state().keeps(self.comparison.kept, key, output),
        }
    }

    /// Begins another output, which has its own first records.
    pub(crate) fn forget(&self) {
        let mut state = self.state();
        state.before += state.keys.len();
        state.keys.clear();
    }

    /// Calls `write` with each count and its output: in the order of their first occurrence, or the
    /// `top` greatest ones in descending order.
    pub(crate) fn each_count<E>(
        &self,
        top: Option<NonZero<usize>>,
        write: impl FnMut((u64, &[u8])) -> Result<(), E>,
    ) -> Result<(), E> {
        let state = self.state();
        match top {
            None => state.counts.all().try_for_each(write),
            Some(top) => state.counts.top(top.get()).try_for_each(write),
        }
    }

    pub(crate) fn summary(&self) -> Summary {
        let state = self.state();
        let distinct = Distinct {
            distinct: state.before + state.keys.len() + state.counts.len(),
            duplicates: state.duplicates,
            memory: (state.keys.most() + state.counts.most()) as u64,
        };
        let compared = state.others.as_ref().map(|others| Compared {
            listed: others.sum(Table::len),
            left_out: state.left_out,
            memory: others.sum(|keys| keys.most() as u64),
        });
        Summary { distinct: (self.comparison.kept != Kept::All).then_some(distinct), compared }
    }
}

impl State {
    /// Whether a record with this key and output is written now.
    fn keeps(&mut self, kept: Kept, key: u128, output: &[u8]) -> bool {
        if self.others.as_ref().is_some_and(|others| !others.keeps(key)) {
            self.left_out += 1;
            return false;
        }
        let is_new = match kept {
            Kept::All => true,
            Kept::First => self.keys.insert(key, ()).is_none(),
            Kept::Counts => self.counts.add(key, output),
        };
        self.duplicates += u64::from(!is_new);
        is_new && kept != Kept::Counts
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::{Compared, Distinct, Keyed, Others, Seen, Summary};
    use crate::unique::{By, Comparison, Kept, Secret, Table};

    fn seen(kept: Kept) -> Seen {
        Seen::new(Comparison { by: By::Fields, kept, keeps_keyless: true }, Secret::random())
    }

    fn keyed(start: usize, end: usize, key: u128) -> Keyed {
        Keyed { start, end, key }
    }

    fn written(seen: &Seen, output: &str, records: &[Keyed]) -> String {
        let mut output = output.as_bytes().to_vec();
        seen.filter(&mut output, records);
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn parts_between_the_records_are_written_and_duplicates_are_not() {
        let seen = seen(Kept::First);
        for (output, records, expected) in [
            ("head a a b tail", &[keyed(5, 7, 1), keyed(7, 9, 1), keyed(9, 11, 2)][..], "head a b tail"),
            ("b a c", &[keyed(0, 2, 2), keyed(2, 4, 1), keyed(4, 5, 3)], "c"),
            ("c", &[keyed(0, 1, 3)], ""),
            ("", &[], ""),
        ] {
            assert_eq!(written(&seen, output, records), expected);
        }
        let Distinct { distinct, duplicates, memory } = seen.summary().distinct.unwrap();
        assert_eq!((distinct, duplicates), (3, 4));
        assert!((3 * 16..2000).contains(&memory), "{memory}");
        seen.forget();
        written(&seen, "a", &[keyed(0, 1, 1)]);
        let Distinct { distinct, duplicates, .. } = seen.summary().distinct.unwrap();
        assert_eq!((distinct, duplicates), (4, 4));
    }

    #[test]
    fn counted_records_are_written_at_the_end() {
        let seen = seen(Kept::Counts);
        let records = [keyed(5, 7, 1), keyed(7, 9, 2), keyed(9, 11, 2)];
        assert_eq!(written(&seen, "head a b b ", &records), "head ");
        let mut counts = Vec::new();
        let Ok(()) = seen.each_count::<Infallible>(None, |(count, text)| {
            counts.push((count, text.to_vec()));
            Ok(())
        });
        assert_eq!(counts, [(1, b"a ".to_vec()), (2, b"b ".to_vec())]);
        let Distinct { distinct, duplicates, .. } = seen.summary().distinct.unwrap();
        assert_eq!((distinct, duplicates), (2, 1));
    }

    #[test]
    fn records_are_written_if_other_files_allow_it() {
        let set = |keys: &[u128]| {
            let mut table = Table::default();
            assert!(keys.iter().all(|&key| table.insert(key, ()).is_none()));
            Some(table)
        };
        let records = [keyed(0, 1, 1), keyed(1, 2, 2), keyed(2, 3, 3), keyed(3, 4, 2)];
        for (not_in, only_in, expected, listed) in [
            (set(&[1, 9]), None, "bcb", 2),
            (None, set(&[2, 3]), "bcb", 2),
            (set(&[3]), set(&[1, 3]), "a", 3),
            (None, set(&[]), "", 0),
        ] {
            let seen = seen(Kept::All);
            seen.compare_with(Others { not_in, only_in });
            assert_eq!(written(&seen, "abcb", &records), expected);
            let Summary { distinct, compared } = seen.summary();
            let Compared { listed: found, left_out, .. } = compared.unwrap();
            assert_eq!((distinct, found, left_out), (None, listed, 4 - expected.len() as u64));
        }
    }
}
