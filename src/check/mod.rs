//! One run: roots, reading, model, rules, suppressions, report. The order of the stages stands here and nowhere else.

mod baseline;
mod deploy;
mod host;
mod init;
mod overview;
mod pins;
mod remarks;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use crate::change;
use crate::cli::{Contents, Decision, FindingsExit, History, Ignores, Job, Request, Target, Unread};
use crate::demo;
use crate::finding::{Finding, Problem, ProblemKind};
use crate::fingerprint;
use crate::listing;
use crate::model::{self, unit};
use crate::reading::{self, Reading, Rows};
use crate::report::{self, Format, Report, Summary};
use crate::rules;
use crate::source::{FileId, Limits, LineIndex, RootId, RootKind, Sources, named};
use crate::suppress::{Scope, Suppressions, apply};
use crate::syntax::readable;

const CLEAN: u8 = 0;
const FINDINGS: u8 = 1;
const FAILED: u8 = 2;

/// Meets a request: findings go to `out`, all else to `err`. Returns the exit code.
pub fn run(request: &Request, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let demo = match request.job {
        Job::Demo => match demo::write() {
            Ok(demo) => Some(demo),
            Err(error) => return refuse(err, &format!("the demo could not be written: {error}")),
        },
        Job::Check | Job::Baseline | Job::Audit | Job::Model | Job::Pins | Job::Init => None,
    };
    match demo {
        None => check(request, out, err),
        Some(demo) => demo.run(request, out, err, check),
    }
}

/// Roots of a run. A file path belongs to the root of the current directory, and only its findings are shown.
struct Roots {
    sources: Sources,
    repositories: Vec<RootId>,
    hosts: Vec<RootId>,
    /// If not empty, only findings in these files are shown.
    only: BTreeSet<(RootId, PathBuf)>,
}

fn check(request: &Request, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let rows = match user_rows(request) {
        Ok(rows) => rows,
        Err(message) => return refuse(err, &message),
    };
    match change::concerns(request, &rows) {
        Ok(true) => {}
        Ok(false) => return nothing_to_do(request, out, err),
        Err(message) => return refuse(err, &message),
    }
    let mut roots = match roots(request) {
        Ok(roots) => roots,
        Err(message) => return refuse(err, &message),
    };
    let change = match change::of(request, &roots.repositories, &roots.sources) {
        Ok(change) => change,
        Err(message) => return refuse(err, &message),
    };
    let threads = request
        .threads
        .and_then(NonZeroUsize::new)
        .or_else(|| std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN);
    let mut reading =
        reading::read(&mut roots.sources, &roots.repositories, &roots.hosts, &request.config.exclude, &rows, threads);
    let history = match request.history {
        History::Asked if request.job != Job::Model => unit::History::Asked,
        _ => unit::History::Left,
    };
    let deploy = deploy::of(request, &mut roots, &mut reading.problems);
    let (assumed, queues) = assumed(request, &roots);
    let said = model::Said { assumed, queues, deploy };
    let names = if request.job == Job::Pins { pins::names(&mut roots) } else { BTreeMap::new() };
    let before: Vec<unit::Before<'_>> =
        change.repositories().map(|(root, changes, earlier)| unit::Before { root, changes, earlier }).collect();
    let facts =
        model::Facts { files: &reading.facts, hosts: &reading.hosts, templates: &reading.templates, before: &before };
    let model = model::build(facts, &roots.sources, &rows, &said, history);
    if request.job == Job::Pins {
        return pins::print(&model, &roots, &names, &reading.problems, out, err);
    }
    if request.job == Job::Model {
        let text = if let Some((Format::Json, _)) = request.outputs.first() {
            listing::json(&model, &roots.sources)
        } else {
            listing::human(&model, &roots.sources, request.look.characters)
        };
        return write_stream(out, &text).map_or_else(|message| refuse(err, &message), |()| CLEAN);
    }
    let outcome = rules::run(&model, &|page| match request.selection.decide(page, &request.config) {
        Decision::Off => None,
        Decision::On(severity) => Some(severity),
    });
    let failed_rules = !outcome.problems.is_empty();
    let mut problems = std::mem::take(&mut reading.problems);
    problems.extend(outcome.problems);
    problems.extend(history_problems(&model, &roots.sources));
    problems.extend(unseen_problems(&model, &roots.sources));
    if outcome.ran.is_empty() {
        problems.push(nothing_checked("every rule is switched off, by the options or a configuration"));
    } else if problems.is_empty() && reading.read.is_empty() {
        problems.push(nothing_checked("no file here is one that foreshock reads"));
    }
    let suppressions = suppressions(&reading, &model, &roots.sources, &mut problems);
    let (mut findings, suppressed) = suppress(request, &outcome.ran, outcome.findings, &suppressions, &roots);
    sort(&mut findings, &roots.sources);
    findings.dedup();
    let matched = baseline::apply(request, findings, &outcome.ran, &roots.sources, &mut problems);
    let (mut findings, mut baselined) = match matched {
        Ok(matched) => (matched.new, matched.known),
        Err(message) => return refuse(err, &message),
    };
    let wanted = |finding: &Finding| {
        finding.confidence >= request.min_confidence && finding.severity >= request.min_severity && roots.shows(finding)
    };
    findings.retain(wanted);
    baselined.retain(wanted);
    if request.job == Job::Baseline {
        return match baseline::record(request, &findings, &roots.sources) {
            Ok(said) => write_stream(out, &said).map_or_else(|message| refuse(err, &message), |()| CLEAN),
            Err(message) => refuse(err, &message),
        };
    }
    if let (Job::Init, Some(directory)) = (request.job, request.paths.first()) {
        return match init::write(directory, &model, &reading, &roots, &findings) {
            Ok(said) => write_stream(out, &said).map_or_else(|message| refuse(err, &message), |()| CLEAN),
            Err(message) => refuse(err, &message),
        };
    }
    host::join(&mut findings, &roots);
    let fingerprints = fingerprint::of(&findings, &roots.sources);
    let shown = change.shown(findings, fingerprints, &roots.sources);
    problems.sort();
    problems.dedup();
    let exit = exit_code(request, &shown.findings, &problems, failed_rules);
    let report = Report {
        findings: &shown.findings,
        fingerprints: &shown.fingerprints,
        leads: &shown.leads,
        baselined: &baselined,
        problems: &problems,
        summary: Summary {
            seen: reading.seen,
            read: reading.read.len(),
            skipped: reading.left_out.values().sum(),
            left_out: left_out(&reading),
            unreadable: reading.unreadable,
            suppressed,
            baselined: baselined.len(),
            remarks: shown.remarks.into_iter().chain(remarks::of(&reading, &model, &roots.sources)).collect(),
            overview: overview::of(request, &model, &reading, outcome.ran.len()),
            exit,
        },
        rules: &outcome.ran,
        sources: &roots.sources,
    };
    let code = write(request, &report, out, err).unwrap_or_else(|message| refuse(err, &message));
    // The process ends here: to free a large tree's facts one by one takes a twentieth of the run.
    std::mem::forget(model);
    std::mem::forget(reading);
    code
}

