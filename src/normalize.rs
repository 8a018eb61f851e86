//! `Normalizer`: percent-encoding normalization (RFC 3986 6.2.2), and equivalence of URIs under it.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::{
    borrow::{Cow, ToOwned},
    vec::Vec,
};

use crate::byteset::ByteSet;
use crate::driver::{self, DecodePlan};
use crate::error::{DecodeError, DecodeIntoError};
use crate::hex;
use crate::input::Input;
#[cfg(feature = "alloc")]
use crate::input::SealedSlice as _;
use crate::level::Level;
use crate::sets;

/// Normalizes percent-encoding: decodes triplets of unreserved characters (RFC 3986 6.2.2.2) and
/// converts the digits of all others to upper case (6.2.2.1). Nothing else is changed: scheme, host
/// and dot segments are not normalized.
///
/// A normalizer is a small constant, like [`Decoder`](crate::Decoder). By default a malformed `%`
/// is an error; see [`malformed`](Self::malformed). The result is longer than the input only if
/// malformed `%`s become `%25`. Every operation is linear in the length of the input.
///
/// Normalization is idempotent under every policy. It creates no triplet other than the `%25` of an
/// escaped `%`; a triplet that is not in the input would be decoded a second time by the next
/// reader. If malformed `%`s are kept, a triplet of a digit that could complete one is therefore
/// kept too: `%%34%31` becomes `%%341`, not `%41`.
///
/// ```
/// use simdpct::Normalizer;
///
/// assert_eq!(Normalizer::new().normalize("/%7euser/%e4%2f")?, "/~user/%E4%2F");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
///
/// # When to use it
///
/// To store, compare or count URIs that differ in their triplets only, without knowing which
/// component a text is: the normal form of a URI has the same components, and means the same to
/// every reader that follows RFC 3986.
///
/// # Choosing a form
///
/// | you want | use |
/// |---|---|
/// | the normal form by the standard | [`normalize`](crate::normalize()) |
/// | malformed `%`s kept or escaped, or other triplets decoded | a `Normalizer` |
/// | to compare two URIs once | [`equivalent`](fn@equivalent), which does not allocate |
/// | to test one | [`is_normal`](fn@is_normal) |
/// | dot segments and slashes too, of a path | [`PathPolicy::RFC3986`](crate::path::PathPolicy::RFC3986) |
/// | whole URLs: case of the host, default port, order of the query | `uri::UrlNormalizer` (feature `idna`) |
/// | a column | [`columns::normalize`](crate::columns::normalize()) |
///
/// # Example: distinct pages of an access log
///
/// ```
/// use std::collections::BTreeMap;
///
/// use simdpct::{Malformed, Normalizer};
///
/// // A log has everything that clients send, so no request is dropped: a malformed `%` is escaped.
/// const PAGE: Normalizer = Normalizer::new().malformed(Malformed::Escape);
///
/// let requests =
///     ["/wiki/caf%c3%a9", "/wiki/caf%C3%A9", "/%7Euser", "/~user", "/a%2Fb", "/a/b", "/sale/25%-rabatt"];
/// let mut pages = BTreeMap::new();
/// for request in requests {
///     *pages.entry(PAGE.normalize(request)?).or_insert(0) += 1;
/// }
/// let pages: Vec<_> = pages.iter().map(|(page, &count)| (&**page, count)).collect();
/// assert_eq!(
///     pages,
///     [("/a%2Fb", 1), ("/a/b", 1), ("/sale/25%25-rabatt", 1), ("/wiki/caf%C3%A9", 2), ("/~user", 2)]
/// );
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
///
/// # Mistakes
///
/// * **To expect that all triplets are decoded.** `%2F` and `/` differ, and so do `%C3%A9` and a
///   raw `é`. [`Decoder`](crate::Decoder) decodes, and [`repair`](fn@crate::uri::repair) escapes
///   the raw `é`.
/// * **To use it for access rules.** `/a/../b`, `//b` and `/b` have different normal forms. Use
///   [`PathPolicy`](crate::path::PathPolicy).
/// * **To use it for forms.** `+` and `%20` are the same in a form, but not in a URI.
/// * **To compare a normal form with a text as it came.** Normalize both.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Normalizer {
    pub(crate) plan: DecodePlan,
    pub(crate) malformed: Malformed,
    pub(crate) level: Option<Level>,
}

