//! Line-by-line processing against the library.

use simdpct::{ByteSet, Decoder, Encoder, reference};

use crate::{every_text, output, text};

/// Specification of `pct decode`, for one line without its end.
fn decoded_line(line: &[u8]) -> Vec<u8> {
    reference::decode(&Decoder::new().lenient().keep(ByteSet::new(b"\r\n")), line).unwrap()
}

/// Specification of `pct encode`, for one line without its LF, which the last line lacks.
fn encoded_line(encoder: &Encoder, line: &[u8], ends_with_line_feed: bool) -> Vec<u8> {
    match line.strip_suffix(b"\r") {
        Some(line) if ends_with_line_feed => [reference::encode(encoder, line).as_bytes(), b"\r"].concat(),
        _ => reference::encode(encoder, line).into_bytes(),
    }
}

fn joined(lines: &[Vec<u8>]) -> Vec<u8> {
    lines.join(&b'\n')
}

#[test]
fn line_ends_stay_as_they_are() {
    for input in ["", "\n", "\r\n", "\n\n\n", "a", "a\n", "a\nb", "a\r\n", "a\r\nb", "a\r\n\r\n\nb\r\n"] {
        assert_eq!(text(&output(&["decode"], input.as_bytes())), text(input.as_bytes()));
        assert_eq!(text(&output(&["encode"], input.as_bytes())), text(input.as_bytes()));
    }
}

#[test]
fn a_carriage_return_without_line_feed_is_no_line_end() {
    for (input, encoded) in [
        ("\r", "%0D"),
        ("a\r", "a%0D"),
        ("a\rb\r\n", "a%0Db\r\n"),
        ("a\r\r\n", "a%0D\r\n"),
        ("\r\n\r", "\r\n%0D"),
        ("a\n\rb", "a\n%0Db"),
    ] {
        assert_eq!(text(&output(&["encode"], input.as_bytes())), text(encoded.as_bytes()), "{input:?}");
        assert_eq!(
            text(&output(&["decode"], input.as_bytes())),
            text(input.as_bytes()),
            "decoding changes no raw byte"
        );
    }
}

/// Batches of lines are processed like single lines.
#[test]
fn every_short_line_is_decoded_as_if_alone() {
    let lines: Vec<_> = every_text(b"%0aAdD\r", 5).collect();
    let expected: Vec<_> = lines.iter().map(|line| decoded_line(line)).collect();
    let decoded = output(&["decode"], &joined(&lines));
    // Compares the number of lines first: a difference there is the worst failure.
    assert_eq!(decoded.split(|&byte| byte == b'\n').count(), lines.len());
    assert!(decoded == joined(&expected));
}

#[test]
fn every_short_line_is_encoded_as_if_alone() {
    let lines: Vec<_> = every_text(b"%4a/\r\xC3\xA9", 5).collect();
    for (options, encoder) in [
        (&["encode"][..], Encoder::COMPONENT),
        (&["encode", "--keep-triplets"], Encoder::COMPONENT.keep_triplets()),
        (&["encode", "--keep-non-ascii"], Encoder::COMPONENT.keep_non_ascii()),
        (&["encode", "--set", "uri", "--keep-non-ascii", "--lower"], Encoder::URI.keep_non_ascii().lowercase()),
    ] {
        let last = lines.len() - 1;
        let expected: Vec<_> =
            lines.iter().enumerate().map(|(at, line)| encoded_line(&encoder, line, at < last)).collect();
        let encoded = output(options, &joined(&lines));
        assert_eq!(encoded.split(|&byte| byte == b'\n').count(), lines.len(), "{options:?}");
        assert!(encoded == joined(&expected), "{options:?}");
    }
}

#[test]
fn what_was_encoded_is_decoded_to_the_same() {
    // A lone CR is not restored but stays escaped: it is not a line end, and must not become one.
    let lines: Vec<_> = every_text(b"% +\n\x00\xC3\xA9", 5).collect();
    let all = joined(&lines);
    assert!(output(&["decode"], &output(&["encode"], &all)) == all);

    let every_byte: Vec<u8> = (0..=u8::MAX).flat_map(|byte| [byte, b'%', byte]).collect();
    for set in ["component", "path", "form", "whatwg-component"] {
        let plus: &[&str] = if set == "form" { &["--plus"] } else { &[] };
        let encoded = output(&["encode", "--raw", "--set", set], &every_byte);
        assert_eq!(text(&output(&[&["decode", "--raw"], plus].concat(), &encoded)), text(&every_byte), "{set}");
    }
}
