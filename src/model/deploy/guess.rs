//! What a path of some host is in a repository, where no host is there to be asked.

use std::path::{Path, PathBuf};

use super::{Deploy, is_checkout, release_of};
use crate::source::{Look, RootId, Sources};

/// The name of a directory that a template fills in; no real one consists of these alone.
pub const FILLED_IN: char = '_';

/// Returns a directory that somebody fills in.
pub fn filled_in() -> PathBuf {
    Path::new("/").join(String::from_iter([FILLED_IN; 4]))
}

/// Where the answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// `[deploy]` or `--deployed-at`.
    Stated,
    /// The path looks like one into a checkout.
    Guessed,
}

/// Returns what an absolute path may be in a repository, the longest first: right only for a path that the repository
/// has or had.
pub fn inside(deploy: &Deploy, root: RootId, path: &Path, sources: &Sources) -> (Source, Vec<PathBuf>) {
    let mut stated: Vec<PathBuf> = deploy
        .stated
        .iter()
        .filter(|stated| stated.root == root)
        .filter_map(|stated| {
            let rest = path.strip_prefix(&stated.host).ok().map(Path::to_owned);
            Some(stated.inside.join(rest.or_else(|| release_of(&stated.host, path))?))
        })
        .collect();
    if !stated.is_empty() {
        stated.sort_by_key(|path| std::cmp::Reverse(path.as_os_str().len()));
        return (Source::Stated, stated);
    }
    let own = sources.root(root).and_then(|root| root.directory.file_name()).unwrap_or_default();
    let mut bases: Vec<&Path> = path.ancestors().skip(1).collect();
    bases.reverse();
    let likely = |base: &&Path| {
        is_checkout(base) || is_filled_in(base) || base.file_name() == Some(own) && base.components().count() > 2
    };
    let bases: Vec<&Path> = bases.into_iter().filter(likely).collect();
    // What lies below a likely checkout and is a directory of the repository is no checkout of it.
    let is_part = |base: &Path| {
        let mut inside = bases.iter().filter_map(|other| base.strip_prefix(other).ok());
        let is_there = |path: &Path| matches!(sources.look(root, &Path::new("/").join(path)), Look::Present(_));
        base.file_name() != Some(own) && inside.any(|path| !path.as_os_str().is_empty() && is_there(path))
    };
    let rests = bases.iter().filter(|base| !is_part(base)).filter_map(|base| path.strip_prefix(base).ok());
    // Capistrano links `shared` into every release; it is never in the repository.
    (Source::Guessed, rests.filter(|rest| !rest.starts_with("shared")).map(Path::to_owned).collect())
}

fn is_filled_in(base: &Path) -> bool {
    base.iter().any(|name| name.to_str().is_some_and(|name| name.len() > 1 && name.chars().all(|c| c == FILLED_IN)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::deploy::Stated;
    use crate::source::RootId;

    fn check(path: &str, stated: &[(&str, &str)], expected: &[&str]) {
        let stated =
            stated.iter().map(|(host, inside)| Stated { host: host.into(), root: RootId(0), inside: inside.into() });
        let deploy = Deploy { stated: stated.collect(), ..Deploy::default() };
        let (_, found) = inside(&deploy, RootId(0), Path::new(path), &Sources::default());
        let found: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn checkouts_are_guessed_and_told() {
        check("/Users/deploy/shop/bin/run", &[], &["bin/run", "run"]);
        check("/srv/shop/current/bin/run", &[], &["current/bin/run", "bin/run"]);
        check("/______/bin/run", &[], &["bin/run", "run"]);
        check("/usr/local/bin/run", &[], &[]);
        check("/srv/shop/shared/bin/run", &[], &[]);
        check("/data/x/run", &[("/data/x", "tools")], &["tools/run"]);
        check("/srv/shop/releases/7/run", &[("/srv/shop/current", "")], &["run"]);
    }
}
