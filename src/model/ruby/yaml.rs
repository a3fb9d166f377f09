//! YAML after ERB as Psych reads it for one process: aliases followed, `<<` merged where it stands.
//!
//! Source: ruby/psych v3.1.0 to v5.4.0, `to_ruby.rb` (`revive_hash`) and `scalar_scanner.rb`; the tests compare with a
//! real Psych.

use std::collections::BTreeMap;

use super::context::Context;
use super::output::Output;
use super::run::{Run, Standing};
use super::scalar;
use super::value::{Evaluated, Origin, Source, Value, Why};
use crate::facts::ruby_config::Template;
use crate::source::{Bytes, FileId, Span};
use crate::syntax::data::{self, Format, Kind, Style};

/// Nodes after aliases are followed; more is a bomb.
const NODES: usize = 50_000;

/// A file's content in one process.
#[derive(Clone, Debug, PartialEq)]
pub struct Yaml {
    /// Of the first document.
    pub root: Tree,
    /// What the tags did: which variables they read.
    pub run: Run,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    pub content: Content,
    /// Where it is written; behind an alias, where the anchor is.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Never a list or a hash.
    Scalar(Evaluated),
    Map(Map),
    List(Vec<Tree>),
    Unknown,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Each key once, in the order in which Ruby's hash has them.
    pub entries: Vec<Entry>,
    /// There may be more keys, and the ones that are here may have other values.
    pub open: Option<Span>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Without the colon of a symbol.
    pub key: String,
    pub key_span: Span,
    pub value: Tree,
    /// Never [`Standing::Skipped`].
    pub standing: Standing,
    /// What decided that the entry is there: `<% if ENV["X"] %>`.
    pub rests_on: Vec<Source>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found<'a> {
    Absent,
    Unknown,
    Entry(&'a Entry),
}

/// Renders and reads a YAML file, with or without tags.
pub fn read(template: &Template, context: &Context<'_>) -> Yaml {
    let (run, output) = super::run::print(template, context);
    let file = template.program.file;
    let whole = file.span(Bytes::new(0, template.text.len()));
    let unknown = Tree { content: Content::Unknown, span: whole };
    if run.cut.is_some() {
        return Yaml { root: unknown, run };
    }
    // What is not known is a tag again; the rest is known to be none.
    let parsed = data::parse(Format::ErbYaml, output.text.text.as_bytes());
    let mut reader = Reader { file, output: &output, anchors: BTreeMap::new(), nodes: NODES };
    let mut root = match parsed.tree.roots.first() {
        // Psych refuses the whole file.
        _ if !parsed.troubles.is_empty() => unknown,
        Some(root) => reader.tree(root),
        None => Tree { content: Content::Scalar(Evaluated::literal(Value::Nil, whole)), span: whole },
    };
    // Whatever a tag printed above the first key may be keys, too.
    let start = parsed.tree.roots.first().map_or(0, |root| root.bytes.start);
    let above = output.printed.iter().find(|(place, value)| place.start < start && value.is_unknown());
    if let (Content::Map(map), Some((place, _))) = (&mut root.content, above) {
        map.open.get_or_insert(file.span(output.text.map.to_file(*place)));
    }
    Yaml { root, run }
}

/// Returns the text that the YAML reader sees; what is not known is still a tag in it.
pub fn rendered(template: &Template, context: &Context<'_>) -> String {
    super::run::print(template, context).1.text.text
}

struct Reader<'a> {
    file: FileId,
    output: &'a Output<'a>,
    anchors: BTreeMap<String, Tree>,
    nodes: usize,
}

