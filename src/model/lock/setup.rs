//! What a root says to sidekiq-unique-jobs as a whole: its configuration, and the middleware of each side.

use crate::facts::Body;
use crate::facts::code::{CallSite, Certainty, CodeFacts};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::lock::{sidekiq, unique};
use crate::model::resolve::{Fields, Resolver, constant_path};
use crate::source::{RootId, Sources, Span};
use crate::syntax::code::Language;

/// A setting of the whole application.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Given<'a> {
    #[default]
    Nothing,
    Value(&'a Value),
    /// Set by something that is not followed, or more than once.
    Unknown,
}

/// What is said in one root.
#[derive(Debug, Default)]
pub(super) struct Setup<'a> {
    pub ttl: Given<'a>,
    pub conflict: Given<'a>,
    pub reaper: Given<'a>,
    /// Names that are registered; nothing if one of them is not literal.
    pub locks: Option<Vec<&'a str>>,
    pub strategies: Option<Vec<&'a str>>,
    /// Settings that the locked version may not have.
    pub written: Vec<(&'a str, Span)>,
    pub registrations: Vec<Registration>,
    /// The blocks of both sides, with what is registered there or not.
    pub blocks: Vec<Block>,
    /// Sidekiq Enterprise is told to take locks.
    pub enterprise: bool,
    /// Options of all classes: `Sidekiq.default_job_options = { … }`.
    pub defaults: Given<'a>,
}

/// Something that is handed to Sidekiq.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Registration {
    pub part: Part,
    /// The innermost block of a side around it.
    pub side: Option<Side>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Client,
    Server,
    /// Death handler and reaper.
    Lifecycle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Server,
    Client,
}

/// `Sidekiq.configure_server do … end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub side: Side,
    /// The called name.
    pub name: Span,
    pub span: Span,
    /// Its body stands there; otherwise it is handed on.
    pub written: bool,
}

/// Reads what the Ruby files of a root say.
pub(super) fn setup<'a>(resolver: &Resolver<'a>, sources: &Sources, root: RootId) -> Setup<'a> {
    let mut setup = Setup { locks: Some(Vec::new()), strategies: Some(Vec::new()), ..Setup::default() };
    for (file, facts) in resolver.facts() {
        let Body::Code(code) = &facts.body else { continue };
        if code.language != Language::Ruby || sources.file(*file).map(|entry| entry.root) != Some(root) {
            continue;
        }
        setup.add_settings(code);
        setup.add_registrations(code);
    }
    setup
}

