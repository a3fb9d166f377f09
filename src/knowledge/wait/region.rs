//! `rules/wait/regions.toml`: blocks that hold something, known by the name of the call that opens them alone. That is
//! enough where a finding is about something else that goes on inside.

use std::sync::LazyLock;

use serde::Deserialize;

/// Returns the blocks that hold something for their time, by the call that opens them.
pub fn regions() -> &'static [NamedRegion] {
    static TABLE: LazyLock<Regions> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/wait/regions.toml")));
    &TABLE.region
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Regions {
    region: Vec<NamedRegion>,
}

/// A call whose callback or block holds a transaction, a lock or a connection for its time.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedRegion {
    pub call: String,
    /// What is held, as a message says it.
    pub what: String,
    /// Names of the calls that end it where it is opened without a callback.
    #[serde(default)]
    pub ends: Vec<String>,
}
