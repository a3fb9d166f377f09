//! TOML values into a [`Config`]; every fault is collected, so that a file is mended in one go.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::duration::milliseconds;
use super::find::tables;
use super::{
    Assumed, Config, ConfigError, Deployed, Level, PathIgnore, Pin, Queue, RawRow, RulePattern, RuleSetting, nearest,
};
use crate::finding::Severity;
use crate::rules::Page;
use crate::source::{Bytes, Globs};

type Key<'i> = Spanned<DeString<'i>>;
type Value<'i> = Spanned<DeValue<'i>>;

pub(super) const KEYS: [&str; 7] = ["exclude", "rules", "per-path", "deploy", "assume", "retry", "wait"];
pub(super) const LEVELS: [&str; 5] = ["off", "on", "error", "warning", "advice"];

/// The tables that users may add rows to: family, kind of row, name of both.
const ROWS: [(&str, &str, &str); 2] = [("retry", "library", "retry.library"), ("wait", "pool", "wait.pool")];

/// A file with more entries than this in one table is refused, so that a hostile one costs no more than a large one.
const ENTRIES: usize = 10_000;
/// More faults are not collected: nobody reads them, and each costs a comparison with all rules.
const FAULTS: usize = 100;

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
                    "by" => self.string("`by`", value, "").unwrap_or_default().clone_into(&mut by),
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
        let mut queue =
            Queue { name: name.get_ref().to_string(), latency_ms: None, rate: None, bytes: bytes(&value.span()) };
        for (key, value) in self.entries("a queue", value) {
            match key.get_ref().as_ref() {
                "latency" => {
                    let help = "write a number with a unit: \"30s\", \"5m\", \"2h\" or \"1d\"";
                    let Some(text) = self.string("`latency`", value, help) else { continue };
                    match milliseconds(text) {
                        Some(latency) => {
                            queue.latency_ms = Some(latency);
                            queue.bytes = bytes(&value.span());
                        }
                        None => self.fail(value.span(), format!("`{text}` is not a duration"), help),
                    }
                }
                "rate" => {
                    let help = "write how many jobs of it are done in a second: 56";
                    let number = match value.get_ref() {
                        DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
                        _ => None,
                    };
                    let number = number.filter(|rate| *rate > 0);
                    if number.is_none() {
                        self.fail(value.span(), "`rate` must be a whole number above 0".to_owned(), help);
                    }
                    queue.rate = number;
                    if queue.latency_ms.is_none() {
                        queue.bytes = bytes(&value.span());
                    }
                }
                _ => self.unknown(key, "key", &["latency", "rate"]),
            }
        }
        if queue.latency_ms.is_some() || queue.rate.is_some() {
            config.queues.push(queue);
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
        for row in array {
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
        if array.len() > ENTRIES {
            self.fail(value.span(), format!("{what} has more than {ENTRIES} entries"), "");
            return Vec::new();
        }
        let mut strings = Vec::new();
        for each in array {
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
            DeValue::Integer(number) => {
                let number = i64::from_str_radix(number.as_str(), number.radix()).ok();
                if number.is_none() {
                    self.fail(value.span(), "the number is too large", "");
                }
                number.map(|number| number.to_string())
            }
            _ => {
                self.mismatch("an assumed value", "a string, an integer or a boolean", value, "");
                None
            }
        }
    }

    fn pattern(&mut self, name: &str, span: Range<usize>) -> Option<RulePattern> {
        if self.errors.len() >= FAULTS {
            return None;
        }
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
        let all = || known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let help = nearest(key.get_ref(), known.iter().copied())
            .map_or_else(|| format!("known here: {}", all()), |word| format!("did you mean `{word}`?"));
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
        if self.errors.len() < FAULTS {
            self.errors.push(ConfigError::new(span, message, help));
        }
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
