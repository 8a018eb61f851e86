//! `Decoding`: rules for decoding a value, and for ill-formed UTF-8 in the result.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use simdpct::legacy::java;
use simdpct::offset::OffsetError;
use simdpct::{ByteSet, DecodeError, DecodeErrorKind, Decoder, Findings, inspect};

use super::dialect::{IllFormed, Malformed, Rules};
use super::errors::ErrorKinds;
use super::faults::Faults;
use super::layers::{Layers, Pass};
use super::text::{self, Text};

/// Complete rules for decoding a value.
///
/// If LF is kept, a batch of lines can be decoded at once: LF is neither a hexadecimal digit nor
/// part of a multi-byte character, so each line is decoded as it would be alone.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Decoding {
    malformed: Malformed,
    plus: bool,
    keep: ByteSet,
    reject: ByteSet,
    text: Text,
    passes: u8,
    /// The library's decoder for these rules, except for passes, text, and Java's triplets.
    decoder: Decoder,
}

impl Decoding {
    /// A single pass by the rules of an implementation.
    pub(crate) fn new(rules: &Rules) -> Self {
        Self {
            malformed: rules.malformed,
            plus: rules.plus,
            keep: ByteSet::EMPTY,
            reject: rules.reject,
            text: match rules.ill_formed {
                IllFormed::Keep => Text::Bytes,
                IllFormed::Error => Text::WellFormed,
                IllFormed::Replace => Text::Replaced,
                IllFormed::ReplaceAsJava => Text::ReplacedAsJava,
            },
            passes: 1,
            decoder: Decoder::new(),
        }
        .with_decoder()
    }

    /// Also keeps the triplets of these bytes.
    pub(crate) fn keeping(mut self, set: ByteSet) -> Self {
        self.keep = self.keep.union(set);
        self.with_decoder()
    }

    /// Decodes '+' as a space.
    pub(crate) fn plus(mut self) -> Self {
        self.plus = true;
        self.with_decoder()
    }

    /// Prevents that decoding produces any of these bytes, which would break a record: keeps their
    /// triplets, and a '+' if it would become one of them.
    pub(crate) fn safe(mut self, set: ByteSet) -> Self {
        if self.plus && set.contains(b' ') {
            self.plus = false;
            // Else a decoded %2B could not be distinguished from the '+' that is kept.
            self.keep = self.keep.with(b'+');
        }
        // A rejected byte must remain an error, so it is not kept.
        let rejected = self.reject;
        self.keeping(set.intersection(rejected.complement()))
    }

    /// Whether this byte is an error in the result.
    pub(crate) fn rejects(&self, byte: u8) -> bool {
        self.reject.contains(byte)
    }

    /// Whether '+' becomes a space.
    pub(super) fn decodes_plus(&self) -> bool {
        self.plus
    }

    /// The number of passes, at least 1.
    pub(super) fn pass_count(&self) -> u8 {
        self.passes.max(1)
    }

    /// The bytes whose triplets are kept, and those that are errors in the result.
    pub(super) fn sets(&self) -> (ByteSet, ByteSet) {
        (self.keep, self.reject)
    }

    /// Bytes without which well-formed UTF-8 decodes to itself without error.
    pub(crate) fn needed(&self) -> ByteSet {
        let needed = self.reject.with(b'%');
        if self.plus { needed.with(b'+') } else { needed }
    }

    /// Makes malformed '%' and invalid UTF-8 errors.
    pub(crate) fn strict(mut self) -> Self {
        self.malformed = Malformed::Error;
        self.text = Text::WellFormed;
        self.with_decoder()
    }

    /// Allows everything: keeps what would be an error; with `replace`, replaces invalid UTF-8 that
    /// would be an error by U+FFFD.
    pub(crate) fn lenient(mut self, replace: bool) -> Self {
        self.malformed = Malformed::Keep;
        self.keep = self.keep.union(self.reject);
        self.reject = ByteSet::EMPTY;
        // Other settings of `text` have no errors.
        if self.text == Text::WellFormed {
            self.text = if replace { Text::Replaced } else { Text::Bytes };
        }
        self.with_decoder()
    }

    /// Sets the number of passes; 0 is the same as 1.
    pub(crate) fn passes(mut self, passes: u8) -> Self {
        self.passes = passes;
        self
    }

    fn with_decoder(mut self) -> Self {
        self.decoder = Decoder::new();
        // An empty set would disable the library's fast paths.
        if self.keep != ByteSet::EMPTY {
            self.decoder = self.decoder.keep(self.keep);
        }
        if self.reject != ByteSet::EMPTY {
            self.decoder = self.decoder.reject(self.reject);
        }
        if matches!(self.malformed, Malformed::Keep) {
            self.decoder = self.decoder.lenient();
        }
        if self.plus {
            self.decoder = self.decoder.plus_for_space();
        }
        self
    }

