//! Finds all kinds of errors of a value that comes in parts.
#![forbid(unsafe_code)]

use simdpct::DecodeErrorKind;

use super::Decoding;
use super::errors::ErrorKinds;
use super::layers::Layers;

/// Finds all kinds of errors of a value that comes in parts, cut anywhere.
///
/// Up to the first error, one decoder suffices. From there on, there is one for each other kind.
pub(crate) struct Search {
    decoding: Decoding,
    layers: Layers,
    others: Vec<(ErrorKinds, Layers)>,
    first: Option<(DecodeErrorKind, u64)>,
    kinds: ErrorKinds,
    /// Number of bytes fed, and the last of them.
    fed: u64,
    recent: Vec<u8>,
    unused: Vec<u8>,
}

/// An error is detected at most this many bytes after the start of its triplet or character.
const MAX_DETECTION_DELAY: usize = 32;

impl Search {
    pub(crate) fn new(decoding: Decoding) -> Self {
        let (others, first, kinds, fed, recent, unused) = Default::default();
        Self { decoding, layers: decoding.stream(), others, first, kinds, fed, recent, unused }
    }

    pub(crate) fn feed(&mut self, part: &[u8]) {
        self.search(part, false);
        self.fed += part.len() as u64;
        let kept = MAX_DETECTION_DELAY.saturating_sub(part.len()).min(self.recent.len());
        self.recent.drain(..self.recent.len() - kept);
        self.recent.extend_from_slice(&part[part.len().saturating_sub(MAX_DETECTION_DELAY)..]);
    }

    pub(crate) fn finish(&mut self) {
        self.search(b"", true);
    }

    /// The first error, as in [`Layers::error`].
    pub(crate) fn first(&self) -> Option<(DecodeErrorKind, u64)> {
        self.first
    }

    /// All kinds found so far.
    pub(crate) fn kinds(&self) -> ErrorKinds {
        self.kinds
    }

    fn search(&mut self, part: &[u8], is_last: bool) {
        if self.first.is_none() {
            feed(&mut self.layers, part, is_last, &mut self.unused);
            let Some((kind, position)) = self.layers.error() else { return };
            self.first = Some((kind, position));
            self.kinds = ErrorKinds::of(kind);
            let others = ErrorKinds::EACH.into_iter().filter(|&other| other != self.kinds);
            self.others = others.filter_map(|other| Some((other, self.decoding.only(other)?.stream()))).collect();
            // The text preceding the error has no error of any kind and ends with a whole
            // character, so the other decoders start at the error.
            match self.fed.checked_sub(position) {
                Some(before) => {
                    let start = self.recent.len().saturating_sub(usize::try_from(before).unwrap_or(usize::MAX));
                    let recent = self.recent.split_off(start);
                    self.feed_others(&recent, false);
                    self.feed_others(part, is_last);
                }
                None => {
                    let ahead = usize::try_from(position - self.fed).unwrap_or(usize::MAX).min(part.len());
                    self.feed_others(&part[ahead..], is_last);
                }
            }
        } else {
            self.feed_others(part, is_last);
        }
    }

    fn feed_others(&mut self, part: &[u8], is_last: bool) {
        let (kinds, unused) = (&mut self.kinds, &mut self.unused);
        self.others.retain_mut(|(kind, layers)| {
            feed(layers, part, is_last, unused);
            let is_found = layers.error().is_some();
            if is_found {
                *kinds = kinds.union(*kind);
            }
            !is_found
        });
    }
}

fn feed(layers: &mut Layers, part: &[u8], is_last: bool, unused: &mut Vec<u8>) {
    unused.clear();
    layers.feed(part, unused);
    if is_last {
        layers.finish(unused);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::dialect::{Malformed, NO_DIALECT};
    use super::super::samples::{decodings, texts};
    use super::{Decoding, Search};

    #[test]
    fn streaming_equals_decoding_the_whole() {
        let strict = (Decoding::new(&NO_DIALECT).strict(), "strict".to_owned());
        for (decoding, context) in decodings().chain([strict]) {
            for text in texts() {
                let whole = decoding.decode(&text);
                for cut in 0..=text.len() {
                    let (first, second) = text.split_at(cut);
                    let mut layers = decoding.stream();
                    let mut output = Vec::new();
                    layers.feed(first, &mut output);
                    layers.feed(second, &mut output);
                    layers.finish(&mut output);
                    let context = (&context, text.escape_ascii().to_string(), cut);
                    if decoding.passes == 1 && decoding.malformed != Malformed::ErrorAsJava {
                        let mut search = Search::new(decoding);
                        search.feed(first);
                        search.feed(second);
                        search.finish();
                        assert_eq!(search.first(), layers.error(), "{context:?}");
                        let kinds = whole.as_ref().err().map(|error| decoding.error_kinds(&text, error.kind));
                        assert_eq!(search.kinds(), kinds.unwrap_or_default(), "{context:?}");
                    }
                    match &whole {
                        Ok(decoded) => assert_eq!((layers.error(), &output[..]), (None, &decoded[..]), "{context:?}"),
                        // For later passes, its positions are less exact.
                        Err(error) if decoding.passes == 1 && decoding.malformed != Malformed::ErrorAsJava => {
                            assert_eq!(layers.error(), Some((error.kind, error.position as u64)), "{context:?}");
                        }
                        Err(_) => assert!(layers.error().is_some(), "{context:?}"),
                    }
                }
            }
        }
    }
}
