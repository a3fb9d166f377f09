//! The services of a host's system manager: what they execute, as whom, and with which limits.

use super::load::{Unit, Units, is_template, suffix};
use super::{Scope, named_by_others};
use crate::facts::host::{HostFacts, Reader};
use crate::model::resolve::FactsByFile;
use crate::model::unit::launch;
use crate::model::unit::specifier::Specifiers;
use crate::model::unit::{Accounts, Manager, Service, StartedBy, Written};

const SYSTEM: Scope = Scope { manager: Manager::SystemdSystem, home: None };

/// Finds every service that some directory defines.
pub(in crate::model::unit) fn services(host: &HostFacts, facts: &FactsByFile, accounts: &Accounts) -> Vec<Service> {
    let units = units(host, facts);
    let names = units.names();
    let loaded: Vec<Unit<'_>> =
        names.iter().filter(|name| !is_template(name)).filter_map(|name| units.load(name)).collect();
    let named = named_by_others(&loaded);
    let mut found = Vec::new();
    for unit in loaded.iter().filter(|unit| suffix(&unit.name) == Some("service")) {
        let started_by = if units.is_linked_in(&unit.name) {
            StartedBy::Manager
        } else if named.contains(unit.name.as_str()) {
            StartedBy::Another
        } else {
            StartedBy::Nobody
        };
        found.push(service(unit, accounts, started_by));
    }
    found
}

/// Returns an instance that no link asks for: a generator makes it at boot.
pub(in crate::model::unit) fn instance(host: &HostFacts, facts: &FactsByFile, name: &str) -> Option<Service> {
    let units = units(host, facts);
    Some(service(&units.load(name)?, &Accounts::of(host, facts), StartedBy::Manager))
}

fn units<'a>(host: &'a HostFacts, facts: &'a FactsByFile) -> Units<'a> {
    let directories = host.directories.iter().filter(|directory| directory.reader == Reader::SystemdSystem);
    Units::new(directories.collect(), facts)
}

fn service(unit: &Unit<'_>, accounts: &Accounts, started_by: StartedBy) -> Service {
    let specifiers = Specifiers { manager: SYSTEM.key(), name: &unit.name, home: None, fragment: &unit.fragment.path };
    let written = |key: &str| {
        let (file, setting) = unit.last("Service", key)?;
        let place = file.span(setting.value.file_bytes()).into();
        Some(specifiers.expand(setting.value.text.trim()).map(|text| Written { text, place }))
    };
    let user = written("User").flatten();
    let home = user.as_ref().and_then(|user| accounts.home(&user.text));
    let file = unit.fragment.text.unwrap_or(unit.fragment.file);
    let mut settings: Vec<(String, Option<Written>)> = Vec::new();
    for (_, setting) in unit.settings.iter().filter(|(_, setting)| setting.section == "Service") {
        let limits =
            setting.key.starts_with("Limit") || matches!(setting.key.as_str(), "TasksMax" | "PAMName" | "User");
        if limits && !settings.iter().any(|(key, _)| *key == setting.key) {
            settings.push((setting.key.clone(), written(&setting.key).flatten()));
        }
    }
    Service {
        launch: launch::of_systemd(file, &unit.settings, &specifiers, home),
        manager: Manager::SystemdSystem,
        user,
        settings,
        started_by,
    }
}
