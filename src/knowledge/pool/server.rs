//! `rules/pool/servers.toml`: where a database server's limit on connections is written.

use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

/// Returns the servers that are known.
pub fn servers() -> &'static [Server] {
    static TABLE: LazyLock<Servers> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/pool/servers.toml")));
    &TABLE.servers
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Servers {
    #[serde(rename = "server")]
    servers: Vec<Server>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    pub name: String,
    pub label: String,
    /// Dashes and underscores are the same in it where there are sections.
    pub key: String,
    /// Where the file has sections, those of the server.
    #[serde(default)]
    pub sections: Vec<String>,
    pub reserved: Vec<Reserved>,
    pub files: Vec<String>,
    /// Directories whose files end in `.conf` or `.cnf`.
    pub directories: Vec<String>,
    pub programs: Vec<String>,
    pub flags: Vec<String>,
    /// A command that shows the limit in force.
    pub shows: String,
}

/// Connections that ordinary users do not get.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reserved {
    pub key: String,
    pub default: i64,
}

impl Server {
    /// Says whether a file is one of the server's by its name or place.
    pub fn is_configured_by(&self, path: &Path) -> bool {
        let named = self.files.iter().any(|file| path.file_name().is_some_and(|name| name == file.as_str()));
        named
            || self.directories.iter().any(|directory| path.parent().is_some_and(|parent| parent.ends_with(directory)))
    }

    /// Says whether a key, written with dashes or underscores, is `wanted`.
    pub fn is_key(key: &str, wanted: &str) -> bool {
        key.replace('-', "_").eq_ignore_ascii_case(wanted)
    }
}
