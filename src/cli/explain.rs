//! `foreshock explain`: the page of one rule.

use clap::Args;

use super::{Refusal, Tool};
use crate::config::RulePattern;
use crate::rules::{Page, Status};

#[derive(Args, Debug)]
pub(super) struct ExplainArgs {
    /// Print the page of this rule, for example retry/no-match
    #[arg(value_name = "RULE")]
    rule: String,
}

impl ExplainArgs {
    /// Returns the page as text.
    pub(super) fn run(&self, tool: &Tool<'_>) -> Result<String, Refusal> {
        let name = self.rule.trim();
        if let Some(page) = tool.pages.iter().find(|page| page.id == name) {
            return Ok(format!("{}: {}\n{}\n\n{}\n", page.id, page.title, facts(page), page.body.trim()));
        }
        let members: Vec<_> = tool.pages.iter().filter(|page| page.family() == name).map(|page| page.id).collect();
        if !members.is_empty() {
            let help = format!("name one of its rules: {}", members.join(", "));
            return Err(Refusal::new(format!("`{name}` is a family of rules"), help));
        }
        let help = match RulePattern::parse(name, tool.pages) {
            Err(unknown) => unknown.help,
            Ok(_) => "`foreshock rules` lists all rules".to_owned(),
        };
        Err(Refusal::new(format!("unknown rule `{name}`"), help))
    }
}

/// Returns a rule's severity, trigger and status in a few words.
pub(super) fn facts(page: &Page) -> String {
    let mut facts = vec![super::rules::severity(page.severity)];
    facts.extend(page.trigger.map(super::rules::trigger));
    match page.status {
        Status::On => {}
        Status::Off => facts.push("off by default"),
        Status::Change => facts.push("for changes only"),
    }
    facts.join(", ")
}
