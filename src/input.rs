//! Accepted inputs: [`Input`], text or bytes, and [`Pair`], a name and a value.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};
use core::ops::Range;

#[cfg(feature = "alloc")]
use crate::{
    driver::{self, DecodePlan},
    error::DecodeError,
    level::Level,
};

/// Text or bytes: the input of every operation that takes both.
///
/// Functions take `&T`, where `T` is `str`, `String`, `[u8]`, `[u8; N]`, `Vec<u8>`, or `&`, `&mut`,
/// `Box`, `Rc`, `Arc` or `Cow` of one of these. Of any other type, pass its text or bytes:
/// `value.as_str()`, `value.as_bytes()`, `value.as_ref()` or `&value[..]`.
///
/// Text is known to be UTF-8. [`Decoder::decode_utf8`](crate::Decoder::decode_utf8) and the like
/// validate it only if something is decoded, so pass text as text.
///
/// The trait is sealed: it cannot be implemented outside this crate.
///
/// ```
/// use simdpct::Input;
/// use std::borrow::Cow;
/// use std::sync::Arc;
///
/// fn file_name<T: Input + ?Sized>(name: &T) -> String {
///     format!("{}.txt", simdpct::encode(name))
/// }
/// assert_eq!(file_name("a b"), "a%20b.txt");
/// assert_eq!(file_name(b"\xFF"), "%FF.txt");
/// assert_eq!(file_name(&Cow::Borrowed("a b")), "a%20b.txt");
/// assert_eq!(file_name(&Arc::<str>::from("a b")), "a%20b.txt");
/// ```
///
/// Other types are rejected:
///
/// ```compile_fail,E0277
/// simdpct::encode(&'/');
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither text nor bytes",
    label = "expected `str`, `[u8]`, or a type that owns or points to one",
    note = "write `.as_str()`, `.as_bytes()`, `.as_ref()` or `[..]` to pass the text or bytes that a value contains",
    note = "an `OsStr` has `.as_encoded_bytes()`, a `Path` has `.as_os_str()`, a number has `.to_string()`"
)]
pub trait Input: sealed::Input {
    /// The input as bytes.
    fn as_bytes(&self) -> &[u8];

    /// The input as text, if its type says that it is text. `None` for bytes, even if they are
    /// valid UTF-8.
    fn as_text(&self) -> Option<&str>;

    /// `str` for text, `[u8]` for bytes: the type of parts of the input, and of what is made of it
    /// by functions whose result is text if the input is.
    ///
    /// ```
    /// let parts = simdpct::uri::split("http://example.com/a");
    /// assert_eq!(parts.path, "/a");
    /// let parts = simdpct::uri::split(b"http://example.com/\xFF");
    /// assert_eq!(parts.path, b"/\xFF");
    /// ```
    type Slice: Slice + ?Sized;

    /// The whole input as that type.
    fn as_same(&self) -> &Self::Slice;
}

/// `str` or `[u8]`. The trait is sealed.
#[cfg(feature = "alloc")]
pub trait Slice: sealed::Slice + Input<Slice = Self> + alloc::borrow::ToOwned {}

/// `str` or `[u8]`. The trait is sealed.
#[cfg(not(feature = "alloc"))]
pub trait Slice: sealed::Slice + Input<Slice = Self> {}

/// A name and a value, by value or by reference: `(N, V)` or `&(N, V)`, where `N` and `V` are
/// [`Input`]s.
///
/// Functions that take pairs take any iterator of them: `[("a", "1")]`, `Vec<(String, String)>` and
/// references to these, and `&HashMap<String, String>`.
///
/// The trait is sealed: it cannot be implemented outside this crate.
///
/// ```
/// use simdpct::form;
/// use std::collections::BTreeMap;
///
/// let pairs = vec![(String::from("a"), "1"), (String::from("b"), "2")];
/// assert_eq!(form::serialize(&pairs), "a=1&b=2");
/// assert_eq!(form::serialize(&BTreeMap::from_iter(pairs)), "a=1&b=2");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pair of text or bytes",
    label = "expected `(name, value)` or `&(name, value)`",
    note = "write `.map(|item| (item.name, item.value))` to make pairs of other items"
)]
pub trait Pair: sealed::Pair {
    /// The name as bytes.
    fn name(&self) -> &[u8];

    /// The value as bytes.
    fn value(&self) -> &[u8];
}

pub(crate) use sealed::Slice as SealedSlice;

mod sealed {
    #[cfg(feature = "alloc")]
    use alloc::borrow::ToOwned;
    #[cfg(feature = "alloc")]
    use alloc::vec::Vec;
    use core::ops::Range;

    #[cfg(feature = "alloc")]
    use crate::{DecodeError, Level, driver::DecodePlan};

    pub trait Input {}
    pub trait Pair {}

    pub trait Slice {
        /// A part, which begins and ends before or after an ASCII byte, or at an end of the whole.
        fn part(&self, range: Range<usize>) -> &Self;

