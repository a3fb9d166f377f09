//! Which files make a unit: search path, masks, aliases, linked units, templates, drop-ins (systemd v257
//! src/shared/unit-file.c, src/core/load-dropin.c, src/shared/dropin.c).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

use crate::facts::host::{Listed, ServiceDirectory};
use crate::facts::systemd::Setting;
use crate::facts::{Body, systemd::UnitFile};
use crate::model::resolve::FactsByFile;
use crate::source::{Bytes, EntryKind, FileId};

/// The units that one manager knows.
pub(super) struct Units<'a> {
    directories: Vec<&'a ServiceDirectory>,
    facts: &'a FactsByFile,
    /// Entries of the directories themselves, by name, in the order of precedence.
    top: BTreeMap<&'a str, Vec<&'a Listed>>,
    /// Entries of `x.service.d` and its like, by the name of that subdirectory, with the rank of the directory.
    inside: BTreeMap<&'a str, Vec<(usize, &'a Listed)>>,
    /// Names that a `.wants`, `.requires` or `.upholds` directory holds.
    asked: BTreeSet<&'a str>,
    /// Names of links, by the name that they lead to.
    links: BTreeMap<&'a OsStr, Vec<&'a str>>,
}

/// What a name leads to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fragment<'a> {
    /// The file with the unit's text, and the entry that led to it.
    File {
        text: FileId,
        entry: &'a Listed,
    },
    Masked,
    /// Another name of the same unit.
    Alias(String),
    /// A link to a file outside the search path that is gone.
    Dangling(&'a Listed),
    NotFound,
}

/// A unit with everything that was added to it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit<'a> {
    pub name: String,
    /// The file of the fragment, for `%y` and for the question where the unit comes from.
    pub fragment: &'a Listed,
    /// What is in force after resets, in order, with the file of each.
    pub settings: Vec<(FileId, &'a Setting)>,
}

impl<'a> Units<'a> {
    /// `directories` are in the order of precedence.
    pub(super) fn new(directories: Vec<&'a ServiceDirectory>, facts: &'a FactsByFile) -> Self {
        let mut units = Self {
            directories: Vec::new(),
            facts,
            top: BTreeMap::new(),
            inside: BTreeMap::new(),
            asked: BTreeSet::new(),
            links: BTreeMap::new(),
        };
        for (rank, directory) in directories.iter().enumerate() {
            for entry in &directory.entries {
                match entry.within.as_deref() {
                    None => units.top.entry(&entry.name).or_default().push(entry),
                    Some(within) => {
                        units.inside.entry(within).or_default().push((rank, entry));
                        if is_dependency_directory(within) {
                            units.asked.insert(&entry.name);
                        }
                        continue;
                    }
                }
                if let EntryKind::Link(target) = &entry.kind
                    && let Some(target) = Path::new(target).file_name()
                {
                    units.links.entry(target).or_default().push(&entry.name);
                }
            }
        }
        units.directories = directories;
        units
    }

    /// Returns every name that some directory defines, and every instance that some link asks for.
    pub(super) fn names(&self) -> BTreeSet<String> {
        let names = self.top.keys().chain(&self.asked).filter(|name| suffix(name).is_some());
        names.map(|name| (*name).to_owned()).collect()
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &'a Listed> {
        self.directories.iter().flat_map(|directory| &directory.entries)
    }

    /// Says whether a link in a `.wants`, `.requires` or `.upholds` directory starts the unit.
    pub(super) fn is_linked_in(&self, name: &str) -> bool {
        self.asked.contains(name)
    }

    /// Returns the entries of a name in the directories themselves, in the order of precedence.
    pub(super) fn named(&self, name: &str) -> &[&'a Listed] {
        self.top.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Says whether the directory in which packages put their units was seen.
    pub(super) fn has_vendor_directory(&self) -> bool {
        self.directories.iter().any(|directory| {
            let ends = ["usr/lib/systemd/system", "usr/lib/systemd/user", "lib/systemd/system"];
            ends.iter().any(|end| directory.path.ends_with(end)) && directory.entries.iter().any(|e| e.within.is_none())
        })
    }

    /// Returns the header of a section in the unit's own file, or in a drop-in.
    pub(super) fn header(&self, unit: &Unit<'_>, section: &str) -> Option<(FileId, Bytes)> {
        let mut files: Vec<FileId> = unit.fragment.text.into_iter().collect();
        files.extend(unit.settings.iter().map(|(file, _)| *file));
        files.dedup();
        files.into_iter().find_map(|file| {
            let (_, bytes) = self.unit_file(file)?.sections.iter().find(|(name, _)| name == section)?;
            Some((file, *bytes))
        })
    }

    /// Returns the unit file behind a name and the drop-ins on top of it.
    pub(super) fn files(&self, name: &str) -> Option<(FileId, Vec<FileId>)> {
        let Fragment::File { text, .. } = self.fragment(name) else { return None };
        Some((text, self.drop_ins(name)))
    }

    pub(super) fn unit_file(&self, file: FileId) -> Option<&'a UnitFile> {
        match &self.facts.get(&file)?.body {
            Body::Systemd(unit) => Some(unit),
            _ => None,
        }
    }

