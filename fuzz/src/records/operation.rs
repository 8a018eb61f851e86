//! The result of an operation for a field, by the reference implementation and other
//! crates.

use simdpct::{ByteSet, Decoder, Encoder, reference};

use super::form::{self, Shape};
use super::url::{self, Part};

/// The operation on each field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Operation {
    Decoding(Decoder),
    Encoding(Encoder),
    /// Decodes in another way than the reference implementation.
    OtherDecoding,
    Other,
    /// A part of a URL, decoded or as written.
    Get {
        part: Part,
        is_decoded: bool,
    },
    FromForm(Shape),
    ToForm(Shape),
    /// Fields are only inspected.
    Check,
}

/// Where a field is.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Bytes that must not be in the result.
    pub safe: ByteSet,
    /// Whether the field is the target of a request.
    pub is_target: bool,
    /// Whether the result must be text: ill-formed UTF-8 is escaped as triplets.
    pub is_text: bool,
}

impl Place {
    pub const TEXT: Self = Self { safe: ByteSet::EMPTY, is_target: false, is_text: true };

    pub fn safe(safe: ByteSet) -> Self {
        Self { safe, is_target: false, is_text: false }
    }
}

const FORM: Decoder = Decoder::new().lenient().plus_for_space();

impl Operation {
    pub const DECODE: Self = Self::Decoding(Decoder::new().lenient());
    pub const DECODE_PLUS: Self = Self::Decoding(FORM);
    pub const ENCODE: Self = Self::Encoding(Encoder::COMPONENT);

    pub const fn get(part: Part) -> Self {
        Self::Get { part, is_decoded: true }
    }

    pub const fn get_raw(part: Part) -> Self {
        Self::Get { part, is_decoded: false }
    }

    /// The same operation, with unknown results.
    pub fn unknown(self) -> Self {
        match self {
            Self::Decoding(_) | Self::OtherDecoding => Self::OtherDecoding,
            _ => Self::Other,
        }
    }

    /// Whether the operation changes only triplets and '+'.
    pub(super) fn is_decoding(self) -> bool {
        matches!(self, Self::Decoding(_) | Self::OtherDecoding)
    }

    /// Whether results are JSON, which JSON Lines contain unchanged.
    pub(super) fn is_json(self) -> bool {
        matches!(self, Self::FromForm(Shape::Json | Shape::Pairs))
    }

    pub fn is_form(self) -> bool {
        matches!(self, Self::FromForm(_) | Self::ToForm(_))
    }

    pub(super) fn is_known(self) -> bool {
        !matches!(self, Self::OtherDecoding | Self::Other)
    }

    /// Suffix of the names of new columns.
    pub(super) fn suffix(self) -> String {
        match self {
            Self::Decoding(_) | Self::OtherDecoding => "_decoded".into(),
            Self::Encoding(_) => "_encoded".into(),
            Self::Get { part, .. } => part.suffix(),
            Self::FromForm(_) | Self::ToForm(_) => "_form".into(),
            Self::Other | Self::Check => unreachable!("it has no known results, or appends none"),
        }
    }

    /// The result for a field; `None` if it is unknown.
    pub(super) fn apply(self, field: &[u8], place: Place) -> Option<Vec<u8>> {
        let result = match self {
            Self::Decoding(decoder) => decode(decoder, field, place.safe),
            Self::Encoding(encoder) => reference::encode(&encoder, field).into_bytes(),
            Self::Get { part, is_decoded } => {
                let values = url::values(field, part, place.is_target, is_decoded);
                let decoder = if part.is_of_form() { FORM } else { Decoder::new().lenient() };
                let value = |value: &[u8]| if is_decoded { decode(decoder, value, place.safe) } else { value.to_vec() };
                let separator: &[u8] = if place.safe.contains(b' ') { b"%20" } else { b" " };
                values.into_iter().map(value).collect::<Vec<_>>().join(separator)
            }
            Self::FromForm(shape) => form::from_form(field, shape, place.is_target),
            Self::ToForm(shape) => form::to_form(field, shape).unwrap_or_else(|| field.to_vec()),
            Self::Check => field.to_vec(),
            Self::OtherDecoding | Self::Other => return None,
        };
        Some(if place.is_text { escape_ill_formed(&result) } else { result })
    }

    /// Whether `--only-matching` selects the field.
    pub(super) fn matches(self, field: &[u8], place: Place) -> Option<bool> {
        match self {
            Self::Decoding(_) => {
                let has_plus = self == Self::DECODE_PLUS && !place.safe.contains(b' ') && field.contains(&b'+');
                Some(field.contains(&b'%') || has_plus || is_faulty(field))
            }
            Self::Get { part, is_decoded } => Some(!url::values(field, part, place.is_target, is_decoded).is_empty()),
            Self::FromForm(_) => Some(form::has_pair(field, place.is_target)),
            _ => None,
        }
    }
}

fn escape_ill_formed(result: &[u8]) -> Vec<u8> {
    let escaped = |invalid: &[u8]| reference::encode(&Encoder::COMPONENT, invalid);
    result
        .utf8_chunks()
        .map(|chunk| chunk.valid().to_owned() + &escaped(chunk.invalid()))
        .collect::<String>()
        .into_bytes()
}

/// Decodes all triplets except triplets of these bytes.
fn decode(decoder: Decoder, field: &[u8], safe: ByteSet) -> Vec<u8> {
    // A '+' must not become a space, which would end a field, and %2B must not become a '+' that
    // means a space.
    let decoder = match decoder == FORM && safe.contains(b' ') {
        true => Decoder::new().lenient().keep(safe.with(b'+')),
        false => decoder.keep(safe),
    };
    reference::decode(&decoder, field).expect("lenient")
}

/// Whether `check` finds a field that cannot be decoded to text.
pub(super) fn is_faulty(field: &[u8]) -> bool {
    reference::decode_utf8(&Decoder::new(), field).is_err()
}
