//! Calls that take long.

use super::pool::canonical;
use super::{Scene, View};
use crate::facts::code::flow::{Fate, FlowCall, Making, Route, Shape};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::wait::{Slow, slow};
use crate::model::resolve::Settled;
use crate::version::Ecosystem;

impl<'a> Scene<'_, 'a, '_> {
    /// Says whether a call is slow, and for how many milliseconds at least if a literal says so.
    pub(super) fn slow(&self, view: View<'a>, call: &'a FlowCall) -> Option<(&'static Slow, Option<f64>)> {
        // A promise that nobody waits for here takes nobody's time.
        if view.ecosystem == Ecosystem::Npm && call.fate != Fate::Awaited {
            return None;
        }
        let row =
            slow().iter().filter(|row| row.ecosystem == view.ecosystem).find(|row| self.is_slow(row, view, call))?;
        let number = if row.timers.is_empty() {
            number(call, 0)
        } else {
            timer(row, view, call).and_then(|timer| number(timer, 1))
        };
        Some((row, number.zip(row.unit).map(|(number, unit)| number * unit)))
    }

    fn is_slow(&self, row: &Slow, view: View<'a>, call: &'a FlowCall) -> bool {
        if !row.timers.is_empty() {
            return timer(row, view, call).is_some();
        }
        let method = row.methods.is_empty() || row.methods.contains(&call.name);
        match &call.on {
            None if row.globals.contains(&call.name) => {
                let scope = view.code.scope_at(call.name_bytes);
                return view.code.binding(&call.name, scope).is_none();
            }
            Some(_) if row.anywhere.contains(&call.name) => return true,
            Some(route)
                if method
                    && route.path.first().is_some_and(|first| row.constants.contains(first))
                    && !row.methods.is_empty() =>
            {
                return true;
            }
            _ => {}
        }
        if let Some(route) = &call.on
            && method
            && row.clients.iter().any(|client| self.is_client(row, client, view, call, route))
        {
            return true;
        }
        if row.modules.is_empty() || call.made == Making::New {
            return false;
        }
        if let Some(callee) = &call.callee
            && self.is_of(row, view, callee)
        {
            return method || call.on.is_none();
        }
        // What was made with the module: `const stripe = new Stripe(key)`.
        let Some(route) = &call.on else { return false };
        method && route.value.as_ref().is_some_and(|value| self.is_made_with(row, view, root(value)))
    }

    /// Says whether a chain begins at a value of a module's type, by its construction or its written type.
    fn is_client(&self, row: &Slow, client: &str, view: View<'a>, call: &FlowCall, route: &'a Route) -> bool {
        let of_module = |module: &str| module.split("::").next() == Some(client);
        if view.ecosystem == Ecosystem::NuGet {
            return self.is_typed_client(row, client, view, call, route);
        }
        if let Some(value) = &route.value {
            let built = match self.resolver.settle(value) {
                Settled::Value(located) => match &located.value.kind {
                    ValueKind::Call(called) => Some(self.resolver.settle(root(&called.callee))),
                    _ => None,
                },
                external @ Settled::External { .. } => Some(external),
                _ => None,
            };
            if let Some(Settled::External { module, .. }) = built {
                return of_module(&module);
            }
        }
        // What stands before the last method of the chain is the request; the client is its root.
        let (path, at) = canonical(view, route.path.get(..1).unwrap_or_default(), call.function);
        let member =
            route.path.get(..2).filter(|path| path.first().is_some_and(|first| first == "self" || first == "this"));
        let type_text = self.type_of(view, member.unwrap_or(&path), at);
        type_text.is_some_and(|text| {
            text.contains(&format!("{client}::"))
                || text.split(|c: char| !c.is_alphanumeric()).any(|word| {
                    matches!(self.resolver.settled_name(view.file, word, at), Settled::External { module, .. } if of_module(&module))
                })
        })
    }

    /// The same by the name of its type alone, and by what makes one.
    fn is_typed_client(&self, row: &Slow, client: &str, view: View<'a>, call: &FlowCall, route: &'a Route) -> bool {
        let [name] = route.path.as_slice() else { return false };
        if !route.through.is_empty() {
            return false;
        }
        let made = view.flow.calls.iter().any(|other| {
            let by = other.made == Making::New && other.name == client || row.makers.contains(&other.name);
            by && other.function == call.function && other.bound.as_ref() == Some(name)
        });
        let at = super::pool::place(view, call.function);
        made || self.type_of(view, &route.path, at).is_some_and(|text| text.trim_end_matches('?') == client)
    }

    /// Says whether a callee is of one of the row's modules.
    fn is_of(&self, row: &Slow, view: View<'a>, callee: &'a Value) -> bool {
        match self.resolver.settle(callee) {
            Settled::External { module, name } => {
                let whole = match (&name, view.ecosystem) {
                    (Some(name), Ecosystem::Crates) if name != "*" => format!("{module}::{name}"),
                    (Some(name), Ecosystem::PyPi) => format!("{module}.{name}"),
                    _ => module.clone(),
                };
                row.modules.iter().any(|known| *known == module || *known == whole)
            }
            _ => false,
        }
    }

    fn is_made_with(&self, row: &Slow, view: View<'a>, value: &'a Value) -> bool {
        let Settled::Value(located) = self.resolver.settle(value) else { return false };
        match &located.value.kind {
            ValueKind::Call(called) => self.is_of(row, view, root(&called.callee)),
            _ => false,
        }
    }
}

/// `new Promise((done) => setTimeout(done, 500))`.
fn timer<'a>(row: &Slow, view: View<'a>, call: &FlowCall) -> Option<&'a FlowCall> {
    if call.made != Making::New {
        return None;
    }
    let function = super::region::given(call)?;
    let done = view.flow.functions.get(function)?.parameters.first()?.names.first()?;
    let timer = view.flow.calls.iter().find(|inner| inner.function == function && row.timers.contains(&inner.name))?;
    // A timer that rejects is a limit of time, not a pause.
    timer.arguments.first()?.names.contains(done).then_some(timer)
}

fn number(call: &FlowCall, at: usize) -> Option<f64> {
    match &call.arguments.get(at)?.shape {
        Shape::Number(number) => number.replace('_', "").parse().ok(),
        _ => None,
    }
}

fn root(value: &Value) -> &Value {
    match &value.kind {
        ValueKind::Member { object, .. } => root(object),
        _ => value,
    }
}