impl Reader<'_> {
    fn span(&self, bytes: Bytes) -> Span {
        self.file.span(self.output.text.map.to_file(bytes))
    }

    fn tree(&mut self, node: &data::Node) -> Tree {
        let span = self.span(node.bytes);
        let content = if self.spend(1) {
            match &node.kind {
                Kind::Map(entries) => Content::Map(self.map(node, entries)),
                Kind::List(_) if node.tainted => Content::Unknown,
                Kind::List(items) => Content::List(items.iter().map(|item| self.tree(item)).collect()),
                Kind::Alias(name) => return self.alias(name, span),
                Kind::Nothing => Content::Scalar(self.nothing(node.bytes)),
                Kind::Scalar(scalar) => Content::Scalar(self.scalar(node, scalar)),
            }
        } else {
            Content::Unknown
        };
        let tree = Tree { content, span };
        if let Some(name) = &node.anchor {
            let kept = if self.spend(weight(&tree)) { tree.clone() } else { Tree { content: Content::Unknown, span } };
            self.anchors.insert(name.clone(), kept);
        }
        tree
    }

    fn spend(&mut self, cost: usize) -> bool {
        let left = self.nodes.checked_sub(cost);
        self.nodes = left.unwrap_or(0);
        left.is_some()
    }

    fn alias(&mut self, name: &str, span: Span) -> Tree {
        let cost = self.anchors.get(name).map_or(1, weight);
        if !self.spend(cost) {
            return Tree { content: Content::Unknown, span };
        }
        // An alias inside its own anchor finds nothing.
        self.anchors.get(name).cloned().unwrap_or(Tree { content: Content::Unknown, span })
    }

    fn map(&mut self, node: &data::Node, entries: &[data::Entry]) -> Map {
        let mut map = Map { entries: Vec::new(), open: node.tainted.then(|| self.span(node.bytes)) };
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for entry in entries {
            let key_span = self.span(entry.key.bytes);
            let standing = if entry.conditions.is_empty() { Standing::Made } else { Standing::Perhaps };
            let value = match &entry.value.kind {
                Kind::Nothing if entry.value.anchor.is_none() => {
                    let content = Content::Scalar(self.nothing_behind(entry.key.bytes, entry.value.bytes));
                    Tree { content, span: self.span(entry.value.bytes) }
                }
                _ => self.tree(&entry.value),
            };
            let Some(key) = entry.key.as_text().filter(|_| !entry.key.tainted) else {
                map.open.get_or_insert(key_span);
                continue;
            };
            let rests_on = self.under(entry.key.bytes);
            let quoted = matches!(&entry.key.kind, Kind::Scalar(scalar) if scalar.style != Style::Plain);
            let mapped = matches!(entry.value.kind, Kind::Alias(_) | Kind::Map(_) | Kind::List(_));
            if key == "<<" && mapped {
                self.merge(&mut map, &mut places, &value, standing, &rests_on, key_span);
                continue;
            }
            let key = if quoted { key } else { key.strip_prefix(':').filter(|rest| !rest.is_empty()).unwrap_or(key) };
            let made = Entry { key: key.to_owned(), key_span, value, standing, rests_on };
            put(&mut map, &mut places, made);
        }
        map
    }

    fn merge(
        &mut self,
        map: &mut Map,
        places: &mut BTreeMap<String, usize>,
        value: &Tree,
        standing: Standing,
        rests_on: &[Source],
        at: Span,
    ) {
        let merged: Vec<&Tree> = match &value.content {
            // The first wins: the last is merged first.
            Content::List(items) => items.iter().rev().collect(),
            _ => vec![value],
        };
        for one in merged {
            let Content::Map(other) = &one.content else {
                map.open.get_or_insert(at);
                continue;
            };
            if standing == Standing::Perhaps {
                map.open.get_or_insert(at);
            }
            map.open = map.open.or(other.open);
            if !self.spend(weight(one)) {
                map.open.get_or_insert(at);
                return;
            }
            for entry in &other.entries {
                let mut entry = entry.clone();
                entry.rests_on.extend(rests_on.iter().cloned());
                put(map, places, entry);
            }
        }
    }

    /// A value that is not written; a tag may have printed nothing there.
    fn nothing(&self, bytes: Bytes) -> Evaluated {
        self.nothing_behind(bytes, bytes)
    }

    fn nothing_behind(&self, key: Bytes, value: Bytes) -> Evaluated {
        let line = self.output.text.text.get(key.end as usize..).unwrap_or_default();
        let end = key.end + u32::try_from(line.find('\n').unwrap_or(line.len())).unwrap_or(0);
        let literal = Evaluated::literal(Value::Nil, self.span(value));
        let (first, printed) = self.printed(Bytes { start: key.end, end });
        match first {
            None => literal,
            Some(first) => {
                let origin = Origin { at: first.origin.at, sources: Vec::new() };
                Evaluated { value: Value::Nil, origin }.resting_on(&printed)
            }
        }
    }

    /// Returns the first value that a tag printed in `bytes`, and what all of them rest on.
    fn printed(&self, bytes: Bytes) -> (Option<&Evaluated>, Vec<Source>) {
        let from = self.output.printed.partition_point(|(place, _)| place.end < bytes.start);
        let found = self.output.printed.iter().skip(from).take_while(|(place, _)| place.start <= bytes.end);
        let mut first = None;
        let mut sources = Vec::new();
        for (place, value) in found {
            let empty = place.is_empty() || bytes.is_empty();
            if empty || (place.start < bytes.end && place.end > bytes.start) {
                first = first.or(Some(value));
                sources.extend(value.origin.sources.iter().cloned());
            }
        }
        (first, sources)
    }

    /// Returns what decided that `bytes` are printed.
    fn under(&self, bytes: Bytes) -> Vec<Source> {
        let from = self.output.under.partition_point(|(place, _)| place.end <= bytes.start);
        let found = self.output.under.get(from).filter(|(place, _)| place.start < bytes.end);
        found.map(|(_, sources)| sources.clone()).unwrap_or_default()
    }

    fn scalar(&self, node: &data::Node, scalar: &data::Scalar) -> Evaluated {
        let span = self.span(node.bytes);
        let (first, sources) = self.printed(node.bytes);
        let text = scalar.text.text.as_str();
        let unknown = scalar.holes().next().is_some() || node.tainted;
        let value = match scalar.style {
            _ if unknown => {
                let why = self.printed_unknown(node.bytes).unwrap_or(Why::Undecided);
                Value::Unknown(why)
            }
            Style::Plain => scalar::tokenize(text),
            Style::Quoted => Value::Text(text.to_owned()),
            _ => Value::Unknown(Why::NotUnderstood),
        };
        let at = match first {
            // The tag is the whole value.
            Some(first)
                if unknown || super::operation::to_text(&first.value).is_ok_and(|all| all.trim() == text.trim()) =>
            {
                first.origin.at
            }
            _ => span,
        };
        let under = self.under(node.bytes);
        Evaluated { value, origin: Origin { at, sources: Vec::new() } }.resting_on(&sources).resting_on(&under)
    }

    fn printed_unknown(&self, bytes: Bytes) -> Option<Why> {
        let from = self.output.printed.partition_point(|(place, _)| place.end <= bytes.start);
        let found = self.output.printed.iter().skip(from).take_while(|(place, _)| place.start < bytes.end);
        found.map(|(_, value)| value.value.why().unwrap_or(Why::NotUnderstood)).next()
    }
}

