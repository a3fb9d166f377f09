//! Limits that code hands to clients and workers as options, as they are written.

use super::{Around, Bounds, Limit, span};
use crate::facts::Body;
use crate::facts::code::{CallSite, CodeFacts, Write};
use crate::facts::value::{Value, ValueKind};
use crate::finding::Place;
use crate::knowledge::timeout::{TimeOption, answers_requests, options};
use crate::model::evaluate;
use crate::model::package::ecosystem;
use crate::model::resolve::{Located, Lookup, Resolver, Settled, constant_path};
use crate::model::setting::{Origin, Setting};
use crate::version::Ecosystem;

/// An option with the row that knows it.
#[derive(Clone)]
pub(super) struct Written {
    pub row: &'static TimeOption,
    pub limit: Limit,
    /// It bounds the wait for an answer, in code that runs within requests alone.
    pub inside: bool,
}

/// Finds them.
pub(super) fn written<'a>(around: Around<'a>, resolver: &Resolver<'a>) -> Vec<Written> {
    let mut found = Vec::new();
    for facts in around.facts.values() {
        let (Body::Code(code), Some(entry)) = (&facts.body, around.sources.file(facts.file)) else { continue };
        let ecosystem = ecosystem(code.language);
        let answers = answers_requests(ecosystem, &entry.path);
        for row in options().iter().filter(|row| row.ecosystem == ecosystem) {
            let calls = code.calls.iter().filter(|call| row.calls.contains(&call.name) && is_of(row, resolver, call));
            let limits = calls.flat_map(|call| of_call(row, resolver, call));
            let writes = code.writes.iter().filter_map(|write| of_write(row, code, write));
            found.extend(limits.chain(writes).map(|limit| Written { row, limit, inside: answers && row.client }));
        }
    }
    found
}

/// Says whether what is called is the row's, or a method of something of it.
fn is_of<'a>(row: &TimeOption, resolver: &Resolver<'a>, call: &'a CallSite) -> bool {
    let callee = &call.called.callee;
    if row.ecosystem == Ecosystem::RubyGems {
        return matches!(&callee.kind, ValueKind::Member { object, .. } if is_constant(row, object));
    }
    let external = |settled: Settled<'_>| match settled {
        Settled::External { module, .. } => row.imports.contains(&module),
        _ => false,
    };
    external(resolver.settle(callee))
        || matches!(&callee.kind, ValueKind::Member { object, .. } if external(resolver.settle(object)))
}

fn is_constant(row: &TimeOption, value: &Value) -> bool {
    constant_path(value).is_some_and(|path| row.imports.contains(&path.join("::")))
}

/// `http.read_timeout = 60`, where `http` is what one of the calls made.
fn of_write(row: &TimeOption, code: &CodeFacts, write: &Write) -> Option<Limit> {
    let key = write.path.last().filter(|key| row.keys.contains(key) && row.ecosystem == Ecosystem::RubyGems)?;
    let (_, binding) = code.binding(&write.base, write.scope)?;
    let made = |value: &Value| match &value.kind {
        ValueKind::Call(called) => {
            matches!(&called.callee.kind, ValueKind::Member { object, .. } if is_constant(row, object))
        }
        _ => false,
    };
    binding.values.iter().all(made).then(|| limit(row, key, &write.value))?
}

fn of_call<'a>(row: &TimeOption, resolver: &Resolver<'a>, call: &'a CallSite) -> Vec<Limit> {
    let mut found = Vec::new();
    for argument in &call.called.arguments {
        let named = argument.name.as_ref();
        if row.within.is_empty() && named.is_some_and(|name| row.keys.contains(name)) {
            found.extend(named.and_then(|name| limit(row, name, &argument.value)));
        }
        let holds = row.within.is_empty() || named == Some(&row.within);
        if !holds || !matches!(argument.value.kind, ValueKind::Object(_) | ValueKind::Name(_)) {
            continue;
        }
        let alternatives = resolver.objects(&argument.value);
        let [only] = alternatives.as_slice() else { continue };
        for key in &row.keys {
            if let Lookup::Found { value, .. } = only.fields.get(key) {
                found.extend(limit_of(row, key, &value));
            }
        }
    }
    found
}

fn limit(row: &TimeOption, key: &str, value: &Value) -> Option<Limit> {
    limit_of(row, key, &Located::of(value))
}

/// A number through a name may be computed for its reader; what is written here is not.
fn limit_of(row: &TimeOption, key: &str, value: &Located<'_>) -> Option<Limit> {
    let ValueKind::Number(text) = &value.value.kind else { return None };
    let milliseconds = span::whole(evaluate::parse(text)? * row.unit.bare()?)?;
    let at = value.value.span;
    Some(Limit {
        who: row.who.clone(),
        setting: key.to_owned(),
        bounds: Bounds::Option,
        time: Setting { value: Some(milliseconds), origin: Origin::Literal(at) },
        bare: Some(row.unit),
        unset: Vec::new(),
        place: Some(Place::from(at)),
    })
}
