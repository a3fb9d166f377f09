//! What the repeated code itself says about a policy: the errors that it raises on purpose, and whether it only waits
//! for something.

use super::{End, Guard, RetryPolicy, Verdict};
use crate::facts::Body;
use crate::facts::code::{CodeFacts, Mention, MentionKind};
use crate::facts::value::{Value, ValueKind};
use crate::finding::Place;
use crate::knowledge::retry::{Holds, catalogue, project};
use crate::model::resolve::Resolver;
use crate::model::setting::Setting;
use crate::source::Bytes;

/// Takes back what the name of an error alone says, where the repeated code says otherwise.
pub(super) fn weigh(resolver: &Resolver<'_>, policy: &mut RetryPolicy<'_>) {
    let bodies: Vec<(&CodeFacts, Bytes)> = policy
        .bodies
        .iter()
        .filter_map(|(file, bytes)| match &resolver.facts().get(file)?.body {
            Body::Code(code) => Some((code, *bytes)),
            _ => None,
        })
        .collect();
    if let Some((code, bytes)) = bodies.first()
        && only_waits(code, *bytes)
    {
        policy.guard = Guard::Tells;
    }
    if matches!(policy.end, End::Never { .. })
        && let Place::Span(place) = policy.place
        && let Some(Body::Code(code)) = resolver.facts().get(&place.file).map(|facts| &facts.body)
        && is_ended(code, place.bytes)
    {
        policy.end = End::Unknown;
        policy.runs = Setting::unknown();
    }
    let holds = |fits: &dyn Fn(&Mention) -> bool| {
        bodies
            .iter()
            .any(|(code, bytes)| code.mentions.iter().filter(|mention| bytes.contains(mention.bytes)).any(fits))
    };
    let ecosystem = policy.library.ecosystem;
    let starts_anew = policy.library.holds == Holds::Requeues;
    let named: Vec<String> = policy.filter.tokens_mut().iter().map(|token| token.text.clone()).collect();
    for token in policy.filter.tokens_mut() {
        let name = token.text.as_str();
        match token.verdict {
            // A job begins anew with what it reads, and meets the row that another one has written meanwhile.
            Verdict::Permanent(_) if starts_anew && catalogue().converging.contains(&token.text) => {
                token.verdict = Verdict::Alive;
            }
            Verdict::Permanent(_) if catalogue().may_pass_beside(ecosystem, name, &named) => {
                token.verdict = Verdict::Alive;
            }
            // An error that the code raises to be run again is one that may pass.
            Verdict::Permanent(_) if holds(&|mention| mention.kind == MentionKind::Raised && mention.name == name) => {
                token.verdict = Verdict::Alive;
            }
            Verdict::Everything => {
                let Some(raised_by) = catalogue().raised_by(ecosystem, name) else { continue };
                let raises = |mention: &Mention| is_call(mention) && raised_by.contains(&mention.name);
                if !holds(&raises) {
                    token.verdict = Verdict::Alive;
                }
            }
            _ => {}
        }
    }
}

/// Says whether a limit of time stands around a place: `Timeout.timeout(60) do … end`, `async with timeout(60):`.
fn is_ended(code: &CodeFacts, place: Bytes) -> bool {
    let ends = |name: &str| project().ending_calls.iter().any(|call| call == name);
    let opens = |resource: &Value| match &resource.kind {
        ValueKind::Call(called) => match &called.callee.kind {
            ValueKind::Name(name) | ValueKind::Member { name, .. } => ends(name),
            _ => false,
        },
        _ => false,
    };
    code.calls
        .iter()
        .filter(|call| ends(&call.name))
        .any(|call| call.called.block.is_some() && call.span.bytes.contains(place))
        || code.regions.iter().any(|region| region.body.contains(place) && opens(&region.resource))
}

fn is_call(mention: &Mention) -> bool {
    matches!(mention.kind, MentionKind::Called | MentionKind::CalledOn)
}

/// Says whether the code asks something and raises if the answer is no: then every error is the one to wait for.
fn only_waits(code: &CodeFacts, body: Bytes) -> bool {
    let inside = || code.mentions.iter().filter(|mention| body.contains(mention.bytes));
    let raised: Vec<Bytes> =
        inside().filter(|mention| mention.kind == MentionKind::Raised).map(|mention| mention.bytes).collect();
    !raised.is_empty()
        && inside().filter(|mention| is_call(mention)).all(|called| {
            let tested = |other: &Mention| other.kind == MentionKind::Tested && other.bytes == called.bytes;
            raised.iter().any(|bytes| bytes.contains(called.bytes)) || inside().any(tested)
        })
}
