//! Path and first bytes into a kind, and whether the file is part of what runs in production. Parses nothing.
//!
//! The one classifier for all families: what counts as a test, an example, a template or a vendored copy is decided
//! here and nowhere else.

mod launcher;
mod package_file;
mod standing;

use std::path::Path;

pub use launcher::{StartFormat, may_launch};
pub use package_file::{LockfileKind, ManifestKind};
pub use standing::{Standing, is_run_once, standing};

use crate::syntax::{code::Language, data, directive};

/// What a file is, by its name, its place and its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Code(Language),
    Shell,
    Data(data::Format),
    Directive(directive::Format),
    /// A systemd unit file or drop-in.
    SystemdUnit,
    /// A property list that may be a launchd job.
    PropertyList,
    Lockfile(LockfileKind),
    Manifest(ManifestKind),
    /// Declares what is started: a Procfile, a compose file, a Dockerfile, a platform's manifest.
    Starts(StartFormat),
    /// Nothing that foreshock reads.
    Other,
}

/// Suffixes of systemd.unit(5) that name files or units.
const UNIT_SUFFIXES: [&str; 8] = ["service", "socket", "timer", "path", "mount", "automount", "target", "slice"];

/// Returns the kind of a file by its path (relative to its root), without opening it.
pub fn kind(path: &Path) -> Kind {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let Some(lockfile) = LockfileKind::of_name(&name) {
        return Kind::Lockfile(lockfile);
    }
    if let Some(manifest) = ManifestKind::of_name(&name) {
        return Kind::Manifest(manifest);
    }
    if let Some(format) = StartFormat::of_path(path, &name) {
        return match format {
            StartFormat::Procfile => Kind::Directive(directive::Format::Procfile),
            other => Kind::Starts(other),
        };
    }
    let parent = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    if UNIT_SUFFIXES.contains(&extension.as_str()) {
        return Kind::SystemdUnit;
    }
    if extension == "conf" && parent.as_deref().is_some_and(is_drop_in_directory) {
        return Kind::SystemdUnit;
    }
    match extension.as_str() {
        "js" | "cjs" | "mjs" | "jsx" => Kind::Code(Language::JavaScript),
        "ts" | "cts" | "mts" => Kind::Code(Language::TypeScript),
        "tsx" => Kind::Code(Language::Tsx),
        "rb" | "rake" | "ru" => Kind::Code(Language::Ruby),
        "rs" => Kind::Code(Language::Rust),
        "py" => Kind::Code(Language::Python),
        "cs" => Kind::Code(Language::CSharp),
        "sh" | "bash" | "zsh" => Kind::Shell,
        "yml" | "yaml" => Kind::Data(data::Format::Yaml),
        "json" => Kind::Data(data::Format::Json),
        "jsonc" => Kind::Data(data::Format::Jsonc),
        "toml" => Kind::Data(data::Format::Toml),
        "plist" => Kind::PropertyList,
        "properties" => Kind::Directive(directive::Format::Properties),
        "conf" | "ini" if is_supervisord(path, &name) => Kind::Directive(directive::Format::Ini),
        _ if is_nginx(path, &name, &extension) => Kind::Directive(directive::Format::Nginx),
        _ => match name.as_str() {
            "Procfile" => Kind::Directive(directive::Format::Procfile),
            "Rakefile" | "Capfile" | "Guardfile" => Kind::Code(Language::Ruby),
            _ if is_crontab(&name, parent.as_deref()) => Kind::Directive(directive::Format::Crontab),
            _ => Kind::Other,
        },
    }
}

/// Says whether the path is one where people keep supervisord's configuration.
fn is_supervisord(path: &Path, name: &str) -> bool {
    let folders = ["supervisor", "supervisord", "supervisor.d", "supervisord.d"];
    name.starts_with("supervisor")
        || name.ends_with("supervisord.conf")
        || path.parent().is_some_and(|parent| parent.iter().any(|part| folders.iter().any(|folder| part == *folder)))
}

/// Says whether the path is one where distributions and people keep nginx's configuration.
fn is_nginx(path: &Path, name: &str, extension: &str) -> bool {
    if name == "nginx.conf" || extension == "nginx" || name.ends_with("nginx.conf") {
        return true;
    }
    let below = |words: &[&str]| {
        path.parent().is_some_and(|parent| parent.iter().any(|part| words.iter().any(|word| part == *word)))
    };
    match extension {
        "conf" => below(&["nginx", "sites-available", "sites-enabled", "conf.d"]),
        "" => below(&["sites-available", "sites-enabled"]),
        _ => false,
    }
}

/// Returns the kind of a file that its name does not tell, by its first bytes: `bin/dev`, `daemon_start`.
pub fn kind_by_bytes(bytes: &[u8]) -> Kind {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Some(interpreter) = line.strip_prefix(b"#!") else {
        return if bytes.starts_with(b"bplist00") { Kind::PropertyList } else { Kind::Other };
    };
    let line = String::from_utf8_lossy(interpreter).into_owned();
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut program = words.next().unwrap_or_default();
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('=')).unwrap_or_default();
    }
    match program.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.') {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" => Kind::Shell,
        "ruby" => Kind::Code(Language::Ruby),
        "node" | "nodejs" => Kind::Code(Language::JavaScript),
        "python" => Kind::Code(Language::Python),
        _ => Kind::Other,
    }
}

