//! Where a class of Ruby gets things from: its modules, its base, theirs. What no file of the root defines is a gem's.

use super::Resolver;
use super::constant::{Opened, nesting, path};
use crate::facts::code::{CodeFacts, TypeFact};
use crate::source::FileId;

/// Classes and modules above a class that are looked at.
const ABOVE: usize = 16;
/// Places where all of them together are opened: more than anybody writes.
const PARTS: usize = 64;

/// A class and what it is made of.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct Lineage<'a> {
    /// The class where it is opened, then what is above it, the nearest first.
    pub parts: Vec<Opened<'a>>,
    /// The whole paths of those, the class's own first.
    pub paths: Vec<Vec<&'a str>>,
    /// There is more than is looked at.
    pub is_cut: bool,
    /// What is above it and that no file defines which was read.
    pub unread: Vec<Unread<'a>>,
}

/// A class or module that was not read.
#[derive(Clone, Debug)]
pub(in crate::model) struct Unread<'a> {
    pub path: Vec<&'a str>,
    /// A base gives everything that it has; a module seldom more than methods.
    pub relation: Relation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::model) enum Relation {
    Base,
    Mixed,
}

impl<'a> Resolver<'a> {
    /// Returns what the class is made of that a file opens.
    pub(in crate::model) fn lineage(&self, file: FileId, fact: &'a TypeFact) -> Lineage<'a> {
        let mut lineage = Lineage::default();
        let Some(code) = self.code(file) else { return lineage };
        let Some(own) = nesting(code, fact.bytes).pop() else { return lineage };
        let root = self.sources.file(file).map(|entry| entry.root);
        let index = self.constants();
        let mut next = vec![own];
        while let Some(class) = next.pop() {
            if lineage.paths.contains(&class) {
                continue;
            }
            if lineage.paths.len() >= ABOVE {
                lineage.is_cut = true;
                continue;
            }
            let opened = index.classes.get(&class).into_iter().flatten();
            let here: Vec<&Opened<'a>> =
                opened.filter(|part| self.sources.file(part.file).map(|entry| entry.root) == root).collect();
            lineage.is_cut |= lineage.parts.len() + here.len() > PARTS;
            let here = here.get(..here.len().min(PARTS - lineage.parts.len())).unwrap_or_default();
            lineage.parts.extend(here.iter().map(|part| (*part).clone()));
            for part in here.iter().rev() {
                // What is put on last is looked at first.
                for above in part.above.iter().rev() {
                    let Some(name) = path(above) else { continue };
                    if let Some(whole) = index.named_from(&class, &name) {
                        next.push(whole);
                        continue;
                    }
                    let is_base = part.fact.bases.iter().any(|base| std::ptr::eq(base, *above));
                    let relation = if is_base { Relation::Base } else { Relation::Mixed };
                    lineage.unread.push(Unread { path: name, relation });
                }
            }
            lineage.paths.push(class);
        }
        lineage
    }

    /// Asks for the files that by their names define a class or module; says whether there is one in the root.
    pub(in crate::model) fn ask_for_class(&self, file: FileId, path: &[&str]) -> bool {
        let files: Vec<FileId> = self.files_of(file, path).collect();
        let unread = files.iter().copied().filter(|id| !self.facts.contains_key(id));
        self.wanted.borrow_mut().files.extend(unread);
        !files.is_empty()
    }
}

/// Returns the whole path of a class or module.
pub(in crate::model) fn class_path<'a>(code: &'a CodeFacts, fact: &TypeFact) -> Vec<&'a str> {
    nesting(code, fact.bytes).pop().unwrap_or_default()
}
