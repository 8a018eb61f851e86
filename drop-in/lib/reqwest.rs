//! Tests of names and values of queries and forms in reqwest. Its package has no such tests.

use std::collections::BTreeMap;

use reqwest::Client;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};

fn form_body(form: &[(&str, &str)]) -> String {
    let request = Client::new().post("http://example.org/").form(form).build().expect("a valid request");
    assert_eq!(request.headers()[CONTENT_TYPE], "application/x-www-form-urlencoded");
    let body = request.body().and_then(|body| body.as_bytes()).expect("a body in memory");
    String::from_utf8(body.to_vec()).expect("a form is ASCII")
}

#[test]
fn query_pairs_are_encoded_as_a_form() {
    let get = |url: &str, pairs: &[(&str, &str)]| {
        Client::new().get(url).query(pairs).build().expect("a valid request").url().to_string()
    };
    assert_eq!(get("http://example.org/", &[("q", "fish & chips"), ("é", "1+1=2")]), "http://example.org/?q=fish+%26+chips&%C3%A9=1%2B1%3D2");
    assert_eq!(get("http://example.org/?a=%20", &[("b", "*-._~")]), "http://example.org/?a=%20&b=*-._%7E");
    assert_eq!(get("http://example.org/", &[]), "http://example.org/");
}

#[test]
fn query_of_a_map_has_its_order() {
    let map = BTreeMap::from([("page", 2), ("size", 50)]);
    let request = Client::new().get("http://example.org/").query(&map).build().expect("a valid request");
    assert_eq!(request.url().query(), Some("page=2&size=50"));
}

#[test]
fn form_body_is_encoded() {
    assert_eq!(form_body(&[("name", "Ödön"), ("a&b", "1 + 1")]), "name=%C3%96d%C3%B6n&a%26b=1+%2B+1");
    assert_eq!(form_body(&[("", ""), ("%", "\0\u{10FFFF}")]), "=&%25=%00%F4%8F%BF%BF");
    let long = "x ".repeat(1000);
    assert_eq!(form_body(&[("long", &long)]), format!("long={}", "x+".repeat(1000)));
}

#[test]
fn user_information_is_decoded_to_a_header() {
    let request = Client::new().get("http://us%65r:p%40ss@example.org/").build().expect("a valid request");
    // user:p@ss
    assert_eq!(request.headers()[AUTHORIZATION], "Basic dXNlcjpwQHNz");
    assert_eq!(request.url().as_str(), "http://example.org/");
}

#[test]
fn response_url_and_path_keep_their_triplets() {
    let request = Client::new().get("http://example.org/a b/%2f%zz?q=a b#c d").build().expect("a valid request");
    assert_eq!(request.url().as_str(), "http://example.org/a%20b/%2f%zz?q=a%20b#c%20d");
}
