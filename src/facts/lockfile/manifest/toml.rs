//! `Cargo.toml`, `pyproject.toml` and `Pipfile`: tables of names with ranges, or lists of PEP 508 requirements.

use super::{Asked, ManifestKind};
use crate::facts::lockfile::python;
use crate::facts::lockfile::toml_scan::{Event, Scanner};
use crate::version::Ecosystem;

/// A dependency whose table is still being read.
#[derive(Default)]
struct Open<'a> {
    /// Header and keys, the name last.
    path: Vec<&'a str>,
    versions: Vec<&'a str>,
    /// Cargo's `package = "real-name"`.
    package: Option<&'a str>,
}

pub(super) fn read(asked: &mut Asked<'_>) {
    let mut scanner = Scanner::new(asked.text);
    let mut open = Open::default();
    while let Some(event) = scanner.next() {
        let path = scanner.path();
        let Some(length) = named(asked.manifest.kind, path) else {
            if let (Event::Text(text), Some(section)) = (event, listed(asked.manifest.kind, path))
                && let Some(found) = python::requirement(text)
            {
                asked.python(found, &section);
            }
            continue;
        };
        let (name, field) = path.split_at_checked(length).unwrap_or_default();
        if open.path != name {
            finish(&open, asked);
            open = Open { path: name.to_vec(), ..Open::default() };
        }
        match (event, field) {
            (Event::Text(version), [] | ["version"]) => open.versions.push(version),
            (Event::Text(package), ["package"]) => open.package = Some(package),
            _ => {}
        }
    }
    finish(&open, asked);
    asked.manifest.troubles.extend(scanner.into_troubles());
}

/// Returns how many parts of the path name a dependency, if it leads into a table of them.
fn named(kind: ManifestKind, path: &[&str]) -> Option<usize> {
    const LISTS: [&str; 5] =
        ["dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies"];
    let list = match (kind, path) {
        (ManifestKind::CargoToml, [list, ..]) if LISTS.contains(list) => 1,
        (ManifestKind::CargoToml, ["workspace", "dependencies", ..]) => 2,
        (ManifestKind::CargoToml, ["target", _, list, ..]) if LISTS.contains(list) => 3,
        (ManifestKind::Pipfile, ["packages" | "dev-packages", ..]) => 1,
        (ManifestKind::Pyproject, ["tool", "poetry", "dependencies" | "dev-dependencies", ..]) => 3,
        (ManifestKind::Pyproject, ["tool", "poetry", "group", _, "dependencies", ..]) => 5,
        _ => return None,
    };
    (path.len() > list).then_some(list + 1)
}

/// Returns the section, if the path is that of a list of requirements.
fn listed(kind: ManifestKind, path: &[&str]) -> Option<String> {
    let is_list = matches!(
        (kind, path),
        (
            ManifestKind::Pyproject,
            ["project", "dependencies"]
                | ["project", "optional-dependencies", _]
                | ["dependency-groups", _]
                | ["tool", "uv", "dev-dependencies"]
                | ["tool", "pdm", "dev-dependencies", _]
        )
    );
    is_list.then(|| path.join("."))
}

fn finish(open: &Open<'_>, asked: &mut Asked<'_>) {
    let Some((name, section)) = open.path.split_last() else { return };
    let section = section.join(".");
    let (ecosystem, own_name) = match asked.manifest.kind {
        ManifestKind::CargoToml => (Ecosystem::Crates, open.package.unwrap_or(name).to_owned()),
        _ => (Ecosystem::PyPi, python::normalized(name)),
    };
    for version in &open.versions {
        asked.keep(ecosystem, &own_name, version, name, &section);
    }
    if open.versions.is_empty() {
        asked.keep(ecosystem, &own_name, "", name, &section);
    }
}
