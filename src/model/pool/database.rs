//! The connection pools of one process: `database.yml`, URLs, and code that changes a pool afterwards.

use std::collections::BTreeMap;
use std::path::Path;

use super::amount::{Amount, NO_LIMIT};
use super::calls::Setup;
use super::url::DatabaseUrl;
use super::world::{Asked, Moment, Seen, World, YAML};
use crate::facts::Body;
use crate::finding::Place;
use crate::knowledge::pool::{ActiveRecord, Refused, When, active_record};
use crate::model::ruby::{Call, Content, Entry, Evaluated, Found, Lookup, Map, Source, Standing, Tree, Value};
use crate::source::Span;
use crate::version::Version;

/// One pool of a process.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The entry's name; `primary` where there is one database.
    pub name: String,
    pub size: Amount,
    /// Where the size is written, if it is.
    pub place: Option<Place>,
    /// `pool`, `max_connections`, `?pool=`.
    pub key: String,
    /// The server behind it: a row of `rules/pool/servers.toml`.
    pub server: Option<String>,
    pub pooler: Pooler,
    /// Seconds that a thread waits for a connection.
    pub timeout: Amount,
    pub refused: Vec<Clash>,
    pub ignored: Vec<Ignored>,
}

/// Whether something else pools the connections on the way to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooler {
    NoneSeen,
    Likely,
}

/// Two keys that together stop the boot.
#[derive(Clone, Debug, PartialEq)]
pub struct Clash {
    pub keys: [String; 2],
    /// The first key's value, or key.
    pub at: Span,
    pub other: Span,
    pub when: When,
}

/// A key that the locked version reads over.
#[derive(Clone, Debug, PartialEq)]
pub struct Ignored {
    pub key: String,
    pub at: Span,
    pub value: Option<i64>,
}

/// What is known of the pools of a process.
pub(super) struct Reading<'w> {
    pub world: &'w World<'w>,
    pub table: &'static ActiveRecord,
    pub version: Option<Version>,
    pub stage: Option<String>,
    pub set: &'w BTreeMap<String, Evaluated>,
}

/// Reads the pools. `None`: not known, or there are none.
pub(super) fn pools(
    world: &World<'_>,
    stage: Option<String>,
    threads: Option<&Evaluated>,
    setup: &Setup,
    set: &BTreeMap<String, Evaluated>,
    kind: &str,
) -> Vec<Pool> {
    let table = active_record();
    if world.is_locked() && !world.uses(&table.packages) {
        return Vec::new();
    }
    let reading = Reading { world, table, version: world.version(&table.packages), stage, set };
    let mut pools = match world.look(Path::new(&table.file), YAML) {
        Seen::Unknown => Vec::new(),
        Seen::Absent => reading.of_url_alone(),
        Seen::Read(facts) => match &facts.body {
            Body::Template(template) => {
                let asked = Asked { moment: Moment::Late, stage: reading.stage.as_deref(), kind, threads, set };
                reading.of_file(&world.yaml(template, &asked).root)
            }
            _ => Vec::new(),
        },
    };
    for list in setup.lists(kind) {
        changed(list, &mut pools);
    }
    pools
}

/// Returns what the entries of the file say, by name; nothing where that is not known.
pub(in crate::model) fn entries(world: &World<'_>, stage: Option<String>, kind: &str) -> Vec<Map> {
    let table = active_record();
    let set = BTreeMap::new();
    let Seen::Read(facts) = world.look(Path::new(&table.file), YAML) else { return Vec::new() };
    let Body::Template(template) = &facts.body else { return Vec::new() };
    let asked = Asked { moment: Moment::Late, stage: stage.as_deref(), kind, threads: None, set: &set };
    let root = world.yaml(template, &asked).root;
    let reading = Reading { world, table, version: None, stage, set: &set };
    reading.in_file(&root).into_iter().map(|(_, map)| map).collect()
}

