//! Blocks that are called a known number of times.

use super::call::Callable;
use super::machine::{LIST_LIMIT, Machine, Stop};
use super::value::{Evaluated, Value, Why};
use crate::facts::ruby_config::JumpKind;
use crate::source::Bytes;

impl<'a> Machine<'a> {
    /// Calls a block with arguments. A `break` is left standing for the loop.
    pub(super) fn yield_to(&mut self, callable: &Callable<'a>, arguments: Vec<Evaluated>, at: Bytes) -> Evaluated {
        let block = match callable {
            Callable::Block(block) => *block,
            Callable::Method(name) => {
                let Some(first) = arguments.first() else {
                    return Evaluated::unknown(Why::NotUnderstood, self.span(at));
                };
                let result = self.send(first, name, &[], &[], at);
                return result.unwrap_or_else(|| Evaluated::unknown(Why::NotUnderstood, self.span(at)));
            }
        };
        // `|a, b|` takes a pair apart.
        let apart = match arguments.as_slice() {
            [Evaluated { value: Value::List(items), .. }] if block.parameters.len() > 1 => Some(items.clone()),
            _ => None,
        };
        let mut arguments = apart.unwrap_or(arguments).into_iter();
        for parameter in &block.parameters {
            let value = arguments.next().unwrap_or_else(|| Evaluated::literal(Value::Nil, self.span(at)));
            if let Some(name) = parameter {
                self.set(self.slot(name), value);
            }
        }
        let value = self.deeper(|this| this.sequence(&block.body, at));
        match (&self.stop, value) {
            (Some(Stop::Jump(JumpKind::Next, value)), _) => {
                let value = value.clone();
                self.stop = None;
                value
            }
            (_, Some(value)) => value,
            (_, None) => {
                self.stop = Some(Stop::Cut(self.span(at)));
                Evaluated::unknown(Why::Limit, self.span(at))
            }
        }
    }

    /// Methods that call their block a known number of times.
    pub(super) fn iterate(
        &mut self,
        object: &Evaluated,
        name: &str,
        arguments: &[Evaluated],
        block: &Callable<'a>,
        at: Bytes,
    ) -> Option<Evaluated> {
        let span = self.span(at);
        if let ("tap" | "then" | "yield_self", []) = (name, arguments) {
            let result = self.yield_to(block, vec![object.clone()], at);
            return Some(if name == "tap" { object.clone() } else { result });
        }
        let items: Vec<Evaluated> = match (&object.value, name, arguments) {
            (
                Value::List(items),
                "each" | "map" | "collect" | "flat_map" | "find" | "detect" | "select" | "filter" | "reject" | "any?"
                | "all?" | "none?" | "sum" | "filter_map",
                [],
            ) => items.clone(),
            (Value::Integer(times), "times", []) => {
                let times = usize::try_from(*times).unwrap_or(0);
                if times > LIST_LIMIT {
                    return None;
                }
                let number = |number| Value::Integer(i64::try_from(number).unwrap_or(0));
                (0..times).map(|index| Evaluated::literal(number(index), object.origin.at)).collect()
            }
            (Value::Hash(pairs), "each" | "each_pair", []) => pairs
                .iter()
                .map(|(key, value)| {
                    let key = Evaluated::literal(key.clone(), object.origin.at);
                    Evaluated::literal(Value::List(vec![key, value.clone()]), object.origin.at)
                })
                .collect(),
            _ => return None,
        };
        let mut sources = object.origin.sources.clone();
        let mut kept = Vec::new();
        let mut unsure = None;
        for item in items {
            let result = self.yield_to(block, vec![item.clone()], at);
            match self.stop.take() {
                None => {}
                Some(Stop::Jump(JumpKind::Break, value)) => return Some(value.resting_on(&sources)),
                stop => {
                    self.stop = stop;
                    return Some(Evaluated::unknown(Why::Undecided, span));
                }
            }
            let truth = result.value.truth();
            match name {
                "map" | "collect" | "sum" => kept.push(result),
                "each" | "each_pair" | "times" => {}
                "filter_map" if truth == Some(true) => kept.push(result),
                "flat_map" => match result.value {
                    Value::List(more) => kept.extend(more),
                    _ => kept.push(result),
                },
                _ => {
                    unsure = unsure.or(if truth.is_none() {
                        Some(result.value.why().unwrap_or(Why::Undecided))
                    } else {
                        None
                    });
                    for source in super::machine::deciding(&result.origin.sources) {
                        if !sources.contains(&source) {
                            sources.push(source);
                        }
                    }
                    let truth = truth == Some(true);
                    match name {
                        _ if unsure.is_some() => {}
                        "find" | "detect" if truth => return Some(item.resting_on(&sources)),
                        "any?" if truth => {
                            return Some(Evaluated::literal(Value::Boolean(true), span).resting_on(&sources));
                        }
                        "all?" if !truth => {
                            return Some(Evaluated::literal(Value::Boolean(false), span).resting_on(&sources));
                        }
                        "none?" if truth => {
                            return Some(Evaluated::literal(Value::Boolean(false), span).resting_on(&sources));
                        }
                        "select" | "filter" if truth => kept.push(item),
                        "reject" if !truth => kept.push(item),
                        _ => {}
                    }
                }
            }
        }
        let value = match (unsure, name) {
            (Some(why), _) => Value::Unknown(why),
            (None, "each" | "each_pair" | "times") => return Some(object.clone()),
            (None, "find" | "detect") => Value::Nil,
            (None, "any?") => Value::Boolean(false),
            (None, "all?" | "none?") => Value::Boolean(true),
            (None, _) => Value::List(kept),
        };
        let made = self.sized(Evaluated::literal(value, span).resting_on(&sources));
        if name == "sum" { self.send(&made, "sum", &[], &[], at) } else { Some(made) }
    }
}
