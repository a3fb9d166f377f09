//! The options in force for a job class: its own over those of its modules and bases over those of all classes.

use std::collections::BTreeSet;

use super::options::Options;
use super::setup::Setup;
use super::{Latency, UniqueClass};
use crate::facts::Body;
use crate::facts::code::{CallSite, CodeFacts, TypeFact};
use crate::facts::value::ValueKind;
use crate::knowledge::lock::{sidekiq, unique};
use crate::model::resolve::{Fields, Lineage, Relation, Resolver, class_path};
use crate::source::{Bytes, FileId, RootId, Sources};
use crate::syntax::code::Language;

/// A class or module that sets options.
pub(super) struct Subject<'a> {
    pub code: &'a CodeFacts,
    pub fact: &'a TypeFact,
    pub lineage: Lineage<'a>,
    /// Another class that was read takes these options over and sets some itself; this one runs nothing.
    is_template: bool,
}

/// What a class is read with.
pub(super) struct Reading<'r, 'a> {
    pub resolver: &'r Resolver<'a>,
    pub sources: &'r Sources,
    pub setup: &'r Setup<'a>,
    pub queues: &'r [Latency],
}

/// Returns the classes and modules that set options of jobs, each once however often it is opened.
pub(super) fn subjects<'a>(resolver: &Resolver<'a>, sources: &Sources) -> Vec<(FileId, Subject<'a>)> {
    let mut found: Vec<(FileId, Subject<'a>)> = Vec::new();
    let mut seen: BTreeSet<(Option<RootId>, Vec<&str>)> = BTreeSet::new();
    for (file, facts) in resolver.facts() {
        let Body::Code(code) = &facts.body else { continue };
        if code.language != Language::Ruby {
            continue;
        }
        let root = sources.file(*file).map(|entry| entry.root);
        let mut places: BTreeSet<Bytes> = BTreeSet::new();
        for call in code.calls.iter().filter(|call| call.name == unique().method) {
            let Some(fact) = holder(code, call).filter(|fact| places.insert(fact.bytes)) else { continue };
            if !seen.insert((root, class_path(code, fact))) {
                continue;
            }
            let lineage = resolver.lineage(*file, fact);
            found.push((*file, Subject { code, fact, lineage, is_template: false }));
        }
    }
    let inherited: BTreeSet<Vec<&str>> =
        found.iter().flat_map(|(_, subject)| subject.lineage.paths.iter().skip(1)).cloned().collect();
    for (_, subject) in &mut found {
        let is_above = subject.lineage.paths.first().is_some_and(|own| inherited.contains(own));
        subject.is_template = is_above && !has_perform(subject);
    }
    found
}

/// Returns the class or module that a call stands in.
fn holder<'a>(code: &'a CodeFacts, call: &CallSite) -> Option<&'a TypeFact> {
    // `base.sidekiq_options` in a hook gives them to whoever takes the module in; another constant's are its own.
    if let ValueKind::Member { object, .. } = &call.called.callee.kind
        && matches!(&object.kind, ValueKind::Name(name) if name.starts_with(char::is_uppercase))
    {
        return None;
    }
    code.class_at(call.span.bytes)
}

fn has_perform(subject: &Subject<'_>) -> bool {
    let within = subject.fact.bytes;
    let scopes = &subject.code.scopes;
    let first = scopes.partition_point(|scope| scope.bytes.start < within.start);
    let rest = scopes.get(first..).unwrap_or_default().iter();
    rest.take_while(|scope| scope.bytes.start <= within.end).any(|scope| scope.name.as_deref() == Some("perform"))
}

impl<'a> Reading<'_, 'a> {
    /// Returns what the options ask for: a lock of sidekiq-unique-jobs, one of Sidekiq Enterprise.
    pub(super) fn classes<'l>(&self, file: FileId, subject: &Subject<'a>) -> Vec<UniqueClass<'l>> {
        let fields = self.fields(file, subject);
        if subject.is_template {
            return Vec::new();
        }
        let options = Options { reading: self, file, subject, fields: &fields };
        options.unique_jobs().into_iter().chain(options.enterprise()).collect()
    }

    fn fields(&self, file: FileId, subject: &Subject<'a>) -> Fields<'a> {
        let mut own = Fields::default();
        for part in subject.lineage.parts.iter().rev() {
            for call in part.code.calls_within(part.fact.bytes).filter(|call| call.name == unique().method) {
                if holder(part.code, call).is_some_and(|fact| std::ptr::eq(fact, part.fact)) {
                    let mut keys = self.resolver.keywords(&call.called, Some(0));
                    if call.tainted {
                        keys.open();
                    }
                    own = keys.over(&own);
                }
            }
        }
        if subject.lineage.is_cut {
            own.open();
        }
        let asks = own.known().any(|(key, ..)| is_of_a_lock(key));
        let mut below = self.setup.default_fields(self.resolver);
        for unread in subject.lineage.unread.iter().filter(|_| asks) {
            let Some(first) = unread.path.first() else { continue };
            if sidekiq().mixins.roots.iter().any(|root| root == first) {
                continue;
            }
            let is_here = self.resolver.ask_for_class(file, &unread.path);
            if is_here || unread.relation == Relation::Base {
                below.open();
            }
        }
        own.over(&below)
    }
}

fn is_of_a_lock(key: &str) -> bool {
    let table = unique();
    key.contains("lock") || key.contains("unique") || key == table.conflict || key == sidekiq().enterprise.option
}
