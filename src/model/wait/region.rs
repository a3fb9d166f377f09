//! Where a slot is held: in the callback that gets it, or from the variable that keeps it to whatever gives it back.

use super::effect::only;
use super::pool::{Proof, Recognised, canonical};
use super::{Scene, View};
use crate::facts::code::flow::{Fate, Flow, FlowCall, FunctionPlace, Making, Shape};
use crate::knowledge::wait::{Form, Hold, On, Pool};
use crate::model::resolve::Settled;
use crate::source::Bytes;
use crate::version::Ecosystem;

/// A part of a file in which a slot is held.
#[derive(Clone, Debug)]
pub(super) struct Region<'a, 'k> {
    pub pool: Recognised<'a, 'k>,
    pub hold: &'k Hold,
    pub call: &'a FlowCall,
    /// The function whose body it is or lies in.
    pub function: usize,
    pub bytes: Bytes,
    /// Parts in which it was given back already.
    pub holes: Vec<Bytes>,
    pub handles: Vec<String>,
}

impl Region<'_, '_> {
    pub(super) fn holds(&self, bytes: Bytes) -> bool {
        self.bytes.contains(bytes) && !self.holes.iter().any(|hole| hole.contains(bytes))
    }
}

impl<'a, 'k> Scene<'_, 'a, 'k> {
    /// Finds the regions of a file.
    pub(super) fn regions(&self, view: View<'a>) -> Vec<Region<'a, 'k>> {
        let mut found = Vec::new();
        for call in &view.flow.calls {
            for row in self.rows.iter().filter(|row| row.ecosystem == view.ecosystem) {
                let fits = |hold: &&Hold| hold.calls.contains(&call.name) || hold.on == On::Itself;
                for hold in row.holds.iter().filter(fits) {
                    let regions = self.regions_of(view, call, row, hold);
                    if !regions.is_empty() {
                        found.extend(regions.into_iter().filter(|region| !self.is_without_pool(&region.pool)));
                        break;
                    }
                }
            }
        }
        found
    }

    fn regions_of(&self, view: View<'a>, call: &'a FlowCall, row: &'k Pool, hold: &'k Hold) -> Vec<Region<'a, 'k>> {
        if hold.bases.is_empty() {
            return self.region(view, call, row, hold).into_iter().collect();
        }
        if !is_in_class_of(view, call, &hold.bases) || self.subject(view, call, hold.on, row).is_none() {
            return Vec::new();
        }
        // `after_save :publish`
        let names = call.arguments.iter().filter_map(|argument| match &argument.shape {
            Shape::Text(text) if argument.name.is_none() => Some(text.as_str()),
            _ => None,
        });
        let owner = owner_at(view, call.bytes);
        let methods = names.filter_map(|name| only(view.flow, name, owner));
        let functions = methods.chain(call.given).chain(given(call).filter(|_| call.given.is_none()));
        let region = |function: usize| {
            let bytes = view.flow.functions.get(function)?.body;
            let pool = Recognised::global(row);
            Some(Region { pool, hold, call, function, bytes, holes: Vec::new(), handles: Vec::new() })
        };
        functions.filter_map(region).collect()
    }

    fn region(&self, view: View<'a>, call: &'a FlowCall, row: &'k Pool, hold: &'k Hold) -> Option<Region<'a, 'k>> {
        if hold.arguments.is_some_and(|count| count != call.arguments.len()) {
            return None;
        }
        if !hold.only_with.is_empty() && !is_plain_wait(call, hold) {
            return None;
        }
        let given = given(call).or_else(|| named(view, call, hold));
        let callback = match hold.form {
            Form::Callback => Some(given?),
            Form::Guard | Form::Until if given.is_some() => return None,
            Form::Guard | Form::Block | Form::Until => None,
        };
        if !is_static(call, hold) || hold.served && !self.is_served(view, call) {
            return None;
        }
        let pool = self.subject(view, call, hold.on, row)?;
        if let Some(function) = callback {
            let facts = view.flow.functions.get(function)?;
            let handles = facts.parameters.first().map(|parameter| parameter.names.clone()).unwrap_or_default();
            return Some(Region { pool, hold, call, function, bytes: facts.body, holes: Vec::new(), handles });
        }
        let handles = call.bound.iter().cloned().collect();
        if hold.form == Form::Block {
            let block = view.flow.blocks.get(call.block)?;
            let bytes = Bytes { start: call.bytes.end, end: block.bytes.end };
            return Some(Region { pool, hold, call, function: call.function, bytes, holes: Vec::new(), handles });
        }
        let path = slot_path(call, hold)?;
        self.pays(view.flow.calls.len() + view.flow.escapes.len() + view.flow.given.len())?;
        let (bytes, holes) = guarded(view, call, hold, &path)?;
        if hold.form == Form::Until {
            return Some(Region { pool, hold, call, function: call.function, bytes, holes, handles: Vec::new() });
        }
        let handle = call.bound.clone()?;
        let used = || {
            let calls = view.flow.calls.iter().filter(|other| bytes.contains(other.bytes));
            let mut needs = calls.filter(|other| row.needs.iter().any(|need| need.calls.contains(&other.name)));
            needs.any(|other| other.arguments.iter().any(|argument| argument.names.contains(&handle)))
        };
        if hold.used && pool.proof == Proof::Methods && !used() {
            return None;
        }
        Some(Region { pool, hold, call, function: call.function, bytes, holes, handles: vec![handle] })
    }

    /// Returns the pool that a call is made on, in the way that a row says.
    pub(super) fn subject(
        &self,
        view: View<'a>,
        call: &'a FlowCall,
        on: On,
        row: &'k Pool,
    ) -> Option<Recognised<'a, 'k>> {
        let rows = [row];
        match on {
            On::Pool => self.pool(view, call.on.as_ref()?, call.function, &rows),
            On::Argument => call.arguments.iter().find_map(|argument| match &argument.shape {
                Shape::Route(route) => self.pool(view, route, call.function, &rows),
                _ => None,
            }),
            On::Itself => match &call.callee {
                Some(callee) if call.on.is_none() => {
                    self.pool_of(view, Some(callee), std::slice::from_ref(&call.name), call.function, &rows)
                }
                _ => None,
            },
            On::Member => {
                let route = call.on.as_ref().filter(|route| route.through.is_empty())?;
                let (_, path) = route.path.split_last().filter(|(_, path)| !path.is_empty())?;
                let value = match &route.value.as_ref()?.kind {
                    crate::facts::value::ValueKind::Member { object, .. } => Some(object.as_ref()),
                    _ => None,
                };
                self.pool_of(view, value, path, call.function, &rows)
            }
            On::Module => {
                let Settled::External { module, name } = self.resolver.settle(call.callee.as_ref()?) else {
                    return None;
                };
                let whole = format!("{module}::{}", name.unwrap_or_default());
                let fits = |import: &String| {
                    module == *import
                        || whole.starts_with(&format!("{import}::"))
                        || module.starts_with(&format!("{import}::"))
                };
                row.imports.iter().any(fits).then(|| Recognised::global(row))
            }
            On::Handle => self.is_handle_of(view, call, row).then(|| Recognised::global(row)),
            On::Through => {
                let route = call.on.as_ref()?;
                let via = |name: &String| row.via.iter().any(|via| via == name.trim_end_matches("()"));
                (route.path.iter().any(via) || route.through.iter().any(via)).then(|| Recognised::global(row))
            }
            // A method of the class's own only has the name of the library's.
            On::Any if call.on.is_none() && only(view.flow, &call.name, owner_at(view, call.bytes)).is_some() => None,
            On::Any => {
                let facts = self.resolver.facts();
                let used = row.global && crate::model::package::is_used(facts, self.sources, view.file, &row.packages);
                used.then(|| Recognised::global(row))
            }
            On::Repository => {
                let route = call.on.as_ref()?;
                if route.through.last().is_some_and(|last| last == "getRepository") {
                    let pool = self.pool_of(view, route.value.as_ref(), &route.path, call.function, &rows);
                    return pool.or_else(|| Some(Recognised::unnamed(row)));
                }
                let (path, at) = canonical(view, &route.path, call.function);
                let type_text = self.type_of(view, &path, at).filter(|_| route.through.is_empty())?;
                self.is_named_type(&row.repositories, row, view, &type_text, at).then(|| Recognised::unnamed(row))
            }
            On::Static => Some(Recognised::global(row)),
            On::Model | On::Receiver | On::Thread | On::Task => None,
        }
    }

    /// Says whether a call is made on what the callback of a holding function got: `scope.spawn(…)`.
    fn is_handle_of(&self, view: View<'a>, call: &FlowCall, row: &'k Pool) -> bool {
        let Some([handle]) = call.on.as_ref().map(|route| route.path.as_slice()) else { return false };
        let mut at = call.function;
        while let Some(function) = view.flow.functions.get(at) {
            if function.parameters.first().is_some_and(|parameter| parameter.names.contains(handle)) {
                let FunctionPlace::Given { call: outer, .. } = function.place else { return false };
                return view.flow.calls.get(outer).is_some_and(|outer| {
                    row.holds.iter().any(|hold| {
                        hold.on == On::Module
                            && hold.calls.contains(&outer.name)
                            && self.subject(view, outer, hold.on, row).is_some()
                    })
                });
            }
            if function.parent >= at {
                return false;
            }
            at = function.parent;
        }
        false
    }

    /// Says whether a call is made on a pool that is set up to be none.
    pub(super) fn is_set_apart(&self, view: View<'a>, call: &'a FlowCall, row: &'k Pool) -> bool {
        let hold = row.holds.iter().find(|hold| hold.calls.contains(&call.name));
        let pool = hold.and_then(|hold| self.subject(view, call, hold.on, row));
        pool.is_some_and(|pool| self.is_without_pool(&pool))
    }

    fn is_without_pool(&self, pool: &Recognised<'a, 'k>) -> bool {
        pool.made.is_some_and(|(made, _)| self.is_set(made, &pool.row.unless))
    }

    /// Says whether every call in a region uses its slot by itself.
    pub(super) fn is_ambient(&self, row: &Pool, view: View<'a>) -> bool {
        if self.ambient.contains(row.name.as_str()) {
            return true;
        }
        let facts = self.resolver.facts();
        if !row.ambient_packages.is_empty()
            && crate::model::package::is_used(facts, self.sources, view.file, &row.ambient_packages)
        {
            return true;
        }
        let Some(versions) = &row.ambient_versions else { return false };
        let found = crate::model::package::version(facts, self.sources, view.file, row.ecosystem, &row.packages);
        let requirement = crate::version::Requirement::parse(row.ecosystem, versions);
        requirement.zip(found.version).is_some_and(|(requirement, version)| requirement.matches(&version))
    }
}

