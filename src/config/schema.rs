//! The schema of foreshock.toml for editors, `foreshock.schema.json`: what users write themselves stands here, the rows
//! come from the types that read them. The tests hold the committed file, and the reader, to it.

use std::fs;
use std::path::{Path, PathBuf};

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::Config;
use super::read::{KEYS, LEVELS};
use crate::knowledge::{retry, wait};

const FILE: &str = "foreshock.schema.json";

/// Makes the schema. Draft 7 is what editors of TOML know.
fn schema() -> Value {
    let mut rows = SchemaSettings::draft07().into_generator();
    let library = rows.subschema_for::<retry::Library>().to_value();
    let pool = rows.subschema_for::<wait::Pool>().to_value();
    let mut definitions = rows.take_definitions(true);
    definitions.values_mut().for_each(without_null);
    definitions.insert("rule".to_owned(), json!({ "enum": names() }));
    let strings = json!({ "type": "array", "items": { "type": "string" } });
    let rule = json!({ "$ref": "#/definitions/rule" });
    let scalar = json!({ "type": ["string", "integer", "boolean"] });
    let inside = json!({ "type": "string", "minLength": 1, "pattern": r"^(?!/)(?!(.*/)?\.\.(/|$))" });
    let closed = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let rows_of = |row: Value| json!({ "type": "array", "items": row });
    let properties = json!({
        "exclude": described(strings, "Paths that are not read, as patterns relative to this file"),
        "rules": described(
            json!({ "type": "object", "propertyNames": rule, "additionalProperties": { "enum": LEVELS } }),
            "A rule, a family of rules or `all`, and how much it counts",
        ),
        "per-path": described(
            json!({
                "type": "object",
                "additionalProperties": closed(json!({ "ignore": { "type": "array", "items": rule } }), json!([])),
            }),
            "Rules that are not reported in files that fit a pattern",
        ),
        "deploy": described(
            json!({
                "type": "object",
                "properties": { "pin": rows_of(closed(json!({
                    "path": described(inside.clone(), "A path in this repository that a host executes"),
                    "by": { "type": "string", "description": "Who needs it, for people" },
                }), json!(["path"]))) },
                "patternProperties": { r"^/(?!(.*/)?\.\.(/|$))": inside },
                "additionalProperties": false,
            }),
            "A path on a host, and the path in this repository that stands there",
        ),
        "assume": described(
            json!({
                "type": "object",
                "properties": { "queue": {
                    "type": "object",
                    "additionalProperties": { "anyOf": [
                        scalar,
                        closed(json!({
                            "latency": described(
                                json!({ "type": "string" }),
                                "How long a job waits at worst: 30s, 5m, 2h, 1d",
                            ),
                            "rate": described(
                                json!({ "type": "integer", "minimum": 1 }),
                                "How many jobs are done in a second",
                            ),
                        }), json!([])),
                    ] },
                } },
                "additionalProperties": { "type": "object", "additionalProperties": scalar },
            }),
            "What processes see though no file shows it, by the process's name or kind; how long jobs wait in a queue",
        ),
        "retry": described(closed(json!({ "library": rows_of(library) }), json!([])), "Wrappers of yours that repeat"),
        "wait": described(closed(json!({ "pool": rows_of(pool) }), json!([])), "Pools of yours"),
    });
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "foreshock.toml",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "definitions": definitions,
    })
}

fn described(mut schema: Value, text: &str) -> Value {
    schema["description"] = text.into();
    schema
}

/// Returns everything that names rules.
fn names() -> Vec<String> {
    let pages = crate::rules::pages();
    let mut names: Vec<String> = pages.iter().flat_map(|page| [page.id, page.family()]).map(str::to_owned).collect();
    names.push("all".to_owned());
    names.sort();
    names.dedup();
    names
}

/// TOML has no null, and an optional value is an absent key.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            if let Some(Value::Array(types)) = keys.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    keys.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(choices)) = keys.get_mut("anyOf") {
                choices.retain(|choice| choice["type"] != "null");
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    keys.remove("anyOf");
                    keys.extend(only);
                }
            }
            keys.retain(|key, value| key != "format" && (key != "default" || !value.is_null()));
            keys.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

