//! Directories by descriptor: a path that was checked cannot be swapped for a link before it is used.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};

use super::{Identity, Kind, Named, Status};

/// An open directory.
#[derive(Debug)]
pub(in crate::source) struct Directory {
    descriptor: OwnedFd,
}

/// O_PATH needs permission to search only, and touches nothing.
#[cfg(any(target_os = "linux", target_os = "android"))]
const SEARCH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const SEARCH: OFlags = READ;
const READ: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// O_NONBLOCK, so that a FIFO that takes a file's place cannot hold the run up.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

impl Directory {
    /// Opens a directory that the user named: its links are followed.
    pub(in crate::source) fn open(path: &Path) -> io::Result<Self> {
        let descriptor = rustix::fs::openat(CWD, path, SEARCH, Mode::empty())?;
        Ok(Self { descriptor })
    }

    /// Opens a directory of this directory, unless it is a link.
    pub(in crate::source) fn enter(&self, name: &OsStr) -> io::Result<Self> {
        let descriptor = rustix::fs::openat(&self.descriptor, name, SEARCH | OFlags::NOFOLLOW, Mode::empty())?;
        Ok(Self { descriptor })
    }

    /// Opens a directory below this one, unless a link leads to it. `path` has plain names only.
    pub(in crate::source) fn descend(&self, path: &Path) -> io::Result<Self> {
        self.beneath(path, SEARCH).map(|descriptor| Self { descriptor })
    }

    /// Opens a file below this directory for reading, unless a link leads to it. `path` has plain names only.
    pub(in crate::source) fn file_beneath(&self, path: &Path) -> io::Result<File> {
        self.beneath(path, FILE).map(File::from)
    }

    /// Returns what this directory is.
    pub(in crate::source) fn status(&self) -> io::Result<Status> {
        Ok(status(&rustix::fs::fstat(&self.descriptor)?))
    }

    /// Returns what a name in this directory is; a link is a link.
    pub(in crate::source) fn status_of(&self, name: &OsStr) -> io::Result<Status> {
        // AT_NO_AUTOMOUNT is the rule for fstatat since Linux 4.11, and unknown elsewhere.
        Ok(status(&rustix::fs::statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Returns a link's target as written.
    pub(in crate::source) fn target(&self, name: &OsStr) -> io::Result<OsString> {
        let target = rustix::fs::readlinkat(&self.descriptor, name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()))
    }

    /// Calls `each` for every entry of a directory at `path` below this one, without `.` and `..`.
    pub(in crate::source) fn list(&self, path: &Path, mut each: impl FnMut(Named)) -> io::Result<()> {
        let mut entries = Dir::new(self.beneath(path, READ)?)?;
        while let Some(entry) = entries.read() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                let kind = kind(entry.file_type());
                each(Named { name: OsStr::from_bytes(name).to_owned(), kind, inode: entry.ino() });
            }
        }
        Ok(())
    }

    /// Opens what is at `path`, without a link on the way.
    fn beneath(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        match self.at_once(path, flags) {
            // A system without the call, a filter that forbids it (old container runtimes answer EPERM), a path that is
            // longer than one call takes.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM | rustix::io::Errno::NAMETOOLONG) => {
                self.step_by_step(path, flags)
            }
            Err(rustix::io::Errno::AGAIN) => self.step_by_step(path, flags),
            other => Ok(other?),
        }
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn at_once(&self, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        rustix::fs::openat2(&self.descriptor, path, flags, Mode::empty(), resolve)
    }

    #[cfg(target_vendor = "apple")]
    fn at_once(&self, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        rustix::fs::openat(&self.descriptor, path, flags | OFlags::NOFOLLOW_ANY, Mode::empty())
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    fn at_once(&self, _path: &Path, _flags: OFlags) -> rustix::io::Result<OwnedFd> {
        Err(rustix::io::Errno::NOSYS)
    }

    fn step_by_step(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let Some(name) = path.file_name() else {
            return Ok(rustix::fs::openat(&self.descriptor, ".", flags, Mode::empty())?);
        };
        let mut parent: Option<Self> = None;
        for part in path.parent().unwrap_or(Path::new("")) {
            parent = Some(parent.as_ref().unwrap_or(self).enter(part)?);
        }
        let parent = parent.as_ref().unwrap_or(self);
        Ok(rustix::fs::openat(&parent.descriptor, name, flags | OFlags::NOFOLLOW, Mode::empty())?)
    }
}

fn kind(of: FileType) -> Option<Kind> {
    match of {
        FileType::RegularFile => Some(Kind::File),
        FileType::Directory => Some(Kind::Directory),
        FileType::Symlink => Some(Kind::Link),
        FileType::Unknown => None,
        _ => Some(Kind::Special),
    }
}

#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_cast,
    clippy::cast_sign_loss,
    reason = "the widths of these fields differ by system"
)]
fn status(of: &Stat) -> Status {
    Status {
        kind: kind(FileType::from_raw_mode(of.st_mode)).unwrap_or(Kind::Special),
        mode: u32::from(of.st_mode),
        owner: of.st_uid,
        group: of.st_gid,
        size: u64::try_from(of.st_size).unwrap_or(0),
        identity: Identity { device: of.st_dev as u64, inode: of.st_ino },
    }
}

/// Returns what an open file is.
pub(in crate::source) fn status_of_file(file: &File) -> io::Result<Status> {
    Ok(status(&rustix::fs::fstat(file)?))
}

/// Says whether the error means too many links, or a link where none is followed.
pub(in crate::source) fn is_loop(error: &io::Error) -> bool {
    use rustix::io::Errno;
    // FreeBSD answers EMLINK to O_NOFOLLOW.
    matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::MLINK))
}

/// Says whether the error means that what was to be opened is a socket or a device without a driver.
pub(in crate::source) fn is_special(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(error), Some(Errno::NXIO | Errno::OPNOTSUPP | Errno::NODEV))
}

/// Returns the absolute path without links.
pub(in crate::source) fn canonical(path: &Path) -> io::Result<std::path::PathBuf> {
    path.canonicalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_a_path_follow_no_link() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(scratch.path().join("a/b")).unwrap();
        std::fs::write(scratch.path().join("a/b/file"), "").unwrap();
        std::os::unix::fs::symlink("a", scratch.path().join("link")).unwrap();
        std::os::unix::fs::symlink("file", scratch.path().join("a/b/last")).unwrap();
        let directory = Directory::open(scratch.path()).unwrap();
        for (path, works) in [
            ("a/b/file", true),
            (".", true),
            ("a/b", true),
            ("a/b/none", false),
            ("link/b/file", false),
            ("a/b/last", false),
            ("a/b/file/x", false),
        ] {
            let path = Path::new(path);
            assert_eq!(directory.beneath(path, FILE).is_ok(), works, "{path:?}");
            assert_eq!(directory.step_by_step(path, FILE).is_ok(), works, "{path:?}");
        }
    }
}
