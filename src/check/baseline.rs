//! The baseline's part in a run: reads the file that was named, records a new one, prunes an old one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::baseline::{Baseline, FILE, Matched, matched, summary, urgent};
use crate::cli::{Job, Prune, Request};
use crate::finding::{Finding, Problem, ProblemKind};
use crate::report::{self, Format, Report, Summary};
use crate::rules::{self, Page};
use crate::source::{Sources, Unreadable, named};

/// A baseline of a hundred thousand findings is a quarter of this.
const LARGEST: u64 = 128 << 20;

fn read(path: &Path) -> Result<Baseline, String> {
    match text(path) {
        Ok(text) => parse(path, &text),
        Err(Unreadable::Gone) => Err(format!(
            "there is no baseline `{}`\n  help: `foreshock baseline` writes one, to {FILE}",
            path.display()
        )),
        Err(error) => Err(format!("the baseline `{}` cannot be read: {error}", path.display())),
    }
}

fn text(path: &Path) -> Result<String, Unreadable> {
    String::from_utf8(named::read(path, LARGEST)?).map_err(|error| Unreadable::Error(error.utf8_error().to_string()))
}

fn parse(path: &Path, text: &str) -> Result<Baseline, String> {
    Baseline::parse(text).map_err(|error| {
        format!(
            "the baseline `{}` cannot be read: {error}\n  help: merge the blocks by hand, or remove the file and write it anew with `foreshock baseline`",
            path.display()
        )
    })
}

/// Divides the findings of a run into new and known ones; says what is stale, or takes it out of the file.
pub(super) fn apply(
    request: &Request,
    findings: Vec<Finding>,
    ran: &[Page],
    sources: &Sources,
    problems: &mut Vec<Problem>,
) -> Result<Matched, String> {
    let (Some(path), Job::Check) = (&request.baseline, request.job) else {
        return Ok(Matched { new: findings, ..Matched::default() });
    };
    let ids = |pages: &[Page]| pages.iter().map(|page| page.id).collect::<BTreeSet<&str>>();
    let troubled = problems.iter().map(|problem| problem.path.as_str()).collect();
    let matched = matched(&read(path)?, findings, &ids(ran), &ids(&rules::pages()), &troubled, sources);
    match request.prune {
        Prune::Yes => write(request, path, &matched.pruned)?,
        Prune::No => problems.extend(matched.stale.iter().map(|entry| Problem {
            path: entry.path.clone(),
            kind: ProblemKind::Baseline,
            line: None,
            column: None,
            message: format!("{}: {}", entry.rule, entry.message),
        })),
    }
    Ok(matched)
}

/// Records findings in the file that was named, or in that of the first checked directory, and returns the lines that
/// are to be said of it.
pub(super) fn record(request: &Request, findings: &[Finding], sources: &Sources) -> Result<String, String> {
    let directory = request.paths.iter().find(|path| path.is_dir());
    let path: PathBuf = match (&request.baseline, directory) {
        (Some(path), _) => path.clone(),
        (None, Some(directory)) if directory != Path::new(".") => directory.join(FILE),
        (None, _) => PathBuf::from(FILE),
    };
    let mut baseline = Baseline::of(findings, sources);
    // A file that is something else is not written over.
    if !matches!(text(&path), Err(Unreadable::Gone)) {
        baseline.keep_reasons(&read(&path)?);
    }
    write(request, &path, &baseline)?;
    let shown = path.display();
    let mut said =
        format!("wrote {shown}: from now on `foreshock check --baseline {shown}` reports what is not in it\n");
    said += &summary(findings);
    said.push('\n');
    let urgent: Vec<Finding> = urgent(findings).cloned().collect();
    let report = Report {
        findings: &urgent,
        fingerprints: &[],
        leads: &[],
        baselined: &[],
        problems: &[],
        summary: Summary::default(),
        rules: &[],
        sources,
    };
    said += &report::render(Format::Concise, &report, request.look).document;
    Ok(said)
}

fn write(request: &Request, path: &Path, baseline: &Baseline) -> Result<(), String> {
    let written = named::write(path, &request.paths, baseline.text().as_bytes());
    written.map_err(|error| format!("{}: {error}", path.display()))
}
