//! What proxies do about the servers behind them: how long they wait for an answer, how long they keep a connection.

use super::server::{Served, Socket};
use super::{Around, Bounds, Limit, kill, span};
use crate::classify::Kind;
use crate::facts::Body;
use crate::finding::Place;
use crate::knowledge::timeout::{Fixed, Proxy, probes, proxies};
use crate::model::setting::{Origin, Setting};
use crate::source::{FileId, RootId};
use crate::syntax::code::Name;
use crate::syntax::directive::{Directive, Format};

/// A place in a proxy's configuration that hands requests on.
#[derive(Clone, Debug)]
pub(super) struct Hop {
    pub root: RootId,
    pub targets: Vec<Target>,
    /// How long it waits for the server.
    pub read: Limit,
    /// How long it keeps a connection to the server that nobody uses, if it keeps any.
    pub idle: Option<Limit>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Target {
    host: String,
    socket: Socket,
}

/// Finds them in the order of the files.
pub(super) fn hops(around: Around<'_>) -> Vec<Hop> {
    let mut found = Vec::new();
    for facts in around.facts.values().filter(|facts| facts.kind == Kind::Directive(Format::Nginx)) {
        let (Body::Table(lines), Some(entry)) = (&facts.body, around.sources.file(facts.file)) else { continue };
        for row in proxies() {
            let file = File { row, file: facts.file, root: entry.root, lines };
            let passes = lines.iter().filter(|line| line.key.text == row.pass);
            found.extend(passes.filter_map(|pass| file.hop(pass)));
        }
    }
    found
}

struct File<'v> {
    row: &'static Proxy,
    file: FileId,
    root: RootId,
    lines: &'v [Directive],
}

impl File<'_> {
    fn hop(&self, pass: &Directive) -> Option<Hop> {
        let written = pass.fields.first()?.text.as_str();
        let target = written.split_once("://").map_or(written, |(_, rest)| rest);
        if target.contains('$') {
            return None;
        }
        let group = self.lines.iter().find(|line| {
            line.key.text == self.row.group
                && line.fields.first().is_some_and(|name| target.split('/').next() == Some(&name.text))
        });
        let targets = match group {
            Some(group) => self
                .inside(group, &self.row.member)
                .filter_map(|line| Self::target(&line.fields.first()?.text))
                .collect(),
            None => Self::target(target).into_iter().collect(),
        };
        Some(Hop {
            root: self.root,
            targets,
            read: self.limit(
                self.nearest(&self.row.read.setting, &pass.section),
                &self.row.read.setting,
                self.row.read.default,
                Bounds::Answer,
            ),
            idle: group.and_then(|group| self.idle(group)),
        })
    }

    /// Directives that stand directly in a block.
    fn inside<'s>(&'s self, block: &'s Directive, key: &'s str) -> impl Iterator<Item = &'s Directive> {
        self.lines.iter().filter(move |line| {
            line.key.text == key && line.section.last().is_some_and(|last| last.bytes == block.key.bytes)
        })
    }

    fn idle(&self, group: &Directive) -> Option<Limit> {
        let row = &self.row.idle;
        let kept = self.inside(group, &row.switch).next()?;
        if kept.fields.first().is_some_and(|count| count.text == "0") {
            return None;
        }
        let own = self.inside(group, &row.setting).next();
        let mut limit = self.limit(own, &row.setting, row.default, Bounds::Idle);
        // What keeps connections is the cause, also where the time is not written.
        limit.place = limit.place.or_else(|| Some(self.file.span(kept.key.bytes).into()));
        Some(limit)
    }

    /// Returns the directive in force in a block: its own, else that of the nearest block around it.
    fn nearest(&self, key: &str, section: &[Name]) -> Option<&Directive> {
        let around = |line: &&Directive| {
            line.section.len() <= section.len()
                && line.section.iter().zip(section).all(|(one, other)| one.bytes == other.bytes)
        };
        self.lines.iter().filter(|line| line.key.text == key).filter(around).max_by_key(|line| line.section.len())
    }

    fn limit(&self, line: Option<&Directive>, setting: &str, default: u64, bounds: Bounds) -> Limit {
        let who = &self.row.label;
        let named = |time, bare, place| Limit {
            who: who.clone(),
            setting: setting.to_owned(),
            bounds,
            time,
            bare,
            unset: Vec::new(),
            place,
        };
        let Some(text) = line.and_then(|line| line.fields.first()) else {
            let origin = Origin::Default { library: who.clone(), version: None };
            return named(Setting { value: Some(default), origin }, None, None);
        };
        let at = self.file.span(text.file_bytes());
        let Some(read) = span::read(&text.text, self.row.unit) else {
            return named(Setting::unknown(), None, Some(at.into()));
        };
        let time = Setting { value: Some(read.milliseconds), origin: Origin::Literal(at) };
        named(time, read.bare.then_some(self.row.unit), Some(Place::from(at)))
    }

    /// `127.0.0.1:8000`, `app:3000/path`, `unix:/run/x.sock:/`.
    fn target(text: &str) -> Option<Target> {
        if let Some(path) = text.strip_prefix("unix:") {
            let path = path.split(':').next().unwrap_or(path);
            return Some(Target { host: String::new(), socket: Socket::Path(path.to_owned()) });
        }
        let address = text.split('/').next()?;
        let (host, port) = address.rsplit_once(':').unwrap_or((address, "80"));
        Some(Target { host: host.to_owned(), socket: Socket::Port(port.parse().ok()?) })
    }
}

/// A router that nobody can set, before one of the processes.
pub(super) struct Route {
    pub process: usize,
    /// How long it waits for the first byte of an answer.
    pub read: Limit,
    /// How long it keeps a connection that nobody uses.
    pub idle: Limit,
}

/// Finds what platforms put before the processes that they start.
pub(super) fn routes(around: Around<'_>) -> Vec<Route> {
    let mut found = Vec::new();
    for (index, process) in around.processes.iter().enumerate() {
        let Some(starter) = &process.starter else { continue };
        let Some(router) = kill::platform(around, starter.file).and_then(|row| row.router.as_ref()) else { continue };
        if starter.name != router.process {
            continue;
        }
        let limit = |own: &Fixed| Limit {
            who: router.who.clone(),
            setting: own.setting.clone(),
            bounds: Bounds::Routed,
            time: Setting {
                value: Some(own.time),
                origin: Origin::Default { library: router.who.clone(), version: None },
            },
            bare: None,
            unset: Vec::new(),
            place: None,
        };
        let (read, idle) = (limit(&router.read), limit(&router.idle));
        found.push(Route { process: index, read, idle });
    }
    found
}

impl Hop {
    /// Says whether it hands requests on to a server. `alone`: no other server of the root listens at the same place.
    pub(super) fn leads_to(&self, server: &Served, alone: bool) -> bool {
        self.root == server.root
            && self.targets.iter().any(|target| {
                let local = target.host.is_empty() || probes().local.hosts.contains(&target.host);
                let named = server.host.as_ref().is_some_and(|host| *host == target.host);
                server.sockets.contains(&target.socket)
                    && (named || alone || local && matches!(target.socket, Socket::Path(_)))
            })
    }
}
