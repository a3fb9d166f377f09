//! `foreshock demo`: the incidents, written to a fresh folder with their git history and host root, and checked there.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cli::{FindingsExit, Request};

/// Where incident 1's application stands on its host.
const SHOPFRONT: &str = "host/Users/deploy/Projects/shopfront";
/// Incident 2's repository.
const ACCOUNTS: &str = "accounts-api";

/// Incident 3's repository.
const LEDGERS: &str = "ledgers";

const JOB_BEFORE: &str = include_str!("files/shopfront/before/io.shopfront.supervisor.plist");
const JOB_AFTER: &str = include_str!("files/shopfront/after/io.shopfront.supervisor.plist");
const JOB_PATH: &str = "deploy/io.shopfront.supervisor.plist";
const LAUNCHER: &str = "daemon_start.sh";

/// Files of the host around the application: enough for a root that holds an operating system.
const HOST: [(&str, &str, Mode); 7] = [
    ("host/bin/sh", "", Mode::Program),
    ("host/bin/zsh", "", Mode::Program),
    ("host/bin/bash", "", Mode::Program),
    ("host/usr/bin/env", "", Mode::Program),
    ("host/etc/zprofile", include_str!("files/shopfront/zprofile"), Mode::Text),
    ("host/Users/deploy/.zprofile", "export LANG=en_US.UTF-8\n", Mode::Text),
    ("host/Library/LaunchDaemons/io.shopfront.supervisor.plist", JOB_BEFORE, Mode::Text),
];

/// What the application holds before and after the commit that removed its launcher.
const APPLICATION: [(&str, &str, Mode); 3] = [
    ("config/puma.rb", include_str!("files/shopfront/after/puma.rb"), Mode::Text),
    ("config/database.yml", include_str!("files/shopfront/after/database.yml"), Mode::Text),
    ("bin/dev", include_str!("files/shopfront/after/dev"), Mode::Program),
];

const ACCOUNT_FILES: [(&str, &str); 6] = [
    ("config/db.js", include_str!("files/accounts/db.js")),
    ("config/env.js", include_str!("files/accounts/env.js")),
    ("middleware/ensure-account.js", include_str!("files/accounts/ensure-account.js")),
    ("models/account.js", include_str!("files/accounts/account.js")),
    ("package.json", include_str!("files/accounts/package.json")),
    ("package-lock.json", include_str!("files/accounts/package-lock.json")),
];

const LEDGER_FILES: [(&str, &str); 4] = [
    ("src/lib.rs", include_str!("files/ledgers/lib.rs")),
    ("src/open.rs", include_str!("files/ledgers/open.rs")),
    ("src/store.rs", include_str!("files/ledgers/store.rs")),
    ("Cargo.toml", include_str!("files/ledgers/Cargo.toml.txt")),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Text,
    Program,
}

/// The folder that was written.
pub struct Demo {
    folder: PathBuf,
    /// Why the application has no git history, if it has none.
    no_history: Option<String>,
}

/// Writes the incidents to a fresh folder below the system's folder for temporary files. Without git only the history
/// is missing.
pub fn write() -> io::Result<Demo> {
    let folder = fresh_folder()?;
    for (path, text, mode) in HOST {
        put(&folder, path, text, mode)?;
    }
    let application = folder.join(SHOPFRONT);
    for (path, text, mode) in APPLICATION {
        put(&application, path, text, mode)?;
    }
    put(&application, LAUNCHER, include_str!("files/shopfront/before/daemon_start.sh"), Mode::Program)?;
    put(&application, JOB_PATH, JOB_BEFORE, Mode::Text)?;
    let first = commit(&application, "feat: run the shop under launchd", "2026-05-11T09:12:00+00:00");
    fs::remove_file(application.join(LAUNCHER))?;
    put(&application, JOB_PATH, JOB_AFTER, Mode::Text)?;
    let second =
        first.and_then(|()| commit(&application, "chore: delete dead app plumbing", "2026-07-07T16:40:00+00:00"));
    for (path, text) in ACCOUNT_FILES {
        put(&folder.join(ACCOUNTS), path, text, Mode::Text)?;
    }
    for (path, text) in LEDGER_FILES {
        put(&folder.join(LEDGERS), path, text, Mode::Text)?;
    }
    Ok(Demo { folder, no_history: second.err() })
}

impl Demo {
    /// Checks the incidents in one run and says where the folder is. Findings are what a demo is for: they are no
    /// failure.
    pub fn run(
        &self,
        request: &Request,
        out: &mut dyn Write,
        err: &mut dyn Write,
        check: fn(&Request, &mut dyn Write, &mut dyn Write) -> u8,
    ) -> u8 {
        let mut request = request.clone();
        request.paths = [SHOPFRONT, ACCOUNTS, LEDGERS].map(|path| self.folder.join(path)).to_vec();
        request.hosts = vec![self.folder.join("host")];
        request.findings_exit = FindingsExit::Zero;
        let exit = check(&request, out, err);
        if let Some(why) = &self.no_history {
            let _ = writeln!(err, "without a git history, so without the commit that removed the launcher: {why}");
        }
        let folder = self.folder.display();
        let _ = writeln!(err, "the incidents are in {folder}: look around, change a file, and run");
        let _ = writeln!(err, "  foreshock check {folder}/{ACCOUNTS}");
        let _ = writeln!(err, "  foreshock audit --root {folder}/host");
        exit
    }
}

fn fresh_folder() -> io::Result<PathBuf> {
    let base = std::env::temp_dir();
    for number in 0..1_000 {
        let folder = base.join(format!("foreshock-demo-{}-{number}", std::process::id()));
        match fs::create_dir(&folder) {
            Ok(()) => return fs::canonicalize(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no free name for a folder"))
}

fn put(folder: &Path, path: &str, text: &str, mode: Mode) -> io::Result<()> {
    let file = folder.join(path);
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(&file, text)?;
    #[cfg(unix)]
    if mode == Mode::Program {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Commits everything below a folder, with the demo's own name and date and nothing of the user's configuration.
fn commit(folder: &Path, subject: &str, date: &str) -> Result<(), String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .current_dir(folder)
            .args(["-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null", "-c", "core.autocrlf=false"])
            .args(arguments)
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .envs([
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_AUTHOR_NAME", "Shopfront"),
                ("GIT_AUTHOR_EMAIL", "shopfront@example.org"),
                ("GIT_COMMITTER_NAME", "Shopfront"),
                ("GIT_COMMITTER_EMAIL", "shopfront@example.org"),
                ("GIT_AUTHOR_DATE", date),
                ("GIT_COMMITTER_DATE", date),
            ])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("git: {error}"))?;
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()) }
    };
    git(&["init", "-q", "-b", "main"])?;
    git(&["add", "-A"])?;
    git(&["commit", "-q", "-m", subject])
}
