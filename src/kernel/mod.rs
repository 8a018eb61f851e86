//! The kernels: their contract, the tables they share, and which of them a target has.
//!
//! A kernel does one operation on a whole [`Tape`], with the instructions of one [`Level`](crate::level::Level). It knows
//! nothing of allocation, error types or policy: the rules come as data, what would cost the plain path anything comes as
//! compile-time variants, and what happened goes back as [`Progress`].
//!
//! # Safety
//!
//! The functions of a [`Kernel`] may be called where the CPU has the instructions of its level, which is what makes a level
//! [`Usable`]; the scalar ones anywhere. Held by tests/differential.rs, tests/level.rs and tests/bounds.rs.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
#[cfg(feature = "alloc")]
pub(crate) mod few;
pub(crate) mod marks;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon;
pub(crate) mod pair;
pub(crate) mod report;
pub(crate) mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse41;
pub(crate) mod tape;
#[cfg(target_arch = "x86_64")]
mod utf8;
mod vector;
pub(crate) mod word;

use core::mem::MaybeUninit;

use self::pair::PairRules;
use crate::byteset::ByteSet;
use crate::level::Usable;
use crate::rules::{DecodeRules, EncodeRules};
use marks::MarkKernels;
use report::{Extract, Report};
use tape::{Source, Tape, Target};

/// How far a kernel came, and why it stopped there: small enough to be returned in registers, since most inputs are short.
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    /// Bytes of the output: those written, or with [`MEASURE`], those that would be.
    pub(crate) written: usize,
    /// Zero at the end of the input; else how many bytes of it were read, above a byte that explains and one that says why.
    stop: u64,
}

impl Progress {
    #[inline(always)]
    pub(crate) fn new(read: usize, written: usize, stop: Stop) -> Self {
        let (why, byte) = match stop {
            Stop::End => return Self { written, stop: 0 },
            Stop::Full => (1, 0),
            Stop::Change => (2, 0),
            Stop::Malformed => (3, 0),
            Stop::Rejected(byte) => (4, byte),
        };
        // Addresses have up to 57 bits, and only mapping the same memory many times makes a slice of 2^48 bytes. It would be read wrong.
        // This is off the path of inputs without errors.
        assert!(read as u64 >> 48 == 0, "stopped after 2^48 bytes or more");
        Self { written, stop: (read as u64) << 16 | u64::from(byte) << 8 | why }
    }

    /// How many bytes of the output are initialised.
    ///
    /// # Panics
    ///
    /// If the kernel stopped for lack of room, for then `written` says little. Where there was enough, this is a compare that never
    /// fails, in front of the `set_len` that relies on it.
    #[inline(always)]
    pub(crate) fn initialised(&self) -> usize {
        assert!(self.stop() != Stop::Full, "a kernel stopped for lack of room, where there was enough");
        self.written
    }

    #[inline(always)]
    pub(crate) fn is_end(&self) -> bool {
        self.stop == 0
    }

    /// Bytes of the input done with; what stopped the kernel there stands here.
    #[inline(always)]
    pub(crate) fn read(&self) -> usize {
        (self.stop >> 16) as usize
    }

    #[inline(always)]
    pub(crate) fn stop(&self) -> Stop {
        match self.stop & 0xFF {
            0 => Stop::End,
            1 => Stop::Full,
            2 => Stop::Change,
            3 => Stop::Malformed,
            _ => Stop::Rejected((self.stop >> 8) as u8),
        }
    }
}

/// Why a kernel stopped.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Stop {
    /// At the end of the input.
    End,
    /// The output would not fit. Nothing was written behind its end; how far it came says little.
    Full,
    /// [`SCAN`] found a byte or triplet that the operation changes.
    Change,
    /// Decoding strictly: a malformed '%'. All before it is written.
    Malformed,
    /// Decoding: this byte of the rejected set would stand in the output. All before it is written.
    Rejected(u8),
}