    /// A decoder for a value that comes in parts.
    pub(crate) fn stream(&self) -> Layers {
        let java_triplets = self.malformed == Malformed::ErrorAsJava;
        Layers::new((0..self.passes.max(1)).map(|_| Pass::new(self.decoder, self.text, java_triplets)).collect())
    }

    /// Decodes, appending to `output`.
    ///
    /// On an error, nothing is appended. Its position is in `input`, even if a later pass found it.
    pub(crate) fn decode_to(&self, input: &[u8], output: &mut Vec<u8>) -> Result<(), DecodeError> {
        if self.passes <= 1 {
            return self.decode_pass_to(input, output);
        }
        let decoded = self.decode(input)?;
        output.extend_from_slice(&decoded);
        Ok(())
    }

    /// Decodes as `lenient` does, appending to `output`. `lenient` must be the result of
    /// [`lenient`](Self::lenient). Returns the first error that [`decode_to`](Self::decode_to)
    /// would return, its position, and the kinds of all errors.
    pub(crate) fn decode_lenient_to(
        &self,
        lenient: &Self,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Option<(DecodeErrorKind, usize, ErrorKinds)> {
        let parts = |error: DecodeError| (error.kind, error.position, ErrorKinds::of(error.kind));
        if !self.is_strict_single_pass() || lenient.text != Text::Bytes {
            let error = self.decode_to(input, output).err()?;
            // Lenient decoding has no errors.
            let _ = lenient.decode_to(input, output);
            return Some((error.kind, error.position, self.error_kinds(input, error.kind)));
        }
        // The two differ only in malformed '%', so without any, one output serves both.
        let start = output.len();
        let malformed = self.decoder.decode_to(input, output).err();
        if malformed.is_some() {
            let _ = lenient.decoder.decode_to(input, output);
        }
        // '%' is ASCII and so delimits characters: a malformed one does not change the validity of
        // the preceding bytes.
        let Err(ill_formed) = simdutf8::compat::from_utf8(&output[start..]) else {
            return malformed.map(parts);
        };
        // The position is in the decoded output, so there is always an offset.
        let position = lenient.decoder.input_offset(input, ill_formed.valid_up_to()).unwrap_or_default();
        let kinds = ErrorKinds { malformed: malformed.is_some(), ill_formed: true, rejected: false };
        Some(match malformed {
            Some(error) if error.position < position => (error.kind, error.position, kinds),
            _ => (DecodeErrorKind::InvalidUtf8, position, kinds),
        })
    }

    /// The kinds of errors of an input whose first error is known.
    #[cold]
    pub(crate) fn error_kinds(&self, input: &[u8], first: DecodeErrorKind) -> ErrorKinds {
        // A triplet of an ASCII byte delimits characters, kept or decoded, so inspection finds the
        // same errors.
        if self.is_strict_single_pass() && self.keep.intersection(ByteSet::range(0x80, 0xFF)) == ByteSet::EMPTY {
            let found = inspect(input);
            let (malformed, ill_formed) = (found.contains(Findings::MALFORMED), found.contains(Findings::INVALID_UTF8));
            return ErrorKinds { malformed, ill_formed, rejected: false };
        }
        let first = ErrorKinds::of(first);
        let mut unused = Vec::with_capacity(input.len());
        let has = |kind: &ErrorKinds| {
            unused.clear();
            self.only(*kind).is_some_and(|only| only.decode_to(input, &mut unused).is_err())
        };
        ErrorKinds::EACH.into_iter().filter(|kind| *kind != first).filter(has).fold(first, ErrorKinds::union)
    }

    /// The same rules with only this kind of errors. `None` if they have no such errors.
    pub(super) fn only(&self, kind: ErrorKinds) -> Option<Self> {
        let is_error = (kind.malformed && self.malformed != Malformed::Keep)
            || (kind.ill_formed && self.text == Text::WellFormed)
            || (kind.rejected && self.reject != ByteSet::EMPTY);
        if !is_error {
            return None;
        }
        let mut only = self.lenient(false);
        if kind.malformed {
            only.malformed = self.malformed;
        }
        if kind.ill_formed {
            only.text = self.text;
        }
        if kind.rejected {
            (only.keep, only.reject) = (self.keep, self.reject);
        }
        Some(only.with_decoder())
    }

    /// Decodes a batch of records as `lenient` does, appending to `output`. Returns the records
    /// that `self` would have rejected. `None`, with nothing done, if the rules require
    /// record-by-record decoding.
    pub(crate) fn decode_and_search<'t>(
        &self,
        lenient: &Self,
        records: &'t [u8],
        separator: u8,
        output: &'t mut Vec<u8>,
    ) -> Option<Faults<'t>> {
        let keeps_records = self.keep.contains(separator) && !(self.plus && separator == b' ');
        if !self.is_strict_single_pass() || lenient.text != Text::Bytes || !keeps_records {
            return None;
        }
        let start = output.len();
        // Lenient decoding has no errors.
        let _ = lenient.decoder.decode_to(records, output);
        Some(Faults::new(self.decoder, lenient.decoder, separator, records, &output[start..]))
    }

    /// Whether the only errors are malformed '%' and invalid UTF-8, and there is a single pass.
    fn is_strict_single_pass(&self) -> bool {
        let is_strict = self.malformed == Malformed::Error && self.text == Text::WellFormed;
        is_strict && self.reject == ByteSet::EMPTY && self.passes <= 1
    }

    /// Decodes, appending to `output`. Returns whether there was no error and no replacement; if
    /// false, the appended bytes are unspecified.
    pub(crate) fn decode_if_clean(&self, input: &[u8], output: &mut Vec<u8>) -> bool {
        let start = output.len();
        if self.passes > 1 {
            return self.decode_to(input, output).is_ok();
        }
        self.decoder.decode_to(input, output).is_ok() && self.is_good(&output[start..])
    }

    /// Decodes; borrows if nothing changes.
    pub(crate) fn decode<'a>(&self, input: &'a [u8]) -> Result<Cow<'a, [u8]>, DecodeError> {
        self.decode_passes(input, self.passes)
    }

    fn decode_passes<'a>(&self, input: &'a [u8], passes: u8) -> Result<Cow<'a, [u8]>, DecodeError> {
        let mut decoded = self.decode_pass(input)?;
        for done in 1..passes {
            match self.decode_pass(&decoded) {
                // A fixed point: further passes change nothing.
                Ok(Cow::Borrowed(_)) => break,
                Ok(Cow::Owned(again)) => decoded = Cow::Owned(again),
                Err(error) => return Err(self.map_to_input(input, done, error)),
            }
        }
        Ok(decoded)
    }

    /// Maps the position of an error of a later pass to the input of the first.
    #[cold]
    fn map_to_input(&self, input: &[u8], mut done: u8, mut error: DecodeError) -> DecodeError {
        while done > 0 {
            done -= 1;
            // These passes succeeded before, so there is always a result.
            let before =
                if done == 0 { Cow::Borrowed(input) } else { self.decode_passes(input, done).unwrap_or_default() };
            error.position = self.origin(&before, error.position);
        }
        error
    }

    /// The position in `input` of the origin of the byte at `position` after one pass.
    fn origin(&self, input: &[u8], position: usize) -> usize {
        let decoded_position = match self.decoder.decode(input) {
            Ok(bytes) => text::before_replacement(&bytes, position, self.text),
            Err(_) => position,
        };
        match self.decoder.input_offset(input, decoded_position) {
            Ok(position) => position,
            // A preceding triplet that only Java accepts, which is close enough.
            Err(OffsetError::Decode(error)) => error.position,
            Err(_) => input.len(),
        }
    }

    fn decode_pass<'a>(&self, input: &'a [u8]) -> Result<Cow<'a, [u8]>, DecodeError> {
        if let Ok(Cow::Borrowed(_)) = self.decoder.decode(input)
            && self.is_good(input)
        {
            return Ok(Cow::Borrowed(input));
        }
        let mut output = Vec::new();
        self.decode_pass_to(input, &mut output)?;
        Ok(Cow::Owned(output))
    }

    fn decode_pass_to(&self, input: &[u8], output: &mut Vec<u8>) -> Result<(), DecodeError> {
        let start = output.len();
        match self.decoder.decode_to(input, output) {
            Ok(()) => {}
            Err(error) if self.malformed == Malformed::ErrorAsJava && error.kind == DecodeErrorKind::Malformed => {
                self.decode_java_to(input, output).inspect_err(|_| output.truncate(start))?;
            }
            Err(error) => return Err(self.first_error(input, error)),
        }
        if self.is_good(&output[start..]) {
            return Ok(());
        }
        if self.text == Text::WellFormed {
            output.truncate(start);
            let error = self.decoder.decode_utf8(input).err();
            // The result is ill-formed, so there is an error.
            return error.map_or(Ok(()), Err);
        }
        let replaced = text::replace(&output[start..], self.text);
        output.truncate(start);
        output.extend_from_slice(&replaced);
        Ok(())
    }

    fn is_good(&self, decoded: &[u8]) -> bool {
        self.text == Text::Bytes || simdutf8::basic::from_utf8(decoded).is_ok()
    }

    /// Ill-formed UTF-8 may precede the error that stopped decoding.
    #[cold]
    fn first_error(&self, input: &[u8], error: DecodeError) -> DecodeError {
        match self.text {
            Text::WellFormed => self.decoder.decode_utf8(input).err().unwrap_or(error),
            _ => error,
        }
    }

    /// Decodes input with triplets that only Java accepts. On an error, `output` may contain
    /// partial output.
    #[cold]
    fn decode_java_to(&self, input: &[u8], output: &mut Vec<u8>) -> Result<(), DecodeError> {
        let mut at = 0;
        loop {
            let rest = &input[at..];
            let Err(mut error) = self.decoder.decode_to(rest, output) else { return Ok(()) };
            let triplet = match error.kind {
                DecodeErrorKind::Malformed => java::triplet(&rest[error.position..]),
                _ => None,
            };
            let start = at;
            at += error.position;
            error.position = at;
            let Some((byte, length)) = triplet else { return Err(error) };
            // Decodes the valid text preceding the triplet.
            self.decoder.decode_to(&input[start..at], output)?;
            let plain = format!("%{byte:02X}");
            self.decoder.decode_to(&plain, output).map_err(|mut error| {
                error.position = at;
                error
            })?;
            at += length;
        }
    }
}

