//! Streaming decoder for several layers of encoding: one pass per layer, for input cut anywhere.
#![forbid(unsafe_code)]

use memchr::memchr;
use simdpct::legacy::java;
use simdpct::{ByteSet, DecodeErrorKind, Decoder, stream};

use super::super::dialect::Malformed;
use super::Decoding;
use super::text::{self, Text};

impl Decoding {
    /// A decoder for a value that comes in parts.
    pub(crate) fn stream(&self) -> Layers {
        let java_triplets = self.malformed == Malformed::ErrorAsJava;
        Layers::new((0..self.passes.max(1)).map(|_| Pass::new(self.decoder, self.text, java_triplets)).collect())
    }
}

/// Decodes a value in parts, as [`Decoding`] decodes it as a whole. After an
/// error, nothing more is output.
pub(crate) struct Layers {
    passes: Vec<Pass>,
    /// Number of bytes fed.
    fed: u64,
    error: Option<(DecodeErrorKind, u64)>,
    part: Vec<u8>,
    result: Vec<u8>,
}

/// A pass, which decodes one layer.
struct Pass {
    java_triplets: Option<JavaTriplets>,
    /// `None` after an error or the end.
    decoder: Option<stream::Decoder>,
    surrogates: Option<Surrogates>,
    plain: Vec<u8>,
    decoded: Vec<u8>,
}

impl Layers {
    fn new(passes: Vec<Pass>) -> Self {
        Self { passes, fed: 0, error: None, part: Vec::new(), result: Vec::new() }
    }

    /// Appends all output that does not depend on further input.
    pub(crate) fn feed(&mut self, part: &[u8], output: &mut Vec<u8>) {
        self.feed_passes(part, false, output);
        self.fed += part.len() as u64;
    }

    /// Appends the rest.
    pub(crate) fn finish(&mut self, output: &mut Vec<u8>) {
        self.feed_passes(b"", true, output);
    }

    /// The first error and its position in the value. For an error of a later pass, that is the
    /// start of the part in which it was found.
    pub(crate) fn error(&self) -> Option<(DecodeErrorKind, u64)> {
        self.error
    }

    fn feed_passes(&mut self, part: &[u8], is_last: bool, output: &mut Vec<u8>) {
        self.part.clear();
        self.part.extend_from_slice(part);
        for (done, pass) in self.passes.iter_mut().enumerate() {
            self.result.clear();
            if let Err(error) = pass.feed(&self.part, is_last, &mut self.result)
                && self.error.is_none()
            {
                self.error = Some((error.kind, if done == 0 { error.position } else { self.fed }));
            }
            std::mem::swap(&mut self.part, &mut self.result);
        }
        output.extend_from_slice(&self.part);
    }
}

impl Pass {
    fn new(decoder: Decoder, text: Text, java_triplets: bool) -> Self {
        let decoder = stream::Decoder::new(decoder);
        Self {
            java_triplets: java_triplets.then(JavaTriplets::default),
            decoder: Some(match text {
                Text::Bytes | Text::ReplacedAsJava => decoder,
                Text::WellFormed => decoder.utf8(),
                Text::Replaced => decoder.utf8_lossy(),
            }),
            surrogates: (text == Text::ReplacedAsJava).then(Surrogates::default),
            plain: Vec::new(),
            decoded: Vec::new(),
        }
    }

    /// Appends the output, up to the error if there is one.
    fn feed(&mut self, part: &[u8], is_last: bool, output: &mut Vec<u8>) -> Result<(), stream::StreamError> {
        let part = match &mut self.java_triplets {
            None => part,
            Some(java_triplets) => {
                self.plain.clear();
                java_triplets.feed(part, is_last, &mut self.plain);
                &self.plain
            }
        };
        self.decoded.clear();
        let result = decode(&mut self.decoder, part, is_last, &mut self.decoded);
        match &mut self.surrogates {
            None => output.extend_from_slice(&self.decoded),
            Some(surrogates) => surrogates.feed(&self.decoded, is_last, output),
        }
        result
    }
}

/// Feeds the decoder and, at an error or the end, drops it.
fn decode(
    decoder: &mut Option<stream::Decoder>,
    part: &[u8],
    is_last: bool,
    output: &mut Vec<u8>,
) -> Result<(), stream::StreamError> {
    let Some(mut going_on) = decoder.take() else { return Ok(()) };
    going_on.feed_to(part, output)?;
    if is_last {
        output.extend_from_slice(&going_on.finish()?);
    } else {
        *decoder = Some(going_on);
    }
    Ok(())
}

/// Replaces triplets that only Java accepts by ordinary ones.
#[derive(Default)]
struct JavaTriplets {
    /// An incomplete triplet; begins with '%'.
    held: Vec<u8>,
}

impl JavaTriplets {
    /// Length of '%' and two characters up to U+FFFF.
    const MAX_INCOMPLETE: usize = 1 + 3 + 3;

    /// Keeps all triplets, and makes ordinary ones of Java's.
    const KEEPING: Decoder = Decoder::new().keep(ByteSet::ALL);

    fn feed(&mut self, part: &[u8], is_last: bool, output: &mut Vec<u8>) {
        self.held.extend_from_slice(part);
        let incomplete = if is_last { 0 } else { self.held.len().min(Self::MAX_INCOMPLETE - 1) };
        let complete = self.held.len() - incomplete;
        let end = memchr(b'%', &self.held[complete..]).map_or(self.held.len(), |at| complete + at);
        let mut rest = &self.held[..end];
        while !rest.is_empty() {
            match java::decode_with(rest, &Self::KEEPING) {
                Ok(ordinary) => {
                    output.extend_from_slice(&ordinary);
                    break;
                }
                // No triplet for Java either: what follows reports it.
                Err(error) => {
                    let (before, from) = rest.split_at(error.position);
                    output.extend_from_slice(&java::decode_with(before, &Self::KEEPING).unwrap_or_default());
                    output.push(b'%');
                    rest = &from[1..];
                }
            }
        }
        self.held.drain(..end);
    }
}

/// Replaces ill-formed UTF-8 as Java does.
#[derive(Default)]
struct Surrogates {
    /// An incomplete sequence.
    held: Vec<u8>,
}

impl Surrogates {
    fn feed(&mut self, part: &[u8], is_last: bool, output: &mut Vec<u8>) {
        self.held.extend_from_slice(part);
        let length = if is_last { self.held.len() } else { text::complete_len(&self.held, Text::ReplacedAsJava) };
        output.extend_from_slice(java::text(&self.held[..length]).as_bytes());
        self.held.drain(..length);
    }
}

#[cfg(test)]
mod tests {
    use simdpct::DecodeErrorKind;

    use super::super::super::dialect::NO_DIALECT;
    use super::Decoding;

    #[test]
    fn an_error_is_known_after_its_part() {
        let mut layers = Decoding::new(&NO_DIALECT).strict().stream();
        layers.feed(b"abc%FFdef", &mut Vec::new());
        assert_eq!(layers.error(), Some((DecodeErrorKind::InvalidUtf8, 3)));
    }
}
