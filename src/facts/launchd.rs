//! A property list as launchd reads it: the keys that name programs, paths and the life of a job.

use crate::source::Bytes;
use crate::syntax::{Fragment, data};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobFile {
    pub lines: data::Lines,
    pub label: Option<Text>,
    pub program: Option<Text>,
    pub arguments: Vec<Text>,
    pub working_directory: Option<Text>,
    pub root_directory: Option<Text>,
    pub standard_out: Option<Text>,
    pub standard_error: Option<Text>,
    pub user: Option<Text>,
    pub group: Option<Text>,
    pub environment: Vec<(String, Text)>,
    pub keep_alive: KeepAlive,
    pub run_at_load: Option<bool>,
    /// Keys that are there and start the job when something happens.
    pub triggers: Vec<&'static str>,
    /// In seconds.
    pub exit_timeout: Option<(i64, Bytes)>,
    /// In seconds.
    pub throttle_interval: Option<(i64, Bytes)>,
    pub globbing: Option<bool>,
    pub disabled: Option<bool>,
    /// Every scalar, in written order, under its key path.
    pub values: Vec<Text>,
}

/// A string of the property list.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub text: Fragment,
    pub bytes: Bytes,
    /// `ProgramArguments[0]`.
    pub key_path: String,
}

/// launchd.plist(5).
const TRIGGERS: [&str; 8] = [
    "StartInterval",
    "StartCalendarInterval",
    "WatchPaths",
    "QueueDirectories",
    "StartOnMount",
    "Sockets",
    "MachServices",
    "LaunchEvents",
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepAlive {
    #[default]
    No,
    Always,
    /// A dictionary of conditions.
    Conditional,
}

/// Collects a job, or nothing if the property list has neither a label nor a program.
pub fn collect(document: &data::Document) -> Option<JobFile> {
    let root = document.roots.first()?;
    let text = |key: &str| text(root.get(key)?, key);
    let mut job = JobFile {
        lines: document.lines,
        label: text("Label"),
        program: text("Program"),
        working_directory: text("WorkingDirectory"),
        root_directory: text("RootDirectory"),
        standard_out: text("StandardOutPath"),
        standard_error: text("StandardErrorPath"),
        user: text("UserName"),
        group: text("GroupName"),
        run_at_load: boolean(root, "RunAtLoad"),
        globbing: boolean(root, "EnableGlobbing"),
        disabled: boolean(root, "Disabled"),
        ..JobFile::default()
    };
    if let Some(arguments) = root.get("ProgramArguments") {
        let items = arguments.items().iter().enumerate();
        job.arguments = items.filter_map(|(at, item)| self::text(item, &format!("ProgramArguments[{at}]"))).collect();
    }
    if let Some(environment) = root.get("EnvironmentVariables") {
        for entry in environment.entries() {
            let Some(name) = entry.key.as_text() else { continue };
            let path = format!("EnvironmentVariables.{name}");
            job.environment.extend(self::text(&entry.value, &path).map(|value| (name.to_owned(), value)));
        }
    }
    job.keep_alive = match root.get("KeepAlive") {
        Some(node) if !node.entries().is_empty() => KeepAlive::Conditional,
        Some(node) if node.as_text() == Some("true") => KeepAlive::Always,
        _ => KeepAlive::No,
    };
    let number = |key: &str| root.get(key).and_then(|node| Some((node.as_text()?.parse().ok()?, node.bytes)));
    job.throttle_interval = number("ThrottleInterval");
    job.exit_timeout = number("ExitTimeOut");
    job.triggers = TRIGGERS.into_iter().filter(|key| root.get(key).is_some()).collect();
    // OnDemand is the old opposite of KeepAlive.
    if boolean(root, "OnDemand") == Some(false) {
        job.run_at_load = Some(true);
    }
    flatten(root, "", &mut job.values);
    (job.label.is_some() && (job.program.is_some() || !job.arguments.is_empty())).then_some(job)
}

fn text(node: &data::Node, key_path: &str) -> Option<Text> {
    let scalar = node.as_scalar()?;
    Some(Text { text: scalar.text.clone(), bytes: node.bytes, key_path: key_path.to_owned() })
}

/// Property lists nest no deeper than the parser lets them.
fn flatten(node: &data::Node, key_path: &str, values: &mut Vec<Text>) {
    for entry in node.entries() {
        let Some(name) = entry.key.as_text() else { continue };
        let path = if key_path.is_empty() { name.to_owned() } else { format!("{key_path}.{name}") };
        flatten(&entry.value, &path, values);
    }
    for (at, item) in node.items().iter().enumerate() {
        flatten(item, &format!("{key_path}[{at}]"), values);
    }
    values.extend(text(node, key_path));
}

fn boolean(root: &data::Node, key: &str) -> Option<bool> {
    let scalar = root.get(key)?.as_scalar()?;
    (scalar.style == data::Style::Boolean).then(|| scalar.text.text.eq_ignore_ascii_case("true"))
}
