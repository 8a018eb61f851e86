//! Form serializer.
#![forbid(unsafe_code)]

use alloc::string::String;
use core::fmt::{Display, Write};

use ::serde::ser::{self, Impossible, Serialize};

use super::Error;
use crate::form::serialize::Serializer;

/// Serializes a value to a form: the inverse of [`from_bytes`](super::from_bytes), which documents
/// how types and forms correspond.
///
/// A sequence as a value becomes one pair per element, `None` becomes no pair (as an element, an
/// empty value), and `()` an empty value. Therefore an empty sequence cannot be distinguished from
/// a missing one (use `#[serde(default)]` to deserialize it), nor `Some` of an empty string from
/// `None`.
///
/// # Errors
///
/// Returns an error for types that a form cannot represent: nested values, `None` in place of a
/// pair, and a map whose keys are not scalars. If the error is about a value, it has the key.
///
/// ```
/// use serde::Serialize;
/// use simdpct::form;
///
/// #[derive(Serialize)]
/// struct Search<'a> {
///     q: &'a str,
///     page: Option<u32>,
///     tag: Vec<&'a str>,
/// }
///
/// let search = Search { q: "fish & chips", page: None, tag: vec!["a b", "c"] };
/// assert_eq!(form::to_string(&search)?, "q=fish+%26+chips&tag=a+b&tag=c");
///
/// let error = form::to_string(&[("a", Some((1, (2, 3))))]).unwrap_err();
/// assert_eq!(error.key(), Some("a"));
/// # Ok::<(), form::Error>(())
/// ```
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    let mut form = Form { serializer: Serializer::new(String::new()), key: String::new(), text: String::new() };
    value.serialize(Top { form: &mut form })?;
    Ok(form.serializer.finish())
}

/// Output and reusable buffers.
struct Form {
    serializer: Serializer<String>,
    key: String,
    text: String,
}

fn unsupported<T>(what: &str) -> Result<T, Error> {
    Err(Error::message(format_args!("a form cannot hold {what} here")))
}

/// Methods that return an error.
macro_rules! refuse {
    ($place:literal: $($method:ident($($argument:ty),*) $what:literal)*) => {
        $(fn $method(self, $(_: $argument),*) -> Result<Self::Ok, Error> {
            unsupported(concat!($what, $place))
        })*
    };
}

/// Serializes a whole form.
struct Top<'f> {
    form: &'f mut Form,
}

impl<'f> ser::Serializer for Top<'f> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Pairs<'f>;
    type SerializeTuple = Pairs<'f>;
    type SerializeTupleStruct = Pairs<'f>;
    type SerializeTupleVariant = Fields<'f>;
    type SerializeMap = Fields<'f>;
    type SerializeStruct = Fields<'f>;
    type SerializeStructVariant = Impossible<(), Error>;

    refuse! { " in place of pairs":
        serialize_bool(bool) "a bool"
        serialize_i8(i8) "a number"
        serialize_i16(i16) "a number"
        serialize_i32(i32) "a number"
        serialize_i64(i64) "a number"
        serialize_i128(i128) "a number"
        serialize_u8(u8) "a number"
        serialize_u16(u16) "a number"
        serialize_u32(u32) "a number"
        serialize_u64(u64) "a number"
        serialize_u128(u128) "a number"
        serialize_f32(f32) "a number"
        serialize_f64(f64) "a number"
        serialize_char(char) "a char"
        serialize_str(&str) "a string"
        serialize_bytes(&[u8]) "bytes"
    }

    fn serialize_none(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.form.pair(variant, &())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.form.pair(variant, value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Pairs<'f>, Error> {
        Ok(Pairs { form: self.form })
    }

    fn serialize_tuple(self, _: usize) -> Result<Pairs<'f>, Error> {
        Ok(Pairs { form: self.form })
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Pairs<'f>, Error> {
        Ok(Pairs { form: self.form })
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Fields<'f>, Error> {
        self.form.set_key(variant);
        Ok(Fields { form: self.form })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields<'f>, Error> {
        Ok(Fields { form: self.form })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields<'f>, Error> {
        Ok(Fields { form: self.form })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        unsupported("a variant with named fields")
    }
}

impl Form {
    fn set_key(&mut self, key: &str) {
        self.key.clear();
        self.key.push_str(key);
    }

    fn pair<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), Error> {
        let Self { serializer, text, .. } = self;
        value.serialize(Value { key, serializer, text, is_element: false }).map_err(|error| error.at(Some(key), None))
    }

    /// Appends a pair with the stored key.
    fn value<T: Serialize + ?Sized>(&mut self, value: &T, is_element: bool) -> Result<(), Error> {
        let Self { serializer, key, text } = self;
        value.serialize(Value { key, serializer, text, is_element }).map_err(|error| error.at(Some(key), None))
    }
}

