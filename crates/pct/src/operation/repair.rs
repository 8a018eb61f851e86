//! `pct repair`: escapes illegal characters in URI references.
#![forbid(unsafe_code)]

use simdpct::{DecodeErrorKind, Decoder, uri};

use super::{Fault, FaultKind, Operation, Stream};

/// Escapes the bytes that are illegal in their component. Invalid UTF-8 is escaped like all
/// non-ASCII bytes, or replaced first.
pub(crate) struct Repair {
    replace: bool,
}

impl Repair {
    pub(crate) fn new(replace: bool) -> Self {
        Self { replace }
    }
}

impl Operation for Repair {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        const STRICT: &Decoder = &Decoder::new();
        let malformed = STRICT.check(field).err().map(|error| error.position);
        let not_utf8 = simdutf8::basic::from_utf8(field)
            .is_err()
            .then(|| str::from_utf8(field).map_or_else(|error| error.valid_up_to(), str::len));
        if self.replace && not_utf8.is_some() {
            output.extend_from_slice(uri::repair(String::from_utf8_lossy(field).as_bytes()).as_bytes());
        } else {
            output.extend_from_slice(uri::repair(field).as_bytes());
        }
        let malformed = malformed.map(|position| Fault::new(FaultKind::Code(DecodeErrorKind::Malformed), position));
        let not_utf8 = not_utf8.map(|position| Fault::new(FaultKind::NotUtf8, position));
        Fault::earliest(malformed, not_utf8)
    }

    /// The role of a byte in a URI can depend on any following byte.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}
