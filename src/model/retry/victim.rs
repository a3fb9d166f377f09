//! The calls that pay for a policy: they race by design, and hold something while they wait.

use crate::facts::Body;
use crate::facts::code::CallSite;
use crate::facts::value::{Called, Value, ValueKind};
use crate::knowledge::retry::{Library, Models};
use crate::model::resolve::{Located, Lookup, Resolver, Settled};
use crate::source::{FileId, Sources, Span};

/// At most so many are named.
const NAMED: usize = 3;

/// A call that loses races.
#[derive(Clone, Debug, PartialEq)]
pub struct Victim<'l> {
    /// The name of the called method.
    pub span: Span,
    pub what: &'l str,
    /// A column that it writes and that its model declares unique, and where.
    pub unique: Option<(String, Span)>,
}

/// Finds the victims in the root of `file`, the ones with a unique column first.
pub(super) fn victims<'l>(
    library: &'l Library,
    resolver: &Resolver<'_>,
    sources: &Sources,
    file: FileId,
) -> Vec<Victim<'l>> {
    let root = sources.file(file).map(|entry| entry.root);
    let mut found = Vec::new();
    for row in &library.victims {
        for (id, facts) in resolver.facts() {
            let Body::Code(code) = &facts.body else { continue };
            if sources.file(*id).map(|entry| entry.root) != root {
                continue;
            }
            for call in code.calls.iter().filter(|call| call.name == row.call) {
                let has_own_policy = own_policy(library, resolver, call);
                if !has_own_policy && matches!(call.called.callee.kind, ValueKind::Member { .. }) {
                    let unique = library.models.as_ref().and_then(|models| unique(models, resolver, call));
                    found.push(Victim { span: call.name_span, what: &row.what, unique });
                }
            }
        }
    }
    found.sort_by_key(|victim| (victim.unique.is_none(), victim.span));
    found.truncate(NAMED);
    found
}

/// The call sets the option itself: it is not governed by the block alone.
fn own_policy<'a>(library: &Library, resolver: &Resolver<'a>, call: &'a CallSite) -> bool {
    call.called.arguments.iter().any(|argument| {
        let alternatives = resolver.objects(&argument.value);
        alternatives.iter().any(|alternative| alternative.fields.get(&library.option) != Lookup::Absent)
    })
}

/// Returns a column named in `where` that the model of the call declares unique.
fn unique<'a>(models: &Models, resolver: &Resolver<'a>, call: &'a CallSite) -> Option<(String, Span)> {
    let ValueKind::Member { object, .. } = &call.called.callee.kind else { return None };
    let attributes = attributes(models, resolver, object)?;
    let alternatives = resolver.objects(&call.called.arguments.first()?.value);
    let [options] = alternatives.as_slice() else { return None };
    let Lookup::Found { value, .. } = options.fields.get("where") else { return None };
    let conditions = resolver.alternatives(&value);
    let [conditions] = conditions.as_slice() else { return None };
    for (name, _, _) in conditions.fields.known() {
        let columns = resolver.objects(attributes);
        let [columns] = columns.as_slice() else { return None };
        let Lookup::Found { value: column, .. } = columns.fields.get(name) else { continue };
        let column = resolver.alternatives(&column);
        let [column] = column.as_slice() else { continue };
        if let Lookup::Found { key_span, value } = column.fields.get("unique")
            && is_set(&value)
        {
            return Some((name.to_owned(), key_span));
        }
    }
    None
}

fn is_set(value: &Located<'_>) -> bool {
    matches!(value.value.kind, ValueKind::Boolean(true) | ValueKind::Text(_))
}

/// The object that declares the columns of the model that `receiver` stands for.
fn attributes<'a>(models: &Models, resolver: &Resolver<'a>, receiver: &'a Value) -> Option<&'a Value> {
    match resolver.settle(receiver) {
        Settled::Value(located) => {
            let ValueKind::Call(called) = &located.value.kind else { return None };
            let defines = matches!(&called.callee.kind, ValueKind::Member { name, .. } if *name == models.define);
            if defines { second(called) } else { None }
        }
        Settled::Type { file, name } => {
            let Body::Code(code) = &resolver.facts().get(&file)?.body else { return None };
            let init = code.calls.iter().find(|call| {
                call.name == models.init
                    && matches!(&call.called.callee.kind, ValueKind::Member { object, .. }
                        if object.kind == ValueKind::Name(name.clone()))
            })?;
            Some(&init.called.arguments.first()?.value)
        }
        _ => None,
    }
}

fn second(called: &Called) -> Option<&Value> {
    called.arguments.get(1).map(|argument| &argument.value)
}
