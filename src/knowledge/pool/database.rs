//! `rules/pool/active_record.toml`: how the size of a connection pool is read.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Since, Steps};

/// Returns what is known of Active Record's pools.
pub fn active_record() -> &'static ActiveRecord {
    static TABLE: LazyLock<ActiveRecord> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/pool/active_record.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ActiveRecord {
    pub packages: Vec<String>,
    pub label: String,
    pub file: String,
    /// The entry of a file with one database for each environment.
    pub primary: String,
    /// The entry that is merged under every environment.
    pub shared: String,
    pub pool: i64,
    /// Seconds.
    pub checkout_timeout: i64,
    pub size_keys: Steps<Vec<String>>,
    /// Keys that this version reads over.
    pub later_keys: Steps<Vec<String>>,
    pub refused: Steps<Vec<Refused>>,
    pub no_limit_from: Since,
    pub short_leases_from: Since,
    pub url_variable: String,
    pub named_urls_from: Since,
    pub executor_from: Since,
    pub executor_concurrency: i64,
    pub executor_beside: i64,
    pub setup: Setup,
    pub pooler: Pooler,
    #[serde(rename = "adapter")]
    pub adapters: Vec<Adapter>,
}

/// Two keys that together stop the boot.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    pub keys: [String; 2],
    #[serde(rename = "where")]
    pub when: When,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    Always,
    /// Where their values differ.
    Different,
}

/// Files that set up an application.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// `{stage}` stands for the environment's name.
    pub files: Vec<String>,
    pub directories: Vec<String>,
    /// One of these stands in a file that matters.
    pub words: Vec<String>,
    /// Gems that read `.env` files when the application is loaded.
    pub packages: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pooler {
    pub ports: Vec<String>,
    /// Keys that are switched off for one.
    pub off_keys: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adapter {
    /// Names of adapters and schemes of URLs.
    pub names: Vec<String>,
    /// A row of `servers.toml`.
    pub server: String,
}

impl ActiveRecord {
    /// Returns the server that an adapter talks to.
    pub fn server(&self, adapter: &str) -> Option<&str> {
        let row = self.adapters.iter().find(|row| row.names.iter().any(|name| name == adapter))?;
        Some(&row.server)
    }
}
