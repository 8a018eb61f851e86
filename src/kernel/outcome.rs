//! `Progress` and `Cursor`: how far a kernel came, and why it stopped there.
#![forbid(unsafe_code)]

/// How far a kernel came, and why it stopped there: small enough to be returned in registers, since most inputs are short.
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    /// Bytes of the output: those written, or with [`Measure`](super::op::Measure), those that would be.
    pub(crate) written: usize,
    /// Zero at the end of the input; else how many bytes of it were read, above a byte that explains and one that says why.
    stop: u64,
}

impl Progress {
    #[inline(always)]
    pub(crate) fn new(read: usize, written: usize, stop: Stop) -> Self {
        let (why, byte) = match stop {
            Stop::End => return Self { written, stop: 0 },
            Stop::Full => (1, 0),
            Stop::Change => (2, 0),
            Stop::Malformed => (3, 0),
            Stop::Rejected(byte) => (4, byte),
        };
        // Addresses have up to 57 bits, and only mapping the same memory many times makes a slice of 2^48 bytes. It would be read wrong.
        // This is off the path of inputs without errors.
        assert!(read as u64 >> 48 == 0, "stopped after 2^48 bytes or more");
        Self { written, stop: (read as u64) << 16 | u64::from(byte) << 8 | why }
    }

    /// How many bytes of the output are initialised.
    ///
    /// # Panics
    ///
    /// If the kernel stopped for lack of room, for then `written` says little. Where there was enough, this is a compare that never
    /// fails, in front of the `set_len` that relies on it.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn initialised(&self) -> usize {
        assert!(self.stop() != Stop::Full, "a kernel stopped for lack of room, where there was enough");
        self.written
    }

    #[inline(always)]
    pub(crate) fn is_end(&self) -> bool {
        self.stop == 0
    }

    /// Bytes of the input done with; what stopped the kernel there stands here.
    #[inline(always)]
    pub(crate) fn read(&self) -> usize {
        (self.stop >> 16) as usize
    }

    #[inline(always)]
    pub(crate) fn stop(&self) -> Stop {
        match self.stop & 0xFF {
            0 => Stop::End,
            1 => Stop::Full,
            2 => Stop::Change,
            3 => Stop::Malformed,
            _ => Stop::Rejected((self.stop >> 8) as u8),
        }
    }
}

/// Why a kernel stopped.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Stop {
    /// At the end of the input.
    End,
    /// The output would not fit. Nothing was written behind its end; how far it came says little.
    Full,
    /// [`Scan`](super::op::Scan) found a byte or triplet that the operation changes.
    Change,
    /// Decoding strictly: a malformed '%'. All before it is written.
    Malformed,
    /// Decoding: this byte of the rejected set would stand in the output. All before it is written.
    Rejected(u8),
}

/// The lanes of a block at which decoding may stop, as bitmasks.
pub(super) struct Stops {
    /// A malformed `%` that is an error.
    pub(super) malformed: u64,
    /// A rejected byte would be in the output.
    pub(super) rejected: u64,
    /// [`Scan`](super::op::Scan): something changes.
    pub(super) changed: u64,
}

/// Why decoding stops at a lane. Which byte is rejected is left to the kernel, for it is in a register.
pub(super) enum Reason {
    Malformed,
    Rejected,
    Change,
}

impl Stops {
    /// The lowest lane, and why decoding stops there.
    ///
    /// At one lane, a malformed `%` precedes a rejected one, for it never gets to the output. What is rejected is an error before it
    /// is a change.
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

/// Blocks per group. Whether blocks are encoded as if they had something to escape is decided per group: on mixed input a branch per
/// block mispredicts, which costs more than expanding a block needlessly.
pub(super) const GROUP_BLOCKS: usize = 8;

/// If at least this many blocks of a group had something to escape, the next group does not ask.
const ESCAPED_BLOCKS: u32 = 4;

/// Where an operation stands.
pub(super) struct Cursor {
    pub(super) read: usize,
    pub(super) written: usize,
    /// How the lowest lanes of the next block continue a triplet of the last one: bits 0 and 1.
    pub(super) carry: u64,
    /// The same of triplets that stay, when their digits are to be upper-case.
    pub(super) uppercase: u64,
    /// The lowest lanes of the next block at which a decoded digit could complete a malformed '%' of the last one: bits 0 and 1.
    pub(super) completing: u64,
    /// How many blocks of the current group had something to escape.
    pub(super) escaped_blocks: u32,
}

impl Cursor {
    pub(super) const START: Self =
        Self { read: 0, written: 0, carry: 0, uppercase: 0, completing: 0, escaped_blocks: 0 };

    /// Whether the blocks of the next group are encoded as if each had something to escape.
    #[inline(always)]
    pub(super) fn assumes_escapes(&self) -> bool {
        self.escaped_blocks >= ESCAPED_BLOCKS
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, Stop};

    const STOPS: [Stop; 6] =
        [Stop::End, Stop::Full, Stop::Change, Stop::Malformed, Stop::Rejected(0), Stop::Rejected(0xFF)];

    #[test]
    fn progress_packs_every_stop_and_place() {
        for stop in STOPS {
            for read in [0, 1, 0xFF, 0x1_0000, usize::MAX >> 17] {
                let progress = Progress::new(read, 7, stop);
                assert_eq!(progress.stop(), stop);
                assert_eq!(progress.is_end(), stop == Stop::End);
                assert!(stop == Stop::End || progress.read() == read, "{stop:?} at {read}");
            }
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn progress_refuses_a_place_that_it_cannot_hold() {
        for stop in STOPS.into_iter().skip(1) {
            assert!(std::panic::catch_unwind(|| Progress::new(1 << 48, 0, stop)).is_err(), "{stop:?}");
        }
    }

    #[test]
    #[cfg(feature = "alloc")]
    fn what_is_initialised_is_not_said_without_room() {
        for stop in STOPS {
            let initialised = std::panic::catch_unwind(|| Progress::new(3, 2, stop).initialised());
            assert_eq!(initialised.ok(), (stop != Stop::Full).then_some(2), "{stop:?}");
        }
    }
}
