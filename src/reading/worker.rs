//! Threads that read and parse. Whatever the order of the work, the results are in the order of the tasks.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::file::{self, Parsed, Wanted};
use super::needle::Sets;
use super::{Reason, Task};
use crate::classify::{Kind, Standing, kind_by_bytes};
use crate::facts::FileFacts;
use crate::finding::{Problem, ProblemKind};
use crate::model::Sought;
use crate::source::{FileId, LineIndex, Sources, Unreadable};

/// Parsers recurse as deep as the nesting guards let them; this is enough for all of them in a debug build.
const STACK: usize = 16 << 20;
/// Enough for a `#!` line, of which Linux reads no more (BINPRM_BUF_SIZE).
const BEGINNING: usize = 256;
/// Troubles of one file that are told one by one.
const TOLD: usize = 5;

pub(super) struct Done {
    pub reason: Reason,
    pub file: FileId,
    pub outcome: Outcome,
    pub problems: Vec<Problem>,
}

pub(super) enum Outcome {
    Read(Option<Box<FileFacts>>),
    /// It was not parsed, and holds some of what the model may seek.
    Signs(Sets),
    LeftOut(Standing),
    Unreadable,
}

/// Reads and parses all tasks.
pub(super) fn work(sources: &Sources, tasks: &[Task], wanted: &Wanted, threads: NonZeroUsize) -> Vec<Done> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Done)>> = Mutex::default();
    let run = || {
        let mut buffer = Vec::new();
        let mut mine = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(at) else { break };
            mine.push((at, one(sources, *task, wanted, &mut buffer)));
        }
        if let Ok(mut all) = results.lock() {
            all.append(&mut mine);
        }
    };
    std::thread::scope(|scope| {
        let mut started = 0;
        for _ in 0..threads.get().min(tasks.len()) {
            let thread = std::thread::Builder::new().stack_size(STACK);
            started += usize::from(thread.spawn_scoped(scope, run).is_ok());
        }
        if started == 0 {
            run();
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, done)| done).collect()
}

fn one(sources: &Sources, task: Task, wanted: &Wanted, buffer: &mut Vec<u8>) -> Done {
    let limits = sources.limits();
    let limit = if matches!(task.kind, Kind::Code(_)) { limits.code } else { limits.file };
    // Most files without an extension that a host executes are programs, of many megabytes.
    if task.kind == Kind::Other
        && task.reason != Reason::Sought(Sought::Kept)
        && let Some(beginning) = sources.beginning(task.file, BEGINNING)
        && kind_by_bytes(&beginning) != Kind::Shell
    {
        return Done { file: task.file, reason: task.reason, outcome: Outcome::Read(None), problems: Vec::new() };
    }
    if let Err(error) = sources.read(task.file, limit, buffer) {
        // Nothing says that a file without an extension is a text at all.
        if task.kind == Kind::Other && matches!(error, Unreadable::TooLarge { .. }) {
            return Done { file: task.file, reason: task.reason, outcome: Outcome::Read(None), problems: Vec::new() };
        }
        return unreadable(sources, task, &error);
    }
    let parsed = catch_unwind(AssertUnwindSafe(|| file::parse(task, buffer, wanted)));
    let Ok(parsed) = parsed else {
        let problem = Problem {
            path: sources.shown(task.file),
            kind: ProblemKind::Internal,
            line: None,
            column: None,
            message: "foreshock failed on this file: please report it".to_owned(),
        };
        return Done { file: task.file, reason: task.reason, outcome: Outcome::Unreadable, problems: vec![problem] };
    };
    match parsed {
        Parsed::NoNeedle => {
            Done { file: task.file, reason: task.reason, outcome: Outcome::Read(None), problems: Vec::new() }
        }
        Parsed::Signs(sets) => {
            Done { file: task.file, reason: task.reason, outcome: Outcome::Signs(sets), problems: Vec::new() }
        }
        Parsed::LeftOut(standing) => {
            Done { file: task.file, reason: task.reason, outcome: Outcome::LeftOut(standing), problems: Vec::new() }
        }
        Parsed::Facts(facts) => {
            let mut problems = Vec::new();
            if !facts.troubles.is_empty() && task.reason != Reason::Copy {
                let lines = LineIndex::of(buffer);
                for trouble in facts.troubles.iter().take(TOLD) {
                    problems.push(file::problem(sources, task.file, buffer, &lines, trouble));
                }
            }
            Done { file: task.file, reason: task.reason, outcome: Outcome::Read(Some(facts)), problems }
        }
    }
}

fn unreadable(sources: &Sources, task: Task, error: &Unreadable) -> Done {
    let kind = match error {
        Unreadable::TooLarge { .. } => ProblemKind::Limit,
        _ => ProblemKind::Unreadable,
    };
    let problem =
        Problem { path: sources.shown(task.file), kind, line: None, column: None, message: error.to_string() };
    Done { file: task.file, reason: task.reason, outcome: Outcome::Unreadable, problems: vec![problem] }
}
