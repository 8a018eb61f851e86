//! Where a form is in a field: all of it, or the query of a URL.
#![forbid(unsafe_code)]

use std::ops::Range;

use memchr::memchr;
use simdpct::uri::Part;
use simdpct::{ByteSet, sets};

use crate::operation::Reading;

/// The range of the form in a field: the query, if the field is a URL with an authority or begins
/// with a slash; otherwise the whole field, without a leading '?'. A field that is read as a query
/// is a form as a whole.
pub(super) fn form_range(field: &[u8], reading: Reading) -> Range<usize> {
    if reading == Reading::Query {
        // How logs write that there is none.
        if field == b"-" {
            return 1..1;
        }
        return usize::from(field.first() == Some(&b'?'))..field.len();
    }
    match field.first() {
        Some(b'?') => return 1..field.len(),
        Some(b'/') => {}
        Some(first) if first.is_ascii_alphabetic() && has_authority(field) => {}
        _ => return 0..field.len(),
    }
    // Many URLs have no query.
    if memchr(b'?', field).is_none() {
        return field.len()..field.len();
    }
    match reading.part(field, Part::Query) {
        Some(query) => {
            let start = query.as_ptr().addr() - field.as_ptr().addr();
            start..start + query.len()
        }
        None => field.len()..field.len(),
    }
}

/// Whether `://` follows the first bytes of a scheme (RFC 3986 3.1).
fn has_authority(field: &[u8]) -> bool {
    const SCHEME: ByteSet = sets::ALPHA.union(sets::DIGIT).union(ByteSet::new(b"+-."));
    let end = field.iter().position(|&byte| !SCHEME.contains(byte));
    end.is_some_and(|end| field[end..].starts_with(b"://"))
}
