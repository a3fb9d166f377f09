//! Web servers with a limited number of requests at a time: where they listen and what limits they set themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Around, Bounds, Limit, NEVER, seen_by, span};
use crate::classify::{Kind, Standing};
use crate::facts::code::CodeFacts;
use crate::facts::value::{Value, ValueKind};
use crate::facts::{Body, FileFacts};
use crate::finding::Place;
use crate::knowledge::timeout::{Server, ServerLimit, servers};
use crate::model::evaluate;
use crate::model::pool::flags::Flags;
use crate::model::pool::puma;
use crate::model::pool::world::{Moment, Seen, Shelf, World};
use crate::model::process::Process;
use crate::model::resolve::{FactsByFile, Located, Resolver};
use crate::model::ruby::{Call, Lookup, Standing as Made};
use crate::model::setting::{Origin, Setting};
use crate::source::{FileId, RootId, Sources};
use crate::syntax::code::Language;

/// A web server that something starts, or that a file configures.
#[derive(Clone, Debug)]
pub(super) struct Served {
    pub row: &'static Server,
    pub process: Option<usize>,
    pub root: RootId,
    /// The name under which others in its network find it.
    pub host: Option<String>,
    /// Empty: not known.
    pub sockets: BTreeSet<Socket>,
    /// Where it answers without a thread of those that answer requests.
    pub control: BTreeSet<Socket>,
    /// How long a request may take.
    pub request: Option<Limit>,
    /// How long it keeps a connection that nobody uses.
    pub idle: Option<Limit>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Socket {
    Port(u16),
    Path(String),
}

impl Socket {
    /// Reads `unix:/run/x.sock`, `0.0.0.0:8000`, `:8000`, `tcp://[::]:3000`, `8000`.
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(path) = text.strip_prefix("unix:") {
            return Some(Self::Path(path.trim_start_matches("//").to_owned()));
        }
        if text.starts_with('/') {
            return Some(Self::Path(text.to_owned()));
        }
        let text = text.split_once("://").map_or(text, |(_, rest)| rest);
        let text = text.split(['/', '?']).next()?;
        text.rsplit(':').next()?.parse().ok().map(Self::Port)
    }
}

/// Finds them: those that processes are, and those that only their configuration shows.
pub(super) fn served(around: Around<'_>, shelf: &Shelf<'_>) -> Vec<Served> {
    let mut found = Vec::new();
    let mut configured = BTreeSet::new();
    for (index, process) in around.processes.iter().enumerate() {
        let Some(row) = row_of(process) else { continue };
        let world = seen_by(shelf, process);
        let reader = Reader { row, flags: flags(row, process), file: file(row, &world), world: &world };
        configured.extend(reader.file.file());
        let name = process.starter.as_ref().map(|starter| starter.name.clone());
        found.push(Served { process: Some(index), host: name.filter(|name| !name.is_empty()), ..reader.served() });
    }
    for facts in around.facts.values().filter(|facts| facts.standing == Standing::Production) {
        let Some(entry) = around.sources.file(facts.file) else { continue };
        let Some(row) = servers().iter().find(|row| row.is_configured_by(&entry.path)) else { continue };
        if let Body::Code(code) = &facts.body
            && !configured.contains(&facts.file)
        {
            found.push(of_file(row, (around.facts, around.sources), entry.root, code));
        }
    }
    found
}

/// Asks for the files that servers are configured by.
pub(super) fn want(world: &World<'_>) {
    if let Some(row) = row_of(world.process) {
        file(row, world);
    }
}

fn row_of(process: &Process) -> Option<&'static Server> {
    servers().iter().find(|row| row.kinds.contains(&process.kind))
}

/// What the configuration file is.
#[derive(Clone, Copy)]
enum Config<'a> {
    None,
    Unknown,
    Python(FileId, &'a CodeFacts),
}

impl Config<'_> {
    fn file(self) -> Option<FileId> {
        match self {
            Self::Python(file, _) => Some(file),
            Self::None | Self::Unknown => None,
        }
    }
}

fn flags<'w>(row: &'static Server, process: &'w Process) -> Flags<'w> {
    let limits = [&row.request, &row.drain, &row.idle].into_iter().flatten().flat_map(|limit| &limit.flags);
    let all =
        [&row.file_flags, &row.bind_flags, &row.port_flags, &row.threads_flags, &row.class_flags, &row.control_flags];
    let wanted: Vec<String> = all.into_iter().flatten().chain(limits).cloned().collect();
    Flags::of(&process.arguments, &wanted, &row.with_value)
}

fn file<'w>(row: &'static Server, world: &World<'w>) -> Config<'w> {
    let Some(first) = row.files.first() else { return Config::None };
    let flags = flags(row, world.process);
    let (path, named) = match flags.last(&row.file_flags) {
        Some((None, _)) => return Config::Unknown,
        Some((Some(path), _)) => (path.trim_start_matches("file:"), true),
        None => (first.as_str(), false),
    };
    match world.look(Path::new(path), Kind::Code(Language::Python)) {
        Seen::Read(FileFacts { file, body: Body::Code(code), .. }) => Config::Python(*file, code),
        Seen::Absent if !named => Config::None,
        _ => Config::Unknown,
    }
}

