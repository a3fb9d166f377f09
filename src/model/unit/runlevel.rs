//! Links of run levels that lead to no script.
//!
//! Nearly every script of /etc/init.d tests for its program and ends without a word where it is gone, so a script says
//! nothing here.

use super::definition::{DeadLink, LinkKind};
use super::{Evidence, Manager, State};
use crate::facts::host::{HostFacts, Listed, Reader, ServiceDirectory};
use crate::finding::Place;
use crate::source::EntryKind;

/// Finds the links that should start something and lead nowhere.
pub(super) fn dead_links(host: &HostFacts, evidence: &Evidence<'_>) -> Vec<DeadLink> {
    let mut found: Vec<DeadLink> = Vec::new();
    for directory in &host.directories {
        let Reader::RunLevel(level) = &directory.reader else { continue };
        for listed in &directory.entries {
            let EntryKind::Link(target) = &listed.kind else { continue };
            let State::Missing { dangling: Some(_), .. } = evidence.state(&listed.path) else { continue };
            let Some(name) = script(listed).filter(|name| !has_unit(name, &host.directories)) else { continue };
            // One script is one fault, whatever the number of levels.
            if found.iter().any(|link| link.name == name) {
                continue;
            }
            found.push(DeadLink {
                place: Place::Whole(listed.file),
                manager: Manager::RunLevels,
                name: name.to_owned(),
                target: target.to_string_lossy().into_owned(),
                kind: LinkKind::RunLevel { level: level.clone() },
            });
        }
    }
    found
}

/// `S20relay` starts `relay`.
fn script(listed: &Listed) -> Option<&str> {
    let rest = listed.name.strip_prefix('S')?;
    let name = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let name = name.strip_suffix(".sh").unwrap_or(name);
    (name.len() < rest.len() && !name.is_empty()).then_some(name)
}

/// A unit of the same name starts it instead, systemd-sysv-generator(8).
fn has_unit(name: &str, directories: &[ServiceDirectory]) -> bool {
    let unit = format!("{name}.service");
    let of_systemd = directories.iter().filter(|directory| directory.reader == Reader::SystemdSystem);
    of_systemd.flat_map(|directory| &directory.entries).any(|entry| entry.within.is_none() && entry.name == unit)
}
