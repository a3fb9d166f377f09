//! Limits inside a request: of the framework, of a statement, of the wait for a connection.

use std::collections::{BTreeMap, BTreeSet};

use super::{Bounds, Limit, span};
use crate::finding::Place;
use crate::knowledge::pool::{active_record, programs};
use crate::knowledge::timeout::{Database, inner, servers};
use crate::model::pool::amount::Amount;
use crate::model::pool::calls::Setup;
use crate::model::pool::database;
use crate::model::pool::world::{Moment, World};
use crate::model::ruby::{Evaluated, Found, Lookup, Map, Standing, Value};
use crate::model::setting::{Origin, Setting};

use super::drain::milliseconds;

/// What bounds the parts of a request of one process.
#[derive(Clone, Debug, Default)]
pub(super) struct Inside {
    /// The framework's limit on the whole request.
    pub request: Option<Limit>,
    pub statements: Vec<Limit>,
    pub checkouts: Vec<Limit>,
    /// Kinds of database servers that it uses.
    pub servers: BTreeSet<String>,
    /// It sets a limit on statements that is not known.
    pub unsure: bool,
    /// Others, which only count for how they are written.
    pub others: Vec<Limit>,
}

impl Inside {
    pub(super) fn limits(&self) -> impl Iterator<Item = &Limit> {
        self.request.iter().chain(&self.statements).chain(&self.checkouts).chain(&self.others)
    }
}

pub(super) fn of_process(world: &World<'_>) -> Inside {
    let stage = world.stage(&programs().sidekiq.stage_flags);
    let setup = Setup::of(world, stage.as_deref(), &BTreeMap::new());
    // Jobs are no requests.
    let answers = servers().iter().any(|row| row.kinds.contains(&world.process.kind));
    let request = if answers { request(world, &setup) } else { None };
    let mut inside = Inside { request, ..Inside::default() };
    for map in database::entries(world, stage, &world.process.kind) {
        let adapter = match map.get("adapter") {
            Found::Entry(entry) => entry.value.as_scalar().and_then(Evaluated::as_text).map(str::to_owned),
            _ => None,
        };
        let server = adapter.as_deref().and_then(|adapter| active_record().server(adapter));
        inside.servers.extend(server.map(str::to_owned));
        for row in &inner().databases {
            let fits =
                row.servers.is_empty() || server.is_some_and(|server| row.servers.iter().any(|known| known == server));
            if !fits {
                continue;
            }
            let Some(limit) = of_entry(row, &map) else {
                inside.unsure |= row.statement && !is_absent(row, &map);
                continue;
            };
            match (row.statement, row.checkout) {
                (true, _) => inside.statements.push(limit),
                (_, true) => inside.checkouts.push(limit),
                _ => inside.others.push(limit),
            }
        }
    }
    inside
}

/// Says whether an entry leaves the limit to the server for certain.
fn is_absent(row: &Database, map: &Map) -> bool {
    let mut at = map;
    for key in &row.keys {
        match at.get(key) {
            Found::Absent => return true,
            Found::Unknown => return false,
            Found::Entry(entry) => match entry.value.as_map() {
                Some(map) => at = map,
                None => return false,
            },
        }
    }
    false
}

fn of_entry(row: &'static Database, map: &Map) -> Option<Limit> {
    let (last, path) = row.keys.split_last()?;
    let mut at = map;
    for key in path {
        let Found::Entry(entry) = at.get(key) else { return None };
        at = entry.value.as_map()?;
    }
    let Found::Entry(entry) = at.get(last) else { return None };
    let value = entry.value.as_scalar()?;
    let text = match &value.value {
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        other => other.as_text()?.to_owned(),
    };
    let read = span::read(&text, row.unit)?;
    // For where it comes from; the number is read above.
    let amount = Amount::of(value, &entry.rests_on, |_| Some(0));
    let time = amount.setting.clone().map(|_| Some(read.milliseconds));
    let place = amount.setting.span().map(Place::from);
    Some(Limit {
        who: row.who.clone(),
        setting: row.setting.clone(),
        bounds: if row.checkout { Bounds::Checkout } else { Bounds::Statement },
        time,
        bare: read.bare.then_some(row.unit),
        unset: amount.unset,
        place,
    })
}

/// The variable wins over what the application sets: it is read where nothing is handed over (rack-timeout v0.7.0
/// lib/rack/timeout/core.rb).
fn request(world: &World<'_>, setup: &Setup) -> Option<Limit> {
    let row = &inner().request;
    if !world.uses(std::slice::from_ref(&row.package)) {
        return None;
    }
    let named = |time: Setting<u64>, unset: Vec<String>, place: Option<Place>| Limit {
        who: row.who.clone(),
        setting: row.setting.clone(),
        bounds: Bounds::Request,
        time,
        bare: None,
        unset,
        place,
    };
    let of = |value: &Evaluated, rests_on: &[crate::model::ruby::Source]| {
        let amount = Amount::of(value, rests_on, milliseconds);
        let time = amount.setting.clone().map(|milliseconds| u64::try_from(milliseconds).ok().filter(|time| *time > 0));
        time.value?;
        let place = amount.setting.span().map(Place::from);
        Some(named(time, amount.unset, place))
    };
    let mut set = None;
    for call in setup.calls(&world.process.kind) {
        let receiver = call.receiver.as_deref().unwrap_or_default().trim_start_matches(':');
        let value = call.named.iter().find(|(name, _)| *name == row.named).map(|(_, value)| value).or_else(|| {
            (call.name == row.call && row.receivers.iter().any(|known| known == receiver))
                .then(|| call.arguments.first())?
        });
        let Some(value) = value else { continue };
        set = Some(if call.standing == Standing::Made { of(value, &call.rests_on) } else { None });
    }
    if let Some(set) = set {
        return set;
    }
    match world.variable(&row.variable, Moment::Late, &BTreeMap::new()) {
        Lookup::Set { .. } => of(&world.read_directly(&row.variable, Moment::Late, &BTreeMap::new())?, &[]),
        Lookup::Unknown => None,
        Lookup::Unset => {
            let origin = Origin::Default { library: row.who.clone(), version: None };
            let time = Setting { value: Some(row.default), origin };
            Some(named(time, vec![row.variable.clone()], None))
        }
    }
}
