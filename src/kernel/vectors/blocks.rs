//! The state and the compile-time options of kernels that process blocks.
#![forbid(unsafe_code)]

use core::marker::PhantomData;

use crate::kernel::op::DecodePolicy;

/// `P` without checks for malformed `%`, which is not an error under these rules. Most text is
/// decoded so; it saves 4 % of the time on clean text.
pub(crate) struct Lenient<P>(PhantomData<P>);

impl<P: DecodePolicy> DecodePolicy for Lenient<P> {
    const PLUS: bool = P::PLUS;
    const KEEP: bool = P::KEEP;
    const REJECT: bool = P::REJECT;
    const UPPERCASE: bool = P::UPPERCASE;
    const CHECKS: bool = false;
}

/// The number of lanes and the room that a block has.
pub(crate) trait Extent {
    /// The block has all lanes, and room for its worst-case output.
    const FULL: bool;
    /// The block is encoded without testing whether it is clean.
    const ASSUME_ESCAPES: bool;
}

/// The end of the input or of the output: fewer lanes or less room.
pub(crate) enum Tail {}

/// A whole block.
pub(crate) enum Full {}

/// A whole block, in a group after one in which many blocks needed escaping.
pub(crate) enum FullEscaped {}

impl Extent for Tail {
    const FULL: bool = false;
    const ASSUME_ESCAPES: bool = false;
}

impl Extent for Full {
    const FULL: bool = true;
    const ASSUME_ESCAPES: bool = false;
}

impl Extent for FullEscaped {
    const FULL: bool = true;
    const ASSUME_ESCAPES: bool = true;
}

/// The lanes of a block at which decoding may stop, as bitmasks.
pub(super) struct Stops {
    /// A malformed `%` that is an error.
    pub(super) malformed: u64,
    /// A rejected byte in the output.
    pub(super) rejected: u64,
    /// With [`Scan`](crate::kernel::op::Scan): a byte or triplet changes.
    pub(super) changed: u64,
}

/// Why decoding stops at a lane. The kernel adds the rejected byte, which it has in a register.
pub(super) enum Reason {
    Malformed,
    Rejected,
    Change,
}

impl Stops {
    /// The lowest lane at which decoding stops, and why.
    ///
    /// If several apply to one lane, malformed takes precedence over rejected, since a malformed
    /// `%` is never output, and rejected takes precedence over changed.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<(usize, Reason)> {
        let all = self.malformed | self.rejected | self.changed;
        if all == 0 {
            return None;
        }
        let lowest = all & all.wrapping_neg();
        let reason = if self.malformed & lowest != 0 {
            Reason::Malformed
        } else if self.rejected & lowest != 0 {
            Reason::Rejected
        } else {
            Reason::Change
        };
        Some((all.trailing_zeros() as usize, reason))
    }
}

/// Blocks per group. Clean or in need of escaping is decided per group: on mixed input a per-block
/// branch mispredicts, which costs more than expanding a clean block needlessly.
pub(super) const GROUP_BLOCKS: usize = 8;

/// If at least this many blocks of a group needed escaping, the next group skips the check.
const ESCAPED_BLOCKS: u32 = 4;

/// The position and the loop-carried state of an operation.
pub(super) struct Cursor {
    pub(super) read: usize,
    pub(super) written: usize,
    /// Bits 0 and 1: lanes of the next block that are digits of this block's last triplets.
    pub(super) carry: u64,
    /// The same for kept triplets whose digits become upper-case.
    pub(super) uppercase: u64,
    /// Bits 0 and 1: lanes of the next block at which a decoded digit could complete a malformed
    /// `%` of this block to a triplet.
    pub(super) completing: u64,
    /// The number of blocks of the current group that needed escaping.
    pub(super) escaped_blocks: u32,
}

impl Cursor {
    pub(super) const START: Self =
        Self { read: 0, written: 0, carry: 0, uppercase: 0, completing: 0, escaped_blocks: 0 };

    /// Whether the next group skips the check for clean blocks.
    #[inline(always)]
    pub(super) fn assumes_escapes(&self) -> bool {
        self.escaped_blocks >= ESCAPED_BLOCKS
    }
}
