//! Repositories whose git would run a program, ask a network or read elsewhere: nothing of it happens, whatever
//! foreshock asks. `tests/history.rs` has the settings and hooks, `tests/git_states.rs` other owners and slow programs.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::scratch::tree::{commit, git, host, no_git, put, unit};
use super::scratch::{Run, Scratch};
use super::tripwire::Tripwire;

/// A repository whose history foreshock must ask about a file, a host that starts that file, and a program that leaves
/// a mark.
struct Scene {
    scratch: Scratch,
    repo: PathBuf,
    evil: String,
}

impl Scene {
    fn new(test: &str) -> Option<Self> {
        if no_git(test) {
            return None;
        }
        let scratch = Scratch::new();
        let repo = scratch.path("host/srv/shop");
        host(&scratch.path("host"), "shop.service", &unit("/srv/shop/bin/old"));
        put(&repo, "bin/old", "#!/bin/sh\nexec sleep 1\n");
        put(&repo, "Procfile", "web: bin/old\n");
        git(&repo, &["init", "-q"]);
        commit(&repo, "start");
        git(&repo, &["rm", "-q", "bin/old"]);
        commit(&repo, "remove");
        let text = format!("#!/bin/sh\necho \"$0 $@\" >> {}\ncat\n", scratch.path("ran").display());
        put(&scratch.path(""), "evil", &text);
        let evil = scratch.path("evil").display().to_string();
        Some(Self { scratch, repo, evil })
    }

    /// Asks everything that is asked of git, and says that the program did not run.
    fn ask(&self) -> Vec<Run> {
        let runs: [&[&str]; 7] = [
            &["audit", "--root", "host"],
            &["audit", "--root", "host", "--format", "json"],
            &["audit", "--root", "host", "--pins"],
            &["check", "host/srv/shop", "--format", "json"],
            &["check", "host/srv/shop", "--staged", "--format", "json"],
            &["check", "host/srv/shop", "--since", "HEAD~1", "--format", "json"],
            &["check", "host/srv/shop", "--root", "host", "--format", "json"],
        ];
        let runs: Vec<Run> = runs.iter().map(|arguments| self.scratch.run(arguments)).collect();
        self.assert_nothing_ran();
        runs
    }

    fn assert_nothing_ran(&self) {
        let ran = fs::read_to_string(self.scratch.path("ran"));
        assert!(ran.is_err(), "{}", ran.unwrap_or_default());
    }

    /// Says that the history was asked all the same.
    fn assert_explained(runs: &[Run]) {
        assert!(
            runs.iter().any(|run| is_explained(&run.out)),
            "{}",
            runs.iter().map(|run| &*run.out).collect::<String>()
        );
    }
}

#[test]
fn every_question_to_a_repository_with_traps() {
    let Some(scene) = Scene::new("traps") else { return };
    put(&scene.repo, ".gitattributes", "* diff=evil filter=evil merge=evil\n");
    commit(&scene.repo, "attributes");
    for key in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "merge.evil.driver",
        "gpg.program",
        "credential.helper",
        "pager.diff",
        "pager.cat-file",
        "alias.cat-file",
        "core.alternateRefsCommand",
        "uploadpack.packObjectsHook",
        "trailer.x.command",
    ] {
        git(&scene.repo, &["config", key, &scene.evil]);
    }
    for hook in ["post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman"] {
        put(&scene.repo, &format!(".git/hooks/{hook}"), &format!("#!/bin/sh\nexec {}\n", scene.evil));
    }
    fs::write(scene.repo.join("Procfile"), "web: bin/old\nworker: bin/new\n").expect("our own file");
    Scene::assert_explained(&scene.ask());
}

#[test]
fn a_partial_clone_whose_remote_is_a_program() {
    let Some(scene) = Scene::new("partial clone") else { return };
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &*format!("ext::{}", scene.evil)),
        ("remote.origin.uploadpack", &scene.evil),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
    ] {
        git(&scene.repo, &["config", key, value]);
    }
    // The deleted script is what has to be fetched.
    let blob = git(&scene.repo, &["rev-parse", "HEAD~1:bin/old"]);
    let (folder, rest) = blob.trim().split_at(2);
    fs::remove_file(scene.repo.join(".git/objects").join(folder).join(rest)).expect("a loose object");
    scene.ask();
}

