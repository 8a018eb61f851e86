//! Form deserializer.
#![forbid(unsafe_code)]

mod map;

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use ::serde::de::{
    self, Deserialize, DeserializeSeed, EnumAccess, Error as _, IntoDeserializer, SeqAccess, Unexpected, VariantAccess,
    Visitor,
};

use self::map::Map;
use super::Error;
use super::error::Quoted;
use crate::driver::form::{Pairs, Part};
use crate::form::parse::{bytes, lossy, strict};
use crate::input::Input;

/// Deserializes a form; see [`from_bytes`].
///
/// # Errors
///
/// Same as [`from_bytes`].
///
/// ```
/// use serde::Deserialize;
/// use simdpct::form;
///
/// #[derive(Deserialize)]
/// struct Search<'a> {
///     q: &'a str,
///     page: Option<u32>,
///     #[serde(default)]
///     tag: Vec<String>,
/// }
///
/// let search: Search<'_> = form::from_str("q=fish&tag=a+b&tag=c")?;
/// assert_eq!((search.q, search.page), ("fish", None));
/// assert_eq!(search.tag, ["a b", "c"]);
/// # Ok::<(), form::Error>(())
/// ```
pub fn from_str<'de, T: Deserialize<'de>>(input: &'de str) -> Result<T, Error> {
    T::deserialize(Deserializer::new(input))
}

/// Deserializes a form.
///
/// | type | form |
/// |---|---|
/// | struct, map | keys are names; a name must not be repeated, unless its value is a sequence |
/// | sequence, tuple of pairs | all pairs in order |
/// | enum | one pair: the name is the variant, the value its content (of a tuple variant, one pair per value) |
/// | sequence of enums | one pair per element, so no tuple variants |
/// | `()`, unit struct | empty |
///
/// | type of a value | text |
/// |---|---|
/// | string, `char`, number | parsed with `FromStr` |
/// | `bool` | `true` or `false` |
/// | bytes | any, including invalid UTF-8 |
/// | `Option` | a missing pair or an empty value is `None` |
/// | sequence, tuple, array | the values of all pairs with this name, in order; one pair is a sequence of one |
/// | enum | the name of a unit variant |
/// | `()`, unit struct | empty |
/// | newtype struct | its content |
///
/// A missing pair for a sequence is an error, as for any other field; with `#[serde(default)]` it
/// is an empty sequence. Keys can have any of these types except sequences. Values of unknown
/// fields are not decoded, so errors in them are not found; names are always decoded.
///
/// Names and values are decoded strictly; see [`Deserializer::lossy`]. A form of up to 64 pairs is
/// read in one pass, without allocating anything but the value. More pairs are indexed first, to
/// find repeated keys in O(n log n) for n pairs; everything else is linear.
///
/// # Buffering by serde
///
/// Within `#[serde(flatten)]`, `#[serde(untagged)]` and `#[serde(tag = "...")]`, serde buffers a
/// value before it knows its type, and a form can only report that it is a string (for a repeated
/// key, a sequence of strings). A number, a `bool`, an `Option` of these, and a sequence of one
/// element are then rejected, unless the field has the attribute `#[serde(deserialize_with =
/// "simdpct::form::from_text")]`; see [`from_text`]. Guessing the type from the text instead would
/// reject the string `007`, or lose its zeros.
///
/// # Errors
///
/// Returns an error if a name or value cannot be decoded, if a key is repeated but its type takes a
/// single value, if the type rejects a value, or if a form cannot represent the type. If the error
/// is about a pair, it has the key and position.
pub fn from_bytes<'de, T: Deserialize<'de>>(input: &'de [u8]) -> Result<T, Error> {
    T::deserialize(Deserializer::new(input))
}

/// A serde deserializer of forms: [`from_bytes`] with options.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use serde::Deserialize;
/// use simdpct::form;
///
/// let map = BTreeMap::<&str, String>::deserialize(form::Deserializer::new(b"discount=100%").lossy())?;
/// assert_eq!(map["discount"], "100%");
/// # Ok::<(), form::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Deserializer<'de> {
    pairs: Pairs<'de>,
    max_pairs: Option<usize>,
    options: Options,
}

