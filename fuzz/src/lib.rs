//! What the fuzz targets share: structured inputs, and memory that AddressSanitizer guards to the byte.
//!
//! A target reads its options from the first bytes of what the fuzzer gives it, and takes all the rest as the input: so the
//! fuzzer's changes stay small, and a seed is a few option bytes in front of a text. What is compared with what is said by the
//! helpers of the tests, which run every form on every level against the oracle.

#[path = "../../tests/common/mod.rs"]
pub mod common;
pub mod records;

use arbitrary::{Arbitrary, Result, Unstructured};
use simdpct::{ByteSet, Decoder, Encoder, Level, sets};

/// A set of bytes: one of those that programs use, a few members, or all but a few.
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

/// One of the levels that this machine has.
#[derive(Clone, Copy, Debug)]
pub struct AnyLevel(pub Level);

impl<'a> Arbitrary<'a> for AnyLevel {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let levels: Vec<Level> = Level::available().collect();
        Ok(Self(levels[usize::from(u8::arbitrary(u)?) % levels.len()]))
    }
}

/// A copy that ends where its memory does: the fuzzer's own buffer goes on behind the input, and there a read too far is silent.
pub fn exact(bytes: &[u8]) -> Box<[u8]> {
    bytes.into()
}

/// The text in the input: what is no UTF-8 is replaced.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
