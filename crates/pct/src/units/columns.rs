//! Lists of columns by number, as `cut` reads them: `3,5`, `2-4`, `7-`, `-2`.
#![forbid(unsafe_code)]

use std::str::FromStr;

/// Columns that are meant, counted from 1 in the list and from 0 in questions.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Columns {
    /// First and last, from 0, in order and apart from each other.
    ranges: Vec<(usize, usize)>,
}

impl Columns {
    /// Single columns, counted from 0.
    pub(crate) fn of(columns: impl IntoIterator<Item = usize>) -> Self {
        Self::joined(columns.into_iter().map(|column| (column, column)).collect())
    }

    pub(crate) fn contains(&self, column: usize) -> bool {
        self.ranges.iter().any(|&(first, last)| (first..=last).contains(&column))
    }

    /// The last one that is meant: all behind it are not.
    pub(crate) fn last(&self) -> usize {
        self.ranges.last().map_or(0, |&(_, last)| last)
    }

    fn joined(mut ranges: Vec<(usize, usize)>) -> Self {
        ranges.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match joined.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => joined.push((first, last)),
            }
        }
        Self { ranges: joined }
    }
}

impl FromStr for Columns {
    type Err = String;

    fn from_str(list: &str) -> Result<Self, String> {
        let number = |text: &str| match text.parse::<usize>() {
            Ok(0) => Err("columns are counted from 1".to_owned()),
            Ok(number) => Ok(number - 1),
            Err(_) => Err(format!("'{text}' is no column: they are numbers and ranges, as in 3,5-7,9-")),
        };
        let range = |text: &str| match text.split_once('-') {
            None => number(text).map(|column| (column, column)),
            Some(("", "")) => Err("'-' is no range".to_owned()),
            Some((first, "")) => Ok((number(first)?, usize::MAX)),
            Some(("", last)) => Ok((0, number(last)?)),
            Some((first, last)) => match (number(first)?, number(last)?) {
                (first, last) if first <= last => Ok((first, last)),
                _ => Err(format!("'{text}' is no range: it ends before it begins")),
            },
        };
        list.split(',').map(range).collect::<Result<_, _>>().map(Self::joined)
    }
}

#[cfg(test)]
mod tests {
    use super::Columns;

    #[test]
    fn lists_are_read_as_cut_reads_them() {
        for (list, meant) in [
            ("1", &[0][..]),
            ("3,1", &[0, 2]),
            ("2-4", &[1, 2, 3]),
            ("-2", &[0, 1]),
            ("8-", &[7, 8, 9]),
            ("2-4,3,4-6,1-1", &[0, 1, 2, 3, 4, 5]),
            ("5-,9", &[4, 5, 6, 7, 8, 9]),
        ] {
            let columns: Columns = list.parse().unwrap();
            let found: Vec<_> = (0..10).filter(|&column| columns.contains(column)).collect();
            assert_eq!(found, meant, "{list}");
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for list in ["", "0", "a", "1,", ",1", "-", "3-2", "1-2-3", "1 2", "+", "0-1", "99999999999999999999"] {
            assert!(list.parse::<Columns>().is_err(), "{list}");
        }
    }
}
