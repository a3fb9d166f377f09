//! Calls that block a thread until a task ends, where the task needs a thread of the same pool to end. Says nothing of
//! tasks that have ended, or that may have.

use super::{Scene, View};
use crate::facts::code::flow::{Fate, FlowCall, Shape, Timing};
use crate::knowledge::wait::Tasks;
use crate::source::Bytes;

impl<'a> Scene<'_, 'a, '_> {
    /// Says whether a call blocks until a task ends that has not ended and needs the pool.
    pub(super) fn blocks(&self, view: View<'a>, call: &'a FlowCall) -> bool {
        let Some(tasks) = view.language.and_then(|row| row.tasks.as_ref()) else { return false };
        if self.pays(view.flow.calls.len()).is_none() {
            return false;
        }
        if is_of(call, &tasks.waits_for_several) {
            let timed = |shape: &Shape| matches!(shape, Shape::Number(_));
            return !call.arguments.iter().any(|argument| timed(&argument.shape))
                && call.arguments.iter().any(|argument| {
                    let inside = view.flow.calls.iter().filter(|other| argument.bytes.contains(other.bytes));
                    inside.into_iter().any(|other| self.gives_work(view, other, tasks))
                        || matches!(&argument.shape, Shape::Route(route) if self.is_work(view, call, &route.path, tasks))
                });
        }
        if !call.arguments.is_empty() {
            return false;
        }
        let Some(route) = &call.on else { return false };
        if route.through.is_empty() && route.path.last().is_some_and(|last| !last.ends_with("()")) {
            return self.is_work(view, call, &route.path, tasks);
        }
        view.flow
            .calls
            .iter()
            .filter(|other| is_waited_by(view, other, call))
            .any(|other| self.gives_work(view, other, tasks))
    }

    /// Says whether a variable holds a task that has not ended where a call stands.
    fn is_work(&self, view: View<'a>, call: &FlowCall, path: &[String], tasks: &Tasks) -> bool {
        let [name] = path else { return false };
        let before = |other: &&FlowCall| other.function == call.function && other.bytes.end <= call.bytes.start;
        let mut bound = view.flow.calls.iter().filter(before).filter(|other| other.bound.as_ref() == Some(name));
        let Some(made) = bound.clone().next_back() else { return false };
        let is_task = bound.any(|other| {
            other.fate != Fate::Awaited && other.fate != Fate::Held && self.gives_work(view, other, tasks)
        });
        let since = |start: u32| made.bytes.end <= start && start < call.bytes.start;
        let awaited = view.flow.awaited.iter().any(|(other, bytes)| other == name && since(bytes.start));
        // Asked whether it has ended, waited for already, or handed to something that waits for it.
        let ended = view.flow.calls.iter().any(|other| {
            let own = other.on.as_ref().is_some_and(|route| route.through.is_empty() && route.path == path);
            let inside = view.flow.functions.get(call.function).is_some_and(|own| own.bytes.contains(other.bytes));
            own && inside && tasks.asked.contains(&other.name)
                || since(other.bytes.start)
                    && !std::ptr::eq(other, call)
                    && (own || other.arguments.iter().any(|argument| argument.names.contains(name)))
        });
        is_task && !awaited && !ended
    }

    /// Says whether a call gives a task that has not ended: by its name, by what it queues, or by its definition.
    fn gives_work(&self, view: View<'a>, call: &'a FlowCall, tasks: &Tasks) -> bool {
        if tasks.suffixes.iter().any(|suffix| call.name.ends_with(suffix.as_str())) {
            return true;
        }
        if is_of(call, &tasks.started_by) {
            // Plain code is run by the waiter itself, which takes it out of its own queue.
            return call.arguments.first().is_some_and(|argument| match &argument.shape {
                Shape::Function(function) => is_task_function(view, *function, tasks),
                Shape::Route(route) => {
                    let last = route.path.last();
                    last.is_some_and(|last| tasks.suffixes.iter().any(|suffix| last.ends_with(suffix.as_str())))
                }
                _ => false,
            });
        }
        if is_of(call, &tasks.gathered_by) {
            let inside =
                view.flow.calls.iter().filter(|other| call.bytes.contains(other.bytes) && other.bytes != call.bytes);
            return inside
                .into_iter()
                .any(|other| tasks.suffixes.iter().any(|suffix| other.name.ends_with(suffix.as_str())));
        }
        let target = self.target(view, call);
        target.is_some_and(|target| {
            let function = target.view.flow.functions.get(target.function);
            function.is_some_and(|function| function.timing == Timing::Async)
        })
    }

