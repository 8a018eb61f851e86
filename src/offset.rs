//! From a position in decoded output back to the input.
//!
//! A router decides on the decoded path, but hands on the raw one: [`Decoder::input_offset`] says
//! where to cut it.
//! [`OffsetMap`] answers many such questions about one input.
#![forbid(unsafe_code)]

use core::error::Error;
use core::fmt;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::decode::Decoder;
use crate::driver;
use crate::error::DecodeError;
use crate::hex;
use crate::level::Level;
use crate::rules::DecodeRules;

/// Why a position in the output has no place in the input.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum OffsetError {
    /// The input cannot be decoded as far as that position.
    Decode(DecodeError),
    /// The output ends before that position.
    BeyondEnd {
        /// How many bytes the output has.
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

// What it says is all there is to say, so there is no source.
impl Error for OffsetError {}

impl From<DecodeError> for OffsetError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl Decoder {
    /// The offset in the input of the byte or triplet that yields the byte at `decoded_offset` of
    /// the output. The output's length gives the input's. So the first `decoded_offset` bytes of
    /// the output come from the input up to the result.
    ///
    /// Linear in the result, and what lies behind it is not looked at. For many positions in one
    /// input, see [`OffsetMap`].
    ///
    /// # Errors
    ///
    /// [`OffsetError::Decode`] with the first malformed `%` or rejected byte, if it stands before that place;
    /// [`OffsetError::BeyondEnd`] if the output is shorter than `decoded_offset`.
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
    pub fn input_offset<T: AsRef<[u8]> + ?Sized>(
        &self,
        input: &T,
        decoded_offset: usize,
    ) -> Result<usize, OffsetError> {
        input_offset(input.as_ref(), &self.rules, self.level, decoded_offset)
    }
}

/// [`Decoder::input_offset`] on plain data.
pub(crate) fn input_offset(
    input: &[u8],
    rules: &DecodeRules,
    level: Option<Level>,
    decoded_offset: usize,
) -> Result<usize, OffsetError> {
    // `missing` bytes of output come from as many bytes of input at least, so that much can be
    // measured at once. It yields a third at least, so that the next round has two thirds left at
    // most. Every byte of input is measured once.
    let (mut at, mut missing) = (0_usize, decoded_offset);
    while missing > 0 {
        let end = at.saturating_add(missing).min(input.len());
        let cut = start_of_triplet_around(input, end).unwrap_or(end);
        if at < cut {
            missing -= measure(input, at, cut, rules, level)?;
            at = cut;
        } else if cut < end {
            // One or two bytes are missing, and a triplet comes that yields one, or if it is kept,
            // three.
            match measure(input, at, at + 3, rules, level) {
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

/// How much output `input[start..end]` yields; errors have their position in `input`.
fn measure(
    input: &[u8],
    start: usize,
    end: usize,
    rules: &DecodeRules,
    level: Option<Level>,
) -> Result<usize, DecodeError> {
    // What is before the start may matter, and is itself in the output.
    let open = driver::offset::open_triplet(&input[..start], rules);
    driver::measure_decode(&input[start - open..end], rules, level)
        .map(|length| length - open)
        .map_err(|error| DecodeError::new(error.kind, start - open + error.position))
}

/// Where the triplet starts that a cut at `at` would go through. There is one at most, since `%` is
/// no digit.
fn start_of_triplet_around(input: &[u8], at: usize) -> Option<usize> {
    (at.saturating_sub(2)..at).find(|&start| hex::first_triplet(&input[start..]).is_some())
}

/// Bytes of input between two checkpoints of an [`OffsetMap`]: one eight-byte entry for each is 3 %
/// of the input.
#[cfg(feature = "alloc")]
const STEP: usize = 256;

/// From many positions in decoded output back to one input.
///
/// Built in one linear pass over the input. It borrows the input and allocates an entry of a
/// `usize` for each 256 bytes of it, however many triplets there are. A lookup takes a binary
/// search and a look at those 256 bytes.
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
    /// How much output comes from the input before [`checkpoint`] 0, 1, 2 and so on: strictly
    /// increasing, from 0.
    decoded: Vec<usize>,
    decoded_len: usize,
}

#[cfg(feature = "alloc")]
impl<'a> OffsetMap<'a> {
    /// Measures `input` once.
    ///
    /// # Errors
    ///
    /// As [`Decoder::decoded_len`].
    pub fn new<T: AsRef<[u8]> + ?Sized>(decoder: &Decoder, input: &'a T) -> Result<Self, DecodeError> {
        let input = input.as_ref();
        let mut decoded = Vec::with_capacity(input.len() / STEP + 1);
        let (mut start, mut decoded_len) = (0, 0);
        while start < input.len() {
            decoded.push(decoded_len);
            let end = checkpoint(input, decoded.len());
            decoded_len += measure(input, start, end, &decoder.rules, decoder.level)?;
            start = end;
        }
        Ok(Self { decoder: *decoder, input, decoded, decoded_len })
    }

    /// The exact length of the decoded form.
    #[must_use]
    pub fn decoded_len(&self) -> usize {
        self.decoded_len
    }

    /// As [`Decoder::input_offset`]; `None` if `decoded_offset` is more than the output's length.
    #[must_use]
    pub fn input_offset(&self, decoded_offset: usize) -> Option<usize> {
        let before = self.decoded.partition_point(|&decoded| decoded <= decoded_offset);
        // Without a checkpoint the input is empty.
        let Some(index) = before.checked_sub(1) else { return (decoded_offset == 0).then_some(0) };
        let start = checkpoint(self.input, index);
        let open = driver::offset::open_triplet(&self.input[..start], &self.decoder.rules);
        let rest = &self.input[start - open..];
        let offset = self.decoder.input_offset(rest, decoded_offset - self.decoded[index] + open).ok()?;
        Some(start - open + offset)
    }
}

/// Where the `index`-th step of an input starts: behind the triplet, if there is one around the
/// multiple of [`STEP`].
#[cfg(feature = "alloc")]
fn checkpoint(input: &[u8], index: usize) -> usize {
    let at = index.saturating_mul(STEP).min(input.len());
    start_of_triplet_around(input, at).map_or(at, |start| start + 3)
}
