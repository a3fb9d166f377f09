//! Where policies stand in files of settings: documents of keys and values, and nginx's directives.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A place in documents where policies of a library stand.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Document {
    /// The keys that lead to a block: `*` is any one key or any item of a list, `**` any number of them.
    pub path: Vec<String>,
    /// Words of which all stand in such a file.
    pub words: Vec<String>,
    /// How the names of such files begin; empty for any name.
    #[serde(default)]
    pub names: Vec<String>,
    /// Texts at the top of such a document: all of it, or its beginning if it ends in `/`.
    #[serde(default)]
    pub holds: BTreeMap<String, String>,
    /// Keys without which a block is not this library's, or does nothing.
    #[serde(default)]
    pub requires: Vec<String>,
    /// Beginnings of names that make a block another one's.
    #[serde(default)]
    pub reserved: Vec<String>,
    #[serde(default)]
    pub spelling: Spelling,
    /// Several values in one text are separated by this.
    pub separator: Option<char>,
    /// Options that are read only under a condition.
    #[serde(default, rename = "gate")]
    pub gates: Vec<Gate>,
    /// Numbers that stand for names.
    #[serde(default, rename = "code")]
    pub codes: Vec<Codes>,
    /// What says which requests come through.
    pub requests: Option<Requests>,
    /// Blocks that others take what they do not set from.
    pub base: Option<Base>,
    /// Where the blocks are put to use by name: one that is not named there does nothing.
    #[serde(default)]
    pub used_at: Vec<String>,
}

/// How keys are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Spelling {
    #[default]
    Exact,
    /// `max-attempts`, `maxAttempts` and `max_attempts` are one key, `a.b` is `b` in `a`, and files of one folder are laid
    /// over one another by profile (Spring's relaxed binding).
    Relaxed,
    /// `num_retries` and `numRetries` are one key (the JSON form of protocol buffers).
    SnakeOrCamel,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Gate {
    pub option: String,
    /// The option is read only where this key ...
    pub key: String,
    /// ... holds this: the text itself, or one of several values of it.
    pub is: String,
    /// What holds then if the option is missing.
    pub default: Option<f64>,
}

/// The names behind the numbers of an option; they join the filter.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Codes {
    pub option: String,
    /// By number, from 0.
    pub names: Vec<String>,
}

/// How a document says that requests come through which change something.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Requests {
    /// Levels from the block up to the object that holds `key`.
    pub up: usize,
    pub key: String,
    /// Entries of the filter that repeat a request whose work may be done.
    pub unsafe_entries: Vec<String>,
    /// A condition with this in it is turned round.
    pub inverted: String,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// The key that names the base.
    pub key: String,
    /// Where the bases stand.
    pub path: Vec<String>,
    /// The base of blocks that name none, in newer versions.
    pub default: String,
}

/// A directive of nginx that lists when the next server is tried.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NextServer {
    pub conditions: String,
    /// How many servers are tried; 0 is all.
    pub tries: String,
    /// What hands the request to a group.
    pub pass: String,
    /// What defines a group.
    pub group: String,
    /// What defines a server in it.
    pub server: String,
    /// The condition by which requests that change something are repeated too.
    pub any_method: String,
    /// What stands before a status.
    pub status_prefix: String,
}
