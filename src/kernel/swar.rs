//! SWAR: operations on eight bytes at a time in a general-purpose register.
#![forbid(unsafe_code)]

/// Loads up to 16 bytes as two zero-padded little-endian words, without a loop.
#[inline(always)]
pub(crate) fn load(bytes: &[u8]) -> (u64, u64) {
    let length = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // The shift is by up to 64 bits, which leaves nothing of the second word.
        let last = u64::from_le_bytes(*last);
        (u64::from_le_bytes(*first), last.checked_shr(8 * (16 - length as u32)).unwrap_or(0))
    } else {
        (load_up_to_8(bytes), 0)
    }
}

/// Loads up to 8 bytes as a zero-padded little-endian word, without a loop.
#[inline(always)]
pub(crate) fn load_up_to_8(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        u64::from(first) | u64::from(last) << (8 * (length - 4))
    } else if let [first, .., last] = bytes {
        let middle = bytes[length / 2];
        u64::from(*first) | u64::from(middle) << (8 * (length / 2)) | u64::from(*last) << (8 * (length - 1))
    } else {
        bytes.first().map_or(0, |&byte| u64::from(byte))
    }
}

/// Whether two slices are the same. In WebAssembly, which has no instruction for it, the standard
/// library compares byte by byte; this is 2.9 times as fast there (normalizing the lines of
/// `resource_urls.txt` as a column, Node 20, Zen 5).
#[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "used only by columns, which allocate"))]
pub(crate) fn is_same(first: &[u8], second: &[u8]) -> bool {
    if cfg!(not(target_family = "wasm")) {
        return first == second;
    }
    let ((words, rest), (others, other_rest)) = (first.as_chunks::<8>(), second.as_chunks::<8>());
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    first.len() == second.len()
        && words.iter().zip(others).all(|(word_bytes, others)| word(word_bytes) == word(others))
        && load_up_to_8(rest) == load_up_to_8(other_rest)
}

/// Sets the top bit of the bytes equal to `byte`. Exact up to the first one; bytes above it may be
/// false positives.
#[inline(always)]
pub(crate) const fn equal(word: u64, byte: u8) -> u64 {
    let difference = word ^ (ONES * byte as u64);
    difference.wrapping_sub(ONES) & !difference & TOPS
}

/// Sets the top bit of exactly the bytes equal to `byte`.
#[inline(always)]
pub(crate) const fn exactly(word: u64, byte: u8) -> u64 {
    let difference = word ^ (ONES * byte as u64);
    // Unlike in `equal`, no carry gets from one byte to the next.
    let others = ((difference & !TOPS) + !TOPS) | difference;
    !others & TOPS
}

/// Replaces each `old` byte by `new`.
#[inline(always)]
pub(crate) const fn replace(word: u64, old: u8, new: u8) -> u64 {
    word ^ (exactly(word, old) / 0x80 * (old ^ new) as u64)
}

/// The bitmask of the top bits. Bit *i* is byte *i*.
#[inline(always)]
pub(crate) const fn top_bits(word: u64) -> u64 {
    // The multiplication moves each byte's bit to its position in the top byte; no two products
    // overlap.
    (((word & TOPS) >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56
}

/// Whether all bytes of `word` are ASCII letters or digits.
#[inline(always)]
pub(crate) const fn is_alphanumeric(word: u64) -> bool {
    not_alphanumeric(word) == 0
}

/// Sets the top bit of exactly the bytes that are not ASCII letters or digits.
#[inline(always)]
pub(crate) const fn not_alphanumeric(word: u64) -> u64 {
    // Sums of two ASCII bytes stay below 0x100. Setting 0x20 makes letters lower-case, and turns no
    // other byte into a letter.
    let ascii = word & !TOPS;
    let lower = ascii | (ONES * 0x20);
    let letter = (lower + ONES * (0x80 - b'a' as u64)) & !(lower + ONES * (0x7F - b'z' as u64));
    let digit = (ascii + ONES * (0x80 - b'0' as u64)) & !(ascii + ONES * (0x7F - b'9' as u64));
    (!(letter | digit) | word) & TOPS
}

const ONES: u64 = u64::MAX / 0xFF;
const TOPS: u64 = ONES << 7;

/// Whether all bytes are ASCII. The last 16 bytes are tested with one overlapping load, not byte by
/// byte.
#[inline(always)]
pub(crate) fn is_ascii(bytes: &[u8]) -> bool {
    const TOPS_OF_16: u128 = (u128::MAX / 0xFF) << 7;
    let Some(last) = bytes.last_chunk() else {
        let (low, high) = load(bytes);
        return (low | high) & TOPS == 0;
    };
    let (pieces, _) = bytes.as_chunks();
    pieces.iter().fold(u128::from_le_bytes(*last), |union, piece| union | u128::from_le_bytes(*piece)) & TOPS_OF_16 == 0
}

/// Whether any of up to 64 bytes is `byte`, without a loop and with branches on the length only.
/// The pieces may overlap. Each has a fixed length, so it compiles to one vector comparison where
/// registers hold 16 bytes.
#[inline(always)]
pub(crate) fn contains(bytes: &[u8], byte: u8) -> bool {
    let length = bytes.len();
    if length >= 16 {
        let piece = |piece: Option<&[u8; 16]>| {
            piece.map_or(0, |piece| piece.iter().fold(0, |found, &other| found | u8::from(other == byte)))
        };
        let mut found = piece(bytes.first_chunk()) | piece(bytes.last_chunk());
        if length > 32 {
            found |= piece(bytes[16..].first_chunk()) | piece(bytes[..length - 16].last_chunk());
        }
        found != 0
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        equal(u64::from_le_bytes(*first), byte) | equal(u64::from_le_bytes(*last), byte) != 0
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        equal(u64::from(first) << 32 | u64::from(last), byte) != 0
    } else if let [first, .., last] = *bytes {
        (first == byte) | (bytes[length / 2] == byte) | (last == byte)
    } else {
        bytes == [byte]
    }
}