/// Serializes a map, a struct, or the values of a tuple variant.
struct Fields<'f> {
    form: &'f mut Form,
}

impl ser::SerializeMap for Fields<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.form.key.clear();
        key.serialize(Key { text: &mut self.form.key })
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.form.value(value, false)
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

impl ser::SerializeStruct for Fields<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.form.pair(key, value)
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

impl ser::SerializeTupleVariant for Fields<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.form.value(value, true)
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

/// Serializes a sequence of pairs.
struct Pairs<'f> {
    form: &'f mut Form,
}

/// Implements all of serde's kinds of sequences for one element type.
macro_rules! sequence {
    ($type:ty: $($trait:ident $method:ident)*) => {
        $(impl ser::$trait for $type {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Error> {
                self.element(element)
            }

            fn end(self) -> Result<(), Error> {
                self.finish()
            }
        })*
    };
}

impl Pairs<'_> {
    fn element<T: Serialize + ?Sized>(&mut self, pair: &T) -> Result<(), Error> {
        pair.serialize(PairSerializer { form: self.form })
    }

    fn finish(self) -> Result<(), Error> {
        Ok(())
    }
}

sequence! { Pairs<'_>: SerializeSeq serialize_element SerializeTuple serialize_element SerializeTupleStruct serialize_field }

/// Serializes a pair: a tuple of two, or an enum.
struct PairSerializer<'f> {
    form: &'f mut Form,
}

impl<'f> ser::Serializer for PairSerializer<'f> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Pair<'f>;
    type SerializeTuple = Pair<'f>;
    type SerializeTupleStruct = Pair<'f>;
    type SerializeTupleVariant = Fields<'f>;
    type SerializeMap = Impossible<(), Error>;
    type SerializeStruct = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    refuse! { " in place of a pair":
        serialize_bool(bool) "a bool"
        serialize_i8(i8) "a number"
        serialize_i16(i16) "a number"
        serialize_i32(i32) "a number"
        serialize_i64(i64) "a number"
        serialize_i128(i128) "a number"
        serialize_u8(u8) "a number"
        serialize_u16(u16) "a number"
        serialize_u32(u32) "a number"
        serialize_u64(u64) "a number"
        serialize_u128(u128) "a number"
        serialize_f32(f32) "a number"
        serialize_f64(f64) "a number"
        serialize_char(char) "a char"
        serialize_str(&str) "a string"
        serialize_bytes(&[u8]) "bytes"
        serialize_none() "nothing"
        serialize_unit() "nothing"
        serialize_unit_struct(&'static str) "nothing"
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.form.pair(variant, &())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.form.pair(variant, value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Pair<'f>, Error> {
        Ok(Pair { form: self.form, written: 0 })
    }

    fn serialize_tuple(self, _: usize) -> Result<Pair<'f>, Error> {
        Ok(Pair { form: self.form, written: 0 })
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Pair<'f>, Error> {
        Ok(Pair { form: self.form, written: 0 })
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Fields<'f>, Error> {
        self.form.set_key(variant);
        Ok(Fields { form: self.form })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Impossible<(), Error>, Error> {
        unsupported("a map in place of a pair")
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Impossible<(), Error>, Error> {
        unsupported("a struct in place of a pair")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        unsupported("a variant with named fields")
    }
}

/// Serializes the two elements of a pair.
struct Pair<'f> {
    form: &'f mut Form,
    written: usize,
}

impl Pair<'_> {
    fn element<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Error> {
        self.written += 1;
        match self.written {
            1 => {
                self.form.key.clear();
                element.serialize(Key { text: &mut self.form.key })
            }
            2 => self.form.value(element, false),
            _ => unsupported("a third element in a pair"),
        }
    }

    fn finish(self) -> Result<(), Error> {
        if self.written == 2 { Ok(()) } else { unsupported("a pair of fewer than two elements") }
    }
}

sequence! { Pair<'_>: SerializeSeq serialize_element SerializeTuple serialize_element SerializeTupleStruct serialize_field }

/// Serializes the value of a key.
struct Value<'f> {
    key: &'f str,
    serializer: &'f mut Serializer<String>,
    text: &'f mut String,
    /// Whether the value is an element of a sequence.
    is_element: bool,
}

