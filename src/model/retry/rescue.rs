//! Ruby's `rescue … retry`: a policy that is written in the language itself.

use super::filter;
use super::{EffectiveFilter, End, Guard, RetryPolicy, guard};
use crate::facts::Body;
use crate::facts::code::{CodeFacts, Condition, MentionKind, Restart};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::retry::{Library, catalogue};
use crate::model::package::PackageVersion;
use crate::model::resolve::Resolver;
use crate::model::setting::{Origin, Setting};
use crate::model::wait::held_around;
use crate::source::Bytes;

/// Adds a policy for every handler that starts its block again.
pub(super) fn policies<'l>(library: &'l Library, resolver: &Resolver<'_>, found: &mut Vec<RetryPolicy<'l>>) {
    if !library.restarts {
        return;
    }
    for facts in resolver.facts().values() {
        let Body::Code(code) = &facts.body else { continue };
        found.extend(code.restarts.iter().filter_map(|restart| policy(library, resolver, code, restart)));
    }
}

fn policy<'a, 'l>(
    library: &'l Library,
    resolver: &Resolver<'a>,
    code: &'a CodeFacts,
    restart: &'a Restart,
) -> Option<RetryPolicy<'l>> {
    // The block looks before it writes, so the second run mends the lost race.
    let converges = |class: &Value| {
        let (ValueKind::Name(name) | ValueKind::Member { name, .. }) = &class.kind else { return false };
        catalogue().converging.contains(name)
    };
    if !restart.classes.is_empty() && restart.classes.iter().all(converges) {
        return None;
    }
    // Nothing is waited for and nothing piles up: the system asks for the same call again.
    if !restart.classes.is_empty()
        && restart.classes.iter().all(|class| catalogue().at_once.contains(&filter::path(class)))
    {
        return None;
    }
    // What runs again is not what failed.
    if restart.condition == Condition::Changed {
        return None;
    }
    let file = restart.span.file;
    let always = restart.condition == Condition::None;
    let filter = match (restart.classes.is_empty(), always) {
        _ if restart.condition == Condition::Error => EffectiveFilter::Unknown,
        (true, true) => EffectiveFilter::All,
        (true, false) => EffectiveFilter::Unknown,
        (false, _) if renews(code, restart.body) || renews(code, restart.handler) => EffectiveFilter::Unknown,
        (false, _) => filter::of_classes(library, resolver, &restart.classes),
    };
    let sleeps = code.mentions.iter().any(|mention| {
        let called = matches!(mention.kind, MentionKind::Called | MentionKind::CalledOn);
        called && mention.name == "sleep" && restart.handler.contains(mention.bytes)
    });
    Some(RetryPolicy {
        library,
        version: PackageVersion::default(),
        place: restart.span.into(),
        call: None,
        anchor: format!("{}.retry", code.anchor(restart.scope)).trim_start_matches('.').to_owned(),
        environment: None,
        filter,
        // At least one more, as often as the handler says.
        runs: Setting { value: Some(if always { u32::MAX } else { 2 }), origin: Origin::Literal(restart.span) },
        end: if always { End::Never { written: Some(restart.span) } } else { End::Unknown },
        sleeps: None,
        pool: None,
        victims: Vec::new(),
        guard: guard::guard(library, resolver, Some((file, restart.body))),
        held: if sleeps { held_around(resolver, restart.span) } else { None },
        unsafe_method: None,
        asks_for_senders: false,
        outer: None,
        bodies: Vec::new(),
        decorated: None,
    })
    .filter(|policy| always || policy.guard != Guard::Unseen)
}

/// Says whether the code reads again or makes anew what may have failed.
fn renews(code: &CodeFacts, bytes: Bytes) -> bool {
    code.mentions.iter().filter(|mention| bytes.contains(mention.bytes)).any(|mention| {
        let name = mention.name.to_ascii_lowercase();
        catalogue().renewing_words.iter().any(|word| name.contains(word.as_str()))
    })
}
