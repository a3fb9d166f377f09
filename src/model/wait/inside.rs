//! What happens while a slot is held.

use super::effect::{Effect, spoken};
use super::pool::{Proof, Recognised, Relation};
use super::region::Region;
use super::{HeldSlot, Nested, Pushed, Scene, SlowInside, Step, Sure, View, Waits};
use crate::facts::code::flow::{Fate, FlowArgument, FlowCall, Shape};
use crate::knowledge::wait::{Need, On, PoolKind};
use crate::source::Span;
use crate::version::Ecosystem;

impl<'a, 'k> Scene<'_, 'a, 'k> {
    /// Adds what happens in one region.
    pub(super) fn inside(&self, view: View<'a>, region: &Region<'a, 'k>, waits: &mut Waits<'k>) {
        let row = region.pool.row;
        if self.pays(view.flow.calls.len()).is_none() {
            return;
        }
        for call in &view.flow.calls {
            if std::ptr::eq(call, region.call)
                || !region.holds(call.name_bytes)
                || !self.runs_in(view, call.function, region.function)
            {
                continue;
            }
            if let Some(queue) = self.pushed(view, region, call) {
                let held = self.held(view, region);
                let span = view.file.span(call.name_bytes);
                if waits.pushed.iter().all(|other| other.span != span) {
                    let need = Self::row_need(region, call);
                    waits.pushed.push(Pushed { held, queue, span, call: spoken(call), need });
                }
                continue;
            }
            // What nobody waits for does not keep the holder waiting.
            let dropped = call.fate == Fate::Dropped && view.ecosystem == Ecosystem::Npm
                || self.is_left_running(view, call, region.bytes);
            if let Some((need, pool)) = self.need(view, call, row, &region.handles) {
                if dropped {
                    continue;
                }
                let span = token(view, call, need);
                self.add_nested(view, region, &pool, span, spoken(call), Vec::new(), waits);
                continue;
            }
            if let Some((slow, lasts)) = self.slow(view, call) {
                if row.kind == PoolKind::Connections && !dropped {
                    let held = self.held(view, region);
                    let span = view.file.span(call.name_bytes);
                    waits.slow.push(SlowInside { held, slow, span, call: spoken(call), lasts, chain: Vec::new() });
                }
                continue;
            }
            if !dropped && !is_handed(call, &region.handles) {
                self.called(view, region, call, waits);
            }
        }
    }

    /// Adds what a function does that is called in a region.
    fn called(&self, view: View<'a>, region: &Region<'a, 'k>, call: &'a FlowCall, waits: &mut Waits<'k>) {
        let Some(target) = self.target(view, call) else { return };
        let step = Step { span: view.file.span(call.name_bytes), name: spoken(call) };
        let mut needs = false;
        for effect in self.effects(target, region.pool.row, view, call) {
            match effect {
                Effect::Needs { pool, span, call, chain } if !needs => {
                    needs = true;
                    let mut chain = [vec![step.clone()], chain].concat();
                    chain.push(Step { span, name: call.clone() });
                    self.add_nested(view, region, &pool, step.span, call, chain, waits);
                }
                Effect::Slow { row, span, call, lasts, chain } if region.pool.row.kind == PoolKind::Connections => {
                    let mut chain = [vec![step.clone()], chain].concat();
                    chain.push(Step { span, name: call.clone() });
                    let held = self.held(view, region);
                    waits.slow.push(SlowInside { held, slow: row, span: step.span, call, lasts, chain });
                    break;
                }
                _ => {}
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one finding")]
    fn add_nested(
        &self,
        view: View<'a>,
        region: &Region<'a, 'k>,
        pool: &Recognised<'a, 'k>,
        span: Span,
        call: String,
        chain: Vec<Step>,
        waits: &mut Waits<'k>,
    ) {
        let relation = region.pool.identity.relation(&pool.identity);
        let sure = match relation {
            Relation::Same if chain.is_empty() => Sure::Same,
            Relation::Same => Sure::Only,
            Relation::Unknown
                if self.is_sole(region.pool.row) && pool.proof == Proof::Known && region.pool.proof == Proof::Known =>
            {
                Sure::Only
            }
            Relation::Unknown | Relation::Different => return,
        };
        if waits.nested.iter().any(|other| other.span == span) || self.is_ambient(region.pool.row, view) {
            return;
        }
        let held = self.held(view, region);
        waits.nested.push(Nested { held, span, call, chain, sure });
    }

    fn held(&self, view: View<'a>, region: &Region<'a, 'k>) -> HeldSlot<'k> {
        let row = region.pool.row;
        HeldSlot {
            pool: row,
            hold: region.hold,
            span: view.file.span(region.call.name_bytes),
            handles: region.handles.clone(),
            capacity: self.capacity(&region.pool),
            bound: self.bound(&region.pool),
            endless: self.is_endless(&region.pool),
            anchor: view.code.anchor(view.code.scope_at(region.call.name_bytes)),
        }
    }
}

/// Says whether a call gets one of the slots.
fn is_handed(call: &FlowCall, handles: &[String]) -> bool {
    let on = call.on.as_ref().and_then(|route| route.path.first());
    on.is_some_and(|name| handles.contains(name))
        || call.arguments.iter().any(|argument| argument.names.iter().any(|name| handles.contains(name)))
}

/// Says whether an argument has none of the keys for certain.
pub(super) fn lacks(argument: &FlowArgument, pass: &[String]) -> bool {
    match &argument.shape {
        Shape::Object { keys, open } => !open && !keys.iter().any(|setting| pass.contains(&setting.key)),
        Shape::Number(_) | Shape::Text(_) | Shape::List | Shape::Function(_) => true,
        Shape::Route(_) | Shape::Other => false,
    }
}

/// Returns the token that names the pool in a call.
pub(super) fn token(view: View<'_>, call: &FlowCall, need: &Need) -> Span {
    let bytes = match need.on {
        On::Argument => call.arguments.iter().find_map(|argument| match &argument.shape {
            Shape::Route(route) => Some(route.bytes),
            _ => None,
        }),
        On::Itself => None,
        _ => call.on.as_ref().map(|route| route.bytes),
    };
    view.file.span(bytes.unwrap_or(call.name_bytes))
}
