//! `package.json`: the four lists of dependencies, the optional, peer and development ones included.

use super::Asked;
use crate::facts::lockfile::json::{Scanner, Step, Value};
use crate::facts::lockfile::npm;
use crate::version::Ecosystem;

#[derive(Clone, Copy)]
enum Role {
    Root,
    List(&'static str),
    Package(&'static str),
    Else,
}

const LISTS: [&str; 4] = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

fn step(parent: Role, step: Step<'_>) -> Role {
    match (parent, step) {
        (Role::Root, Step::Key(key)) => LISTS.into_iter().find(|list| *list == key).map_or(Role::Else, Role::List),
        (Role::List(list), Step::Key(_)) => Role::Package(list),
        _ => Role::Else,
    }
}

pub(super) fn read(asked: &mut Asked<'_>) {
    let mut scanner = Scanner::new(asked.text, Role::Root, step);
    for event in scanner.by_ref() {
        if let (Role::Package(list), Value::Text(range)) = (event.role, event.value) {
            let name = event.key.decoded();
            let (name, range) = npm::split_alias(range.0).unwrap_or((&name, range.0));
            asked.keep(Ecosystem::Npm, name, range, event.key.0, list);
        }
    }
    asked.manifest.troubles.extend(scanner.troubles);
}
