//! Maps positions in decoded output back to the input, and the reverse.
//!
//! For example, a router matches the decoded path but forwards the raw one:
//! [`Decoder::input_offset`] returns the offset at which to split it. [`OffsetMap`] answers many
//! such queries on one input. [`Decoder::decoded_offset`] is the inverse: of the position of an
//! error, it is the length of the output before the error.
#![forbid(unsafe_code)]

use core::error::Error;
use core::fmt;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::decode::Decoder;
use crate::driver::{self, DecodePlan};
use crate::error::DecodeError;
use crate::hex;
use crate::input::Input;
use crate::level::Level;

/// Error of mapping a position in the output to the input.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum OffsetError {
    /// The input before that position cannot be decoded. If the input has an error, every position
    /// beyond the output before it is this error, and none is [`BeyondEnd`](Self::BeyondEnd).
    Decode(DecodeError),
    /// The position is greater than the length of the output.
    BeyondEnd {
        /// Length of the output in bytes.
        decoded_len: usize,
    },
}

impl fmt::Display for OffsetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(error) => error.fmt(f),
            Self::BeyondEnd { decoded_len } => {
                write!(f, "the position is beyond the end of the decoded output, which has {decoded_len} bytes")
            }
        }
    }
}

// No source: `Display` already prints the inner error.
impl Error for OffsetError {}

impl From<DecodeError> for OffsetError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl Decoder {
    /// Returns the offset in the input of the byte or triplet that produces the byte at
    /// `decoded_offset` of the output. The length of the output is mapped to the length of the
    /// input. So the first `decoded_offset` bytes of the output are the decoded form of the input
    /// before the result.
    ///
    /// Linear in the result; the input after it is not examined. For many positions in one input,
    /// use [`OffsetMap`].
    ///
    /// # Errors
    ///
    /// Returns [`OffsetError::Decode`] with the first malformed `%` or rejected byte if it precedes
    /// the result, or [`OffsetError::BeyondEnd`] if the output is shorter than `decoded_offset`.
    ///
    /// ```
    /// use simdpct::{Decoder, offset::OffsetError};
    ///
    /// let decoder = Decoder::new();
    /// let raw = "/caf%C3%A9/a%2Fb";
    /// let decoded = decoder.decode_utf8(raw)?;
    /// let rest = decoded.strip_prefix("/café").unwrap();
    /// let cut = decoder.input_offset(raw, decoded.len() - rest.len()).unwrap();
    /// assert_eq!(raw.split_at(cut), ("/caf%C3%A9", "/a%2Fb"));
    ///
    /// assert_eq!(decoder.input_offset("%41b", 2), Ok(4));
    /// assert_eq!(decoder.input_offset("%41b", 3), Err(OffsetError::BeyondEnd { decoded_len: 2 }));
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    pub fn input_offset<T: Input + ?Sized>(&self, input: &T, decoded_offset: usize) -> Result<usize, OffsetError> {
        input_offset(input.as_bytes(), &self.plan, self.level, decoded_offset)
    }
}

impl Decoder {
    /// Returns the length of the output of the input before `input_offset`: the inverse of
    /// [`input_offset`](Self::input_offset).
    ///
    /// For an error's [`position`](DecodeError::position), it is the length of the output before
    /// the error: `Utf8Error::valid_up_to` of the decoded bytes if they are not UTF-8. An error
    /// does not store this offset, because a larger error makes decoding slower.
    ///
    /// An offset within a decoded triplet counts as its start, and one beyond the end of the input
    /// as its end. A malformed `%` before the offset counts as kept, and a rejected byte as
    /// accepted. Linear in the result; the input after the offset is not examined.
    ///
    /// ```
    /// use simdpct::Decoder;
    ///
    /// let raw = "caf%C3%A9%FF";
    /// let error = Decoder::new().decode_utf8(raw).unwrap_err();
    /// assert_eq!((error.position, Decoder::new().decoded_offset(raw, error.position)), (9, 5));
    /// let bytes = Decoder::new().decode(raw)?;
    /// assert_eq!(str::from_utf8(&bytes).unwrap_err().valid_up_to(), 5);
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[must_use]
    pub fn decoded_offset<T: Input + ?Sized>(&self, input: &T, input_offset: usize) -> usize {
        decoded_offset(input.as_bytes(), &self.plan, self.level, input_offset)
    }
}

/// Implementation of [`Decoder::decoded_offset`].
fn decoded_offset(input: &[u8], plan: &DecodePlan, level: Option<Level>, input_offset: usize) -> usize {
    let plan = plan.without_reject().strict(false);
    // Lenient rules that reject nothing have no errors.
    let length = |start, end| measure(input, start, end, &plan, level).unwrap_or(0);
    let end = input_offset.min(input.len());
    match start_of_triplet_around(input, end) {
        None => length(0, end),
        // A kept triplet is three bytes of output.
        Some(start) if length(start, start + 3) == 3 => length(0, start) + (end - start),
        Some(start) => length(0, start),
    }
}

