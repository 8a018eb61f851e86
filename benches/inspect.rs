//! Inspection, against decoding: in blocks, and line by line.

use criterion::{Criterion, criterion_group, criterion_main};
use simdpct::{Counts, Findings, Kinds, Level, reference};
use simdpct_benches::contest::{OURS, Reuse};
use simdpct_benches::{Contest, Corpus, corpora, generated, peers};

const BLOCK: usize = 64 << 10;

/// Inspects and decodes the same inputs; the target is a share of decoding's speed.
fn inspect(contest: &mut Contest<'_>, text: &Corpus, inputs: Vec<&'static [u8]>) {
    let expected: Vec<Kinds> = inputs
        .iter()
        .map(|input| reference::findings(input).into_iter().map(|(_, kind)| kind).collect::<Kinds>())
        .map(|kinds| kinds.without(Kinds::ON_REQUEST))
        .collect();
    contest.on(&text.name, inputs.clone(), peers::decoded);
    for level in Level::available() {
        for (input, &expected) in inputs.iter().zip(&expected) {
            assert_eq!(Findings::on(level, input).kinds(), expected, "{level}, \"{}\"", input.escape_ascii());
            assert_eq!(Counts::on(level, input).kinds(), expected, "{level}, \"{}\"", input.escape_ascii());
        }
        contest.bound(&peers::ours(level), |input| Findings::on(level, input).kinds());
        contest.bound(&format!("{OURS} counting, {level}"), |input| Counts::on(level, input).kinds());
        contest
            .bound(&format!("{OURS} all kinds, {level}"), |input| Findings::on(level, input).kinds_among(Kinds::EVERY));
        let decoder = peers::LENIENT.level(level);
        contest.fills(Reuse::ForEach, format!("{OURS} decoding, {level}"), |input, output: &mut Vec<u8>| {
            decoder.decode_to(input, output).is_ok()
        });
    }
    contest.bound("memchr", |input| memchr::memchr_iter(b'%', input).count());
    contest.bound("simdutf8", |input| simdutf8::basic::from_utf8(input).is_ok());
}

fn blocks(criterion: &mut Criterion) {
    let generated = corpora::DENSITIES.map(|per_mille| generated(per_mille, corpora::triplet));
    let mut contest = Contest::new(criterion, "inspect, 64 KiB");
    for text in corpora().iter().chain(&generated) {
        inspect(&mut contest, text, text.blocks(BLOCK));
    }
}

fn lines(criterion: &mut Criterion) {
    let mut contest = Contest::new(criterion, "inspect, lines");
    for text in corpora() {
        inspect(&mut contest, &text, text.lines());
    }
}

criterion_group! { name = benches; config = simdpct_benches::for_long_texts(); targets = blocks, lines }
criterion_main!(benches);
