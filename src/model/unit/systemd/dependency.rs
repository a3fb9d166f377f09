//! Names and links that lead to no unit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::load::{Fragment, Unit, Units, suffix, template};
use crate::facts::host::Listed;
use crate::finding::Place;
use crate::knowledge::place::places;
use crate::knowledge::setting::settings;
use crate::model::unit::definition::{AbsentUnit, DeadLink, LinkKind, Relation, Scope};
use crate::model::unit::specifier::Specifiers;
use crate::model::unit::{Evidence, Manager, StartedBy, State};
use crate::source::{EntryKind, Look};
use crate::syntax::directive::words;

/// Where names are looked for.
pub(super) struct Names<'a, 'b> {
    pub units: &'b Units<'a>,
    pub evidence: &'b Evidence<'b>,
    pub manager: Manager,
}

/// What a name leads to in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Yes,
    Masked,
    /// A link of this name leads nowhere: reported there.
    Dangling,
    No,
}

/// A name in a unit that must lead to another one.
struct Wanted<'a> {
    name: String,
    place: Place,
    relation: Relation,
    unit: &'a Unit<'a>,
}

impl Names<'_, '_> {
    fn known(&self, name: &str) -> Known {
        let mut name = name.to_owned();
        for _ in 0..8 {
            match self.units.fragment(&name) {
                Fragment::File { .. } => return Known::Yes,
                Fragment::Masked => return Known::Masked,
                Fragment::Dangling(_) => return Known::Dangling,
                Fragment::Alias(other) => name = other,
                Fragment::NotFound => break,
            }
        }
        if self.is_made(&name) { Known::Yes } else { Known::No }
    }

    /// Units without a file here: mounts, devices, what generators made, scripts of System V.
    fn is_made(&self, name: &str) -> bool {
        let table = settings();
        if suffix(name).is_none_or(|suffix| table.without_file.iter().any(|without| without == suffix)) {
            return true;
        }
        let there = |path: &Path| !matches!(self.evidence.sources.look(self.evidence.root, path), Look::Absent { .. });
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let mut names = vec![name.to_owned()];
        names.extend(template(name));
        table.generated.iter().any(|directory| names.iter().any(|name| there(&Path::new(directory).join(name))))
            || there(&Path::new("/etc/init.d").join(stem))
            || there(&Path::new("/etc/rc.d/init.d").join(stem))
    }

    /// Adds the units that a unit of this host needs and that do not exist.
    pub(super) fn absent(&self, unit: &Unit<'_>, started_by: StartedBy, home: Option<&Path>) -> Vec<AbsentUnit> {
        let manager = if self.manager == Manager::SystemdSystem { "system" } else { "user" };
        let specifiers = Specifiers { manager, name: &unit.name, home, fragment: &unit.fragment.path };
        let mut wanted = triggered(unit, self.units, &specifiers).into_iter().collect::<Vec<_>>();
        for key in &settings().hard_dependencies {
            for (file, setting) in unit.all("Unit", key) {
                for word in words::plain(&setting.value) {
                    let Some(name) = specifiers.expand(&word.text.text) else { continue };
                    wanted.push(Wanted {
                        name,
                        place: file.span(word.text.file_bytes()).into(),
                        relation: Relation::Requires { key: key.clone() },
                        unit,
                    });
                }
            }
        }
        let mut found: Vec<AbsentUnit> = Vec::new();
        let mut said = BTreeSet::new();
        // A package's unit that nothing starts waits for another package: syslog.socket for a syslog daemon.
        let is_shipped = ["/usr/lib", "/lib"].iter().any(|path| unit.fragment.path.starts_with(path));
        if started_by == StartedBy::Nobody && is_shipped {
            return found;
        }
        for wanted in wanted {
            if places().has_placeholder(&wanted.name) || !self.shows(&wanted.name) {
                continue;
            }
            let masked = match self.known(&wanted.name) {
                Known::Yes | Known::Dangling => continue,
                Known::Masked => true,
                Known::No => false,
            };
            if said.insert(wanted.name.clone()) {
                found.push(wanted.absent(self.manager, masked, started_by, Scope::Host));
            }
        }
        found
    }

    /// Says whether the root could have shown a unit: it holds the directory of the packages' units. Targets that every
    /// system has come with it.
    fn shows(&self, name: &str) -> bool {
        self.units.has_vendor_directory()
            || self.evidence.is_complete() && name.ends_with(".service") && !name.starts_with("systemd-")
    }

    /// Returns the links that lead nowhere, among the entries that `own` takes.
    pub(super) fn dead_links(&self, own: &dyn Fn(&Path) -> bool) -> Vec<DeadLink> {
        let mut found = Vec::new();
        for entry in self.units.entries().filter(|entry| own(&entry.path)) {
            let EntryKind::Link(target) = &entry.kind else { continue };
            let kind = match entry.within.as_deref() {
                None => self.dead_unit(entry),
                Some(within) => self.dead_dependency(entry, within),
            };
            found.extend(kind.map(|kind| DeadLink {
                place: Place::Whole(entry.file),
                manager: self.manager,
                name: entry.name.clone(),
                target: target.to_string_lossy().into_owned(),
                kind,
            }));
        }
        found
    }

