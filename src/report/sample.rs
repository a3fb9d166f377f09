//! Findings and files in memory, for the tests of all formats.

use std::cell::Cell;

use crate::finding::{Finding, Place, Problem, ProblemKind, Severity, Trigger};
use crate::source::{Bytes, FileId, Limits, RootKind, Sources};

use super::location::{Files, Origin};
use super::{Blocks, Characters, Color, Look, Report, Summary};

#[derive(Default)]
pub(super) struct Memory {
    files: Vec<(Origin, Option<Vec<u8>>)>,
    pub(super) reads: Cell<usize>,
}

impl Memory {
    /// Adds a file of the work tree, or of the host `/` if its path begins there.
    pub(super) fn add(&mut self, path: &str, text: &[u8]) -> FileId {
        self.push(path, Some(text.to_vec()))
    }

    /// Adds a file without text.
    pub(super) fn without_text(&mut self, path: &str) -> FileId {
        self.push(path, None)
    }

    fn push(&mut self, path: &str, text: Option<Vec<u8>>) -> FileId {
        let (below, root) = match path.strip_prefix('/') {
            Some(below) => (below, RootKind::Host),
            None => (path, RootKind::WorkTree),
        };
        let origin = Origin { shown: path.to_owned(), path: below.as_bytes().to_vec(), root };
        self.files.push((origin, text));
        FileId(u32::try_from(self.files.len() - 1).unwrap())
    }

    /// Returns the place of the `nth` occurrence (from 0) of `token`.
    pub(super) fn place(&self, file: FileId, token: &str, nth: usize) -> Place {
        let text = self.files[file.0 as usize].1.as_deref().unwrap();
        let at = memchr::memmem::find_iter(text, token).nth(nth).unwrap();
        file.span(Bytes::new(at, at + token.len())).into()
    }
}

impl Files for Memory {
    fn origin(&self, file: FileId) -> Origin {
        self.files[file.0 as usize].0.clone()
    }

    fn read(&self, file: FileId, buffer: &mut Vec<u8>) -> Option<()> {
        self.reads.set(self.reads.get() + 1);
        buffer.extend_from_slice(self.files[file.0 as usize].1.as_deref()?);
        Some(())
    }

    fn roots(&self) -> Vec<(String, RootKind)> {
        vec![(String::new(), RootKind::WorkTree), ("/".to_owned(), RootKind::Host)]
    }
}

pub(super) fn look(characters: Characters) -> Look {
    Look { color: Color::Never, characters, width: 100, blocks: Blocks::All }
}

