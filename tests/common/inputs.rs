//! Inputs that make kernels take each of their paths.

/// Patterns to repeat: nothing to decode, only triplets, only malformed triplets, bytes that only
/// an encoder changes, and non-ASCII text. Cut to any length, they end within a triplet or a
/// character in every way.
pub const KERNEL_PATHS: [&[u8]; 7] = [b"clean", b"%41", b"%fF%20", b"%", b"%g4%4", b" \0\xFF", "é😀".as_bytes()];

/// `length` bytes of a repeated pattern.
pub fn repeated(pattern: &[u8], length: usize) -> Vec<u8> {
    pattern.iter().copied().cycle().take(length).collect()
}