#[test]
fn submodules_with_ill_meant_urls() {
    let Some(scene) = Scene::new("submodules") else { return };
    let head = git(&scene.repo, &["rev-parse", "HEAD"]);
    git(&scene.repo, &["update-index", "--add", "--cacheinfo", &format!("160000,{},vendor", head.trim())]);
    let modules = format!(
        "[submodule \"../../.git/hooks\"]\n\tpath = vendor\n\turl = ext::{0}\n\tupdate = !{0}\n\tignore = none\n\
         [submodule \"x\"]\n\tpath = -u{0}\n\turl = -u{0}\n",
        scene.evil
    );
    put(&scene.repo, ".gitmodules", &modules);
    for (key, value) in [
        ("submodule.x.update", &*format!("!{}", scene.evil)),
        ("submodule.recurse", "true"),
        ("diff.submodule", "diff"),
    ] {
        git(&scene.repo, &["config", key, value]);
    }
    git(&scene.repo, &["add", ".gitmodules"]);
    commit(&scene.repo, "vendor");
    scene.ask();
}

/// A host's `.git` that leads to a repository outside of the host is no repository of it.
#[test]
fn a_dot_git_that_points_out_of_the_host() {
    let Some(scene) = Scene::new("dot git") else { return };
    let outside = scene.scratch.path("outside.git");
    fs::rename(scene.repo.join(".git"), &outside).expect("our own folder");
    let wire = Tripwire::on(&outside.join("HEAD"));
    let dot_git = scene.repo.join(".git");
    let target = outside.display().to_string();
    let upwards = format!("{}{}", "../".repeat(30), target.trim_start_matches('/'));
    for link in [target.clone(), upwards.clone()] {
        symlink(&link, &dot_git).expect("a link");
        assert_nothing_told(&scene.scratch);
        fs::remove_file(&dot_git).expect("our own link");
    }
    for pointer in [target, upwards] {
        fs::write(&dot_git, format!("gitdir: {pointer}\n")).expect("a file");
        assert_nothing_told(&scene.scratch);
    }
    assert!(!wire.was_opened(), "the repository outside was opened");
}

fn assert_nothing_told(scratch: &Scratch) {
    let run = scratch.run(&["audit", "--root", "host", "--format", "json"]);
    assert_eq!(run.findings(), ["unit/missing-target host/etc/systemd/system/shop.service:5"]);
    assert!(!is_explained(&scratch.run(&["audit", "--root", "host"]).out), "{}", run.out);
}

/// Says whether a report for people tells which commit removed the file.
fn is_explained(report: &str) -> bool {
    let words: Vec<&str> = report.split_whitespace().filter(|word| *word != "\u{b7}").collect();
    words.join(" ").contains("deleted by")
}

#[test]
fn settings_that_name_other_files() {
    let Some(scene) = Scene::new("other files") else { return };
    scene.scratch.put("outside/secret", "hunter2-hunter2 = [\n");
    let secret = scene.scratch.path("outside/secret").display().to_string();
    for (key, value) in [
        ("include.path", &*secret),
        ("core.excludesFile", &secret),
        ("core.attributesFile", &secret),
        ("core.worktree", "/"),
        ("mailmap.file", &secret),
        ("blame.ignoreRevsFile", &secret),
    ] {
        // `git config` itself fails once the first is there.
        let config = scene.repo.join(".git/config");
        let (section, name) = key.split_once('.').expect("a key");
        let text = fs::read_to_string(&config).expect("a configuration");
        fs::write(&config, format!("{text}[{section}]\n\t{name} = {value}\n")).expect("a configuration");
        for run in scene.ask() {
            assert!(!run.out.contains("hunter2") && !run.err.contains("hunter2"), "{key}: {}{}", run.out, run.err);
        }
    }
}

