//! Rules and texts for tests.
#![forbid(unsafe_code)]

use clap::ValueEnum;
use simdpct::ByteSet;

use super::super::dialect::{Dialect, NO_DIALECT};
use super::Decoding;

/// The rules of each dialect, in one pass and in several.
pub(super) fn decodings() -> impl Iterator<Item = (Decoding, String)> {
    let rules = Dialect::value_variants().iter().map(|dialect| dialect.rules()).chain([NO_DIALECT]);
    rules.flat_map(|rules| {
        (1..=3u8).map(move |passes| {
            let decoding = Decoding::new(&rules).keeping(ByteSet::new(b"\n")).passes(passes);
            (decoding, format!("{passes} x {rules:?}"))
        })
    })
}

/// All texts of up to 4 symbols, each of which some implementation treats differently.
pub(super) fn texts() -> impl Iterator<Item = Vec<u8>> {
    const SYMBOLS: [&[u8]; 9] = [b"%", b"4", b"+", b"%25", b"%ED%A0%80", b"%C3", b"\xA9", b"%00", b"a"];
    (0..=4u32).flat_map(|length| {
        (0..SYMBOLS.len().pow(length)).map(move |number| {
            (0..length).flat_map(|at| SYMBOLS[number / SYMBOLS.len().pow(at) % SYMBOLS.len()]).copied().collect()
        })
    })
}
