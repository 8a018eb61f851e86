//! Memory that ClickHouse writes to and reads from.
//!
//! Its unsafe code gives memory away and takes it back, and is covered by
//! engines/clickhouse/tests/test_module.py.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::ManuallyDrop;

/// ClickHouse reads the first two fields.
#[repr(C)]
pub struct Buffer {
    data: *mut u8,
    size: usize,
    capacity: usize,
}

impl Buffer {
    /// A buffer with these contents, which ClickHouse destroys.
    pub(crate) fn give(contents: Vec<u8>) -> *mut Self {
        let mut contents = ManuallyDrop::new(contents);
        let (data, size, capacity) = (contents.as_mut_ptr(), contents.len(), contents.capacity());
        Box::into_raw(Box::new(Self { data, size, capacity }))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the fields come from a vector, all of whose bytes are initialized: see `give`.
        unsafe { core::slice::from_raw_parts(self.data, self.size) }
    }
}

#[unsafe(no_mangle)]
extern "C" fn clickhouse_create_buffer(size: usize) -> *mut Buffer {
    Buffer::give(alloc::vec![0; size])
}

/// # Safety
///
/// `buffer` comes from [`Buffer::give`], and is not used any more.
#[unsafe(no_mangle)]
unsafe extern "C" fn clickhouse_destroy_buffer(buffer: *mut Buffer) {
    // SAFETY: guaranteed by the caller.
    let buffer = unsafe { Box::from_raw(buffer) };
    // SAFETY: the fields come from a vector that `give` has not dropped.
    drop(unsafe { Vec::from_raw_parts(buffer.data, buffer.size, buffer.capacity) });
}