struct Reader<'r, 'w> {
    row: &'static Server,
    flags: Flags<'r>,
    file: Config<'w>,
    world: &'r World<'w>,
}

/// A setting of a server.
enum Answer<'a> {
    Absent,
    Unknown,
    Word(&'a str, Place),
    Value(&'a Value),
}

impl<'r, 'w: 'r> Reader<'r, 'w> {
    fn served(&self) -> Served {
        let row = self.row;
        let (sockets, control) = if row.bind_call.is_empty() { (self.binds(), BTreeSet::new()) } else { self.called() };
        Served {
            row,
            process: None,
            root: self.world.process.root,
            host: None,
            sockets,
            control,
            request: row
                .request
                .as_ref()
                .filter(|_| self.is_sync())
                .and_then(|limit| self.limit(limit, Bounds::Request)),
            idle: row.idle.as_ref().filter(|_| !self.is_sync()).and_then(|limit| self.limit(limit, Bounds::Idle)),
        }
    }

    fn answer(&self, flags: &[String], key: &str) -> Answer<'r> {
        if let Some((text, word)) = self.flags.last(flags) {
            return text.map_or(Answer::Unknown, |text| Answer::Word(text, word.place));
        }
        let more = &self.row.arguments_variable;
        let hidden =
            !more.is_empty() && !matches!(self.world.variable(more, Moment::Early, &BTreeMap::new()), Lookup::Unset);
        if self.flags.opaque || hidden {
            return Answer::Unknown;
        }
        match self.file {
            Config::None => Answer::Absent,
            Config::Unknown => Answer::Unknown,
            Config::Python(_, code) => of_python(code, key),
        }
    }

    fn limit(&self, row: &'static ServerLimit, bounds: Bounds) -> Option<Limit> {
        let shelf = self.world.shelf;
        limit(self.row, row, bounds, &self.answer(&row.flags, &row.key), (shelf.facts, shelf.sources))
    }

    /// Says whether each worker answers one request at a time, and its limit is one of requests.
    fn is_sync(&self) -> bool {
        let row = self.row;
        is_sync(row, &self.answer(&row.class_flags, &row.class_key), &self.answer(&row.threads_flags, &row.threads_key))
    }

    fn binds(&self) -> BTreeSet<Socket> {
        let row = self.row;
        let port = row.port_of(&self.world.process.kind);
        if let Some((text, _)) = self.flags.last(&row.port_flags) {
            return text.and_then(Socket::of).into_iter().collect();
        }
        binds(&self.answer(&row.bind_flags, &row.bind_key), port)
    }

    /// A server that is configured in Ruby.
    fn called(&self) -> (BTreeSet<Socket>, BTreeSet<Socket>) {
        let row = self.row;
        let own = |flags: &[String]| self.flags.last(flags).map(|(text, _)| text.and_then(Socket::of));
        let mut control: BTreeSet<Socket> = own(&row.control_flags).flatten().into_iter().collect();
        let (run, _) = puma::called(self.world);
        let calls: &[Call] = run.as_ref().map(|run| run.calls.as_slice()).unwrap_or_default();
        let of = |name: &str| {
            let made = calls.iter().filter(move |call| call.name == name && call.standing == Made::Made);
            made.filter_map(|call| {
                let value = call.arguments.first()?;
                let text =
                    value.as_text().map(str::to_owned).or_else(|| value.to_integer().map(|port| port.to_string()))?;
                Socket::of(&text)
            })
            .collect::<BTreeSet<Socket>>()
        };
        control.extend(of(&row.control_call));
        if let Some(socket) = own(&row.port_flags).or_else(|| own(&row.bind_flags)) {
            return (socket.into_iter().collect(), control);
        }
        let mut sockets = of(&row.bind_call);
        sockets.extend(of(&row.port_call));
        // A file that says nothing of it may hand itself to something that does.
        if run.is_none() && !self.flags.opaque {
            sockets.insert(Socket::Port(row.port_of(&self.world.process.kind)));
        }
        (sockets, control)
    }
}

fn of_python<'a>(code: &'a CodeFacts, key: &str) -> Answer<'a> {
    let binding = code.scopes.first().and_then(|scope| scope.bindings.get(key));
    match binding.map(|binding| binding.values.as_slice()) {
        None | Some([]) => Answer::Absent,
        Some([value]) => Answer::Value(value),
        Some(_) => Answer::Unknown,
    }
}

