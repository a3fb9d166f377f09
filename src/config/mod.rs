//! The user's configuration: `foreshock.toml` or a table in `pyproject.toml` or `Cargo.toml`, with the span of every
//! value that a finding may point to. Says what is written; judges nothing but the form.

mod duration;
mod error;
mod find;
mod nearest;
mod pattern;
mod read;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::finding::Severity;
use crate::source::{Bytes, Globs};

pub(crate) use error::visible;
pub use error::{ConfigError, render};
pub use find::LoadError;
pub(crate) use nearest::nearest;
pub use pattern::{RulePattern, UnknownRule};

/// A configuration; the default is that of a project without one.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The file it was read from.
    pub path: Option<PathBuf>,
    /// The directory that globs and repository paths are relative to.
    pub directory: PathBuf,
    /// Paths that are not read.
    pub exclude: Globs,
    /// `[rules]`, in written order.
    pub rules: Vec<RuleSetting>,
    /// `[per-path]`, in written order.
    pub per_path: Vec<PathIgnore>,
    /// The mappings of `[deploy]`, in written order.
    pub deploy: Vec<Deployed>,
    /// `[[deploy.pin]]`, in written order.
    pub pins: Vec<Pin>,
    /// The entries of `[assume.NAME]`, in written order.
    pub assumed: Vec<Assumed>,
    /// `[assume.queue.NAME]`, in written order.
    pub queues: Vec<Queue>,
    /// The user's rows for our tables (`[[retry.library]]`, `[[wait.pool]]`), in written order.
    pub rows: Vec<RawRow>,
}

/// An entry of `[rules]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSetting {
    pub pattern: RulePattern,
    pub level: Level,
    /// The key.
    pub bytes: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Off,
    /// Switched on, with the severity of the rule's page.
    On,
    /// Another severity than the page's; switches on a rule that is named by its id.
    At(Severity),
}

/// An entry of `[per-path]`: rules that are not reported in some files.
#[derive(Clone, Debug)]
pub struct PathIgnore {
    pub globs: Globs,
    pub ignore: Vec<RulePattern>,
}

/// An entry of `[deploy]`: what is at `host` on a host is `repository` in this repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployed {
    /// Absolute.
    pub host: PathBuf,
    /// Relative to the configuration's directory; empty for that directory.
    pub repository: PathBuf,
    /// The key.
    pub bytes: Bytes,
}

/// An entry of `[[deploy.pin]]`: a path in this repository that a host executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Relative to the configuration's directory.
    pub path: PathBuf,
    /// Who needs it, for people; may be empty.
    pub by: String,
    /// The value of `path`.
    pub bytes: Bytes,
}

/// A value that a process is said to see, though nothing in the repository shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// The process's name or kind.
    pub process: String,
    pub variable: String,
    /// As an environment would hold it.
    pub value: String,
    /// The value.
    pub bytes: Bytes,
}

/// How long a job waits in a queue at worst.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    pub name: String,
    pub latency_ms: Option<u64>,
    /// Jobs a second.
    pub rate: Option<u32>,
    /// The value of `latency`, else of `rate`.
    pub bytes: Bytes,
}

/// A row for one of our tables, as written. The family that owns the table checks and reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct RawRow {
    /// `retry.library`
    pub table: &'static str,
    pub values: toml::Table,
    /// The head of the row, or the inline table.
    pub bytes: Bytes,
    /// Each key of the row with its place and that of its value.
    pub keys: Vec<(String, Bytes, Bytes)>,
}

impl Config {
    /// Words faults in this configuration that only those who read it further can see, each with its place.
    pub fn refusal(&self, faults: Vec<(Bytes, String)>) -> String {
        let path = self.path.clone().unwrap_or_default();
        let text = find::text(&path);
        let error = |(bytes, message)| ConfigError { message, bytes, help: String::new() };
        let errors: Vec<ConfigError> = faults.into_iter().map(error).collect();
        render(&errors, &text, &path.display().to_string())
    }

    /// Reads a configuration. The name of `path` says which table of `text` is meant; spans are places in `text`.
    pub fn parse(text: &str, path: &Path, pages: &[crate::rules::Page]) -> Result<Self, Vec<ConfigError>> {
        read::config(text, path, pages)
    }

    /// Says whether a file, by its path relative to the configuration's directory, is not to be read.
    pub fn excludes_file(&self, path: &Path) -> bool {
        self.exclude.has_file(path)
    }

    /// Says whether nothing in a directory is to be read.
    pub fn excludes_directory(&self, path: &Path) -> bool {
        self.exclude.has_directory(path)
    }

    /// Says whether `[per-path]` hides the findings of `rule` in a file.
    pub fn ignores(&self, path: &Path, rule: &str) -> bool {
        self.per_path
            .iter()
            .any(|entry| entry.ignore.iter().any(|pattern| pattern.matches(rule)) && entry.globs.has_file(path))
    }
}
