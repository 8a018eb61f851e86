//! Short inputs as a `Cow`, against the peers: clean (also text to text), with one escape at a
//! random position, and all escapes; each length by itself, and all lengths in unpredictable order.

use criterion::{Criterion, criterion_group, criterion_main};
use simdpct_benches::corpora::Escape;
use simdpct_benches::{Contest, Random, corpora, peers};

const LENGTHS: std::ops::RangeInclusive<usize> = 1..=64;

/// Number of inputs of one length; too many for a branch predictor to learn their escapes.
const INPUTS: usize = 4096;

/// Number of inputs of mixed lengths; too many for a branch predictor to learn the lengths.
const MIXED: usize = 8192;

#[derive(Clone, Copy)]
enum Escapes {
    None,
    One,
    All,
}

const KINDS: [(&str, Escapes); 3] =
    [("clean", Escapes::None), ("one escape", Escapes::One), ("all escapes", Escapes::All)];

/// Letters with the requested triplets, up to the length.
fn input(random: &mut Random, length: usize, escapes: Escapes, escape: Escape) -> Vec<u8> {
    let mut input: Vec<u8> = (0..length).map(|_| random.letter()).collect();
    let width = escape(random).len();
    let (mut at, last) = match escapes {
        Escapes::None => (0, 0),
        Escapes::One if length < width => (0, 0),
        Escapes::One => {
            let at = random.below(length - width + 1);
            (at, at + width)
        }
        Escapes::All => (0, length),
    };
    while at + width <= last {
        input[at..at + width].copy_from_slice(escape(random));
        at += width;
    }
    input
}

/// Inputs of these lengths, contiguous in memory.
fn inputs(lengths: &[usize], escapes: Escapes, escape: Escape) -> Vec<&'static [u8]> {
    let mut random = Random::default();
    let joined = lengths.iter().flat_map(|&length| input(&mut random, length, escapes, escape)).collect::<Vec<u8>>();
    let mut rest: &'static [u8] = joined.leak();
    let mut cut = |&length: &usize| {
        let (input, after) = rest.split_at(length);
        rest = after;
        input
    };
    lengths.iter().map(&mut cut).collect()
}

fn contests(
    criterion: &mut Criterion,
    operation: &str,
    kinds: &[(&str, Escapes)],
    escape: Escape,
    expected: fn(&[u8]) -> Vec<u8>,
    contestants: fn(&mut Contest<'_>),
) {
    for &(kind, escapes) in kinds {
        let mut contest = Contest::new(criterion, format!("short {operation}, {kind}"));
        for length in LENGTHS {
            contest.on(length, inputs(&[length; INPUTS], escapes, escape), expected);
            contestants(&mut contest);
        }
        let mut lengths: Vec<usize> = LENGTHS.cycle().take(MIXED).collect();
        Random::default().shuffle(&mut lengths);
        contest.on("mixed", inputs(&lengths, escapes, escape), expected);
        contestants(&mut contest);
    }
}

fn decode(criterion: &mut Criterion) {
    contests(criterion, "decode", &KINDS, corpora::triplet, peers::decoded, peers::decode_returning);
}

/// Clean only: a random triplet is rarely UTF-8.
fn decode_text(criterion: &mut Criterion) {
    let contestants = peers::decode_text_returning;
    contests(criterion, "decode text", &KINDS[..1], corpora::triplet, peers::decoded, contestants);
}

fn encode(criterion: &mut Criterion) {
    contests(criterion, "encode", &KINDS, corpora::special, peers::encoded, peers::encode_returning);
}

criterion_group! { name = benches; config = simdpct_benches::for_short_inputs(); targets = decode, decode_text, encode }
criterion_main!(benches);
