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
pub(crate) struct AtomicFile<F = File> {
    // Drop order matters: remove the file before unregistering it.
    file: NamedTempFile<F>,
    guard: Guard,
    path: PathBuf,
}

/// Opens a temporary file that will replace `path`, or `path` itself if it is not a regular file.
pub(super) fn open(path: &Path) -> io::Result<Target> {
    let old = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Some(metadata),
        Ok(_) => return special(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        // `NUL` of Windows can be written to, and has no metadata.
        Err(error) => return special(path).map_err(|_| error),
    };
    // Follow symbolic links, so that the target is replaced and not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let create = |path: &Path| File::options().write(true).create_new(true).open(path);
    let file = AtomicFile::create(path, create)?;
    if let Some(old) = old {
        file.take_owner_and_mode(&old)?;
    }
    Ok(Target::File(file))
}

/// Opens what is not a regular file, such as a pipe or a device.
fn special(path: &Path) -> io::Result<Target> {
    File::options().write(true).open(path).map(Target::Special)
}

impl<F> AtomicFile<F> {
    /// Creates a temporary file that will replace `path`.
    fn create(path: PathBuf, create: impl FnMut(&Path) -> io::Result<F>) -> io::Result<Self> {
        interrupt::listen()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".pct-").suffix(".tmp");
        let (file, guard) = Guard::create(|| builder.make_in(folder, create))?;
        Ok(Self { file, guard, path })
    }

    /// The file that is replaced.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The directory of the file.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        self.file.path().parent().map(Path::to_owned)
    }

    /// Replaces the old file.
    pub(super) fn rename(self) -> io::Result<()> {
        self.file.persist(&self.path).map_err(|error| error.error)?;
        drop(self.guard);
        Ok(())
    }
}

impl AtomicFile<()> {
    /// Makes a hard link to `path`, which replaces the file `link`.
    pub(super) fn link(path: &Path, link: &Path) -> io::Result<()> {
        let temporary = Self::create(link.to_owned(), |temporary| fs::hard_link(path, temporary))?;
        let name = temporary.file.path().to_owned();
        temporary.rename()?;
        // If `link` was a link to the same file already, the rename did nothing.
        let _ = fs::remove_file(name);
        Ok(())
    }
}

impl AtomicFile {
    /// Copies `path` to a file that replaces `copy`.
    pub(super) fn copy(path: &Path, copy: &Path) -> io::Result<()> {
        let create = |path: &Path| File::options().write(true).create_new(true).open(path);
        let mut file = Self::create(copy.to_owned(), create)?;
        let mut old = File::open(path)?;
        io::copy(&mut old, &mut file.file)?;
        file.take_owner_and_mode(&old.metadata()?)?;
        file.finish()
    }

    fn take_owner_and_mode(&self, old: &Metadata) -> io::Result<()> {
        let file = self.file.as_file();
        keep_owner(file, old);
        file.set_permissions(old.permissions())
    }

    /// Number of bytes written; 0 if it is unknown.
    pub(super) fn len(&self) -> u64 {
        self.file.as_file().metadata().map_or(0, |metadata| metadata.len())
    }

    /// Starts to write the data to the disk. It is only a hint, as from a cache that is no longer
    /// needed.
    ///
    /// Later, the first `fsync` of many files finds all of them in one transaction of the journal.
    #[cfg(target_os = "linux")]
    pub(super) fn start_sync(&self) {
        use rustix::fs::{Advice, fadvise};

        let _ = fadvise(self.file.as_file(), 0, None, Advice::DontNeed);
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn start_sync(&self) {}

    /// Waits until the data is on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.as_file().sync_all()
    }

    /// Syncs the data, renames, and syncs the directory.
    pub(super) fn finish(self) -> io::Result<()> {
        self.sync()?;
        let folder = self.folder();
        self.rename()?;
        // Not every file system can sync a directory; the file itself is safe by now.
        if let Some(Ok(folder)) = folder.map(File::open) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// Keeps owner and group if permitted: only root may change the owner.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};

    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
