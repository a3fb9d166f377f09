//! `rules/unit/settings.toml`: the keys of systemd's sections and the words that they take.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

/// Returns what systemd takes in a unit file.
pub fn settings() -> &'static Settings {
    static TABLE: LazyLock<Settings> = LazyLock::new(|| super::read(include_str!("../../rules/unit/settings.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Letters that may stand after `%`.
    pub specifiers: String,
    /// Keys whose value is a command line.
    pub commands: BTreeSet<String>,
    pub hard_dependencies: Vec<String>,
    /// Names that any of several packages may take.
    pub parts: Vec<String>,
    /// Types of units that need no file.
    pub without_file: Vec<String>,
    /// Keys that name a user.
    pub users: Vec<String>,
    /// Keys that name groups.
    pub groups: Vec<String>,
    /// Values of `Restart=` that `Type=oneshot` refuses.
    pub not_with_oneshot: Vec<String>,
    /// Directories of units that are made at boot.
    pub generated: Vec<String>,
    /// Sources of nsswitch.conf that stand in files.
    pub account_sources: Vec<String>,
    /// Words for yes and no, in lower case.
    pub booleans: Vec<String>,
    pub yes_or_no: BTreeSet<String>,
    pub times: BTreeSet<String>,
    #[serde(rename = "context")]
    pub contexts: Vec<Context>,
    #[serde(rename = "section")]
    pub sections: Vec<Section>,
    #[serde(rename = "word")]
    pub words: Vec<Words>,
}

/// Keys that several sections share.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Context {
    pub name: String,
    pub keys: BTreeSet<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    pub name: String,
    /// The type of unit that has it; every type if there is none.
    #[serde(rename = "type")]
    pub of_type: Option<String>,
    #[serde(default)]
    pub contexts: Vec<String>,
    pub keys: BTreeSet<String>,
}

/// The words that a setting takes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Words {
    pub keys: Vec<String>,
    /// Only in this section.
    pub section: Option<String>,
    pub words: Vec<String>,
    /// No version knows another word.
    #[serde(default)]
    pub closed: bool,
    #[serde(default)]
    pub yes_or_no: bool,
    /// What is in force where a word is dropped.
    pub otherwise: Option<String>,
}

impl Settings {
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// Says whether a section has a key.
    pub fn has(&self, section: &Section, key: &str) -> bool {
        section.keys.contains(key)
            || self
                .contexts
                .iter()
                .any(|context| section.contexts.contains(&context.name) && context.keys.contains(key))
    }

    /// Returns the keys of a section.
    pub fn keys<'a>(&'a self, section: &'a Section) -> impl Iterator<Item = &'a str> + Clone {
        let shared = self.contexts.iter().filter(|context| section.contexts.contains(&context.name));
        section.keys.iter().chain(shared.flat_map(|context| &context.keys)).map(String::as_str)
    }

    /// Returns the words that a key takes.
    pub fn words(&self, section: &str, key: &str) -> Option<&Words> {
        self.words.iter().find(|row| {
            row.keys.iter().any(|name| name == key) && row.section.as_deref().is_none_or(|name| name == section)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_type() {
        let table = toml::from_str::<Settings>(include_str!("../../rules/unit/settings.toml")).unwrap();
        for section in &table.sections {
            for context in &section.contexts {
                assert!(table.contexts.iter().any(|known| known.name == *context), "{context}");
            }
        }
        let service = table.section("Service").unwrap();
        assert!(table.has(service, "Restart") && table.has(service, "PrivateTmp") && table.has(service, "KillMode"));
        assert!(!table.has(service, "StartLimitIntervalSec"));
    }
}