/// What matters to a parser of forms, as bits, the first byte lowest (WHATWG URL 5.1).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct FormMarks {
    /// '&', which ends a pair.
    pub(crate) ends: u64,
    /// '=', of which the first one in a pair ends the name.
    pub(crate) equals: u64,
    /// '%', '+' and bytes from 0x80: without them, a part is text as it stands.
    pub(crate) coded: u64,
}

/// Room for 64 bytes encoded, and for as many again, so that kernels can store whole registers.
pub(crate) const SHORT_OUTPUT: usize = 256;
pub(crate) type ShortOutput = [MaybeUninit<u8>; SHORT_OUTPUT];

/// Encoding goes by groups of so many blocks. In a mixture of clean and dirty ones a branch on each is seldom foreseen, and costs more
/// than to encode a clean one as if it was dirty:
const GROUP_BLOCKS: usize = 8;
/// if so many blocks of a group were dirty, all of the next one are taken to be.
const DIRTY_BLOCKS: u32 = 4;

/// Where an operation stands.
struct Cursor {
    read: usize,
    written: usize,
    /// How the lowest lanes of the next block continue a triplet of the last one: bits 0 and 1.
    carry: u64,
    /// The same of triplets that stay, when their digits are to be upper-case.
    uppercase: u64,
    /// The lowest lanes of the next block at which a decoded digit could complete a malformed '%' of the last one: bits 0 and 1.
    completing: u64,
    /// How many blocks of the current group had something to escape.
    dirty_blocks: u32,
}

impl Cursor {
    const START: Self = Self { read: 0, written: 0, carry: 0, uppercase: 0, completing: 0, dirty_blocks: 0 };
}

/// Variant bit of both operations: '+' stands for a space.
pub(crate) const PLUS: u8 = 1;
/// Variant bit of both operations: some triplets of the input stay as they are.
pub(crate) const KEEP: u8 = 2;
/// Variant bit of decoding: some bytes must not stand in the output.
pub(crate) const REJECT: u8 = 4;
/// Variant bit of decoding, with [`KEEP`] alone: the digits of the triplets that stay become upper-case.
pub(crate) const UPPERCASE: u8 = 8;

/// Mode: write the output.
pub(crate) const WRITE: u8 = 0;
/// Mode: write nothing, count what would be written.
pub(crate) const MEASURE: u8 = 1;
/// Mode: write nothing, stop at the first byte that the operation changes.
pub(crate) const SCAN: u8 = 2;

/// One level's implementation.
///
/// # Safety
///
/// Every method may be called only on a machine that has the level: [`Usable`] is the proof, [`Kernels::of`] the way. That is
/// the only obligation but for [`encode_pair`](Self::encode_pair), since slices and [`Tape`]s are valid by construction. In return a
/// method reads only the source's `length` bytes and writes only the target's `capacity` bytes, whatever it is given.
pub(crate) trait Kernel {
    /// Offset of the first member of `set`.
    unsafe fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize>;

    /// Number of members of `set`.
    unsafe fn count(set: &ByteSet, haystack: &[u8]) -> usize;

    /// Whether a text is well-formed UTF-8. simdutf8 knows by itself what the machine has; a level need only be better.
    unsafe fn is_well_formed(text: &[u8]) -> bool {
        simdutf8::basic::from_utf8(text).is_ok()
    }

    /// The members of `set` among at most 64 bytes, as bits, the first one lowest.
    unsafe fn members(set: &ByteSet, haystack: &[u8]) -> u64;

    /// Notes what raw bytes and triplets are, and extracts the text by which it is known whether the decoded form is well-formed.
    /// Without `COUNT`, how often and where is left out. The haystack has at most [`report::CHUNK`] bytes, the extract at most 3.
    unsafe fn inspect<const COUNT: bool>(haystack: &[u8], extract: &mut Extract, report: &mut Report);

    /// What matters to a parser of forms among at most 64 bytes; returns the ends once more, so that who goes by them need not wait for a
    /// store.
    unsafe fn form_marks(bytes: &[u8], marks: &mut FormMarks) -> u64;

