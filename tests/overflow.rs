//! Integer overflow of lengths and positions: a value beyond `usize` is an error, `None` or
//! saturated, never wrapped.

use simdpct::offset::{OffsetError, OffsetMap};
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
use simdpct::{ByteSet, Counts, DecodeErrorKind, Kinds, inspect_counting};
use simdpct::{Decoder, Encoder, form};

#[test]
fn max_encoded_len_does_not_wrap() {
    let third = usize::MAX / 3;
    assert_eq!(Encoder::max_encoded_len(0), Some(0));
    assert_eq!(Encoder::max_encoded_len(third), Some(usize::MAX));
    assert_eq!(Encoder::max_encoded_len(third + 1), None);
    assert_eq!(Encoder::max_encoded_len(usize::MAX / 2), None);
    assert_eq!(Encoder::max_encoded_len(usize::MAX), None);
}

/// Positions past the end, up to `usize::MAX`.
#[test]
fn positions_past_the_end_are_errors() {
    let decoder = Decoder::new();
    let map = OffsetMap::new(&decoder, "%41bc").unwrap();
    for offset in [4, 5, usize::MAX / 3, usize::MAX / 2, usize::MAX - 2, usize::MAX - 1, usize::MAX] {
        assert_eq!(decoder.input_offset("%41bc", offset), Err(OffsetError::BeyondEnd { decoded_len: 3 }), "{offset}");
        assert_eq!(map.input_offset(offset), None, "{offset}");
    }
    let mut serializer = form::Serializer::for_suffix(String::from("a"), usize::MAX);
    serializer.append_pair("b", "c");
    assert_eq!(serializer.finish(), "ab=c");
}

/// Untouched zero pages: they take address space but no memory.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
struct Zeros(*mut u8, usize);

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
impl Zeros {
    fn new(length: usize) -> Self {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address that the system chooses replaces no other.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, -1, 0) };
        assert_ne!(map, libc::MAP_FAILED);
        Self(map.cast(), length)
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: mapped, zeroed by the system, readable and writable until `drop`, and borrowed
        // with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.0, self.1) }
    }
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
impl Drop for Zeros {
    fn drop(&mut self) {
        // SAFETY: this is the whole mapping made by `new`, and no borrow of it outlives `self`.
        unsafe { libc::munmap(self.0.cast(), self.1) };
    }
}

/// An input of more than 2^32 bytes, with the special bytes at its end. It takes seconds to read.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[test]
fn lengths_and_positions_beyond_32_bits_are_exact() {
    if !crate::common::is_long() {
        return;
    }
    let start = (1_usize << 32) + 5;
    let mut zeros = Zeros::new(start + 100);
    let input = zeros.bytes();
    let length = input.len();
    input[start..start + 4].copy_from_slice(b"%41%");
    let input = &*input;

    let percent = ByteSet::new(b"%");
    assert_eq!((percent.find(input), percent.count(input)), (Some(start), 2));
    // Each zero and each percent sign grows by two bytes.
    assert_eq!(Encoder::COMPONENT.encoded_len(input), 3 * (length - 2) + 2);
    assert_eq!(Encoder::COMPONENT.encode_into(input, &mut [0; 64]).unwrap_err().needed, 3 * (length - 2) + 2);
    let lenient = Decoder::new().lenient();
    assert_eq!(lenient.decoded_len(input), Ok(length - 2));
    let error = Decoder::new().check(input).unwrap_err();
    assert_eq!((error.kind, error.position), (DecodeErrorKind::Malformed, start + 3));
    let error = Decoder::new().lenient().reject(ByteSet::new(b"A")).check(input).unwrap_err();
    assert_eq!((error.kind, error.position), (DecodeErrorKind::Rejected(b'A'), start));
    assert_eq!(lenient.input_offset(input, start + 1), Ok(start + 3));
    let counts: Counts = inspect_counting(input);
    assert_eq!((counts.first(Kinds::ESCAPE), counts.first(Kinds::MALFORMED)), (Some(start), Some(start + 3)));
    assert_eq!(counts.count(Kinds::ILLEGAL), length - 4);
    let pair = form::split(input).next().unwrap();
    assert_eq!((pair.0.len(), pair.1.len()), (length, 0));
}