fn limit<'a>(
    server: &Server,
    row: &ServerLimit,
    bounds: Bounds,
    answer: &Answer<'a>,
    (facts, sources): (&'a FactsByFile, &'a Sources),
) -> Option<Limit> {
    let named = |time: Setting<u64>, bare, place| Limit {
        who: server.label.clone(),
        setting: row.setting.clone(),
        bounds,
        time,
        bare,
        unset: Vec::new(),
        place,
    };
    let never = |milliseconds: u64| if row.zero_is_never && milliseconds == 0 { NEVER } else { milliseconds };
    match answer {
        Answer::Unknown => None,
        Answer::Absent => {
            let origin = Origin::Default { library: server.label.clone(), version: None };
            Some(named(Setting { value: Some(row.default?), origin }, None, None))
        }
        Answer::Word(text, place) => {
            let read = span::read(text, row.unit)?;
            let origin = Origin::Literal(crate::model::pool::span_of(*place));
            Some(named(Setting { value: Some(never(read.milliseconds)), origin }, Some(row.unit), Some(*place)))
        }
        Answer::Value(value) => {
            let scale = row.unit.bare()?;
            let number = evaluate::number(&Resolver::new(facts, sources), &Located::of(value));
            let time = number.map(|number| span::whole(number * scale).map(never));
            time.value?;
            let place = time.span().map(Place::from);
            Some(named(time, Some(row.unit), place))
        }
    }
}

fn is_sync(row: &Server, class: &Answer<'_>, threads: &Answer<'_>) -> bool {
    if row.class_key.is_empty() {
        return false;
    }
    let is = |text: &str| row.sync.iter().any(|known| known == text);
    let class = match class {
        Answer::Absent => true,
        Answer::Unknown => false,
        Answer::Word(text, _) => is(text),
        Answer::Value(value) => value.as_text().is_some_and(is),
    };
    // With several threads the class is another one, whatever is written.
    let one = |text: &str| text.trim() == "1";
    let single = match threads {
        Answer::Absent => true,
        Answer::Unknown => false,
        Answer::Word(text, _) => one(text),
        Answer::Value(value) => matches!(&value.kind, ValueKind::Number(text) if one(text)),
    };
    class && single
}

fn binds(answer: &Answer<'_>, port: u16) -> BTreeSet<Socket> {
    match answer {
        Answer::Absent => BTreeSet::from([Socket::Port(port)]),
        Answer::Unknown => BTreeSet::new(),
        Answer::Word(text, _) => text.split(',').filter_map(Socket::of).collect(),
        Answer::Value(value) => match &value.kind {
            ValueKind::Text(text) => text.split(',').filter_map(Socket::of).collect(),
            ValueKind::List(items) => items.iter().filter_map(|item| Socket::of(item.as_text()?)).collect(),
            _ => BTreeSet::new(),
        },
    }
}

/// A server of which only the configuration is here.
fn of_file<'a>(
    row: &'static Server,
    read: (&'a FactsByFile, &'a Sources),
    root: RootId,
    code: &'a CodeFacts,
) -> Served {
    let sync = is_sync(row, &of_python(code, &row.class_key), &of_python(code, &row.threads_key));
    let limit = |own: &Option<ServerLimit>, bounds| {
        let own = own.as_ref()?;
        limit(row, own, bounds, &of_python(code, &own.key), read).filter(Limit::is_written)
    };
    Served {
        row,
        process: None,
        root,
        host: None,
        // The command line may say another.
        sockets: match of_python(code, &row.bind_key) {
            Answer::Absent => BTreeSet::new(),
            answer => binds(&answer, row.port),
        },
        control: BTreeSet::new(),
        request: if sync { limit(&row.request, Bounds::Request) } else { None },
        idle: if sync { None } else { limit(&row.idle, Bounds::Idle) },
    }
}

/// What a server's settings say of the time that it takes to stop.
pub(super) enum Drain {
    /// They are not read here.
    Elsewhere,
    Unknown,
    Of(Limit),
}

pub(super) fn drain(world: &World<'_>) -> Drain {
    let row = row_of(world.process);
    let Some((row, own)) = row.and_then(|row| Some((row, row.drain.as_ref()?))) else { return Drain::Elsewhere };
    let reader = Reader { row, flags: flags(row, world.process), file: file(row, world), world };
    reader.limit(own, Bounds::Drain).map_or(Drain::Unknown, Drain::Of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets() {
        let check = |text: &str, expected: Option<Socket>| assert_eq!(Socket::of(text), expected, "{text}");
        check("unix:/tmp/a.sock", Some(Socket::Path("/tmp/a.sock".to_owned())));
        check("unix:///tmp/a.sock", Some(Socket::Path("/tmp/a.sock".to_owned())));
        check("0.0.0.0:8000", Some(Socket::Port(8000)));
        check("[::]:8000", Some(Socket::Port(8000)));
        check("tcp://127.0.0.1:9293?x=1", Some(Socket::Port(9293)));
        check("3000", Some(Socket::Port(3000)));
        check(":$PORT", None);
        check("", None);
    }
}
