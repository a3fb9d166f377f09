//! Scratch trees outside any git work tree, and bounded runs of the built program in them.
#![allow(dead_code, reason = "each test program uses its own part")]
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what is wrong by panicking")]

#[cfg(unix)]
pub(crate) mod terminal;
pub(crate) mod tree;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// No run may compute for longer, whatever it is given. A build without optimisation is four times as slow, and a slow
/// machine half as fast as the one on which this was measured.
const BOUND: Duration = Duration::from_secs(if cfg!(debug_assertions) { 40 } else { 10 });
/// No run may take longer, even where many share the machine: it waits for something.
const PATIENCE: Duration = Duration::from_mins(3);

/// A fresh folder.
pub(crate) struct Scratch {
    folder: TempDir,
}

/// Copies a program that is run then. Another process writes the copy: what writes here may be inherited by a child of
/// another test at that moment, and execve(2) answers `ETXTBSY` while it lives.
pub(crate) fn copy_program(from: &str, to: &Path) {
    assert!(Command::new("cp").arg(from).arg(to).status().is_ok_and(|status| status.success()), "a copy");
}

/// What a run left.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        // Another user's process reads it in one test.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("our own folder");
        Self { folder }
    }

    pub(crate) fn path(&self, inside: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(inside)
    }

    /// Makes the folder in which `inside` stands, and returns its path.
    pub(crate) fn room(&self, inside: impl AsRef<Path>) -> PathBuf {
        let path = self.path(inside);
        fs::create_dir_all(path.parent().expect("a path inside the folder")).expect("a folder");
        path
    }

    /// Writes a file.
    pub(crate) fn put(&self, inside: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        fs::write(self.room(inside), content).expect("a file");
    }

    /// Writes the few files that make a folder a host's root with an operating system in it.
    pub(crate) fn put_system(&self, host: &str) {
        for program in ["bin/sh", "usr/bin/env", "usr/bin/python3"] {
            let path = format!("{host}/{program}");
            self.put(&path, "");
            fs::set_permissions(self.path(&path), fs::Permissions::from_mode(0o755)).expect("our own file");
        }
    }

    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_foreshock"));
        command.args(arguments);
        self.bounded(command)
    }

    /// Runs a command in the folder, with nothing in its environment that changes the output.
    pub(crate) fn bounded(&self, mut command: Command) -> Run {
        let (mut out, mut err) = (tempfile::tempfile().expect("a file"), tempfile::tempfile().expect("a file"));
        let copy = |file: &File| Stdio::from(file.try_clone().expect("a descriptor"));
        let mut child = command
            .current_dir(self.folder.path())
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(copy(&out))
            .stderr(copy(&err))
            .spawn()
            .expect("the program starts");
        let began = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("our own child") {
                break status;
            }
            let computed = computed(child.id());
            if computed > BOUND || began.elapsed() > PATIENCE {
                let _ = child.kill();
                let _ = child.wait();
                panic!("not done after {:?}, of which {computed:?} computing: {command:?}", began.elapsed());
            }
            sleep(Duration::from_millis(5));
        };
        Run { code: status.code(), out: text(&mut out), err: text(&mut err) }
    }
}

/// Returns the time that a process has computed for, where the system shows it: fields 14 and 15 of proc_pid_stat(5),
/// in hundredths of a second.
fn computed(process: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

fn text(file: &mut File) -> String {
    let mut bytes = Vec::new();
    file.rewind().expect("our own file");
    file.read_to_end(&mut bytes).expect("our own file");
    String::from_utf8(bytes).expect("all output is UTF-8")
}

impl Run {
    /// Returns the JSON document, which must be all of standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("no JSON document: {error}\n{}\n{}", self.out, self.err))
    }

    /// Says whether there is a finding that fails a run.
    pub(crate) fn fails(&self) -> bool {
        let json = self.json();
        let all = json.get("findings").and_then(Value::as_array).expect("findings").iter();
        all.map(|finding| word(finding, "severity")).any(|severity| severity != "advice")
    }

    /// Returns `kind path` of every problem.
    pub(crate) fn problems(&self) -> Vec<String> {
        let json = self.json();
        let all = json.get("problems").and_then(Value::as_array).expect("problems").iter();
        all.map(|problem| format!("{} {}", word(problem, "kind"), word(problem, "path"))).collect()
    }

    /// Returns `rule path:line` of every finding.
    pub(crate) fn findings(&self) -> Vec<String> {
        let json = self.json();
        let all = json.get("findings").and_then(Value::as_array).expect("findings").iter();
        let line = |finding: &Value| finding.get("line").and_then(Value::as_u64).unwrap_or_default();
        all.map(|found| format!("{} {}:{}", word(found, "rule"), word(found, "path"), line(found))).collect()
    }
}

fn word(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}
