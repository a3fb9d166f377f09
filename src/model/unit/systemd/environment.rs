//! The variables that a unit's commands see, those of its environment files included, as far as files tell.

use std::collections::BTreeMap;
use std::path::Path;

use super::needs::Reading;
use crate::facts::{Body, FileFacts};
use crate::finding::Place;
use crate::model::resolve::FactsByFile;
use crate::model::unit::{Binding, Evidence};
use crate::syntax::Fragment;
use crate::syntax::directive::{Format, words};
use crate::syntax::shell;
use crate::{classify::Kind, source::FileId};

/// More lines than any environment file has.
const VARIABLES: usize = 500;

/// Variables with their values, and where each is set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Variables {
    pub values: BTreeMap<String, String>,
    pub places: BTreeMap<String, Place>,
}

impl Variables {
    /// Reads `Environment=`, then `EnvironmentFile=`, which wins over it wherever it stands, then `UnsetEnvironment=`
    /// (systemd.exec(5), "Environment variables in spawned processes"). Nothing is known where a file that could set
    /// anything was not read. `facts` is missing where there is no host to hold a file.
    pub(super) fn of(reading: &Reading<'_>, facts: Option<&FactsByFile>) -> Self {
        let mut variables = Self::default();
        // A PAM module wins over all of them.
        if reading.last("PAMName").is_some() {
            return variables;
        }
        for binding in reading.environment() {
            variables.bind(binding);
        }
        for (_, setting) in reading.all("EnvironmentFile") {
            let text = setting.value.text.trim().trim_start_matches('-');
            let path = reading.expand(text).filter(|path| !path.contains(['*', '?', '[']));
            let bindings = path.zip(facts).and_then(|(path, facts)| of_file(&path, facts, reading.evidence));
            let Some(bindings) = bindings else { return Self::default() };
            for binding in bindings {
                variables.bind(binding);
            }
        }
        for (_, setting) in reading.all("UnsetEnvironment") {
            for word in words::systemd(&setting.value).0 {
                let (name, value) = match word.text.text.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (word.text.text.as_str(), None),
                };
                let set = variables.values.get(name).map(String::as_str);
                if value.is_none() || value == set {
                    variables.values.remove(name);
                    variables.places.remove(name);
                }
            }
        }
        variables
    }

    fn bind(&mut self, Binding { name, value, place }: Binding) {
        if let Some(value) = value {
            self.values.insert(name.clone(), value);
            self.places.insert(name, place);
        } else {
            self.values.remove(&name);
            self.places.remove(&name);
        }
    }

    /// Returns the variables that the words of a command name and whose values are part of a path.
    pub(super) fn in_path(&self, command: &[words::Word], path: &Path) -> Vec<(String, Place)> {
        let path = path.to_string_lossy();
        let names = |name: &str| {
            let spelt = [format!("${name}"), format!("${{{name}}}")];
            command.iter().any(|word| spelt.iter().any(|spelt| word.text.text.contains(spelt.as_str())))
        };
        let part = |name: &str| self.values.get(name).is_some_and(|value| !value.is_empty() && path.contains(value));
        let found = self.places.iter().filter(|(name, _)| part(name) && names(name));
        found.map(|(name, place)| (name.clone(), *place)).collect()
    }
}

/// Returns what an environment file sets; nothing if it was not read or not understood. One that is not there may be
/// missing in a copy of the host alone: such files hold secrets.
fn of_file(path: &str, facts: &FactsByFile, evidence: &Evidence<'_>) -> Option<Vec<Binding>> {
    let path = Path::new(path);
    if !path.is_absolute() {
        // systemd leaves it out.
        return Some(Vec::new());
    }
    let file = evidence.sources.known(evidence.root, path.strip_prefix("/").unwrap_or(path))?;
    let facts = facts.get(&file).filter(|facts| facts.troubles.is_empty())?;
    bindings(facts, file)
}

fn bindings(facts: &FileFacts, file: FileId) -> Option<Vec<Binding>> {
    let mut found = Vec::new();
    let mut push = |name: &str, value: Option<String>, at: &Fragment| {
        // `export NAME=x` is no assignment here: systemd leaves it out.
        if is_name(name) {
            found.push(Binding { name: name.to_owned(), value, place: file.span(at.file_bytes()).into() });
        }
    };
    match &facts.body {
        Body::Table(lines) if facts.kind == Kind::Directive(Format::EnvironmentFile) => {
            if lines.len() > VARIABLES {
                return None;
            }
            for line in lines {
                let value = line.value.as_ref()?;
                push(&line.key.text, Some(value.text.clone()), value);
            }
        }
        // A file that a script reads as well.
        Body::Script(script) => {
            if script.list.len() > VARIABLES {
                return None;
            }
            for item in &script.list {
                let shell::Node::Command(command) = &item.node else { return None };
                if !command.words.is_empty() {
                    return None;
                }
                for assignment in &command.assignments {
                    let mut at = Fragment::default();
                    at.push("", assignment.bytes);
                    push(&assignment.name, assignment.value.as_text(), &at);
                }
            }
        }
        _ => return None,
    }
    Some(found)
}

fn is_name(name: &str) -> bool {
    let first = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    first && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