/// Returns the places after a call that give its slot back, with their blocks.
pub(super) fn endings(view: View<'_>, call: &FlowCall, hold: &Hold, slot: &[String]) -> Vec<(u32, usize)> {
    let drops = view.language.map(|row| row.drops.as_slice()).unwrap_or_default();
    let Some(function) = view.flow.functions.get(call.function) else { return Vec::new() };
    let mut found = Vec::new();
    for other in view.flow.calls.iter().filter(|other| other.bytes.start >= call.bytes.end) {
        if !function.bytes.contains(other.bytes) {
            continue;
        }
        let own = other.on.as_ref().is_some_and(|route| route.through.is_empty() && route.path.as_slice() == slot);
        let ends = own && hold.ends.contains(&other.name) && !hold.given_to;
        let moved = other.arguments.iter().any(|argument| {
            let whole = matches!(&argument.shape, Shape::Route(route) if route.through.is_empty() && route.path.as_slice() == slot);
            let takes = hold.given_to && hold.ends.contains(&other.name) || drops.contains(&other.name);
            whole && !argument.lent && (view.ecosystem == Ecosystem::Crates || takes)
        });
        if ends || moved {
            found.push((other.bytes.start, other.block));
        }
    }
    found.sort_unstable();
    found
}

/// Returns the innermost type around a place.
fn type_at(view: View<'_>, at: Bytes) -> Option<&crate::facts::code::TypeFact> {
    view.code.types.iter().filter(|class| class.bytes.contains(at)).min_by_key(|class| class.bytes.len())
}