impl Reading<'_> {
    /// Without a file everything is in the variable.
    fn of_url_alone(&self) -> Vec<Pool> {
        let Lookup::Set { .. } = self.world.variable(&self.table.url_variable, Moment::Late, self.set) else {
            return Vec::new();
        };
        vec![self.pool(&self.table.primary, &Map::default())]
    }

    fn of_file(&self, root: &Tree) -> Vec<Pool> {
        self.in_file(root).iter().map(|(name, map)| self.pool(name, map)).collect()
    }

    /// Returns the entries of the environment, with what is merged under them.
    fn in_file(&self, root: &Tree) -> Vec<(String, Map)> {
        let (Some(root), Some(stage)) = (root.as_map(), self.stage.as_deref()) else { return Vec::new() };
        let Found::Entry(entry) = root.get(stage) else { return Vec::new() };
        let shared = match root.get(&self.table.shared) {
            Found::Entry(entry) => entry.value.as_map(),
            Found::Absent => None,
            Found::Unknown => return Vec::new(),
        };
        let primary = self.table.primary.as_str();
        match &entry.value.content {
            Content::Map(map) if is_of_databases(map) => {
                let own = shared.filter(|shared| is_of_databases(shared));
                let named = map.entries.iter().filter_map(|entry| {
                    let below = match own.map(|shared| shared.get(&entry.key)) {
                        Some(Found::Entry(entry)) => entry.value.as_map(),
                        Some(_) => None,
                        None => shared,
                    };
                    Some((entry.key.clone(), merged(entry.value.as_map()?, below)))
                });
                named.collect()
            }
            Content::Map(map) => vec![(primary.to_owned(), merged(map, shared))],
            // A text instead of settings is a URL.
            Content::Scalar(url) => {
                let key = Entry {
                    key: "url".to_owned(),
                    key_span: entry.key_span,
                    value: Tree { content: Content::Scalar(url.clone()), span: entry.value.span },
                    standing: Standing::Made,
                    rests_on: entry.rests_on.clone(),
                };
                vec![(primary.to_owned(), Map { entries: vec![key], open: None })]
            }
            _ => Vec::new(),
        }
    }

    /// Reads one entry.
    fn pool(&self, name: &str, map: &Map) -> Pool {
        let mut pool = Pool {
            name: name.to_owned(),
            size: Amount::unknown(),
            place: None,
            key: String::new(),
            server: None,
            pooler: Pooler::NoneSeen,
            timeout: Amount::default(&self.table.label, self.version.as_ref(), Some(self.table.checkout_timeout), &[]),
            refused: Vec::new(),
            ignored: Vec::new(),
        };
        self.written(map, &mut pool);
        self.refused(map, &mut pool);
        self.behind(map, &mut pool);
        match map.get("url") {
            Found::Entry(entry) => {
                let value = entry.value.as_scalar();
                if let Some(text) = value.and_then(Evaluated::as_text) {
                    let own = value.map(|value| value.origin.sources.as_slice()).unwrap_or_default();
                    self.of_url(text, entry.value.span, own, &mut pool);
                } else if value.is_some_and(|value| value.value == Value::Nil) {
                    self.of_variable(name, &mut pool);
                }
            }
            Found::Absent => self.of_variable(name, &mut pool),
            Found::Unknown => {}
        }
        pool
    }

    fn written(&self, map: &Map, pool: &mut Pool) {
        let table = self.table;
        let version = self.version.as_ref();
        let later = || table.later_keys.all().flatten().any(|key| !matches!(map.get(key), Found::Absent));
        let keys: &[String] = match table.size_keys.at(version) {
            Some(keys) => keys,
            // The versions differ in keys that are not there.
            None if !later() => table.size_keys.all().next().map(Vec::as_slice).unwrap_or_default(),
            None => return,
        };
        if let Some(names) = table.later_keys.at(version) {
            let written = keys.iter().any(|key| !matches!(map.get(key), Found::Absent));
            for name in names.iter().filter(|_| !written) {
                if let Found::Entry(entry) = map.get(name) {
                    let value = entry.value.as_scalar().and_then(Evaluated::to_integer);
                    pool.ignored.push(Ignored { key: name.clone(), at: entry.key_span, value });
                }
            }
        }
        for key in keys {
            match map.get(key) {
                Found::Absent => {}
                Found::Unknown => return,
                Found::Entry(entry) => {
                    pool.key.clone_from(key);
                    pool.place = Some(place(entry).into());
                    pool.size = self.size(entry);
                    return;
                }
            }
        }
        pool.size = Amount::default(&table.label, version, Some(table.pool), &[]);
    }

    fn size(&self, entry: &Entry) -> Amount {
        let Some(value) = entry.value.as_scalar() else { return Amount::unknown() };
        let amount = Amount::of(value, &entry.rests_on, Evaluated::to_integer);
        let no_limit = self.version.as_ref().map(|version| self.table.no_limit_from.holds(version));
        let nothing = value.value == Value::Nil;
        match (amount.value(), no_limit) {
            (Some(_), Some(true)) if nothing => amount.map(|_| Some(NO_LIMIT)),
            (Some(-1), Some(true)) => amount.map(|_| Some(NO_LIMIT)),
            (Some(_), Some(false)) if nothing => amount.map(|_| Some(self.table.pool)),
            (Some(-1), None) => Amount::unknown(),
            (Some(_), None) if nothing => Amount::unknown(),
            _ => amount,
        }
    }

    fn refused(&self, map: &Map, pool: &mut Pool) {
        let rows: &[Refused] = self.table.refused.at(self.version.as_ref()).map(Vec::as_slice).unwrap_or_default();
        for row in rows {
            let [first, second] = &row.keys;
            let (Found::Entry(one), Found::Entry(other)) = (map.get(first), map.get(second)) else { continue };
            let values = [one, other].map(|entry| entry.value.as_scalar().filter(|value| !value.is_unknown()));
            let [Some(a), Some(b)] = values else { continue };
            let certain = [a, b].iter().all(|value| value.origin.fallbacks().next().is_none());
            let same = a.value == b.value || a.to_integer().is_some() && a.to_integer() == b.to_integer();
            if row.when == When::Always || certain && !same {
                pool.refused.push(Clash {
                    keys: row.keys.clone(),
                    at: place(one),
                    other: place(other),
                    when: row.when,
                });
            }
        }
    }

    fn behind(&self, map: &Map, pool: &mut Pool) {
        let text = |key: &str| match map.get(key) {
            Found::Entry(entry) => entry.value.as_scalar().cloned(),
            _ => None,
        };
        if let Some(adapter) = text("adapter") {
            pool.server = adapter.as_text().and_then(|adapter| self.table.server(adapter)).map(str::to_owned);
        }
        let port = text("port").and_then(|port| {
            port.as_text().map(str::to_owned).or_else(|| port.to_integer().map(|port| port.to_string()))
        });
        let off = self.table.pooler.off_keys.iter().any(|key| {
            text(key).is_some_and(|value| value.value == Value::Boolean(false) || value.as_text() == Some("false"))
        });
        if off || port.is_some_and(|port| self.table.pooler.ports.contains(&port)) {
            pool.pooler = Pooler::Likely;
        }
        if let Some(timeout) = text("checkout_timeout") {
            pool.timeout = Amount::of(&timeout, &[], Evaluated::to_integer);
        }
    }

    /// The variables that hold a URL: merged over the entry that has none.
    fn of_variable(&self, name: &str, pool: &mut Pool) {
        let table = self.table;
        let named = self.version.as_ref().is_none_or(|version| table.named_urls_from.holds(version));
        let own = format!("{}_{}", name.to_uppercase(), table.url_variable);
        let mut names = Vec::new();
        if named && name != table.primary {
            names.push(own);
        }
        if name == table.primary {
            names.push(table.url_variable.clone());
        }
        for variable in names {
            if let Lookup::Set { text, set_at: Some(set_at), voice, .. } =
                self.world.variable(&variable, Moment::Late, self.set)
            {
                let found = Source::Found { variable, read_at: set_at, set_at: Some(set_at), voice };
                self.of_url(&text, set_at, &[found], pool);
            }
        }
    }

    fn of_url(&self, text: &str, at: Span, sources: &[Source], pool: &mut Pool) {
        let Some(url) = DatabaseUrl::parse(text) else { return };
        if let Some(server) = self.table.server(&url.scheme) {
            pool.server = Some(server.to_owned());
        }
        let off = self.table.pooler.off_keys.iter().any(|key| url.get(key) == Some("false"));
        if off || url.port.as_ref().is_some_and(|port| self.table.pooler.ports.contains(port)) {
            pool.pooler = Pooler::Likely;
        }
        let keys = self.table.size_keys.at(self.version.as_ref()).or_else(|| self.table.size_keys.all().next());
        for key in keys.into_iter().flatten() {
            if let Some(size) = url.get(key) {
                let value = Evaluated::literal(Value::Text(size.to_owned()), at);
                pool.size = Amount::of(&value, sources, Evaluated::to_integer);
                pool.key = format!("?{key}=");
                pool.place = Some(at.into());
                return;
            }
        }
    }
}

