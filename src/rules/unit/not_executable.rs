//! `unit/not-executable`: the program is there and cannot be executed.

use super::reload;
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::unit::definition::{Unfit, Unfitness};
use crate::model::unit::{Manager, StartedBy};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "unit/not-executable", page: include_str!("../../../rules/unit/not-executable.md"), check: Some(check) };

/// Reports programs that the system refuses to execute.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for unfit in &model.definitions.unfit {
        let mut finding = Finding::at(unfit.place, label(unfit))
            .title(format!("{} `{}` starts a file that cannot be executed", unfit.manager.noun(), unfit.job))
            .why(format!("a running process is not touched; the next start fails {}", fails(unfit)))
            .help(help(unfit))
            .subject(format!("{} {}", unfit.job, unfit.path.display()))
            .anchor(format!("{}.{}", unfit.job, unfit.setting));
        if unfit.started_by == StartedBy::Nobody {
            finding = finding.grade(Severity::Advice).confidence(Confidence::Likely);
        }
        findings.push(finding);
    }
}

fn label(unfit: &Unfit) -> String {
    match &unfit.why {
        Unfitness::NoExecuteBit { mode } => format!("mode {mode:04o}: nobody may execute it"),
        Unfitness::Directory => "a directory".to_owned(),
        Unfitness::NoInterpreterLine => "a text file without a `#!` line".to_owned(),
        Unfitness::InterpreterMissing { interpreter } => format!("its interpreter {interpreter} does not exist"),
        Unfitness::CarriageReturn { line } => format!("its first line `{line}` ends in a carriage return"),
        Unfitness::LineTooLong => "the path of its interpreter is longer than 256 bytes".to_owned(),
    }
}

fn fails(unfit: &Unfit) -> String {
    let status = match unfit.manager {
        Manager::SystemdSystem | Manager::SystemdUser => "with status 203/EXEC",
        Manager::Launchd | Manager::Supervisord | Manager::Monit => "at every try",
        Manager::Cron | Manager::RunLevels | Manager::Procfile => "with the shell's status 126",
    };
    match &unfit.why {
        Unfitness::NoExecuteBit { .. } | Unfitness::Directory => format!("{status} (permission denied)"),
        Unfitness::NoInterpreterLine | Unfitness::LineTooLong => format!("{status} (exec format error)"),
        Unfitness::InterpreterMissing { .. } => format!("{status} (no such file: the interpreter is meant)"),
        Unfitness::CarriageReturn { .. } => {
            "because the carriage return is read as part of the interpreter's name or option".to_owned()
        }
    }
}

fn help(unfit: &Unfit) -> String {
    let path = unfit.path.display();
    match &unfit.why {
        Unfitness::NoExecuteBit { .. } => format!("make it executable: sudo chmod +x {path}"),
        Unfitness::Directory => {
            format!("name the program in the directory in {}; {}", unfit.setting, reload(unfit.manager))
        }
        Unfitness::NoInterpreterLine => format!("begin {path} with a line such as `#!/bin/sh`"),
        Unfitness::InterpreterMissing { .. } => format!("name an interpreter that exists in line 1 of {path}"),
        Unfitness::CarriageReturn { .. } => format!("remove the carriage returns: sed -i 's/\\r$//' {path}"),
        Unfitness::LineTooLong => format!("use a shorter path in line 1 of {path}, or `#!/usr/bin/env NAME`"),
    }
}
