//! `Mark`: where the members of a set are, 64 bytes at a time, so that any prefix can be counted at once.
#![forbid(unsafe_code)]

/// The members among 64 bytes of a haystack.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    /// Where they are, the first byte lowest.
    pub(crate) bits: u64,
    /// How many there are before these bytes.
    pub(crate) before: usize,
}

/// One mark for each whole block, and one more for what is left, which may be nothing: so every offset up to the end has one.
#[inline(always)]
pub(super) fn fill(haystack: &[u8], marks: &mut [Mark], members: impl Fn(&[u8]) -> u64) {
    let (blocks, rest) = haystack.as_chunks::<64>();
    let blocks = blocks.iter().map(<[u8; 64]>::as_slice).chain([rest]);
    let mut before = 0;
    for (mark, block) in marks.iter_mut().zip(blocks) {
        let bits = members(block);
        *mark = Mark { bits, before };
        before += bits.count_ones() as usize;
    }
}
