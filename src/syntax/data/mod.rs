//! The data view: YAML, JSON, TOML and property lists in one tree, in written order, nothing resolved.
//!
//! Duplicate keys, `<<` merges, anchors and aliases stay as written: each reader resolves them by its own rule.
//! ERB (and Helm) holes are parts of scalars; statements around entries become their conditions.

mod encoding;
mod escape;
mod json;
mod plist;
mod print;
mod scalar;
mod template;
mod toml;
mod yaml;

use super::{CommentPlace, Fragment, NESTING_LIMIT, Parsed, Trouble, TroubleKind};
use crate::source::Bytes;

pub use print::print;
pub use template::{ErbPiece, erb_pieces};

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

/// More nodes than this are not read: a bomb, or a file that nobody wrote.
const NODE_LIMIT: usize = 500_000;
/// The same for YAML, whose readers have such limits themselves.
const YAML_NODE_LIMIT: usize = 100_000;

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
        Format::ErbYaml => template::parse(template::Language::Erb, bytes),
        Format::HelmYaml => template::parse(template::Language::Go, bytes),
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
    /// A date, data in a plist, or a YAML scalar with a tag of its own (`!secret x`): its text is not its value.
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

/// Returns an empty view with the reason for it.
fn refuse(trouble: Trouble) -> Parsed<Document> {
    Parsed { troubles: vec![trouble], ..Parsed::default() }
}

fn too_deep_trouble() -> Trouble {
    limit_trouble(format!("nests deeper than {NESTING_LIMIT} levels"))
}

fn too_many_trouble() -> Trouble {
    limit_trouble("holds too many values".to_owned())
}

fn limit_trouble(message: String) -> Trouble {
    Trouble { at: Bytes::new(0, 0), kind: TroubleKind::Limit, message }
}

