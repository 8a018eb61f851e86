//! Normalization, against decoding and against a peer: in blocks, and line by line.

use criterion::{Criterion, criterion_group, criterion_main};
use fluent_uri::Uri;
use simdpct::{Level, Malformed, Normalizer, reference};
use simdpct_benches::contest::{OURS, Reuse};
use simdpct_benches::{Contest, Corpus, corpora, generated, peers};

const BLOCK: usize = 64 << 10;
const NORMALIZER: Normalizer = Normalizer::new().malformed(Malformed::Keep);

/// The lines that are UTF-8: a normalizer takes text.
fn texts() -> Vec<Corpus> {
    corpora().iter().map(|corpus| corpus.filtered(|line| std::str::from_utf8(line).is_ok())).collect()
}

fn normalized(input: &[u8]) -> Vec<u8> {
    reference::normalize(&NORMALIZER, input).unwrap_or_default()
}

/// Normalization by a URI parser. It does more: the case of scheme and host, dot segments, empty
/// ports.
fn by_fluent_uri(uri: &str) -> Option<String> {
    Some(Uri::parse(uri).ok()?.normalize().into_string())
}

/// Whether triplets are all that the peer normalizes in this URI.
fn is_normal_but_for_triplets(line: &[u8]) -> bool {
    std::str::from_utf8(line).ok().and_then(by_fluent_uri).is_some_and(|uri| uri.as_bytes() == normalized(line))
}

fn blocks(criterion: &mut Criterion) {
    let generated = corpora::DENSITIES.map(|per_mille| generated(per_mille, corpora::triplet));
    let mut contest = Contest::new(criterion, "normalize, 64 KiB");
    for text in texts().iter().chain(&generated) {
        contest.on(&text.name, text.blocks(BLOCK), normalized);
        for level in Level::available() {
            let normalizer = NORMALIZER.level(level);
            contest.fills_from_text(Reuse::ForEach, peers::ours(level), |input, output: &mut String| {
                normalizer.normalize_to(input, output).is_ok()
            });
        }
        contest.on(&text.name, text.blocks(BLOCK), peers::decoded);
        for level in Level::available() {
            let decoder = peers::LENIENT.level(level);
            contest.fills(Reuse::ForEach, format!("{OURS} decoding, {level}"), |input, output: &mut Vec<u8>| {
                decoder.decode_to(input, output).is_ok()
            });
        }
    }
}

fn lines(criterion: &mut Criterion) {
    let mut contest = Contest::new(criterion, "normalize, lines as Cow");
    for text in texts() {
        contest.on(&text.name, text.lines(), normalized);
        ours(&mut contest);
    }
    drop(contest);

    let mut contest = Contest::new(criterion, "normalize, URIs as Cow");
    for text in texts() {
        let uris = text.filtered(is_normal_but_for_triplets);
        if !uris.text.is_empty() {
            contest.on(&text.name, uris.lines(), normalized);
            contest.returns_from_text("fluent-uri", by_fluent_uri);
            ours(&mut contest);
        }
    }
}

fn ours(contest: &mut Contest<'_>) {
    for level in Level::available() {
        let normalizer = NORMALIZER.level(level);
        contest.returns_from_text(peers::ours(level), |input| normalizer.normalize(input));
    }
}

criterion_group! { name = benches; config = simdpct_benches::for_long_texts(); targets = blocks, lines }
criterion_main!(benches);
