//! Expressions, one by one.

use super::machine::{LIST_LIMIT, Machine, Slot, Stop, TEXT_LIMIT};
use super::operation;
use super::value::{Evaluated, Pattern, Value, Why};
use super::{number, spelling};
use crate::facts::ruby_config::{Expression, ExpressionKind, Target, TextPart};
use crate::source::Bytes;

impl<'a> Machine<'a> {
    /// Carries out steps in order; the last one's value is theirs.
    pub(super) fn sequence(&mut self, steps: &'a [Expression], at: Bytes) -> Evaluated {
        let mut last = Evaluated::literal(Value::Nil, self.span(at));
        for step in steps {
            last = self.value(step);
            if self.stop.is_some() {
                break;
            }
        }
        last
    }

    /// Evaluates an expression and everything that it does.
    pub(super) fn value(&mut self, expression: &'a Expression) -> Evaluated {
        let at = expression.bytes;
        if self.stop.is_some() {
            return Evaluated::unknown(Why::Undecided, self.span(at));
        }
        if !self.spend(1, at) {
            return Evaluated::unknown(Why::Limit, self.span(at));
        }
        self.deeper(|this| this.kind(expression)).unwrap_or_else(|| {
            self.stop = Some(Stop::Cut(self.span(at)));
            Evaluated::unknown(Why::Limit, self.span(at))
        })
    }

    fn kind(&mut self, expression: &'a Expression) -> Evaluated {
        let at = expression.bytes;
        let span = self.span(at);
        let literal = |value| Evaluated::literal(value, span);
        match &expression.kind {
            ExpressionKind::Nil => literal(Value::Nil),
            ExpressionKind::Boolean(value) => literal(Value::Boolean(*value)),
            ExpressionKind::Number(written) => {
                number::literal(written).map_or_else(|| Evaluated::unknown(Why::Limit, span), literal)
            }
            ExpressionKind::Symbol(name) => literal(Value::Symbol(name.clone())),
            ExpressionKind::Regex { pattern, flags } => {
                let pattern = Pattern::of(pattern, flags).map(Value::Pattern);
                literal(pattern.unwrap_or(Value::Unknown(Why::NotUnderstood)))
            }
            ExpressionKind::Text(parts) => self.text(parts, at),
            ExpressionKind::List(items) => self.list(items, at),
            ExpressionKind::Hash(pairs) => self.hash(pairs, at),
            ExpressionKind::Spread(inner) => {
                self.value(inner);
                Evaluated::unknown(Why::NotUnderstood, span)
            }
            ExpressionKind::Name(name) => self.name(name, expression),
            ExpressionKind::Call(call) => self.call(call, expression),
            ExpressionKind::Operation { operator, operands } => self.operation(operator, operands, expression),
            ExpressionKind::Assignment { target, operator, value } => self.assignment(target, operator, value, at),
            ExpressionKind::Branch { subject, arms } => self.branch(subject.as_deref(), arms, at),
            ExpressionKind::Loop { test, names, body } => self.any_number_of_times(test.as_deref(), names, body, at),
            ExpressionKind::Try { body, handlers, otherwise, finally } => {
                let value = self.guarded(body, handlers, otherwise, at);
                let stop = self.stop.take();
                self.sequence(finally, at);
                self.stop = self.stop.take().or(stop);
                value
            }
            ExpressionKind::Sequence(steps) => self.sequence(steps, at),
            ExpressionKind::Body(steps) => {
                let before = self.enter();
                self.types += 1;
                let value = self.sequence(steps, at);
                self.types -= 1;
                self.frame = before;
                value
            }
            ExpressionKind::Failure => {
                self.stop = Some(Stop::Failure(span));
                Evaluated::unknown(Why::Raises, span)
            }
            ExpressionKind::Jump { kind, value } => {
                let value = value.as_ref().map_or_else(|| literal(Value::Nil), |value| self.value(value));
                if self.stop.is_none() {
                    self.stop = Some(Stop::Jump(*kind, value.clone()));
                }
                value
            }
            ExpressionKind::Method(method) => {
                // One that is defined twice is not followed: which is meant depends on the moment.
                if self.types == 0 && self.methods.insert(&method.name, method).is_some() {
                    self.stop = Some(Stop::Cut(span));
                }
                literal(Value::Symbol(method.name.clone()))
            }
            ExpressionKind::Require(name) => {
                self.require(name, at);
                Evaluated::unknown(Why::NotUnderstood, span)
            }
            ExpressionKind::Literal(bytes) => {
                self.print(*bytes, None);
                literal(Value::Nil)
            }
            ExpressionKind::Print(inner) => {
                let value = self.value(inner);
                if self.stop.is_none() {
                    self.print(at, Some(value));
                }
                literal(Value::Nil)
            }
            ExpressionKind::Other(parts) => {
                self.shaky = true;
                self.perhaps(at, |this| parts.iter().for_each(|part| drop(this.value(part))));
                Evaluated::unknown(Why::NotUnderstood, span)
            }
        }
    }