/// Options of scalars.
#[derive(Clone, Copy, Debug)]
struct Options {
    lossy: bool,
    empty_is_some: bool,
}

impl Options {
    const DEFAULT: Self = Self { lossy: false, empty_is_some: false };
}

impl<'de> Deserializer<'de> {
    /// Creates a strict deserializer, for which an empty value of an `Option` is `None`.
    #[must_use]
    pub fn new<T: Input + ?Sized>(input: &'de T) -> Self {
        Self {
            pairs: Pairs::new(input.as_bytes(), input.as_text().is_some()),
            max_pairs: None,
            options: Options::DEFAULT,
        }
    }

    /// Decodes per the standard (WHATWG URL 5.1): a malformed `%` is kept, and each maximal subpart
    /// of an ill-formed UTF-8 sequence becomes U+FFFD.
    #[must_use]
    pub fn lossy(mut self) -> Self {
        self.options.lossy = true;
        self
    }

    /// Deserializes an empty value of an `Option` as `Some`. An `Option<String>` then distinguishes
    /// `a=` from a missing pair, and an `Option<u8>` rejects it.
    #[must_use]
    pub fn empty_is_some(mut self) -> Self {
        self.options.empty_is_some = true;
        self
    }

    /// Rejects a form of more than `pairs` pairs, including repeated ones, before any other
    /// processing.
    ///
    /// Structs and maps of more than 64 pairs take up to 24 bytes of memory per byte of the form,
    /// mostly for short pairs.
    /// Servers should set a limit (1000 is common). See [`Error::is_too_many_pairs`].
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use serde::Deserialize;
    /// # use simdpct::form;
    /// let read = |form: &'static [u8]| BTreeMap::<&str, Vec<&str>>::deserialize(form::Deserializer::new(form).max_pairs(2));
    /// assert!(read(b"a=1&a=2").is_ok());
    /// let error = read(b"a=1&a=2&b=3").unwrap_err();
    /// assert!(error.is_too_many_pairs());
    /// assert_eq!(error.to_string(), "at byte 8: more than 2 pairs");
    /// ```
    #[must_use]
    pub fn max_pairs(mut self, pairs: usize) -> Self {
        self.max_pairs = Some(pairs);
        self
    }

    fn is_empty(&self) -> bool {
        self.pairs.rest().iter().all(|&byte| byte == b'&')
    }

    /// The pairs, unless there are too many.
    #[inline]
    fn pairs(&self) -> Result<Pairs<'de>, Error> {
        if let Some(most) = self.max_pairs {
            self.check_number_of_pairs(most)?;
        }
        Ok(self.pairs.restarted())
    }

    #[inline(never)]
    fn check_number_of_pairs(&self, most: usize) -> Result<(), Error> {
        let mut pairs = self.pairs;
        match pairs.nth(most) {
            None => Ok(()),
            Some((name, _)) => Err(Error::too_many_pairs(most).at(None, Some(pairs.offset(&name)))),
        }
    }

    #[inline]
    fn into_sequence(self) -> Result<Sequence<'de>, Error> {
        Ok(Sequence { pairs: self.pairs()?, options: self.options, name: Part::default(), value: Part::default() })
    }
}

/// A name or a value.
#[derive(Clone)]
struct Scalar<'de> {
    raw: Raw<'de>,
    options: Options,
}

