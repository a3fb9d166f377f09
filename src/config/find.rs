//! Which file configures a check: the nearest one upwards from the checked path, never beyond the work tree.

use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::{Config, render};
use crate::rules::Page;
use crate::source::{Unreadable, named};

/// Names that are ours alone, in the order in which they win in one directory.
const OURS: [&str; 3] = ["foreshock.toml", ".foreshock.toml", ".config/foreshock.toml"];
/// Names of files that may hold a table of ours.
const SHARED: [&str; 2] = ["pyproject.toml", "Cargo.toml"];
const LARGEST: u64 = 4 << 20;

/// Why there is no configuration though there should be: the fault of who wrote or named the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    #[error("cannot read `{shown}`: {reason}")]
    Unreadable { shown: String, reason: String },
    /// The faults, rendered with their lines.
    #[error("{0}")]
    Broken(String),
}

impl Config {
    /// Returns the file that configures a check of `checked`, looked for in its directory and upwards to the one
    /// with `.git`.
    pub fn find(checked: &Path) -> Option<PathBuf> {
        let start = checked.canonicalize().or_else(|_| std::path::absolute(checked)).ok()?;
        let start = if start.is_dir() { start.as_path() } else { start.parent()? };
        for directory in start.ancestors() {
            let ours = OURS.iter().map(|name| directory.join(name)).find(|path| path.symlink_metadata().is_ok());
            let shared = || SHARED.iter().map(|name| directory.join(name)).find(|path| holds_table(path));
            if let Some(path) = ours.or_else(shared) {
                return Some(path);
            }
            if directory.join(".git").symlink_metadata().is_ok() {
                return None;
            }
        }
        None
    }

    /// Returns a configuration's path as it is reachable from the current directory.
    pub fn shown(path: &Path) -> String {
        shown(path)
    }

    /// Reads the file at `path`. Errors name it as it is reachable from the current directory.
    pub fn load(path: &Path, pages: &[Page]) -> Result<Self, LoadError> {
        let shown = shown(path);
        let unreadable = |reason: String| LoadError::Unreadable { shown: shown.clone(), reason };
        let bytes = read(path).map_err(unreadable)?;
        let text = String::from_utf8(bytes)
            .map_err(|error| unreadable(format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to())))?;
        let mut config = Self::parse(&text, path, pages).map_err(|errors| {
            // Lines of a file that the tree's owner only points at are nothing for the log of a check.
            if leads_out(path) {
                return unreadable("a link out of the work tree, to what is no configuration".to_owned());
            }
            LoadError::Broken(render(&errors, &text, &shown).trim_end().to_owned())
        })?;
        config.directory = directory(path);
        Ok(config)
    }
}

/// Returns the tables of a document that are ours: all of it, unless the file is one that others own.
pub(super) fn tables<'d, 'i>(document: &'d DeTable<'i>, path: &Path) -> Vec<&'d DeTable<'i>> {
    let places: &[&[&str]] = match path.file_name().and_then(|name| name.to_str()) {
        Some("pyproject.toml") => &[&["tool", "foreshock"]],
        Some("Cargo.toml") => &[&["package", "metadata", "foreshock"], &["workspace", "metadata", "foreshock"]],
        _ => return vec![document],
    };
    let follow = |keys: &&[&str]| keys.iter().try_fold(document, |table, key| table.get(*key)?.get_ref().as_table());
    places.iter().filter_map(follow).collect()
}

/// Says whether a file of others holds a table of ours. What cannot be read holds none: it is not ours to judge.
fn holds_table(path: &Path) -> bool {
    let Ok(bytes) = read(path) else { return false };
    if memchr::memmem::find(&bytes, b"foreshock").is_none() {
        return false;
    }
    let text = String::from_utf8_lossy(&bytes);
    let (document, _) = DeTable::parse_recoverable(&text);
    !tables(document.get_ref(), path).is_empty()
}

/// Returns the content of a regular file of bearable size.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    named::read(path, LARGEST).map_err(|error| match error {
        Unreadable::Gone => "there is no such file".to_owned(),
        Unreadable::Permission => "no permission".to_owned(),
        Unreadable::TooLarge { .. } => format!("larger than {} MiB", LARGEST >> 20),
        other => other.to_string(),
    })
}

/// Returns the text of a configuration that was read before, to show lines of it; empty for what is no longer to be had
/// and for what the tree's owner only points at.
pub(super) fn text(path: &Path) -> String {
    let bytes = if leads_out(path) { None } else { read(path).ok() };
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

/// Returns the directory that a configuration speaks of: where the file is named, not where a link leads.
fn directory(path: &Path) -> PathBuf {
    let named = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let parent = named.parent().unwrap_or(Path::new("/"));
    let above = parent.parent().filter(|_| named.ends_with(".config/foreshock.toml"));
    let directory = above.unwrap_or(parent);
    directory.canonicalize().unwrap_or_else(|_| directory.to_owned())
}

/// Says whether a path is a link to something outside of the work tree that it stands in.
fn leads_out(path: &Path) -> bool {
    let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let directory = directory(path);
    let top = directory.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok()).unwrap_or(&directory);
    is_link && path.canonicalize().is_ok_and(|target| !target.starts_with(top))
}

