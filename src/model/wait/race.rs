//! Work that is handed to a queue inside the transaction that it depends on, and settings that no longer hold it back.

use super::region::Region;
use super::{HeldSlot, Scene, View};
use crate::facts::Body;
use crate::facts::code::Write;
use crate::facts::code::flow::{FlowArgument, FlowCall, Shape};
use crate::facts::value::ValueKind;
use crate::knowledge::wait::{Deferral, Queue, queues};
use crate::model::package;
use crate::model::resolve::Settled;
use crate::source::{FileId, Span};
use crate::version::{Requirement, Version};

/// A push inside a transaction.
#[derive(Clone, Debug)]
pub struct Pushed<'k> {
    pub held: HeldSlot<'k>,
    pub queue: &'static Queue,
    pub span: Span,
    pub call: String,
    pub need: RowNeed,
}

/// What is known of a job and the rows of the transaction that it is pushed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowNeed {
    /// It is told which row, or stands beside what writes it.
    Told,
    /// It gets other values of a record that is saved: it may need no row of this transaction.
    Untold,
}

/// A setting that is there and does nothing.
#[derive(Clone, Debug)]
pub struct IgnoredSetting {
    pub queue: &'static Queue,
    pub deferral: &'static Deferral,
    pub span: Span,
    /// The version that ignores it, and where it is locked.
    pub version: Version,
    pub locked_at: Option<Span>,
    /// The value as it is written.
    pub value: String,
}

impl<'a, 'k> Scene<'_, 'a, 'k> {
    /// Returns the queue that a call in a transaction pushes to before it is committed.
    pub(super) fn pushed(&self, view: View<'a>, region: &Region<'a, 'k>, call: &'a FlowCall) -> Option<&'static Queue> {
        if !region.hold.transaction {
            return None;
        }
        let mut rows = queues().iter().filter(|row| row.ecosystem == view.ecosystem && row.calls.contains(&call.name));
        rows.find(|row| {
            !is_delayed(view, row, call) && self.is_queue(view, row, call) && !self.is_deferred(view, row, call)
        })
    }

    /// Says whether a job of a callback is told which record is saved. One that gets a foreign key may read what stood there
    /// before (feedbin/feedbin app/models/subscription.rb: `perform_async(feed_id)`), or all rows of its owner, the new one
    /// among them (`perform_async(user_id)`): nothing at the push tells the two apart.
    pub(super) fn row_need(region: &Region<'a, 'k>, call: &FlowCall) -> RowNeed {
        let own = |argument: &FlowArgument| match &argument.shape {
            Shape::Route(route) => {
                let last = route.path.last().map(|last| last.trim_end_matches("()"));
                route.through.is_empty()
                    && (route.path.len() == 1 && matches!(last, Some("this" | "self" | "id"))
                        || route.path.first().is_some_and(|first| first == "this") && last == Some("id"))
            }
            _ => argument.names.iter().any(|name| name == "id"),
        };
        let told = region.hold.bases.is_empty() || call.arguments.is_empty() || call.arguments.iter().any(own);
        if told { RowNeed::Told } else { RowNeed::Untold }
    }

    fn is_queue(&self, view: View<'a>, row: &Queue, call: &'a FlowCall) -> bool {
        let used = |packages: &[String]| {
            !packages.is_empty() && package::is_used(self.resolver.facts(), self.sources, view.file, packages)
        };
        if row.modules.is_empty() {
            return used(&row.packages) && !used(&row.same_database);
        }
        let of_module =
            |module: &str| row.modules.iter().any(|known| module == known || module.split("::").next() == Some(known));
        if view.flow.modules.iter().any(|module| of_module(module)) && row.distinct {
            return true;
        }
        let Some(route) = &call.on else { return false };
        let Some(value) = &route.value else { return false };
        let made = match self.resolver.settle(value) {
            Settled::Value(located) => match &located.value.kind {
                ValueKind::Call(called) => self.resolver.settle(&called.callee),
                _ => return false,
            },
            other => other,
        };
        match made {
            Settled::External { module, .. } => of_module(&module),
            _ => self.type_of(view, &route.path, super::pool::place(view, call.function)).is_some_and(|text| {
                text.split(|c: char| !c.is_alphanumeric()).any(|word| {
                    let at = super::pool::place(view, call.function);
                    matches!(self.resolver.settled_name(view.file, word, at), Settled::External { module, .. } if of_module(&module))
                })
            }),
        }
    }

    fn is_deferred(&self, view: View<'a>, row: &Queue, call: &'a FlowCall) -> bool {
        let called = row
            .deferred_by
            .iter()
            .any(|name| self.views().iter().any(|other| other.flow.calls.iter().any(|call| call.name == *name)));
        if called {
            return true;
        }
        let Some(setting) = &row.setting else { return false };
        // `self.enqueue_after_transaction_commit = true` in the class of the job, or one that it may extend.
        let facts = self.resolver.facts();
        let in_classes = facts.values().any(|facts| {
            let Body::Code(code) = &facts.body else { return false };
            code.writes
                .iter()
                .any(|write| is_of_class(row, setting, write) && write.value.kind != ValueKind::Boolean(false))
        });
        if in_classes {
            return true;
        }
        let _ = call;
        // What a version does by itself, and with the project's setting; without a version nothing is known.
        let Some((deferral, _, _)) = self.deferral(row, view.file) else { return true };
        let set = self
            .settings(setting)
            .into_iter()
            .any(|(_, write)| written(write).is_some_and(|text| deferral.read.contains(&text)));
        set || !deferral.since_defaults.is_empty() && self.loads(&row.defaults_with, &deferral.since_defaults)
    }

    /// Says whether the project asks for the defaults of one of these versions.
    fn loads(&self, by: &str, versions: &[String]) -> bool {
        self.views().iter().any(|view| {
            view.flow.calls.iter().filter(|call| call.name == by).any(|call| {
                call.arguments.first().is_none_or(|argument| match &argument.shape {
                    Shape::Number(text) | Shape::Text(text) => versions.contains(text),
                    _ => true,
                })
            })
        })
    }

    /// Returns what the locked version does with the setting.
    fn deferral<'q>(&self, row: &'q Queue, file: FileId) -> Option<(&'q Deferral, Version, Option<Span>)> {
        row.deferral.iter().find_map(|deferral| {
            let names = std::slice::from_ref(&deferral.package);
            let found = package::version(self.resolver.facts(), self.sources, file, row.ecosystem, names);
            let version = found.version?;
            let requirement = Requirement::parse(row.ecosystem, &deferral.versions)?;
            requirement.matches(&version).then_some((deferral, version, found.place))
        })
    }

    /// Returns the assignments of a setting of the whole project.
    fn settings(&self, setting: &str) -> Vec<(FileId, &'a Write)> {
        let mut found = Vec::new();
        for (file, facts) in self.resolver.facts() {
            let Body::Code(code) = &facts.body else { continue };
            let own = code
                .writes
                .iter()
                .filter(|write| write.path.len() > 1 && write.path.last().is_some_and(|last| last == setting));
            found.extend(own.map(|write| (*file, write)));
        }
        found
    }

    /// Finds the settings that the locked version ignores.
    pub(super) fn ignored_settings(&self) -> Vec<IgnoredSetting> {
        let mut found = Vec::new();
        for row in queues() {
            let Some(setting) = &row.setting else { continue };
            for (file, write) in self.settings(setting) {
                if is_of_class(row, setting, write) {
                    continue;
                }
                let Some((deferral, version, locked_at)) = self.deferral(row, file) else { continue };
                let Some(value) = written(write) else { continue };
                let wanted = value != "false" && value != "never";
                if wanted && !deferral.ignores_nothing && !deferral.read.contains(&value) {
                    found.push(IgnoredSetting {
                        queue: row,
                        deferral,
                        span: write.name_span,
                        version,
                        locked_at,
                        value,
                    });
                }
            }
        }
        found
    }
}

