//! Public API contracts: const evaluation, thread safety, errors, unavailable levels, output in
//! chunks.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::{self, Write};
use std::rc::Rc;
use std::sync::Arc;

use crate::common::{compare_decoding, compare_encoding, compare_searching};
use simdpct::form::{self, Serializer};
use simdpct::{
    BufferTooSmall, ByteSet, DecodeError, DecodeErrorKind, DecodeIntoError, Decoder, Encoded, Encoder, Input, Level,
    Pair, Pieces, UnknownLevel, reference, sets, uri,
};

/// Every builder method works in `const`.
const SET: ByteSet = ByteSet::new(b"a")
    .with(b'b')
    .without(b'a')
    .union(ByteSet::range(b'0', b'9'))
    .intersection(ByteSet::ALL)
    .union(ByteSet::NON_ASCII.complement().complement())
    .union(ByteSet::EMPTY);
const ENCODER: Encoder =
    Encoder::new(SET).plus_for_space().lowercase().keep_triplets().keep_non_ascii().level(Level::Scalar);
const DECODER: Decoder =
    Decoder::new().lenient().plus_for_space().keep(SET).reject(ByteSet::new(b"\0")).level(Level::Scalar);
const HAS_B: bool = SET.contains(b'b') && !SET.contains(b'a');
const MOST: Option<usize> = Encoder::max_encoded_len(7);
static SHARED: Decoder = DECODER;

#[test]
fn codecs_and_sets_work_in_const() {
    const { assert!(HAS_B) };
    assert_eq!(MOST, Some(21));
    assert_eq!(ENCODER.encode("abé +%41"), "a%62é+%2b%41");
    assert_eq!(SHARED.decode("+%2B%62%zz").as_deref(), Ok(b" +%62%zz".as_slice()));
    assert_eq!(SHARED, DECODER);
    assert_ne!(ENCODER, Encoder::COMPONENT);
}

/// A byte alone is changed if and only if it is a member, whatever the options.
#[test]
fn set_of_an_encoder_is_what_it_changes() {
    const { assert!(Encoder::FORM.set().contains(b' ') && !Encoder::URI.set().contains(b'/')) };
    let sets = [ByteSet::EMPTY, ByteSet::ALL, ByteSet::new(b"+%a"), sets::COMPONENT, sets::whatwg::C0_CONTROL];
    for encoder in sets.map(Encoder::new) {
        for encoder in [encoder, encoder.plus_for_space()] {
            for encoder in [encoder, encoder.keep_triplets(), encoder.keep_non_ascii(), encoder.lowercase()] {
                let set = encoder.set();
                assert!(
                    (0..=0xFF).all(|byte: u8| set.contains(byte) == (encoder.encode(&[byte]).as_bytes() != [byte]))
                );
                assert_eq!(Encoder::new(set).set(), set);
            }
        }
    }
}

#[test]
fn public_values_are_copy_send_sync() {
    const fn is_plain<T: Copy + Send + Sync + Unpin + fmt::Debug + PartialEq + 'static>() {}
    const fn is_error<T: Error + Send + Sync + 'static>() {}
    is_plain::<ByteSet>();
    is_plain::<Encoder>();
    is_plain::<Decoder>();
    is_plain::<Level>();
    is_plain::<DecodeError>();
    is_plain::<DecodeErrorKind>();
    is_plain::<DecodeIntoError>();
    is_plain::<BufferTooSmall>();
    is_error::<DecodeError>();
    is_error::<DecodeIntoError>();
    is_error::<BufferTooSmall>();
    is_error::<UnknownLevel>();
}

#[test]
fn default_is_new() {
    assert_eq!(Decoder::default(), Decoder::new());
    assert_eq!(Decoder::default().decode("%zz+").map_err(|error| error.kind), Err(DecodeErrorKind::Malformed));
}

