//! Branches, loops and `begin`: one way through them where the tests are known, else what all ways agree on.

use std::collections::BTreeSet;

use super::machine::{Machine, Slot, Stop, deciding};
use super::operation::{self, Comparison};
use super::run::{Call, Standing};
use super::step::is_environment;
use super::value::{Evaluated, Source, Value, Why};
use crate::facts::ruby_config::{Arm, Catches, Expression, ExpressionKind, Handler, JumpKind, Target, TextPart};
use crate::source::Bytes;

/// What a test says, and what that rests on.
type Tested = (Option<bool>, Vec<Source>);

/// How one of several possible ways ended.
enum Way {
    /// With a value, and the slots that it changed.
    Through(Evaluated, std::collections::BTreeMap<Slot, Option<Evaluated>>),
    Failed,
    /// It goes on elsewhere, or a limit was reached.
    Cut,
}

impl<'a> Machine<'a> {
    /// Evaluates a test. `x && false` is false whatever x is.
    pub(super) fn condition(&mut self, expression: &'a Expression) -> Tested {
        let tested = self.deeper(|this| match &expression.kind {
            ExpressionKind::Operation { operator, operands } => match (operator.as_str(), operands.as_slice()) {
                ("not", [only]) => {
                    let (truth, sources) = this.condition(only);
                    (truth.map(|truth| !truth), sources)
                }
                ("&&" | "||", [left, right]) => this.either(operator == "||", left, right),
                _ => this.plain_condition(expression),
            },
            _ => this.plain_condition(expression),
        });
        tested.unwrap_or((None, Vec::new()))
    }

    fn plain_condition(&mut self, expression: &'a Expression) -> Tested {
        let value = self.value(expression);
        (value.value.truth(), deciding(&value.origin.sources))
    }

    /// Evaluates `a || b` where `decisive` is true, else `a && b`.
    fn either(&mut self, decisive: bool, left: &'a Expression, right: &'a Expression) -> Tested {
        let (first, mut sources) = self.condition(left);
        match first {
            Some(truth) if truth == decisive => (first, sources),
            Some(_) => {
                let (second, more) = self.condition(right);
                sources.extend(more);
                (second, sources)
            }
            None => {
                let mut second = (None, Vec::new());
                self.perhaps(right.bytes, |this| second = this.condition(right));
                if second.0 == Some(decisive) { second } else { (None, Vec::new()) }
            }
        }
    }

    pub(super) fn branch(&mut self, subject: Option<&'a Expression>, arms: &'a [Arm], at: Bytes) -> Evaluated {
        let subject = subject.map(|subject| self.value(subject));
        let mut sources = subject.as_ref().map(|subject| deciding(&subject.origin.sources)).unwrap_or_default();
        for (index, arm) in arms.iter().enumerate() {
            let (truth, more) = self.arm_test(subject.as_ref(), arm);
            sources.extend(more);
            if self.stop.is_some() {
                break;
            }
            match truth {
                Some(false) => {}
                Some(true) => return self.taken(arms, Some(index), &sources, at),
                None => return self.undecided(arms.get(index..).unwrap_or_default(), subject.as_ref(), at),
            }
        }
        if self.stop.is_some() {
            return Evaluated::unknown(Why::Undecided, self.span(at));
        }
        self.taken(arms, None, &sources, at)
    }

    fn arm_test(&mut self, subject: Option<&Evaluated>, arm: &'a Arm) -> Tested {
        let Some(tests) = &arm.tests else { return (Some(true), Vec::new()) };
        let mut sources = Vec::new();
        let mut known = true;
        for test in tests {
            let (truth, more) = match subject {
                None => self.condition(test),
                Some(subject) => self.matches(test, subject),
            };
            match truth {
                Some(true) => return (Some(true), more),
                Some(false) => sources.extend(more),
                None => known = false,
            }
        }
        (known.then_some(false), sources)
    }

