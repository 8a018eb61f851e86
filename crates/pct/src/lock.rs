//! Locks a mutex, whether or not a thread has panicked while it held the lock: such a panic ends
//! the command.
#![forbid(unsafe_code)]

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