/// Every type that is an [`Input`], and a reference to it, gives the same result, and text if the
/// type is text.
#[test]
fn every_input_type_is_accepted() {
    fn accept<T: Input + ?Sized>(input: &T, text: Option<&str>) {
        assert_eq!((input.as_bytes(), input.as_text()), (&b"a%26%62"[..], text));
        for result in [simdpct::decode_utf8(input), simdpct::decode_utf8(&input), simdpct::decode_utf8(&&input)] {
            assert_eq!(result.as_deref(), Ok("a&b"));
        }
        assert_eq!(simdpct::decode(input).as_deref(), Ok(&b"a&b"[..]));
        assert_eq!(simdpct::decode_utf8_lossy(input), "a&b");
        assert_eq!(simdpct::encode(input), "a%2526%2562");
        assert_eq!(uri::repair(input), "a%26%62");
        assert_eq!(form::parse_lossy(input).get("a&b").as_deref(), Some(""));
        assert_eq!(form::serialize([(input, input)]), "a%2526%2562=a%2526%2562");
        assert_eq!(uri::query(&[(input, &input)]), "a%2526%2562=a%2526%2562");
    }

    const TEXT: &str = "a%26%62";
    const BYTES: &[u8; 7] = b"a%26%62";
    let (text, bytes) = (Some(TEXT), None);
    accept(TEXT, text);
    accept(&TEXT.to_owned().as_mut_str(), text);
    accept(&String::from(TEXT), text);
    accept(&&mut String::from(TEXT), text);
    accept(&Box::<str>::from(TEXT), text);
    accept(&Box::new(String::from(TEXT)), text);
    accept(&Rc::<str>::from(TEXT), text);
    accept(&Arc::<str>::from(TEXT), text);
    accept(&Arc::new(String::from(TEXT)), text);
    accept(&Cow::Borrowed(TEXT), text);
    accept(&Cow::<str>::Owned(TEXT.into()), text);
    accept(BYTES, bytes);
    accept(&BYTES[..], bytes);
    accept(&BYTES.to_vec().as_mut_slice(), bytes);
    accept(&BYTES.to_vec(), bytes);
    accept(&Box::<[u8]>::from(&BYTES[..]), bytes);
    accept(&Rc::<[u8]>::from(&BYTES[..]), bytes);
    accept(&Arc::<[u8]>::from(&BYTES[..]), bytes);
    accept(&Arc::new(BYTES.to_vec()), bytes);
    accept(&Cow::Borrowed(&BYTES[..]), bytes);
    accept(&Cow::<[u8]>::Owned(BYTES.to_vec()), bytes);
    assert_eq!(simdpct::decode_utf8(&[0x25, 0x32, 0x36]).as_deref(), Ok("&"));
}

/// Pairs by value and by reference, in every collection, to every function that takes pairs.
#[test]
fn every_collection_of_pairs_is_accepted() {
    fn accept<P: Pair>(pairs: impl IntoIterator<Item = P> + Clone) {
        assert_eq!(form::serialize(pairs.clone()), "a=b");
        assert_eq!(uri::query(pairs.clone()), "a=b");
        let mut serializer = Serializer::new(Vec::new());
        serializer.extend_pairs(pairs.clone());
        assert_eq!(serializer.finish(), b"a=b");
        let mut serializer = Serializer::new(String::new()).normalize_newlines();
        serializer.extend_pairs(pairs);
        assert_eq!(serializer.finish(), "a=b");
    }

    let owned = vec![(String::from("a"), String::from("b"))];
    accept([("a", "b")]);
    accept(&[("a", "b")]);
    accept([("a", "b")].iter());
    accept([(b"a", String::from("b"))]);
    accept(owned.clone());
    accept(&owned);
    accept(owned.iter());
    accept(owned.iter().map(|(name, value)| (name, value)));
    accept(&HashMap::<_, _>::from_iter(owned.clone()));
    accept(BTreeMap::from_iter(owned.clone()).iter());
    accept(HashMap::<_, _>::from_iter(owned));
    accept(form::parse_lossy("a=b"));
    accept(form::parse_bytes("a=b"));
    accept(form::split("a=b"));
    accept(form::parse_lossy("a=b").into_owned());
}

#[test]
fn encode_to_appends_to_every_output_type() {
    let (mut text, mut bytes) = (String::from("é"), vec![0xFF]);
    Encoder::COMPONENT.encode_to("a b", &mut text);
    Encoder::COMPONENT.encode_to("a b", &mut bytes);
    let mut reference: &mut String = &mut text;
    Encoder::FORM.encode_to("c d", &mut reference);
    Encoder::FORM.encode_to("c d", &mut &mut bytes);
    assert_eq!((text.as_str(), bytes.as_slice()), ("éa%20bc+d", &b"\xFFa%20bc+d"[..]));
}