fn owner_at(view: View<'_>, at: Bytes) -> Option<&str> {
    type_at(view, at)?.name.as_deref()
}

/// Says whether the class around a call extends one of these.
fn is_in_class_of(view: View<'_>, call: &FlowCall, bases: &[String]) -> bool {
    let written = |base: &crate::facts::value::Value| super::effect::route_of(base).map(|path| path.join("::"));
    type_at(view, call.bytes)
        .is_some_and(|class| class.bases.iter().filter_map(written).any(|base| bases.contains(&base)))
}

/// Returns the function that a call is given: its block, or its last argument that is one.
pub(super) fn given(call: &FlowCall) -> Option<usize> {
    let last = call.arguments.iter().rev().find_map(|argument| match argument.shape {
        Shape::Function(function) => Some(function),
        _ => None,
    });
    last.or(call.given)
}

/// Returns the end of the part that a place leaves, if what follows it is reached on another way: a block that ends in
/// a jump, or a handler of errors.
fn leaving(flow: &Flow, outer: usize, inner: usize, at: u32) -> Option<u32> {
    let mut block = inner;
    while block != outer {
        let facts = flow.blocks.get(block)?;
        let handler = flow.tries.iter().flat_map(|one| &one.handlers).any(|handler| *handler == facts.bytes);
        if (facts.leaves || handler) && facts.bytes.end >= at {
            return Some(facts.bytes.end);
        }
        if facts.parent >= block {
            return None;
        }
        block = facts.parent;
    }
    None
}

/// Says whether a call waits until it has a slot, and has it then.
pub(super) fn is_plain_wait(call: &FlowCall, hold: &Hold) -> bool {
    let named = |name: &String| {
        let name = name.to_ascii_lowercase();
        hold.only_with.iter().any(|end| name.ends_with(end.as_str()))
    };
    let plain = match call.arguments.as_slice() {
        [] => true,
        [only] => matches!(&only.shape, Shape::Route(route) if route.path.last().is_some_and(named)),
        _ => false,
    };
    plain && call.bound.is_none()
}

