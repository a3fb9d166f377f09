//! TOML values into a [`Config`]; every fault is collected, so that a file is mended in one go.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::duration::milliseconds;
use super::find::tables;
use super::{
    Assumed, Config, ConfigError, Deployed, Globs, Level, PathIgnore, Pin, Queue, RawRow, RulePattern, RuleSetting,
    nearest,
};
use crate::finding::Severity;
use crate::rules::Page;
use crate::source::Bytes;

type Key<'i> = Spanned<DeString<'i>>;
type Value<'i> = Spanned<DeValue<'i>>;

const KEYS: [&str; 7] = ["exclude", "rules", "per-path", "deploy", "assume", "retry", "wait"];
const LEVELS: [&str; 5] = ["off", "on", "error", "warning", "advice"];

/// The tables that users may add rows to: family, kind of row, name of both.
const ROWS: [(&str, &str, &str); 2] = [("retry", "library", "retry.library"), ("wait", "pool", "wait.pool")];

/// A file with more entries than this in one table is refused, so that a hostile one costs no more than a large one.
const ENTRIES: usize = 10_000;

/// Reads the tables of `text` that belong to us.
pub(super) fn config(text: &str, path: &Path, pages: &[Page]) -> Result<Config, Vec<ConfigError>> {
    let (document, broken) = DeTable::parse_recoverable(text);
    if !broken.is_empty() {
        return Err(broken.iter().map(|error| syntax(error, text)).collect());
    }
    let mut reader = Reader { pages, errors: Vec::new() };
    let mut config = Config { path: Some(path.to_owned()), ..Config::default() };
    let tables = tables(document.get_ref(), path);
    if tables.is_empty() {
        reader.fail(
            0..0,
            "no table for foreshock in this file",
            "write `[tool.foreshock]` in pyproject.toml, `[package.metadata.foreshock]` in Cargo.toml",
        );
    }
    for table in tables {
        reader.top(table, &mut config);
    }
    if reader.errors.is_empty() { Ok(config) } else { Err(reader.errors) }
}

fn syntax(error: &toml::de::Error, text: &str) -> ConfigError {
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    ConfigError::new(error.span().unwrap_or(text.len()..text.len()), message, "")
}

struct Reader<'p> {
    pages: &'p [Page],
    errors: Vec<ConfigError>,
}

