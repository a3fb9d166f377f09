//! Celery over a broker that lends messages: how long it waits for an acknowledgement, against the times that tasks
//! wait for or may run.

use std::collections::BTreeMap;

use super::{Fault, ShortLease, Term};
use crate::facts::Body;
use crate::facts::code::{Certainty, CodeFacts};
use crate::facts::value::{Argument, Value, ValueKind};
use crate::knowledge::lock::leases as table;
use crate::model::evaluate;
use crate::model::resolve::{FactsByFile, Located, Lookup, Resolver, Settled};
use crate::source::{RootId, Sources, Span};
use crate::syntax::code::Language;

/// What the files of one root say.
#[derive(Default)]
struct Application<'a> {
    /// Values of the setting, with the options that hold it.
    options: Vec<&'a Value>,
    /// Assignments to the key itself.
    direct: Vec<&'a Value>,
    /// Something sets it under a condition.
    perhaps: bool,
    /// Its key stands somewhere, in whatever way it gets to the application.
    mentioned: bool,
    lends: bool,
    late: Vec<&'a Value>,
    limits: Vec<&'a Value>,
    delays: Vec<(&'a Value, String)>,
}

pub(super) fn leases(resolver: &Resolver<'_>, sources: &Sources) -> Vec<ShortLease> {
    let mut roots: BTreeMap<RootId, Application<'_>> = BTreeMap::new();
    let files: &FactsByFile = resolver.facts();
    for (file, facts) in files {
        let Body::Code(code) = &facts.body else { continue };
        if code.language != Language::Python {
            continue;
        }
        if let Some(root) = sources.file(*file).map(|entry| entry.root) {
            roots.entry(root).or_default().read(code);
        }
    }
    roots.values().flat_map(|application| application.leases(resolver)).collect()
}

impl<'a> Application<'a> {
    fn read(&mut self, code: &'a CodeFacts) {
        let row = &table().celery;
        for write in &code.writes {
            self.mentioned |= write.path.contains(&row.key) || mentions(&write.value, &row.key, DEPTH);
            let Some(last) = write.path.last() else { continue };
            let before = write.path.len().checked_sub(2).and_then(|at| write.path.get(at)).unwrap_or(&write.base);
            if *last == row.key && row.options.contains(before) {
                self.direct.push(&write.value);
                self.perhaps |= write.certainty == Certainty::Sometimes;
            } else {
                self.setting(last, &write.value);
                self.perhaps |= write.certainty == Certainty::Sometimes && row.options.contains(last);
            }
        }
        let module = code.scopes.iter().flat_map(|scope| &scope.bindings);
        for (name, binding) in module {
            for value in &binding.values {
                self.mentioned |= mentions(value, &row.key, DEPTH);
                self.setting(name, value);
            }
        }
        for (name, value) in code.types.iter().flat_map(|class| &class.fields) {
            self.setting(name, value);
        }
        for call in &code.calls {
            for argument in &call.called.arguments {
                self.mentioned |=
                    argument.name.as_ref() == Some(&row.key) || mentions(&argument.value, &row.key, DEPTH);
                self.argument(argument);
                let named = |name: &&String| row.delays.contains(name) || row.moments.contains(name);
                if let Some(name) = argument.name.as_ref().filter(named)
                    && row.delayed.contains(&call.name)
                    && matches!(call.called.callee.kind, ValueKind::Member { .. })
                {
                    self.delays.push((&argument.value, format!("{}.{name}", code.anchor(call.scope))));
                }
            }
        }
    }

    fn argument(&mut self, argument: &'a Argument) {
        if let Some(name) = &argument.name {
            self.setting(name, &argument.value);
        } else if let ValueKind::Object(pairs) = &argument.value.kind {
            for pair in pairs {
                if let Some(key) = &pair.key {
                    self.setting(key, &pair.value);
                }
            }
        }
    }

    fn setting(&mut self, name: &str, value: &'a Value) {
        let row = &table().celery;
        let is_one = |names: &[String]| names.iter().any(|own| own == name);
        if is_one(&row.options) {
            self.options.push(value);
        } else if is_one(&row.brokers) {
            self.lends |= lends(value);
        } else if is_one(&row.late) {
            self.late.push(value);
        } else if is_one(&row.limits) {
            self.limits.push(value);
        }
    }

    /// Returns the seconds of the setting, if it is one for all; its place, if it is written.
    fn timeout(&self, resolver: &Resolver<'a>) -> Option<(f64, Option<Span>)> {
        let row = &table().celery;
        if self.perhaps {
            return None;
        }
        let mut found: Vec<(f64, Span)> = Vec::new();
        for value in &self.direct {
            found.push((evaluate::number(resolver, &Located::of(value)).value?, value.span));
        }
        for value in &self.options {
            for alternative in non_empty(resolver.objects(value))? {
                match alternative.fields.get(&row.key) {
                    Lookup::Found { value, .. } => {
                        found.push((evaluate::number(resolver, &value).value?, value.span()));
                    }
                    Lookup::Absent => {}
                    Lookup::Unknown => return None,
                }
            }
        }
        match found.as_slice() {
            [] => (self.lends && !self.mentioned).then_some((row.default, None)),
            // Two applications, or two environments: which one a task belongs to is not known.
            [first, rest @ ..] => {
                rest.iter().all(|other| other.0.total_cmp(&first.0).is_eq()).then_some((first.0, Some(first.1)))
            }
        }
    }

