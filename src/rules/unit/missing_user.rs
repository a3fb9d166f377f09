//! `unit/missing-user`: the account is not in the root's tables.

use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::unit::definition::AccountKind;
use crate::model::unit::{Manager, StartedBy};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "unit/missing-user", page: include_str!("../../../rules/unit/missing-user.md"), check: Some(check) };

/// Reports users and groups that do not exist.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for account in &model.definitions.accounts {
        let (noun, status, table, command) = match account.kind {
            AccountKind::User => ("user", "217/USER", "passwd", "useradd --system"),
            AccountKind::Group => ("group", "216/GROUP", "group", "groupadd --system"),
        };
        let name = &account.name;
        let (label, fails, help) = match account.manager {
            Manager::Launchd => (
                format!("no {noun} `{name}` among the accounts"),
                "and launchd starts nothing".to_owned(),
                format!("make the {noun} (sysadminctl, dseditgroup), or name one that exists in {}", account.key),
            ),
            _ => (
                format!("no {noun} `{name}` in /etc/{table}"),
                format!("with status {status}"),
                format!("make the {noun} again: sudo {command} {name}; or name one that exists in `{}=`", account.key),
            ),
        };
        let mut finding = Finding::at(account.place, label)
            .title(format!("{} `{}` runs as a {noun} that does not exist", account.manager.noun(), account.unit))
            .why(format!("a running process keeps its ids; the next start fails {fails}"))
            .help(help)
            .subject(format!("{} {noun} {name}", account.unit))
            .anchor(format!("{}.{}", account.unit, account.key));
        if account.started_by == StartedBy::Nobody {
            finding = finding.grade(Severity::Advice).confidence(Confidence::Likely);
        }
        findings.push(finding);
    }
}
