//! What on-access scanners read of the data of services, and the exclusions that were meant to keep them out.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Hosts;
use super::store::{Directory, Store};
use crate::finding::Place;

/// What an exclusion that always holds names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exempts {
    /// Who accesses the files.
    Accounts,
    Paths,
}

/// A scanner over data.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    pub scanner: &'static str,
    pub exempts: Exempts,
    /// The line that makes the scope.
    pub place: Place,
    /// `OnAccessIncludePath /var`.
    pub written: String,
    pub blocks: Blocks,
    pub certainty: Certainty,
    pub data: Vec<Scanned>,
}

/// Whether a process that opens a file waits for the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    EveryAccess,
    /// Every access makes an event and a scan beside it.
    Nothing,
}

/// Whether all that decides stands in files that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    Decided,
    /// Exclusions may be kept elsewhere, or a mount is not written down.
    Assumed,
}

/// A directory with data.
#[derive(Clone, Debug, PartialEq)]
pub struct Scanned {
    /// `MySQL`.
    pub label: &'static str,
    pub unit: String,
    pub path: PathBuf,
    pub place: Place,
    pub account: Option<String>,
    pub program: String,
}

/// An exclusion that names data and that the scanner does not heed.
#[derive(Clone, Debug, PartialEq)]
pub struct Ineffective {
    pub scanner: &'static str,
    pub exempts: Exempts,
    pub place: Place,
    pub written: String,
    pub reason: Reason,
    /// The line that makes the scope.
    pub scope: Place,
    pub certainty: Certainty,
    pub data: Vec<Scanned>,
}

/// Why an exclusion is not heeded.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The option is not read beside this one.
    Mode(&'static str),
    /// A regular expression, or a slash at its end, for a version that compares texts.
    Literal { version: String, since: &'static str },
    /// It names a link; the directory is this one.
    Link(PathBuf),
    /// It names a file: `isDirectory` is not true.
    NoDirectory,
    /// It is read by the daemon for its own scans, after the kernel has already asked.
    OtherOption,
}

/// A scanner that takes away what it flags.
#[derive(Clone, Debug, PartialEq)]
pub struct Taking {
    pub scanner: &'static str,
    pub unit: String,
    pub place: Place,
    /// `--move=/root/quarantine`.
    pub written: String,
    pub scope: Place,
    pub data: Vec<Scanned>,
}

/// One line of a scanner with everything in its scope.
pub(super) struct Line {
    pub scanner: &'static str,
    pub exempts: Exempts,
    pub place: Place,
    pub written: String,
    pub blocks: Blocks,
    pub data: Vec<Datum>,
    pub takes: Option<Take>,
}

pub(super) struct Datum {
    pub scanned: Scanned,
    pub certainty: Certainty,
    pub despite: Option<Despite>,
}

/// The exclusion that would have been meant.
#[derive(Clone)]
pub(super) struct Despite {
    pub place: Place,
    pub written: String,
    pub reason: Reason,
}

#[derive(Clone)]
pub(super) struct Take {
    pub unit: String,
    pub place: Place,
    pub written: String,
}

impl Scanned {
    pub(super) fn of(store: &Store, directory: &Directory) -> Self {
        Self {
            label: &store.row.label,
            unit: store.service.launch.name.clone(),
            path: directory.real.clone(),
            place: directory.place,
            account: store.account.clone(),
            program: store.program.clone(),
        }
    }
}

impl Line {
    /// Reports the most specific fault of each directory: an exclusion that is not heeded, else the scan.
    pub(super) fn settle(self, found: &mut Hosts) {
        if self.data.is_empty() {
            return;
        }
        if let Some(take) = &self.takes {
            found.takings.push(Taking {
                scanner: self.scanner,
                unit: take.unit.clone(),
                place: take.place,
                written: take.written.clone(),
                scope: self.place,
                data: self.data.iter().map(|datum| datum.scanned.clone()).collect(),
            });
        }
        let mut despite: BTreeMap<Place, Ineffective> = BTreeMap::new();
        let mut scan = Scan {
            scanner: self.scanner,
            exempts: self.exempts,
            place: self.place,
            written: self.written,
            blocks: self.blocks,
            certainty: Certainty::Decided,
            data: Vec::new(),
        };
        for datum in self.data {
            match datum.despite {
                None => {
                    scan.data.push(datum.scanned);
                    if datum.certainty == Certainty::Assumed {
                        scan.certainty = Certainty::Assumed;
                    }
                }
                Some(exclusion) => {
                    let fault = despite.entry(exclusion.place).or_insert_with(|| Ineffective {
                        scanner: self.scanner,
                        exempts: self.exempts,
                        place: exclusion.place,
                        written: exclusion.written.clone(),
                        reason: exclusion.reason.clone(),
                        scope: self.place,
                        certainty: datum.certainty,
                        data: Vec::new(),
                    });
                    fault.data.push(datum.scanned);
                }
            }
        }
        found.exclusions.extend(despite.into_values());
        if !scan.data.is_empty() {
            found.scans.push(scan);
        }
    }
}
