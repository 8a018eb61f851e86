//! Throughput of large blocks of fresh data, from a cache and from memory, on each level, against
//! the peers and memcpy.

use criterion::{Criterion, criterion_group, criterion_main};
use simdpct_benches::contest::Reuse;
use simdpct_benches::{Contest, Corpus, corpora, generated, is_test, peers};

const BLOCKS: [(&str, usize); 2] = [("64 KiB", 64 << 10), ("1 MiB", 1 << 20)];

/// Twice the largest third-level cache of the machines used for measuring.
const MEMORY: usize = 512 << 20;

/// The texts that are read from memory: few escapes, and mostly escapes.
const STREAMED: [&str; 2] = ["typical_urls.txt", "nonlatin_urls.txt"];

fn decode(criterion: &mut Criterion) {
    let texts: Vec<Corpus> = corpora()
        .into_iter()
        .chain(corpora::DENSITIES.map(|per_mille| generated(per_mille, corpora::triplet)))
        .collect();
    for (size, length) in BLOCKS {
        let mut contest = Contest::new(criterion, format!("bulk decode, {size}, reused buffer"));
        for text in &texts {
            contest.on(&text.name, text.blocks(length), peers::decoded);
            contest.memcpy();
            contest.bound("memchr", |input| memchr::memchr_iter(b'%', input).count());
            contest.bound("simdutf8", |input| simdutf8::basic::from_utf8(input).is_ok());
            peers::decode_filling(&mut contest, Reuse::ForEach);
        }
    }
    let (size, length) = BLOCKS[0];
    let mut contest = Contest::new(criterion, format!("bulk decode, {size}, allocating"));
    for text in &texts {
        contest.on(&text.name, text.blocks(length), peers::decoded);
        contest.bound("memcpy", |input| input.to_vec());
        peers::decode_returning(&mut contest);
    }
}

fn encode(criterion: &mut Criterion) {
    // Decoded article titles, from which such URLs are made.
    let decoded =
        corpora().into_iter().filter(|corpus| corpus.name == "nonlatin_urls.txt").map(|corpus| corpus.decoded());
    let texts: Vec<Corpus> = corpora()
        .into_iter()
        .chain(decoded)
        .chain(corpora::DENSITIES.map(|per_mille| generated(per_mille, corpora::special)))
        .collect();
    for (size, length) in BLOCKS {
        let mut contest = Contest::new(criterion, format!("bulk encode, {size}, reused buffer"));
        for text in &texts {
            contest.on(&text.name, text.blocks(length), peers::encoded);
            contest.memcpy();
            peers::encode_filling(&mut contest, Reuse::ForEach);
        }
    }
    let (size, length) = BLOCKS[0];
    let mut contest = Contest::new(criterion, format!("bulk encode, {size}, allocating"));
    for text in &texts {
        contest.on(&text.name, text.blocks(length), peers::encoded);
        contest.bound("memcpy", |input| input.to_vec());
        peers::encode_returning(&mut contest);
    }
}

/// How much of a text is repeated: each block is read once from memory that no cache holds. The
/// output is one buffer, which stays in the first or second level.
fn streamed() -> usize {
    if is_test() { 1 << 20 } else { MEMORY }
}

fn decode_from_memory(criterion: &mut Criterion) {
    let (size, length) = BLOCKS[0];
    let mut contest = Contest::new(criterion, format!("memory decode, {size}, reused buffer"));
    for text in corpora().into_iter().filter(|text| STREAMED.contains(&&*text.name)) {
        contest.on(&text.name, text.blocks(length), peers::decoded).repeated(streamed());
        contest.memcpy();
        peers::decode_filling_beside_one(&mut contest, Reuse::ForEach);
    }
}

fn encode_from_memory(criterion: &mut Criterion) {
    let (size, length) = BLOCKS[0];
    let mut contest = Contest::new(criterion, format!("memory encode, {size}, reused buffer"));
    for text in corpora().into_iter().filter(|text| STREAMED.contains(&&*text.name)) {
        let text = if text.name == "nonlatin_urls.txt" { text.decoded() } else { text };
        contest.on(&text.name, text.blocks(length), peers::encoded).repeated(streamed());
        contest.memcpy();
        peers::encode_filling_beside_one(&mut contest, Reuse::ForEach);
    }
}

criterion_group! { name = benches; config = simdpct_benches::for_long_texts(); targets = decode, encode, decode_from_memory, encode_from_memory }
criterion_main!(benches);