    /// Encodes; `VARIANT` must agree with the rules. The source and the target are the halves of one [`Tape`], and disjoint.
    unsafe fn encode<const VARIANT: u8, const MODE: u8>(
        source: Source<'_>,
        target: Target<'_>,
        rules: &EncodeRules,
    ) -> Progress;

    /// Decodes; `VARIANT` must agree with the rules. The source and the target are the halves of one [`Tape`].
    unsafe fn decode<const VARIANT: u8, const MODE: u8>(
        source: Source<'_>,
        target: Target<'_>,
        rules: &DecodeRules,
    ) -> Progress;

    /// Decodes at most 64 bytes by rules that say nothing but whether to be strict, and returns the length of the output. `None`
    /// if there is no room, or if it is strict and a '%' malformed: then nothing is said of the output. The source and the target
    /// are the halves of one [`Tape`].
    unsafe fn decode_short(source: Source<'_>, target: Target<'_>, strict: bool) -> Option<usize>;

    /// Encodes the first 64 bytes of an input by rules that keep nothing and leave spaces alone, and returns the length of the
    /// output; `None` if that is the input itself, and then nothing is said of the output.
    unsafe fn encode_short(input: &[u8], output: &mut ShortOutput, rules: &EncodeRules) -> Option<usize>;

    /// Encodes the name, a '=' and the value of a pair of a form (WHATWG URL 5.2), and returns the length of the output. This takes
    /// more than the other methods: `to` is valid for writes of [`pair::room`], and apart from the name and the value.
    unsafe fn encode_pair(name: &[u8], value: &[u8], to: *mut u8, rules: &PairRules) -> usize;
}

type Find = unsafe fn(&ByteSet, &[u8]) -> Option<usize>;
type Count = unsafe fn(&ByteSet, &[u8]) -> usize;
type IsWellFormed = unsafe fn(&[u8]) -> bool;
type Members = unsafe fn(&ByteSet, &[u8]) -> u64;
pub(crate) type Inspect = unsafe fn(&[u8], &mut Extract, &mut Report);
type Marks = unsafe fn(&[u8], &mut FormMarks) -> u64;
pub(crate) type EncodePair = unsafe fn(&[u8], &[u8], *mut u8, &PairRules) -> usize;
pub(crate) type EncodeShort = unsafe fn(&[u8], &mut ShortOutput, &EncodeRules) -> Option<usize>;
pub(crate) type DecodeShort = unsafe fn(Source<'_>, Target<'_>, bool) -> Option<usize>;
pub(crate) type Encode = unsafe fn(Source<'_>, Target<'_>, &EncodeRules) -> Progress;
pub(crate) type Decode = unsafe fn(Source<'_>, Target<'_>, &DecodeRules) -> Progress;

/// All entry points of one level, by variant and mode.
pub(crate) struct Kernels {
    pub(crate) find: Find,
    pub(crate) count: Count,
    pub(crate) is_well_formed: IsWellFormed,
    pub(crate) members: Members,
    /// Without vectors, marking costs more than it saves.
    #[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "as in `marks`"))]
    pub(crate) marks: Option<MarkKernels>,
    pub(crate) inspect: [Inspect; 2],
    pub(crate) form_marks: Marks,
    pub(crate) decode_short: DecodeShort,
    #[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "only what allocates measures by writing"))]
    pub(crate) encode_short: EncodeShort,
    #[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "only what grows gets pairs appended"))]
    pub(crate) encode_pair: EncodePair,
    encode: [[Encode; 3]; 4],
    /// The variants without [`UPPERCASE`], then the one with it.
    decode: [[Decode; 3]; 9],
}

impl Kernels {
    /// The entry points of a level that this machine has.
    #[inline]
    pub(crate) fn of(level: Usable) -> &'static Self {
        KERNELS[level.level() as usize]
    }

    #[inline]
    pub(crate) fn encode(&self, rules: &EncodeRules, mode: u8) -> Encode {
        let variant = u8::from(rules.plus()) * PLUS + u8::from(rules.keep_triplets) * KEEP;
        self.encode[usize::from(variant)][usize::from(mode)]
    }

    #[inline]
    pub(crate) fn decode(&self, rules: &DecodeRules, mode: u8) -> Decode {
        let variant = u8::from(rules.plus) * PLUS
            + u8::from(rules.keep.is_some()) * KEEP
            + u8::from(rules.reject.is_some()) * REJECT;
        let index = if rules.uppercase { 8 } else { usize::from(variant) };
        self.decode[index][usize::from(mode)]
    }
}

