//! Times small programs that use url, percent-encoding, form_urlencoded, serde_urlencoded and
//! urlencoding as their users do. `drop-in/bench` builds it twice, with the originals and
//! with the drop-ins, and runs both in turns.
//!
//! Prints a line for each program and text: the program, the text, the nanoseconds per item, and a
//! hash of the output. The script compares the hashes of the builds.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode, percent_decode_str, utf8_percent_encode};
use serde::Deserialize;
use url::Url;

/// Number of items of a text to use: more than a branch predictor learns.
const ITEMS: usize = 4000;

/// The minimum time of several passes over all items.
const TIME: Duration = Duration::from_millis(30);

const TEXTS: [&str; 4] = ["access.log", "typical_urls.txt", "resource_urls.txt", "nonlatin_urls.txt"];

/// WHATWG URL's path percent-encode set.
const PATH: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'?').add(b'^').add(b'`').add(b'{').add(b'}');

/// The unreserved characters stay.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (folder, times) = (arguments.next().expect("usage: programs FOLDER [PROGRAM]"), arguments.next());
    for name in TEXTS {
        let text = std::fs::read(Path::new(&folder).join(name)).expect("a text of the corpora");
        let contest = Contest { text: name, only: times.clone() };
        contest.run(&urls(&String::from_utf8_lossy(&text)));
    }
}

/// The URLs of a text: its lines, or the targets of a log's requests.
fn urls(text: &str) -> Vec<Url> {
    let of_line = |line: &str| match line.split('"').nth(1) {
        Some(request) => Url::parse(&format!("http://example.org{}", request.split(' ').nth(1)?)).ok(),
        None => Url::parse(line).ok(),
    };
    let all: Vec<Url> = text.lines().filter_map(of_line).collect();
    let step = (all.len() / ITEMS).max(1);
    all.into_iter().step_by(step).take(ITEMS).collect()
}

struct Contest {
    text: &'static str,
    only: Option<String>,
}

impl Contest {
    /// Times a program on each item.
    fn time<'a, T>(&self, program: &str, items: &'a [T], work: impl Fn(&'a T) -> u64) {
        if items.len() < 20 || self.only.as_ref().is_some_and(|only| only != program) {
            return;
        }
        let mut hasher = DefaultHasher::new();
        items.iter().for_each(|item| work(item).hash(&mut hasher));
        let mut best = Duration::MAX;
        let start = Instant::now();
        while start.elapsed() < TIME {
            let pass = Instant::now();
            items.iter().for_each(|item| {
                black_box(work(black_box(item)));
            });
            best = best.min(pass.elapsed());
        }
        let nanoseconds = best.as_nanos() as f64 / items.len() as f64;
        println!("{program}\t{}\t{nanoseconds:.1}\t{:x}", self.text, hasher.finish());
    }

    fn run(&self, urls: &[Url]) {
        self.parse(urls);
        self.forms(urls);
        self.encode(urls);
        self.decode(urls);
    }

    fn parse(&self, urls: &[Url]) {
        // Texts as a person types them, with characters that a URL does not have.
        let texts: Vec<String> =
            urls.iter().map(|url| percent_decode_str(url.as_str()).decode_utf8_lossy().into_owned()).collect();
        let typed: Vec<&str> = texts.iter().map(String::as_str).filter(|text| Url::parse(text).is_ok()).collect();
        let serialized: Vec<&str> = urls.iter().map(Url::as_str).collect();
        let length = |text: &&str| Url::parse(text).map_or(0, |url| url.as_str().len() as u64);
        self.time("Url::parse", &serialized, length);
        self.time("Url::parse, of decoded text", &typed, length);
        self.time("Url::parse, decoded pairs and segments", &serialized, |text| {
            let Ok(url) = Url::parse(text) else { return 0 };
            let mut length = 0;
            for segment in url.path_segments().into_iter().flatten() {
                length += percent_decode_str(segment).decode_utf8_lossy().len();
            }
            for (name, value) in url.query_pairs() {
                length += name.len() + value.len();
            }
            length as u64
        });
    }

    fn forms(&self, urls: &[Url]) {
        let with_query: Vec<&Url> =
            urls.iter().filter(|url| url.query().is_some_and(|query| query.contains('='))).collect();
        self.time("for pair in query_pairs", &with_query, |url| {
            let mut length = 0;
            for (name, value) in url.query_pairs() {
                length += name.len() + value.len();
            }
            length as u64
        });
        self.time("query_pairs, into_owned, collect to HashMap", &with_query, |url| {
            url.query_pairs().into_owned().collect::<HashMap<_, _>>().len() as u64
        });
        let pairs: Vec<Vec<(String, String)>> =
            with_query.iter().map(|url| url.query_pairs().into_owned().collect()).collect();
        self.time("Serializer::append_pair", &pairs, |pairs| {
            let mut serializer = form_urlencoded::Serializer::new(String::new());
            for (name, value) in pairs {
                serializer.append_pair(name, value);
            }
            hash(&serializer.finish())
        });
        self.time("byte_serialize, collect", &pairs, |pairs| {
            pairs
                .iter()
                .map(|(_, value)| form_urlencoded::byte_serialize(value.as_bytes()).collect::<String>().len() as u64)
                .sum()
        });
        self.time("query_pairs_mut, append_pair", &with_query[..with_query.len().min(500)], |url| {
            let mut url = (*url).clone();
            url.query_pairs_mut().append_pair("utm source", "a&b").append_pair("page", "2");
            url.as_str().len() as u64
        });

        // Forms that both parsers accept; ours is strict.
        let queries: Vec<&str> =
            with_query.iter().filter_map(|url| url.query()).filter(|query| is_strict(query)).collect();
        self.time("serde_urlencoded, Vec of pairs", &queries, |query| {
            serde_urlencoded::from_str::<Vec<(String, String)>>(query).map_or(0, |pairs| pairs.len() as u64)
        });
        self.time("serde_urlencoded, struct", &queries, |query| {
            serde_urlencoded::from_str::<Page>(query).map_or(0, |page| page.length())
        });
        self.time("form::from_str for serde_urlencoded, Vec of pairs", &queries, |query| {
            from_str::<Vec<(String, String)>>(query).map_or(0, |pairs| pairs.len() as u64)
        });
        self.time("form::from_str for serde_urlencoded, struct", &queries, |query| {
            from_str::<Page>(query).map_or(0, |page| page.length())
        });
        self.time("form::from_str for serde_urlencoded, HashMap", &queries, |query| {
            from_str::<HashMap<String, String>>(query).map_or(0, |map| map.len() as u64)
        });
    }

