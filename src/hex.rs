//! Hexadecimal digits and triplets: what both are as bytes, and the bytes that they stand for (RFC 3986 2.1).
#![forbid(unsafe_code)]

/// RFC 3986 2.1: producers should use upper case.
pub(crate) const UPPERCASE: &[u8; 16] = b"0123456789ABCDEF";
pub(crate) const LOWERCASE: &[u8; 16] = b"0123456789abcdef";

/// The value of each hexadecimal digit; negative for any other byte.
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

/// The byte of a triplet's two digits.
#[inline(always)]
pub(crate) fn from_digits(high: u8, low: u8) -> Option<u8> {
    // One test for both: the sign of either stays.
    let value = i32::from(DIGIT_VALUES[usize::from(high)]) << 4 | i32::from(DIGIT_VALUES[usize::from(low)]);
    (value >= 0).then_some(value as u8)
}

/// The byte of the triplet that the input begins with, if it does.
#[inline]
pub(crate) fn first_triplet(input: &[u8]) -> Option<u8> {
    match *input {
        [b'%', high, low, ..] => from_digits(high, low),
        _ => None,
    }
}

/// The triplet of each byte, its digits in upper case, as a little-endian word, and three, its length, in the highest byte.
pub(crate) static TRIPLETS: [u32; 256] = {
    let mut triplets = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        triplets[byte] = u32::from_le_bytes([b'%', UPPERCASE[byte >> 4], UPPERCASE[byte & 15], 3]);
        byte += 1;
    }
    triplets
};

/// The triplet of each byte as it is in a text, with these digits.
#[cfg(feature = "alloc")]
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
