//! `rules/unit/versions.toml`: directories that a version manager deletes when it upgrades.

use std::path::{Component, Path};
use std::sync::LazyLock;

use serde::Deserialize;

/// Returns the directories of version managers.
pub fn pins() -> &'static Pins {
    static TABLE: LazyLock<Pins> = LazyLock::new(|| super::read(include_str!("../../rules/unit/versions.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    #[serde(rename = "pattern")]
    pub patterns: Vec<Pattern>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    pub manager: String,
    pub parts: Vec<String>,
    pub stable: String,
    /// The run begins at the root.
    #[serde(default)]
    pub anchored: bool,
}

/// A path inside a directory of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    pub manager: String,
    /// The directory that goes.
    pub directory: String,
    /// Its last part.
    pub version: String,
    /// The spelling that survives.
    pub stable: String,
}

impl Pins {
    /// Returns the directory of one version that an absolute path lies in.
    pub fn find(&self, path: &Path) -> Option<Pinned> {
        let names: Vec<&str> = path
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .collect();
        self.patterns.iter().find_map(|pattern| pattern.find(&names))
    }
}

impl Pattern {
    fn find(&self, names: &[&str]) -> Option<Pinned> {
        let starts = if self.anchored { 0..1 } else { 0..names.len() };
        for start in starts {
            let Some(run) = names.get(start..start + self.parts.len()) else { break };
            if run.iter().zip(&self.parts).all(|(name, part)| fits(name, part)) {
                let end = start + self.parts.len();
                let join = |names: &[&str]| names.join("/");
                let before = names.get(..start).map(|names| format!("/{}", join(names))).unwrap_or_default();
                let mut stable = self
                    .stable
                    .replace("{before}", before.trim_end_matches('/'))
                    .replace("{rest}", &join(names.get(end..).unwrap_or_default()))
                    .replace("{last}", names.last().copied().unwrap_or_default());
                for (index, name) in run.iter().enumerate() {
                    stable = stable.replace(&format!("{{{index}}}"), name);
                }
                return Some(Pinned {
                    manager: self.manager.clone(),
                    directory: format!("/{}", join(names.get(..end).unwrap_or_default())),
                    version: run.last().copied().unwrap_or_default().to_owned(),
                    stable: stable.trim_end_matches('/').to_owned(),
                });
            }
        }
        None
    }
}

fn fits(name: &str, part: &str) -> bool {
    let digits = |name: &str| name.chars().all(|letter| letter.is_ascii_digit());
    match part {
        "*" => true,
        "<version>" => is_full_version(name),
        "<stamp>" => name.len() == 14 && digits(name),
        "<number>" => digits(name),
        "<build>" => name.split('-').any(is_full_version),
        literal => name == literal,
    }
}

/// `v22.11.0`, `17.0.9-tem`, `3.12.1`: three numbers at least.
fn is_full_version(name: &str) -> bool {
    let name = name.strip_prefix('v').unwrap_or(name);
    let numbers = name
        .split(['.', '-', '+'])
        .take_while(|part| !part.is_empty() && part.chars().all(|letter| letter.is_ascii_digit()));
    numbers.count() >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_type() {
        toml::from_str::<Pins>(include_str!("../../rules/unit/versions.toml")).unwrap();
    }

    fn check(path: &str, expected: Option<(&str, &str)>) {
        let found = pins().find(Path::new(path));
        let found = found.as_ref().map(|pinned| (pinned.version.as_str(), pinned.stable.as_str()));
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn directories_of_one_version() {
        check("/opt/homebrew/Cellar/redis/7.2.4/bin/redis", Some(("7.2.4", "/opt/homebrew/opt/redis/bin/redis")));
        check("/usr/local/Cellar/node/22.1.0_1/bin/node", Some(("22.1.0_1", "/usr/local/opt/node/bin/node")));
        check("/home/a/.nvm/versions/node/v20.9.0/bin/node", Some(("v20.9.0", "/home/a/.nvm/nvm-exec node")));
        check(
            "/home/a/.local/share/mise/installs/node/22.11.0/bin/node",
            Some(("22.11.0", "/home/a/.local/share/mise/shims/node")),
        );
        check("/srv/a/releases/20240102030405/bin/x", Some(("20240102030405", "/srv/a/current/bin/x")));
        check("/snap/certbot/3024/bin/certbot", Some(("3024", "/snap/bin/certbot")));
    }

    #[test]
    fn what_stays() {
        check("/home/a/.local/share/mise/installs/node/latest/bin/node", None);
        check("/home/a/.local/share/mise/installs/node/22/bin/node", None);
        check("/opt/homebrew/opt/redis/bin/redis", None);
        check("/usr/lib/jvm/java-17-openjdk-amd64/bin/java", None);
        check("/home/a/.sdkman/candidates/java/current/bin/java", None);
        check("/var/snap/lxd/24322/x", None);
        check("/nix/store/abc-node-22.11.0/bin/node", None);
    }
}