    fn encode(&self, urls: &[Url]) {
        let paths: Vec<String> = urls.iter().map(|url| decoded(url.path())).collect();
        self.time("encode, to_string", &paths, |path| hash(&utf8_percent_encode(path, PATH).to_string()));
        self.time("encode, format!", &paths, |path| hash(&format!("{}", utf8_percent_encode(path, PATH))));
        self.time("encode, collect", &paths, |path| hash(&utf8_percent_encode(path, PATH).collect::<String>()));
        self.time("encode, Cow", &paths, |path| {
            let text: std::borrow::Cow<'_, str> = utf8_percent_encode(path, PATH).into();
            hash(&text)
        });
        self.time("encode, for piece", &paths, |path| {
            let mut length = 0;
            for piece in utf8_percent_encode(path, PATH) {
                length += piece.len();
            }
            length as u64
        });
        let segments: Vec<String> = segments(urls).into_iter().map(decoded).collect();
        self.time("encode of a segment, to_string", &segments, |segment| {
            hash(&utf8_percent_encode(segment, COMPONENT).to_string())
        });
        self.time("encode of a segment, format!", &segments, |segment| {
            hash(&format!("/{}", utf8_percent_encode(segment, COMPONENT)))
        });
        self.time("urlencoding::encode", &segments, |segment| hash(&urlencoding::encode(segment)));
        self.time("urlencoding::Encoded, format!", &segments, |segment| {
            hash(&format!("/{}", urlencoding::Encoded(segment)))
        });
        #[cfg(feature = "object_store")]
        self.time("object_store::Path::from", &paths, |path| {
            object_store::path::Path::from(path.as_str()).as_ref().len() as u64
        });
    }

    fn decode(&self, urls: &[Url]) {
        let segments = segments(urls);
        // axum does this with a parameter of a path.
        self.time("decode_utf8 of a path parameter", &segments, |segment| {
            let text = percent_decode(segment.as_bytes()).decode_utf8();
            text.map_or(0, |text| std::sync::Arc::<str>::from(&*text).len() as u64)
        });
        let paths: Vec<&str> = urls.iter().map(Url::path).collect();
        self.time("decode_utf8_lossy", &paths, |path| percent_decode_str(path).decode_utf8_lossy().len() as u64);
        self.time("decode, Cow", &paths, |path| std::borrow::Cow::<[u8]>::from(percent_decode_str(path)).len() as u64);
        self.time("decode, collect (byte by byte)", &paths, |path| {
            percent_decode_str(path).collect::<Vec<u8>>().len() as u64
        });
        self.time("urlencoding::decode", &segments, |segment| {
            urlencoding::decode(segment).map_or(0, |text| text.len() as u64)
        });
        #[cfg(feature = "object_store")]
        self.time("object_store::Path::from_url_path", &paths, |path| {
            object_store::path::Path::from_url_path(path).map_or(0, |path| path.as_ref().len() as u64)
        });
    }
}

#[derive(Deserialize)]
struct Page {
    id: Option<String>,
    title: Option<String>,
    q: Option<String>,
    page: Option<String>,
    lang: Option<String>,
    v: Option<String>,
}

impl Page {
    fn length(&self) -> u64 {
        let fields = [&self.id, &self.title, &self.q, &self.page, &self.lang, &self.v];
        fields.into_iter().flatten().map(|field| field.len() as u64).sum()
    }
}

/// Whether strict and lossy parsers agree on a form, into each of the types here.
fn is_strict(query: &str) -> bool {
    let mut names = std::collections::HashSet::new();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.all(|(name, value)| {
        !name.contains(['%', '\u{FFFD}'])
            && !value.contains(['%', '\u{FFFD}'])
            && !value.is_empty()
            && names.insert(name)
    })
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn segments(urls: &[Url]) -> Vec<&str> {
    let all = urls.iter().filter_map(Url::path_segments).flatten();
    all.filter(|segment| !segment.is_empty()).take(ITEMS).collect()
}

/// A hash of the length and both ends, too cheap to affect the time.
fn hash(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let ends = bytes.first().zip(bytes.last()).map_or(0, |(&first, &last)| u64::from(first) << 8 | u64::from(last));
    (bytes.len() as u64) << 16 | ends
}

#[cfg(not(feature = "patched"))]
fn from_str<'a, T: Deserialize<'a>>(form: &'a str) -> Result<T, serde_urlencoded::de::Error> {
    serde_urlencoded::from_str(form)
}

#[cfg(feature = "patched")]
fn from_str<'a, T: Deserialize<'a>>(form: &'a str) -> Result<T, simdpct::form::Error> {
    simdpct::form::from_str(form)
}
