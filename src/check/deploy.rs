//! `--deployed-at`, `[deploy]` and `[[deploy.pin]]` as the model takes them: paths in the checked roots.

use std::path::{Path, PathBuf};

use super::Roots;
use crate::cli::{Contents, Request};
use crate::finding::{Problem, ProblemKind};
use crate::model::deploy::{Deploy, Pin, Stated};
use crate::source::{FileId, RootId, RootKind};

/// Returns what the user says of deployments. What lies outside the checked roots says nothing about them: of an option
/// that is a problem, a configuration is written for other checks too.
pub(super) fn of(request: &Request, roots: &mut Roots, problems: &mut Vec<Problem>) -> Deploy {
    let mut deploy = Deploy::default();
    for option in &request.deployed_at {
        let path = option.path.canonicalize().or_else(|_| std::path::absolute(&option.path));
        match path.ok().and_then(|path| stated(&option.host, &path, roots)) {
            Some(stated) => deploy.stated.push(stated),
            None => problems.push(outside(&option.host, &option.path)),
        }
    }
    let directory = &request.config.directory;
    for entry in &request.config.deploy {
        deploy.stated.extend(stated(&entry.host, &directory.join(&entry.repository), roots));
    }
    if request.config.pins.is_empty() {
        return deploy;
    }
    let Some(file) = request.config.path.as_ref().and_then(|path| configuration(path, request, roots)) else {
        return deploy;
    };
    for pin in &request.config.pins {
        let path = directory.join(&pin.path);
        deploy.pins.extend(inside(&path, roots).map(|(root, path)| Pin {
            root,
            path,
            by: pin.by.clone(),
            place: file.span(pin.bytes).into(),
        }));
    }
    deploy
}

fn outside(host: &Path, path: &Path) -> Problem {
    Problem {
        path: path.to_string_lossy().into_owned(),
        kind: ProblemKind::CouldNotLook,
        line: None,
        column: None,
        message: format!(
            "--deployed-at {}={}: no checked repository holds it, so it explains nothing",
            host.display(),
            path.display()
        ),
    }
}

fn stated(host: &Path, path: &Path, roots: &Roots) -> Option<Stated> {
    if let Some((root, inside)) = inside(path, roots) {
        return Some(Stated { host: host.to_owned(), root, inside });
    }
    // The checked root is a part of what is deployed.
    roots.repositories.iter().find_map(|root| {
        let below = roots.sources.root(*root)?.directory.strip_prefix(path).ok()?.to_owned();
        Some(Stated { host: host.join(below), root: *root, inside: PathBuf::new() })
    })
}

/// Returns the checked root that holds a path of this machine, and the path in it.
fn inside(path: &Path, roots: &Roots) -> Option<(RootId, PathBuf)> {
    roots.repositories.iter().find_map(|root| {
        let inside = path.strip_prefix(&roots.sources.root(*root)?.directory).ok()?.to_owned();
        Some((*root, inside))
    })
}

/// Makes the configuration a source, so that it can be pointed at. It may lie above the checked root, and it is read
/// from the disk even where the index is checked.
fn configuration(path: &Path, request: &Request, roots: &mut Roots) -> Option<FileId> {
    let real = path.canonicalize().ok()?;
    if request.contents == Contents::WorkTree
        && let Some((root, inside)) = inside(&real, roots)
    {
        return roots.sources.admit(root, &inside);
    }
    let here = std::env::current_dir().and_then(|directory| directory.canonicalize()).unwrap_or_default();
    let parent = real.parent()?;
    let shown = parent.strip_prefix(&here).unwrap_or(parent).to_string_lossy().into_owned();
    let shown = if shown.is_empty() { ".".to_owned() } else { shown };
    let root = roots.sources.add_root(RootKind::WorkTree, parent, &shown).ok()?;
    roots.sources.admit(root, Path::new(real.file_name()?))
}
