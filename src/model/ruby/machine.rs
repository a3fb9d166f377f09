//! The state of an evaluation: names, environment variables, what was called, and the way back from a branch.

use std::collections::BTreeMap;

use super::context::{Context, Lookup};
use super::output::Output;
use super::run::{Call, Read};
use super::value::{Evaluated, Source, Value, Why};
use crate::facts::ruby_config::Method;
use crate::knowledge::process::processes;
use crate::knowledge::ruby::ruby;
use crate::source::{Bytes, FileId, Span};

/// What one evaluation may cost: an expression is one step, a big value costs more.
const STEPS: usize = 200_000;
/// Expressions inside expressions, and methods inside methods.
const DEPTH: usize = 120;
/// Calls that are kept.
const CALLS: usize = 5_000;
/// Bytes of a text, and items of a list with everything in them.
pub(super) const TEXT_LIMIT: usize = 8_192;
pub(super) const LIST_LIMIT: usize = 1_000;

/// A thing that can be assigned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    /// A local variable of one call of a method.
    Local(u32, String),
    /// A constant, an instance variable, a global.
    Shared(String),
    /// An environment variable.
    Variable(String),
}

/// Why evaluation does not go on to the next expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stop {
    /// `raise`, `exit`, or something that raises inside a `begin`.
    Failure(Span),
    Jump(crate::facts::ruby_config::JumpKind, Evaluated),
    /// It may have gone on elsewhere, or a limit is reached.
    Cut(Span),
}

