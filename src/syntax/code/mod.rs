//! The code view: one small tree for Ruby, JavaScript, TypeScript, Rust, Python and C#.
//!
//! Parentheses, casts (`as`, `satisfies`, `!`) and borrow marks are dropped; what has no place here becomes
//! [`Kind::Other`] with its children. A node that holds a syntax error directly is `tainted`: what is written in it
//! can be trusted, what is missing from it cannot.

mod children;
mod csharp;
mod ecmascript;
mod lowering;
mod print;
mod python;
mod ruby;
mod rust;

use super::Parsed;
use crate::source::Bytes;

pub use print::print;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    JavaScript,
    TypeScript,
    Tsx,
    Ruby,
    Rust,
    Python,
    CSharp,
}

/// The view of one file: its statements in order.
pub type Program = Vec<Node>;

/// Lowers `text` into the code view. Never fails: see [`Parsed::troubles`].
pub fn parse(language: Language, text: &str) -> Parsed<Program> {
    match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => ecmascript::parse(language, text),
        Language::Ruby => ruby::parse(text),
        Language::Rust => rust::parse(text),
        Language::Python => python::parse(text),
        Language::CSharp => csharp::parse(text),
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub bytes: Bytes,
    /// A syntax error stands in this node and in no smaller statement, entry or argument of it.
    pub tainted: bool,
    pub kind: Kind,
}

