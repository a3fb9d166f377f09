//! Which rules run, and with which severity: the pages' defaults, the configuration and the command line in one answer.

use crate::config::{Config, Level, RulePattern};
use crate::finding::Severity;
use crate::rules::{Page, Status};

/// The command line's say on rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Replaces the default set, unless empty.
    pub select: Vec<RulePattern>,
    /// Adds to the set, rules that are off by default among them.
    pub extend: Vec<RulePattern>,
    pub ignore: Vec<RulePattern>,
    pub comparison: Comparison,
}

/// Whether the run compares two revisions, which some rules live on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comparison {
    #[default]
    None,
    Revisions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Off,
    /// Runs, with another severity than its page's if there is one.
    On(Option<Severity>),
}

/// Who says it: at equal specificity the later one wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Voice {
    Config,
    Select,
    Ignore,
}

impl Selection {
    /// Decides on one rule. Whatever names a rule most specifically wins (its id, its family, `all`); among equals
    /// the command line wins over the configuration, and `--ignore` over `--select`. A rule that is off by default is
    /// switched on by its id, by a family or `all` only with `--extend-select` or `"on"`.
    pub fn decide(&self, page: &Page, config: &Config) -> Decision {
        if page.status == Status::Change && self.comparison == Comparison::None {
            return Decision::Off;
        }
        let mut votes: Vec<(u8, Voice, bool)> = Vec::new();
        let named = |pattern: &&RulePattern| pattern.matches(page.id);
        let asked = |pattern: &RulePattern| page.status != Status::Off || matches!(pattern, RulePattern::Rule(_));
        for setting in config.rules.iter().filter(|setting| setting.pattern.matches(page.id)) {
            let on = match setting.level {
                Level::Off => Some(false),
                Level::On => Some(true),
                // A severity says how, not whether; only an id that is off by default is meant to be switched on.
                Level::At(_) if page.status == Status::Off && asked(&setting.pattern) => Some(true),
                Level::At(_) => None,
            };
            // `--select` replaces the default set, and what the configuration adds to it.
            if let Some(on) = on.filter(|on| !on || self.select.is_empty()) {
                votes.push((setting.pattern.specificity(), Voice::Config, on));
            }
        }
        let select = self.select.iter().filter(named).filter(|pattern| asked(pattern));
        for pattern in select.chain(self.extend.iter().filter(named)) {
            votes.push((pattern.specificity(), Voice::Select, true));
        }
        for pattern in self.ignore.iter().filter(named) {
            votes.push((pattern.specificity(), Voice::Ignore, false));
        }
        let default = self.select.is_empty() && page.status != Status::Off;
        let runs = votes.iter().max_by_key(|(specificity, voice, _)| (*specificity, *voice));
        if runs.map_or(default, |(.., on)| *on) { Decision::On(severity(page, config)) } else { Decision::Off }
    }
}

