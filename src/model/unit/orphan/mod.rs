//! Definitions of repositories whose installed copies start what a change takes away. A definition is copied to hosts
//! once; what it starts is deployed with every change. The revision before the change says what those copies start.

mod definition;

use std::path::{Path, PathBuf};

use definition::{Form, Installed, is_packager, is_same_name, written};

use super::{Evidence, Job, Manager, Need, Persistence, Role, State};
use crate::finding::Place;
use crate::knowledge::copy::copies;
use crate::knowledge::place::places;
use crate::model::deploy::{self, Deploy, MissingPin, Source};
use crate::source::{Changes, Earlier, EntryKind, FileId, LineIndex, Look, RootId, RootKind, Sources};

/// Definitions that git is asked for at most, in one repository.
const ASKED: usize = 500;

/// What a repository was before the change.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    pub root: RootId,
    pub changes: &'a Changes,
    pub earlier: &'a Earlier,
}

/// A definition whose installed copies start what the change takes away.
#[derive(Clone, Debug, PartialEq)]
pub struct Orphan {
    pub root: RootId,
    pub manager: Manager,
    /// The unit's name or the job's label.
    pub name: String,
    pub persistence: Persistence,
    /// What the definition needed before the change. Its place is not one of the file as it is now.
    pub need: Need,
    /// How it was written.
    pub written: String,
    /// Where it was written, 1-based.
    pub line: u32,
    /// The same path in the repository.
    pub path: PathBuf,
    pub source: Source,
    pub loss: Loss,
    pub now: Now,
    /// Where the definition speaks of it now.
    pub place: Place,
    /// What else it started that is lost, in the repository.
    pub others: Vec<PathBuf>,
    pub on_hosts: OnHosts,
}

/// Whether a host that is checked as well misses the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnHosts {
    Unseen,
    Missed,
}

impl Orphan {
    /// Says whether the path of a host is the one that is lost.
    pub fn is_meant_by(&self, need: &Need) -> bool {
        matches!(need.state, State::Missing { .. }) && need.path.ends_with(&self.path)
    }
}

/// What the change does to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    Deleted,
    Moved(PathBuf),
    /// The file is there, without the right to execute it.
    NotExecutable(Place),
}

/// What the definition says after the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Now {
    StillNamed,
    /// Another path at the same setting.
    Replaced,
    Nothing,
}

/// Finds the definitions of changed repositories whose installed copies lose what they start.
pub fn orphans(
    before: &[Before<'_>],
    deploy: &Deploy,
    jobs: &[Job],
    pins: &[MissingPin],
    sources: &Sources,
) -> Vec<Orphan> {
    let mut found = Vec::new();
    for before in before {
        let search =
            Search { before, deploy, jobs, pins, sources, evidence: Evidence::of_repository(before.root, sources) };
        search.run(&mut found);
    }
    found
}

struct Search<'a> {
    before: &'a Before<'a>,
    deploy: &'a Deploy,
    jobs: &'a [Job],
    pins: &'a [MissingPin],
    sources: &'a Sources,
    evidence: Evidence<'a>,
}

/// A definition at one time.
struct Text<'a> {
    path: &'a Path,
    bytes: &'a [u8],
}

struct Lost<'a> {
    need: &'a Need,
    path: PathBuf,
    source: Source,
    loss: Loss,
}

