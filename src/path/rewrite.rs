//! Rewriting a path: one pass over its bytes, which writes the canonical form and reports the first
//! error.
#![forbid(unsafe_code)]

use super::policy::{
    Backslash, DotSegments, EmptySegments, EncodedSlash, HiddenSegments, IllegalBytes, Parameters, PathPolicy,
};
use super::{PathError, PathErrorKind};
use crate::driver;
use crate::driver::segments;
use crate::hex;
use crate::inspect::Findings;
use crate::kinds::Kinds;
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

/// The class of the next byte or triplet of a path.
enum Symbol {
    /// A delimiter of segments.
    Slash,
    /// A byte to write as it is.
    Byte(u8),
    /// A byte to write as a triplet.
    Triplet(u8),
}

/// Writes the canonical form of a path to the start of `buffer`, and returns its length. The path
/// is the end of the buffer, from offset `start`. The segments before the one with offset `from`
/// are canonical.
///
/// No byte of the path is overwritten before it is read: a symbol takes at most as many bytes in
/// the output as in the input, unless it is escaped, and `start` is at least the space that
/// [`len_bound`] adds for escapes.
pub(super) fn rewrite(policy: &PathPolicy, buffer: &mut [u8], start: usize, from: usize) -> Result<usize, PathError> {
    let begins_with_slashes = buffer[start..].starts_with(b"//");
    let mut written = start_of_segment(&buffer[start..], from);
    let mut read = start + written;
    buffer.copy_within(start..read, 0);
    let mut segment = Segment::starting(written, written);
    let mut completing = Completing::No;
    let mut first_removed = None;
    while read < buffer.len() {
        let byte = buffer[read];
        if PLAIN[usize::from(byte)] && !completing.is_so() {
            buffer[written] = byte;
            (read, written) = (read + 1, written + 1);
            continue;
        }
        let position = read - start;
        let triplet = hex::first_triplet(&buffer[read..]);
        let symbol = symbol(policy, byte, triplet, completing).map_err(|kind| PathError::new(kind, position))?;
        completing = completing.after(policy, byte, triplet);
        segment.note(&symbol, written, position);
        read += if triplet.is_some() { 3 } else { 1 };
        match symbol {
            Symbol::Slash => {
                let end = segment.end(policy, &buffer[..written], false)?;
                first_removed = first_removed.or(end.removed);
                written = end.length;
                if end.keeps_slash {
                    buffer[written] = b'/';
                    written += 1;
                }
                segment = Segment::starting(written, read - start);
            }
            Symbol::Byte(byte) => {
                buffer[written] = byte;
                written += 1;
            }
            Symbol::Triplet(byte) => {
                let [percent, high, low, _] = hex::TRIPLETS[usize::from(byte)].to_le_bytes();
                buffer[written..written + 3].copy_from_slice(&[percent, high, low]);
                written += 3;
            }
        }
    }
    let end = segment.end(policy, &buffer[..written], true)?;
    first_removed = first_removed.or(end.removed);
    written = end.length;
    if policy.empty_segments == EmptySegments::Keep && buffer[..written].starts_with(b"//") && !begins_with_slashes {
        written = guard_slashes(policy, buffer, written)?;
    }
    if let Some(position) = first_removed {
        refuse_segments(policy, &buffer[..written], position)?;
    }
    Ok(written)
}

/// The start of the segment with the byte at an offset. A slash belongs to the segment after it.
fn start_of_segment(path: &[u8], at: usize) -> usize {
    path[..=at].iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)
}

/// Writes `/.` before an empty first segment (WHATWG URL Standard 4.5), because `//` would begin an
/// authority.
#[cold]
fn guard_slashes(policy: &PathPolicy, output: &mut [u8], length: usize) -> Result<usize, PathError> {
    if policy.dot_segments == DotSegments::Refuse || policy.refuse.contains(Kinds::DOT_SEGMENT) {
        return Err(PathError::new(PathErrorKind::EmptySegment, 1));
    }
    output.copy_within(..length, 2);
    output[..2].copy_from_slice(b"/.");
    Ok(length + 2)
}

/// Fails if the canonical form has segments that the policy refuses. Only the removal of parameters
/// can create such segments: `/a%2F;x/b` becomes `/a%2F/b`, which has an empty segment. So the
/// first parameter is the position of the error.
fn refuse_segments(policy: &PathPolicy, canonical: &[u8], position: usize) -> Result<(), PathError> {
    let refused = policy.refuse.intersection(PathPolicy::SEGMENTS);
    if refused.is_empty() {
        return Ok(());
    }
    let found = Findings::of(canonical, policy.level).kinds_among(refused);
    if found.is_empty() { Ok(()) } else { Err(PathError::new(PathErrorKind::Refused(found), position)) }
}