/// Gives a key a value: a later one wins, at the place of the first.
fn put(map: &mut Map, places: &mut BTreeMap<String, usize>, entry: Entry) {
    if let Some(known) = places.get(&entry.key).and_then(|place| map.entries.get_mut(*place)) {
        *known = entry;
    } else {
        places.insert(entry.key.clone(), map.entries.len());
        map.entries.push(entry);
    }
}

fn weight(tree: &Tree) -> usize {
    match &tree.content {
        Content::Scalar(_) | Content::Unknown => 1,
        Content::List(items) => items.iter().fold(1, |all, item| all + weight(item)),
        Content::Map(map) => map.entries.iter().fold(1, |all, entry| all + 1 + weight(&entry.value)),
    }
}

impl Map {
    /// Returns the entry with this key, written as text or as symbol.
    pub fn get(&self, key: &str) -> Found<'_> {
        match self.entries.iter().find(|entry| entry.key == key) {
            _ if self.open.is_some() => Found::Unknown,
            Some(entry) if entry.standing == Standing::Made => Found::Entry(entry),
            Some(_) => Found::Unknown,
            None => Found::Absent,
        }
    }
}

impl Tree {
    pub fn as_map(&self) -> Option<&Map> {
        match &self.content {
            Content::Map(map) => Some(map),
            _ => None,
        }
    }

    pub fn as_scalar(&self) -> Option<&Evaluated> {
        match &self.content {
            Content::Scalar(value) => Some(value),
            _ => None,
        }
    }
}
