//! What the lowerings of the tree-sitter languages share: one parser per language and thread, tables from a
//! grammar's ids to a language's own enums, and the walk down the tree with its depth, its errors and its comments.
//!
//! Knows no language. A [`Dialect`] names the kinds and fields of its grammar once; its lowering then matches enums.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, ParseState, Parser, Tree, TreeCursor};

use super::{Kind, Language, Name, Node, Program};
use crate::source::Bytes;
use crate::syntax::{Comment, CommentPlace, NESTING_LIMIT, Parsed, Trouble, TroubleKind, too_deep_at};

/// Nodes of the view inside nodes of the view. Long operator chains and nested conditionals need no bracket, so
/// [`too_deep_at`] does not see them.
pub(super) const DEPTH_LIMIT: usize = 300;

/// How long the parser may take, whatever the text: an unoptimized build on a busy machine needs a tenth of it.
const PATIENCE: Duration = Duration::from_secs(5);
const PATIENCE_PER_KIB: Duration = Duration::from_millis(10);

/// A text of many errors needs no longer list of them.
const SYNTAX_TROUBLES: usize = 20;

/// What a language says of its grammar.
pub(super) trait Dialect: Copy + 'static {
    /// The kinds of node that the lowering tells apart; the default is any other one.
    type Form: Copy + Default + Eq;
    /// The fields that the lowering asks for; the default is none of them.
    type Field: Copy + Default + Eq;
    /// What the lowering remembers on its way, such as the local variables in scope.
    type State: Default;

    /// Named kinds of the grammar.
    const FORMS: &'static [(&'static str, Self::Form)];
    /// Anonymous kinds; every other one is left out of [`Children`], unless it has a field of [`Self::FIELDS`].
    const TOKENS: &'static [(&'static str, Self::Form)];
    const FIELDS: &'static [(&'static str, Self::Field)];
    /// The named kinds that are comments.
    const COMMENTS: &'static [&'static str];
    /// The bytes that a comment may start with, at most three; if there are none, the whole tree is searched.
    const COMMENT_BYTES: &'static [u8] = &[];

    /// What begins a comment at one of these bytes.
    const COMMENT_STARTS: &'static [&'static str] = &[];

    /// Returns the text of a comment without its markers, not yet trimmed.
    fn comment_text(comment: &str) -> &str;
}

/// The ids of one grammar, looked up once. Lives in a `OnceLock` of its language.
pub(super) struct Table<D: Dialect> {
    grammar: tree_sitter::Language,
    forms: Vec<Option<D::Form>>,
    fields: Vec<D::Field>,
    comments: Vec<u16>,
}

impl<D: Dialect> Table<D> {
    pub(super) fn new(grammar: tree_sitter::Language) -> Self {
        let named: BTreeMap<_, _> = D::FORMS.iter().copied().collect();
        let tokens: BTreeMap<_, _> = D::TOKENS.iter().copied().collect();
        let fields: BTreeMap<_, _> = D::FIELDS.iter().copied().collect();
        let count = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        let mut forms = Vec::with_capacity(usize::from(count));
        let mut comments = Vec::new();
        for id in 0..count {
            let kind = grammar.node_kind_for_id(id).unwrap_or_default();
            if grammar.node_kind_is_named(id) {
                forms.push(Some(named.get(kind).copied().unwrap_or_default()));
                if D::COMMENTS.contains(&kind) {
                    comments.push(id);
                }
            } else {
                forms.push(tokens.get(kind).copied());
            }
        }
        let last_field = u16::try_from(grammar.field_count()).unwrap_or(u16::MAX);
        let fields = (0..=last_field)
            .map(|id| grammar.field_name_for_id(id).and_then(|name| fields.get(name).copied()).unwrap_or_default())
            .collect();
        Self { grammar, forms, fields, comments }
    }
}

/// A node of the grammar's tree with what its dialect calls it.
#[derive(Clone, Copy)]
pub(super) struct Child<'t, D: Dialect> {
    pub(super) node: tree_sitter::Node<'t>,
    pub(super) form: D::Form,
    pub(super) field: D::Field,
}

impl<D: Dialect> Child<'_, D> {
    pub(super) fn bytes(&self) -> Bytes {
        Bytes::new(self.node.start_byte(), self.node.end_byte())
    }

    pub(super) fn is_error(&self) -> bool {
        self.node.is_error()
    }

    pub(super) fn is_named(&self) -> bool {
        self.node.is_named()
    }
}

/// The children of a node: no comments, no nodes that the parser made up, and of the anonymous tokens only those
/// that the dialect names.
pub(super) struct Children<'t, D: Dialect>(Vec<Child<'t, D>>);

impl<'t, D: Dialect> Children<'t, D> {
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = Child<'t, D>> + '_ {
        self.0.iter().copied()
    }

