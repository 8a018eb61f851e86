//! Removes unfinished files when a signal ends the process.
//!
//! A signal that was ignored when the process started, as by `nohup` or `trap '' INT`, stays
//! ignored.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tempfile::NamedTempFile;

/// Files to remove.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Registers a file for removal until dropped.
pub(super) struct Guard {
    path: PathBuf,
}

impl Guard {
    /// Creates a file and its guard. No signal can end the process between the two.
    pub(super) fn create<F>(
        create: impl FnOnce() -> io::Result<NamedTempFile<F>>,
    ) -> io::Result<(NamedTempFile<F>, Self)> {
        unfinished(|files| {
            let file = create()?;
            let path = file.path().to_owned();
            files.insert(path.clone());
            Ok((file, Self { path }))
        })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        unfinished(|files| files.remove(&self.path));
    }
}

fn unfinished<T>(action: impl FnOnce(&mut BTreeSet<PathBuf>) -> T) -> T {
    action(&mut UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Installs the signal handlers, once.
#[cfg(unix)]
pub(super) fn listen() -> io::Result<()> {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::{fs, thread};

    use signal_hook::consts::SIGXFSZ;
    use signal_hook::flag;
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    static IS_LISTENING: AtomicBool = AtomicBool::new(false);
    if IS_LISTENING.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let ignored = Ignored::of_this_process();
    if !ignored.contains(SIGXFSZ) {
        // With a handler installed, a write beyond `ulimit -f` fails like one to a full disk.
        flag::register(SIGXFSZ, Arc::default())?;
    }
    let mut signals = Signals::new(ENDING.into_iter().filter(|&signal| !ignored.contains(signal)))?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            // The list stays locked until the process ends, so that no new file is created.
            unfinished(|files| {
                for file in &*files {
                    let _ = fs::remove_file(file);
                }
                let _ = emulate_default_handler(signal);
            });
        }
    })?;
    Ok(())
}

/// Not supported elsewhere: temporary files remain.
#[cfg(not(unix))]
pub(super) fn listen() -> io::Result<()> {
    Ok(())
}

/// Signals whose default action ends the process, except those that indicate a bug in the program.
#[cfg(unix)]
const ENDING: [i32; 10] = {
    use signal_hook::consts::*;

    [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU]
};

/// Signals that were ignored when the process started.
#[cfg(unix)]
enum Ignored {
    /// Bit n - 1 for signal n.
    Mask(u64),
    Unknown,
}

#[cfg(unix)]
impl Ignored {
    /// Reads proc_pid_status(5). POSIX only has `sigaction`, which no safe interface offers as a
    /// query.
    fn of_this_process() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).map_or(Self::Unknown, Self::Mask)
    }

    /// If unknown, SIGHUP counts as ignored: a leftover temporary file is less harmful than ending
    /// in spite of `nohup`.
    fn contains(&self, signal: i32) -> bool {
        match self {
            Self::Mask(mask) => mask >> (signal - 1) & 1 != 0,
            Self::Unknown => signal == signal_hook::consts::SIGHUP,
        }
    }
}
