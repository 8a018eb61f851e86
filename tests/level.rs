//! Levels: names, availability, and the choice of the active level by CPU and environment.

use std::env;

use simdpct::{Level, UnknownLevel};

/// scripts/check-levels runs this on emulated CPUs and sets the level expected of each. Elsewhere
/// the documented rule applies: `SIMDPCT_LEVEL` if it names an available level, otherwise the best
/// level.
#[test]
fn active_level_is_the_expected_one() {
    let best = Level::available().last().expect("the scalar level is always available");
    let asked = env::var("SIMDPCT_LEVEL").ok().and_then(|name| name.parse().ok()).filter(Level::is_available);
    let by_rule = asked.unwrap_or(best).name().to_owned();
    let expected = env::var("SIMDPCT_EXPECT_LEVEL").unwrap_or(by_rule);
    assert_eq!(Level::active().name(), expected);
}

#[test]
fn active_level_is_available() {
    assert!(Level::active().is_available());
    assert!(Level::available().any(|level| level == Level::active()));
}

#[test]
fn available_levels_ascend_from_scalar() {
    let available: Vec<Level> = Level::available().collect();
    assert_eq!(available.first(), Some(&Level::Scalar));
    let ascending = ["scalar", "sse41", "avx2", "avx512", "neon", "simd128"];
    let place = |level: &Level| ascending.iter().position(|name| *name == level.name());
    assert!(available.is_sorted_by(|a, b| place(a) < place(b)), "{available:?}");
    assert!(Level::ALL.iter().all(|level| level.is_available() == available.contains(level)));
}

#[test]
fn available_levels_belong_to_the_architecture() {
    for level in Level::available() {
        let fits = match level {
            Level::Sse41 | Level::Avx2 | Level::Avx512 => cfg!(target_arch = "x86_64"),
            Level::Neon => cfg!(target_arch = "aarch64"),
            Level::Simd128 => cfg!(target_arch = "wasm32"),
            _ => true,
        };
        assert!(fits, "{level}");
    }
}

/// The features of each level, as `std` detects them. scripts/check-levels runs this on emulated
/// CPUs.
#[cfg(target_arch = "x86_64")]
#[test]
fn available_levels_are_those_whose_features_std_detects() {
    macro_rules! has {
        ($($feature:tt),*) => { true $(&& std::arch::is_x86_feature_detected!($feature))* };
    }
    for (level, has_features) in [
        (Level::Sse41, has!("sse4.1", "ssse3", "popcnt")),
        (Level::Avx2, has!("avx2", "bmi1", "bmi2", "popcnt")),
        (Level::Avx512, has!("avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2", "bmi1", "bmi2", "popcnt")),
    ] {
        assert_eq!(level.is_available(), has_features, "{level}");
    }
}

/// A module cannot ask its engine: the compiler's option decides.
#[test]
fn simd128_is_available_in_a_module_compiled_with_it() {
    let is_compiled_in = cfg!(all(target_arch = "wasm32", target_feature = "simd128"));
    assert_eq!(Level::Simd128.is_available(), is_compiled_in);
}

#[test]
fn documented_names_round_trip() {
    let names = ["scalar", "sse41", "avx2", "avx512", "neon", "simd128"];
    assert_eq!(Level::ALL.iter().map(|level| level.name()).collect::<Vec<_>>(), names);
    for &level in Level::ALL {
        assert_eq!(level.name().parse(), Ok(level));
        assert_eq!(level.to_string(), level.name());
    }
}

#[test]
fn other_names_are_rejected() {
    for name in ["", "SSE41", " avx2", "avx2 ", "avx", "avx5120", "sse4.1", "Neon", "simd"] {
        let parsed: Result<Level, UnknownLevel> = name.parse();
        assert!(parsed.is_err(), "{name:?}");
    }
}
