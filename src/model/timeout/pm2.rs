//! Applications of a process manager for Node.js, whose configuration is code: what it runs, and when it kills.

use super::kill::{Deployed, Kill, by_default, written};
use super::{Around, Bounds, Form, Limit, runtime, span};
use crate::classify::Standing;
use crate::facts::value::{Value, ValueKind};
use crate::finding::Place;
use crate::knowledge::timeout::{Runtime, Supervisor, runtimes, supervisor};
use crate::model::evaluate;
use crate::model::resolve::{Fields, Located, Lookup, Resolver, Settled};
use crate::source::FileId;

/// One application.
pub(super) struct App {
    pub kill: Kill,
    /// The words that start it.
    pub place: Place,
    /// The file that it is written in, if that was read.
    pub source: Option<(&'static Runtime, FileId)>,
    /// Its other limits.
    pub others: Vec<Limit>,
}

/// Finds the applications of all configurations.
pub(super) fn apps<'a>(around: Around<'a>, resolver: &Resolver<'a>) -> Vec<App> {
    let mut found = Vec::new();
    let Some(row) = supervisor(Form::Pm2) else { return found };
    for facts in around.facts.values().filter(|facts| facts.standing == Standing::Production) {
        let Some(entry) = around.sources.file(facts.file) else { continue };
        if !row.is_configured_by(&entry.path) {
            continue;
        }
        let Some(export) = resolver.default_export(facts.file) else { continue };
        for item in listed(row, resolver, &export) {
            let alternatives = resolver.objects(item);
            let [only] = alternatives.as_slice() else { continue };
            found.extend(app(around, row, resolver, facts.file, &only.fields));
        }
    }
    found
}

/// `{ apps: [...] }`, or a list alone.
fn listed<'a>(row: &Supervisor, resolver: &Resolver<'a>, export: &Located<'a>) -> Vec<&'a Value> {
    let list = match &export.value.kind {
        ValueKind::List(_) => Some(export.clone()),
        _ => match resolver.alternatives(export).first().map(|object| object.fields.get(&row.listed)) {
            Some(Lookup::Found { value, .. }) => Some(value),
            _ => None,
        },
    };
    let Some(list) = list else { return Vec::new() };
    let settled = match resolver.settle_located(&list) {
        Settled::Value(located) => located.value,
        _ => return Vec::new(),
    };
    match &settled.kind {
        ValueKind::List(items) => items.iter().collect(),
        ValueKind::Object(_) => vec![settled],
        _ => Vec::new(),
    }
}

fn app<'a>(
    around: Around<'_>,
    row: &'static Supervisor,
    resolver: &Resolver<'a>,
    file: FileId,
    fields: &Fields<'a>,
) -> Option<App> {
    let Lookup::Found { value: script, .. } = fields.get(&row.program) else { return None };
    let limit = match fields.get(&row.setting) {
        Lookup::Unknown => return None,
        Lookup::Absent => by_default(row)?,
        Lookup::Found { value, .. } => of_value(row, resolver, &value, &row.setting)?,
    };
    let mut others = Vec::new();
    for setting in &row.beside {
        if let Lookup::Found { value, .. } = fields.get(setting) {
            others.extend(of_value(row, resolver, &value, setting));
        }
    }
    let text = match resolver.settle_located(&script) {
        Settled::Value(located) => located.value.as_text(),
        _ => None,
    };
    let below = match fields.get(&row.directory) {
        Lookup::Absent => Some(""),
        Lookup::Found { value, .. } => value.value.as_text().filter(|text| !text.starts_with('/')),
        Lookup::Unknown => None,
    };
    let entry = around.sources.file(file)?;
    let source = text.zip(below).and_then(|(script, below)| {
        let directory = entry.path.parent()?.join(below);
        runtimes().iter().find_map(|row| Some((row, runtime::source_of(around, row, entry.root, &directory, script)?)))
    });
    let kill = Kill { row, limit, pause: None, signal: row.signal.clone(), deployed: Deployed::Yes };
    Some(App { kill, place: script.span().into(), source, others })
}

fn of_value<'a>(row: &Supervisor, resolver: &Resolver<'a>, value: &Located<'a>, setting: &str) -> Option<Limit> {
    let time = evaluate::number(resolver, value).map(span::whole);
    let place = time.span()?;
    let limit = written(row, time.value?, place.into());
    Some(Limit { setting: setting.to_owned(), bare: Some(row.unit), time, bounds: Bounds::Stop, ..limit })
}
