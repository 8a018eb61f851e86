//! Migration from other crates: the equivalents of `percent-encoding`, `urlencoding`,
//! `form_urlencoded`, `serde_urlencoded` and `url-escape`.
//!
//! This module contains no code. Each table is followed by a test of its rows, which runs both
//! crates on the same inputs and compares the results. Versions: percent-encoding 2.3, urlencoding
//! 2.1, form_urlencoded 1.2, serde_urlencoded 0.7, url-escape 0.1.
//!
//! To use this library without changing code, see `drop-in/` in the repository: replacements of
//! percent-encoding, form_urlencoded and urlencoding with the same public interfaces.
//!
//! General differences:
//!
//! - The other crates decode leniently: a malformed `%` is kept. Here this is opt-in, with
//!   [`Decoder::lenient`]. A strict decoder returns the position of the first malformed `%`.
//! - Errors are [`DecodeError`]s, with the kind and the position in the *input*. A `Utf8Error` has
//!   the position in the output, which is [`decoder.decoded_offset(input,
//!   error.position)`](Decoder::decoded_offset).
//! - All functions take text or bytes: any [`Input`]. Functions that take pairs take them by value
//!   or by reference: any iterator of [`Pair`]s.
//! - A borrowed `Cow` is always the input itself.
//!
//! # percent-encoding
//!
//! With `LENIENT` for `Decoder::new().lenient()`:
//!
//! | percent-encoding | simdpct |
//! |---|---|
//! | `AsciiSet::EMPTY`, `CONTROLS`, `NON_ALPHANUMERIC` | [`ByteSet::EMPTY`], [`sets::CTL`], `sets::ALPHA.union(sets::DIGIT).complement()` |
//! | `set.add(b)`, `.remove(b)`, `.union(other)` or `+`, `.complement()` or `!` | [`with`](ByteSet::with), [`without`](ByteSet::without), [`union`](ByteSet::union) or `\|`, [`complement`](ByteSet::complement) or `!` |
//! | `utf8_percent_encode(text, SET)` as `Display` | [`Encoder::new(SET).display(text)`](Encoder::display) |
//! | `utf8_percent_encode(text, SET)` as `Iterator` | [`Encoder::new(SET).pieces(text)`](Encoder::pieces) |
//! | `utf8_percent_encode(text, SET).to_string()`, `.collect::<String>()` | [`Encoder::new(SET).display(text).to_string()`](Encoded::to_string) |
//! | `Cow::from(utf8_percent_encode(text, SET))` | [`Encoder::new(SET).encode(text)`](Encoder::encode) |
//! | `percent_encode(bytes, SET)` | [`Encoder::new(SET).encode(bytes)`](Encoder::encode) |
//! | `output.extend(utf8_percent_encode(text, SET))` | [`Encoder::new(SET).encode_to(text, &mut output)`](Encoder::encode_to) |
//! | `percent_encode_byte(byte)` | [`Encoder::new(ByteSet::ALL).encode_byte(byte)`](Encoder::encode_byte) |
//! | `Cow::from(percent_decode(bytes))`, `percent_decode(bytes).collect::<Vec<u8>>()` | [`LENIENT.decode(bytes)`](Decoder::decode) |
//! | `percent_decode_str(text).decode_utf8()` | [`LENIENT.decode_utf8(text)`](Decoder::decode_utf8) |
//! | `percent_decode_str(text).decode_utf8_lossy()` | [`decode_utf8_lossy(text)`](crate::decode_utf8_lossy) |
//! | `output.extend(percent_decode(bytes))` | [`LENIENT.decode_to(bytes, &mut output)`](Decoder::decode_to) |
//!
//! An `AsciiSet` contains no bytes from 0x80; these are always escaped. Here too, they are escaped
//! even if the [`ByteSet`] does not contain them.
//!
//! ```
//! use percent_encoding::{
//!     AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode, percent_decode_str, percent_encode, percent_encode_byte,
//!     utf8_percent_encode,
//! };
//! use simdpct::{ByteSet, Decoder, Encoder, decode_utf8_lossy, sets};
//! use std::borrow::Cow;
//!
//! const LENIENT: Decoder = Decoder::new().lenient();
//! const THEIRS: &AsciiSet = &CONTROLS.add(b' ').add(b'/').remove(b'\n');
//! const OURS: ByteSet = sets::CTL.with(b' ').with(b'/').without(b'\n');
//! const ALPHANUMERIC: ByteSet = sets::ALPHA.union(sets::DIGIT);
//!
//! let texts = ["", "plain", "a/b c\n~", "é 100% %2", "%41%%42%zz%C3%A9"];
//! let sets: [(&'static AsciiSet, ByteSet); 6] = [
//!     (&AsciiSet::EMPTY, ByteSet::EMPTY),
//!     (CONTROLS, sets::CTL),
//!     (NON_ALPHANUMERIC, ALPHANUMERIC.complement()),
//!     (THEIRS, OURS),
//!     (&const { THEIRS.union(AsciiSet::EMPTY.add(b'a')) }, OURS.union(ByteSet::new(b"a"))),
//!     (&const { THEIRS.complement() }, OURS.complement()),
//! ];
//! for (theirs, ours) in sets {
//!     let ours = Encoder::new(ours);
//!     for text in texts {
//!         assert_eq!(format!("{}", utf8_percent_encode(text, theirs)), format!("{}", ours.display(text)));
//!         assert_eq!(utf8_percent_encode(text, theirs).to_string(), ours.display(text).to_string());
//!         assert!(utf8_percent_encode(text, theirs).eq(ours.pieces(text)));
//!         assert_eq!(Cow::from(utf8_percent_encode(text, theirs)), ours.encode(text));
//!         assert_eq!(percent_encode(text.as_bytes(), theirs).to_string(), ours.encode(text.as_bytes()));
//!         let (mut expected, mut output) = (String::from("x"), String::from("x"));
//!         expected.extend(utf8_percent_encode(text, theirs));
//!         ours.encode_to(text, &mut output);
//!         assert_eq!(expected, output);
//!     }
//! }
//! for byte in 0..=255 {
//!     assert_eq!(percent_encode_byte(byte), Encoder::new(ByteSet::ALL).encode_byte(byte));
//! }
//! for bytes in texts.map(str::as_bytes).into_iter().chain([&b"%FF%80\xFF"[..]]) {
//!     assert_eq!(Cow::from(percent_decode(bytes)), LENIENT.decode(bytes)?);
//!     assert_eq!(percent_decode(bytes).collect::<Vec<u8>>(), LENIENT.decode(bytes)?.into_owned());
//!     let (mut expected, mut output) = (vec![1], vec![1]);
//!     expected.extend(percent_decode(bytes));
//!     LENIENT.decode_to(bytes, &mut output)?;
//!     assert_eq!(expected, output);
//! }
//! for text in texts.into_iter().chain(["a%FF", "%E2%82"]) {
//!     let (theirs, ours) = (percent_decode_str(text).decode_utf8(), LENIENT.decode_utf8(text));
//!     assert_eq!(
//!         theirs.map_err(|error| error.valid_up_to()),
//!         ours.map_err(|error| LENIENT.decoded_offset(text, error.position))
//!     );
//!     assert_eq!(percent_decode_str(text).decode_utf8_lossy(), decode_utf8_lossy(text));
//! }
//! # Ok::<(), simdpct::DecodeError>(())
//! ```
//!
//! # urlencoding
//!
//! | urlencoding | simdpct |
//! |---|---|
//! | `encode(text)`, `encode_binary(bytes)` | [`encode(x)`](crate::encode()) |
//! | `Encoded(text)` or `Encoded::str(text)` as `Display` | [`Encoder::COMPONENT.display(text)`](Encoder::display) |
//! | `Encoded(text).to_str()` | [`encode(text)`](crate::encode()) |
//! | `Encoded(text).append_to(&mut output)` | [`Encoder::COMPONENT.encode_to(text, &mut output)`](Encoder::encode_to) |
//! | `Encoded(text).write(&mut writer)` | `write!(writer, "{}", Encoder::COMPONENT.display(text))` |
//! | `decode(text)` | [`LENIENT.decode_utf8(text)`](Decoder::decode_utf8), or strictly [`decode_utf8(text)`](crate::decode_utf8()) |
//! | `decode_binary(bytes)` | [`LENIENT.decode(bytes)`](Decoder::decode) |
//!
//! ```
//! use simdpct::{Decoder, Encoder, encode};
//! use std::io::Write;
//! use urlencoding::Encoded;
//!
//! const LENIENT: Decoder = Decoder::new().lenient();
//!
//! for text in ["", "plain", "a/b c\n~", "é 100% %2", "%41%%42%zz%C3%A9", "%", "%FF"] {
//!     assert_eq!(urlencoding::encode(text), encode(text));
//!     assert_eq!(urlencoding::encode_binary(text.as_bytes()), encode(text.as_bytes()));
//!     assert_eq!(format!("{}", Encoded(text)), format!("{}", Encoder::COMPONENT.display(text)));
//!     assert_eq!(Encoded::str(text).to_string(), Encoder::COMPONENT.display(text).to_string());
//!     assert_eq!(Encoded(text).to_str(), encode(text));
//!     let (mut expected, mut output) = (String::from("x"), String::from("x"));
//!     Encoded(text).append_to(&mut expected);
//!     Encoder::COMPONENT.encode_to(text, &mut output);
//!     assert_eq!(expected, output);
//!     let (mut expected, mut output) = (Vec::new(), Vec::new());
//!     Encoded(text).write(&mut expected)?;
//!     write!(output, "{}", Encoder::COMPONENT.display(text))?;
//!     assert_eq!(expected, output);
//!     assert_eq!(urlencoding::decode(text).ok(), LENIENT.decode_utf8(text).ok());
//!     assert_eq!(urlencoding::decode_binary(text.as_bytes()), LENIENT.decode(text)?);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # form_urlencoded
//!
//! | form_urlencoded | simdpct |
//! |---|---|
//! | `byte_serialize(bytes)` as `Iterator` | [`Encoder::FORM.pieces(bytes)`](Encoder::pieces) |
//! | `byte_serialize(bytes).collect::<String>()` | [`Encoder::FORM.display(bytes).to_string()`](Encoded::to_string) |
//! | `output.extend(byte_serialize(bytes))` | [`Encoder::FORM.encode_to(bytes, &mut output)`](Encoder::encode_to) |
//! | `parse(query)`, for one name or value | [`FORM.decode_utf8_lossy(x)`](Decoder::decode_utf8_lossy), with `Decoder::new().lenient().plus_for_space()` |
//! | `parse(query)` | [`form::parse_lossy(query)`](form::parse_lossy) |
//! | `parse(query).into_owned()` | [`form::parse_lossy(query).into_owned()`](form::ParseLossy::into_owned) |
//! | `Serializer::new(target)`, `for_suffix(target, start)` | [`form::Serializer::new(target)`](form::Serializer::new), [`for_suffix(target, start)`](form::Serializer::for_suffix) |
//! | `.append_pair(name, value)`, `.append_key_only(name)` | [the same](form::Serializer::append_pair) |
//! | `.extend_pairs(pairs)`, `.extend_keys_only(names)` | [the same](form::Serializer::extend_pairs) |
//! | `.finish()` | [the same](form::Serializer::finish); it takes the serializer, so it cannot be called twice |
//!
//! ```
//! use simdpct::form;
//!
//! for query in ["", "a=b", "&&q=fish+%26+chips&page=2&q=%FF&=&x", "a==b&%zz=%", "caf%C3%A9=\u{e9}"] {
//!     assert!(form_urlencoded::parse(query.as_bytes()).eq(form::parse_lossy(query)));
//!     let expected: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
//!     let pairs: Vec<(String, String)> = form::parse_lossy(query).into_owned().collect();
//!     assert_eq!(expected, pairs);
//!
//!     let start = String::from("https://example.org/?");
//!     let mut theirs = form_urlencoded::Serializer::for_suffix(start.clone(), start.len());
//!     theirs.extend_pairs::<_, String, String>(&pairs);
//!     theirs.append_pair("a b", "1+1").append_key_only("x").extend_keys_only::<_, &str>(["y", "z"]);
//!     let mut ours = form::Serializer::for_suffix(start.clone(), start.len());
//!     ours.extend_pairs(&pairs);
//!     ours.append_pair("a b", "1+1").append_key_only("x").extend_keys_only(["y", "z"]);
//!     assert_eq!(theirs.finish(), ours.finish());
//! }
//! ```
//!
//! ```
//! use simdpct::{Decoder, Encoder};
//!
//! const FORM: Decoder = Decoder::new().lenient().plus_for_space();
//!
//! for text in ["", "plain", "a/b c\n~*", "é 1+1 %2B", "+%41%%42%zz%C3%A9", "%", "%FF"] {
//!     assert!(form_urlencoded::byte_serialize(text.as_bytes()).eq(Encoder::FORM.pieces(text)));
//!     assert_eq!(form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>(), Encoder::FORM.display(text).to_string());
//!     let (mut expected, mut output) = (String::from("x"), String::from("x"));
//!     expected.extend(form_urlencoded::byte_serialize(text.as_bytes()));
//!     Encoder::FORM.encode_to(text, &mut output);
//!     assert_eq!(expected, output);
//!     let query = format!("{text}={text}");
//!     let (name, value) = form_urlencoded::parse(query.as_bytes()).next().unwrap();
//!     assert_eq!(name, FORM.decode_utf8_lossy(text)?);
//!     assert_eq!(value, FORM.decode_utf8_lossy(text)?);
//! }
//! # Ok::<(), simdpct::DecodeError>(())
//! ```
//!
//! # serde_urlencoded
//!
//! With the feature `serde`. Types that both crates support have the same form in both, except
//! where the second table says otherwise.
//!
//! | serde_urlencoded | simdpct |
//! |---|---|
//! | `from_str(form)`, `from_bytes(form)` | `form::from_str(form)`, `form::from_bytes(form)` |
//! | `from_reader(reader)` | read to a `Vec`, then `form::from_bytes` |
//! | `Deserializer::new(form_urlencoded::parse(form))` | `form::Deserializer::new(form).lossy()` |
//! | `to_string(value)` | `form::to_string(value)` |
//! | `value.serialize(Serializer::new(&mut target))` | `form::to_string(value)`, appended to the target |
//! | `de::Error`, `ser::Error` | `form::Error`, with the key and the position |
//!
//! | in a form or a type | serde_urlencoded | simdpct |
//! |---|---|---|
//! | a malformed `%` | kept | error; kept if `lossy()` |
//! | invalid UTF-8 | U+FFFD | error; U+FFFD if `lossy()`; kept in bytes |
//! | a repeated key in a map | the last value | error, unless the value is a sequence |
//! | a sequence or tuple as a value | error | one pair for each element |
//! | `Option`, an empty value | `Some` of an empty text; an error for a number | `None`; as there if `empty_is_some()` |
//! | `u128` and `i128`, read | error | a number |
//! | bytes that are not UTF-8, written | error | escaped |
//! | `()` as a value | error | an empty value |
//! | a unit struct as a value | its name when written, error when read | an empty value |
//! | an enum as a whole form | error | one pair: the variant and its content |
//! | a tuple, an array, an `Option` or a unit struct as a whole form, read | error | its pairs; `None` if there are none |
//! | an `Option` as a key, written | error | the key, unless it is `None` |
//!
//! ```
//! # #[cfg(not(feature = "serde"))]
//! # fn main() {}
//! # #[cfg(feature = "serde")]
//! # fn main() {
//! use serde::{Deserialize, Serialize};
//! use simdpct::form;
//! use std::collections::BTreeMap;
//!
//! #[derive(Debug, Deserialize, PartialEq, Serialize)]
//! enum Order {
//!     Newest,
//!     Oldest,
//! }
//!
//! #[derive(Debug, Deserialize, PartialEq, Serialize)]
//! struct Search {
//!     q: String,
//!     page: Option<u32>,
//!     exact: bool,
//!     ratio: f64,
//!     order: Order,
//! }
//!
//! // The same in both.
//! let form = "q=fish+%26+chips&page=2&exact=true&ratio=1.0&order=Newest";
//! let search: Search = form::from_str(form).unwrap();
//! assert_eq!(serde_urlencoded::from_str::<Search>(form).unwrap(), search);
//! assert_eq!(serde_urlencoded::from_bytes::<Search>(form.as_bytes()).unwrap(), form::from_bytes(form.as_bytes()).unwrap());
//! assert_eq!(serde_urlencoded::from_reader::<Search, _>(form.as_bytes()).unwrap(), search);
//! assert_eq!((serde_urlencoded::to_string(&search).unwrap(), form::to_string(&search).unwrap()), (form.into(), form.into()));
//! let mut target = form_urlencoded::Serializer::new(String::from("a=b"));
//! search.serialize(serde_urlencoded::Serializer::new(&mut target)).unwrap();
//! assert_eq!(target.finish(), format!("a=b&{}", form::to_string(&search).unwrap()));
//! let without_page = Search { page: None, ..search };
//! assert_eq!(serde_urlencoded::to_string(&without_page).unwrap(), form::to_string(&without_page).unwrap());
//! for form in ["q=a&exact=true&ratio=1&order=Oldest", "q=a", "", "q=a&q=b&exact=true&ratio=1&order=Oldest", "page=x"] {
//!     assert_eq!(serde_urlencoded::from_str::<Search>(form).ok(), form::from_str(form).ok());
//! }
//!
//! // A malformed `%`, and invalid UTF-8.
//! type Map = BTreeMap<String, String>;
//! let form = "a=100%&b=%FF";
//! let theirs: Map = serde_urlencoded::from_str(form).unwrap();
//! assert_eq!((&*theirs["a"], &*theirs["b"]), ("100%", "\u{FFFD}"));
//! let parse = form_urlencoded::parse(form.as_bytes());
//! assert_eq!(Map::deserialize(serde_urlencoded::Deserializer::new(parse)).unwrap(), theirs);
//! assert_eq!(Map::deserialize(form::Deserializer::new(form.as_bytes()).lossy()).unwrap(), theirs);
//! assert_eq!(form::from_str::<Map>(form).unwrap_err().position(), Some(5));
//!
//! // A repeated key in a map.
//! assert_eq!(serde_urlencoded::from_str::<Map>("a=1&a=2").unwrap()["a"], "2");
//! let error = form::from_str::<Map>("a=1&a=2").unwrap_err();
//! assert_eq!((error.key(), error.position()), (Some("a"), Some(4)));
//!
//! // Sequences.
//! type Lists = BTreeMap<String, Vec<u8>>;
//! assert!(serde_urlencoded::from_str::<Lists>("a=1&a=2").is_err());
//! let lists: Lists = form::from_str("a=1&a=2").unwrap();
//! assert_eq!(lists["a"], [1, 2]);
//! assert!(serde_urlencoded::to_string(&lists).is_err());
//! assert_eq!(form::to_string(&lists).unwrap(), "a=1&a=2");
//!
//! // An empty value of an `Option`.
//! type Texts = BTreeMap<String, Option<String>>;
//! type Numbers = BTreeMap<String, Option<u8>>;
//! assert_eq!(serde_urlencoded::from_str::<Texts>("a=").unwrap()["a"].as_deref(), Some(""));
//! assert!(serde_urlencoded::from_str::<Numbers>("a=").is_err());
//! assert_eq!(form::from_str::<Texts>("a=").unwrap()["a"], None);
//! assert_eq!(form::from_str::<Numbers>("a=").unwrap()["a"], None);
//! let option = || form::Deserializer::new(b"a=").empty_is_some();
//! assert_eq!(Texts::deserialize(option()).unwrap()["a"].as_deref(), Some(""));
//! assert!(Numbers::deserialize(option()).is_err());
//!
//! // Integers of 128 bits.
//! assert!(serde_urlencoded::from_str::<Vec<(char, u128)>>("a=1").is_err());
//! assert!(serde_urlencoded::from_str::<Vec<(char, i128)>>("a=1").is_err());
//! assert_eq!(form::from_str::<Vec<(char, u128)>>("a=1").unwrap(), [('a', 1)]);
//! assert_eq!(form::from_str::<Vec<(char, i128)>>("a=1").unwrap(), [('a', 1)]);
//!
//! // Bytes that are not UTF-8.
//! struct Bytes(&'static [u8]);
//! impl Serialize for Bytes {
//!     fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
//!         serializer.serialize_bytes(self.0)
//!     }
//! }
//! assert!(serde_urlencoded::to_string([('a', Bytes(b"\xFF"))]).is_err());
//! assert_eq!(form::to_string(&[('a', Bytes(b"\xFF"))]).unwrap(), "a=%FF");
//!
//! // Types without content.
//! #[derive(Debug, Deserialize, PartialEq, Serialize)]
//! struct Unit;
//! assert!(serde_urlencoded::to_string([('a', ())]).is_err());
//! assert!(serde_urlencoded::from_str::<Vec<(char, ())>>("a=").is_err());
//! assert_eq!(serde_urlencoded::to_string([('a', Unit)]).unwrap(), "a=Unit");
//! assert!(serde_urlencoded::from_str::<Vec<(char, Unit)>>("a=Unit").is_err());
//! assert_eq!(form::to_string(&[('a', ())]).unwrap(), "a=");
//! assert_eq!(form::to_string(&[('a', Unit)]).unwrap(), "a=");
//! assert_eq!(form::from_str::<Vec<(char, Unit)>>("a=").unwrap(), [('a', Unit)]);
//!
//! // An enum as a whole form.
//! #[derive(Debug, Deserialize, PartialEq, Serialize)]
//! enum Key {
//!     Id(u8),
//! }
//! assert!(serde_urlencoded::to_string(Key::Id(1)).is_err());
//! assert!(serde_urlencoded::from_str::<Key>("Id=1").is_err());
//! assert_eq!(form::to_string(&Key::Id(1)).unwrap(), "Id=1");
//! assert_eq!(form::from_str::<Key>("Id=1").unwrap(), Key::Id(1));
//!
//! // Other types as a whole form, and an `Option` as a key.
//! type Pair = (char, u8);
//! assert!(serde_urlencoded::from_str::<(Pair, Pair)>("a=1&b=2").is_err());
//! assert!(serde_urlencoded::from_str::<[Pair; 2]>("a=1&b=2").is_err());
//! assert!(serde_urlencoded::from_str::<Option<Vec<Pair>>>("").is_err());
//! assert!(serde_urlencoded::from_str::<Unit>("").is_err());
//! assert_eq!(form::from_str::<(Pair, Pair)>("a=1&b=2").unwrap(), (('a', 1), ('b', 2)));
//! assert_eq!(form::from_str::<[Pair; 2]>("a=1&b=2").unwrap(), [('a', 1), ('b', 2)]);
//! assert_eq!(form::from_str::<Option<Vec<Pair>>>("").unwrap(), None);
//! assert_eq!(form::from_str::<Unit>("").unwrap(), Unit);
//! assert!(serde_urlencoded::to_string([(Some('a'), 1)]).is_err());
//! assert_eq!(form::to_string(&[(Some('a'), 1)]).unwrap(), "a=1");
//! assert!(form::to_string(&[(None::<char>, 1)]).is_err());
//! # }
//! ```
//!
//! # url-escape
//!
//! Every `encode_*` function below has three variants: `_to_string` and `_to_vec` append,
//! `_to_writer` writes. To append to a `String` or a `Vec`, use [`Encoder::encode_to`]. To write to
//! a writer, write [`Encoder::display`], which does not allocate.
//!
//! | url-escape | simdpct |
//! |---|---|
//! | `encode(text, SET)` | [`Encoder::new(SET).encode(text)`](Encoder::encode) |
//! | `encode_fragment(text)`, `FRAGMENT` | [`sets::whatwg::FRAGMENT`] |
//! | `encode_query(text)`, `QUERY` | [`sets::whatwg::QUERY`] |
//! | `encode_special_query(text)`, `SPECIAL_QUERY` | [`sets::whatwg::SPECIAL_QUERY`] |
//! | `encode_path(text)`, `PATH` | [`sets::whatwg::PATH`] |
//! | `encode_userinfo(text)`, `USERINFO` | [`sets::whatwg::USERINFO`] |
//! | `encode_component(text)`, `COMPONENT` | [`sets::whatwg::COMPONENT`] |
//! | `encode_www_form_urlencoded(text)` | [`Encoder::FORM.encode(text)`](Encoder::encode) |
//! | `X_WWW_FORM_URLENCODED` | [`sets::whatwg::FORM`] |
//! | `decode(text)` | [`decode_utf8_lossy(text)`](crate::decode_utf8_lossy) |
//! | `decode_to_vec(text, &mut output)`, `decode_to_writer` | [`LENIENT.decode_to(text, &mut output)`](Decoder::decode_to), [`LENIENT.decode(text)`](Decoder::decode) |
//! | `decode_www_form_urlencoded(text)` | [`FORM.decode_utf8_lossy(text)`](Decoder::decode_utf8_lossy) |
//! | `decode_www_form_urlencoded_to_vec(text, &mut output)` | [`FORM.decode_to(text, &mut output)`](Decoder::decode_to) |
//!
//! ```
//! use simdpct::sets::whatwg;
//! use simdpct::{ByteSet, Decoder, Encoder, decode_utf8_lossy};
//! use std::borrow::Cow;
//! use std::io::Write;
//! use url_escape::percent_encoding::AsciiSet;
//!
//! const LENIENT: Decoder = Decoder::new().lenient();
//! const FORM: Decoder = LENIENT.plus_for_space();
//!
//! let ascii: String = (0..=0x7F_u8).map(char::from).collect();
//! let texts = ["", "plain", "a/b c\n~*", "é 1+1 %2B", "+%41%%42%zz%C3%A9", "%", "%FF", &ascii];
//! let sets: [(&'static AsciiSet, for<'a> fn(&'a str) -> Cow<'a, str>, ByteSet); 6] = [
//!     (url_escape::FRAGMENT, url_escape::encode_fragment, whatwg::FRAGMENT),
//!     (url_escape::QUERY, url_escape::encode_query, whatwg::QUERY),
//!     (url_escape::SPECIAL_QUERY, url_escape::encode_special_query, whatwg::SPECIAL_QUERY),
//!     (url_escape::PATH, url_escape::encode_path, whatwg::PATH),
//!     (url_escape::USERINFO, url_escape::encode_userinfo, whatwg::USERINFO),
//!     (url_escape::COMPONENT, url_escape::encode_component, whatwg::COMPONENT),
//! ];
//! for text in texts {
//!     for (set, encode, ours) in sets {
//!         let ours = Encoder::new(ours);
//!         assert_eq!(encode(text), ours.encode(text));
//!         assert_eq!(url_escape::encode(text, set), ours.encode(text));
//!         let (mut expected, mut output) = (String::from("x"), String::from("x"));
//!         url_escape::encode_to_string(text, set, &mut expected);
//!         ours.encode_to(text, &mut output);
//!         assert_eq!(expected, output);
//!         let (mut expected, mut output) = (Vec::new(), Vec::new());
//!         url_escape::encode_to_vec(text, set, &mut expected);
//!         url_escape::encode_to_writer(text, set, &mut expected)?;
//!         ours.encode_to(text, &mut output);
//!         write!(output, "{}", ours.display(text))?;
//!         assert_eq!(expected, output);
//!     }
//!     assert_eq!(url_escape::encode_www_form_urlencoded(text), Encoder::FORM.encode(text));
//!     let set = Encoder::new(whatwg::FORM);
//!     assert_eq!(url_escape::encode(text, url_escape::X_WWW_FORM_URLENCODED), set.encode(text));
//!     assert_eq!(url_escape::decode(text), decode_utf8_lossy(text));
//!     assert_eq!(url_escape::decode_www_form_urlencoded(text), FORM.decode_utf8_lossy(text)?);
//!     let (mut expected, mut output) = (vec![1], vec![1]);
//!     url_escape::decode_to_vec(text, &mut expected);
//!     url_escape::decode_to_writer(text, &mut expected)?;
//!     url_escape::decode_www_form_urlencoded_to_vec(text, &mut expected);
//!     LENIENT.decode_to(text, &mut output)?;
//!     output.extend_from_slice(&LENIENT.decode(text)?);
//!     FORM.decode_to(text, &mut output)?;
//!     assert_eq!(expected, output);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

#[cfg(doc)]
use crate::{ByteSet, DecodeError, Decoder, Encoded, Encoder, Input, Pair, form, sets};
