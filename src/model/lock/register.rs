//! Which locks nobody enforces: what an application must hand to Sidekiq, and does not.

use super::setup::{Block, Part, Setup, Side};
use super::{Kind, Package, Reader, Refused, Released, Ttl, UniqueClass, Unregistered, asked};
use crate::finding::Place;
use crate::knowledge::lock::unique;
use crate::model::resolve::FactsByFile;
use crate::source::Sources;

impl Setup<'_> {
    /// Returns what the root's blocks leave out, for the classes that ask for locks there.
    pub(super) fn unregistered(
        &self,
        classes: &[&UniqueClass<'_>],
        facts: &FactsByFile,
        sources: &Sources,
    ) -> Vec<Unregistered> {
        let mut found = self.enterprise(classes);
        found.extend(self.unique_jobs(classes, facts, sources));
        found
    }

    /// Sidekiq Enterprise takes no lock unless it is told to.
    fn enterprise(&self, classes: &[&UniqueClass<'_>]) -> Vec<Unregistered> {
        let first = classes.iter().find(|class| class.reader == Reader::Enterprise && !class.active_job);
        let silent = first.filter(|_| !self.enterprise).map(|class| Unregistered {
            package: class.package.clone(),
            place: class.lock.key.into(),
            side: None,
            missing: Vec::new(),
            other_side: false,
            example: class.lock.clone(),
            example_name: class.name.clone(),
            keeps: None,
            reader: Reader::Enterprise,
        });
        silent.into_iter().collect()
    }

    fn unique_jobs(&self, classes: &[&UniqueClass<'_>], facts: &FactsByFile, sources: &Sources) -> Vec<Unregistered> {
        let behaviour = &unique().behaviour;
        let mut own = classes.iter().filter(|class| {
            class.reader == Reader::UniqueJobs
                && !class.active_job
                && !matches!(class.kind, Kind::Unknown(_))
                && class.lock_type().is_some()
                && !behaviour.registers_itself.holds(&class.package.version)
        });
        let Some(example) = own.clone().next() else { return Vec::new() };
        let keeps = own.find(|class| {
            class.ttl == Ttl::Never
                && class.lock_type().is_some_and(|row| matches!(row.released, Released::Success | Released::Expiry))
        });
        let report = |place: Place, side: Option<Side>, missing: Vec<Part>| Unregistered {
            package: example.package.clone(),
            place,
            side,
            missing,
            other_side: false,
            example: example.lock.clone(),
            example_name: example.name.clone(),
            keeps: keeps.map(|class| class.lock.value),
            reader: Reader::UniqueJobs,
        };
        if self.registrations.is_empty() {
            // A library leaves it to the application.
            let place = gem_line(&example.package, facts, sources, example).filter(|_| !is_library(sources, example));
            return place.map(|place| report(place, None, Vec::new())).into_iter().collect();
        }
        let is_there = |part: Part, side: Side| {
            self.registrations.iter().any(|own| own.part == part && own.side.is_none_or(|own| own == side))
        };
        // A block that is handed on may hold anything.
        let is_open = |side: Side| self.blocks.iter().any(|block| block.side == side && !block.written);
        let wanted =
            [(Side::Server, vec![Part::Client, Part::Server, Part::Lifecycle]), (Side::Client, vec![Part::Client])];
        let mut found = Vec::new();
        for (side, parts) in wanted {
            if is_open(side) {
                continue;
            }
            let mut missing: Vec<Part> = parts.into_iter().filter(|part| !is_there(*part, side)).collect();
            // Without the reaper and the death handler nothing releases what a crash leaves; what expires goes anyway.
            if missing == [Part::Lifecycle] && keeps.is_none() {
                missing.clear();
            }
            if missing.is_empty() {
                continue;
            }
            // The block where the rest is registered, else any block of the side, else that of the other side.
            let holds = |block: &Block| {
                self.registrations
                    .iter()
                    .any(|own| block.span.file == own.span.file && block.span.bytes.contains(own.span.bytes))
            };
            let of_side = |block: &&Block| block.side == side;
            let block = self
                .blocks
                .iter()
                .filter(of_side)
                .find(|block| holds(block))
                .or_else(|| self.blocks.iter().find(of_side))
                .or_else(|| self.blocks.iter().find(|block| holds(block)));
            if let Some(block) = block {
                let mut one = report(block.name.into(), Some(side), missing);
                one.other_side = block.side != side;
                found.push(one);
            }
        }
        found
    }

    /// Returns the settings that the configuration of the version does not have.
    pub(super) fn refused(&self, classes: &[&UniqueClass<'_>]) -> Vec<Refused> {
        let Some(class) = classes.iter().find(|class| class.reader == Reader::UniqueJobs) else { return Vec::new() };
        let rows = unique().refused.iter().filter(|row| row.from.holds(&class.package.version));
        let names: Vec<&str> = rows.flat_map(|row| &row.names).map(String::as_str).collect();
        let written = self.written.iter().filter(|(name, _)| names.contains(name));
        written
            .map(|(name, at)| Refused { package: class.package.clone(), name: (*name).to_owned(), at: *at })
            .collect()
    }
}

/// Says whether the root is a gem.
fn is_library(sources: &Sources, class: &UniqueClass<'_>) -> bool {
    let root = sources.file(class.file).map(|entry| entry.root);
    sources.files().any(|(_, entry)| {
        Some(entry.root) == root
            && entry.path.components().count() == 1
            && entry.path.extension().is_some_and(|extension| extension == "gemspec")
    })
}

/// Returns the line that asks for the gem, else the one that locks it.
fn gem_line(package: &Package, facts: &FactsByFile, sources: &Sources, class: &UniqueClass<'_>) -> Option<Place> {
    let asked = asked(facts, sources, class.file, &unique().package);
    asked.map(|(file, asked)| file.span(asked.bytes)).or(package.place).map(Place::from)
}
