//! Targets of assignments, patterns of `case … in`, and the names that both bind.

use super::grammar::{Field, Form};
use super::{Child, Lowering};
use crate::source::Bytes;
use crate::syntax::code::{Entry, Key, Kind, Node, TextPart};

impl<'t> Lowering<'t> {
    /// Lowers the left side of an assignment.
    pub(super) fn target(&mut self, child: Child<'t>) -> Node {
        match child.form {
            Form::Identifier | Form::Call | Form::Destructured | Form::Rest => {
                self.node(child.bytes(), |this| this.target_kind(child))
            }
            _ => self.one(child),
        }
    }

    fn target_kind(&mut self, child: Child<'t>) -> Kind {
        match child.form {
            Form::Identifier => self.variable(child),
            Form::Call => {
                let children = self.children(child.node);
                let optional = children.field(Field::Operator).is_some_and(|operator| self.text(operator.node) == "&.");
                match (children.field(Field::Receiver), children.field(Field::Method)) {
                    (Some(object), Some(name)) => {
                        let name = self.name(name.node);
                        Kind::Member { object: self.boxed(object), name, optional }
                    }
                    _ => self.call(child),
                }
            }
            _ => self.target_list(child),
        }
    }

    /// Binds a name, which stays a name even where it is thrown away.
    fn variable(&mut self, child: Child<'t>) -> Kind {
        let text = self.text(child.node);
        self.state.declare(text);
        Kind::Name(text.to_owned())
    }

    pub(super) fn target_list(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut inside = children.named().filter(|child| !super::is_nothing(child));
        if child.form == Form::Rest {
            let star = Node::new(child.bytes(), Kind::Name("*".to_owned()));
            return Kind::Spread(Box::new(inside.next().map_or(star, |inner| self.target(inner))));
        }
        Kind::List(inside.map(|item| self.target(item)).collect())
    }

    /// Lowers `value => pattern` and `value in pattern`.
    pub(super) fn pattern_match(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let operator = if child.form == Form::MatchPattern { "=>" } else { "in" };
        let mut operands = vec![self.needed(children.field(Field::Value), child.bytes())];
        operands.extend(children.field(Field::Pattern).map(|pattern| self.pattern(pattern)));
        Kind::Operation { operator: operator.to_owned(), operands }
    }

    /// Lowers a pattern as an expression of the same shape.
    pub(super) fn pattern(&mut self, child: Child<'t>) -> Node {
        match child.form {
            Form::Parentheses => {
                let children = self.children(child.node);
                match children.named().next() {
                    Some(inner) => self.pattern(inner),
                    None => self.gap(child.bytes()),
                }
            }
            Form::Identifier
            | Form::ArrayPattern
            | Form::HashPattern
            | Form::AlternativePattern
            | Form::AsPattern
            | Form::VariablePattern
            | Form::ExpressionPattern
            | Form::SplatParameter
            | Form::HashSplatParameter => self.node(child.bytes(), |this| this.pattern_kind(child)),
            _ => self.one(child),
        }
    }

    fn pattern_kind(&mut self, child: Child<'t>) -> Kind {
        let operation = |operator: &str, operands| Kind::Operation { operator: operator.to_owned(), operands };
        if child.form == Form::Identifier {
            return self.variable(child);
        }
        let children = self.children(child.node);
        match child.form {
            Form::HashPattern => self.hash_pattern(child),
            Form::AlternativePattern => operation("|", children.named().map(|one| self.pattern(one)).collect()),
            Form::AsPattern => {
                let mut operands: Vec<_> =
                    children.field(Field::Value).map(|one| self.pattern(one)).into_iter().collect();
                operands.extend(children.field(Field::Name).map(|name| self.pattern(name)));
                operation("=>", operands)
            }
            Form::VariablePattern | Form::ExpressionPattern => operation("^", self.each(&children)),
            Form::SplatParameter | Form::HashSplatParameter => {
                let star = Node::new(child.bytes(), Kind::Name(self.text(child.node).to_owned()));
                Kind::Spread(Box::new(children.field(Field::Name).map_or(star, |name| self.pattern(name))))
            }
            _ => {
                let class = children.field(Field::Class).map(|class| self.one(class));
                let items: Vec<_> = children
                    .named()
                    .filter(|item| item.field != Field::Class)
                    .map(|item| self.apart(|this| this.pattern(item)))
                    .collect();
                match class {
                    Some(class) => {
                        let bytes = Bytes { start: class.bytes.end, end: child.bytes().end };
                        operation("===", vec![class, Node::new(bytes, Kind::List(items))])
                    }
                    None => Kind::List(items),
                }
            }
        }
    }

    fn hash_pattern(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let type_name = children.field(Field::Class).map(|class| self.name(class.node));
        let mut entries = Vec::new();
        for item in children.named().filter(|item| item.field != Field::Class) {
            match item.form {
                Form::KeywordPattern => entries.push(self.keyword_pattern(item)),
                Form::HashSplatNil => {}
                _ => entries.push(Entry { key: Key::None, value: self.apart(|this| this.pattern(item)) }),
            }
        }
        Kind::Object { type_name, entries }
    }

    fn keyword_pattern(&mut self, item: Child<'t>) -> Entry {
        let mut key = Key::None;
        let value = self.apart(|this| {
            let children = this.children(item.node);
            let Some(given) = children.field(Field::Key) else { return this.gap(item.bytes()) };
            key = this.key(given);
            match (children.field(Field::Value), &key) {
                (Some(value), _) => this.pattern(value),
                (None, Key::Static(name)) => {
                    this.state.declare(&name.text);
                    Node::new(name.bytes, Kind::Name(name.text.clone()))
                }
                (None, _) => this.gap(item.bytes()),
            }
        });
        Entry { key, value }
    }
}

/// Returns the names that `/(?<name>…)/ =~ text` assigns: only a regex without interpolation does.
pub(super) fn named_captures(pattern: &[TextPart]) -> Vec<String> {
    let mut names = Vec::new();
    let mut whole = String::new();
    for part in pattern {
        let TextPart::Text { text, .. } = part else { return names };
        whole.push_str(text);
    }
    for after in whole.split("(?<").skip(1) {
        if let Some((name, _)) = after.split_once('>')
            && name.starts_with(|first: char| first == '_' || first.is_lowercase())
            && name.chars().all(|one| one == '_' || one.is_alphanumeric())
        {
            names.push(name.to_owned());
        }
    }
    names
}