/// Implementation of [`Decoder::input_offset`].
pub(crate) fn input_offset(
    input: &[u8],
    plan: &DecodePlan,
    level: Option<Level>,
    decoded_offset: usize,
) -> Result<usize, OffsetError> {
    // `missing` bytes of output need at least as many bytes of input, so that many are measured at
    // once. They yield at least a third as many bytes of output, so at most two thirds are left for
    // the next round. Every byte of input is measured once.
    let (mut at, mut missing) = (0_usize, decoded_offset);
    while missing > 0 {
        let end = at.saturating_add(missing).min(input.len());
        let cut = start_of_triplet_around(input, end).unwrap_or(end);
        if at < cut {
            missing -= measure(input, at, cut, plan, level)?;
            at = cut;
        } else if cut < end {
            // One or two bytes are missing, and the next triplet yields one byte, or three if it is
            // kept.
            match measure(input, at, at + 3, plan, level) {
                Ok(1) => (at, missing) = (at + 3, missing - 1),
                Err(error) if error.position < at + missing => return Err(error.into()),
                Ok(_) | Err(_) => return Ok(at + missing),
            }
        } else {
            return Err(OffsetError::BeyondEnd { decoded_len: decoded_offset - missing });
        }
    }
    Ok(at)
}

/// Length of the output of `input[start..end]`. Error positions are relative to `input`.
fn measure(
    input: &[u8],
    start: usize,
    end: usize,
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<usize, DecodeError> {
    // A malformed `%` before `start` affects the result; its bytes are themselves in the output.
    let open = driver::offset::open_triplet(&input[..start], plan);
    driver::measure_decode(&input[start - open..end], plan, level)
        .map(|length| length - open)
        .map_err(|error| DecodeError::new(error.kind, start - open + error.position))
}

/// Start of the triplet that a cut at `at` would split, if any. There is at most one, because `%`
/// is not a hexadecimal digit.
fn start_of_triplet_around(input: &[u8], at: usize) -> Option<usize> {
    (at.saturating_sub(2)..at).find(|&start| hex::first_triplet(&input[start..]).is_some())
}

/// Bytes of input between two checkpoints of an [`OffsetMap`]. One eight-byte entry per step costs
/// 3 % of the input's size.
#[cfg(feature = "alloc")]
const STEP: usize = 256;

/// Maps many positions in decoded output back to one input.
///
/// Built in one linear pass. Borrows the input and allocates one `usize` per 256 bytes of it,
/// regardless of the number of triplets. A query takes a binary search and a scan of at most 256
/// bytes.
///
/// ```
/// use simdpct::{Decoder, offset::OffsetMap};
///
/// let raw = "q=na%C3%AFve+caf%C3%A9";
/// let decoder = Decoder::new().plus_for_space();
/// let map = OffsetMap::new(&decoder, raw)?;
///
/// let decoded = decoder.decode_utf8(raw)?;
/// let words = decoded.match_indices("caf").map(|(at, _)| map.input_offset(at));
/// assert_eq!(words.collect::<Vec<_>>(), [Some(13)]);
/// assert_eq!(map.input_offset(map.decoded_len()), Some(raw.len()));
/// assert_eq!(map.input_offset(map.decoded_len() + 1), None);
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct OffsetMap<'a> {
    decoder: Decoder,
    input: &'a [u8],
    /// Output length of the input before [`checkpoint`] 0, 1, 2 and so on. Strictly increasing,
    /// starting at 0.
    decoded: Vec<usize>,
    decoded_len: usize,
}

#[cfg(feature = "alloc")]
impl<'a> OffsetMap<'a> {
    /// Builds the map of `input`.
    ///
    /// # Errors
    ///
    /// Same as [`Decoder::decoded_len`].
    pub fn new<T: Input + ?Sized>(decoder: &Decoder, input: &'a T) -> Result<Self, DecodeError> {
        let input = input.as_bytes();
        let mut decoded = Vec::with_capacity(input.len() / STEP + 1);
        let (mut start, mut decoded_len) = (0, 0);
        while start < input.len() {
            decoded.push(decoded_len);
            let end = checkpoint(input, decoded.len());
            decoded_len += measure(input, start, end, &decoder.plan, decoder.level)?;
            start = end;
        }
        Ok(Self { decoder: *decoder, input, decoded, decoded_len })
    }

    /// Returns the exact length of the decoded form.
    #[must_use]
    pub fn decoded_len(&self) -> usize {
        self.decoded_len
    }

    /// Same as [`Decoder::input_offset`]; `None` if `decoded_offset` exceeds the length of the
    /// output.
    #[must_use]
    pub fn input_offset(&self, decoded_offset: usize) -> Option<usize> {
        let before = self.decoded.partition_point(|&decoded| decoded <= decoded_offset);
        // There is no checkpoint if the input is empty.
        let Some(index) = before.checked_sub(1) else { return (decoded_offset == 0).then_some(0) };
        let start = checkpoint(self.input, index);
        let open = driver::offset::open_triplet(&self.input[..start], &self.decoder.plan);
        let rest = &self.input[start - open..];
        let offset = self.decoder.input_offset(rest, decoded_offset - self.decoded[index] + open).ok()?;
        Some(start - open + offset)
    }
}

/// Start of step `index`: the multiple of [`STEP`], or the end of the triplet that it would split.
#[cfg(feature = "alloc")]
fn checkpoint(input: &[u8], index: usize) -> usize {
    let at = index.saturating_mul(STEP).min(input.len());
    start_of_triplet_around(input, at).map_or(at, |start| start + 3)
}