        /// For `str`, the bytes are UTF-8.
        #[cfg(feature = "alloc")]
        fn owned(bytes: Vec<u8>) -> Self::Owned
        where
            Self: ToOwned;

        /// Appends the normal form; see
        /// [`append_normalized`](crate::driver::append::append_normalized).
        #[cfg(feature = "alloc")]
        fn append_normalized(
            &self,
            output: &mut Self::Owned,
            plan: &DecodePlan,
            escape: bool,
            level: Option<Level>,
        ) -> Result<(), DecodeError>
        where
            Self: ToOwned;
    }
}

impl Slice for str {}
impl Slice for [u8] {}

impl sealed::Slice for str {
    #[inline(always)]
    fn part(&self, range: Range<usize>) -> &Self {
        &self[range]
    }

    #[cfg(feature = "alloc")]
    fn owned(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).expect("what is made of text is text")
    }

    #[cfg(feature = "alloc")]
    fn append_normalized(
        &self,
        output: &mut String,
        plan: &DecodePlan,
        escape: bool,
        level: Option<Level>,
    ) -> Result<(), DecodeError> {
        driver::append::append_normalized_text(self, output, plan, escape, level)
    }
}

impl sealed::Slice for [u8] {
    #[inline(always)]
    fn part(&self, range: Range<usize>) -> &Self {
        &self[range]
    }

    #[cfg(feature = "alloc")]
    fn owned(bytes: Vec<u8>) -> Vec<u8> {
        bytes
    }

    #[cfg(feature = "alloc")]
    fn append_normalized(
        &self,
        output: &mut Vec<u8>,
        plan: &DecodePlan,
        escape: bool,
        level: Option<Level>,
    ) -> Result<(), DecodeError> {
        driver::append::append_normalized(self, output, plan, escape, level)
    }
}

/// Implements [`Input`] for types of text, for types of bytes, and for pointers to an input.
macro_rules! input {
    (text: [] $type:ty) => {
        input!([] $type, str, text => text.as_bytes(), Some(text), text);
    };
    (bytes: [$($generics:tt)*] $type:ty) => {
        input!([$($generics)*] $type, [u8], bytes => bytes, None, bytes);
    };
    (pointer: [$($generics:tt)*] $type:ty) => {
        input!(
            [$($generics)*] $type, T::Slice,
            pointer => (**pointer).as_bytes(), (**pointer).as_text(), (**pointer).as_same()
        );
    };
    ([$($generics:tt)*] $type:ty, $slice:ty, $input:ident => $bytes:expr, $text:expr, $same:expr) => {
        impl<$($generics)*> sealed::Input for $type {}

        impl<$($generics)*> Input for $type {
            #[inline(always)]
            fn as_bytes(&self) -> &[u8] {
                let $input = self;
                $bytes
            }

            #[inline(always)]
            fn as_text(&self) -> Option<&str> {
                #[allow(unused_variables, reason = "bytes have no text")]
                let $input = self;
                $text
            }

            type Slice = $slice;

            #[inline(always)]
            fn as_same(&self) -> &$slice {
                let $input = self;
                $same
            }
        }
    };
}

input!(text: [] str);
input!(bytes: [] [u8]);
input!(bytes: [const N: usize] [u8; N]);
input!(pointer: [T: Input + ?Sized] &T);
input!(pointer: [T: Input + ?Sized] &mut T);

#[cfg(feature = "alloc")]
mod owned {
    use alloc::borrow::{Cow, ToOwned};
    use alloc::boxed::Box;
    use alloc::rc::Rc;
    use alloc::string::String;
    #[cfg(target_has_atomic = "ptr")]
    use alloc::sync::Arc;
    use alloc::vec::Vec;

    use super::{Input, sealed};

    input!(text: [] String);
    input!(bytes: [] Vec<u8>);
    input!(pointer: [T: Input + ?Sized] Box<T>);
    input!(pointer: [T: Input + ?Sized] Rc<T>);
    #[cfg(target_has_atomic = "ptr")]
    input!(pointer: [T: Input + ?Sized] Arc<T>);
    input!(pointer: [T: Input + ToOwned + ?Sized] Cow<'_, T>);
}

impl<N: Input, V: Input> sealed::Pair for (N, V) {}

impl<N: Input, V: Input> Pair for (N, V) {
    #[inline(always)]
    fn name(&self) -> &[u8] {
        self.0.as_bytes()
    }

    #[inline(always)]
    fn value(&self) -> &[u8] {
        self.1.as_bytes()
    }
}

impl<P: Pair + ?Sized> sealed::Pair for &P {}

impl<P: Pair + ?Sized> Pair for &P {
    #[inline(always)]
    fn name(&self) -> &[u8] {
        (**self).name()
    }

    #[inline(always)]
    fn value(&self) -> &[u8] {
        (**self).value()
    }
}
