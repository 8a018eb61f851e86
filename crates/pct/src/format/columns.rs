//! Lists of column numbers in the syntax of `cut`: `3,5`, `2-4`, `7-`, `-2`.
#![forbid(unsafe_code)]

use std::fmt;
use std::str::FromStr;

/// A set of columns, counted from 1 in the list and from 0 in the methods.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Columns {
    /// First and last column, from 0; sorted and disjoint.
    ranges: Vec<(usize, usize)>,
}

impl Columns {
    /// Single columns.
    pub(crate) fn of(columns: impl IntoIterator<Item = usize>) -> Self {
        Self::joined(columns.into_iter().map(|column| (column, column)).collect())
    }

    /// Whether it has one column only.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self.ranges[..], [(first, last)] if first == last)
    }

    pub(crate) fn contains(&self, column: usize) -> bool {
        self.ranges.iter().any(|&(first, last)| (first..=last).contains(&column))
    }

    /// The last column of the set.
    pub(crate) fn last(&self) -> usize {
        self.ranges.last().map_or(0, |&(_, last)| last)
    }

    /// The minimum number of columns at which a record has at least one
    /// column of each range.
    pub(crate) fn min_width(&self) -> usize {
        self.ranges.last().map_or(0, |&(first, _)| first.saturating_add(1))
    }

    /// The ranges that lie entirely beyond `width` columns.
    pub(crate) fn ranges_beyond(&self, width: usize) -> impl Iterator<Item = Range> {
        self.ranges.iter().filter(move |&&(first, _)| first >= width).map(|&(first, last)| Range { first, last })
    }

    /// Checks that a record of `width` columns has all columns of the list.
    pub(crate) fn check(&self, width: usize) -> Result<(), String> {
        let is_missing = |&&(first, last): &&(usize, usize)| first >= width || (last != usize::MAX && last >= width);
        match self.ranges.iter().find(is_missing) {
            None => Ok(()),
            Some(&(first, last)) => {
                Err(format!("invalid column '{}': expected numbers from 1 to {width}", Range { first, last }))
            }
        }
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

/// A range of columns; displayed as in the list.
pub(crate) struct Range {
    first: usize,
    last: usize,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `last` is `usize::MAX` for an open range.
        match (self.first + 1, self.last.wrapping_add(1)) {
            (first, 0) => write!(f, "{first}-"),
            (first, last) if first == last => write!(f, "{first}"),
            (first, last) => write!(f, "{first}-{last}"),
        }
    }
}

impl FromStr for Columns {
    type Err = String;

    fn from_str(list: &str) -> Result<Self, String> {
        let number = |text: &str| match text.parse::<usize>() {
            Ok(0) => Err(format!("invalid column '{text}': expected a number from 1 on")),
            Ok(number) => Ok(number - 1),
            Err(_) => Err(format!("invalid column '{text}': expected a number or a range, as in 3,5-7,9-")),
        };
        let range = |text: &str| match text.split_once('-') {
            None => number(text).map(|column| (column, column)),
            Some(("", "")) => Err("invalid range '-': expected a first or a last column, as in 9- or -2".to_owned()),
            Some((first, "")) => Ok((number(first)?, usize::MAX)),
            Some(("", last)) => Ok((0, number(last)?)),
            Some((first, last)) => match (number(first)?, number(last)?) {
                (first, last) if first <= last => Ok((first, last)),
                _ => Err(format!("invalid range '{text}': expected the lower number first")),
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
    fn columns_beyond_a_width_are_named() {
        for (list, width, beyond, error) in [
            ("1,3", 3, "", None),
            ("1,3", 2, "3", Some("3")),
            ("2-4", 3, "", Some("2-4")),
            ("2-4,9,12-", 1, "2-4 9 12-", Some("2-4")),
            ("3-", 3, "", None),
            ("4-", 3, "4-", Some("4-")),
        ] {
            let columns: Columns = list.parse().unwrap();
            let found: Vec<_> = columns.ranges_beyond(width).map(|range| range.to_string()).collect();
            assert_eq!(found.join(" "), beyond, "{list} of {width}");
            let expected = error.map(|range| format!("invalid column '{range}': expected numbers from 1 to {width}"));
            assert_eq!(columns.check(width).err(), expected, "{list} of {width}");
        }
    }

    #[test]
    fn malformed_lists_are_rejected() {
        for list in ["", "0", "a", "1,", ",1", "-", "3-2", "1-2-3", "1 2", "+", "0-1", "99999999999999999999"] {
            assert!(list.parse::<Columns>().is_err(), "{list}");
        }
    }
}
