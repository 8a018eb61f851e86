//! `Operation`: the operation that a function applies to each value of a column.

use simdpct::columns::OnError;
use simdpct::{Decoder, Encoder, Kinds, Normalizer};

use crate::url::Mapping;

/// The operation that a function applies to each value of a column. NULL stays NULL.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Decodes. A malformed `%` is an error. In strings, so is invalid UTF-8.
    Decode(Decoder, OnError),
    /// Decodes. A malformed `%` stays. In strings, invalid UTF-8 becomes U+FFFD.
    DecodeLossy(Decoder),
    /// Decodes as Java's `URLDecoder` does.
    DecodeJava(OnError),
    /// Encodes.
    Encode(Encoder),
    /// Normalizes triplets (RFC 3986 6.2.2).
    Normalize(Normalizer),
    /// Maps a URL to a value of the same type, or to NULL.
    Map(Mapping),
    /// Returns the decoded names in the query of a URL, each once, in their order.
    QueryKeys,
    /// Returns the decoded pairs of the query of a URL. The first pair with a name counts.
    QueryMap,
    /// Returns all components of a URL, and the parts of its authority.
    Parts,
    /// Returns the bits of the kinds of findings.
    Findings,
    /// Takes the bits of findings and returns their names.
    FindingNames,
    /// Returns whether a value has a finding of any of these kinds.
    Has(Kinds),
}
