//! The types that each function takes and returns, and its errors as DataFusion's.

use datafusion::arrow::array::{Array, ArrayRef, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::error::ArrowError;
use datafusion::common::{Result, exec_datafusion_err, plan_err};
use datafusion::error::DataFusionError;
use simdpct_arrow::InvalidValue;
use simdpct_functions::Function;

/// The types that the arguments are cast to. Strings, binary values and dictionaries of them are
/// taken as they are.
pub(crate) fn coerce(function: Function, types: &[DataType]) -> Result<Vec<DataType>> {
    let arity = function.arity();
    if !arity.contains(&types.len()) {
        let (fewest, most) = arity.into_inner();
        let expected = if fewest == most { fewest.to_string() } else { format!("{fewest} or {most}") };
        return plan_err!("{} takes {expected} arguments, not {}", function.name(), types.len());
    }
    let mut coerced = vec![coerce_first(function, &types[0])?];
    for option in &types[1..] {
        let values = if let DataType::Dictionary(_, values) = option { values } else { option };
        match values {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => coerced.push(DataType::Utf8),
            other => return plan_err!("the second argument of {} is a string, not {other}", function.name()),
        }
    }
    Ok(coerced)
}

fn coerce_first(function: Function, data_type: &DataType) -> Result<DataType> {
    if function == Function::UrlFindingNames {
        return match data_type {
            DataType::Null => Ok(DataType::UInt32),
            integer if integer.is_integer() => Ok(DataType::UInt32),
            other => plan_err!("{} takes the number that url_findings returns, not {other}", function.name()),
        };
    }
    let is_spark = Function::SPARK.contains(&function);
    match data_type {
        DataType::Null => Ok(DataType::Utf8),
        // Spark casts binary values to strings.
        DataType::Binary if is_spark => Ok(DataType::Utf8),
        DataType::LargeBinary if is_spark => Ok(DataType::LargeUtf8),
        DataType::BinaryView if is_spark => Ok(DataType::Utf8View),
        supported if simdpct_arrow::is_supported(supported) => Ok(supported.clone()),
        other => plan_err!("{} takes strings, binary values or dictionaries of them, not {other}", function.name()),
    }
}

/// The type of the result for arguments of coerced types. It does not depend on their values.
pub(crate) fn return_type(function: Function, types: &[DataType]) -> Result<DataType> {
    let first = coerce(function, types)?.swap_remove(0);
    Ok(simdpct_arrow::return_type(&function.any_operation(), &first)?)
}

/// Applies a function to the rows of an array, with one option for all.
pub(crate) fn apply(function: Function, array: &dyn Array, option: Option<&str>) -> Result<ArrayRef> {
    let operation = function.operation(option).map_err(|error| exec_datafusion_err!("{}: {error}", function.name()))?;
    simdpct_arrow::apply(array, &operation).map_err(|error| datafusion_error(function, error))
}

/// Applies a function to the rows of an array. Each row has its own option.
pub(crate) fn apply_each(
    function: Function,
    array: &dyn Array,
    options: &StringArray,
    return_type: &DataType,
) -> Result<ArrayRef> {
    let operation = |option: &str| function.operation(Some(option));
    let any = function.any_operation();
    let result = simdpct_arrow::apply_each(array, options, operation, &any);
    let result = result.map_err(|error| datafusion_error(function, error))?;
    // The result for a dictionary has the type of the dictionary's values.
    if result.data_type() == return_type { Ok(result) } else { Ok(cast(&result, return_type)?) }
}

/// The message omits the row number, which counts within a batch and means nothing to a user.
fn datafusion_error(function: Function, error: ArrowError) -> DataFusionError {
    match InvalidValue::of(&error) {
        Some(invalid) => {
            exec_datafusion_err!("{}: '{}': {}{}", function.name(), invalid.value(), invalid.error, function.hint())
        }
        None => match error {
            // The error is about an option.
            ArrowError::ParseError(message) => exec_datafusion_err!("{}: {message}", function.name()),
            error => DataFusionError::from(error).context(function.name()),
        },
    }
}
