//! The tree that a git index was written as: before a hook runs, `git commit` writes what is staged as a tree and notes
//! its name at the end of the index. Two trees are compared without the index, however many files it lists.
//!
//! Reads the index itself, since git has no cheap question for this (gitformat-index(5), versions 2 to 4); answers
//! nothing for an index that holds anything unusual.

use std::io::Read as _;

use crate::source::git::Repository;

/// The index of three million files.
const SIZE: u64 = 512 << 20;
/// Times, device, inode, mode, owner, group and size of a file.
const STATUS: usize = 40;
/// Flags of an entry: its name's length, its stage, whether more flags follow.
const NAME: u16 = 0xfff;
const STAGE: u16 = 0x3000;
const EXTENDED: u16 = 0x4000;
/// `git add --intent-to-add`: listed, and in no tree.
const INTENT: u16 = 0x2000;

/// Returns the name of the tree that holds exactly what is staged, if the index knows one.
pub(super) fn tree(repository: &Repository) -> Option<String> {
    let mut bytes = Vec::new();
    let path = repository.index_file();
    // Nobody waits at the end of a pipe.
    path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    let file = std::fs::File::open(path).ok()?;
    file.take(SIZE).read_to_end(&mut bytes).ok()?;
    // SHA-1 or SHA-256; a wrong guess does not end where the entries end.
    [20, 32].into_iter().find_map(|hash| of_index(&bytes, hash))
}

fn of_index(bytes: &[u8], hash: usize) -> Option<String> {
    let mut rest = Rest(bytes.get(..bytes.len().checked_sub(hash)?)?);
    let version = (rest.take(4)? == b"DIRC").then(|| rest.number())??;
    if !(2..=4).contains(&version) {
        return None;
    }
    for _ in 0..rest.number()? {
        rest.entry(version, hash)?;
    }
    let mut found = None;
    while !rest.0.is_empty() {
        let name = rest.take(4)?;
        let size = usize::try_from(rest.number()?).ok()?;
        let data = rest.take(size)?;
        match name {
            b"TREE" => found = Some(root(data, hash)?),
            // A part of the entries is in another file.
            b"link" => return None,
            _ if name.iter().all(u8::is_ascii_alphabetic) => {}
            _ => return None,
        }
    }
    found
}

/// Reads `NUL count SP subtrees LF name`; the count is -1 where the tree is out of date.
fn root(data: &[u8], hash: usize) -> Option<String> {
    let data = data.strip_prefix(b"\0")?;
    let (counts, rest) = data.split_at_checked(memchr::memchr(b'\n', data)?)?;
    let (count, _) = counts.split_at_checked(memchr::memchr(b' ', counts)?)?;
    std::str::from_utf8(count).ok()?.parse::<u32>().ok()?;
    let name = rest.get(1..=hash)?;
    Some(name.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}")))
}

/// What is not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    fn flags(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_be_bytes)
    }

    /// Passes over an entry that a tree can hold.
    fn entry(&mut self, version: u32, hash: usize) -> Option<()> {
        self.take(STATUS + hash)?;
        let flags = self.flags()?;
        let more = if version > 2 && flags & EXTENDED != 0 { Some(self.flags()?) } else { None };
        if flags & STAGE != 0 || more.is_some_and(|more| more & INTENT != 0) {
            return None;
        }
        if version == 4 {
            // How much of the last name goes, and what comes instead.
            while self.take(1)?.first()? & 0x80 != 0 {}
            let end = memchr::memchr(0, self.0)?;
            return self.take(end + 1).map(|_| ());
        }
        let length = match flags & NAME {
            NAME => memchr::memchr(0, self.0)?,
            length => usize::from(length),
        };
        // One to eight zeros end an entry at a multiple of eight.
        let before = STATUS + hash + if more.is_some() { 4 } else { 2 };
        let zeros = 8 - (before + length) % 8;
        self.take(length + zeros)?.ends_with(b"\0").then_some(())
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::source::git::Machine;

    fn git(directory: &std::path::Path, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=n@example.org"])
            .args(arguments)
            .current_dir(directory)
            .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Checks that the tree is the one that git writes, for an index of this version and kind of hash.
    fn check(version: &str, format: &str) {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().canonicalize().unwrap();
        git(&directory, &["init", "-q", &format!("--object-format={format}")]);
        git(&directory, &["config", "index.version", version]);
        for name in ["a", "b/c", "b/a longer name", &"deep/".repeat(60)] {
            let path = directory.join(name).join("x");
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, name).unwrap();
        }
        git(&directory, &["add", "-A"]);
        let repository = || Repository::above(&Machine, &directory).unwrap().0;
        assert_eq!(tree(&repository()), None, "nothing is written yet");
        let written = git(&directory, &["write-tree"]);
        assert_eq!(tree(&repository()), Some(written.clone()), "{version} {format}");
        // The whole of a file that is cut anywhere says nothing, or the same.
        let index = std::fs::read(directory.join(".git/index")).unwrap();
        for end in 0..index.len() {
            let cut = [20, 32].into_iter().find_map(|hash| of_index(&index[..end], hash));
            assert!(cut.is_none_or(|cut| cut == written), "{end}");
        }
        std::fs::write(directory.join("a/x"), "changed").unwrap();
        git(&directory, &["add", "-A"]);
        assert_eq!(tree(&repository()), None, "out of date");
        std::fs::write(directory.join("new"), "").unwrap();
        git(&directory, &["add", "--intent-to-add", "new"]);
        git(&directory, &["write-tree"]);
        assert_eq!(tree(&repository()), None, "listed, and in no tree");
    }

    #[test]
    fn the_tree_is_the_one_that_git_writes() {
        for (version, format) in [("2", "sha1"), ("3", "sha1"), ("4", "sha1"), ("2", "sha256"), ("4", "sha256")] {
            check(version, format);
        }
    }
}
