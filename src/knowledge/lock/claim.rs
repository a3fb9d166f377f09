//! `rules/lock/claims.toml`: locks that projects make themselves.

use std::sync::LazyLock;

use serde::Deserialize;

/// Returns what is known of home-made locks.
pub fn claims() -> &'static Claims {
    static TABLE: LazyLock<Claims> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/lock/claims.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claims {
    pub words: Vec<String>,
    pub timed: Vec<String>,
    pub ended_by: Vec<String>,
    pub ends: Vec<String>,
    pub cache_setting: String,
    pub cache_method: String,
    #[serde(rename = "claim")]
    pub claims: Vec<Claim>,
    #[serde(rename = "plugin")]
    pub plugins: Vec<Plugin>,
}

/// A call that sets a key only if it is not there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub methods: Vec<String>,
    /// Without them the name alone is enough.
    #[serde(default)]
    pub flags: Vec<String>,
    pub label: String,
    /// The last argument that names the key.
    #[serde(default)]
    pub key: usize,
}

/// A module that takes a lock without an end.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plugin {
    pub package: String,
    pub constant: Vec<String>,
    /// Methods of the class that give the lock an end.
    pub ended_by: Vec<String>,
    pub label: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_type() {
        toml::from_str::<Claims>(include_str!("../../../rules/lock/claims.toml")).unwrap();
    }
}
