//! Layout of the explanation: labels, texts and colours.
#![forbid(unsafe_code)]

use std::fmt::{Display, Write as _};

use clap::builder::styling::{AnsiColor, Style};

use super::marks::{Finding, IllegalBytes, Mark, marks};
use crate::operation::words;
use crate::text::shown;

/// Column of the texts, unless a label is longer.
const TEXT: usize = 12;

const LABEL: Style = Style::new().bold();

pub(super) struct Table {
    is_coloured: bool,
    text: String,
}

fn style(mark: Mark) -> Style {
    match mark {
        Mark::Triplet => AnsiColor::Cyan.on_default(),
        Mark::Notice => AnsiColor::Yellow.on_default(),
        Mark::Danger => AnsiColor::Red.on_default().bold(),
    }
}

impl Table {
    pub(super) fn new(is_coloured: bool) -> Self {
        Self { is_coloured, text: String::new() }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// A row: a label, indented by this number of steps, and a text with its marks.
    pub(super) fn row(&mut self, depth: usize, label: &str, text: &[u8], raw: IllegalBytes) {
        let text = self.marked(text, raw);
        self.plain_row(depth, label, &text);
    }

    /// A row with a message.
    pub(super) fn note(&mut self, label: &str, message: &str) {
        self.plain_row(0, label, &shown::line(message));
    }

    pub(super) fn heading(&mut self, heading: &str) {
        let heading = self.painted(LABEL, heading);
        // Writing to a String does not fail.
        let _ = writeln!(self.text, "\n{heading}");
    }

    /// A finding: the component, the column in the URL, the text and its kinds.
    pub(super) fn finding(&mut self, component: &str, finding: &Finding, text: Option<&[u8]>) {
        let column = finding.range.start + 1;
        let words = finding.kinds.iter().map(words).collect::<Vec<_>>().join("; ");
        let text = self.marked(text.unwrap_or_default(), IllegalBytes::Report);
        self.plain_row(1, component, &format!("{text} at column {column}: {words}"));
    }

    /// What each group of readers makes of a part.
    pub(super) fn readings(&mut self, part: &str, readings: &[(String, String)]) {
        let width = readings.iter().map(|(names, _)| names.chars().count()).max().unwrap_or(0);
        for (at, (names, reading)) in readings.iter().enumerate() {
            self.plain_row(1, if at == 0 { part } else { "" }, &format!("{names:width$}  {reading}"));
        }
    }

    fn plain_row(&mut self, depth: usize, label: &str, text: &str) {
        let indent = 2 * depth;
        let padding = TEXT.saturating_sub(indent + label.chars().count()).max(1);
        let label = if depth == 0 { self.painted(LABEL, label) } else { label.to_owned() };
        let row = format!("{:indent$}{label}{:padding$}{text}", "", "");
        self.text.push_str(row.trim_end());
        self.text.push('\n');
    }

    /// The text on one line, with its marks in colour.
    fn marked(&self, text: &[u8], raw: IllegalBytes) -> String {
        let mut marked = String::new();
        let mut done = 0;
        for (range, mark) in marks(text, raw) {
            marked += &shown::excerpt(&text[done..range.start]);
            marked += &self.painted(style(mark), shown::excerpt(&text[range.clone()]));
            done = range.end;
        }
        marked + &shown::excerpt(&text[done..])
    }

    fn painted(&self, style: Style, text: impl Display) -> String {
        if self.is_coloured { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}
