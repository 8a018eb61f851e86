//! Forms from and to Rust types: round trips, error positions, and agreement with serde_urlencoded
//! where both support a form.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use simdpct::form::{self, Deserializer, from_bytes, from_str, to_string};

/// Asserts both directions for one value.
#[track_caller]
fn assert_round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, form: &str) {
    assert_eq!(to_string(value).as_deref(), Ok(form));
    assert_eq!(from_str::<T>(form).as_ref(), Ok(value));
}

/// Like [`assert_round_trip`], and serde_urlencoded agrees.
#[track_caller]
fn assert_agreed<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, form: &str) {
    assert_round_trip(value, form);
    assert_eq!(serde_urlencoded::to_string(value).as_deref(), Ok(form));
    assert_eq!(serde_urlencoded::from_str::<T>(form).as_ref(), Ok(value));
}

/// The message, key and position of an error.
#[track_caller]
fn failure<T: DeserializeOwned + Debug>(form: &str) -> (String, Option<String>, Option<usize>) {
    let error = from_str::<T>(form).unwrap_err();
    (error.to_string(), error.key().map(str::to_owned), error.position())
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Order {
    NewestFirst,
    OldestFirst,
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Id(u64);

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Nothing;

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Scalars {
    text: String,
    initial: char,
    exact: bool,
    small: i8,
    large: u64,
    ratio: f64,
    id: Id,
    order: Order,
    page: Option<u32>,
}

#[test]
fn scalars_round_trip() {
    let value = Scalars {
        text: "fish & chips, 1+1=2".to_owned(),
        initial: 'ß',
        exact: true,
        small: -128,
        large: u64::MAX,
        ratio: 1e300,
        id: Id(7),
        order: Order::OldestFirst,
        page: Some(2),
    };
    let form = "text=fish+%26+chips%2C+1%2B1%3D2&initial=%C3%9F&exact=true&small=-128\
                &large=18446744073709551615&ratio=1e300&id=7&order=oldest-first&page=2";
    assert_agreed(&value, form);
    assert_round_trip(&[('a', u128::MAX)], "a=340282366920938463463374607431768211455");
    assert_round_trip(&[('a', i128::MIN)], "a=-170141183460469231731687303715884105728");
}

#[test]
fn pairs_and_maps_round_trip() {
    assert_agreed(&vec![("a".to_owned(), 1), ("b".to_owned(), 2), ("a".to_owned(), 3)], "a=1&b=2&a=3");
    assert_round_trip(&(("a".to_owned(), 1), ("b".to_owned(), true)), "a=1&b=true");
    assert_agreed(&BTreeMap::from([("a b".to_owned(), "&".to_owned()), ("c".to_owned(), String::new())]), "a+b=%26&c=");
    assert_agreed(&Vec::<(String, String)>::new(), "");
    assert_round_trip(&[("a".to_owned(), 1), ("b".to_owned(), 2)], "a=1&b=2");
    // Keys can be any scalar.
    assert_round_trip(&BTreeMap::from([(1, 'a'), (2, 'b')]), "1=a&2=b");
    assert_round_trip(&BTreeMap::from([(Order::NewestFirst, 1.5)]), "newest-first=1.5");
    assert_round_trip(&BTreeMap::from([(true, Id(1))]), "true=1");
    assert_round_trip(&Some(BTreeMap::from([('a', 1)])), "a=1");
    assert_round_trip(&None::<BTreeMap<char, u8>>, "");
    assert_round_trip(&(), "");
    assert_round_trip(&Nothing, "");
}

#[test]
fn repeated_keys_become_sequences() {
    #[derive(Debug, Default, Deserialize, PartialEq, Serialize)]
    #[serde(default)]
    struct Filter {
        tag: Vec<String>,
        size: (u8, u8),
        order: Option<Vec<Order>>,
        odd: [bool; 1],
    }
    let value = Filter {
        tag: vec!["a b".into(), String::new(), "c".into()],
        size: (1, 2),
        order: Some(vec![Order::NewestFirst]),
        odd: [true],
    };
    assert_round_trip(&value, "tag=a+b&tag=&tag=c&size=1&size=2&order=newest-first&odd=true");
    // Other pairs may lie between the pairs of a name.
    let mixed: Filter = from_str("tag=a+b&size=1&x=y&tag=&odd=true&size=2&order=newest-first&tag=c").unwrap();
    assert_eq!(mixed, value);
    assert_eq!(from_str::<Filter>(""), Ok(Filter::default()));
    assert_eq!(to_string(&Filter { size: (3, 4), ..Filter::default() }).as_deref(), Ok("size=3&size=4&odd=false"));
    assert_round_trip(&BTreeMap::from([("a".to_owned(), vec![1, 2]), ("b".to_owned(), vec![3])]), "a=1&a=2&b=3");
    assert_round_trip(&BTreeMap::from([('a', vec![Some(1), None, Some(3)])]), "a=1&a=&a=3");
}

/// A missing pair and an empty value are `None`; with `empty_is_some`, only a missing pair.
#[test]
fn missing_and_empty_values_become_none() {
    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    struct Page {
        number: Option<u32>,
        text: Option<String>,
    }
    let page = |number, text: Option<&str>| Page { number, text: text.map(str::to_owned) };
    for (form, expected) in [
        ("", page(None, None)),
        ("number=&text=", page(None, None)),
        ("number&text", page(None, None)),
        ("number=1&text=+", page(Some(1), Some(" "))),
    ] {
        assert_eq!(from_str::<Page>(form), Ok(expected), "{form}");
    }
    let strictly = |form: &'static str| Page::deserialize(Deserializer::new(form.as_bytes()).empty_is_some());
    assert_eq!(strictly("text="), Ok(page(None, Some(""))));
    assert_eq!(strictly("number=").unwrap_err().key(), Some("number"));
    assert_eq!(to_string(&page(None, Some("a"))).as_deref(), Ok("text=a"));
}

#[test]
fn enums_round_trip() {
    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    enum Query {
        All,
        ById(Id),
        ByName(String),
        Between(u8, u8),
        Near { x: f32, y: f32 },
    }
    assert_round_trip(&Query::All, "All=");
    assert_round_trip(&Query::ById(Id(5)), "ById=5");
    assert_round_trip(&Query::ByName("a&b".into()), "ByName=a%26b");
    assert_round_trip(&Query::Between(1, 9), "Between=1&Between=9");
    assert_round_trip(&vec![Query::ById(Id(5)), Query::All, Query::ById(Id(6))], "ById=5&All=&ById=6");
    assert_eq!(from_str("All"), Ok(Query::All));
    assert!(to_string(&Query::Near { x: 1.0, y: 2.0 }).is_err());
    let near = failure::<Query>("Near=1");
    assert_eq!((near.1.as_deref(), near.2), (Some("Near"), Some(0)));
    assert_eq!(failure::<Query>("ById=1&ByName=b").2, Some(7));
    assert_eq!(failure::<Query>("").1, None);
    assert_eq!(failure::<Query>("x=1").1.as_deref(), Some("x"));
    assert_eq!(to_string(&[("a", Query::ById(Id(1)))]).unwrap_err().key(), Some("a"));
}

/// Bytes need not be UTF-8; text can be borrowed.
#[test]
fn bytes_and_borrowed_text_deserialize() {
    struct Bytes<'a>(Cow<'a, [u8]>);
    impl<'de: 'a, 'a> Deserialize<'de> for Bytes<'a> {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Visitor;
            impl<'de> serde::de::Visitor<'de> for Visitor {
                type Value = Cow<'de, [u8]>;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("bytes")
                }
                fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                    Ok(Cow::Borrowed(bytes))
                }
                fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Self::Value, E> {
                    Ok(Cow::Owned(bytes))
                }
            }
            deserializer.deserialize_bytes(Visitor).map(Bytes)
        }
    }
    impl Serialize for Bytes<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(&self.0)
        }
    }
    #[derive(Deserialize, Serialize)]
    struct Upload<'a> {
        name: &'a str,
        #[serde(borrow)]
        hash: Bytes<'a>,
        #[serde(borrow)]
        raw: Bytes<'a>,
    }
    let form = "name=a.b&hash=%00%FF+%25&raw=abc";
    let upload: Upload<'_> = from_str(form).unwrap();
    assert_eq!((upload.name, &*upload.hash.0), ("a.b", &b"\0\xFF %"[..]));
    assert!(matches!(upload.raw.0, Cow::Borrowed(b"abc")));
    assert_eq!(to_string(&upload).unwrap(), form);
    assert_eq!(from_str::<Upload<'_>>("name=a&raw=b&hash=ab%zz").err().unwrap().position(), Some(20));
    // Text that must be decoded cannot be borrowed.
    assert_eq!(from_str::<Upload<'_>>("raw=&hash=&name=%41").err().unwrap().key(), Some("name"));
}

/// Values that serde buffers arrive as text; `from_text` parses them.
#[test]
fn flattened_tagged_and_untagged_types_round_trip() {
    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    struct Page {
        #[serde(deserialize_with = "form::from_text")]
        size: u32,
        #[serde(deserialize_with = "form::from_text", default)]
        columns: Vec<u8>,
        #[serde(deserialize_with = "form::from_text", default)]
        last: Option<bool>,
    }
    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    struct Search {
        q: String,
        #[serde(flatten)]
        page: Page,
        #[serde(flatten)]
        others: HashMap<String, String>,
    }
    let search = |columns: &[u8], last, others: &[(&str, &str)]| Search {
        q: "007".to_owned(),
        page: Page { size: 50, columns: columns.to_vec(), last },
        others: others.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
    };
    assert_round_trip(&search(&[1, 2], Some(true), &[("x", "1")]), "q=007&size=50&columns=1&columns=2&last=true&x=1");
    assert_eq!(from_str("columns=9&size=50&q=007&last="), Ok(search(&[9], None, &[])));
    let error = from_str::<Search>("q=a&size=b").unwrap_err().to_string();
    assert!(error.contains("invalid digit") && error.contains("\"b\""), "{error}");

    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    enum Shape {
        Circle {
            #[serde(deserialize_with = "form::from_text")]
            radius: f64,
        },
        Text {
            text: String,
        },
    }
    assert_round_trip(&Shape::Circle { radius: 1.5 }, "kind=circle&radius=1.5");
    assert_round_trip(&Shape::Text { text: "12".into() }, "kind=text&text=12");

    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    #[serde(untagged)]
    enum Key {
        Number(#[serde(deserialize_with = "form::from_text")] u64),
        Name(String),
    }
    assert_round_trip(&BTreeMap::from([('a', Key::Number(7)), ('b', Key::Name("7b".into()))]), "a=7&b=7b");
    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(untagged)]
    enum Any {
        WithId { id: String },
        WithName { name: String },
    }
    assert_eq!(from_str("name=a"), Ok(Any::WithName { name: "a".into() }));
    assert_eq!(from_str("id=a"), Ok(Any::WithId { id: "a".into() }));
    // Without `from_text` it fails: a documented limitation.
    #[derive(Debug, Deserialize)]
    struct Outer {
        #[serde(flatten)]
        _inner: BTreeMap<String, u8>,
    }
    assert!(from_str::<Outer>("a=1").is_err());
}

#[test]
fn errors_name_the_key_and_the_position() {
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Person {
        #[serde(rename = "name")]
        _name: String,
        #[serde(rename = "age", default)]
        _age: u8,
        #[serde(rename = "tags", default)]
        _tags: Vec<bool>,
    }
    let cases = [
        ("name=a&age=300", "number too large", Some("age"), Some(7)),
        ("name=a&age=", "cannot parse integer from empty string", Some("age"), Some(7)),
        ("name=a&%61ge=x", "invalid digit found in string: \"x\"", Some("age"), Some(7)),
        ("name=a&name=b", "repeated key", Some("name"), Some(7)),
        ("name=a&tags=true&age=1&tags=maybe", "true", Some("tags"), Some(23)),
        ("age=1", "missing field `name`", None, None),
        ("name=a&other=b", "unknown field \"other\"", Some("other"), Some(7)),
        // The position of a decode error is the invalid byte's.
        ("age=1&name=ab%zz", "malformed percent-encoding", Some("name"), Some(13)),
        ("name=a%FF", "UTF-8", Some("name"), Some(6)),
        ("name=a&a%=b", "malformed percent-encoding", None, Some(8)),
    ];
    for (form, message, key, position) in cases {
        let error = from_str::<Person>(form).unwrap_err();
        assert!(error.to_string().contains(message), "{form}: {error}");
        assert_eq!((error.key(), error.position()), (key, position), "{form}: {error}");
        assert!(key.is_none_or(|key| error.to_string().contains(key)), "{form}: {error}");
    }
    assert_eq!(failure::<Vec<(String, u8)>>("a=1&b=x").1.as_deref(), Some("b"));
    assert_eq!(failure::<[(String, u8); 1]>("a=1&b=2").2, Some(4));
    assert_eq!(failure::<BTreeMap<String, (u8, u8)>>("a=1&a=2&a=3").2, Some(8));
    assert!(from_str::<[(String, u8); 3]>("a=1&b=2").is_err());
    assert!(from_str::<Vec<(String, u8, u8)>>("a=1").is_err());
    assert!(from_str::<Vec<BTreeMap<u8, u8>>>("a=1").is_err());
    assert!(from_str::<BTreeMap<String, BTreeMap<u8, u8>>>("a=1").is_err());
    assert!(from_str::<BTreeMap<String, Vec<Vec<u8>>>>("a=1").is_err());
    assert!(from_str::<u8>("1").is_err());
    assert!(from_str::<()>("a=1").is_err());
}

#[test]
fn unsupported_types_are_errors() {
    assert!(to_string("text").is_err());
    assert!(to_string(&1).is_err());
    assert!(to_string(&["a", "b"]).is_err());
    assert!(to_string(&[("a",)]).is_err());
    assert!(to_string(&[("a", 1, 2)]).is_err());
    assert!(to_string(&[(("a", "b"), 1)]).is_err());
    assert!(to_string(&BTreeMap::from([(None::<u8>, 1)])).is_err());
    for nested in [to_string(&[("k", [[1]])]), to_string(&[("k", BTreeMap::from([(1, 2)]))])] {
        assert_eq!(nested.unwrap_err().key(), Some("k"));
    }
}

#[test]
fn too_many_pairs_are_rejected_before_parsing() {
    type Pairs = Vec<(String, String)>;
    type Values = BTreeMap<String, Vec<String>>;
    // Empty pairs are not counted, and the error in the third pair is not reached.
    for (form, position) in [("a=1&&a=2&", None), ("a=1&a=2&a=%zz", Some(8)), ("&&&&", None), ("", None)] {
        let read = |most| Deserializer::new(form.as_bytes()).max_pairs(most);
        for error in [Values::deserialize(read(2)).err(), Pairs::deserialize(read(2)).err()] {
            assert_eq!(error.as_ref().and_then(form::Error::position), position, "{form}");
            assert_eq!(error.is_some_and(|error| error.is_too_many_pairs()), position.is_some(), "{form}");
        }
    }
    let error = <[(String, String); 1]>::deserialize(Deserializer::new(b"a=1").max_pairs(0)).unwrap_err();
    assert_eq!(error.to_string(), "at byte 0: more than 0 pairs");
    assert!(!from_str::<u8>("a").unwrap_err().is_too_many_pairs());
}

/// Error messages quote at most 64 characters of a value, with controls escaped, so that they are
/// safe to log.
#[test]
fn messages_quote_at_most_64_characters() {
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Fields {
        #[serde(default, rename = "number")]
        _number: u8,
        #[serde(default, rename = "order")]
        _order: Option<Order>,
        #[serde(default, rename = "nested")]
        _nested: Vec<Fields>,
    }
    for text in ["\u{1}", "\u{7F}", "é", "x"] {
        let quoted = format!("{:?}...", text.repeat(64));
        for form in ["number=", "order=", "nested=", ""] {
            let form = format!("{form}{}", text.repeat(1000));
            let message = from_str::<Fields>(&form).unwrap_err().to_string();
            assert!(message.contains(&quoted) && message.len() < 1000, "{message}");
        }
    }
}

#[test]
fn lossy_replaces_ill_formed_utf8() {
    let read = |form: &'static [u8]| Vec::<(String, String)>::deserialize(Deserializer::new(form).lossy()).unwrap();
    assert_eq!(read(b"a%=100%&\xFF=%FF"), [("a%".into(), "100%".into()), ("\u{FFFD}".into(), "\u{FFFD}".into())]);
    assert!(from_bytes::<Vec<(String, String)>>(b"a=\xFF").is_err());
}

/// Forms of up to 64 pairs are streamed, longer forms are indexed. Both give the same results.
#[test]
fn short_and_long_forms_collect_repeats_alike() {
    for pairs in [1, 2, 63, 64, 65, 66, 200] {
        for names in [1, 2, 3, 64, 65] {
            // A name of every kind: plain, coded, long, with a common start and end.
            let name = |pair: usize| match pair % names {
                0 => "%61".to_owned(),
                1 => "a+b".to_owned(),
                number => format!("common-start-{number}-common-end"),
            };
            let form: Vec<_> = (0..pairs).map(|pair| format!("{}={pair}", name(pair))).collect();
            let form = form.join("&");
            let mut expected = BTreeMap::<String, Vec<usize>>::new();
            for (name, value) in from_str::<Vec<(String, usize)>>(&form).unwrap() {
                expected.entry(name).or_default().push(value);
            }
            assert_eq!(from_str::<BTreeMap<String, Vec<usize>>>(&form).unwrap(), expected, "{form}");
            // Untyped values: a string, or a sequence of strings.
            let untyped: BTreeMap<String, serde_json::Value> = from_str(&form).unwrap();
            let text = |numbers: &Vec<usize>| numbers.iter().map(usize::to_string).collect::<Vec<_>>();
            let as_json = |numbers: &Vec<usize>| match &text(numbers)[..] {
                [only] => serde_json::json!(only),
                several => serde_json::json!(several),
            };
            assert!(untyped.iter().all(|(name, value)| *value == as_json(&expected[name])), "{form}");
            assert_eq!(untyped.len(), expected.len());
            // A single value per name: the second pair of a name is an error.
            let single = from_str::<BTreeMap<String, usize>>(&form);
            match single {
                Ok(map) => assert!(pairs <= names && map.len() == pairs, "{form}"),
                Err(error) => {
                    let second = form.match_indices('=').nth(names).map(|(at, _)| form[..at].rfind('&').unwrap() + 1);
                    assert_eq!((error.key(), error.position()), (Some("a"), second), "{form}");
                }
            }
            // Unknown fields may be repeated.
            #[derive(Deserialize)]
            struct Nothing {}
            assert!(from_str::<Nothing>(&form).is_ok());
        }
    }
}

#[test]
fn optional_values_may_be_repeated_only_for_sequences() {
    for padding in [0, 100] {
        let padding: String = (0..padding).map(|number| format!("&p{number}=")).collect();
        let read = |form: &str| from_str::<BTreeMap<String, Option<Vec<String>>>>(&(form.to_owned() + &padding));
        assert_eq!(read("a=").unwrap()["a"], None);
        assert_eq!(read("a=&a=").unwrap()["a"], Some(vec![String::new(), String::new()]));
        assert_eq!(read("a=&b=1&a=2").unwrap()["a"], Some(vec![String::new(), "2".to_owned()]));
        let read = |form: &str| from_str::<BTreeMap<String, Option<String>>>(&(form.to_owned() + &padding));
        assert_eq!(read("a=").unwrap()["a"], None);
        for form in ["a=&a=", "a=&a=1", "a=1&a="] {
            let error = read(form).unwrap_err();
            assert!(error.to_string().contains("repeated key"), "{error}");
            assert_eq!(error.key(), Some("a"));
            assert_eq!(error.position(), Some(form.rfind('a').unwrap()));
        }
    }
}

/// 600,000 pairs with two names: a quadratic algorithm would not finish.
#[test]
fn many_repeated_keys_take_linear_time() {
    let form = "a=1&b=2&".repeat(300_000);
    let map: BTreeMap<String, Vec<u8>> = from_str(&form).unwrap();
    assert_eq!(map["a"].len() + map["b"].len(), 600_000);
    assert!(map["b"].iter().all(|&value| value == 2));
}

proptest! {
    /// If serde_urlencoded succeeds with pairs of text, the lossy reader has the same result.
    #[test]
    fn agrees_with_serde_urlencoded_on_pairs(form in "[a-c&=+%2Fé]{0,60}") {
        let theirs: Vec<(String, String)> = serde_urlencoded::from_str(&form).unwrap();
        let ours = Vec::<(String, String)>::deserialize(Deserializer::new(form.as_bytes()).lossy()).unwrap();
        prop_assert_eq!(&ours, &theirs);
        prop_assert_eq!(to_string(&ours).unwrap(), serde_urlencoded::to_string(&theirs).unwrap());
    }

    #[test]
    fn agrees_with_serde_urlencoded_on_numbers(
        a: i64, b: u8, c: f32, d: f64, e: char, f: bool, g: Option<u16>,
    ) {
        #[derive(Debug, Deserialize, PartialEq, Serialize)]
        struct All {
            a: i64,
            b: u8,
            c: f32,
            d: f64,
            e: char,
            f: bool,
            g: Option<u16>,
        }
        let all = All { a, b, c, d, e, f, g };
        let form = to_string(&all).unwrap();
        prop_assert_eq!(from_str::<All>(&form).unwrap(), from_str(&serde_urlencoded::to_string(&all).unwrap()).unwrap());
        prop_assert_eq!(&serde_urlencoded::from_str::<All>(&form).unwrap(), &all);
        prop_assert_eq!(from_str::<All>(&form).unwrap(), all);
    }

    #[test]
    fn agrees_with_serde_urlencoded_on_integers_as_text(text in "[+-]?[0-9a_ ]{0,4}") {
        let form = form::serialize([("a", &text)]);
        let theirs = serde_urlencoded::from_str::<BTreeMap<String, i16>>(&form).ok();
        prop_assert_eq!(from_str::<BTreeMap<String, i16>>(&form).ok(), theirs);
    }

    #[test]
    fn random_forms_do_not_panic(form: Vec<u8>, pieces in "[ab&=+%1]{0,80}") {
        for form in [&form[..], pieces.as_bytes()] {
            let _ = from_bytes::<BTreeMap<String, Vec<u8>>>(form);
            let _ = from_bytes::<Vec<(char, bool)>>(form);
            let _ = from_bytes::<((u8, u8), (String, Option<i8>))>(form);
            let _ = from_bytes::<Vec<Order>>(form);
            let _ = from_bytes::<Order>(form);
            let _ = from_bytes::<serde_json::Value>(form);
        }
    }
}
