//! `Level`: the instruction set in use; detected once, and overridable.
#![forbid(unsafe_code)]

use core::fmt;
use core::str::FromStr;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// An instruction set for which there are kernels.
///
/// By default every function uses the best available level.
/// [`Encoder::level`](crate::Encoder::level), [`Decoder::level`](crate::Decoder::level) and the
/// environment variable `SIMDPCT_LEVEL` select another one, for tests and measurements. The
/// variable requires the feature `std` and is read once; an unknown or unavailable name is ignored.
/// All levels give the same results.
///
/// Without the feature `std`, availability is determined at compile time by the target features.
///
/// ```
/// use simdpct::Level;
///
/// assert!(Level::active().is_available());
/// assert!(Level::available().any(|level| level == Level::Scalar));
/// assert_eq!("avx2".parse(), Ok(Level::Avx2));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
#[repr(u8)]
pub enum Level {
    /// No vector instructions; any CPU.
    Scalar,
    /// x86-64 with SSE4.1, SSSE3 and POPCNT (2008): 16 bytes at a time.
    Sse41,
    /// x86-64 with AVX2, BMI1, BMI2 and POPCNT (2013): 32 bytes at a time.
    Avx2,
    /// x86-64 with AVX-512 F, BW, VL, VBMI and VBMI2 (Ice Lake, Zen 4): 64 bytes at a time.
    Avx512,
    /// AArch64 with NEON: 16 bytes at a time.
    Neon,
}

/// A level that this CPU has: proof that calling its kernels is sound. Constructed only in this
/// module.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Supported(Level);

/// Set in [`DETECTED`] once detection has run, to tell "nothing found" from "not yet detected".
const LOOKED: u8 = 1 << 7;
/// Bitmask of the available levels, indexed by discriminant, and [`LOOKED`].
static DETECTED: AtomicU8 = AtomicU8::new(0);
/// Discriminant of the active level, or [`LOOKED`] if not yet determined.
static ACTIVE: AtomicU8 = AtomicU8::new(LOOKED);

impl Level {
    /// All levels on all architectures, from the least to the most capable.
    pub const ALL: &'static [Self] = &[Self::Scalar, Self::Sse41, Self::Avx2, Self::Avx512, Self::Neon];

    /// The level used by default: the one that `SIMDPCT_LEVEL` names, or the best available.
    #[must_use]
    #[inline]
    pub fn active() -> Self {
        Self::supported(None).0
    }

    /// The levels that this CPU has, [`Level::Scalar`] first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(Self::is_available)
    }

    /// Whether this CPU has the level.
    #[must_use]
    #[inline]
    pub fn is_available(&self) -> bool {
        detected() & self.bit() != 0
    }

    /// The name, as in `SIMDPCT_LEVEL`: `scalar`, `sse41`, `avx2`, `avx512` or `neon`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Sse41 => "sse41",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }

    /// The level to run on: the active one by default, else the best available one not above
    /// `asked`.
    #[inline]
    pub(crate) fn supported(asked: Option<Self>) -> Supported {
        match asked {
            None => match from_discriminant(ACTIVE.load(Relaxed)) {
                Some(level) => Supported(level),
                None => activate(),
            },
            Some(level) if level.is_available() => Supported(level),
            Some(level) => best_below(level),
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Supported {
    #[inline]
    pub(crate) const fn level(self) -> Level {
        self.0
    }
}

#[inline]
const fn from_discriminant(value: u8) -> Option<Level> {
    if (value as usize) < Level::ALL.len() { Some(Level::ALL[value as usize]) } else { None }
}

/// The best level in a bitmask of available ones. The scalar level is always available.
fn best_of(mask: u8) -> Level {
    Level::ALL.iter().copied().rev().find(|level| mask & level.bit() != 0).unwrap_or(Level::Scalar)
}

#[cold]
fn best_below(level: Level) -> Supported {
    Supported(best_of(detected() & (level.bit() - 1)))
}

#[cold]
fn activate() -> Supported {
    let level = from_environment().unwrap_or_else(|| best_of(detected()));
    ACTIVE.store(level as u8, Relaxed);
    Supported(level)
}

/// Racing threads detect the same levels, so relaxed ordering suffices.
#[inline]
fn detected() -> u8 {
    match DETECTED.load(Relaxed) {
        0 => detect_now(),
        found => found,
    }
}

#[cold]
fn detect_now() -> u8 {
    let found = detect();
    DETECTED.store(found, Relaxed);
    found
}

#[cfg(feature = "std")]
fn from_environment() -> Option<Level> {
    let level: Level = std::env::var("SIMDPCT_LEVEL").ok()?.parse().ok()?;
    level.is_available().then_some(level)
}

#[cfg(not(feature = "std"))]
fn from_environment() -> Option<Level> {
    None
}

/// Whether the CPU has all the named features: detected at run time with `std`, else at compile
/// time.
#[cfg(target_arch = "x86_64")]
macro_rules! has {
    ($($feature:tt),*) => {{
        #[cfg(feature = "std")]
        let answer = true $(&& std::arch::is_x86_feature_detected!($feature))*;
        #[cfg(not(feature = "std"))]
        let answer = true $(&& cfg!(target_feature = $feature))*;
        answer
    }};
}

// The only place that decides which levels a CPU has. The features match `#[target_feature]` of
// each level's kernels.
fn detect() -> u8 {
    let mut found = LOOKED | Level::Scalar.bit();
    #[cfg(target_arch = "x86_64")]
    {
        if has!("sse4.1", "ssse3", "popcnt") {
            found |= Level::Sse41.bit();
        }
        if has!("avx2", "bmi1", "bmi2", "popcnt") {
            found |= Level::Avx2.bit();
        }
        if has!("avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2", "bmi1", "bmi2", "popcnt") {
            found |= Level::Avx512.bit();
        }
    }
    // The kernels assume little-endian lanes. NEON is part of every AArch64 target with floating
    // point.
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    {
        found |= Level::Neon.bit();
    }
    found
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Error: the name is not one of [`Level::name`]'s.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct UnknownLevel;

impl fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown level: expected scalar, sse41, avx2, avx512 or neon")
    }
}

impl core::error::Error for UnknownLevel {}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Self, UnknownLevel> {
        Self::ALL.iter().copied().find(|level| level.name() == name).ok_or(UnknownLevel)
    }
}
