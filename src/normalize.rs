//! `Normalizer`: RFC 3986 6.2.2, as far as it is about triplets; whether two URIs are the same after it.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String};

use crate::byteset::ByteSet;
use crate::driver;
use crate::error::DecodeError;
use crate::hex;
use crate::level::Level;
use crate::rules::DecodeRules;
use crate::sets;

/// Brings triplets into their normal form: those of unreserved characters are decoded (RFC 3986 6.2.2.2), the digits of the others
/// become upper-case (6.2.2.1). Nothing else changes: neither the scheme and the host nor dot segments are looked at.
///
/// A normalizer is a small constant, like [`Decoder`](crate::Decoder). A new one refuses malformed `%`; see
/// [`malformed`](Self::malformed). The result is never longer than the input, but for malformed `%` that become `%25`, and
/// every operation is linear in the input's length.
///
/// Normalisation is idempotent, whatever the policy, and creates no triplet but the `%25` of an escaped `%`: a triplet that was not in
/// the input would be a second decoding for the next reader. Where malformed `%` are kept, a triplet whose digit could complete one
/// therefore stays: `%%34%31` becomes `%%341`, not `%41`.
///
/// ```
/// use simdpct::Normalizer;
///
/// assert_eq!(Normalizer::new().normalize("/%7euser/%e4%2f")?, "/~user/%E4%2F");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Normalizer {
    pub(crate) rules: DecodeRules,
    pub(crate) malformed: Malformed,
    pub(crate) level: Option<Level>,
}

/// What a [`Normalizer`] does with a malformed `%`.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Malformed {
    /// Refuses it, with its position.
    #[default]
    Error,
    /// Leaves it as it is, and with it the triplet of a digit that could complete it to a triplet.
    Keep,
    /// Makes it `%25`, so that the result is well-formed.
    Escape,
}

impl Default for Normalizer {
    fn default() -> Self {
        Self::new()
    }
}

impl Normalizer {
    /// Decodes the triplets of unreserved characters, and refuses malformed `%`.
    #[must_use]
    pub const fn new() -> Self {
        let rules = DecodeRules { uppercase: true, keep: Some(sets::UNRESERVED.complement()), ..DecodeRules::STRICT };
        Self { rules, malformed: Malformed::Error, level: None }
    }

    /// What to do with a malformed `%`.
    ///
    /// ```
    /// # use simdpct::{Malformed, Normalizer};
    /// let text = "100%/%%34%31";
    /// assert_eq!(Normalizer::new().normalize(text).unwrap_err().position, 3);
    /// assert_eq!(Normalizer::new().malformed(Malformed::Keep).normalize(text)?, "100%/%%341");
    /// assert_eq!(Normalizer::new().malformed(Malformed::Escape).normalize(text)?, "100%25/%2541");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn malformed(mut self, malformed: Malformed) -> Self {
        self.malformed = malformed;
        self.rules.strict = !matches!(malformed, Malformed::Keep);
        self
    }

    /// Decodes the triplets of the bytes in `set` instead of those of unreserved characters. Bytes from 0x80 and `%` itself are
    /// never decoded, whatever the set says: text stays text, and nothing is decoded twice.
    #[must_use]
    pub const fn decode(mut self, set: ByteSet) -> Self {
        self.rules.keep = Some(set.complement().union(ByteSet::NON_ASCII).with(b'%'));
        self
    }

    /// Runs on this level, or on the best available one below it; the result is the same.
    #[must_use]
    pub const fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Whether [`normalize`](Self::normalize) would change nothing, and find nothing to refuse.
    ///
    /// ```
    /// # use simdpct::Normalizer;
    /// assert!(Normalizer::new().is_normal("/%2F~"));
    /// assert!(!Normalizer::new().is_normal("/%2f~"));
    /// assert!(!Normalizer::new().is_normal("/%"));
    /// ```
    #[must_use]
    pub fn is_normal<T: AsRef<[u8]> + ?Sized>(&self, input: &T) -> bool {
        matches!(driver::scan_decode(input.as_ref(), &self.rules, self.level), Ok(None))
    }

    /// Normalises the start of the buffer that holds the input, and returns that part.
    ///
    /// # Errors
    ///
    /// A malformed `%`, unless it is to be kept; also with [`Malformed::Escape`], for which there may be no room. The contents of
    /// the buffer are then unspecified.
    ///
    /// ```
    /// # use simdpct::Normalizer;
    /// let mut buffer = *b"/%7e%2f";
    /// assert_eq!(Normalizer::new().normalize_in_place(&mut buffer)?, b"/~%2F");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    pub fn normalize_in_place<'a>(&self, buffer: &'a mut [u8]) -> Result<&'a mut [u8], DecodeError> {
        let written = driver::decode_in_place(buffer, &self.rules, self.level)?;
        Ok(&mut buffer[..written])
    }
}

