//! `pct get`: parts of a URL, of a request target or of a query.
//!
//! [`part`] has their names and [`template`] several of them, [`reading`] finds those that RFC 3986
//! names, [`domain`] the registrable domain, and [`output`] writes them as text, CSV or JSON.
#![forbid(unsafe_code)]

mod domain;
mod names;
mod output;
mod part;
mod reading;
mod template;

use std::borrow::Cow;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use simdpct::uri::{self, Part as UriPart};
use simdpct::{ByteSet, Decoder, form};

use super::{Count, Fault, FaultKind, Operation, Stream};
use names::Names;
pub(crate) use output::{PartsOutput, PartsShape};
pub(crate) use part::Part;
pub(crate) use reading::Reading;
use reading::{Components, Url, Whole};
pub(crate) use template::Template;

/// Whether some URL of a run had a part: shared by its operations.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartFound(Arc<AtomicBool>);

impl PartFound {
    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self) {
        // A store for each URL would move the cache line from core to core.
        if !self.get() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// How values are decoded.
pub(crate) struct ValueDecoding {
    /// For parts of forms.
    pub(crate) form: Box<dyn Operation>,
    /// For all others.
    pub(crate) plain: Box<dyn Operation>,
}

/// Rules for the values of parts.
pub(crate) struct ValueRules<'r> {
    pub(crate) reading: Reading,
    /// `None` leaves values as they are.
    pub(crate) decoding: Option<ValueDecoding>,
    /// Between several values.
    pub(crate) separator: &'r str,
    /// Bytes that a result must not contain; they are escaped in the separator, too.
    pub(crate) safe: ByteSet,
    /// Whether hosts and domains are written in Unicode.
    pub(crate) is_unicode_host: bool,
}

/// Writes parts of a URL. A part that the URL does not have is empty, or `null` in JSON.
pub(crate) struct Get {
    parts: Vec<Part>,
    output: PartsOutput,
    reading: Reading,
    decoding: Option<ValueDecoding>,
    separator: Vec<u8>,
    safe: ByteSet,
    is_unicode_host: bool,
    /// Whether the pairs of a query are asked for more than once.
    are_pairs_shared: bool,
    /// Whether the result is the values of a single part, and no more.
    is_alone: bool,
    /// Whether a part is noted as seen: one that every reference has only if there are no others.
    noted: Vec<bool>,
    seen: PartFound,
}

/// A pair of a query: its name and its value, as they are in the text.
type Pair<'u> = (&'u [u8], &'u [u8]);

impl Get {
    pub(crate) fn new(template: &Template, output: PartsOutput, rules: ValueRules<'_>, seen: PartFound) -> Self {
        let ValueRules { reading, decoding, separator, safe, is_unicode_host } = rules;
        let parts = template.parts().to_vec();
        let separator = output::escaped(separator.as_bytes(), safe);
        let are_pairs_shared = parts.iter().filter(|part| part.is_form_part()).count() > 1;
        let is_computed = |part: &Part| match part {
            Part::Domain => true,
            Part::Uri(UriPart::Host) => is_unicode_host,
            _ => false,
        };
        let is_alone = output.is_bare() && !parts.iter().any(is_computed);
        let are_in_all = parts.iter().all(Part::is_in_all);
        let noted = parts.iter().map(|part| are_in_all || !part.is_in_all()).collect();
        Self {
            parts,
            output,
            reading,
            decoding,
            separator,
            safe,
            is_unicode_host,
            are_pairs_shared,
            is_alone,
            noted,
            seen,
        }
    }

