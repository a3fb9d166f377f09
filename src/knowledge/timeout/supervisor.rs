//! `rules/timeout/supervisors.toml`: who kills a program that was asked to stop, and when.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Unit;

/// Returns what is known of all of them.
pub fn supervisors() -> &'static [Supervisor] {
    static TABLE: LazyLock<Supervisors> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/timeout/supervisors.toml")));
    &TABLE.supervisor
}

/// Returns what is known of one.
pub fn supervisor(form: Form) -> Option<&'static Supervisor> {
    supervisors().iter().find(|row| row.form == form)
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Supervisors {
    pub supervisor: Vec<Supervisor>,
}

/// Whose files say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    Compose,
    Kubernetes,
    Fly,
    Render,
    Systemd,
    Launchd,
    Supervisord,
    Pm2,
    Ecs,
    Heroku,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Supervisor {
    pub form: Form,
    pub label: String,
    pub setting: String,
    /// Its files, by their names, where they are code.
    #[serde(default)]
    pub files: Vec<String>,
    /// Other limits that stand beside it.
    #[serde(default)]
    pub beside: Vec<String>,
    /// In a file that is code: where the applications stand, and their file and directory.
    #[serde(default)]
    pub listed: String,
    #[serde(default)]
    pub program: String,
    #[serde(default)]
    pub directory: String,
    /// Where time is spent before it asks.
    #[serde(default)]
    pub pause_setting: String,
    /// Settings with the values that keep it from killing.
    #[serde(default)]
    pub spares: BTreeMap<String, Vec<String>>,
    /// What it asks a program to stop with, if nothing is written.
    #[serde(default = "term")]
    pub signal: String,
    /// Where that is written.
    #[serde(default)]
    pub signal_setting: String,
    /// Settings that say it too.
    #[serde(default)]
    pub also: Vec<String>,
    /// Keys of the manifest that says that it is this one, and not another reader of the same files.
    #[serde(default)]
    pub manifest_keys: Vec<String>,
    /// What stands before the programs that answer requests.
    pub router: Option<Router>,
    pub unit: Unit,
    /// Milliseconds.
    pub default: Option<u64>,
    /// The line to write; `{seconds}` and `{milliseconds}` stand for the number. Empty: nobody can set it.
    #[serde(default)]
    pub write: String,
    /// The setting of the manager that stands in for one that is not written.
    #[serde(default)]
    pub manager_setting: String,
    #[serde(default)]
    pub manager_section: String,
    #[serde(default)]
    pub manager_files: Vec<String>,
    /// Read after the files; what a later directory holds wins.
    #[serde(default)]
    pub manager_directories: Vec<String>,
}

/// A proxy that nobody can set.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Router {
    pub who: String,
    /// The process that it hands requests to.
    pub process: String,
    pub read: Fixed,
    pub idle: Fixed,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    pub setting: String,
    /// Milliseconds.
    pub time: u64,
}

fn term() -> String {
    "TERM".to_owned()
}

impl Supervisor {
    /// Says whether a file is by its name a configuration of it.
    pub fn is_configured_by(&self, path: &Path) -> bool {
        // Bytes first: taking paths apart costs more.
        let bytes = path.as_os_str().as_encoded_bytes();
        self.files.iter().any(|known| bytes.ends_with(known.as_bytes()) && path.ends_with(known))
    }

    /// Returns the line that gives a program so many milliseconds.
    pub fn line(&self, milliseconds: u64) -> String {
        let seconds = milliseconds.div_ceil(1_000).to_string();
        self.write.replace("{seconds}", &seconds).replace("{milliseconds}", &milliseconds.to_string())
    }
}