/// Nothing that changed is of any interest: says so, in the form that was asked for.
fn nothing_to_do(request: &Request, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let remarks = vec!["nothing that is staged can matter".to_owned()];
    let report = Report {
        findings: &[],
        fingerprints: &[],
        leads: &[],
        baselined: &[],
        problems: &[],
        summary: Summary { remarks, exit: CLEAN, ..Summary::default() },
        rules: &[],
        sources: &Sources::default(),
    };
    write(request, &report, out, err).unwrap_or_else(|message| refuse(err, &message))
}

/// The user's own rows beside ours; a row that does not fit is refused with its place.
fn user_rows(request: &Request) -> Result<Rows, String> {
    let mut rows = Rows::default();
    let mut faults = Vec::new();
    for row in &request.config.rows {
        let added = match row.table {
            "wait.pool" => rows.pools.add(&row.values),
            _ => rows.add(&row.values),
        };
        if let Err(fault) = added {
            // The first name that a fault quotes is the one that it is about.
            let named = fault.split('`').nth(1).unwrap_or_default();
            let key = row.keys.iter().find(|(key, ..)| key == named);
            faults.push((key.map_or(row.bytes, |(_, place, _)| *place), fault));
        }
    }
    if faults.is_empty() {
        Ok(rows)
    } else {
        Err(request.config.refusal(faults).trim_start_matches("error: ").to_owned())
    }
}

