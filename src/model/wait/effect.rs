//! What a function does to pools when it is called: the slots that it asks for and the slow calls that it makes, with
//! the way there, at most three calls deep.

use super::inside::{lacks, token};
use super::pool::{Home, Recognised, canonical, home};
use super::thread::is_waited_for;
use super::{Scene, Step, View};
use crate::facts::code::BindingKind;
use crate::facts::code::flow::{Fate, Flow, FlowCall, FunctionPlace, Shape};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::wait::{Models, Need, On, Pool, Slow};
use crate::model::resolve::Settled;
use crate::source::{Bytes, Span};
use crate::version::Ecosystem;

/// Calls from a region to what is found.
const DEPTH: usize = 3;
/// Functions that are followed from one call.
const SEEN: usize = 64;
/// Effects of one function that are looked at.
const EFFECTS: usize = 16;

/// Something that a function does.
pub(super) enum Effect<'a, 'k> {
    Needs { pool: Recognised<'a, 'k>, span: Span, call: String, chain: Vec<Step> },
    Slow { row: &'k Slow, span: Span, call: String, lasts: Option<f64>, chain: Vec<Step> },
}

/// A function of the run.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub view: View<'a>,
    pub function: usize,
}

impl<'a, 'k> Scene<'_, 'a, 'k> {
    /// Returns what a call of a function does.
    pub(super) fn effects(
        &self,
        target: Target<'a>,
        row: &'k Pool,
        from: View<'a>,
        given: &'a FlowCall,
    ) -> Vec<Effect<'a, 'k>> {
        let mut seen = Vec::new();
        self.effects_in(target, row, (from, given), DEPTH - 1, &mut seen)
    }

    fn effects_in(
        &self,
        target: Target<'a>,
        row: &'k Pool,
        by: (View<'a>, &'a FlowCall),
        depth: usize,
        seen: &mut Vec<(crate::source::FileId, usize)>,
    ) -> Vec<Effect<'a, 'k>> {
        let Target { view, function } = target;
        if seen.contains(&(view.file, function)) || seen.len() > SEEN || self.pays(view.flow.calls.len()).is_none() {
            return Vec::new();
        }
        seen.push((view.file, function));
        let mut found = Vec::new();
        let Some(facts) = view.flow.functions.get(function) else { return found };
        for call in view.flow.calls.iter().filter(|call| facts.bytes.contains(call.bytes)) {
            if found.len() >= EFFECTS {
                break;
            }
            if !self.runs_in(view, call.function, function) || self.is_left_running(view, call, facts.bytes) {
                continue;
            }
            let span = view.file.span(call.name_bytes);
            let name = spoken(call);
            if let Some((slow, lasts)) = self.slow(view, call) {
                found.push(Effect::Slow { row: slow, span, call: name, lasts, chain: Vec::new() });
                continue;
            }
            if let Some((need, pool)) = self.need(view, call, row, &[]) {
                let span = token(view, call, need);
                if let Some(pool) = self.seen_from(pool, target, by) {
                    found.push(Effect::Needs { pool, span, call: name, chain: Vec::new() });
                }
                continue;
            }
            let Some(depth) = depth.checked_sub(1) else { continue };
            if let Some(inner) = self.target(view, call) {
                for effect in self.effects_in(inner, row, (view, call), depth, seen) {
                    let effect = match effect {
                        Effect::Needs { pool, span, call, chain } => match self.seen_from(pool, target, by) {
                            Some(pool) => Effect::Needs { pool, span, call, chain },
                            None => continue,
                        },
                        slow @ Effect::Slow { .. } => slow,
                    };
                    found.push(effect.behind(Step { span, name: name.clone() }));
                }
            }
        }
        found
    }

    /// Returns a function's pool as its caller sees it: what it is given may be the caller's.
    fn seen_from(
        &self,
        pool: Recognised<'a, 'k>,
        target: Target<'a>,
        by: (View<'a>, &'a FlowCall),
    ) -> Option<Recognised<'a, 'k>> {
        let function = target.view.flow.functions.get(target.function)?;
        let Some(first) = pool.path.first() else { return Some(pool) };
        let Some(at) = function.parameters.iter().position(|parameter| parameter.names.contains(first)) else {
            return Some(pool);
        };
        // Rust writes the receiver of a method among its parameters.
        let receives = function.parameters.first().is_some_and(|parameter| parameter.names == ["self"]);
        if receives && at == 0 {
            return Some(pool);
        }
        let (view, call) = by;
        match call.arguments.get(at - usize::from(receives)).map(|argument| &argument.shape) {
            Some(Shape::Route(route)) if pool.path.len() == 1 => self.pool(view, route, call.function, &[pool.row]),
            Some(_) => None,
            None => {
                let default = function.parameters.get(at)?.default.as_ref()?;
                self.pool_of(target.view, Some(default), &route_of(default)?, 0, &[pool.row])
            }
        }
    }

    /// Says whether what stands in one function runs whenever the other one does.
    pub(super) fn runs_in(&self, view: View<'a>, inner: usize, outer: usize) -> bool {
        let mut at = inner;
        while at != outer {
            let Some(function) = view.flow.functions.get(at) else { return false };
            let runs = match function.place {
                FunctionPlace::Here => true,
                FunctionPlace::Given { call, at: position } => {
                    view.flow.calls.get(call).is_some_and(|call| self.runs_at_once(view, call, position.is_none()))
                }
                FunctionPlace::Named | FunctionPlace::Kept => false,
            };
            if !runs || function.parent >= at {
                return false;
            }
            at = function.parent;
        }
        true
    }

    fn runs_at_once(&self, view: View<'a>, call: &FlowCall, is_block: bool) -> bool {
        let Some(language) = view.language else { return false };
        if view.ecosystem == Ecosystem::RubyGems && is_block {
            return !language.later.contains(&call.name);
        }
        let holds = self
            .rows
            .iter()
            .filter(|row| row.ecosystem == view.ecosystem)
            .any(|row| row.holds.iter().any(|hold| !hold.queued && hold.calls.contains(&call.name)));
        language.at_once.contains(&call.name) || holds
    }

    /// Says whether a call takes a slot of a row's pool that nothing hands it; `handles` are slots that it may be handed.
    pub(super) fn need(
        &self,
        view: View<'a>,
        call: &'a FlowCall,
        row: &'k Pool,
        handles: &[String],
    ) -> Option<(&'k Need, Recognised<'a, 'k>)> {
        for need in &row.needs {
            let named = need.calls.contains(&call.name);
            let asked = named || matches!(need.on, On::Itself | On::Thread) || !need.modules.is_empty();
            let counted = need.arguments.is_none_or(|count| count == call.arguments.len());
            if !asked || !counted || need.awaited && call.fate != Fate::Awaited {
                continue;
            }
            if is_passed(call, row, need, handles) {
                continue;
            }
            let pool = match need.on {
                On::Model => self.model(view, call, row),
                On::Receiver => self.receiver(view, call, row),
                On::Task => self.blocks(view, call).then(|| Recognised::global(row)),
                On::Thread => self.waits_for_threads(view, call, need).then(|| Recognised::global(row)),
                on if !need.waited_by.is_empty() => {
                    self.subject(view, call, on, row).filter(|_| is_waited_for(view, call, need))
                }
                On::Module if !named => self.of_modules(call, row, need),
                on => self.subject(view, call, on, row),
            };
            if let Some(pool) = pool {
                return Some((need, pool));
            }
        }
        None
    }

    fn of_modules(&self, call: &'a FlowCall, row: &'k Pool, need: &Need) -> Option<Recognised<'a, 'k>> {
        let Settled::External { module, .. } = self.resolver.settle(call.callee.as_ref()?) else { return None };
        need.modules.contains(&module).then(|| Recognised::global(row))
    }

    /// Returns the pool whose work is to send what a call waits for.
    fn receiver(&self, view: View<'a>, call: &'a FlowCall, row: &'k Pool) -> Option<Recognised<'a, 'k>> {
        let [own] = call.on.as_ref()?.path.as_slice() else { return None };
        self.pays(view.flow.calls.len() + view.flow.channels.len())?;
        let (sender, _) = view.flow.channels.iter().find(|(_, receives)| receives == own)?;
        let sends = view.flow.calls.iter().filter(|other| row.sends.contains(&other.name));
        let mut own = sends.filter(|other| {
            other.on.as_ref().is_some_and(|route| {
                route.path.first() == Some(sender)
                    || canonical(view, &route.path, other.function).0.first() == Some(sender)
            })
        });
        own.any(|other| self.runs_on(view, other, row)).then(|| Recognised::global(row))
    }

    /// Says whether a call stands in work that was handed to a pool, but not in the body that hands it over.
    fn runs_on(&self, view: View<'a>, call: &FlowCall, row: &'k Pool) -> bool {
        let mut at = call.function;
        while let Some(function) = view.flow.functions.get(at) {
            if let FunctionPlace::Given { call: outer, .. } = function.place
                && let Some(outer) = view.flow.calls.get(outer)
                && row.holds.iter().any(|hold| {
                    hold.queued && hold.calls.contains(&outer.name) && self.subject(view, outer, hold.on, row).is_some()
                })
            {
                return true;
            }
            if function.parent >= at {
                return false;
            }
            at = function.parent;
        }
        false
    }

    /// Returns the pool of a model's class.
    fn model(&self, view: View<'a>, call: &'a FlowCall, row: &'k Pool) -> Option<Recognised<'a, 'k>> {
        let models = row.models.as_ref()?;
        let route = call.on.as_ref().filter(|route| route.through.is_empty())?;
        self.defined_model(route.value.as_ref()?, row, models).or_else(|| self.beside(view, call, row)).or_else(|| {
            // Whatever defines it, no other library's classes have this method.
            let is_class = route.path.last()?.starts_with(|first: char| first.is_uppercase());
            (is_class && models.distinct.contains(&call.name)).then(|| Recognised::unnamed(row))
        })
    }

    fn defined_model(&self, value: &'a Value, row: &'k Pool, models: &Models) -> Option<Recognised<'a, 'k>> {
        match self.resolver.settle(value) {
            Settled::Value(located) => {
                let ValueKind::Call(called) = &located.value.kind else { return None };
                let ValueKind::Member { object, name, .. } = &called.callee.kind else { return None };
                if !models.define.contains(name) {
                    return None;
                }
                let file = self.view(located.value.span.file)?;
                let path = route_of(object)?;
                self.pool_of(file, Some(object), &path, 0, &[row])
            }
            Settled::Type { file, name } => {
                let bases = self.bases(file, &name);
                let is_model = bases
                    .iter()
                    .any(|(module, base)| row.imports.contains(module) && base.as_ref() == Some(&models.base));
                is_model.then(|| Recognised::unnamed(row))
            }
            _ => None,
        }
    }

    /// `db.Order` beside `db.sequelize`, or both imported from one module: what one object holds is of one pool.
    fn beside(&self, view: View<'a>, call: &'a FlowCall, row: &'k Pool) -> Option<Recognised<'a, 'k>> {
        let path = &call.on.as_ref()?.path;
        if !path.last()?.starts_with(|first: char| first.is_uppercase()) {
            return None;
        }
        let (path, at) = canonical(view, path, call.function);
        let own = neighbourhood(view, &path, at)?;
        let mut neighbours = view.flow.calls.iter().filter_map(|other| {
            let held = row.holds.iter().any(|hold| hold.calls.contains(&other.name));
            let route = other.on.as_ref().filter(|route| held && route.through.is_empty())?;
            let (path, at) = canonical(view, &route.path, other.function);
            (neighbourhood(view, &path, at)? == own).then_some((route, other.function))
        });
        let (route, function) = neighbours.next()?;
        self.pool(view, route, function, &[row])
    }

    /// Returns the one function of the run that a call means.
    pub(super) fn target(&self, view: View<'a>, call: &'a FlowCall) -> Option<Target<'a>> {
        let callee = call.callee.as_ref();
        if let Some(callee) = callee
            && let Settled::Value(located) = self.resolver.settle(callee)
            && let ValueKind::Function(function) = &located.value.kind
        {
            let view = self.view(located.value.span.file)?;
            let function =
                view.flow.function_at(function.body).or_else(|| view.flow.function_at(located.value.span.bytes))?;
            return Some(Target { view, function });
        }
        let own = match &call.on {
            None => matches!(view.ecosystem, Ecosystem::RubyGems | Ecosystem::Crates | Ecosystem::NuGet),
            Some(route) => {
                route.through.is_empty() && matches!(route.path.as_slice(), [this] if this == "this" || this == "self")
            }
        };
        if own {
            let owner = view.flow.functions.get(call.function).and_then(|function| function.owner.as_deref());
            let owner = if call.on.is_none() && view.ecosystem == Ecosystem::Crates { None } else { owner };
            return only(view.flow, &call.name, owner).map(|function| Target { view, function });
        }
        None
    }
}