    /// Asks whether a `when` fits the subject.
    fn matches(&mut self, test: &'a Expression, subject: &Evaluated) -> Tested {
        match &test.kind {
            ExpressionKind::Spread(list) => {
                let list = self.value(list);
                let truth = match &list.value {
                    Value::List(items) => items.iter().try_fold(false, |found, item| {
                        Some(operation::equal(&item.value, &subject.value, self.context.kind)? || found)
                    }),
                    _ => None,
                };
                (truth, deciding(&list.origin.sources))
            }
            ExpressionKind::Operation { operator, operands } if matches!(operator.as_str(), ".." | "...") => {
                let [from, to] = operands.as_slice() else { return (None, Vec::new()) };
                let (from, to) = (self.value(from), self.value(to));
                let inside = |bound: &Evaluated, fits: fn(std::cmp::Ordering) -> bool| match bound.value {
                    // A range without an end.
                    Value::Nil => Some(true),
                    _ => match operation::compare(&subject.value, &bound.value) {
                        Comparison::Is(order) => Some(fits(order)),
                        // `1..9 === nil` is false.
                        Comparison::Never => Some(false),
                        Comparison::Unknown(_) => None,
                    },
                };
                let below = if operator == ".." { std::cmp::Ordering::is_le } else { std::cmp::Ordering::is_lt };
                let truth = match (inside(&from, std::cmp::Ordering::is_ge), inside(&to, below)) {
                    (Some(above), Some(below)) => Some(above && below),
                    _ => None,
                };
                let mut sources = deciding(&from.origin.sources);
                sources.extend(deciding(&to.origin.sources));
                (truth, sources)
            }
            _ => {
                let value = self.value(test);
                let truth = operation::equal(&value.value, &subject.value, self.context.kind);
                (truth, deciding(&value.origin.sources))
            }
        }
    }

    /// Goes the one way that is taken, or none.
    fn taken(&mut self, arms: &'a [Arm], taken: Option<usize>, sources: &[Source], at: Bytes) -> Evaluated {
        let above = self.control.len();
        self.control.extend(sources.iter().cloned());
        let value = match taken.and_then(|index| arms.get(index)) {
            Some(arm) => self.sequence(&arm.body, at),
            None => Evaluated::literal(Value::Nil, self.span(at)),
        };
        self.control.truncate(above);
        for (index, arm) in arms.iter().enumerate() {
            if Some(index) != taken {
                arm.body.iter().for_each(|step| self.skipped(step, sources));
            }
        }
        value.because_of(sources)
    }

    /// Notes what a way that is not taken would have done.
    fn skipped(&mut self, step: &'a Expression, sources: &[Source]) {
        let mut slots = BTreeSet::new();
        let mut calls = Vec::new();
        let mut seen = 0;
        step.visit(&mut |part| {
            seen += 1;
            match &part.kind {
                ExpressionKind::Assignment { target, .. } => self.targets(target, &mut slots),
                ExpressionKind::Call(call) if call.receiver.is_none() && !sources.is_empty() => {
                    calls.push(Call {
                        name: call.name.clone(),
                        receiver: None,
                        arguments: Vec::new(),
                        named: Vec::new(),
                        span: self.span(part.bytes),
                        name_span: self.span(call.name_bytes),
                        standing: Standing::Skipped,
                        rests_on: sources.to_vec(),
                        block: None,
                    });
                }
                _ => {}
            }
        });
        if !self.spend(seen, step.bytes) {
            return;
        }
        for slot in slots {
            self.rest(slot, sources, step.bytes);
        }
        let shaky = self.shaky;
        for call in calls {
            self.keep(call);
        }
        self.shaky = shaky;
    }

    fn targets(&self, target: &Target, slots: &mut BTreeSet<Slot>) {
        match target {
            Target::Name(name) => {
                slots.insert(self.slot(name));
            }
            Target::Element { object, index } if is_environment(object) => {
                if let ExpressionKind::Text(parts) = &index.kind
                    && let [TextPart::Text(name)] = parts.as_slice()
                {
                    slots.insert(Slot::Variable(name.clone()));
                }
            }
            Target::Several(targets) => {
                for target in targets.iter().flatten() {
                    if let Target::Name(name) = target {
                        slots.insert(self.slot(name));
                    }
                }
            }
            _ => {}
        }
    }

    /// Goes every way from the first one that may be taken.
    fn undecided(&mut self, arms: &'a [Arm], subject: Option<&Evaluated>, at: Bytes) -> Evaluated {
        let mut ways = Vec::new();
        let mut sure = false;
        for (index, arm) in arms.iter().enumerate() {
            let truth = if index == 0 { None } else { self.arm_test(subject, arm).0 };
            if truth == Some(false) {
                continue;
            }
            ways.push(self.way(at, |this| this.sequence(&arm.body, at)));
            sure = truth == Some(true);
            if sure {
                break;
            }
        }
        if !sure {
            let nil = Evaluated::literal(Value::Nil, self.span(at));
            ways.push(Way::Through(nil, std::collections::BTreeMap::new()));
        }
        self.together(ways, at)
    }

