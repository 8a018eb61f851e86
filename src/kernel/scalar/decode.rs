//! Decoding and normalisation.
#![forbid(unsafe_code)]

use crate::hex::from_digits;
use crate::kernel::inout::InOut;
use crate::kernel::op::{DecodePolicy, Pass};
use crate::kernel::outcome::{Progress, Stop};
use crate::kernel::swar;
use crate::rules::DecodeRules;

#[inline(always)]
pub(crate) fn decode<P: DecodePolicy, M: Pass>(io: InOut<'_>, rules: &DecodeRules) -> Progress {
    let (mut read, mut written) = (0, 0);
    let mut completing = NOWHERE;
    let stop = loop {
        // With rejected bytes, every byte must be tested.
        if !P::REJECT {
            let is_special = copy_plain::<P, M>(io, &mut read, &mut written);
            if !P::KEEP && is_special && decode_triplets::<M>(io, &mut read, &mut written) {
                continue;
            }
            if !is_special {
                if decode_rest::<P, M>(io, &mut read, &mut written) {
                    break Stop::End;
                }
                break step_to_end::<P, M>(io, rules, &mut read, &mut written, &mut completing);
            }
        }
        if let Some(stop) = step::<P, M>(io, rules, &mut read, &mut written, &mut completing) {
            break stop;
        }
    };
    Progress::new(read, written, stop)
}

/// The word with each `+` replaced by a space if the policy says so, and the top bits of its
/// special bytes, exact up to the first one.
#[inline(always)]
fn look_at<P: DecodePolicy, M: Pass>(mut word: u64) -> (u64, u64) {
    let mut special = swar::equal(word, b'%');
    if P::PLUS {
        if M::STOPS_AT_CHANGE {
            special |= swar::equal(word, b'+');
        } else {
            word = swar::replace(word, b'+', b' ');
        }
    }
    (word, special)
}

/// Copies plain bytes, a word at a time, up to a special one: `%`, or `+` when scanning. Returns
/// false if fewer than eight bytes of input or of room are left; the next byte may then be special
/// or plain.
#[inline(always)]
fn copy_plain<P: DecodePolicy, M: Pass>(io: InOut<'_>, read: &mut usize, written: &mut usize) -> bool {
    loop {
        let Some(word) = io.read(*read).map(u64::from_le_bytes) else { return false };
        let (word, special) = look_at::<P, M>(word);
        let bytes = word.to_le_bytes();
        // A branch instead of adding a count that is 8 here, so that the next load does not depend
        // on it.
        if special == 0 {
            if M::WRITES && !io.write(*written, bytes) {
                return false;
            }
            *read += 8;
            *written += 8;
            continue;
        }
        let plain = special.trailing_zeros() as usize / 8;
        if M::WRITES {
            // Storing the whole word is faster; the bytes after the plain ones are overwritten
            // later. In place, the store must not reach unread input.
            if !io.is_in_place() || *written + 8 <= *read + plain {
                if !io.write(*written, bytes) {
                    return false;
                }
            } else {
                for (offset, &byte) in bytes[..plain].iter().enumerate() {
                    let _fits = io.write(*written + offset, [byte]);
                }
            }
        }
        *read += plain;
        *written += plain;
        return true;
    }
}

/// Decodes the last bytes, less than a word, in a register, so that few branches depend on their
/// number or on the special bytes' positions. Returns false if the output has no room for 8 bytes,
/// or a policy or a malformed `%` needs the general path.
#[inline(always)]
fn decode_rest<P: DecodePolicy, M: Pass>(io: InOut<'_>, read: &mut usize, written: &mut usize) -> bool {
    let mut rest = io.length() - *read;
    if rest >= 8 || P::KEEP || M::WRITES && io.is_in_place() {
        return false;
    }
    // The zero padding contains no special byte and no digit.
    let mut input = io.read_rest(*read);
    loop {
        while input as u8 == b'%' {
            let [_, high, low, ..] = input.to_le_bytes();
            let Some(byte) = from_digits(high, low) else { return false };
            if M::STOPS_AT_CHANGE || M::WRITES && !io.write(*written, [byte]) {
                return false;
            }
            input >>= 24;
            *read += 3;
            *written += 1;
            rest -= 3;
        }
        let (word, special) = look_at::<P, M>(input);
        if M::WRITES && !io.write(*written, word.to_le_bytes()) {
            return false;
        }
        let plain = if special == 0 { rest } else { special.trailing_zeros() as usize / 8 };
        *read += plain;
        *written += plain;
        if special == 0 {
            return true;
        }
        if P::PLUS && M::STOPS_AT_CHANGE {
            return false;
        }
        input >>= 8 * plain;
        rest -= plain;
    }
}

