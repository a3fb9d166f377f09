//! Hosts as a whole: where services keep their data, what scans it, and which limits they get for what they ask for.
//!
//! What a service is told to read is read in a later round; [`wanted`] says what that is.

mod clamav;
mod defender;
mod limit;
mod mount;
mod pam;
mod scan;
mod settings;
mod store;
mod sysctl;
mod volatile;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use super::process::Want;
use super::resolve::FactsByFile;
use super::unit::{Evidence, Service, StartedBy, services_of};
use crate::classify::Kind;
use crate::facts::host::HostFacts;
use crate::facts::{Body, FileFacts};
use crate::source::{EntryKind, FileId, Look, RootId, Sources};
use crate::syntax::directive;

pub use crate::facts::kernel::Runs;
pub use limit::{Shortfall, Source, Summand};
pub use pam::IgnoredLimit;
pub use scan::{Blocks, Certainty, Exempts, Ineffective, Reason, Scan, Scanned, Taking};
pub use volatile::{Volatile, sought};

/// What is wrong with the hosts of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hosts {
    pub scans: Vec<Scan>,
    pub exclusions: Vec<Ineffective>,
    pub takings: Vec<Taking>,
    pub shortfalls: Vec<Shortfall>,
    pub ignored: Vec<IgnoredLimit>,
    pub volatile: Vec<Volatile>,
}

/// Names of one directory that are looked at.
const NAMES: usize = 2_000;

/// One host being looked at.
struct Host<'a> {
    root: RootId,
    facts: &'a FactsByFile,
    sources: &'a Sources,
    host: &'a HostFacts,
    evidence: &'a Evidence<'a>,
    services: Vec<Service>,
    wants: RefCell<BTreeSet<Want>>,
}

/// Judges the hosts by what was read of them.
pub fn judge(hosts: &[HostFacts], facts: &FactsByFile, sources: &Sources) -> Hosts {
    let mut found = Hosts { volatile: volatile::volatile(facts, sources), ..Hosts::default() };
    for host in hosts {
        let evidence = Evidence::of(host, facts, sources);
        Host::of(host, facts, sources, &evidence).judge(&mut found);
    }
    found
}

/// Returns the files that would be read to judge the hosts, and were not yet.
pub fn wanted(hosts: &[HostFacts], facts: &FactsByFile, sources: &Sources) -> BTreeSet<Want> {
    let mut wants = BTreeSet::new();
    for host in hosts {
        let evidence = Evidence::of(host, facts, sources);
        let host = Host::of(host, facts, sources, &evidence);
        host.judge(&mut Hosts::default());
        wants.extend(host.wants.into_inner());
    }
    wants
}

impl<'a> Host<'a> {
    fn of(host: &'a HostFacts, facts: &'a FactsByFile, sources: &'a Sources, evidence: &'a Evidence<'a>) -> Self {
        let mut services = services_of(host, facts, evidence);
        services.retain(|service| service.started_by != StartedBy::Nobody);
        Self { root: host.root, facts, sources, host, evidence, services, wants: RefCell::default() }
    }

    fn judge(&self, found: &mut Hosts) {
        let stores = store::stores(self);
        let mut scans = clamav::scans(self, &stores);
        scans.extend(defender::scan(self, &stores));
        for scan in scans {
            scan.settle(found);
        }
        found.shortfalls.extend(limit::shortfalls(self, &stores));
        found.ignored.extend(pam::ignored(self));
    }

    /// Returns what was read of a file, links followed; one that exists and was not read yet is asked for.
    fn read(&self, path: &Path, kind: Kind) -> Option<&'a FileFacts> {
        let relative = path.strip_prefix("/").unwrap_or(path);
        if let Some(facts) = self.sources.known(self.root, relative).and_then(|file| self.facts.get(&file)) {
            return (facts.kind == kind).then_some(facts);
        }
        if let Look::Present(present) = self.sources.look(self.root, path)
            && present.kind == EntryKind::File
        {
            self.wants.borrow_mut().insert(Want { root: self.root, path: relative.to_path_buf(), kind });
        }
        None
    }

    fn table(&self, path: &Path, format: directive::Format) -> Option<(FileId, &'a directive::File)> {
        let facts = self.read(path, Kind::Directive(format))?;
        match &facts.body {
            Body::Table(lines) => Some((facts.file, lines)),
            _ => None,
        }
    }

    fn exists(&self, path: &Path) -> bool {
        matches!(self.sources.look(self.root, path), Look::Present(_))
    }

    fn is_file(&self, path: &Path) -> bool {
        matches!(self.sources.look(self.root, path), Look::Present(present) if present.kind == EntryKind::File)
    }

    /// Returns the names in a directory, sorted.
    fn names(&self, path: &Path) -> Vec<String> {
        let entries = self.sources.list(self.root, path).unwrap_or_default();
        entries.iter().take(NAMES).map(|entry| entry.name().to_string_lossy().into_owned()).collect()
    }

    /// Returns the services that execute one of the programs, with the command and the place of the program in it.
    fn running<'s>(&'s self, programs: &[String]) -> Vec<(&'s Service, Vec<super::unit::Word>, usize)> {
        let mut found = Vec::new();
        for service in &self.services {
            for command in service.commands() {
                let at = command.iter().enumerate().position(|(index, word)| {
                    let text = word.text.as_deref().unwrap_or_default();
                    let name = text.rsplit('/').next().unwrap_or_default();
                    (index == 0 || text.starts_with('/')) && programs.iter().any(|program| program == name)
                });
                if let Some(at) = at {
                    found.push((service, command, at));
                }
            }
        }
        found
    }
}