#[cfg(feature = "alloc")]
impl Normalizer {
    /// Normalises; borrows the input where it is normal already.
    ///
    /// # Errors
    ///
    /// The first malformed `%`, if it is to be refused.
    pub fn normalize<'a>(&self, input: &'a str) -> Result<Cow<'a, str>, DecodeError> {
        match driver::scan_decode(input.as_bytes(), &self.rules, self.level) {
            Ok(None) => Ok(Cow::Borrowed(input)),
            Err(error) if self.malformed == Malformed::Error => Err(error),
            Ok(Some(_)) | Err(_) => {
                let mut output = String::new();
                self.normalize_to(input, &mut output)?;
                Ok(Cow::Owned(output))
            }
        }
    }

    /// Appends the normal form to `output`.
    ///
    /// # Errors
    ///
    /// As [`normalize`](Self::normalize); nothing is appended then.
    pub fn normalize_to(&self, input: &str, output: &mut String) -> Result<(), DecodeError> {
        let escape = self.malformed == Malformed::Escape;
        driver::alloc::append_normalized(input, output, &self.rules, escape, self.level)
    }
}

/// Whether two URIs are the same once they are normalised (RFC 3986 6.2.2), malformed `%` as `%25`. Does not allocate.
///
/// ```
/// assert!(simdpct::equivalent("/%7Euser/%2f", "/~user/%2F"));
/// assert!(!simdpct::equivalent("/a%2Fb", "/a/b"));
/// ```
#[must_use]
pub fn equivalent<A: AsRef<[u8]> + ?Sized, B: AsRef<[u8]> + ?Sized>(a: &A, b: &B) -> bool {
    let (mut a, mut b) = (a.as_ref(), b.as_ref());
    loop {
        let common = common_symbols(a, b);
        (a, b) = (&a[common..], &b[common..]);
        let (first, second) = (first_symbol(a), first_symbol(b));
        if first.map(|(symbol, _)| symbol) != second.map(|(symbol, _)| symbol) {
            return false;
        }
        let (Some((_, after_first)), Some((_, after_second))) = (first, second) else { return true };
        (a, b) = (&a[after_first..], &b[after_second..]);
    }
}

/// A piece of the normal form. Every '%' of that begins a triplet, so two normal forms are the same if their pieces are.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Symbol {
    Byte(u8),
    Triplet(u8),
}

/// The first piece of an input's normal form, and how much of the input it is.
fn first_symbol(input: &[u8]) -> Option<(Symbol, usize)> {
    Some(match (hex::first_triplet(input), input.first()?) {
        (Some(byte), _) if sets::UNRESERVED.contains(byte) => (Symbol::Byte(byte), 3),
        (Some(byte), _) => (Symbol::Triplet(byte), 3),
        (None, b'%') => (Symbol::Triplet(b'%'), 1),
        (None, &byte) => (Symbol::Byte(byte), 1),
    })
}

/// How much two inputs have in common at their start, up to a '%' whose triplet may go on where they differ.
fn common_symbols(a: &[u8], b: &[u8]) -> usize {
    const CHUNK: usize = 32;
    let chunks = a.chunks_exact(CHUNK).zip(b.chunks_exact(CHUNK)).take_while(|(a, b)| a == b).count();
    let rest = a.iter().zip(b).skip(chunks * CHUNK).take_while(|(a, b)| a == b).count();
    let common = chunks * CHUNK + rest;
    let last_two = common.saturating_sub(2);
    a[last_two..common].iter().position(|&byte| byte == b'%').map_or(common, |at| last_two + at)
}

/// Whether a URI is in the normal form of RFC 3986 6.2.2, as far as it is about triplets.
///
/// ```
/// assert!(simdpct::is_normal("/~user/%2F"));
/// assert!(!simdpct::is_normal("/%7Euser/%2f"));
/// ```
#[must_use]
pub fn is_normal<T: AsRef<[u8]> + ?Sized>(input: &T) -> bool {
    const { &Normalizer::new() }.is_normal(input)
}
