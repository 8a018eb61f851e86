//! `Level`: the instruction set in use; detected once, and overridable.
#![forbid(unsafe_code)]

use core::fmt;
use core::str::FromStr;

/// An instruction set for which there are kernels.
///
/// By default every function uses the best available level.
/// [`Encoder::level`](crate::Encoder::level), [`Decoder::level`](crate::Decoder::level) and the
/// environment variable `SIMDPCT_LEVEL` select another one, for tests and measurements. The
/// variable requires the feature `std` or `getenv` and is read once; an unknown or unavailable name
/// is ignored. All levels give the same results.
///
/// Levels have no order, because they belong to several architectures, and the number of a variant
/// may change.
///
/// On x86-64 the CPU is asked at run time (`cpuid`), also without the feature `std`. Elsewhere the
/// target decides: NEON is part of AArch64, and a WebAssembly module either uses simd128 or does
/// not.
///
/// ```
/// use simdpct::Level;
///
/// assert!(Level::active().is_available());
/// assert!(Level::available().any(|level| level == Level::Scalar));
/// assert_eq!("avx2".parse(), Ok(Level::Avx2));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
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
    /// WebAssembly with simd128: 16 bytes at a time. Only in a module that is compiled with it
    /// (`-Ctarget-feature=+simd128`), because engines that lack it reject the module as a whole.
    Simd128,
}

/// A level that this CPU has: proof that calling its kernels is sound. Constructed only in this
/// module.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Supported(Level);

impl Level {
    /// All levels. The levels of an architecture are ordered from the least to the most capable.
    pub const ALL: &'static [Self] = &[Self::Scalar, Self::Sse41, Self::Avx2, Self::Avx512, Self::Neon, Self::Simd128];

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
        known::detected() & self.bit() != 0
    }

    /// The name, as in `SIMDPCT_LEVEL`: `scalar`, `sse41`, `avx2`, `avx512`, `neon` or `simd128`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Sse41 => "sse41",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
            Self::Simd128 => "simd128",
        }
    }

    /// The level to run on: the active one by default, else the best available one not above
    /// `asked`.
    #[inline]
    pub(crate) fn supported(asked: Option<Self>) -> Supported {
        match asked {
            None => Supported(known::active()),
            Some(level) if level.is_available() => Supported(level),
            Some(level) => best_below(level),
        }
    }

    /// The bit in a mask of levels. A level that can replace another one has a higher bit.
    const fn bit(self) -> u8 {
        1 << self as u8
    }

    #[cfg(target_arch = "x86_64")]
    const fn bit_if(self, is_available: bool) -> u8 {
        if is_available { self.bit() } else { 0 }
    }
}

impl Supported {
    #[inline]
    pub(crate) const fn level(self) -> Level {
        self.0
    }
}

/// The best level in a bitmask of available ones. The scalar level is always available.
fn best_of(mask: u8) -> Level {
    Level::ALL.iter().copied().rev().find(|level| mask & level.bit() != 0).unwrap_or(Level::Scalar)
}

#[cold]
fn best_below(level: Level) -> Supported {
    Supported(best_of(known::detected() & (level.bit() - 1)))
}

/// The features of the CPU that are known at run time, detected once.
#[cfg(any(feature = "std", feature = "getenv", target_arch = "x86_64"))]
mod known {
    use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

    use super::{Level, best_of, detect};

    /// Set in [`DETECTED`] once detection has run, to tell "nothing found" from "not yet detected".
    const LOOKED: u8 = 1 << 7;
    /// Bitmask of the available levels, one [`bit`](Level::bit) each, and [`LOOKED`].
    static DETECTED: AtomicU8 = AtomicU8::new(0);
    /// Discriminant of the active level, or [`LOOKED`] if not yet determined.
    static ACTIVE: AtomicU8 = AtomicU8::new(LOOKED);

    #[inline]
    pub(super) fn active() -> Level {
        from_discriminant(ACTIVE.load(Relaxed)).unwrap_or_else(activate)
    }

    /// Racing threads detect the same levels, so relaxed ordering suffices.
    #[inline]
    pub(super) fn detected() -> u8 {
        match DETECTED.load(Relaxed) {
            0 => detect_now(),
            found => found,
        }
    }

    #[inline]
    const fn from_discriminant(value: u8) -> Option<Level> {
        if (value as usize) < Level::ALL.len() { Some(Level::ALL[value as usize]) } else { None }
    }

    #[cold]
    fn activate() -> Level {
        let level = from_environment().unwrap_or_else(|| best_of(detected()));
        ACTIVE.store(level as u8, Relaxed);
        level
    }

    fn from_environment() -> Option<Level> {
        crate::environment::with(c"SIMDPCT_LEVEL", |name| name.parse().ok()).filter(Level::is_available)
    }

    #[cold]
    fn detect_now() -> u8 {
        let found = LOOKED | detect();
        DETECTED.store(found, Relaxed);
        found
    }
}

/// The features of the CPU that are known at compile time. No atomics, which not every target has.
#[cfg(not(any(feature = "std", feature = "getenv", target_arch = "x86_64")))]
mod known {
    use super::{Level, best_of, detect};

    #[inline]
    pub(super) fn active() -> Level {
        best_of(detected())
    }

    #[inline]
    pub(super) fn detected() -> u8 {
        detect()
    }
}

/// Selects code by the levels that a target may have. This alone decides about that. The modules of
/// the vector kernels repeat its conditions, because their instructions exist nowhere else.
///
/// The kernels assume little-endian lanes. NEON is part of every AArch64 target with floating
/// point. An engine validates a whole module before it runs, so code cannot ask for simd128: a
/// program that must run everywhere is compiled twice.
macro_rules! by_target {
    (x86_64: $x86_64:expr, neon: $neon:expr, simd128: $simd128:expr, others: $others:expr,) => {{
        #[cfg(target_arch = "x86_64")]
        {
            $x86_64
        }
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        {
            $neon
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        {
            $simd128
        }
        #[cfg(not(any(
            target_arch = "x86_64",
            all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
            all(target_arch = "wasm32", target_feature = "simd128")
        )))]
        {
            $others
        }
    }};
}
pub(crate) use by_target;

/// Bitmask of the levels that the CPU has. This alone decides. The features match
/// `#[target_feature]` of each level's kernels.
fn detect() -> u8 {
    let vectors = by_target! {
        x86_64: {
            let crate::cpuid::Features { sse41, avx2, avx512 } = crate::cpuid::features();
            Level::Sse41.bit_if(sse41) | Level::Avx2.bit_if(avx2) | Level::Avx512.bit_if(avx512)
        },
        neon: Level::Neon.bit(),
        simd128: Level::Simd128.bit(),
        others: 0,
    };
    Level::Scalar.bit() | vectors
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
        f.write_str("unknown level: expected scalar, sse41, avx2, avx512, neon or simd128")
    }
}

impl core::error::Error for UnknownLevel {}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Self, UnknownLevel> {
        Self::ALL.iter().copied().find(|level| level.name() == name).ok_or(UnknownLevel)
    }
}
