//! `unit/dangling-link`: a link in a unit directory leads nowhere and systemd needs what it names.

use crate::finding::{Finding, Severity};
use crate::model::Model;
use crate::model::unit::Manager;
use crate::model::unit::definition::{DeadLink, LinkKind};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "unit/dangling-link", page: include_str!("../../../rules/unit/dangling-link.md"), check: Some(check) };

/// Reports links of a missing unit, once each.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for link in &model.definitions.links {
        let mut finding = Finding::at(link.place, label(link))
            .title(title(link))
            .why(why(link))
            .help(help(link))
            .subject(format!("{} link", link.name))
            .anchor(link.name.clone());
        if matches!(link.kind, LinkKind::Wanted { .. } | LinkKind::Alias | LinkKind::RunLevel { .. }) {
            finding = finding.grade(Severity::Warning);
        }
        findings.push(finding);
    }
}

fn label(link: &DeadLink) -> String {
    match &link.kind {
        LinkKind::Unit { .. } | LinkKind::RunLevel { .. } => {
            format!("leads to {}, which does not exist", link.target)
        }
        LinkKind::Alias => format!("another name of {}, which does not exist", link.target),
        LinkKind::Wanted { .. } | LinkKind::Required { .. } => format!("no directory holds {}", link.name),
    }
}

fn title(link: &DeadLink) -> String {
    let name = &link.name;
    match &link.kind {
        LinkKind::Unit { .. } => format!("the linked unit `{name}` leads nowhere"),
        LinkKind::Alias => format!("the alias `{name}` leads to no unit"),
        LinkKind::Wanted { by } => format!("`{by}` wants a unit that does not exist, `{name}`"),
        LinkKind::Required { by } => format!("`{by}` requires a unit that does not exist, `{name}`"),
        LinkKind::RunLevel { level } => {
            format!("run level {level} starts an init script that does not exist, `{name}`")
        }
    }
}

fn why(link: &DeadLink) -> String {
    match &link.kind {
        LinkKind::Unit { hides: Some(other) } => format!(
            "what is loaded stays loaded until the next daemon-reload or reboot; then the unit is not found, because the \
             link also hides {}",
            other.display()
        ),
        LinkKind::Unit { hides: None } => {
            "what is loaded stays loaded until the next daemon-reload or reboot; then the unit is not found".to_owned()
        }
        LinkKind::Alias => "whatever starts the unit by this name, over D-Bus for instance, finds none".to_owned(),
        LinkKind::Wanted { by } => format!("at the next boot `{by}` starts without it, and nothing says so"),
        LinkKind::RunLevel { .. } => {
            "what runs now goes on until the next boot, which passes over the link without a word".to_owned()
        }
        LinkKind::Required { by } => format!("at the next boot the start of `{by}` fails: unit not found"),
    }
}

fn help(link: &DeadLink) -> String {
    let manager = if link.manager == Manager::SystemdUser { "systemctl --user" } else { "sudo systemctl" };
    let name = &link.name;
    match &link.kind {
        LinkKind::Unit { hides: Some(_) } => {
            format!("remove the link, and the unit behind it is found again: {manager} disable {name}")
        }
        LinkKind::Unit { hides: None } => {
            format!("link the unit from where it is now (systemctl link), or remove the link: {manager} disable {name}")
        }
        LinkKind::RunLevel { .. } => {
            format!("put the script back, or remove its links: sudo update-rc.d {name} remove")
        }
        LinkKind::Alias | LinkKind::Wanted { .. } | LinkKind::Required { .. } => {
            format!("install the unit again, or remove the link: {manager} disable {name}")
        }
    }
}