    /// Tries one of several ways and takes it back.
    fn way(&mut self, at: Bytes, within: impl FnOnce(&mut Self) -> Evaluated) -> Way {
        if let Some(output) = &mut self.output {
            output.open(at);
        }
        let ((value, stop), changes) = self.tried(|this| {
            let value = within(this);
            (value, this.stop.take())
        });
        if let Some(output) = &mut self.output {
            output.close(at);
        }
        match stop {
            None => Way::Through(value, changes),
            Some(Stop::Failure(_)) => Way::Failed,
            Some(Stop::Jump(..) | Stop::Cut(_)) => Way::Cut,
        }
    }

    /// Goes on behind several ways of which one was taken.
    fn together(&mut self, ways: Vec<Way>, at: Bytes) -> Evaluated {
        let span = self.span(at);
        let mut changes = Vec::new();
        let mut values: Vec<Evaluated> = Vec::new();
        let mut cut = false;
        for way in ways {
            match way {
                Way::Through(value, changed) => {
                    values.push(value);
                    changes.push(changed);
                }
                // The process does start: this way is not taken, or what it raises is rescued.
                Way::Failed => self.shaky = true,
                Way::Cut => cut = true,
            }
        }
        self.merge(&changes, at);
        if cut {
            self.stop = Some(Stop::Cut(span));
        } else if values.is_empty() {
            self.stop = Some(Stop::Failure(span));
        }
        let mut values = values.into_iter();
        let Some(first) = values.next() else { return Evaluated::unknown(Why::Undecided, span) };
        values.fold(first, |all, one| {
            if all.value == one.value {
                all.resting_on(&one.origin.sources)
            } else {
                Evaluated::unknown(Why::Undecided, span)
            }
        })
    }

    /// Carries out something that may not happen.
    pub(super) fn perhaps(&mut self, at: Bytes, within: impl FnOnce(&mut Self)) {
        let span = self.span(at);
        let nil = || Evaluated::literal(Value::Nil, span);
        let way = self.way(at, |this| {
            within(this);
            nil()
        });
        self.together(vec![way, Way::Through(nil(), std::collections::BTreeMap::new())], at);
    }

    /// Carries out a body that runs any number of times, or not at all.
    pub(super) fn any_number_of_times(
        &mut self,
        test: Option<&'a Expression>,
        names: &'a [String],
        body: &'a [Expression],
        at: Bytes,
    ) -> Evaluated {
        let mut slots: BTreeSet<Slot> = names.iter().map(|name| self.slot(name)).collect();
        let mut seen = 0;
        for step in body.iter().chain(test) {
            step.visit(&mut |part| {
                seen += 1;
                if let ExpressionKind::Assignment { target, .. } = &part.kind {
                    self.targets(target, &mut slots);
                }
            });
        }
        if self.spend(seen, at) {
            let forget = |this: &mut Self| {
                slots.iter().for_each(|slot| this.forget(slot.clone(), Why::Undecided, at));
            };
            forget(self);
            self.perhaps(at, |this| {
                test.iter().for_each(|test| drop(this.value(test)));
                this.sequence(body, at);
                if let Some(Stop::Jump(JumpKind::Next | JumpKind::Break, _)) = this.stop {
                    this.stop = None;
                }
            });
            forget(self);
        }
        Evaluated::unknown(Why::Undecided, self.span(at))
    }

    pub(super) fn guarded(
        &mut self,
        body: &'a [Expression],
        handlers: &'a [Handler],
        otherwise: &'a [Expression],
        at: Bytes,
    ) -> Evaluated {
        if handlers.is_empty() {
            return self.sequence(body, at);
        }
        let shaky = std::mem::take(&mut self.shaky);
        self.tries += 1;
        let mut value = self.sequence(body, at);
        self.tries -= 1;
        let may_raise = std::mem::replace(&mut self.shaky, shaky);
        match (self.stop.take(), handlers) {
            (Some(Stop::Failure(_)), [Handler { catches: Catches::Everything, body }]) => self.sequence(body, at),
            (Some(Stop::Failure(_)), _) => {
                let ways = handlers.iter().map(|handler| self.way(at, |this| this.sequence(&handler.body, at)));
                let ways = ways.collect();
                self.together(ways, at)
            }
            (None, _) => {
                if !otherwise.is_empty() {
                    value = self.sequence(otherwise, at);
                }
                if !may_raise || self.stop.is_some() {
                    return value;
                }
                let mut ways = vec![Way::Through(value, std::collections::BTreeMap::new())];
                for handler in handlers {
                    ways.push(self.way(at, |this| this.sequence(&handler.body, at)));
                }
                self.together(ways, at)
            }
            (stop, _) => {
                self.stop = stop;
                value
            }
        }
    }
}
