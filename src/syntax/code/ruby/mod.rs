//! Ruby into the code view.
//!
//! A bare word that was not assigned before in its scope is a call; `redo` is lowered to a `next`, for both leave the
//! rest of the body undone; `loop`, `proc` and `catch` stay calls with a block.

mod argument;
mod control;
mod definition;
mod grammar;
mod pattern;
mod scan;
mod scope;
#[cfg(test)]
mod tests;
mod text;

use std::sync::OnceLock;

use self::grammar::{Field, Form, Ruby};
use self::scope::ScopeKind;
use super::lowering::{self, Table};
use super::{Call, CallKind, JumpKind, Kind, Language, Literal, Name, Node, Parsed, Program, Receiver};
use crate::source::Bytes;
use crate::syntax::TroubleKind;

type Lowering<'t> = lowering::Lowering<'t, Ruby>;
type Child<'t> = lowering::Child<'t, Ruby>;
type Children<'t> = lowering::Children<'t, Ruby>;

static TABLE: OnceLock<Table<Ruby>> = OnceLock::new();

/// Words that the grammar takes for a name where they do not fit, such as an `end` too many.
const RESERVED: [&str; 37] = [
    "BEGIN", "END", "alias", "and", "begin", "break", "case", "class", "def", "defined?", "do", "else", "elsif", "end",
    "ensure", "false", "for", "if", "in", "module", "next", "nil", "not", "or", "redo", "rescue", "retry", "return",
    "self", "super", "then", "true", "undef", "unless", "until", "when", "while",
];

pub(super) fn parse(text: &str) -> Parsed<Program> {
    if let Some(at) = scan::crowded(text) {
        let message = "more conditionals written close than Ruby has".to_owned();
        return lowering::empty(at, TroubleKind::Limit, message);
    }
    if let Some(at) = scan::endless_mark(text) {
        let message = "the mark of this here-document does not end".to_owned();
        return lowering::empty(at, TroubleKind::Limit, message);
    }
    let table = TABLE.get_or_init(|| Table::new(tree_sitter_ruby::LANGUAGE.into()));
    lowering::parse(Language::Ruby, table, text, |lowering, root| {
        lowering.find_heredocs(root);
        if root.is_error() { vec![lowering.broken(root)] } else { lowering.statements(root) }
    })
}