/// Values and iterators of encoding borrow only the input and the encoder, which may be a constant.
#[test]
fn encoded_and_pieces_are_small_and_outlive_the_call() {
    const fn is_copy<T: Copy + Send + Sync + fmt::Debug>() {}
    is_copy::<Encoded<'_>>();
    assert!(size_of::<Encoded<'_>>() <= 4 * size_of::<usize>());

    fn both(input: &str) -> (Encoded<'_>, Pieces<'_>) {
        (Encoder::PATH.display(input), Encoder::PATH.pieces(input))
    }
    let (encoded, pieces) = both("/a b");
    assert_eq!((encoded.to_string(), format!("{encoded:>20}")), ("/a%20b".into(), "/a%20b".into()));
    assert_eq!(pieces.collect::<Vec<_>>(), ["/a", "%20", "b"]);
}

#[test]
fn copies_of_form_parsers_continue_at_the_same_pair() {
    let mut pairs = form::parse_lossy("a=1&&b=%32&c");
    assert_eq!(pairs.next(), Some(("a".into(), "1".into())));
    let copy = pairs;
    assert_eq!((pairs.rest(), pairs.get("b").as_deref()), (&b"&b=%32&c"[..], Some("2")));
    assert!(pairs.eq(copy) && copy.into_owned().count() == 2);
    let mut split = form::split("a");
    assert_eq!((split.next(), split.rest()), (Some((&b"a"[..], &b""[..])), &b""[..]));
}

#[test]
fn error_messages_are_stable() {
    let text = |error: &dyn Error| error.to_string();
    let decode = |decoder: Decoder, input: &str| decoder.decode_utf8(input).unwrap_err();

    let malformed = decode(Decoder::new(), "ab%zz");
    assert_eq!(text(&malformed), "malformed percent-encoding: '%' without two hexadecimal digits at byte 2");
    assert_eq!(text(&decode(Decoder::new(), "a%FF")), "the decoded bytes are not valid UTF-8 at byte 1");
    assert_eq!(text(&decode(Decoder::new().reject(ByteSet::new(b"\n")), "%0A")), "rejected byte 0x0A at byte 0");

    let too_small = Encoder::COMPONENT.encode_into("&&", &mut [0; 5]).unwrap_err();
    assert_eq!(text(&too_small), "the output buffer is too small: 6 bytes are needed");

    // The outer error converts from the inner one and has the same message.
    let outer = Decoder::new().decode_into("ab%zz", &mut [0; 5]).unwrap_err();
    assert_eq!(outer, DecodeIntoError::from(malformed));
    assert_eq!(text(&outer), text(&malformed));
    let outer = Decoder::new().decode_into("abcdef", &mut [0; 5]).unwrap_err();
    assert_eq!(outer, DecodeIntoError::from(too_small));
    assert_eq!(text(&outer), text(&too_small));

    assert!(malformed.source().is_none() && too_small.source().is_none());
    // No source, because the message already is the inner error's.
    assert!(DecodeIntoError::from(malformed).source().is_none() && DecodeIntoError::from(too_small).source().is_none());
}

/// An invalid input is reported as invalid even if the buffer is too small.
#[test]
fn decode_error_takes_precedence_over_small_buffer() {
    let input = ["a".repeat(500), "%zz".to_owned()].concat();
    for level in crate::common::levels() {
        let error = Decoder::new().level(level).decode_into(&input, &mut []).unwrap_err();
        assert!(matches!(error, DecodeIntoError::Decode(error) if error.position == 500), "{error:?}");
    }
}

/// Requesting a level that the CPU lacks is safe and gives the same result.
#[test]
fn unavailable_level_falls_back_to_same_result() {
    let input = "clean, then %41%zz+é & more of it, so that no vector is too long ".repeat(4);
    for &level in Level::ALL {
        let decoder = Decoder::new().lenient().plus_for_space();
        assert_eq!(decoder.level(level).decode(&input), decoder.decode(&input), "{level}");
        assert_eq!(Encoder::FORM.level(level).encode(&input), Encoder::FORM.encode(&input), "{level}");
        let set = ByteSet::new(b"&");
        assert_eq!(set.find_on(level, input.as_bytes()), set.find(input.as_bytes()), "{level}");
        assert_eq!(set.count_on(level, input.as_bytes()), 4, "{level}");
    }
    // The scalar level is always available, and no machine has the levels of two architectures.
    assert!(Level::Scalar.is_available());
    assert!(Level::ALL.iter().any(|level| !level.is_available()));
}

#[test]
fn max_encoded_len_is_none_on_overflow() {
    assert_eq!(Encoder::max_encoded_len(0), Some(0));
    assert_eq!(Encoder::max_encoded_len(usize::MAX / 3), Some(usize::MAX / 3 * 3));
    assert_eq!(Encoder::max_encoded_len(usize::MAX / 3 + 1), None);
    assert_eq!(Encoder::max_encoded_len(usize::MAX), None);
}

/// `display` encodes in chunks, currently of 256 bytes, and `pieces` looks at windows of 64 bytes.
/// Neither must split a kept triplet or character.
#[test]
fn display_and_pieces_across_chunks_match_reference() {
    let pieces: [&[u8]; 14] = [
        b"%41",
        b"%4",
        b"%",
        b"%%41",
        b"%4%41",
        "é".as_bytes(),
        "€".as_bytes(),
        "😀".as_bytes(),
        b"\xF0\x9F\x98",
        b"\xC3",
        b"\x80\x80\x80\x80",
        b"\xE2\xC3\xA9",
        b"%\xC3\xA9",
        b"\xF0%41",
    ];
    let encoders = [
        Encoder::URI,
        Encoder::URI.keep_non_ascii(),
        Encoder::FORM.keep_triplets(),
        Encoder::COMPONENT.keep_non_ascii(),
    ];
    for piece in pieces {
        for at in (56..=66).chain(120..=132).chain(248..=260).chain(500..=516) {
            for after in [0, 1, 2, 300] {
                let input = [&vec![b'z'; at], piece, &vec![b'4'; after]].concat();
                for encoder in encoders {
                    let expected = reference::encode(&encoder, &input);
                    let case = || format!("\"{}\" by {encoder:?}", input.escape_ascii());
                    assert_eq!(format!("{}", encoder.display(&input)), expected, "{}", case());
                    assert_eq!(encoder.pieces(&input).collect::<String>(), expected, "{}", case());
                    assert_eq!(joined(encoder.pieces(&input)), expected, "{}", case());
                }
            }
        }
        // The text consists of this piece only, so that every chunk end falls into a piece.
        let input = piece.repeat(1000 / piece.len());
        for encoder in encoders {
            let expected = reference::encode(&encoder, &input);
            assert_eq!(format!("{}", encoder.display(&input)), expected);
            assert_eq!(encoder.pieces(&input).collect::<String>(), expected);
            assert_eq!(joined(encoder.pieces(&input)), expected);
        }
    }
}

/// Takes the pieces one by one: a `for` loop calls `next`, and `collect` calls `fold`.
fn joined(pieces: Pieces<'_>) -> String {
    let mut output = String::new();
    for piece in pieces {
        output.push_str(piece);
    }
    output
}

/// The same pieces, and the same hints of their number, as the iterator of percent-encoding.
#[test]
fn pieces_equal_those_of_percent_encoding() {
    use percent_encoding::{NON_ALPHANUMERIC, percent_encode};

    const ENCODER: Encoder = Encoder::new(sets::ALPHA.union(sets::DIGIT).complement());
    let plain = "z".repeat(100);
    for before in 0..70 {
        for special in ["", " ", "é", "a b", "%41", "  z"] {
            let input = [&plain[..before], special, &plain[..before % 3], special, &plain[before..]].concat();
            let (mut ours, mut theirs) = (ENCODER.pieces(&input), percent_encode(input.as_bytes(), NON_ALPHANUMERIC));
            loop {
                assert_eq!(ours.size_hint(), theirs.size_hint(), "{input}");
                let (our, their) = (ours.next(), theirs.next());
                assert_eq!(our, their, "{input}");
                if our.is_none() {
                    break;
                }
            }
        }
    }
    for byte in 0..=255 {
        assert_eq!(Encoder::new(ByteSet::ALL).encode_byte(byte), percent_encoding::percent_encode_byte(byte));
    }
}

#[test]
fn display_to_failing_writer_returns_error() {
    struct Full(usize);
    impl Write for Full {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
            Ok(())
        }
    }
    let input = "&".repeat(1000);
    let display = Encoder::COMPONENT.display(&input);
    assert!(write!(Full(3000), "{display}").is_ok());
    assert!(write!(Full(2999), "{display}").is_err());
}

