//! The way through everything in an expression.

use super::{Expression, ExpressionKind, Target, TextPart};

impl Expression {
    /// Calls `seen` for this expression and everything in it.
    pub fn visit<'a>(&'a self, seen: &mut impl FnMut(&'a Self)) {
        let mut waiting = vec![self];
        while let Some(next) = waiting.pop() {
            seen(next);
            let from = waiting.len();
            next.children(&mut |child| waiting.push(child));
            if let Some(added) = waiting.get_mut(from..) {
                added.reverse();
            }
        }
    }

    fn children<'a>(&'a self, seen: &mut impl FnMut(&'a Self)) {
        match &self.kind {
            ExpressionKind::Nil
            | ExpressionKind::Boolean(_)
            | ExpressionKind::Number(_)
            | ExpressionKind::Symbol(_)
            | ExpressionKind::Regex { .. }
            | ExpressionKind::Name(_)
            | ExpressionKind::Failure
            | ExpressionKind::Require(_)
            | ExpressionKind::Literal(_)
            | ExpressionKind::Jump { value: None, .. } => {}
            ExpressionKind::Text(parts) => {
                for part in parts {
                    if let TextPart::Code(code) = part {
                        seen(code);
                    }
                }
            }
            ExpressionKind::List(all)
            | ExpressionKind::Sequence(all)
            | ExpressionKind::Body(all)
            | ExpressionKind::Other(all)
            | ExpressionKind::Operation { operands: all, .. } => all.iter().for_each(seen),
            ExpressionKind::Hash(pairs) => pairs.iter().for_each(|(key, value)| {
                seen(key);
                seen(value);
            }),
            ExpressionKind::Spread(inner)
            | ExpressionKind::Print(inner)
            | ExpressionKind::Jump { value: Some(inner), .. } => seen(inner),
            ExpressionKind::Call(call) => {
                call.receiver.iter().for_each(&mut *seen);
                call.arguments.iter().for_each(|argument| seen(&argument.value));
                call.block.iter().flat_map(|block| &block.body).for_each(seen);
            }
            ExpressionKind::Assignment { target, value, .. } => {
                target.children(seen);
                seen(value);
            }
            ExpressionKind::Branch { subject, arms } => {
                subject.iter().for_each(|subject| seen(subject));
                for arm in arms {
                    arm.tests.iter().flatten().chain(&arm.body).for_each(&mut *seen);
                }
            }
            ExpressionKind::Loop { test, body, .. } => {
                test.iter().for_each(|test| seen(test));
                body.iter().for_each(seen);
            }
            ExpressionKind::Try { body, handlers, otherwise, finally } => {
                let handled = handlers.iter().flat_map(|handler| &handler.body);
                body.iter().chain(handled).chain(otherwise).chain(finally).for_each(seen);
            }
            ExpressionKind::Method(method) => {
                let defaults = method.parameters.iter().flatten().filter_map(|parameter| parameter.default.as_ref());
                defaults.chain(&method.body).for_each(seen);
            }
        }
    }
}

impl Target {
    fn children<'a>(&'a self, seen: &mut impl FnMut(&'a Expression)) {
        match self {
            Self::Name(_) | Self::Other => {}
            Self::Element { object, index } => {
                seen(object);
                seen(index);
            }
            Self::Attribute { object, .. } => seen(object),
            Self::Several(targets) => {
                for target in targets.iter().flatten() {
                    target.children(seen);
                }
            }
        }
    }
}
