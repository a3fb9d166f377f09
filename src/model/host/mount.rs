//! File systems of a host, as its fstab says.

use std::path::{Path, PathBuf};

use super::Host;
use crate::syntax::directive::Format;

/// A line of fstab.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mount {
    pub path: PathBuf,
    pub kind: String,
    pub options: Vec<String>,
}

/// Returns the mounts of fstab; nothing if there is no fstab.
pub(super) fn mounts(host: &Host<'_>) -> Vec<Mount> {
    let Some((_, lines)) = host.table(Path::new("/etc/fstab"), Format::Blanks) else { return Vec::new() };
    let mount = |line: &crate::syntax::directive::Directive| {
        let field = |at: usize| line.fields.get(at).map(|field| field.text.as_str());
        let path = field(1).filter(|path| path.starts_with('/'))?;
        Some(Mount {
            path: PathBuf::from(path),
            kind: field(2).unwrap_or_default().to_owned(),
            options: field(3).unwrap_or_default().split(',').map(str::to_owned).collect(),
        })
    };
    lines.iter().filter_map(mount).collect()
}

/// Returns the mount that holds a path.
pub(super) fn of<'m>(mounts: &'m [Mount], path: &Path) -> Option<&'m Mount> {
    let above = mounts.iter().filter(|mount| path.starts_with(&mount.path));
    above.max_by_key(|mount| mount.path.components().count())
}
