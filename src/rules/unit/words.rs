//! How rules speak of a setting that systemd does not take.

use crate::model::unit::definition::{Fault, Unheeded};

pub(super) fn subject(setting: &Unheeded) -> String {
    format!("{} {}.{}", setting.unit, setting.section, setting.key)
}

pub(super) fn label(setting: &Unheeded) -> String {
    match &setting.fault {
        Fault::RelativeProgram => "neither a plain name nor an absolute path".to_owned(),
        Fault::ProgramIsDirectory => "ends in a slash".to_owned(),
        Fault::UnbalancedQuote => "opened here and not closed".to_owned(),
        Fault::UnknownSpecifier(letter) => format!("`%{letter}` is no specifier"),
        Fault::RelativeDirectory | Fault::RelativeFile if !setting.written.contains('"') => "not absolute".to_owned(),
        Fault::QuotedDirectory | Fault::RelativeDirectory | Fault::RelativeFile => {
            "the quotes are read as part of the path".to_owned()
        }
        Fault::SecondCommand(_) => "a second command".to_owned(),
        Fault::RestartOfOneshot => format!("not with Type=oneshot: {}", setting.written),
        Fault::NoAssignment => format!("`{}` is no assignment", setting.written),
        Fault::WrongSection(owner) => format!("a setting of [{owner}]"),
        Fault::MisspeltKey(meant) => format!("no setting; `{meant}` is one"),
        Fault::NoSuchWord { .. } => format!("`{}` is no value of it", setting.written),
        Fault::NotYesOrNo => "neither yes nor no".to_owned(),
        Fault::NoTimeSpan => "no time span".to_owned(),
    }
}
