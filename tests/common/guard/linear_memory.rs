//! The end of WebAssembly's linear memory, beyond which each access is a trap.
//! The end must not move. So the heap first gets its memory, and then memory is grown to the
//! maximum with which the program is linked (scripts/check-levels).

use core::arch::wasm32::{memory_grow, memory_size};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::hint::black_box;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::MARGIN;

/// The size of a page of linear memory.
const PAGE: usize = 64 << 10;

/// Memory for the allocator, reserved before the last pages are taken.
const HEAP: usize = 512 << 20;

/// Memory at the end that nothing else uses.
const LAST: usize = 1 << 20;

/// The address of the first byte beyond linear memory.
static END: LazyLock<usize> = LazyLock::new(|| {
    drop(black_box(Vec::<u8>::with_capacity(HEAP)));
    let before = memory_size::<0>();
    let mut step = 1 << 14;
    while step != 0 {
        if memory_grow::<0>(step) == usize::MAX {
            step /= 2;
        }
    }
    let pages = memory_size::<0>();
    assert!(pages < 1 << 16, "the program is linked without --max-memory, so its memory ends where addresses end");
    assert!(pages - before >= LAST / PAGE, "the heap has taken all memory");
    pages * PAGE
});

/// Whether a buffer is at the end.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Memory with a margin at its start. At its end is the end of linear memory or another margin.
pub struct Pages {
    start: NonNull<u8>,
    length: usize,
    is_last: bool,
}

impl Pages {
    pub fn new(room: usize) -> Self {
        let end = *END;
        if !IS_TAKEN.swap(true, Relaxed) {
            let length = MARGIN + room;
            assert!(length <= LAST);
            return Self { start: NonNull::new((end - length) as *mut u8).unwrap(), length, is_last: true };
        }
        let length = room + 2 * MARGIN;
        // SAFETY: the size is not zero. (tests/bounds.rs)
        let start = unsafe { alloc_zeroed(Layout::array::<u8>(length).unwrap()) };
        Self { start: NonNull::new(start).unwrap(), length, is_last: false }
    }

    pub fn memory(&mut self) -> &mut [u8] {
        // SAFETY: either allocated and zeroed, or at the end of linear memory, of which the
        // allocator has no part and this is the only user; borrowed with `self`. (tests/bounds.rs)
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }

    pub fn length(&self) -> usize {
        self.length
    }

    /// The range for buffers: after the first margin, up to the end or the second margin.
    pub fn room(&self) -> Range<usize> {
        MARGIN..self.length - if self.is_last { 0 } else { MARGIN }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if self.is_last {
            IS_TAKEN.store(false, Relaxed);
        } else {
            // SAFETY: allocated by `new` with this layout, and no borrow outlives `self`.
            // (tests/bounds.rs)
            unsafe { dealloc(self.start.as_ptr(), Layout::array::<u8>(self.length).unwrap()) }
        }
    }
}

/// Whether a load from `address` succeeds.
pub fn is_readable(address: *const u8) -> bool {
    (address as usize) < memory_size::<0>() * PAGE
}