impl Value<'_> {
    fn display(self, value: impl Display) -> Result<(), Error> {
        self.text.clear();
        write!(self.text, "{value}").map_err(Error::message)?;
        self.serializer.append_pair(self.key, self.text.as_str());
        Ok(())
    }

    fn bytes(self, value: &[u8]) -> Result<(), Error> {
        self.serializer.append_pair(self.key, value);
        Ok(())
    }
}

/// Methods that serialize a number or a `bool`.
macro_rules! display {
    ($($method:ident $type:ty)*) => {
        $(fn $method(self, value: $type) -> Result<(), Error> {
            self.display(value)
        })*
    };
}

impl<'f> ser::Serializer for Value<'f> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Elements<'f>;
    type SerializeTuple = Elements<'f>;
    type SerializeTupleStruct = Elements<'f>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Impossible<(), Error>;
    type SerializeStruct = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    display! {
        serialize_bool bool
        serialize_i8 i8
        serialize_i16 i16
        serialize_i32 i32
        serialize_i64 i64
        serialize_i128 i128
        serialize_u8 u8
        serialize_u16 u16
        serialize_u32 u32
        serialize_u64 u64
        serialize_u128 u128
        serialize_char char
    }

    // `Debug` writes the shortest representation that round-trips, with an exponent instead of many
    // zeros.
    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.display(format_args!("{value:?}"))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.display(format_args!("{value:?}"))
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.bytes(value.as_bytes())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.bytes(value)
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.display(value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        // An element must not be omitted, or the following ones would move up.
        if self.is_element { self.bytes(b"") } else { Ok(()) }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.bytes(b"")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.bytes(b"")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.bytes(variant.as_bytes())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        unsupported("a variant with a value as a value")
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Elements<'f>, Error> {
        if self.is_element { unsupported("a sequence within a sequence") } else { Ok(Elements { value: self }) }
    }

    fn serialize_tuple(self, length: usize) -> Result<Elements<'f>, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Elements<'f>, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        unsupported("a variant with values as a value")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Impossible<(), Error>, Error> {
        unsupported("a map as a value")
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Impossible<(), Error>, Error> {
        unsupported("a struct as a value")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        unsupported("a variant with named fields")
    }
}

/// Serializes the values of a key.
struct Elements<'f> {
    value: Value<'f>,
}

impl Elements<'_> {
    fn element<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Error> {
        let Value { key, serializer, text, .. } = &mut self.value;
        element.serialize(Value { key, serializer, text, is_element: true })
    }

    fn finish(self) -> Result<(), Error> {
        Ok(())
    }
}

sequence! { Elements<'_>: SerializeSeq serialize_element SerializeTuple serialize_element SerializeTupleStruct serialize_field }

/// Serializes a key to text.
struct Key<'f> {
    text: &'f mut String,
}

impl Key<'_> {
    fn display(self, key: impl Display) -> Result<(), Error> {
        write!(self.text, "{key}").map_err(Error::message)
    }
}

impl ser::Serializer for Key<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Impossible<(), Error>;
    type SerializeTuple = Impossible<(), Error>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Impossible<(), Error>;
    type SerializeStruct = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    display! {
        serialize_bool bool
        serialize_i8 i8
        serialize_i16 i16
        serialize_i32 i32
        serialize_i64 i64
        serialize_i128 i128
        serialize_u8 u8
        serialize_u16 u16
        serialize_u32 u32
        serialize_u64 u64
        serialize_u128 u128
        serialize_char char
        serialize_str &str
    }

    refuse! { " as a key":
        serialize_none() "None"
        serialize_unit() "a unit"
        serialize_unit_struct(&'static str) "a unit"
    }

    fn serialize_f32(self, key: f32) -> Result<(), Error> {
        self.display(format_args!("{key:?}"))
    }

    fn serialize_f64(self, key: f64) -> Result<(), Error> {
        self.display(format_args!("{key:?}"))
    }

    fn serialize_bytes(self, key: &[u8]) -> Result<(), Error> {
        self.display(core::str::from_utf8(key).map_err(Error::message)?)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, key: &T) -> Result<(), Error> {
        key.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.display(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, key: &T) -> Result<(), Error> {
        key.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        unsupported("a variant with a value as a key")
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Impossible<(), Error>, Error> {
        unsupported("a sequence as a key")
    }

    fn serialize_tuple(self, _: usize) -> Result<Impossible<(), Error>, Error> {
        unsupported("a tuple as a key")
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Impossible<(), Error>, Error> {
        unsupported("a tuple as a key")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        unsupported("a variant with values as a key")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Impossible<(), Error>, Error> {
        unsupported("a map as a key")
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Impossible<(), Error>, Error> {
        unsupported("a struct as a key")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        unsupported("a variant with named fields")
    }
}
