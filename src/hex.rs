//! Hexadecimal digits and triplets (RFC 3986 2.1).
#![forbid(unsafe_code)]

/// Upper case, as RFC 3986 2.1 recommends for producers.
pub(crate) const UPPERCASE: &[u8; 16] = b"0123456789ABCDEF";
pub(crate) const LOWERCASE: &[u8; 16] = b"0123456789abcdef";

/// Value of each hexadecimal digit; -1 for any other byte.
static DIGIT_VALUES: [i8; 256] = {
    let mut values = [-1; 256];
    let mut value = 0;
    while value < 16 {
        values[UPPERCASE[value] as usize] = value as i8;
        values[LOWERCASE[value] as usize] = value as i8;
        value += 1;
    }
    values
};

/// The byte that two hexadecimal digits encode.
#[inline(always)]
pub(crate) fn from_digits(high: u8, low: u8) -> Option<u8> {
    // One branch for both digits: a negative value of either makes the result negative.
    let value = i32::from(DIGIT_VALUES[usize::from(high)]) << 4 | i32::from(DIGIT_VALUES[usize::from(low)]);
    (value >= 0).then_some(value as u8)
}

/// The byte of the triplet that `input` begins with, if any.
#[inline]
pub(crate) fn first_triplet(input: &[u8]) -> Option<u8> {
    match *input {
        [b'%', high, low, ..] => from_digits(high, low),
        _ => None,
    }
}

/// Length of the incomplete triplet at the end of `bytes` (RFC 3986 2.1). At most 2.
pub(crate) fn incomplete_triplet(bytes: &[u8]) -> usize {
    match bytes {
        [.., b'%'] => 1,
        [.., b'%', digit] if digit.is_ascii_hexdigit() => 2,
        _ => 0,
    }
}

/// The upper-case triplet of each byte as a little-endian word, with its length, three, in the
/// highest byte.
pub(crate) static TRIPLETS: [u32; 256] = {
    let mut triplets = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        triplets[byte] = u32::from_le_bytes([b'%', UPPERCASE[byte >> 4], UPPERCASE[byte & 15], 3]);
        byte += 1;
    }
    triplets
};

/// The triplet of each byte as text, with the given digits.
pub(crate) const fn triplets(digits: &[u8; 16]) -> [[u8; 3]; 256] {
    let mut triplets = [[b'%', 0, 0]; 256];
    let mut byte = 0;
    while byte < 256 {
        triplets[byte][1] = digits[byte >> 4];
        triplets[byte][2] = digits[byte & 15];
        byte += 1;
    }
    triplets
}
