//! `Pipfile.lock`: every category but `_meta` maps names to objects with `"version": "==1.2.3"`.

use super::json::{Raw, Scanner, Step, Value};
use super::text::place;
use super::{Collector, LockedPackage, LockedSource, python};
use crate::version::Ecosystem;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    Category,
    Package,
    Version,
    /// `git`, `path` or `file`, in place of a version.
    Elsewhere,
    Else,
}

fn step(parent: Role, step: Step<'_>) -> Role {
    match (parent, step) {
        (Role::Root, Step::Key("_meta")) => Role::Else,
        (Role::Root, Step::Key(_)) => Role::Category,
        (Role::Category, Step::Key(_)) => Role::Package,
        (Role::Package, Step::Key("version")) => Role::Version,
        (Role::Package, Step::Key("git" | "path" | "file")) => Role::Elsewhere,
        _ => Role::Else,
    }
}

pub(super) fn read(text: &str, collector: &mut Collector<'_>) {
    let mut scanner = Scanner::new(text, Role::Root, step);
    while let Some(event) = scanner.next() {
        let (source, Value::Text(Raw(written))) = (event.role, event.value) else { continue };
        let source = match source {
            Role::Version => LockedSource::Registry,
            Role::Elsewhere => LockedSource::Other,
            _ => continue,
        };
        let name = scanner.container().map(|(_, key)| python::normalized(&key.decoded())).unwrap_or_default();
        if !collector.wants(Ecosystem::PyPi, &name) {
            continue;
        }
        let version = written.trim_start_matches(['=', ' ']);
        let found = Collector::package(Ecosystem::PyPi, &name, version, place(text, version));
        collector.keep(LockedPackage { source, ..found });
    }
    collector.trouble(scanner.troubles);
}
