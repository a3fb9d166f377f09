//! Services of a host with their settings, and the directories in which they keep their data.

use std::path::{Path, PathBuf};

use super::Host;
use super::settings::Settings;
use crate::finding::Place;
use crate::knowledge::host::{Clusters, Form, Reads, Service as Row, services};
use crate::model::unit::{Service, Word, instance};
use crate::source::{EntryKind, Look};
use crate::syntax::directive::Format;

/// Clusters of one service at most.
const CLUSTERS: usize = 100;

/// A service that runs, its settings, and where its data lies.
pub(super) struct Store {
    pub row: &'static Row,
    pub service: Service,
    pub settings: Settings,
    /// The program that is executed.
    pub program: String,
    /// The account that the data is used by; `None`: not known.
    pub account: Option<String>,
    pub directories: Vec<Directory>,
}

/// A directory with data.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Directory {
    /// As declared, absolute.
    pub written: PathBuf,
    /// Links followed, where it is there.
    pub real: PathBuf,
    pub place: Place,
}

/// Finds the services of the table that some manager of the host starts.
pub(super) fn stores(host: &Host<'_>) -> Vec<Store> {
    let mut stores = Vec::new();
    for row in &services().services {
        let begins = |service: &Service, with: &Option<String>| {
            with.as_ref().is_some_and(|with| service.launch.name.starts_with(with.as_str()))
        };
        let mut running = host.running(&row.programs);
        running.retain(|(service, ..)| !begins(service, &row.unless_unit));
        let shared = host.running(&row.shared_programs).into_iter();
        running.extend(shared.filter(|(service, ..)| begins(service, &row.unit)));
        for (service, command, at) in running {
            let words = command.get(at..).unwrap_or_default();
            stores.push(store(host, row, service.clone(), words, None));
        }
        if let Some(clusters) = &row.clusters {
            stores.extend(self::clusters(host, row, clusters));
        }
    }
    stores
}

/// Debian's instances: `/etc/postgresql/16/main/postgresql.conf`, started as `postgresql@16-main.service`
/// (postgresql-common, systemd/postgresql-generator).
fn clusters(host: &Host<'_>, row: &'static Row, clusters: &Clusters) -> Vec<Store> {
    let behind = |service: &Service| service.launch.name == clusters.behind;
    let mut found = Vec::new();
    // A unit of that name with a command of its own starts no instances.
    let starts_others = |service: &Service| {
        let words = service.commands();
        words.iter().flatten().all(|word| word.text.as_deref().is_some_and(|text| text.ends_with("/true")))
    };
    if !host.services.iter().any(|service| behind(service) && starts_others(service)) {
        return found;
    }
    let directory = Path::new(&clusters.directory);
    for version in host.names(directory) {
        for name in host.names(&directory.join(&version)) {
            let here = directory.join(&version).join(&name);
            let file = here.join(&clusters.file);
            if found.len() == CLUSTERS || !host.exists(&file) || !is_started(host, &here.join(&clusters.start)) {
                continue;
            }
            let unit = clusters.unit.replace("{version}", &version).replace("{name}", &name);
            let Some(service) = instance(host.host, host.facts, &unit) else { continue };
            found.push(store(host, row, service, &[], Some(&file)));
        }
    }
    found
}

/// The first word of the file: `auto`, `manual`, `disabled`; a cluster without the file starts.
fn is_started(host: &Host<'_>, path: &Path) -> bool {
    if !host.exists(path) {
        return true;
    }
    let Some((_, lines)) = host.table(path, Format::Blanks) else { return false };
    let word = lines.iter().find_map(|line| line.fields.first());
    word.is_none_or(|word| word.text == "auto")
}