    fn print(&mut self, bytes: Bytes, value: Option<Evaluated>) {
        let control = self.control.clone();
        let Some(output) = &mut self.output else { return };
        match value {
            Some(value) => output.value(value, bytes, &control),
            None => output.literal(bytes, &control),
        }
        if !output.has_room() {
            self.stop = Some(Stop::Cut(self.span(bytes)));
        }
    }

    fn text(&mut self, parts: &'a [TextPart], at: Bytes) -> Evaluated {
        let mut whole = String::new();
        let mut result = Evaluated::literal(Value::Nil, self.span(at));
        let mut why = None;
        for part in parts {
            match part {
                TextPart::Text(text) => whole.push_str(text),
                TextPart::Code(code) => {
                    let value = self.value(code);
                    match operation::to_text(&value.value) {
                        Ok(text) => whole.push_str(&text),
                        Err(reason) => why = why.or(Some(reason)),
                    }
                    result = result.resting_on(&value.origin.sources);
                }
            }
            if whole.len() > TEXT_LIMIT {
                why = Some(Why::Limit);
                break;
            }
        }
        self.spend(whole.len() / 64, at);
        result.value = why.map_or(Value::Text(whole), Value::Unknown);
        result
    }

    fn list(&mut self, items: &'a [Expression], at: Bytes) -> Evaluated {
        let mut all = Vec::new();
        let mut why = None;
        for item in items {
            match &item.kind {
                ExpressionKind::Spread(inner) => match self.value(inner) {
                    Evaluated { value: Value::List(more), .. } => all.extend(more),
                    _ => why = Some(Why::NotUnderstood),
                },
                _ => all.push(self.value(item)),
            }
            if self.stop.is_some() {
                break;
            }
        }
        let list = why.map_or(Value::List(all), Value::Unknown);
        self.sized(Evaluated::literal(list, self.span(at)))
    }

    fn hash(&mut self, pairs: &'a [(Expression, Expression)], at: Bytes) -> Evaluated {
        let mut all: Vec<(Value, Evaluated)> = Vec::new();
        let mut why = None;
        for (key, value) in pairs {
            let key = self.value(key);
            let value = self.value(value);
            if self.stop.is_some() || !self.spend(all.len() / 8, at) {
                break;
            }
            why = why.or(key.value.why());
            match all.iter_mut().find(|(known, _)| operation::same_key(known, &key.value)) {
                Some((_, old)) => *old = value,
                None => all.push((key.value, value)),
            }
        }
        let hash = why.map_or(Value::Hash(all), Value::Unknown);
        self.sized(Evaluated::literal(hash, self.span(at)))
    }

    /// Pays for a value; one that is too big is unknown.
    pub(super) fn sized(&mut self, mut made: Evaluated) -> Evaluated {
        let weight = operation::weight(&made.value);
        if weight > LIST_LIMIT || !self.spend(weight, made.origin.at.bytes) {
            made.value = Value::Unknown(Why::Limit);
        }
        made
    }

    fn name(&mut self, name: &str, expression: &'a Expression) -> Evaluated {
        if let Some(known) = self.get(&self.slot(name)).cloned() {
            self.spend(operation::weight(&known.value), expression.bytes);
            return known;
        }
        if let Some(answer) = spelling::of(expression).and_then(|spelling| self.ask(&spelling, expression.bytes)) {
            return answer;
        }
        Evaluated::unknown(Why::NotUnderstood, self.span(expression.bytes))
    }

