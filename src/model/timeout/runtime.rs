//! Limits that programs set themselves: the timer that ends a program which is asked to stop, and idle
//! connections of a server.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::server::{Served, Socket};
use super::{Around, Bounds, Limit, span};
use crate::classify::Standing;
use crate::facts::Body;
use crate::facts::code::{CallSite, CodeFacts};
use crate::facts::value::{Value, ValueKind};
use crate::finding::Place;
use crate::knowledge::timeout::{Runtime, Server, runtimes, servers};
use crate::model::evaluate;
use crate::model::process::Process;
use crate::model::resolve::{Located, Lookup, Resolver};
use crate::model::setting::{Origin, Setting};
use crate::source::{FileId, RootId};
use crate::syntax::code::Language;

/// Returns the row of a process, if it runs a file that may end it.
pub(super) fn row_of(process: &Process) -> Option<&'static Runtime> {
    runtimes().iter().find(|row| row.kinds.contains(&process.kind))
}

/// Returns the limit after which a process that runs a file ends itself.
pub(super) fn of_process<'a>(
    around: Around<'a>,
    resolver: &Resolver<'a>,
    row: &Runtime,
    process: &Process,
) -> Option<Limit> {
    drain(around, resolver, row, file_of(around, row, process)?)
}

/// Returns the file that a process runs.
fn file_of(around: Around<'_>, row: &Runtime, process: &Process) -> Option<FileId> {
    let script = process
        .arguments
        .iter()
        .map(|word| word.text.as_deref())
        .find(|text| text.is_none_or(|text| !text.starts_with('-')))??;
    let directory = process.directory.as_deref()?;
    // The path inside an image has the application's directory before it.
    let script = row.homes.iter().find_map(|home| script.strip_prefix(home.as_str())).unwrap_or(script);
    source_of(around, row, process.root, directory, script)
}

/// Returns the limit after which a program ends itself once it is asked to stop.
pub(super) fn drain<'a>(around: Around<'a>, resolver: &Resolver<'a>, row: &Runtime, file: FileId) -> Option<Limit> {
    let facts = around.facts.get(&file)?;
    let Body::Code(code) = &facts.body else { return None };
    let exits: Vec<&CallSite> = code.calls.iter().filter(|call| is_exit(row, call)).collect();
    let mut found: Option<Limit> = None;
    for call in code.calls.iter().filter(|call| call.name == row.timer) {
        let [callback, time] = call.called.arguments.as_slice() else { continue };
        let ends = match &callback.value.kind {
            ValueKind::Function(function) => exits.iter().any(|exit| function.body.contains(exit.span.bytes)),
            _ => false,
        };
        if !ends {
            continue;
        }
        let number = evaluate::number(resolver, &Located::of(&time.value));
        let scale = row.unit.bare()?;
        let time = number.map(|number| span::whole(number * scale));
        time.value?;
        let place = time.span().map(Place::from);
        let limit = Limit {
            who: row.who.clone(),
            setting: row.timer.clone(),
            bounds: Bounds::Drain,
            time,
            bare: Some(row.unit),
            unset: Vec::new(),
            place,
        };
        if found.as_ref().is_none_or(|known| known.milliseconds() < limit.milliseconds()) {
            found = Some(limit);
        }
    }
    let mut text = Vec::new();
    let signals = found.is_some() && around.sources.read(file, around.sources.limits().code, &mut text).is_ok();
    found.filter(|_| {
        signals && row.signals.iter().any(|signal| memchr::memmem::find(&text, signal.as_bytes()).is_some())
    })
}

fn is_exit(row: &Runtime, call: &CallSite) -> bool {
    let ValueKind::Member { object, .. } = &call.called.callee.kind else { return false };
    let [owner, method] = &row.exit;
    call.name == *method && object.kind == ValueKind::Name(owner.clone())
}

/// Returns the file that a program is written in, by the path that starts it: `dist/worker.js` for `src/worker.ts`.
pub(super) fn source_of(
    around: Around<'_>,
    row: &Runtime,
    root: RootId,
    directory: &Path,
    script: &str,
) -> Option<FileId> {
    let path = crate::model::process::normal(&directory.join(script.trim_start_matches("./")));
    let mut folders = vec![path.clone()];
    for built in &row.built {
        let parts: Vec<_> = path.iter().collect();
        if let Some(at) = parts.iter().position(|part| *part == built.as_str()) {
            for instead in row.sources.iter().map(|name| Some(name.as_str())).chain([None]) {
                let before = parts.iter().take(at).copied();
                let after = parts.iter().skip(at + 1).copied();
                let middle = instead.map(std::ffi::OsStr::new);
                folders.push(before.chain(middle).chain(after).collect::<PathBuf>());
            }
        }
    }
    for folder in folders {
        let others = row.extensions.iter().map(|extension| folder.with_extension(extension));
        for candidate in std::iter::once(folder.clone()).chain(others) {
            if let Some(file) = around.sources.id(root, &candidate)
                && around.facts.get(&file).is_some_and(|facts| matches!(facts.body, Body::Code(_)))
            {
                return Some(file);
            }
        }
    }
    None
}