/// Says whether a repository's file is a crontab: by its name, or in a directory of them by a name that cron reads.
fn is_crontab(name: &str, parent: Option<&str>) -> bool {
    let reads = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let by_name = [".crontab", ".cron", ".cron.d"].iter().any(|end| name.ends_with(end)) || name == "crontab";
    by_name || parent == Some("cron.d") && reads(name)
}

/// Says whether the name is that of a drop-in directory: `x.service.d`, `service.d`.
pub fn is_drop_in_directory(name: &str) -> bool {
    name.strip_suffix(".d").is_some_and(|unit| UNIT_SUFFIXES.contains(&unit.rsplit('.').next().unwrap_or_default()))
}

/// Returns what a service definition's template becomes, if the path is one's: `x.service.j2`, `x.plist.in`, and what
/// stands in a folder of templates.
pub fn template_of(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let plain = path.with_file_name(plain_name(&name));
    let kind = kind(&plain);
    if !matches!(kind, Kind::SystemdUnit | Kind::PropertyList) {
        return None;
    }
    let rendered = matches!(standing(path), Standing::Template | Standing::Example);
    // A folder of examples, tests or documents holds nobody's template.
    let place = matches!(standing(&plain), Standing::Production | Standing::Template);
    (rendered && place).then_some(kind)
}

/// Returns a file name without the ends that say that it is rendered or copied before use.
pub fn plain_name(name: &str) -> &str {
    let mut plain = name;
    while let Some((stem, suffix)) = plain.rsplit_once('.') {
        let rendered = standing::TEMPLATE_SUFFIXES.contains(&suffix) || matches!(suffix, "sample" | "dist");
        if stem.is_empty() || !rendered {
            break;
        }
        plain = stem;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_name() {
        let check = |path: &str, expected: Kind| assert_eq!(kind(Path::new(path)), expected, "{path}");
        check("a/x@.service", Kind::SystemdUnit);
        check("etc/systemd/system/x.service.d/10-a.conf", Kind::SystemdUnit);
        check("etc/nginx/conf.d/a.conf", Kind::Directive(directive::Format::Nginx));
        check("etc/nginx/mime.types", Kind::Other);
        check("ops/nginx.conf", Kind::Directive(directive::Format::Nginx));
        check("deploy/supervisord.conf", Kind::Directive(directive::Format::Ini));
        check("docker/supervisor/conf.d/web.conf", Kind::Directive(directive::Format::Ini));
        check("src/main/resources/application.properties", Kind::Directive(directive::Format::Properties));
        check("src/db.mts", Kind::Code(Language::TypeScript));
        check("deploy/io.x.plist", Kind::PropertyList);
        check("src/Shop.Api/PriceBook.cs", Kind::Code(Language::CSharp));
        check("package.json", Kind::Manifest(ManifestKind::PackageJson));
        check("yarn.lock", Kind::Lockfile(LockfileKind::Yarn));
        check("Procfile", Kind::Directive(directive::Format::Procfile));
        check("ops/docker-compose.prod.yml", Kind::Starts(StartFormat::Compose));
        check("web.Dockerfile", Kind::Starts(StartFormat::Image));
        check("k8s/base/web.yaml", Kind::Starts(StartFormat::Kubernetes));
        check("config/web.yaml", Kind::Data(data::Format::Yaml));
        for path in ["etc/cron.d/shop", "deploy/crontab", "ops/nightly.cron", "debian/shop.cron.d"] {
            check(path, Kind::Directive(directive::Format::Crontab));
        }
        check("etc/cron.d/README.md", Kind::Other);
        check("debian/shop.cron.daily", Kind::Other);
    }

    #[test]
    fn names_of_templates() {
        assert_eq!(plain_name("a.service.j2"), "a.service");
        assert_eq!(plain_name("a.service.dist.in"), "a.service");
        assert_eq!(plain_name(".in"), ".in");
        assert_eq!(template_of(Path::new("deploy/a.service.erb")), Some(Kind::SystemdUnit));
        assert_eq!(template_of(Path::new("test/a.service.erb")), None);
    }

    #[test]
    fn kinds_by_first_bytes() {
        assert_eq!(kind_by_bytes(b"#!/bin/zsh\nexec x"), Kind::Shell);
        assert_eq!(kind_by_bytes(b"#!/usr/bin/env -S A=1 python3.11 -u\n"), Kind::Code(Language::Python));
        assert_eq!(kind_by_bytes(b"bplist00xyz"), Kind::PropertyList);
        assert_eq!(kind_by_bytes(b"\x7fELF"), Kind::Other);
    }
}
