//! Memory between two inaccessible pages, so that one byte read or written outside a buffer ends
//! the process by a signal.

use std::ops::Range;
use std::ptr::NonNull;

/// Bytes that are checked on the side of a buffer that has no guard page.
pub const MARGIN: usize = 128;

/// Memory between two pages that can be neither read nor written.
pub struct GuardedBuffer {
    map: NonNull<u8>,
    page: usize,
    room: usize,
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
        let page = page_size();
        let room = (room + MARGIN).next_multiple_of(page);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: a new mapping at an address that the system chooses replaces no other.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), room + 2 * page, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(map, libc::MAP_FAILED);
        let map: NonNull<u8> = NonNull::new(map.cast()).unwrap();
        // SAFETY: the pages lie within the new mapping, to which there is no other pointer.
        let status = unsafe { libc::mprotect(map.add(page).as_ptr().cast(), room, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(status, 0);
        Self { map, page, room }
    }

    pub fn memory(&mut self) -> &mut [u8] {
        // SAFETY: these bytes are mapped, zeroed by the system, readable and writable until `drop`,
        // and borrowed with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.page).as_ptr(), self.room) }
    }

    /// A buffer of `length` bytes next to a guard page, filled with canaries, as is the margin on
    /// its other side.
    pub fn at(&mut self, place: Place, length: usize) -> &mut [u8] {
        let (buffer, margin) = self.ranges(place, length);
        let memory = self.memory();
        for at in buffer.clone().chain(margin) {
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
        let (buffer, _) = self.ranges(place, length);
        &self.memory()[buffer]
    }

    /// Whether the margin of the last buffer is unchanged.
    pub fn is_intact(&mut self, place: Place, length: usize) -> bool {
        let (_, margin) = self.ranges(place, length);
        margin.clone().all(|at| self.memory()[at] == canary(at))
    }

    /// A buffer, and the margin on the side without a guard page.
    fn ranges(&self, place: Place, length: usize) -> (Range<usize>, Range<usize>) {
        match place {
            Place::AfterGuard => (0..length, length..length + MARGIN),
            Place::BeforeGuard => {
                let start = self.room - length;
                (start..self.room, start - MARGIN..start)
            }
        }
    }
}

impl Drop for GuardedBuffer {
    fn drop(&mut self) {
        // SAFETY: this is the whole mapping made by `new`, and no borrow of it outlives `self`.
        let status = unsafe { libc::munmap(self.map.as_ptr().cast(), self.room + 2 * self.page) };
        assert_eq!(status, 0);
    }
}

fn canary(at: usize) -> u8 {
    0xC5 ^ at as u8
}

pub fn page_size() -> usize {
    // SAFETY: `sysconf` only returns a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap()
}

/// Whether the operating system can read a byte at `address`.
pub fn is_readable(address: *const u8) -> bool {
    // SAFETY: `access` checks the address itself, and changes nothing.
    let status = unsafe { libc::access(address.cast(), libc::F_OK) };
    status == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
}
