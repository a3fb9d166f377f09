//! How much of a tree is read at most.

/// Sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub file: u64,
    pub code: u64,
    /// Files that a repository's walk keeps.
    pub files: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file: 4 << 20, code: 1 << 20, files: 2_000_000 }
    }
}
