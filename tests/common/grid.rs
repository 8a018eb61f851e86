//! The grids of codecs that tests run through.

use simdpct::{ByteSet, Decoder, Encoder, sets};

/// Every combination of strict or lenient, plus, kept set and rejected set.
///
/// Short strings contain members of the sets: `%4F` and `%f4` are kept, `%44` and a raw `g` are
/// rejected.
pub fn decoders() -> Vec<Decoder> {
    let kept = [None, Some(ByteSet::new(b"/%O\xF4\xAA")), Some(ByteSet::ALL)];
    let rejected = [None, Some(ByteSet::new(b"\0Dg")), Some(ByteSet::new(b"4 \x80\xFF"))];
    let mut decoders = Vec::new();
    for lenient in [false, true] {
        for plus in [false, true] {
            for keep in kept {
                for reject in rejected {
                    decoders.push(decoder(lenient, plus, keep, reject));
                }
            }
        }
    }
    decoders
}

pub fn decoder(lenient: bool, plus: bool, keep: Option<ByteSet>, reject: Option<ByteSet>) -> Decoder {
    let mut decoder = Decoder::new();
    if lenient {
        decoder = decoder.lenient();
    }
    if plus {
        decoder = decoder.plus_for_space();
    }
    if let Some(set) = keep {
        decoder = decoder.keep(set);
    }
    if let Some(set) = reject {
        decoder = decoder.reject(set);
    }
    decoder
}

/// Several sets, each with every combination of the policies.
pub fn encoders() -> Vec<Encoder> {
    let sets = [ByteSet::EMPTY, sets::COMPONENT, sets::PATH, sets::whatwg::QUERY, ByteSet::ALL];
    sets.into_iter().flat_map(|set| (0..16).map(move |policies| encoder(set, policies))).collect()
}

/// An encoder with a policy per bit of the low four: plus, lower case, keep triplets, keep
/// non-ASCII.
pub fn encoder(set: ByteSet, policies: u8) -> Encoder {
    let mut encoder = Encoder::new(set);
    if policies & 1 != 0 {
        encoder = encoder.plus_for_space();
    }
    if policies & 2 != 0 {
        encoder = encoder.lowercase();
    }
    if policies & 4 != 0 {
        encoder = encoder.keep_triplets();
    }
    if policies & 8 != 0 {
        encoder = encoder.keep_non_ascii();
    }
    encoder
}

/// One decoder per policy and one with several, where the grid would take too long.
pub fn few_decoders() -> [Decoder; 6] {
    [
        Decoder::new(),
        Decoder::new().lenient(),
        Decoder::new().lenient().plus_for_space(),
        Decoder::new().lenient().keep(ByteSet::new(b"A ")),
        Decoder::new().lenient().reject(ByteSet::new(b"\0\xFF")),
        Decoder::new().plus_for_space().keep(ByteSet::new(b"A ")).reject(ByteSet::new(b"\0\xFF")),
    ]
}

/// Encoders with each policy and with the most frequent combinations.
pub fn few_encoders() -> [Encoder; 6] {
    [
        Encoder::COMPONENT,
        Encoder::FORM,
        Encoder::COMPONENT.keep_triplets(),
        Encoder::FORM.keep_triplets(),
        Encoder::PATH.keep_non_ascii(),
        Encoder::new(ByteSet::ALL).keep_triplets().lowercase(),
    ]
}
