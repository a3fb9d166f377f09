//! `unit/bad-setting`: a value that makes systemd refuse the unit at the next load.

use super::words::{label, subject};
use crate::finding::Finding;
use crate::model::Model;
use crate::model::unit::definition::{Effect, Fault, Unheeded};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "unit/bad-setting", page: include_str!("../../../rules/unit/bad-setting.md"), check: Some(check) };

/// Reports settings that are fatal for their unit.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for setting in model.definitions.settings.iter().filter(|setting| setting.effect == Effect::Refused) {
        let mut finding = Finding::at(setting.place, label(setting))
            .title(title(setting))
            .why(
                "the loaded unit stays as it is until the next daemon-reload or boot; then systemd refuses the file \
                 (bad-setting), and the unit cannot be started",
            )
            .help(help(setting))
            .subject(subject(setting))
            .anchor(format!("{}.{}", setting.unit, setting.key));
        if let Fault::SecondCommand(first) = setting.fault {
            finding = finding.evidence(first, "the first command");
        }
        findings.push(finding);
    }
}

fn title(setting: &Unheeded) -> String {
    let Unheeded { unit, key, .. } = setting;
    match &setting.fault {
        Fault::SecondCommand(_) => format!("`{unit}` has a second `{key}=`, which only Type=oneshot may have"),
        Fault::RestartOfOneshot => format!("`{unit}` is Type=oneshot, which refuses Restart={}", setting.written),
        Fault::RelativeProgram => format!("`{key}=` of `{unit}` names a program by a relative path"),
        Fault::ProgramIsDirectory => format!("`{key}=` of `{unit}` names a directory"),
        Fault::UnbalancedQuote => format!("`{key}=` of `{unit}` has a quote that is not closed"),
        Fault::UnknownSpecifier(letter) => format!("`{key}=` of `{unit}` has the unknown specifier `%{letter}`"),
        _ => format!("`{key}=` of `{unit}` is no absolute path"),
    }
}

fn help(setting: &Unheeded) -> String {
    let Unheeded { key, written, .. } = setting;
    match &setting.fault {
        Fault::SecondCommand(_) => format!("empty the list first, with a line `{key}=` before this one"),
        Fault::RestartOfOneshot => "write `Restart=on-failure`".to_owned(),
        Fault::RelativeProgram => format!("write the absolute path of `{written}`; nothing is expanded here"),
        Fault::ProgramIsDirectory => "name the program in the directory".to_owned(),
        Fault::UnbalancedQuote => "close the quote, or write `\\x22` or `\\x27` for a quote that is meant".to_owned(),
        Fault::UnknownSpecifier(letter) => format!("write `%%` where a percent sign is meant: `%%{letter}`"),
        Fault::QuotedDirectory => {
            format!("write the path without quotes: `{key}={}`", written.trim_matches(['"', '\'']))
        }
        _ => format!("write an absolute path in `{key}=`"),
    }
}
