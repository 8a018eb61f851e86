//! Parsing and serializing the queries of real URLs as forms, against the peers: to and from pairs
//! of text, and to and from a `Vec` of pairs.

use std::borrow::Cow;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use simdpct::{Level, form};
use simdpct_benches::peers::{self, on_each_level};
use simdpct_benches::{Contest, corpora};

type Pairs<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

/// The queries with pairs in a corpus's URLs.
fn queries(text: &'static [u8]) -> Vec<&'static [u8]> {
    let query = |part: &'static [u8]| {
        let end = part.iter().position(|byte| b"#\"' <>?".contains(byte) || byte.is_ascii_control());
        &part[..end.unwrap_or(part.len())]
    };
    text.split(|&byte| byte == b'?').skip(1).map(query).filter(|query| query.contains(&b'=')).collect()
}

/// The queries of each corpus that has queries.
fn forms() -> Vec<(String, Vec<&'static [u8]>)> {
    let forms = corpora().into_iter().map(|corpus| (corpus.name, queries(corpus.text)));
    forms.filter(|(_, queries)| queries.len() >= 20).collect()
}

/// Inlined into each contestant: a call would pass the iterator through memory.
#[inline(always)]
fn parse_all<'a>(pairs: impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)>) {
    for (name, value) in pairs {
        black_box((&*name, &*value));
    }
}

fn parse(criterion: &mut Criterion) {
    let mut contest = Contest::new(criterion, "form parse");
    for (name, queries) in forms() {
        contest.on(&name, queries.clone(), |_| Vec::new());
        if queries.iter().all(|query| form_urlencoded::parse(query).eq(form::parse_lossy(query))) {
            contest.bound("form_urlencoded", |query| parse_all(form_urlencoded::parse(query)));
        } else {
            contest.leave_out("form_urlencoded", "its pairs differ");
        }
        on_each_level!(LEVEL => {
            assert!(queries.iter().all(|query| form::parse_lossy(query).level(LEVEL).eq(form::parse_lossy(query))));
            contest.bound(&peers::ours(LEVEL), |query| parse_all(form::parse_lossy(query).level(LEVEL)));
        });
    }
}

fn serialize(criterion: &mut Criterion) {
    let mut contest = Contest::new(criterion, "form serialize");
    for (name, queries) in forms() {
        let forms: Vec<Pairs<'_>> = queries.iter().map(|query| form::parse_lossy(query).collect()).collect();
        let by_form_urlencoded =
            |pairs: &Pairs<'_>| form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        contest.on(&name, queries.clone(), |_| Vec::new());
        contest.times("form_urlencoded", || {
            for pairs in &forms {
                black_box(&*by_form_urlencoded(black_box(pairs)));
            }
        });
        on_each_level!(LEVEL => {
            let by_ours = |pairs: &Pairs<'_>| {
                let mut serializer = form::Serializer::new(String::new()).level(LEVEL);
                serializer.extend_pairs(pairs);
                serializer.finish()
            };
            assert!(forms.iter().all(|pairs| by_ours(pairs) == by_form_urlencoded(pairs)));
            contest.times(peers::ours(LEVEL), || {
                for pairs in &forms {
                    black_box(&*by_ours(black_box(pairs)));
                }
            });
        });
    }
}

/// To and from a `Vec` of pairs with serde, which uses the active level.
fn serde(criterion: &mut Criterion) {
    type Owned = Vec<(String, String)>;

    // Our parser is strict and the peer is lossy, so only queries on which they agree are used.
    let agree = |query: &&[u8]| {
        let ours: Option<Owned> = form::from_bytes(query).ok();
        ours.is_some() && ours == serde_urlencoded::from_bytes(query).ok()
    };
    let forms =
        forms().into_iter().map(|(name, queries)| (name, queries.into_iter().filter(agree).collect::<Vec<_>>()));
    let forms: Vec<_> = forms.filter(|(_, queries)| !queries.is_empty()).collect();

    let mut contest = Contest::new(criterion, "form parse, serde");
    for (name, queries) in &forms {
        contest.on(name, queries.clone(), |_| Vec::new());
        contest.bound("serde_urlencoded", serde_urlencoded::from_bytes::<Owned>);
        contest.bound(&peers::ours(Level::active()), form::from_bytes::<Owned>);
    }
    drop(contest);

    let mut contest = Contest::new(criterion, "form serialize, serde");
    for (name, queries) in &forms {
        let all: Vec<Owned> = queries.iter().filter_map(|query| form::from_bytes(query).ok()).collect();
        assert!(all.iter().all(|pairs| form::to_string(pairs).ok() == serde_urlencoded::to_string(pairs).ok()));
        contest.on(name, queries.clone(), |_| Vec::new());
        contest.times("serde_urlencoded", || {
            for pairs in &all {
                black_box(&serde_urlencoded::to_string(black_box(pairs)));
            }
        });
        contest.times(peers::ours(Level::active()), || {
            for pairs in &all {
                black_box(&form::to_string(black_box(pairs)));
            }
        });
    }
}

criterion_group! { name = benches; config = simdpct_benches::for_long_texts(); targets = parse, serialize, serde }
criterion_main!(benches);
