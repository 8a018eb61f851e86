//! Operations on whole URLs: their normal form, their key in a web archive, and references with a
//! base.
#![forbid(unsafe_code)]

mod base;
mod normal;
mod surt;

use std::fmt;

use simdpct::ByteSet;
use simdpct::uri::UrlErrorKind;

pub(crate) use base::{Base, Resolved};
pub(crate) use normal::NormalUrl;
pub(crate) use surt::Surt;

use super::{Fault, FaultKind, Operation, Stream};

/// Why a field has no normal form.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum UrlFault {
    /// A part of the URL is refused.
    Part(UrlErrorKind),
    /// The normal form has a delimiter of the format that the field does not have.
    Delimiter,
}

impl fmt::Display for UrlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(kind) => kind.fmt(f),
            Self::Delimiter => f.write_str("the normal form has a field delimiter"),
        }
    }
}

/// Puts the field back in place of the result, from `start` on, if the result has more bytes of
/// `producible_delimiters`.
fn keep_if_delimited(
    producible_delimiters: ByteSet,
    field: &[u8],
    start: usize,
    output: &mut Vec<u8>,
) -> Option<Fault> {
    if producible_delimiters.is_empty()
        || producible_delimiters.count(&output[start..]) <= producible_delimiters.count(field)
    {
        return None;
    }
    output.truncate(start);
    output.extend_from_slice(field);
    Some(Fault::new(FaultKind::Url(UrlFault::Delimiter), 0))
}
