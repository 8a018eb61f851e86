//! How long does a short input take, as a `Cow`, against the peers? Clean, with one escape somewhere, and full of them; each
//! length for itself, and all lengths in an order that nothing foretells.

use criterion::{Criterion, criterion_group, criterion_main};
use simdpct_benches::corpora::Escape;
use simdpct_benches::{Contest, Random, corpora, peers};

const LENGTHS: std::ops::RangeInclusive<usize> = 1..=64;

/// Inputs of one length: more than a branch predictor can learn the escapes of.
const INPUTS: usize = 4096;

/// Inputs of all lengths: more than it can learn the lengths of.
const MIXED: usize = 8192;

#[derive(Clone, Copy)]
enum Escapes {
    None,
    One,
    All,
}

const KINDS: [(&str, Escapes); 3] =
    [("clean", Escapes::None), ("one escape", Escapes::One), ("all escapes", Escapes::All)];

/// Letters, with as many escapes as are asked for and fit.
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

/// Inputs of these lengths, one behind the other in memory.
fn inputs(lengths: &[usize], escapes: Escapes, escape: Escape) -> Vec<&'static [u8]> {
    let mut random = Random::default();
    let joined = lengths.iter().flat_map(|&length| input(&mut random, length, escapes, escape)).collect::<Vec<u8>>();
    let mut rest: &'static [u8] = joined.leak();
    let mut cut = |&length: &usize| {
        let (input, behind) = rest.split_at(length);
        rest = behind;
        input
    };
    lengths.iter().map(&mut cut).collect()
}

fn contests(
    criterion: &mut Criterion,
    operation: &str,
    escape: Escape,
    expected: fn(&[u8]) -> Vec<u8>,
    contestants: fn(&mut Contest<'_>),
) {
    for (kind, escapes) in KINDS {
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
    contests(criterion, "decode", corpora::triplet, peers::decoded, peers::decode_returning);
}

fn encode(criterion: &mut Criterion) {
    contests(criterion, "encode", corpora::special, peers::encoded, peers::encode_returning);
}

criterion_group! { name = benches; config = simdpct_benches::for_short_inputs(); targets = decode, encode }
criterion_main!(benches);
