//! `packages.lock.json`: `dependencies` maps each target framework to packages with `"resolved": "1.2.3"`.

use super::Collector;
use super::json::{Raw, Scanner, Step, Value};
use super::text::place;
use crate::version::Ecosystem;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    Dependencies,
    Framework,
    Package,
    Resolved,
    Else,
}

fn step(parent: Role, step: Step<'_>) -> Role {
    match (parent, step) {
        (Role::Root, Step::Key("dependencies")) => Role::Dependencies,
        (Role::Dependencies, Step::Key(_)) => Role::Framework,
        (Role::Framework, Step::Key(_)) => Role::Package,
        (Role::Package, Step::Key("resolved")) => Role::Resolved,
        _ => Role::Else,
    }
}

pub(super) fn read(text: &str, collector: &mut Collector<'_>) {
    let mut scanner = Scanner::new(text, Role::Root, step);
    while let Some(event) = scanner.next() {
        let (Role::Resolved, Value::Text(Raw(version))) = (event.role, event.value) else { continue };
        let name = scanner.container().map(|(_, key)| key.decoded().into_owned()).unwrap_or_default();
        if collector.wants(Ecosystem::NuGet, &name) {
            collector.keep(Collector::package(Ecosystem::NuGet, &name, version, place(text, version)));
        }
    }
    collector.trouble(scanner.troubles);
}
