//! Single files of the state that changes are measured from.

use std::path::Path;

use super::{OUTPUT, TIME};
use crate::source::git::{Repository, path as git_path};

/// A text is read to this size (bytes); what is larger is no definition of a job.
const TEXT: usize = 1 << 20;

/// The base of a difference. Paths are relative to the directory that the difference was opened for.
#[derive(Clone, Debug)]
pub struct Earlier {
    pub(super) repository: Repository,
    /// A commit, or `HEAD`.
    pub(super) revision: String,
}

impl Earlier {
    /// Returns the text that a file had; nothing if it was not there or git cannot tell.
    pub fn text(&self, file: &Path) -> Option<Vec<u8>> {
        let mut name = format!("{}:./", self.revision).into_bytes();
        name.extend_from_slice(file.as_os_str().as_encoded_bytes());
        let text = self.repository.output(TIME, TEXT, |git| {
            git.args(["cat-file", "blob"]).arg(git_path(&name));
        });
        text.ok()
    }

    /// Says whether a file was there.
    pub fn has(&self, file: &Path) -> bool {
        !self.entry(file).is_empty()
    }

    /// Says whether a file was there and executable.
    pub fn was_executable(&self, file: &Path) -> bool {
        self.entry(file).starts_with(b"100755 ")
    }

    /// Returns `mode type object TAB path`; nothing for what was not there.
    fn entry(&self, file: &Path) -> Vec<u8> {
        let listing = self.repository.output(TIME, OUTPUT, |git| {
            git.args(["ls-tree", "-z", &self.revision, "--"]).arg(file);
        });
        listing.unwrap_or_default()
    }
}
