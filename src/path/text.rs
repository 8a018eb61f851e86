//! Policies as text: `FromStr` and `Display` of `PathPolicy`.
#![forbid(unsafe_code)]

use core::fmt;
use core::str::FromStr;

use super::policy::{
    Backslash, DotSegments, EmptySegments, EncodedSlash, HiddenSegments, IllegalBytes, Parameters, PathPolicy,
};
use crate::byteset::ByteSet;
use crate::hex;
use crate::kinds::Kinds;
use crate::normalize::Malformed;
use crate::sets;

/// An option of a policy with a few possible values.
struct PolicyOption {
    name: &'static str,
    /// The names of the values.
    values: &'static [&'static str],
    /// The index of the policy's value.
    get: fn(&PathPolicy) -> usize,
    set: fn(PathPolicy, usize) -> PathPolicy,
}

macro_rules! option {
    ($name:literal, $field:ident: $type:ident { $($value:literal => $variant:ident),+ }) => {
        PolicyOption {
            name: $name,
            values: &[$($value),+],
            get: |policy| [$($type::$variant),+].iter().position(|&value| value == policy.$field).unwrap_or(0),
            set: |policy, index| policy.$field([$($type::$variant),+][index]),
        }
    };
}

/// The options, in the order in which they are written.
const OPTIONS: [PolicyOption; 8] = [
    option!("malformed", malformed: Malformed { "keep" => Keep, "refuse" => Refuse, "escape" => Escape }),
    option!("slash", slash: EncodedSlash { "keep" => Keep, "refuse" => Refuse, "decode" => Decode }),
    option!("backslash", backslash: Backslash { "keep" => Keep, "refuse" => Refuse, "to-slash" => ToSlash }),
    option!("dot-segments", dot_segments: DotSegments {
        "keep" => Keep, "refuse" => Refuse, "remove" => Remove, "clamp" => Clamp
    }),
    option!("empty-segments", empty_segments: EmptySegments { "keep" => Keep, "refuse" => Refuse, "merge" => Merge }),
    option!("parameters", parameters: Parameters {
        "keep" => Keep, "refuse" => Refuse, "strip" => Strip, "strip-from-dots" => StripFromDots
    }),
    option!("hidden-segments", hidden_segments: HiddenSegments { "keep" => Keep, "refuse" => Refuse }),
    option!("illegal", illegal: IllegalBytes {
        "keep" => Keep, "refuse" => Refuse, "escape" => Escape, "nginx" => Nginx
    }),
];

/// Error: a text does not describe a [`PathPolicy`] or a [`RequestGuard`](super::RequestGuard).
///
/// `Display` quotes the first invalid word, with its position, and the expected words.
///
/// ```
/// use simdpct::path::PathPolicy;
///
/// let error = "strict slash=remove".parse::<PathPolicy>().unwrap_err();
/// assert_eq!(error.to_string(), r#""slash=remove" at byte 7: expected keep, refuse or decode"#);
/// assert_eq!(error.position(), 7);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PolicyError {
    position: usize,
    /// The start of the word, and its whole length.
    word: [u8; SHOWN],
    length: usize,
    expected: Expected,
}

/// Bytes of a word that an error quotes.
const SHOWN: usize = 48;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Expected {
    /// Only the first word can be a preset.
    PresetFirst,
    /// A preset or an option.
    Word,
    /// A preset, an option, or a word of a guard.
    GuardWord,
    /// A value of the option with this index.
    Value(usize),
    Kinds,
    Set,
    Once,
    NothingAfterOff,
}

impl PolicyError {
    pub(super) fn new(position: usize, word: &str, expected: Expected) -> Self {
        let mut shown = [0; SHOWN];
        // Cut between characters, so that the excerpt is text.
        let end = (0..=word.len().min(SHOWN)).rev().find(|&end| word.is_char_boundary(end)).unwrap_or(0);
        shown[..end].copy_from_slice(&word.as_bytes()[..end]);
        Self { position, word: shown, length: word.len(), expected }
    }

    /// The error in the text of a guard, which has more words than a policy has.
    pub(super) fn in_guard(self) -> Self {
        let expected = if self.expected == Expected::Word { Expected::GuardWord } else { self.expected };
        Self { expected, ..self }
    }