/// Every value is a map: each is a database.
fn is_of_databases(map: &Map) -> bool {
    !map.entries.is_empty() && map.entries.iter().all(|entry| entry.value.as_map().is_some())
}

fn merged(own: &Map, below: Option<&Map>) -> Map {
    let mut map = own.clone();
    for entry in below.map(|below| below.entries.as_slice()).unwrap_or_default() {
        if !map.entries.iter().any(|known| known.key == entry.key) {
            map.entries.push(entry.clone());
        }
    }
    map.open = map.open.or_else(|| below.and_then(|below| below.open));
    map
}

/// Returns the value, or the key where the value stands elsewhere, behind an alias.
fn place(entry: &Entry) -> Span {
    let (key, value) = (entry.key_span, entry.value.span);
    if value.file == key.file && value.bytes.start >= key.bytes.end { value } else { key }
}

/// Code that gives the pool another size, and code that does so in a way that is not understood.
fn changed(list: &[Call], pools: &mut [Pool]) {
    let mut size: Option<(&Call, &Evaluated)> = None;
    for call in list.iter().filter(|call| call.standing != Standing::Skipped) {
        match (call.name.as_str(), call.arguments.as_slice()) {
            ("[]=", [key, number]) if key.as_text() == Some("pool") => size = Some((call, number)),
            ("establish_connection", arguments)
                if is_base(call) && !(arguments.is_empty() && call.named.is_empty()) =>
            {
                establish(call, arguments.first(), size, pools);
            }
            _ => {}
        }
    }
}