pub(super) struct Machine<'a> {
    pub(super) file: FileId,
    pub(super) context: &'a Context<'a>,
    slots: BTreeMap<Slot, Evaluated>,
    /// What slots held before, for branches that are taken back.
    journal: Vec<(Slot, Option<Evaluated>)>,
    /// Branches that may be taken back.
    marks: usize,
    pub(super) frame: u32,
    frames: u32,
    /// Open classes and modules, whose methods are not the file's.
    pub(super) types: usize,
    pub(super) methods: BTreeMap<&'a str, &'a Method>,
    pub(super) calls: Vec<Call>,
    pub(super) reads: Vec<Read>,
    pub(super) raises: Option<Span>,
    pub(super) unseen: Vec<Span>,
    /// What the tests of the open branches rest on.
    pub(super) control: Vec<Source>,
    /// Open branches and loops of which it is not known whether they are entered.
    pub(super) doubt: usize,
    steps: usize,
    depth: usize,
    pub(super) stop: Option<Stop>,
    /// Open `begin` blocks with a `rescue`.
    pub(super) tries: usize,
    /// Something since the innermost `begin` may have raised.
    pub(super) shaky: bool,
    /// Something may have set any environment variable.
    pub(super) open_environment: bool,
    pub(super) output: Option<Output<'a>>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(file: FileId, context: &'a Context<'a>, output: Option<Output<'a>>) -> Self {
        Self {
            file,
            context,
            slots: BTreeMap::new(),
            journal: Vec::new(),
            marks: 0,
            frame: 0,
            frames: 0,
            types: 0,
            methods: BTreeMap::new(),
            calls: Vec::new(),
            reads: Vec::new(),
            raises: None,
            unseen: Vec::new(),
            control: Vec::new(),
            doubt: 0,
            steps: STEPS,
            depth: 0,
            stop: None,
            tries: 0,
            shaky: false,
            open_environment: false,
            output,
        }
    }

    pub(super) fn span(&self, bytes: Bytes) -> Span {
        self.file.span(bytes)
    }

    /// Pays for a step; stops everything when nothing is left.
    pub(super) fn spend(&mut self, cost: usize, at: Bytes) -> bool {
        let left = self.steps.checked_sub(cost);
        self.steps = left.unwrap_or(0);
        if left.is_none() {
            self.stop = Some(Stop::Cut(self.span(at)));
        }
        left.is_some()
    }

    /// Goes one level deeper, if that is allowed.
    pub(super) fn deeper<T>(&mut self, within: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEPTH {
            return None;
        }
        self.depth += 1;
        let result = within(self);
        self.depth -= 1;
        Some(result)
    }

    pub(super) fn slot(&self, name: &str) -> Slot {
        if name.starts_with(['@', '$']) || name.starts_with(char::is_uppercase) {
            Slot::Shared(name.to_owned())
        } else {
            Slot::Local(self.frame, name.to_owned())
        }
    }

    pub(super) fn get(&self, slot: &Slot) -> Option<&Evaluated> {
        self.slots.get(slot)
    }

    pub(super) fn set(&mut self, slot: Slot, value: Evaluated) {
        let value = value.resting_on(&self.control);
        self.put(slot, Some(value));
    }

    fn put(&mut self, slot: Slot, value: Option<Evaluated>) {
        let before = match value {
            Some(value) => self.slots.insert(slot.clone(), value),
            None => self.slots.remove(&slot),
        };
        if self.marks > 0 {
            self.journal.push((slot, before));
        }
    }

    /// Carries out something that may not happen at all, takes its effects on slots back and returns them.
    pub(super) fn tried<T>(&mut self, within: impl FnOnce(&mut Self) -> T) -> (T, BTreeMap<Slot, Option<Evaluated>>) {
        let mark = self.journal.len();
        self.marks += 1;
        self.doubt += 1;
        let result = within(self);
        self.doubt -= 1;
        self.marks -= 1;
        let mut changed = BTreeMap::new();
        while self.journal.len() > mark {
            let Some((slot, before)) = self.journal.pop() else { break };
            let now = match before {
                Some(before) => self.slots.insert(slot.clone(), before),
                None => self.slots.remove(&slot),
            };
            // The last change of a slot is met first.
            changed.entry(slot).or_insert(now);
        }
        (result, changed)
    }

    /// Makes what several ways out of a branch did to slots one state: where they differ, nothing is known.
    pub(super) fn merge(&mut self, ways: &[BTreeMap<Slot, Option<Evaluated>>], at: Bytes) {
        let mut changed: BTreeMap<&Slot, Vec<&Option<Evaluated>>> = BTreeMap::new();
        for (slot, value) in ways.iter().flatten() {
            changed.entry(slot).or_default().push(value);
        }
        for (slot, mut values) in changed {
            let now = self.slots.get(slot).cloned();
            if values.len() < ways.len() {
                values.push(&now);
            }
            let joined = match values.split_first() {
                Some((first, rest)) if rest.iter().all(|other| same(first.as_ref(), other.as_ref())) => {
                    let all = |all: Evaluated, one: &Evaluated| all.resting_on(&one.origin.sources);
                    (*first).clone().map(|first| rest.iter().filter_map(|one| one.as_ref()).fold(first, all))
                }
                _ => Some(Evaluated::unknown(Why::Undecided, self.span(at))),
            };
            self.put(slot.clone(), joined);
        }
    }

    /// Forgets what a slot holds.
    pub(super) fn forget(&mut self, slot: Slot, why: Why, at: Bytes) {
        let unknown = Evaluated::unknown(why, self.span(at));
        self.put(slot, Some(unknown));
    }

    /// Says that the value of a slot rests on something more.
    pub(super) fn rest(&mut self, slot: Slot, sources: &[Source], at: Bytes) {
        let now = self.slots.get(&slot).cloned();
        match (&slot, now) {
            (Slot::Variable(_), None) => {}
            (_, Some(now)) => self.put(slot, Some(now.resting_on(sources))),
            // A local that is assigned in a branch which is not taken is nil behind it.
            (_, None) => {
                let nil = Evaluated::literal(Value::Nil, self.span(at)).resting_on(sources);
                self.put(slot, Some(nil));
            }
        }
    }

    /// Starts the frame of a method; returns the one to come back to.
    pub(super) fn enter(&mut self) -> u32 {
        self.frames += 1;
        std::mem::replace(&mut self.frame, self.frames)
    }

    /// Returns the environment variables that the program set.
    pub(super) fn assigned(&self) -> BTreeMap<String, Evaluated> {
        let variables = self.slots.iter().filter_map(|(slot, value)| match slot {
            Slot::Variable(name) => Some((name.clone(), value.clone())),
            _ => None,
        });
        variables.collect()
    }

    /// Notes that an expression raises. What it would be is not known.
    pub(super) fn raise(&mut self, at: Bytes) -> Evaluated {
        let span = self.span(at);
        if self.tries > 0 {
            self.stop = Some(Stop::Failure(span));
        } else if self.doubt == 0 {
            self.raises.get_or_insert(span);
        }
        Evaluated::unknown(Why::Raises, span)
    }

    /// Asks for an environment variable.
    pub(super) fn variable(&mut self, name: &str, at: Bytes) -> Evaluated {
        let read_at = self.span(at);
        self.reads.push(Read { variable: name.to_owned(), at: read_at });
        if let Some(own) = self.slots.get(&Slot::Variable(name.to_owned())) {
            return own.clone();
        }
        if self.open_environment {
            return Evaluated::unknown(Why::Variable, read_at);
        }
        let (text, sources) = match (self.context.variables)(name) {
            Lookup::Set { text, set_at, voice, fallback_of } => {
                let mut sources = vec![Source::Found { variable: name.to_owned(), read_at, set_at, voice }];
                sources.extend(
                    fallback_of.map(|variable| Source::Fallback { variable, read_at: set_at.unwrap_or(read_at) }),
                );
                (text, sources)
            }
            Lookup::Unknown => return Evaluated::unknown(Why::Variable, read_at),
            Lookup::Unset if processes().words.stage.iter().any(|known| known == name) => match self.context.stage {
                Some(stage) => {
                    let voice = crate::model::process::Voice::File;
                    let source = Source::Found { variable: name.to_owned(), read_at, set_at: None, voice };
                    (stage.to_owned(), vec![source])
                }
                None => return Evaluated::unknown(Why::Variable, read_at),
            },
            Lookup::Unset if ruby().words.ambient.iter().any(|known| known == name) => {
                return Evaluated::unknown(Why::Variable, read_at);
            }
            Lookup::Unset => {
                let source = Source::Fallback { variable: name.to_owned(), read_at };
                return Evaluated::literal(Value::Nil, read_at).resting_on(&[source]);
            }
        };
        if text.len() > TEXT_LIMIT {
            return Evaluated::unknown(Why::Limit, read_at);
        }
        Evaluated::literal(Value::Text(text), read_at).resting_on(&sources)
    }

    /// Keeps a call that is not evaluated.
    pub(super) fn keep(&mut self, call: Call) {
        self.shaky = true;
        if self.calls.len() >= CALLS {
            self.stop = Some(Stop::Cut(call.span));
            return;
        }
        self.calls.push(call);
    }
}

fn same(left: Option<&Evaluated>, right: Option<&Evaluated>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => left.value == right.value && !left.is_unknown(),
        (None, None) => true,
        _ => false,
    }
}

/// Returns what decides more than the name of the environment does, which is given for the whole evaluation.
pub(super) fn deciding(sources: &[Source]) -> Vec<Source> {
    sources.iter().filter(|source| !matches!(source, Source::Found { set_at: None, .. })).cloned().collect()
}
