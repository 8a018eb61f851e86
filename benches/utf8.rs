//! Decoding to text, against decoding to bytes and against the peers: lossy on whole texts, strict
//! on their well-formed lines; in blocks, and line by line.

use criterion::{Criterion, criterion_group, criterion_main};
use fluent_uri::pct_enc::{EStr, encoder::Query};
use pct_crate::PctStr;
use percent_encoding::percent_decode;
use simdpct::{Decoder, Level, reference};
use simdpct_benches::contest::OURS;
use simdpct_benches::{Contest, Corpus, corpora, generated, peers};

const BLOCK: usize = 64 << 10;
const STRICT: Decoder = Decoder::new();

/// Decodes to bytes; the target is a share of this speed.
fn to_bytes(level: Level) -> String {
    format!("{OURS} to bytes, {level}")
}

fn lossy(criterion: &mut Criterion) {
    let mut contest = Contest::new(criterion, "utf8 lossy, 64 KiB");
    for text in corpora() {
        let expected = |input: &'static [u8]| {
            reference::decode_utf8_replacing(&peers::LENIENT, input, "\u{FFFD}").unwrap_or_default().into_bytes()
        };
        contest.on(&text.name, text.blocks(BLOCK), expected);
        contest.returns("percent-encoding", |input| percent_decode(input).decode_utf8_lossy());
        contest.returns_from_text("url-escape", |input| url_escape::decode(input));
        for level in Level::available() {
            let decoder = peers::LENIENT.level(level);
            contest.returns(peers::ours(level), |input| decoder.decode_utf8_lossy(input));
        }
        contest.on(&text.name, text.blocks(BLOCK), peers::decoded);
        for level in Level::available() {
            let decoder = peers::LENIENT.level(level);
            contest.returns(to_bytes(level), |input| decoder.decode(input));
        }
    }
}

fn strict(criterion: &mut Criterion) {
    let well_formed: Vec<Corpus> =
        corpora().iter().map(|corpus| corpus.filtered(|line| STRICT.decode_utf8(line).is_ok())).collect();
    let generated = corpora::DENSITIES.map(|per_mille| generated(per_mille, corpora::triplet));

    let mut contest = Contest::new(criterion, "utf8 strict, 64 KiB");
    for text in well_formed.iter().chain(&generated) {
        strict_on(&mut contest, &text.name, text.blocks(BLOCK));
    }
    drop(contest);

    let mut contest = Contest::new(criterion, "utf8 strict, lines");
    for text in &well_formed {
        strict_on(&mut contest, &text.name, text.lines());
    }
}

fn strict_on(contest: &mut Contest<'_>, text: &str, inputs: Vec<&'static [u8]>) {
    contest.on(text, inputs, peers::decoded);
    contest.bound("simdutf8", |input| simdutf8::basic::from_utf8(input).is_ok());
    contest.returns("percent-encoding", |input| percent_decode(input).decode_utf8());
    contest.returns_from_text("urlencoding", urlencoding::decode);
    contest.returns("pct", |input| PctStr::new(input).map(PctStr::decode));
    contest.returns_from_text("fluent-uri", |input| EStr::<Query>::new(input).map(|text| text.decode().to_string()));
    for level in Level::available() {
        let decoder = STRICT.level(level);
        contest.returns(peers::ours(level), |input| decoder.decode_utf8(input));
        contest.returns(to_bytes(level), |input| decoder.decode(input));
    }
}

criterion_group! { name = benches; config = simdpct_benches::for_long_texts(); targets = lossy, strict }
criterion_main!(benches);
