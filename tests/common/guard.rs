//! Memory between two inaccessible pages, so that one byte read or written outside a buffer ends
//! the process by a signal. In WebAssembly, memory that ends where linear memory ends: an access
//! beyond it is a trap.

use std::ops::Range;

#[cfg(unix)]
mod pages;
#[cfg(target_arch = "wasm32")]
#[path = "guard/linear_memory.rs"]
mod pages;

use pages::Pages;
pub use pages::is_readable;
#[cfg(unix)]
pub use pages::page_size;

/// Bytes that are checked on each side of a buffer that has no guard page.
pub const MARGIN: usize = 128;

/// Memory between two pages that can be neither read nor written.
///
/// In WebAssembly, memory has only one end, which the first live buffer gets. Other buffers have a
/// margin in place of each guard: it shows writes, but not reads.
pub struct GuardedBuffer {
    pages: Pages,
}

/// Which guard page a buffer touches.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    AfterGuard,
    BeforeGuard,
}

pub const PLACES: [Place; 2] = [Place::AfterGuard, Place::BeforeGuard];

impl GuardedBuffer {
    /// Maps memory for at least `room` bytes and the margin.
    pub fn new(room: usize) -> Self {
        Self { pages: Pages::new(room + MARGIN) }
    }

    /// All memory that is accessible, margins included.
    pub fn memory(&mut self) -> &mut [u8] {
        self.pages.memory()
    }

    /// A buffer of `length` bytes next to a guard page, filled with canaries. So is the margin on
    /// each side without a guard page.
    pub fn at(&mut self, place: Place, length: usize) -> &mut [u8] {
        let buffer = self.range(place, length);
        let margins = self.margins(&buffer);
        let memory = self.memory();
        for at in buffer.clone().chain(margins.into_iter().flatten()) {
            memory[at] = canary(at);
        }
        &mut memory[buffer]
    }

    /// A copy of `bytes` next to a guard page.
    pub fn holding(&mut self, place: Place, bytes: &[u8]) -> &mut [u8] {
        let buffer = self.at(place, bytes.len());
        buffer.copy_from_slice(bytes);
        buffer
    }

    /// The contents of the last buffer.
    pub fn last(&mut self, place: Place, length: usize) -> &[u8] {
        let buffer = self.range(place, length);
        &self.memory()[buffer]
    }

    /// Whether the margins of the last buffer are unchanged.
    pub fn is_intact(&mut self, place: Place, length: usize) -> bool {
        let margins = self.margins(&self.range(place, length));
        margins.into_iter().flatten().all(|at| self.memory()[at] == canary(at))
    }

    fn range(&self, place: Place, length: usize) -> Range<usize> {
        let room = self.pages.room();
        match place {
            Place::AfterGuard => room.start..room.start + length,
            Place::BeforeGuard => room.end - length..room.end,
        }
    }

    /// The bytes on both sides of a buffer, up to the guard pages.
    fn margins(&self, buffer: &Range<usize>) -> [Range<usize>; 2] {
        let after = self.pages.length().min(buffer.end + MARGIN);
        [buffer.start.saturating_sub(MARGIN)..buffer.start, buffer.end..after]
    }
}

fn canary(at: usize) -> u8 {
    0xC5 ^ at as u8
}
