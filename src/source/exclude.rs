//! Which names a walk leaves out: the user's globs, `.gitignore` files, and folders that hold other people's code.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Why a walk left something out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// The store of a version control system.
    VersionControl,
    /// `node_modules`, `vendor/bundle`, `.yarn`.
    Dependencies,
    /// `target`.
    BuildOutput,
    /// A `.gitignore` names it.
    Ignored,
    /// foreshock.toml excludes it.
    Excluded,
    /// A repository of its own inside the git index.
    Submodule,
    /// Another machine's disk, or an automount point.
    Mount,
    /// There are more files than [`super::Limits::files`].
    Limit,
}

impl SkipReason {
    /// Returns the word used in the summary, if the reason is worth one: the limit has a sentence of its own.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::VersionControl | Self::Limit => None,
            Self::Dependencies => Some("dependencies"),
            Self::BuildOutput => Some("build output"),
            Self::Ignored => Some("ignored"),
            Self::Excluded => Some("excluded"),
            Self::Submodule => Some("submodule"),
            Self::Mount => Some("mount"),
        }
    }
}

/// How many entries a walk left out, by reason; a folder counts once.
pub type Skipped = BTreeMap<SkipReason, usize>;

/// What stands at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    File,
    Folder,
}

/// The `.gitignore` files from one folder up to the root.
#[derive(Debug, Default)]
pub(super) struct Ignores {
    here: Option<Gitignore>,
    above: Option<Arc<Ignores>>,
}

impl Ignores {
    /// Adds the text of the `.gitignore` in `folder` to those above it. Lines that are no glob are left out, as git does.
    pub(super) fn with(above: &Arc<Self>, folder: &Path, text: &[u8]) -> Arc<Self> {
        let mut builder = GitignoreBuilder::new(folder);
        let text = String::from_utf8_lossy(text);
        for line in text.trim_start_matches('\u{feff}').lines() {
            // The error is one bad line; git ignores it as well.
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(here) if !here.is_empty() => Arc::new(Self { here: Some(here), above: Some(Arc::clone(above)) }),
            _ => Arc::clone(above),
        }
    }

    /// Says whether git would leave `path` out, if it looks at it at all.
    pub(super) fn leaves_out(&self, path: &Path, leaf: Leaf) -> bool {
        let mut next = Some(self);
        while let Some(ignores) = next {
            if let Some(here) = &ignores.here {
                let matched = here.matched(path, leaf == Leaf::Folder);
                if !matched.is_none() {
                    return matched.is_ignore();
                }
            }
            next = ignores.above.as_deref();
        }
        false
    }
}

/// Returns why a walk never enters `name`, whatever ignore files and globs say.
pub(super) fn never_entered(name: &OsStr, path: &Path, leaf: Leaf) -> Option<SkipReason> {
    match name.as_encoded_bytes() {
        // Also a file: in a worktree and a submodule `.git` is one. `.GIT` is the same where case does not count.
        git if git.eq_ignore_ascii_case(b".git") => Some(SkipReason::VersionControl),
        _ if leaf == Leaf::File => None,
        b".hg" | b".jj" | b".svn" => Some(SkipReason::VersionControl),
        b"node_modules" | b".yarn" => Some(SkipReason::Dependencies),
        b"bundle" if path.parent().and_then(Path::file_name).is_some_and(|above| above == "vendor") => {
            Some(SkipReason::Dependencies)
        }
        b"target" => Some(SkipReason::BuildOutput),
        _ => None,
    }
}