    /// Byte offset of the word in the text.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.position
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.word.split(|&byte| byte == 0).next().unwrap_or_default();
        let mark = if self.length > shown.len() { "..." } else { "" };
        write!(f, "\"{}\"{mark} at byte {}: ", shown.escape_ascii(), self.position)?;
        match self.expected {
            Expected::PresetFirst => f.write_str("a preset comes first"),
            Expected::Word | Expected::GuardWord => {
                let words = if self.expected == Expected::Word { "" } else { "report-only, path=, query=, off, " };
                write!(f, "expected {words}a preset (")?;
                for (index, (name, _)) in PathPolicy::PRESETS.iter().enumerate() {
                    write!(f, "{}{name}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str(") or an option (")?;
                for option in &OPTIONS {
                    write!(f, "{}=, ", option.name)?;
                }
                f.write_str("decode=, refuse=)")
            }
            Expected::Value(option) => {
                f.write_str("expected ")?;
                let values = OPTIONS[option].values;
                for (index, value) in values.iter().enumerate() {
                    let separator = match index {
                        0 => "",
                        index if index + 1 == values.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{separator}{value}")?;
                }
                Ok(())
            }
            Expected::Kinds => f.write_str("expected names of kinds, separated by commas"),
            Expected::Set => f.write_str("expected the name of a set, or triplets"),
            Expected::Once => f.write_str("given twice"),
            Expected::NothingAfterOff => f.write_str("expected path= or query= beside off"),
        }
    }
}

impl core::error::Error for PolicyError {}

/// The words of a text with their positions. Any white space separates them.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr().addr();
    text.split_whitespace().map(move |word| (word.as_ptr().addr() - start, word))
}

/// Reads a policy word by word.
pub(super) struct Reader {
    policy: PathPolicy,
    is_first: bool,
    /// The options that were given, by index; `decode` and `refuse` after the others.
    given: [bool; OPTIONS.len() + 2],
}

impl Reader {
    pub(super) const fn new() -> Self {
        Self { policy: PathPolicy::DEFAULT, is_first: true, given: [false; OPTIONS.len() + 2] }
    }

    /// The policy so far.
    pub(super) const fn policy(&self) -> PathPolicy {
        self.policy
    }

    /// Reads the next word.
    pub(super) fn read(&mut self, position: usize, word: &str) -> Result<(), PolicyError> {
        let error = |expected| Err(PolicyError::new(position, word, expected));
        let is_first = core::mem::replace(&mut self.is_first, false);
        let Some((name, value)) = word.split_once('=') else {
            return match PathPolicy::PRESETS.iter().find(|(name, _)| *name == word) {
                Some(&(_, preset)) if is_first => {
                    self.policy = preset;
                    Ok(())
                }
                Some(_) => error(Expected::PresetFirst),
                None => error(Expected::Word),
            };
        };
        let index = match name {
            "decode" => OPTIONS.len(),
            "refuse" => OPTIONS.len() + 1,
            _ => match OPTIONS.iter().position(|option| option.name == name) {
                Some(index) => index,
                None => return error(Expected::Word),
            },
        };
        if core::mem::replace(&mut self.given[index], true) {
            return error(Expected::Once);
        }
        match OPTIONS.get(index) {
            Some(option) => match option.values.iter().position(|known| *known == value) {
                Some(value) => self.policy = (option.set)(self.policy, value),
                None => return error(Expected::Value(index)),
            },
            None if name == "decode" => match set(value) {
                Some(set) => self.policy = self.policy.decode(set),
                None => return error(Expected::Set),
            },
            None => match value.parse() {
                Ok(kinds) => self.policy = self.policy.refuse(kinds),
                Err(_) => return error(Expected::Kinds),
            },
        }
        Ok(())
    }
}

/// The set with this name, or of these triplets.
fn set(text: &str) -> Option<ByteSet> {
    if !text.starts_with('%') {
        return sets::named(text);
    }
    let (mut set, mut rest) = (ByteSet::EMPTY, text.as_bytes());
    while !rest.is_empty() {
        set = set.with(hex::first_triplet(rest)?);
        rest = &rest[3..];
    }
    Some(set)
}

/// Words, separated by white space. The first may be a [preset](PathPolicy::PRESETS); without one,
/// it is `default`. The others are options, each at most once:
///
/// | option | values |
/// |---|---|
/// | `malformed` | `keep`, `refuse`, `escape` |
/// | `slash` | `keep`, `refuse`, `decode` |
/// | `backslash` | `keep`, `refuse`, `to-slash` |
/// | `dot-segments` | `keep`, `refuse`, `remove`, `clamp` |
/// | `empty-segments` | `keep`, `refuse`, `merge` |
/// | `parameters` | `keep`, `refuse`, `strip`, `strip-from-dots` |
/// | `hidden-segments` | `keep`, `refuse` |
/// | `illegal` | `keep`, `refuse`, `escape`, `nginx` |
/// | `decode` | the name of a set (`unreserved`), or triplets (`%21%24`) |
/// | `refuse` | names of [kinds](Kinds), separated by commas; none after `refuse=` |
///
/// ```
/// use simdpct::path::{EncodedSlash, PathPolicy};
///
/// let policy: PathPolicy = "strict slash=keep".parse()?;
/// assert_eq!(policy, PathPolicy::STRICT.slash(EncodedSlash::Keep));
/// assert_eq!(policy.to_string(), "strict slash=keep");
/// # Ok::<(), simdpct::path::PolicyError>(())
/// ```
impl FromStr for PathPolicy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let mut reader = Reader::new();
        for (position, word) in words(text) {
            reader.read(position, word)?;
        }
        Ok(reader.policy())
    }
}

