//! Requests that change something and are repeated all the same.

use super::predicate::names;
use super::site::{self, Reached};
use crate::facts::Body;
use crate::facts::code::MentionKind;
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::retry::{Library, Methods, Requests, project};
use crate::model::resolve::{Fields, Lookup, Resolver, Settled};
use crate::source::Span;

/// Whether a policy repeats requests that change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Safe,
    /// It would, but nothing read so far sends one.
    Unseen,
    /// The token by which it does, and such a request.
    Seen {
        token: Span,
        at: Option<Span>,
    },
}

/// Returns whether such requests are repeated.
pub(super) fn repeated<'a>(
    library: &Library,
    resolver: &Resolver<'a>,
    block: &Fields<'a>,
    reached: Option<Reached<'a, '_>>,
) -> Request {
    let Some(methods) = &library.methods else { return Request::Safe };
    if let Some((token, at)) = listed(methods, resolver, block, reached) {
        return Request::Seen { token, at };
    }
    reached.and_then(|reached| dropped(methods, resolver, block, reached)).unwrap_or(Request::Safe)
}

/// Says whether the file of a policy may send requests of the methods that are listed: not if it only posts, and POST is
/// none of them.
pub(super) fn sends_listed<'a>(
    library: &Library,
    resolver: &Resolver<'a>,
    block: &Fields<'a>,
    reached: Option<Reached<'a, '_>>,
) -> bool {
    let Some(methods) = library.methods.as_ref().filter(|methods| methods.requests == Requests::File) else {
        return true;
    };
    let (Some(option), Some(reached)) = (methods.option.as_deref(), reached) else { return true };
    let Lookup::Found { value, .. } = block.get(option) else { return true };
    let Settled::Value(located) = resolver.settle_located(&value) else { return true };
    let ValueKind::List(items) = &located.value.kind else { return true };
    let listed: Vec<&str> = items.iter().filter_map(Value::as_text).collect();
    let called = |fits: &dyn Fn(&str) -> bool| {
        reached.code.mentions.iter().any(|mention| mention.kind == MentionKind::CalledOn && fits(&mention.name))
    };
    listed.len() != items.len()
        || !called(&|name| project().is_changing(name))
        || called(&|name| listed.iter().any(|own| own.eq_ignore_ascii_case(name)))
}

/// `methods: ['POST']`.
fn listed<'a>(
    methods: &Methods,
    resolver: &Resolver<'a>,
    block: &Fields<'a>,
    reached: Option<Reached<'a, '_>>,
) -> Option<(Span, Option<Span>)> {
    let Lookup::Found { key_span, value } = block.get(methods.option.as_deref()?) else { return None };
    let Settled::Value(located) = resolver.settle_located(&value) else { return None };
    match &located.value.kind {
        ValueKind::List(items) => {
            let item = items.iter().find(|item| item.as_text().is_some_and(|name| project().is_changing(name)))?;
            Some((item.span, None))
        }
        ValueKind::Null | ValueKind::Boolean(false) => {
            let word = if located.value.kind == ValueKind::Null { "null" } else { "false" };
            let request = reached?.code.calls.iter().find(|call| project().is_changing(&call.name))?;
            methods.any.iter().any(|any| any == word).then_some((key_span, Some(request.name_span)))
        }
        _ => None,
    }
}

/// A condition of the user's that stands in place of the library's and does not look at the method, at a client that
/// posts without a key.
fn dropped<'a>(
    methods: &Methods,
    resolver: &Resolver<'a>,
    block: &Fields<'a>,
    reached: Reached<'a, '_>,
) -> Option<Request> {
    let Lookup::Found { key_span, value } = block.get(methods.dropped_by.as_deref()?) else { return None };
    let condition = resolver.settle_located(&value);
    let looks = match &condition {
        Settled::Value(located) => match &located.value.kind {
            ValueKind::Function(function) => {
                function.returns.is_empty()
                    || methods.looks.iter().any(|word| function.returns.iter().any(|value| names(value, word)))
            }
            _ => true,
        },
        Settled::External { name: Some(name), .. } => methods.looks.contains(name),
        _ => true,
    };
    if looks {
        return None;
    }
    if methods.requests == Requests::File {
        let request = reached.code.calls.iter().find(|call| {
            project().is_changing(&call.name) && !call.called.arguments.iter().any(|argument| has_key(&argument.value))
        })?;
        return Some(Request::Seen { token: key_span, at: Some(request.name_span) });
    }
    let client = site::argument(&reached.call.called, 0)?;
    let client = resolver.settle(client);
    let same = |value: &'a Value| match (&client, resolver.settle(value)) {
        (Settled::Value(one), Settled::Value(other)) => one.value.span == other.value.span,
        (Settled::External { module, .. }, Settled::External { module: other, .. }) => *module == other,
        _ => false,
    };
    if matches!(&client, Settled::Value(located) if has_key(located.value)) {
        return None;
    }
    let request = resolver.facts().values().find_map(|facts| {
        let Body::Code(code) = &facts.body else { return None };
        code.calls.iter().find(|call| {
            project().is_changing(&call.name)
                && !call.called.arguments.iter().any(|argument| has_key(&argument.value))
                && matches!(&call.called.callee.kind, ValueKind::Member { object, .. } if same(object))
        })
    });
    Some(match request {
        Some(request) => Request::Seen { token: key_span, at: Some(request.name_span) },
        None => Request::Unseen,
    })
}

/// A header that lets the server tell a repeated request from a new one.
fn has_key(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Object(pairs) => pairs.iter().any(|pair| {
            pair.key.as_ref().is_some_and(|key| key.to_ascii_lowercase().contains("idempotency"))
                || has_key(&pair.value)
        }),
        ValueKind::Call(called) => called.arguments.iter().any(|argument| has_key(&argument.value)),
        ValueKind::Spread(_) => true,
        _ => false,
    }
}