impl Reader<'_> {
    fn top(&mut self, table: &DeTable<'_>, config: &mut Config) {
        for (key, value) in in_order(table) {
            match key.get_ref().as_ref() {
                "exclude" => config.exclude = self.exclude(value),
                "rules" => self.rules(value, config),
                "per-path" => self.per_path(value, config),
                "deploy" => self.deploy(value, config),
                "assume" => self.assume(value, config),
                family if ROWS.iter().any(|(known, ..)| *known == family) => self.rows(family, value, config),
                _ => self.unknown(key, "key", &KEYS),
            }
        }
    }

    fn exclude(&mut self, value: &Value<'_>) -> Globs {
        let patterns = self.strings("`exclude`", value);
        match Globs::of(patterns.iter().map(|(pattern, _)| pattern.as_str())) {
            Ok(globs) => globs,
            Err((index, reason)) => {
                let span = patterns.get(index).map_or(value.span(), |(_, span)| span.clone());
                self.fail(span, format!("not a path pattern: {reason}"), "");
                Globs::default()
            }
        }
    }

    fn rules(&mut self, value: &Value<'_>, config: &mut Config) {
        for (key, value) in self.entries("`rules`", value) {
            let pattern = self.pattern(key.get_ref(), key.span());
            let help = "write one of \"off\", \"on\", \"error\", \"warning\", \"advice\"";
            let Some(level) = self.string("a rule's level", value, help) else { continue };
            let level = match level {
                "off" => Level::Off,
                "on" => Level::On,
                "error" => Level::At(Severity::Error),
                "warning" => Level::At(Severity::Warning),
                "advice" => Level::At(Severity::Advice),
                other => {
                    let help = nearest(other, LEVELS).map_or(help.to_owned(), |word| format!("did you mean `{word}`?"));
                    self.fail(value.span(), format!("unknown level `{other}`"), help);
                    continue;
                }
            };
            if let Some(pattern) = pattern {
                config.rules.push(RuleSetting { pattern, level, bytes: bytes(&key.span()) });
            }
        }
    }

    fn per_path(&mut self, value: &Value<'_>, config: &mut Config) {
        for (key, value) in self.entries("`per-path`", value) {
            let globs = match Globs::of([key.get_ref().as_ref()]) {
                Ok(globs) => globs,
                Err((_, reason)) => {
                    self.fail(key.span(), format!("not a path pattern: {reason}"), "");
                    continue;
                }
            };
            let mut ignore = Vec::new();
            for (key, value) in self.entries("an entry of `per-path`", value) {
                if key.get_ref() != "ignore" {
                    self.unknown(key, "key", &["ignore"]);
                    continue;
                }
                for (name, span) in self.strings("`ignore`", value) {
                    ignore.extend(self.pattern(&name, span));
                }
            }
            config.per_path.push(PathIgnore { globs, ignore });
        }
    }

    fn deploy(&mut self, value: &Value<'_>, config: &mut Config) {
        for (key, value) in self.entries("`deploy`", value) {
            if key.get_ref() == "pin" {
                self.pins(value, config);
                continue;
            }
            let host = Path::new(key.get_ref().as_ref());
            if !key.get_ref().starts_with('/') || host.components().any(|part| part == Component::ParentDir) {
                let help = match nearest(key.get_ref(), ["pin"]) {
                    Some(pin) => format!("did you mean `[[deploy.{pin}]]`?"),
                    None => "write \"/host/path\" = \"repository/path\"".to_owned(),
                };
                self.fail(key.span(), format!("`{}` is not an absolute path on a host", key.get_ref()), help);
                continue;
            }
            let help = "write the path in this repository, \".\" for all of it";
            let Some(text) = self.string("a deployed path", value, help) else { continue };
            if let Some(repository) = self.inside(text, value.span()) {
                config.deploy.push(Deployed {
                    host: host.components().collect(),
                    repository,
                    bytes: bytes(&key.span()),
                });
            }
        }
    }

    fn pins(&mut self, value: &Value<'_>, config: &mut Config) {
        for (span, row) in self.array_of_tables("deploy.pin", value) {
            let mut path = None;
            let mut by = String::new();
            for (key, value) in in_order(row) {
                match key.get_ref().as_ref() {
                    "path" => {
                        let Some(text) = self.string("`path`", value, "") else { continue };
                        path = self.inside(text, value.span()).map(|path| (path, bytes(&value.span())));
                    }
                    "by" => by = self.string("`by`", value, "").unwrap_or_default().to_owned(),
                    _ => self.unknown(key, "key", &["path", "by"]),
                }
            }
            match path {
                Some((path, bytes)) => config.pins.push(Pin { path, by, bytes }),
                None if row.contains_key("path") => {}
                None => self.fail(span, "a pin without `path`", "add `path`, relative to this file's directory"),
            }
        }
    }

    fn assume(&mut self, value: &Value<'_>, config: &mut Config) {
        for (name, value) in self.entries("`assume`", value) {
            for (key, value) in self.entries("an entry of `assume`", value) {
                if name.get_ref() == "queue" && value.get_ref().is_table() {
                    self.queue(key, value, config);
                } else if let Some(text) = self.scalar(value) {
                    config.assumed.push(Assumed {
                        process: name.get_ref().to_string(),
                        variable: key.get_ref().to_string(),
                        value: text,
                        bytes: bytes(&value.span()),
                    });
                }
            }
        }
    }

    fn queue(&mut self, name: &Key<'_>, value: &Value<'_>, config: &mut Config) {
        for (key, value) in self.entries("a queue", value) {
            if key.get_ref() != "latency" {
                self.unknown(key, "key", &["latency"]);
                continue;
            }
            let help = "write a number with a unit: \"30s\", \"5m\", \"2h\" or \"1d\"";
            let Some(text) = self.string("`latency`", value, help) else { continue };
            match milliseconds(text) {
                Some(latency_ms) => config.queues.push(Queue {
                    name: name.get_ref().to_string(),
                    latency_ms,
                    bytes: bytes(&value.span()),
                }),
                None => self.fail(value.span(), format!("`{text}` is not a duration"), help),
            }
        }
    }

    fn rows(&mut self, family: &str, value: &Value<'_>, config: &mut Config) {
        for (key, value) in self.entries(&format!("`{family}`"), value) {
            let found = ROWS.iter().find(|(known, kind, _)| *known == family && kind == key.get_ref());
            let Some(&(_, _, table)) = found else {
                let kinds: Vec<_> = ROWS.iter().filter(|row| row.0 == family).map(|row| row.1).collect();
                self.unknown(key, "table", &kinds);
                continue;
            };
            for (span, row) in self.array_of_tables(table, value) {
                let keys = in_order(row)
                    .into_iter()
                    .map(|(key, value)| (key.get_ref().to_string(), bytes(&key.span()), bytes(&value.span())))
                    .collect();
                let plain = Spanned::new(span.clone(), DeValue::Table(row.clone()));
                match serde::Deserialize::deserialize(toml::de::ValueDeserializer::from(plain)) {
                    Ok(values) => config.rows.push(RawRow { table, values, bytes: bytes(&span), keys }),
                    Err(error) => self.fail(error.span().unwrap_or(span), error.message(), ""),
                }
            }
        }
    }

    fn entries<'v, 'i>(&mut self, what: &str, value: &'v Value<'i>) -> Vec<(&'v Key<'i>, &'v Value<'i>)> {
        let Some(table) = value.get_ref().as_table() else {
            self.mismatch(what, "a table", value, "");
            return Vec::new();
        };
        if table.len() > ENTRIES {
            self.fail(value.span(), format!("{what} has more than {ENTRIES} entries"), "");
            return Vec::new();
        }
        in_order(table)
    }

    fn array_of_tables<'v, 'i>(&mut self, name: &str, value: &'v Value<'i>) -> Vec<(Range<usize>, &'v DeTable<'i>)> {
        let help = format!("write `[[{name}]]`");
        let Some(array) = value.get_ref().as_array() else {
            self.mismatch(&format!("`{name}`"), "an array of tables", value, &help);
            return Vec::new();
        };
        let mut rows = Vec::new();
        for row in array.iter() {
            match row.get_ref().as_table() {
                Some(table) => rows.push((row.span(), table)),
                None => self.mismatch(&format!("an entry of `{name}`"), "a table", row, &help),
            }
        }
        rows
    }

    fn strings(&mut self, what: &str, value: &Value<'_>) -> Vec<(String, Range<usize>)> {
        let Some(array) = value.get_ref().as_array() else {
            self.mismatch(what, "a list of strings", value, "write it in brackets: [\"…\"]");
            return Vec::new();
        };
        let mut strings = Vec::new();
        for each in array.iter().take(ENTRIES) {
            if let Some(text) = self.string(&format!("an entry of {what}"), each, "") {
                strings.push((text.to_owned(), each.span()));
            }
        }
        strings
    }

    fn string<'v>(&mut self, what: &str, value: &'v Value<'_>, help: &str) -> Option<&'v str> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.mismatch(what, "a string", value, help);
        }
        text
    }

    /// Returns a value as an environment would hold it.
    fn scalar(&mut self, value: &Value<'_>) -> Option<String> {
        match value.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Boolean(set) => Some(set.to_string()),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Some(number.to_string()),
                Err(_) => {
                    self.fail(value.span(), "the number is too large", "");
                    None
                }
            },
            _ => {
                self.mismatch("an assumed value", "a string, an integer or a boolean", value, "");
                None
            }
        }
    }

    fn pattern(&mut self, name: &str, span: Range<usize>) -> Option<RulePattern> {
        RulePattern::parse(name, self.pages).map_err(|unknown| self.fail(span, unknown.to_string(), unknown.help)).ok()
    }

    /// Returns a path that stays in the repository, without `.` parts.
    fn inside(&mut self, text: &str, span: Range<usize>) -> Option<PathBuf> {
        let mut path = PathBuf::new();
        for part in Path::new(text).components() {
            match part {
                Component::Normal(part) => path.push(part),
                Component::CurDir => {}
                _ => {
                    let help = "write it relative to this file's directory";
                    self.fail(span, format!("`{text}` is not a path in this repository"), help);
                    return None;
                }
            }
        }
        if text.is_empty() {
            self.fail(span, "the path is empty", "write \".\" for this file's directory");
            return None;
        }
        Some(path)
    }

    fn unknown(&mut self, key: &Key<'_>, what: &str, known: &[&str]) {
        let help = match nearest(key.get_ref(), known.iter().copied()) {
            Some(word) => format!("did you mean `{word}`?"),
            None => {
                let known: Vec<_> = known.iter().map(|word| format!("`{word}`")).collect();
                format!("known here: {}", known.join(", "))
            }
        };
        self.fail(key.span(), format!("unknown {what} `{}`", key.get_ref()), help);
    }

    fn mismatch(&mut self, what: &str, expected: &str, value: &Value<'_>, help: &str) {
        let found = match value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.fail(value.span(), format!("{what} must be {expected}, not {found}"), help);
    }

    fn fail(&mut self, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.errors.push(ConfigError::new(span, message, help));
    }
}