/// Returns the function of the class that a call is given by its name: `new Lazy<Prices>(Load)`.
fn named(view: View<'_>, call: &FlowCall, hold: &Hold) -> Option<usize> {
    if hold.on != On::Static || hold.form != Form::Callback {
        return None;
    }
    let owner = view.flow.functions.get(call.function).and_then(|function| function.owner.as_deref());
    let owner = owner.or_else(|| owner_at(view, call.bytes));
    call.arguments.iter().find_map(|argument| match &argument.shape {
        Shape::Route(route) if route.through.is_empty() => match route.path.as_slice() {
            [name] => only(view.flow, name, owner),
            _ => None,
        },
        _ => None,
    })
}

/// Returns the names by which a slot is given back: the variable, or the pool itself.
pub(super) fn slot_path(call: &FlowCall, hold: &Hold) -> Option<Vec<String>> {
    match hold.form {
        Form::Until => call.on.as_ref().filter(|route| route.through.is_empty()).map(|route| route.path.clone()),
        _ => call.bound.clone().map(|handle| vec![handle]),
    }
}

/// Returns from where on a slot is held.
fn begun(view: View<'_>, call: &FlowCall, hold: &Hold, slot: &[String]) -> Option<u32> {
    if hold.begins.is_empty() {
        return Some(call.bytes.end);
    }
    let own = |other: &&FlowCall| {
        let on = other.on.as_ref().is_some_and(|route| route.through.is_empty() && route.path.as_slice() == slot);
        on && other.function == call.function
            && other.bytes.start >= call.bytes.end
            && hold.begins.contains(&other.name)
    };
    view.flow.calls.iter().find(own).map(|other| other.bytes.end)
}

/// Says whether a call is the function, construction or statement that a row of the language's own library means.
fn is_static(call: &FlowCall, hold: &Hold) -> bool {
    if hold.on != On::Static {
        return true;
    }
    let of = match call.on.as_ref().and_then(|route| route.path.last()) {
        Some(owner) => hold.of.iter().any(|of| of == owner || of == "*"),
        None => hold.of.is_empty(),
    };
    // A statement has its resource in place of a receiver.
    let made = hold.form == Form::Block || call.made == Making::New || !hold.of.is_empty();
    let without = |name: &String| hold.not_with.contains(name);
    (of || hold.form == Form::Block)
        && made
        && !call
            .arguments
            .iter()
            .any(|argument| argument.names.iter().any(without) || ends_in(&argument.shape, &hold.not_with))
}

/// Says whether an argument is a member or a literal of one of these names.
fn ends_in(shape: &Shape, names: &[String]) -> bool {
    match shape {
        Shape::Route(route) => route.path.last().is_some_and(|last| names.contains(last)),
        Shape::Text(text) => names.contains(text),
        _ => false,
    }
}

/// Returns from where to where a variable keeps a slot.
pub(super) fn guarded(view: View<'_>, call: &FlowCall, hold: &Hold, slot: &[String]) -> Option<(Bytes, Vec<Bytes>)> {
    let flow = view.flow;
    let block = flow.blocks.get(call.block)?;
    let function = flow.functions.get(call.function)?;
    let drops = hold.drops || call.fate == Fate::Held;
    let limit = if drops { block.bytes.end } else { function.bytes.end };
    let mut end = limit;
    let mut holes = Vec::new();
    let mut given_back = drops;
    for (at, inner) in endings(view, call, hold, slot) {
        if at >= end {
            break;
        }
        given_back = true;
        match leaving(flow, call.block, inner, at) {
            Some(leaving) => holes.push(Bytes { start: at, end: leaving }),
            None => end = at,
        }
    }
    // In Rust what is given whole is gone.
    let given = flow.given.iter().filter(|_| view.ecosystem == Ecosystem::Crates);
    let escapes = flow
        .escapes
        .iter()
        .chain(given)
        .filter(|(name, bytes)| slot == [name.as_str()] && bytes.start >= call.bytes.end);
    for (_, bytes) in escapes.filter(|(_, bytes)| function.bytes.contains(*bytes)) {
        end = end.min(bytes.start.max(call.bytes.end));
    }
    for (_, bytes) in flow.held.iter().filter(|(name, _)| slot == [name.as_str()]) {
        if bytes.start >= call.bytes.end && function.bytes.contains(*bytes) {
            end = end.min(bytes.end);
            given_back = true;
        }
    }
    let start = begun(view, call, hold, slot)?;
    let waits = Bytes { start, end: end.max(start) };
    given_back.then_some((waits, holes))
}
