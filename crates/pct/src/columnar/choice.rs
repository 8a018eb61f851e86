//! Selection of columns by name or number.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::format::Columns;

/// A column, or a leaf of a nested one.
pub(super) struct Column {
    /// Number of the column in the file, from 0.
    pub(super) number: usize,
    /// Name of the column in the file.
    pub(super) name: String,
    /// The names from the column to the leaf, with a '.' between them.
    pub(super) path: String,
    /// Whether it has strings or binary values.
    pub(super) is_supported: bool,
    /// Its type, for messages.
    pub(super) kind: String,
}

/// Indexes of the selected columns, in the order of the file.
pub(super) fn choose(columns: &[Column], selected: &[String]) -> Result<Vec<usize>, String> {
    let width = columns.iter().map(|column| column.number + 1).max().unwrap_or(0);
    let mut chosen = BTreeSet::new();
    if let Ok(numbers) = selected.join(",").parse::<Columns>() {
        numbers.check(width)?;
        let indexes: Vec<_> = (0..columns.len()).filter(|&at| numbers.contains(columns[at].number)).collect();
        supported(columns, &indexes, &selected.join(","), &mut chosen)?;
    } else {
        for name in selected {
            let is_named = |column: &Column| column.name == *name || column.path == *name;
            let indexes: Vec<_> = (0..columns.len()).filter(|&at| is_named(&columns[at])).collect();
            if indexes.is_empty() {
                let mut names: Vec<_> = columns.iter().map(|column| &column.name[..]).collect();
                names.dedup();
                return Err(format!("invalid column '{name}': expected one of {}", names.join(", ")));
            }
            supported(columns, &indexes, name, &mut chosen)?;
        }
    }
    Ok(chosen.into_iter().collect())
}

/// Adds the columns that have strings or binary values, if there is one.
fn supported(columns: &[Column], indexes: &[usize], name: &str, chosen: &mut BTreeSet<usize>) -> Result<(), String> {
    let before = chosen.len();
    chosen.extend(indexes.iter().filter(|&&at| columns[at].is_supported));
    match indexes.first() {
        Some(&first) if chosen.len() == before && !indexes.iter().any(|at| chosen.contains(at)) => {
            let kind = &columns[first].kind;
            Err(format!("invalid column '{name}': expected strings or binary values, found {kind}"))
        }
        _ => Ok(()),
    }
}

/// The name of a new column, unless there is one of that name.
pub(super) fn new_name(columns: &[Column], name: &str, suffix: &str) -> Result<String, String> {
    let new = format!("{name}{suffix}");
    match columns.iter().any(|column| column.name == new) {
        true => Err(format!("invalid new column '{new}': expected a name that the file does not have")),
        false => Ok(new),
    }
}

/// Interns a column name for the rest of the process, because findings refer to it as `&'static
/// str`. Each distinct name is leaked once.
pub(super) fn intern(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kept) = names.get(name) {
        return kept;
    }
    let kept = String::from(name).leak();
    names.insert(kept);
    kept
}

#[cfg(test)]
mod tests {
    use super::{Column, choose};

    #[test]
    fn columns_are_selected_by_name_path_or_number() {
        let column = |number, path: &str, is_supported| Column {
            number,
            name: path.split('.').next().unwrap_or_default().into(),
            path: path.into(),
            is_supported,
            kind: "INT64".into(),
        };
        let columns = [
            column(0, "id", false),
            column(1, "url", true),
            column(2, "tags.list.element", true),
            column(3, "place.name", true),
            column(3, "place.number", false),
        ];
        for (selected, expected) in [
            (&["url"][..], &[1][..]),
            (&["place", "url"], &[1, 3]),
            (&["tags.list.element"], &[2]),
            (&["2"], &[1]),
            (&["2-"], &[1, 2, 3]),
        ] {
            let selected: Vec<_> = selected.iter().copied().map(String::from).collect();
            assert_eq!(choose(&columns, &selected).unwrap(), expected, "{selected:?}");
        }
        for (selected, message) in [
            ("id", "expected strings or binary values, found INT64"),
            ("place.number", "expected strings or binary values, found INT64"),
            ("URL", "expected one of id, url, tags, place"),
            ("5", "expected numbers from 1 to 4"),
        ] {
            let found = choose(&columns, &[selected.to_owned()]).unwrap_err();
            assert!(found.contains(message), "{found}");
        }
    }
}