/// Returns the severity of the most specific entry of the configuration that sets one.
fn severity(page: &Page, config: &Config) -> Option<Severity> {
    let levels = config.rules.iter().filter(|setting| setting.pattern.matches(page.id)).filter_map(|setting| {
        match setting.level {
            Level::At(severity) => Some((setting.pattern.specificity(), severity)),
            Level::On | Level::Off => None,
        }
    });
    levels.max_by_key(|(specificity, _)| *specificity).map(|(_, severity)| severity)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::sample::pages;

    const OFF: Decision = Decision::Off;
    const ON: Decision = Decision::On(None);
    const ERROR: Decision = Decision::On(Some(Severity::Error));

    /// `flags` as on the command line: `s:` select, `e:` extend-select, `i:` ignore, `c` for a comparison.
    fn check(rule: &str, config: &str, flags: &str, expected: Decision) {
        let pages = pages();
        let config = Config::parse(&format!("rules = {{ {config} }}"), Path::new("f.toml"), &pages).unwrap();
        let mut selection = Selection::default();
        for flag in flags.split_whitespace() {
            let (kind, name) = flag.split_once(':').unwrap_or((flag, "all"));
            let pattern = RulePattern::parse(name, &pages).unwrap();
            match kind {
                "s" => selection.select.push(pattern),
                "e" => selection.extend.push(pattern),
                "i" => selection.ignore.push(pattern),
                _ => selection.comparison = Comparison::Revisions,
            }
        }
        let page = pages.iter().find(|page| page.id == rule).unwrap();
        assert_eq!(selection.decide(page, &config), expected, "{rule} with {{ {} }} and {flags}", config.rules.len());
    }

    #[test]
    fn defaults_are_those_of_the_pages() {
        check("retry/no-match", "", "", ON);
        check("retry/inert", "", "", OFF);
        check("pool/change-needs-full-restart", "", "", OFF);
        check("pool/change-needs-full-restart", "", "c", ON);
        check("pool/change-needs-full-restart", "", "s:pool/change-needs-full-restart", OFF);
    }

    #[test]
    fn the_configuration_switches_and_grades() {
        check("retry/no-match", "'retry/no-match' = 'off'", "", OFF);
        check("retry/no-match", "retry = 'off'", "", OFF);
        check("retry/no-match", "retry = 'off', 'retry/no-match' = 'on'", "", ON);
        check("retry/no-match", "all = 'off', retry = 'on'", "", ON);
        check("retry/match-all", "retry = 'error'", "", ERROR);
        check("retry/match-all", "retry = 'advice', 'retry/match-all' = 'error'", "", ERROR);
        check("retry/match-all", "retry = 'error', 'retry/match-all' = 'on'", "", ERROR);
        check("retry/match-all", "retry = 'off', 'retry/match-all' = 'error'", "", OFF);
        check("retry/match-all", "retry = 'error', 'retry/match-all' = 'off'", "", OFF);
    }

    #[test]
    fn a_rule_that_is_off_by_default_has_to_be_meant() {
        check("retry/inert", "'retry/inert' = 'on'", "", ON);
        check("retry/inert", "'retry/inert' = 'error'", "", ERROR);
        check("retry/inert", "retry = 'on'", "", ON);
        check("retry/inert", "retry = 'error'", "", OFF);
        check("retry/inert", "", "s:retry/inert", ON);
        check("retry/inert", "", "s:retry", OFF);
        check("retry/inert", "", "s:all", OFF);
        check("retry/inert", "", "e:retry", ON);
        check("retry/inert", "", "e:all", ON);
        check("retry/inert", "", "s:retry e:retry/inert", ON);
    }

    #[test]
    fn select_replaces_the_default_set() {
        check("retry/no-match", "", "s:retry", ON);
        check("pool/no-headroom", "", "s:retry", OFF);
        check("pool/no-headroom", "'pool/no-headroom' = 'on'", "s:retry", OFF);
        check("pool/no-headroom", "", "s:retry e:pool", ON);
        check("pool/no-headroom", "", "s:all", ON);
        check("retry/match-all", "'retry/match-all' = 'error'", "s:retry", ERROR);
    }

    #[test]
    fn the_most_specific_name_wins_and_then_the_command_line() {
        check("retry/no-match", "", "i:retry", OFF);
        check("retry/no-match", "", "i:retry s:retry/no-match", ON);
        check("retry/no-match", "", "s:retry i:retry/no-match", OFF);
        check("retry/no-match", "", "s:retry i:retry", OFF);
        check("retry/no-match", "", "e:retry/no-match i:retry/no-match", OFF);
        check("retry/no-match", "'retry/no-match' = 'off'", "s:retry/no-match", ON);
        check("retry/no-match", "'retry/no-match' = 'off'", "s:retry", OFF);
        check("retry/no-match", "retry = 'off'", "s:retry", ON);
        check("retry/no-match", "'retry/no-match' = 'on'", "i:retry/no-match", OFF);
        check("retry/no-match", "'retry/no-match' = 'on'", "i:retry", ON);
        check("retry/no-match", "'retry/no-match' = 'error'", "i:retry", OFF);
    }
}
