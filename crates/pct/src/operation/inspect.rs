//! `pct check` and `pct stats`: inspects fields, without output.
#![forbid(unsafe_code)]

use std::ops::ControlFlow;

use simdpct::{ByteSet, DecodeError, Kinds, inspect};

use super::batch::{Batch, Batches, each_record, for_each_fault};
use super::{Counted, Fault, FaultKind, Operation, Stream};
use crate::codec::{AsTriplets, Decoding, Search, TextDecoding};
use crate::text::incomplete::separable_len;

/// The kinds of findings that raw slashes and dots have in sequence.
const SEGMENTS: Kinds = Kinds::DOT_SEGMENT.union(Kinds::EMPTY_SEGMENT);

/// The kinds that raw bytes have in a layer below the first. They were decoded, so that no other
/// kind is a finding: they are no bytes of the URI.
const DECODED: Kinds = SEGMENTS.union(Kinds::PLUS);

/// The kinds of a set in a text, and the position of the first.
fn found_among(text: &[u8], wanted: Kinds) -> Option<(Kinds, usize)> {
    let findings = inspect(text);
    let kinds = findings.kinds_among(wanted);
    Some((kinds, findings.first_of(kinds)?))
}

/// Finds decoding errors, and the findings of the library's inspection.
#[derive(Clone, Copy)]
pub(crate) struct Inspect {
    decoding: Option<Decoding>,
    /// Rules that decode several times: what they decode is inspected too.
    layers: Option<Decoding>,
    /// Precedes `decoding`, for other charsets.
    text_decoding: Option<TextDecoding>,
    wanted: Kinds,
    /// The trigger bytes: a field of well-formed UTF-8 that contains none of them has no findings.
    triggers: ByteSet,
}

impl Inspect {
    /// Finds decoding errors, and findings of the kinds `wanted`.
    pub(crate) fn for_faults(decoding: Decoding, wanted: Kinds) -> Self {
        Self::new(Some(decoding), wanted)
    }

    /// Finds all kinds of findings but those of segments.
    ///
    /// Most URLs have slashes and dots, so with those kinds no record could be skipped, and `pct
    /// stats` would take three times as long.
    pub(crate) fn for_statistics() -> Self {
        Self::new(None, Kinds::EVERY.without(SEGMENTS))
    }

    fn new(decoding: Option<Decoding>, wanted: Kinds) -> Self {
        // Whether a raw byte is a finding depends on that byte alone, except for segments. Every
        // other finding contains a `%`.
        let raw = (0..=u8::MAX).filter(|byte| inspect(&[*byte]).intersects(wanted));
        let triggers = raw.fold(ByteSet::new(b"%"), ByteSet::with);
        let triggers = if wanted.intersects(SEGMENTS) { triggers.union(ByteSet::new(b"/\\.")) } else { triggers };
        let triggers = decoding.map_or(triggers, |decoding| triggers.union(decoding.triggers()));
        let layers = decoding.filter(|decoding| decoding.pass_count() > 1);
        Self { decoding, layers, text_decoding: None, wanted, triggers }
    }

    /// Finds the errors of these rules instead, if there are any.
    pub(crate) fn with_text_decoding(self, decoding: Option<TextDecoding>) -> Self {
        let Some(rules) = decoding else { return self };
        Self { decoding: None, text_decoding: decoding, triggers: self.triggers.union(rules.triggers()), ..self }
    }

    /// The wanted kinds in a text, and the position of the first.
    fn found(&self, text: &[u8]) -> Option<(Kinds, usize)> {
        if self.wanted.is_empty() {
            return None;
        }
        if let Some(triplets) = self.text_decoding.and_then(|rules| rules.as_triplets(text)) {
            return self.found_with_unicode(text, &triplets, |spelled| found_among(spelled, self.wanted));
        }
        found_among(text, self.wanted)
    }

    /// As [`found`](Self::found), for a text with `%uXXXX`: they are findings as their triplets
    /// are.
    #[cold]
    fn found_with_unicode(
        &self,
        text: &[u8],
        triplets: &AsTriplets,
        found: impl Fn(&[u8]) -> Option<(Kinds, usize)>,
    ) -> Option<(Kinds, usize)> {
        let escapes = found_among(text, self.wanted.intersection(Kinds::UNICODE));
        let found = found(triplets.text()).map(|(kinds, position)| (kinds, triplets.origin(position)));
        found.into_iter().chain(escapes).reduce(|(one, first), (other, second)| (one | other, first.min(second)))
    }