#[cfg(test)]
mod tests {

    use clap::ValueEnum;
    use simdpct::{ByteSet, DecodeErrorKind};

    use super::super::dialect::{Dialect, NO_DIALECT};
    use super::super::errors::{ErrorKinds, Search};
    use super::{Decoding, Malformed};

    fn decodings() -> impl Iterator<Item = (Decoding, String)> {
        let rules = Dialect::value_variants().iter().map(|dialect| dialect.rules()).chain([NO_DIALECT]);
        rules.flat_map(|rules| {
            (1..=3u8).map(move |passes| {
                let decoding = Decoding::new(&rules).keeping(ByteSet::new(b"\n")).passes(passes);
                (decoding, format!("{passes} x {rules:?}"))
            })
        })
    }

    /// All texts of up to 4 symbols, each of which some implementation treats differently.
    fn texts() -> impl Iterator<Item = Vec<u8>> {
        const SYMBOLS: [&[u8]; 9] = [b"%", b"4", b"+", b"%25", b"%ED%A0%80", b"%C3", b"\xA9", b"%00", b"a"];
        (0..=4u32).flat_map(|length| {
            (0..SYMBOLS.len().pow(length)).map(move |number| {
                (0..length).flat_map(|at| SYMBOLS[number / SYMBOLS.len().pow(at) % SYMBOLS.len()]).copied().collect()
            })
        })
    }

