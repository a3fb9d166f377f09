//! JSON and JSONC into the data view. What is broken is not read at all: jsonc-parser gives no part of it.

use jsonc_parser::ast::{self, Comment as JsonComment, ObjectPropName, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use crate::source::Bytes;
use crate::syntax::{Comment, Trouble, TroubleKind, too_deep_at};

use super::encoding::Text;
use super::escape::{self, Dialect};
use super::scalar::{Builder, verbatim};
use super::{Document, Entry, Format, Kind, NODE_LIMIT, Node, Parsed, Scalar, Style, place_of, refuse};

pub(super) fn parse(format: Format, bytes: &[u8]) -> Parsed<Document> {
    let source = match Text::of(bytes) {
        Ok(source) => source.without_mark(),
        Err(trouble) => return refuse(trouble),
    };
    if let Some(at) = too_deep_at(bytes) {
        return refuse(Trouble { at: Bytes::new(at, at + 1), ..super::too_deep_trouble() });
    }
    let text = source.text.as_ref();
    let collect = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
    let parsed = match parse_to_ast(text, &collect, &options(Trailing::Allowed)) {
        Ok(parsed) => parsed,
        Err(error) => return refuse(trouble(&error, TroubleKind::Unparsable)),
    };
    let mut comments: Vec<Comment> = Vec::new();
    for comment in parsed.comments.iter().flat_map(|map| map.values()).flat_map(|all| all.iter()) {
        comments.push(read_comment(text, comment));
    }
    comments.sort_by_key(|comment| comment.bytes);
    comments.dedup();
    let mut tree = Document::default();
    let mut troubles = Vec::new();
    let mut reader = Reader { text, nodes: 0 };
    match parsed.value.as_ref().map(|value| reader.value(value)) {
        Some(root) if reader.nodes <= NODE_LIMIT => tree.roots.push(root),
        Some(_) => troubles.push(super::too_many_trouble()),
        None => troubles.push(nothing(text)),
    }
    if format == Format::Json {
        troubles.extend(beyond_json(text, &comments));
    }
    troubles.extend(source.taint(&mut tree.roots));
    Parsed { tree, comments, troubles }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Trailing {
    Allowed,
    Refused,
}

fn options(trailing: Trailing) -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: trailing == Trailing::Allowed,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Tells the first comment and the first trailing comma, which a reader of strict JSON refuses.
fn beyond_json(text: &str, comments: &[Comment]) -> Vec<Trouble> {
    let syntax = TroubleKind::Syntax;
    let comment = comments.first().map(|comment| Trouble {
        at: comment.bytes,
        kind: syntax,
        message: "JSON has no comments".to_owned(),
    });
    let comma = parse_to_ast(text, &CollectOptions::default(), &options(Trailing::Refused)).err();
    comment.into_iter().chain(comma.map(|error| trouble(&error, syntax))).collect()
}

fn trouble(error: &ParseError, kind: TroubleKind) -> Trouble {
    let message = error.kind().to_string();
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    Trouble { at: bytes(error.range()), kind, message: first + letters.as_str() }
}

fn nothing(text: &str) -> Trouble {
    let at = Bytes::new(text.len(), text.len());
    Trouble { at, kind: TroubleKind::Unparsable, message: "no value".to_owned() }
}

fn bytes(range: Range) -> Bytes {
    Bytes::new(range.start, range.end)
}

fn read_comment(text: &str, comment: &JsonComment<'_>) -> Comment {
    let (range, inside) = match comment {
        JsonComment::Line(line) => (line.range, line.text),
        JsonComment::Block(block) => (block.range, block.text),
    };
    let inside = inside.trim_start_matches(['/', '*']).trim();
    Comment { bytes: bytes(range), text: inside.to_owned(), place: place_of(text, range.start) }
}

struct Reader<'a> {
    text: &'a str,
    nodes: usize,
}

impl Reader<'_> {
    /// Recurses as deep as the brackets nest, which [`too_deep_at`] has limited.
    fn value(&mut self, value: &Value<'_>) -> Node {
        self.nodes += 1;
        let kind = match value {
            Value::StringLit(string) => self.string(string),
            Value::NumberLit(number) => self.written(number.range, Style::Number),
            Value::BooleanLit(boolean) => self.written(boolean.range, Style::Boolean),
            Value::NullKeyword(null) => self.written(null.range, Style::Null),
            Value::Array(array) => Kind::List(array.elements.iter().map(|element| self.value(element)).collect()),
            Value::Object(object) => Kind::Map(object.properties.iter().map(|property| self.entry(property)).collect()),
        };
        Node { bytes: bytes(value.range()), kind, anchor: None, tainted: false }
    }

    fn entry(&mut self, property: &ast::ObjectProp<'_>) -> Entry {
        self.nodes += 1;
        let range = property.name.range();
        let kind = match &property.name {
            ObjectPropName::String(string) => self.string(string),
            ObjectPropName::Word(word) => self.written(word.range, Style::Plain),
        };
        let key = Node { bytes: bytes(range), kind, anchor: None, tainted: false };
        Entry { key, value: self.value(&property.value), conditions: Vec::new() }
    }

    fn written(&self, range: Range, style: Style) -> Kind {
        let bytes = bytes(range);
        Kind::Scalar(verbatim(bytes.of(self.text), bytes, style))
    }

    fn string(&self, string: &ast::StringLit<'_>) -> Kind {
        let range = Bytes::new(string.range.start + 1, string.range.end.saturating_sub(1));
        let mut builder = Builder::new(&[], range);
        escape::decode(range.of(self.text), string.range.start + 1, Dialect::Json, &mut builder);
        let scalar: Scalar = builder.finish(Style::Quoted, &string.value);
        Kind::Scalar(scalar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::data::tests::{check, long_input, trouble_kinds};

    #[test]
    fn values_in_written_order_with_duplicates() {
        check(
            Format::Json,
            "{\"b\": [1, -2.5e3, true, null], \"a\": {}, \"b\": \"x\"}",
            "map\n  \"b\": list\n    - number 1\n    - number -2.5e3\n    - boolean true\n    - null null\n  \
             \"a\": map\n  \"b\": quoted \"x\"\n",
        );
        check(Format::Json, "\u{feff}1", "number 1\n");
    }

    #[test]
    fn strings_lead_back_through_escapes() {
        let text = r#"{"a\u0062": "x\n\"\u00e9\ud83d\ude00\/y"}"#;
        check(Format::Json, text, "map\n  \"ab\": quoted \"x\\n\\\"é😀/y\"\n");
        let parsed = parse(Format::Json, text.as_bytes());
        let scalar = parsed.tree.roots[0].entries()[0].value.as_scalar().unwrap();
        let slice = |at, end| scalar.text.map.to_file(Bytes::new(at, end)).of(text);
        assert_eq!(slice(1, 2), r"\n");
        assert_eq!(slice(5, 9), r"\ud83d\ude00");
        assert_eq!(slice(10, 11), "y");
        assert_eq!(slice(0, 11), r#"x\n\"\u00e9\ud83d\ude00\/y"#);
    }

    #[test]
    fn comments_and_commas_are_read_and_told_in_json() {
        let text = "// top\n{\n  \"a\": 1, /* one */\n  \"b\": [2,],\n}\n";
        let tree = "map\n  \"a\": number 1\n  \"b\": list\n    - number 2\n";
        check(Format::Jsonc, text, &format!("{tree}# own \"top\"\n# after \"one\"\n"));
        check(
            Format::Json,
            text,
            &format!(
                "{tree}# own \"top\"\n# after \"one\"\n! Syntax JSON has no comments\n! Syntax trailing commas are not allowed\n"
            ),
        );
    }

    #[test]
    fn broken_text_has_a_place() {
        for (text, at) in [
            ("{\"a\": }", 6),
            ("{\"a\" 1}", 5),
            ("[1 2]", 2),
            ("{\"a\": 1", 0),
            ("'x'", 0),
            ("", 0),
            ("nul", 0),
            ("1 2", 2),
        ] {
            let parsed = parse(Format::Jsonc, text.as_bytes());
            assert!(parsed.tree.roots.is_empty(), "{text}");
            assert_eq!(parsed.troubles[0].kind, TroubleKind::Unparsable, "{text}");
            assert_eq!(parsed.troubles[0].at.start, at, "{text} {:?}", parsed.troubles);
        }
        assert_eq!(trouble_kinds(&parse(Format::Json, b"\xff\xfe{\0}\0")), [TroubleKind::Encoding]);
        let parsed = parse(Format::Json, b"{\"a\": \"\xe9\", \"b\": 1}");
        assert_eq!(trouble_kinds(&parsed), [TroubleKind::Encoding]);
        assert!(parsed.tree.roots[0].get("a").unwrap().tainted && !parsed.tree.roots[0].get("b").unwrap().tainted);
    }

    #[test]
    fn time_grows_with_the_text() {
        for unit in ["[", "{\"a\":", "\"", "\\", "1,", "//\n", "/*", "[]", "\"\\u0041"] {
            long_input(Format::Json, &unit.repeat((1 << 18) / unit.len()));
        }
        long_input(Format::Json, &format!("[{}1]", "1,".repeat(1 << 17)));
        long_input(Format::Json, &format!("[{}1]", "//x\n1,".repeat(1 << 16)));
        long_input(Format::Json, &format!("\"{}\"", "\\u0041".repeat(1 << 17)));
        long_input(Format::Json, &format!("{{{}\"a\":1}}", "\"a\":1,".repeat(1 << 16)));
    }
}
