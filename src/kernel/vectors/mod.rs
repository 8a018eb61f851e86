//! The levels with vectors: their instructions, and the kernels that process blocks.

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
#[cfg(target_arch = "x86_64")]
pub(super) mod sse41;
mod tables;
mod vector;
