//! One step down the code view: the only place that knows where every kind keeps its children.

use super::{
    Argument, Entry, Exported, Function, Key, Kind, Literal, Node, Parameter, Pattern, TextPart, TypeDefinition,
};

impl Node {
    /// Calls `visit` with each direct child, in the order of the text as far as the view keeps it.
    pub fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Node)) {
        match &self.kind {
            Kind::Import(_) | Kind::Name(_) | Kind::Receiver(_) => {}
            Kind::Export(export) => match &export.what {
                Exported::Default(value) | Exported::Declaration(value) | Exported::Value { value, .. } => visit(value),
                Exported::Names(_) | Exported::Everything { .. } => {}
            },
            Kind::Call(call) => {
                call.receiver.iter().for_each(&mut *visit);
                arguments(&call.arguments, visit);
                if let Some(block) = &call.block {
                    function(block, visit);
                }
            }
            Kind::Operation { operands, .. } => operands.iter().for_each(visit),
            Kind::Conditional { test, then, otherwise } => {
                visit(test);
                visit(then);
                visit(otherwise);
            }
            Kind::Subscript { object, index, .. } => {
                visit(object);
                visit(index);
            }
            Kind::Object { entries: all, .. } => entries(all, visit),
            Kind::List(items) | Kind::Block(items) | Kind::Other(items) => items.iter().for_each(visit),
            Kind::Spread(inner) | Kind::Await(inner) | Kind::Member { object: inner, .. } => visit(inner),
            Kind::Literal(literal) => match literal {
                Literal::Text(parts) | Literal::Regex { pattern: parts, .. } => {
                    for part in parts {
                        if let TextPart::Code(code) = part {
                            visit(code);
                        }
                    }
                }
                _ => {}
            },
            Kind::Function(inner) => function(inner, visit),
            Kind::Type(inner) => type_definition(inner, visit),
            Kind::Binding { pattern: left, value, .. } => {
                pattern(left, visit);
                value.iter().for_each(|value| visit(value));
            }
            Kind::Assignment { target, value, .. } => {
                visit(target);
                visit(value);
            }
            Kind::Loop { test, pattern: left, body, .. } => {
                test.iter().for_each(|test| visit(test));
                left.iter().for_each(|left| pattern(left, visit));
                body.iter().for_each(visit);
            }
            Kind::Branch { subject, arms } => {
                subject.iter().for_each(|subject| visit(subject));
                for arm in arms {
                    arm.test.iter().for_each(&mut *visit);
                    arm.body.iter().for_each(&mut *visit);
                }
            }
            Kind::Try { body, handlers, otherwise, finally } => {
                body.iter().for_each(&mut *visit);
                for handler in handlers {
                    handler.classes.iter().for_each(&mut *visit);
                    handler.body.iter().for_each(&mut *visit);
                }
                otherwise.iter().for_each(&mut *visit);
                finally.iter().for_each(visit);
            }
            Kind::Region { resource, name, body, .. } => {
                visit(resource);
                name.iter().for_each(|name| pattern(name, visit));
                body.iter().for_each(visit);
            }
            Kind::Jump { value, .. } => value.iter().for_each(|value| visit(value)),
        }
    }
}

fn arguments<'a>(all: &'a [Argument], visit: &mut dyn FnMut(&'a Node)) {
    all.iter().for_each(|argument| visit(&argument.value));
}

fn entries<'a>(all: &'a [Entry], visit: &mut dyn FnMut(&'a Node)) {
    for entry in all {
        if let Key::Computed(key) = &entry.key {
            visit(key);
        }
        visit(&entry.value);
    }
}

fn function<'a>(inner: &'a Function, visit: &mut dyn FnMut(&'a Node)) {
    inner.decorators.iter().for_each(&mut *visit);
    inner.parameters.iter().for_each(|one| parameter(one, visit));
    inner.body.iter().for_each(visit);
}

fn parameter<'a>(one: &'a Parameter, visit: &mut dyn FnMut(&'a Node)) {
    pattern(&one.pattern, visit);
    one.default.iter().for_each(visit);
}

fn pattern<'a>(one: &'a Pattern, visit: &mut dyn FnMut(&'a Node)) {
    match one {
        Pattern::Name(_) | Pattern::Wildcard(_) | Pattern::Refutable { .. } => {}
        Pattern::Object(all) => {
            for entry in all {
                pattern(&entry.pattern, visit);
                entry.default.iter().for_each(&mut *visit);
            }
        }
        Pattern::List(all) => all.iter().for_each(|one| pattern(one, visit)),
        Pattern::Rest(inner) => pattern(inner, visit),
        Pattern::Place(place) => visit(place),
    }
}

fn type_definition<'a>(inner: &'a TypeDefinition, visit: &mut dyn FnMut(&'a Node)) {
    inner.decorators.iter().for_each(&mut *visit);
    inner.bases.iter().for_each(&mut *visit);
    for field in &inner.fields {
        field.decorators.iter().for_each(&mut *visit);
        field.value.iter().for_each(&mut *visit);
    }
    inner.body.iter().for_each(visit);
}
