//! `bun.lock`: under `packages`, the way to a package leads to a list whose first item is `name@version`.

use super::json::{Raw, Scanner, Step, Value};
use super::text::place;
use super::{Collector, LockedPackage, LockedSource, npm};
use crate::version::Ecosystem;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    Packages,
    Package,
    Locator,
    Else,
}

fn step(parent: Role, step: Step<'_>) -> Role {
    match (parent, step) {
        (Role::Root, Step::Key("packages")) => Role::Packages,
        (Role::Packages, Step::Key(_)) => Role::Package,
        (Role::Package, Step::Index(0)) => Role::Locator,
        _ => Role::Else,
    }
}

pub(super) fn read(text: &str, collector: &mut Collector<'_>) {
    let mut scanner = Scanner::new(text, Role::Root, step);
    while let Some(event) = scanner.next() {
        if let (Role::Locator, Value::Text(Raw(locator))) = (event.role, event.value)
            && let Some((name, version)) = npm::split_name(locator)
            && collector.wants(Ecosystem::Npm, name)
        {
            let mut found = Collector::package(Ecosystem::Npm, name, version, place(text, version));
            if found.version.is_none() {
                found.source = LockedSource::Other;
            }
            let key = scanner.container().map(|(_, key)| key).unwrap_or_default();
            collector.keep(LockedPackage { path: path(&key.decoded()), ..found });
        }
    }
    collector.trouble(scanner.troubles);
}

/// `p-retry/retry` is `node_modules/p-retry/node_modules/retry`.
fn path(key: &str) -> String {
    let mut path = String::new();
    let mut parts = key.split('/');
    while let Some(part) = parts.next() {
        let slash = if path.is_empty() { "" } else { "/" };
        path.push_str(slash);
        path.push_str("node_modules/");
        path.push_str(part);
        if part.starts_with('@')
            && let Some(scoped) = parts.next()
        {
            path.push('/');
            path.push_str(scoped);
        }
    }
    path
}
