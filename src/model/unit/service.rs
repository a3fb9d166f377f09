//! Services of a host as the rules on hosts ask for them: what is executed, as whom, and the settings that limit it.
//! Follows no command, and judges nothing.

use super::launch::{Filling, Launch, LaunchVariable, LaunchWord};
use super::{Accounts, Evidence, Manager, StartedBy, Written, launchd, systemd};
use crate::facts::host::HostFacts;
use crate::finding::Place;
use crate::model::resolve::FactsByFile;
use crate::syntax::Fragment;

/// A service in force: its files joined, masked ones left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    pub launch: Launch,
    pub manager: Manager,
    /// The account that the definition names.
    pub user: Option<Written>,
    /// The settings that win, by key; `None` where the text holds something that files cannot tell.
    pub settings: Vec<(String, Option<Written>)>,
    pub started_by: StartedBy,
}

/// A word of a command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// `None`: not known.
    pub text: Option<String>,
    pub place: Place,
}

impl Service {
    /// Returns the value of a setting that is written and known.
    pub fn setting(&self, key: &str) -> Option<&Written> {
        self.written(key)?.1.as_ref()
    }

    /// Says whether the setting is written, whatever its value.
    pub fn has(&self, key: &str) -> bool {
        self.written(key).is_some()
    }

    fn written(&self, key: &str) -> Option<&(String, Option<Written>)> {
        self.settings.iter().rfind(|(name, _)| name == key)
    }

    /// Returns the commands with variables filled in. The words of a text for a shell are words of their own, cut at
    /// blanks: whatever they do there, the program that is started is among them.
    pub fn commands(&self) -> Vec<Vec<Word>> {
        let words = |command: &Vec<LaunchWord>| command.iter().flat_map(|word| self.words(word)).collect();
        self.launch.commands.iter().map(words).collect()
    }

    fn words(&self, word: &LaunchWord) -> Vec<Word> {
        let place = Place::from(word.file.span(word.written.file_bytes()));
        let Some(text) = &word.text else { return vec![Word { text: None, place }] };
        if !text.contains(char::is_whitespace) {
            return vec![Word { text: self.filled(text, word.filling), place }];
        }
        let pieces = crate::syntax::directive::words::plain(&Fragment::verbatim(text, 0));
        let piece = |piece: &str| piece.trim_matches(['"', '\'', ';', '`', '(', ')']).to_owned();
        pieces
            .into_iter()
            .map(|part| Word { text: self.filled(&piece(&part.text.text), word.filling), place })
            .collect()
    }

    /// Fills in what the definition itself sets.
    fn filled(&self, text: &str, filling: Filling) -> Option<String> {
        if filling == Filling::Nothing || !text.contains('$') {
            return Some(text.to_owned());
        }
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            filled.push_str(before);
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let (name, behind) = if let Some(inner) = after.strip_prefix('{') {
                inner.split_once('}')?
            } else {
                after.split_at_checked(after.find(|letter| !is_name(letter)).unwrap_or(after.len()))?
            };
            filled.push_str(&self.variable(name)?);
            rest = behind;
        }
        filled.push_str(rest);
        Some(filled)
    }

    /// Returns what the definition sets a variable to, if nothing after it may change it.
    pub fn variable(&self, name: &str) -> Option<String> {
        let mut value = None;
        for variable in &self.launch.variables {
            match variable {
                LaunchVariable::Set { name: set, value: new, .. } if set == name => value.clone_from(new),
                LaunchVariable::Unset(unset) if unset == name => value = None,
                _ => {}
            }
        }
        value
    }
}

/// Finds the services of a host's managers.
pub fn services(host: &HostFacts, facts: &FactsByFile, evidence: &Evidence<'_>) -> Vec<Service> {
    let accounts = Accounts::of(host, facts);
    let mut found = systemd::services(host, facts, &accounts);
    found.extend(launchd::services(host, facts, evidence, &accounts));
    found
}

/// Returns an instance of the system manager that no file asks for by name: a generator starts it at boot.
pub fn instance(host: &HostFacts, facts: &FactsByFile, name: &str) -> Option<Service> {
    systemd::instance(host, facts, name)
}
