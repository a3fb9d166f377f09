//! Statements of the grammar into items: operators flattened, redirections put where the shell has them.

use tree_sitter::Node;

use super::kind::{self, Kind, Token};
use super::paint::Painted;
use crate::source::Bytes;
use crate::syntax::shell::{Command, IfArm, Item, Joined, List, LoopKind, Node as View, Over, Redirection, Word};
use crate::syntax::{Fragment, NESTING_LIMIT, Trouble, TroubleKind};

/// The state of lowering one text.
pub(super) struct Lowering<'a> {
    pub(super) fragment: &'a Fragment,
    pub(super) painted: &'a Painted,
    depth: usize,
    /// The command being lowered holds something that only zsh understands.
    pub(super) taint: bool,
    troubles: Vec<Trouble>,
    /// Errors of the grammar's own that were read rightly after all.
    understood: Vec<Bytes>,
}

/// What is left to do for a list; a stack of these stands for the recursion that a chain of 100,000 `&&` would need.
enum Step<'t> {
    Visit(Node<'t>),
    Redirect(Node<'t>),
    Argument(Node<'t>),
    /// Everything from this item on stands in an error.
    Taint {
        from: usize,
        at: Node<'t>,
    },
}

/// A list in the making.
#[derive(Default)]
struct Pending {
    items: List,
    joined: Option<Joined>,
    /// An error stands before the next item.
    tainted: bool,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(fragment: &'a Fragment, painted: &'a Painted) -> Self {
        Self { fragment, painted, depth: 0, taint: false, troubles: Vec::new(), understood: Vec::new() }
    }

    /// Returns the troubles met, and the ranges of the tree's errors that are none, sorted.
    pub(super) fn finish(mut self) -> (Vec<Trouble>, Vec<Bytes>) {
        self.understood.sort_unstable();
        (self.troubles, self.understood)
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        local(node).of(&self.fragment.text)
    }

    pub(super) fn bytes(&self, node: Node<'_>) -> Bytes {
        self.fragment.map.to_file(local(node))
    }

    /// Lowers the statements among the children of `node`.
    pub(super) fn list_of(&mut self, node: Node<'_>) -> List {
        self.list(&children(node))
    }

    /// Lowers statements with their operators and terminators.
    pub(super) fn list(&mut self, nodes: &[Node<'_>]) -> List {
        if self.depth >= NESTING_LIMIT {
            let at = nodes.first().map_or_else(Bytes::default, |node| self.bytes(*node));
            let message = "commands nest too deeply".to_owned();
            self.troubles.push(Trouble { at, kind: TroubleKind::Limit, message });
            return vec![Item { tainted: true, ..item(View::Other, at) }];
        }
        self.depth += 1;
        let mut pending = Pending::default();
        let mut steps: Vec<Step<'_>> = nodes.iter().rev().map(|node| Step::Visit(*node)).collect();
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(node) => self.visit(node, &mut pending, &mut steps),
                Step::Redirect(node) => self.redirect(node, &mut pending, &mut steps),
                Step::Argument(node) => {
                    let word = self.word(node);
                    pending.argument(word);
                }
                Step::Taint { from, at } => {
                    let inside = pending.items.get_mut(from..).unwrap_or_default();
                    for item in inside.iter_mut() {
                        item.tainted = true;
                    }
                    if inside.is_empty() {
                        let bytes = self.bytes(at);
                        pending.push(Item { tainted: true, ..item(View::Other, bytes) });
                    }
                }
            }
        }
        self.depth -= 1;
        pending.finish()
    }

    fn visit<'t>(&mut self, node: Node<'t>, pending: &mut Pending, steps: &mut Vec<Step<'t>>) {
        match kind::of(node) {
            Kind::Token(Token::Semicolon) if node.is_missing() => pending.taint_both(),
            Kind::Token(_) if node.is_missing() => {}
            Kind::Token(token) => pending.join(token),
            Kind::Joined => steps.extend(children(node).into_iter().rev().map(Step::Visit)),
            Kind::Redirected => {
                let all = children(node);
                if all.first().is_some_and(|first| is_redirection(*first)) {
                    let empty = View::Command(Command::default());
                    pending.push(item(empty, self.bytes(node)));
                }
                steps.extend(
                    all.into_iter()
                        .rev()
                        .map(|child| if is_redirection(child) { Step::Redirect(child) } else { Step::Visit(child) }),
                );
            }
            Kind::FileRedirect | Kind::Heredoc | Kind::HereString => {
                pending.push(item(View::Command(Command::default()), self.bytes(node)));
                steps.push(Step::Redirect(node));
            }
            Kind::Error => self.error(node, pending, steps),
            Kind::Command => self.commands(node, pending),
            kind if kind.is_statement() => {
                let statement = self.statement(node, kind);
                pending.push(statement);
            }
            _ => {}
        }
    }

    /// A command, or the two that the grammar took for one.
    fn commands(&mut self, node: Node<'_>, pending: &mut Pending) {
        let nodes = children(node);
        let Some((prefix, rest)) = self.split_command(&nodes) else {
            let statement = self.statement(node, Kind::Command);
            pending.push(statement);
            return;
        };
        let (errors, rest): (Vec<Node<'_>>, Vec<Node<'_>>) =
            rest.iter().partition(|node| kind::of(**node) == Kind::Error && node.end_byte() <= name_start(rest));
        for (nodes, operators) in [(prefix, errors.as_slice()), (rest.as_slice(), &[])] {
            let Some((first, last)) = nodes.first().zip(nodes.last()) else { continue };
            let range = Bytes::new(first.start_byte(), last.end_byte());
            if range.is_empty() {
                self.understood.push(range);
                continue;
            }
            let outer = std::mem::replace(&mut self.taint, false);
            let view = self.command(nodes);
            let tainted = self.taint || nodes.iter().any(|node| node.is_error() || holds_error(*node));
            self.taint = outer;
            pending.push(Item { tainted, ..item(view, self.fragment.map.to_file(range)) });
            for operator in operators {
                self.understood.push(local(*operator));
                pending.join(match self.text(*operator) {
                    "&&" => Token::And,
                    "||" => Token::Or,
                    "|" | "|&" => Token::Pipe,
                    "&" => Token::Background,
                    _ => Token::Semicolon,
                });
            }
        }
    }

    fn error<'t>(&mut self, node: Node<'t>, pending: &mut Pending, steps: &mut Vec<Step<'t>>) {
        if self.painted.is_here_string(local(node)) {
            self.understood.push(local(node));
            return;
        }
        let all = children(node);
        if all.iter().all(|child| matches!(kind::of(*child), Kind::Token(_))) && !all.is_empty() {
            let after = self.fragment.text.get(node.end_byte()..).unwrap_or("");
            let ends_line = after.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
            match pending.items.last_mut() {
                Some(last) if ends_line => last.tainted = true,
                _ => pending.tainted = true,
            }
            return;
        }
        steps.push(Step::Taint { from: pending.items.len(), at: node });
        // What an error holds in parentheses is as likely a pattern of zsh's as a subshell.
        let trusted = all.into_iter().rev().filter(|child| kind::of(*child) != Kind::Subshell);
        steps.extend(trusted.map(Step::Visit));
    }

    fn redirect<'t>(&mut self, node: Node<'t>, pending: &mut Pending, steps: &mut Vec<Step<'t>>) {
        let (redirection, rest) = self.redirection(node);
        pending.redirect(redirection);
        for child in rest.into_iter().rev() {
            steps.push(match kind::of(child) {
                _ if is_redirection(child) => Step::Redirect(child),
                kind if kind.is_word() => Step::Argument(child),
                _ => Step::Visit(child),
            });
        }
    }

    fn statement(&mut self, node: Node<'_>, kind: Kind) -> Item {
        if let Some(line) = self.painted.blanked_at(node.start_byte()).filter(|_| kind == Kind::Command) {
            return Item { tainted: true, ..item(View::Other, self.fragment.map.to_file(line)) };
        }
        let outer = std::mem::replace(&mut self.taint, false);
        let mut redirections = Vec::new();
        let view = match kind {
            Kind::Command => self.command(&children(node)),
            Kind::Declaration => self.declaration(node),
            Kind::Test => self.test(node),
            Kind::Assignment | Kind::Assignments => self.assignments(node),
            Kind::Negated => self.negated(node),
            Kind::Compound if first_is(node, Token::DoubleParenthesis) => self.arithmetic(node),
            Kind::Compound | Kind::Subshell => {
                View::Group { list: self.list_of(node), subshell: kind == Kind::Subshell }
            }
            Kind::If => self.branch(node),
            Kind::While | Kind::For => self.repetition(node),
            Kind::Case => self.case(node),
            Kind::Function => self.function(node, &mut redirections),
            _ => View::Other,
        };
        let tainted = self.taint || holds_error(node);
        self.taint = outer;
        let inner = Item { tainted, redirections, ..item(view, self.bytes(node)) };
        match self.painted.bang_before(node.start_byte()) {
            Some(bang) if kind != Kind::Command => {
                let bytes = self.fragment.map.to_file(Bytes::new(bang, node.end_byte()));
                item(View::Not(Box::new(inner)), bytes)
            }
            _ => inner,
        }
    }

    fn arithmetic(&self, node: Node<'_>) -> View {
        View::Arithmetic(super::word::arithmetic(self.text(node)))
    }

    fn negated(&mut self, node: Node<'_>) -> View {
        match self.list_of(node).into_iter().next() {
            Some(inner) => View::Not(Box::new(inner)),
            None => View::Other,
        }
    }

    fn branch(&mut self, node: Node<'_>) -> View {
        let mut own = Vec::new();
        let mut arms = Vec::new();
        let mut otherwise = None;
        for child in children(node) {
            match kind::of(child) {
                Kind::Elif => arms.push(self.arm(&children(child))),
                Kind::Else => otherwise = Some(self.list_of(child)),
                _ => own.push(child),
            }
        }
        arms.insert(0, self.arm(&own));
        View::If { arms, otherwise }
    }

    fn arm(&mut self, nodes: &[Node<'_>]) -> IfArm {
        let then = nodes.iter().position(|node| kind::of(*node) == Kind::Token(Token::Then));
        let (test, body) = nodes.split_at_checked(then.unwrap_or(nodes.len())).unwrap_or((nodes, &[]));
        IfArm { test: self.list(test), body: self.list(body) }
    }

    fn repetition(&mut self, node: Node<'_>) -> View {
        let all = children(node);
        let is_for = kind::of(node) == Kind::For;
        let kind = match all.first().map(|first| kind::of(*first)) {
            _ if is_for => LoopKind::For,
            Some(Kind::Token(Token::Until)) => LoopKind::Until,
            _ => LoopKind::While,
        };
        let (bodies, condition): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|child| matches!(kind::of(*child), Kind::DoGroup | Kind::Compound));
        let (condition, bodies) = match bodies.split_last() {
            // A `{ …; }` before the `do` is a condition.
            Some((body, others)) if !is_for => {
                let mut all: Vec<_> = condition.into_iter().chain(others.iter().copied()).collect();
                all.sort_by_key(Node::start_byte);
                (all, vec![*body])
            }
            _ => (condition, bodies),
        };
        let list = if is_for { List::new() } else { self.list(&condition) };
        let body = bodies.last().map(|body| self.list_of(*body)).unwrap_or_default();
        let over = if is_for { self.over(&condition) } else { None };
        View::Loop { kind, over, list, body }
    }

    /// `for`, its variable, `in`, words.
    fn over(&mut self, nodes: &[Node<'_>]) -> Option<Box<Over>> {
        let name = self.text(*nodes.get(1)?).to_owned();
        let words = nodes.iter().skip(2).filter(|node| kind::of(**node).is_word());
        let words = words.map(|node| self.word(*node)).collect();
        Some(Box::new(Over { name, words }))
    }

    fn case(&mut self, node: Node<'_>) -> View {
        let mut subject = None;
        let mut arms = Vec::new();
        for child in children(node) {
            match kind::of(child) {
                Kind::CaseItem => {
                    let inside = children(child);
                    let close = Kind::Token(Token::CloseParenthesis);
                    let end = inside.iter().position(|node| kind::of(*node) == close);
                    let body = inside.get(end.map_or(0, |end| end + 1)..).unwrap_or_default();
                    arms.push(self.list(body));
                }
                kind if kind.is_word() && subject.is_none() => subject = Some(self.word(child)),
                _ => {}
            }
        }
        let subject = subject.unwrap_or(Word { parts: Vec::new(), bytes: self.bytes(node) });
        View::Case { subject, arms }
    }

    fn function(&mut self, node: Node<'_>, redirections: &mut Vec<Redirection>) -> View {
        let mut name = None;
        let mut body = List::new();
        for child in children(node) {
            match kind::of(child) {
                Kind::Text if name.is_none() => name = Some(self.text(child).to_owned()),
                Kind::Compound if !first_is(child, Token::DoubleParenthesis) => body = self.list_of(child),
                kind if kind.is_statement() => body = self.list(&[child]),
                _ if is_redirection(child) => redirections.push(self.redirection(child).0),
                _ => {}
            }
        }
        View::Function { name: name.unwrap_or_default(), body }
    }
}

