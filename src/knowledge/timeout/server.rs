//! `rules/timeout/servers.toml` and `rules/timeout/proxies.toml`: web servers and what stands before them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Unit;

/// Returns what is known of web servers.
pub fn servers() -> &'static [Server] {
    static TABLE: LazyLock<Servers> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/timeout/servers.toml")));
    &TABLE.server
}

/// Returns what is known of proxies.
pub fn proxies() -> &'static [Proxy] {
    static TABLE: LazyLock<Proxies> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/timeout/proxies.toml")));
    &TABLE.proxy
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Servers {
    pub server: Vec<Server>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Proxies {
    pub proxy: Vec<Proxy>,
}

/// A web server with a limited number of requests at a time.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Server {
    /// Kinds of `rules/pool/processes.toml`; none for one that the `modules` of code tell.
    pub kinds: Vec<String>,
    pub label: String,
    /// Its configuration files in Python.
    pub files: Vec<String>,
    pub file_flags: Vec<String>,
    /// Holds more of the command line.
    pub arguments_variable: String,
    pub port: u16,
    /// By kind, where one has another.
    pub ports: BTreeMap<String, u16>,
    pub bind_flags: Vec<String>,
    pub port_flags: Vec<String>,
    pub bind_key: String,
    pub bind_call: String,
    pub port_call: String,
    pub control_call: String,
    pub control_flags: Vec<String>,
    pub with_value: Vec<String>,
    pub threads_flags: Vec<String>,
    pub threads_key: String,
    pub class_flags: Vec<String>,
    pub class_key: String,
    pub sync: Vec<String>,
    /// The member that code gives `idle` to.
    pub written_in: String,
    /// The method that code listens with.
    pub listens_with: String,
    /// Modules whose servers keep connections for the default.
    pub modules: Vec<String>,
    /// Images that hold it, by their names.
    pub images: Vec<String>,
    /// The default holds below this version of theirs.
    pub default_below: u32,
    pub request: Option<ServerLimit>,
    pub drain: Option<ServerLimit>,
    pub idle: Option<ServerLimit>,
}

/// A limit of a server's own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServerLimit {
    pub setting: String,
    #[serde(default)]
    pub flags: Vec<String>,
    pub key: String,
    pub unit: Unit,
    /// Milliseconds.
    pub default: Option<u64>,
    #[serde(default)]
    pub zero_is_never: bool,
}

impl Server {
    /// Says whether a file is by its name the configuration of this server.
    pub fn is_configured_by(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| self.files.iter().any(|known| name == known.as_str()))
    }

    /// Returns where it listens if nothing is written.
    pub fn port_of(&self, kind: &str) -> u16 {
        self.ports.get(kind).copied().unwrap_or(self.port)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Proxy {
    pub label: String,
    /// Hands a request on.
    pub pass: String,
    /// Defines a group of servers.
    pub group: String,
    /// Names one of the group.
    pub member: String,
    pub unit: Unit,
    pub read: ProxyLimit,
    pub idle: IdleLimit,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProxyLimit {
    pub setting: String,
    /// Milliseconds.
    pub default: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdleLimit {
    /// Without it no connection is kept.
    pub switch: String,
    pub setting: String,
    /// Milliseconds.
    pub default: u64,
}
