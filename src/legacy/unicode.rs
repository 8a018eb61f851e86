//! `UnicodeDecoder`: decodes `%uXXXX`, which is one UTF-16 code unit, and UTF-8 triplets.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;
use core::ops::Range;

use memchr::memmem;

use crate::DecodeErrorKind::{LoneSurrogate, Rejected};
use crate::hex::{self, from_digits};
use crate::input::Input;
use crate::{ByteSet, DecodeError, Decoder, driver};

/// Decodes `%uXXXX` escapes and UTF-8 triplets to text.
///
/// `%uXXXX` is one UTF-16 code unit in four hexadecimal digits of either case. It is in no URI
/// standard: it originates from ECMAScript's `escape` (see [`js`](super::js), where `%XX` has
/// another meaning), and IIS and ASP accept it in URLs. Two escapes that form a surrogate pair are
/// one character. UTF-8 cannot represent a lone surrogate; [`LoneSurrogates`] says how to handle
/// it. The `u` must be lower case. `%u` without four digits is malformed, like any other `%`.
///
/// The options of the [`Decoder`] apply to `%uXXXX` too. A strict decoder rejects malformed
/// escapes, and a lenient one keeps them. An escape is kept if all UTF-8 bytes of its character are
/// in the kept set, and rejected if one is in the rejected set. Later conversions by a server's
/// code page (some convert U+FF0F to `/`) are out of scope.
///
/// If escapes are kept in the output ([`keep_triplets`](Self::keep_triplets),
/// [`LoneSurrogates::Keep`], or a [`Decoder`] that keeps `%`), no new ones are created: escapes of
/// `%` are kept, as are those of a `u` or a digit that could complete a malformed `%`.
///
/// ```
/// use simdpct::{ByteSet, DecodeErrorKind, Decoder, legacy::UnicodeDecoder};
///
/// const IIS: UnicodeDecoder = UnicodeDecoder::new(Decoder::new());
/// assert_eq!(IIS.decode_utf8("%u0043af%C3%A9%20%uD83D%uDE00")?, "Café 😀");
///
/// let guarded = UnicodeDecoder::new(Decoder::new().reject(ByteSet::new(b"/\\")));
/// let error = guarded.decode_utf8("..%u002f..").unwrap_err();
/// assert_eq!((error.kind, error.position), (DecodeErrorKind::Rejected(b'/'), 2));
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct UnicodeDecoder {
    decoder: Decoder,
    keep_triplets: bool,
    lone_surrogates: LoneSurrogates,
}

/// How to handle a `%uXXXX` that is a lone surrogate: half of a surrogate pair, without the other
/// half (Unicode 3.9, D74 to D76).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum LoneSurrogates {
    /// Return an error with its position.
    #[default]
    Refuse,
    /// Replace it by U+FFFD, as in the conversion to a scalar value string (WHATWG Infra 4.7).
    Replace,
    /// Keep the six characters of the escape. Escapes of `%` are then kept too: decoding those of
    /// `%u0025uD800` would create one.
    Keep,
}

impl UnicodeDecoder {
    /// Creates a decoder of `%uXXXX`, and of triplets with the options of `decoder`. A lone
    /// surrogate is an error.
    #[must_use]
    pub const fn new(decoder: Decoder) -> Self {
        Self { decoder, keep_triplets: false, lone_surrogates: LoneSurrogates::Refuse }
    }