impl<'a> Setup<'a> {
    /// Returns the options that all classes of the root have.
    pub(super) fn default_fields(&self, resolver: &Resolver<'a>) -> Fields<'a> {
        let mut fields = Fields::default();
        match self.defaults {
            Given::Nothing => {}
            Given::Unknown => fields.open(),
            Given::Value(value) => match resolver.objects(value).as_slice() {
                [only] => return only.fields.clone(),
                _ => fields.open(),
            },
        }
        fields
    }

    fn add_settings(&mut self, code: &'a CodeFacts) {
        let table = unique();
        let configured: Vec<&CallSite> =
            code.calls.iter().filter(|call| is_call_of(call, &[&table.namespace], &table.configure)).collect();
        for write in &code.writes {
            let inside = configured.iter().any(|call| call.span.bytes.contains(write.name_span.bytes));
            let name = match write.path.as_slice() {
                [name] if inside => name,
                [config, name] if write.base == table.namespace && *config == table.config => name,
                [name, ..] if write.base == sidekiq().constant && table.defaults.contains(name) => {
                    let whole = write.path.len() == 1 && write.certainty == Certainty::Always;
                    let again =
                        matches!(self.defaults, Given::Value(value) if value.span.file == write.value.span.file);
                    if again && whole {
                        // The last of several in one file is the one that stays.
                        self.defaults = Given::Value(&write.value);
                    } else {
                        put(&mut self.defaults, whole.then_some(&write.value));
                    }
                    continue;
                }
                _ => continue,
            };
            let value = (write.certainty == Certainty::Always).then_some(&write.value);
            self.set(name, write.name_span, value);
        }
        for argument in configured.iter().flat_map(|call| &call.called.arguments) {
            match (&argument.name, argument.name_span) {
                (Some(name), Some(span)) => self.set(name, span, Some(&argument.value)),
                _ => self.open(),
            }
        }
        for call in &code.calls {
            let names = match &call.name {
                name if *name == table.add_lock => &mut self.locks,
                name if *name == table.add_strategy => &mut self.strategies,
                _ => continue,
            };
            let name = call.called.arguments.first().and_then(|argument| argument.value.as_text());
            match name {
                Some(name) => names.iter_mut().for_each(|names| names.push(name)),
                None => *names = None,
            }
        }
    }

    fn set(&mut self, name: &'a str, at: Span, value: Option<&'a Value>) {
        let table = unique();
        self.written.push((name, at));
        let given = match name {
            name if table.global_ttl.iter().any(|own| own == name) => &mut self.ttl,
            name if table.conflict == name => &mut self.conflict,
            name if table.reaper == name => &mut self.reaper,
            name if table.all_locks == name => return self.locks = None,
            name if table.all_strategies == name => return self.strategies = None,
            _ => return,
        };
        put(given, value);
    }

    /// Something may have set everything.
    fn open(&mut self) {
        self.ttl = Given::Unknown;
        self.conflict = Given::Unknown;
        self.reaper = Given::Unknown;
    }

    fn add_registrations(&mut self, code: &CodeFacts) {
        let (table, names) = (unique(), &unique().registration);
        let side = |call: &CallSite| match &call.name {
            name if *name == names.blocks.server => Some(Side::Server),
            name if *name == names.blocks.client => Some(Side::Client),
            _ => None,
        };
        let blocks = code.calls.iter().filter_map(|call| {
            let written = call.called.block.is_some() && !call.tainted;
            Some(Block { side: side(call)?, name: call.name_span, span: call.span, written })
        });
        let blocks: Vec<Block> = blocks.collect();
        let enterprise = &sidekiq().enterprise;
        let namespace: Vec<&str> = enterprise.namespace.iter().map(String::as_str).collect();
        for call in &code.calls {
            self.enterprise |= is_call_of(call, &namespace, &enterprise.switch);
            let part = if names_of(call, &names.configure) || names_of(call, &names.start) {
                Some(Part::Lifecycle)
            } else {
                let mut handed = call.called.arguments.iter().filter_map(|argument| constant_path(&argument.value));
                handed.find_map(|path| match path.split_first() {
                    Some((first, rest)) if *first == table.namespace && rest == names.client => Some(Part::Client),
                    Some((first, rest)) if *first == table.namespace && rest == names.server => Some(Part::Server),
                    _ => None,
                })
            };
            let Some(part) = part else { continue };
            let around = blocks.iter().filter(|block| block.span.bytes.contains(call.span.bytes));
            let side = around.max_by_key(|block| block.span.bytes.start).map(|block| block.side);
            self.registrations.push(Registration { part, side, span: call.span });
        }
        self.blocks.extend(blocks);
    }
}

fn put<'a>(given: &mut Given<'a>, value: Option<&'a Value>) {
    *given = match (*given, value) {
        (Given::Nothing, Some(value)) => Given::Value(value),
        _ => Given::Unknown,
    };
}

/// `SidekiqUniqueJobs::Server.configure(config)`: the names below the namespace, the last being the method.
fn names_of(call: &CallSite, names: &[String]) -> bool {
    let Some((method, path)) = names.split_last() else { return false };
    let whole: Vec<&str> = std::iter::once(&unique().namespace).chain(path).map(String::as_str).collect();
    is_call_of(call, &whole, method)
}

/// Says whether a method is called on the constant of that path.
pub(super) fn is_call_of(call: &CallSite, path: &[&str], method: &str) -> bool {
    match &call.called.callee.kind {
        ValueKind::Member { object, name, .. } => {
            name == method && constant_path(object).is_some_and(|own| own == path)
        }
        _ => false,
    }
}
