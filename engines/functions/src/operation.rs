//! `Operation`: what a function does to each value of a column.

use simdpct::columns::OnError;
use simdpct::uri::Part;
use simdpct::{Decoder, Encoder, Kinds, Normalizer};

/// What a function does to each value of a column. NULL stays NULL.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Decodes. A malformed `%`, and in strings invalid UTF-8, is an error.
    Decode(Decoder, OnError),
    /// Decodes; a malformed `%` stays, and in strings invalid UTF-8 becomes U+FFFD.
    DecodeLossy(Decoder),
    /// Decodes as Java's `URLDecoder` does.
    DecodeJava(OnError),
    /// Encodes.
    Encode(Encoder),
    /// Normalizes triplets (RFC 3986 6.2.2).
    Normalize(Normalizer),
    /// Escapes whatever a URI must not contain.
    Repair,
    /// Extracts a part of a URL; NULL if it has none.
    Part(Part),
    /// Extracts the decoded value of a key in the query of a URL; NULL if it has none.
    QueryValue(String),
    /// Returns the bits of the kinds of findings.
    Findings,
    /// Returns the names of findings, of which it takes the bits.
    FindingNames,
    /// Returns whether a value has a finding of any of these kinds.
    Has(Kinds),
}