    /// The wanted kinds in a field, and the position of the first: in its first layer of encoding,
    /// and in those below, which decoding several times reaches.
    fn faults(&self, field: &[u8]) -> Option<Fault> {
        let found = self.found(field).map(|(kinds, position)| Fault::new(FaultKind::Found(kinds, 0), position));
        let Some(rules) = self.layers.filter(|_| !self.wanted.is_empty()) else { return found };
        let layers = self.text_decoding.map_or_else(|| rules.inner_layers(field), |text| text.inner_layers(field));
        layers.iter().zip(1..).fold(found, |found, (layer, done)| {
            let inner = self.found_in_layer(layer).map(|(kinds, position)| {
                let position = match self.text_decoding {
                    Some(rules) => rules.origin(field, done, position),
                    None => rules.position_in_input(field, &layers[..usize::from(done)], position),
                };
                Fault::new(FaultKind::Found(kinds, done), position)
            });
            Fault::earliest(found, inner)
        })
    }

    /// As [`found`](Self::found), for a layer below the first.
    fn found_in_layer(&self, layer: &[u8]) -> Option<(Kinds, usize)> {
        let found = |layer: &[u8]| {
            let findings = inspect(layer);
            let found = findings.iter_among(self.wanted).filter_map(|finding| {
                let is_triplet = layer.get(finding.position) == Some(&b'%');
                let kinds = if is_triplet { finding.kinds } else { finding.kinds.intersection(DECODED) };
                (!kinds.is_empty()).then_some((kinds, finding.position))
            });
            found.reduce(|(kinds, first), (more, _)| (kinds | more, first))
        };
        match self.text_decoding.and_then(|rules| rules.as_triplets(layer)) {
            Some(triplets) => self.found_with_unicode(layer, &triplets, found),
            None => found(layer),
        }
    }

    /// Returns true only if no record of the batch has a fault. May return false for a valid batch.
    fn are_clean(&self, records: &[u8], separator: u8, unused: &mut Vec<u8>) -> bool {
        // Without these, decoding makes no triplet.
        let inner = if self.layers.is_some() { Kinds::PERCENT | Kinds::MALFORMED } else { Kinds::NONE };
        if inspect(records).intersects(self.wanted | inner) {
            return false;
        }
        self.decoding.is_none_or(|decoding| {
            let before = unused.len();
            let is_clean =
                !decoding.rejects(separator) && !decoding.rejects(b'\r') && decoding.decode_to(records, unused).is_ok();
            unused.truncate(before);
            is_clean
        })
    }
}

impl Operation for Inspect {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let before = output.len();
        if let Some(rules) = self.text_decoding {
            let error = Fault::of_text(&rules.decode_to(field, output)).filter(|fault| !fault.kind.is_note());
            output.truncate(before);
            return Fault::earliest(error, self.faults(field));
        }
        let error = self.decoding.and_then(|decoding| decoding.decode_to(field, output).err());
        output.truncate(before);
        let error = error.zip(self.decoding).map(|(DecodeError { kind, position, .. }, decoding)| {
            Fault::of_errors(kind, position, decoding.error_kinds(field, kind))
        });
        Fault::earliest(error, self.faults(field))
    }

    fn triggers(&self) -> Option<ByteSet> {
        Some(self.triggers)
    }

    fn batches(&self) -> Batches<'_> {
        // Line ends are illegal in URIs, so a batch always has findings. And whether `..` is a
        // segment depends on where its record begins and ends.
        let is_whole = !self.wanted.intersects(Kinds::ILLEGAL | Kinds::DOT_SEGMENT) && self.text_decoding.is_none();
        if is_whole { Batches::Whole(self) } else { Batches::Each }
    }

    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        if self.text_decoding.is_some() || self.layers.is_some() {
            return None;
        }
        Some(Box::new(Parts {
            operation: *self,
            search: self.decoding.map(Search::new),
            held: Vec::new(),
            done: 0,
            found: None,
            is_at_end: false,
        }))
    }
}

