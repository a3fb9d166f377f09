//! Which git is run, and with which environment.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Settings of the repository that could make git run a program, ask a network or change what it prints.
const SETTINGS: [&str; 25] = [
    "safe.directory=*",
    "core.alternateRefsCommand=",
    "core.askPass=",
    "core.attributesFile=/dev/null",
    "core.editor=false",
    "core.excludesFile=/dev/null",
    "core.fsmonitor=false",
    "core.gitProxy=",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "credential.helper=",
    "diff.external=",
    "diff.submodule=short",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "gc.auto=0",
    "log.decorate=false",
    "log.follow=false",
    "log.mailmap=false",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "submodule.recurse=false",
];

const ENVIRONMENT: [(&str, &str); 13] = [
    // No protocol at all, whatever `protocol.<name>.allow` says: a partial clone must not fetch.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("HOME", "/nonexistent"),
    ("LC_ALL", "C"),
];

/// Returns a hardened command of `program`, without its subcommand.
pub(super) fn command(program: &Path, git_dir: &Path, top: &Path, inside: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(ENVIRONMENT).env("PATH", program.parent().unwrap_or(Path::new("/usr/bin")));
    if let Some(system) = std::env::var_os("SYSTEMROOT") {
        command.env("SYSTEMROOT", system);
    }
    command.arg("--no-pager");
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.arg(option("--git-dir=", git_dir)).arg(option("--work-tree=", top));
    command.current_dir(inside).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn option(name: &str, value: &Path) -> std::ffi::OsString {
    let mut option = std::ffi::OsString::from(name);
    option.push(value);
    option
}

/// Returns the git program of the machine, but none below `tree`, which is checked and not trusted.
pub(super) fn find(tree: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    search(&path, tree).map(real_one)?
}

fn search(path: &OsStr, tree: &Path) -> Option<PathBuf> {
    let name = if cfg!(windows) { "git.exe" } else { "git" };
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|program| {
        // npm and direnv put folders of the repository on the PATH.
        let real = program.canonicalize();
        let outside = !program.starts_with(tree) && program.parent().is_some_and(trusted);
        outside && real.is_ok_and(|real| real.is_file() && !real.starts_with(tree) && trusted(&real))
    })
}

/// `/usr/bin/git` of macOS is a stub that opens a dialogue where the developer tools are missing.
fn real_one(program: PathBuf) -> Option<PathBuf> {
    if !cfg!(target_vendor = "apple") || program != Path::new("/usr/bin/git") {
        return Some(program);
    }
    let tools = ["/Library/Developer/CommandLineTools", "/Applications/Xcode.app/Contents/Developer"];
    tools.iter().map(|tools| Path::new(tools).join("usr/bin/git")).find(|program| program.is_file())
}

/// Root runs only what nobody else could have put there.
#[cfg(unix)]
fn trusted(program: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    if !rustix::process::geteuid().is_root() {
        return true;
    }
    program.ancestors().all(|part| {
        part.metadata().is_ok_and(|it| it.uid() == 0 && (it.mode() & 0o022 == 0 || it.mode() & 0o1000 != 0))
    })
}

#[cfg(not(unix))]
fn trusted(_program: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn no_program_of_the_checked_tree_is_taken_for_git() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let scratch = tempfile::tempdir().unwrap();
        let tree = scratch.path().canonicalize().unwrap().join("repo");
        let bin = tree.join("node_modules/.bin");
        let linked = scratch.path().canonicalize().unwrap().join("bin");
        for folder in [&bin, &linked] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(bin.join("git"), "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
        symlink(bin.join("git"), linked.join("git")).unwrap();
        let path = |folders: &[&Path]| std::env::join_paths(folders).unwrap();
        let relative = Path::new("node_modules/.bin");
        assert_eq!(search(&path(&[&bin, &linked, relative, Path::new("")]), &tree), None);
        assert_eq!(search(&path(&[&bin]), Path::new("/elsewhere")), Some(bin.join("git")));
    }
}