    fn dead_unit(&self, entry: &Listed) -> Option<LinkKind> {
        if entry.text.is_some() || suffix(&entry.name).is_none() {
            return None;
        }
        match self.units.fragment_of_entry(&entry.name, entry) {
            Fragment::Dangling(_) if matches!(self.evidence.state(&entry.path), State::Missing { .. }) => {
                let named = self.units.named(&entry.name);
                let hides = named.iter().find(|other| other.path != entry.path && other.text.is_some());
                // A later directory's link hides nothing that an earlier file does not hide already.
                let is_first = named.first().is_some_and(|first| first.path == entry.path);
                is_first.then(|| LinkKind::Unit { hides: hides.map(|other| other.path.clone()) })
            }
            Fragment::Alias(other) if self.shows(&other) && self.known(&other) == Known::No => Some(LinkKind::Alias),
            _ => None,
        }
    }

    fn dead_dependency(&self, entry: &Listed, within: &str) -> Option<LinkKind> {
        let (by, is_hard) = if let Some(by) = within.strip_suffix(".requires") {
            (by, true)
        } else {
            (within.strip_suffix(".wants").or_else(|| within.strip_suffix(".upholds"))?, false)
        };
        let is_template = super::is_template(&entry.name);
        if is_template || suffix(&entry.name).is_none() || !self.shows(&entry.name) {
            return None;
        }
        if self.known(&entry.name) != Known::No {
            return None;
        }
        let by = by.to_owned();
        Some(if is_hard { LinkKind::Required { by } } else { LinkKind::Wanted { by } })
    }
}

impl Wanted<'_> {
    fn absent(self, manager: Manager, masked: bool, started_by: StartedBy, scope: Scope) -> AbsentUnit {
        AbsentUnit {
            unit: self.unit.name.clone(),
            manager,
            place: self.place,
            name: self.name,
            relation: self.relation,
            masked,
            started_by,
            scope,
        }
    }
}

/// The unit that a timer, path or socket starts.
fn triggered<'a>(unit: &'a Unit<'a>, units: &Units<'_>, specifiers: &Specifiers<'_>) -> Option<Wanted<'a>> {
    let (section, key) = match suffix(&unit.name)? {
        "timer" => ("Timer", "Unit"),
        "path" => ("Path", "Unit"),
        "socket" => ("Socket", "Service"),
        _ => return None,
    };
    if let Some((file, setting)) = unit.last(section, key) {
        return Some(Wanted {
            name: specifiers.expand(setting.value.text.trim())?,
            place: file.span(setting.value.file_bytes()).into(),
            relation: Relation::Triggers { key: Some(key.to_owned()) },
            unit,
        });
    }
    let stem = unit.name.rsplit_once('.')?.0;
    let accepts = unit.last(section, "Accept").is_some_and(|(_, setting)| {
        ["1", "yes", "y", "true", "t", "on"].iter().any(|yes| setting.value.text.trim().eq_ignore_ascii_case(yes))
    });
    let name = if accepts && section == "Socket" { format!("{stem}@.service") } else { format!("{stem}.service") };
    let (file, header) = units.header(unit, section)?;
    Some(Wanted { name, place: file.span(header).into(), relation: Relation::Triggers { key: None }, unit })
}

/// What a timer, path or socket of a repository starts, if nothing in the repository bears the name. `bears` knows
/// every file name of the repository, also of what is filled in first.
pub(super) fn absent_in_repository(
    unit: &Unit<'_>,
    units: &Units<'_>,
    bears: &dyn Fn(&str) -> bool,
) -> Option<AbsentUnit> {
    let no_home: Option<&Path> = None;
    let nowhere = PathBuf::new();
    let specifiers = Specifiers { manager: "system", name: &unit.name, home: no_home, fragment: &nowhere };
    let wanted = triggered(unit, units, &specifiers)?;
    let is_service = wanted.name.ends_with(".service");
    if !is_service || places().has_placeholder(&wanted.name) || wanted.name.contains('%') {
        return None;
    }
    let known = !matches!(units.fragment(&wanted.name), Fragment::NotFound);
    let template = template(&wanted.name);
    let beside = units.entries().any(|entry| entry.within.is_none() && entry.name.ends_with(".service"));
    let elsewhere = bears(&wanted.name) || template.is_some_and(|template| bears(&template));
    // Without a service beside it, the repository may hold nothing but a change to another package's timer.
    if known || elsewhere || !beside || settings().parts.contains(&wanted.name) {
        return None;
    }
    Some(wanted.absent(Manager::SystemdSystem, false, StartedBy::Manager, Scope::Repository))
}
