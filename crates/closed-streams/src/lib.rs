//! Whether standard input or output was closed when the process started, as with `>&-` in a shell.
//!
//! Rust's runtime opens `/dev/null` for a closed standard stream, so that output is lost without an
//! error. From `main` on, such a stream cannot be distinguished from one that was redirected to
//! `/dev/null`, as with Python's `subprocess.DEVNULL`. So the check runs before `main`. It is a
//! separate crate because the attribute `ctor(unsafe)` is not allowed in a crate that forbids
//! unsafe code.
#![deny(unsafe_code)]

/// Whether standard input was closed. Always false on systems other than Unix.
pub fn stdin_was_closed() -> bool {
    start::stdin_was_closed()
}

/// Whether standard output was closed. Always false on systems other than Unix.
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
        // SAFETY: Code that runs before `main` must not rely on the initialization of `std`. This
        // only makes system calls and stores to atomics.
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