#[test]
fn a_repository_of_fifos() {
    let Some(scene) = Scene::new("fifos") else { return };
    for name in ["objects/info/alternates", "info/exclude", "shallow", "commondir"] {
        let path = scene.repo.join(".git").join(name);
        let _ = fs::remove_file(&path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        assert!(Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success()));
    }
    // git itself waits for it, and is given up.
    let run = scene.scratch.run(&["audit", "--root", "host", "--format", "json"]);
    assert_eq!(run.findings(), ["unit/missing-target host/etc/systemd/system/shop.service:5"]);
}

#[test]
fn a_git_that_is_part_of_the_checked_tree() {
    let Some(scene) = Scene::new("own git") else { return };
    put(&scene.repo, "bin/git", &fs::read_to_string(&scene.evil).expect("our own file"));
    fs::set_permissions(scene.repo.join("bin/git"), fs::Permissions::from_mode(0o755)).expect("our own file");
    let bin = scene.repo.join("bin").display().to_string();
    for path in [format!("{bin}:"), format!(":{bin}"), "host/srv/shop/bin".to_owned(), ".".to_owned()] {
        let path = format!("{path}:{}", std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("/usr/bin/env");
        command.arg(format!("PATH={path}")).arg(env!("CARGO_BIN_EXE_foreshock"));
        command.args(["check", "host/srv/shop", "--root", "host", "--format", "json"]);
        scene.scratch.bounded(command);
        scene.assert_nothing_ran();
    }
}

/// What a caller's environment says to git, and what would make git write a file.
#[test]
fn variables_that_steer_git() {
    let Some(scene) = Scene::new("variables") else { return };
    let trace = scene.scratch.path("trace").display().to_string();
    let elsewhere = scene.scratch.path("elsewhere").display().to_string();
    let evil = scene.evil.as_str();
    let variables = [
        ("GIT_DIR", &*elsewhere),
        ("GIT_WORK_TREE", &elsewhere),
        ("GIT_COMMON_DIR", &elsewhere),
        ("GIT_OBJECT_DIRECTORY", &elsewhere),
        ("GIT_INDEX_FILE", &elsewhere),
        ("GIT_NAMESPACE", "x"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", evil),
        ("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='/bin/false'"),
        ("GIT_CONFIG_GLOBAL", &elsewhere),
        ("GIT_CONFIG_SYSTEM", &elsewhere),
        ("GIT_EXTERNAL_DIFF", evil),
        ("GIT_SSH_COMMAND", evil),
        ("GIT_SSH", evil),
        ("GIT_PAGER", evil),
        ("PAGER", evil),
        ("GIT_ASKPASS", evil),
        ("GIT_EDITOR", evil),
        ("GIT_EXEC_PATH", &elsewhere),
        ("GIT_TEMPLATE_DIR", &elsewhere),
        ("GIT_TRACE", &trace),
        ("GIT_TRACE2", &trace),
        ("GIT_TRACE2_EVENT", &trace),
        ("GIT_TRACE_SETUP", &trace),
        ("GIT_REDIRECT_STDERR", &trace),
        ("LESSOPEN", evil),
        ("XDG_CONFIG_HOME", &elsewhere),
        ("HOME", &elsewhere),
    ];
    put(Path::new(&elsewhere), "HEAD", "ref: refs/heads/main\n");
    put(Path::new(&elsewhere), "git/config", &format!("[core]\n\tfsmonitor = {evil}\n"));
    put(Path::new(&elsewhere), ".gitconfig", &format!("[core]\n\tfsmonitor = {evil}\n"));
    let run = |with: &[(&str, &str)]| {
        let mut command = Command::new("/usr/bin/env");
        command.args(with.iter().map(|(name, value)| format!("{name}={value}"))).arg(env!("CARGO_BIN_EXE_foreshock"));
        command.args(["audit", "--root", "host"]);
        scene.scratch.bounded(command)
    };
    let plain = run(&[]);
    assert!(is_explained(&plain.out), "{}", plain.out);
    assert_eq!(run(&variables).out, plain.out);
    scene.assert_nothing_ran();
    assert!(!Path::new(&trace).exists(), "git wrote a trace");
}
