//! Tells whether standard input or output was closed when the process started, as with `>&-` in a shell.
//!
//! Rust's runtime opens `/dev/null` for a closed standard stream, so that what is written there is lost without an error. From `main`
//! on, such a stream is the same as one that was opened to `/dev/null` for reading and writing, as Python's `subprocess.DEVNULL` is.
//! So this looks before `main`. That is a crate of its own because the attribute `ctor(unsafe)` may not occur in one that forbids
//! unsafe code.
#![deny(unsafe_code)]

/// Whether standard input was closed. False where that is never so, as on Windows.
pub fn stdin_was_closed() -> bool {
    start::stdin_was_closed()
}

/// Whether standard output was closed. False where that is never so, as on Windows.
pub fn stdout_was_closed() -> bool {
    start::stdout_was_closed()
}

#[cfg(unix)]
mod start {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::io::{Errno, fcntl_getfd};
    use rustix::stdio::{stdin, stdout};

    static STDIN: AtomicBool = AtomicBool::new(false);
    static STDOUT: AtomicBool = AtomicBool::new(false);

    ctor::declarative::ctor! {
        // SAFETY: Code that runs before `main` must not rely on what `std` sets up at its start. This makes system calls and stores
        // to atomics only.
        #[ctor(unsafe)]
        fn look() {
            STDIN.store(fcntl_getfd(stdin()) == Err(Errno::BADF), Ordering::Relaxed);
            STDOUT.store(fcntl_getfd(stdout()) == Err(Errno::BADF), Ordering::Relaxed);
        }
    }

    pub(super) fn stdin_was_closed() -> bool {
        STDIN.load(Ordering::Relaxed)
    }

    pub(super) fn stdout_was_closed() -> bool {
        STDOUT.load(Ordering::Relaxed)
    }
}

#[cfg(not(unix))]
mod start {
    pub(super) fn stdin_was_closed() -> bool {
        false
    }

    pub(super) fn stdout_was_closed() -> bool {
        false
    }
}
