//! Runs the programs of examples/.

use std::io::Read;

#[allow(dead_code, reason = "a program, whose main function the test does not call")]
#[path = "../examples/access_log.rs"]
mod access_log;
#[allow(dead_code, reason = "a program, whose main function the test does not call")]
#[path = "../examples/build_url.rs"]
mod build_url;
#[allow(dead_code, reason = "a program, whose main function the test does not call")]
#[path = "../examples/columns.rs"]
mod columns;
#[allow(dead_code, reason = "a program, whose main function the test does not call")]
#[path = "../examples/stream.rs"]
mod stream;

#[test]
fn access_log_prints_decoded_paths_and_counts_malformed_ones() {
    let log = "a - - [t] \"GET /caf%C3%A9?q=%41 HTTP/1.1\" 200 1\na - - [t] \"GET /50% HTTP/1.1\" 400 1\n\
        no request\na - - [t] \"GET /%0A%00%2541 HTTP/1.1\" 400 1\n";
    let mut output = Vec::new();
    assert_eq!(access_log::print_paths(log.as_bytes(), &mut output).unwrap(), 1);
    assert_eq!(String::from_utf8(output).unwrap(), "/café\n/%0A%00%2541\n");
}

#[test]
fn build_url_escapes_parts_and_finds_them_again() {
    let pairs = [("q", "crème brûlée"), ("a&b", "1+1=2")];
    let url = build_url::search_url("Café & Bar", &pairs).unwrap();
    assert!(url.starts_with("https://example.com/places/Caf%C3%A9%20&%20Bar/search?q="), "{url}");
    assert_eq!(build_url::parameters(&url), pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert!(build_url::search_url("a/b", &[]).is_err());
}

#[test]
fn columns_makes_malformed_rows_null() {
    let decoded = columns::decode_column(&["/caf%C3%A9", "/100%", "", "/plain"]).unwrap();
    assert_eq!(columns::rows(&decoded), [Some("/café"), None, Some(""), Some("/plain")]);
}

#[test]
fn stream_decodes_chunks_that_end_anywhere() {
    let mut output = Vec::new();
    let chunks = "caf%C".as_bytes().chain("3%A".as_bytes()).chain("9 %41".as_bytes());
    stream::decode(chunks, &mut output).unwrap();
    assert_eq!(output, "café A".as_bytes());
    assert!(stream::decode("%4".as_bytes(), &mut output).is_err());
}
