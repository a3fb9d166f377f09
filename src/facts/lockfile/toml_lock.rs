//! The lockfiles in TOML, which all list `[[package]]` tables: `Cargo.lock`, `poetry.lock`, `uv.lock`, `pdm.lock`.

use super::text::place;
use super::toml_scan::{Event, Header, Scanner};
use super::{Collector, LockedPackage, LockedSource, LockfileKind, python};
use crate::version::Ecosystem;

#[derive(Default)]
struct Package<'a> {
    /// Each may stand twice where both sides of a conflict write it.
    names: Vec<&'a str>,
    versions: Vec<&'a str>,
    origin: Origin,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Origin {
    #[default]
    Unsaid,
    Registry,
    Elsewhere,
}

pub(super) fn read(kind: LockfileKind, text: &str, collector: &mut Collector<'_>) {
    let mut scanner = Scanner::new(text);
    let mut package = Package::default();
    while let Some(event) = scanner.next() {
        match (event, scanner.path()) {
            (Event::Header(Header::Element), ["package"]) => {
                finish(kind, text, &std::mem::take(&mut package), collector);
            }
            (Event::Text(name), ["package", "name"]) => package.names.push(name),
            (Event::Text(version), ["package", "version"]) => package.versions.push(version),
            (Event::Text(value), path) => {
                package.origin = origin(package.origin, path, value).unwrap_or(package.origin);
            }
            _ => {}
        }
    }
    finish(kind, text, &package, collector);
    collector.trouble(scanner.into_troubles());
}

fn origin(before: Origin, path: &[&str], value: &str) -> Option<Origin> {
    Some(match path {
        // Cargo: `registry+https://…`, `sparse+https://…`, `git+https://…`.
        ["package", "source"] if value.starts_with("git+") => Origin::Elsewhere,
        ["package", "source"] | ["package", "source", "registry"] => Origin::Registry,
        // Poetry: `legacy` is an index of one's own.
        ["package", "source", "type"] if value == "legacy" => Origin::Registry,
        // uv: `{ url = … }`; below poetry's `type` it is the address of either kind.
        ["package", "source", "url"] if before != Origin::Unsaid => before,
        // uv: `{ git = … }`, `{ editable = … }`; pdm: `git = …` in the package itself.
        ["package", "source", "type" | "git" | "path" | "url" | "editable" | "virtual" | "directory"]
        | ["package", "git" | "path" | "url"] => Origin::Elsewhere,
        _ => return None,
    })
}

fn finish(kind: LockfileKind, text: &str, package: &Package<'_>, collector: &mut Collector<'_>) {
    let source = match (package.origin, kind) {
        // A crate of the workspace has no source in Cargo.lock; poetry and pdm name none for PyPI.
        (Origin::Elsewhere, _) | (Origin::Unsaid, LockfileKind::Cargo) => LockedSource::Other,
        (Origin::Registry | Origin::Unsaid, _) => LockedSource::Registry,
    };
    let ecosystem = if kind == LockfileKind::Cargo { Ecosystem::Crates } else { Ecosystem::PyPi };
    for (index, version) in package.versions.iter().enumerate() {
        // Two sides of a conflict that name two packages write name and version in turn.
        let name = package.names.get(index).or(package.names.last()).copied().unwrap_or_default();
        let name = if ecosystem == Ecosystem::PyPi { python::normalized(name) } else { name.to_owned() };
        if collector.wants(ecosystem, &name) {
            let found = Collector::package(ecosystem, &name, version, place(text, version));
            collector.keep(LockedPackage { source, ..found });
        }
    }
}
