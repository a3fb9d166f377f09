//! Which files of a repository are read, and why.

use std::num::NonZeroUsize;
use std::path::Path;

use super::file::{self, Wanted};
use super::{Copies, Reading, Reason, Task};
use crate::classify::{self, Kind, Standing};
use crate::finding::{Problem, ProblemKind};
use crate::knowledge::host::kernel;
use crate::knowledge::retry::project;
use crate::model::Sought;
use crate::model::process::Want;
use crate::source::{Entry, EntryKind, FileId, Globs, RootId, Sources};
use crate::syntax::{code::Language, data, directive::Format};

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
    let files: Vec<(FileId, &Entry)> = sources.files().filter(|(_, entry)| entry.root == root).collect();
    let mut tasks = Vec::new();
    for (file, decision) in decided(&files, threads, wanted, copies) {
        match decision {
            Decision::Read(task) => tasks.push(task),
            Decision::NoFile => {
                reading.unreadable += 1;
                reading.problems.push(Problem {
                    path: sources.shown(file),
                    kind: ProblemKind::Unreadable,
                    line: None,
                    column: None,
                    message: "not a regular file: it is not opened".to_owned(),
                });
            }
            Decision::LeftOut(standing) => *reading.left_out.entry(standing).or_default() += 1,
        }
    }
    tasks
}

/// Files that are looked through for what keeps a value, at most.
const KEEPERS: usize = 20_000;

/// What becomes of a file, by its path.
enum Decision {
    Read(Task),
    /// It has the name of something worth reading, and is a device, a socket or a pipe.
    NoFile,
    LeftOut(Standing),
}

/// Decides over all files, in their order, on several threads: taking 30,000 paths apart is a tenth of a run.
fn decided(
    files: &[(FileId, &Entry)],
    threads: NonZeroUsize,
    wanted: &Wanted,
    copies: Copies,
) -> Vec<(FileId, Decision)> {
    let decide_all = |files: &[(FileId, &Entry)]| -> Vec<(FileId, Decision)> {
        files.iter().filter_map(|(file, entry)| Some((*file, decide(*file, entry, wanted, copies)?))).collect()
    };
    std::thread::scope(|scope| {
        let parts = files.chunks(files.len().div_ceil(threads.get()).max(1));
        // A part whose thread cannot be started is decided here.
        let started: Vec<_> = parts
            .map(|part| (part, std::thread::Builder::new().spawn_scoped(scope, move || decide_all(part)).ok()))
            .collect();
        let done = started.into_iter().map(|(part, thread)| match thread.and_then(|thread| thread.join().ok()) {
            Some(decided) => decided,
            None => decide_all(part),
        });
        done.flatten().collect()
    })
}

fn decide(file: FileId, entry: &Entry, wanted: &Wanted, copies: Copies) -> Option<Decision> {
    let convention = wanted.convention(&entry.path);
    let kind = convention.unwrap_or_else(|| classify::kind(&entry.path));
    match entry.kind {
        EntryKind::File => {}
        EntryKind::Special if kind != Kind::Other => return Some(Decision::NoFile),
        _ => return None,
    }
    let template = if copies == Copies::Compared { classify::template_of(&entry.path) } else { None };
    if let Some(kind) = template {
        return Some(Decision::Read(Task { file, kind, standing: Standing::Template, reason: Reason::Copy }));
    }
    // `conf.d` is a directory of many servers.
    let known = convention.is_some() || kind == Kind::Directive(Format::Nginx);
    if let Some((kind, reason)) = Wanted::configures(&entry.path).filter(|_| !known) {
        let standing = classify::standing(plain(&entry.path));
        return Some(match standing {
            Standing::Production => Decision::Read(Task { file, kind, standing, reason }),
            _ => Decision::LeftOut(standing),
        });
    }
    let reason = match kind {
        _ if convention.is_some() => Reason::Convention,
        Kind::Code(_) if classify::is_run_once(&entry.path) => Reason::NeedlesOfOnce,
        Kind::Code(_)
        | Kind::Data(data::Format::Yaml)
        | Kind::PropertyList
        | Kind::Directive(Format::Crontab | Format::Nginx | Format::Properties) => Reason::Needles,
        Kind::Shell if !classify::may_launch(&entry.path) => Reason::Needles,
        Kind::SystemdUnit
        | Kind::Shell
        | Kind::Lockfile(_)
        | Kind::Manifest(_)
        | Kind::Starts(_)
        | Kind::Directive(Format::Procfile | Format::Ini) => Reason::Convention,
        Kind::Other if classify::may_launch(&entry.path) => Reason::Convention,
        Kind::Data(_) if may_hold_settings(&entry.path) => Reason::Needles,
        // No table has a question to files of these kinds.
        Kind::Data(_) | Kind::Directive(_) | Kind::Other => return None,
    };
    let standing = classify::standing(&entry.path);
    if standing == Standing::Production {
        return Some(Decision::Read(Task { file, kind, standing, reason }));
    }
    (kind != Kind::Other || convention.is_some()).then_some(Decision::LeftOut(standing))
}

