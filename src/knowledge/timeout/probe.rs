//! `rules/timeout/probes.toml`: checks whose failure restarts a program, and the words of scripts that do the same.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Unit;

/// Returns what is known of them.
pub fn probes() -> &'static Probes {
    static TABLE: LazyLock<Probes> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/timeout/probes.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probes {
    pub kubernetes: Check,
    pub ecs: Check,
    pub compose: Check,
    #[serde(rename = "healer")]
    pub healers: Vec<Healer>,
    #[serde(rename = "asker")]
    pub askers: Vec<Asker>,
    #[serde(rename = "action")]
    pub actions: Vec<Action>,
    pub script: Script,
    pub local: Local,
}

impl Default for Check {
    fn default() -> Self {
        let setting = Setting::default;
        Self {
            named: String::new(),
            period: setting(),
            timeout: setting(),
            failures: setting(),
            unit: Unit::Seconds,
            instead: String::new(),
        }
    }
}

/// A check of a container, with its settings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub named: String,
    /// Milliseconds from one try to the next.
    pub period: Setting,
    /// Milliseconds that one try may take.
    pub timeout: Setting,
    /// Tries without an answer.
    pub failures: Setting,
    /// How its times are read.
    pub unit: Unit,
    /// What to do about one that waits for a request thread.
    pub instead: String,
}

/// What restarts containers that a check has marked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Healer {
    /// Stands in the name of its image.
    pub image: String,
    /// What a container must say to be one of its own.
    pub label: String,
    pub value: String,
    /// Names another label, or all containers.
    pub variable: String,
    pub all: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub setting: String,
    /// Where nothing is written.
    pub default: u64,
}

/// Words of a script.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// They run what stands behind them.
    pub wrappers: Vec<String>,
    /// The same, for a time at most.
    pub limiter: String,
    /// They run a text.
    pub shells: Vec<String>,
    /// They succeed, and that is all that they do here.
    pub harmless: Vec<String>,
}

/// A program that asks a web server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Asker {
    pub names: Vec<String>,
    /// Options with the seconds that one try may take.
    pub limits: Vec<String>,
    /// Stands in the value of an option that prints the status of the answer.
    #[serde(default)]
    pub code: String,
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
