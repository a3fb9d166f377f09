//! `rules/pool/programs.toml`: where servers and job runners get their threads from.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Since, Steps};

/// Returns what is known of the threads of programs.
pub fn programs() -> &'static Programs {
    static TABLE: LazyLock<Programs> =
        LazyLock::new(|| crate::knowledge::read(include_str!("../../../rules/pool/programs.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Programs {
    pub puma: Puma,
    pub sidekiq: Sidekiq,
    pub solid_queue: SolidQueue,
    pub good_job: GoodJob,
    #[serde(rename = "single")]
    pub singles: Vec<Single>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Puma {
    pub package: String,
    /// What `processes.toml` calls its processes.
    pub kind: String,
    pub label: String,
    /// Holds a file for each environment, which comes before `file`.
    pub directory: String,
    pub file: String,
    pub threads: Steps<i64>,
    pub least: i64,
    pub workers: i64,
    pub threads_variables: Steps<Vec<String>>,
    pub least_variables: Steps<Vec<String>>,
    pub workers_variables: Steps<Vec<String>>,
    /// What names the environment for the choice of the file, the first one that is set.
    pub stage_variables: Steps<Vec<String>>,
    pub one_bound_from: Since,
    pub threads_flags: Vec<String>,
    pub workers_flags: Vec<String>,
    pub file_flags: Vec<String>,
    pub stage_flags: Vec<String>,
    pub no_file_flags: Vec<String>,
    pub with_value: Vec<String>,
    /// Methods whose block runs in each worker.
    pub worker_hooks: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sidekiq {
    pub package: String,
    /// What `processes.toml` calls its processes.
    pub kind: String,
    pub label: String,
    pub files: Vec<String>,
    pub threads: Steps<i64>,
    /// Read where neither the command line nor the file says a number.
    pub threads_variables: Steps<Vec<String>>,
    pub capsules_from: Since,
    /// Threads of one that runs inside another program.
    pub embedded: i64,
    pub threads_flags: Vec<String>,
    pub file_flags: Vec<String>,
    pub stage_flags: Vec<String>,
    pub require_flags: Vec<String>,
    pub with_value: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SolidQueue {
    pub package: String,
    /// What `processes.toml` calls its processes.
    pub kind: String,
    pub label: String,
    pub files: Steps<Vec<String>>,
    pub file_variable: String,
    pub mode_variable: String,
    pub threads: Steps<i64>,
    pub processes: i64,
    /// Connections that a worker needs beside those of its threads.
    pub beside: i64,
    /// It does not start with a smaller pool.
    pub refuses: Steps<bool>,
    pub file_flags: Vec<String>,
    pub with_value: Vec<String>,
    /// The plugin of Puma that starts it.
    pub plugin: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GoodJob {
    pub package: String,
    /// What `processes.toml` calls its processes.
    pub kind: String,
    pub label: String,
    pub threads: i64,
    pub threads_variables: Vec<String>,
    pub queues_variables: Vec<String>,
    pub mode_variable: String,
    /// Modes in which it runs inside the web server.
    pub in_process_modes: Vec<String>,
    pub beside: i64,
    pub threads_flags: Vec<String>,
    pub queues_flags: Vec<String>,
    pub with_value: Vec<String>,
}

/// Programs with a number of threads of their own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Single {
    pub kinds: Vec<String>,
    pub threads: i64,
    #[serde(default)]
    pub flags: Vec<String>,
    /// Options with which nothing is known.
    #[serde(default)]
    pub unless: Vec<String>,
    #[serde(default)]
    pub beside: i64,
}

impl Programs {
    /// Returns the gems whose versions count.
    pub fn packages(&self) -> impl Iterator<Item = &str> {
        [&self.puma.package, &self.sidekiq.package, &self.solid_queue.package, &self.good_job.package]
            .into_iter()
            .map(String::as_str)
    }

    /// Returns the YAML files that programs read by convention.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.sidekiq.files.iter().chain(self.solid_queue.files.all().flatten()).map(String::as_str)
    }
}
