//! What is wrong with launchd's definitions themselves.

use std::path::Path;

use crate::facts::Body;
use crate::facts::host::{HostFacts, Reader};
use crate::facts::launchd::{JobFile, KeepAlive, Text};
use crate::finding::Place;
use crate::knowledge::pin::pins;
use crate::knowledge::place::places;
use crate::model::resolve::FactsByFile;
use crate::model::unit::definition::{AbsentAccount, AccountKind, Definitions, Pin, RestartKind, Restarting};
use crate::model::unit::{Evidence, Manager, StartedBy};
use crate::source::{Bytes, FileId, RootId, Sources};
use crate::syntax::data::Lines;

/// Where a Mac keeps its accounts, one property list each (opendirectoryd(8)); passwd has those of the system only.
const USERS: &str = "/var/db/dslocal/nodes/Default/users";
const GROUPS: &str = "/var/db/dslocal/nodes/Default/groups";

/// Adds what is wrong with the definitions of a host.
pub(in crate::model::unit) fn examine_host(
    host: &HostFacts,
    facts: &FactsByFile,
    evidence: &Evidence<'_>,
    found: &mut Definitions,
) {
    let users = names(evidence, USERS);
    let groups = names(evidence, GROUPS);
    for directory in &host.directories {
        if !matches!(directory.reader, Reader::LaunchDaemons | Reader::LaunchAgents { .. }) {
            continue;
        }
        for file in directory.entries.iter().filter_map(|entry| entry.text) {
            let Some(Body::Launchd(job)) = facts.get(&file).map(|facts| &facts.body) else { continue };
            if job.disabled == Some(true) {
                continue;
            }
            found.restarts.extend(unthrottled(file, job));
            // Only a daemon's user is looked up.
            if directory.reader == Reader::LaunchDaemons {
                found.accounts.extend(absent(file, job, job.user.as_ref(), AccountKind::User, users.as_deref()));
                found.accounts.extend(absent(file, job, job.group.as_ref(), AccountKind::Group, groups.as_deref()));
            }
        }
    }
}

/// Adds what is wrong with the definitions of a repository.
pub(in crate::model::unit) fn examine_repository(
    root: RootId,
    facts: &FactsByFile,
    sources: &Sources,
    found: &mut Definitions,
) {
    for (file, facts) in facts {
        let Body::Launchd(job) = &facts.body else { continue };
        if sources.file(*file).is_none_or(|entry| entry.root != root) {
            continue;
        }
        found.restarts.extend(unthrottled(*file, job));
        let texts = job.program.iter().chain(&job.arguments).chain(&job.working_directory);
        for text in texts {
            let written = text.text.text.as_str();
            let is_path = written.starts_with('/') && !written.contains(char::is_whitespace);
            if !is_path || places().has_placeholder(written) {
                continue;
            }
            found.pins.extend(pins().find(Path::new(written)).map(|pinned| Pin {
                job: label(job),
                manager: Manager::Launchd,
                place: place(*file, job, text.bytes),
                setting: text.key_path.clone(),
                path: written.into(),
                pinned,
            }));
        }
    }
}

fn label(job: &JobFile) -> String {
    job.label.as_ref().map(|label| label.text.text.clone()).unwrap_or_default()
}

fn place(file: FileId, job: &JobFile, bytes: Bytes) -> Place {
    match job.lines {
        Lines::Text => file.span(bytes).into(),
        Lines::Binary => Place::Whole(file),
    }
}

fn unthrottled(file: FileId, job: &JobFile) -> Option<Restarting> {
    let (seconds, bytes) = job.throttle_interval?;
    (seconds == 0 && job.keep_alive != KeepAlive::No).then(|| Restarting {
        unit: label(job),
        manager: Manager::Launchd,
        place: place(file, job, bytes),
        written: "0".to_owned(),
        kind: RestartKind::Unthrottled,
    })
}

/// Returns the accounts of a node, or nothing if it could not be listed.
fn names(evidence: &Evidence<'_>, directory: &str) -> Option<Vec<String>> {
    let entries = evidence.sources.list(evidence.root, Path::new(directory)).ok()?;
    let names: Vec<String> =
        entries.iter().filter_map(|entry| Some(entry.name().to_str()?.strip_suffix(".plist")?.to_owned())).collect();
    // Root is always there.
    (!names.is_empty()).then_some(names)
}

fn absent(
    file: FileId,
    job: &JobFile,
    text: Option<&Text>,
    kind: AccountKind,
    known: Option<&[String]>,
) -> Option<AbsentAccount> {
    let text = text?;
    let name = text.text.text.as_str();
    let is_name = !name.is_empty() && !name.chars().all(|letter| letter.is_ascii_digit());
    if !is_name || places().has_placeholder(name) || known?.iter().any(|known| known == name) {
        return None;
    }
    Some(AbsentAccount {
        unit: label(job),
        manager: Manager::Launchd,
        place: place(file, job, text.bytes),
        key: text.key_path.clone(),
        name: name.to_owned(),
        kind,
        started_by: StartedBy::Manager,
    })
}