#[derive(Clone)]
enum Raw<'de> {
    /// A part of the form, and the offset of its pair.
    Part(Part<'de>, usize),
    Text(Cow<'de, str>),
}

impl<'de> Scalar<'de> {
    #[inline]
    fn part(part: Part<'de>, pairs: &Pairs<'de>, options: Options) -> Self {
        Self { raw: Raw::Part(part, pairs.offset(&part)), options }
    }

    fn text(self) -> Result<Cow<'de, str>, Error> {
        match self.raw {
            Raw::Text(text) => Ok(text),
            Raw::Part(part, _) if self.options.lossy => Ok(lossy(part, None)),
            Raw::Part(part, start) => strict(part, None).map_err(|error| Error::decode(error, start)),
        }
    }

    fn bytes(self) -> Result<Cow<'de, [u8]>, Error> {
        match self.raw {
            Raw::Text(Cow::Borrowed(text)) => Ok(Cow::Borrowed(text.as_bytes())),
            Raw::Text(Cow::Owned(text)) => Ok(Cow::Owned(text.into_bytes())),
            Raw::Part(part, start) => {
                let decoded = bytes(part, None);
                // The lenient decoder of bytes keeps a malformed `%`.
                if !self.options.lossy && decoded.contains(&b'%') {
                    crate::Decoder::new().check(part.bytes()).map_err(|error| Error::decode(error, start))?;
                }
                Ok(decoded)
            }
        }
    }

    fn is_empty(&self) -> bool {
        match &self.raw {
            Raw::Part(part, _) => part.bytes().is_empty(),
            Raw::Text(text) => text.is_empty(),
        }
    }

    /// Whether an `Option` deserializes this to `None`.
    fn is_none(&self) -> bool {
        self.is_empty() && !self.options.empty_is_some
    }

    fn parse<T: FromStr<Err: fmt::Display>>(self) -> Result<T, Error> {
        let text = self.text()?;
        text.parse().map_err(|error| Error::message(format_args!("{error}: {}", Quoted(&text))))
    }
}

/// The error of a second pair of a name, for a type that takes one value.
const REPEATED: &str = "repeated key, where one value is expected";

/// The methods of types that take a single value, by the method `only`.
macro_rules! only {
    () => {
        only! {
            deserialize_bool() deserialize_char() deserialize_str() deserialize_string() deserialize_bytes()
            deserialize_byte_buf() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
            deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128()
            deserialize_f32() deserialize_f64() deserialize_unit() deserialize_identifier() deserialize_map()
            deserialize_unit_struct(name: &'static str)
            deserialize_struct(name: &'static str, fields: &'static [&'static str])
            deserialize_enum(name: &'static str, variants: &'static [&'static str])
        }
    };
    ($($method:ident($($argument:ident: $type:ty),*))+) => {
        $(#[inline]
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, Error> {
            self.only()?.$method($($argument,)* visitor)
        })+
    };
}
use only;

/// The methods of these types that another method or the visitor does all of.
macro_rules! delegate {
    (ignored_any) => {
        fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.visit_unit()
        }
    };
    (newtype_struct) => {
        fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
            visitor.visit_newtype_struct(self)
        }
    };
    (tuple_struct) => {
        fn deserialize_tuple_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            length: usize,
            visitor: V,
        ) -> Result<V::Value, Error> {
            self.deserialize_tuple(length, visitor)
        }
    };
    (unit_struct) => {
        fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
            self.deserialize_unit(visitor)
        }
    };
    ($($type:ident)+) => {
        $(delegate! { $type })+
    };
}
use delegate;

/// Deserializes a number or a `bool`.
macro_rules! parse {
    ($($method:ident $visit:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.parse()?)
        })*
    };
}

impl<'de> de::Deserializer<'de> for Scalar<'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if let Raw::Part(part, _) = &self.raw
            && let Some(text) = part.plain_text()
        {
            return visitor.visit_borrowed_str(text);
        }
        match self.text()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    parse! {
        deserialize_bool visit_bool
        deserialize_i8 visit_i8
        deserialize_i16 visit_i16
        deserialize_i32 visit_i32
        deserialize_i64 visit_i64
        deserialize_i128 visit_i128
        deserialize_u8 visit_u8
        deserialize_u16 visit_u16
        deserialize_u32 visit_u32
        deserialize_u64 visit_u64
        deserialize_u128 visit_u128
        deserialize_f32 visit_f32
        deserialize_f64 visit_f64
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.bytes()? {
            Cow::Borrowed(bytes) => visitor.visit_borrowed_bytes(bytes),
            Cow::Owned(bytes) => visitor.visit_byte_buf(bytes),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_none() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_empty() { visitor.visit_unit() } else { self.deserialize_any(visitor) }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.text()?.into_deserializer())
    }

    delegate! { ignored_any newtype_struct unit_struct }

    serde::forward_to_deserialize_any! {
        char str string identifier seq tuple tuple_struct map struct
    }
}

