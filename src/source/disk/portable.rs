//! Directories by path, where the system has no calls relative to a descriptor. A race with whoever changes the tree
//! is possible here.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::{Identity, Kind, Named, Status};

/// A directory's path.
#[derive(Debug)]
pub(in crate::source) struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Opens a directory that the user named: its links are followed.
    pub(in crate::source) fn open(path: &Path) -> io::Result<Self> {
        if fs::metadata(path)?.is_dir() {
            Ok(Self { path: path.to_owned() })
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    /// Opens a directory of this directory, unless it is a link.
    pub(in crate::source) fn enter(&self, name: &OsStr) -> io::Result<Self> {
        match self.status_of(name)?.kind {
            Kind::Directory => Ok(Self { path: self.path.join(name) }),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Opens a directory below this one, unless a link leads to it. `path` has plain names only.
    pub(in crate::source) fn descend(&self, path: &Path) -> io::Result<Self> {
        let mut at = Self { path: self.path.clone() };
        for part in path {
            at = at.enter(part)?;
        }
        Ok(at)
    }

    /// Opens a file below this directory for reading, unless a link leads to it. `path` has plain names only.
    pub(in crate::source) fn file_beneath(&self, path: &Path) -> io::Result<File> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        self.descend(path.parent().unwrap_or(Path::new("")))?.file(name)
    }

    fn file(&self, name: &OsStr) -> io::Result<File> {
        match self.status_of(name)?.kind {
            Kind::File => File::open(self.path.join(name)),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// Returns what this directory is.
    pub(in crate::source) fn status(&self) -> io::Result<Status> {
        Ok(status(&fs::metadata(&self.path)?))
    }

    /// Returns what a name in this directory is; a link is a link.
    pub(in crate::source) fn status_of(&self, name: &OsStr) -> io::Result<Status> {
        Ok(status(&fs::symlink_metadata(self.path.join(name))?))
    }

    /// Returns a link's target as written.
    pub(in crate::source) fn target(&self, name: &OsStr) -> io::Result<OsString> {
        Ok(fs::read_link(self.path.join(name))?.into_os_string())
    }

    /// Calls `each` for every entry of a directory at `path` below this one.
    pub(in crate::source) fn list(&self, path: &Path, mut each: impl FnMut(Named)) -> io::Result<()> {
        for entry in fs::read_dir(self.descend(path)?.path)? {
            let entry = entry?;
            each(Named { name: entry.file_name(), kind: Some(kind(entry.file_type()?)), inode: 0 });
        }
        Ok(())
    }
}

fn kind(of: FileType) -> Kind {
    if of.is_symlink() {
        Kind::Link
    } else if of.is_dir() {
        Kind::Directory
    } else if of.is_file() {
        Kind::File
    } else {
        Kind::Special
    }
}

fn status(of: &Metadata) -> Status {
    let kind = kind(of.file_type());
    let mode = match kind {
        Kind::Directory => 0o040_755,
        Kind::File => 0o100_644,
        Kind::Link => 0o120_777,
        Kind::Special => 0,
    };
    Status { kind, mode, owner: 0, group: 0, size: of.len(), identity: Identity::default() }
}

/// Returns what an open file is.
pub(in crate::source) fn status_of_file(file: &File) -> io::Result<Status> {
    Ok(status(&file.metadata()?))
}

/// Says whether the error means too many links; here they are not told apart.
pub(in crate::source) fn is_loop(_error: &io::Error) -> bool {
    false
}

/// Says whether the error means that what was to be opened is no file; `Directory` asks before.
pub(in crate::source) fn is_special(_error: &io::Error) -> bool {
    false
}

/// Returns the absolute path without links, and without the `\\\\?\\` that git does not understand.
pub(in crate::source) fn canonical(path: &Path) -> io::Result<PathBuf> {
    let verbatim = path.canonicalize()?;
    let plain = verbatim.to_str().and_then(|path| path.strip_prefix(r"\\?\"));
    Ok(plain.filter(|path| path.as_bytes().get(1) == Some(&b':')).map_or_else(|| verbatim.clone(), PathBuf::from))
}