/// How a [`Normalizer`] handles a malformed `%`.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Malformed {
    /// Return an error with its position.
    #[default]
    Refuse,
    /// Keep it. A following triplet of a digit that could complete it is kept too.
    Keep,
    /// Replace it by `%25`, so that the result is well-formed.
    Escape,
}

impl Default for Normalizer {
    fn default() -> Self {
        Self::new()
    }
}

impl Normalizer {
    /// Creates a normalizer that decodes triplets of unreserved characters and rejects malformed
    /// `%`s.
    #[must_use]
    pub const fn new() -> Self {
        let plan = DecodePlan::normalize(sets::UNRESERVED.complement());
        Self { plan, malformed: Malformed::Refuse, level: None }
    }

    /// Sets how to handle a malformed `%`.
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
        self.plan = self.plan.strict(!matches!(malformed, Malformed::Keep));
        self
    }

    /// Decodes triplets of the bytes in `set`, instead of triplets of unreserved characters. Bytes
    /// from 0x80 and `%` are never decoded, even if in `set`, so that text remains text and nothing
    /// is decoded twice.
    #[must_use]
    pub const fn decode(mut self, set: ByteSet) -> Self {
        self.plan = self.plan.with_keep(set.complement().union(ByteSet::NON_ASCII).with(b'%'));
        self
    }

    /// Selects the level to run on. If the CPU lacks it, the best available level below it is used.
    /// The result is the same on every level.
    #[must_use]
    pub const fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Whether [`normalize`](Self::normalize) would succeed and change nothing.
    ///
    /// ```
    /// # use simdpct::Normalizer;
    /// assert!(Normalizer::new().is_normal("/%2F~"));
    /// assert!(!Normalizer::new().is_normal("/%2f~"));
    /// assert!(!Normalizer::new().is_normal("/%"));
    /// ```
    #[must_use]
    pub fn is_normal<T: Input + ?Sized>(&self, input: &T) -> bool {
        matches!(driver::scan_decode(input.as_bytes(), &self.plan, self.level), Ok(None))
    }

    /// Normalizes to the start of `output` and returns the length of the result. Bytes of `output`
    /// after the result may be overwritten. An output as long as the input suffices, unless
    /// malformed `%`s are escaped; then three times that does.
    ///
    /// The input may be any bytes. Those from 0x80 are kept, raw or encoded.
    ///
    /// # Errors
    ///
    /// Returns the first malformed `%`, with [`Malformed::Refuse`] only. Otherwise, if the result
    /// does not fit, returns the length needed. On error the contents of `output` are unspecified.
    ///
    /// ```
    /// # use simdpct::{DecodeIntoError, Malformed, Normalizer};
    /// let mut buffer = [0; 8];
    /// let length = Normalizer::new().normalize_into(b"/%7e%2f\xFF", &mut buffer)?;
    /// assert_eq!(&buffer[..length], b"/~%2F\xFF");
    /// let escaping = Normalizer::new().malformed(Malformed::Escape);
    /// let error = escaping.normalize_into("100% %7E %", &mut buffer).unwrap_err();
    /// assert!(matches!(error, DecodeIntoError::BufferTooSmall(error) if error.needed == 12));
    /// # Ok::<(), DecodeIntoError>(())
    /// ```
    pub fn normalize_into<T: Input + ?Sized>(&self, input: &T, output: &mut [u8]) -> Result<usize, DecodeIntoError> {
        let (input, plan) = (input.as_bytes(), &self.plan);
        match self.malformed {
            Malformed::Escape => driver::decode_escaping(input, output, plan, self.level),
            Malformed::Refuse | Malformed::Keep => driver::decode(input, driver::as_uninit(output), plan, self.level),
        }
    }

    /// Normalizes in place, to the start of `buffer`, and returns the normalized part.
    ///
    /// # Errors
    ///
    /// Returns the first malformed `%`, unless malformed `%`s are kept. [`Malformed::Escape`] fails
    /// too, because `buffer` may have no room for `%25`. On error the contents of `buffer` are
    /// unspecified.
    ///
    /// ```
    /// # use simdpct::Normalizer;
    /// let mut buffer = *b"/%7e%2f";
    /// assert_eq!(Normalizer::new().normalize_in_place(&mut buffer)?, b"/~%2F");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    pub fn normalize_in_place<'a>(&self, buffer: &'a mut [u8]) -> Result<&'a mut [u8], DecodeError> {
        let written = driver::decode_in_place(buffer, &self.plan, self.level)?;
        Ok(&mut buffer[..written])
    }
}

