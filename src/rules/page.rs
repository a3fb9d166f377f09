//! A rule's page: front matter and Markdown, the one source for `explain`, `rules` and SARIF help.

use crate::finding::{Severity, Trigger};

/// Whether a rule runs without being asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Runs by default.
    On,
    /// Runs only when switched on.
    Off,
    /// Runs only where two revisions are compared (`--since`, `--staged`, `--hook`).
    Change,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// `family/rule`.
    pub id: &'static str,
    pub title: &'static str,
    pub severity: Severity,
    pub trigger: Option<Trigger>,
    pub since: &'static str,
    pub status: Status,
    /// Ids of rules whose findings of the same subject are removed by this one.
    pub supersedes: Vec<&'static str>,
    /// The Markdown after the front matter.
    pub body: &'static str,
}

/// What is wrong with a page's front matter: always the page author's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    #[error("the page does not begin with a `---` block")]
    NoFrontMatter,
    #[error("unknown key `{0}`")]
    UnknownKey(String),
    #[error("key `{0}` is missing")]
    MissingKey(&'static str),
    #[error("`{value}` is no {key}")]
    BadValue { key: &'static str, value: String },
}

impl Page {
    /// Reads a page. `text` is the whole file, `id` its path under `rules/` without the suffix.
    pub fn parse(id: &'static str, text: &'static str) -> Result<Self, PageError> {
        let rest = text.strip_prefix("---\n").ok_or(PageError::NoFrontMatter)?;
        let (front, body) = rest.split_once("\n---\n").ok_or(PageError::NoFrontMatter)?;
        let mut page = Self {
            id,
            title: "",
            severity: Severity::Warning,
            trigger: None,
            since: "",
            status: Status::On,
            supersedes: Vec::new(),
            body,
        };
        let mut seen = Vec::new();
        for line in front.lines() {
            let (key, value) = line.split_once(':').ok_or_else(|| PageError::UnknownKey(line.to_owned()))?;
            let value = value.split(" #").next().unwrap_or_default().trim();
            let bad = |key| PageError::BadValue { key, value: value.to_owned() };
            match key {
                "title" => page.title = value,
                "level" => page.severity = severity(value).ok_or_else(|| bad("level"))?,
                "trigger" if value == "none" => {}
                "trigger" => page.trigger = Some(trigger(value).ok_or_else(|| bad("trigger"))?),
                "since" => page.since = value,
                "status" => page.status = status(value).ok_or_else(|| bad("status"))?,
                "supersedes" => page.supersedes = value.split(',').map(str::trim).filter(|id| !id.is_empty()).collect(),
                _ => return Err(PageError::UnknownKey(key.to_owned())),
            }
            seen.push(key);
        }
        for key in ["title", "level", "trigger", "since", "status"] {
            if !seen.contains(&key) {
                return Err(PageError::MissingKey(key));
            }
        }
        Ok(page)
    }

    /// Returns the first paragraph: the rule in one breath.
    pub fn summary(&self) -> String {
        let paragraph = self.body.trim_start().split("\n\n").next().unwrap_or_default();
        paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub fn family(&self) -> &'static str {
        self.id.split('/').next().unwrap_or_default()
    }
}

fn severity(value: &str) -> Option<Severity> {
    match value {
        "error" => Some(Severity::Error),
        "warning" => Some(Severity::Warning),
        "advice" => Some(Severity::Advice),
        _ => None,
    }
}

fn status(value: &str) -> Option<Status> {
    match value {
        "on" => Some(Status::On),
        "off" => Some(Status::Off),
        "change" => Some(Status::Change),
        _ => None,
    }
}

fn trigger(value: &str) -> Option<Trigger> {
    match value {
        "restart" => Some(Trigger::Restart),
        "reboot" => Some(Trigger::Reboot),
        "load" => Some(Trigger::Load),
        "race" => Some(Trigger::Race),
        "expiry" => Some(Trigger::Expiry),
        "upgrade" => Some(Trigger::Upgrade),
        _ => None,
    }
}