    /// Keeps all triplets, and decodes only `%uXXXX`, except `%u0025`, because a decoded `%` could
    /// begin a triplet.
    ///
    /// ```
    /// # use simdpct::{Decoder, legacy::UnicodeDecoder};
    /// let decoder = UnicodeDecoder::new(Decoder::new()).keep_triplets();
    /// assert_eq!(decoder.decode_utf8("%u20AC%20%C3%A9")?, "€%20%C3%A9");
    /// assert_eq!(decoder.decode_utf8("%u00252F")?, "%u00252F");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn keep_triplets(mut self) -> Self {
        self.keep_triplets = true;
        self
    }

    /// Sets how to handle lone surrogates.
    ///
    /// ```
    /// # use simdpct::{Decoder, legacy::{LoneSurrogates, UnicodeDecoder}};
    /// let decoder = UnicodeDecoder::new(Decoder::new());
    /// assert_eq!(decoder.decode_utf8("a%uDE00").unwrap_err().position, 1);
    /// assert_eq!(decoder.lone_surrogates(LoneSurrogates::Replace).decode_utf8("a%uDE00")?, "a\u{FFFD}");
    /// assert_eq!(decoder.lone_surrogates(LoneSurrogates::Keep).decode_utf8("a%uDE00")?, "a%uDE00");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn lone_surrogates(mut self, policy: LoneSurrogates) -> Self {
        self.lone_surrogates = policy;
        self
    }

    /// Decodes to text. Borrows the input if nothing is decoded.
    ///
    /// # Errors
    ///
    /// Same as [`Decoder::decode_utf8`], and
    /// [`LoneSurrogate`](crate::DecodeErrorKind::LoneSurrogate) unless lone surrogates are replaced
    /// or kept.
    pub fn decode_utf8<'a, T: Input + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, str>, DecodeError> {
        self.decode_with(input.as_bytes(), input.as_text(), Decoder::decode_to_text)
    }

    /// Decodes to text, and replaces each maximal subpart of an ill-formed UTF-8 sequence by
    /// U+FFFD, like [`Decoder::decode_utf8_lossy`]. Borrows the input if nothing is decoded or
    /// replaced. Lone surrogates are handled separately, see
    /// [`lone_surrogates`](Self::lone_surrogates).
    ///
    /// # Errors
    ///
    /// Same as [`Decoder::decode_utf8_lossy`], and
    /// [`LoneSurrogate`](crate::DecodeErrorKind::LoneSurrogate) unless lone surrogates are replaced
    /// or kept.
    ///
    /// ```
    /// # use simdpct::{Decoder, legacy::{LoneSurrogates, UnicodeDecoder}};
    /// let decoder = UnicodeDecoder::new(Decoder::new().lenient()).lone_surrogates(LoneSurrogates::Replace);
    /// assert_eq!(decoder.decode_utf8_lossy("%C3%u20AC %uD800 100%")?, "\u{FFFD}€ \u{FFFD} 100%");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    pub fn decode_utf8_lossy<'a, T: Input + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, str>, DecodeError> {
        self.decode_with(input.as_bytes(), input.as_text(), Decoder::decode_to_text_lossy)
    }

    /// `text` is the input, if it is known to be text.
    fn decode_with<'a>(
        &self,
        input: &'a [u8],
        text: Option<&'a str>,
        decode: Decode,
    ) -> Result<Cow<'a, str>, DecodeError> {
        let keeps_percent = self.keep_triplets
            || self.lone_surrogates == LoneSurrogates::Keep
            || self.decoder.plan.keep.is_some_and(|keep| keep.contains(b'%'));
        let kept = self.decoder.plan.keep.unwrap_or(ByteSet::EMPTY);
        let decoder = match (self.keep_triplets, keeps_percent) {
            (true, _) => self.decoder.keep(ByteSet::ALL),
            (false, true) => self.decoder.keep(kept.with(b'%')),
            (false, false) => self.decoder,
        };
        let parts = Parts { decoder, decode, input, keeps_percent };
        let mut escapes = Escapes::of(input).peekable();
        if escapes.peek().is_none() && parts.staying(0..input.len()).next().is_none() {
            return decode(&decoder, input, text);
        }
        let mut output = String::with_capacity(input.len());
        let mut at = 0;
        // The parts between escapes are decoded separately: a triplet cannot contain the `%` of the
        // next escape, and an ill-formed sequence ends before the character of the escape.
        for escape in escapes {
            parts.push(at..escape.start, &mut output)?;
            self.push_escape(&parts, &escape, &mut output)?;
            at = escape.end;
        }
        parts.push(at..input.len(), &mut output)?;
        match text.or_else(|| driver::utf8::checked_text(input, self.decoder.level)) {
            Some(text) if text == output => Ok(Cow::Borrowed(text)),
            _ => Ok(Cow::Owned(output)),
        }
    }

    fn push_escape(&self, parts: &Parts<'_>, escape: &Escape, output: &mut String) -> Result<(), DecodeError> {
        let character = match (escape.character, self.lone_surrogates) {
            (None, LoneSurrogates::Refuse) => return Err(DecodeError::new(LoneSurrogate, escape.start)),
            (None, LoneSurrogates::Replace) => Some(char::REPLACEMENT_CHARACTER),
            (None, LoneSurrogates::Keep) => None,
            (character, _) => character
                .filter(|&character| !self.is_kept(character) && !parts.creates_escape(escape.start, character)),
        };
        let Some(character) = character else { return parts.push_raw(escape.start..escape.end, output) };
        let mut bytes = [0; 4];
        let text = character.encode_utf8(&mut bytes);
        if let Some((_, error)) = parts.find_rejected(text.as_bytes()) {
            return Err(DecodeError::new(error, escape.start));
        }
        output.push_str(text);
        Ok(())
    }

    fn is_kept(&self, character: char) -> bool {
        let all_in = |set: ByteSet| character.encode_utf8(&mut [0; 4]).bytes().all(|byte| set.contains(byte));
        self.decoder.plan.keep.is_some_and(all_in)
    }
}

/// Decodes a part to text: [`Decoder::decode_to_text`] or
/// [`decode_to_text_lossy`](Decoder::decode_to_text_lossy).
type Decode = for<'b> fn(&Decoder, &'b [u8], Option<&'b str>) -> Result<Cow<'b, str>, DecodeError>;

/// The parts of an input between its `%uXXXX`.
struct Parts<'a> {
    decoder: Decoder,
    decode: Decode,
    input: &'a [u8],
    /// Whether escapes of `%` are kept, so that no escape may be created.
    keeps_percent: bool,
}

