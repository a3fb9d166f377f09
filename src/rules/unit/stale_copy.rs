//! `unit/stale-copy`: an installed definition differs from the repository's copy in a setting that matters.

use crate::finding::{Finding, Place, Severity};
use crate::model::Model;
use crate::model::unit::copy::{CopyOrigin, Difference, Presence, StaleCopy};
use crate::model::unit::{Job, Manager, Need, State};
use crate::rules::{Findings, Rule, install};

use super::missing_target;

pub(super) const RULE: Rule =
    Rule { id: "unit/stale-copy", page: include_str!("../../../rules/unit/stale-copy.md"), check: Some(check) };

/// Settings that are named in a sentence.
const NAMED: usize = 4;

/// Reports every installed definition with such a difference, at the first of them.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for copy in &model.copies {
        let Some(first) = copy.differences.first() else { continue };
        let broken = broken(model, copy);
        let place = broken.map_or(first.installed, |(_, need)| need.place);
        let label = broken.map_or_else(|| label(first), |(job, need)| missing_target::label(job, need));
        let mut finding = Finding::at(place, label)
            .title(title(copy))
            .why(broken.map_or_else(|| why(copy), |(job, need)| missing_target::why(job, need)))
            .help(install::help(copy, &model.places))
            .subject(format!("{} copy", copy.name))
            .anchor(format!("{}.{}", copy.name, first.setting));
        if broken.is_some() || copy.older.is_some() {
            finding = finding.grade(Severity::Error);
        }
        if let Some(job) = job(model, copy).filter(|job| job.manager == Manager::Launchd) {
            finding = finding.shows(missing_target::shows(job));
        }
        if broken.is_some() {
            finding.evidence.extend(rewritten(copy));
        }
        for difference in
            copy.differences.iter().filter(|difference| broken.is_none_or(|(_, need)| !stands_in(need, difference)))
        {
            if difference.installed != place && difference.presence != Presence::RepositoryOnly {
                finding = finding.evidence(difference.installed, format!("`{}` as installed", difference.setting));
            }
            if let Some(repository) = difference.repository {
                finding = finding.evidence(repository, format!("`{}` in the repository's copy", difference.setting));
            }
        }
        findings.push(finding);
    }
}

/// Returns the job of an installed definition.
fn job<'a>(model: &'a Model<'_>, copy: &StaleCopy) -> Option<&'a Job> {
    let of = |job: &&Job| job.root == copy.root && job.manager == copy.manager && job.name == copy.name;
    model.jobs.iter().find(of)
}

/// Returns the missing target that installing the copy would mend: it stands in a setting that the copy has otherwise.
pub(super) fn broken<'a>(model: &'a Model<'_>, copy: &StaleCopy) -> Option<(&'a Job, &'a Need)> {
    let job = job(model, copy)?;
    let mut needs = job.needs.iter().map(|need| (job, need));
    needs.find(|(_, need)| matches!(need.state, State::Missing { .. }) && holds(copy, need))
}

/// Says whether a difference holds the place of a need.
pub(super) fn holds(copy: &StaleCopy, need: &Need) -> bool {
    copy.differences.iter().any(|difference| stands_in(need, difference))
}

fn stands_in(need: &Need, difference: &Difference) -> bool {
    difference.presence != Presence::RepositoryOnly
        && match (difference.installed, need.place) {
            (Place::Span(whole), Place::Span(part)) => whole.file == part.file && whole.bytes.contains(part.bytes),
            (whole, part) => whole == part,
        }
}

/// Returns the repository's half of the fault, where a missing target makes it one.
pub(super) fn rewritten(copy: &StaleCopy) -> Option<crate::finding::Evidence> {
    let place = copy.starts.or_else(|| copy.differences.iter().find_map(|difference| difference.repository))?;
    let label = match (&copy.rewritten_by, copy.origin) {
        (Some(_), _) => "the same commit rewrote this copy; it was not installed",
        (None, CopyOrigin::File) => "the repository's copy starts this; it was not installed",
        (None, CopyOrigin::Template) => "the repository's template starts this; it was not installed",
    };
    Some(crate::finding::Evidence { place, label: label.to_owned() })
}

fn label(difference: &Difference) -> String {
    match (difference.presence, &difference.value) {
        (Presence::InstalledOnly, _) => format!("`{}` is not in the repository's copy", difference.setting),
        (Presence::RepositoryOnly, Some(value)) => format!("`{}={value}` is missing here", difference.setting),
        (Presence::RepositoryOnly, None) => format!("`{}` is missing here", difference.setting),
        (Presence::Both, Some(value)) => format!("the repository's copy has {value}"),
        (Presence::Both, None) => "the repository's copy has another value".to_owned(),
    }
}

fn title(copy: &StaleCopy) -> String {
    let noun = copy.manager.noun();
    let what = if copy.name.contains(".d/") { "drop-in" } else { noun };
    let from = match (&copy.older, copy.origin) {
        (Some(_), _) => "is an older version of the repository's copy",
        (None, CopyOrigin::File) => "differs from the repository's copy",
        (None, CopyOrigin::Template) => "differs from the repository's template",
    };
    format!("the installed {what} `{}` {from} in {}", copy.name, settings(copy))
}

fn settings(copy: &StaleCopy) -> String {
    let mut names: Vec<String> =
        copy.differences.iter().map(|difference| format!("`{}`", difference.setting)).collect();
    names.dedup();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let mut text = names.join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

fn why(copy: &StaleCopy) -> String {
    let goes_on = match copy.manager {
        Manager::Launchd => "launchd",
        _ => "systemd",
    };
    let Some(older) = &copy.older else {
        return format!(
            "{goes_on} reads the installed file only: what the repository says takes effect nowhere, and whoever installs \
             it again loses what was changed on this host"
        );
    };
    let behind = if older.behind == 1 { "1 commit".to_owned() } else { format!("{} commits", older.behind) };
    format!(
        "this host has the version of {}, {behind} behind; it was changed by {} on {}, \"{}\", and not installed: {goes_on} \
         goes on with the old settings at every restart",
        older.commit.id, older.successor.id, older.successor.date, older.successor.subject
    )
}