impl Effect<'_, '_> {
    fn behind(self, step: Step) -> Self {
        match self {
            Self::Needs { pool, span, call, mut chain } => {
                chain.insert(0, step);
                Self::Needs { pool, span, call, chain }
            }
            Self::Slow { row, span, call, lasts, mut chain } => {
                chain.insert(0, step);
                Self::Slow { row, span, call, lasts, chain }
            }
        }
    }
}

/// Returns the only function of a file with this name and owner.
pub(super) fn only(flow: &Flow, name: &str, owner: Option<&str>) -> Option<usize> {
    let mut fits = flow.functions.iter().enumerate().filter(|(_, function)| {
        function.name.as_deref() == Some(name)
            && function.owner.as_deref() == owner
            && function.place == FunctionPlace::Named
    });
    match (fits.next(), fits.next()) {
        (Some((only, _)), None) => Some(only),
        _ => None,
    }
}

/// Returns a call as a message says it: `pool.query`.
pub(super) fn spoken(call: &FlowCall) -> String {
    match &call.on {
        Some(route) if route.through.is_empty() && call.name.is_empty() => route.path.join("."),
        Some(route) if route.through.is_empty() => format!("{}.{}", route.path.join("."), call.name),
        _ => call.name.clone(),
    }
}

pub(super) fn route_of(value: &Value) -> Option<Vec<String>> {
    match &value.kind {
        ValueKind::Name(name) => Some(vec![name.clone()]),
        ValueKind::Member { object, name, .. } => {
            let mut path = route_of(object)?;
            path.push(name.clone());
            Some(path)
        }
        _ => None,
    }
}

/// Says whether a call is handed a slot, or may be.
fn is_passed(call: &FlowCall, row: &Pool, need: &Need, handles: &[String]) -> bool {
    let on = call.on.as_ref().and_then(|route| route.path.first());
    let handed = |name: &String| handles.contains(name);
    if on.is_some_and(handed)
        || call.arguments.iter().any(|argument| argument.names.iter().any(handed))
        || call.then_given.iter().any(handed)
        || call.then.iter().any(|name| need.pass_calls.contains(name))
    {
        return true;
    }
    let Some(at) = need.options else { return false };
    // What is given in place of options may hold the slot.
    call.arguments.iter().skip(at).any(|argument| !lacks(argument, &row.pass_keys))
}

/// Returns what a path is a member of: the object, or the module that it is imported from.
fn neighbourhood(view: View<'_>, path: &[String], at: Bytes) -> Option<(Home, Vec<String>)> {
    let home = home(view, path, at);
    match path {
        [only] => {
            let (_, binding) = view.code.binding(only, view.code.scope_at(at))?;
            matches!(binding.kind, BindingKind::Import { .. }).then(|| (home, Vec::new()))
        }
        [owner @ .., _] => Some((home, owner.to_vec())),
        [] => None,
    }
}
