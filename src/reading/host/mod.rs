//! A host's service directories: listed, their files admitted as sources, and put on the list of what to read.

mod monit;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Copies, Reading, Reason, Task};
use crate::classify::{self, Kind, Standing};
use crate::facts::host::{HostFacts, Listed, Reader, ServiceDirectory};
use crate::finding::{Problem, ProblemKind};
use crate::knowledge::timeout::{Form, supervisor};
use crate::knowledge::unit::{Domain, launchd, systemd};
use crate::source::{Entry, EntryKind, FileId, RootId, Sources, Unseen};
use crate::syntax::data;
use crate::syntax::directive::Format;

/// Lists the service directories of a host.
pub(super) fn gather(
    sources: &mut Sources,
    root: RootId,
    copies: Copies,
    reading: &mut Reading,
) -> (HostFacts, Vec<Task>) {
    let mut gatherer = Gatherer { sources, root, reading, tasks: Vec::new(), seen: BTreeSet::new() };
    let passwd = gatherer.table("/etc/passwd");
    let group = gatherer.table("/etc/group");
    let homes = gatherer.homes(passwd);
    let mut directories = Vec::new();
    for path in &systemd().search.system {
        directories.extend(gatherer.directory(Path::new(path), &Reader::SystemdSystem));
    }
    for path in &systemd().search.user {
        gatherer.of_everybody(path, &homes, &mut directories, &|home| Reader::SystemdUser { home });
    }
    for row in &launchd().directories {
        match row.domain {
            Domain::System => {
                directories.extend(gatherer.directory(Path::new(&row.path), &Reader::LaunchDaemons));
            }
            Domain::Gui | Domain::User => {
                gatherer.of_everybody(&row.path, &homes, &mut directories, &|home| Reader::LaunchAgents { home });
            }
        }
    }
    gatherer.crontabs(&mut directories);
    directories.extend(gatherer.supervisord());
    directories.extend(gatherer.monit());
    gatherer.run_levels(&mut directories);
    let tmpfiles =
        gatherer.tables(&systemd().search.tmpfiles, Kind::Directive(Format::Blanks), &|name| name.ends_with(".conf"));
    let overrides = gatherer.tables(&launchd().overrides, Kind::Data(data::Format::Plist), &|name| {
        name.starts_with("disabled") && name.ends_with(".plist")
    });
    let managers = gatherer.managers();
    let conffiles = match copies {
        Copies::Compared => gatherer.conffiles(),
        Copies::None => BTreeSet::new(),
    };
    let tasks = std::mem::take(&mut gatherer.tasks);
    (HostFacts { root, directories, passwd, group, tmpfiles, managers, launchd_overrides: overrides, conffiles }, tasks)
}

struct Gatherer<'a> {
    sources: &'a mut Sources,
    root: RootId,
    reading: &'a mut Reading,
    tasks: Vec<Task>,
    /// Real paths of directories that were listed: `/lib` is `/usr/lib` on merged systems.
    seen: BTreeSet<(PathBuf, PathBuf)>,
}