/// Hands a report on `findings` to `use_report`.
pub(super) fn with_report<T>(
    findings: &[Finding],
    problems: &[Problem],
    summary: Summary,
    use_report: impl FnOnce(&Report<'_>) -> T,
) -> T {
    let fingerprints: Vec<String> = (0..findings.len()).map(|n| format!("{n:032x}")).collect();
    let sources = Sources::new(Limits::default());
    let rules = pages();
    use_report(&Report {
        findings,
        fingerprints: &fingerprints,
        leads: &[],
        baselined: &[],
        problems,
        summary,
        rules: &rules,
        sources: &sources,
    })
}

fn pages() -> Vec<crate::rules::Page> {
    let page = "---\ntitle: retry block without an error filter\nlevel: error\ntrigger: race\nsince: 0.1.0\nstatus: on\n---\n\
                A `retry` block that\nreplaces the default filter.\n\n## Why it fails later\nText.\n";
    let other = "---\ntitle: a path that the start needs does not exist\nlevel: error\ntrigger: restart\nsince: 0.1.0\n\
                 status: on\n---\nA unit starts a file that is gone.\n";
    vec![
        crate::rules::Page::parse("retry/no-match", page).unwrap(),
        crate::rules::Page::parse("unit/missing-target", other).unwrap(),
    ]
}

fn rated(finding: Finding, rule: &'static str, severity: Severity, trigger: Trigger) -> Finding {
    Finding { rule, severity, trigger: Some(trigger), ..finding }
}

/// A launchd job whose script was deleted, its stale copy, and a thread budget that nobody sets.
pub(super) fn launchd() -> (Memory, Vec<Finding>, Vec<Problem>, Summary) {
    let mut files = Memory::default();
    let before = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  \
                  <string>io.shopfront.supervisor</string>\n";
    let plist = files.add(
        "/Library/LaunchDaemons/io.shopfront.supervisor.plist",
        format!(
            "{before}  <key>ProgramArguments</key>\n  <array>\n    <string>/bin/bash</string>\n    \
             <string>/Users/deploy/Projects/shopfront/daemon_start.sh</string>\n  </array>\n</dict>\n</plist>\n"
        )
        .as_bytes(),
    );
    let copy = files.add(
        "deploy/io.shopfront.supervisor.plist",
        format!(
            "{before}  <key>ProgramArguments</key>\n  <array>\n    <string>/bin/bash</string>\n    <string>-lc</string>\n    \
             <string>cd /Users/deploy/Projects/shopfront &amp;&amp; export PATH=/opt/homebrew/bin:$PATH &amp;&amp; \
             RAILS_ENV=production exec bin/dev</string>\n  </array>\n</dict>\n</plist>\n"
        )
        .as_bytes(),
    );
    let puma = files.add(
        "config/puma.rb",
        b"threads_count = Integer(ENV.fetch(\"RAILS_MAX_THREADS\", 5))\nthreads threads_count, threads_count\n",
    );
    let script = "/Users/deploy/Projects/shopfront/daemon_start.sh";
    let missing = Finding::at(
        files.place(plist, script, 0),
        "deleted by 0c8a930fc, 2026-07-07, \"chore: delete dead app plumbing\"",
    )
    .title("launchd job `io.shopfront.supervisor` starts a file that no longer exists")
    .why("what runs now outlives its launcher; the next start fails, every 10 s, without end or alarm")
    .help(
        "install the copy and load it again (bootout stops the job: a short outage if it is running)\n\
         sudo install -o root -g wheel -m 644 deploy/io.shopfront.supervisor.plist /Library/LaunchDaemons/\n\
         sudo launchctl bootout system/io.shopfront.supervisor   # \"no such process\" is fine\n\
         sudo launchctl bootstrap system /Library/LaunchDaemons/io.shopfront.supervisor.plist",
    )
    .shows("the definition launchd has loaded → launchctl print system/io.shopfront.supervisor")
    .evidence(files.place(copy, "bin/dev", 0), "the same commit rewrote this copy; it was not installed");
    let stale = Finding::at(files.place(plist, script, 0), "")
        .title("launchd job `io.shopfront.supervisor` starts a file that no longer exists")
        .evidence(files.place(copy, "bin/dev", 0), "the same commit rewrote this copy; it was not installed");
    let budget = Finding::at(files.place(puma, "5", 0), "fallback: bin/dev:8 sets 3 other variables")
        .title("puma (bin/dev:9) runs 5 threads in each of 3 workers, and nothing read here sets either number")
        .why(
            "15 slow requests (5 × 3, both fallbacks) occupy every thread; each worker's pool of 25 (literal, \
             config/database.yml:4) would carry 16. Also looked at: both plists, /etc/zprofile, ~deploy/.zprofile",
        )
        .help("add RAILS_MAX_THREADS=16 at bin/dev:8 and restart bin/dev: a hot restart keeps the old value");
    let findings = vec![
        rated(missing, "unit/missing-target", Severity::Error, Trigger::Restart),
        rated(stale, "unit/stale-copy", Severity::Warning, Trigger::Restart),
        rated(budget, "pool/thread-budget-unset", Severity::Advice, Trigger::Load),
    ];
    let summary = Summary { seen: 443, read: 443, exit: 1, ..Summary::default() };
    (files, findings, Vec::new(), summary)
}

/// A Sequelize retry block that drops the default filter.
pub(super) fn sequelize() -> (Memory, Vec<Finding>, Vec<Problem>, Summary) {
    let mut files = Memory::default();
    let config = files.add(
        "config/db.js",
        b"const { Sequelize } = require('sequelize');\nconst env = require('./env');\n\nmodule.exports = new Sequelize({\n  \
          dialect: 'sqlite',\n  pool: {\n    max: env.poolMax, acquire: 20000,\n  },\n  retry: {\n    max: 5,\n  },\n});\n",
    );
    let call = files.add(
        "middleware/ensure-account.js",
        b"const { Account } = require('../models');\n\nmodule.exports = async (req, res, next) => {\n  try {\n    const \
          [account] = await Account.findOrCreate({\n",
    );
    let finding = Finding::at(
        files.place(config, "retry", 0),
        "replaces the default `match: ['SQLITE_BUSY: database is locked']` of sequelize 6.37.8",
    )
    .title("Sequelize repeats every failed query, also those that can never succeed")
    .why(
        "without `match` everything is retried, and a duplicate `externalId` (unique, models/account.js:5) stays a \
         duplicate: 5 runs, 1 + 1.5 + 2.25 + 3.375 = 8.125 s asleep, then a normal answer. Each sleeper holds 1 of 10 \
         connections (fallback of DB_POOL_MAX, config/env.js:3): 10 losers within 8 s leave none, and every other query \
         queues (for at most 20 s, literal, config/db.js:7)",
    )
    .help(
        "name the errors that can pass, in config/db.js after line 9\nmatch: [/Deadlock/i, /ECONNRESET/],\n\
         this helps outside transactions only; inside one, run the whole transaction again",
    )
    .note("`retry: { max: 0 }` in one findOrCreate mends that call; this block governs every query")
    .evidence(
        files.place(call, "findOrCreate", 0),
        "the loser of a race repeats its INSERT, in the transaction that this call opens",
    );
    let findings = vec![rated(finding, "retry/no-match", Severity::Error, Trigger::Race)];
    let remarks = vec!["version from package-lock.json:19".to_owned()];
    (files, findings, Vec::new(), Summary { seen: 6, read: 6, remarks, exit: 1, ..Summary::default() })
}

/// A finding and a problem whose every text acts on a terminal, hides something, or is a secret.
pub(super) fn hostile() -> (Memory, Vec<Finding>, Vec<Problem>, Summary) {
    let bad = "x\u{1b}[31m\u{7}\u{9b}\u{7f}\u{202e}\u{2066}\u{200b}\u{200f}\u{61c}\u{2028}\r\n::error::y, %0A:`](1) DB_PASSWORD=hunter2 \
               postgres://u:hunter2@h";
    let mut files = Memory::default();
    let mut text = b"ok\n\tx\xff\x1b[2J\xe2\x80\xae\xe5\xaf\x86 token: 'hunter2' ".to_vec();
    text.extend_from_slice(bad.replace('\n', " ").as_bytes());
    text.extend_from_slice(b"\nend\n");
    let file = files.add(&format!("a,b:{}", bad.replace("hunter2", "h")), &text);
    let gone = files.without_text("gone\u{202e}\u{1b}c");
    let finding = Finding::at(files.place(file, "token", 0), bad)
        .title(bad)
        .why(bad)
        .help(bad)
        .note(bad)
        .shows(bad)
        .subject(bad)
        .anchor(bad)
        .evidence(file.span(Bytes::new(900_000, 900_010)), bad)
        .evidence(gone.span(Bytes::new(1, 2)), bad)
        .evidence(Place::Whole(gone), bad);
    let finding = Finding { processes: vec![bad.to_owned()], ..finding };
    let problem = Problem {
        path: bad.replace("hunter2", "h"),
        kind: ProblemKind::Syntax,
        line: Some(1),
        column: Some(2),
        message: bad.to_owned(),
    };
    let summary = Summary { read: 1, remarks: vec![bad.to_owned()], exit: 1, ..Summary::default() };
    (files, vec![rated(finding, "retry/no-match", Severity::Error, Trigger::Race)], vec![problem], summary)
}
