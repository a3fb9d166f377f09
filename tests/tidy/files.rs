//! The files of this repository.

use std::fs;
use std::path::{Path, PathBuf};

/// A file, with its text.
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

pub(crate) fn manifest_directory() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the last part of a path.
pub(crate) fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// What `foreshock demo` checks: it is not ours to be tidy.
const CHECKED: &str = "src/demo/files";

/// Returns the Rust files below a folder of the repository.
pub(crate) fn rust_files(folder: &str) -> Vec<Found> {
    let checked = manifest_directory().join(CHECKED);
    let mut found = Vec::new();
    for path in below(&manifest_directory().join(folder)) {
        if path.extension().is_some_and(|extension| extension == "rs") && !path.starts_with(&checked) {
            let text = fs::read_to_string(&path).expect("a Rust file is UTF-8");
            found.push(Found { path, text });
        }
    }
    found
}

/// Returns the regular files below a folder, sorted; links are not followed.
pub(crate) fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Returns the files that are, or may come to be, part of the repository: all but the folders that are never tracked.
pub(crate) fn tracked() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(manifest_directory()).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name == ".git" || name == "target" {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(below(&entry.path())),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
    found.sort();
    found
}
