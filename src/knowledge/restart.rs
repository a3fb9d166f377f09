//! `rules/pool/restarts.toml`: how scripts restart a server, and whether it gets a new environment by that.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// Returns what is known of restarts.
pub fn restarts() -> &'static Restarts {
    static TABLE: LazyLock<Restarts> = LazyLock::new(|| super::read(include_str!("../../rules/pool/restarts.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restarts {
    #[serde(rename = "command")]
    pub commands: Vec<Command>,
    #[serde(rename = "signal")]
    pub signals: Vec<Signal>,
    #[serde(rename = "touch")]
    pub touches: Vec<Touch>,
    #[serde(rename = "manager")]
    pub managers: Vec<Manager>,
    pub words: Words,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Programs that send signals.
    pub senders: Vec<String>,
    /// Programs that give a file a new time.
    pub touchers: Vec<String>,
}

/// A program that makes another one restart itself in its old environment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Kinds of processes.
    pub kinds: Vec<String>,
    pub program: String,
    /// The argument, and what it brings about.
    pub ways: BTreeMap<String, String>,
}

/// A signal that does so.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signal {
    pub kinds: Vec<String>,
    /// What must stand in the command that sends it.
    pub named: String,
    /// The signal without `SIG`, and what it brings about.
    pub ways: BTreeMap<String, String>,
}

/// A file whose new time does so.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Touch {
    pub kinds: Vec<String>,
    pub file: String,
    /// The plugin of the program that looks at the file.
    pub plugin: String,
    pub way: String,
}

/// The command of a service manager.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Manager {
    pub program: String,
    /// Verbs after which what is named runs in a new environment, or not at all.
    pub anew: Vec<String>,
    /// Verbs after which it runs as it did before, having reloaded what it likes.
    pub within: Vec<String>,
    /// Verbs that send a signal.
    pub signals: Vec<String>,
    /// Words that stand for all services.
    pub everything: Vec<String>,
    /// The names stand before the verb.
    pub verb_last: bool,
    /// The program's name is a word that many scripts hold.
    pub common: bool,
}

impl Restarts {
    /// Returns words of which one stands in every script that restarts something.
    pub fn needles(&self) -> impl Iterator<Item = &str> {
        let commands = self.commands.iter().map(|row| row.program.as_str());
        let signals = self.signals.iter().map(|row| row.named.as_str());
        let touches = self.touches.iter().map(|row| row.file.as_str());
        let managers = self.managers.iter().filter(|row| !row.common).map(|row| row.program.as_str());
        commands.chain(signals).chain(touches).chain(managers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_type() {
        toml::from_str::<Restarts>(include_str!("../../rules/pool/restarts.toml")).unwrap();
    }
}
