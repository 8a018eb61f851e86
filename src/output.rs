//! Growable outputs: [`Output`], a `String` or a `Vec<u8>`.
#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::Vec;

/// A growable output: `String`, `Vec<u8>`, or a mutable reference to one.
///
/// [`Encoder::encode_to`](crate::Encoder::encode_to) and
/// [`form::Serializer`](crate::form::Serializer) append to it. The trait is sealed: it cannot be
/// implemented outside this crate.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an output for encoded text",
    label = "expected `String` or `Vec<u8>`",
    note = "to write to an `io::Write` or a `fmt::Write`, write the result of `Encoder::display` with `write!`"
)]
pub trait Output: sealed::Output {}

mod sealed {
    use alloc::string::String;
    use alloc::vec::Vec;

    use crate::driver::form_encode::PartEncoder;
    use crate::driver::{self, EncodePlan};
    use crate::level::Level;

    /// Sealed: the operations that encoders and serializers need.
    pub trait Output {
        fn length(&self) -> usize;
        /// Appends the encoded form of `input`.
        fn append_encoded(&mut self, input: &[u8], plan: &EncodePlan, level: Option<Level>);
        /// Reserves capacity for a number of typical pairs. Reserving once is cheaper than growing.
        fn expect(&mut self, pairs: usize);
        /// Appends `before` verbatim, then the encoded `part`.
        fn append(&mut self, encoder: &PartEncoder, before: &str, part: &[u8]);
        /// Appends a pair, preceded by `&` unless it is the first.
        fn append_pair(&mut self, encoder: &PartEncoder, is_first: bool, name: &[u8], value: &[u8]);
    }

    /// Capacity for `pairs` pairs of 24 bytes, and for what a kernel requires for a last one of 64
    /// bytes. Growing costs more than all other work for a pair. Zero for a single pair, which
    /// reserves what it needs. At most about a kilobyte, because the actual pairs may be fewer or
    /// empty.
    #[inline]
    fn expected_room(pairs: usize) -> usize {
        if pairs > 1 { 24 * pairs.min(32) + 256 } else { 0 }
    }

    impl Output for String {
        #[inline]
        fn length(&self) -> usize {
            self.len()
        }

        #[inline]
        fn append_encoded(&mut self, input: &[u8], plan: &EncodePlan, level: Option<Level>) {
            driver::append::append_encoded_text(input, self, plan, level);
        }

        #[inline]
        fn expect(&mut self, pairs: usize) {
            if self.capacity() == 0 {
                *self = Self::with_capacity(expected_room(pairs));
            } else {
                self.reserve(expected_room(pairs));
            }
        }

        #[inline]
        fn append(&mut self, encoder: &PartEncoder, before: &str, part: &[u8]) {
            encoder.append_part_to_text(self, before, part);
        }

        #[inline]
        fn append_pair(&mut self, encoder: &PartEncoder, is_first: bool, name: &[u8], value: &[u8]) {
            encoder.append_pair_to_text(self, is_first, name, value);
        }
    }

    impl Output for Vec<u8> {
        #[inline]
        fn length(&self) -> usize {
            self.len()
        }

        #[inline]
        fn append_encoded(&mut self, input: &[u8], plan: &EncodePlan, level: Option<Level>) {
            driver::append::append_encoded(input, self, plan, level);
        }

        #[inline]
        fn expect(&mut self, pairs: usize) {
            if self.capacity() == 0 {
                *self = Self::with_capacity(expected_room(pairs));
            } else {
                self.reserve(expected_room(pairs));
            }
        }

        #[inline]
        fn append(&mut self, encoder: &PartEncoder, before: &str, part: &[u8]) {
            encoder.append_part(self, before, part);
        }

        #[inline]
        fn append_pair(&mut self, encoder: &PartEncoder, is_first: bool, name: &[u8], value: &[u8]) {
            encoder.append_pair(self, is_first, name, value);
        }
    }

    impl<T: Output> Output for &mut T {
        #[inline]
        fn length(&self) -> usize {
            (**self).length()
        }

        #[inline]
        fn append_encoded(&mut self, input: &[u8], plan: &EncodePlan, level: Option<Level>) {
            (**self).append_encoded(input, plan, level);
        }

        #[inline]
        fn expect(&mut self, pairs: usize) {
            (**self).expect(pairs);
        }

        #[inline]
        fn append(&mut self, encoder: &PartEncoder, before: &str, part: &[u8]) {
            (**self).append(encoder, before, part);
        }

        #[inline]
        fn append_pair(&mut self, encoder: &PartEncoder, is_first: bool, name: &[u8], value: &[u8]) {
            (**self).append_pair(encoder, is_first, name, value);
        }
    }
}

impl Output for String {}
impl Output for Vec<u8> {}
impl<T: Output> Output for &mut T {}
