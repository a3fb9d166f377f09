//! `lock/unknown-type`: a lock that the locked version does not have.

use super::words::{about, first_of_each_place, library};
use crate::finding::Finding;
use crate::model::Model;
use crate::model::lock::Kind;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "lock/unknown-type", page: include_str!("../../../rules/lock/unknown-type.md"), check: Some(check) };

/// Reports names of locks that raise an error with the first push.
fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut found = Vec::new();
    for class in &model.locks.classes {
        let Kind::Unknown(near) = class.kind else { continue };
        let name = &class.lock.text;
        let help = match near {
            Some(near) => format!("write a type that this version has\nlock: :{near},"),
            None => "write a type that this version has, or register yours with `config.add_lock`".to_owned(),
        };
        let finding = Finding::at(class.lock.value, "no lock of this version")
            .title(format!("`{name}` is no lock of {}", library(class)))
            .why(format!(
                "the class loads, and tests that do not push go through; each push of `{}` raises UnknownLock",
                class.name
            ))
            .help(help);
        found.push(about(finding, class));
    }
    first_of_each_place(&mut found);
    found.into_iter().for_each(|finding| findings.push(finding));
}
