//! Ctrl-C and its like: unfinished files are removed, and then the signal does what it would have done.
#![forbid(unsafe_code)]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files to remove.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// While this lives, a signal removes the file.
pub(super) struct Guard {
    path: PathBuf,
}

impl Guard {
    pub(super) fn new(path: &Path) -> Self {
        let path = path.to_owned();
        unfinished(|files| files.push(path.clone()));
        Self { path }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        unfinished(|files| files.retain(|path| *path != self.path));
    }
}

fn unfinished<T>(action: impl FnOnce(&mut Vec<PathBuf>) -> T) -> T {
    action(&mut UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Starts to listen, once.
#[cfg(unix)]
pub(super) fn listen() -> io::Result<()> {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::{fs, thread};

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    static IS_LISTENING: AtomicBool = AtomicBool::new(false);
    if IS_LISTENING.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            // Holding the list until the end, so that no file takes its name from here on.
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

/// Elsewhere the system closes the files, and they stay under their temporary names.
#[cfg(not(unix))]
pub(super) fn listen() -> io::Result<()> {
    Ok(())
}
