//! `rules/timeout/inner.toml`: limits on what happens inside a request.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Unit;

/// Returns what is known of them.
pub fn inner() -> &'static Inner {
    static TABLE: LazyLock<Inner> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/timeout/inner.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inner {
    #[serde(rename = "database")]
    pub databases: Vec<Database>,
    pub request: Request,
}

/// A limit that stands in an application's settings of a database.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    pub who: String,
    pub setting: String,
    /// The keys that lead to it.
    pub keys: Vec<String>,
    /// Rows of `rules/pool/servers.toml`; empty for any.
    #[serde(default)]
    pub servers: Vec<String>,
    pub unit: Unit,
    /// It bounds a statement.
    #[serde(default)]
    pub statement: bool,
    /// It bounds the wait for a connection.
    #[serde(default)]
    pub checkout: bool,
}

/// The framework's limit on a request.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    pub who: String,
    pub package: String,
    pub setting: String,
    pub call: String,
    pub receivers: Vec<String>,
    /// The name of an argument that sets it.
    pub named: String,
    pub variable: String,
    /// Milliseconds.
    pub default: u64,
}
