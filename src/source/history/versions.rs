//! The versions of one file: what each commit made of it, and the text that it had then. Asks for named files only.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::{History, OUTPUT, PLAIN, cut, is_plain, left};
use crate::source::git::{Input, NoHistory, PATHS, path};

/// Commits of one file that are looked at; a definition that is further behind is merely "older".
const VERSIONS: usize = 200;
/// A definition is read to this size; what is larger is none.
const TEXT: usize = 1 << 20;

/// A commit, as a message names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The first nine digits.
    pub id: String,
    /// YYYY-MM-DD, of the commit.
    pub date: String,
    pub subject: String,
}

/// What one commit made of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    pub commit: Commit,
    /// The name of the file's text in the repository; none where the commit removed the file.
    pub text: Option<String>,
}

impl History {
    /// Returns the versions of a file (relative to the work tree's top), the newest first, under its earlier names
    /// too. At most 200 of them.
    pub fn versions(&self, file: &Path) -> Result<Vec<Version>, NoHistory> {
        if !is_plain(file) {
            return Ok(Vec::new());
        }
        let deadline = Instant::now() + self.limit;
        let log = |renames: &[&str]| {
            self.repository.output(left(deadline), OUTPUT, |git| {
                git.args(["log", "-z", "--raw", "--no-abbrev", "--date=short", "--encoding=UTF-8"]).args(renames);
                git.arg(format!("--max-count={VERSIONS}")).arg("--format=tformat:%x00%H%x00%cd%x00%s");
                git.args(PLAIN).args(["HEAD", "--"]).arg(file);
            })
        };
        // A partial clone lacks the contents that similarity is measured with.
        let output = log(&["--follow", "-M"]).or_else(|_| log(&["--follow", "-M100%"]))?;
        Ok(read(&output))
    }

    /// Returns the text of a version.
    pub fn text(&self, version: &str) -> Result<Vec<u8>, NoHistory> {
        if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NoHistory::Failed("no name of a text".to_owned()));
        }
        self.repository.output(self.limit, TEXT, |git| {
            git.args(["cat-file", "blob", version]);
        })
    }

    /// Returns the name that a text would have in the repository, whether or not it is in it. Nothing is written.
    pub fn name_of(&self, text: &[u8]) -> Result<String, NoHistory> {
        let mut running = self.repository.start(Input::Asked, self.limit, |git| {
            git.args(["hash-object", "-t", "blob", "--no-filters", "--stdin"]);
        })?;
        running.ask(text)?;
        running.ask_no_more();
        let mut output = Vec::new();
        while let Some(mut chunk) = running.next()? {
            output.append(&mut chunk);
        }
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }

    /// Returns those of `paths` (relative to the work tree's top) that the repository holds, files and directories.
    pub fn tracked(&self, paths: &[PathBuf]) -> Result<BTreeSet<PathBuf>, NoHistory> {
        let deadline = Instant::now() + self.limit;
        let mut tracked = BTreeSet::new();
        for some in paths.chunks(PATHS) {
            let plain: Vec<&PathBuf> = some.iter().filter(|path| is_plain(path)).collect();
            if plain.is_empty() {
                continue;
            }
            let output = self.repository.output(left(deadline), OUTPUT, |git| {
                git.args(["ls-files", "-z", "--cached", "--full-name", "--"]).args(&plain);
            })?;
            let files: Vec<PathBuf> = output.split(|byte| *byte == 0).map(path).collect();
            let held = |path: &&PathBuf| files.iter().any(|file| file.starts_with(path));
            tracked.extend(plain.into_iter().filter(held).cloned());
        }
        Ok(tracked)
    }
}

/// Reads `NUL commit NUL date NUL subject NUL LF :modes old new status NUL path NUL [path NUL]`.
fn read(output: &[u8]) -> Vec<Version> {
    let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
    let mut fields = output.split(|byte| *byte == 0);
    let mut versions = Vec::new();
    let mut commit: Option<Commit> = None;
    while let Some(field) = fields.next() {
        if field.is_empty() {
            let Some(((id, date), subject)) = fields.next().zip(fields.next()).zip(fields.next()) else { break };
            let id = text(id).chars().take(9).collect();
            commit = Some(Commit { id, date: text(date), subject: cut(&text(subject)) });
            continue;
        }
        let raw = field.strip_prefix(b"\n").unwrap_or(field);
        let Some(raw) = raw.strip_prefix(b":") else { continue };
        let raw = text(raw);
        let mut words = raw.split(' ').skip(3);
        let (Some(new), Some(status)) = (words.next(), words.next()) else { continue };
        // The names, so that an empty one is never taken for the start of a commit.
        let names = if status.starts_with(['R', 'C']) { 2 } else { 1 };
        for _ in 0..names {
            fields.next();
        }
        let removed = new.bytes().all(|digit| digit == b'0');
        versions.extend(commit.take().map(|commit| Version { commit, text: (!removed).then(|| new.to_owned()) }));
    }
    versions
}
