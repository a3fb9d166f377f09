//! `rules/pool/ruby.toml`: what configuration in Ruby asks about its process, and which answers there are.

use std::sync::LazyLock;

use serde::Deserialize;

/// Returns what is known of the questions.
pub fn ruby() -> &'static Ruby {
    static TABLE: LazyLock<Ruby> = LazyLock::new(|| super::read(include_str!("../../rules/pool/ruby.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ruby {
    #[serde(rename = "ask")]
    pub asks: Vec<Ask>,
    #[serde(rename = "defined")]
    pub constants: Vec<Constants>,
    pub words: Words,
}

/// A question, in its spellings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// `A.b`, `A[:b]`, `A.b(:c)`, `defined?(A)`, `$0`.
    pub spellings: Vec<String>,
    pub answer: Answer,
    #[serde(default)]
    pub kinds: Vec<String>,
    #[serde(default)]
    pub value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// Whether the process is of one of the kinds.
    Kind,
    /// The process's own number of threads.
    Threads,
    /// The name of the application's environment.
    Stage,
    /// The name of the running program.
    Program,
    Processors,
    Yes,
    No,
    Text,
}

/// Constants that exist in processes of some kinds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constants {
    pub names: Vec<String>,
    pub kinds: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    pub local: Vec<String>,
    pub unseen: Vec<String>,
    pub ambient: Vec<String>,
}

impl Ruby {
    pub fn ask(&self, spelling: &str) -> Option<&Ask> {
        self.asks.iter().find(|row| row.spellings.iter().any(|known| known == spelling))
    }

    /// Says whether a constant exists in a process of this kind; nothing if it may.
    pub fn exists(&self, constant: &str, kind: &str) -> Option<bool> {
        let row = self.constants.iter().find(|row| row.names.iter().any(|name| name == constant))?;
        row.kinds.iter().any(|known| known == kind).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_type() {
        toml::from_str::<Ruby>(include_str!("../../rules/pool/ruby.toml")).unwrap();
    }
}