/// Says whether a setting is set in a class of jobs, or in the one that all of them extend.
fn is_of_class(row: &Queue, setting: &str, write: &Write) -> bool {
    let Some((last, path)) = write.path.split_last() else { return false };
    let own = path.is_empty() && matches!(write.base.as_str(), "this" | "self");
    let base = || std::iter::once(write.base.as_str()).chain(path.iter().map(String::as_str));
    last == setting && (own || base().eq(row.base.split("::")))
}

/// Says whether a push waits by an option of its own: `deliver_later(wait: 5.minutes)`, `set(wait: …).perform_later`.
fn is_delayed(view: View<'_>, row: &Queue, call: &FlowCall) -> bool {
    let waits = |call: &FlowCall| {
        call.arguments.iter().any(|argument| {
            let named = argument.name.as_ref().is_some_and(|name| row.delayed_by.contains(name));
            named || matches!(&argument.shape, Shape::Object { keys, .. } if keys.iter().any(|setting| row.delayed_by.contains(&setting.key)))
        })
    };
    let before = view.flow.calls.iter().filter(|other| {
        row.delayed_with.contains(&other.name) && call.bytes.contains(other.bytes) && other.then.contains(&call.name)
    });
    waits(call) || before.into_iter().any(waits)
}

/// Returns a literal as it is written.
fn written(write: &Write) -> Option<String> {
    match &write.value.kind {
        ValueKind::Boolean(value) => Some(value.to_string()),
        ValueKind::Text(text) => Some(text.clone()),
        ValueKind::Null => Some("nil".to_owned()),
        _ => None,
    }
}