impl<'de> IntoDeserializer<'de, Error> for Scalar<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// One or several values, each with the position of its pair. Whether there is only one is known in
/// advance.
struct Values<'de, I> {
    first: Option<(Scalar<'de>, Option<usize>)>,
    second: Option<(Scalar<'de>, Option<usize>)>,
    others: I,
}

impl<'de, I: Iterator<Item = (Scalar<'de>, Option<usize>)>> Values<'de, I> {
    fn new(mut values: I) -> Self {
        Self { first: values.next(), second: values.next(), others: values }
    }

    fn take(&mut self) -> Option<(Scalar<'de>, Option<usize>)> {
        let next = self.second.take();
        self.second = self.others.next();
        core::mem::replace(&mut self.first, next)
    }

    /// The value, for a type that takes a single one.
    fn only(self) -> Result<Scalar<'de>, Error> {
        match (self.first, self.second) {
            (Some((value, _)), None) => Ok(value),
            (_, Some((_, position))) => Err(Error::message(REPEATED).at(None, position)),
            (None, None) => Err(Error::message("no value, where one is expected")),
        }
    }
}

impl<'de, I: Iterator<Item = (Scalar<'de>, Option<usize>)>> SeqAccess<'de> for Values<'de, I> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some((value, position)) = self.take() else { return Ok(None) };
        seed.deserialize(value).map(Some).map_err(|error| error.at(None, position))
    }
}

impl<'de, I: Iterator<Item = (Scalar<'de>, Option<usize>)>> de::Deserializer<'de> for Values<'de, I> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.second {
            Some(_) => visitor.visit_seq(self),
            None => self.only()?.deserialize_any(visitor),
        }
    }

    only!();

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match (&self.first, &self.second) {
            (Some((value, _)), None) if value.is_none() => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(mut self, length: usize, visitor: V) -> Result<V::Value, Error> {
        let value = visitor.visit_seq(AtMost { values: &mut self, left: length })?;
        match self.first {
            None => Ok(value),
            Some((_, position)) => Err(Error::message(format_args!("more than {length} values")).at(None, position)),
        }
    }

    delegate! { ignored_any newtype_struct tuple_struct }
}

/// The first `n` elements of a sequence.
struct AtMost<'a, A> {
    values: &'a mut A,
    left: usize,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for AtMost<'_, A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, A::Error> {
        match self.left.checked_sub(1) {
            None => Ok(None),
            Some(left) => {
                self.left = left;
                self.values.next_element_seed(seed)
            }
        }
    }
}

/// All pairs in order. Passed by reference, as [`Map`] is.
struct Sequence<'de> {
    pairs: Pairs<'de>,
    options: Options,
    /// The pair that was yielded last.
    name: Part<'de>,
    value: Part<'de>,
}

impl<'de> Sequence<'de> {
    #[inline]
    fn scalar(&self, part: Part<'de>) -> Scalar<'de> {
        Scalar::part(part, &self.pairs, self.options)
    }

    /// Adds the key and position of the current pair to an error.
    #[cold]
    fn at_pair(&self, error: Error) -> Error {
        error.at(self.scalar(self.name).text().ok().as_deref(), Some(self.pairs.offset(&self.name)))
    }
}

impl<'de> SeqAccess<'de> for Sequence<'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some((name, value)) = self.pairs.next() else { return Ok(None) };
        (self.name, self.value) = (name, value);
        match seed.deserialize(Pair { sequence: self, taken: 0 }) {
            Ok(element) => Ok(Some(element)),
            Err(error) => Err(self.at_pair(error)),
        }
    }
}

/// A pair, as a tuple of two or as an enum.
struct Pair<'s, 'de> {
    sequence: &'s Sequence<'de>,
    taken: usize,
}

impl<'de> SeqAccess<'de> for Pair<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.taken += 1;
        let part = match self.taken {
            1 => self.sequence.name,
            2 => self.sequence.value,
            _ => return Ok(None),
        };
        seed.deserialize(self.sequence.scalar(part)).map(Some)
    }
}

impl<'de> de::Deserializer<'de> for Pair<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        if length == 2 {
            visitor.visit_seq(self)
        } else {
            Err(Error::invalid_length(2, &"a pair, which is a name and a value"))
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let Sequence { name, value, .. } = *self.sequence;
        visitor.visit_enum(Variant { name: self.sequence.scalar(name), value: self.sequence.scalar(value) })
    }

    delegate! { ignored_any newtype_struct tuple_struct }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq map
        struct identifier
    }
}