    fn leases(&self, resolver: &Resolver<'a>) -> Vec<ShortLease> {
        let row = &table().celery;
        let Some((seconds, place)) = self.timeout(resolver).filter(|(seconds, _)| *seconds > 0.0) else {
            return Vec::new();
        };
        let term = if place.is_some() { Term::Written } else { Term::Default };
        let lease = |at: Span, anchor: String, fault: Fault| ShortLease {
            label: row.label.clone(),
            place: place.unwrap_or(at),
            option: row.key.clone(),
            milliseconds: seconds * 1_000.0,
            term,
            fault,
            anchor,
        };
        let longer = |value: &&'a Value| {
            let number = evaluate::number(resolver, &Located::of(value)).value?;
            (number > seconds).then_some((number * 1_000.0, value.span))
        };
        let mut found = Vec::new();
        let later = |value: &&'a Value| {
            let number = after_now(resolver, value)?;
            (number > seconds).then_some((number * 1_000.0, value.span))
        };
        let waits: Vec<((f64, Span), &String)> = self
            .delays
            .iter()
            .filter_map(|(value, anchor)| Some((longer(value).or_else(|| later(value))?, anchor)))
            .collect();
        if let Some(((delay, at), anchor)) = waits.iter().max_by(|left, right| left.0.0.total_cmp(&right.0.0)) {
            let anchor = if place.is_some() { row.key.clone() } else { (*anchor).clone() };
            found.push(lease(*at, anchor, Fault::Redelivered { delay: *delay, at: *at, more: waits.len() - 1 }));
        }
        let late = self
            .late
            .iter()
            .find(|value| value.kind == ValueKind::Boolean(true))
            .filter(|_| self.late.iter().all(|value| value.kind == ValueKind::Boolean(true)));
        if let Some(late) = late
            && let [limit] = self.limits.as_slice()
            && let Some((limit, at)) = longer(limit)
        {
            found.push(lease(at, row.key.clone(), Fault::Limit { limit, at, late: late.span }));
        }
        found
    }
}

/// Returns the seconds of `now() + timedelta(hours=2)`.
fn after_now<'a>(resolver: &Resolver<'a>, value: &'a Value) -> Option<f64> {
    let row = &table().celery;
    let settled = match resolver.settle(value) {
        Settled::Value(located) => located.value,
        _ => value,
    };
    let ValueKind::Operation { operator, operands } = &settled.kind else { return None };
    let [moment, span] = operands.as_slice() else { return None };
    let called = |value: &'a Value| match &value.kind {
        ValueKind::Call(called) => match &called.callee.kind {
            ValueKind::Member { name, .. } | ValueKind::Name(name) => Some((name, called)),
            _ => None,
        },
        _ => None,
    };
    let (name, _) = called(moment)?;
    let (adds, span) = called(span)?;
    if operator != "+" || !row.now.contains(name) || *adds != row.span {
        return None;
    }
    let seconds = |argument: &'a Argument| {
        let unit = row.span_units.get(argument.name.as_ref()?)?;
        Some(evaluate::number(resolver, &Located::of(&argument.value)).value? * unit)
    };
    span.arguments.iter().map(seconds).sum()
}

/// Objects in objects.
const DEPTH: usize = 8;

/// Says whether a key stands anywhere in a value.
fn mentions(value: &Value, key: &str, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    match &value.kind {
        ValueKind::Object(pairs) => {
            pairs.iter().any(|pair| pair.key.as_deref() == Some(key) || mentions(&pair.value, key, depth))
        }
        ValueKind::List(items) | ValueKind::Choice(items) | ValueKind::Operation { operands: items, .. } => {
            items.iter().any(|item| mentions(item, key, depth))
        }
        ValueKind::Call(called) => called
            .arguments
            .iter()
            .any(|argument| argument.name.as_deref() == Some(key) || mentions(&argument.value, key, depth)),
        ValueKind::Spread(inner) | ValueKind::Await(inner) => mentions(inner, key, depth),
        ValueKind::Text(text) => text == key,
        _ => false,
    }
}

fn non_empty<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

/// Says whether a broker's address, or the fallback of one, is that of a broker which lends messages.
fn lends(value: &Value) -> bool {
    let is_one = |text: &str| table().celery.schemes.iter().any(|scheme| text.starts_with(scheme.as_str()));
    match &value.kind {
        ValueKind::Text(text) | ValueKind::Template(text) => is_one(text),
        ValueKind::Call(called) => called.arguments.iter().any(|argument| lends(&argument.value)),
        ValueKind::Operation { operands, .. } | ValueKind::Choice(operands) => operands.iter().any(lends),
        _ => false,
    }
}