/// The symbol for a raw byte or a triplet, by the policy.
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
            Malformed::Escape | Malformed::Refuse => Err(PathErrorKind::Malformed),
        },
        (None, b'\\') if policy.backslash == Backslash::ToSlash => Ok(Symbol::Slash),
        (None, b'\\') if policy.backslash == Backslash::Refuse => Err(PathErrorKind::Backslash),
        (None, byte) if PathPolicy::ILLEGAL.contains(byte) && policy.refused_raw().contains(byte) => {
            Err(PathErrorKind::IllegalByte(byte))
        }
        (None, byte) if PathPolicy::ILLEGAL.contains(byte) => match policy.illegal {
            IllegalBytes::Keep | IllegalBytes::Nginx => Ok(Symbol::Byte(byte)),
            IllegalBytes::Escape => Ok(Symbol::Triplet(byte)),
            IllegalBytes::Refuse => Err(PathErrorKind::IllegalByte(byte)),
        },
        (None, byte) => Ok(Symbol::Byte(byte)),
    }
}

/// Prefixes that a decoded byte could complete to a text that the next reader decodes or that is
/// refused: its triplet stays.
#[derive(Clone, Copy)]
enum Completing {
    No,
    /// A malformed `%` that is kept, the last byte: to a triplet, or to `%u`.
    AfterPercent,
    /// The triplet of a `%`, the last one: to a [`DOUBLE`](Kinds::DOUBLE), which is refused.
    AfterEncodedPercent,
    /// Either of them, and a raw digit.
    AfterDigit,
    /// A malformed `%` that is kept, `u`, and raw digits: to a [`UNICODE`](Kinds::UNICODE),
    /// which is refused.
    AfterU,
}

impl Completing {
    fn is_so(self) -> bool {
        !matches!(self, Self::No)
    }

    /// Whether this byte could complete it.
    fn by(self, policy: &PathPolicy, byte: u8) -> bool {
        let is_u = || byte == b'u' && policy.refuse.contains(Kinds::UNICODE);
        self.is_so() && (byte.is_ascii_hexdigit() || matches!(self, Self::AfterPercent) && is_u())
    }

