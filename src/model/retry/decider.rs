//! A policy that is a type of the project's own, whose method decides whether a run follows (tower's `Policy`).

use super::End;
use super::reading::last_name;
use crate::facts::Body;
use crate::facts::code::{CodeFacts, MentionKind, Scope, TypeFact};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::retry::Decider;
use crate::model::resolve::{Located, Resolver, Settled};

/// Says whether anything in the deciding method can end the repetition.
pub(super) fn end<'a>(row: &Decider, resolver: &Resolver<'a>, policy: &'a Value) -> End {
    let Some((code, method)) = method(row, resolver, policy) else { return End::Unknown };
    let says_nothing = |name: &str| row.plain.iter().any(|plain| plain == name);
    let own: Vec<&str> = method.bindings.keys().map(String::as_str).filter(|name| *name != "self").collect();
    let inside = code.mentions.iter().filter(|mention| method.bytes.contains(mention.bytes));
    let decides = inside.filter(|mention| mention.kind != MentionKind::Passed).any(|mention| {
        // A look at what came back tells one error from another at most.
        !(says_nothing(&mention.name) || mention.kind == MentionKind::Tested && own.contains(&mention.name.as_str()))
    });
    if decides { End::Unknown } else { End::Never { written: None } }
}

/// Finds the method in the type's implementation of the trait.
fn method<'a>(row: &Decider, resolver: &Resolver<'a>, policy: &'a Value) -> Option<(&'a CodeFacts, &'a Scope)> {
    let name = type_name(resolver, policy, 4)?;
    let mut found = None;
    for facts in resolver.facts().values() {
        let Body::Code(code) = &facts.body else { continue };
        let implements = |class: &&TypeFact| {
            class.name.as_deref() == Some(&name)
                && class.bases.iter().filter_map(last_name).any(|base| base == row.implements)
        };
        for class in code.types.iter().filter(implements) {
            let scope = code
                .scopes
                .iter()
                .find(|scope| scope.name.as_deref() == Some(&row.method) && class.bytes.contains(scope.bytes));
            // Two types of one name are told apart by their paths only.
            if found.is_some() {
                return None;
            }
            found = scope.map(|scope| (code, scope));
        }
    }
    found
}

/// `Attempts(3)`, `Attempts::new(3)`, `Attempts`, `Attempts { left: 3 }`, or a name for one of them.
fn type_name<'a>(resolver: &Resolver<'a>, value: &'a Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match &value.kind {
        ValueKind::Name(name) if is_type(name) => Some(name.clone()),
        ValueKind::Name(_) => match resolver.settle_located(&Located::of(value)) {
            Settled::Value(located) if located.value != value => type_name(resolver, located.value, depth),
            _ => None,
        },
        ValueKind::Member { object, name, .. } => {
            if is_type(name) {
                Some(name.clone())
            } else {
                type_name(resolver, object, depth)
            }
        }
        ValueKind::Call(called) => type_name(resolver, &called.callee, depth),
        _ => None,
    }
}

fn is_type(name: &str) -> bool {
    name.starts_with(|first: char| first.is_uppercase())
}
