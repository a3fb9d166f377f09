//! Leases that their holder renews while it works: the options of workers and queues.

use super::{Fault, ShortLease, Term};
use crate::facts::Body;
use crate::facts::code::{CallSite, CodeFacts};
use crate::facts::value::{Called, Value, ValueKind};
use crate::knowledge::lock::{Renewed, Site, leases as table};
use crate::model::evaluate;
use crate::model::resolve::{Fields, Lookup, Resolver, Settled};
use crate::source::Span;
use crate::syntax::code::Language;

pub(super) fn leases(resolver: &Resolver<'_>) -> Vec<ShortLease> {
    let mut found = Vec::new();
    for facts in resolver.facts().values() {
        let Body::Code(code) = &facts.body else { continue };
        if !matches!(code.language, Language::JavaScript | Language::TypeScript | Language::Tsx) {
            continue;
        }
        for row in &table().renewals {
            for call in &code.calls {
                if let Some(site) = row.sites.iter().find(|site| is_site(resolver, row, site, call)) {
                    found.extend(at_call(resolver, row, site, code, call));
                }
            }
        }
    }
    found
}

fn is_site<'a>(resolver: &Resolver<'a>, row: &Renewed, site: &Site, call: &'a CallSite) -> bool {
    let callee = match (&site.method, &call.called.callee.kind) {
        (None, _) => &call.called.callee,
        (Some(method), ValueKind::Member { object, name, .. }) if name == method => object,
        _ => return false,
    };
    let Settled::External { module, name } = resolver.settle(callee) else { return false };
    let exported = match name.as_deref() {
        None | Some("default" | "*") => "",
        Some(name) => name,
    };
    row.imports.contains(&module) && exported == site.export
}

fn at_call<'a>(
    resolver: &Resolver<'a>,
    row: &Renewed,
    site: &Site,
    code: &CodeFacts,
    call: &'a CallSite,
) -> Option<ShortLease> {
    let options = argument(&call.called, site.argument)?;
    let alternatives = resolver.objects(options);
    let [only] = alternatives.as_slice() else { return None };
    let lease = |place: Span, option: &str, milliseconds: f64, term: Term, fault: Fault| ShortLease {
        label: row.label.clone(),
        place,
        option: option.to_owned(),
        milliseconds,
        term,
        fault,
        anchor: code.anchor(call.scope),
    };
    let top = &only.fields;
    let inner;
    let fields = match &row.path {
        None => top,
        Some(path) => match top.get(path) {
            Lookup::Found { value, .. } => {
                let below = resolver.alternatives(&value);
                inner = below.into_iter().next()?.fields;
                &inner
            }
            Lookup::Absent => {
                let (place, wanted) = number(resolver, top, &row.duration)?;
                let fault = Fault::Unread { below: path.clone(), wanted };
                return (wanted > row.default).then(|| lease(place, &row.duration, row.default, Term::Default, fault));
            }
            Lookup::Unknown => return None,
        },
    };
    if let Some(lease) = elsewhere(resolver, row, top, lease) {
        return Some(lease);
    }
    let written = number(resolver, fields, &row.duration);
    if written.is_none() && fields.get(&row.duration) != Lookup::Absent {
        return None;
    }
    if let Some((place, milliseconds)) = written.filter(|(_, number)| *number < row.least) {
        let fault = Fault::OfSeconds { least: row.least };
        return Some(lease(place, &row.duration, milliseconds, Term::Written, fault));
    }
    let (at, renew) = number(resolver, fields, &row.renew)?;
    let (place, milliseconds, term, option) = match written {
        Some((place, milliseconds)) => (place, milliseconds, Term::Written, &row.duration),
        None => (at, row.default, Term::Default, &row.renew),
    };
    (renew >= milliseconds).then(|| lease(place, option, milliseconds, term, Fault::RenewedTooLate { renew, at }))
}

/// The options stand below a key that the library does not look under.
fn elsewhere<'a>(
    resolver: &Resolver<'a>,
    row: &Renewed,
    top: &Fields<'a>,
    lease: impl Fn(Span, &str, f64, Term, Fault) -> ShortLease,
) -> Option<ShortLease> {
    let key = row.elsewhere.as_ref().filter(|_| top.get(&row.duration) == Lookup::Absent)?;
    let Lookup::Found { value, .. } = top.get(key) else { return None };
    let below = resolver.alternatives(&value);
    let [only] = below.as_slice() else { return None };
    let (place, wanted) = number(resolver, &only.fields, &row.duration)?;
    let fault = Fault::Elsewhere { below: key.clone(), wanted };
    (wanted > row.default).then(|| lease(place, &row.duration, row.default, Term::Default, fault))
}

fn number<'a>(resolver: &Resolver<'a>, fields: &Fields<'a>, key: &str) -> Option<(Span, f64)> {
    let Lookup::Found { value, .. } = fields.get(key) else { return None };
    let place = value.span();
    let number = evaluate::number(resolver, &value).value.filter(|number| *number > 0.0)?;
    Some((place, number))
}

fn argument(called: &Called, position: i32) -> Option<&Value> {
    let count = called.arguments.len();
    let index = match usize::try_from(position) {
        Ok(index) => index,
        Err(_) => count.checked_sub(usize::try_from(position.unsigned_abs()).ok()?)?,
    };
    called.arguments.get(index).map(|argument| &argument.value)
}
