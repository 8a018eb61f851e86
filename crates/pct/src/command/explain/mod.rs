//! `pct explain`: the components of a URL, its layers of encoding, findings, and how programs read
//! it.
#![forbid(unsafe_code)]

mod browser;
mod marks;
mod parts;
mod readers;
mod table;

use std::env;
use std::io::{self, BufRead, BufReader, IsTerminal};

use simdpct::Decoder;
use simdpct::uri::UrlNormalizer;

use super::stdout;
use crate::cli::{ExplainArguments, When};
use crate::error::{Error, Status};
use crate::source::standard;
use marks::IllegalBytes;
use parts::{Located, Rows};
use table::Table;

pub(crate) fn explain(arguments: &ExplainArguments) -> Result<Status, Error> {
    let is_coloured = is_coloured(arguments.color);
    let mut is_first = true;
    let mut write = |url: &[u8]| {
        let gap = if std::mem::take(&mut is_first) { "" } else { "\n" };
        stdout::write(format!("{gap}{}", text(url, is_coloured)).as_bytes())
    };
    if !arguments.urls.is_empty() {
        arguments.urls.iter().try_for_each(|url| write(url.as_encoded_bytes()))?;
        return Ok(Status::Success);
    }
    for line in BufReader::new(standard::Input::new()).split(b'\n') {
        let line = line.map_err(|error| Error::Input("<stdin>".into(), error))?;
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        if !line.is_empty() {
            write(line)?;
        }
    }
    Ok(Status::Success)
}

/// See <https://no-color.org>.
fn is_coloured(when: When) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
            io::stdout().is_terminal() && !is_set("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// The explanation of a URL.
fn text(url: &[u8], is_coloured: bool) -> String {
    let mut table = Table::new(is_coloured);
    let findings = parts::explain(url, &mut table);
    normal(&mut table, url);
    if !findings.is_empty() {
        table.heading("findings");
        for Located { component, finding } in findings {
            table.finding(component, &finding, url.get(finding.range.clone()));
        }
    }
    readers::append(&mut table, url);
    table.into_text()
}

impl Rows for Table {
    fn component(&mut self, name: &str, _: usize, text: &[u8]) {
        self.row(0, name, text, IllegalBytes::Report);
    }

    fn layer(&mut self, depth: usize, label: &str, text: &[u8]) {
        self.row(depth, label, text, IllegalBytes::Ignore);
    }

    fn host(&mut self, host: &str) {
        other_host(self, host);
    }
}

/// The other spelling of an internationalised host name.
fn other_host(table: &mut Table, host: &str) {
    let Ok(host) = Decoder::new().lenient().decode_utf8(host) else { return };
    let (unicode, result) = idna::domain_to_unicode(&host);
    if result.is_ok() && host.to_ascii_lowercase().contains("xn--") && unicode != *host {
        table.row(1, "unicode", unicode.as_bytes(), IllegalBytes::Ignore);
    }
    if !host.is_ascii()
        && let Ok(ascii) = idna::domain_to_ascii(&host)
    {
        table.row(1, "ascii", ascii.as_bytes(), IllegalBytes::Ignore);
    }
}

/// The normal form, as `pct normalize --url` writes it.
fn normal(table: &mut Table, url: &[u8]) {
    match UrlNormalizer::new().normalize(url) {
        Err(error) => table.note("normal", &format!("none: {} at column {}", error.kind, error.position + 1)),
        Ok(normal) => table.row(0, "normal", &normal, IllegalBytes::Ignore),
    }
}