#[cfg(feature = "alloc")]
impl Normalizer {
    /// Normalizes: text to text, bytes to bytes. Borrows the input if it is already normal.
    ///
    /// # Errors
    ///
    /// Returns the first malformed `%`, with [`Malformed::Refuse`] only.
    ///
    /// ```
    /// # use simdpct::Normalizer;
    /// assert_eq!(Normalizer::new().normalize("/%7e%2f")?, "/~%2F");
    /// assert_eq!(Normalizer::new().normalize(b"/%7e\xFF")?, &b"/~\xFF"[..]);
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    pub fn normalize<'a, T: Input + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, T::Slice>, DecodeError> {
        match driver::scan_decode(input.as_bytes(), &self.plan, self.level) {
            Ok(None) => Ok(Cow::Borrowed(input.as_same())),
            Err(error) if self.malformed == Malformed::Refuse => Err(error),
            Ok(Some(_)) | Err(_) => {
                let mut output = T::Slice::owned(Vec::new());
                self.normalize_to(input, &mut output)?;
                Ok(Cow::Owned(output))
            }
        }
    }

    /// Appends the normal form to `output`: to a `String` if the input is text, otherwise to a
    /// `Vec<u8>`.
    ///
    /// # Errors
    ///
    /// Same as [`normalize`](Self::normalize). On error nothing is appended.
    pub fn normalize_to<T: Input + ?Sized>(
        &self,
        input: &T,
        output: &mut <T::Slice as ToOwned>::Owned,
    ) -> Result<(), DecodeError> {
        let escape = self.malformed == Malformed::Escape;
        input.as_same().append_normalized(output, &self.plan, escape, self.level)
    }
}

/// Whether two URIs are equivalent under percent-encoding normalization (RFC 3986 6.2.2). A
/// malformed `%` counts as `%25`. Does not allocate; linear in the lengths.
///
/// ```
/// assert!(simdpct::equivalent("/%7Euser/%2f", "/~user/%2F"));
/// assert!(!simdpct::equivalent("/a%2Fb", "/a/b"));
/// ```
#[must_use]
pub fn equivalent<A: Input + ?Sized, B: Input + ?Sized>(a: &A, b: &B) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
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

/// A symbol of the normal form. Every `%` of a normal form begins a triplet, so two normal forms
/// are equal if and only if their symbols are.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Symbol {
    Byte(u8),
    Triplet(u8),
}

/// The first symbol of the normal form, and the length of its encoding in `input`.
fn first_symbol(input: &[u8]) -> Option<(Symbol, usize)> {
    Some(match (hex::first_triplet(input), input.first()?) {
        (Some(byte), _) if sets::UNRESERVED.contains(byte) => (Symbol::Byte(byte), 3),
        (Some(byte), _) => (Symbol::Triplet(byte), 3),
        (None, b'%') => (Symbol::Triplet(b'%'), 1),
        (None, &byte) => (Symbol::Byte(byte), 1),
    })
}

/// Length of the common prefix, excluding a trailing `%` whose triplet may extend past it.
fn common_symbols(a: &[u8], b: &[u8]) -> usize {
    const CHUNK: usize = 32;
    let chunks = a.chunks_exact(CHUNK).zip(b.chunks_exact(CHUNK)).take_while(|(a, b)| a == b).count();
    let rest = a.iter().zip(b).skip(chunks * CHUNK).take_while(|(a, b)| a == b).count();
    let common = chunks * CHUNK + rest;
    let last_two = common.saturating_sub(2);
    a[last_two..common].iter().position(|&byte| byte == b'%').map_or(common, |at| last_two + at)
}

/// Whether the percent-encoding of a URI is normal (RFC 3986 6.2.2).
///
/// ```
/// assert!(simdpct::is_normal("/~user/%2F"));
/// assert!(!simdpct::is_normal("/%7Euser/%2f"));
/// ```
#[must_use]
pub fn is_normal<T: Input + ?Sized>(input: &T) -> bool {
    const { &Normalizer::new() }.is_normal(input)
}
