//! Where the repository of a directory is, whom it belongs to, and a command that asks it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::owner::User;
use super::{NoHistory, Running, path, program};
use crate::source::disk::canonical;
use crate::source::named;

/// The file system in which a repository is looked for.
pub(in crate::source) trait World {
    /// Returns where a path of the world, links resolved, is on this machine; none if it is not there.
    fn real(&self, path: &Path) -> Option<PathBuf>;
}

/// This machine, whole.
#[derive(Clone, Copy, Debug)]
pub(in crate::source) struct Machine;

impl World for Machine {
    fn real(&self, path: &Path) -> Option<PathBuf> {
        canonical(path).ok()
    }
}

/// A repository with a work tree.
#[derive(Clone, Debug)]
pub(in crate::source) struct Repository {
    program: PathBuf,
    /// On this machine.
    top: PathBuf,
    git_dir: PathBuf,
    /// Where the command is run; in the work tree.
    inside: PathBuf,
    user: User,
}

impl Repository {
    /// Returns the repository whose work tree holds `directory`, an absolute path of `world`, and the path of that work
    /// tree in `world`.
    pub(in crate::source) fn above(world: &dyn World, directory: &Path) -> Result<(Self, PathBuf), NoHistory> {
        let inside = world.real(directory).filter(|inside| inside.is_dir()).ok_or(NoHistory::NotAWorkTree)?;
        let (at, entry, git_dir) = directory
            .ancestors()
            .find_map(|at| {
                let entry = world.real(&at.join(".git"))?;
                let git_dir = git_dir(world, at, &entry)?;
                Some((at, entry, git_dir))
            })
            .ok_or(NoHistory::NotAWorkTree)?;
        let top = world.real(at).ok_or(NoHistory::NotAWorkTree)?;
        let mut decisive = vec![top.clone(), entry, git_dir.join("config"), git_dir.join("config.worktree")];
        if let Some(common) = pointer(&git_dir.join("commondir"), "") {
            let common = git_dir.join(common);
            decisive.extend([common.join("config"), common]);
        }
        decisive.push(git_dir.clone());
        let user = User::of(&decisive)?;
        let program = program::find(&top).ok_or(NoHistory::NoGit)?;
        Ok((Self { program, top, git_dir, inside, user }, at.to_owned()))
    }

    /// Returns the top of the work tree on this machine.
    pub(in crate::source) fn top(&self) -> &Path {
        &self.top
    }

    /// Returns the same repository, asked from the top of its work tree.
    pub(in crate::source) fn at_top(self) -> Self {
        Self { inside: self.top.clone(), ..self }
    }

    /// Starts a git command. `input` says whether it is going to be asked.
    pub(in crate::source) fn start(
        &self,
        input: Input,
        limit: Duration,
        arguments: impl FnOnce(&mut Command),
    ) -> Result<Running, NoHistory> {
        let mut command = program::command(&self.program, &self.git_dir, &self.top, &self.inside);
        if let Some(index) = self.named_index() {
            command.env("GIT_INDEX_FILE", index);
        }
        if input == Input::Asked {
            command.stdin(Stdio::piped());
        }
        self.user.take_over(&mut command);
        arguments(&mut command);
        Running::start(command, limit)
    }

    /// Returns the whole output of a git command, at most `most` bytes of it.
    pub(in crate::source) fn output(
        &self,
        limit: Duration,
        most: usize,
        arguments: impl FnOnce(&mut Command),
    ) -> Result<Vec<u8>, NoHistory> {
        let mut running = self.start(Input::None, limit, arguments)?;
        let mut output = Vec::new();
        while let Some(mut chunk) = running.next()? {
            output.append(&mut chunk);
            if output.len() > most {
                return Err(NoHistory::Failed(format!("more than {most} bytes of output")));
            }
        }
        Ok(output)
    }

    /// Says whether the clone lacks old commits.
    pub(in crate::source) fn is_shallow(&self) -> bool {
        let common = pointer(&self.git_dir.join("commondir"), "").map(|common| self.git_dir.join(common));
        common.as_ref().unwrap_or(&self.git_dir).join("shallow").symlink_metadata().is_ok_and(|it| it.len() > 0)
    }

    /// Returns the file that lists what is staged.
    pub(in crate::source) fn index_file(&self) -> PathBuf {
        self.named_index().unwrap_or_else(|| self.git_dir.join("index"))
    }

    fn named_index(&self) -> Option<PathBuf> {
        self.index_of_hook(Path::new(&std::env::var_os("GIT_INDEX_FILE")?))
    }

    /// Returns the index that git prepared for a hook (`git commit -a` and `git commit FILE` use another than
    /// `.git/index`), if it is this repository's.
    fn index_of_hook(&self, named: &Path) -> Option<PathBuf> {
        let index = canonical(&self.top.join(named)).ok()?;
        index.starts_with(&self.git_dir).then_some(index)
    }
}

/// Whether a command is asked over its standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::source) enum Input {
    None,
    Asked,
}

/// Returns the git directory behind a `.git` on this machine: itself, or where it points to as a file.
fn git_dir(world: &dyn World, at: &Path, entry: &Path) -> Option<PathBuf> {
    let git_dir = if entry.is_dir() { entry.to_owned() } else { world.real(&at.join(pointer(entry, "gitdir:")?))? };
    git_dir.join("HEAD").symlink_metadata().is_ok().then_some(git_dir)
}

/// Returns the path in a one-line file of git's, after `label`.
fn pointer(file: &Path, label: &str) -> Option<PathBuf> {
    if !file.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let text = named::read(file, 1 << 13).ok()?;
    let line = text.strip_prefix(label.as_bytes())?.trim_ascii();
    (!line.is_empty()).then(|| path(line))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_an_index_of_the_repository_itself_is_taken_from_a_hook() {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().canonicalize().unwrap();
        let git_dir = top.join(".git");
        std::fs::create_dir_all(&git_dir).unwrap();
        for index in [git_dir.join("index.lock"), top.join("index")] {
            std::fs::write(index, "").unwrap();
        }
        let repository = Repository {
            program: PathBuf::new(),
            inside: top.clone(),
            top: top.clone(),
            git_dir: git_dir.clone(),
            user: User::Ourselves,
        };
        let lock = git_dir.join("index.lock");
        assert_eq!(repository.index_of_hook(Path::new(".git/index.lock")), Some(lock.clone()));
        assert_eq!(repository.index_of_hook(&lock), Some(lock));
        for other in [".git/none", "index", ".git/../index", "/etc/passwd", ""] {
            assert_eq!(repository.index_of_hook(Path::new(other)), None, "{other}");
        }
    }
}