/// Returns the entries of a table as they were written: the parser sorts them by key.
fn in_order<'v, 'i>(table: &'v DeTable<'i>) -> Vec<(&'v Key<'i>, &'v Value<'i>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

fn bytes(span: &Range<usize>) -> Bytes {
    Bytes::new(span.start, span.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::render;
    use crate::config::sample::pages;

    fn config(text: &str) -> Config {
        Config::parse(text, Path::new("foreshock.toml"), &pages()).unwrap_or_else(|errors| panic!("{errors:#?}"))
    }

    /// Each expected fault: the text it points at, its message, its help.
    fn check(text: &str, expected: &[(&str, &str, &str)]) {
        let errors = Config::parse(text, Path::new("foreshock.toml"), &pages()).expect_err(text);
        let found: Vec<_> =
            errors.iter().map(|error| (error.bytes.of(text), error.message.as_str(), error.help.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn an_empty_file_configures_nothing() {
        let config = config("");
        assert!(!config.excludes_file(Path::new("a")));
        assert!(config.rules.is_empty() && config.rows.is_empty());
    }

    #[test]
    fn rules_take_levels_by_id_and_family() {
        let config = config("[rules]\n\"retry/no-match\" = \"off\"\npool = \"advice\"\nall = \"on\"");
        let found: Vec<_> = config.rules.iter().map(|rule| (rule.pattern.clone(), rule.level)).collect();
        assert_eq!(
            found,
            [
                (RulePattern::Rule("retry/no-match".to_owned()), Level::Off),
                (RulePattern::Family("pool".to_owned()), Level::At(Severity::Advice)),
                (RulePattern::All, Level::On),
            ]
        );
    }

    #[test]
    fn per_path_hides_named_rules_in_matching_files() {
        let config = config("[per-path]\n\"legacy/**\" = { ignore = [\"retry/no-match\", \"pool\"] }");
        assert!(config.ignores(Path::new("legacy/a.js"), "retry/no-match"));
        assert!(config.ignores(Path::new("legacy/a.js"), "pool/no-headroom"));
        assert!(!config.ignores(Path::new("legacy/a.js"), "retry/match-all"));
        assert!(!config.ignores(Path::new("a.js"), "retry/no-match"));
    }

    #[test]
    fn deploy_holds_mappings_and_pins_side_by_side() {
        let text = "[deploy]\n\"/srv/shop/current/\" = \"./app\"\n\"/srv/b\" = \".\"\n\
            [[deploy.pin]]\npath = \"bin/start.sh\"\nby = \"mac-1\"\n[[deploy.pin]]\npath = \"x\"\n";
        let config = config(text);
        let mapped: Vec<_> = config.deploy.iter().map(|each| (each.host.clone(), each.repository.clone())).collect();
        assert_eq!(
            mapped,
            [(PathBuf::from("/srv/shop/current"), PathBuf::from("app")), (PathBuf::from("/srv/b"), PathBuf::new())]
        );
        let pins: Vec<_> =
            config.pins.iter().map(|pin| (pin.path.clone(), pin.by.as_str(), pin.bytes.of(text))).collect();
        assert_eq!(
            pins,
            [(PathBuf::from("bin/start.sh"), "mac-1", "\"bin/start.sh\""), (PathBuf::from("x"), "", "\"x\"")]
        );
    }

    #[test]
    fn assumed_values_read_as_an_environment_holds_them() {
        let text = "[assume.web]\nRAILS_MAX_THREADS = 16\nDEBUG = true\nMASK = 0x1_f\nNAME = 'x'\n\
            [assume.queue]\nSIZE = 1\n[assume.queue.default]\nlatency = \"2h\"\n";
        let config = config(text);
        let values: Vec<_> = config
            .assumed
            .iter()
            .map(|each| (each.process.as_str(), each.variable.as_str(), each.value.as_str()))
            .collect();
        assert_eq!(
            values,
            [
                ("web", "RAILS_MAX_THREADS", "16"),
                ("web", "DEBUG", "true"),
                ("web", "MASK", "31"),
                ("web", "NAME", "x"),
                ("queue", "SIZE", "1"),
            ]
        );
        assert_eq!(config.assumed.first().unwrap().bytes.of(text), "16");
        assert_eq!(config.queues.len(), 1);
        assert_eq!((config.queues[0].name.as_str(), config.queues[0].latency_ms), ("default", 7_200_000));
    }

    #[test]
    fn rows_are_kept_with_the_places_of_their_keys() {
        let text = "[[retry.library]]\nname = \"ours\"\noptions = { max = 3 }\n[[wait.pool]]\nname = \"p\"\n";
        let config = config(text);
        let tables: Vec<_> = config.rows.iter().map(|row| row.table).collect();
        assert_eq!(tables, ["retry.library", "wait.pool"]);
        let row = &config.rows[0];
        assert_eq!(row.values["options"]["max"].as_integer(), Some(3));
        let keys: Vec<_> =
            row.keys.iter().map(|(key, at, value)| (key.as_str(), at.of(text), value.of(text))).collect();
        assert_eq!(keys, [("name", "name", "\"ours\""), ("options", "options", "{ max = 3 }")]);
    }

    #[test]
    fn unknown_names_are_pointed_at_with_a_suggestion() {
        check("exlude = []", &[("exlude", "unknown key `exlude`", "did you mean `exclude`?")]);
        check(
            "[rules]\n\"retry/no-mach\" = \"off\"",
            &[("\"retry/no-mach\"", "unknown rule `retry/no-mach`", "did you mean `retry/no-match`?")],
        );
        check(
            "[rules]\nretry = \"warn\"\npool = \"eror\"",
            &[
                (
                    "\"warn\"",
                    "unknown level `warn`",
                    "write one of \"off\", \"on\", \"error\", \"warning\", \"advice\"",
                ),
                ("\"eror\"", "unknown level `eror`", "did you mean `error`?"),
            ],
        );
        check("[[retry.libary]]\nname = 1", &[("libary", "unknown table `libary`", "did you mean `library`?")]);
        check("[per-path]\na = { ignroe = [] }", &[("ignroe", "unknown key `ignroe`", "did you mean `ignore`?")]);
        check(
            "[per-path]\na = { ignore = ['retyr'] }",
            &[("'retyr'", "unknown rule `retyr`", "did you mean `retry`?")],
        );
        check("[[deploy.pin]]\npath = 'a'\nfile = 'x'", &[("file", "unknown key `file`", "known here: `path`, `by`")]);
        check(
            "[deploy]\npins = 'a'",
            &[("pins", "`pins` is not an absolute path on a host", "did you mean `[[deploy.pin]]`?")],
        );
        check("[assume.queue.q]\nlatncy = '2h'", &[("latncy", "unknown key `latncy`", "did you mean `latency`?")]);
    }

    #[test]
    fn values_of_the_wrong_form_are_pointed_at() {
        check(
            "exclude = 'a'",
            &[("'a'", "`exclude` must be a list of strings, not a string", "write it in brackets: [\"…\"]")],
        );
        check(
            "exclude = ['a', 1, '{']",
            &[
                ("1", "an entry of `exclude` must be a string, not an integer", ""),
                ("'{'", "not a path pattern: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)", ""),
            ],
        );
        check("rules = 1", &[("1", "`rules` must be a table, not an integer", "")]);
        check(
            "retry = { library = { name = 'x' } }",
            &[(
                "{ name = 'x' }",
                "`retry.library` must be an array of tables, not a table",
                "write `[[retry.library]]`",
            )],
        );
        check(
            "[assume.queue.q]\nlatency = 2",
            &[(
                "2",
                "`latency` must be a string, not an integer",
                "write a number with a unit: \"30s\", \"5m\", \"2h\" or \"1d\"",
            )],
        );
        check(
            "[assume.queue.q]\nlatency = '2 w'",
            &[("'2 w'", "`2 w` is not a duration", "write a number with a unit: \"30s\", \"5m\", \"2h\" or \"1d\"")],
        );
        check("[assume]\nweb = 1", &[("1", "an entry of `assume` must be a table, not an integer", "")]);
        check(
            "[assume.web]\na = 1.5\nb = 99999999999999999999",
            &[
                ("1.5", "an assumed value must be a string, an integer or a boolean, not a float", ""),
                ("99999999999999999999", "the number is too large", ""),
            ],
        );
        check(
            "[deploy]\n'/a' = '../b'\n'/c' = ''\n'/d/../e' = '.'",
            &[
                ("'../b'", "`../b` is not a path in this repository", "write it relative to this file's directory"),
                ("''", "the path is empty", "write \".\" for this file's directory"),
                (
                    "'/d/../e'",
                    "`/d/../e` is not an absolute path on a host",
                    "write \"/host/path\" = \"repository/path\"",
                ),
            ],
        );
        check(
            "[[deploy.pin]]\nby = 'x'",
            &[("[[deploy.pin]]", "a pin without `path`", "add `path`, relative to this file's directory")],
        );
    }

    #[test]
    fn broken_toml_is_an_error_with_a_place() {
        let text = "exclude = [\"a\"\n[rules]\n";
        let errors = Config::parse(text, Path::new("foreshock.toml"), &pages()).unwrap_err();
        assert!(render(&errors, text, "foreshock.toml").contains("--> foreshock.toml:"), "{errors:?}");
        check("a = 1\na = 2", &[("a", "duplicate key", "")]);
        for text in ["[".repeat(100_000), format!("{}a = 1", "a.".repeat(100_000)), "\u{0}".to_owned()] {
            assert!(Config::parse(&text, Path::new("foreshock.toml"), &pages()).is_err());
        }
    }

    #[test]
    fn tables_in_files_of_others_keep_their_places() {
        let text = "[project]\nname = \"ü\"\n[tool.other]\nx = 1\n[tool.foreshock]\nexlude = []\n";
        let errors = Config::parse(text, Path::new("a/pyproject.toml"), &pages()).unwrap_err();
        assert_eq!(errors[0].bytes.of(text), "exlude");
        let text = "[package.metadata.foreshock]\nexclude = [\"a\"]\n";
        let config = Config::parse(text, Path::new("Cargo.toml"), &pages()).unwrap();
        assert!(config.excludes_file(Path::new("a")));
        let text = "[workspace.metadata]\nforeshock = { exclude = [\"b\"] }\n";
        let config = Config::parse(text, Path::new("Cargo.toml"), &pages()).unwrap();
        assert!(config.excludes_file(Path::new("b")));
        let errors = Config::parse("[project]\n", Path::new("pyproject.toml"), &pages()).unwrap_err();
        assert_eq!(errors[0].message, "no table for foreshock in this file");
    }

    #[test]
    fn a_byte_order_mark_does_not_shift_places() {
        let text = "\u{feff}exlude = []";
        let errors = Config::parse(text, Path::new("foreshock.toml"), &pages()).unwrap_err();
        assert_eq!(errors[0].bytes.of(text), "exlude");
    }
}