/// Lengths around 4096, and a length that is not a multiple of a block, buffer or chunk size.
#[test]
fn inputs_longer_than_any_buffer_match_reference() {
    let line = "GET /caf%C3%A9?q=a+b%zz&x=é \0 and a stretch of text that has nothing special in it at all ";
    for length in [4095, 4096, 4097, 70_001] {
        let input: Vec<u8> = line.bytes().cycle().take(length).collect();
        compare_decoding(&Decoder::new(), &input);
        compare_decoding(&Decoder::new().lenient().plus_for_space(), &input);
        compare_decoding(&Decoder::new().lenient().keep(ByteSet::new(b"\xA9")).reject(ByteSet::new(b"\x01")), &input);
        compare_encoding(&Encoder::FORM, &input);
        compare_encoding(&Encoder::URI.keep_non_ascii(), &input);
        compare_searching(&sets::URI, &input);
    }
}

/// Public enums and public structs with public fields, unless they are `non_exhaustive`.
fn exhaustive_types(api: &str) -> Vec<&str> {
    let types: Vec<(&str, &str)> = api
        .lines()
        .filter_map(|line| line.split_once("pub enum ").or_else(|| line.split_once("pub struct ")))
        .map(|(attributes, rest)| (attributes, rest.split(['<', '(', ' ']).next().unwrap_or_default()))
        .collect();
    let has_public_parts = |name: &str| {
        api.lines().any(|line| line.strip_prefix(&format!("pub {name}::")).is_some_and(|part| !part.is_empty()))
    };
    let is_exhaustive =
        |&(attributes, name): &(&str, &str)| !attributes.contains("non_exhaustive") && has_public_parts(name);
    types.into_iter().filter(is_exhaustive).map(|(_, name)| name).collect()
}

