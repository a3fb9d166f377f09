//! Files that the user named and that may lie in a tree somebody else controls: a configuration, a baseline, a report.
//! Nothing here waits for a FIFO, reads a device or writes through a link of a checked tree.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::disk::{canonical, is_loop, is_special};
use super::read::{Unreadable, all, unreadable};

/// Where a process finds its own streams; all of it is links and pipes.
const STREAMS: [&str; 2] = ["/dev", "/proc"];

/// Returns the content of a regular file of at most `limit` bytes; a link to one is followed.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = Vec::new();
    all(open(path)?, limit, &mut bytes)?;
    Ok(bytes)
}

/// Says whether a regular file can be opened for reading.
pub fn may_read(path: &Path) -> Result<(), Unreadable> {
    open(path).map(drop)
}

fn open(path: &Path) -> Result<File, Unreadable> {
    // Asked before it is opened: to open a device may be to use it. Opened without waiting: it may be a FIFO by then.
    if !path.metadata().map_err(|error| unreadable(&error))?.is_file() {
        return Err(Unreadable::NotAFile);
    }
    let mut options = OpenOptions::new();
    options.read(true);
    without_waiting(&mut options, Links::Followed);
    options.open(path).map_err(|error| unreadable(&error))
}

/// Replaces the content of a file, or makes it. Below one of `trees`, the checked ones, no link is written through, and
/// what is there must be a regular file. The error is a clause for people.
pub fn write(path: &Path, trees: &[PathBuf], content: &[u8]) -> Result<(), String> {
    let failed = |error: std::io::Error| match error {
        error if is_loop(&error) => "a link stands there, and nothing is written through it".to_owned(),
        error if is_special(&error) => "not a regular file".to_owned(),
        error => error.to_string(),
    };
    let absolute = std::path::absolute(path).map_err(failed)?;
    let inside = trees.iter().any(|tree| std::path::absolute(tree).is_ok_and(|tree| absolute.starts_with(tree)))
        || trees.iter().any(|tree| canonical(tree).is_ok_and(|tree| absolute.starts_with(tree)));
    if !inside || STREAMS.iter().any(|streams| absolute.starts_with(streams)) {
        return std::fs::write(path, content).map_err(failed);
    }
    let (folder, name) = absolute.parent().zip(absolute.file_name()).ok_or("not the name of a file")?;
    let folder = canonical(folder).map_err(failed)?;
    if !trees.iter().any(|tree| canonical(tree).is_ok_and(|tree| folder.starts_with(tree))) {
        return Err("a link leads out of the checked tree, and nothing is written through it".to_owned());
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    without_waiting(&mut options, Links::Refused);
    let mut file: File = options.open(folder.join(name)).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err("not a regular file".to_owned());
    }
    file.set_len(0).and_then(|()| file.write_all(content)).map_err(failed)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    Followed,
    Refused,
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions, links: Links) {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if links == Links::Refused {
        flags |= OFlags::NOFOLLOW;
    }
    // Every flag of open(2) is a small number.
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
}

#[cfg(not(unix))]
fn without_waiting(_options: &mut OpenOptions, _links: Links) {}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_regular_files_of_bearable_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "abc").unwrap();
        symlink("file", at("link")).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("fifo")).status().unwrap().success());
        assert_eq!(read(&at("link"), 3), Ok(b"abc".to_vec()));
        assert_eq!(read(&at("file"), 2), Err(Unreadable::TooLarge { size: 3, limit: 2 }));
        assert_eq!(read(&at("gone"), 9), Err(Unreadable::Gone));
        for name in ["folder", "fifo", "/dev/zero"] {
            assert_eq!(read(&at(name), 9), Err(Unreadable::NotAFile), "{name}");
        }
    }

    #[test]
    fn nothing_is_written_through_a_link_of_the_tree() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let trees = [at("tree")];
        std::fs::create_dir_all(at("tree/inside")).unwrap();
        std::fs::write(at("outside"), "kept").unwrap();
        symlink("../outside", at("tree/link")).unwrap();
        symlink("../new", at("tree/dangling")).unwrap();
        symlink("..", at("tree/up")).unwrap();
        symlink("inside", at("tree/within")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("tree/fifo")).status().unwrap().success());
        for name in ["tree/link", "tree/dangling", "tree/up/outside", "tree/up/new", "tree/fifo", "tree/inside"] {
            assert!(write(&at(name), &trees, b"x").is_err(), "{name}");
        }
        assert_eq!(std::fs::read(at("outside")).unwrap(), b"kept");
        assert!(!at("new").exists());
        for name in ["tree/file", "tree/file", "tree/within/file", "elsewhere"] {
            assert_eq!(write(&at(name), &trees, b"x"), Ok(()), "{name}");
        }
        // Outside of what is checked, links are the user's own.
        symlink("outside", at("mine")).unwrap();
        assert_eq!(write(&at("mine"), &trees, b"new"), Ok(()));
        assert_eq!(std::fs::read(at("outside")).unwrap(), b"new");
    }
}
