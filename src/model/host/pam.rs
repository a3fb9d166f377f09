//! Limits in limits.conf for the account of a service: pam_limits(8) sets them for sessions, and systemd opens none for
//! a service without `PAMName=`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Host;
use crate::facts::Body;
use crate::facts::host::Reader;
use crate::finding::Place;
use crate::knowledge::host::kernel;
use crate::model::unit::Manager;
use crate::syntax::directive::{Directive, Format};

/// A line of limits.conf that does not reach the services of its account.
#[derive(Clone, Debug, PartialEq)]
pub struct IgnoredLimit {
    pub account: String,
    /// `nofile`.
    pub item: &'static str,
    /// `LimitNOFILE`.
    pub setting: &'static str,
    /// As written.
    pub value: String,
    pub place: Place,
    /// Further lines of the account for the same limit.
    pub others: Vec<Place>,
    /// The services, and where each names the account.
    pub units: Vec<(String, Place)>,
    /// Whether somebody may log in to the account: then the line has a use of its own.
    pub is_login: bool,
}

const ITEMS: [(&str, &str); 2] = [("nofile", "LimitNOFILE"), ("nproc", "LimitNPROC")];

struct Line<'a> {
    account: &'a str,
    item: &'a str,
    value: &'a str,
    place: Place,
}

/// Finds the lines for accounts whose services get no such limit from their units.
pub(super) fn ignored(host: &Host<'_>) -> Vec<IgnoredLimit> {
    // What is asked for first is read for every host: only services that name an account matter.
    let mut accounts: BTreeMap<&str, Vec<&super::Service>> = BTreeMap::new();
    for service in host.services.iter().filter(|service| service.manager == Manager::SystemdSystem) {
        if let Some(user) = &service.user
            && user.text != "root"
        {
            accounts.entry(&user.text).or_default().push(service);
        }
    }
    if accounts.is_empty() {
        return Vec::new();
    }
    let lines = lines(host);
    let mut found = Vec::new();
    for (account, services) in accounts {
        if has_crontab(host, account) {
            continue;
        }
        for (item, setting) in ITEMS {
            let own: Vec<&Line<'_>> =
                lines.iter().filter(|line| line.account == account && line.item == item && raises(line)).collect();
            let Some((first, others)) = own.split_first() else { continue };
            let without = |service: &&&super::Service| !service.has(setting) && !service.has("PAMName");
            let units: Vec<(String, Place)> = services
                .iter()
                .filter(without)
                .filter_map(|service| Some((service.launch.name.clone(), service.user.as_ref()?.place)))
                .collect();
            if units.is_empty() || raised_for_all(host, setting) {
                continue;
            }
            found.push(IgnoredLimit {
                account: account.to_owned(),
                item,
                setting,
                value: first.value.to_owned(),
                place: first.place,
                others: others.iter().map(|line| line.place).collect(),
                units,
                is_login: is_login(host, account),
            });
        }
    }
    found
}

fn lines<'a>(host: &Host<'a>) -> Vec<Line<'a>> {
    let table = kernel();
    let mut files: Vec<PathBuf> = table.limits.iter().map(PathBuf::from).collect();
    let directory = Path::new(&table.limits_directory);
    files.extend(
        host.names(directory).into_iter().filter(|name| name.ends_with(".conf")).map(|name| directory.join(name)),
    );
    let mut found = Vec::new();
    for path in files.iter().filter(|path| host.exists(path)) {
        let Some((file, lines)) = host.table(path, Format::Blanks) else { continue };
        let line = |line: &'a Directive| {
            let field = |at: usize| line.fields.get(at).map(|field| field.text.as_str());
            Some(Line {
                account: field(0)?,
                item: field(2)?,
                value: field(3)?,
                place: file.span(line.key.bytes).into(),
            })
        };
        found.extend(lines.iter().filter_map(line));
    }
    found
}

/// Says whether a line gives more than a service gets without it.
fn raises(line: &Line<'_>) -> bool {
    match line.value {
        "unlimited" | "infinity" | "-1" => true,
        number => number.parse::<u64>().is_ok_and(|number| line.item != "nofile" || number > kernel().soft_files),
    }
}

/// Says whether the manager gives every service the limit.
fn raised_for_all(host: &Host<'_>, setting: &str) -> bool {
    let table = kernel();
    let mut files: Vec<PathBuf> = table.manager.iter().map(PathBuf::from).collect();
    for directory in table.manager_directories.iter().map(Path::new) {
        files.extend(host.names(directory).into_iter().map(|name| directory.join(name)));
    }
    let default = format!("Default{setting}");
    let sets = |path: &PathBuf| match host.table(path, Format::Server) {
        Some((_, lines)) => lines.iter().any(|line| line.key.text == default),
        None => host.is_file(path),
    };
    files.iter().any(sets)
}

fn has_crontab(host: &Host<'_>, account: &str) -> bool {
    host.host.directories.iter().any(|directory| match directory.reader {
        Reader::UserCrontab => directory.entries.iter().any(|entry| entry.name == account),
        Reader::SystemCrontab => directory.entries.iter().any(|entry| {
            let facts = entry.text.and_then(|file| host.facts.get(&file));
            let Some(Body::Table(lines)) = facts.map(|facts| &facts.body) else { return false };
            let runs_as = |line: &Directive| {
                let special = line.fields.first().is_some_and(|field| field.text.starts_with('@'));
                let rest = line.fields.get(if special { 1 } else { 5 });
                rest.is_some_and(|rest| rest.text.split_whitespace().next() == Some(account))
            };
            lines.iter().any(runs_as)
        }),
        _ => false,
    })
}

fn is_login(host: &Host<'_>, account: &str) -> bool {
    let Some((_, lines)) = host.table(Path::new("/etc/passwd"), Format::Colons) else { return true };
    let field = |line: &Directive, at: usize| line.fields.get(at).map(|field| field.text.clone()).unwrap_or_default();
    let shell = lines.iter().find(|line| field(line, 0) == account).map(|line| field(line, 6));
    shell.is_none_or(|shell| !kernel().no_login.iter().any(|name| shell.rsplit('/').next() == Some(name)))
}
