//! `unit/ignored-setting`: a setting that systemd drops with a line in the log.

use super::words::{label, subject};
use crate::finding::Finding;
use crate::model::Model;
use crate::model::unit::definition::{Effect, Fault, Unheeded};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule = Rule {
    id: "unit/ignored-setting",
    page: include_str!("../../../rules/unit/ignored-setting.md"),
    check: Some(check),
};

/// Reports settings without effect.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for setting in model.definitions.settings.iter().filter(|setting| setting.effect != Effect::Refused) {
        findings.push(
            Finding::at(setting.place, label(setting))
                .title(title(setting))
                .why(why(setting))
                .help(help(setting))
                .subject(subject(setting))
                .anchor(format!("{}.{}.{}", setting.unit, setting.section, setting.key)),
        );
    }
}

fn title(setting: &Unheeded) -> String {
    let Unheeded { unit, key, section, .. } = setting;
    match (&setting.fault, setting.effect) {
        (_, Effect::EndsDropIn) => format!("systemd reads no further than this `{key}=` in a drop-in of `{unit}`"),
        (Fault::WrongSection(_), _) => format!("`{key}=` of `{unit}` has no effect in [{section}]"),
        (Fault::MisspeltKey(_), _) => format!("`{unit}` sets `{key}`, which systemd does not know"),
        (Fault::NoAssignment | Fault::UnknownSpecifier(_), _) if key == "Environment" => {
            format!("a part of `Environment=` of `{unit}` is dropped")
        }
        _ => format!("`{key}=` of `{unit}` is dropped"),
    }
}

fn why(setting: &Unheeded) -> String {
    let Unheeded { key, .. } = setting;
    let effect = match (&setting.fault, setting.effect) {
        (_, Effect::EndsDropIn) => "this line and all after it in the file are left out".to_owned(),
        (Fault::NoSuchWord { otherwise: Some(otherwise), .. }, _) => format!("in force is {otherwise}"),
        (Fault::UnknownSpecifier(_), _) if key == "Environment" => "the program does not get the variable".to_owned(),
        (Fault::NoAssignment | Fault::UnbalancedQuote, _) => "the program does not get what stands there".to_owned(),
        (Fault::RelativeFile, _) => "the program starts without the variables of the file".to_owned(),
        (Fault::MisspeltKey(meant), _) => format!("`{meant}` keeps its default, or what another file says"),
        _ => format!("the default of `{key}` is in force, or what another file says"),
    };
    format!("systemd says so in the log only and goes on; {effect}, and nothing shows it until it is needed")
}

fn help(setting: &Unheeded) -> String {
    let Unheeded { key, written, .. } = setting;
    match &setting.fault {
        Fault::WrongSection(owner) => format!("move the line to [{owner}]"),
        Fault::MisspeltKey(meant) => format!("write `{meant}=`"),
        Fault::NoSuchWord { meant: Some(meant), .. } => format!("write `{key}={meant}`"),
        Fault::NoSuchWord { words, .. } => format!("write one of {}", words.join(", ")),
        Fault::NotYesOrNo => format!("write `{key}=yes` or `{key}=no`"),
        Fault::NoTimeSpan => format!("write a time span such as `{key}=30s` or `{key}=5min`"),
        Fault::UnknownSpecifier(letter) => format!("write `%%` where a percent sign is meant: `%%{letter}`"),
        Fault::NoAssignment => "write NAME=value, in quotes as a whole if the value holds a blank".to_owned(),
        Fault::UnbalancedQuote => "close the quote".to_owned(),
        Fault::RelativeFile => {
            let name = written.trim_start_matches('-').trim_matches(['"', '\'']);
            if name.starts_with('/') {
                format!("write the path without quotes: `{key}={name}`")
            } else {
                format!("write the absolute path of `{name}`: nothing is expanded, and no directory is assumed")
            }
        }
        Fault::RelativeProgram => format!("write the absolute path of `{written}`"),
        _ => format!("write an absolute path in `{key}=`, without quotes"),
    }
}
