//! What is asked of a codec, as plain data: the API fills it in, the oracle and the kernels read it.
#![forbid(unsafe_code)]

use crate::byteset::ByteSet;

/// What a decoder is asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct DecodeRules {
    /// A malformed '%' is an error, not a byte like any other.
    pub(crate) strict: bool,
    /// A raw '+' becomes a space.
    pub(crate) plus: bool,
    /// Triplets of these bytes stay triplets.
    pub(crate) keep: Option<ByteSet>,
    /// These bytes must not stand in the output.
    pub(crate) reject: Option<ByteSet>,
}

impl DecodeRules {
    pub(crate) const STRICT: Self = Self { strict: true, plus: false, keep: None, reject: None };
}

/// What an encoder is asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct EncodeRules {
    /// The bytes that become triplets: all from 0x80, whatever the set that was asked for. With `plus`, '+' is among them and
    /// ' ' is not.
    pub(crate) escape: ByteSet,
    /// A space becomes '+'.
    pub(crate) plus: bool,
    /// Triplets of the input stay as they are.
    pub(crate) keep_triplets: bool,
    /// Well-formed UTF-8 stays as it is. The kernels do not look at this: the driver hands them well-formed parts with a set
    /// that leaves bytes from 0x80 alone.
    pub(crate) keep_non_ascii: bool,
    /// The sixteen hexadecimal digits of the output.
    pub(crate) digits: &'static [u8; 16],
}

/// RFC 3986 2.1: producers should use upper case.
pub(crate) const UPPERCASE: &[u8; 16] = b"0123456789ABCDEF";
pub(crate) const LOWERCASE: &[u8; 16] = b"0123456789abcdef";
