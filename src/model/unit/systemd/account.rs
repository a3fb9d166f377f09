//! Accounts that units name and that the root does not have.

use std::collections::BTreeSet;
use std::path::Path;

use super::load::Unit;
use crate::facts::Body;
use crate::facts::host::{HostFacts, ServiceDirectory};
use crate::knowledge::place::places;
use crate::knowledge::setting::settings;
use crate::model::resolve::FactsByFile;
use crate::model::unit::definition::{AbsentAccount, AccountKind};
use crate::model::unit::specifier::Specifiers;
use crate::model::unit::{Evidence, Manager, StartedBy};
use crate::source::{EntryKind, FileId, Look};
use crate::syntax::directive::words;

/// sysusers.d(5), in order; and where accounts may stand besides passwd.
const SYSUSERS: [&str; 4] = ["/etc/sysusers.d", "/run/sysusers.d", "/usr/local/lib/sysusers.d", "/usr/lib/sysusers.d"];
const USER_RECORDS: [&str; 4] = ["/etc/userdb", "/run/userdb", "/usr/lib/userdb", "/var/lib/extrausers"];
const PACKAGES: [&str; 2] = ["/usr/lib", "/lib"];
/// Of one small table.
const LIMIT: usize = 1 << 18;

/// The names that the root's tables have; `None` where they may not be all.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Registry {
    users: Option<BTreeSet<String>>,
    groups: Option<BTreeSet<String>>,
    /// Files that packages ship: their own scripts make the accounts, which a root of unpacked packages did not run.
    shipped: BTreeSet<FileId>,
}

impl Registry {
    pub(super) fn of(host: &HostFacts, facts: &FactsByFile, evidence: &Evidence<'_>) -> Self {
        let names = |file: Option<FileId>| match file.and_then(|file| facts.get(&file)).map(|facts| &facts.body) {
            Some(Body::Table(lines)) if !lines.is_empty() => {
                Some(lines.iter().filter_map(|line| Some(line.fields.first()?.text.clone())).collect::<BTreeSet<_>>())
            }
            _ => None,
        };
        let mut registry = Self { users: names(host.passwd), groups: names(host.group), shipped: shipped(host) };
        let look = |path: &str| evidence.sources.look(evidence.root, Path::new(path));
        let elsewhere = USER_RECORDS.iter().any(|path| !matches!(look(path), Look::Absent { .. }));
        let sources = account_sources(evidence);
        if elsewhere || !sources.users {
            registry.users = None;
        }
        if elsewhere || !sources.groups {
            registry.groups = None;
        }
        registry.add_sysusers(evidence);
        registry
    }

    fn add_sysusers(&mut self, evidence: &Evidence<'_>) {
        for directory in SYSUSERS {
            let Ok(entries) = evidence.sources.list(evidence.root, Path::new(directory)) else {
                *self = Self::default();
                return;
            };
            for entry in entries.iter().filter(|entry| entry.name().to_string_lossy().ends_with(".conf")) {
                let path = Path::new("/").join(entry.path());
                let bytes = evidence.sources.head(evidence.root, &path, LIMIT).unwrap_or_default();
                for line in String::from_utf8_lossy(&bytes).lines() {
                    let mut fields = line.split_whitespace();
                    let (Some(kind), Some(name)) = (fields.next(), fields.next()) else { continue };
                    let name = name.trim_matches('"').to_owned();
                    if kind.starts_with('u') {
                        self.users.iter_mut().for_each(|users| _ = users.insert(name.clone()));
                    }
                    // A user has a group of its name; `m` makes both.
                    if kind.starts_with(['u', 'g']) {
                        self.groups.iter_mut().for_each(|groups| _ = groups.insert(name.clone()));
                    } else if kind.starts_with('m') {
                        self.users.iter_mut().for_each(|users| _ = users.insert(name.clone()));
                        let group = fields.next().unwrap_or_default().to_owned();
                        self.groups.iter_mut().for_each(|groups| _ = groups.insert(group.clone()));
                    }
                }
            }
        }
    }

    /// Returns the accounts of a unit that do not exist.
    pub(super) fn absent(&self, unit: &Unit<'_>, section: &str, started_by: StartedBy) -> Vec<AbsentAccount> {
        let is_dynamic = unit.last(section, "DynamicUser").is_some_and(|(_, setting)| {
            !["0", "no", "n", "false", "f", "off"].contains(&setting.value.text.trim().to_ascii_lowercase().as_str())
        });
        if is_dynamic || unit.last(section, "RootImage").is_some() || unit.last(section, "RootDirectory").is_some() {
            return Vec::new();
        }
        let specifiers = Specifiers { manager: "system", name: &unit.name, home: None, fragment: &unit.fragment.path };
        let mut found = Vec::new();
        for (keys, kind, known) in [
            (&settings().users, AccountKind::User, &self.users),
            (&settings().groups, AccountKind::Group, &self.groups),
        ] {
            let Some(known) = known else { continue };
            for key in keys {
                let all: Vec<_> = unit.all(section, key).collect();
                // Of a list all count, of the others the last.
                let first = if key == "SupplementaryGroups" { 0 } else { all.len().saturating_sub(1) };
                for (file, setting) in all.into_iter().skip(first).filter(|(file, _)| !self.shipped.contains(file)) {
                    for word in words::plain(&setting.value) {
                        let Some(name) = specifiers.expand(&word.text.text) else { continue };
                        let is_name = !name.is_empty() && !name.chars().all(|letter| letter.is_ascii_digit());
                        if !is_name || known.contains(&name) || places().has_placeholder(&name) {
                            continue;
                        }
                        found.push(AbsentAccount {
                            unit: unit.name.clone(),
                            manager: Manager::SystemdSystem,
                            place: file.span(word.text.file_bytes()).into(),
                            key: key.clone(),
                            name,
                            kind,
                            started_by,
                        });
                    }
                }
            }
        }
        found
    }
}

fn shipped(host: &HostFacts) -> BTreeSet<FileId> {
    let of_packages = |directory: &&ServiceDirectory| PACKAGES.iter().any(|path| directory.path.starts_with(path));
    let entries = host.directories.iter().filter(of_packages).flat_map(|directory| &directory.entries);
    entries.filter(|entry| entry.kind == EntryKind::File).filter_map(|entry| entry.text).collect()
}

/// Whether passwd and group are all that is asked, by nsswitch.conf.
struct AccountSources {
    users: bool,
    groups: bool,
}

fn account_sources(evidence: &Evidence<'_>) -> AccountSources {
    let mut sources = AccountSources { users: true, groups: true };
    let mut read = |path: &str| {
        let Some(bytes) = evidence.sources.head(evidence.root, Path::new(path), LIMIT) else { return false };
        for line in String::from_utf8_lossy(&bytes).lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((database, names)) = line.split_once(':') else { continue };
            let mut names = names.split_whitespace().filter(|name| !name.starts_with('['));
            let closed = names.all(|name| settings().account_sources.iter().any(|source| source == name));
            match database.trim() {
                "passwd" => sources.users = closed,
                "group" => sources.groups = closed,
                _ => {}
            }
        }
        true
    };
    if !read("/etc/nsswitch.conf") {
        read("/usr/lib/nsswitch.conf");
    }
    // altfiles reads a second pair of tables beside the libraries.
    let alternative = ["/usr/lib/passwd", "/lib/passwd"];
    if alternative
        .iter()
        .any(|path| !matches!(evidence.sources.look(evidence.root, Path::new(path)), Look::Absent { .. }))
    {
        sources = AccountSources { users: false, groups: false };
    }
    sources
}
