//! `host/not-persistent`: a value of the kernel is set for the running system only, or a service needs one that no file
//! sets: it is gone after the next boot.

use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::host::{Runs, Source, Volatile};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "host/not-persistent", page: include_str!("../../../rules/host/not-persistent.md"), check: Some(check) };

/// Reports the command that sets the value, or the setting that needs it.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for volatile in &model.hosts.volatile {
        findings.push(of_command(volatile));
    }
    for short in &model.hosts.shortfalls {
        let Source::Unset(key) = &short.source else { continue };
        let mut finding = Finding::at(short.place, format!("needs {key} of {} or more", short.need))
            .title(format!("no file of this host sets `{key}`, which {} needs", short.label))
            .why(format!(
                "a boot begins with {}, {} asks for {}; whatever was set by hand is gone then, and {}",
                short.limit, short.label, short.need, short.then
            ))
            .help(format!(
                "write `{key} = {}` to /etc/sysctl.d/60-{}.conf",
                short.need,
                short.label.to_ascii_lowercase()
            ))
            .confidence(Confidence::Likely)
            .subject(format!("{} {key}", short.unit))
            .anchor(format!("{}.{key}", short.unit))
            .shows(format!("sysctl {key}"));
        finding.processes = vec![short.unit.clone()];
        findings.push(finding);
    }
}

fn of_command(volatile: &Volatile) -> Finding {
    let Volatile { key, value, .. } = volatile;
    let when = match volatile.runs {
        Runs::Script => "this script runs when the machine is set up",
        Runs::FirstBoot => "`runcmd` runs at the first boot of a machine only",
        Runs::Task => "the task runs when somebody runs the playbook",
        Runs::Build => "a value that is set while an image is built is one of the machine that builds it",
    };
    let value = value.as_deref().unwrap_or("\u{2026}");
    let is_sysctl = key.contains('.');
    let help = if is_sysctl {
        format!("write `{key} = {value}` to a file in /etc/sysctl.d, and load it with `sysctl --system`")
    } else {
        format!(
            "keep it in a tmpfiles.d file: `w /sys/kernel/mm/{key}/enabled - - - - {value}`, or on the kernel's command line"
        )
    };
    Finding::at(volatile.place, "for the running system only")
        .title(format!("`{key}` is set, and nothing keeps it"))
        .why(format!("{when}; after the next boot the value is the kernel's or the distribution's own again"))
        .help(help)
        .confidence(Confidence::Likely)
        .subject(key.clone())
        .anchor(key.clone())
}
