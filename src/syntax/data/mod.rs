//! The data view: YAML, JSON, TOML and property lists in one tree, in written order, nothing resolved.
//!
//! Duplicate keys, `<<` merges, anchors and aliases stay as written: each reader resolves them by its own rule.
//! ERB (and Helm) holes are parts of scalars; statements around entries become their conditions.

mod erb;
mod json;
mod plist;
mod print;
mod toml;
mod yaml;

use super::{Fragment, Parsed};
use crate::source::Bytes;

pub use print::print;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    Yaml,
    /// YAML after ERB: `database.yml`, `sidekiq.yml`.
    ErbYaml,
    /// YAML with `{{ … }}` of Go templates (Helm).
    HelmYaml,
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    Toml,
    /// XML or binary property list, told apart by the first bytes.
    Plist,
}

/// The view of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// One for JSON, TOML and plists; one per `---` document for YAML.
    pub roots: Vec<Node>,
    /// The statements of the template (`<% … %>`), in order.
    pub statements: Vec<TemplateStatement>,
    /// Whether the text has lines. A binary plist has none: every span in it is 0..0.
    pub lines: Lines,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lines {
    #[default]
    Text,
    Binary,
}

/// A statement of a template, without its marks.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateStatement {
    pub code: Fragment,
}

/// Lowers the bytes of a file into the data view. Never fails: see [`Parsed::troubles`].
pub fn parse(format: Format, bytes: &[u8]) -> Parsed<Document> {
    match format {
        Format::Yaml => yaml::parse(bytes),
        Format::ErbYaml => erb::parse_yaml(bytes),
        Format::HelmYaml => erb::parse_helm_yaml(bytes),
        Format::Json | Format::Jsonc => json::parse(format, bytes),
        Format::Toml => toml::parse(bytes),
        Format::Plist => plist::parse(bytes),
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub bytes: Bytes,
    pub kind: Kind,
    /// `&name` of YAML.
    pub anchor: Option<String>,
    /// A syntax error stands in this node: what is missing from it may be there.
    pub tainted: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Map(Vec<Entry>),
    List(Vec<Node>),
    Scalar(Scalar),
    /// `*name` of YAML.
    Alias(String),
    /// Nothing stands there (`key:` and no value).
    Nothing,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// A scalar nearly always; `<<` is an ordinary key here.
    pub key: Node,
    pub value: Node,
    /// Indexes into [`Document::statements`]: the `if`, `unless`, `each` … blocks that are open here, outermost
    /// first.
    pub conditions: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    pub parts: Vec<Part>,
    pub style: Style,
    /// What the reader sees, with the way back to the file; a hole is empty in it.
    pub text: Fragment,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(String),
    /// `<%= code %>` or `{{ code }}`.
    Hole(Fragment),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A YAML plain scalar: what it means (`yes`, `1_000`, `~`) is the reader's rule.
    Plain,
    /// In quotes, a block scalar, a JSON or TOML or plist string: text and nothing else.
    Quoted,
    /// A number of JSON, TOML or plist, as written.
    Number,
    Boolean,
    Null,
    /// A date, or data in a plist.
    Other,
}

impl Node {
    /// Returns the entries of a map, or none.
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the items of a list, or none.
    pub fn items(&self) -> &[Node] {
        match &self.kind {
            Kind::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the last entry with this key: the one that wins where duplicates are allowed.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().rev().find(|entry| entry.key.as_text() == Some(key))
    }

    /// Returns the value of the last entry with this key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Returns the text of a scalar without holes, whatever its style.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(scalar) if scalar.holes().next().is_none() => Some(&scalar.text.text),
            _ => None,
        }
    }

    /// Returns the scalar itself.
    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            Kind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Says whether an error stands anywhere in this node.
    pub fn holds_error(&self) -> bool {
        self.tainted
            || self.entries().iter().any(|entry| entry.key.tainted || entry.value.holds_error())
            || self.items().iter().any(Self::holds_error)
    }
}

impl Scalar {
    /// Returns the code of the template holes, in order.
    pub fn holes(&self) -> impl Iterator<Item = &Fragment> {
        self.parts.iter().filter_map(|part| match part {
            Part::Hole(code) => Some(code),
            Part::Text(_) => None,
        })
    }
}
