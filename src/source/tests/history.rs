//! Tests of the history, against repositories made by git.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use super::{add, commit, git, paths, scratch, sources};
use crate::source::{History, NoHistory, Removal, RootKind};

const LONG: Duration = Duration::from_secs(30);

fn history(kind: RootKind, root: &Path, path: &str) -> Result<History, NoHistory> {
    let (sources, root) = sources(kind, root);
    sources.history(root, Path::new(path), LONG)
}

fn removals(root: &Path, of: &[&str]) -> Vec<(String, Removal)> {
    let removals = history(RootKind::WorkTree, root, "/").unwrap().removals(&paths(of));
    assert_eq!(removals.cut, None);
    removals.found.into_iter().map(|(path, removal)| (path.to_str().unwrap().to_owned(), removal)).collect()
}

/// A script that was deleted, one that was renamed, a folder that was moved and one that was deleted in two commits.
fn repository() -> TempDir {
    let script = |name: &str| format!("#!/bin/sh\n# {name}\nset -e\nexec something {name}\n").repeat(4);
    let tree = scratch(&[
        ("daemon_start.sh", &script("daemon")),
        ("bin/dev", &script("dev")),
        ("old/a", &script("a")),
        ("old/b", &script("b")),
        ("twice/a", &script("c")),
        ("twice/b", &script("d")),
        ("kept", "x"),
        ("*", "glob"),
    ]);
    git(tree.path(), &["init", "-q"]);
    commit(tree.path(), "start");
    git(tree.path(), &["rm", "-q", "daemon_start.sh", "twice/a"]);
    add(tree.path(), &[("config/job.plist", "new")]);
    commit(tree.path(), "Supervise from the job itself");
    git(tree.path(), &["mv", "bin/dev", "run.sh"]);
    git(tree.path(), &["mv", "old", "new"]);
    git(tree.path(), &["rm", "-q", "twice/b"]);
    commit(tree.path(), "Move");
    tree
}

#[test]
fn removals_are_found_in_one_go() {
    let tree = repository();
    let found = removals(
        tree.path(),
        &["daemon_start.sh", "bin/dev", "old", "old/a", "twice", "kept", "never", "*", "../x", ""],
    );
    let names: Vec<_> = found.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["bin/dev", "daemon_start.sh", "old", "old/a", "twice"]);
    let of = |name: &str| &found.iter().find(|(path, _)| path == name).unwrap().1;
    let daemon = of("daemon_start.sh");
    let head = git(tree.path(), &["log", "--format=%H %cd", "--date=short"]);
    let lines: Vec<_> = head.lines().collect();
    let (hash, date) = lines[1].split_once(' ').unwrap();
    assert_eq!((daemon.commit.as_str(), daemon.date.as_str()), (hash.get(..9).unwrap(), date));
    assert_eq!(daemon.subject, "Supervise from the job itself");
    assert_eq!(daemon.renamed_to, None);
    assert_eq!(daemon.also_touched, paths(&["config/job.plist", "twice/a"]));
    assert_eq!(of("bin/dev").renamed_to, Some(PathBuf::from("run.sh")));
    assert_eq!(of("old").renamed_to, Some(PathBuf::from("new")));
    assert_eq!(of("old/a").renamed_to, Some(PathBuf::from("new/a")));
    assert_eq!((of("twice").subject.as_str(), &of("twice").renamed_to), ("Move", &None));
}

#[test]
fn paths_are_no_patterns() {
    let tree = repository();
    for magic in [":(exclude)daemon_start.sh", ":!daemon_start.sh", ":(nonsense)x", "-p", "--", "daemon_*"] {
        let found = removals(tree.path(), &["daemon_start.sh", magic]);
        assert_eq!(found.len(), 1, "{magic}");
    }
}

