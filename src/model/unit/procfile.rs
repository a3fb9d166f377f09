//! The entries of a repository's Procfile: shell texts that run in the root of the tree.
//!
//! A tree lacks what its deploy builds, so a path counts as missing only if git knows the commit that removed it.

use std::path::{Component, Path};

use super::command::{Argument, Certainty, Found, Reference, Surroundings, follow_script};
use super::{Command, Domain, Job, Manager, Need, Persistence, StartedBy, State};
use crate::classify::Kind;
use crate::facts::Body;
use crate::finding::Place;
use crate::knowledge::place::places;
use crate::model::resolve::FactsByFile;
use crate::source::{Bytes, FileId, Look, RootId, Sources};
use crate::syntax::directive::Format;

/// Finds the entries of the Procfiles at the top of the roots.
pub(super) fn jobs(facts: &FactsByFile, sources: &Sources) -> Vec<Job> {
    let mut found = Vec::new();
    for (file, facts) in facts.iter().filter(|(_, facts)| facts.kind == Kind::Directive(Format::Procfile)) {
        let Some(entry) = sources.file(*file).filter(|entry| entry.path == Path::new("Procfile")) else { continue };
        let Some(root) = sources.root(entry.root) else { continue };
        let Body::Table(lines) = &facts.body else { continue };
        for line in lines {
            let Some(value) = &line.value else { continue };
            let mut around = Surroundings { directory: Some(root.directory.clone()), ..Surroundings::default() };
            let mut read = Found::default();
            follow_script(&Argument { text: value.clone(), certainty: Certainty::Known }, &mut around, &mut read);
            let place = |bytes: Bytes| Place::from(file.span(bytes));
            let tree = Tree { file: *file, root: entry.root, directory: &root.directory, sources };
            found.push(Job {
                name: line.key.text.clone(),
                manager: Manager::Procfile,
                domain: Domain::System,
                root: entry.root,
                file: *file,
                needs: read.references.into_iter().filter_map(|reference| tree.need(reference)).collect(),
                commands: read.programs.into_iter().map(|program| Command::of(program, "command", &place)).collect(),
                environment: Vec::new(),
                user: None,
                directory: Some(root.directory.clone()),
                persistence: Persistence::Unknown,
                stop: None,
                stop_signal: None,
                started_by: StartedBy::Manager,
            });
        }
    }
    found
}

struct Tree<'a> {
    file: FileId,
    root: RootId,
    directory: &'a Path,
    sources: &'a Sources,
}

impl Tree<'_> {
    /// A path outside the tree belongs to another machine.
    fn need(&self, reference: Reference) -> Option<Need> {
        let mut missing = None;
        let mut first = None;
        for path in &reference.paths {
            let inside = path.strip_prefix(self.directory).ok()?;
            let has_parent = inside.components().any(|part| part == Component::ParentDir);
            if has_parent || places().is_generated(inside) || self.sources.ignores(self.root, inside) {
                return None;
            }
            let inside = Path::new("/").join(inside);
            match self.sources.look(self.root, &inside) {
                Look::Absent { ancestor, dangling } => {
                    first.get_or_insert(inside);
                    missing.get_or_insert(State::Missing { ancestor, dangling });
                }
                Look::Present(_) | Look::Unseen(_) => return None,
            }
        }
        Some(Need {
            state: missing?,
            fails: reference
                .role
                .fails_behind_a_program()
                .unwrap_or_else(|| "with \"not found\" in its shell".to_owned()),
            path: first?,
            place: self.file.span(reference.bytes).into(),
            written: reference.written,
            setting: "the Procfile".to_owned(),
            role: reference.role,
            program_in_string: None,
            removal: None,
            unexplained: None,
            variables: Vec::new(),
            repository: None,
        })
    }
}