macro_rules! kernels {
    ($level:ty, $marks:expr) => {
        Kernels {
            find: <$level>::find,
            count: <$level>::count,
            is_well_formed: <$level>::is_well_formed,
            members: <$level>::members,
            marks: $marks,
            inspect: [<$level>::inspect::<false>, <$level>::inspect::<true>],
            form_marks: <$level>::form_marks,
            decode_short: <$level>::decode_short,
            encode_short: <$level>::encode_short,
            encode_pair: <$level>::encode_pair,
            encode: kernels!(@variants $level, encode, 0 1 2 3),
            decode: kernels!(@variants $level, decode, 0 1 2 3 4 5 6 7 10),
        }
    };
    (@variants $level:ty, $operation:ident, $($variant:literal)*) => {
        [$([
            <$level>::$operation::<$variant, WRITE>,
            <$level>::$operation::<$variant, MEASURE>,
            <$level>::$operation::<$variant, SCAN>,
        ]),*]
    };
}

pub(crate) struct Scalar;
static SCALAR: Kernels = kernels!(Scalar, None);

impl Kernel for Scalar {
    unsafe fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
        scalar::find(set, haystack)
    }

    unsafe fn count(set: &ByteSet, haystack: &[u8]) -> usize {
        scalar::count(set, haystack)
    }

    unsafe fn members(set: &ByteSet, haystack: &[u8]) -> u64 {
        scalar::members(set, haystack)
    }

    unsafe fn inspect<const COUNT: bool>(haystack: &[u8], extract: &mut Extract, report: &mut Report) {
        scalar::inspect::<COUNT>(haystack, extract, report);
    }

    unsafe fn form_marks(bytes: &[u8], marks: &mut FormMarks) -> u64 {
        *marks = scalar::form_marks(bytes);
        marks.ends
    }

    unsafe fn encode<const VARIANT: u8, const MODE: u8>(
        source: Source<'_>,
        target: Target<'_>,
        rules: &EncodeRules,
    ) -> Progress {
        scalar::encode::<VARIANT, MODE>(Tape::of(source, target), rules)
    }

    unsafe fn decode<const VARIANT: u8, const MODE: u8>(
        source: Source<'_>,
        target: Target<'_>,
        rules: &DecodeRules,
    ) -> Progress {
        scalar::decode::<VARIANT, MODE>(Tape::of(source, target), rules)
    }

    unsafe fn decode_short(source: Source<'_>, target: Target<'_>, strict: bool) -> Option<usize> {
        let progress = scalar::decode::<0, WRITE>(Tape::of(source, target), DecodeRules::simple(strict));
        progress.is_end().then_some(progress.written)
    }

    unsafe fn encode_short(input: &[u8], output: &mut ShortOutput, rules: &EncodeRules) -> Option<usize> {
        scalar::encode_short(&input[..input.len().min(64)], output, rules)
    }

    unsafe fn encode_pair(name: &[u8], value: &[u8], to: *mut u8, rules: &PairRules) -> usize {
        // SAFETY: the caller's promise.
        let target = unsafe { Target::of(to, pair::room(name, value)) };
        scalar::encode_pair(name, value, Tape::of(Source::of(&[]), target), rules)
    }
}

