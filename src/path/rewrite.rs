//! Rewriting a path: one pass over its bytes, which writes the canonical form and reports the first
//! error.
#![forbid(unsafe_code)]

use super::policy::{Backslash, DotSegments, EmptySegments, EncodedSlash, IllegalBytes, Parameters, PathPolicy};
use super::{PathError, PathErrorKind};
use crate::driver;
use crate::hex;
use crate::inspect::Findings;
use crate::normalize::Malformed;
use crate::sets;

/// Raw bytes that every policy writes as they are, and that neither end a segment nor begin its
/// parameters.
static PLAIN: [bool; 256] = {
    let plain = sets::PCHAR.without(b';');
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = plain.contains(byte as u8);
        byte += 1;
    }
    table
};

/// What the next byte or triplet of a path is.
enum Symbol {
    /// A delimiter of segments.
    Slash,
    /// A byte to write as it is.
    Byte(u8),
    /// A byte to write as a triplet.
    Triplet(u8),
}

/// Writes the canonical form of a path to the start of `output`, and returns its length.
///
/// `read` returns the byte of the path at an offset; it is given the output, which in place is the
/// path. No byte of the path is overwritten before it is read: a symbol is written in at most as
/// many bytes as it is read from, unless it is escaped, which [`len_bound`] makes room for and the
/// callers exclude in place.
pub(super) fn rewrite(
    policy: &PathPolicy,
    length: usize,
    read: impl Fn(&[u8], usize) -> u8,
    output: &mut [u8],
) -> Result<usize, PathError> {
    if length == 0 || read(output, 0) != b'/' {
        return Err(PathError::new(PathErrorKind::NotAbsolute, 0));
    }
    output[0] = b'/';
    let mut at = 1;
    let mut segment = Segment::starting(1, at);
    let mut written = 1;
    let mut completing = Completing::No;
    let mut first_parameter = None;
    while at < length {
        let byte = read(output, at);
        if PLAIN[usize::from(byte)] && !completing.is_so() {
            output[written] = byte;
            (at, written) = (at + 1, written + 1);
            continue;
        }
        let rest = length - at;
        let bytes = [0, 1, 2].map(|offset| if offset < rest { read(output, at + offset) } else { b'/' });
        let triplet = hex::first_triplet(&bytes).filter(|_| rest >= 3);
        let symbol = symbol(policy, bytes[0], triplet, completing).map_err(|kind| PathError::new(kind, at))?;
        completing = completing.after(policy, bytes[0], triplet);
        let position = at;
        at += if triplet.is_some() { 3 } else { 1 };
        match symbol {
            Symbol::Slash => {
                let keeps_slash;
                (written, keeps_slash) = segment.end(policy, output, written, false)?;
                if keeps_slash {
                    output[written] = b'/';
                    written += 1;
                }
                segment = Segment::starting(written, at);
            }
            Symbol::Byte(byte) => {
                if byte == b';' && segment.parameters.is_none() {
                    segment.parameters = Some(written);
                    first_parameter.get_or_insert(position);
                }
                output[written] = byte;
                written += 1;
            }
            Symbol::Triplet(byte) => {
                let [percent, high, low, _] = hex::TRIPLETS[usize::from(byte)].to_le_bytes();
                output[written..written + 3].copy_from_slice(&[percent, high, low]);
                written += 3;
            }
        }
    }
    let (written, _) = segment.end(policy, output, written, true)?;
    if let Some(position) = first_parameter {
        refuse_segments(policy, &output[..written], position)?;
    }
    Ok(written)
}

/// Fails if the canonical form has segments that the policy refuses. Only removing parameters makes
/// such segments: `/a%2F;x/b` becomes `/a%2F/b`, which has an empty segment. So the first parameter
/// is the position of the error.
fn refuse_segments(policy: &PathPolicy, canonical: &[u8], position: usize) -> Result<(), PathError> {
    let refused = policy.refuse.intersection(PathPolicy::SEGMENTS);
    if refused.is_empty() {
        return Ok(());
    }
    let found = Findings::of(canonical, policy.level).kinds_among(refused);
    if found.is_empty() { Ok(()) } else { Err(PathError::new(PathErrorKind::Refused(found), position)) }
}