fn shown(path: &Path) -> String {
    let current = std::env::current_dir().and_then(|directory| directory.canonicalize()).unwrap_or_default();
    let path = path.strip_prefix(&current).unwrap_or(path);
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::sample::pages;

    /// Writes `files` (a name that ends in `/` is a directory) and says which file configures `checked`.
    fn check(files: &[(&str, &str)], checked: &str, expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for (name, text) in files {
            let path = top.join(name);
            if name.ends_with('/') {
                fs::create_dir_all(path).unwrap();
            } else {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
        }
        let found = Config::find(&top.join(checked));
        let found = found.as_deref().map(|path| path.strip_prefix(&top).unwrap());
        assert_eq!(found, expected.map(Path::new));
    }

    #[test]
    fn the_nearest_file_wins() {
        let files =
            [("foreshock.toml", ""), ("a/.foreshock.toml", ""), ("a/b/c.js", ""), ("d/.config/foreshock.toml", "")];
        check(&files, "a/b/c.js", Some("a/.foreshock.toml"));
        check(&files, "a", Some("a/.foreshock.toml"));
        check(&files, "d", Some("d/.config/foreshock.toml"));
        check(&files, ".", Some("foreshock.toml"));
        check(&[("foreshock.toml", ""), (".foreshock.toml", "")], ".", Some("foreshock.toml"));
    }

    #[test]
    fn the_search_ends_at_the_work_tree() {
        check(&[("foreshock.toml", ""), ("a/.git/", ""), ("a/b/", "")], "a/b", None);
        check(&[("foreshock.toml", ""), ("a/.git", "gitdir: x"), ("a/b/", "")], "a/b", None);
        check(&[("a/foreshock.toml", ""), ("a/.git/", ""), ("a/b/", "")], "a/b", Some("a/foreshock.toml"));
    }

    #[test]
    fn files_of_others_count_with_a_table_of_ours_only() {
        let python = "[tool.foreshock]\nexclude = []\n";
        check(&[("pyproject.toml", python), (".git/", "")], ".", Some("pyproject.toml"));
        check(&[("pyproject.toml", "[project]\nname = 'foreshock'\n"), (".git/", "")], ".", None);
        check(&[("Cargo.toml", "[package.metadata.foreshock]\n"), (".git/", "")], ".", Some("Cargo.toml"));
        check(&[("Cargo.toml", "[workspace.metadata.foreshock]\n"), (".git/", "")], ".", Some("Cargo.toml"));
        check(&[("Cargo.toml", "[dependencies]\nforeshock = '1'\n"), (".git/", "")], ".", None);
        check(&[("Cargo.toml", "[[[\n"), ("pyproject.toml", python), (".git/", "")], ".", Some("pyproject.toml"));
        check(&[("foreshock.toml", ""), ("pyproject.toml", python)], ".", Some("foreshock.toml"));
    }

    fn load(name: &str, content: &[u8]) -> Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        let directory = folder.path().canonicalize().unwrap();
        let config = Config::load(&path, &pages()).map_err(|error| error.to_string())?;
        assert_eq!(config.directory, directory);
        Ok(config)
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_tree_shows_nothing_of_what_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir_all(tree.join(".git")).unwrap();
        fs::create_dir_all(tree.join("a")).unwrap();
        fs::write(folder.path().join("secret"), "KEY: hunter2\n").unwrap();
        fs::write(tree.join("wrong"), "KEY: own\n").unwrap();
        std::os::unix::fs::symlink("../secret", tree.join("foreshock.toml")).unwrap();
        std::os::unix::fs::symlink("../wrong", tree.join("a/foreshock.toml")).unwrap();
        let said = |path: &Path| Config::load(path, &pages()).unwrap_err().to_string();
        let outside = said(&tree.join("foreshock.toml"));
        assert!(outside.contains("link out of the work tree") && !outside.contains("hunter2"), "{outside}");
        assert!(said(&tree.join("a/foreshock.toml")).contains("KEY: own"));
    }

    #[test]
    fn the_directory_is_the_one_that_the_file_speaks_of() {
        assert!(load("foreshock.toml", b"").is_ok());
        assert!(load(".config/foreshock.toml", b"").is_ok());
    }

    #[test]
    fn what_is_no_configuration_is_refused_with_the_reason() {
        assert!(load("foreshock.toml", b"a\xff").unwrap_err().ends_with("not UTF-8 at byte 1"));
        assert!(load("foreshock.toml", &vec![b' '; (4 << 20) + 1]).unwrap_err().ends_with("larger than 4 MiB"));
        assert!(load("foreshock.toml", b"exlude = 1").unwrap_err().contains("foreshock.toml:1:1"));
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("foreshock.toml")).unwrap();
        let path = Config::find(folder.path()).unwrap();
        assert!(Config::load(&path, &[]).unwrap_err().to_string().ends_with("not a regular file"));
        let gone = folder.path().join("gone.toml");
        assert!(Config::load(&gone, &[]).unwrap_err().to_string().ends_with("there is no such file"));
    }
}