impl Search<'_> {
    fn run(&self, found: &mut Vec<Orphan>) {
        let root = self.before.root;
        let files = self.sources.files().filter(|(_, entry)| entry.root == root && entry.kind == EntryKind::File);
        let definitions = files.filter_map(|(file, entry)| Some((file, entry.path(), Installed::of(entry.path())?)));
        let mut asked = 0;
        for (file, path, installed) in definitions {
            let mut now = Vec::new();
            if self.sources.read(file, self.sources.limits().file, &mut now).is_err() {
                continue;
            }
            let (old, was) = if self.before.changes.altered.contains_key(path) {
                asked += 1;
                if asked > ASKED {
                    return;
                }
                let Some(old) = self.earlier_path(path, installed) else { continue };
                let Some(text) = self.before.earlier.text(old) else { continue };
                (old, text)
            } else {
                (path, now.clone())
            };
            let was = Text { path: old, bytes: &was };
            self.compare(file, installed, &was, &Text { path, bytes: &now }, found);
        }
    }

    /// Returns the path that a changed definition had before.
    fn earlier_path<'a>(&'a self, path: &'a Path, installed: Installed) -> Option<&'a Path> {
        let removed = &self.before.changes.removed;
        let renamed = removed.iter().find(|(_, new)| new.as_deref() == Some(path)).map(|(old, _)| old.as_path());
        // Rewritten so thoroughly that git sees no rename.
        let same = |old: &&PathBuf| {
            is_same_name(old, path) && Installed::of(old).is_some_and(|old| old.form == installed.form)
        };
        let named = || removed.keys().find(same).map(PathBuf::as_path);
        renamed.or_else(|| if self.before.earlier.has(path) { Some(path) } else { named() })
    }

    fn compare(&self, file: FileId, installed: Installed, was: &Text<'_>, now: &Text<'_>, found: &mut Vec<Orphan>) {
        let jobs_now = installed.jobs(file, now.path, now.bytes, &self.evidence);
        for job in installed.jobs(file, was.path, was.bytes, &self.evidence) {
            // Under another name it is another job, and this one is retired. A crontab is its file.
            if installed.form != Form::Crontab && !jobs_now.iter().any(|now| now.name == job.name) {
                continue;
            }
            let mut lost: Vec<Lost<'_>> = job.needs.iter().filter_map(|need| self.lost(need)).collect();
            lost.sort_by_key(|lost| (rank(&lost.need.role), lost.need.place.bytes().map(|bytes| bytes.start)));
            let Some(first) = lost.first() else { continue };
            if self.is_pinned(first) || self.is_packaged(now.path) {
                continue;
            }
            let (says, place) = self.now(&jobs_now, &job, first, file);
            // Several entries of a crontab may start the same.
            if found.iter().any(|other| other.place == place && other.path == first.path) {
                continue;
            }
            let bytes = first.need.place.bytes();
            let mut others: Vec<PathBuf> = lost.iter().skip(1).map(|lost| lost.path.clone()).collect();
            others.sort();
            others.dedup();
            others.retain(|other| *other != first.path && !first.path.starts_with(other));
            let mut orphan = Orphan {
                root: self.before.root,
                manager: job.manager,
                name: job.name.clone(),
                persistence: job.persistence.clone(),
                need: first.need.clone(),
                written: bytes
                    .and_then(|bytes| written(was.bytes, bytes))
                    .unwrap_or_else(|| first.need.written.clone()),
                line: bytes.map_or(1, |bytes| LineIndex::of(was.bytes).line_number(bytes.start)),
                path: first.path.clone(),
                source: first.source,
                loss: first.loss.clone(),
                now: says,
                place,
                others,
                on_hosts: OnHosts::Unseen,
            };
            if self.is_missed_by_a_host(&orphan) {
                orphan.on_hosts = OnHosts::Missed;
            }
            found.push(orphan);
        }
    }

    /// Says whether the change takes away what a start needed before.
    fn lost<'a>(&self, need: &'a Need) -> Option<Lost<'a>> {
        // The directory of a log is made on the host, and stays there.
        if matches!(need.role, Role::ParentOf(_)) || !need.path.is_absolute() {
            return None;
        }
        if places().system_directory(&need.path).is_some() {
            return None;
        }
        let (source, candidates) = deploy::inside(self.deploy, self.before.root, &need.path, self.sources);
        for path in candidates.into_iter().filter(|path| !path.as_os_str().is_empty()) {
            let loss = match self.look(&path) {
                // The longest path that is there is the one that is meant.
                Look::Present(_) => self.lost_its_mode(need, &path)?,
                Look::Unseen(_) => return None,
                Look::Absent { .. } => match self.removed(&path) {
                    Some(loss) => loss,
                    None => continue,
                },
            };
            let made = places().is_generated(&path) || self.sources.ignores(self.before.root, &path);
            if made || self.is_found_above(need, &path) {
                return None;
            }
            return Some(Lost { need, path, source, loss });
        }
        None
    }

    fn look(&self, path: &Path) -> Look {
        self.sources.look(self.before.root, &Path::new("/").join(path))
    }

    /// Says whether the change removed a path, or all that was in it.
    fn removed(&self, path: &Path) -> Option<Loss> {
        let removed = &self.before.changes.removed;
        if let Some(new) = removed.get(path) {
            return Some(new.clone().map_or(Loss::Deleted, Loss::Moved));
        }
        removed.keys().any(|removed| removed.starts_with(path)).then_some(Loss::Deleted)
    }

    fn lost_its_mode(&self, need: &Need, path: &Path) -> Option<Loss> {
        if need.role != Role::Program || !self.before.changes.altered.contains_key(path) {
            return None;
        }
        let Look::Present(present) = self.look(path) else { return None };
        let is_plain = present.kind == EntryKind::File && present.mode & 0o111 == 0;
        // A system that knows no such bits says nothing.
        if !is_plain || cfg!(windows) || !self.before.earlier.was_executable(path) {
            return None;
        }
        let file = self.sources.known(self.before.root, path)?;
        Some(Loss::NotExecutable(Place::Whole(file)))
    }

    /// A package.json may stand in a directory above.
    fn is_found_above(&self, need: &Need, path: &Path) -> bool {
        let Role::ProjectFile { .. } = need.role else { return false };
        let name = path.file_name().unwrap_or_default();
        path.ancestors().skip(2).any(|above| matches!(self.look(&above.join(name)), Look::Present(_)))
    }

    /// A pin says the same with more certainty.
    fn is_pinned(&self, lost: &Lost<'_>) -> bool {
        self.pins.iter().any(|missing| missing.pin.root == self.before.root && missing.pin.path == lost.path)
    }

    /// Says whether a host that is checked as well misses the path. A crontab of the repository stands for its hosts.
    fn is_missed_by_a_host(&self, orphan: &Orphan) -> bool {
        let is_host = |root: RootId| self.sources.root(root).is_some_and(|root| root.kind == RootKind::Host);
        let mut hosts = self.jobs.iter().filter(|job| job.manager == Manager::Cron || is_host(job.root));
        hosts.any(|job| job.needs.iter().any(|need| orphan.is_meant_by(need)))
    }

    /// A package, or a tool that sets up hosts, brings the definition and what it starts together.
    fn is_packaged(&self, path: &Path) -> bool {
        if path.iter().any(|part| part == "debian") || copies().is_managed(path) {
            return true;
        }
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
        let mut text = Vec::new();
        let packagers =
            self.sources.files().filter(|(_, entry)| entry.root == self.before.root && is_packager(entry.path()));
        packagers.into_iter().any(|(file, _)| {
            self.sources.read(file, self.sources.limits().file, &mut text).is_ok()
                && memchr::memmem::find(&text, name.as_bytes()).is_some()
        })
    }

    /// Returns what the definition says now, and where.
    fn now(&self, jobs: &[Job], was: &Job, lost: &Lost<'_>, file: FileId) -> (Now, Place) {
        let is_crontab = was.manager == Manager::Cron;
        let same = jobs.iter().filter(|job| is_crontab || job.name == was.name);
        let same: Vec<&Need> = same.flat_map(|job| &job.needs).collect();
        let still = same
            .iter()
            .find(|need| need.path == lost.need.path || self.lost(need).is_some_and(|other| other.path == lost.path));
        if let Some(need) = still {
            return (Now::StillNamed, need.place);
        }
        let key = |need: &Need| need.setting.split('[').next().unwrap_or_default().to_owned();
        let before = |need: &&&Need| was.needs.iter().any(|other| other.path == need.path);
        let mut at: Vec<&&Need> = same.iter().filter(|need| key(need) == key(lost.need)).collect();
        at.sort_by_key(|need| (before(need), need.role != lost.need.role, rank(&need.role)));
        match at.first() {
            Some(need) => (Now::Replaced, need.place),
            None => (
                Now::Nothing,
                jobs.first().and_then(|job| Some(job.needs.first()?.place)).unwrap_or(Place::Whole(file)),
            ),
        }
    }
}

/// What fails first and is named most clearly comes first.
fn rank(role: &Role) -> u8 {
    match role {
        Role::Program | Role::Script { .. } => 0,
        Role::Sourced | Role::Configuration { .. } => 1,
        Role::EnvironmentFile | Role::File | Role::ProjectFile { .. } => 2,
        Role::Directory | Role::ParentOf(_) => 3,
    }
}
