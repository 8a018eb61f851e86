//! How programs read a URL: rows for what they disagree about.
#![forbid(unsafe_code)]

use simdpct::path::PathPolicy;
use simdpct::{Decoder, uri};

use super::browser;
use super::parts::split_pair;
use super::table::Table;
use crate::codec::{Decoding, Dialect};
use crate::text::shown;

/// A reader's name and what it makes of a part.
type Reading = (&'static str, String);

/// Adds what the readers make of host, path and each pair of the query, where they disagree with
/// each other.
pub(super) fn append(table: &mut Table, url: &[u8]) {
    let parts = uri::split(url);
    let mut sections = Vec::new();
    if has_path_for_servers(&parts) {
        let request = browser::request(url);
        // Without a path, clients send "/".
        let path = if parts.path.is_empty() { b"/" } else { parts.path };
        if let (Some(authority), Some(host)) =
            (parts.authority.and_then(|text| str::from_utf8(text).ok()), &request.host)
        {
            let readings = vec![
                ("RFC 3986", shown::excerpt(uri::split_authority(authority).host.as_bytes())),
                ("browsers", shown::excerpt(host)),
            ];
            sections.push(("host".to_owned(), readings));
        }
        let readings = vec![
            ("browsers", shown::excerpt(&request.path)),
            ("nginx", nginx(path)),
            ("Java", by_dialect(Dialect::Java, false, path)),
            ("Python", by_dialect(Dialect::Python, false, path)),
        ];
        sections.push(("path".to_owned(), readings));
    }
    for pair in parts.query.unwrap_or_default().split(|&byte| byte == b'&').filter(|pair| pair.contains(&b'=')) {
        let (name, value) = split_pair(pair);
        let name = Decoder::new().lenient().plus_for_space().decode(name).unwrap_or_default();
        let readings = vec![
            ("browsers", by_dialect(Dialect::Form, true, value)),
            ("nginx", shown::excerpt(value)),
            ("Java", by_dialect(Dialect::Java, true, value)),
            // `parse_qs` is `unquote_plus`.
            ("Python", by_dialect(Dialect::Python, true, value)),
        ];
        sections.push((shown::excerpt(&name), readings));
    }
    sections.retain(|(_, readings)| readings.iter().any(|(_, reading)| *reading != readings[0].1));
    if sections.is_empty() {
        return;
    }
    table.heading("readers");
    for (part, readings) in sections {
        table.readings(&part, &joined(readings));
    }
}

/// A request target, or a URL with an authority.
fn has_path_for_servers(parts: &uri::Parts<&[u8]>) -> bool {
    parts.authority.is_some() || (parts.scheme.is_none() && parts.path.starts_with(b"/"))
}

/// Joins the names of the readers that read the same.
fn joined(readings: Vec<Reading>) -> Vec<(String, String)> {
    let mut joined: Vec<(String, String)> = Vec::new();
    for (name, reading) in readings {
        match joined.iter_mut().find(|(_, same)| *same == reading) {
            Some((names, _)) => *names = format!("{names}, {name}"),
            None => joined.push((name.to_owned(), reading)),
        }
    }
    joined
}

/// `$uri`: the path decoded, without dot segments and repeated slashes.
fn nginx(path: &[u8]) -> String {
    let mut canonical = vec![0; PathPolicy::NGINX.output_len_bound(path)];
    match PathPolicy::NGINX.canonicalize_into(path, &mut canonical) {
        Ok(length) => shown::excerpt(&Decoder::new().lenient().decode(&canonical[..length]).unwrap_or_default()),
        Err(error) => format!("400 Bad Request: {}", error.kind),
    }
}

fn by_dialect(dialect: Dialect, is_form: bool, text: &[u8]) -> String {
    let mut rules = dialect.rules();
    rules.plus |= is_form;
    let mut decoded = Vec::new();
    match Decoding::new(&rules).decode_to(text, &mut decoded) {
        Ok(()) => shown::excerpt(&decoded),
        Err(error) => format!("error: {}", error.kind),
    }
}