/// Finds the servers whose files say how long idle connections are kept, with where they listen.
pub(super) fn served<'a>(around: Around<'a>, resolver: &Resolver<'a>) -> Vec<Served> {
    let mut found = Vec::new();
    let Some(row) = servers().iter().find(|row| !row.written_in.is_empty()) else { return found };
    let started: Vec<(usize, FileId)> = around
        .processes
        .iter()
        .enumerate()
        .filter_map(|(index, process)| Some((index, file_of(around, row_of(process)?, process)?)))
        .collect();
    for facts in around.facts.values().filter(|facts| facts.standing == Standing::Production) {
        let (Body::Code(code), Some(entry)) = (&facts.body, around.sources.file(facts.file)) else { continue };
        if !matches!(code.language, Language::JavaScript | Language::TypeScript) {
            continue;
        }
        for write in code.writes.iter().filter(|write| write.path.last() == Some(&row.written_in)) {
            let Some(idle) = idle(row, resolver, &write.value) else { continue };
            found.push(Served {
                row,
                process: started.iter().find(|(_, file)| *file == facts.file).map(|(index, _)| *index),
                root: entry.root,
                host: None,
                sockets: ports(row, resolver, code),
                control: BTreeSet::new(),
                request: None,
                idle: Some(idle),
            });
        }
    }
    let by_default = by_default(around, resolver, row, &started, &found);
    found.extend(by_default);
    found
}

/// Finds the servers of a root that leave it to the default, where the version that runs them is known.
fn by_default<'a>(
    around: Around<'a>,
    resolver: &Resolver<'a>,
    row: &'static Server,
    started: &[(usize, FileId)],
    written: &[Served],
) -> Vec<Served> {
    let mut found = Vec::new();
    for facts in around.facts.values().filter(|facts| facts.standing == Standing::Production) {
        let (Body::Code(code), Some(entry)) = (&facts.body, around.sources.file(facts.file)) else { continue };
        let makes = code.imports.iter().any(|import| row.modules.contains(&import.module));
        let sockets = if makes { ports(row, resolver, code) } else { BTreeSet::new() };
        // What is written anywhere may be meant for this one.
        if sockets.is_empty() || written.iter().any(|one| one.root == entry.root) || mentions(around, row, facts.file) {
            continue;
        }
        let (Some(own), true) = (&row.idle, runs_below(around, row, entry.root)) else { continue };
        let origin = Origin::Default { library: row.label.clone(), version: None };
        let idle = Limit {
            who: row.label.clone(),
            setting: own.setting.clone(),
            bounds: Bounds::Idle,
            time: Setting { value: own.default, origin },
            bare: Some(own.unit),
            unset: Vec::new(),
            place: None,
        };
        found.push(Served {
            row,
            process: started.iter().find(|(_, file)| *file == facts.file).map(|(index, _)| *index),
            root: entry.root,
            host: None,
            sockets,
            control: BTreeSet::new(),
            request: None,
            idle: Some(idle),
        });
    }
    found
}

/// Says whether the word stands in a file, in whatever way it gets to the server.
fn mentions(around: Around<'_>, row: &Server, file: FileId) -> bool {
    let mut text = Vec::new();
    around.sources.read(file, around.sources.limits().code, &mut text).is_err()
        || memchr::memmem::find(&text, row.written_in.as_bytes()).is_some()
}

/// Says whether every image of the root that holds the runtime says a version with the default: `node:20-alpine`.
fn runs_below(around: Around<'_>, row: &Server, root: RootId) -> bool {
    let own = around.facts.values().filter(|facts| around.sources.file(facts.file).is_some_and(|own| own.root == root));
    let images = own.filter_map(|facts| match &facts.body {
        Body::Starts(file) => Some(file.starts.iter().filter_map(|start| start.pulled.as_deref())),
        _ => None,
    });
    let mut tags = images.flatten().filter_map(|image| {
        let (name, tag) = image.rsplit('/').next()?.split_once(':')?;
        row.images.iter().any(|known| known == name).then_some(tag)
    });
    let below = |tag: &str| {
        let digits = tag.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(tag.len());
        tag.get(..digits).and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major < row.default_below)
    };
    tags.next().is_some_and(below) && tags.all(below)
}

fn idle<'a>(row: &Server, resolver: &Resolver<'a>, value: &'a Value) -> Option<Limit> {
    let own = row.idle.as_ref()?;
    let time: Setting<u64> = evaluate::number(resolver, &Located::of(value)).map(span::whole);
    time.value?;
    let place = time.span().map(Place::from);
    Some(Limit {
        who: row.label.clone(),
        setting: own.setting.clone(),
        bounds: Bounds::Idle,
        time,
        bare: Some(own.unit),
        unset: Vec::new(),
        place,
    })
}

/// `server.listen(8080)`, `listen({ port: 8080 })`, `listen(process.env.PORT || 8080)`.
fn ports<'a>(row: &Server, resolver: &Resolver<'a>, code: &'a CodeFacts) -> BTreeSet<Socket> {
    let calls = code.calls.iter().filter(|call| call.name == row.listens_with);
    let ports = calls.filter_map(|call| {
        let first = &call.called.arguments.first()?.value;
        let object = resolver.objects(first);
        let number = match object.first().map(|object| object.fields.get("port")) {
            Some(Lookup::Found { value, .. }) => evaluate::number(resolver, &value),
            _ => match &first.kind {
                ValueKind::Operation { operator, operands } if matches!(operator.as_str(), "||" | "??") => {
                    evaluate::number(resolver, &Located::of(operands.last()?))
                }
                _ => evaluate::number(resolver, &Located::of(first)),
            },
        };
        let port = span::whole(number.value?)?;
        u16::try_from(port).ok().map(Socket::Port)
    });
    ports.collect()
}
