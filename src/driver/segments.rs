//! Dot segments and empty segments, in any string: raw, encoded or mixed.
//!
//! Segments are those of the string decoded once, which a decoder that keeps malformed `%`s would
//! yield. A filter skips blocks that cannot contain any; the rest is walked byte by byte.
#![forbid(unsafe_code)]

use crate::hex::first_triplet;
use crate::kernel::inspection::{DOT_SEGMENT, EMPTY_SEGMENT};
use crate::kernel::swar;

/// Bytes per block of the filter: a loop that compilers vectorise.
const BLOCK: usize = 64;
/// Bytes per SWAR word.
const WORD: usize = 8;

/// Which delimiters and dots are looked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Forms {
    /// Raw slashes and dots; the string has no other.
    Raw,
    /// Also backslashes and triplets.
    All,
}

/// The dot segments and empty segments of a string, in order: the offset and the kind of each.
#[derive(Clone)]
pub(crate) struct Segments<'a> {
    input: &'a [u8],
    forms: Forms,
    /// Where the search continues, and the end of the block that is walked.
    at: usize,
    block_end: usize,
}

impl<'a> Segments<'a> {
    #[inline]
    pub(crate) fn new(input: &'a [u8], forms: Forms) -> Self {
        Self { input, forms, at: 0, block_end: 0 }
    }
}

impl Iterator for Segments<'_> {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<(usize, usize)> {
        let input = self.input;
        if self.block_end == 0 {
            // The first byte has none before it, so that the filter does not apply.
            self.block_end = 1;
            if input.first().is_some_and(|byte| matches!(byte, b'.' | b'%')) && is_dot_segment(input) {
                return Some((0, DOT_SEGMENT));
            }
        }
        while self.at < input.len() {
            if self.at >= self.block_end {
                (self.at, self.block_end) = match self.forms {
                    Forms::Raw => next_block::<false>(input, self.at)?,
                    Forms::All => next_block::<true>(input, self.at)?,
                };
            }
            let delimiter = self.at;
            let Some(length) = first_delimiter(&input[delimiter..]) else {
                self.at += 1;
                continue;
            };
            self.at += length;
            let rest = &input[self.at..];
            if first_delimiter(rest).is_some() {
                if !ends_with_colon(&input[..delimiter]) {
                    return Some((self.at, EMPTY_SEGMENT));
                }
            } else if is_dot_segment(rest) {
                return Some((self.at, DOT_SEGMENT));
            }
        }
        None
    }
}

/// The kinds, as bits, of the segments that the last segment of a path hides: dot segments and
/// empty segments by encoded delimiters and backslashes. The segment begins at offset `start`,
/// after a raw slash, and is neither empty nor a dot segment itself. A raw slash follows it, unless
/// `is_last`.
pub(crate) fn hidden(path: &[u8], start: usize, is_last: bool) -> u32 {
    // The longest text that decides about a delimiter: "%3A/".
    let context = start.saturating_sub(4);
    let found = Segments::new(&path[context..], Forms::All).filter(|&(at, _)| context + at >= start);
    let hidden = found.fold(0, |kinds, (_, kind)| kinds | 1 << kind);
    let delimiter = [1, 3].into_iter().find(|&length| {
        let text = &path[path.len().saturating_sub(length).max(start)..];
        first_delimiter(text) == Some(length)
    });
    match delimiter {
        Some(length) if !is_last && !ends_with_colon(&path[..path.len() - length]) => hidden | 1 << EMPTY_SEGMENT,
        _ => hidden,
    }
}

/// The offset of a word of bytes with the first raw `/` that is followed by `/`, `.` or `;`. `None`
/// if there is no such slash. May be wrong about a slash after a byte that is a suspect itself.
pub(crate) fn suspect_slash(path: &[u8]) -> Option<usize> {
    let mut at = 0;
    while path.len() - at > WORD {
        let next = word(&path[at + 1..]);
        // `.` and `/` differ in the last bit.
        let suspects = swar::equal(next | ONES, b'/') | swar::equal(next, b';');
        if swar::equal(word(&path[at..]), b'/') & suspects != 0 {
            return Some(at);
        }
        at += WORD;
    }
    let is_suspect = |pair: &[u8]| pair[0] == b'/' && matches!(pair[1], b'/' | b'.' | b';');
    path[at..].windows(2).any(is_suspect).then_some(at)
}