    fn assignment(&mut self, target: &'a Target, operator: &str, value: &'a Expression, at: Bytes) -> Evaluated {
        match operator {
            "" => {
                let value = self.value(value);
                self.assign(target, value.clone(), at);
                value
            }
            "||" | "&&" => {
                let now = self.current(target, at);
                let wanted = operator == "&&";
                let sources = super::machine::deciding(&now.origin.sources);
                match now.value.truth() {
                    Some(truth) if truth == wanted => {
                        let value = self.value(value).because_of(&sources);
                        self.assign(target, value.clone(), at);
                        value
                    }
                    Some(_) => now,
                    None => {
                        self.perhaps(at, |this| {
                            let value = this.value(value);
                            this.assign(target, value, at);
                        });
                        Evaluated::unknown(now.value.why().unwrap_or(Why::Undecided), self.span(at))
                    }
                }
            }
            _ => {
                let now = self.current(target, at);
                let value = self.value(value);
                let result = self.binary(operator, &now, &value, at);
                self.assign(target, result.clone(), at);
                result
            }
        }
    }

    /// Returns what a target holds before it is assigned.
    fn current(&mut self, target: &'a Target, at: Bytes) -> Evaluated {
        match target {
            Target::Name(name) => match self.get(&self.slot(name)) {
                Some(value) => value.clone(),
                None => Evaluated::literal(Value::Nil, self.span(at)),
            },
            Target::Element { object, index } if is_environment(object) => {
                let name = self.value(index);
                match name.as_text() {
                    Some(name) => {
                        let name = name.to_owned();
                        self.variable(&name, at)
                    }
                    None => Evaluated::unknown(Why::NotUnderstood, self.span(at)),
                }
            }
            _ => Evaluated::unknown(Why::NotUnderstood, self.span(at)),
        }
    }

    pub(super) fn assign(&mut self, target: &'a Target, value: Evaluated, at: Bytes) {
        if self.stop.is_some() {
            return;
        }
        match target {
            Target::Name(name) => self.set(self.slot(name), value),
            Target::Element { object, index } => {
                let index = self.value(index);
                if is_environment(object) {
                    self.assign_variable(&index, value);
                    return;
                }
                if let ExpressionKind::Name(name) = &object.kind {
                    self.assign_element(name, &index, &value, at);
                }
                self.note("[]=", Some(object), vec![index, value], at, at);
            }
            Target::Attribute { object, name, bytes } => {
                self.note(&format!("{name}="), Some(object), vec![value], at, *bytes);
            }
            Target::Several(targets) => {
                let items = match value.value {
                    Value::List(items) => Some(items),
                    _ => None,
                };
                let whole = targets.iter().all(Option::is_some);
                for (index, target) in targets.iter().enumerate() {
                    let Some(target) = target else { continue };
                    let item = match &items {
                        Some(items) if whole => items.get(index).cloned(),
                        _ => Some(Evaluated::unknown(Why::NotUnderstood, self.span(at))),
                    };
                    let item = item.unwrap_or_else(|| Evaluated::literal(Value::Nil, self.span(at)));
                    if self.deeper(|this| this.assign(target, item, at)).is_none() {
                        self.stop = Some(Stop::Cut(self.span(at)));
                    }
                }
            }
            Target::Other => {}
        }
    }

    pub(super) fn assign_variable(&mut self, name: &Evaluated, value: Evaluated) {
        match (name.as_text(), &value.value) {
            // Ruby takes texts only; nil removes the variable.
            (Some(name), Value::Text(_) | Value::Stage(_) | Value::Nil | Value::Unknown(_)) => {
                let name = name.to_owned();
                self.set(Slot::Variable(name), value);
            }
            (Some(_), _) => {
                self.raise(value.origin.at.bytes);
            }
            (None, _) => self.open_environment = true,
        }
    }

    fn assign_element(&mut self, name: &str, index: &Evaluated, value: &Evaluated, at: Bytes) {
        let slot = self.slot(name);
        let Some(known) = self.get(&slot).cloned() else { return };
        let changed = match known.value {
            Value::Hash(mut pairs) if !index.is_unknown() => {
                match pairs.iter_mut().find(|(key, _)| operation::same_key(key, &index.value)) {
                    Some((_, old)) => *old = value.clone(),
                    None => pairs.push((index.value.clone(), value.clone())),
                }
                Value::Hash(pairs)
            }
            Value::Unknown(why) => Value::Unknown(why),
            _ => Value::Unknown(Why::NotUnderstood),
        };
        let changed = self.sized(Evaluated { value: changed, origin: known.origin });
        let _ = at;
        self.set(slot, changed);
    }
}

/// Says whether an expression is `ENV`.
pub(super) fn is_environment(expression: &Expression) -> bool {
    matches!(&expression.kind, ExpressionKind::Name(name) if name == "ENV")
}
