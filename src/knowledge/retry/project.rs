//! What the code around a policy is called: methods of HTTP, a project's own retries, environments.

use std::sync::LazyLock;

use serde::Deserialize;

/// `rules/retry/project.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Project {
    /// Methods of HTTP that a second run does a second time, in small letters.
    pub changing_methods: Vec<String>,
    /// Ends of the names of functions that repeat something.
    pub own_names: Vec<String>,
    /// Calls that end whatever runs in their block.
    pub ending_calls: Vec<String>,
    /// Environments in which nothing is at stake.
    pub harmless_environments: Vec<String>,
    /// Words in the path of a JSON file that may hold settings of a table.
    pub json_settings: Vec<String>,
}

/// Returns the names that projects use.
pub fn project() -> &'static Project {
    static TABLE: LazyLock<Project> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/retry/project.toml")));
    &TABLE
}

impl Project {
    /// Says whether a method of HTTP changes something.
    pub fn is_changing(&self, method: &str) -> bool {
        self.changing_methods.iter().any(|own| own.eq_ignore_ascii_case(method))
    }

    /// Says whether nothing is at stake in an environment of that name.
    pub fn is_harmless(&self, environment: &str) -> bool {
        self.harmless_environments.iter().any(|own| own == environment)
    }
}
