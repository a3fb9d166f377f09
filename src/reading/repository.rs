//! Which files of a repository are read, and why.

use std::num::NonZeroUsize;

use super::file::Wanted;
use super::{Copies, Reading, Reason, Task};
use crate::classify::{self, Kind, Standing};
use crate::finding::{Problem, ProblemKind};
use crate::model::Sought;
use crate::model::process::Want;
use crate::model::resolve::FactsByFile;
use crate::source::{EntryKind, FileId, Globs, RootId, Sources};
use crate::syntax::{code::Language, directive::Format};

/// Walks a repository and returns its tasks.
pub(super) fn tasks(
    sources: &mut Sources,
    root: RootId,
    exclude: &Globs,
    threads: NonZeroUsize,
    wanted: &Wanted,
    copies: Copies,
    reading: &mut Reading,
) -> Vec<Task> {
    let walked = sources.walk(root, exclude, threads);
    reading.seen += walked.seen;
    for (reason, count) in walked.skipped {
        *reading.skipped.entry(reason).or_default() += count;
    }
    for problem in walked.problems {
        reading.unreadable += 1;
        reading.problems.push(Problem {
            path: sources.shown_path(root, &problem.path),
            kind: ProblemKind::Unreadable,
            line: None,
            column: None,
            message: problem.kind.to_string(),
        });
    }
    let mut tasks = Vec::new();
    for (file, entry) in sources.files().filter(|(_, entry)| entry.root == root) {
        let convention = wanted.convention(&entry.path);
        let kind = convention.unwrap_or_else(|| classify::kind(&entry.path));
        match entry.kind {
            EntryKind::File => {}
            EntryKind::Special if kind != Kind::Other => {
                reading.unreadable += 1;
                reading.problems.push(Problem {
                    path: sources.shown(file),
                    kind: ProblemKind::Unreadable,
                    line: None,
                    column: None,
                    message: "not a regular file: it is not opened".to_owned(),
                });
                continue;
            }
            _ => continue,
        }
        if let Some(kind) = classify::template_of(&entry.path).filter(|_| copies == Copies::Compared) {
            tasks.push(Task { file, kind, standing: Standing::Template, reason: Reason::Copy });
            continue;
        }
        let reason = match kind {
            _ if convention.is_some() => Reason::Convention,
            Kind::Code(_) => Reason::Needles,
            Kind::SystemdUnit
            | Kind::PropertyList
            | Kind::Lockfile(_)
            | Kind::Manifest(_)
            | Kind::Starts(_)
            | Kind::Directive(Format::Procfile) => Reason::Convention,
            Kind::Shell | Kind::Other if classify::may_launch(&entry.path) => Reason::Convention,
            // No table has a question to files of these kinds.
            Kind::Shell | Kind::Data(_) | Kind::Directive(_) | Kind::Other => continue,
        };
        let standing = classify::standing(&entry.path);
        if standing != Standing::Production {
            if kind == Kind::Other && convention.is_none() {
                continue;
            }
            *reading.left_out.entry(standing).or_default() += 1;
            continue;
        }
        tasks.push(Task { file, kind, standing, reason });
    }
    tasks
}

/// Returns the task for a file that the model asked for.
pub(super) fn asked(sources: &Sources, file: FileId) -> Option<Task> {
    let entry = sources.file(file)?;
    let kind = classify::kind(&entry.path);
    let readable = matches!(kind, Kind::Code(_) | Kind::Data(_)) && entry.kind == EntryKind::File;
    readable.then(|| Task { file, kind, standing: classify::standing(&entry.path), reason: Reason::Asked })
}

/// Returns tasks for the code files of a root that were not parsed yet and may hold what the model seeks.
pub(super) fn sought(sources: &Sources, root: RootId, seek: Sought, read: &FactsByFile) -> Vec<Task> {
    let fits = |kind| match seek {
        Sought::Requests | Sought::OwnRetries => matches!(kind, Kind::Code(_)),
        Sought::Constants => kind == Kind::Code(Language::Ruby),
        // Where classes give their fields to `this` (model/resolve/class.rs).
        Sought::Subclasses => {
            !matches!(kind, Kind::Code(Language::Ruby | Language::Rust)) && matches!(kind, Kind::Code(_))
        }
    };
    let unread = sources.files().filter(|(file, entry)| entry.root == root && !read.contains_key(file));
    unread
        .filter_map(|(file, _)| asked(sources, file))
        .filter(|task| fits(task.kind) && task.standing == Standing::Production)
        .map(|task| Task { reason: Reason::Sought(seek), ..task })
        .collect()
}

/// Returns the task for a file that a process reads or starts, of a repository or a host.
pub(super) fn asked_as(sources: &mut Sources, want: &Want) -> Option<Task> {
    let file = sources.admit(want.root, &want.path)?;
    let entry = sources.file(file)?;
    let standing = classify::standing(&entry.path);
    (entry.kind == EntryKind::File).then_some(Task { file, kind: want.kind, standing, reason: Reason::Asked })
}
