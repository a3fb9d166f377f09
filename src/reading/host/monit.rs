//! monit's control files and what they include: found, admitted, and put on the list.

use std::collections::BTreeSet;
use std::path::Path;

use super::Gatherer;
use super::tables::INCLUDED;
use crate::classify::Kind;
use crate::facts::host::{Listed, Reader, ServiceDirectory};
use crate::knowledge::unit::monit;
use crate::source::FileId;
use crate::syntax::directive::{self, Format};

/// Patterns of `include` that are followed at most, all together.
const PATTERNS: usize = 50;
const KIND: Kind = Kind::Directive(Format::Monit);

impl Gatherer<'_> {
    /// monit reads the first control file that it finds; an included file may include others.
    pub(super) fn monit(&mut self) -> Option<ServiceDirectory> {
        let mut main = monit().files.iter().find_map(|path| self.single(Path::new(path), Reader::Monit, KIND))?;
        let mut seen: BTreeSet<FileId> = main.entries.iter().filter_map(|listed| listed.text).collect();
        let mut next: Vec<FileId> = seen.iter().copied().collect();
        let mut patterns = BTreeSet::new();
        while let Some(file) = next.pop() {
            for pattern in self.monit_includes(file) {
                if patterns.len() >= PATTERNS || !patterns.insert(pattern.clone()) {
                    continue;
                }
                let mut entries = Vec::new();
                self.expand(Path::new("/"), Path::new(&pattern), &mut entries);
                for entry in entries {
                    if seen.len() >= INCLUDED {
                        return Some(main);
                    }
                    let Some(one) = self.listed(&entry, None) else { continue };
                    if let Some(text) = one.text.filter(|text| seen.insert(*text)) {
                        self.task(text, KIND);
                        next.push(text);
                        main.entries.push(one);
                    }
                }
            }
        }
        main.entries.sort_by(|one: &Listed, other: &Listed| one.path.cmp(&other.path));
        Some(main)
    }

    fn monit_includes(&mut self, file: FileId) -> Vec<String> {
        let mut text = Vec::new();
        if self.sources.read(file, self.sources.limits().file, &mut text).is_err() {
            return Vec::new();
        }
        let parsed = directive::parse(Format::Monit, &text);
        let includes = parsed.tree.iter().filter(|statement| statement.key.text == "include");
        let patterns = includes.filter_map(|statement| statement.fields.first());
        let patterns = patterns.map(|pattern| pattern.text.trim_matches(['"', '\'']).to_owned());
        // What a relative one begins with is where monit was started.
        patterns.filter(|pattern| pattern.starts_with('/')).take(INCLUDED).collect()
    }
}
