//! Python into the code view.
//!
//! Plain assignments in the body of a class stand in the body, in order, and once more among the fields. A name in
//! `import a.b` is `a.b`, as it is used.

mod argument;
mod definition;
mod frame;
mod grammar;
mod import;
mod pattern;
mod scan;
mod statement;
#[cfg(test)]
mod tests;
mod text;

use std::sync::OnceLock;

use self::grammar::{Field, Form, Python};
use super::lowering::{self, Table};
use super::{JumpKind, Kind, Language, Literal, Node, Parsed, Pattern, Program};
use crate::source::Bytes;
use crate::syntax::TroubleKind;

type Lowering<'t> = lowering::Lowering<'t, Python>;
type Child<'t> = lowering::Child<'t, Python>;
type Children<'t> = lowering::Children<'t, Python>;

static TABLE: OnceLock<Table<Python>> = OnceLock::new();

/// Words that the grammar takes for a name where they do not fit.
const RESERVED: [&str; 30] = [
    "and", "as", "assert", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for",
    "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try",
    "while", "with", "yield",
];

pub(super) fn parse(text: &str) -> Parsed<Program> {
    if let Some(at) = scan::misplaced(text) {
        return lowering::empty(at, TroubleKind::Limit, "too many operators without an operand".to_owned());
    }
    let table = TABLE.get_or_init(|| Table::new(tree_sitter_python::LANGUAGE.into()));
    lowering::parse(Language::Python, table, text, |lowering, root| {
        if root.is_error() { vec![lowering.broken(root)] } else { lowering.statements(root) }
    })
}

impl<'t> Lowering<'t> {
    fn statements(&mut self, list: tree_sitter::Node<'t>) -> Vec<Node> {
        let children = self.parts(list);
        let mut all = Vec::new();
        for child in children.named().filter(|child| child.form != Form::Skipped) {
            // One statement may import several modules.
            if child.form == Form::Import {
                self.imports(child, &mut all);
            } else {
                let statement = self.apart(|this| this.one(child));
                self.add(statement, &mut all);
            }
        }
        all
    }

    /// Lowers what an error encloses; the statements in it stand.
    fn broken(&mut self, error: tree_sitter::Node<'t>) -> Node {
        let bytes = Bytes::new(error.start_byte(), error.end_byte());
        self.node(bytes, |this| {
            let inside = this.statements(error);
            this.taint();
            Kind::Other(inside)
        })
    }

    /// Lowers a statement, an expression or an error.
    fn one(&mut self, child: Child<'t>) -> Node {
        if child.is_error() {
            return self.broken(child.node);
        }
        match child.form {
            Form::ExpressionStatement | Form::Parenthesized | Form::CasePattern | Form::AsTarget => self.wrapped(child),
            Form::DottedName => self.dotted_name(child),
            _ => self.node(child.bytes(), |this| this.kind(child)),
        }
    }

    fn boxed(&mut self, child: Child<'t>) -> Box<Node> {
        Box::new(self.one(child))
    }

    /// Lowers a child that must be there.
    fn needed(&mut self, child: Option<Child<'t>>, place: Bytes) -> Node {
        match child {
            Some(child) => self.one(child),
            None => self.gap(Bytes { start: place.end, end: place.end }),
        }
    }

    fn each(&mut self, children: &Children<'t>) -> Vec<Node> {
        children.named().filter(|child| !is_silent(child)).map(|child| self.one(child)).collect()
    }

    /// Lowers a list whose items are arguments of their own.
    fn items(&mut self, children: &Children<'t>) -> Vec<Node> {
        let given = children.named().filter(|child| !is_silent(child));
        given.map(|child| self.apart(|this| this.one(child))).collect()
    }

    /// Lowers what only wraps something: the wrapping is dropped, an error in it is not.
    fn wrapped(&mut self, child: Child<'t>) -> Node {
        let children = self.children(child.node);
        let inside: Vec<_> = children.named().filter(|child| !is_silent(child)).collect();
        match inside.as_slice() {
            [only] if !children.has(Form::Token) => self.one(*only),
            [number] if child.form == Form::CasePattern => self.node(child.bytes(), |this| this.negative(*number)),
            [] if children.has(Form::Wildcard) => Node::new(child.bytes(), Kind::Name("_".to_owned())),
            _ if child.form == Form::ExpressionStatement => {
                self.node(child.bytes(), |this| Kind::List(this.items(&children)))
            }
            _ => self.node(child.bytes(), |this| Kind::Other(this.each(&children))),
        }
    }