impl Parts<'_> {
    /// Yields the triplets of a part that must be kept because they would create a `%uXXXX` or a
    /// triplet.
    fn staying(&self, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        // A strict decoder rejects the malformed `%` that they would complete.
        let searched = if self.keeps_percent && !self.decoder.plan.strict { part.clone() } else { 0..0 };
        memchr::memchr_iter(b'%', &self.input[searched]).filter_map(move |offset| {
            let start = part.start + offset;
            let byte = hex::first_triplet(&self.input[start..part.end])?;
            self.creates_escape(start, char::from(byte)).then_some(start..start + 3)
        })
    }

    /// Appends a part, decoded except for the triplets that must be kept.
    fn push(&self, part: Range<usize>, output: &mut String) -> Result<(), DecodeError> {
        let mut at = part.start;
        for triplet in self.staying(part.clone()) {
            self.push_decoded(at..triplet.start, output)?;
            at = triplet.end;
            self.push_raw(triplet, output)?;
        }
        self.push_decoded(at..part.end, output)
    }

    fn push_decoded(&self, part: Range<usize>, output: &mut String) -> Result<(), DecodeError> {
        if part.is_empty() {
            return Ok(());
        }
        let start = part.start;
        match (self.decode)(&self.decoder, &self.input[part], None) {
            Ok(text) => output.push_str(&text),
            Err(error) => return Err(DecodeError::new(error.kind, start + error.position)),
        }
        Ok(())
    }

    /// Appends an escape unchanged.
    fn push_raw(&self, escape: Range<usize>, output: &mut String) -> Result<(), DecodeError> {
        let start = escape.start;
        let bytes = &self.input[escape];
        if let Some((offset, error)) = self.find_rejected(bytes) {
            return Err(DecodeError::new(error, start + offset));
        }
        output.extend(bytes.iter().copied().map(char::from));
        Ok(())
    }

    fn find_rejected(&self, bytes: &[u8]) -> Option<(usize, crate::DecodeErrorKind)> {
        let set = self.decoder.plan.reject?;
        let offset = bytes.iter().position(|&byte| set.contains(byte))?;
        Some((offset, Rejected(bytes[offset])))
    }

    /// Whether `character`, decoded from an escape at `at`, could begin another escape, or complete
    /// a malformed `%` before it.
    fn creates_escape(&self, at: usize, character: char) -> bool {
        self.keeps_percent && (character == '%' || could_complete(&self.input[..at], character))
    }
}

/// Whether `character` after `before` could complete a malformed `%` to a triplet or a `%uXXXX`.
fn could_complete(before: &[u8], character: char) -> bool {
    let digits = before.iter().rev().take(3).take_while(|byte| byte.is_ascii_hexdigit()).count();
    match (&before[..before.len() - digits], digits) {
        ([.., b'%'], 0) => character == 'u' || character.is_ascii_hexdigit(),
        ([.., b'%'], 1) | ([.., b'%', b'u'], _) => character.is_ascii_hexdigit(),
        _ => false,
    }
}

/// A `%uXXXX`, or two that form a surrogate pair, with its position.
pub(super) struct Escape {
    pub(super) start: usize,
    pub(super) end: usize,
    /// `None` for a lone surrogate.
    pub(super) character: Option<char>,
}

/// Iterator over the `%uXXXX` of an input, in order.
pub(super) struct Escapes<'a> {
    finder: memmem::Finder<'static>,
    input: &'a [u8],
    at: usize,
}

impl<'a> Escapes<'a> {
    pub(super) fn of(input: &'a [u8]) -> Self {
        Self { finder: memmem::Finder::new(b"%u"), input, at: 0 }
    }
}

impl Iterator for Escapes<'_> {
    type Item = Escape;

    fn next(&mut self) -> Option<Escape> {
        loop {
            // Escapes come in runs, so test for one here before searching.
            let Some(unit) = code_unit(self.input, self.at) else {
                let rest = self.input.get(self.at..)?;
                let found = self.at + self.finder.find(rest)?;
                self.at = if found == self.at { found + 2 } else { found };
                continue;
            };
            let start = self.at;
            let mut character = char::from_u32(unit.into());
            if character.is_none() {
                let pair = [unit, code_unit(self.input, start + 6).unwrap_or(0)];
                character = char::decode_utf16(pair).next()?.ok();
            }
            self.at = start + 6 * character.map_or(1, char::len_utf16);
            return Some(Escape { start, end: self.at, character });
        }
    }
}

/// The code unit of the `%uXXXX` at `at`, if there is one.
fn code_unit(input: &[u8], at: usize) -> Option<u16> {
    let &[b'%', b'u', a, b, c, d] = input.get(at..at + 6)? else { return None };
    Some(u16::from_be_bytes([from_digits(a, b)?, from_digits(c, d)?]))
}
