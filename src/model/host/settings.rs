//! The settings of a service's files as one flat list in the order in which they come into force.
//!
//! Includes of option files are followed where they stand: a line after an include wins over what was included.

use std::path::{Path, PathBuf};

use super::Host;
use crate::classify::Kind;
use crate::facts::Body;
use crate::facts::value::{Value, ValueKind};
use crate::finding::Place;
use crate::knowledge::host::{Form, Service};
use crate::source::FileId;
use crate::syntax::{data, directive};

/// Includes inside includes.
const DEPTH: usize = 8;
/// Settings of one service at most.
const SETTINGS: usize = 20_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Settings {
    entries: Vec<Entry>,
    /// A file is named that was not read, so that a key which is not here may be set all the same.
    pub(super) incomplete: bool,
}

/// `key = text` and where the text stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub key: String,
    /// `None`: something fills it in when the program starts.
    pub text: Option<String>,
    pub place: Place,
}

impl Entry {
    pub(super) fn number(&self) -> Option<u64> {
        self.text.as_ref()?.parse().ok()
    }
}

impl Settings {
    /// Returns the entry that wins.
    pub(super) fn last(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().rfind(|entry| entry.key == key)
    }

    pub(super) fn all<'s>(&'s self, key: &'s str) -> impl Iterator<Item = &'s Entry> {
        self.entries.iter().filter(move |entry| entry.key == key)
    }

    pub(super) fn push(&mut self, key: &str, text: Option<String>, place: Place) {
        if self.entries.len() < SETTINGS {
            self.entries.push(Entry { key: key.to_owned(), text, place });
        } else {
            self.incomplete = true;
        }
    }

    /// Appends what comes into force later.
    pub(super) fn add(&mut self, later: Self) {
        self.entries.extend(later.entries);
        self.incomplete |= later.incomplete;
    }

    /// Reads a file of a service.
    pub(super) fn read(&mut self, host: &Host<'_>, row: &Service, path: &Path) {
        match row.form {
            Form::Document => self.document(host, path),
            Form::Nginx => self.lines(host, row, path, directive::Format::Nginx, DEPTH),
            Form::Options | Form::Lines => self.lines(host, row, path, directive::Format::Server, DEPTH),
        }
    }

    fn document(&mut self, host: &Host<'_>, path: &Path) {
        let json = path.extension().is_some_and(|extension| extension == "json");
        let format = if json { data::Format::Jsonc } else { data::Format::Yaml };
        match host.read(path, Kind::Data(format)) {
            Some(facts) => {
                if let Body::Config(value) = &facts.body {
                    self.flatten("", value);
                }
                self.incomplete |= !facts.troubles.is_empty();
            }
            None => self.incomplete = true,
        }
    }

    /// Nested keys are joined by dots; the items of a list stand under its key.
    fn flatten(&mut self, path: &str, value: &Value) {
        let scalar = match &value.kind {
            ValueKind::Object(pairs) => {
                for pair in pairs {
                    let Some(key) = &pair.key else { continue };
                    let joined = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    self.flatten(&joined, &pair.value);
                }
                return;
            }
            ValueKind::List(items) => {
                items.iter().for_each(|item| self.flatten(path, item));
                return;
            }
            ValueKind::Text(text) | ValueKind::Number(text) => Some(text.clone()).filter(|text| !text.contains("${")),
            ValueKind::Boolean(value) => Some(value.to_string()),
            ValueKind::Null => return,
            _ => None,
        };
        self.push(path, scalar, value.span.into());
    }

    fn lines(&mut self, host: &Host<'_>, row: &Service, path: &Path, format: directive::Format, depth: usize) {
        let (Some((file, lines)), Some(depth)) = (host.table(path, format), depth.checked_sub(1)) else {
            self.incomplete = true;
            return;
        };
        for line in lines {
            let text = line.value.as_ref().map(|value| value.text.trim_matches('"')).unwrap_or_default();
            if let Some(include) = include(&line.key.text) {
                for path in included(host, path, include, text) {
                    self.lines(host, row, &path, format, depth);
                }
                continue;
            }
            let key = match row.form {
                Form::Options => {
                    let section = line.section_name().unwrap_or_default();
                    // `[mysqld-8.0]`, `[mariadb-10.11]` and `[server]` are read by the servers of those versions.
                    let name = section.split_once('-').map_or(section, |(name, _)| name);
                    if !row.sections.iter().any(|known| known == name) {
                        continue;
                    }
                    let key = line.key.text.to_ascii_lowercase().replace('-', "_");
                    key.strip_prefix("loose_").map(str::to_owned).unwrap_or(key)
                }
                Form::Nginx => match line.section_name() {
                    Some(section) => {
                        format!("{}.{}", section.split_once('@').map_or(section, |(name, _)| name), line.key.text)
                    }
                    None => line.key.text.clone(),
                },
                Form::Lines | Form::Document => line.key.text.to_ascii_lowercase(),
            };
            let (text, place) = match (&line.value, line.fields.first()) {
                (None, Some(field)) => (field.text.as_str(), place(file, field.file_bytes())),
                (Some(value), _) => (text, place(file, value.file_bytes())),
                (None, None) => (text, place(file, line.key.bytes)),
            };
            self.push(&key, Some(text.to_owned()), place);
        }
    }
}

fn place(file: FileId, bytes: crate::source::Bytes) -> Place {
    file.span(bytes).into()
}

/// What an include names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Include {
    /// A file, or a pattern of files.
    File,
    Directory {
        ends: &'static [&'static str],
    },
}

/// `!include`, `!includedir` of MySQL (files that end in .cnf); `include`, `include_if_exists`, `include_dir` of
/// PostgreSQL (files that end in .conf); `include` of Redis.
fn include(key: &str) -> Option<Include> {
    Some(match key {
        "!include" | "include" | "include_if_exists" => Include::File,
        "!includedir" => Include::Directory { ends: &[".cnf", ".ini"] },
        "include_dir" => Include::Directory { ends: &[".conf"] },
        _ => return None,
    })
}

fn included(host: &Host<'_>, from: &Path, include: Include, text: &str) -> Vec<PathBuf> {
    let here = from.parent().unwrap_or(Path::new("/"));
    let path = here.join(text.trim());
    match include {
        Include::Directory { ends } => host
            .names(&path)
            .into_iter()
            .filter(|name| !name.starts_with('.') && ends.iter().any(|end| name.ends_with(end)))
            .map(|name| path.join(name))
            .collect(),
        Include::File if text.contains(['*', '?']) => {
            let (Some(directory), Some(pattern)) = (path.parent(), path.file_name()) else { return Vec::new() };
            let pattern = pattern.to_string_lossy();
            let (start, end) = pattern.split_once('*').unwrap_or((&pattern, ""));
            let names = host.names(directory).into_iter();
            names
                .filter(|name| name.starts_with(start) && name.ends_with(end) && name.len() >= start.len() + end.len())
                .map(|name| directory.join(name))
                .collect()
        }
        Include::File => vec![path],
    }
}
