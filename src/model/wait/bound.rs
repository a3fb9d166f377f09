//! How many slots a pool has, and how long a call waits for one.

use super::pool::Recognised;
use super::{Scene, View};
use crate::facts::code::flow::{FlowCall, Shape};
use crate::facts::value::{Called, Value, ValueKind};
use crate::knowledge::wait::{Bound, Made, OptionIs, Pool};
use crate::model::resolve::{Fields, Lookup, Settled};
use crate::model::setting::{Origin, Setting};
use crate::source::{Bytes, Span};

/// A pool whose callers wait for ever.
#[derive(Clone, Debug)]
pub struct Endless<'k> {
    pub pool: &'k Pool,
    /// The literal that says so, or the construction.
    pub span: Span,
    pub written: bool,
    pub anchor: String,
}

/// Finds the pools of a file whose callers wait for ever.
pub(super) fn find<'a, 'k>(scene: &Scene<'_, 'a, 'k>, view: View<'a>, found: &mut Vec<Endless<'k>>) {
    for call in &view.flow.calls {
        for row in scene.rows.iter().filter(|row| row.ecosystem == view.ecosystem) {
            let Some(bound) = row.bound.as_ref().filter(|bound| bound.reported) else { continue };
            if !row.imports.iter().any(|import| view.flow.modules.contains(import)) {
                continue;
            }
            let Some(made) = row.made.iter().find(|made| scene.makes(row, made, view, call)) else { continue };
            let written = match scene.end(bound, made, call) {
                End::Some => continue,
                End::None => None,
                End::Written(bytes) => Some(bytes),
            };
            found.push(Endless {
                pool: row,
                span: view.file.span(written.unwrap_or(call.name_bytes)),
                written: written.is_some(),
                anchor: view.code.anchor(view.code.scope_at(call.name_bytes)),
            });
            break;
        }
    }
}