impl PathPolicy {
    /// Sets an option by its name and the name of the value, as in the policy's text. `None` if
    /// there is no such option, or it has no such value.
    #[must_use]
    pub fn with_option(self, option: &str, value: &str) -> Option<Self> {
        let option = OPTIONS.iter().find(|known| known.name == option)?;
        let value = option.values.iter().position(|known| *known == value)?;
        Some((option.set)(self, value))
    }

    /// The preset with which the policy's text begins.
    pub(super) fn nearest_preset(&self) -> (&'static str, Self) {
        let nearest = Self::PRESETS.iter().min_by_key(|(_, preset)| self.distance(preset));
        nearest.copied().unwrap_or(("default", Self::DEFAULT))
    }

    /// The number of additional words that a text needs if it begins with this preset.
    fn distance(&self, preset: &Self) -> usize {
        let differs = |option: &&PolicyOption| (option.get)(self) != (option.get)(preset);
        let words = OPTIONS.iter().filter(differs).count();
        words + usize::from(self.decode != preset.decode) + usize::from(self.refuse != preset.refuse)
    }
}

/// The text that [`FromStr`] reads: the nearest preset, and the options that differ. The
/// [level](PathPolicy::level) is not part of it.
impl fmt::Display for PathPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, preset) = self.nearest_preset();
        f.write_str(name)?;
        for option in &OPTIONS {
            let value = (option.get)(self);
            if value != (option.get)(&preset) {
                write!(f, " {}={}", option.name, option.values[value])?;
            }
        }
        if self.decode != preset.decode {
            f.write_str(" decode=")?;
            let is_same = |set: &ByteSet| PathPolicy::DEFAULT.decode(*set).decode == self.decode;
            match sets::NAMED.iter().find(|(_, set)| is_same(set)) {
                Some((name, _)) => f.write_str(name)?,
                None => {
                    let added = self.decode.intersection(sets::UNRESERVED.complement());
                    (0..=u8::MAX).filter(|&byte| added.contains(byte)).try_for_each(|byte| write!(f, "%{byte:02X}"))?;
                }
            }
        }
        if self.refuse != preset.refuse {
            f.write_str(" refuse=")?;
            write_kinds(f, self.refuse)?;
        }
        Ok(())
    }
}

/// Writes the names, separated by commas.
pub(super) fn write_kinds(f: &mut fmt::Formatter<'_>, kinds: Kinds) -> fmt::Result {
    kinds.names().enumerate().try_for_each(|(index, name)| write!(f, "{}{name}", if index > 0 { "," } else { "" }))
}
