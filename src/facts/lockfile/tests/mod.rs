//! Samples of every generation, shaped as npm 11, yarn 1 and 4, pnpm 5 to 9, bun 1, bundler, cargo, uv and pipenv write them.

mod hostile;
mod manifests;
mod node;
mod others;

use super::*;

/// Returns one line a package, and checks that the bytes hold the version.
fn found_in(kind: LockfileKind, text: &str) -> Vec<String> {
    let everything = |_: Ecosystem, _: &str| true;
    let lockfile = parse(kind, text.as_bytes(), &everything);
    lockfile
        .packages
        .iter()
        .map(|package| {
            let written = package.bytes.of(text);
            let version = package.version.as_ref().map_or("none", Version::as_str);
            if package.version.is_some() {
                assert_eq!(written, version, "the bytes of {}", package.name);
            } else {
                assert!(!written.is_empty(), "{} stands somewhere", package.name);
            }
            let other = if package.source == LockedSource::Other { " other" } else { "" };
            format!("{} {version} {}{other}", package.name, package.path).trim_end().replace("  ", " ")
        })
        .collect()
}

/// Checks a sample, and that neither line ends nor a byte order mark change what is read.
fn check(kind: LockfileKind, text: &str, expected: &[&str]) {
    assert_eq!(found_in(kind, text), expected);
    assert_eq!(troubles(kind, text), Vec::<String>::new());
    assert_eq!(found_in(kind, &text.replace('\n', "\r\n")), expected, "with CRLF");
    assert_eq!(found_in(kind, &format!("\u{feff}{text}")), expected, "with a byte order mark");
}

fn troubles(kind: LockfileKind, text: &str) -> Vec<String> {
    let lockfile = parse(kind, text.as_bytes(), &|_, _| true);
    lockfile.troubles.iter().map(|trouble| format!("{}: {}", trouble.at.start, trouble.message)).collect()
}

#[test]
fn kinds_by_name() {
    let named = [
        ("package-lock.json", Some(LockfileKind::PackageLock)),
        ("npm-shrinkwrap.json", Some(LockfileKind::PackageLock)),
        ("yarn.lock", Some(LockfileKind::Yarn)),
        ("pnpm-lock.yaml", Some(LockfileKind::Pnpm)),
        ("bun.lock", Some(LockfileKind::Bun)),
        ("bun.lockb", None),
        ("Gemfile.lock", Some(LockfileKind::Gemfile)),
        ("Gemfile.next.lock", Some(LockfileKind::Gemfile)),
        ("gems.locked", Some(LockfileKind::Gemfile)),
        ("Cargo.lock", Some(LockfileKind::Cargo)),
        ("poetry.lock", Some(LockfileKind::Poetry)),
        ("uv.lock", Some(LockfileKind::Uv)),
        ("pdm.lock", Some(LockfileKind::Pdm)),
        ("Pipfile.lock", Some(LockfileKind::Pipfile)),
        ("requirements.txt", Some(LockfileKind::Requirements)),
        ("requirements-dev.txt", Some(LockfileKind::Requirements)),
        ("dev_requirements.txt", Some(LockfileKind::Requirements)),
        ("constraints.txt", Some(LockfileKind::Requirements)),
        ("packages.lock.json", Some(LockfileKind::NuGet)),
        ("robots.txt", None),
        ("package.json", None),
    ];
    for (name, kind) in named {
        assert_eq!(LockfileKind::of_name(name), kind, "{name}");
    }
}

#[test]
fn only_what_is_wanted_is_kept() {
    let text = "GEM\n  specs:\n    puma (6.4.0)\n    sidekiq (7.1.0)\n      puma (>= 5)\n";
    let lockfile = parse(LockfileKind::Gemfile, text.as_bytes(), &|ecosystem, name| {
        ecosystem == Ecosystem::RubyGems && name == "sidekiq"
    });
    assert_eq!(lockfile.packages.len(), 1);
    assert_eq!(lockfile.packages[0].name, "sidekiq");
}
