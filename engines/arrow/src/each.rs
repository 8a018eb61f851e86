//! [`apply_each`]: operations that differ from row to row.
#![forbid(unsafe_code)]

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringArray, make_array};
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType};
use simdpct_functions::{InvalidOption, Operation};

use crate::error::InvalidValue;
use crate::{apply, return_type};

/// Applies an operation to each row of an array. The operation depends on the row's option. Rows
/// without an option become null.
///
/// Rows with the same option are processed together, wherever they are, so the time is linear in
/// the rows and the options. The result has the [`return_type`] of the operations, which is the
/// same for all options of a function. The result for a dictionary has the return type for the
/// dictionary's values.
///
/// `any_operation` is any of the operations: only the type of its result is used.
///
/// # Errors
///
/// Returns the errors of [`apply`], and [`ArrowError::ParseError`] for an option that `operation`
/// refuses. [`InvalidValue::row`] is the row in `array`. If several rows are invalid, the error has
/// any of them.
///
/// # Panics
///
/// Panics if the array has fewer rows than there are options.
///
/// ```
/// use arrow_array::{StringArray, cast::AsArray};
/// use simdpct_arrow::apply_each;
/// use simdpct_functions::Function;
///
/// let urls = StringArray::from(vec!["http://e.org/a", "http://e.org/a", "http://e.org/a"]);
/// let parts = StringArray::from(vec![Some("host"), None, Some("path")]);
/// let operation = |part: &str| Function::UrlPart.operation(Some(part));
/// let results = apply_each(&urls, &parts, operation, &operation("path")?)?;
/// assert_eq!(results.as_string::<i32>(), &StringArray::from(vec![Some("e.org"), None, Some("/a")]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply_each(
    array: &dyn Array,
    options: &StringArray,
    operation: impl Fn(&str) -> Result<Operation, InvalidOption>,
    any_operation: &Operation,
) -> Result<ArrayRef, ArrowError> {
    let array = &*unpacked(array)?;
    let invalid = |error: InvalidOption| ArrowError::ParseError(error.to_string());
    let groups = Groups::of(options);
    let operations = groups.options.iter().map(|option| operation(option).map_err(invalid));
    let operations = operations.collect::<Result<Vec<_>, _>>()?;
    if let [operation] = &operations[..]
        && options.null_count() == 0
    {
        return apply(array, operation);
    }
    let rows = groups.rows();
    let sorted = take(&array.to_data(), rows.iter().map(|&row| Some(row)), rows.len())?;
    let mut results = vec![apply(&array.slice(0, 0), any_operation)?.to_data()];
    for (group, operation) in operations.iter().enumerate() {
        let start = groups.starts[group];
        let result = apply(&sorted.slice(start, groups.starts[group + 1] - start), operation);
        results.push(result.map_err(|error| InvalidValue::with_row(error, |row| rows[start + row]))?.to_data());
    }
    debug_assert_eq!(*results[0].data_type(), return_type(any_operation, array.data_type())?);
    let mut merged = MutableArrayData::new(results.iter().collect(), true, options.len());
    // For each group, the number of rows that are already merged.
    let mut next = vec![0; operations.len()];
    for &group in &groups.of_rows {
        match group {
            Some(group) => {
                merged.try_extend(group + 1, next[group], next[group] + 1)?;
                next[group] += 1;
            }
            None => merged.try_extend_nulls(1)?,
        }
    }
    Ok(make_array(merged.freeze()))
}

/// Rows by their options.
struct Groups<'a> {
    /// Distinct, in the order of their first rows.
    options: Vec<&'a str>,
    /// The group of each row: an index of `options`.
    of_rows: Vec<Option<usize>>,
    /// With the rows in the order of groups: the start of each group, and the end of the last
    /// group.
    starts: Vec<usize>,
}

impl<'a> Groups<'a> {
    fn of(options: &'a StringArray) -> Self {
        let mut groups = HashMap::new();
        let mut distinct = Vec::new();
        let mut lengths: Vec<usize> = Vec::new();
        let mut of_rows = Vec::with_capacity(options.len());
        let mut last: Option<(&str, usize)> = None;
        for option in options {
            let group = option.map(|option| match last {
                Some((same, group)) if same == option => group,
                _ => *groups.entry(option).or_insert_with(|| {
                    distinct.push(option);
                    lengths.push(0);
                    distinct.len() - 1
                }),
            });
            if let Some((option, group)) = option.zip(group) {
                lengths[group] += 1;
                last = Some((option, group));
            }
            of_rows.push(group);
        }
        let mut starts = vec![0];
        for length in lengths {
            starts.push(starts[starts.len() - 1] + length);
        }
        Self { options: distinct, of_rows, starts }
    }

    /// The rows with options, in the order of groups.
    fn rows(&self) -> Vec<usize> {
        let mut next = self.starts.clone();
        let mut rows = vec![0; self.starts[self.options.len()]];
        for (row, group) in self.of_rows.iter().enumerate() {
            if let Some(group) = *group {
                rows[next[group]] = row;
                next[group] += 1;
            }
        }
        rows
    }
}

/// Turns a dictionary into an array with a value for each row. Otherwise each conversion of a part
/// of the dictionary would convert all of its values.
pub(crate) fn unpacked(array: &dyn Array) -> Result<ArrayRef, ArrowError> {
    if !matches!(array.data_type(), DataType::Dictionary(..)) {
        return Ok(array.slice(0, array.len()));
    }
    let dictionary = array.as_any_dictionary();
    let keys = if dictionary.values().is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
    let values = keys.into_iter().enumerate().map(|(row, key)| array.is_valid(row).then_some(key));
    take(&dictionary.values().to_data(), values, array.len())
}

/// Takes rows of an array in another order; `None` becomes null.
fn take(data: &ArrayData, rows: impl Iterator<Item = Option<usize>>, count: usize) -> Result<ArrayRef, ArrowError> {
    let mut taken = MutableArrayData::new(vec![data], true, count);
    for row in rows {
        match row {
            Some(row) => taken.try_extend(0, row, row + 1)?,
            None => taken.try_extend_nulls(1)?,
        }
    }
    Ok(make_array(taken.freeze()))
}