    /// Chooses first and calls then: a call in each arm would cost room on the stack for each, and this function
    /// stands between any two levels of the tree.
    fn kind(&mut self, child: Child<'t>) -> Kind {
        let lower: fn(&mut Self, Child<'t>) -> Kind = match child.form {
            Form::Identifier => Self::identifier,
            Form::Number | Form::True | Form::False | Form::None | Form::Ellipsis => Self::word,
            Form::Call => Self::call,
            Form::Attribute => Self::attribute,
            Form::Subscript => Self::subscript,
            Form::Slice => Self::slice_of,
            Form::Str | Form::Concatenated => Self::string,
            Form::Operation => Self::operation,
            Form::Comparison => Self::comparison,
            Form::Conditional => Self::conditional,
            Form::Assignment => Self::assignment,
            Form::Sequence => Self::sequence,
            Form::Dictionary => Self::dictionary,
            Form::Splat | Form::DoubleSplat => Self::spread,
            Form::Pair => Self::lone_pair,
            Form::Comprehension => Self::comprehension,
            Form::Lambda => Self::lambda,
            Form::Await => Self::awaited,
            Form::Yield => Self::yielded,
            Form::If => Self::branch,
            Form::For => Self::for_loop,
            Form::While => Self::while_loop,
            Form::Try => Self::try_statement,
            Form::With => Self::with,
            Form::Match => Self::match_statement,
            Form::Function => Self::plain_function,
            Form::Class => Self::plain_class,
            Form::Decorated => Self::decorated,
            Form::ImportFrom | Form::FutureImport => Self::import_from,
            Form::Return | Form::Break | Form::Continue => Self::jump,
            Form::Raise => Self::raise,
            Form::Print | Form::Exec => Self::old_call,
            Form::Block => Self::block_of,
            Form::UnionPattern => Self::union_pattern,
            Form::AsPattern => Self::as_pattern,
            Form::ClassPattern => Self::class_pattern,
            Form::DictPattern => Self::dict_pattern,
            Form::KeywordPattern => Self::lone_keyword_pattern,
            _ => Self::other,
        };
        lower(self, child)
    }

    /// Lowers what is a single word of the text.
    fn word(&mut self, child: Child<'t>) -> Kind {
        let text = self.text(child.node).to_owned();
        match child.form {
            Form::True => Kind::Literal(Literal::Boolean(true)),
            Form::False => Kind::Literal(Literal::Boolean(false)),
            Form::None => Kind::Literal(Literal::Null),
            Form::Number => Kind::Literal(Literal::Number(text)),
            _ => Kind::Name(text),
        }
    }

    fn other(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::Other(self.each(&children))
    }

    fn sequence(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::List(self.items(&children))
    }

    fn awaited(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::Await(Box::new(self.needed(children.named().next(), child.bytes())))
    }

    fn identifier(&mut self, child: Child<'t>) -> Kind {
        let text = self.text(child.node);
        if RESERVED.contains(&text) {
            self.refuse(child.bytes(), format!("`{text}` is not understood here"));
            return Kind::Other(Vec::new());
        }
        Kind::Name(text.to_owned())
    }

    fn attribute(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let Some(name) = children.field(Field::Attribute).map(|name| self.name(name.node)) else {
            self.taint();
            return Kind::Other(self.each(&children));
        };
        let object = Box::new(self.needed(children.field(Field::Object), child.bytes()));
        Kind::Member { object, name, optional: false }
    }

    fn subscript(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let object = Box::new(self.needed(children.field(Field::Value), child.bytes()));
        let mut indices: Vec<_> = children.fields(Field::Subscript).collect();
        let index = match (indices.pop(), indices.first()) {
            (Some(last), Some(first)) => {
                let bytes = first.bytes().to(last.bytes());
                indices.push(last);
                Box::new(self.node(bytes, |this| {
                    Kind::List(indices.iter().map(|index| this.apart(|this| this.one(*index))).collect())
                }))
            }
            (index, _) => Box::new(self.needed(index, child.bytes())),
        };
        Kind::Subscript { object, index, optional: false }
    }