/// The symbol that the policy makes of a raw byte or a triplet.
fn symbol(policy: &PathPolicy, raw: u8, triplet: Option<u8>, completing: Completing) -> Result<Symbol, PathErrorKind> {
    match (triplet, raw) {
        (Some(b'/'), _) => match policy.slash {
            EncodedSlash::Keep => Ok(Symbol::Triplet(b'/')),
            EncodedSlash::Decode => Ok(Symbol::Slash),
            EncodedSlash::Refuse => Err(PathErrorKind::EncodedSlash),
        },
        (Some(b'\\'), _) => match policy.backslash {
            Backslash::Keep => Ok(Symbol::Triplet(b'\\')),
            Backslash::ToSlash => Ok(Symbol::Slash),
            Backslash::Refuse => Err(PathErrorKind::Backslash),
        },
        (Some(b';'), _) | (None, b';') if policy.parameters == Parameters::Refuse => Err(PathErrorKind::Parameter),
        (Some(byte), _) if policy.decoded().contains(byte) && !completing.by(policy, byte) => Ok(Symbol::Byte(byte)),
        (Some(byte), _) => Ok(Symbol::Triplet(byte)),
        (None, b'/') => Ok(Symbol::Slash),
        (None, b'%') => match policy.malformed {
            Malformed::Keep => Ok(Symbol::Byte(b'%')),
            Malformed::Escape if policy.allows_percent() => Ok(Symbol::Triplet(b'%')),
            Malformed::Escape | Malformed::Error => Err(PathErrorKind::Malformed),
        },
        (None, b'\\') if policy.backslash == Backslash::ToSlash => Ok(Symbol::Slash),
        (None, b'\\') if policy.backslash == Backslash::Refuse => Err(PathErrorKind::Backslash),
        (None, byte) if policy.refused.contains(byte) => Err(PathErrorKind::IllegalByte(byte)),
        (None, byte) if PathPolicy::ILLEGAL.contains(byte) => match policy.illegal {
            IllegalBytes::Keep => Ok(Symbol::Byte(byte)),
            IllegalBytes::Escape => Ok(Symbol::Triplet(byte)),
            IllegalBytes::Refuse => Err(PathErrorKind::IllegalByte(byte)),
        },
        (None, byte) => Ok(Symbol::Byte(byte)),
    }
}

/// What a decoded byte could complete to something that the next reader decodes or that is refused:
/// its triplet stays.
#[derive(Clone, Copy)]
enum Completing {
    No,
    /// A malformed `%` that is kept, the last byte: to a triplet, or to `%u`.
    AfterPercent,
    /// The triplet of a `%`, the last one: to a [`DOUBLE`](Findings::DOUBLE), which is refused.
    AfterEncodedPercent,
    /// Either of them, and a raw digit.
    AfterDigit,
    /// A malformed `%` that is kept, `u`, and raw digits: to a [`UNICODE`](Findings::UNICODE),
    /// which is refused.
    AfterU,
}

impl Completing {
    fn is_so(self) -> bool {
        !matches!(self, Self::No)
    }

    /// Whether this byte could complete it.
    fn by(self, policy: &PathPolicy, byte: u8) -> bool {
        let is_u = || byte == b'u' && policy.refuse.contains(Findings::UNICODE);
        self.is_so() && (byte.is_ascii_hexdigit() || matches!(self, Self::AfterPercent) && is_u())
    }

    /// The state after a raw byte or a triplet.
    fn after(self, policy: &PathPolicy, raw: u8, triplet: Option<u8>) -> Self {
        let refuses_double = policy.refuse.contains(Findings::DOUBLE);
        match (triplet, raw) {
            (None, b'%') if policy.malformed == Malformed::Keep => Self::AfterPercent,
            (None, b'%') | (Some(b'%'), _) if refuses_double => Self::AfterEncodedPercent,
            (None, b'u') if matches!(self, Self::AfterPercent) && policy.refuse.contains(Findings::UNICODE) => {
                Self::AfterU
            }
            (None, byte) if byte.is_ascii_hexdigit() => match self {
                Self::AfterPercent | Self::AfterEncodedPercent => Self::AfterDigit,
                Self::AfterU => Self::AfterU,
                Self::No | Self::AfterDigit => Self::No,
            },
            _ => Self::No,
        }
    }
}

