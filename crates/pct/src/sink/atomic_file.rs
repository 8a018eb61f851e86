//! Atomic replacement: write a temporary file, then rename. A crash, a full disk or Ctrl-C leaves
//! the old file unchanged.
#![forbid(unsafe_code)]

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::Target;
use super::interrupt::{self, Guard};

/// A temporary file, removed if dropped unfinished.
pub(crate) struct AtomicFile {
    // Drop order matters: remove the file before unregistering it.
    file: NamedTempFile,
    guard: Guard,
    path: PathBuf,
}

/// Opens a temporary file that will replace `path`, or `path` itself if it is not a regular file.
pub(super) fn open(path: &Path) -> io::Result<Target> {
    // Follow symbolic links, so that the target is replaced and not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = match fs::metadata(&path) {
        Ok(metadata) if metadata.is_file() => Some(metadata),
        Ok(_) => return File::options().write(true).open(&path).map(Target::Special),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    interrupt::listen()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pct-").suffix(".tmp");
    let create = || builder.make_in(folder, |path| File::options().write(true).create_new(true).open(path));
    let (file, guard) = Guard::create(create)?;
    if let Some(old) = old {
        keep_owner(file.as_file(), &old);
        file.as_file().set_permissions(old.permissions())?;
    }
    Ok(Target::File(AtomicFile { file, guard, path }))
}

/// Keeps owner and group if permitted: only root may change the owner.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};

    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

impl AtomicFile {
    /// Syncs the data, renames, and syncs the directory.
    pub(super) fn finish(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        let folder = self.file.path().parent().map(Path::to_owned);
        self.file.persist(&self.path).map_err(|error| error.error)?;
        drop(self.guard);
        // Not every file system can sync a directory; the file itself is safe by now.
        if let Some(Ok(folder)) = folder.map(File::open) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
