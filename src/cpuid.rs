//! CPU features of x86-64 at run time: `cpuid` and `xgetbv` (Intel SDM volume 1, chapters 13.2 and
//! 14.3; volume 2, CPUID). `std` has a macro for this, but the library must detect the same without
//! it.
//!
//! Its unsafe code is covered by tests/level.rs, which compares it with `std`, also on emulated
//! CPUs.
//!
//! A vector extension is usable only if the operating system saves its registers, which XCR0 says.

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

/// The features of the kernels that the CPU and the operating system support.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Features {
    /// SSE4.1, SSSE3 and POPCNT.
    pub(crate) sse41: bool,
    /// AVX2, BMI1, BMI2 and POPCNT.
    pub(crate) avx2: bool,
    /// AVX-512 F, BW, VL, VBMI and VBMI2, BMI1, BMI2 and POPCNT.
    pub(crate) avx512: bool,
}

/// Bits of leaf 1, register ECX.
const SSSE3: u32 = 1 << 9;
const SSE41: u32 = 1 << 19;
const POPCNT: u32 = 1 << 23;
const XSAVE: u32 = 1 << 26;
const OSXSAVE: u32 = 1 << 27;
const AVX: u32 = 1 << 28;
/// Bits of leaf 7, register EBX: BMI1, AVX2 and BMI2; AVX-512 F, BW and VL.
const BMI1: u32 = 1 << 3;
const AVX2: u32 = 1 << 5;
const BMI2: u32 = 1 << 8;
const AVX512_F_BW_VL: u32 = 1 << 16 | 1 << 30 | 1 << 31;
/// Bits of leaf 7, register ECX: VBMI and VBMI2.
const AVX512_VBMI_VBMI2: u32 = 1 << 1 | 1 << 6;
/// Bits of XCR0: SSE and AVX state; opmask, the upper halves of ZMM0-15, and ZMM16-31.
const YMM: u64 = 1 << 1 | 1 << 2;
const ZMM: u64 = YMM | 1 << 5 | 1 << 6 | 1 << 7;

/// Asks the CPU. Slow, particularly in a virtual machine: the caller stores the answer.
#[allow(unused_unsafe, reason = "`__cpuid` is safe since Rust 1.92; the minimum is older")]
pub(crate) fn features() -> Features {
    // SAFETY: every x86-64 CPU has the instruction.
    let (leaf_0, leaf_1) = unsafe { (__cpuid(0), __cpuid(1)) };
    // SAFETY: as above; a leaf above the maximum is not asked for.
    let leaf_7 = (leaf_0.eax >= 7).then(|| unsafe { __cpuid_count(7, 0) });
    let (ebx, ecx) = leaf_7.map_or((0, 0), |leaf| (leaf.ebx, leaf.ecx));
    // SAFETY: the operating system has enabled `xgetbv`, which OSXSAVE says.
    let saved = if has(leaf_1.ecx, XSAVE | OSXSAVE) { unsafe { saved_states() } } else { 0 };
    let popcnt = has(leaf_1.ecx, POPCNT);
    let bmi = popcnt && has(ebx, BMI1 | BMI2);
    let avx = has(leaf_1.ecx, AVX) && saved & YMM == YMM;
    Features {
        sse41: popcnt && has(leaf_1.ecx, SSE41 | SSSE3),
        avx2: bmi && avx && has(ebx, AVX2),
        avx512: bmi && avx && saved & ZMM == ZMM && has(ebx, AVX512_F_BW_VL) && has(ecx, AVX512_VBMI_VBMI2),
    }
}

/// XCR0: the register states that the operating system saves.
///
/// # Safety
///
/// The CPU has XSAVE, and the operating system has enabled it (OSXSAVE).
#[target_feature(enable = "xsave")]
unsafe fn saved_states() -> u64 {
    // SAFETY: the caller guarantees the feature; every CPU that has it has XCR0.
    unsafe { _xgetbv(0) }
}

fn has(register: u32, bits: u32) -> bool {
    register & bits == bits
}