/// By [`Level`](crate::level::Level)'s discriminant. A level that the target has not is never [`Usable`] there.
#[cfg(target_arch = "x86_64")]
static KERNELS: [&Kernels; 5] = {
    static SSE41: Kernels = kernels!(sse41::Sse41, Some(MarkKernels::of::<sse41::Sse41>()));
    static AVX2: Kernels = kernels!(avx2::Avx2, Some(MarkKernels::of::<avx2::Avx2>()));
    static AVX512: Kernels = kernels!(avx512::Avx512, Some(MarkKernels::of::<avx512::Avx512>()));
    [&SCALAR, &SSE41, &AVX2, &AVX512, &SCALAR]
};
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
static KERNELS: [&Kernels; 5] = {
    static NEON: Kernels = kernels!(neon::Neon, Some(MarkKernels::of::<neon::Neon>()));
    [&SCALAR, &SCALAR, &SCALAR, &SCALAR, &NEON]
};
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")
)))]
static KERNELS: [&Kernels; 5] = [&SCALAR; 5];

/// What no standard's set has.
pub(crate) const ALPHANUMERIC: ByteSet =
    ByteSet::range(b'0', b'9').union(ByteSet::range(b'A', b'Z')).union(ByteSet::range(b'a', b'z'));

/// The value of each hexadecimal digit; negative for any other byte.
static DIGIT_VALUES: [i8; 256] = {
    let mut values = [-1; 256];
    let mut value = 0;
    while value < 16 {
        values[crate::rules::UPPERCASE[value] as usize] = value as i8;
        values[crate::rules::LOWERCASE[value] as usize] = value as i8;
        value += 1;
    }
    values
};

/// The byte of a triplet's two digits.
#[inline(always)]
pub(crate) fn from_digits(high: u8, low: u8) -> Option<u8> {
    // One test for both: the sign of either stays.
    let value = i32::from(DIGIT_VALUES[usize::from(high)]) << 4 | i32::from(DIGIT_VALUES[usize::from(low)]);
    (value >= 0).then_some(value as u8)
}

/// For each mask of eight lanes the numbers of those set, as the bytes of a little-endian word; and the same of lanes 8 to 15.
pub(crate) static COMPACTED: [[u64; 256]; 2] = {
    let mut tables = [[0; 256]; 2];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 != 0 {
                tables[0][mask] |= lane << (8 * at);
                at += 1;
            }
            lane += 1;
        }
        tables[1][mask] = tables[0][mask] | 0x0808_0808_0808_0808;
        mask += 1;
    }
    tables
};

/// For each mask of four lanes, laid out as `[byte, high digit, low digit, %]` each, which bytes count: the last three of a lane
/// that is set, the first of another.
pub(crate) static EXPANDED: [[u8; 16]; 16] = {
    let mut table = [[0; 16]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut lane, mut at) = (0, 0);
        while lane < 4 {
            if mask >> lane & 1 != 0 {
                table[mask][at] = 4 * lane + 3;
                table[mask][at + 1] = 4 * lane + 1;
                table[mask][at + 2] = 4 * lane + 2;
                at += 3;
            } else {
                table[mask][at] = 4 * lane;
                at += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::{Progress, Stop};

    const STOPS: [Stop; 6] =
        [Stop::End, Stop::Full, Stop::Change, Stop::Malformed, Stop::Rejected(0), Stop::Rejected(0xFF)];

    #[test]
    fn progress_packs_every_stop_and_place() {
        for stop in STOPS {
            for read in [0, 1, 0xFF, 0x1_0000, usize::MAX >> 17] {
                let progress = Progress::new(read, 7, stop);
                assert_eq!(progress.stop(), stop);
                assert_eq!(progress.is_end(), stop == Stop::End);
                assert!(stop == Stop::End || progress.read() == read, "{stop:?} at {read}");
            }
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn progress_refuses_a_place_that_it_cannot_hold() {
        for stop in STOPS.into_iter().skip(1) {
            assert!(std::panic::catch_unwind(|| Progress::new(1 << 48, 0, stop)).is_err(), "{stop:?}");
        }
    }

    #[test]
    fn what_is_initialised_is_not_said_without_room() {
        for stop in STOPS {
            let initialised = std::panic::catch_unwind(|| Progress::new(3, 2, stop).initialised());
            assert_eq!(initialised.ok(), (stop != Stop::Full).then_some(2), "{stop:?}");
        }
    }
}