#[test]
fn the_newest_removal_counts_and_merges_do_not_hide_it() {
    let tree = repository();
    add(tree.path(), &[("daemon_start.sh", "again")]);
    commit(tree.path(), "Back");
    git(tree.path(), &["checkout", "-q", "-b", "side"]);
    git(tree.path(), &["rm", "-q", "daemon_start.sh"]);
    commit(tree.path(), "Gone for good");
    git(tree.path(), &["checkout", "-q", "main"]);
    add(tree.path(), &[("other", "")]);
    commit(tree.path(), "Other");
    git(tree.path(), &["merge", "-q", "--no-ff", "-m", "Merge", "side"]);
    let found = removals(tree.path(), &["daemon_start.sh"]);
    assert_eq!(found[0].1.subject, "Gone for good");
}

#[test]
fn a_removal_in_a_merge_and_one_on_a_hidden_line_are_found() {
    let tree = repository();
    add(tree.path(), &[("daemon_start.sh", "again"), ("side_only", "x")]);
    commit(tree.path(), "Back");
    git(tree.path(), &["checkout", "-q", "-b", "side"]);
    git(tree.path(), &["rm", "-q", "side_only"]);
    commit(tree.path(), "Gone on the side");
    git(tree.path(), &["checkout", "-q", "main"]);
    add(tree.path(), &[("other", "")]);
    commit(tree.path(), "Other");
    git(tree.path(), &["merge", "-q", "--no-ff", "--no-commit", "side"]);
    git(tree.path(), &["rm", "-q", "-f", "daemon_start.sh"]);
    commit(tree.path(), "Merge, and remove more");
    // A line that never had any of it, and whose result is taken.
    git(tree.path(), &["checkout", "-q", "--orphan", "fresh"]);
    git(tree.path(), &["rm", "-q", "-rf", "."]);
    add(tree.path(), &[("fresh", "")]);
    commit(tree.path(), "Start afresh");
    git(tree.path(), &["merge", "-q", "-s", "ours", "--allow-unrelated-histories", "-m", "Ours", "main"]);
    let found = removals(tree.path(), &["daemon_start.sh", "side_only", "bin/dev"]);
    let told: Vec<_> = found.iter().map(|(path, it)| (path.as_str(), it.subject.as_str())).collect();
    let expected =
        [("bin/dev", "Move"), ("daemon_start.sh", "Merge, and remove more"), ("side_only", "Gone on the side")];
    assert_eq!(told, expected);
}