/// Returns what the configuration says of processes and queues.
fn assumed(request: &Request, roots: &Roots) -> (Vec<model::Assumption>, Vec<model::lock::Latency>) {
    let inside = |path: &Path| {
        let path = path.canonicalize().ok()?;
        let of_root =
            |root: &RootId| Some((*root, path.strip_prefix(&roots.sources.root(*root)?.directory).ok()?.to_path_buf()));
        roots.repositories.iter().find_map(of_root)
    };
    let file = request.config.path.as_deref().and_then(inside).and_then(|(root, path)| roots.sources.id(root, &path));
    // A configuration outside of all roots has no place that could be shown.
    let file = file.unwrap_or(FileId(u32::MAX));
    let assumptions = request.config.assumed.iter().map(|row| model::Assumption {
        process: row.process.clone(),
        variable: row.variable.clone(),
        value: row.value.clone(),
        said_at: file.span(row.bytes),
    });
    let queues = request.config.queues.iter().map(|row| model::lock::Latency {
        queue: row.name.clone(),
        milliseconds: row.latency_ms,
        rate: row.rate,
        said_at: file.span(row.bytes),
    });
    (assumptions.collect(), queues.collect())
}

impl Roots {
    fn shows(&self, finding: &Finding) -> bool {
        self.only.is_empty()
            || self
                .sources
                .file(finding.place.file())
                .is_some_and(|entry| self.only.contains(&(entry.root, entry.path.clone())))
    }
}

fn roots(request: &Request) -> Result<Roots, String> {
    let mut sources = Sources::new(Limits::default());
    let kind = match request.contents {
        Contents::WorkTree => RootKind::WorkTree,
        Contents::Index => RootKind::Index,
    };
    let mut roots =
        Roots { sources: Sources::default(), repositories: Vec::new(), hosts: Vec::new(), only: BTreeSet::new() };
    let mut here = None;
    for path in &request.paths {
        if path.is_dir() {
            let shown = path.to_string_lossy();
            let id = sources.add_root(kind, path, &shown).map_err(|error| error.to_string())?;
            roots.repositories.push(id);
            continue;
        }
        let id = match here {
            Some(id) => id,
            None => sources.add_root(kind, Path::new("."), ".").map_err(|error| error.to_string())?,
        };
        if here.replace(id).is_none() {
            roots.repositories.push(id);
        }
        let directory = sources.root(id).map(|root| root.directory.clone()).unwrap_or_default();
        may_be_read(path, request.contents)?;
        let file = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let inside = file.strip_prefix(&directory).map_err(|_| {
            format!("{} is outside the current directory: check its own directory instead", path.display())
        })?;
        roots.only.insert((id, inside.components().collect()));
    }
    for host in &request.hosts {
        let id = sources.add_root(RootKind::Host, host, &host.to_string_lossy()).map_err(|error| error.to_string())?;
        roots.hosts.push(id);
    }
    roots.sources = sources;
    Ok(roots)
}

