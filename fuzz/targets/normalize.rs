//! Normalization, and comparison of normal forms.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct::{Level, Malformed, Normalizer, equivalent, is_normal};
use simdpct_fuzz::common::normalize::{compare_normalizing, compare_normalizing_bytes};
use simdpct_fuzz::{Set, exact, text};

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    policy: u8,
    decode: Option<Set>,
    /// Where the text is cut to make a second one for comparison.
    cut: u8,
    input: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let policy = [Malformed::Refuse, Malformed::Keep, Malformed::Escape][usize::from(case.policy % 3)];
    let mut normalizer = Normalizer::new().malformed(policy);
    if let Some(Set(set)) = case.decode {
        normalizer = normalizer.decode(set);
    }
    let input = text(case.input);
    compare_normalizing(&normalizer, &input);

    // Normalization is idempotent, unless malformed '%' are kept.
    if let Ok(once) = normalizer.normalize(&input)
        && policy != Malformed::Keep
    {
        assert_eq!(normalizer.normalize(&once).as_deref(), Ok(&*once));
    }
    let bytes = exact(case.input);
    compare_normalizing_bytes(&normalizer, &bytes);
    for level in Level::available() {
        let mut in_place = bytes.clone();
        let result = normalizer.level(level).normalize_in_place(&mut in_place).map(|normal| normal.to_vec());
        let mut scalar = bytes.clone();
        let expected = normalizer.level(Level::Scalar).normalize_in_place(&mut scalar).map(|normal| normal.to_vec());
        assert_eq!(result, expected, "{level}");
        if result.is_ok_and(|normal| *normal == *bytes) {
            assert!(normalizer.level(level).is_normal(&bytes));
        }
    }

    let escape = Normalizer::new().malformed(Malformed::Escape);
    let normal = |text: &str| escape.normalize(text).expect("what is malformed is escaped").into_owned();
    assert!(is_normal(&normal(&input)) && equivalent(&input, &normal(&input)));
    let cut = input.floor_char_boundary(usize::from(case.cut));
    let (a, b) = input.split_at(cut);
    for (a, b) in [(a, b), (&*input, &*format!("{a}%7e{b}")), (&*format!("{a}~{b}"), &*format!("{a}%7E{b}"))] {
        assert_eq!(equivalent(a, b), normal(a) == normal(b), "{a:?} {b:?}");
    }
});