/// A variant or a field can be added to every public type without a breaking change, with four
/// exceptions, whose definitions say why.
#[test]
fn public_types_are_non_exhaustive() {
    let sample = "pub enum a::B\npub a::B::C\n#[non_exhaustive] pub enum a::D\npub a::D::E\npub struct a::F<T>\npub a::F::g: T\npub struct a::H";
    assert_eq!(exhaustive_types(sample), ["a::B", "a::F"]);
    let found = exhaustive_types(include_str!("../docs/public-api.txt"));
    let exceptions =
        ["simdpct::columns::ColumnBuf", "simdpct::path::Action", "simdpct::uri::Authority", "simdpct::uri::Parts"];
    assert_eq!(found, exceptions);
}

/// Each type whose text may hold a triplet is written whole, whatever precision, width and
/// alignment the format has.
#[test]
fn no_format_cuts_a_triplet() {
    let mut path = uri::PathBuilder::new();
    path.push("a b").unwrap().push("100%").unwrap();
    let mut query = uri::QueryBuilder::new();
    query.push("é", "1 & 2");
    let reference = "http://h%C3%A9/a%20b?%2F#%2f";
    let parts = uri::split(reference);
    let value = simdpct::ext_value::Encoder::new();
    let value = value.display("½ é.pdf");
    let (long, kept) = ("é ".repeat(100), Encoder::URI.keep_triplets());
    let displayed: &[(&dyn fmt::Display, &str)] = &[
        (&path, "/a%20b/100%25"),
        (&query, "%C3%A9=1%20%26%202"),
        (&parts, reference),
        (&value, "UTF-8''%C2%BD%20%C3%A9.pdf"),
        (&Encoder::COMPONENT.display(" "), "%20"),
        (&Encoder::COMPONENT.display("a b%"), "a%20b%25"),
        (&kept.display("a b%41"), "a%20b%41"),
        (&Encoder::COMPONENT.display(&long), &"%C3%A9%20".repeat(100)),
    ];
    for (value, text) in displayed {
        for n in 0..text.len() + 2 {
            for formatted in [
                format!("{value}"),
                format!("{value:.n$}"),
                format!("{value:n$.n$}"),
                format!("{value:#<n$.1}"),
                format!("{value:>n$.n$}"),
            ] {
                assert_eq!(formatted, *text, "{n}");
            }
        }
    }
    // A message that contains the type is written whole too.
    let error = form::from_str::<HashMap<u8, u8>>("%C3%A9=%2F%2F").unwrap_err();
    for n in 0..50 {
        assert_eq!(format!("{error:.n$}"), error.to_string());
    }
}
