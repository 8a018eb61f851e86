//! Decodes a value leniently, and finds the errors that it would have otherwise.
#![forbid(unsafe_code)]

use simdpct::{DecodeError, DecodeErrorKind};

use super::Decoding;
use super::errors::ErrorKinds;
use super::text::Text;

impl Decoding {
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
}

#[cfg(test)]
mod tests {
    use super::super::samples::{decodings, texts};

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
}