/// Refuses a file that was named and cannot be read: of a directory's files the others are checked, here nothing would
/// be. Only a regular file is opened.
fn may_be_read(path: &Path, contents: Contents) -> Result<(), String> {
    if contents == Contents::Index || !path.is_file() {
        return Ok(());
    }
    named::may_read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn nothing_checked(why: &str) -> Problem {
    Problem {
        path: String::new(),
        kind: ProblemKind::NothingChecked,
        line: None,
        column: None,
        message: why.to_owned(),
    }
}

fn history_problems(model: &model::Model<'_>, sources: &Sources) -> Vec<Problem> {
    let problem = |(root, path, why): &(RootId, PathBuf, crate::source::NoHistory)| Problem {
        path: sources.shown_path(*root, path.strip_prefix("/").unwrap_or(path)),
        kind: ProblemKind::History,
        line: None,
        column: None,
        message: why.to_string(),
    };
    model.asked.limits.iter().map(problem).collect()
}

/// What a start needs and nobody could look at: it may be missing, and nothing is said of it.
fn unseen_problems(model: &model::Model<'_>, sources: &Sources) -> Vec<Problem> {
    let mut problems = Vec::new();
    for job in &model.jobs {
        for need in &job.needs {
            let unit::State::Unknown(unit::Doubt::Unseen(unseen)) = need.state else { continue };
            problems.push(Problem {
                path: sources.shown_path(job.root, need.path.strip_prefix("/").unwrap_or(&need.path)),
                kind: ProblemKind::CouldNotLook,
                line: None,
                column: None,
                message: format!("{} needs it: {unseen}", job.name),
            });
        }
    }
    problems
}

fn suppressions(
    reading: &Reading,
    model: &model::Model<'_>,
    sources: &Sources,
    problems: &mut Vec<Problem>,
) -> BTreeMap<FileId, Suppressions> {
    let mut all = BTreeMap::new();
    let mut text = Vec::new();
    let orphans = model.orphans.iter().map(|orphan| orphan.place.file());
    let unread = orphans.filter(|file| !reading.facts.contains_key(file)).map(|file| (file, None));
    let read = reading.facts.iter().filter(|(_, facts)| !facts.comments.is_empty());
    for (file, comments) in read.map(|(file, facts)| (*file, Some(&facts.comments))).chain(unread) {
        if sources.read(file, sources.limits().file, &mut text).is_err() {
            continue;
        }
        let path = sources.file(file).map(|entry| entry.path.clone()).unwrap_or_default();
        let comments = comments.cloned().unwrap_or_else(|| reading::comments_of_definition(&path, &text));
        let lines = LineIndex::of(&text);
        let found = Suppressions::of(file, &readable(&text), &lines, &comments);
        problems.extend(found.malformed.iter().map(|malformed| Problem {
            path: sources.shown(file),
            kind: ProblemKind::Syntax,
            line: Some(malformed.position.line),
            column: Some(malformed.position.column),
            message: malformed.message.clone(),
        }));
        if !found.is_empty() {
            all.insert(file, found);
        }
    }
    all
}

fn suppress(
    request: &Request,
    ran: &[rules::Page],
    findings: Vec<Finding>,
    suppressions: &BTreeMap<FileId, Suppressions>,
    roots: &Roots,
) -> (Vec<Finding>, usize) {
    if request.ignores == Ignores::Nothing {
        return (findings, 0);
    }
    let pages = rules::pages();
    let ran = ran.iter().map(|page| page.id).collect();
    let files: Vec<Suppressions> = suppressions.values().cloned().collect();
    let elsewhere = |finding: &Finding| {
        roots.sources.file(finding.place.file()).is_some_and(|entry| request.config.ignores(&entry.path, finding.rule))
    };
    let scope = Scope { today: request.today, ran: &ran, pages: &pages };
    let mut applied = apply(findings, &files, &elsewhere, scope);
    applied.kept.append(&mut applied.extra);
    (applied.kept, applied.suppressed.len())
}

/// By path, line, column, rule: the order of every format.
fn sort(findings: &mut [Finding], sources: &Sources) {
    findings.sort_by_cached_key(|finding| {
        let bytes = finding.place.bytes().unwrap_or_default();
        (sources.shown(finding.place.file()), bytes, finding.rule, finding.subject.clone())
    });
}

fn exit_code(request: &Request, findings: &[Finding], problems: &[Problem], failed_rules: bool) -> u8 {
    let internal = failed_rules || problems.iter().any(|problem| problem.kind == ProblemKind::Internal);
    let unread = request.unread == Unread::Fails && !problems.is_empty();
    if internal || unread {
        return FAILED;
    }
    let fails = findings.iter().any(|finding| finding.severity >= request.fail_on);
    match request.findings_exit {
        FindingsExit::One if fails => FINDINGS,
        _ => CLEAN,
    }
}

/// Counts what was not read, by the word that says why.
fn left_out(reading: &Reading) -> BTreeMap<&'static str, usize> {
    let files = reading.left_out.iter().map(|(standing, count)| (standing.word(), *count));
    let walked = reading.skipped.iter().filter_map(|(reason, count)| Some((reason.word()?, *count)));
    files.chain(walked).collect()
}

fn write(request: &Request, report: &Report<'_>, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, String> {
    let mut said_aside = false;
    for (format, target) in &request.outputs {
        let rendered = report::render(*format, report, request.look_for(target));
        match target {
            Target::Stdout => write_stream(out, &rendered.document)?,
            Target::File(path) => {
                named::write(path, &request.paths, rendered.document.as_bytes())
                    .map_err(|error| format!("{}: {error}", path.display()))?;
            }
        }
        if let (Format::Github, Some(summary)) = (format, &request.step_summary) {
            append(summary, &report::step::render(report))?;
        }
        if !rendered.aside.is_empty() && !std::mem::replace(&mut said_aside, true) {
            // Nobody can be told that standard error is closed.
            let _ = err.write_all(rendered.aside.as_bytes());
        }
    }
    Ok(report.summary.exit)
}

fn append(path: &Path, text: &str) -> Result<(), String> {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| format!("{}: {error}", path.display()))
}

/// A reader that has seen enough (`| head`) is no failure.
fn write_stream(out: &mut dyn Write, text: &str) -> Result<(), String> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("standard output: {error}")),
        _ => Ok(()),
    }
}

fn refuse(err: &mut dyn Write, message: &str) -> u8 {
    let _ = writeln!(err, "error: {message}");
    FAILED
}