impl Pending {
    fn push(&mut self, mut item: Item) {
        item.joined = match self.joined.take() {
            _ if self.items.is_empty() => Joined::First,
            joined => joined.unwrap_or(Joined::Then),
        };
        item.tainted |= std::mem::take(&mut self.tainted);
        self.items.push(item);
    }

    fn join(&mut self, token: Token) {
        let joined = match token {
            Token::And => Joined::And,
            Token::Or => Joined::Or,
            Token::Pipe => Joined::Pipe,
            Token::Background => Joined::AfterBackground,
            Token::Semicolon => Joined::Then,
            _ => return,
        };
        self.joined = Some(joined);
    }

    fn redirect(&mut self, redirection: Redirection) {
        let Some(last) = self.items.last_mut() else { return };
        last.bytes = last.bytes.to(redirection.bytes);
        match &mut last.node {
            View::Command(command) => command.redirections.push(redirection),
            _ => last.redirections.push(redirection),
        }
    }

    fn argument(&mut self, word: Word) {
        if let Some(Item { node: View::Command(command), bytes, .. }) = self.items.last_mut() {
            *bytes = bytes.to(word.bytes);
            command.words.push(word);
        }
    }

    /// Something is missing between the last item and the next.
    fn taint_both(&mut self) {
        self.tainted = true;
        if let Some(last) = self.items.last_mut() {
            last.tainted = true;
        }
    }