impl Gatherer<'_> {
    /// Admits a table of the root and puts it on the list.
    fn table(&mut self, path: &str) -> Option<FileId> {
        let file = self.sources.admit(self.root, relative(Path::new(path)))?;
        let is_file = self.sources.file(file)?.kind == EntryKind::File;
        is_file.then(|| {
            self.task(file, Kind::Directive(Format::Colons));
            file
        })
    }

    /// The manager's own settings: its file, then drop-ins by name, whatever their directory; of one name the later
    /// directory's (systemd-system.conf(5)).
    fn managers(&mut self) -> Vec<FileId> {
        let Some(row) = supervisor(Form::Systemd) else { return Vec::new() };
        let mut found = Vec::new();
        for path in &row.manager_files {
            found.extend(self.sources.admit(self.root, relative(Path::new(path))));
        }
        let mut dropped = BTreeMap::new();
        for directory in &row.manager_directories {
            for entry in self.list(Path::new(directory)) {
                if entry.name().to_string_lossy().ends_with(".conf") {
                    dropped.insert(entry.name().to_os_string(), entry.path.clone());
                }
            }
        }
        for path in dropped.into_values() {
            found.extend(self.sources.admit(self.root, &path));
        }
        found.retain(|file| self.sources.file(*file).is_some_and(|entry| entry.kind == EntryKind::File));
        for file in &found {
            self.task(*file, Kind::SystemdUnit);
        }
        found
    }

    fn task(&mut self, file: FileId, kind: Kind) {
        self.tasks.push(Task { file, kind, standing: Standing::Production, reason: Reason::Convention });
    }

    /// Home directories: those of passwd, and those that stand where homes stand.
    fn homes(&mut self, passwd: Option<FileId>) -> BTreeSet<PathBuf> {
        let mut homes: BTreeSet<PathBuf> = ["/root", "/var/root"].iter().map(PathBuf::from).collect();
        for parent in ["/home", "/Users"] {
            for entry in self.list(Path::new(parent)) {
                if entry.kind == EntryKind::Directory {
                    homes.insert(Path::new("/").join(&entry.path));
                }
            }
        }
        let mut buffer = Vec::new();
        let limit = self.sources.limits().file;
        if passwd.is_some_and(|file| self.sources.read(file, limit, &mut buffer).is_ok()) {
            let text = String::from_utf8_lossy(&buffer).into_owned();
            let home = |line: &str| line.split(':').nth(5).filter(|home| home.len() > 1).map(PathBuf::from);
            homes.extend(text.lines().filter_map(home).filter(|home| home.is_absolute()));
        }
        homes
    }

    /// Lists a directory for all users, or the one of each home where the path begins with `~`.
    fn of_everybody(
        &mut self,
        path: &str,
        homes: &BTreeSet<PathBuf>,
        directories: &mut Vec<ServiceDirectory>,
        reader: &dyn Fn(Option<PathBuf>) -> Reader,
    ) {
        match path.strip_prefix("~/") {
            None => directories.extend(self.directory(Path::new(path), &reader(None))),
            Some(rest) => {
                for home in homes {
                    directories.extend(self.directory(&home.join(rest), &reader(Some(home.clone()))));
                }
            }
        }
    }

    /// Returns dpkg's configuration files. The database of rpm is no text.
    fn conffiles(&mut self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut buffer = Vec::new();
        for entry in self.list(Path::new("/var/lib/dpkg/info")) {
            if entry.path.extension().is_none_or(|extension| extension != "conffiles") {
                continue;
            }
            let file = self.sources.admit(self.root, &entry.path);
            let limit = self.sources.limits().file;
            if file.is_some_and(|file| self.sources.read(file, limit, &mut buffer).is_ok()) {
                let text = String::from_utf8_lossy(&buffer);
                found.extend(text.lines().filter(|line| line.starts_with('/')).map(PathBuf::from));
            }
        }
        found
    }

    pub(super) fn list(&mut self, path: &Path) -> Vec<Entry> {
        match self.sources.list(self.root, path) {
            Ok(entries) => entries,
            Err(why) => {
                self.could_not_look(path, why);
                Vec::new()
            }
        }
    }

    fn could_not_look(&mut self, path: &Path, why: Unseen) {
        self.reading.unreadable += 1;
        self.reading.problems.push(Problem {
            path: self.sources.shown_path(self.root, relative(path)),
            kind: ProblemKind::CouldNotLook,
            line: None,
            column: None,
            message: why.to_string(),
        });
    }

    fn directory(&mut self, path: &Path, reader: &Reader) -> Option<ServiceDirectory> {
        let entries = self.list(path);
        let first = entries.first()?;
        let real = first.path.parent().map(Path::to_path_buf).unwrap_or_default();
        let reader_key = PathBuf::from(format!("{reader:?}"));
        if !self.seen.insert((reader_key, real)) {
            return None;
        }
        let is_systemd = matches!(reader, Reader::SystemdSystem | Reader::SystemdUser { .. });
        let mut listed = Vec::new();
        for entry in entries {
            let name = entry.name().to_string_lossy().into_owned();
            let inner = Path::new("/").join(&entry.path);
            if is_systemd && entry.kind == EntryKind::Directory {
                if is_unit_directory(&name) {
                    for inside in self.list(&inner) {
                        listed.extend(self.entry(&inside, Some(name.clone())));
                    }
                } else if classify::kind(&entry.path) == Kind::SystemdUnit {
                    self.not_a_file(&entry);
                }
                continue;
            }
            let wanted =
                if is_systemd { classify::kind(&entry.path) == Kind::SystemdUnit } else { name.ends_with(".plist") };
            if wanted {
                listed.extend(self.entry(&entry, None));
            }
        }
        Some(ServiceDirectory { path: path.to_path_buf(), reader: reader.clone(), entries: listed })
    }

    fn not_a_file(&mut self, entry: &Entry) {
        self.reading.unreadable += 1;
        self.reading.problems.push(Problem {
            path: self.sources.shown_path(self.root, &entry.path),
            kind: ProblemKind::Unreadable,
            line: None,
            column: None,
            message: "named like a unit, but not a regular file".to_owned(),
        });
    }

    fn entry(&mut self, entry: &Entry, within: Option<String>) -> Option<Listed> {
        let listed = self.listed(entry, within)?;
        // Links in `.wants` and the like count by their name alone; they are not opened.
        let dependency = listed.within.as_deref().is_some_and(|within| !classify::is_drop_in_directory(within));
        if let Some(text) = listed.text.filter(|_| !dependency) {
            let kind = if listed.name.ends_with(".plist") { Kind::PropertyList } else { Kind::SystemdUnit };
            if listed.within.is_none() || listed.name.ends_with(".conf") {
                self.task(text, kind);
            }
        }
        Some(listed)
    }

    /// Admits an entry without reading it.
    fn listed(&mut self, entry: &Entry, within: Option<String>) -> Option<Listed> {
        self.reading.seen += 1;
        let file = self.sources.admit_link(self.root, &entry.path)?;
        let name = entry.name().to_string_lossy().into_owned();
        let text = match &entry.kind {
            EntryKind::File => Some(file),
            // What a mask leads to is never opened.
            EntryKind::Link(target) if target == "/dev/null" => None,
            EntryKind::Link(_) => self
                .sources
                .admit(self.root, &entry.path)
                .filter(|id| self.sources.file(*id).is_some_and(|target| target.kind == EntryKind::File)),
            EntryKind::Directory | EntryKind::Special => {
                self.not_a_file(entry);
                None
            }
        };
        Some(Listed { path: Path::new("/").join(&entry.path), name, within, kind: entry.kind.clone(), file, text })
    }
}

fn is_unit_directory(name: &str) -> bool {
    classify::is_drop_in_directory(name) || [".wants", ".requires", ".upholds"].iter().any(|end| name.ends_with(end))
}

fn relative(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}
