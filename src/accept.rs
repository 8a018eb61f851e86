//! Decodes text that may contain only certain characters.
//!
//! For a field restricted to some characters, for example the characters of one script. The check
//! is on decoded characters, and errors have their position in the input, where the user can see
//! it. The accepted characters are given as [`Ranges`] or as a predicate.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use core::error::Error;
use core::fmt;
use core::ops::RangeInclusive;

use crate::byteset::ByteSet;
use crate::decode::Decoder;
use crate::driver;
use crate::error::DecodeError;
use crate::input::Input;
use crate::level::Level;

/// A set of characters: a list of ranges in any order.
///
/// Build it once, in `const`, or from ranges known only at run time. Accepted ASCII characters are
/// skipped with SIMD. For any other character, the range of the preceding one is tested first, then
/// all ranges in turn.
///
/// ```
/// use simdpct::accept::Ranges;
///
/// const CYRILLIC: Ranges = Ranges::new(&['а'..='я', 'А'..='Я', 'Ё'..='Ё', 'ё'..='ё', ' '..=' ']);
/// assert!(CYRILLIC.contains('ё'));
/// assert!(!CYRILLIC.contains('e'));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ranges<'a> {
    ranges: &'a [RangeInclusive<char>],
    /// Bytes that may start a character that is not accepted: all bytes from 0x80, and the ASCII
    /// characters that are in no range.
    suspects: ByteSet,
}

impl Ranges<'static> {
    /// European text in Latin script: printable ASCII, and the Unicode blocks Latin-1 Supplement
    /// (without its control characters), Latin Extended-A and -B, IPA Extensions, Combining
    /// Diacritical Marks (for decomposed text), Latin Extended Additional, and General Punctuation
    /// from U+2010 to U+2027 (dashes, quotation marks and the ellipsis).
    ///
    /// These are blocks, not the Unicode property Script: they include U+00D7, the multiplication
    /// sign.
    pub const LATIN: Self = Self::new(&[
        ' '..='~',
        '\u{A0}'..='\u{2AF}',
        '\u{300}'..='\u{36F}',
        '\u{1E00}'..='\u{1EFF}',
        '\u{2010}'..='\u{2027}',
    ]);
}

impl<'a> Ranges<'a> {
    /// Creates the set of the characters in all `ranges`, which include both ends. Ranges may
    /// overlap. A range whose end is less than its start is empty.
    #[must_use]
    pub const fn new(ranges: &'a [RangeInclusive<char>]) -> Self {
        let mut suspects = ByteSet::ALL;
        let mut range = 0;
        while range < ranges.len() {
            let (first, last) = (*ranges[range].start() as u32, *ranges[range].end() as u32);
            let mut character = first;
            while character <= last && character < 0x80 {
                suspects = suspects.without(character as u8);
                character += 1;
            }
            range += 1;
        }
        Self { ranges, suspects }
    }

    /// Whether `character` is in one of the ranges.
    #[must_use]
    pub fn contains(&self, character: char) -> bool {
        self.ranges.iter().any(|range| range.contains(&character))
    }
}

/// Error of decoding text of accepted characters.
///
/// If an input has several errors, the one with the smallest position is reported.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum AcceptError {
    /// The input cannot be decoded to text.
    Decode(DecodeError),
    /// The text contains a character that is not accepted.
    #[non_exhaustive]
    NotAccepted {
        /// The character.
        character: char,
        /// Byte offset in the input (not in the output) of the character's first byte or triplet.
        position: usize,
    },
}

impl AcceptError {
    /// Byte offset of the error in the input.
    #[must_use]
    pub const fn position(&self) -> usize {
        match self {
            Self::Decode(error) => error.position,
            Self::NotAccepted { position, .. } => *position,
        }
    }
}

impl fmt::Display for AcceptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(error) => error.fmt(f),
            Self::NotAccepted { character, position } => {
                write!(
                    f,
                    "character {character:?} (U+{:04X}) is not accepted, at byte {position}",
                    u32::from(*character)
                )
            }
        }
    }
}

// No source: `Display` already prints the inner error.
impl Error for AcceptError {}