fn store(host: &Host<'_>, row: &'static Row, service: Service, words: &[Word], file: Option<&Path>) -> Store {
    let program = words.first().and_then(|word| word.text.clone()).unwrap_or_default();
    let mut settings = Settings::default();
    let mut files: Vec<PathBuf> = file.map(Path::to_path_buf).into_iter().collect();
    let mut told = Settings::default();
    let mut positional = row.positional;
    let mut rest = words.iter().skip(1).peekable();
    while let Some(word) = rest.next() {
        let Some(text) = word.text.as_deref() else { continue };
        // The end of what a shell is told to start.
        if matches!(text, "&&" | "||" | ";" | "|" | "&") {
            break;
        }
        let (flag, value) = match text.split_once('=') {
            Some((flag, value)) if flag.starts_with('-') => (flag, Some(value.to_owned())),
            _ => (text, None),
        };
        let mut value = || value.clone().or_else(|| rest.peek().and_then(|next| next.text.clone()));
        if row.file_flags.iter().any(|known| known == flag) {
            files.extend(value().map(|path| PathBuf::from(path.trim_matches('"'))));
        } else if row.data_flags.iter().any(|known| known == flag) {
            let key = row.data.first().map_or("", String::as_str);
            told.push(key, value(), word.place);
        } else if row.setting_flag.as_deref() == Some(flag) {
            if let Some((key, value)) = value().as_deref().and_then(|value| value.split_once('=')) {
                if key == "config_file" {
                    files.push(PathBuf::from(value));
                } else {
                    told.push(key, Some(value.to_owned()), word.place);
                }
            }
        } else if let Some(key) = text.strip_prefix("--") {
            // `--datadir=/srv/mysql`, `--maxclients 500`.
            let (key, value) = key.split_once('=').map_or((key, None), |(key, value)| (key, Some(value.to_owned())));
            let value = value.or_else(|| rest.peek().and_then(|next| next.text.clone()));
            told.push(&key.replace('-', spelling(row)), value, word.place);
        } else if positional && text.starts_with('/') {
            files.push(PathBuf::from(text));
            positional = false;
        }
    }
    if let Some(beside) = row.beside.as_ref().filter(|_| files.is_empty()) {
        files.extend(Path::new(&program).parent().map(|directory| directory.join(beside)));
    }
    if files.is_empty() {
        let mut there = row.files.iter().map(PathBuf::from).filter(|path| host.exists(path));
        match row.reads {
            Reads::All => files.extend(there),
            Reads::First => files.extend(there.next()),
        }
    }
    for file in &files {
        settings.read(host, row, file);
    }
    variables(row, &service, &mut settings);
    settings.add(told);
    if let Some(inside) = &row.in_data
        && files.is_empty()
        && let Some(data) = row.data.first().and_then(|key| settings.last(key)).and_then(|entry| entry.text.clone())
    {
        // What the files say of the data directory itself counts for less than what the command says.
        let file = Path::new(&data).join(inside);
        let mut whole = Settings::default();
        whole.read(host, row, &file);
        whole.add(settings);
        settings = whole;
    }
    let account = account(row, &service, &settings);
    let directories = directories(host, row, &service, &settings, &program);
    Store { row, service, settings, program, account, directories }
}

/// How the words of a key are joined.
fn spelling(row: &Row) -> &'static str {
    if matches!(row.form, Form::Options) || row.setting_flag.is_some() { "_" } else { "-" }
}

fn variables(row: &Row, service: &Service, settings: &mut Settings) {
    let place = Place::Whole(service.launch.file);
    for (variable, key) in &row.variables {
        if let Some(value) = service.variable(variable) {
            settings.push(key, Some(value), place);
        }
    }
    for key in row.variable_prefix.iter().flat_map(|prefix| row.data.iter().map(move |key| (prefix, key))) {
        if let Some(value) = service.variable(&format!("{}{}", key.0, key.1)) {
            settings.push(key.1, Some(value), place);
        }
    }
}

/// Returns who uses the data: the unit's account, or who the program becomes when it is started as root.
fn account(row: &Row, service: &Service, settings: &Settings) -> Option<String> {
    if service.has("User") {
        return service.user.as_ref().map(|user| user.text.clone());
    }
    let said = row.account_key.as_ref().and_then(|key| settings.last(key)).map(|entry| entry.text.clone());
    match (said, &row.account) {
        (Some(said), _) => said,
        (None, Some(account)) => Some(account.clone()),
        (None, None) => Some("root".to_owned()),
    }
}

fn directories(host: &Host<'_>, row: &Row, service: &Service, settings: &Settings, program: &str) -> Vec<Directory> {
    let kept_nowhere = row.unless.iter().any(|all| {
        all.iter().all(|(key, value)| {
            settings.last(key).and_then(|entry| entry.text.as_deref()).unwrap_or("no").trim_matches('"') == value
        })
    });
    if kept_nowhere {
        return Vec::new();
    }
    let here = match row.beside {
        Some(_) => Path::new(program).parent().map(Path::to_path_buf),
        None => service.launch.directory.clone(),
    };
    let mut found: Vec<Directory> = Vec::new();
    let mut add = |path: &Path, place: Place| {
        let real = match host.sources.look(host.root, path) {
            Look::Present(present) if present.kind == EntryKind::Directory => present.real,
            Look::Present(_) => return,
            _ => path.to_path_buf(),
        };
        // A log directory inside the data directory is the same fault.
        if !found.iter().any(|known| real.starts_with(&known.real)) {
            found.push(Directory { written: path.to_path_buf(), real, place });
        }
    };
    for key in &row.data {
        // Of a list every item counts, of repeated lines the last.
        let listed = row.form == Form::Document;
        let entries: Vec<_> =
            if listed { settings.all(key).collect() } else { settings.last(key).into_iter().collect() };
        for entry in entries {
            let Some(text) = entry.text.as_deref().map(|text| text.trim_matches('"')) else { continue };
            let path = match &here {
                _ if Path::new(text).is_absolute() => PathBuf::from(text),
                Some(here) => here.join(text),
                None => continue,
            };
            if !text.is_empty() && path != Path::new("/") {
                add(&path, entry.place);
            }
        }
    }
    let unsaid = row.data.first().is_some_and(|key| settings.last(key).is_none());
    if let Some(default) = row.default.as_ref().map(Path::new).filter(|_| unsaid && !settings.incomplete)
        && host.exists(default)
    {
        add(default, Place::Whole(service.launch.file));
    }
    found
}
