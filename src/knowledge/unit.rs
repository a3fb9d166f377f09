//! `rules/unit/systemd.toml` and those of the other managers, from launchd to run levels: where they look and what their
//! settings mean.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// Returns what systemd reads and how.
pub fn systemd() -> &'static Systemd {
    static TABLE: LazyLock<Systemd> = LazyLock::new(|| super::read(include_str!("../../rules/unit/systemd.toml")));
    &TABLE
}

/// Returns what launchd reads and how.
pub fn launchd() -> &'static Launchd {
    static TABLE: LazyLock<Launchd> = LazyLock::new(|| super::read(include_str!("../../rules/unit/launchd.toml")));
    &TABLE
}

/// Returns what cron reads.
pub fn cron() -> &'static Cron {
    static TABLE: LazyLock<Cron> = LazyLock::new(|| super::read(include_str!("../../rules/unit/cron.toml")));
    &TABLE
}

/// Returns what supervisord reads and how.
pub fn supervisord() -> &'static Supervisord {
    static TABLE: LazyLock<Supervisord> =
        LazyLock::new(|| super::read(include_str!("../../rules/unit/supervisord.toml")));
    &TABLE
}

/// Returns what monit reads and how.
pub fn monit() -> &'static Monit {
    static TABLE: LazyLock<Monit> = LazyLock::new(|| super::read(include_str!("../../rules/unit/monit.toml")));
    &TABLE
}

/// Returns where links start scripts of /etc/init.d.
pub fn run_levels() -> &'static RunLevels {
    static TABLE: LazyLock<RunLevels> = LazyLock::new(|| super::read(include_str!("../../rules/unit/run-levels.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Systemd {
    pub search: Search,
    /// By manager (`system`, `user`), then by letter; `~` at the start is the home of the manager's user.
    pub specifiers: BTreeMap<String, BTreeMap<char, String>>,
    pub restart: SystemdRestart,
    #[serde(rename = "setting")]
    pub settings: Vec<PathSetting>,
    pub made: Vec<Made>,
    pub conditions: Conditions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    pub system: Vec<String>,
    pub tmpfiles: Vec<String>,
    /// `~` at the start is a home directory.
    pub user: Vec<String>,
    /// Where a program without a slash is looked for.
    pub programs: Vec<String>,
}

/// Times are in milliseconds.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SystemdRestart {
    pub delay: u64,
    pub limit_interval: u64,
    pub limit_burst: u64,
    pub after_failed_start: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PathSetting {
    pub keys: Vec<String>,
    pub reads: Reads,
    /// Ends the sentence "the next start fails …".
    pub fails: String,
    /// When the path is needed, if it is not the start.
    pub when: Option<String>,
    /// Applied to every command of the unit, so none of them can make it.
    #[serde(default)]
    pub before_prestart: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    Command,
    Directory,
    File,
    Paths,
    Binds,
    Output,
    Input,
    Credential,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    pub key: String,
    pub system: String,
    pub user: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    pub paths: Vec<String>,
    /// On the running machine: nothing in files decides them.
    pub machine: Vec<String>,
}

impl Systemd {
    /// Returns how a key of a service is read, if it names a path.
    pub fn setting(&self, key: &str) -> Option<&PathSetting> {
        self.settings.iter().find(|setting| setting.keys.iter().any(|name| name == key))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launchd {
    /// Directories with what launchctl enable and disable left.
    pub overrides: Vec<String>,
    #[serde(rename = "directory")]
    pub directories: Vec<LaunchdDirectory>,
    pub search: LaunchdSearch,
    pub restart: LaunchdRestart,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchdDirectory {
    /// `~` at the start is a home directory.
    pub path: String,
    pub domain: Domain,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Cron {
    /// Single files with a user field.
    pub system_files: Vec<String>,
    /// Directories of files with a user field.
    pub system_directories: Vec<String>,
    /// Directories of files named after their user.
    pub user_directories: Vec<String>,
    /// Directories of scripts.
    pub script_directories: Vec<String>,
    pub anacrontabs: Vec<String>,
    /// Where anacron is.
    pub anacron: Vec<String>,
    /// One of these exists where names with a dot are read too.
    pub dotted_where: Vec<String>,
    /// Names that are left out there all the same.
    pub left_out: Vec<String>,
    pub shell: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Supervisord {
    pub files: Vec<String>,
    /// What stands before the colon in the name of a section that starts something.
    pub sections: Vec<String>,
    pub start_retries: u64,
    pub logs: Vec<String>,
    /// Values of a log setting that are no paths.
    pub no_path: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Monit {
    pub files: Vec<String>,
    /// Where monit is.
    pub programs: Vec<String>,
    /// Settings that name a command, and how a missing program shows.
    pub methods: BTreeMap<String, String>,
    /// The same for the program of a check.
    pub check_program: String,
    /// Words that monit passes over.
    pub noise: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunLevels {
    /// Directories of links by level, and the level as people call it.
    pub directories: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Domain {
    System,
    Gui,
    User,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchdSearch {
    pub programs: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchdRestart {
    /// Seconds.
    pub throttle: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_their_types() {
        toml::from_str::<Systemd>(include_str!("../../rules/unit/systemd.toml")).unwrap();
        toml::from_str::<Cron>(include_str!("../../rules/unit/cron.toml")).unwrap();
        toml::from_str::<Supervisord>(include_str!("../../rules/unit/supervisord.toml")).unwrap();
        toml::from_str::<Monit>(include_str!("../../rules/unit/monit.toml")).unwrap();
        toml::from_str::<RunLevels>(include_str!("../../rules/unit/run-levels.toml")).unwrap();
        toml::from_str::<Launchd>(include_str!("../../rules/unit/launchd.toml")).unwrap();
    }
}