    /// Appends the values of a part. Returns whether there are any, and the first fault.
    #[inline]
    fn append_values<'u>(
        &self,
        part: &Part,
        url: &impl Components<'u>,
        pairs: Option<&[Pair<'u>]>,
        output: &mut Vec<u8>,
    ) -> (bool, Option<Fault>) {
        let decode = self.decoding.as_ref().map(|rules| if part.is_form_part() { &*rules.form } else { &*rules.plain });
        let mut fault = None;
        let mut is_first = true;
        let each = |value: &'u [u8]| {
            if !is_first {
                output.extend_from_slice(&self.separator);
            }
            is_first = false;
            let Some(decode) = decode else {
                output.extend_from_slice(value);
                return;
            };
            let position = value.as_ptr().addr() - url.text().as_ptr().addr();
            let found = decode.apply(value, output).map(|fault| fault.shifted_by(position));
            fault = Fault::first(fault, found);
        };
        let path = || url.part(UriPart::Path).unwrap_or_default();
        match part {
            Part::Uri(part) => url.part(*part).into_iter().for_each(each),
            Part::Segment(number) => segment(path(), *number).into_iter().for_each(each),
            Part::Extension => uri::extension(path()).into_iter().for_each(each),
            Part::Keys | Part::Key(_) | Part::Pair(_) => match pairs {
                Some(pairs) => self.each_of_form(part, url.text(), pairs.iter().copied(), each),
                None => self.each_of_form(part, url.text(), pairs_of(url), each),
            },
            // It is no part of the text.
            Part::Domain => {}
        }
        (!is_first, fault)
    }

    /// Calls `each` with every value of a part of a form, as it is in the text.
    #[inline]
    fn each_of_form<'u>(
        &self,
        part: &Part,
        url: &'u [u8],
        pairs: impl Iterator<Item = Pair<'u>>,
        mut each: impl FnMut(&'u [u8]),
    ) {
        match part {
            Part::Key(name) => {
                pairs.filter(|(key, _)| name.matches(&decoded(key))).for_each(|(_, value)| each(value));
            }
            Part::Pair(name) => {
                let matching = pairs.filter(|(key, _)| name.matches(&decoded(key)));
                matching.for_each(|(key, value)| each(whole_pair(url, key, value)));
            }
            _ => {
                let mut seen = Names::default();
                pairs.map(|(key, _)| key).filter(|key| seen.insert(self.comparable(key))).for_each(each);
            }
        }
    }

    /// A name as it is written, except bytes that stay escaped.
    fn comparable<'u>(&self, key: &'u [u8]) -> Cow<'u, [u8]> {
        if self.decoding.is_some() { decoded(key) } else { Cow::Borrowed(key) }
    }

    /// Appends a part, which may be computed. Returns whether the URL has it, and the first fault.
    fn append_part<'u>(
        &self,
        part: &Part,
        url: &Url<'u>,
        pairs: Option<&[Pair<'u>]>,
        output: &mut Vec<u8>,
    ) -> (bool, Option<Fault>) {
        if *part == Part::Domain {
            return (self.append_domain(url, output), None);
        }
        let start = output.len();
        let result = self.append_values(part, url, pairs, output);
        if self.is_unicode_host
            && *part == Part::Uri(UriPart::Host)
            && let Some(host) = domain::in_unicode(&output[start..])
        {
            output.truncate(start);
            output.extend(output::escaped(host.as_bytes(), self.safe));
        }
        result
    }

    /// Appends the registrable domain. Returns whether the URL has one.
    fn append_domain(&self, url: &Url<'_>, output: &mut Vec<u8>) -> bool {
        let Some(domain) = url.part(UriPart::Host).and_then(domain::registrable) else { return false };
        let in_unicode = if self.is_unicode_host { domain::in_unicode(domain.as_bytes()) } else { None };
        output.extend(output::escaped(in_unicode.as_deref().unwrap_or(&domain).as_bytes(), self.safe));
        true
    }
}

impl Get {
    /// As `apply`, for the values of a single part.
    #[inline]
    fn apply_alone(&self, part: &Part, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let url = Whole { text: field, reading: self.reading };
        let (is_there, fault) = self.append_values(part, &url, None, output);
        if !is_there {
            return Some(Fault::new(FaultKind::Missing, 0));
        }
        self.seen.set();
        fault
    }

    /// As `apply`, for a template.
    fn apply_template(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let url = Url::new(field, self.reading);
        let pairs: Option<Vec<_>> = self.are_pairs_shared.then(|| pairs_of(&url).collect());
        let first = output.len();
        let mut fault = None;
        let mut is_complete = true;
        for ((part, text), is_noted) in self.parts.iter().zip(&self.output.texts).zip(&self.noted) {
            output.extend_from_slice(text);
            let start = output.len();
            self.output.begin(output);
            let (is_there, found) = self.append_part(part, &url, pairs.as_deref(), output);
            self.output.complete(start, !is_there, output);
            fault = Fault::earliest(fault, found);
            is_complete &= is_there;
            if is_there && *is_noted {
                self.seen.set();
            }
        }
        output.extend_from_slice(self.output.texts.last().map_or(&[], |text| text));
        self.output.end(first, output);
        if is_complete { fault } else { Fault::first(fault, Some(Fault::new(FaultKind::Missing, 0))) }
    }
}

impl Operation for Get {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        // `get key:q` of `typical_urls.txt`: 1.8 -> 1.2 s/GB (AMD EPYC, `scripts/bench-cli`).
        match &self.parts[..] {
            [part] if self.is_alone => self.apply_alone(part, field, output),
            _ => self.apply_template(field, output),
        }
    }

    fn is_json(&self) -> bool {
        self.output.is_json()
    }

    fn row(&self) -> &[String] {
        self.output.names()
    }

    /// Whether the URL has all of the parts.
    fn matches(&self, _: &[u8], fault: Option<&Fault>) -> bool {
        fault.is_none_or(|fault| !fault.counted.contains(Count::Missing))
    }

    /// Where a part begins can depend on any byte before it.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

/// The pairs of the query of a URL.
#[inline]
fn pairs_of<'u>(url: &impl Components<'u>) -> form::Split<'u> {
    form::split(url.part(UriPart::Query).unwrap_or_default())
}

/// The pair of this name and this value, which are parts of `text`.
fn whole_pair<'u>(text: &'u [u8], name: &[u8], value: &[u8]) -> &'u [u8] {
    let offset = |part: &[u8]| part.as_ptr().addr() - text.as_ptr().addr();
    &text[offset(name)..offset(value) + value.len()]
}

#[inline]
fn segment(path: &[u8], number: NonZero<i32>) -> Option<&[u8]> {
    let skipped = number.unsigned_abs().get() as usize - 1;
    let mut segments = uri::segments(path);
    if number.is_positive() { segments.nth(skipped) } else { segments.nth_back(skipped) }
}

/// A name of a form, decoded.
fn decoded(key: &[u8]) -> Cow<'_, [u8]> {
    const FORM: Decoder = Decoder::new().lenient().plus_for_space();
    // Lenient decoding has no errors.
    FORM.decode(key).unwrap_or_default()
}