/// Returns what stands on the line before a comment that starts at byte `start`.
fn place_of(text: &str, start: usize) -> CommentPlace {
    let before = text.as_bytes().get(..start).unwrap_or_default();
    match before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) {
        None | Some(b'\n') => CommentPlace::OwnLine,
        Some(_) => CommentPlace::AfterCode,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    /// Checks the printed view, the comments and the troubles, and that no span is wrong.
    pub(super) fn check(format: Format, text: &str, expected: &str) {
        let parsed = parse(format, text.as_bytes());
        let mut out = print(&parsed.tree);
        for comment in &parsed.comments {
            let place = if comment.place == CommentPlace::OwnLine { "own" } else { "after" };
            let _ = writeln!(out, "# {place} {:?}", comment.text);
            assert!(comment.bytes.of(text).contains(&comment.text), "{comment:?} in {text:?}");
        }
        for trouble in &parsed.troubles {
            let _ = writeln!(out, "! {:?} {}", trouble.kind, trouble.message);
            assert!(trouble.at.end as usize <= text.len() + 1, "{trouble:?} in {text:?}");
        }
        assert_eq!(out, expected, "{text:?}");
        parsed.tree.roots.iter().for_each(|root| spans_are_true(text, root));
    }

    /// Children lie inside their parents where the format has no tables spread over the file, and verbatim text is
    /// found where its map says.
    fn spans_are_true(text: &str, node: &Node) {
        for entry in node.entries() {
            assert!(node.bytes.contains(entry.key.bytes), "{:?} in {:?}", entry.key, node.bytes);
            spans_are_true(text, &entry.key);
            spans_are_true(text, &entry.value);
        }
        for item in node.items() {
            spans_are_true(text, item);
        }
        let Some(scalar) = node.as_scalar() else {
            return;
        };
        let has_holes = scalar.holes().next().is_some();
        for hole in scalar.holes() {
            assert_eq!(hole.file_bytes().of(text), hole.text);
        }
        for (at, character) in scalar.text.text.char_indices() {
            let source = scalar.text.map.to_file(Bytes::new(at, at + character.len_utf8())).of(text);
            let verbatim = source == character.to_string();
            let in_template = character.is_whitespace() && (source.contains(['%', '<', '{', '}']) || has_holes);
            let decoded = source.starts_with(['\\', '&', '\'', '<', '|']) || source.trim().is_empty() || in_template;
            assert!(verbatim || decoded, "{character:?} of {scalar:?} is {source:?}");
        }
        let parts: String =
            scalar.parts.iter().map(|part| if let Part::Text(text) = part { text } else { "" }).collect();
        assert_eq!(parts, scalar.text.text);
    }

    const FORMATS: [Format; 7] =
        [Format::Yaml, Format::ErbYaml, Format::HelmYaml, Format::Json, Format::Jsonc, Format::Toml, Format::Plist];

    /// Checks what must hold for any text: all places lie in it, and parts and text say the same.
    fn holds_for_any(text: &str) {
        for format in FORMATS {
            let parsed = parse(format, text.as_bytes());
            let end = text.len();
            assert!(parsed.troubles.iter().all(|trouble| trouble.at.end as usize <= end + 1), "{:?}", parsed.troubles);
            for comment in &parsed.comments {
                assert!(text.get(comment.bytes.start as usize..comment.bytes.end as usize).is_some(), "{comment:?}");
            }
            let print = print(&parsed.tree);
            assert_eq!(print.is_empty(), parsed.tree.roots.is_empty() && parsed.tree.statements.is_empty());
            // The toml crate makes up text for a string that it cannot read.
            if format != Format::Toml || parsed.troubles.is_empty() {
                parsed.tree.roots.iter().for_each(|root| spans_are_true(text, root));
            }
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]
        #[test]
        fn any_text_is_read_with_true_spans(
            words in proptest::collection::vec(proptest::sample::select(WORDS), 0..24),
        ) {
            holds_for_any(&words.concat());
        }
    }

    const WORDS: &[&str] = &[
        "a",
        "b: ",
        "- ",
        "\n",
        "\n  ",
        "\n    ",
        "é",
        "'",
        "\"",
        "''",
        "\\n",
        "\\",
        "\\\n",
        "|\n",
        ">\n",
        "|2+\n",
        "# c",
        " #",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "&x ",
        "*x",
        "<<: ",
        "---\n",
        "...\n",
        "!t ",
        "!!str ",
        "? ",
        "\t",
        "\r\n",
        " ",
        "<% if x %>",
        "<% end %>",
        "<% else %>",
        "<%= y %>",
        "<%#z%>",
        "<%%",
        "<%",
        "%>",
        "{{ .x }}",
        "{{- if y }}",
        "{{ end }}",
        "{{",
        "}}",
        "{{ z | nindent 2 }}",
        "<dict>",
        "</dict>",
        "<key>",
        "</key>",
        "<string>",
        "</string>",
        "&amp;",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<true/>",
        "= ",
        "1.5",
        "\"\"\"",
        "\u{feff}",
        "~",
        "\u{85}",
        "\u{2028}",
        "//",
        "/*",
        "*/",
        "true",
        "null",
    ];

    pub(super) fn numbered(line: impl Fn(u32) -> String) -> String {
        (0..20_000).map(line).collect::<Vec<_>>().concat()
    }

    pub(super) fn trouble_kinds(parsed: &Parsed<Document>) -> Vec<TroubleKind> {
        parsed.troubles.iter().map(|trouble| trouble.kind).collect()
    }

    /// Checks that a long text takes well under the time of a quadratic reading.
    pub(super) fn long_input(format: Format, text: &str) {
        let start = std::time::Instant::now();
        let parsed = parse(format, text.as_bytes());
        let head: String = text.chars().take(20).collect();
        assert!(start.elapsed().as_secs() < 30, "{head:?}: {} bytes took {:?}", text.len(), start.elapsed());
        drop(parsed);
    }
}
