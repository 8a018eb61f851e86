//! `Udf`: a [`Function`] as DataFusion's `ScalarUDFImpl`.

use datafusion::arrow::array::cast::AsArray;
use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use simdpct_functions::Function;

use crate::{apply, documentation};

/// A function without state, so that a plan sent to another process needs only its name.
#[derive(Debug, Eq, Hash, PartialEq)]
pub(crate) struct Udf {
    function: Function,
    signature: Signature,
}

impl Udf {
    pub(crate) fn new(function: Function) -> Self {
        Self { function, signature: Signature::user_defined(Volatility::Immutable) }
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

    /// The result is NULL if any argument is NULL.
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
                apply::apply_each(self.function, &array, options.as_string(), return_type).map(ColumnarValue::Array)
            }
        }
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(documentation::of(self.function))
    }
}
