//! `Udf`: a [`Function`] as DataFusion's `ScalarUDFImpl`.

use datafusion::arrow::array::cast::AsArray;
use datafusion::arrow::array::{Array, ArrayRef, new_empty_array, new_null_array};
use datafusion::arrow::compute::concat;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use simdpct_functions::Function;

use crate::{apply, documentation};

/// A function. It has no state, so that plans can be sent to another process by the names of their
/// functions alone.
#[derive(Debug, Eq, Hash, PartialEq)]
pub(crate) struct Udf {
    function: Function,
    signature: Signature,
}

impl Udf {
    pub(crate) fn new(function: Function) -> Self {
        Self { function, signature: Signature::user_defined(Volatility::Immutable) }
    }

    /// Applies the function to rows that each have an option: at once to consecutive rows with the
    /// same.
    fn apply_each(&self, array: &ArrayRef, options: &ArrayRef, return_type: &DataType) -> Result<ArrayRef> {
        let options = options.as_string::<i32>();
        let option = |row| options.is_valid(row).then(|| options.value(row));
        let mut results: Vec<ArrayRef> = Vec::new();
        let mut start = 0;
        while start < array.len() {
            let end = (start + 1..array.len()).find(|&row| option(row) != option(start)).unwrap_or(array.len());
            results.push(match option(start) {
                Some(option) => apply::apply(self.function, &array.slice(start, end - start), Some(option))?,
                None => new_null_array(return_type, end - start),
            });
            start = end;
        }
        match &results[..] {
            [] => Ok(new_empty_array(return_type)),
            [result] => Ok(ArrayRef::clone(result)),
            results => Ok(concat(&results.iter().map(AsRef::as_ref).collect::<Vec<_>>())?),
        }
    }
}

impl ScalarUDFImpl for Udf {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        apply::coerce(self.function, arg_types)
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        apply::return_type(self.function, arg_types)
    }

    /// NULL if any argument is.
    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let return_type = args.return_type();
        let scalar = |result: ArrayRef| ScalarValue::try_from_array(&result, 0).map(ColumnarValue::Scalar);
        match (&args.args[0], args.args.get(1)) {
            (ColumnarValue::Array(array), None) => apply::apply(self.function, array, None).map(ColumnarValue::Array),
            (ColumnarValue::Scalar(value), None) => scalar(apply::apply(self.function, &value.to_array()?, None)?),
            (value, Some(ColumnarValue::Scalar(option))) => {
                let Some(Some(option)) = option.try_as_str() else {
                    return ScalarValue::try_new_null(return_type).map(ColumnarValue::Scalar);
                };
                match value {
                    ColumnarValue::Array(array) => {
                        apply::apply(self.function, array, Some(option)).map(ColumnarValue::Array)
                    }
                    ColumnarValue::Scalar(value) => {
                        scalar(apply::apply(self.function, &value.to_array()?, Some(option))?)
                    }
                }
            }
            (value, Some(ColumnarValue::Array(options))) => {
                let array = value.to_array(options.len())?;
                self.apply_each(&array, options, return_type).map(ColumnarValue::Array)
            }
        }
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(documentation::of(self.function))
    }
}
