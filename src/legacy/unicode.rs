//! `UnicodeDecoder`: `%uXXXX`, one UTF-16 code unit each, beside triplets of UTF-8.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;

use memchr::memmem;

use crate::DecodeErrorKind::{LoneSurrogate, Rejected};
use crate::driver::from_digits;
use crate::{ByteSet, DecodeError, Decoder, driver};

/// Decodes `%uXXXX`, and triplets of UTF-8 beside it, to text.
///
/// `%uXXXX` stands for one UTF-16 code unit in four hexadecimal digits of either case. No standard of URIs has it: it comes from
/// ECMAScript's `escape` (see [`js`](super::js), where `%XX` means something else), and IIS and ASP take it in URLs. Two escapes
/// that are a surrogate pair are one character; half of one alone has no form in UTF-8, and [`LoneSurrogates`] says what is to
/// become of it. The `u` is a small one; `%u` without four digits is as malformed as any other `%`.
///
/// All that the [`Decoder`] was told holds for `%uXXXX` too: a strict one refuses what is malformed and a lenient one passes it
/// on, an escape is kept if all bytes of its character are, in UTF-8, and refused if one of them is rejected. What a server's
/// code page makes of a character afterwards (some turn U+FF0F into `/`) is not done here.
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

/// What becomes of a `%uXXXX` that is half of a surrogate pair without the other half (Unicode 3.9, D74 to D76).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum LoneSurrogates {
    /// It is an error, with its position.
    #[default]
    Error,
    /// It becomes U+FFFD, as where WHATWG Infra 4.7 converts to a scalar value string.
    Replace,
    /// The escape stays, as the six characters it is.
    Keep,
}

impl UnicodeDecoder {
    /// Decodes triplets as `decoder` does, and `%uXXXX` besides. A lone surrogate is an error.
    #[must_use]
    pub const fn new(decoder: Decoder) -> Self {
        Self { decoder, keep_triplets: false, lone_surrogates: LoneSurrogates::Error }
    }

