//! `rules/timeout/probes.toml`: checks whose failure restarts a program, and the words of scripts that do the same.

use std::sync::LazyLock;

use serde::Deserialize;

/// Returns what is known of them.
pub fn probes() -> &'static Probes {
    static TABLE: LazyLock<Probes> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/timeout/probes.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probes {
    pub kubernetes: Defaults,
    #[serde(rename = "asker")]
    pub askers: Vec<Asker>,
    #[serde(rename = "action")]
    pub actions: Vec<Action>,
    pub local: Local,
}

/// Where nothing is written; milliseconds, and a count.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defaults {
    pub period: u64,
    pub timeout: u64,
    pub failures: u64,
}

/// A program that asks a web server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Asker {
    pub names: Vec<String>,
    /// Options with the seconds that one try may take.
    pub limits: Vec<String>,
    pub with_value: Vec<String>,
}

/// A program that restarts or ends another.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Action {
    pub names: Vec<String>,
    /// One of them stands among its arguments; empty for any.
    pub words: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Local {
    pub hosts: Vec<String>,
    pub front_ports: Vec<u16>,
    pub usual_ports: Vec<u16>,
}

impl Probes {
    pub fn asker(&self, program: &str) -> Option<&Asker> {
        self.askers.iter().find(|row| row.names.iter().any(|name| name == program))
    }

    /// Says whether a program with these arguments restarts or ends something.
    pub fn acts(&self, program: &str, arguments: &[String]) -> bool {
        self.actions.iter().filter(|row| row.names.iter().any(|name| name == program)).any(|row| {
            let has = |word: &String| {
                arguments.iter().any(|argument| argument == word || argument.ends_with(&format!("/{word}")))
            };
            row.words.is_empty() || row.words.iter().any(has)
        })
    }
}
