//! Units that a package ships for a program of another package, which is not installed: systemd's own
//! quotaon-root.service without the quota tools. dpkg's lists of files tell it; nothing is said for other systems.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::model::unit::{Doubt, Evidence, Job, StartedBy, State};

/// Where dpkg keeps the names of every package's files, one a line.
const LISTS: &str = "/var/lib/dpkg/info";
/// Of one list.
const LIMIT: usize = 1 << 22;
const SHIPPED: [&str; 2] = ["usr/lib", "lib"];

/// Lets go of what a shipped unit that nothing starts misses, unless some installed package brought the file.
pub(super) fn leave_out_other_packages(jobs: &mut [Job], evidence: &Evidence<'_>) {
    let waits = |job: &Job| {
        let path = evidence.sources.file(job.file).map(|entry| entry.path.as_path());
        job.started_by == StartedBy::Nobody
            && path.is_some_and(|path| SHIPPED.iter().any(|directory| path.starts_with(directory)))
    };
    let missing: BTreeSet<PathBuf> = jobs
        .iter()
        .filter(|job| waits(job))
        .flat_map(|job| job.needs.iter().filter(|need| matches!(need.state, State::Missing { .. })))
        .map(|need| need.path.clone())
        .collect();
    if missing.is_empty() {
        return;
    }
    let Some(brought) = brought(&missing, evidence) else { return };
    for need in jobs.iter_mut().filter(|job| waits(job)).flat_map(|job| &mut job.needs) {
        if matches!(need.state, State::Missing { .. }) && !brought.contains(&need.path) {
            need.state = State::Unknown(Doubt::NotNeeded);
        }
    }
}

/// Returns those of the paths that a package has in its list; nothing where there are no lists.
fn brought(paths: &BTreeSet<PathBuf>, evidence: &Evidence<'_>) -> Option<BTreeSet<PathBuf>> {
    let entries = evidence.sources.list(evidence.root, Path::new(LISTS)).ok()?;
    let mut lists = entries.iter().filter(|entry| entry.name().to_string_lossy().ends_with(".list")).peekable();
    lists.peek()?;
    let wanted: BTreeSet<&Path> = paths.iter().map(|path| without_usr(path)).collect();
    let mut named: BTreeSet<&Path> = BTreeSet::new();
    for entry in lists {
        let path = Path::new("/").join(&entry.path);
        let bytes = evidence.sources.head(evidence.root, &path, LIMIT)?;
        for line in String::from_utf8_lossy(&bytes).lines() {
            named.extend(wanted.get(without_usr(Path::new(line))));
        }
    }
    Some(paths.iter().filter(|path| named.contains(without_usr(path))).cloned().collect())
}

/// /sbin/x and /usr/sbin/x are one on merged systems, and lists hold both spellings.
fn without_usr(path: &Path) -> &Path {
    path.strip_prefix("/usr").or_else(|_| path.strip_prefix("/")).unwrap_or(path)
}
