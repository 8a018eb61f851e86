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

/// Methods that return an error, instead of a value of the type after `->`, which is `Self::Ok` if
/// omitted.
macro_rules! refuse {
    ($place:literal: $($what:literal: $($method:ident$(<$value:ident>)?($($argument:ty),*) $(-> $type:ty)?),+;)*) => {
        $($(fn $method$(<$value: Serialize + ?Sized>)?(self, $(_: $argument),*) -> Result<refuse!(@$($type)?), Error> {
            unsupported(concat!($what, $place))
        })+)*
    };
    (@) => { Self::Ok };
    (@$type:ty) => { $type };
}

/// Refuses scalars.
macro_rules! refuse_scalars {
    ($place:literal) => {
        refuse! { $place:
            "a bool": serialize_bool(bool);
            "a number": serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_i128(i128),
                serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_u128(u128),
                serialize_f32(f32), serialize_f64(f64);
            "a char": serialize_char(char);
            "a string": serialize_str(&str);
            "bytes": serialize_bytes(&[u8]);
        }
    };
}

/// `Some` and newtype structs, which are serialized as their content.
macro_rules! content {
    () => {
        fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
            value.serialize(self)
        }

        fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
            value.serialize(self)
        }
    };
}

/// Variants as pairs: the name is the variant.
macro_rules! variants {
    () => {
        fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
            self.form.pair(variant, &())
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

        refuse! { "":
            "a variant with named fields":
                serialize_struct_variant(&'static str, u32, &'static str, usize) -> Impossible<(), Error>;
        }
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

    refuse_scalars!(" in place of pairs");

    fn serialize_none(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        Ok(())
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

    fn serialize_map(self, _: Option<usize>) -> Result<Fields<'f>, Error> {
        Ok(Fields { form: self.form })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields<'f>, Error> {
        Ok(Fields { form: self.form })
    }

    content!();
    variants!();
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

    refuse_scalars!(" in place of a pair");

    refuse! { " in place of a pair":
        "nothing": serialize_none(), serialize_unit(), serialize_unit_struct(&'static str);
        "a map": serialize_map(Option<usize>) -> Impossible<(), Error>;
        "a struct": serialize_struct(&'static str, usize) -> Impossible<(), Error>;
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

    content!();
    variants!();
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

/// Numbers, `bool` and `char`, by the method `display`.
macro_rules! display_scalars {
    () => {
        display_scalars! {
            serialize_bool(bool) serialize_char(char)
            serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
            serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_u128(u128)
        }

        // `Debug` writes the shortest representation that round-trips, with an exponent instead of
        // many zeros.
        fn serialize_f32(self, value: f32) -> Result<(), Error> {
            self.display(format_args!("{value:?}"))
        }

        fn serialize_f64(self, value: f64) -> Result<(), Error> {
            self.display(format_args!("{value:?}"))
        }
    };
    ($($method:ident($type:ty))+) => {
        $(fn $method(self, value: $type) -> Result<(), Error> {
            self.display(value)
        })+
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

    display_scalars!();

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

    fn serialize_unit(self) -> Result<(), Error> {
        self.bytes(b"")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.bytes(b"")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.bytes(variant.as_bytes())
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

    content!();

    refuse! { " as a value":
        "a variant with a value": serialize_newtype_variant<T>(&'static str, u32, &'static str, &T);
        "a variant with values":
            serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Impossible<(), Error>;
        "a map": serialize_map(Option<usize>) -> Impossible<(), Error>;
        "a struct": serialize_struct(&'static str, usize) -> Impossible<(), Error>;
    }

    refuse! { "":
        "a variant with named fields":
            serialize_struct_variant(&'static str, u32, &'static str, usize) -> Impossible<(), Error>;
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

    display_scalars!();

    fn serialize_str(self, key: &str) -> Result<(), Error> {
        self.display(key)
    }

    fn serialize_bytes(self, key: &[u8]) -> Result<(), Error> {
        self.display(core::str::from_utf8(key).map_err(Error::message)?)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.display(variant)
    }

    content!();

    refuse! { " as a key":
        "None": serialize_none();
        "a unit": serialize_unit(), serialize_unit_struct(&'static str);
        "a variant with a value": serialize_newtype_variant<T>(&'static str, u32, &'static str, &T);
        "a sequence": serialize_seq(Option<usize>) -> Impossible<(), Error>;
        "a tuple":
            serialize_tuple(usize) -> Impossible<(), Error>,
            serialize_tuple_struct(&'static str, usize) -> Impossible<(), Error>;
        "a variant with values":
            serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Impossible<(), Error>;
        "a map": serialize_map(Option<usize>) -> Impossible<(), Error>;
        "a struct": serialize_struct(&'static str, usize) -> Impossible<(), Error>;
    }

    refuse! { "":
        "a variant with named fields":
            serialize_struct_variant(&'static str, u32, &'static str, usize) -> Impossible<(), Error>;
    }
}
