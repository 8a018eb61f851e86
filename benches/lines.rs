//! Lines of real text, against the peers: as a `Cow`, appended to the preceding lines, in place,
//! and into memory of the caller.

use criterion::{Criterion, criterion_group, criterion_main};
use simdpct::{Decoder, Encoder, Level};
use simdpct_benches::contest::{Memory, Reuse};
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

/// The lines of a corpus that decode to text: the lines without `%`, and all lines.
fn clean_and_mixed(corpus: &Corpus) -> [(String, Vec<&'static [u8]>); 2] {
    let lines = corpus.lines().into_iter().filter(|line| peers::LENIENT.decode_utf8(*line).is_ok());
    let mixed: Vec<_> = lines.collect();
    let clean = mixed.iter().copied().filter(|line| !line.contains(&b'%')).collect();
    [(format!("{}, clean", corpus.name), clean), (format!("{}, mixed", corpus.name), mixed)]
}

/// Each form that writes to memory of the caller, one line at a time. The contestant "by hand"
/// searches for `%`: it copies a line without `%`, and decodes any other line on the same level.
fn into_memory(criterion: &mut Criterion) {
    let texts: Vec<_> = corpora().iter().flat_map(clean_and_mixed).filter(|(_, lines)| !lines.is_empty()).collect();
    let mut contest = Contest::new(criterion, "lines into memory, decode");
    for (name, lines) in &texts {
        contest.on(name, lines.clone(), peers::decoded);
        contest.memcpy();
        peers::on_each_level!(LEVEL => {
            const DECODER: Decoder = peers::LENIENT.level(LEVEL);
            contest.fills(Reuse::ForEach, format!("by hand, {LEVEL}"), |line, output: &mut Memory| {
                let length = match memchr::memchr(b'%', line) {
                    Some(_) => DECODER.decode_into(line, output.room()).ok(),
                    None => {
                        output.room()[..line.len()].copy_from_slice(line);
                        Some(line.len())
                    }
                };
                output.wrote(length)
            });
            contest.fills(Reuse::ForEach, peers::ours(LEVEL), |line, output: &mut Memory| {
                let length = DECODER.decode_into(line, output.room()).ok();
                output.wrote(length)
            });
            contest.fills(Reuse::ForEach, format!("simdpct appended, {LEVEL}"), |line, output: &mut Vec<u8>| {
                DECODER.decode_to(line, output).is_ok()
            });
            contest.fills(Reuse::ForEach, format!("simdpct text, {LEVEL}"), |line, output: &mut Memory| {
                let length = DECODER.decode_utf8_into(line, output.room()).ok().map(|text| text.len());
                output.wrote(length)
            });
            contest.replaces(format!("simdpct in place, {LEVEL}"), |line| DECODER.decode_in_place(line).ok());
        });
    }
    drop(contest);

    let mut contest = Contest::new(criterion, "lines into memory, encode");
    for (name, lines) in &texts {
        contest.on(name, lines.clone(), peers::encoded);
        contest.memcpy();
        peers::on_each_level!(LEVEL => {
            const ENCODER: Encoder = Encoder::COMPONENT.level(LEVEL);
            contest.fills(Reuse::ForEach, peers::ours(LEVEL), |line, output: &mut Memory| {
                let length = ENCODER.encode_into(line, output.room()).ok();
                output.wrote(length)
            });
            contest.fills(Reuse::ForEach, format!("simdpct appended, {LEVEL}"), |line, output: &mut String| {
                ENCODER.encode_to(line, output);
                true
            });
            contest.returns(format!("simdpct as Cow, {LEVEL}"), |line| ENCODER.encode(line));
        });
    }
}

criterion_group! { name = benches; config = simdpct_benches::for_long_texts(); targets = decode, encode, into_memory }
criterion_main!(benches);
