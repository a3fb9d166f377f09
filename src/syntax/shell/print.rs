//! The shell view as text, for tests.
//!
//! One line a node: how it is joined, then the node; a quoted text stands in double quotes, parts of a word side by
//! side. Lists inside words (`$(…)`) follow on lines of their own. A tainted item ends in `!!`.

use std::fmt::Write as _;

use super::{Command, Item, Joined, LoopKind, Node, Part, Redirection, Word};

/// Returns one line a node, indented by depth.
pub fn print(list: &[Item]) -> String {
    let mut printer = Printer::default();
    printer.list(list, 0);
    printer.out
}

#[derive(Default)]
struct Printer<'a> {
    out: String,
    /// Lists of the substitutions in the words printed last.
    substitutions: Vec<&'a [Item]>,
}

impl<'a> Printer<'a> {
    fn list(&mut self, list: &'a [Item], depth: usize) {
        for item in list {
            self.item(item, depth);
        }
    }

    fn item(&mut self, item: &'a Item, depth: usize) {
        self.indent(depth);
        self.out.push_str(match item.joined {
            Joined::First => "",
            Joined::Then => "; ",
            Joined::And => "&& ",
            Joined::Or => "|| ",
            Joined::Pipe => "| ",
            Joined::AfterBackground => "& ",
        });
        match &item.node {
            Node::Command(command) => self.command(command),
            Node::Not(_) => self.out.push('!'),
            Node::Group { subshell: true, .. } => self.out.push_str("subshell"),
            Node::Group { subshell: false, .. } => self.out.push_str("group"),
            Node::If { .. } => self.out.push_str("if"),
            Node::Loop { kind, .. } => self.out.push_str(match kind {
                LoopKind::While => "while",
                LoopKind::Until => "until",
                LoopKind::For => "for",
            }),
            Node::Case { subject, .. } => {
                self.out.push_str("case ");
                self.word(subject);
            }
            Node::Function { name, .. } => {
                let _ = write!(self.out, "function {name}");
            }
            Node::Arithmetic(text) => {
                let _ = write!(self.out, "(({text}))");
            }
            Node::Other => self.out.push_str("other"),
        }
        for redirection in &item.redirections {
            self.out.push(' ');
            self.redirection(redirection);
        }
        self.out.push_str(if item.tainted { " !!\n" } else { "\n" });
        for list in std::mem::take(&mut self.substitutions) {
            self.labelled("$()", list, depth + 1);
        }
        self.inside(&item.node, depth + 1);
    }

    fn inside(&mut self, node: &'a Node, depth: usize) {
        match node {
            Node::Command(_) | Node::Arithmetic(_) | Node::Other => {}
            Node::Not(inner) => self.item(inner, depth),
            Node::Group { list, .. } => self.list(list, depth),
            Node::If { arms, otherwise } => {
                for arm in arms {
                    self.labelled("test", &arm.test, depth);
                    self.labelled("then", &arm.body, depth);
                }
                if let Some(otherwise) = otherwise {
                    self.labelled("else", otherwise, depth);
                }
            }
            Node::Loop { list, body, .. } => {
                if !list.is_empty() {
                    self.labelled("test", list, depth);
                }
                self.labelled("do", body, depth);
            }
            Node::Case { arms, .. } => {
                for arm in arms {
                    self.labelled("arm", arm, depth);
                }
            }
            Node::Function { body, .. } => self.list(body, depth),
        }
    }

    fn labelled(&mut self, label: &str, list: &'a [Item], depth: usize) {
        self.indent(depth);
        self.out.push_str(label);
        self.out.push('\n');
        self.list(list, depth + 1);
    }

    fn command(&mut self, command: &'a Command) {
        let start = self.out.len();
        for assignment in &command.assignments {
            self.out.push_str(&assignment.name);
            self.out.push_str(if assignment.append { "+=" } else { "=" });
            self.word(&assignment.value);
            self.out.push(' ');
        }
        for word in &command.words {
            self.word(word);
            self.out.push(' ');
        }
        for redirection in &command.redirections {
            self.redirection(redirection);
            self.out.push(' ');
        }
        if self.out.len() > start {
            self.out.pop();
        }
    }

    fn redirection(&mut self, redirection: &'a Redirection) {
        self.out.push_str(&redirection.operator);
        if let Some(target) = &redirection.target {
            self.word(target);
        }
    }

    fn word(&mut self, word: &'a Word) {
        for part in &word.parts {
            match part {
                Part::Text { text, quoted: true } => {
                    let _ = write!(self.out, "{text:?}");
                }
                Part::Text { text, quoted: false } => self.out.push_str(&text.escape_debug().to_string()),
                Part::Variable { name, operator, argument, quoted } => {
                    let quote = if *quoted { "\"" } else { "" };
                    let _ = write!(self.out, "{quote}${{{name}{}", operator.as_deref().unwrap_or(""));
                    if let Some(argument) = argument {
                        self.word(argument);
                    }
                    let _ = write!(self.out, "}}{quote}");
                }
                Part::Substitution { list, quoted } => {
                    self.out.push_str(if *quoted { "\"$()\"" } else { "$()" });
                    self.substitutions.push(list);
                }
                Part::Arithmetic(text) => {
                    let _ = write!(self.out, "$(({text}))");
                }
            }
        }
    }

    fn indent(&mut self, depth: usize) {
        (0..depth).for_each(|_| self.out.push_str("  "));
    }
}
