//! Faults of a record: the first one, and all kinds for the counts.
#![forbid(unsafe_code)]

use std::fmt;

use simdpct::path::PathErrorKind;
use simdpct::{DecodeErrorKind, Kinds};

use super::url::UrlFault;
use super::words;
use crate::codec::{ErrorKinds, Outcome};

/// A fault of a field or a record, and its position.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) position: usize,
    /// All kinds of faults, for the counts.
    pub(crate) counted: Counted,
    /// All findings of `check` and `stats`.
    pub(crate) found: Kinds,
    /// Whether a filter selects the field.
    pub(crate) is_selected: bool,
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, position: usize) -> Self {
        Self { kind, position, counted: Counted::of(kind), found: kind.found(), is_selected: false }
    }

    /// A note that the record is written, whatever the filter.
    pub(crate) fn selected() -> Self {
        Self::select(None)
    }

    /// A fault of a field that a filter selects, or a note about it.
    pub(crate) fn select(fault: Option<Self>) -> Self {
        Self { is_selected: true, ..fault.unwrap_or_else(|| Self::new(FaultKind::Selected, 0)) }
    }

    /// The first error of a field that has errors of these kinds.
    pub(crate) fn of_errors(first: DecodeErrorKind, position: usize, kinds: ErrorKinds) -> Self {
        let fault = Self::new(FaultKind::Code(first), position);
        Self { counted: fault.counted.union(Counted::of_errors(kinds)), ..fault }
    }

    /// The fault of a field that was decoded to text: its first error, or a note that the fallback
    /// charset was used. `None` if there is neither.
    pub(crate) fn of_text(outcome: &Outcome) -> Option<Self> {
        let counts = [
            (outcome.malformed, Count::Malformed),
            (outcome.ill_formed == Some(DecodeErrorKind::IllFormed), Count::NotInCharset),
            (outcome.ill_formed == Some(DecodeErrorKind::InvalidUtf8) || outcome.lone_surrogate, Count::NotUtf8),
            (outcome.rejected, Count::Rejected),
            (outcome.fell_back, Count::Fallback),
        ];
        let (kind, position) = match outcome.first {
            Some((kind, position)) => (FaultKind::Code(kind), position),
            None if outcome.fell_back => (FaultKind::Fallback, 0),
            None => return None,
        };
        let counted = counts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, count)| Counted::one(count));
        let fault = Self::new(kind, position);
        Some(Self { counted: counted.fold(fault.counted, Counted::union), ..fault })
    }

    /// The fault of a record from those of two fields, in their order.
    pub(crate) fn first(before: Option<Self>, after: Option<Self>) -> Option<Self> {
        let (Some(before), Some(after)) = (before, after) else { return before.or(after) };
        let found = before.found | after.found;
        // A note does not precede a fault.
        let first = if before.kind.is_note() { after } else { before };
        let kind = match (before.kind, after.kind) {
            (FaultKind::Found(one, layer), FaultKind::Found(other, same)) if layer == same => {
                FaultKind::Found(one | other, layer)
            }
            _ => first.kind,
        };
        let is_selected = before.is_selected || after.is_selected;
        Some(Self { kind, position: first.position, counted: before.counted.union(after.counted), found, is_selected })
    }

    /// The fault of a field from two faults, in any order.
    pub(crate) fn earliest(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(first), Some(second)) if second.position < first.position => Self::first(other, one),
            _ => Self::first(one, other),
        }
    }

    /// The same fault in a text in which `offset` bytes precede the field.
    pub(crate) fn shifted_by(self, offset: usize) -> Self {
        Self { position: self.position + offset, ..self }
    }

    /// The same fault in a field that `offset` bytes of the text precede; at its start if the fault
    /// is in these.
    pub(crate) fn after(self, offset: usize) -> Self {
        Self { position: self.position.saturating_sub(offset), ..self }
    }
}

/// The ways in which a record can be invalid, and notes on valid ones.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum FaultKind {
    /// No fault: a filter selects a field.
    Selected,
    /// No fault: a URL does not have the part that is asked for.
    Missing,
    /// No fault: the line is no record, and is not written.
    NoRecord,
    /// A field cannot be decoded.
    Code(DecodeErrorKind),
    /// A field has findings in a layer of its encoding: 0 is the field itself, 1 what it is after
    /// one decoding.
    Found(Kinds, u8),
    /// A path is refused by the policy.
    Path(PathErrorKind),
    /// A URL has no normal form.
    Url(UrlFault),
    /// Decoding the path would make a delimiter of the format.
    EncodedDelimiter,
    /// The text to encode is not UTF-8.
    NotUtf8,
    /// The record is not in the input format, with a message.
    Format(&'static str),
    /// The record has more fields than the first one.
    TooManyFields,
    /// The object already has a member of the new name.
    KeyExists,
    /// The record is too long for memory.
    TooLong,
    /// The record is longer than the limit.
    OverLimit,
    /// A field was decoded in the fallback charset.
    Fallback,
}

impl FaultKind {
    /// Whether records are only counted, filtered or left out: they are not invalid.
    pub(crate) fn is_note(self) -> bool {
        matches!(self, Self::Selected | Self::Missing | Self::NoRecord | Self::Fallback)
    }

