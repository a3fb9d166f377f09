//! What a call is given, as keys: keyword arguments, and the methods of a chain.

use super::{FUEL, Fields, Located, Resolver, STEPS, Settled};
use crate::facts::value::{Called, Value, ValueKind};

impl<'a> Resolver<'a> {
    /// Returns the keyword arguments of a call as keys.
    pub fn keywords(&self, called: &'a Called) -> Fields<'a> {
        self.fuel.set(FUEL);
        let mut fields = Fields::default();
        for argument in &called.arguments {
            match (&argument.name, &argument.value.kind) {
                (Some(name), _) => {
                    let span = argument.name_span.unwrap_or(argument.value.span);
                    fields.push(name, span, &argument.value);
                }
                (None, ValueKind::Spread(inner)) => self.add_spread(&Located::of(inner), &mut fields, STEPS),
                // `retriable(options)`: a hash that is handed on whole.
                (None, ValueKind::Object(_)) => self.add_spread(&Located::of(&argument.value), &mut fields, STEPS),
                (None, _) => {}
            }
        }
        fields
    }

    /// Returns the methods of a chain as keys (`X::new().take(5)` has `new` and `take`), and what it begins with.
    /// A method without an argument has the chain up to it as its value.
    pub fn chain(&self, value: &'a Value) -> (Fields<'a>, &'a Value) {
        self.fuel.set(FUEL);
        let mut links = Vec::new();
        let mut at = value;
        for _ in 0..STEPS {
            if let Settled::Value(Located { value: settled, .. }) = self.settle(at) {
                at = settled;
            }
            let ValueKind::Call(called) = &at.kind else { break };
            let ValueKind::Member { object, name, name_span } = &called.callee.kind else {
                at = &called.callee;
                break;
            };
            let first = called.arguments.first().map_or(at, |argument| &argument.value);
            links.push((name.as_str(), *name_span, first));
            at = object;
        }
        let mut fields = Fields::default();
        links.reverse();
        for (name, span, first) in links {
            fields.push(name, span, first);
        }
        (fields, at)
    }
}