/// An enum: the name is the variant, the value its content.
struct Variant<'de, V> {
    name: Scalar<'de>,
    value: V,
}

impl<'de, V: de::Deserializer<'de, Error = Error>> EnumAccess<'de> for Variant<'de, V> {
    type Error = Error;
    type Variant = Content<'de, V>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), Error> {
        Ok((seed.deserialize(self.name)?, Content { value: self.value, lifetime: PhantomData }))
    }
}

struct Content<'de, V> {
    value: V,
    lifetime: PhantomData<&'de ()>,
}

impl<'de, V: de::Deserializer<'de, Error = Error>> VariantAccess<'de> for Content<'de, V> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        <()>::deserialize(self.value)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.value)
    }

    fn tuple_variant<T: Visitor<'de>>(self, length: usize, visitor: T) -> Result<T::Value, Error> {
        self.value.deserialize_tuple(length, visitor)
    }

    fn struct_variant<T: Visitor<'de>>(self, _: &'static [&'static str], _: T) -> Result<T::Value, Error> {
        Err(Error::invalid_type(Unexpected::StructVariant, &"a variant with one value"))
    }
}

impl<'de> de::Deserializer<'de> for Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut map = Map::new(self.pairs()?, self.options);
        map.index_if_long()?;
        visitor.visit_map(&mut map)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(&mut self.into_sequence()?)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        let mut pairs = self.into_sequence()?;
        let value = visitor.visit_seq(AtMost { values: &mut pairs, left: length })?;
        match pairs.pairs.next() {
            None => Ok(value),
            Some((name, _)) => {
                let position = pairs.pairs.offset(&name);
                Err(Error::message(format_args!("more than {length} pairs")).at(None, Some(position)))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_empty() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_empty() { visitor.visit_unit() } else { self.deserialize_any(visitor) }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut map = Map::new(self.pairs()?, self.options);
        let Some(name) = map.only_name()? else {
            return Err(Error::message("a pair is expected, whose name is that of a variant"));
        };
        let value = visitor.visit_enum(Variant { name, value: map.values() });
        value.map_err(|error| map.at_pair(error))
    }

    delegate! { ignored_any newtype_struct tuple_struct unit_struct }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf map struct identifier
    }
}

/// For `#[serde(deserialize_with = "simdpct::form::from_text")]`: deserializes a string, or a
/// sequence of strings, and parses it like a value in [`from_bytes`].
///
/// Use it for fields that serde buffers as text, within `flatten`, `untagged` and `tag`: numbers,
/// `bool`, `Option` and sequences are then deserialized as elsewhere. It also works with other
/// formats whose values are strings.
///
/// # Errors
///
/// Returns an error if the input is neither a string nor a sequence of strings, or if the type
/// rejects it.
///
/// ```
/// use serde::Deserialize;
/// use simdpct::form;
///
/// #[derive(Deserialize)]
/// struct Page {
///     #[serde(deserialize_with = "form::from_text")]
///     size: u32,
///     #[serde(deserialize_with = "form::from_text")]
///     columns: Vec<u8>,
/// }
///
/// #[derive(Deserialize)]
/// struct Search {
///     q: String,
///     #[serde(flatten)]
///     page: Page,
/// }
///
/// let search: Search = form::from_str("size=50&q=fish&columns=7")?;
/// assert_eq!((search.page.size, &search.page.columns[..], &search.q[..]), (50, &[7][..], "fish"));
/// # Ok::<(), form::Error>(())
/// ```
pub fn from_text<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de>,
    D: de::Deserializer<'de>,
{
    let texts = deserializer.deserialize_any(TextVisitor)?.into_iter();
    let scalars = texts.map(|text| (Scalar { raw: Raw::Text(text), options: Options::DEFAULT }, None));
    T::deserialize(Values::new(scalars)).map_err(de::Error::custom)
}

/// Visits a string, or a sequence of strings.
struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Vec<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a sequence of strings")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok([Cow::Borrowed(text)].into())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        self.visit_string(text.to_owned())
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Self::Value, E> {
        Ok([Cow::Owned(text)].into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = sequence.next_element::<Cow<'de, str>>()? {
            texts.push(text);
        }
        Ok(texts)
    }
}
