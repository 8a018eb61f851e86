//! `Function`: what the columns of Python and Polars can be converted by.
#![forbid(unsafe_code)]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType, Field};
use simdpct::{Decoder, Encoder, Kinds, Malformed, Normalizer};
use simdpct_arrow::{OnError, Part};

/// A function of a column, with its options.
#[derive(Clone, Debug)]
pub(crate) enum Function {
    Decode(Decoder, OnError),
    DecodeLossy(Decoder),
    DecodeJava(OnError),
    Encode(Encoder),
    Normalize,
    Repair,
    Part(Part),
    QueryValue(String),
    Findings,
    FindingNames,
    Has(Kinds),
}

/// The decoder of what is no form: `+` stays.
pub(crate) const PLAIN: Decoder = Decoder::new();
/// The decoder of forms: `+` is a space.
pub(crate) const FORM: Decoder = Decoder::new().plus_for_space();

impl Function {
    /// Converts an array, to one of [`Self::data_type`].
    pub(crate) fn apply(&self, array: &dyn Array) -> Result<ArrayRef, ArrowError> {
        const KEEPING: Normalizer = Normalizer::new().malformed(Malformed::Keep);
        // Or `as_primitive` would panic.
        self.data_type(array.data_type())?;
        match self {
            Self::Decode(decoder, on_error) => simdpct_arrow::decode(array, decoder, *on_error),
            Self::DecodeLossy(decoder) => simdpct_arrow::decode_lossy(array, &decoder.lenient(), OnError::Fail),
            Self::DecodeJava(on_error) => simdpct_arrow::decode_java(array, *on_error),
            Self::Encode(encoder) => simdpct_arrow::encode(array, encoder),
            Self::Normalize => simdpct_arrow::normalize(array, &KEEPING, OnError::Fail),
            Self::Repair => simdpct_arrow::repair(array),
            Self::Part(part) => simdpct_arrow::part(array, *part),
            Self::QueryValue(key) => simdpct_arrow::query_value(array, key),
            Self::Findings => Ok(Arc::new(simdpct_arrow::findings(array)?)),
            Self::FindingNames => Ok(Arc::new(simdpct_arrow::finding_names(array.as_primitive::<UInt32Type>()))),
            Self::Has(kinds) => Ok(Arc::new(simdpct_arrow::has(array, *kinds)?)),
        }
    }

    /// The type of the result for an array of this type.
    pub(crate) fn data_type(&self, input: &DataType) -> Result<DataType, ArrowError> {
        let unsupported = |expected| Err(ArrowError::InvalidArgumentError(format!("expected {expected}, not {input}")));
        match self {
            Self::FindingNames if *input != DataType::UInt32 => unsupported("the numbers that findings returns"),
            Self::FindingNames => Ok(DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)))),
            _ if !simdpct_arrow::is_supported(input) => unsupported("strings, binary values or a dictionary of them"),
            Self::Findings => Ok(DataType::UInt32),
            Self::Has(_) => Ok(DataType::Boolean),
            _ => Ok(input.clone()),
        }
    }
}