/// Says whether a value fits a schema. Knows the words that [`schema`] uses and no others.
fn fits(value: &Value, schema: &Value, root: &Value) -> bool {
    let Value::Object(words) = schema else { return schema == &Value::Bool(true) };
    words.iter().all(|(word, says)| match (word.as_str(), value) {
        ("$ref", _) => fits(value, root.pointer(says.as_str().unwrap().trim_start_matches('#')).unwrap(), root),
        ("type", _) => {
            let types = says.as_array().cloned().unwrap_or_else(|| vec![says.clone()]);
            types.iter().any(|name| is_of(value, name.as_str().unwrap()))
        }
        ("const", _) => value == says,
        ("enum", _) => says.as_array().unwrap().contains(value),
        ("anyOf", _) => says.as_array().unwrap().iter().any(|choice| fits(value, choice, root)),
        ("oneOf", _) => says.as_array().unwrap().iter().filter(|choice| fits(value, choice, root)).count() == 1,
        ("allOf", _) => says.as_array().unwrap().iter().all(|part| fits(value, part, root)),
        ("required", Value::Object(keys)) => {
            says.as_array().unwrap().iter().all(|key| keys.contains_key(key.as_str().unwrap()))
        }
        ("items", Value::Array(items)) => items.iter().all(|item| fits(item, says, root)),
        ("propertyNames", Value::Object(keys)) => keys.keys().all(|key| fits(&json!(key), says, root)),
        ("properties", Value::Object(keys)) => {
            says.as_object().unwrap().iter().all(|(key, says)| keys.get(key).is_none_or(|it| fits(it, says, root)))
        }
        ("patternProperties", Value::Object(keys)) => says.as_object().unwrap().iter().all(|(pattern, says)| {
            keys.iter().filter(|(key, _)| has_pattern(key, pattern)).all(|(_, value)| fits(value, says, root))
        }),
        ("additionalProperties", Value::Object(keys)) => {
            let named = |key: &str| words.get("properties").is_some_and(|named| named.get(key).is_some());
            let patterns = words.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
            let patterns: Vec<&String> = patterns.collect();
            keys.iter()
                .filter(|(key, _)| !named(key) && !patterns.iter().any(|pattern| has_pattern(key, pattern)))
                .all(|(_, value)| fits(value, says, root))
        }
        ("pattern", Value::String(text)) => has_pattern(text, says.as_str().unwrap()),
        ("minLength", Value::String(text)) => text.chars().count() as u64 >= says.as_u64().unwrap(),
        ("maxLength", Value::String(text)) => text.chars().count() as u64 <= says.as_u64().unwrap(),
        ("minimum", Value::Number(number)) => number.as_f64() >= says.as_f64(),
        ("maximum", Value::Number(number)) => number.as_f64() <= says.as_f64(),
        (
            "$schema"
            | "title"
            | "description"
            | "default"
            | "definitions"
            | "required"
            | "items"
            | "propertyNames"
            | "properties"
            | "patternProperties"
            | "additionalProperties"
            | "pattern"
            | "minLength"
            | "maxLength"
            | "minimum"
            | "maximum",
            _,
        ) => true,
        (other, _) => panic!("the test does not know the word `{other}` of the schema"),
    })
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("the test does not know the type `{other}`"),
    }
}

/// The two patterns of the schema, without an engine for patterns.
fn has_pattern(text: &str, pattern: &str) -> bool {
    let stays = !text.split('/').any(|part| part == "..");
    match pattern {
        r"^/(?!(.*/)?\.\.(/|$))" => text.starts_with('/') && stays,
        r"^(?!/)(?!(.*/)?\.\.(/|$))" => !text.starts_with('/') && stays,
        other => panic!("the test does not know the pattern `{other}`"),
    }
}

/// Says whether foreshock takes a configuration, rows included.
fn is_read(text: &str) -> bool {
    let Ok(config) = Config::parse(text, Path::new("foreshock.toml"), &crate::rules::pages()) else { return false };
    let mut rows = retry::Rows::default();
    config.rows.iter().all(|row| match row.table {
        "wait.pool" => rows.pools.add(&row.values).is_ok(),
        _ => rows.add(&row.values).is_ok(),
    })
}

fn is_valid(text: &str) -> bool {
    let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    let root = schema();
    fits(&serde_json::to_value(table).unwrap(), &root, &root)
}

