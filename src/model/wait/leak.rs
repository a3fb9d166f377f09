//! Slots that a path out of a function does not give back.

use super::region::{endings, given, guarded, is_plain_wait, slot_path};
use super::{Scene, View};
use crate::facts::code::flow::{Fate, FlowCall, LeaveKind, Shape};
use crate::knowledge::wait::{Form, Hold, Pool};
use crate::source::{Bytes, Span};

/// A slot that is lost on some path.
#[derive(Clone, Debug)]
pub struct Leak<'k> {
    pub pool: &'k Pool,
    pub hold: &'k Hold,
    /// The call that takes it.
    pub span: Span,
    pub handle: String,
    pub lost: Lost,
    pub anchor: String,
}

/// How it is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// This `return` leaves without giving it back.
    Return(Span),
    /// If this fails, nothing gives it back.
    Failure(Span),
    /// Nothing in the function gives it back.
    Never,
}

/// Finds the slots of a file that are lost.
pub(super) fn find<'a, 'k>(scene: &Scene<'_, 'a, 'k>, view: View<'a>, found: &mut Vec<Leak<'k>>) {
    for call in &view.flow.calls {
        for row in scene.rows.iter().filter(|row| row.ecosystem == view.ecosystem) {
            for hold in row.holds.iter().filter(|hold| hold.calls.contains(&call.name)) {
                if let Some((handle, lost)) = scene.lost(view, call, row, hold) {
                    found.push(Leak {
                        pool: row,
                        hold,
                        span: view.file.span(call.name_bytes),
                        handle,
                        lost,
                        anchor: view.code.anchor(view.code.scope_at(call.name_bytes)),
                    });
                }
            }
        }
    }
}

impl<'a, 'k> Scene<'_, 'a, 'k> {
    fn lost(&self, view: View<'a>, call: &'a FlowCall, row: &'k Pool, hold: &Hold) -> Option<(String, Lost)> {
        let leaks = matches!(hold.form, Form::Guard | Form::Until) && !hold.drops && !hold.ends.is_empty();
        let leaks = leaks && call.fate != Fate::Held;
        if !leaks || call.function == 0 || given(call).is_some() {
            return None;
        }
        if hold.arguments.is_some_and(|count| count != call.arguments.len()) {
            return None;
        }
        if !hold.only_with.is_empty() && !is_plain_wait(call, hold) {
            return None;
        }
        let slot = slot_path(call, hold)?;
        let handle = slot.join(".");
        self.pays(view.flow.calls.len() + view.flow.escapes.len() + view.flow.given.len() + view.flow.waits.len())?;
        let function = view.flow.functions.get(call.function)?;
        let escapes = view.flow.escapes.iter().any(|(name, bytes)| *name == handle && function.bytes.contains(*bytes));
        if escapes || is_kept(view, call, hold, &handle) {
            return None;
        }
        self.subject(view, call, hold.on, row)?;
        if self.is_set_apart(view, call, row) {
            return None;
        }
        let lost = Self::loss(view, call, hold, &slot)?;
        Some((handle, lost))
    }

    fn loss(view: View<'a>, call: &'a FlowCall, hold: &Hold, slot: &[String]) -> Option<Lost> {
        let flow = view.flow;
        let function = flow.functions.get(call.function)?;
        let handle = slot.first().map_or("", String::as_str);
        let endings = endings(view, call, hold, slot);
        let handled =
            |at: u32| flow.tries.iter().flat_map(|one| &one.handlers).any(|part| part.start <= at && at < part.end);
        // What only a handler gives back is given back elsewhere where nothing fails.
        if hold.form == Form::Until && endings.iter().all(|(at, _)| handled(*at)) {
            return None;
        }
        if flow.held.iter().any(|(name, bytes)| slot == [name.as_str()] && function.bytes.contains(*bytes)) {
            return None;
        }
        let passed = flow.given.iter().filter(|(name, bytes)| name == handle && bytes.start > call.bytes.end);
        let passed: Vec<u32> =
            passed.filter(|(_, bytes)| function.bytes.contains(*bytes)).map(|(_, bytes)| bytes.start).collect();
        if endings.is_empty() {
            let whole = is_given_whole(view, call, handle);
            return (passed.is_empty() && !whole && !is_mentioned_in_functions(view, call, handle))
                .then_some(Lost::Never);
        }
        // What gives it back in a function of its own runs when that one does.
        let own = |at: &u32| {
            let bytes = Bytes { start: *at, end: *at };
            let innermost = flow.functions.iter().enumerate().rev().find(|(_, inner)| inner.bytes.contains(bytes));
            innermost.is_some_and(|(index, _)| index == call.function)
        };
        if !endings.iter().all(|(at, _)| own(at)) {
            return None;
        }
        let (bytes, holes) = guarded(view, call, hold, slot)?;
        let open = |place: Bytes| bytes.contains(place) && !holes.iter().any(|hole| hole.contains(place));
        let gives_back = |part: Bytes| {
            let inside = |at: &u32| part.start <= *at && *at < part.end;
            endings.iter().any(|(at, _)| inside(at)) || passed.iter().any(inside)
        };
        let tries = || flow.tries.iter().filter(|one| one.function == call.function);
        let finally = |place: Bytes| {
            tries().any(|one| {
                let within = one.body.contains(place) || one.handlers.iter().any(|handler| handler.contains(place));
                within && one.finally.is_some_and(gives_back)
            })
        };
        let returns = flow.leaves.iter().filter(|leave| leave.function == call.function);
        if let Some(leave) =
            returns.clone().find(|leave| leave.kind == LeaveKind::Return && open(leave.bytes) && !finally(leave.bytes))
        {
            // `return client.release()`
            if !gives_back(leave.bytes) {
                return Some(Lost::Return(view.file.span(leave.bytes)));
            }
        }
        let caught = |place: Bytes| {
            finally(place)
                || tries().any(|one| {
                    let swallowed = |handler: &Bytes| !returns.clone().any(|leave| handler.contains(leave.bytes));
                    one.body.contains(place)
                        && one.handlers.iter().any(|handler| gives_back(*handler) || swallowed(handler))
                })
        };
        let calls = flow.calls.iter().filter(|other| other.function == call.function && other.fate == Fate::Awaited);
        let ends = |other: &FlowCall| endings.iter().any(|(at, _)| *at == other.bytes.start);
        let mut waits: Vec<Bytes> = calls.filter(|other| !ends(other)).map(|other| other.bytes).collect();
        waits.extend(flow.waits.iter().filter(|wait| own(&wait.start)));
        waits.extend(returns.clone().filter(|leave| leave.kind == LeaveKind::Raise).map(|leave| leave.bytes));
        waits.sort_unstable();
        let risk = waits.into_iter().find(|wait| open(*wait) && !caught(*wait))?;
        Some(Lost::Failure(view.file.span(risk)))
    }
}

