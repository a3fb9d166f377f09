//! `rules/host/*.toml`: services with data or limits, on-access scanners, and where values of the kernel are kept.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// Returns the services that are known.
pub fn services() -> &'static Services {
    static TABLE: LazyLock<Services> = LazyLock::new(|| super::read(include_str!("../../rules/host/services.toml")));
    &TABLE
}

/// Returns the scanners that are known.
pub fn scanners() -> &'static Scanners {
    static TABLE: LazyLock<Scanners> = LazyLock::new(|| super::read(include_str!("../../rules/host/scanners.toml")));
    &TABLE
}

/// Returns where limits and values of the kernel are kept.
pub fn kernel() -> &'static Kernel {
    static TABLE: LazyLock<Kernel> = LazyLock::new(|| super::read(include_str!("../../rules/host/kernel.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Services {
    #[serde(rename = "service")]
    pub services: Vec<Service>,
    #[serde(rename = "need")]
    pub needs: Vec<Need>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Service {
    pub name: String,
    pub label: String,
    pub programs: Vec<String>,
    /// Programs that are its own only in a unit whose name begins with `unit`.
    #[serde(default)]
    pub shared_programs: Vec<String>,
    pub unit: Option<String>,
    /// What a unit begins with that is another service's.
    pub unless_unit: Option<String>,
    pub form: Form,
    #[serde(default)]
    pub sections: Vec<String>,
    pub files: Vec<String>,
    #[serde(default)]
    pub reads: Reads,
    #[serde(default)]
    pub file_flags: Vec<String>,
    /// `-c name=value`.
    pub setting_flag: Option<String>,
    #[serde(default)]
    pub data_flags: Vec<String>,
    /// Whether the first word that is a path names the file.
    #[serde(default)]
    pub positional: bool,
    /// The file in the program's directory.
    pub beside: Option<String>,
    /// The file in the data directory.
    pub in_data: Option<String>,
    /// Variables of the unit that set a key.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// What stands before a key in the name of its variable.
    pub variable_prefix: Option<String>,
    pub data: Vec<String>,
    pub default: Option<String>,
    pub account: Option<String>,
    pub account_key: Option<String>,
    /// Settings that together say that nothing is kept on disk.
    #[serde(default)]
    pub unless: Vec<BTreeMap<String, String>>,
    pub clusters: Option<Clusters>,
}

/// How a service's files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    Options,
    Lines,
    Document,
    Nginx,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    #[default]
    First,
    All,
}

/// Instances that a directory of configurations makes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clusters {
    /// Holds `{version}/{name}/`.
    pub directory: String,
    pub file: String,
    pub unit: String,
    /// The unit that must be started for any of them.
    pub behind: String,
    /// The file that says `auto`, `manual` or `disabled`.
    pub start: String,
}

/// What a service asks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Need {
    pub service: String,
    pub resource: Resource,
    #[serde(default)]
    pub raises: bool,
    pub own: Option<String>,
    /// The kernel's value.
    pub key: Option<String>,
    pub terms: Vec<Term>,
    pub plus: u64,
    pub bound: Option<Bound>,
    #[serde(default)]
    pub unless: Vec<BTreeMap<String, String>>,
    pub kernel_default: Option<u64>,
    /// Ends "then …"; `{left}` is what the limit leaves.
    pub then: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    Files,
    Tasks,
    Kernel,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    pub key: String,
    #[serde(default = "once")]
    pub factor: u64,
    pub default: Option<u64>,
}

fn once() -> u64 {
    1
}

/// The need is there only if one of the keys names another address than these.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    pub keys: Vec<String>,
    pub loopback: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scanners {
    pub clamav: Clamav,
    pub defender: Defender,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Clamav {
    pub label: String,
    pub programs: Vec<String>,
    pub files: Vec<String>,
    pub file_flags: Vec<String>,
    pub watch_flags: Vec<String>,
    pub exclude_flags: Vec<String>,
    pub moves: Vec<String>,
    pub packages: Vec<String>,
    pub regex_since: String,
    pub temporary: String,
    pub status: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defender {
    pub label: String,
    pub programs: Vec<String>,
    pub file: String,
    /// File systems that are watched.
    pub monitored: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Kernel {
    pub sysctl: Vec<String>,
    pub sysctl_file: String,
    pub others: Vec<String>,
    pub limits: Vec<String>,
    pub limits_directory: String,
    pub manager: Vec<String>,
    pub manager_directories: Vec<String>,
    pub no_login: Vec<String>,
    pub soft_files: u64,
    pub provisioning: Vec<String>,
    pub provisioning_names: Vec<String>,
    pub passing: Vec<String>,
    pub momentary: Vec<String>,
    pub keeping: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_fit_their_types() {
        toml::from_str::<Services>(include_str!("../../rules/host/services.toml")).unwrap();
        toml::from_str::<Scanners>(include_str!("../../rules/host/scanners.toml")).unwrap();
        toml::from_str::<Kernel>(include_str!("../../rules/host/kernel.toml")).unwrap();
    }

    #[test]
    fn needs_are_of_services_that_are_known() {
        for need in &services().needs {
            assert!(services().services.iter().any(|service| service.name == need.service), "{}", need.service);
        }
    }
}
