//! `ENV` as a program sees and changes it.

use super::call::{Callable, Given};
use super::machine::{Machine, Slot};
use super::value::{Evaluated, Value, Why};
use crate::facts::ruby_config;
use crate::source::Bytes;

impl<'a> Machine<'a> {
    /// Answers `ENV.fetch(…)` and its like.
    pub(super) fn environment(&mut self, call: &'a ruby_config::Call, given: &Given<'a>, at: Bytes) -> Evaluated {
        let span = self.span(at);
        if self.stop.is_some() {
            return Evaluated::unknown(Why::Undecided, span);
        }
        let first = given.positional.first().cloned();
        let name = match first.as_ref().map(|first| &first.value) {
            Some(Value::Text(name)) => Some(name.clone()),
            _ => None,
        };
        match (call.name.as_str(), name) {
            ("[]", Some(name)) => self.variable(&name, at),
            ("fetch", Some(name)) => {
                let found = self.variable(&name, at);
                match (&found.value, given.positional.get(1), &given.block) {
                    (Value::Nil, _, Some(block)) => {
                        let key = Evaluated::literal(Value::Text(name), span);
                        let result = self.yield_to(block, vec![key], at);
                        result.because_of(&found.origin.sources)
                    }
                    (Value::Nil, Some(default), None) => default.clone().because_of(&found.origin.sources),
                    (Value::Nil, None, None) => self.raise(at),
                    (Value::Unknown(_), _, Some(Callable::Block(block))) => {
                        self.perhaps(at, |this| drop(this.sequence(&block.body, at)));
                        found
                    }
                    _ => found,
                }
            }
            ("key?" | "has_key?" | "include?" | "member?", Some(name)) => {
                let found = self.variable(&name, at);
                let value = match found.value {
                    Value::Unknown(why) => Value::Unknown(why),
                    value => Value::Boolean(value != Value::Nil),
                };
                Evaluated { value, ..found }
            }
            ("values_at", _) => {
                let mut values = Vec::new();
                for name in &given.positional {
                    let Value::Text(name) = &name.value else {
                        return Evaluated::unknown(Why::NotUnderstood, span);
                    };
                    values.push(self.variable(name, at));
                }
                self.sized(Evaluated::literal(Value::List(values), span))
            }
            ("store", Some(_)) if given.positional.len() == 2 => {
                let (Some(name), Some(value)) = (first, given.positional.get(1).cloned()) else {
                    return Evaluated::unknown(Why::NotUnderstood, span);
                };
                self.assign_variable(&name, value.clone());
                value
            }
            ("delete", Some(name)) => {
                let found = self.variable(&name, at);
                self.set(Slot::Variable(name), Evaluated::literal(Value::Nil, span));
                found
            }
            ("update" | "merge!", _) => {
                match first.map(|first| first.value) {
                    Some(Value::Hash(pairs)) => {
                        for (key, value) in pairs {
                            self.assign_variable(&Evaluated::literal(key, span), value);
                        }
                    }
                    _ => self.open_environment = true,
                }
                Evaluated::unknown(Why::NotUnderstood, span)
            }
            ("replace" | "clear" | "delete_if" | "reject!" | "keep_if" | "select!", _) => {
                self.open_environment = true;
                Evaluated::unknown(Why::NotUnderstood, span)
            }
            _ => Evaluated::unknown(Why::NotUnderstood, span),
        }
    }
}
