//! Shared code of the fuzz targets: structured inputs, and buffers whose exact bounds
//! AddressSanitizer checks.
//!
//! A target reads its options from the first bytes of the fuzzer's data and uses the rest as the
//! input. So mutations are local, and a seed is a few option bytes followed by a text. The
//! comparisons are the functions of tests/common, which run every form on every level against the
//! reference implementation.

#[path = "../../tests/common/mod.rs"]
pub mod common;
pub mod records;

use arbitrary::{Arbitrary, Result, Unstructured};
use simdpct::{ByteSet, Decoder, Encoder, Level, sets};

/// A byte set: a predefined set, a few members, or all except a few.
#[derive(Clone, Copy, Debug)]
pub struct Set(pub ByteSet);

impl<'a> Arbitrary<'a> for Set {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        const NAMED: [ByteSet; 10] = [
            ByteSet::EMPTY,
            ByteSet::ALL,
            ByteSet::NON_ASCII,
            sets::UNRESERVED,
            sets::COMPONENT,
            sets::PATH,
            sets::URI,
            sets::whatwg::FORM,
            sets::whatwg::QUERY,
            sets::rfc1738::COMPONENT,
        ];
        let choice = usize::from(u8::arbitrary(u)?);
        let set = match choice % 16 {
            choice if choice < NAMED.len() => NAMED[choice],
            10 => ByteSet::range(u8::arbitrary(u)?, u8::arbitrary(u)?),
            11 => ByteSet::ALL.without(u8::arbitrary(u)?).without(u8::arbitrary(u)?),
            12 => ByteSet::new(&<[u8; 32]>::arbitrary(u)?),
            members => ByteSet::new(u.bytes(members - 12)?),
        };
        Ok(Self(set))
    }
}

/// All policies of a decoder.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub struct Decoding {
    policies: u8,
    keep: Option<Set>,
    reject: Option<Set>,
}

impl Decoding {
    pub fn decoder(&self) -> Decoder {
        let set = |set: Option<Set>| set.map(|Set(set)| set);
        common::decoder(self.is_lenient(), self.has_plus(), set(self.keep), set(self.reject))
    }

    pub fn is_lenient(&self) -> bool {
        self.policies & 1 != 0
    }

    pub fn has_plus(&self) -> bool {
        self.policies & 2 != 0
    }
}

/// All policies of an encoder.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub struct Encoding {
    policies: u8,
    set: Set,
}

impl Encoding {
    pub fn encoder(&self) -> Encoder {
        common::encoder(self.set.0, self.policies & 15)
    }
}

/// An available level.
#[derive(Clone, Copy, Debug)]
pub struct AnyLevel(pub Level);

impl<'a> Arbitrary<'a> for AnyLevel {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let levels: Vec<Level> = Level::available().collect();
        Ok(Self(levels[usize::from(u8::arbitrary(u)?) % levels.len()]))
    }
}

/// A copy in an exact allocation: the fuzzer's buffer extends past the input, so AddressSanitizer
/// would not notice a read past its end.
pub fn exact(bytes: &[u8]) -> Box<[u8]> {
    bytes.into()
}

/// The input as text, with invalid UTF-8 replaced.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
