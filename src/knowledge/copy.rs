//! `rules/unit/copies.toml`: which settings of a definition matter, how they compare, how a copy's name is written.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

/// Returns what is known of copies of definitions.
pub fn copies() -> &'static Copies {
    static TABLE: LazyLock<Copies> = LazyLock::new(|| super::read(include_str!("../../rules/unit/copies.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    pub packaged: Vec<String>,
    /// Names of files that say what a package holds; one `*` may stand for a part. With a slash, a path.
    pub packagers: Vec<String>,
    /// Folders, relative to wherever they stand, of which a tool installs every file at each of its runs; `*` is one
    /// name.
    pub managed: Vec<String>,
    pub opens: Vec<String>,
    pub closes: Vec<String>,
    /// Opening and closing mark.
    pub holes: Vec<[String; 2]>,
    pub systemd: Settings,
    pub launchd: Settings,
}

/// How the settings of one manager compare. A name may end in `*`, or hold one in the middle.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub material: Vec<String>,
    pub words: Vec<String>,
    pub assignments: Vec<String>,
    pub lists: Vec<String>,
    pub users: Vec<String>,
    pub defaults: BTreeMap<String, String>,
}

/// How the values of a key are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// The last value.
    One,
    /// All values, in order.
    List,
    /// Words in any order.
    Words,
    /// `NAME=value` words, the last of a name.
    Assignments,
}

impl Copies {
    /// Says whether definitions of this directory belong to packages.
    pub fn is_packaged(&self, directory: &Path) -> bool {
        self.packaged.iter().any(|packaged| directory.starts_with(packaged))
    }

    /// Says whether a tool installs the file of a repository at each of its runs.
    pub fn is_managed(&self, path: &Path) -> bool {
        let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
        self.managed.iter().any(|folder| {
            let folder: Vec<&str> = folder.split('/').collect();
            let fits = |(name, wanted): (&std::borrow::Cow<'_, str>, &&str)| *wanted == "*" || name == *wanted;
            names.windows(folder.len()).any(|window| window.iter().zip(&folder).all(fits))
        })
    }
}

impl Settings {
    pub fn is_material(&self, key: &str) -> bool {
        holds(&self.material, key)
    }

    pub fn names_user(&self, key: &str) -> bool {
        holds(&self.users, key)
    }

    pub fn sort(&self, key: &str) -> Sort {
        if holds(&self.words, key) {
            Sort::Words
        } else if holds(&self.assignments, key) {
            Sort::Assignments
        } else if holds(&self.lists, key) {
            Sort::List
        } else {
            Sort::One
        }
    }
}

fn holds(names: &[String], key: &str) -> bool {
    names.iter().any(|name| match name.split_once('*') {
        Some((start, end)) => key.len() >= start.len() + end.len() && key.starts_with(start) && key.ends_with(end),
        None => name == key,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_type() {
        toml::from_str::<Copies>(include_str!("../../rules/unit/copies.toml")).unwrap();
    }

    #[test]
    fn managed() {
        for (path, expected) in [
            ("ansible/roles/shop/templates/shop.service.j2", true),
            ("roles/shop.service", false),
            ("cookbooks/shop/files/default/shop.service", true),
            ("deploy/templates/shop.service", false),
        ] {
            assert_eq!(copies().is_managed(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn sorts() {
        assert_eq!(copies().systemd.sort("ReadWritePaths"), Sort::Words);
        assert_eq!(copies().systemd.sort("ExecStart"), Sort::List);
        assert_eq!(copies().systemd.sort("Restart"), Sort::One);
        assert!(!copies().systemd.is_material("Description"));
    }
}