    pub(crate) fn found(self) -> Kinds {
        match self {
            Self::Found(kinds, _) => kinds,
            _ => Kinds::NONE,
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Selected => f.write_str("selected"),
            Self::Missing => f.write_str("without the part"),
            Self::NoRecord => f.write_str("no record"),
            Self::Code(kind) => kind.fmt(f),
            Self::Found(kinds, layer) => {
                f.write_str(&kinds.iter().map(words).collect::<Vec<_>>().join("; "))?;
                match layer {
                    0 => Ok(()),
                    1 => f.write_str(", after decoding once"),
                    _ => write!(f, ", after decoding {layer} times"),
                }
            }
            Self::Path(kind) => kind.fmt(f),
            Self::Url(kind) => kind.fmt(f),
            Self::EncodedDelimiter => f.write_str("the path has an encoded field delimiter"),
            Self::NotUtf8 => f.write_str("not valid UTF-8"),
            Self::Format(message) => f.write_str(message),
            Self::TooManyFields => f.write_str("too many fields"),
            Self::KeyExists => f.write_str("the object already has the new key"),
            Self::TooLong => f.write_str("too long for memory"),
            Self::OverLimit => f.write_str("longer than --max-record"),
            Self::Fallback => f.write_str("decoded in the fallback charset"),
        }
    }
}

/// Counters of invalid records, and of records without the part of a URL.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Count {
    Malformed,
    NotUtf8,
    Rejected,
    Suspicious,
    Format,
    TooManyFields,
    KeyExists,
    TooLong,
    Path,
    NotInCharset,
    Fallback,
    Url,
    Missing,
}

impl Count {
    pub(crate) const ALL: [Self; 13] = [
        Self::Malformed,
        Self::NotUtf8,
        Self::Rejected,
        Self::Suspicious,
        Self::Format,
        Self::TooManyFields,
        Self::KeyExists,
        Self::TooLong,
        Self::Path,
        Self::NotInCharset,
        Self::Fallback,
        Self::Url,
        Self::Missing,
    ];

    /// The counter of a kind; `None` if it is not counted.
    pub(crate) fn of(kind: FaultKind) -> Option<Self> {
        Some(match kind {
            FaultKind::Selected | FaultKind::NoRecord => return None,
            FaultKind::Missing => Self::Missing,
            FaultKind::Code(DecodeErrorKind::Malformed) => Self::Malformed,
            FaultKind::Code(DecodeErrorKind::Rejected(_)) => Self::Rejected,
            FaultKind::Code(DecodeErrorKind::IllFormed | DecodeErrorKind::Unencodable(_)) => Self::NotInCharset,
            FaultKind::Code(_) | FaultKind::NotUtf8 => Self::NotUtf8,
            FaultKind::Path(_) | FaultKind::EncodedDelimiter => Self::Path,
            FaultKind::Url(_) => Self::Url,
            FaultKind::Found(..) => Self::Suspicious,
            FaultKind::Format(_) => Self::Format,
            FaultKind::TooManyFields => Self::TooManyFields,
            FaultKind::KeyExists => Self::KeyExists,
            FaultKind::TooLong | FaultKind::OverLimit => Self::TooLong,
            FaultKind::Fallback => Self::Fallback,
        })
    }

    /// Name in JSON reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::NotUtf8 => "not-utf8",
            Self::Rejected => "rejected",
            Self::Suspicious => "suspicious",
            Self::Format => "not-in-format",
            Self::TooManyFields => "too-many-fields",
            Self::KeyExists => "new-key-exists",
            Self::TooLong => "too-long",
            Self::Path => "path-refused",
            Self::NotInCharset => "not-in-charset",
            Self::Fallback => "fallback",
            Self::Url => "invalid-url",
            Self::Missing => "without-part",
        }
    }

    /// Words in text reports.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::NotUtf8 => "not UTF-8",
            Self::Rejected => "with rejected bytes",
            Self::Suspicious => "suspicious",
            Self::Format => "not in the format",
            Self::TooManyFields => "with too many fields",
            Self::KeyExists => "that already have the new key",
            Self::TooLong => "too long",
            Self::Path => "with a refused path",
            Self::NotInCharset => "not in the charset",
            Self::Fallback => "in the fallback charset",
            Self::Url => "with an invalid URL",
            Self::Missing => "without the part",
        }
    }
}

/// The counters to which a record adds: a set of [`Count`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Counted(u16);

impl Counted {
    pub(crate) fn of(kind: FaultKind) -> Self {
        Count::of(kind).map_or(Self(0), Self::one)
    }

    fn one(count: Count) -> Self {
        Self(1 << count as u8)
    }

    pub(crate) fn of_errors(kinds: ErrorKinds) -> Self {
        let bit = |is_there: bool, count: Count| u16::from(is_there) << count as u8;
        let ErrorKinds { malformed, ill_formed, rejected } = kinds;
        Self(bit(malformed, Count::Malformed) | bit(ill_formed, Count::NotUtf8) | bit(rejected, Count::Rejected))
    }

    pub(crate) fn contains(self, count: Count) -> bool {
        self.0 >> count as u8 & 1 != 0
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Adds one to each counter of the set.
    pub(crate) fn add_to(self, counts: &mut [u64; Count::ALL.len()]) {
        for (at, count) in counts.iter_mut().enumerate() {
            *count += u64::from(self.0 >> at & 1);
        }
    }
}