/// Whether an encoded delimiter has a neighbour with which it may make a dot segment or an empty
/// segment: a raw delimiter, a dot, or another triplet. Most encoded slashes have none.
pub(crate) fn may_have_hidden(path: &[u8]) -> bool {
    let is_neighbour = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'\\' | b'.' | b'%'));
    memchr::memchr_iter(b'%', path).any(|at| {
        let is_delimiter = first_delimiter(&path[at..]).is_some();
        let before = |distance: usize| at.checked_sub(distance).map(|at| &path[at]);
        is_delimiter && (is_neighbour(before(1)) || before(3) == Some(&b'%') || is_neighbour(path.get(at + 3)))
    })
}

/// Length of the delimiter that the text begins with.
#[inline(always)]
fn first_delimiter(text: &[u8]) -> Option<usize> {
    match *text.first()? {
        b'/' | b'\\' => Some(1),
        b'%' if matches!(first_triplet(text), Some(b'/' | b'\\')) => Some(3),
        _ => None,
    }
}

/// Whether the text begins with a segment `.` or `..`. The segment ends at a delimiter, at `;`, `?`
/// or `#`, or with the text.
fn is_dot_segment(text: &[u8]) -> bool {
    let first = |text: &[u8]| match first_triplet(text) {
        Some(byte) => Some((byte, 3)),
        None => text.first().map(|&byte| (byte, 1)),
    };
    let (mut rest, mut dots) = (text, 0);
    while let Some((b'.', length)) = first(rest) {
        (rest, dots) = (&rest[length..], dots + 1);
        if dots > 2 {
            return false;
        }
    }
    dots > 0 && first(rest).is_none_or(|(byte, _)| matches!(byte, b'/' | b'\\' | b';' | b'?' | b'#'))
}

fn ends_with_colon(text: &[u8]) -> bool {
    matches!(text, [.., b':'] | [.., b'%', b'3', b'a' | b'A'])
}

/// The next block, at or after offset `from`, that may have a delimiter of interest.
/// `from` is not 0.
#[inline]
fn next_block<const ALL: bool>(input: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    while let Some(block) = input[at - 1..].first_chunk() {
        if is_suspect::<ALL>(block) {
            // A triplet at the start may follow a delimiter that ends the block before it.
            return Some((from.max(at - 1), at + BLOCK));
        }
        at += BLOCK;
    }
    // Zeros are no delimiters.
    let (rest, mut block) = (input.get(at - 1..)?, [0; 1 + BLOCK + 2]);
    block[..rest.len()].copy_from_slice(rest);
    is_suspect::<ALL>(&block).then(|| (from.max(at - 1), input.len()))
}

/// Whether any of 64 bytes may be a delimiter of interest: a slash followed by a slash or a dot, or
/// with `ALL` a triplet of one. The block has a byte before them and two after them.
#[inline]
fn is_suspect<const ALL: bool>(block: &[u8; 1 + BLOCK + 2]) -> bool {
    let lanes = |from: usize| block[from..].first_chunk::<BLOCK>().copied().unwrap_or([0; BLOCK]);
    let [before, x, next, last] = [lanes(0), lanes(1), lanes(2), lanes(3)];
    let is = |yes: bool| u8::from(yes);
    let mut found = 0;
    for at in 0..BLOCK {
        let (before, x, next, last) = (before[at], x[at], next[at], last[at] | 0x20);
        let slash = is(next == b'/') | if ALL { is(next == b'\\') } else { 0 };
        let begins = is(x == b'/') | if ALL { is(x == b'\\') } else { 0 };
        found |= begins & (is(next == b'.') | slash & is(before != b':'));
        if ALL {
            let dot_or_slash = is(next == b'2') & (is(last == b'e') | is(last == b'f'));
            found |= is(x == b'%') & (dot_or_slash | is(next == b'5') & is(last == b'c'));
        }
    }
    found != 0
}

const ONES: u64 = u64::MAX / 0xFF;

#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