impl<'t> Lowering<'t> {
    /// Lowers a list of statements that has no `rescue` or `ensure` of its own.
    fn statements(&mut self, list: tree_sitter::Node<'t>) -> Vec<Node> {
        let children = self.parts(list);
        let mut all = Vec::new();
        for child in children.named().filter(|child| !is_nothing(child)) {
            let statement = self.apart(|this| this.one(child));
            self.add(statement, &mut all);
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
        if child.form == Form::Parentheses {
            return self.parenthesized(child);
        }
        self.node(child.bytes(), |this| this.kind(child))
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
        children.named().filter(|child| !is_nothing(child)).map(|child| self.one(child)).collect()
    }

    fn parenthesized(&mut self, child: Child<'t>) -> Node {
        let children = self.parts(child.node);
        let mut inside = children.named().filter(|child| !is_nothing(child));
        match (inside.next(), inside.next()) {
            (Some(only), None) => self.one(only),
            _ => self.node(child.bytes(), |this| Kind::Block(this.statements(child.node))),
        }
    }

    /// Chooses first and calls then: a call in each arm would cost room on the stack for each, and this function
    /// stands between any two levels of the tree.
    fn kind(&mut self, child: Child<'t>) -> Kind {
        let lower: fn(&mut Self, Child<'t>) -> Kind = match child.form {
            Form::Identifier => Self::identifier,
            Form::Constant
            | Form::Variable
            | Form::SelfValue
            | Form::Super
            | Form::Nil
            | Form::True
            | Form::False
            | Form::Number => Self::word,
            Form::Call => Self::call,
            Form::ScopeResolution => Self::scope_resolution,
            Form::ElementReference => Self::element_reference,
            Form::Assignment | Form::OperatorAssignment => Self::assignment,
            Form::Binary | Form::Unary => Self::operation,
            Form::Range => Self::range,
            Form::Conditional => Self::conditional,
            Form::Str | Form::ChainedString | Form::Character | Form::HeredocBeginning => Self::string,
            Form::SimpleSymbol | Form::DelimitedSymbol | Form::HashKey => Self::symbol,
            Form::Subshell => Self::subshell,
            Form::Regex => Self::regex,
            Form::StringArray | Form::SymbolArray => Self::word_list,
            Form::Array | Form::RightList => Self::list,
            Form::Hash => Self::hash,
            Form::Pair => Self::lone_pair,
            Form::Splat | Form::HashSplatArgument | Form::ForwardArgument => Self::spread,
            Form::BlockArgument => Self::block_argument,
            Form::If | Form::Unless | Form::Elsif => Self::branch,
            Form::IfModifier | Form::UnlessModifier => Self::branch_modifier,
            Form::Case | Form::CaseMatch => Self::case,
            Form::While | Form::Until => Self::while_loop,
            Form::WhileModifier | Form::UntilModifier => Self::while_modifier,
            Form::For => Self::for_loop,
            Form::Begin | Form::Body => Self::block_of,
            Form::RescueModifier => Self::rescue_modifier,
            Form::Method | Form::SingletonMethod => Self::method,
            Form::Class | Form::Module | Form::SingletonClass => Self::type_definition,
            Form::Lambda => Self::lambda,
            Form::Return | Form::Break | Form::Next | Form::Redo | Form::Retry | Form::Yield => Self::jump,
            Form::MatchPattern | Form::TestPattern => Self::pattern_match,
            Form::Destructured | Form::Rest => Self::target_list,
            Form::Alias | Form::Undef => Self::method_names,
            _ => Self::other,
        };
        lower(self, child)
    }

    /// Lowers what is a single word of the text.
    fn word(&mut self, child: Child<'t>) -> Kind {
        match child.form {
            Form::SelfValue => Kind::Receiver(Receiver::This),
            Form::Super => Kind::Receiver(Receiver::Super),
            Form::Nil => Kind::Literal(Literal::Null),
            Form::True => Kind::Literal(Literal::Boolean(true)),
            Form::False => Kind::Literal(Literal::Boolean(false)),
            Form::Number => Kind::Literal(Literal::Number(self.text(child.node).to_owned())),
            _ => Kind::Name(self.text(child.node).to_owned()),
        }
    }

    fn other(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::Other(self.each(&children))
    }

    /// Lowers a bare word: a variable if it was assigned before, else a call.
    fn identifier(&mut self, child: Child<'t>) -> Kind {
        let name = self.name(child.node);
        match name.text.as_str() {
            "__FILE__" | "__LINE__" | "__ENCODING__" => Kind::Name(name.text),
            text if self.state.knows(text) => Kind::Name(name.text),
            text if RESERVED.contains(&text) => {
                self.refuse(child.bytes(), format!("`{text}` is not understood here"));
                Kind::Other(Vec::new())
            }
            "raise" | "fail" => Kind::Jump { kind: JumpKind::Raise, value: None },
            _ => bare_call(name),
        }
    }

    fn scope_resolution(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let Some(name) = children.field(Field::Name).map(|name| self.name(name.node)) else {
            return Kind::Other(self.each(&children));
        };
        match children.field(Field::Scope) {
            Some(scope) => Kind::Member { object: self.boxed(scope), name, optional: false },
            None => Kind::Name(name.text),
        }
    }

    fn assignment(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let target = match children.field(Field::Left) {
            Some(left) => Box::new(self.target(left)),
            None => Box::new(self.needed(None, child.bytes())),
        };
        let operator = children.field(Field::Operator).map_or("=", |operator| self.text(operator.node)).to_owned();
        let value = match children.field(Field::Right) {
            Some(splat) if splat.form == Form::Splat => {
                Box::new(self.node(splat.bytes(), |this| Kind::List(vec![this.one(splat)])))
            }
            right => Box::new(self.needed(right, child.bytes())),
        };
        Kind::Assignment { target, operator, value }
    }

    fn operation(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let operator = children.field(Field::Operator).map(|operator| self.text(operator.node)).unwrap_or_default();
        let operands = self.each(&children);
        if operator == "=~"
            && let Some(Kind::Literal(Literal::Regex { pattern, .. })) = operands.first().map(|first| &first.kind)
        {
            for name in pattern::named_captures(pattern) {
                self.state.declare(&name);
            }
        }
        Kind::Operation { operator: operator.to_owned(), operands }
    }

    /// Lowers a range; an end that is left open is nil, as in Ruby.
    fn range(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let operator = children.field(Field::Operator).map_or("..", |operator| self.text(operator.node));
        let Bytes { start, end } = child.bytes();
        let mut operands = Vec::new();
        for (field, place) in [(Field::Begin, start), (Field::End, end)] {
            operands.push(match children.field(field) {
                Some(side) => self.one(side),
                None => Node::new(Bytes { start: place, end: place }, Kind::Literal(Literal::Null)),
            });
        }
        Kind::Operation { operator: operator.to_owned(), operands }
    }

    fn conditional(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let place = child.bytes();
        let test = Box::new(self.needed(children.field(Field::Condition), place));
        let then = Box::new(self.needed(children.field(Field::Consequence), place));
        let otherwise = Box::new(self.needed(children.field(Field::Alternative), place));
        Kind::Conditional { test, then, otherwise }
    }

    /// Lowers `alias` and `undef`.
    fn method_names(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let symbol = |this: &mut Self, name: Child<'t>| {
            let text = this.text(name.node).trim_start_matches(':').to_owned();
            Node::new(name.bytes(), Kind::Literal(Literal::Symbol(text)))
        };
        Kind::Other(children.named().map(|name| symbol(self, name)).collect())
    }

    fn scoped<T>(&mut self, kind: ScopeKind, lower: impl FnOnce(&mut Self) -> T) -> T {
        self.state.enter(kind);
        let lowered = lower(self);
        self.state.leave();
        lowered
    }
}

fn bare_call(name: Name) -> Kind {
    Kind::Call(Box::new(Call {
        receiver: None,
        name,
        arguments: Vec::new(),
        block: None,
        kind: CallKind::Plain,
        optional: false,
    }))
}

/// Says whether a child has no meaning where it stands: a lone `;`, the body of a heredoc (it belongs to its
/// beginning), the text after `__END__`.
fn is_nothing(child: &Child<'_>) -> bool {
    matches!(child.form, Form::Nothing | Form::HeredocBody)
}
