//! Files that are rewritten in place, replaced in groups: a file system makes many files durable in
//! hardly more time than one.
//!
//! The order of the steps keeps the old or the new text whole under each name, whenever the system
//! crashes:
//!
//! 1. The new text is in a temporary file beside the old one.
//! 2. `fsync` of each temporary file of the group. Its name must not become that of the old file
//!    earlier: a rename can be durable before the data.
//! 3. With `--backup`, a second name for the old file.
//! 4. `rename`, which replaces the old file atomically.
//! 5. `fsync` of each directory, once, after all files. It makes the renames durable. A crash
//!    before it leaves the old file or the new one under the name.
#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::Written;
use super::atomic_file::AtomicFile;
use crate::error::Error;
use crate::lock::lock;

/// Files of a group. They stay open, as the files of the group being replaced do, and some
/// systems allow a process only 256 open files.
const MAX_OPEN_FILES: usize = 96;

/// Length of the files of a group, in bytes, unless one is longer. It bounds the space that the
/// temporary files take.
const LENGTH: u64 = 64 * 1024 * 1024;

/// Threads that wait for `fsync`. Journaling file systems commit the files of all that wait at
/// once. 1,000 files on ext4: 23 -> 4.6 s, `sed -i` 2.2 s (loaded machine, `crates/pct/bench`).
const SYNC_THREADS: usize = 16;

/// The files of an `--in-place` run. Shared by threads: while one replaces a group, others fill the
/// next.
#[derive(Default)]
pub(crate) struct InPlace {
    backup: Option<OsString>,
    group: Mutex<Group>,
    /// Directories with replaced files. Locked while a group is replaced.
    folders: Mutex<BTreeSet<PathBuf>>,
}

/// Files that are replaced together.
#[derive(Default)]
struct Group {
    files: Vec<(String, AtomicFile)>,
    /// Their length.
    length: u64,
}

impl InPlace {
    /// With `backup`, the old files keep their names with this suffix.
    pub(crate) fn new(backup: Option<OsString>) -> Self {
        Self { backup, ..Self::default() }
    }

    /// Adds a file, and replaces the files of the group if there are enough. Returns the errors.
    #[must_use]
    pub(crate) fn add(&self, Written { name, file }: Written) -> Vec<Error> {
        let length = file.len();
        file.start_sync();
        let mut group = lock(&self.group);
        group.length += length;
        group.files.push((name, file));
        if group.files.len() < MAX_OPEN_FILES && group.length < LENGTH {
            return Vec::new();
        }
        // Of two full groups, one waits, with the next group locked: there are not more open files.
        let mut folders = lock(&self.folders);
        let full = std::mem::take(&mut *group);
        drop(group);
        replace(full, self.backup.as_ref(), &mut folders)
    }

    /// Replaces the rest, and makes all durable. Returns the errors.
    #[must_use]
    pub(crate) fn finish(self) -> Vec<Error> {
        let mut folders = self.folders.into_inner().unwrap_or_else(PoisonError::into_inner);
        let group = self.group.into_inner().unwrap_or_else(PoisonError::into_inner);
        let errors = replace(group, self.backup.as_ref(), &mut folders);
        for folder in &folders {
            // Not every file system can sync a directory; the files themselves are safe by now.
            if let Ok(folder) = File::open(folder) {
                let _ = folder.sync_all();
            }
        }
        errors
    }
}

/// Replaces the files of a group. A file with an error is left unchanged.
fn replace(group: Group, backup: Option<&OsString>, folders: &mut BTreeSet<PathBuf>) -> Vec<Error> {
    let mut unsynced = sync(&group.files);
    let mut errors = Vec::new();
    for (number, (name, file)) in group.files.into_iter().enumerate() {
        let folder = file.folder();
        let synced = unsynced.remove(&number).map_or(Ok(()), Err);
        let backed_up = synced.and_then(|()| backup.map_or(Ok(()), |suffix| back_up(file.path(), suffix)));
        match backed_up.and_then(|()| file.rename()) {
            Ok(()) => {
                // Most files have the folder of another.
                if let Some(folder) = folder
                    && !folders.contains(&folder)
                {
                    folders.insert(folder);
                }
            }
            Err(error) => errors.push(Error::Output(name, error)),
        }
    }
    errors
}

/// Syncs all files at once. Returns the errors by the number of the file.
fn sync(group: &[(String, AtomicFile)]) -> BTreeMap<usize, io::Error> {
    let errors = Mutex::new(BTreeMap::new());
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, file)) = group.get(number) else { break };
            if let Err(error) = file.sync() {
                lock(&errors).insert(number, error);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..group.len().min(SYNC_THREADS) {
            // If spawning fails, the existing threads do all the work.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    errors.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Gives a file a second name, its own with `suffix`. An older file of that name is replaced.
fn back_up(path: &Path, suffix: &OsString) -> io::Result<()> {
    let mut backup = path.as_os_str().to_owned();
    backup.push(suffix);
    let backup = Path::new(&backup);
    match fs::hard_link(path, backup) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        // Not every file system has hard links, and not every user may make one.
        Err(_) => return AtomicFile::copy(path, backup),
        Ok(()) => return Ok(()),
    }
    // A rename replaces the older file atomically.
    match AtomicFile::link(path, backup) {
        Err(_) => AtomicFile::copy(path, backup),
        Ok(()) => Ok(()),
    }
}