    /// Looks a name up in the search path; an instance falls back to its template.
    pub(super) fn fragment(&self, name: &str) -> Fragment<'a> {
        match self.fragment_of_name(name) {
            Fragment::NotFound => match template(name) {
                Some(template) => self.fragment_of_name(&template),
                None => Fragment::NotFound,
            },
            found => found,
        }
    }

    fn fragment_of_name(&self, name: &str) -> Fragment<'a> {
        for entry in self.named(name) {
            match self.fragment_of_entry(name, entry) {
                // A link to the same name elsewhere in the search path: go on looking there.
                Fragment::NotFound => {}
                found => return found,
            }
        }
        Fragment::NotFound
    }

    pub(super) fn fragment_of_entry(&self, name: &str, entry: &'a Listed) -> Fragment<'a> {
        match &entry.kind {
            EntryKind::Link(target) if target == "/dev/null" => Fragment::Masked,
            EntryKind::Link(target) => {
                let target = Path::new(target);
                let inside = match target.parent() {
                    Some(parent) if parent.as_os_str().is_empty() => true,
                    Some(parent) if target.is_absolute() => self.is_search_directory(parent),
                    // `../x.service` and the like stay within the directories of units.
                    _ => target.components().count() <= 2 && entry.text.is_some(),
                };
                let file_name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
                match entry.text {
                    _ if inside && file_name != name => Fragment::Alias(file_name),
                    Some(text) if self.is_empty(text) => Fragment::Masked,
                    Some(text) => Fragment::File { text, entry },
                    None if inside => Fragment::NotFound,
                    None => Fragment::Dangling(entry),
                }
            }
            EntryKind::File if self.is_empty(entry.file) => Fragment::Masked,
            EntryKind::File => Fragment::File { text: entry.file, entry },
            EntryKind::Directory | EntryKind::Special => Fragment::NotFound,
        }
    }

    fn is_search_directory(&self, path: &Path) -> bool {
        // /lib/systemd/system and /usr/lib/systemd/system are one on merged systems.
        let usr = |path: &Path| Path::new("/usr").join(path.strip_prefix("/").unwrap_or(path));
        self.directories.iter().any(|directory| directory.path == path || directory.path == usr(path))
    }

    fn is_empty(&self, file: FileId) -> bool {
        self.unit_file(file).is_some_and(|unit| unit.settings.is_empty() && unit.sections.is_empty())
    }

    /// Returns the unit behind a name that has a fragment of its own.
    pub(super) fn load(&self, name: &str) -> Option<Unit<'a>> {
        let Fragment::File { text, entry } = self.fragment(name) else { return None };
        let mut files = vec![text];
        files.extend(self.drop_ins(name));
        Some(Unit { name: name.to_owned(), fragment: entry, settings: self.in_force(&files) })
    }

    /// Returns what several files assign, in order; an empty assignment empties everything that was assigned to the
    /// key before.
    fn in_force(&self, files: &[FileId]) -> Vec<(FileId, &'a Setting)> {
        let mut settings = Vec::new();
        let mut emptied = BTreeSet::new();
        for file in files.iter().rev() {
            let Some(unit) = self.unit_file(*file) else { continue };
            for setting in unit.settings.iter().rev() {
                let key = (setting.section.as_str(), setting.key.as_str());
                if setting.value.text.trim().is_empty() {
                    emptied.insert(key);
                } else if !emptied.contains(&key) {
                    settings.push((*file, setting));
                }
            }
        }
        settings.reverse();
        settings
    }

    /// The drop-ins of a unit, in the order in which they apply: by file name over all directories; the same file
    /// name in an earlier directory hides the later one.
    fn drop_ins(&self, name: &str) -> Vec<FileId> {
        let mut chosen: BTreeMap<&str, &Listed> = BTreeMap::new();
        let mut names = vec![name.to_owned()];
        names.extend(self.aliases(name));
        let mut levels: Vec<Vec<String>> = names.iter().map(|name| drop_in_directories(name)).collect();
        levels.push(suffix(name).map(|suffix| format!("{suffix}.d")).into_iter().collect());
        for level in levels {
            let mut inside: Vec<(usize, &Listed)> =
                level.iter().filter_map(|within| self.inside.get(within.as_str())).flatten().copied().collect();
            inside.sort_by_key(|(rank, _)| *rank);
            for (_, entry) in inside.into_iter().filter(|(_, entry)| entry.name.ends_with(".conf")) {
                chosen.entry(&entry.name).or_insert(entry);
            }
        }
        let readable = |entry: &Listed| match &entry.kind {
            EntryKind::Link(target) if target == "/dev/null" => None,
            _ => entry.text,
        };
        chosen.into_values().filter_map(readable).collect()
    }

    fn aliases(&self, name: &str) -> Vec<String> {
        let links = self.links.get(OsStr::new(name)).into_iter().flatten();
        let mut aliases: Vec<String> = links.filter(|link| **link != name).map(|link| (*link).to_owned()).collect();
        aliases.sort();
        aliases
    }
}