    /// Returns the first child with this field.
    pub(super) fn field(&self, field: D::Field) -> Option<Child<'t, D>> {
        self.iter().find(|child| child.field == field)
    }

    /// Returns the children with this field, in order.
    pub(super) fn fields(&self, field: D::Field) -> impl Iterator<Item = Child<'t, D>> + '_ {
        self.iter().filter(move |child| child.field == field)
    }

    /// Returns the first child of this form.
    pub(super) fn form(&self, form: D::Form) -> Option<Child<'t, D>> {
        self.iter().find(|child| child.form == form)
    }

    pub(super) fn has(&self, form: D::Form) -> bool {
        self.form(form).is_some()
    }

    /// Returns the named children, errors included, in order.
    pub(super) fn named(&self) -> impl DoubleEndedIterator<Item = Child<'t, D>> + '_ {
        self.iter().filter(Child::is_named)
    }
}

/// The way down one tree.
pub(super) struct Lowering<'t, D: Dialect> {
    text: &'t str,
    table: &'static Table<D>,
    cursor: TreeCursor<'t>,
    depth: usize,
    /// An error was met, and no statement, entry or argument has yet taken it on itself.
    error: bool,
    cut: Option<Bytes>,
    refused: Vec<Trouble>,
    /// Nodes that stand elsewhere than where they belong (the body of a heredoc), by the byte where they belong.
    pub(super) elsewhere: BTreeMap<usize, tree_sitter::Node<'t>>,
    pub(super) state: D::State,
}

/// Parses `text` and lowers its root with `lower`.
pub(super) fn parse<D: Dialect>(
    language: Language,
    table: &'static Table<D>,
    text: &str,
    lower: impl for<'t> FnOnce(&mut Lowering<'t, D>, tree_sitter::Node<'t>) -> Program,
) -> Parsed<Program> {
    if let Some(at) = too_deep_at(text.as_bytes()) {
        return empty(Bytes::new(at, at + 1), TroubleKind::Limit, format!("brackets nest deeper than {NESTING_LIMIT}"));
    }
    let tree = match parsed(language, &table.grammar, text) {
        Ok(tree) => tree,
        Err(trouble) => return trouble,
    };
    let root = tree.root_node();
    let mut lowering = Lowering {
        text,
        table,
        cursor: tree.walk(),
        depth: 0,
        error: false,
        cut: None,
        refused: Vec::new(),
        elsewhere: BTreeMap::new(),
        state: D::State::default(),
    };
    let program = lower(&mut lowering, root);
    let Lowering { cut, refused, .. } = lowering;
    let (comments, mut troubles) = survey(table, &tree, text);
    troubles.extend(refused);
    troubles.sort_by_key(|trouble| trouble.at.start);
    if let Some(at) = cut {
        let message = format!("nests deeper than {DEPTH_LIMIT}; the rest is left out");
        troubles.push(Trouble { at, kind: TroubleKind::Limit, message });
    }
    Parsed { tree: program, comments, troubles }
}

pub(super) fn empty(at: Bytes, kind: TroubleKind, message: String) -> Parsed<Program> {
    Parsed { tree: Vec::new(), comments: Vec::new(), troubles: vec![Trouble { at, kind, message }] }
}

thread_local! {
    static PARSERS: RefCell<BTreeMap<Language, Parser>> = const { RefCell::new(BTreeMap::new()) };
}

