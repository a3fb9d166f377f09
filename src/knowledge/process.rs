//! `rules/pool/processes.toml`: which programs start the processes that rules speak of, and what hands them their
//! environment.

use std::sync::LazyLock;

use serde::Deserialize;

/// Returns what is known of processes and their launchers.
pub fn processes() -> &'static Processes {
    static TABLE: LazyLock<Processes> = LazyLock::new(|| super::read(include_str!("../../rules/pool/processes.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Processes {
    #[serde(rename = "process")]
    pub kinds: Vec<ProcessKind>,
    #[serde(rename = "launcher")]
    pub launchers: Vec<Launcher>,
    #[serde(rename = "handing")]
    pub handings: Vec<Handing>,
    #[serde(rename = "login")]
    pub logins: Vec<Login>,
    pub words: Words,
}

/// How a command line shows a kind of process.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessKind {
    pub kind: String,
    /// The program's name; with a slash the last two parts of its path.
    pub names: Vec<String>,
    /// The first argument that is no option.
    #[serde(default)]
    pub commands: Vec<String>,
    /// The command may be missing.
    #[serde(default)]
    pub bare: bool,
    /// Files from which somebody starts it although nothing in the repository does.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// It is no program of Ruby.
    #[serde(default)]
    pub elsewhere: bool,
    /// Kinds whose configuration it reads: `rails server` runs Puma.
    #[serde(default)]
    pub runs: Vec<String>,
}

/// A program that starts another one.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Launcher {
    pub names: Vec<String>,
    pub then: Vec<String>,
    pub optional_then: bool,
    pub skip: usize,
    pub with_value: Vec<String>,
    /// Adds variables from a place that no file shows.
    pub opens: bool,
}

/// What a wrapper does to the environment.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Handing {
    pub names: Vec<String>,
    pub clears_with: Vec<String>,
    pub unsets_with: Vec<String>,
    /// What stays of the environment is decided by files that are not read.
    pub loses: bool,
    pub keeps_with: Vec<String>,
}

/// Files that a shell reads at its start.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Login {
    pub names: Vec<String>,
    pub always: Vec<String>,
    pub login: Vec<String>,
    pub first: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Words {
    pub stage: Vec<String>,
    pub stage_default: String,
    pub not_production: Vec<String>,
    pub harmless_eval: Vec<String>,
    pub project: Vec<String>,
}

impl Processes {
    /// Says whether a process of kind `kind` is one of `program`, or reads its configuration.
    pub fn runs(&self, kind: &str, program: &str) -> bool {
        kind == program || self.kinds.iter().any(|row| row.kind == kind && row.runs.iter().any(|run| run == program))
    }

    /// Returns the kind that a program with these arguments is. `words` are the arguments, `None` where one is unknown.
    pub fn kind<'w>(&self, program: &str, words: impl Iterator<Item = Option<&'w str>>) -> Option<&ProcessKind> {
        let name = program.rsplit('/').next().unwrap_or(program);
        let command =
            words.take_while(Option::is_some).flatten().find(|word| !word.starts_with('-') && !word.contains('='));
        self.kinds.iter().find(|row| {
            let named = row.names.iter().any(|known| {
                known == name || known.contains('/') && (program == known || program.ends_with(&format!("/{known}")))
            });
            let commanded = match command {
                _ if row.commands.is_empty() => true,
                Some(command) => row.commands.iter().any(|known| known == command),
                None => row.bare,
            };
            named && commanded
        })
    }

    /// Says whether processes of this kind run Ruby.
    pub fn is_ruby(&self, kind: &str) -> bool {
        !self.kinds.iter().any(|row| row.kind == kind && row.elsewhere)
    }

    pub fn launcher(&self, program: &str) -> Option<&Launcher> {
        self.launchers.iter().find(|row| row.names.iter().any(|name| name == program))
    }

    pub fn handing(&self, program: &str) -> Option<&Handing> {
        self.handings.iter().find(|row| row.names.iter().any(|name| name == program))
    }

    pub fn login(&self, shell: &str) -> Option<&Login> {
        self.logins.iter().find(|row| row.names.iter().any(|name| name == shell))
    }

    /// Returns the words of which one stands in every script that starts a process.
    pub fn needles(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().flat_map(|row| &row.names).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_type() {
        toml::from_str::<Processes>(include_str!("../../rules/pool/processes.toml")).unwrap();
    }

    #[test]
    fn kinds() {
        let check = |line: &str, expected: Option<&str>| {
            let mut words = line.split(' ');
            let program = words.next().unwrap();
            let found = processes().kind(program, words.map(Some)).map(|row| row.kind.as_str());
            assert_eq!(found, expected, "{line}");
        };
        check("puma -C config/puma.rb", Some("puma"));
        check("./bin/rails server -p 3000", Some("rails_server"));
        check("bin/rails db:migrate", None);
        check("/rails/bin/jobs", Some("solid_queue"));
        check("jobs", None);
        check("bin/jobs stop", None);
        check("good_job start", Some("good_job"));
        check("rake jobs:work", Some("delayed_job"));
        check("passenger stop", None);
    }
}
