//! `foreshock rules`: all rules, for people and for programs.

use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::Tool;
use super::explain::facts;
use crate::finding::{Severity, Trigger};
use crate::rules::{Page, Status};

#[derive(Args, Debug)]
pub(super) struct RulesArgs {
    /// Write human or json
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        help_heading = "Output",
        hide_possible_values = true
    )]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Human,
    Json,
}

/// The JSON document; its form is a contract, so it has types of its own.
#[derive(Serialize)]
struct Listing<'a> {
    version: u32,
    rules: Vec<Rule<'a>>,
}

#[derive(Serialize)]
struct Rule<'a> {
    id: &'a str,
    title: &'a str,
    severity: &'static str,
    trigger: Option<&'static str>,
    status: &'static str,
    since: &'a str,
    supersedes: &'a [&'static str],
    summary: String,
}

impl RulesArgs {
    /// Returns the listing as text.
    pub(super) fn run(&self, tool: &Tool<'_>) -> String {
        match self.format {
            Format::Human => human(tool.pages, tool.surroundings.width()),
            Format::Json => json(tool.pages),
        }
    }
}

fn human(pages: &[Page], width: usize) -> String {
    let mut out = String::new();
    for page in pages {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{} ({})", page.id, facts(page));
        for line in wrap(&page.summary(), width.saturating_sub(4)) {
            let _ = writeln!(out, "    {line}");
        }
    }
    let _ = writeln!(out, "\n{} rules. `foreshock explain RULE` prints a rule's page.", pages.len());
    out
}

fn json(pages: &[Page]) -> String {
    let rules = pages.iter().map(|page| Rule {
        id: page.id,
        title: page.title,
        severity: severity(page.severity),
        trigger: page.trigger.map(trigger),
        status: status(page.status),
        since: page.since,
        supersedes: &page.supersedes,
        summary: page.summary(),
    });
    let listing = Listing { version: 1, rules: rules.collect() };
    let mut text = serde_json::to_string_pretty(&listing).unwrap_or_default();
    text.push('\n');
    text
}

/// Breaks text at blanks into lines of at most `width` columns; a longer word has a line of its own.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "advice",
    }
}

pub(super) fn trigger(trigger: Trigger) -> &'static str {
    match trigger {
        Trigger::Restart => "restart",
        Trigger::Reboot => "reboot",
        Trigger::Load => "load",
        Trigger::Race => "race",
        Trigger::Expiry => "expiry",
        Trigger::Upgrade => "upgrade",
    }
}

fn status(status: Status) -> &'static str {
    match status {
        Status::On => "on",
        Status::Off => "off",
        Status::Change => "change",
    }
}