/// Another class has a pool of its own, which this one does not change.
fn is_base(call: &Call) -> bool {
    call.receiver.as_deref().is_none_or(|receiver| receiver.trim_start_matches(':') == "ActiveRecord::Base")
}

fn establish(call: &Call, argument: Option<&Evaluated>, size: Option<(&Call, &Evaluated)>, pools: &mut [Pool]) {
    if matches!(argument.map(|argument| &argument.value), Some(Value::Symbol(_) | Value::Stage(_))) {
        return;
    }
    let Some(primary) = pools.first_mut() else { return };
    let made = call.standing == Standing::Made;
    if let Some((at, number)) = size.filter(|_| made) {
        primary.size = Amount::of(number, &at.rests_on, Evaluated::to_integer);
        primary.place = Some(at.span.into());
        "pool".clone_into(&mut primary.key);
        return;
    }
    let url = argument.and_then(|argument| Some((DatabaseUrl::parse(argument.as_text()?)?, argument.origin.at)));
    match url.filter(|_| made) {
        Some((url, at)) => {
            if let Some(number) = url.get("pool").and_then(|size| size.parse().ok()) {
                primary.size = Amount::literal(number, at);
                primary.place = Some(at.into());
                "?pool=".clone_into(&mut primary.key);
            } else {
                primary.size = Amount::unknown();
            }
        }
        None => primary.size = Amount::unknown(),
    }
}
