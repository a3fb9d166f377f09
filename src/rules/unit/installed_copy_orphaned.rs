//! `unit/installed-copy-orphaned`: the change takes away what the installed copies of a definition start.

use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::deploy::Source;
use crate::model::unit::{Loss, Now, OnHosts, Orphan, Role};
use crate::rules::{Findings, Rule};

use super::missing_target::next_start;

pub(super) const RULE: Rule = Rule {
    id: "unit/installed-copy-orphaned",
    page: include_str!("../../../rules/unit/installed-copy-orphaned.md"),
    check: Some(check),
};

/// Reports every such definition once, at what it says now.
fn check(model: &Model<'_>, findings: &mut Findings) {
    // A host that misses the path says it itself.
    for orphan in model.orphans.iter().filter(|orphan| orphan.on_hosts == OnHosts::Unseen) {
        let mut finding = Finding::at(orphan.place, label(orphan))
            .title(title(orphan))
            .why(why(orphan))
            .help(help(orphan))
            .note(note(orphan))
            .confidence(if orphan.source == Source::Stated { Confidence::Certain } else { Confidence::Likely })
            .subject(format!("{} {}", orphan.name, orphan.written))
            .anchor(format!("{}.{}", orphan.name, orphan.need.setting));
        finding = match orphan.loss {
            Loss::Deleted | Loss::Moved(_) => finding.absent(orphan.root, &orphan.path),
            Loss::NotExecutable(place) => finding.evidence(place, "no longer executable"),
        };
        findings.push(finding);
    }
}

fn title(orphan: &Orphan) -> String {
    let job = format!("{} `{}`", orphan.manager.noun(), orphan.name);
    let who = match orphan.now {
        Now::StillNamed => job,
        Now::Replaced | Now::Nothing => format!("the installed {job}"),
    };
    let what = match &orphan.need.role {
        Role::Directory | Role::ParentOf(_) => "runs in a directory",
        Role::EnvironmentFile => "requires an environment file",
        Role::Script { .. } => "starts a script",
        Role::Program => "starts a program",
        Role::Sourced | Role::Configuration { .. } | Role::ProjectFile { .. } | Role::File => "needs a file",
    };
    let fate = match orphan.loss {
        Loss::Deleted => "that this change deletes",
        Loss::Moved(_) => "that this change moves",
        Loss::NotExecutable(_) => "that this change makes not executable",
    };
    format!("{who} {what} {fate}")
}

fn label(orphan: &Orphan) -> String {
    match (orphan.now, &orphan.loss) {
        (Now::StillNamed, Loss::Deleted) => format!("{}, deleted by this change", orphan.path.display()),
        (Now::StillNamed, Loss::Moved(new)) => format!("{}, now {}", orphan.path.display(), new.display()),
        (Now::StillNamed, Loss::NotExecutable(_)) => format!("{}, no longer executable", orphan.path.display()),
        (Now::Replaced | Now::Nothing, _) => {
            format!("installed copies have `{}` (line {} before this change)", orphan.written, orphan.line)
        }
    }
}

fn why(orphan: &Orphan) -> String {
    let next_start = next_start(orphan.manager, &orphan.persistence, &orphan.need);
    match orphan.now {
        Now::StillNamed => next_start,
        Now::Replaced | Now::Nothing => {
            format!("a host keeps the copy that it installed, whatever is written here: {next_start}")
        }
    }
}

fn help(orphan: &Orphan) -> String {
    let old = orphan.path.display();
    let until = match orphan.now {
        Now::StillNamed => "until every host has a definition that names what replaced it",
        Now::Replaced | Now::Nothing => "until every host has installed this version",
    };
    match &orphan.loss {
        Loss::NotExecutable(_) => format!("give it back the right to be executed\ngit update-index --chmod=+x {old}"),
        Loss::Moved(new) => format!("leave a link at {old} {until}\nln -s {} {old}", relative(new, &orphan.path)),
        Loss::Deleted => format!("keep {old} {until}, if only as a stub that starts what replaced it"),
    }
}

/// Returns what a link at `from` says to lead to `to`.
fn relative(to: &std::path::Path, from: &std::path::Path) -> String {
    let mut up = String::new();
    for folder in from.ancestors().skip(1) {
        if let Ok(rest) = to.strip_prefix(folder) {
            return format!("{up}{}", rest.display());
        }
        up.push_str("../");
    }
    format!("{up}{}", to.display())
}

fn note(orphan: &Orphan) -> String {
    let mut notes = Vec::new();
    if !orphan.others.is_empty() {
        let others: Vec<String> = orphan.others.iter().map(|path| path.display().to_string()).collect();
        notes.push(format!("the change also takes {} from it", others.join(", ")));
    }
    if !matches!(orphan.loss, Loss::NotExecutable(_)) {
        notes.push(
            "if no host has an older copy, say so above this line: `foreshock: ignore[unit/installed-copy-orphaned]` and why"
                .to_owned(),
        );
    }
    notes.join("; ")
}
