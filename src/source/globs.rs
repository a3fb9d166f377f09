//! Sets of paths, written as in a `.gitignore`: `*` and `**`, a trailing `/` for a directory with all in it, `!` to
//! take something back, a `/` elsewhere to tie the pattern to the top.

use std::path::{Component, Path};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::exclude::Leaf;

/// A pattern is compiled into a regular expression, so its length is limited.
const LONGEST: usize = 1024;

/// Compiled patterns, in the order in which they were written.
#[derive(Clone, Debug)]
pub struct Globs(Gitignore);

impl Default for Globs {
    fn default() -> Self {
        Self(Gitignore::empty())
    }
}

impl Globs {
    /// Compiles patterns; on failure, returns the index of the wrong one and what is wrong with it.
    pub fn of<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, (usize, String)> {
        let mut builder = GitignoreBuilder::new("");
        builder.allow_unclosed_class(false);
        for (index, pattern) in patterns.into_iter().enumerate() {
            if pattern.len() > LONGEST {
                return Err((index, format!("it is longer than {LONGEST} bytes")));
            }
            if pattern.trim().is_empty() {
                return Err((index, "it is empty".to_owned()));
            }
            // A `#` starts a comment in a `.gitignore`; here it is a file name like any other.
            let escaped = if pattern.starts_with('#') { format!("\\{pattern}") } else { pattern.to_owned() };
            let line = escaped.strip_prefix("./").unwrap_or(&escaped);
            if let Err(error) = builder.add_line(None, line) {
                return Err((index, reason(&error)));
            }
        }
        builder.build().map(Self).map_err(|error| (0, reason(&error)))
    }

    /// Says whether a file is in the set, by itself or by a directory above it. The path is relative.
    pub fn has_file(&self, path: &Path) -> bool {
        self.has(path, Leaf::File)
    }

    /// Says whether a directory is in the set, and so everything in it.
    pub fn has_directory(&self, path: &Path) -> bool {
        self.has(path, Leaf::Folder)
    }

    /// Says whether a pattern names the path itself; what stands above it was looked at on the way down.
    pub(super) fn leaves_out(&self, path: &Path, leaf: Leaf) -> bool {
        self.0.matched(path, leaf == Leaf::Folder).is_ignore()
    }

    fn has(&self, path: &Path, leaf: Leaf) -> bool {
        if self.0.is_empty() {
            return false;
        }
        // `ignore` panics for a path that leaves its root.
        let inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        inside && self.0.matched_path_or_any_parents(path, leaf == Leaf::Folder).is_ignore()
    }
}

/// Returns the reason alone: the error repeats the whole pattern before it.
fn reason(error: &ignore::Error) -> String {
    let text = error.to_string();
    text.rsplit_once("': ").map_or(text.clone(), |(_, reason)| reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(patterns: &[&str], inside: &[&str], outside: &[&str]) {
        let globs = Globs::of(patterns.iter().copied()).unwrap();
        for path in inside {
            assert!(globs.has_file(Path::new(path)), "{patterns:?} should hold {path}");
        }
        for path in outside {
            assert!(!globs.has_file(Path::new(path)), "{patterns:?} should not hold {path}");
        }
    }

    #[test]
    fn patterns_read_like_a_gitignore() {
        check(&["legacy/**"], &["legacy/a.js", "legacy/b/c.js"], &["new/legacy.js", "app/legacy/a.js"]);
        check(&["/config/db.js"], &["config/db.js"], &["a/config/db.js"]);
        check(&["*.rb"], &["a.rb", "x/y/a.rb"], &["a.rbx"]);
        check(&["vendor/"], &["vendor/a", "x/vendor/b"], &["vendor"]);
        check(&["./a/*.js"], &["a/b.js"], &["a/c/b.js"]);
        check(&["*.js", "!keep.js"], &["a.js"], &["keep.js"]);
        check(&["#notes"], &["#notes"], &["notes"]);
        check(&["{a,b}/*.js"], &["a/x.js", "b/x.js"], &["c/x.js"]);
        check(&[], &[], &["a"]);
    }

    #[test]
    fn a_directory_pattern_holds_the_directory_itself() {
        let globs = Globs::of(["vendor/", "legacy/**"]).unwrap();
        assert!(globs.has_directory(Path::new("vendor")));
        assert!(globs.has_directory(Path::new("legacy/x")));
        assert!(!globs.has_directory(Path::new("app")));
    }

    #[test]
    fn a_path_that_leaves_the_top_is_in_no_set() {
        check(&["**"], &["a", "./a"], &["/a", "../a", "a/../../b"]);
    }

    #[test]
    fn hostile_patterns_are_refused_with_a_reason() {
        let nested = format!("{}a{}", "{".repeat(500), "}".repeat(500));
        for (pattern, expected) in [
            (nested.as_str(), "nested too deeply"),
            (&"a".repeat(5000), "longer than"),
            ("a[", "unclosed character class"),
            (" ", "empty"),
        ] {
            let (index, reason) = Globs::of(["fine", pattern]).unwrap_err();
            assert_eq!(index, 1);
            assert!(reason.contains(expected), "{reason}");
            assert!(reason.len() < 100, "{reason}");
        }
    }
}
