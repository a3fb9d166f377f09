//! Pages for the tests of everything that speaks of rules by name.

use crate::finding::{Severity, Trigger};
use crate::rules::{Page, Status};

/// Returns rules of each status, in three families.
pub(crate) fn pages() -> Vec<Page> {
    let page = |id, severity, trigger, status| Page {
        id,
        title: "a fault",
        severity,
        trigger,
        since: "0.1.0",
        status,
        supersedes: Vec::new(),
        body: "What is found,\nin one paragraph.\n\n## When it bites\n\nBecause.\n",
    };
    vec![
        page("pool/change-needs-full-restart", Severity::Advice, Some(Trigger::Restart), Status::Change),
        page("pool/no-headroom", Severity::Advice, Some(Trigger::Load), Status::On),
        page("retry/inert", Severity::Advice, Some(Trigger::Load), Status::Off),
        page("retry/match-all", Severity::Warning, Some(Trigger::Race), Status::On),
        page("retry/no-match", Severity::Error, Some(Trigger::Race), Status::On),
        page("suppress/expired", Severity::Warning, None, Status::On),
        page("suppress/unknown-rule", Severity::Warning, None, Status::On),
        page("suppress/unused", Severity::Warning, None, Status::On),
    ]
}
