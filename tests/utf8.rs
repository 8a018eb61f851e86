//! UTF-8 validation against the standard library, on every level and at every position in a block.
//! Unicode 3.9, table 3-7, has the well-formed sequences.

use crate::common::{Case, Surrounded, compare_decode_utf8_to_slices, decoders, is_quick};
use proptest::prelude::*;
use simdpct::{Decoder, Level, reference};

fn compare(text: &[u8]) {
    for level in crate::common::levels() {
        let decoder = Decoder::new().lenient().level(level);
        let position = decoder.decode_utf8(text).err().map(|error| error.position);
        let expected = str::from_utf8(text).err().map(|error| error.valid_up_to());
        assert_eq!(position, expected, "{level}: \"{}\"", text.escape_ascii());
    }
}

/// Both ends of every range of the table, and the bytes just outside.
const EDGES: [u8; 24] = [
    0x00, b'a', 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
    0xF0, 0xF1, 0xF4, 0xF5, 0xFF,
];

/// Bytes before and after the four bytes: at both ends of a text, within a block, and across
/// boundaries of blocks of 16, 32 and 64 bytes.
const PLACES: [(usize, usize); 9] =
    [(0, 0), (0, 70), (14, 3), (30, 1), (61, 0), (62, 40), (63, 66), (64, 60), (125, 64)];

#[test]
fn every_four_boundary_bytes_match_std() {
    for (number, (before, after)) in PLACES.into_iter().enumerate() {
        // Surrounded by ASCII, or by non-ASCII characters, so that no block can be skipped.
        for filling in ["a", "é"] {
            let mut text = filling.repeat(before).into_bytes();
            text.truncate(before & !1);
            text.resize(before, b'-');
            let at = text.len();
            text.extend([0; 4]);
            text.extend_from_slice(&filling.repeat(after).as_bytes()[..after & !1]);
            for (index, a) in EDGES.into_iter().enumerate() {
                if is_quick() && index % PLACES.len() != number {
                    continue;
                }
                for bytes in EDGES.iter().flat_map(|&b| EDGES.iter().flat_map(move |&c| EDGES.map(|d| [a, b, c, d]))) {
                    text[at..at + 4].copy_from_slice(&bytes);
                    compare(&text);
                }
            }
        }
    }
}

#[test]
fn sequences_cut_by_the_end_match_std() {
    for length in 0..200 {
        for end in ["é", "€", "😀"] {
            for cut in 1..=end.len() {
                let text = ["a".repeat(length).as_bytes(), &end.as_bytes()[..cut]].concat();
                compare(&text);
                compare(&[&text[..], b"a"].concat());
            }
        }
    }
}

proptest! {
    /// Text, unchanged and with one byte changed.
    #[test]
    fn random_text_with_one_changed_byte_matches_std(text in "[a-zäß€한😀]{0,120}", at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        compare(text.as_bytes());
        let mut bytes = text.into_bytes();
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            compare(&bytes);
        }
    }
}

/// Texts longer than the buffer for decoding in place (1024 bytes), and than the chunks that are
/// checked for the position of an error (8192 bytes): pieces across their ends, by every decoder.
#[test]
fn long_texts_decode_to_slices_like_reference() {
    let pieces =
        ["%e2%82%ac", "€", "%e2%82x", "%e2", "%ff%ff", "%4%31", "%%34%e9", "%C3%A9%00", "%E2%82%00", "\u{e9}%g%C3"];
    for piece in pieces {
        for (end, after) in [(1024, 0), (1024, 1), (8192, 0), (8192, 40), (2 * 8192, 3)] {
            for before in end - 10..=end {
                if is_quick() && before % 5 != 0 {
                    continue;
                }
                // A triplet in each piece before, so that positions differ from decoded offsets.
                let mut text = b"%41-".repeat(before / 4);
                text.resize(before, b'-');
                text.extend_from_slice(piece.as_bytes());
                text.resize(text.len() + after, b'f');
                let surrounded = Surrounded::new(&text);
                let decoders = if end == 8192 { decoders() } else { vec![Decoder::new(), Decoder::new().lenient()] };
                let step = if is_quick() && end == 8192 { 4 } else { 1 };
                for decoder in decoders.into_iter().step_by(step) {
                    let expected = reference::decode_utf8(&decoder, &text);
                    for level in [Level::Scalar, Level::active()] {
                        let decoder = decoder.level(level);
                        let case = Case { form: "long text", level, codec: &decoder, input: surrounded.input() };
                        compare_decode_utf8_to_slices(&decoder, &surrounded, &expected, &case);
                    }
                }
            }
        }
    }
}

/// Ill-formed sequences in long texts are replaced in pieces of 1024 bytes: six bytes of several
/// kinds at each position near the end of a piece, so that sequences cross it.
#[test]
fn replacement_across_pieces_matches_std() {
    const KINDS: [u8; 6] = [b'a', 0x9F, 0xC3, 0xE2, 0xED, 0xF0];
    let decoder = Decoder::new().lenient();
    for number in 0..KINDS.len().pow(6) {
        let bytes: [u8; 6] = std::array::from_fn(|at| KINDS[number / KINDS.len().pow(at as u32) % KINDS.len()]);
        // Cycles through the positions at the end of the first and of the second piece.
        let end = 1024 * (1 + number % 2);
        let at = end - 6 + number / 2 % 7;
        let mut text = vec![b'-'; end + 40];
        text[at..at + 6].copy_from_slice(&bytes);
        let level = crate::common::levels().nth(number % crate::common::levels().count());
        let decoder = level.map_or(decoder, |level| decoder.level(level));
        let found = decoder.decode_utf8_lossy(&text).unwrap();
        assert!(found == String::from_utf8_lossy(&text), "{level:?}: \"{}\" at {at}", bytes.escape_ascii());
    }
}