impl<'a, 'k> Scene<'_, 'a, 'k> {
    pub(super) fn capacity(&self, pool: &Recognised<'a, 'k>) -> Setting<u32> {
        let Some(capacity) = &pool.row.capacity else { return Setting::unknown() };
        let Some((called, _)) = pool.made else { return Setting::unknown() };
        if self.is_set(called, &pool.row.sole) {
            return Setting { value: Some(1), origin: by_default(pool.row) };
        }
        match self.option(called, &capacity.option) {
            Found::Value(value) => match number(value) {
                Some(number) => Setting { value: Some(number), origin: Origin::Literal(value.span) },
                None => Setting::unknown(),
            },
            Found::Absent => Setting { value: capacity.default, origin: by_default(pool.row) },
            Found::Unknown => Setting::unknown(),
        }
    }

    pub(super) fn bound(&self, pool: &Recognised<'a, 'k>) -> Setting<u32> {
        let Some(bound) = &pool.row.bound else { return Setting::unknown() };
        let default = Setting { value: bound.default, origin: by_default(pool.row) };
        let Some((called, _)) = pool.made else { return default };
        match self.option(called, &bound.option) {
            Found::Value(value) => match number(value) {
                Some(number) if !bound.endless.contains(&number.to_string()) => {
                    Setting { value: Some(number), origin: Origin::Literal(value.span) }
                }
                _ => Setting::unknown(),
            },
            Found::Absent => default,
            Found::Unknown => Setting::unknown(),
        }
    }

    pub(super) fn is_endless(&self, pool: &Recognised<'a, 'k>) -> bool {
        let Some(bound) = &pool.row.bound else { return true };
        let Some((called, _)) = pool.made else { return bound.default.is_none() && bound.option.is_empty() };
        match self.option(called, &bound.option) {
            Found::Value(value) => written(value).is_some_and(|text| bound.endless.contains(&text)),
            Found::Absent => bound.default.is_none(),
            Found::Unknown => false,
        }
    }

    /// Says what ends the waits for what a call makes.
    fn end(&self, bound: &Bound, made: &Made, call: &'a FlowCall) -> End {
        let own = |name: &String| *name == bound.option || bound.also.contains(name);
        let absent = if bound.default.is_none() { End::None } else { End::Some };
        let Some(at) = made.options else {
            // Methods of a builder.
            let built = made.built_by.is_empty() || call.then.iter().any(|name| made.built_by.contains(name));
            return if built && !call.then.iter().any(own) { absent } else { End::Some };
        };
        match call.arguments.get(at).map(|argument| &argument.shape) {
            None | Some(Shape::Text(_)) => absent,
            Some(Shape::Object { keys, open }) => match keys.iter().rev().find(|setting| own(&setting.key)) {
                Some(setting) if setting.literal.as_ref().is_some_and(|text| bound.endless.contains(text)) => {
                    End::Written(setting.bytes)
                }
                None if !open => absent,
                _ => End::Some,
            },
            Some(Shape::Route(route)) => {
                let found = route.value.as_ref().map(|value| self.within(value, &bound.option));
                if matches!(found, Some(Found::Absent)) { absent } else { End::Some }
            }
            Some(_) => End::Some,
        }
    }

    /// Says whether one of these options has one of its values.
    pub(super) fn is_set(&self, called: &'a Called, options: &[OptionIs]) -> bool {
        options.iter().any(|row| match self.option(called, &row.option) {
            Found::Value(value) => written(value).is_some_and(|text| row.values.contains(&text)),
            _ => false,
        })
    }

    /// Looks up an option by its path of keys in any of the objects that a construction is given.
    pub(super) fn option(&self, called: &'a Called, path: &str) -> Found<'a> {
        if path.is_empty() {
            return Found::Absent;
        }
        if let Some(at) = path.strip_prefix("argument ").and_then(|at| at.parse::<usize>().ok()) {
            let Some(argument) = called.arguments.get(at) else { return Found::Absent };
            return match self.resolver.settle(&argument.value) {
                Settled::Value(located) => Found::Value(located.value),
                _ => Found::Unknown,
            };
        }
        let mut unknown = false;
        for argument in &called.arguments {
            match &argument.value.kind {
                ValueKind::Text(_) | ValueKind::Template(_) | ValueKind::Number(_) | ValueKind::Regex { .. } => {
                    continue;
                }
                // `process.env.DATABASE_URL`
                ValueKind::Member { .. } if called.arguments.len() > 1 => continue,
                _ => {}
            }
            match self.within(&argument.value, path) {
                Found::Absent => {}
                Found::Unknown => unknown = true,
                found @ Found::Value(_) => return found,
            }
        }
        if unknown { Found::Unknown } else { Found::Absent }
    }

    fn within(&self, value: &'a Value, path: &str) -> Found<'a> {
        let mut keys = path.split('.');
        let Some(first) = keys.next() else { return Found::Absent };
        let alternatives = self.resolver.objects(value);
        let [only] = alternatives.as_slice() else { return Found::Unknown };
        let mut found = look(&only.fields, first);
        for key in keys {
            let Found::Value(value) = found else { return found };
            let alternatives = self.resolver.objects(value);
            let [only] = alternatives.as_slice() else { return Found::Unknown };
            found = look(&only.fields, key);
        }
        let Found::Value(value) = found else { return found };
        match self.resolver.settle(value) {
            Settled::Value(located) => Found::Value(located.value),
            _ => Found::Unknown,
        }
    }
}

/// What ends a wait for a slot.
enum End {
    /// Something, or something may.
    Some,
    /// Nothing, for want of an option.
    None,
    /// Nothing, by this literal.
    Written(Bytes),
}

/// What is known of an option.
pub(super) enum Found<'a> {
    Value(&'a Value),
    Absent,
    Unknown,
}

fn look<'a>(fields: &Fields<'a>, key: &str) -> Found<'a> {
    match fields.get(key) {
        Lookup::Found { value, .. } => Found::Value(value.value),
        Lookup::Absent => Found::Absent,
        Lookup::Unknown => Found::Unknown,
    }
}

fn by_default(row: &Pool) -> Origin {
    Origin::Default { library: row.label.clone(), version: None }
}

fn number(value: &Value) -> Option<u32> {
    match &value.kind {
        ValueKind::Number(number) => number.replace('_', "").parse().ok(),
        _ => None,
    }
}

/// Returns a literal as it is written.
fn written(value: &Value) -> Option<String> {
    match &value.kind {
        ValueKind::Number(number) => Some(number.clone()),
        ValueKind::Text(text) => Some(text.clone()),
        ValueKind::Name(name) => Some(name.clone()),
        ValueKind::Null => Some("null".to_owned()),
        _ => None,
    }
}