    #[test]
    fn batches_decode_as_single_lines() {
        for (decoding, context) in decodings() {
            let (mut lines, mut expected) = (Vec::new(), Vec::new());
            for text in texts() {
                if let Ok(decoded) = decoding.decode(&text) {
                    lines.extend_from_slice(&[&text[..], b"\n"].concat());
                    expected.extend_from_slice(&[&decoded[..], b"\n"].concat());
                }
            }
            assert!(decoding.decode(&lines).unwrap() == expected, "{context}");
        }
    }

    #[test]
    fn all_output_forms_agree() {
        for (decoding, context) in decodings() {
            for text in texts() {
                let mut output = b"before".to_vec();
                let result = decoding.decode_to(&text, &mut output);
                let context = (&context, text.escape_ascii().to_string());
                match decoding.decode(&text) {
                    Ok(decoded) => {
                        assert_eq!((result, output), (Ok(()), [b"before", &decoded[..]].concat()), "{context:?}")
                    }
                    Err(error) => assert_eq!((result, output), (Err(error), b"before".to_vec()), "{context:?}"),
                }
            }
        }
    }

    #[test]
    fn lenient_decoding_reports_the_first_error() {
        for (decoding, context) in
            decodings().flat_map(|(decoding, context)| [(decoding, context.clone()), (decoding.strict(), context)])
        {
            for replace in [false, true] {
                let lenient = decoding.lenient(replace);
                for text in texts() {
                    let (mut output, mut expected) = (b"before".to_vec(), b"before".to_vec());
                    let fault = decoding.decode_lenient_to(&lenient, &text, &mut output);
                    let error = decoding.decode_to(&text, &mut expected).err();
                    if error.is_some() {
                        lenient.decode_to(&text, &mut expected).unwrap();
                    }
                    let context = (&context, replace, text.escape_ascii().to_string());
                    assert_eq!(
                        (fault, output),
                        (
                            error.map(|error| (error.kind, error.position, decoding.error_kinds(&text, error.kind))),
                            expected
                        ),
                        "{context:?}"
                    );
                }
            }
        }
    }

