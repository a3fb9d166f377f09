//! What a call is made on and given: names from their root, options, literals.

use super::collect::Collector;
use super::{Route, Setting, Shape};
use crate::facts::value::Value;
use crate::syntax::code::{Call, CallKind, JumpKind, Key, Kind, Language, Literal, Node, Receiver};

/// Names in one path.
const PATH: usize = 8;
/// Steps down to the root of a chain.
const STEPS: usize = 64;

impl Collector<'_> {
    /// Returns how an argument is written.
    pub(super) fn shape(&self, value: &Node) -> Shape {
        match &value.kind {
            Kind::Object { entries, .. } => {
                let mut keys = Vec::new();
                let mut open = value.tainted;
                for entry in entries {
                    match &entry.key {
                        Key::Static(name) => keys.push(Setting {
                            key: name.text.clone(),
                            bytes: entry.value.bytes,
                            literal: literal(&entry.value),
                        }),
                        Key::Computed(_) | Key::None => open = true,
                    }
                    open |= entry.value.tainted;
                }
                Shape::Object { keys, open }
            }
            Kind::Literal(Literal::Number(number)) => Shape::Number(number.clone()),
            // Ruby's `&:join`
            Kind::Operation { operator, operands } if operator == "&" && operands.len() == 1 => {
                operands.first().and_then(Node::as_text).map_or(Shape::Other, Shape::Text)
            }
            Kind::Literal(_) => value.as_text().map_or(Shape::Text(String::new()), Shape::Text),
            _ => self.route(value).map_or(Shape::Other, Shape::Route),
        }
    }

    /// Returns what a call calls, where that is a name or a member of names.
    pub(super) fn callee(&self, call: &Call) -> Option<Value> {
        let node = match (&call.receiver, call.kind) {
            (_, CallKind::Value | CallKind::Macro) => return None,
            (None, _) => Node::new(call.name.bytes, Kind::Name(call.name.text.clone())),
            (Some(receiver), _) => {
                let object = Box::new(plain(receiver)?);
                let bytes = receiver.bytes.to(call.name.bytes);
                Node::new(bytes, Kind::Member { object, name: call.name.clone(), optional: false })
            }
        };
        Some(Value::of_code(self.file, &node))
    }

    pub(super) fn plain_value(&self, node: &Node) -> Option<Value> {
        plain(node).map(|node| Value::of_code(self.file, &node))
    }

    /// Follows an expression down to its root.
    pub(super) fn route(&self, node: &Node) -> Option<Route> {
        let mut through = Vec::new();
        let mut reversed: Vec<String> = Vec::new();
        let mut at = node;
        let mut base = node;
        let mut steps = 0;
        loop {
            steps += 1;
            if steps > STEPS {
                return None;
            }
            match &at.kind {
                Kind::Name(name) => {
                    reversed.push(name.clone());
                    break;
                }
                Kind::Receiver(_) => {
                    reversed.push("this".to_owned());
                    break;
                }
                Kind::Member { object, name, .. } => {
                    reversed.push(name.text.clone());
                    at = object;
                }
                Kind::Await(inner) | Kind::Jump { kind: JumpKind::Try, value: Some(inner) } => {
                    at = inner;
                    if reversed.is_empty() {
                        base = inner;
                    }
                }
                Kind::Operation { operands, .. } if operands.len() == 1 => {
                    at = operands.first()?;
                    if reversed.is_empty() {
                        base = at;
                    }
                }
                Kind::Call(call) if call.kind != CallKind::Macro => {
                    let carries = self.interests.carriers.contains(&call.name.text);
                    match &call.receiver {
                        Some(receiver) if carries => {
                            at = receiver;
                            if reversed.is_empty() {
                                base = receiver;
                            }
                            // `Arc::clone(&pool)`: what it is given is what it gives.
                            if let ([only], Kind::Name(_)) = (call.arguments.as_slice(), &receiver.kind)
                                && call.block.is_none()
                                && receiver_is_type(receiver)
                            {
                                at = &only.value;
                                base = &only.value;
                            }
                        }
                        receiver => {
                            if call.arguments.is_empty() && call.block.is_none() && call.kind == CallKind::Plain {
                                let bare = self.language == Language::Ruby;
                                reversed.push(if bare {
                                    call.name.text.clone()
                                } else {
                                    format!("{}()", call.name.text)
                                });
                            } else {
                                // What stood above was a member of what the call gives.
                                through.extend(std::mem::take(&mut reversed));
                                through.push(call.name.text.clone());
                                base = match receiver {
                                    Some(receiver) => receiver,
                                    None => at,
                                };
                            }
                            if let Some(receiver) = receiver {
                                at = receiver;
                            } else {
                                if reversed.is_empty() {
                                    reversed.push(call.name.text.clone());
                                }
                                break;
                            }
                        }
                    }
                }
                _ => return None,
            }
        }
        if reversed.len() > PATH {
            return None;
        }
        reversed.reverse();
        through.reverse();
        through.truncate(PATH);
        let value = match &base.kind {
            Kind::Call(call) if call.receiver.is_none() => {
                Some(Value::of_code(self.file, &Node::new(call.name.bytes, Kind::Name(call.name.text.clone()))))
            }
            _ => self.plain_value(base),
        };
        Some(Route { path: reversed, bytes: base.bytes, value, through })
    }
}

/// Returns a name or a member of names, and nothing else.
fn plain(node: &Node) -> Option<Node> {
    let mut depth = 0;
    let mut at = node;
    loop {
        depth += 1;
        match &at.kind {
            Kind::Name(_) | Kind::Receiver(Receiver::This) => break,
            Kind::Member { object, .. } if depth < PATH => at = object,
            _ => return None,
        }
    }
    Some(node.clone())
}

/// `Arc` in `Arc::clone(…)`.
fn receiver_is_type(node: &Node) -> bool {
    matches!(&node.kind, Kind::Name(name) if name.starts_with(|first: char| first.is_uppercase()))
}

/// Returns a literal or a name (`Infinity`) as it is written, a text without its quotes.
fn literal(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::Literal(Literal::Number(number)) => Some(number.clone()),
        Kind::Literal(Literal::Null) => Some("null".to_owned()),
        Kind::Literal(Literal::Undefined) => Some("undefined".to_owned()),
        Kind::Literal(Literal::Boolean(value)) => Some(value.to_string()),
        Kind::Name(name) => Some(name.clone()),
        _ => node.as_text(),
    }
}