    /// Lowers `a:b:c`; what is left out is `None`, as in Python.
    fn slice_of(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut operands = Vec::new();
        let mut filled = false;
        let absent = |at: u32| Node::new(Bytes { start: at, end: at }, Kind::Literal(Literal::Null));
        for part in children.iter() {
            if part.form == Form::Colon {
                if !filled {
                    operands.push(absent(part.bytes().start));
                }
                filled = false;
            } else {
                operands.push(self.one(part));
                filled = true;
            }
        }
        if !filled {
            operands.push(absent(child.bytes().end));
        }
        Kind::Operation { operator: ":".to_owned(), operands }
    }

    fn operation(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let operator = children.form(Form::Token).map(|operator| self.text(operator.node)).unwrap_or_default();
        Kind::Operation { operator: operator.to_owned(), operands: self.each(&children) }
    }

    /// Lowers `a < b < c` to one operation; if its operators differ, they stand side by side: `< <=`. That keeps a
    /// long chain flat.
    fn comparison(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut operators: Vec<String> = Vec::new();
        let mut operands: Vec<Node> = Vec::new();
        for part in children.iter() {
            if part.field == Field::Operators {
                operators.push(self.text(part.node).split_whitespace().collect::<Vec<_>>().join(" "));
            } else {
                operands.push(self.one(part));
            }
        }
        if operators.iter().all(|operator| operators.first() == Some(operator)) {
            operators.truncate(1);
        }
        Kind::Operation { operator: operators.join(" "), operands }
    }

    /// Lowers the number behind a minus, which patterns have no operation for.
    fn negative(&mut self, number: Child<'t>) -> Kind {
        Kind::Operation { operator: "-".to_owned(), operands: vec![self.one(number)] }
    }

    fn conditional(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut parts = children.named();
        let then = Box::new(self.needed(parts.next(), child.bytes()));
        let test = Box::new(self.needed(parts.next(), child.bytes()));
        let otherwise = Box::new(self.needed(parts.next(), child.bytes()));
        Kind::Conditional { test, then, otherwise }
    }

    /// Lowers `x = …`, `x += …`, `x := …`; with a type it is a declaration.
    fn assignment(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let left = children.field(Field::Left).or_else(|| children.field(Field::Name));
        let right = children.field(Field::Right).or_else(|| children.field(Field::Value));
        if let Some(type_text) = children.field(Field::Type) {
            let type_text = Some(self.text(type_text.node).to_owned());
            let pattern = match left {
                Some(left) => self.binding(left),
                None => Pattern::Wildcard(child.bytes()),
            };
            let value = right.map(|right| self.boxed(right));
            return Kind::Binding { pattern, type_text, value, constant: false };
        }
        let target = Box::new(self.needed(left, child.bytes()));
        let operator = children.form(Form::Token).map_or("=", |operator| self.text(operator.node)).to_owned();
        let value = Box::new(self.needed(right, child.bytes()));
        Kind::Assignment { target, operator, value }
    }

    fn comprehension(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let mut all = Vec::new();
        for part in children.named().filter(|part| !is_silent(part)) {
            match part.form {
                Form::ForClause | Form::IfClause => {
                    let inside = self.children(part.node);
                    let awaited = inside.has(Form::Async);
                    for one in inside.named().filter(|one| !is_silent(one)) {
                        let node = self.one(one);
                        all.push(if awaited && one.field == Field::Right { awaiting(node) } else { node });
                    }
                }
                _ => all.push(self.one(part)),
            }
        }
        Kind::Other(all)
    }

    fn yielded(&mut self, child: Child<'t>) -> Kind {
        self.state.note_yield();
        let children = self.children(child.node);
        let value = children.named().next().map(|value| self.boxed(value));
        let value = match value {
            Some(value) if children.has(Form::From) => {
                Some(Box::new(Node { bytes: value.bytes, tainted: value.tainted, kind: Kind::Spread(value) }))
            }
            value => value,
        };
        Kind::Jump { kind: JumpKind::Yield, value }
    }
}

/// Returns the await that `async for` does unseen.
fn awaiting(node: Node) -> Node {
    Node { bytes: node.bytes, tainted: node.tainted, kind: Kind::Await(Box::new(node)) }
}

/// Says whether a child of a list adds nothing to it; an error of mere punctuation has tainted the list already.
fn is_silent(child: &Child<'_>) -> bool {
    child.form == Form::Skipped || (child.is_error() && child.node.named_child_count() == 0)
}
