//! The module's allocator: it hands out memory in order, and the next call takes all of it back.
//!
//! Each call of JavaScript begins with [`begin`], and copies its input in and its results out. So
//! no memory of a call is needed after it, except policies and encoders. [`keep`] keeps them as
//! long as the module.
//!
//! npm/test/suite.js covers the unsafe code: it runs every function on each engine.
//!
//! # Safety
//!
//! The functions of the allocator have the contract of [`GlobalAlloc`].

use core::alloc::{GlobalAlloc, Layout};
use core::arch::wasm32::{memory_grow, memory_size};
use core::cell::Cell;
use core::ptr::null_mut;

/// Size of a page of linear memory.
const PAGE: usize = 64 << 10;

/// The minimum alignment of an allocation: the alignment of a register.
const ALIGNMENT: usize = 16;

struct Arena {
    /// The first free byte.
    next: Cell<usize>,
    /// The end of the kept memory, to which [`begin`] returns. 0 before the first call.
    floor: Cell<usize>,
}

// SAFETY: the module has one thread: it is linked without shared memory.
unsafe impl Sync for Arena {}

#[global_allocator]
static ARENA: Arena = Arena { next: Cell::new(0), floor: Cell::new(0) };

// SAFETY: every linker of WebAssembly defines the symbol, of which only the address is used.
unsafe extern "C" {
    /// The end of the linker's own data.
    static __heap_base: u8;
}

/// Releases everything that is not kept.
pub(crate) fn begin() {
    ARENA.next.set(ARENA.floor.get());
}

/// Keeps everything that has been allocated so far.
pub(crate) fn keep() {
    ARENA.floor.set(ARENA.next.get());
}

impl Arena {
    /// Takes memory from `start`, and grows linear memory if necessary. `None` if it cannot grow.
    fn take(&self, start: usize, size: usize) -> Option<*mut u8> {
        let end = start.checked_add(size)?.checked_next_multiple_of(ALIGNMENT)?;
        let missing = end.saturating_sub(memory_size::<0>() * PAGE);
        if missing != 0 && memory_grow::<0>(missing.div_ceil(PAGE)) == usize::MAX {
            return None;
        }
        self.next.set(end);
        Some(start as *mut u8)
    }
}

// SAFETY: memory is handed out from `next`. `begin` moves `next` back when nothing of the former
// call is used any more. `realloc` and `dealloc` move it back for the last allocation, which they
// own. All of the memory is linear memory beyond the linker's data. (npm/test/suite.js)
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if self.next.get() == 0 {
            let base = (&raw const __heap_base as usize).next_multiple_of(ALIGNMENT);
            self.next.set(base);
        }
        self.take(self.next.get().next_multiple_of(layout.align()), layout.size()).unwrap_or(null_mut())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let start = pointer as usize;
        if start + layout.size().next_multiple_of(ALIGNMENT) == self.next.get() {
            self.next.set(start);
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let start = pointer as usize;
        if start + layout.size().next_multiple_of(ALIGNMENT) == self.next.get() {
            return self.take(start, size).unwrap_or(null_mut());
        }
        if size <= layout.size() {
            return pointer;
        }
        let Some(new) = self.take(self.next.get().next_multiple_of(layout.align()), size) else { return null_mut() };
        // SAFETY: the caller guarantees the old allocation; the new one is after it and longer.
        // (npm/test/suite.js)
        unsafe { new.copy_from_nonoverlapping(pointer, layout.size()) };
        new
    }
}
