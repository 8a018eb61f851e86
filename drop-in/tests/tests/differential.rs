//! Compares the drop-in replacements with the originals: on random inputs, on every level, every
//! observable result.
//!
//! The level is a property of the process, so each level has its own process, with
//! `SIMDPCT_LEVEL`. `SIMDPCT_QUICK` reduces the number of inputs.

use std::borrow::Cow;
use std::env;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

use simdpct::Level;

/// The random inputs of one test on one level.
const INPUTS: usize = 100_000;
const QUICK_INPUTS: usize = 20_000;

#[test]
fn drop_ins_agree_with_originals_on_every_level() {
    let this = env::current_exe().expect("the path of this test");
    for level in Level::available() {
        let mut run = Command::new(&this);
        let status = run.arg("random_").arg("--ignored").env("SIMDPCT_LEVEL", level.name()).status();
        assert!(status.is_ok_and(|status| status.success()), "{level}");
    }
}

/// xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as usize % bound
    }

    /// Appends pieces that matter to one of the codecs, or runs of plain text. Most of the results
    /// are short.
    fn input(&mut self, input: &mut Vec<u8>) {
        const PIECES: [&[u8]; 26] = [
            b"%",
            b"%%",
            b"%4",
            b"%41",
            b"%7e",
            b"%zz",
            b"%4z",
            b"%C3%A9",
            b"%E2%82",
            b"%FF",
            b"%00",
            b"%2B",
            b"%25",
            b"+",
            b" ",
            b"&",
            b"=",
            b"&&",
            b"a",
            b"-._~*",
            b"\xC3\xA9",
            b"\xF0\x9F\x98\x80",
            b"\xE2\x82",
            b"\xFF",
            b"\0",
            b"\x7F",
        ];
        input.clear();
        let longest = [4, 9, 20, 70, 140, 300][self.below(6)];
        let length = self.below(longest);
        // With few kinds of pieces, a text has long runs and many repetitions.
        let kinds: [usize; 4] = std::array::from_fn(|_| self.below(PIECES.len()));
        while input.len() < length {
            match self.below(8) {
                0 => input.push(self.below(256) as u8),
                1 => input.extend_from_slice(PIECES[self.below(PIECES.len())]),
                2 | 3 => input.resize(input.len() + self.below(40), b'a' + self.below(26) as u8),
                _ => input.extend_from_slice(PIECES[kinds[self.below(4)]]),
            }
        }
    }
}

/// Runs a check on random inputs.
fn check(check: impl Fn(&[u8], &mut Random)) {
    let is_quick = env::var_os("SIMDPCT_QUICK").is_some();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut input = Vec::new();
    for _ in 0..if is_quick { QUICK_INPUTS } else { INPUTS } {
        random.input(&mut input);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&input, &mut random))) {
            eprintln!("input: \"{}\"", input.escape_ascii());
            std::panic::resume_unwind(panic);
        }
    }
}

/// A value and the kind of its `Cow`.
fn kind<T: ToOwned + ?Sized>(cow: Cow<'_, T>) -> (bool, T::Owned) {
    (matches!(cow, Cow::Borrowed(_)), cow.into_owned())
}

/// Asserts that two iterators yield the same items and size hints.
fn assert_same_items<T: Debug + PartialEq>(mut ours: impl Iterator<Item = T>, mut theirs: impl Iterator<Item = T>) {
    loop {
        assert_eq!(ours.size_hint(), theirs.size_hint());
        let (our, their) = (ours.next(), theirs.next());
        assert_eq!(our, their);
        if our.is_none() {
            // Calls once more, after the end.
            assert_eq!((ours.next(), ours.size_hint()), (theirs.next(), theirs.size_hint()));
            return;
        }
    }
}

/// Pairs of equal sets of both crates, built in `const` by the same expressions.
macro_rules! sets {
    ($($set:expr),* $(,)?) => {
        const OUR_SETS: &[&percent_encoding::AsciiSet] = {
            #[allow(unused_imports)]
            use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC};
            &[$({ const SET: &AsciiSet = $set; SET }),*]
        };
        const THEIR_SETS: &[&percent_encoding_original::AsciiSet] = {
            #[allow(unused_imports)]
            use percent_encoding_original::{AsciiSet, CONTROLS, NON_ALPHANUMERIC};
            &[$({ const SET: &AsciiSet = $set; SET }),*]
        };
    };
}

