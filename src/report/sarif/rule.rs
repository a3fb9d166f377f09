//! Rules as SARIF describes them.

use crate::finding::{Finding, Severity};
use crate::rules::Page;

use super::super::words;
use super::model::{Configuration, Message, Rule, RuleProperties, Text};

/// Characters of a description beyond which GitHub rejects it.
const DESCRIPTION: usize = 1024;

/// Returns every rule that ran, and any that a finding names without a page.
pub(super) fn all(pages: &[Page], findings: &[Finding]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = pages.iter().map(of).collect();
    for finding in findings {
        if index(&rules, finding.rule).is_none() {
            rules.push(without_page(finding));
        }
    }
    rules
}

pub(super) fn index(rules: &[Rule], id: &str) -> Option<usize> {
    rules.iter().position(|rule| rule.id == id)
}

pub(super) fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "note",
    }
}

fn of(page: &Page) -> Rule {
    let title = or(page.title, page.id);
    let mut tags = vec!["reliability"];
    tags.extend(page.trigger.map(words::trigger));
    Rule {
        id: page.id,
        name: name(page.id),
        short_description: Text { text: cut(title) },
        full_description: Text { text: cut(or(&page.summary(), title)) },
        default_configuration: Configuration { level: level(page.severity) },
        help: Message {
            text: or(page.body.trim(), title).to_owned(),
            markdown: or(page.body.trim(), title).to_owned(),
        },
        properties: properties(page.severity, tags),
    }
}

fn without_page(finding: &Finding) -> Rule {
    let text = || finding.rule.to_owned();
    Rule {
        id: finding.rule,
        name: name(finding.rule),
        short_description: Text { text: text() },
        full_description: Text { text: text() },
        default_configuration: Configuration { level: level(finding.severity) },
        help: Message { text: text(), markdown: text() },
        properties: properties(finding.severity, vec!["reliability"]),
    }
}

fn properties(severity: Severity, tags: Vec<&'static str>) -> RuleProperties {
    let severity = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "recommendation",
    };
    RuleProperties { precision: "very-high", severity, tags }
}

/// GitHub rejects empty texts.
fn or<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= DESCRIPTION {
        return text.to_owned();
    }
    text.chars().take(DESCRIPTION - 1).chain(['…']).collect()
}

/// `unit/missing-target` becomes `UnitMissingTarget`.
fn name(id: &str) -> String {
    let words = id.split(['/', '-']);
    words
        .flat_map(|word| {
            let mut chars = word.chars();
            let first = chars.next().map(|c| c.to_ascii_uppercase());
            first.into_iter().chain(chars)
        })
        .collect()
}