impl From<DecodeError> for AcceptError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl Decoder {
    /// Decodes to text, and fails if it contains a character that is not in `accepted`. Borrows the
    /// input if nothing is decoded.
    ///
    /// # Errors
    ///
    /// Returns [`AcceptError::NotAccepted`] with the first character that is not accepted, or
    /// [`AcceptError::Decode`] as [`decode_utf8`](Self::decode_utf8) does, whichever comes first in
    /// the input.
    ///
    /// ```
    /// use simdpct::{Decoder, accept::{AcceptError, Ranges}};
    ///
    /// let search = |text| Decoder::new().plus_for_space().decode_utf8_accepting(text, &Ranges::LATIN);
    /// assert_eq!(search("cr%C3%A8me+br%C3%BBl%C3%A9e").unwrap(), "crème brûlée");
    /// let error = search("a+%E8%B5%B7%E5%8F%B8%E5%A0%A1").unwrap_err();
    /// assert!(matches!(error, AcceptError::NotAccepted { character: '起', position: 2, .. }));
    /// ```
    pub fn decode_utf8_accepting<'a, T: Input + ?Sized>(
        &self,
        input: &'a T,
        accepted: &Ranges<'_>,
    ) -> Result<Cow<'a, str>, AcceptError> {
        self.decode_utf8_unless(input.as_bytes(), input.as_text(), |text| {
            // Test the range of the preceding character first: most text stays in one script.
            let mut current = &EMPTY;
            find_other(text, &accepted.suspects, self.level, |character| {
                if !current.contains(&character) {
                    match accepted.ranges.iter().find(|range| range.contains(&character)) {
                        Some(range) => current = range,
                        None => return false,
                    }
                }
                true
            })
        })
    }

    /// Decodes to text, and fails if `accept` is false for a character. Borrows the input if
    /// nothing is decoded.
    ///
    /// On short texts `accept` is called for every character. On long texts it is called once for
    /// each ASCII character, so that accepted ones can be skipped with SIMD, and for every
    /// non-ASCII character of the text. It must be a pure function.
    ///
    /// # Errors
    ///
    /// Same as [`decode_utf8_accepting`](Self::decode_utf8_accepting).
    ///
    /// ```
    /// use simdpct::{Decoder, accept::AcceptError};
    ///
    /// let name = |text| Decoder::new().decode_utf8_accepting_if(text, char::is_alphanumeric);
    /// assert_eq!(name("%C3%89milie2").unwrap(), "Émilie2");
    /// let error = name("a%C3%89%2Fb").unwrap_err();
    /// assert!(matches!(error, AcceptError::NotAccepted { character: '/', position: 7, .. }));
    /// assert_eq!(name("a%C3/").unwrap_err().position(), 1); // not UTF-8
    /// ```
    pub fn decode_utf8_accepting_if<'a, T: Input + ?Sized>(
        &self,
        input: &'a T,
        accept: impl Fn(char) -> bool,
    ) -> Result<Cow<'a, str>, AcceptError> {
        self.decode_utf8_unless(input.as_bytes(), input.as_text(), |text| {
            let suspects = if text.len() < LONG { ByteSet::ALL } else { suspects(&accept) };
            find_other(text, &suspects, self.level, &accept)
        })
    }

    /// Decodes to text, and fails if `find_other` finds a character that is not accepted. It
    /// returns the character and its offset. `text` is the input, if it is known to be text.
    fn decode_utf8_unless<'a>(
        &self,
        input: &'a [u8],
        text: Option<&'a str>,
        find_other: impl Fn(&str) -> Option<(usize, char)>,
    ) -> Result<Cow<'a, str>, AcceptError> {
        let not_accepted = |decoder: &Self, input, text: &str| {
            let (at, character) = find_other(text)?;
            // Never fails, because the text was decoded up to `at`.
            let position = decoder.input_offset(input, at).ok()?;
            Some(AcceptError::NotAccepted { character, position })
        };
        match self.decode_to_text(input, text) {
            Ok(text) => not_accepted(self, input, &text).map_or(Ok(text), Err),
            Err(error) => {
                // The output before the first error is well-formed text. Lenient, because the error
                // may be within a triplet that is kept.
                let before = &input[..error.position];
                let decoder = Self { plan: self.plan.strict(false).without_reject(), ..*self };
                let earlier = decoder.decode_utf8(before).ok().and_then(|text| not_accepted(&decoder, before, &text));
                Err(earlier.unwrap_or(AcceptError::Decode(error)))
            }
        }
    }
}

/// The empty range.
const EMPTY: RangeInclusive<char> = '\u{1}'..='\0';

/// Minimum length at which calling the predicate for each ASCII character in advance is cheaper
/// than calling it for each character of the text.
const LONG: usize = 512;

fn suspects(accept: impl Fn(char) -> bool) -> ByteSet {
    let accepted = (0..0x80_u8).filter(|&byte| accept(char::from(byte)));
    accepted.fold(ByteSet::ALL, ByteSet::without)
}

/// Finds the first character that is not accepted, and its offset. `suspects` must contain all
/// bytes from 0x80 and every ASCII character that is not accepted.
fn find_other(
    text: &str,
    suspects: &ByteSet,
    level: Option<Level>,
    mut accept: impl FnMut(char) -> bool,
) -> Option<(usize, char)> {
    let mut at = 0;
    // Only ASCII is skipped, so `at` stays on a character boundary.
    while let Some(skipped) = driver::find(suspects, &text.as_bytes()[at..], level) {
        at += skipped;
        for character in text[at..].chars() {
            if character.is_ascii() && !suspects.contains(character as u8) {
                break;
            }
            if !accept(character) {
                return Some((at, character));
            }
            at += character.len_utf8();
        }
    }
    None
}