/// Says whether the slot is kept on purpose, or the process ends with the function.
fn is_kept(view: View<'_>, call: &FlowCall, hold: &Hold, handle: &str) -> bool {
    let Some(function) = view.flow.functions.get(call.function) else { return true };
    let ends = view.language.map(|row| row.process_ends.as_slice()).unwrap_or_default();
    view.flow.calls.iter().filter(|other| function.bytes.contains(other.bytes)).any(|other| {
        let own = other.on.as_ref().is_some_and(|route| route.path.first().is_some_and(|first| first == handle));
        own && hold.kept_by.contains(&other.name) || ends.contains(&other.name) && !own
    })
}

/// Says whether the slot is given whole to a call.
fn is_given_whole(view: View<'_>, call: &FlowCall, handle: &str) -> bool {
    let Some(function) = view.flow.functions.get(call.function) else { return true };
    let after = view.flow.calls.iter().filter(|other| other.bytes.start > call.bytes.end);
    after.filter(|other| function.bytes.contains(other.bytes)).any(|other| {
        other.arguments.iter().any(|argument| {
            matches!(&argument.shape, Shape::Route(route) if route.path.first().is_some_and(|first| first == handle))
        })
    })
}

/// Says whether a function inside uses the slot, and may give it back by a way that is not seen.
fn is_mentioned_in_functions(view: View<'_>, call: &FlowCall, handle: &str) -> bool {
    view.flow.calls.iter().any(|other| {
        other.function > call.function
            && view.flow.functions.get(call.function).is_some_and(|function| function.bytes.contains(other.bytes))
            && (other.on.as_ref().is_some_and(|route| route.path.first().is_some_and(|first| first == handle))
                || other.arguments.iter().any(|argument| argument.names.iter().any(|name| name == handle)))
    })
}