    /// Decoding record by record determines the expected errors and output.
    #[test]
    fn batches_report_the_errors_of_single_records() {
        let strict = Decoding::new(&NO_DIALECT).strict();
        let texts: Vec<_> = texts().collect();
        let mut faults = 0;
        for (separator, stride) in [(b'\n', 1), (b'\n', 7), (b'\0', 61), (b'\n', 601)] {
            let decoding = strict.keeping(ByteSet::EMPTY.with(separator));
            let lenient = decoding.lenient(false);
            // Batch sizes vary, so that errors are at any position in vectors, and far apart.
            for start in 0..stride {
                for chunk in texts[start..].chunks(stride) {
                    let mut records: Vec<_> = chunk.iter().flat_map(|text| [text, &[separator][..]].concat()).collect();
                    let (mut expected, mut expected_output, mut at) = (Vec::new(), b"before".to_vec(), 0);
                    for text in chunk {
                        if let Err(error) = decoding.decode_to(text, &mut expected_output) {
                            let kinds = decoding.error_kinds(text, error.kind);
                            expected.push((error.kind, at + error.position, kinds));
                            lenient.decode_to(text, &mut expected_output).unwrap();
                        }
                        expected_output.push(separator);
                        at += text.len() + 1;
                    }
                    // The last record may lack its end.
                    if start % 2 == 1 {
                        records.pop();
                        expected_output.pop();
                    }
                    faults += expected.len();
                    let mut output = b"before".to_vec();
                    let found = decoding.decode_and_search(&lenient, &records, separator, &mut output).unwrap();
                    assert_eq!(found.collect::<Vec<_>>(), expected, "{}", records.escape_ascii());
                    assert_eq!(output, expected_output, "{}", records.escape_ascii());
                }
            }
        }
        assert!(faults > 100_000, "{faults}");
    }

    /// Text that is prepended to an error shifts its position by its length.
    #[test]
    fn errors_of_later_passes_move_with_a_prefix() {
        let before = b"z%25zz%C3%A9%2541".as_slice();
        let shift = before.len();
        for (decoding, context) in decodings() {
            if decoding.decode(before).is_err() {
                continue;
            }
            for text in texts().filter(|text| text.first() != Some(&0xA9)) {
                let Err(error) = decoding.decode(&text) else { continue };
                let moved = decoding.decode(&[before, &text].concat()).unwrap_err();
                let context = (&context, text.escape_ascii().to_string());
                assert_eq!((moved.kind, moved.position), (error.kind, error.position + shift), "{context:?}");
            }
        }
    }

    #[test]
    fn all_kinds_of_errors_are_known() {
        let [malformed, ill_formed, rejected] = ErrorKinds::EACH;
        let strict = Decoding::new(&NO_DIALECT).strict();
        let nginx = Decoding::new(&Dialect::Nginx.rules());
        for (decoding, text, expected) in [
            (strict, "%41", ErrorKinds::default()),
            (strict, "%%FF", malformed.union(ill_formed)),
            (strict, "%FF%", malformed.union(ill_formed)),
            (strict, "%zz%00", malformed),
            (strict, "%C3%", malformed.union(ill_formed)),
            (strict, "%C3%A9%", malformed),
            (strict.strict(), "\u{E9}%FF", ill_formed),
            (nginx, "%00%", malformed.union(rejected)),
            (nginx, "%%00", malformed.union(rejected)),
            (nginx, "%FF%00", rejected),
            (nginx.strict(), "%%00%FF", malformed.union(ill_formed).union(rejected)),
            (strict.passes(2), "%2541%25", malformed),
            (strict.passes(2), "%25FF%25", malformed.union(ill_formed)),
        ] {
            let found =
                decoding.decode(text.as_bytes()).err().map(|error| decoding.error_kinds(text.as_bytes(), error.kind));
            assert_eq!(found.unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn an_error_is_known_after_its_part() {
        let mut layers = Decoding::new(&NO_DIALECT).strict().stream();
        layers.feed(b"abc%FFdef", &mut Vec::new());
        assert_eq!(layers.error(), Some((DecodeErrorKind::InvalidUtf8, 3)));
    }

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