impl<'a> Unit<'a> {
    /// Returns every assignment in force of a key.
    pub(super) fn all(&self, section: &str, key: &str) -> impl Iterator<Item = (FileId, &'a Setting)> {
        self.settings.iter().filter(move |(_, setting)| setting.section == section && setting.key == key).copied()
    }

    /// Returns the assignment that wins, for a key that holds one value.
    pub(super) fn last(&self, section: &str, key: &str) -> Option<(FileId, &'a Setting)> {
        self.all(section, key).last()
    }
}

/// Returns the part after the last dot if it is a unit type.
pub(super) fn suffix(name: &str) -> Option<&str> {
    const TYPES: [&str; 11] =
        ["service", "socket", "device", "mount", "automount", "swap", "target", "path", "timer", "slice", "scope"];
    let (stem, suffix) = name.rsplit_once('.')?;
    (!stem.is_empty() && TYPES.contains(&suffix)).then_some(suffix)
}

fn is_dependency_directory(name: &str) -> bool {
    [".wants", ".requires", ".upholds"].iter().any(|end| name.ends_with(end))
}

/// `x@.service` for `x@i.service`.
pub(super) fn template(name: &str) -> Option<String> {
    let (prefix, rest) = name.split_once('@')?;
    let (instance, suffix) = rest.rsplit_once('.')?;
    (!instance.is_empty()).then(|| format!("{prefix}@.{suffix}"))
}

/// Says whether the name is a template's: it has no instance and is never started itself.
pub(super) fn is_template(name: &str) -> bool {
    name.split_once('@').is_some_and(|(_, rest)| rest.starts_with('.'))
}

/// `a-b@i.service.d`, its template, then the dash prefixes `a-@i.service.d`, `a-@.service.d`.
fn drop_in_directories(name: &str) -> Vec<String> {
    let Some((stem, suffix)) = name.rsplit_once('.') else { return Vec::new() };
    let (prefix, instance) = match stem.split_once('@') {
        Some((prefix, instance)) => (prefix, Some(instance)),
        None => (stem, None),
    };
    let mut found = Vec::new();
    let mut add = |prefix: &str| match instance {
        None => found.push(format!("{prefix}.{suffix}.d")),
        Some(instance) => {
            found.push(format!("{prefix}@{instance}.{suffix}.d"));
            if !instance.is_empty() {
                found.push(format!("{prefix}@.{suffix}.d"));
            }
        }
    };
    add(prefix);
    let mut rest = prefix.trim_end_matches('-');
    while let Some((shorter, _)) = rest.rsplit_once('-') {
        if !shorter.is_empty() {
            add(&format!("{shorter}-"));
        }
        rest = shorter;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drop_in_directories_of_a_name() {
        assert_eq!(
            drop_in_directories("a-b-c@i.service"),
            [
                "a-b-c@i.service.d",
                "a-b-c@.service.d",
                "a-b-@i.service.d",
                "a-b-@.service.d",
                "a-@i.service.d",
                "a-@.service.d",
            ]
        );
        assert_eq!(drop_in_directories("x.service"), ["x.service.d"]);
    }

    #[test]
    fn templates() {
        assert_eq!(template("x@i.service").as_deref(), Some("x@.service"));
        assert_eq!(template("x@.service"), None);
        assert!(is_template("x@.service"));
        assert!(!is_template("x@i.service"));
        assert_eq!(suffix("a.b.timer"), Some("timer"));
        assert_eq!(suffix("README.md"), None);
    }
}
