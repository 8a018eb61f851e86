//! Pages of the operating system, between two inaccessible pages.

use std::ops::Range;
use std::ptr::NonNull;

pub struct Pages {
    map: NonNull<u8>,
    page: usize,
    room: usize,
}

impl Pages {
    pub fn new(room: usize) -> Self {
        let page = page_size();
        let room = room.next_multiple_of(page);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: a new mapping at an address that the system chooses replaces no other.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), room + 2 * page, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(map, libc::MAP_FAILED);
        let map: NonNull<u8> = NonNull::new(map.cast()).unwrap();
        // SAFETY: the pages lie within the new mapping, to which no other pointer exists.
        let status = unsafe { libc::mprotect(map.add(page).as_ptr().cast(), room, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(status, 0);
        Self { map, page, room }
    }

    pub fn memory(&mut self) -> &mut [u8] {
        // SAFETY: these bytes are mapped, zeroed by the system, readable and writable until `drop`,
        // and borrowed with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.page).as_ptr(), self.room) }
    }

    pub fn length(&self) -> usize {
        self.room
    }

    /// The range for buffers: up to both guards.
    pub fn room(&self) -> Range<usize> {
        0..self.room
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: this is the whole mapping made by `new`, and no borrow of it outlives `self`.
        let status = unsafe { libc::munmap(self.map.as_ptr().cast(), self.room + 2 * self.page) };
        assert_eq!(status, 0);
    }
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
