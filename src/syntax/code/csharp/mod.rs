//! C# into the code view.
//!
//! A namespace is a module, a property with a body is a method of its name (a setter has `=` at its end), `#if` keeps the
//! statements of all its ways. Type arguments of calls are dropped, those of types stand in the texts of types.

mod definition;
mod expression;
mod grammar;
mod scan;
mod statement;
#[cfg(test)]
mod tests;
mod text;

use std::sync::OnceLock;

use self::grammar::{CSharp, Field, Form};
use super::lowering::{self, Table};
use super::{Kind, Language, Node, Parsed, Program};
use crate::source::Bytes;
use crate::syntax::TroubleKind;

type Lowering<'t> = lowering::Lowering<'t, CSharp>;
type Child<'t> = lowering::Child<'t, CSharp>;
type Children<'t> = lowering::Children<'t, CSharp>;

static TABLE: OnceLock<Table<CSharp>> = OnceLock::new();

pub(super) fn parse(text: &str) -> Parsed<Program> {
    if let Some(at) = scan::unclosed(text) {
        return lowering::empty(at, TroubleKind::Limit, "too many lists of types are open".to_owned());
    }
    if let Some(at) = scan::endless(text) {
        return lowering::empty(at, TroubleKind::Limit, "a statement is too long".to_owned());
    }
    let table = TABLE.get_or_init(|| Table::new(tree_sitter_c_sharp::LANGUAGE.into()));
    lowering::parse(Language::CSharp, table, text, |lowering, root| {
        if root.is_error() { vec![lowering.broken(root)] } else { lowering.statements(root) }
    })
}

impl<'t> Lowering<'t> {
    /// Lowers what an error encloses; the statements in it stand.
    fn broken(&mut self, error: tree_sitter::Node<'t>) -> Node {
        let bytes = Bytes::new(error.start_byte(), error.end_byte());
        self.node(bytes, |this| {
            let inside = this.statements(error);
            this.taint();
            Kind::Other(inside)
        })
    }

    /// Lowers an expression, a statement or an error.
    fn one(&mut self, child: Child<'t>) -> Node {
        if child.is_error() {
            return self.broken(child.node);
        }
        match child.form {
            Form::ExpressionStatement | Form::Wrapper | Form::Cast | Form::As | Form::Arrow => self.wrapped(child),
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

    /// Lowers what only wraps something: the wrapping is dropped, an error in it is not.
    fn wrapped(&mut self, child: Child<'t>) -> Node {
        let children = self.children(child.node);
        let is_type =
            |part: &Child<'t>| part.field == Field::Type || child.form == Form::As && part.field == Field::Right;
        let inside: Vec<_> = children.named().filter(|part| !is_silent(part) && !is_type(part)).collect();
        match inside.as_slice() {
            [only] => self.one(*only),
            _ => self.node(child.bytes(), |this| Kind::Other(this.each(&children))),
        }
    }

    /// Chooses first and calls then: a call in each arm would cost room on the stack for each, and this function
    /// stands between any two levels of the tree.
    fn kind(&mut self, child: Child<'t>) -> Kind {
        let lower: fn(&mut Self, Child<'t>) -> Kind = match child.form {
            Form::Identifier | Form::This | Form::Base | Form::Number | Form::Boolean | Form::Null | Form::Discard => {
                Self::word
            }
            Form::Generic => Self::generic,
            Form::Qualified | Form::AliasQualified => Self::qualified,
            Form::Member => Self::member,
            Form::ConditionalAccess => Self::conditional_access,
            Form::ElementAccess => Self::subscript,
            Form::Call => Self::call,
            Form::Creation => Self::creation,
            Form::ImplicitCreation => Self::implicit_creation,
            Form::AnonymousObject => Self::anonymous_object,
            Form::Initializer => Self::initializer,
            Form::ArrayCreation | Form::Collection => Self::array,
            Form::Tuple => Self::tuple,
            Form::Spread => Self::spread,
            Form::Assignment => Self::assignment,
            Form::Operation | Form::Is => Self::operation,
            Form::Postfix => Self::postfix,
            Form::Conditional => Self::conditional,
            Form::Await => Self::awaited,
            Form::Lambda | Form::AnonymousMethod => Self::lambda,
            Form::DeclarationExpression | Form::DeclarationPattern => Self::declaration_expression,
            Form::SwitchExpression => Self::switch_expression,
            Form::Str | Form::Verbatim | Form::Raw | Form::Interpolated | Form::Character => Self::string,
            Form::Block => Self::block_of,
            Form::If => Self::branch,
            Form::While | Form::Do => Self::while_loop,
            Form::For => Self::for_loop,
            Form::Foreach => Self::foreach_loop,
            Form::Switch => Self::switch,
            Form::Try => Self::try_statement,
            Form::Using | Form::Lock | Form::Fixed => Self::region,
            Form::Return | Form::Break | Form::Continue | Form::Throw | Form::Yield => Self::jump,
            Form::Directive => Self::directive,
            Form::UsingDirective => Self::import,
            Form::Namespace | Form::Class | Form::Struct | Form::Interface | Form::Enum => Self::type_definition,
            Form::Method
            | Form::LocalFunction
            | Form::Constructor
            | Form::Destructor
            | Form::Operator
            | Form::Conversion => Self::function,
            _ => Self::other,
        };
        lower(self, child)
    }

    fn other(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        Kind::Other(self.each(&children))
    }
}

/// Says whether a child adds nothing to the list that it stands in; an error of mere punctuation has tainted the list
/// already.
fn is_silent(child: &Child<'_>) -> bool {
    child.form == Form::Skipped || child.is_error() && child.node.named_child_count() == 0
}