/// The segment being written.
struct Segment {
    /// Its start in the output, after a slash.
    start: usize,
    /// Its start in the path.
    position: usize,
    /// The place of its first `;` in the output.
    parameters: Option<usize>,
}

impl Segment {
    fn starting(start: usize, position: usize) -> Self {
        Self { start, position, parameters: None }
    }

    /// Ends the segment: the new length of the output, and whether a slash follows, if this is not
    /// the last segment.
    fn end(
        &self,
        policy: &PathPolicy,
        output: &[u8],
        mut written: usize,
        is_last: bool,
    ) -> Result<(usize, bool), PathError> {
        let error = |kind| Err(PathError::new(kind, self.position));
        let parameters = self.parameters.unwrap_or(written);
        let strips = match policy.parameters {
            Parameters::Strip => true,
            Parameters::StripFromDots => is_dots(&output[self.start..parameters]),
            Parameters::Keep | Parameters::Refuse => false,
        };
        if strips {
            written = parameters;
        }
        let text = &output[self.start..written];
        if is_dots(text) {
            let climbs = text.len() == 2;
            return match policy.dot_segments {
                DotSegments::Keep => Ok((written, true)),
                DotSegments::Refuse => error(PathErrorKind::DotSegment),
                DotSegments::Remove if climbs && self.start == 1 => error(PathErrorKind::AboveRoot),
                DotSegments::Remove | DotSegments::Clamp if climbs => Ok((parent(output, self.start), false)),
                DotSegments::Remove | DotSegments::Clamp => Ok((self.start, false)),
            };
        }
        if text.is_empty() && !is_last {
            return match policy.empty_segments {
                EmptySegments::Keep => Ok((written, true)),
                EmptySegments::Merge => Ok((written, false)),
                EmptySegments::Refuse => error(PathErrorKind::EmptySegment),
            };
        }
        Ok((written, true))
    }
}

fn is_dots(text: &[u8]) -> bool {
    matches!(text, b"." | b"..")
}

/// The start of the segment before the one at `start`, or that of the first segment.
fn parent(output: &[u8], start: usize) -> usize {
    output[..start - 1].iter().rposition(|&byte| byte == b'/').map_or(1, |slash| slash + 1)
}

/// An upper bound of the length of the canonical form.
pub(super) fn len_bound(policy: &PathPolicy, path: &[u8]) -> usize {
    let mut escaped = 0;
    if policy.illegal == IllegalBytes::Escape {
        escaped += driver::count(&policy.escaped(), path, policy.level);
    }
    if policy.malformed == Malformed::Escape {
        escaped += memchr::memchr_iter(b'%', path).filter(|&at| hex::first_triplet(&path[at..]).is_none()).count();
    }
    path.len().saturating_add(escaped.saturating_mul(2))
}

/// Whether rewriting would succeed and change nothing. Needs no output: stops at the first change.
pub(super) fn is_unchanged(policy: &PathPolicy, path: &[u8]) -> bool {
    // A path that is unchanged so far is its own output.
    let mut segment = Segment::starting(1, 1);
    if path.first() != Some(&b'/') {
        return false;
    }
    let mut completing = Completing::No;
    let mut at = 1;
    while at < path.len() {
        let triplet = hex::first_triplet(&path[at..]);
        let Ok(symbol) = symbol(policy, path[at], triplet, completing) else { return false };
        completing = completing.after(policy, path[at], triplet);
        let is_same = match symbol {
            Symbol::Slash => path[at] == b'/' && segment.end(policy, path, at, false) == Ok((at, true)),
            Symbol::Byte(byte) => path[at] == byte,
            Symbol::Triplet(byte) => triplet == Some(byte) && !path[at + 1..at + 3].iter().any(u8::is_ascii_lowercase),
        };
        if !is_same {
            return false;
        }
        if path[at] == b';' && segment.parameters.is_none() {
            segment.parameters = Some(at);
        }
        at += if triplet.is_some() { 3 } else { 1 };
        if matches!(symbol, Symbol::Slash) {
            segment = Segment::starting(at, at);
        }
    }
    segment.end(policy, path, at, true).is_ok_and(|(length, _)| length == at)
}
