//! JSON strings, as serde_json writes them.
#![forbid(unsafe_code)]

use simdpct::ByteSet;

/// Bytes that must be escaped in a string (RFC 8259 7).
const ESCAPED: ByteSet = ByteSet::range(0, 0x1F).with(b'"').with(b'\\');

/// Appends a string with its quotes.
pub(crate) fn write_string(text: &str, output: &mut Vec<u8>) {
    if ESCAPED.find(text.as_bytes()).is_none() {
        output.push(b'"');
        output.extend_from_slice(text.as_bytes());
        output.push(b'"');
    } else {
        // Serializing text to memory does not fail.
        let _ = serde_json::to_writer(output, text);
    }
}

/// Ends the string whose opening quote is at `start`: escapes the text after it, which is
/// well-formed UTF-8, and appends the closing quote. Nothing is copied if nothing has to be
/// escaped.
pub(crate) fn end_string(start: usize, output: &mut Vec<u8>) {
    if ESCAPED.find(&output[start + 1..]).is_none() {
        return output.push(b'"');
    }
    let text = output.split_off(start + 1);
    output.truncate(start);
    write_string(str::from_utf8(&text).expect("well-formed UTF-8"), output);
}

/// Escapes ill-formed UTF-8 from `start` on as triplets, for formats in which a string cannot
/// contain it.
pub(crate) fn escape_ill_formed(output: &mut Vec<u8>, start: usize) {
    if simdutf8::basic::from_utf8(&output[start..]).is_ok() {
        return;
    }
    let mut text = String::with_capacity(output.len() - start);
    for chunk in output[start..].utf8_chunks() {
        text.push_str(chunk.valid());
        simdpct::Encoder::COMPONENT.encode_to(chunk.invalid(), &mut text);
    }
    output.truncate(start);
    output.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{end_string, write_string};

    #[test]
    fn strings_are_written_as_serde_json_writes_them() {
        for first in (0..0x180).filter_map(char::from_u32) {
            for text in [first.to_string(), format!("{first}a"), format!("text of more than 64 bytes{first:>80}")] {
                let mut found = Vec::new();
                write_string(&text, &mut found);
                let expected = serde_json::to_string(&text).unwrap();
                assert_eq!(String::from_utf8(found).unwrap(), expected);
                let mut found = ["\n\"", &text].concat().into_bytes();
                end_string(1, &mut found);
                assert_eq!(String::from_utf8(found).unwrap(), ["\n", &expected].concat());
            }
        }
    }
}
