//! Lines of real text, against the peers: as a `Cow`, appended to the preceding lines, and in
//! place.

use criterion::{Criterion, criterion_group, criterion_main};
use simdpct::Level;
use simdpct_benches::contest::Reuse;
use simdpct_benches::{Contest, Corpus, corpora, peers};

fn decode(criterion: &mut Criterion) {
    let texts = corpora();
    let mut contest = Contest::new(criterion, "lines decode, as Cow");
    for text in &texts {
        contest.on(&text.name, text.lines(), peers::decoded);
        contest.memcpy();
        contest.bound("memchr", |line| memchr::memchr(b'%', line));
        peers::decode_returning(&mut contest);
    }
    drop(contest);

    let mut contest = Contest::new(criterion, "lines decode, appended");
    for text in &texts {
        contest.on(&text.name, text.lines(), peers::decoded);
        peers::decode_filling(&mut contest, Reuse::ForAll);
    }
    drop(contest);

    // No peer decodes in place.
    let mut contest = Contest::new(criterion, "lines decode, in place");
    for text in &texts {
        contest.on(&text.name, text.lines(), peers::decoded);
        for level in Level::available() {
            let decoder = peers::LENIENT.level(level);
            contest.replaces(peers::ours(level), |line| decoder.decode_in_place(line).ok());
        }
    }
}

fn encode(criterion: &mut Criterion) {
    let decoded =
        corpora().into_iter().filter(|corpus| corpus.name == "nonlatin_urls.txt").map(|corpus| corpus.decoded());
    let texts: Vec<Corpus> = corpora().into_iter().chain(decoded).collect();
    let mut contest = Contest::new(criterion, "lines encode, as Cow");
    for text in &texts {
        contest.on(&text.name, text.lines(), peers::encoded);
        contest.memcpy();
        peers::encode_returning(&mut contest);
    }
    drop(contest);

    let mut contest = Contest::new(criterion, "lines encode, appended");
    for text in &texts {
        contest.on(&text.name, text.lines(), peers::encoded);
        peers::encode_filling(&mut contest, Reuse::ForAll);
    }
    drop(contest);

    let mut contest = Contest::new(criterion, "lines encode, to String");
    for text in &texts {
        contest.on(&text.name, text.lines(), peers::encoded);
        peers::encode_to_string(&mut contest);
    }
    drop(contest);

    let mut contest = Contest::new(criterion, "lines encode, formatted");
    for text in &texts {
        contest.on(&text.name, text.lines(), peers::encoded);
        peers::encode_formatting(&mut contest, Reuse::ForAll);
    }
    drop(contest);

    let mut contest = Contest::new(criterion, "lines encode, by pieces");
    for text in &texts {
        contest.on(&text.name, text.lines(), peers::encoded);
        peers::encode_by_pieces(&mut contest, Reuse::ForAll);
    }
}

criterion_group! { name = benches; config = simdpct_benches::for_long_texts(); targets = decode, encode }
criterion_main!(benches);