#[test]
fn a_file_that_was_moved_is_followed_to_its_end() {
    let tree = repository();
    git(tree.path(), &["mv", "run.sh", "start.sh"]);
    fs::set_permissions(tree.path().join("start.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    commit(tree.path(), "Move again");
    let found = removals(tree.path(), &["bin/dev"]);
    assert_eq!((&*found[0].1.subject, &found[0].1.renamed_to), ("Move", &Some(PathBuf::from("start.sh"))));
    assert!(!found[0].1.lost_x && found[0].1.deleted_at.is_none());
    git(tree.path(), &["mv", "start.sh", "library.sh"]);
    fs::set_permissions(tree.path().join("library.sh"), fs::Permissions::from_mode(0o644)).unwrap();
    commit(tree.path(), "No program any more");
    assert!(removals(tree.path(), &["bin/dev"])[0].1.lost_x);
    git(tree.path(), &["rm", "-q", "library.sh"]);
    commit(tree.path(), &format!("Remove it, {}", "and say very much about it ".repeat(9)));
    let found = removals(tree.path(), &["bin/dev"]);
    let (at, gone) = found[0].1.deleted_at.as_ref().unwrap();
    assert_eq!((at.to_str(), &found[0].1.renamed_to), (Some("library.sh"), &None));
    assert!(gone.subject.starts_with("Remove it") && gone.subject.chars().count() < 80, "{}", gone.subject);
}

#[test]
fn the_repository_is_found_upwards_and_inside_the_host_only() {
    let tree = scratch(&[
        ("repo/", ""),
        ("host/srv/app/bin/run", ""),
        ("host/etc/x", ""),
        ("host/srv/current", "-> /srv/app"),
    ]);
    git(tree.path(), &["init", "-q"]);
    assert_eq!(
        history(RootKind::WorkTree, &tree.path().join("repo"), "/").unwrap().work_tree(),
        tree.path().canonicalize().unwrap()
    );
    let host = tree.path().join("host");
    assert_eq!(history(RootKind::Host, &host, "/etc/x").unwrap_err(), NoHistory::NotAWorkTree);
    git(&host.join("srv/app"), &["init", "-q"]);
    commit(&host.join("srv/app"), "start");
    for path in ["/srv/app", "/srv/app/bin/run", "/srv/app/bin/gone/deep", "/srv/current/bin/run"] {
        assert_eq!(history(RootKind::Host, &host, path).unwrap().work_tree(), Path::new("/srv/app"), "{path}");
    }
    assert_eq!(history(RootKind::Host, &host, "/srv").unwrap_err(), NoHistory::NotAWorkTree);
    // A work tree whose repository lies elsewhere in the host, named as the host names it.
    git(&host.join("srv/app"), &["worktree", "add", "-q", "../tree"]);
    let file = fs::read_to_string(host.join("srv/tree/.git")).unwrap();
    let file = file.replace(host.canonicalize().unwrap().to_str().unwrap(), "");
    fs::write(host.join("srv/tree/.git"), file).unwrap();
    let linked = history(RootKind::Host, &host, "/srv/tree/bin").unwrap();
    assert_eq!(
        linked.first_commits().unwrap(),
        history(RootKind::Host, &host, "/srv/app").unwrap().first_commits().unwrap()
    );
}

#[test]
fn a_dot_git_that_is_none_is_passed_over() {
    let tree =
        scratch(&[("a/.git/nothing", ""), ("b/.git", "gitdir: /nowhere"), ("c/.git", "no"), ("d/.git", "-> .git")]);
    git(tree.path(), &["init", "-q"]);
    super::fifo(&tree.path().join("fifo"));
    fs::create_dir(tree.path().join("e")).unwrap();
    super::fifo(&tree.path().join("e/.git"));
    for name in ["a", "b", "c", "d", "e"] {
        let history = history(RootKind::WorkTree, &tree.path().join(name), "/").unwrap();
        assert_eq!(history.work_tree(), tree.path().canonicalize().unwrap(), "{name}");
    }
}

#[test]
fn a_shallow_clone_says_so() {
    let tree = repository();
    let clone = scratch(&[]);
    let from = format!("file://{}", tree.path().display());
    git(clone.path(), &["clone", "-q", "--depth=1", &from, "clone"]);
    let history = history(RootKind::WorkTree, &clone.path().join("clone"), "/").unwrap();
    let removals = history.removals(&paths(&["daemon_start.sh"]));
    assert!(removals.shallow && removals.found.is_empty() && removals.cut.is_none());
    assert_eq!(history.first_commits(), Ok(Vec::new()));
}

#[test]
fn a_partial_clone_fetches_nothing() {
    let tree = repository();
    add(tree.path(), &[("one", "1\n2\n3\n"), ("two", "a\nb\nc\nd\n")]);
    commit(tree.path(), "Two more");
    git(tree.path(), &["mv", "one", "moved"]);
    git(tree.path(), &["mv", "two", "changed"]);
    add(tree.path(), &[("changed", "a\nb\nc\nd\ne\n")]);
    commit(tree.path(), "Both");
    git(tree.path(), &["config", "uploadpack.allowFilter", "true"]);
    let clone = scratch(&[]);
    let from = format!("file://{}", tree.path().display());
    git(clone.path(), &["clone", "-q", "--filter=blob:none", "--no-checkout", &from, "clone"]);
    let packs = || walk_count(&clone.path().join("clone/.git/objects"));
    let before = packs();
    let found = removals(&clone.path().join("clone"), &["daemon_start.sh", "bin/dev", "one", "two"]);
    let told: Vec<_> = found.iter().map(|(path, it)| (path.as_str(), it.renamed_to.as_ref())).collect();
    // That `two` became `changed` only their contents could tell.
    let to = paths(&["run.sh", "moved"]);
    let expected = [("bin/dev", Some(&to[0])), ("daemon_start.sh", None), ("one", Some(&to[1])), ("two", None)];
    assert_eq!(told, expected);
    let whole = removals(tree.path(), &["two"]);
    assert_eq!(whole[0].1.renamed_to, Some(PathBuf::from("changed")));
    assert_eq!(packs(), before);
}

fn walk_count(directory: &Path) -> usize {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { walk_count(&path) } else { 1 }).sum()
}

#[test]
fn an_unborn_branch_and_a_broken_repository_are_no_failure() {
    let tree = scratch(&[]);
    git(tree.path(), &["init", "-q"]);
    let history = history(RootKind::WorkTree, tree.path(), "/").unwrap();
    assert!(matches!(history.removals(&paths(&["x"])).cut, Some(NoHistory::Failed(_))));
    fs::write(tree.path().join(".git/config"), "[broken").unwrap();
    let cut = history.removals(&paths(&["x"])).cut.unwrap().to_string();
    assert!(cut.starts_with("git: bad config"), "{cut}");
}

#[test]
fn time_runs_out() {
    let tree = repository();
    // git waits for whoever writes into it.
    fs::remove_file(tree.path().join(".git/HEAD")).unwrap();
    super::fifo(&tree.path().join(".git/HEAD"));
    let (sources, root) = sources(RootKind::WorkTree, tree.path());
    let history = sources.history(root, Path::new("/"), Duration::from_millis(300)).unwrap();
    let start = std::time::Instant::now();
    assert_eq!(history.removals(&paths(&["x"])).cut, Some(NoHistory::TimedOut(0)));
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// Settings with which a repository makes git run its programs.
fn booby_trap(tree: &Path) -> PathBuf {
    let marker = tree.join("ran");
    let trap = tree.join("trap");
    fs::write(&trap, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\nexit 0\n", marker.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    let hooks = tree.join("hooks");
    fs::create_dir(&hooks).unwrap();
    for hook in ["post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"] {
        fs::copy(&trap, hooks.join(hook)).unwrap();
    }
    let trap = trap.to_str().unwrap();
    for (name, value) in [
        ("core.fsmonitor", trap),
        ("core.hooksPath", hooks.to_str().unwrap()),
        ("core.pager", trap),
        ("core.sshCommand", trap),
        ("core.gitProxy", trap),
        ("core.alternateRefsCommand", trap),
        ("core.askPass", trap),
        ("core.editor", trap),
        ("pager.log", "true"),
        ("pager.show", "true"),
        ("diff.external", trap),
        ("diff.trap.command", trap),
        ("diff.trap.textconv", trap),
        ("filter.trap.clean", trap),
        ("filter.trap.smudge", trap),
        ("filter.trap.process", trap),
        ("filter.trap.required", "true"),
        ("gpg.program", trap),
        ("log.showSignature", "true"),
        ("log.follow", "true"),
        ("color.ui", "always"),
        ("diff.renames", "copies"),
        ("log.decorate", "full"),
        ("log.date", "raw"),
        ("format.pretty", "fuller"),
        ("credential.helper", trap),
        ("alias.log", &format!("!{trap}")),
        ("alias.show", &format!("!{trap}")),
    ] {
        git(tree, &["config", name, value]);
    }
    fs::write(tree.join(".gitattributes"), "* diff=trap filter=trap\n").unwrap();
    fs::create_dir_all(tree.join(".git/info")).unwrap();
    fs::write(tree.join(".git/info/attributes"), "* diff=trap filter=trap\n").unwrap();
    marker
}

/// Makes the newest commit one that carries a signature, so that `log.showSignature` has something to check.
fn sign(tree: &Path) {
    let commit = git(tree, &["cat-file", "commit", "HEAD"]);
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n";
    fs::write(tree.join(".git/signed"), commit.replacen("\n\n", &format!("\n{signature}"), 1)).unwrap();
    let signed = git(tree, &["hash-object", "-t", "commit", "-w", ".git/signed"]);
    git(tree, &["reset", "-q", signed.trim()]);
}

#[test]
fn a_repositorys_settings_run_nothing() {
    let tree = repository();
    sign(tree.path());
    let marker = booby_trap(tree.path());
    let ran = || {
        let ran = fs::read_to_string(&marker).unwrap_or_default();
        let _ = fs::remove_file(&marker);
        ran
    };
    // The trap works: each of these is what an unguarded git does here.
    for unguarded in [
        &["log", "-p", "--ext-diff", "--", "daemon_start.sh"][..],
        &["log", "-1"],
        &["status"],
        &["diff"],
        &["-c", "diff.external=", "show", "--textconv", "HEAD~1"],
        &["--paginate", "log", "-1", "--no-show-signature"],
    ] {
        ran();
        let output = Command::new("git").args(unguarded).current_dir(tree.path()).output().unwrap();
        if unguarded[0] != "--paginate" {
            assert!(!ran().is_empty(), "{unguarded:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    git(tree.path(), &["config", "diff.orderFile", "/nonexistent"]);
    ran();
    let found = removals(tree.path(), &["daemon_start.sh", "bin/dev", "old"]);
    assert_eq!(ran(), "");
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].1.renamed_to, Some(PathBuf::from("run.sh")));
    assert_eq!(found[1].1.subject, "Supervise from the job itself");
    // With one path, `log.follow` would follow it through its renames.
    assert_eq!(removals(tree.path(), &["bin/dev"])[0].1.subject, "Move");
    let history = history(RootKind::WorkTree, tree.path(), "/").unwrap();
    history.staged_removals().unwrap();
    assert_eq!(history.first_commits().unwrap().len(), 1);
    let (mut sources, root) = sources(RootKind::Index, tree.path());
    sources.walk(root, &crate::source::Globs::default(), super::threads(1));
    assert!(super::text(&sources, root, "run.sh").unwrap().starts_with("#!/bin/sh"));
    assert_eq!(ran(), "");
}

/// Runs only as root, which is the case that it is about.
#[test]
fn as_root_git_runs_as_the_owner_of_the_work_tree() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let tree = repository();
    fs::set_permissions(tree.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let owned = Command::new("chown").args(["-R", "12345:0"]).arg(tree.path()).status().unwrap();
    assert!(owned.success());
    // Were git run as root, it would follow this and fail; as the owner it cannot read it, and fails to.
    assert_eq!(removals(tree.path(), &["daemon_start.sh"]).len(), 1);
    let secret = scratch(&[("secret", "[core]\n\tabbrev = nonsense\n")]);
    fs::set_permissions(secret.path(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(secret.path().join("secret"), fs::Permissions::from_mode(0o600)).unwrap();
    let config = tree.path().join(".git/config");
    let mut text = fs::read_to_string(&config).unwrap();
    text += "[include]\n\tpath = ";
    text += secret.path().join("secret").to_str().unwrap();
    fs::write(&config, text).unwrap();
    let cut = history(RootKind::WorkTree, tree.path(), "/").unwrap().removals(&paths(&["x"])).cut;
    let message = cut.map(|cut| cut.to_string()).unwrap_or_default();
    assert!(!message.contains("nonsense"), "{message}");
    let other = Command::new("chown").arg("54321").arg(&config).status().unwrap();
    assert!(other.success());
    assert_eq!(history(RootKind::WorkTree, tree.path(), "/").unwrap_err(), NoHistory::Owner);
}
