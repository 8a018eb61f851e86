//! The levels with vectors: their instructions, and the kernels that process blocks.
//!
//! The conditions are those of `by_target!`.
#![cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
mod blocks;
mod generic;
#[cfg(target_arch = "aarch64")]
pub(super) mod neon;
mod rank;
mod report;
#[cfg(target_arch = "wasm32")]
pub(super) mod simd128;
#[cfg(target_arch = "x86_64")]
pub(super) mod sse41;
mod tables;
mod vector;
