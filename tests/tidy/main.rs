//! What the compiler does not guard: walls between stages, names of files, pairs of page, code and case, words that
//! have no place in the tree. Reads the files of this repository and runs nothing.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what is wrong by panicking")]

mod files;
mod kinds;
mod pairs;
mod spread;
mod tokens;
mod walls;
mod words;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use files::{Found, file_name, manifest_directory, rust_files};
use tokens::Tokens;

/// Lines that a file may have. What grows beyond is more than one idea.
const LONGEST: usize = 600;

/// Returns the files of `src/` that are compiled for tests only: modules named so, and what lies below them.
fn test_files(files: &[(PathBuf, Tokens)]) -> BTreeSet<PathBuf> {
    let mut roots = Vec::new();
    for (path, tokens) in files {
        for name in &tokens.test_modules {
            let folder = if file_name(path) == "mod.rs" { path.with_file_name("") } else { path.with_extension("") };
            roots.push(folder.join(name));
        }
    }
    let below = |path: &PathBuf| roots.iter().any(|root| path.starts_with(root) || path.with_extension("") == *root);
    files.iter().map(|(path, _)| path.clone()).filter(below).collect()
}

/// Returns the files of `src/` that are part of the program, relative to `src/`, with their tokens.
fn program() -> Vec<(PathBuf, Tokens)> {
    let source = manifest_directory().join("src");
    let mut files = Vec::new();
    for Found { path, text } in rust_files("src") {
        let tokens = Tokens::of(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let relative = path.strip_prefix(&source).map(Path::to_path_buf).unwrap_or(path);
        files.push((relative, tokens));
    }
    let tests = test_files(&files);
    files.retain(|(path, _)| !tests.contains(path));
    files
}

#[test]
fn stages_keep_to_their_walls() {
    let mut found = Vec::new();
    for (path, tokens) in program() {
        let breaches = walls::breaches(&path, &tokens);
        found.extend(breaches.into_iter().map(|breach| format!("src/{}:{breach}", path.display())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn test_modules_are_told_apart() {
    let read = |path: &str, text: &str| (PathBuf::from(path), Tokens::of(text).expect("the snippet is Rust"));
    let files = [
        read("a/mod.rs", "#[cfg(test)]\nmod tests;\nmod b;"),
        read("a/tests/mod.rs", ""),
        read("a/tests/c.rs", ""),
        read("a/b.rs", "#[cfg(test)] pub(crate) mod sample;"),
        read("a/b/sample.rs", ""),
        read("a/testset.rs", ""),
    ];
    let expected = ["a/b/sample.rs", "a/tests/c.rs", "a/tests/mod.rs"];
    assert_eq!(test_files(&files), expected.into_iter().map(PathBuf::from).collect());
}

#[test]
fn modules_say_what_they_are() {
    let mut found = Vec::new();
    for Found { path, text } in ["src", "tests", "benches", "fuzz"].into_iter().flat_map(rust_files) {
        let first = text.lines().next().unwrap_or_default();
        if !first.starts_with("//! ") {
            found.push(format!("{}:1: begins with `{first}` instead of `//! `", path.display()));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn files_hold_one_idea() {
    let mut found = Vec::new();
    for Found { path, text } in ["src", "tests"].into_iter().flat_map(rust_files) {
        let lines = text.lines().count();
        if lines > LONGEST {
            found.push(format!("{}: {lines} lines, at most {LONGEST}", path.display()));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn modules_are_named_after_their_subject() {
    let vague = ["utils", "util", "helpers", "helper", "common", "manager", "types", "misc"];
    let mut found = Vec::new();
    for Found { path, .. } in ["src", "tests"].into_iter().flat_map(rust_files) {
        let names = path.with_extension("");
        if names.components().any(|name| vague.iter().any(|vague| name.as_os_str() == *vague)) {
            found.push(format!("{}: a name that says nothing", path.display()));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
