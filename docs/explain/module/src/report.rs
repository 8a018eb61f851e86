//! The explanation as JSON: `whole`, `parts`, `findings` and `policies`.
//!
//! A text is an array of its pieces, and a piece is its mark (`text`, `triplet`, `notice` or
//! `danger`) and its characters.
#![forbid(unsafe_code)]

use std::ops::Range;

use crate::json::{array, object, string};
use crate::marks::{self, IllegalBytes, Mark};
use crate::parts::{self, Located, Rows};
use crate::policies;
use crate::text::shown;
use crate::words::words;

/// The explanation of a URL.
pub(super) fn report(url: &[u8]) -> String {
    let mut parts = Parts { url, whole: Vec::new(), done: 0, rows: Vec::new() };
    let findings = parts::explain(url, &mut parts);
    parts.delimiters(url.len());
    object([
        ("whole", array(parts.whole)),
        ("parts", array(parts.rows)),
        ("findings", array(findings.iter().map(|found| finding(url, found)))),
        ("policies", policies::report(url)),
    ])
}

/// A text with its marks.
pub(super) fn text(text: &[u8], raw: IllegalBytes) -> String {
    array(pieces(text, raw))
}

fn pieces(text: &[u8], raw: IllegalBytes) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut done = 0;
    let mut add = |range: Range<usize>, mark: &str| {
        if !range.is_empty() {
            pieces.push(piece(mark, &text[range]));
        }
    };
    for (range, mark) in marks::marks(text, raw) {
        add(done..range.start, "text");
        done = range.end;
        add(range, name(mark));
    }
    add(done..text.len(), "text");
    pieces
}

fn piece(mark: &str, text: &[u8]) -> String {
    array([string(mark), string(&shown::excerpt(text))])
}

fn name(mark: Mark) -> &'static str {
    match mark {
        Mark::Triplet => "triplet",
        Mark::Notice => "notice",
        Mark::Danger => "danger",
    }
}

/// Start and end are offsets in the URL, in bytes.
fn finding(url: &[u8], Located { component, finding }: &Located) -> String {
    let found = url.get(finding.range.clone()).unwrap_or_default();
    object([
        ("component", string(component)),
        ("start", finding.range.start.to_string()),
        ("end", finding.range.end.to_string()),
        ("mark", string(name(marks::mark(finding.kinds)))),
        ("text", text(found, IllegalBytes::Report)),
        ("names", array(finding.kinds.names().map(string))),
        ("words", array(finding.kinds.iter().map(|kind| string(words(kind))))),
    ])
}

/// The rows, as JSON, and the pieces of the whole URL.
struct Parts<'a> {
    url: &'a [u8],
    whole: Vec<String>,
    /// The length of the pieces.
    done: usize,
    rows: Vec<String>,
}

impl Parts<'_> {
    /// Adds the delimiters up to the next component.
    fn delimiters(&mut self, end: usize) {
        if self.done < end {
            self.whole.push(piece("delimiter", &self.url[self.done..end]));
        }
    }

    fn row(&mut self, depth: usize, label: &str, text: String) {
        self.rows.push(object([("depth", depth.to_string()), ("label", string(label)), ("text", text)]));
    }
}

impl Rows for Parts<'_> {
    fn component(&mut self, name: &str, start: usize, text: &[u8]) {
        self.delimiters(start);
        self.done = start + text.len();
        let pieces = pieces(text, IllegalBytes::Report);
        self.whole.extend(pieces.iter().cloned());
        self.row(0, name, array(pieces));
    }

    fn layer(&mut self, depth: usize, label: &str, text: &[u8]) {
        self.row(depth, label, self::text(text, IllegalBytes::Ignore));
    }

    /// Other spellings of a host need the tables of Unicode, which are larger than the page.
    fn host(&mut self, _: &str) {}
}