/// Decodes consecutive triplets, starting at a special byte. Returns whether there was one.
#[inline(always)]
fn decode_triplets<M: Pass>(io: InOut<'_>, read: &mut usize, written: &mut usize) -> bool {
    if M::STOPS_AT_CHANGE {
        return false;
    }
    let start = *read;
    // The first byte is tested on its own: the loop mostly ends because it is not `%`, however many
    // bytes are left.
    while io.read(*read) == Some([b'%'])
        && let Some([high, low]) = io.read(*read + 1)
        && let Some(byte) = from_digits(high, low)
        && (!M::WRITES || io.write(*written, [byte]))
    {
        *read += 3;
        *written += 1;
    }
    *read != start
}

/// Decodes one byte or triplet at a time, near the end of the input or of the output.
#[inline(always)]
fn step_to_end<P: DecodePolicy, M: Pass>(
    io: InOut<'_>,
    rules: &DecodeRules,
    read: &mut usize,
    written: &mut usize,
    completing: &mut usize,
) -> Stop {
    loop {
        if let Some(stop) = step::<P, M>(io, rules, read, written, completing) {
            return stop;
        }
    }
}

/// The offset of no triplet.
const NOWHERE: usize = usize::MAX;

/// Decodes one byte or triplet. A kept triplet is copied as three plain bytes, unless its digits
/// become upper-case.
///
/// `completing` is the offset at which a decoded digit could complete the last malformed `%` to a
/// triplet.
#[inline(always)]
fn step<P: DecodePolicy, M: Pass>(
    io: InOut<'_>,
    rules: &DecodeRules,
    read: &mut usize,
    written: &mut usize,
    completing: &mut usize,
) -> Option<Stop> {
    let Some([raw]) = io.read(*read) else { return Some(Stop::End) };
    let (mut byte, mut width, mut changed) = (raw, 1, false);
    if raw == b'%' {
        match io.read(*read + 1).and_then(|[high, low]| from_digits(high, low)) {
            Some(decoded)
                if P::KEEP
                    && (rules.keep.is_some_and(|keep| keep.contains(decoded))
                        || *read == *completing && decoded.is_ascii_hexdigit()) =>
            {
                if P::UPPERCASE
                    && let Some(digits) = io.read::<2>(*read + 1)
                {
                    return step_uppercase::<M>(io, digits, read, written);
                }
            }
            Some(decoded) => (byte, width, changed) = (decoded, 3, true),
            None if P::CHECKS && rules.strict => return Some(Stop::Malformed),
            None if P::KEEP && rules.creates_no_triplets() => {
                let is_before_digit = io.read(*read + 1).is_some_and(|[next]: [u8; 1]| next.is_ascii_hexdigit());
                *completing = *read + if is_before_digit { 2 } else { 1 };
            }
            None => {}
        }
    } else if P::PLUS && raw == b'+' {
        (byte, changed) = (b' ', true);
    }
    if P::REJECT && rules.reject.is_some_and(|reject| reject.contains(byte)) {
        return Some(Stop::Rejected(byte));
    }
    if M::STOPS_AT_CHANGE && changed {
        return Some(Stop::Change);
    }
    if M::WRITES && !io.write(*written, [byte]) {
        return Some(Stop::Full);
    }
    *read += width;
    *written += 1;
    None
}

/// Copies a triplet with these digits in upper case.
#[inline(always)]
fn step_uppercase<M: Pass>(io: InOut<'_>, digits: [u8; 2], read: &mut usize, written: &mut usize) -> Option<Stop> {
    let [high, low] = digits.map(|digit| digit.to_ascii_uppercase());
    if M::STOPS_AT_CHANGE && [high, low] != digits {
        return Some(Stop::Change);
    }
    if M::WRITES && !io.write(*written, [b'%', high, low]) {
        return Some(Stop::Full);
    }
    *read += 3;
    *written += 3;
    None
}
