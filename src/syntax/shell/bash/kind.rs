//! The grammar's node kinds, each id looked up once.

use std::sync::LazyLock;

use tree_sitter::{Language, Node};

/// What the lowering does with a node; kinds that it treats alike share a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Statements joined by operators that stand among them as tokens.
    Joined,
    Redirected,
    Command,
    CommandName,
    Declaration,
    Test,
    Negated,
    Assignment,
    Assignments,
    Compound,
    Subshell,
    If,
    Elif,
    Else,
    While,
    For,
    DoGroup,
    Case,
    CaseItem,
    Function,
    FileRedirect,
    Heredoc,
    HeredocBody,
    HeredocStart,
    HereString,
    Concatenation,
    Text,
    String,
    StringContent,
    RawString,
    AnsiString,
    TranslatedString,
    Expansion,
    SimpleExpansion,
    Substitution,
    Arithmetic,
    Array,
    /// An operation inside `[[ … ]]`.
    Expression,
    Descriptor,
    Comment,
    Error,
    /// A keyword, operator or bracket.
    Token(Token),
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    And,
    Or,
    Pipe,
    Background,
    Semicolon,
    Then,
    In,
    CloseParenthesis,
    DoubleQuote,
    DoubleParenthesis,
    Until,
    Dollar,
    Other,
}

pub(super) static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_bash::LANGUAGE.into());

static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    (0..LANGUAGE.node_kind_count())
        .map(|id| {
            let id = u16::try_from(id).unwrap_or(u16::MAX);
            let name = LANGUAGE.node_kind_for_id(id).unwrap_or("");
            if LANGUAGE.node_kind_is_named(id) { named(name) } else { Kind::Token(token(name)) }
        })
        .collect()
});

/// Returns the kind of `node`.
pub(super) fn of(node: Node<'_>) -> Kind {
    if node.is_error() {
        return Kind::Error;
    }
    KINDS.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Unknown)
}

impl Kind {
    /// Says whether the node becomes an item or several of a list.
    pub(super) fn is_statement(self) -> bool {
        matches!(
            self,
            Self::Joined
                | Self::Redirected
                | Self::Command
                | Self::Declaration
                | Self::Test
                | Self::Negated
                | Self::Assignment
                | Self::Assignments
                | Self::Compound
                | Self::Subshell
                | Self::If
                | Self::While
                | Self::For
                | Self::Case
                | Self::Function
        )
    }

    pub(super) fn is_word(self) -> bool {
        matches!(
            self,
            Self::Concatenation
                | Self::Text
                | Self::String
                | Self::RawString
                | Self::AnsiString
                | Self::TranslatedString
                | Self::Expansion
                | Self::SimpleExpansion
                | Self::Substitution
                | Self::Arithmetic
                | Self::Array
        )
    }
}

fn named(name: &str) -> Kind {
    match name {
        "list" | "pipeline" => Kind::Joined,
        "redirected_statement" => Kind::Redirected,
        "command" => Kind::Command,
        "command_name" => Kind::CommandName,
        "declaration_command" | "unset_command" => Kind::Declaration,
        "test_command" => Kind::Test,
        "negated_command" => Kind::Negated,
        "variable_assignment" => Kind::Assignment,
        "variable_assignments" => Kind::Assignments,
        "compound_statement" => Kind::Compound,
        "subshell" => Kind::Subshell,
        "if_statement" => Kind::If,
        "elif_clause" => Kind::Elif,
        "else_clause" => Kind::Else,
        "while_statement" => Kind::While,
        "for_statement" | "c_style_for_statement" => Kind::For,
        "do_group" => Kind::DoGroup,
        "case_statement" => Kind::Case,
        "case_item" => Kind::CaseItem,
        "function_definition" => Kind::Function,
        "file_redirect" => Kind::FileRedirect,
        "heredoc_redirect" => Kind::Heredoc,
        "heredoc_body" => Kind::HeredocBody,
        "heredoc_start" => Kind::HeredocStart,
        "herestring_redirect" => Kind::HereString,
        "concatenation" => Kind::Concatenation,
        "word"
        | "number"
        | "variable_name"
        | "special_variable_name"
        | "regex"
        | "extglob_pattern"
        | "test_operator"
        | "brace_expression"
        | "subscript"
        | "heredoc_content" => Kind::Text,
        "string" => Kind::String,
        "string_content" => Kind::StringContent,
        "raw_string" => Kind::RawString,
        "ansi_c_string" => Kind::AnsiString,
        "translated_string" => Kind::TranslatedString,
        "expansion" => Kind::Expansion,
        "simple_expansion" => Kind::SimpleExpansion,
        "command_substitution" | "process_substitution" => Kind::Substitution,
        "arithmetic_expansion" => Kind::Arithmetic,
        "array" => Kind::Array,
        "unary_expression"
        | "binary_expression"
        | "ternary_expression"
        | "postfix_expression"
        | "parenthesized_expression" => Kind::Expression,
        "file_descriptor" => Kind::Descriptor,
        "comment" => Kind::Comment,
        _ => Kind::Unknown,
    }
}

fn token(name: &str) -> Token {
    match name {
        "&&" => Token::And,
        "||" => Token::Or,
        "|" | "|&" => Token::Pipe,
        "&" => Token::Background,
        ";" | ";;" | "\n" => Token::Semicolon,
        "then" => Token::Then,
        "in" => Token::In,
        ")" => Token::CloseParenthesis,
        "\"" => Token::DoubleQuote,
        "((" => Token::DoubleParenthesis,
        "until" => Token::Until,
        "$" => Token::Dollar,
        _ => Token::Other,
    }
}
