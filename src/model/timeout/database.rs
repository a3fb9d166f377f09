//! Limits that a database server sets on everything that it does, in its own configuration.

use super::inner::Inside;
use super::{Around, Bounds, Limit, span};
use crate::facts::Body;
use crate::knowledge::pool::{Server, servers};
use crate::knowledge::timeout::{Database, inner};
use crate::model::setting::{Origin, Setting};
use crate::source::{FileId, RootId};
use crate::syntax::directive::Directive;

/// A limit of a server.
pub(super) struct Bound {
    root: RootId,
    /// The row of `rules/pool/servers.toml`.
    server: &'static str,
    statement: bool,
    pub limit: Limit,
}

/// Reads them from every configuration of a server.
pub(super) fn limits(around: Around<'_>) -> Vec<Bound> {
    let mut found = Vec::new();
    for facts in around.facts.values() {
        let (Body::Table(lines), Some(entry)) = (&facts.body, around.sources.file(facts.file)) else { continue };
        for server in servers().iter().filter(|server| server.is_configured_by(&entry.path)) {
            let rows = inner().databases.iter().filter(|row| row.servers.contains(&server.name));
            found.extend(rows.filter_map(|row| {
                let limit = written(server, row, facts.file, lines)?;
                Some(Bound { root: entry.root, server: &server.name, statement: row.statement, limit })
            }));
        }
    }
    found
}

fn written(server: &Server, row: &Database, file: FileId, lines: &[Directive]) -> Option<Limit> {
    let own = |line: &&Directive| {
        line.section_name().is_none_or(|name| server.sections.iter().any(|section| section == name))
    };
    let line = lines.iter().filter(own).rfind(|line| Server::is_key(&line.key.text, &row.setting))?;
    let value = line.value.as_ref()?;
    let read = span::read(value.text.trim().trim_matches(['\'', '"']), row.unit)?;
    let at = file.span(value.file_bytes());
    Some(Limit {
        who: row.who.clone(),
        setting: row.setting.clone(),
        bounds: Bounds::Statement,
        time: Setting { value: Some(read.milliseconds), origin: Origin::Literal(at) },
        bare: read.bare.then_some(row.unit),
        unset: Vec::new(),
        place: Some(at.into()),
    })
}

/// Adds the limits on statements to the processes that use the one server of that kind, where they set none themselves.
pub(super) fn join(around: Around<'_>, bounds: &[Bound], inside: &mut [(usize, Inside)]) {
    for (index, inside) in inside {
        let Some(process) = around.processes.get(*index) else { continue };
        if !inside.statements.is_empty() || inside.unsure {
            continue;
        }
        let own =
            |bound: &&Bound| bound.statement && bound.root == process.root && inside.servers.contains(bound.server);
        // Two configurations are two servers, and which one is whose is not known.
        let all: Vec<&Bound> = bounds.iter().filter(own).collect();
        if let [only] = all.as_slice()
            && only.limit.milliseconds() != Some(0)
        {
            inside.statements.push(only.limit.clone());
        }
    }
}
