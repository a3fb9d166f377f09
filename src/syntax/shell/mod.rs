//! The shell view: command lists of Bash and POSIX shell, from a script or from a string inside another file.

mod bash;
mod print;

use super::{Fragment, Parsed};
use crate::source::Bytes;

pub use print::print;

/// Lowers a shell text; every span is a span of the file that the fragment comes from. Never fails: what was not
/// understood is a tainted item.
pub fn parse(text: &Fragment) -> Parsed<List> {
    bash::parse(text)
}

/// Commands in order.
pub type List = Vec<Item>;

#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// How this item hangs on the one before it.
    pub joined: Joined,
    pub node: Node,
    pub bytes: Bytes,
    /// A syntax error stands in this item.
    pub tainted: bool,
    /// Those of a compound command (`{ …; } >log`, `while …; done <list`); a simple command has its own.
    pub redirections: Vec<Redirection>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    First,
    /// `;` or a new line.
    Then,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `|`, `|&`.
    Pipe,
    /// The one before was sent to the background with `&`.
    AfterBackground,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Command(Command),
    /// `! command`.
    Not(Box<Item>),
    /// `{ …; }`, and `( … )` with its own directory and variables.
    Group {
        list: List,
        subshell: bool,
    },
    If {
        arms: Vec<IfArm>,
        otherwise: Option<List>,
    },
    Loop {
        kind: LoopKind,
        /// What a `for` goes through.
        over: Option<Box<Over>>,
        list: List,
        body: List,
    },
    /// `(( … ))`, without the parentheses.
    Arithmetic(String),
    Case {
        subject: Word,
        arms: Vec<List>,
    },
    Function {
        name: String,
        body: List,
    },
    /// Nothing else is said of it; the commands inside are not run in a known order.
    Other,
}

/// `for name in words`.
#[derive(Clone, Debug, PartialEq)]
pub struct Over {
    pub name: String,
    pub words: Vec<Word>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct IfArm {
    pub test: List,
    pub body: List,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    While,
    Until,
    /// `for x in …`: the condition list is empty.
    For,
}

/// A simple command: `A=1 exec bin/dev --x >log`. `[ … ]` and `[[ … ]]` are commands named `[` and `[[`, their
/// closing bracket dropped; `export A=1`, `declare`, `local`, `readonly` are commands whose assignments are words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Command {
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    pub name: String,
    pub name_bytes: Bytes,
    /// `=` or `+=`.
    pub append: bool,
    pub value: Word,
    pub bytes: Bytes,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    pub parts: Vec<Part>,
    pub bytes: Bytes,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Quotes and backslashes removed. A quoted text is no glob and no tilde.
    Text { text: String, quoted: bool },
    /// `$X`, `${X}`, `${X:-d}` (operator `:-`, argument `d`).
    Variable { name: String, operator: Option<String>, argument: Option<Box<Word>>, quoted: bool },
    /// `$( … )`, backquotes, `<( … )`.
    Substitution { list: List, quoted: bool },
    /// `$(( … ))`, without the parentheses.
    Arithmetic(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Redirection {
    /// `>`, `>>`, `<`, `<<`, `2>&1` has the operator `>&`.
    pub operator: String,
    pub target: Option<Word>,
    pub bytes: Bytes,
}

impl Word {
    /// Returns the word's text if it is known: no variable, no substitution. A tilde or glob stays as written.
    pub fn as_text(&self) -> Option<String> {
        let mut whole = String::new();
        for part in &self.parts {
            let Part::Text { text, .. } = part else { return None };
            whole.push_str(text);
        }
        Some(whole)
    }

    /// Says whether an unquoted part holds a glob character.
    pub fn is_glob(&self) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(part, Part::Text { text, quoted: false } if text.contains(['*', '?', '['])))
    }
}