    /// Says whether a call gives a task that nobody waits for in a part of the file.
    pub(super) fn is_left_running(&self, view: View<'a>, call: &'a FlowCall, within: Bytes) -> bool {
        let Some(tasks) = view.language.and_then(|row| row.tasks.as_ref()) else { return false };
        if matches!(call.fate, Fate::Awaited | Fate::Held) {
            return false;
        }
        let blocks = |name: &String| tasks.reads.contains(name) || tasks.blocks.contains(name);
        let later = call.bound.as_ref().is_some_and(|bound| {
            if self.pays(view.flow.calls.len() + view.flow.awaited.len()).is_none() {
                return false;
            }
            let after = |bytes: Bytes| bytes.start >= call.bytes.end && within.contains(bytes);
            let awaited = view.flow.awaited.iter().any(|(name, bytes)| name == bound && after(*bytes));
            let blocked = |other: &FlowCall| {
                let own = other.on.as_ref().is_some_and(|route| route.path.first() == Some(bound));
                own && blocks(&other.name) || other.arguments.iter().any(|argument| argument.names.contains(bound))
            };
            awaited || view.flow.calls.iter().any(|other| after(other.bytes) && blocked(other))
        });
        !call.then.iter().any(blocks)
            && !later
            && (tasks.gives.contains(&call.name) || self.gives_work(view, call, tasks))
    }

    /// Says whether a call runs for many callers at once: some project of its root asks for a server, and it is no part of
    /// what starts the program.
    pub(super) fn is_served(&self, view: View<'a>, call: &FlowCall) -> bool {
        let Some(root) = self.sources.file(view.file).map(|entry| entry.root) else { return false };
        let entries = view.language.map(|row| row.entries.as_slice()).unwrap_or_default();
        let around = view.flow.functions.iter().filter(|function| function.bytes.contains(call.bytes));
        let mut names = around.filter_map(|function| function.name.as_ref());
        let starts = names.any(|name| entries.contains(name)) || view.code.class_at(call.bytes).is_none();
        self.served.contains(&(view.ecosystem, root)) && !starts
    }
}

/// Says whether a call is one of `Task.Run`, by the last two names.
fn is_of(call: &FlowCall, paths: &[String]) -> bool {
    let Some(owner) = call.on.as_ref().filter(|route| route.through.is_empty()).and_then(|route| route.path.last())
    else {
        return false;
    };
    paths.iter().any(|path| path.split_once('.').is_some_and(|(known, name)| known == owner && name == call.name))
}

/// Says whether a call is what another one is made on, with nothing between them but what hands it on.
fn is_waited_by(view: View<'_>, call: &FlowCall, waiter: &FlowCall) -> bool {
    let carriers = view.language.map(|row| row.carriers.as_slice()).unwrap_or_default();
    let Some(rest) = call.then.strip_prefix(waiter.then.as_slice()) else { return false };
    waiter.bytes.contains(call.bytes)
        && call.function == waiter.function
        && rest
            .split_first()
            .is_some_and(|(first, rest)| *first == waiter.name && rest.iter().all(|name| carriers.contains(name)))
}

/// Says whether a function gives a task: it is asynchronous, or gives what one gives.
fn is_task_function(view: View<'_>, function: usize, tasks: &Tasks) -> bool {
    let Some(facts) = view.flow.functions.get(function) else { return false };
    let gives = |call: &FlowCall| {
        call.function == function
            && call.fate == Fate::Awaited
            && tasks.suffixes.iter().any(|suffix| call.name.ends_with(suffix.as_str()))
    };
    facts.timing == Timing::Async || view.flow.calls.iter().any(gives)
}