impl Batch for Inspect {
    fn apply_records(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> Option<Fault> {
        if self.are_clean(records, separator, output) {
            return None;
        }
        each_record(self, records, separator, output)
    }

    fn apply_if_clean(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> bool {
        self.are_clean(records, separator, output)
            || for_each_fault(self, records, separator, output, |_| ControlFlow::Break(())).is_continue()
    }
}

struct Parts {
    operation: Inspect,
    search: Option<Search>,
    /// An incomplete triplet or character.
    held: Vec<u8>,
    /// Number of bytes of the field before `held`.
    done: u64,
    found: Option<(Kinds, u64)>,
    is_at_end: bool,
}

impl Parts {
    fn inspect(&mut self, length: usize) {
        if let Some((kinds, position)) = self.operation.found(&self.held[..length]) {
            let (before, first) = self.found.unwrap_or((Kinds::NONE, self.done + position as u64));
            self.found = Some((before | kinds, first));
        }
        self.done += length as u64;
        self.held.drain(..length);
    }
}

impl Stream for Parts {
    fn feed(&mut self, part: &[u8], _: &mut Vec<u8>) {
        if let Some(search) = &mut self.search {
            search.feed(part);
        }
        self.held.extend_from_slice(part);
        self.inspect(separable_len(&self.held));
    }

    fn finish(&mut self, _: &mut Vec<u8>) {
        if let Some(search) = &mut self.search {
            search.finish();
        }
        self.inspect(self.held.len());
        self.is_at_end = true;
    }

    fn fault(&self) -> Option<(FaultKind, u64)> {
        let error = self.search.as_ref().and_then(Search::first);
        let error = error.map(|(kind, position)| (FaultKind::Code(kind), position));
        // `stats` needs all kinds, which are known at the end of the field only.
        let is_known = self.is_at_end || self.operation.decoding.is_some();
        let found = self.found.filter(|_| is_known).map(|(kinds, position)| (FaultKind::Found(kinds, 0), position));
        error.into_iter().chain(found).min_by_key(|&(_, position)| position)
    }

    fn all(&self, _: FaultKind) -> (Counted, Kinds) {
        let found = self.found.map_or(Kinds::NONE, |(kinds, _)| kinds);
        let errors = self.search.as_ref().map(Search::kinds).unwrap_or_default();
        let counted = Counted::of_errors(errors);
        let suspicious = Counted::of(FaultKind::Found(found, 0));
        (if found.is_empty() { counted } else { counted.union(suspicious) }, found)
    }
}

#[cfg(test)]
mod tests {
    use simdpct::Kinds;

    use super::Inspect;
    use crate::codec::{Decoding, Dialect};
    use crate::operation::{FaultKind, Operation, batch};

    /// A text with a finding of each kind that consists of triplets.
    const SAMPLES: [(Kinds, &str); 8] = [
        (Kinds::NUL, "%00"),
        (Kinds::CONTROL, "%0a"),
        (Kinds::SLASH, "%2F"),
        (Kinds::BACKSLASH, "%5C"),
        (Kinds::DOT_SEGMENT, "/%2e%2e/"),
        (Kinds::DOT, "%2e"),
        (Kinds::PATH_END, "%3F"),
        (Kinds::UNRESERVED, "%41"),
    ];

    fn encoded(text: &str, times: u8) -> String {
        (0..times).fold(text.to_owned(), |text, _| text.replace('%', "%25"))
    }

    /// A filter that decodes as often as its server must not miss what the server gets to see.
    #[test]
    fn findings_are_found_in_every_layer_that_is_decoded() {
        for (kind, sample) in SAMPLES {
            for times in 1..=5 {
                let inspect = Inspect::for_faults(Decoding::new(&Dialect::Whatwg.rules()).strict().passes(times), kind);
                for layer in 0..6 {
                    for before in ["", "a/", "caf%C3%A9/", "%E9/", "100%/"] {
                        let field = format!("{before}{}", encoded(sample, layer));
                        let fault = inspect.apply(field.as_bytes(), &mut Vec::new());
                        let found = fault.filter(|fault| fault.found.contains(kind));
                        let context = format!("{kind:?} in layer {layer} of {field}, {times} times");
                        assert_eq!(found.is_some(), layer < times, "{context}");
                        let mut records = field.clone().into_bytes();
                        records.push(b'\n');
                        let is_clean = batch::apply_if_clean(&inspect, &records, b'\n', &mut Vec::new());
                        assert!(found.is_none() || !is_clean, "{context}, in a batch");
                        let in_batch = batch::apply(&inspect, &records, b'\n', &mut Vec::new());
                        assert_eq!(in_batch.is_some(), fault.is_some(), "{context}, in a batch");
                        if let Some(fault) = found.filter(|_| matches!(before, "" | "a/")) {
                            assert_eq!(fault.kind, FaultKind::Found(fault.found, layer), "{context}");
                            assert!(
                                fault.position >= before.len() && fault.position <= before.len() + 1,
                                "{context}: {fault:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
