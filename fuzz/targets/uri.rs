//! URIs: splitting, repair, and building from parts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use simdpct::uri::{path, query, split};
use simdpct::{Decoder, normalize};
use simdpct_fuzz::common::uri::{check_repair, compare_parts, grammar::is_uri_reference};
use simdpct_fuzz::{exact, text};

fuzz_target!(|input: &[u8]| {
    let input = exact(input);
    check_repair(&input);
    compare_parts(&input);

    let whole = text(&input);
    assert_eq!(split(&whole).to_string(), whole);

    // The parts between spaces round-trip through a path and a query.
    let parts: Vec<&[u8]> = input.split(|&byte| byte == b' ').collect();
    match path(&parts) {
        Ok(built) => {
            assert!(is_uri_reference(format!("//a{built}").as_bytes()), "{built}");
            let segments = built[1..].split('/').map(|segment| Decoder::new().decode(segment).expect("just encoded"));
            assert!(segments.eq(parts.iter().copied()), "{built}");
            assert_eq!(normalize(&built).as_deref(), Ok(&*built));
        }
        Err(_) => assert!(input.contains(&b'/')),
    }
    let built = query(parts.iter().map(|part| (part, part)));
    assert!(is_uri_reference(format!("?{built}").as_bytes()), "{built}");
    assert_eq!(built.split('&').count(), parts.len());
});