/// A name with the bytes where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub bytes: Bytes,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Import(Import),
    Export(Export),
    Call(Box<Call>),
    /// A binary or unary operation; `operator` as written (`&&`, `or`, `not`, `..`).
    Operation {
        operator: String,
        operands: Vec<Node>,
    },
    /// `a ? b : c`, Python's `b if a else c`, Rust's `if` as a value stays a [`Kind::Branch`].
    Conditional {
        test: Box<Node>,
        then: Box<Node>,
        otherwise: Box<Node>,
    },
    Subscript {
        object: Box<Node>,
        index: Box<Node>,
        optional: bool,
    },
    /// Object, hash, dict, struct expression (then `type_name` is its path).
    Object {
        type_name: Option<Name>,
        entries: Vec<Entry>,
    },
    /// Array, list, tuple, set.
    List(Vec<Node>),
    /// `...x`, `*x`, `**x`, Rust's `..x` where it stands in a list, object or argument list.
    Spread(Box<Node>),
    Literal(Literal),
    /// A variable or constant; Rust and Ruby paths (`a::b`, `A::B`) are [`Kind::Member`].
    Name(String),
    Member {
        object: Box<Node>,
        name: Name,
        optional: bool,
    },
    /// `self`, `this`, `super` as a value.
    Receiver(Receiver),
    Function(Box<Function>),
    Type(Box<TypeDefinition>),
    /// A declaration: `const x = …`, `let Some(x) = …`, Ruby's and Python's first and later plain assignments are
    /// [`Kind::Assignment`].
    Binding {
        pattern: Pattern,
        type_text: Option<String>,
        value: Option<Box<Node>>,
        constant: bool,
    },
    /// `x = …`, `x.y += …`; `operator` is `=`, `+=`, `||=` …
    Assignment {
        target: Box<Node>,
        operator: String,
        value: Box<Node>,
    },
    Block(Vec<Node>),
    Loop {
        kind: LoopKind,
        test: Option<Box<Node>>,
        pattern: Option<Pattern>,
        body: Vec<Node>,
    },
    /// `if`/`elsif`/`else`, `unless` (test wrapped in a `not` operation), `case`, `switch`, `match`.
    Branch {
        subject: Option<Box<Node>>,
        arms: Vec<Arm>,
    },
    Try {
        body: Vec<Node>,
        handlers: Vec<Handler>,
        otherwise: Vec<Node>,
        finally: Vec<Node>,
    },
    /// `lock`, `using`, `with`: a resource held for the time of the body.
    Region {
        kind: String,
        resource: Box<Node>,
        name: Option<Pattern>,
        body: Vec<Node>,
    },
    Await(Box<Node>),
    Jump {
        kind: JumpKind,
        value: Option<Box<Node>>,
    },
    /// Anything else; the children are there to be visited.
    Other(Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    This,
    Super,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// `'../config/db'`, `sequelize`, `a.b` (Python), `crate::a` (Rust); `None` if it is not a literal.
    pub module: Option<Name>,
    pub names: Vec<ImportedName>,
    /// Python's leading dots; 1 for Ruby's `require_relative`, which starts at the file's own directory as one dot does;
    /// 0 elsewhere.
    pub level: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedName {
    pub what: Imported,
    /// The name in this file.
    pub local: Name,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// `import x from`, and `const x = require(…)` where the module's whole export is meant.
    Default,
    /// `import * as x`, Python's `import a.b as x`, Rust's `use a::b` of a module.
    Namespace,
    /// `import { original as local }`.
    Named(String),
    /// `from x import *`, `use x::*`; the local name is `*`.
    Everything,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    pub what: Exported,
    /// `export … from 'module'`.
    pub from: Option<Name>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Exported {
    /// `export default value`, `module.exports = value`.
    Default(Box<Node>),
    /// `export const x = …`, `export function f …`, `export class C …`: the declaration itself.
    Declaration(Box<Node>),
    /// `exports.x = value`, `module.exports.x = value`.
    Value { name: Name, value: Box<Node> },
    /// `export { local as name }`; with `from` the local name is the other module's.
    Names(Vec<ExportedName>),
    /// `export * from 'x'`, with the name of `export * as name from 'x'`.
    Everything { name: Option<Name> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedName {
    pub local: String,
    pub name: Name,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What the call is made on: `a.b` in `a.b.c()`; `None` for `c()`.
    pub receiver: Option<Node>,
    pub name: Name,
    pub arguments: Vec<Argument>,
    /// Ruby's `do … end` and `{ … }`.
    pub block: Option<Box<Function>>,
    pub kind: CallKind,
    /// `a?.b()`, Ruby's `a&.b`.
    pub optional: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    Plain,
    /// JavaScript's `new X(…)`, Ruby's `X.new` stays plain with the name `new`.
    New,
    /// A Rust macro; the name ends in `!`.
    Macro,
    /// The call of a value that has no name, such as `(await f())()`: then `name` is empty and the value is the
    /// receiver.
    Value,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Python's and Ruby's keyword; `None` for a positional one.
    pub name: Option<Name>,
    pub value: Node,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: Key,
    /// [`Kind::Spread`] with the key [`Key::None`] is a spread; `{ x }` has the value `Name("x")`.
    pub value: Node,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// `a:`, `'a':`, `:a =>`, `"a" =>`.
    Static(Name),
    Computed(Box<Node>),
    None,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A string, in parts; a plain one has one text part or none.
    Text(Vec<TextPart>),
    /// As written, without digit separators and suffixes removed by nobody: `1_000`, `0x10`, `5u64`.
    Number(String),
    /// Ruby's `:name`.
    Symbol(String),
    Regex {
        pattern: Vec<TextPart>,
        flags: String,
    },
    Boolean(bool),
    /// `null`, `nil`, `None`.
    Null,
    /// JavaScript's `undefined`.
    Undefined,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TextPart {
    /// Escapes decoded where they are simple, else as written.
    Text {
        text: String,
        bytes: Bytes,
    },
    Code(Node),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// `None` for closures, arrows, blocks. Setters and operators have the language's own spelling (`name=`).
    pub name: Option<Name>,
    pub parameters: Vec<Parameter>,
    pub decorators: Vec<Node>,
    pub flavour: Flavour,
    /// An arrow, closure or lambda with an expression has that expression as its only statement.
    pub body: Vec<Node>,
    /// JavaScript's `function` as against an arrow: only the first has a `prototype`.
    pub form: FunctionForm,
    pub return_type: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    Plain,
    Async,
    Generator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionForm {
    /// `function f() {}`, `def f`, `fn f`.
    Declared,
    /// A method of an object or a type.
    Method,
    /// `() => …`, `|x| …`, `lambda`, `->`; the body is an expression or a block.
    Arrow,
    /// Ruby's block of a call.
    Block,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub pattern: Pattern,
    pub type_text: Option<String>,
    pub default: Option<Node>,
    /// `*args`, `**options`, `...rest`, `&block`.
    pub rest: bool,
    /// Ruby's and Python's keyword-only ones.
    pub keyword: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    Name(Name),
    /// `_`.
    Wildcard(Bytes),
    /// `{ a, b: c = 1, ...rest }`: the key, the pattern bound to it, its default.
    Object(Vec<PatternEntry>),
    List(Vec<Pattern>),
    /// `*rest`, `...rest`.
    Rest(Box<Pattern>),
    /// `Some(x)`, `Point { x }`: the names that it binds.
    Refutable {
        text: String,
        names: Vec<Name>,
    },
    /// A member or subscript as a loop variable or target.
    Place(Box<Node>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct PatternEntry {
    /// `None` for the rest.
    pub key: Option<Name>,
    pub pattern: Pattern,
    pub default: Option<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TypeDefinition {
    pub kind: TypeKind,
    pub name: Option<Name>,
    /// Superclasses, Python's bases, Rust's trait of an `impl`.
    pub bases: Vec<Node>,
    /// Text of the type arguments of the bases, `Model<A, B>` gives `A, B`.
    pub type_arguments: Option<String>,
    pub fields: Vec<Field>,
    pub decorators: Vec<Node>,
    /// Methods, calls and nested types, in order.
    pub body: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind {
    Class,
    Module,
    Struct,
    Enum,
    Trait,
    /// Rust's `impl`, Ruby's `class << self`.
    Implementation,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: Name,
    pub type_text: Option<String>,
    pub value: Option<Node>,
    pub decorators: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// `while`, `until` (test wrapped in a `not` operation).
    While,
    For,
    /// `loop`, `while true` stays [`LoopKind::While`].
    Endless,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// `None` for `else` and `default`. A `case` arm has its pattern expressions as a list if there are several.
    pub test: Option<Node>,
    pub body: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// The classes named; empty means the language's default.
    pub classes: Vec<Node>,
    pub name: Option<Name>,
    pub body: Vec<Node>,
    pub bytes: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JumpKind {
    Return,
    Break,
    /// `continue`, Ruby's `next`.
    Next,
    /// `throw`, `raise`; Ruby's `raise` stays a call and is lowered to this only if it has no receiver.
    Raise,
    /// Ruby's `retry`.
    Retry,
    /// Rust's `?`: the value is the operand.
    Try,
    /// `yield`.
    Yield,
}

impl Node {
    /// Returns a node that is not tainted.
    pub fn new(bytes: Bytes, kind: Kind) -> Self {
        Self { bytes, tainted: false, kind }
    }

    /// Returns the text of a string literal without interpolation, or the name of a symbol.
    pub fn as_text(&self) -> Option<String> {
        match &self.kind {
            Kind::Literal(Literal::Symbol(name)) => Some(name.clone()),
            Kind::Literal(Literal::Text(parts)) => {
                let mut whole = String::new();
                for part in parts {
                    let TextPart::Text { text, .. } = part else { return None };
                    whole.push_str(text);
                }
                Some(whole)
            }
            _ => None,
        }
    }

    /// Says whether a syntax error stands anywhere in this node.
    pub fn holds_error(&self) -> bool {
        let mut found = self.tainted;
        self.children(&mut |child| found = found || child.holds_error());
        found
    }
}
