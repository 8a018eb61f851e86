//! `Progress`: how far a kernel got, and why it stopped.
#![forbid(unsafe_code)]

/// The result of a kernel. Two words, so that it is returned in registers: most inputs are short.
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    /// Output length: the bytes written, or with [`Measure`](super::op::Measure), the bytes that
    /// would be written.
    pub(crate) written: usize,
    /// Zero at the end of input. Otherwise bits 16..64 are the number of input bytes read, bits
    /// 8..16 the rejected byte, and bits 0..8 the kind of [`Stop`].
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
        // Overflow would give a wrong offset. It takes a slice of 2^48 bytes, which is only
        // possible with 57-bit addresses and memory that is mapped many times. The check is off the
        // path of inputs without errors.
        assert!(read as u64 >> 48 == 0, "stopped after 2^48 bytes or more");
        Self { written, stop: (read as u64) << 16 | u64::from(byte) << 8 | why }
    }

    /// The number of initialised bytes of the output.
    ///
    /// # Panics
    ///
    /// If the kernel stopped for lack of room; `written` is unspecified then. Where the capacity is
    /// the worst case, this is a comparison that never fails, before the `set_len` that relies on
    /// it.
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

    /// The number of input bytes processed, and so the offset at which the kernel stopped.
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
    /// End of input.
    End,
    /// The output does not fit. Nothing was written beyond its end; `read` and `written` are
    /// unspecified.
    Full,
    /// [`Scan`](super::op::Scan) found a byte or triplet that the operation changes.
    Change,
    /// Strict decoding found a malformed `%`. Everything before it is written.
    Malformed,
    /// Decoding would output this byte of the rejected set. Everything before it is written.
    Rejected(u8),
}