    /// Leaves all triplets as they are, and decodes `%uXXXX` alone.
    ///
    /// ```
    /// # use simdpct::{Decoder, legacy::UnicodeDecoder};
    /// let decoder = UnicodeDecoder::new(Decoder::new()).keep_triplets();
    /// assert_eq!(decoder.decode_utf8("%u20AC%20%C3%A9")?, "€%20%C3%A9");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn keep_triplets(mut self) -> Self {
        self.keep_triplets = true;
        self
    }

    /// Says what becomes of half a surrogate pair.
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

    /// Decodes to text; borrows where there is nothing to decode.
    ///
    /// # Errors
    ///
    /// As [`Decoder::decode_utf8`], and [`LoneSurrogate`](crate::DecodeErrorKind::LoneSurrogate) by policy.
    pub fn decode_utf8<'a, T: AsRef<[u8]> + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, str>, DecodeError> {
        self.decode_with(input.as_ref(), Decoder::decode_utf8)
    }

    /// Decodes to text, with U+FFFD for ill-formed UTF-8 as [`Decoder::decode_utf8_lossy`] has it; borrows where there is
    /// nothing to decode and to replace. The policy for lone surrogates holds here too.
    ///
    /// # Errors
    ///
    /// As [`Decoder::decode_utf8_lossy`], and [`LoneSurrogate`](crate::DecodeErrorKind::LoneSurrogate) by policy.
    ///
    /// ```
    /// # use simdpct::{Decoder, legacy::{LoneSurrogates, UnicodeDecoder}};
    /// let decoder = UnicodeDecoder::new(Decoder::new().lenient()).lone_surrogates(LoneSurrogates::Replace);
    /// assert_eq!(decoder.decode_utf8_lossy("%C3%u20AC %uD800 100%")?, "\u{FFFD}€ \u{FFFD} 100%");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    pub fn decode_utf8_lossy<'a, T: AsRef<[u8]> + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, str>, DecodeError> {
        self.decode_with(input.as_ref(), Decoder::decode_utf8_lossy)
    }

    fn decode_with<'a>(
        &self,
        input: &'a [u8],
        decode: for<'b> fn(&Decoder, &'b [u8]) -> Result<Cow<'b, str>, DecodeError>,
    ) -> Result<Cow<'a, str>, DecodeError> {
        let decoder = if self.keep_triplets { self.decoder.keep(ByteSet::ALL) } else { self.decoder };
        let mut escapes = Escapes::of(input).peekable();
        if escapes.peek().is_none() {
            return decode(&decoder, input);
        }
        let mut output = String::with_capacity(input.len());
        let mut at = 0;
        // What stands between two escapes can be decoded by itself: a triplet does not reach over the '%' of the next escape,
        // nor does an ill-formed sequence over the character that the escape becomes.
        for escape in escapes {
            if at < escape.start {
                push_part(&mut output, decode(&decoder, &input[at..escape.start]), at)?;
            }
            self.push_escape(&mut output, input, &escape)?;
            at = escape.end;
        }
        push_part(&mut output, decode(&decoder, &input[at..]), at)?;
        match driver::checked_text(input, self.decoder.level) {
            Some(text) if text == output => Ok(Cow::Borrowed(text)),
            _ => Ok(Cow::Owned(output)),
        }
    }

    fn push_escape(&self, output: &mut String, input: &[u8], escape: &Escape) -> Result<(), DecodeError> {
        let character = match (escape.character, self.lone_surrogates) {
            (None, LoneSurrogates::Error) => return Err(DecodeError::new(LoneSurrogate, escape.start)),
            (None, LoneSurrogates::Replace) => Some(char::REPLACEMENT_CHARACTER),
            (None, LoneSurrogates::Keep) => None,
            (character, _) => character.filter(|&character| !self.is_kept(character)),
        };
        match character {
            Some(character) => {
                let mut bytes = [0; 4];
                let text = character.encode_utf8(&mut bytes);
                if let Some((_, error)) = self.find_rejected(text.as_bytes()) {
                    return Err(DecodeError::new(error, escape.start));
                }
                output.push_str(text);
            }
            None => {
                let kept = &input[escape.start..escape.end];
                if let Some((offset, error)) = self.find_rejected(kept) {
                    return Err(DecodeError::new(error, escape.start + offset));
                }
                output.extend(kept.iter().copied().map(char::from));
            }
        }
        Ok(())
    }

    fn is_kept(&self, character: char) -> bool {
        let all_in = |set: ByteSet| character.encode_utf8(&mut [0; 4]).bytes().all(|byte| set.contains(byte));
        self.decoder.rules.keep.is_some_and(all_in)
    }

    fn find_rejected(&self, bytes: &[u8]) -> Option<(usize, crate::DecodeErrorKind)> {
        let set = self.decoder.rules.reject?;
        let offset = bytes.iter().position(|&byte| set.contains(byte))?;
        Some((offset, Rejected(bytes[offset])))
    }
}

fn push_part(output: &mut String, part: Result<Cow<'_, str>, DecodeError>, start: usize) -> Result<(), DecodeError> {
    match part {
        Ok(text) => output.push_str(&text),
        Err(error) => return Err(DecodeError::new(error.kind, start + error.position)),
    }
    Ok(())
}

/// A `%uXXXX`, or two that are a surrogate pair, and where it stands.
pub(super) struct Escape {
    pub(super) start: usize,
    pub(super) end: usize,
    /// `None` for half a surrogate pair.
    pub(super) character: Option<char>,
}

/// The escapes of an input, in order. What lies between them is no `%uXXXX`.
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
            // Where there is one escape, mostly another follows: looking is cheaper than searching.
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

/// The code unit of the `%uXXXX` at `at`, if one stands there.
fn code_unit(input: &[u8], at: usize) -> Option<u16> {
    let &[b'%', b'u', a, b, c, d] = input.get(at..at + 6)? else { return None };
    Some(u16::from_be_bytes([from_digits(a, b)?, from_digits(c, d)?]))
}
