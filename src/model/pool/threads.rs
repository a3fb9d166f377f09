//! What a process runs: how many threads, in how many copies, and what else takes connections.

use std::collections::BTreeMap;

use super::amount::Amount;
use crate::finding::Place;
use crate::model::ruby::{Evaluated, Run};
use crate::source::{FileId, Span};

/// Threads of one process that may run the application's code.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    pub most: Amount,
    /// The lower bound, where the program has one.
    pub least: Option<Amount>,
    /// The token that sets the number: an argument, a key's value, a flag.
    pub set_at: Option<Place>,
    /// Processes of this kind that the command starts.
    pub copies: Amount,
    pub extras: Vec<Extra>,
    /// What the program was called with, once its own files have run.
    pub run: Option<Run>,
    pub file: Option<FileId>,
    /// Variables that the process has set for itself.
    pub set: BTreeMap<String, Evaluated>,
}

/// Something beside the threads that takes connections of the same pool.
#[derive(Clone, Debug, PartialEq)]
pub struct Extra {
    /// `the worker itself and its heartbeat`.
    pub what: String,
    pub count: Amount,
    pub place: Option<Span>,
}

impl Threads {
    pub(super) fn of(most: Amount) -> Self {
        let one = Amount::default("", None, Some(1), &[]);
        Self {
            most,
            least: None,
            set_at: None,
            copies: one,
            extras: Vec::new(),
            run: None,
            file: None,
            set: BTreeMap::new(),
        }
    }

    pub(super) fn unknown() -> Self {
        Self::of(Amount::unknown())
    }
}