fn parsed(language: Language, grammar: &tree_sitter::Language, text: &str) -> Result<Tree, Parsed<Program>> {
    let whole = Bytes::new(0, text.len());
    PARSERS.with_borrow_mut(|parsers| {
        let parser = parsers.entry(language).or_default();
        if parser.language().is_none() && parser.set_language(grammar).is_err() {
            return Err(empty(whole, TroubleKind::Unparsable, "the grammar does not fit the parser".to_owned()));
        }
        // After an error a step of tree-sitter may cost as much as all text before it, so only time bounds it: 32 kB of
        // `% # ~ ^` take 8 s, and real code about 1 s a MiB.
        let started = Instant::now();
        let patience = PATIENCE + PATIENCE_PER_KIB * u32::try_from(text.len() / 1024).unwrap_or(u32::MAX);
        let mut bounded = |_: &ParseState| {
            if started.elapsed() > patience { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut bounded);
        let mut read = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        tree.ok_or_else(|| {
            parser.reset();
            empty(whole, TroubleKind::Limit, "too many syntax errors to recover from".to_owned())
        })
    })
}

impl<'t, D: Dialect> Lowering<'t, D> {
    /// Returns the text of a node.
    pub(super) fn text(&self, node: tree_sitter::Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the text of a range.
    pub(super) fn slice(&self, bytes: Bytes) -> &'t str {
        self.text.get(bytes.start as usize..bytes.end as usize).unwrap_or_default()
    }

    /// Returns the text of a node with its bytes.
    pub(super) fn name(&self, node: tree_sitter::Node<'_>) -> Name {
        Name { text: self.text(node).to_owned(), bytes: Bytes::new(node.start_byte(), node.end_byte()) }
    }

    /// Returns a node as a child without a field, for the root and for other ways into the tree.
    pub(super) fn child(&self, node: tree_sitter::Node<'t>) -> Child<'t, D> {
        let form = self.table.forms.get(usize::from(node.kind_id())).copied().flatten();
        Child { node, form: form.unwrap_or_default(), field: D::Field::default() }
    }

    /// Returns the children of a node; an error among them stands directly in the node that is being lowered.
    pub(super) fn children(&mut self, node: tree_sitter::Node<'t>) -> Children<'t, D> {
        let children = self.parts(node);
        if node.has_error() && children.iter().any(|child| child.is_error()) {
            self.error = true;
        }
        children
    }

    /// Returns the children of a list of statements: there an error is a broken statement of its own, and only what
    /// is missing (a closing brace) marks the node around it.
    pub(super) fn parts(&mut self, node: tree_sitter::Node<'t>) -> Children<'t, D> {
        let (children, missing) = self.read(node);
        self.error |= missing;
        children
    }

    /// Returns the children of a node that may yet be lowered, or not, by other hands: marks nothing.
    pub(super) fn peek(&mut self, node: tree_sitter::Node<'t>) -> Children<'t, D> {
        self.read(node).0
    }

    /// Returns the children of a node that holds an error, every token included; marks nothing.
    pub(super) fn every(&mut self, node: tree_sitter::Node<'t>) -> Vec<Child<'t, D>> {
        let mut every = Vec::new();
        self.cursor.reset(node);
        let mut more = self.cursor.goto_first_child();
        while more {
            let node = self.cursor.node();
            if !node.is_missing() && !self.table.comments.contains(&node.kind_id()) {
                every.push(self.child(node));
            }
            more = self.cursor.goto_next_sibling();
        }
        every
    }

    fn read(&mut self, node: tree_sitter::Node<'t>) -> (Children<'t, D>, bool) {
        let mut children = Vec::with_capacity(node.child_count() as usize);
        let mut missing = false;
        self.cursor.reset(node);
        let mut more = self.cursor.goto_first_child();
        while more {
            let node = self.cursor.node();
            let id = node.kind_id();
            if node.is_missing() {
                missing = true;
            } else if node.is_error() {
                children.push(Child { node, form: D::Form::default(), field: D::Field::default() });
            } else if !self.table.comments.contains(&id) {
                let form = self.table.forms.get(usize::from(id)).copied().flatten();
                let field = self.cursor.field_id().map_or(0, |id| usize::from(id.get()));
                let field = self.table.fields.get(field).copied().unwrap_or_default();
                if form.is_some() || field != D::Field::default() {
                    children.push(Child { node, form: form.unwrap_or_default(), field });
                }
            }
            more = self.cursor.goto_next_sibling();
        }
        (Children(children), missing)
    }

    /// Lowers one node: counts the depth, and taints the node if an error stands in it and in nothing smaller that
    /// was lowered [`apart`](Self::apart).
    pub(super) fn node(&mut self, bytes: Bytes, lower: impl FnOnce(&mut Self) -> Kind) -> Node {
        if self.depth >= DEPTH_LIMIT {
            self.cut = self.cut.or(Some(bytes));
            return self.gap(bytes);
        }
        self.depth += 1;
        let outer = mem::replace(&mut self.error, false);
        let kind = lower(self);
        let tainted = self.error;
        self.error = outer || tainted;
        self.depth -= 1;
        Node { bytes, tainted, kind }
    }

    /// Counts one level that [`node`](Self::node) does not see, such as a region that goes on to the end of its block;
    /// false if there is no room for it. [`rise`](Self::rise) leaves it.
    pub(super) fn descend(&mut self) -> bool {
        let room = self.depth < DEPTH_LIMIT;
        self.depth += usize::from(room);
        room
    }

    pub(super) fn rise(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Lowers a statement, an entry or an argument: an error in it, even outside the node that it becomes, taints
    /// that node and nothing around it.
    pub(super) fn apart<T: Taint>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = mem::replace(&mut self.error, false);
        let mut node = lower(self);
        if self.error {
            node.taint();
        }
        self.error = outer;
        node
    }

    /// Adds a statement to those before it. What goes on with an error on its own line, such as `f` before `(1`, is
    /// not whole, and neither is what an error leads to.
    pub(super) fn add(&self, mut statement: Node, all: &mut Vec<Node>) {
        if let Some(last) = all.last_mut()
            && last.tainted != statement.tainted
            && !self.slice(Bytes { start: last.bytes.end, end: statement.bytes.start }).contains(['\n', ';'])
        {
            last.tainted = true;
            statement.tainted = true;
        }
        all.push(statement);
    }

    /// Returns a tainted node for what should stand at `bytes` and does not.
    pub(super) fn gap(&mut self, bytes: Bytes) -> Node {
        self.error = true;
        Node { bytes, tainted: true, kind: Kind::Other(Vec::new()) }
    }

    /// Taints the node that is being lowered for what the parser let pass, and says so.
    pub(super) fn refuse(&mut self, at: Bytes, message: String) {
        self.error = true;
        if self.refused.len() < SYNTAX_TROUBLES {
            self.refused.push(Trouble { at, kind: TroubleKind::Syntax, message });
        }
    }

    /// Taints the node that is being lowered.
    pub(super) fn taint(&mut self) {
        self.error = true;
    }
}

/// Goes over the tree, also where the lowering did not: comments and errors stand anywhere. The cursor keeps its own
/// stack, so depth is no matter.
fn survey<D: Dialect>(table: &Table<D>, tree: &Tree, text: &str) -> (Vec<Comment>, Vec<Trouble>) {
    let mut comments = Vec::new();
    let mut troubles = Vec::new();
    let mut told = 0;
    let mut mark = next_mark::<D>(text, 0);
    let root = tree.root_node();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if table.comments.contains(&node.kind_id()) {
            comments.push(comment::<D>(node, text, comments.last()));
        } else if (node.is_error() || node.is_missing()) && node.start_byte() >= told {
            // A root that is an error says nothing of where; its parts may.
            let whole = node.id() == root.id() && node.child_count() > 0;
            if !whole && troubles.len() < SYNTAX_TROUBLES {
                told = node.end_byte();
                troubles.push(syntax_trouble(node, text));
            }
        }
        if mark < node.start_byte() {
            mark = next_mark::<D>(text, node.start_byte());
        }
        if (node.end_byte() > mark || node.has_error()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                if root.is_error() && troubles.is_empty() {
                    troubles.push(syntax_trouble(root, text));
                }
                return (comments, troubles);
            }
        }
    }
}

/// Returns where a comment may start at the earliest.
fn next_mark<D: Dialect>(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let may_be = |at: &usize| {
        let rest = rest.get(*at..).unwrap_or_default();
        D::COMMENT_STARTS.iter().any(|start| rest.starts_with(start.as_bytes()))
    };
    let found = match *D::COMMENT_BYTES {
        [] => return from,
        [one] => memchr::memchr_iter(one, rest).find(may_be),
        [one, two] => memchr::memchr2_iter(one, two, rest).find(may_be),
        [one, two, three, ..] => memchr::memchr3_iter(one, two, three, rest).find(may_be),
    };
    found.map_or(usize::MAX, |at| from + at)
}

fn syntax_trouble(node: tree_sitter::Node<'_>, text: &str) -> Trouble {
    let at = Bytes::new(node.start_byte(), node.end_byte());
    let message = if node.is_missing() {
        format!("`{}` is missing", node.kind())
    } else {
        let line = at.of(text).lines().next().unwrap_or_default();
        match line.char_indices().nth(40) {
            Some((end, _)) => format!("`{}…` is not understood here", line.get(..end).unwrap_or_default()),
            None => format!("`{line}` is not understood here"),
        }
    };
    Trouble { at, kind: TroubleKind::Syntax, message }
}

fn comment<D: Dialect>(node: tree_sitter::Node<'_>, text: &str, last: Option<&Comment>) -> Comment {
    let bytes = Bytes::new(node.start_byte(), node.end_byte());
    let before = text.get(..node.start_byte()).unwrap_or_default().trim_end_matches([' ', '\t', '\u{b}', '\u{c}']);
    let place = match last {
        Some(last) if last.bytes.end as usize == before.len() && !before.ends_with('\n') => last.place,
        _ if matches!(before.bytes().last(), None | Some(b'\n' | b'\r')) || before == "\u{feff}" => {
            CommentPlace::OwnLine
        }
        _ => CommentPlace::AfterCode,
    };
    Comment { bytes, text: D::comment_text(bytes.of(text)).trim().to_owned(), place }
}

pub(super) trait Taint {
    fn taint(&mut self);
}
impl Taint for Node {
    fn taint(&mut self) {
        self.tainted = true;
    }
}
impl Taint for super::Entry {
    fn taint(&mut self) {
        self.value.tainted = true;
    }
}
impl Taint for () {
    fn taint(&mut self) {}
}