sets! {
    CONTROLS,
    NON_ALPHANUMERIC,
    &AsciiSet::EMPTY,
    &AsciiSet::EMPTY.complement(),
    &NON_ALPHANUMERIC.complement(),
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~'),
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`'),
    &CONTROLS.union(AsciiSet::EMPTY.add(b'%').add(b'a')),
    &CONTROLS.remove(0).remove(0x7F).add(0x7F).add(b'z').add(b'z'),
    &CONTROLS.complement().remove(b'e'),
}

/// Compares encoded forms, as a whole and after each item.
fn assert_same_encoding(
    ours: percent_encoding::PercentEncode<'_>,
    theirs: percent_encoding_original::PercentEncode<'_>,
    items: usize,
) {
    assert_same_items(ours.clone(), theirs.clone());
    let (mut ours, mut theirs) = (ours, theirs);
    for item in 0..=items {
        let text = theirs.to_string();
        assert_eq!(ours.to_string(), text);
        assert_eq!(ToString::to_string(&ours), text);
        assert_eq!(format!("{ours:>9}"), format!("{theirs:>9}"));
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        assert_eq!(ours.clone().collect::<String>(), text);
        assert_eq!(ours.clone().count(), theirs.clone().count());
        assert_eq!(kind(Cow::from(ours.clone())), kind(Cow::from(theirs.clone())));
        assert!(ours == ours.clone());
        if item < items {
            let (our, their) = (ours.next(), theirs.next());
            assert_eq!(our, their);
        }
    }
}

#[test]
#[ignore = "run by drop_ins_agree_with_originals_on_every_level"]
fn random_input_percent_encodes_alike() {
    check(|input, random| {
        let at = random.below(OUR_SETS.len());
        let items = random.below(4);
        assert_same_encoding(
            percent_encoding::percent_encode(input, OUR_SETS[at]),
            percent_encoding_original::percent_encode(input, THEIR_SETS[at]),
            items,
        );
        if let Ok(text) = str::from_utf8(input) {
            assert_same_encoding(
                percent_encoding::utf8_percent_encode(text, OUR_SETS[at]),
                percent_encoding_original::utf8_percent_encode(text, THEIR_SETS[at]),
                items,
            );
        }
        // Two iterators are equal if the rest of the input and the set are equal.
        let (other, cut) = (random.below(OUR_SETS.len()), random.below(2).min(input.len()));
        let ours = percent_encoding::percent_encode(input, OUR_SETS[at])
            == percent_encoding::percent_encode(&input[cut..], OUR_SETS[other]);
        let theirs = percent_encoding_original::percent_encode(input, THEIR_SETS[at])
            == percent_encoding_original::percent_encode(&input[cut..], THEIR_SETS[other]);
        assert_eq!(ours, theirs);
    });
}

/// Compares decoded forms, as a whole and after each item.
fn assert_same_decoding(
    ours: percent_encoding::PercentDecode<'_>,
    theirs: percent_encoding_original::PercentDecode<'_>,
    items: usize,
) {
    assert_same_items(ours.clone(), theirs.clone());
    let (mut ours, mut theirs) = (ours, theirs);
    for item in 0..=items {
        assert_eq!(kind(Cow::from(ours.clone())), kind(Cow::from(theirs.clone())));
        assert_eq!(ours.clone().decode_utf8().map(kind), theirs.clone().decode_utf8().map(kind));
        assert_eq!(kind(ours.clone().decode_utf8_lossy()), kind(theirs.clone().decode_utf8_lossy()));
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        if item < items {
            assert_eq!(ours.next(), theirs.next());
        }
    }
}

#[test]
#[ignore = "run by drop_ins_agree_with_originals_on_every_level"]
fn random_input_percent_decodes_alike() {
    check(|input, random| {
        let items = random.below(4);
        assert_same_decoding(
            percent_encoding::percent_decode(input),
            percent_encoding_original::percent_decode(input),
            items,
        );
        if let Ok(text) = str::from_utf8(input) {
            assert_same_decoding(
                percent_encoding::percent_decode_str(text),
                percent_encoding_original::percent_decode_str(text),
                items,
            );
        }
    });
}

#[test]
#[ignore = "run by drop_ins_agree_with_originals_on_every_level"]
fn random_forms_parse_alike() {
    check(|input, _| {
        let (ours, theirs) = (form_urlencoded::parse(input), form_urlencoded_original::parse(input));
        let kinds = |(name, value)| (kind(name), kind(value));
        // `Copy`: both are used again.
        assert_same_items(ours, theirs);
        assert!(ours.map(kinds).eq(theirs.map(kinds)));
        assert_same_items(ours.into_owned(), theirs.into_owned());
    });
}

#[test]
#[ignore = "run by drop_ins_agree_with_originals_on_every_level"]
fn random_input_serializes_alike() {
    check(|input, _| {
        let (ours, theirs) = (form_urlencoded::byte_serialize(input), form_urlencoded_original::byte_serialize(input));
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        assert_same_items(ours, theirs);
        let text: String = form_urlencoded::byte_serialize(input).collect();
        assert_eq!(text, form_urlencoded_original::byte_serialize(input).collect::<String>());
    });
}

/// Applies the same calls to both serializers.
#[test]
#[ignore = "run by drop_ins_agree_with_originals_on_every_level"]
fn random_calls_serialize_alike() {
    fn latin1(text: &str) -> Cow<'_, [u8]> {
        text.chars().map(|char| u32::from(char) as u8).collect()
    }
    check(|input, random| {
        let text = String::from_utf8_lossy(input);
        let (mut start, mut cut) = (random.below(text.len() + 1), random.below(text.len() + 1));
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let (name, value) = text.split_at(cut);
        let prefix = &text[..start];
        let start = [0, start][random.below(2)];
        let calls: Vec<usize> = (0..random.below(6)).map(|_| random.below(6)).collect();
        macro_rules! serialized {
            ($serializer:path) => {{
                let mut serializer = <$serializer>::for_suffix(prefix.to_owned(), start);
                for call in &calls {
                    match call {
                        0 => serializer.append_pair(name, value),
                        1 => serializer.append_key_only(name),
                        2 => serializer.extend_pairs([(value, name), ("", "")]),
                        3 => serializer.extend_keys_only::<_, &str>(["", value]),
                        4 => serializer.encoding_override(Some(&latin1)),
                        _ => serializer.clear(),
                    };
                }
                serializer.finish()
            }};
        }
        let theirs = serialized!(form_urlencoded_original::Serializer<'_, String>);
        assert_eq!(serialized!(form_urlencoded::Serializer<'_, String>), theirs);
    });
}

#[test]
#[ignore = "run by drop_ins_agree_with_originals_on_every_level"]
fn random_input_urlencodes_alike() {
    check(|input, _| {
        let theirs = urlencoding_original::encode_binary(input);
        let encoded = theirs.as_ref();
        assert_eq!(kind(urlencoding::encode_binary(input)), kind(theirs.clone()));
        let (ours, original) = (urlencoding::Encoded(input), urlencoding_original::Encoded(input));
        assert_eq!(kind(ours.to_str()), kind(original.to_str()));
        assert_eq!(format!("{ours:?}"), format!("{original:?}"));
        assert_eq!(ours.to_string(), encoded);
        assert_eq!(format!("{ours:>9}"), format!("{original:>9}"));
        let (mut text, mut bytes) = ("é".to_owned(), vec![1]);
        ours.append_to(&mut text);
        ours.write(&mut bytes).expect("a Vec has no errors");
        assert_eq!((text.strip_prefix('é'), &bytes[1..]), (Some(encoded), encoded.as_bytes()));

        let theirs = kind(urlencoding_original::decode_binary(input));
        assert_eq!(kind(urlencoding::decode_binary(input)), theirs);
        if let Ok(text) = str::from_utf8(input) {
            assert_eq!(urlencoding::decode(text).map(kind), urlencoding_original::decode(text).map(kind));
            assert_eq!(kind(urlencoding::encode(text)), kind(urlencoding_original::encode(text)));
            assert_eq!(urlencoding::Encoded::str(text).to_string(), encoded);
        }
    });
}

#[test]
fn every_byte_has_the_same_triplet() {
    for byte in 0..=255 {
        assert_eq!(percent_encoding::percent_encode_byte(byte), percent_encoding_original::percent_encode_byte(byte));
    }
}

#[test]
fn sets_print_and_compare_alike() {
    for (at, (ours, theirs)) in OUR_SETS.iter().zip(THEIR_SETS).enumerate() {
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        for (our_other, their_other) in OUR_SETS.iter().zip(THEIR_SETS) {
            assert_eq!(ours == our_other, theirs == their_other, "{at}");
        }
    }
    let ours = percent_encoding::AsciiSet::EMPTY.add(b'a') + !percent_encoding::AsciiSet::EMPTY.add(b'b');
    let theirs =
        percent_encoding_original::AsciiSet::EMPTY.add(b'a') + !percent_encoding_original::AsciiSet::EMPTY.add(b'b');
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
}

/// The message of a panic.
fn panic_of<T>(work: impl FnOnce() -> T) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(|| drop(work()))).err()?;
    panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()))
}

#[test]
fn misuse_panics_alike() {
    macro_rules! panics {
        ($package:ident) => {{
            let finished = || {
                let mut serializer = $package::Serializer::new(String::new());
                serializer.finish();
                serializer
            };
            [
                panic_of(|| $package::Serializer::for_suffix(String::from("a"), 2)),
                panic_of(|| finished().finish()),
                panic_of(|| finished().clear().finish()),
                panic_of(|| finished().append_pair("", "").finish()),
                panic_of(|| finished().append_key_only("").finish()),
                panic_of(|| finished().extend_pairs(Vec::<(&str, &str)>::new()).finish()),
                panic_of(|| finished().extend_keys_only::<_, &str>(Vec::<&str>::new()).finish()),
            ]
        }};
    }
    let ours = panics!(form_urlencoded);
    assert!(ours.iter().all(Option::is_some), "{ours:?}");
    assert_eq!(ours, panics!(form_urlencoded_original));

    let not_ascii = std::hint::black_box(0x80);
    assert!(panic_of(|| percent_encoding::CONTROLS.add(not_ascii)).is_some());
    assert!(panic_of(|| percent_encoding_original::CONTROLS.add(not_ascii)).is_some());
    assert!(panic_of(|| percent_encoding::CONTROLS.remove(not_ascii)).is_some());
    assert!(panic_of(|| percent_encoding_original::CONTROLS.remove(not_ascii)).is_some());
}

/// Serializers into a custom target, and into a borrowed string.
#[test]
fn targets_finish_alike() {
    macro_rules! finished {
        ($package:ident) => {{
            struct Lines(Vec<String>);
            impl $package::Target for Lines {
                type Finished = usize;
                fn as_mut_string(&mut self) -> &mut String {
                    &mut self.0[0]
                }
                fn finish(self) -> usize {
                    self.0[0].len()
                }
            }
            let mut text = String::from("?");
            $package::Serializer::for_suffix(&mut text, 1).append_pair("a", " ").finish();
            let length = $package::Serializer::new(Lines(vec![String::new()])).append_pair("é", "").finish();
            (text, length)
        }};
    }
    assert_eq!(finished!(form_urlencoded), finished!(form_urlencoded_original));
    assert_eq!(finished!(form_urlencoded), ("?a=+".to_owned(), 7));
}

/// Checks that both implement the same traits. A trait that only the drop-in implements would go
/// unnoticed.
#[test]
fn types_implement_the_traits_of_the_originals() {
    fn shared<T: Send + Sync + Unpin>() {}
    fn copied<T: Copy>() {}
    fn cloned<T: Clone + Debug>() {}
    fn ordered<T: Copy + Debug + Ord + std::hash::Hash>() {}
    macro_rules! check {
        ($percent:ident, $form:ident, $url:ident) => {
            shared::<$percent::AsciiSet>();
            shared::<$percent::PercentEncode<'_>>();
            shared::<$percent::PercentDecode<'_>>();
            cloned::<$percent::PercentEncode<'_>>();
            cloned::<$percent::PercentDecode<'_>>();
            shared::<$form::Parse<'_>>();
            copied::<$form::Parse<'_>>();
            shared::<$form::ParseIntoOwned<'_>>();
            shared::<$form::ByteSerialize<'_>>();
            ordered::<$url::Encoded<&str>>();
            assert_eq!(size_of::<$url::Encoded<u8>>(), 1);
        };
    }
    check!(percent_encoding_original, form_urlencoded_original, urlencoding_original);
    check!(percent_encoding, form_urlencoded, urlencoding);
    assert!(urlencoding::Encoded("a") < urlencoding::Encoded("b"));
}
