//! `foreshock audit --pins`: what hosts need of repositories, as TOML for their foreshock.toml.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use super::{CLEAN, FAILED, Roots, write_stream};
use crate::finding::Problem;
use crate::model::{Model, deploy};
use crate::source::RootId;

/// The longest name of a host (gethostname(2)).
const NAME: u64 = 255;

/// Prints the pins of all hosts, a table a path, grouped by work tree.
pub(super) fn print(
    model: &Model<'_>,
    roots: &Roots,
    names: &BTreeMap<RootId, String>,
    problems: &[Problem],
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let needed = deploy::needed(&model.jobs, &roots.sources);
    let mut text = String::new();
    for pinned in &needed {
        if !text.is_empty() {
            text.push('\n');
        }
        let host = names.get(&pinned.host);
        let _ = writeln!(
            text,
            "# {}{}",
            host.map(|host| format!("{host}: ")).unwrap_or_default(),
            plain(&pinned.work_tree)
        );
        for (at, (path, by)) in pinned.paths.iter().enumerate() {
            if at > 0 {
                text.push('\n');
            }
            let by: Vec<String> = by.iter().map(|by| by.display().to_string()).collect();
            let by = host.map(|host| format!("{host}: ")).unwrap_or_default() + &by.join(", ");
            let path = path.to_string_lossy().into_owned();
            let value = |text: String| toml::Value::String(text).to_string();
            let _ = writeln!(text, "[[deploy.pin]]\npath = {}\nby = {}", value(path), value(by));
        }
    }
    if needed.is_empty() {
        let _ = writeln!(err, "no unit of this host needs a path that a git work tree holds or held");
    }
    for problem in problems {
        let _ = writeln!(err, "{}: {}", crate::cli::visible(&problem.path), crate::cli::visible(&problem.message));
    }
    match write_stream(out, &text) {
        Ok(()) => CLEAN,
        Err(message) => {
            let _ = writeln!(err, "error: {message}");
            FAILED
        }
    }
}

/// A path within a comment of one line.
fn plain(path: &Path) -> String {
    crate::cli::visible(&path.to_string_lossy())
}

/// Returns the name of each host, from its own root.
pub(super) fn names(roots: &mut Roots) -> BTreeMap<RootId, String> {
    let mut names = BTreeMap::new();
    let mut text = Vec::new();
    for host in &roots.hosts {
        let Some(file) = roots.sources.admit(*host, Path::new("etc/hostname")) else { continue };
        if roots.sources.read(file, NAME, &mut text).is_err() {
            continue;
        }
        let text = String::from_utf8_lossy(&text);
        let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        let is_name = |line: &&str| line.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'));
        names.extend(line.filter(is_name).map(|line| (*host, line.to_owned())));
    }
    names
}