    fn finish(mut self) -> List {
        if let (true, Some(last)) = (self.tainted, self.items.last_mut()) {
            last.tainted = true;
        }
        self.items
    }
}

/// Returns an item that stands alone.
pub(super) fn item(node: View, bytes: Bytes) -> Item {
    Item { joined: Joined::First, node, bytes, tainted: false, redirections: Vec::new() }
}

fn name_start(nodes: &[Node<'_>]) -> usize {
    nodes.iter().find(|node| kind::of(**node) == Kind::CommandName).map_or(0, Node::start_byte)
}

/// Returns the range of `node` in the fragment's text.
pub(super) fn local(node: Node<'_>) -> Bytes {
    Bytes::new(node.start_byte(), node.end_byte())
}

pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

pub(super) fn is_redirection(node: Node<'_>) -> bool {
    matches!(kind::of(node), Kind::FileRedirect | Kind::Heredoc | Kind::HereString)
}

fn first_is(node: Node<'_>, token: Token) -> bool {
    node.child(0).is_some_and(|first| kind::of(first) == Kind::Token(token))
}

/// Says whether an error stands in `node` and in no statement inside it.
fn holds_error(node: Node<'_>) -> bool {
    if !node.has_error() {
        return false;
    }
    let mut open = children(node);
    while let Some(inner) = open.pop() {
        if inner.is_error() || inner.is_missing() {
            return true;
        }
        if inner.has_error() && !kind::of(inner).is_statement() {
            open.extend(children(inner));
        }
    }
    false
}
