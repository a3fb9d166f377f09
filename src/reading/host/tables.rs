//! Crontabs, supervisord's files and other tables of a host: found, admitted, and put on the list.

use std::path::{Path, PathBuf};

use super::Gatherer;
use crate::classify::Kind;
use crate::facts::host::{Listed, Reader, ServiceDirectory};
use crate::knowledge::unit::{cron, run_levels, supervisord};
use crate::source::{Entry, EntryKind, FileId, Look};
use crate::syntax::directive::{self, Format};

/// Files that one configuration includes at most.
pub(super) const INCLUDED: usize = 1_000;

impl Gatherer<'_> {
    /// Admits the files of some directories whose names fit.
    pub(super) fn tables(&mut self, paths: &[String], kind: Kind, fits: &dyn Fn(&str) -> bool) -> Vec<FileId> {
        let mut files = Vec::new();
        for path in paths {
            for entry in self.list(Path::new(path)) {
                if fits(&entry.name().to_string_lossy())
                    && let Some(file) = self.listed(&entry, None).and_then(|listed| listed.text)
                {
                    self.task(file, kind);
                    files.push(file);
                }
            }
        }
        files
    }

    pub(super) fn crontabs(&mut self, directories: &mut Vec<ServiceDirectory>) {
        let table = cron();
        let dotted = table
            .dotted_where
            .iter()
            .any(|mark| matches!(self.sources.look(self.root, Path::new(mark)), Look::Present(_)));
        let reads = |name: &str| {
            let strict = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
            let left_out = name.starts_with('.') || table.left_out.iter().any(|end| name.ends_with(end.as_str()));
            strict || dotted && !left_out
        };
        let kind = Some(Kind::Directive(Format::Crontab));
        for path in &table.system_files {
            directories.extend(self.single(Path::new(path), Reader::SystemCrontab, Kind::Directive(Format::Crontab)));
        }
        for path in &table.system_directories {
            directories.extend(self.files(path, Reader::SystemCrontab, kind, &reads));
        }
        for path in &table.user_directories {
            directories.extend(self.files(path, Reader::UserCrontab, kind, &|name| !name.starts_with('.')));
        }
        for path in &table.anacrontabs {
            let kind = Kind::Directive(Format::Anacrontab);
            directories.extend(self.single(Path::new(path), Reader::Anacrontab, kind));
        }
        for path in &table.script_directories {
            directories.extend(self.files(path, Reader::CronScripts, None, &reads));
        }
    }

    /// One file in a directory that holds others too.
    pub(super) fn single(&mut self, path: &Path, reader: Reader, kind: Kind) -> Option<ServiceDirectory> {
        let parent = path.parent()?;
        let name = path.file_name()?;
        let entry = self.list(parent).into_iter().find(|entry| entry.name() == name)?;
        let listed = self.listed(&entry, None)?;
        if let Some(text) = listed.text {
            self.task(text, kind);
        }
        Some(ServiceDirectory { path: parent.to_path_buf(), reader, entries: vec![listed] })
    }

    fn files(
        &mut self,
        path: &str,
        reader: Reader,
        kind: Option<Kind>,
        reads: &dyn Fn(&str) -> bool,
    ) -> Option<ServiceDirectory> {
        let mut entries = Vec::new();
        for entry in self.list(Path::new(path)) {
            let is_text = matches!(entry.kind, EntryKind::File | EntryKind::Link(_));
            if !is_text || !reads(&entry.name().to_string_lossy()) {
                continue;
            }
            let Some(listed) = self.listed(&entry, None) else { continue };
            if let (Some(text), Some(kind)) = (listed.text, kind) {
                self.task(text, kind);
            }
            entries.push(listed);
        }
        (!entries.is_empty()).then(|| ServiceDirectory { path: PathBuf::from(path), reader, entries })
    }

    /// Links that start scripts when a level is reached.
    pub(super) fn run_levels(&mut self, directories: &mut Vec<ServiceDirectory>) {
        for (path, level) in &run_levels().directories {
            let starts = |name: &str| name.starts_with('S');
            directories.extend(self.files(path, Reader::RunLevel(level.clone()), None, &starts));
        }
    }

    /// supervisord's main files and what their `[include]` names; included files include no others.
    pub(super) fn supervisord(&mut self) -> Vec<ServiceDirectory> {
        let kind = Kind::Directive(Format::Ini);
        let mut found = Vec::new();
        for path in &supervisord().files {
            let path = Path::new(path);
            let Some(main) = self.single(path, Reader::Supervisord, kind) else { continue };
            let patterns = main.entries.first().and_then(|listed| listed.text).map(|file| self.includes(file));
            found.push(main);
            let Some(here) = path.parent() else { continue };
            let mut entries = Vec::new();
            for pattern in patterns.unwrap_or_default() {
                let pattern = pattern.replace("%(here)s", &here.to_string_lossy());
                self.expand(here, Path::new(&pattern), &mut entries);
            }
            let mut listed: Vec<Listed> = Vec::new();
            for entry in entries.iter().take(INCLUDED) {
                let Some(one) = self.listed(entry, None) else { continue };
                if let Some(text) = one.text.filter(|text| listed.iter().all(|other| other.text != Some(*text))) {
                    self.task(text, kind);
                    listed.push(one);
                }
            }
            if !listed.is_empty() {
                found.push(ServiceDirectory { path: here.to_path_buf(), reader: Reader::Supervisord, entries: listed });
            }
        }
        found
    }

    /// The patterns of `[include] files`.
    fn includes(&mut self, file: FileId) -> Vec<String> {
        let mut text = Vec::new();
        if self.sources.read(file, self.sources.limits().file, &mut text).is_err() {
            return Vec::new();
        }
        let parsed = directive::parse(Format::Ini, &text);
        let files = parsed.tree.iter().rfind(|line| line.section_name() == Some("include") && line.key.text == "files");
        let value = files.and_then(|line| line.value.as_ref());
        value.map(|value| value.text.split_whitespace().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// Finds the files that a pattern with `*` and `?` names, one directory level after the other.
    pub(super) fn expand(&mut self, here: &Path, pattern: &Path, entries: &mut Vec<Entry>) {
        let whole = here.join(pattern);
        let mut directories = vec![PathBuf::from("/")];
        let parts: Vec<String> = whole.iter().skip(1).map(|part| part.to_string_lossy().into_owned()).collect();
        let Some((last, above)) = parts.split_last() else { return };
        for part in above {
            let mut next = Vec::new();
            for directory in &directories {
                if part.contains(['*', '?', '[']) {
                    let found = self.list(directory).into_iter().filter(|entry| {
                        entry.kind == EntryKind::Directory && matches(&entry.name().to_string_lossy(), part)
                    });
                    next.extend(found.map(|entry| Path::new("/").join(&entry.path)));
                } else {
                    next.push(directory.join(part));
                }
            }
            next.truncate(INCLUDED);
            directories = next;
        }
        for directory in &directories {
            let found = self.list(directory).into_iter();
            entries.extend(found.filter(|entry| {
                matches!(entry.kind, EntryKind::File | EntryKind::Link(_))
                    && matches(&entry.name().to_string_lossy(), last)
            }));
        }
    }
}

/// Matches a name against `*` and `?`; a leading dot is matched by a dot only, glob(7).
fn matches(name: &str, pattern: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let (name, pattern): (Vec<char>, Vec<char>) = (name.chars().collect(), pattern.chars().collect());
    let (mut at, mut in_pattern) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(letter) = name.get(at) {
        match pattern.get(in_pattern) {
            Some('*') => {
                star = Some((in_pattern, at));
                in_pattern += 1;
            }
            Some(expected) if *expected == '?' || expected == letter => {
                at += 1;
                in_pattern += 1;
            }
            _ => {
                let Some((star_at, from)) = star else { return false };
                star = Some((star_at, from + 1));
                in_pattern = star_at + 1;
                at = from + 1;
            }
        }
    }
    pattern.iter().skip(in_pattern).all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        let check = |name: &str, pattern: &str, expected: bool| {
            assert_eq!(matches(name, pattern), expected, "{name} {pattern}");
        };
        check("web.conf", "*.conf", true);
        check("web.conf.bak", "*.conf", false);
        check(".web.conf", "*.conf", false);
        check("a1", "a?", true);
        check("ab.ini.ini", "*b*.ini", true);
        check("", "*", true);
    }
}