    /// The state after a raw byte or a triplet.
    fn after(self, policy: &PathPolicy, raw: u8, triplet: Option<u8>) -> Self {
        let refuses_double = policy.refuse.contains(Kinds::DOUBLE);
        match (triplet, raw) {
            (None, b'%') if policy.malformed == Malformed::Keep => Self::AfterPercent,
            (None, b'%') | (Some(b'%'), _) if refuses_double => Self::AfterEncodedPercent,
            (None, b'u') if matches!(self, Self::AfterPercent) && policy.refuse.contains(Kinds::UNICODE) => {
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

/// Whether another reader may end a segment, or its name, at this byte.
fn is_end(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\' | b';' | b'?' | b'#')
}

/// The segment being written.
struct Segment {
    /// Its start in the output, after a slash.
    start: usize,
    /// Its start in the path.
    position: usize,
    /// The offset of its first `;` in the output and in the path.
    parameters: Option<(usize, usize)>,
    /// Whether it may hide a dot segment or an empty segment.
    hides: bool,
}

/// The end of a segment.
#[derive(Debug, Eq, PartialEq)]
struct End {
    /// The new length of the output.
    length: usize,
    /// Whether a slash follows, unless this is the last segment.
    keeps_slash: bool,
    /// The position of the parameters in the path, if they were removed.
    removed: Option<usize>,
}

impl Segment {
    fn starting(start: usize, position: usize) -> Self {
        Self { start, position, parameters: None, hides: false }
    }

    /// Notes a symbol from `position` of the path, which is written to offset `written`.
    fn note(&mut self, symbol: &Symbol, written: usize, position: usize) {
        if matches!(symbol, Symbol::Byte(b';')) && self.parameters.is_none() {
            self.parameters = Some((written, position));
        }
        self.hides |= matches!(symbol, &Symbol::Byte(byte) | &Symbol::Triplet(byte) if is_end(byte));
    }

    /// Whether the segment, with which `output` ends, stays as it is.
    fn is_kept(&self, policy: &PathPolicy, output: &[u8], is_last: bool) -> bool {
        self.end(policy, output, is_last) == Ok(End { length: output.len(), keeps_slash: true, removed: None })
    }

    /// Ends the segment, with which `output` ends. A slash follows it, unless `is_last`.
    fn end(&self, policy: &PathPolicy, output: &[u8], is_last: bool) -> Result<End, PathError> {
        let error = |kind| Err(PathError::new(kind, self.position));
        let mut length = output.len();
        let mut removed = None;
        if let Some((parameters, position)) = self.parameters {
            let rest = &output[self.start..parameters];
            let is_judged = rest.is_empty() && !is_last && policy.empty_segments != EmptySegments::Keep;
            if match policy.parameters {
                Parameters::Strip => true,
                Parameters::StripFromDots => is_dots(rest) || is_judged,
                Parameters::Keep | Parameters::Refuse => false,
            } {
                (length, removed) = (parameters, Some(position));
            }
        }
        let kept = Ok(End { length, keeps_slash: true, removed });
        let without = |length| Ok(End { length, keeps_slash: false, removed });
        let text = &output[self.start..length];
        if is_dots(text) {
            let climbs = text.len() == 2;
            return match policy.dot_segments {
                DotSegments::Keep => kept,
                DotSegments::Refuse => error(PathErrorKind::DotSegment),
                DotSegments::Remove if climbs && self.start == 1 => error(PathErrorKind::AboveRoot),
                DotSegments::Remove | DotSegments::Clamp if climbs => without(parent(output, self.start)),
                DotSegments::Remove | DotSegments::Clamp => without(self.start),
            };
        }
        if text.is_empty() && !is_last {
            return match policy.empty_segments {
                EmptySegments::Keep => kept,
                EmptySegments::Merge => without(length),
                EmptySegments::Refuse => error(PathErrorKind::EmptySegment),
            };
        }
        if self.hides && policy.hidden_segments == HiddenSegments::Refuse {
            let hidden = Kinds::from_bits(segments::hidden(&output[..length], self.start, is_last)).unwrap_or_default();
            if !hidden.is_empty() {
                return error(PathErrorKind::Refused(hidden));
            }
        }
        kept
    }
}

fn is_dots(text: &[u8]) -> bool {
    matches!(text, b"." | b"..")
}

/// The start of the segment before the segment at `start`, or the start of the first segment.
fn parent(output: &[u8], start: usize) -> usize {
    output[..start - 1].iter().rposition(|&byte| byte == b'/').map_or(1, |slash| slash + 1)
}

/// An upper bound of the length of the canonical form.
pub(super) fn len_bound(policy: &PathPolicy, path: &[u8]) -> usize {
    let mut added = 0usize;
    if policy.illegal == IllegalBytes::Escape {
        added += driver::count(&policy.escaped(), path, policy.level);
    }
    if policy.malformed == Malformed::Escape {
        added += memchr::memchr_iter(b'%', path).filter(|&at| hex::first_triplet(&path[at..]).is_none()).count();
    }
    if policy.empty_segments == EmptySegments::Keep {
        // `guard_slashes`. Every other change that brings an empty segment to the front removes two
        // bytes or more.
        added += usize::from(match path.get(1) {
            Some(b'\\') => policy.backslash == Backslash::ToSlash,
            Some(b';') => policy.parameters == Parameters::Strip,
            _ => false,
        });
    }
    path.len().saturating_add(added.saturating_mul(2))
}

/// The offset of the slash before the first segment that rewriting changes or refuses; `None` if
/// the path is canonical. Needs no output. The segments before the one with offset `from` are
/// canonical.
pub(super) fn first_change(policy: &PathPolicy, path: &[u8], from: usize) -> Option<usize> {
    // `guard_slashes` has written these dots, or would write them again.
    if policy.empty_segments == EmptySegments::Keep && path.starts_with(b"/.//") && from == 0 {
        let is_refused = policy.dot_segments == DotSegments::Refuse || policy.refuse.contains(Kinds::DOT_SEGMENT);
        return if is_refused { Some(0) } else { first_change(policy, &path[2..], 0).map(|_| 0) };
    }
    // A path that is unchanged so far is its own output.
    let mut at = start_of_segment(path, from);
    let mut segment = Segment::starting(at, at);
    let mut completing = Completing::No;
    while at < path.len() {
        let byte = path[at];
        if PLAIN[usize::from(byte)] && !completing.is_so() {
            at += 1;
            continue;
        }
        let triplet = hex::first_triplet(&path[at..]);
        let Ok(symbol) = symbol(policy, byte, triplet, completing) else { return Some(segment.start - 1) };
        completing = completing.after(policy, byte, triplet);
        let is_same = match symbol {
            Symbol::Slash => byte == b'/' && segment.is_kept(policy, &path[..at], false),
            Symbol::Byte(written) => byte == written,
            Symbol::Triplet(written) => {
                triplet == Some(written) && !path[at + 1..at + 3].iter().any(u8::is_ascii_lowercase)
            }
        };
        if !is_same {
            return Some(segment.start - 1);
        }
        segment.note(&symbol, at, at);
        at += if triplet.is_some() { 3 } else { 1 };
        if matches!(symbol, Symbol::Slash) {
            segment = Segment::starting(at, at);
        }
    }
    if segment.is_kept(policy, path, true) { None } else { Some(segment.start - 1) }
}
