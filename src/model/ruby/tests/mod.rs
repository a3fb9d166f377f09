//! Evaluation in tests: values and calls as text, for one environment and kind of process.

mod dice;
mod hostile;

mod ruby;
mod spelling;
mod yaml;

use super::*;
use crate::facts::ruby_config::{Program, Template, ruby as parse};
use crate::source::{Bytes, FileId};

const FILE: FileId = FileId(0);

/// An environment as it is written in a test: `A=5 B=`; `?A` is one that something unseen may set.
fn look_up(environment: &str, name: &str) -> Lookup {
    for word in environment.split_whitespace() {
        match word.split_once('=') {
            Some((known, value)) if known == name => {
                return Lookup::Set {
                    text: value.to_owned(),
                    set_at: Some(FileId(1).span(Bytes::default())),
                    voice: crate::model::process::Voice::File,
                    fallback_of: None,
                };
            }
            None if word.strip_prefix('?') == Some(name) => return Lookup::Unknown,
            _ => {}
        }
    }
    Lookup::Unset
}

/// Calls `with` with a context in which the environment is that and the process a `kind`.
fn within<T>(environment: &str, kind: &str, with: impl FnOnce(&Context<'_>) -> T) -> T {
    let variables = |name: &str| look_up(environment, name);
    let threads = Evaluated::literal(Value::Integer(12), FILE.span(Bytes::default()));
    with(&Context { variables: &variables, stage: Some("production"), kind: Some(kind), threads: Some(&threads) })
}

fn program(text: &str) -> Program {
    parse(FILE, text).tree
}

/// A value as Ruby would print it, and `?` for what is not known.
fn shown(value: &Value) -> String {
    match value {
        Value::Unknown(why) => format!("?{why:?}"),
        Value::Nil => "nil".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number::float_text(*number),
        Value::Text(text) => format!("{text:?}"),
        Value::Symbol(text) => format!(":{text}"),
        Value::Stage(text) => format!("stage {text}"),
        Value::Program => "program".to_owned(),
        Value::Pattern(pattern) => format!("/{}/", pattern.text),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|item| shown(&item.value)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Hash(pairs) => {
            let pairs: Vec<String> =
                pairs.iter().map(|(key, value)| format!("{}=>{}", shown(key), shown(&value.value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}

/// A value, the text that it is labelled with and what it rests on: `5 at "5" unless X`.
fn explained(text: &str, value: &Evaluated) -> String {
    let mut out = shown(&value.value);
    out += &format!(" at {}", value.origin.at.bytes.of(text));
    for source in &value.origin.sources {
        out += &match source {
            Source::Found { variable, .. } => format!(", {variable} found"),
            Source::Fallback { variable, .. } => format!(", unless {variable}"),
            Source::Threads { .. } => ", own threads".to_owned(),
        };
    }
    out
}

/// The arguments of the last `threads` (or another call) of a program.
fn last(text: &str, name: &str, environment: &str, kind: &str) -> String {
    let program = program(text);
    within(environment, kind, |context| match evaluate(&program, context).last(name) {
        Last::Never(sources) => format!("never {}", sources.len()),
        Last::Unknown(span) => format!("unknown: {}", span.bytes.of(text)),
        Last::Call(call, _) => {
            let all: Vec<String> = call.arguments.iter().map(|argument| shown(&argument.value)).collect();
            all.join(", ")
        }
    })
}

/// The scalar under a path of keys of a YAML file.
fn leaf(text: &str, path: &str, environment: &str, kind: &str) -> String {
    leaf_with(text, path, environment, kind, |value| shown(&value.value))
}

fn leaf_with(text: &str, path: &str, environment: &str, kind: &str, show: impl Fn(&Evaluated) -> String) -> String {
    let template = Template::of(FILE, text);
    within(environment, kind, |context| {
        let yaml = read(&template, context);
        let mut at = &yaml.root;
        for key in path.split('.') {
            let Some(map) = at.as_map() else { return format!("{key}: no map") };
            match map.get(key) {
                Found::Absent => return "absent".to_owned(),
                Found::Unknown => return "unknown".to_owned(),
                Found::Entry(entry) => at = &entry.value,
            }
        }
        match &at.content {
            Content::Scalar(value) => show(value),
            Content::Map(_) => "map".to_owned(),
            Content::List(items) => format!("list of {}", items.len()),
            Content::Unknown => "unknown".to_owned(),
        }
    })
}
