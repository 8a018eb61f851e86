//! `pct explain`: the components of a URL, its layers of encoding, findings, and how programs read it.
#![forbid(unsafe_code)]

mod browser;
mod marks;
mod readers;
mod table;

use std::borrow::Cow;
use std::env;
use std::io::{self, BufRead, BufReader, IsTerminal};

use simdpct::Decoder;
use simdpct::uri::{self, Authority, Parts, UrlNormalizer};

use super::stdout;
use crate::cli::{ExplainArguments, When};
use crate::error::{Error, Status};
use crate::source::standard;
use crate::text::shown;
use marks::Raw;
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
    let Parts { scheme, authority, path, query, fragment } = uri::split(url);
    let mut findings = Vec::new();
    let mut at = 0;
    let mut component = |table: &mut Table, name: &'static str, text: &[u8], before: usize| {
        at += before;
        findings.extend(marks::findings(text).into_iter().map(|finding| (name, at, finding)));
        table.row(0, name, text, Raw::IsFinding);
        at += text.len();
    };
    if let Some(scheme) = scheme {
        component(&mut table, "scheme", scheme, 0);
    }
    // Delimiters between the preceding component and the next.
    let mut before = usize::from(scheme.is_some());
    if let Some(authority) = authority {
        before += 2;
        // An authority of ill-formed UTF-8 is shown as a whole.
        let split = str::from_utf8(authority).map(uri::split_authority);
        let Authority { userinfo, host, port } = split.unwrap_or_default();
        if let Some(userinfo) = userinfo {
            component(&mut table, "userinfo", userinfo.as_bytes(), before);
            layers(&mut table, userinfo.as_bytes(), Decoder::new().lenient());
            before = 1;
        }
        match split {
            Ok(_) => component(&mut table, "host", host.as_bytes(), before),
            Err(_) => component(&mut table, "authority", authority, before),
        }
        before = 0;
        layers(&mut table, host.as_bytes(), Decoder::new().lenient());
        other_host(&mut table, host);
        if let Some(port) = port {
            component(&mut table, "port", port.as_bytes(), 1);
        }
    }
    component(&mut table, "path", path, before);
    layers(&mut table, path, Decoder::new().lenient());
    if let Some(query) = query {
        component(&mut table, "query", query, 1);
        pairs(&mut table, query);
    }
    if let Some(fragment) = fragment {
        component(&mut table, "fragment", fragment, 1);
        layers(&mut table, fragment, Decoder::new().lenient());
    }
    normal(&mut table, url);
    if !findings.is_empty() {
        table.heading("findings");
        for (name, at, finding) in findings {
            table.finding(name, at + finding.range.start + 1, &finding, url.get(finding_range(at, &finding)));
        }
    }
    readers::append(&mut table, url);
    table.into_text()
}

fn finding_range(at: usize, finding: &marks::Finding) -> std::ops::Range<usize> {
    at + finding.range.start..at + finding.range.end
}

/// The maximum number of layers, as for `decode --times`.
const MOST: usize = 16;

/// A row for each time that the text can be decoded. A malformed `%` is kept.
fn layers(table: &mut Table, text: &[u8], decoder: Decoder) {
    let mut text = Cow::Borrowed(text);
    for times in 1..=MOST {
        // In a form, only the first layer has '+' for a space.
        let decoder = if times == 1 { decoder } else { Decoder::new().lenient() };
        let Ok(decoded) = decoder.decode(&*text) else { return };
        if decoded == text {
            return;
        }
        text = Cow::Owned(decoded.into_owned());
        let label = match times {
            1 => "decoded".to_owned(),
            2 => "twice".to_owned(),
            _ => format!("{times} times"),
        };
        table.row(1, &label, &text, Raw::IsText);
    }
}

/// The pairs of a query, decoded as a form; without a `=`, the query as a text.
fn pairs(table: &mut Table, query: &[u8]) {
    const FORM: Decoder = Decoder::new().lenient().plus_for_space();
    if !query.contains(&b'=') {
        return layers(table, query, FORM);
    }
    for pair in query.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty()) {
        let (name, value) = split_pair(pair);
        let name = FORM.decode(name).unwrap_or_default();
        let value = FORM.decode(value).unwrap_or_default();
        table.row(1, &shown::excerpt(&name), &value, Raw::IsText);
        let mut text = value;
        for times in 2..=MOST {
            let Ok(decoded) = Decoder::new().lenient().decode(&*text) else { break };
            if decoded == text {
                break;
            }
            text = Cow::Owned(decoded.into_owned());
            table.row(2, &if times == 2 { "twice".to_owned() } else { format!("{times} times") }, &text, Raw::IsText);
        }
    }
}

fn split_pair(pair: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b'=', pair) {
        Some(at) => (&pair[..at], &pair[at + 1..]),
        None => (pair, b""),
    }
}

/// The other spelling of an internationalised host name.
fn other_host(table: &mut Table, host: &str) {
    let Ok(host) = Decoder::new().lenient().decode_utf8(host) else { return };
    let (unicode, result) = idna::domain_to_unicode(&host);
    if result.is_ok() && host.to_ascii_lowercase().contains("xn--") && unicode != *host {
        table.row(1, "unicode", unicode.as_bytes(), Raw::IsText);
    }
    if !host.is_ascii()
        && let Ok(ascii) = idna::domain_to_ascii(&host)
    {
        table.row(1, "ascii", ascii.as_bytes(), Raw::IsText);
    }
}

/// The normal form, as `pct normalize --url` writes it.
fn normal(table: &mut Table, url: &[u8]) {
    match UrlNormalizer::new().normalize(url) {
        Err(error) => table.note("normal", &format!("none: {} at column {}", error.kind, error.position + 1)),
        Ok(normal) => table.row(0, "normal", &normal, Raw::IsText),
    }
}
