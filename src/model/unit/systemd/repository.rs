//! The unit files of a repository, directory by directory: what can be said of them without a host.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::load::{Unit, Units, suffix};
use super::value::{Layer, Origin, Text, judge};
use super::{dependency, needs, whole};
use crate::facts::Body;
use crate::facts::host::{Listed, Reader, ServiceDirectory};
use crate::knowledge::pin::pins;
use crate::model::resolve::FactsByFile;
use crate::model::unit::definition::{Definitions, Pin};
use crate::model::unit::{Accounts, Evidence, Manager};
use crate::source::{EntryKind, FileId, RootId, Sources};

/// Adds what is wrong with the unit files of a repository.
pub(in crate::model::unit) fn examine(
    root: RootId,
    facts: &FactsByFile,
    sources: &Sources,
    judged: &mut BTreeSet<FileId>,
    found: &mut Definitions,
) {
    let directories = directories(root, facts, sources);
    if directories.is_empty() {
        return;
    }
    let evidence = Evidence::of_repository(root, sources);
    let accounts = Accounts::default();
    let names: Vec<&str> = sources
        .files()
        .filter(|(_, entry)| entry.root == root)
        .filter_map(|(_, entry)| entry.name().to_str())
        .collect();
    // `x.service.j2`, Debian's `package.x.service`.
    let bears = |name: &str| {
        names.iter().any(|file| {
            file.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                || file.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'))
        })
    };
    for directory in &directories {
        for entry in &directory.entries {
            let Some(Body::Systemd(unit)) = facts.get(&entry.file).map(|facts| &facts.body) else { continue };
            let (name, layer) = match entry.within.as_deref().and_then(|within| within.strip_suffix(".d")) {
                // A type's drop-in directory: `service.d`.
                Some(of) if !of.contains('.') => (format!("x.{of}"), Layer::DropIn),
                Some(of) => (of.to_owned(), Layer::DropIn),
                None => (entry.name.clone(), Layer::Main),
            };
            if judged.insert(entry.file) {
                let text = Text { file: entry.file, facts: unit, unit: &name, layer, origin: Origin::Repository };
                judge(text, &mut found.settings);
            }
        }
        let units = Units::new(vec![directory], facts);
        for name in directory.entries.iter().filter(|entry| entry.within.is_none()).map(|entry| &entry.name) {
            let Some(unit) = units.load(name) else { continue };
            found.settings.extend(whole::refused(&unit));
            found.restarts.extend(whole::restarting(&unit, Manager::SystemdSystem));
            found.absent.extend(dependency::absent_in_repository(&unit, &units, &bears));
            found.pins.extend(pinned(&unit, &evidence, &accounts));
        }
    }
}

fn pinned(unit: &Unit<'_>, evidence: &Evidence<'_>, accounts: &Accounts) -> Vec<Pin> {
    let reading = needs::Reading::of(unit, "system", None, evidence, accounts, None);
    let (needs, _) = reading.needs();
    let pin = |need: crate::model::unit::Need| {
        Some(Pin {
            job: unit.name.clone(),
            manager: Manager::SystemdSystem,
            place: need.place,
            setting: need.setting,
            pinned: pins().find(&need.path)?,
            path: need.path,
        })
    };
    needs.into_iter().filter_map(pin).collect()
}

/// Groups the unit files of a repository as a host's directories are: drop-ins beside their units.
fn directories(root: RootId, facts: &FactsByFile, sources: &Sources) -> Vec<ServiceDirectory> {
    let mut directories: BTreeMap<PathBuf, Vec<Listed>> = BTreeMap::new();
    for (file, _) in facts.iter().filter(|(_, facts)| matches!(facts.body, Body::Systemd(_))) {
        let Some(entry) = sources.file(*file).filter(|entry| entry.root == root) else { continue };
        let parent = entry.path().parent().unwrap_or(Path::new(""));
        let name = entry.name().to_string_lossy().into_owned();
        let is_unit = suffix(&name).is_some();
        let within = parent.file_name().map(|name| name.to_string_lossy().into_owned());
        let (directory, within) = match within {
            Some(within) if !is_unit => (parent.parent().unwrap_or(Path::new("")), Some(within)),
            _ => (parent, None),
        };
        directories.entry(directory.to_path_buf()).or_default().push(Listed {
            path: Path::new("/").join(entry.path()),
            name,
            within,
            kind: EntryKind::File,
            file: *file,
            text: Some(*file),
        });
    }
    directories
        .into_iter()
        .map(|(path, entries)| ServiceDirectory {
            path: Path::new("/").join(path),
            reader: Reader::SystemdSystem,
            entries,
        })
        .collect()
}