/// Says whether a JSON file may hold settings that a table asks about.
fn may_hold_settings(path: &Path) -> bool {
    let path = path.as_os_str().as_encoded_bytes();
    project().json_settings.iter().any(|word| memchr::memmem::find(path, word.as_bytes()).is_some())
}

/// `sidekiq.yml.erb` is no template of a deploy: the program renders it itself.
fn plain(path: &Path) -> &Path {
    let rendered = path.extension().is_some_and(|extension| extension == "erb");
    if rendered { path.parent().unwrap_or(path) } else { path }
}

/// Returns the task for a file that the model asked for.
pub(super) fn asked(sources: &Sources, file: FileId) -> Option<Task> {
    let entry = sources.file(file)?;
    let kind = classify::kind(&entry.path);
    let readable = matches!(kind, Kind::Code(_) | Kind::Data(_)) && entry.kind == EntryKind::File;
    readable.then(|| Task { file, kind, standing: classify::standing(&entry.path), reason: Reason::Asked })
}

/// Returns tasks for the code files of a root that were not parsed yet and may hold what the model seeks.
pub(super) fn sought(sources: &Sources, root: RootId, seek: Sought, reading: &Reading) -> Vec<Task> {
    if seek == Sought::Kept {
        return may_keep(sources, root, reading);
    }
    let fits = |kind| match seek {
        Sought::Requests | Sought::OwnRetries | Sought::Kept => matches!(kind, Kind::Code(_)),
        Sought::Constants => kind == Kind::Code(Language::Ruby),
        // Where classes give their fields to `this` (model/resolve/class.rs).
        Sought::Subclasses => {
            !matches!(kind, Kind::Code(Language::Ruby | Language::Rust)) && matches!(kind, Kind::Code(_))
        }
    };
    let signed =
        |file: &FileId| file::sign(seek).is_none_or(|set| reading.signs.get(file).is_some_and(|sets| sets.has(set)));
    let unread = sources.files().filter(|(file, entry)| entry.root == root && !reading.facts.contains_key(file));
    unread
        .filter(|(file, _)| signed(file))
        .filter_map(|(file, _)| asked(sources, file))
        .filter(|task| fits(task.kind) && task.standing == Standing::Production)
        .map(|task| Task { reason: Reason::Sought(seek), ..task })
        .collect()
}

/// Returns tasks for the files of a root that were not parsed yet and may say what keeps a value of the kernel: whatever
/// is text by its name, templates too.
fn may_keep(sources: &Sources, root: RootId, reading: &Reading) -> Vec<Task> {
    let unread = sources.files().filter(|(file, entry)| entry.root == root && !reading.facts.contains_key(file));
    let task = |(file, entry): (FileId, &Entry)| {
        let standing = classify::standing(&entry.path);
        let apart = matches!(standing, Standing::Documentation | Standing::Vendored | Standing::Test);
        let extension = entry.path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let kept = extension.is_empty() || kernel().keeping.contains(&extension);
        let kind = classify::kind(&entry.path);
        (entry.kind == EntryKind::File && kept && !apart).then_some(Task {
            file,
            kind,
            standing,
            reason: Reason::Sought(Sought::Kept),
        })
    };
    unread.filter_map(task).take(KEEPERS).collect()
}

/// Returns the task for a file that a process reads or starts, of a repository or a host.
pub(super) fn asked_as(sources: &mut Sources, want: &Want) -> Option<Task> {
    let file = sources.admit(want.root, &want.path)?;
    let entry = sources.file(file)?;
    let standing = classify::standing(&entry.path);
    (entry.kind == EntryKind::File).then_some(Task { file, kind: want.kind, standing, reason: Reason::Asked })
}