/// Returns every configuration in the repository: files of cases, and what pages and documents show.
fn configurations() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR"))];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() && name != "target" && !name.starts_with(".git") {
                folders.push(path);
            } else if kind.is_file() && (name == "foreshock.toml" || name == ".foreshock.toml") {
                found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
            } else if kind.is_file() && Path::new(&name).extension().is_some_and(|suffix| suffix == "md") {
                let text = fs::read_to_string(&path).unwrap();
                // A plain block of CONTRIBUTING.md or ARCHITECTURE.md is a table of ours.
                let heads: &[&str] = match name.as_str() {
                    "README.md" | "ci.md" => &["~~~toml file=foreshock.toml\n", "```toml\n"],
                    _ => &["~~~toml file=foreshock.toml\n"],
                };
                let blocks = heads.iter().flat_map(|head| text.split(head).skip(1)).map(|rest| {
                    let end = rest.find("~~~").into_iter().chain(rest.find("```")).min().unwrap();
                    rest.get(..end).unwrap().to_owned()
                });
                found.extend(blocks.map(|block| (path.display().to_string(), block)));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_committed_schema_is_the_one_of_the_reader() {
    let made = format!("{:#}\n", schema());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os("FORESHOCK_SCHEMA").is_some_and(|what| what == "write") {
        fs::write(&file, &made).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == made, "{FILE} is old: run `FORESHOCK_SCHEMA=write cargo test --lib config::schema`");
}

#[test]
fn the_schema_names_the_keys_of_the_reader() {
    let schema = schema();
    let mut named: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let mut known = KEYS.to_vec();
    named.sort_unstable();
    known.sort_unstable();
    assert_eq!(named, known);
}

#[test]
fn every_configuration_of_the_repository_fits() {
    let all = configurations();
    for place in ["README.md", "no-match.md", "nested-checkout.md", "fixtures"] {
        assert!(all.iter().any(|(path, _)| path.contains(place)), "no configuration in {place}");
    }
    let wrong: Vec<&str> =
        all.iter().filter(|(_, text)| !is_read(text) || !is_valid(text)).map(|(path, _)| path.as_str()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns `value` with a key more in one of its tables, for each of them.
fn with_strange_keys(value: &Value) -> Vec<Value> {
    match value {
        Value::Object(keys) => {
            let mut all = Vec::new();
            for (strange, inner) in [("stranger", json!("1s")), ("strange", json!({})), ("/../s", json!([]))] {
                let mut more = keys.clone();
                more.insert(strange.to_owned(), inner);
                all.push(Value::Object(more));
            }
            for (key, inner) in keys {
                all.extend(with_strange_keys(inner).into_iter().map(|changed| {
                    let mut keys = keys.clone();
                    keys.insert(key.clone(), changed);
                    Value::Object(keys)
                }));
            }
            all
        }
        Value::Array(items) => (0..items.len())
            .flat_map(|index| {
                with_strange_keys(&items[index]).into_iter().map(move |changed| {
                    let mut items = items.clone();
                    items[index] = changed;
                    Value::Array(items)
                })
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn what_the_reader_refuses_does_not_fit_either() {
    let mut refused = 0;
    for (path, text) in configurations() {
        let table: toml::Table = text.parse().unwrap();
        for changed in with_strange_keys(&serde_json::to_value(table).unwrap()) {
            let changed = toml::to_string(&changed).unwrap();
            let read = is_read(&changed);
            assert_eq!(
                read,
                is_valid(&changed),
                "{path}: foreshock {} this:\n{changed}",
                if read { "reads" } else { "refuses" }
            );
            refused += usize::from(!read);
        }
    }
    assert!(refused > 100, "{refused}");
    for text in [
        "exclude = 'a'",
        "exclude = [1]",
        "rules = []",
        "[rules]\n'retry/no-mach' = 'off'",
        "[rules]\nretry = 'of'",
        "[rules]\nretry = true",
        "[per-path]\n'a' = { ignore = ['no'] }",
        "[per-path]\n'a' = { ignore = 'retry' }",
        "[deploy]\nsrv = '.'",
        "[deploy]\n'/srv' = '../a'",
        "[deploy]\n'/srv' = ''",
        "[deploy]\n'/srv/../b' = '.'",
        "[[deploy.pin]]\nby = 'a'",
        "[[deploy.pin]]\npath = '/a'",
        "[deploy.pin]\npath = 'a'",
        "[assume.web]\nA = 1.5",
        "[assume.web]\nA = []",
        "[assume]\nA = 1",
        "[assume.queue.default]\nlatency = 5",
        "[assume.queue.default]\nrate = 0",
        "[assume.queue.default]\nrate = '56'",
        "[assume.web.default]\nlatency = '5s'",
        "[retry.libary]",
        "[[retry.library]]\nname = 'a'",
        "[[wait.pool]]\nname = 'a'\nlabel = 'a'\necosystem = 'cargo'\nkind = 'connections'",
        "[[wait.pool]]\nname = 'a'\nlabel = 'a'\necosystem = 'npm'\nkind = 'conections'",
    ] {
        assert!(!is_read(text) && !is_valid(text), "{text}");
    }
    for text in [
        "",
        "[assume.web]\nA = 1\nB = true",
        "[[wait.pool]]\nname = 'a'\nlabel = 'a'\necosystem = 'npm'\nkind = 'executor'",
    ] {
        assert!(is_read(text) && is_valid(text), "{text}");
    }
}
