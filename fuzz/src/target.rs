//! What a text can be read as: a kind of file by a name that has it, and what no file's name says.

use std::path::Path;

use foreshock::classify::{self, Kind};
use foreshock::fuzzing::{self, Fault};
use foreshock::syntax::{data, directive};

use crate::tree;

pub(crate) type Target = Box<dyn Fn(&[u8]) -> Result<(), Fault> + Send + Sync>;

/// Returns the target of this name; ends the process with a sentence if there is none.
pub(crate) fn of(name: &str) -> Target {
    match name {
        "words" => Box::new(fuzzing::words),
        "evaluator" => Box::new(fuzzing::evaluator),
        "config" => Box::new(fuzzing::config),
        "check" => Box::new(|bytes| tree::run(bytes, &["check", "repo"])),
        "audit" => Box::new(|bytes| tree::run(bytes, &["audit", "--root", "host"])),
        "both" => Box::new(|bytes| tree::run(bytes, &["check", "repo", "--root", "host"])),
        _ => {
            let kind = kind(name);
            assert!(kind != Kind::Other, "no target `{name}`: name a file, or words, evaluator, config, check, audit, both");
            // To look at everything takes five times as long.
            Box::new(move |bytes| match bytes.len() % 4 {
                0 => fuzzing::examined(kind, bytes),
                _ => fuzzing::file(kind, bytes),
            })
        }
    }
}

/// Returns the kind of a file by its name, or by the word for what only a table or a manager names.
fn kind(name: &str) -> Kind {
    match name {
        "erb" => Kind::Data(data::Format::ErbYaml),
        "helm" => Kind::Data(data::Format::HelmYaml),
        "dotenv" => Kind::Directive(directive::Format::Dotenv),
        "environment" => Kind::Directive(directive::Format::EnvironmentFile),
        "passwd" => Kind::Directive(directive::Format::Colons),
        "fstab" => Kind::Directive(directive::Format::Blanks),
        "anacrontab" => Kind::Directive(directive::Format::Anacrontab),
        "monit" => Kind::Directive(directive::Format::Monit),
        "server" => Kind::Directive(directive::Format::Server),
        _ => classify::kind(Path::new(name)),
    }
}
