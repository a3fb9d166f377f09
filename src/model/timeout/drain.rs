//! How long a process takes to stop once it is asked to, by its own settings: its command line, its files, its
//! variables.

use std::collections::BTreeMap;

use super::{Bounds, Limit, NEVER, Unit, server, span};
use crate::finding::Place;
use crate::knowledge::pool::programs as pools;
use crate::knowledge::timeout::{Program, programs};
use crate::model::pool::amount::Amount;
use crate::model::pool::calls::Setup;
use crate::model::pool::flags::Flags;
use crate::model::pool::world::{Moment, World};
use crate::model::pool::{puma, sidekiq};
use crate::model::process::Word;
use crate::model::ruby::{Call, Evaluated, Found, Last, Lookup, Standing, Value};
use crate::model::setting::{Origin, Setting};

/// Returns the row of a process and its limit, if both are known.
pub(super) fn of_process(world: &World<'_>) -> Option<(&'static Program, Limit)> {
    let kind = &world.process.kind;
    let row = programs().iter().find(|row| row.kinds.iter().any(|known| known == kind))?;
    let limit = match server::drain(world) {
        server::Drain::Elsewhere => Reader { world, row }.limit()?,
        server::Drain::Unknown => return None,
        server::Drain::Of(limit) => limit,
    };
    Some((row, limit))
}

struct Reader<'w> {
    world: &'w World<'w>,
    row: &'static Program,
}

/// What code sets a limit to.
enum Set {
    Nowhere,
    Unknown,
    To(Limit),
}

impl Reader<'_> {
    /// The command line wins over files, files over variables, and all of them over the default.
    fn limit(&self) -> Option<Limit> {
        let row = self.row;
        let with_value: &[String] =
            if row.kinds.contains(&pools().sidekiq.kind) { &pools().sidekiq.with_value } else { &[] };
        let flags = Flags::of(&self.world.process.arguments, &row.flags, with_value);
        if let Some((text, word)) = flags.last(&row.flags) {
            return of_word(row, text?, word);
        }
        if flags.opaque && !row.flags.is_empty() {
            return None;
        }
        if row.in_workers {
            return self.of_workers();
        }
        if !row.call.is_empty() || row.kinds.contains(&pools().sidekiq.kind) {
            let stage = self.world.stage(&pools().sidekiq.stage_flags);
            let setup = Setup::of(self.world, stage.as_deref(), &BTreeMap::new());
            match self.of_setup(&setup) {
                Set::Nowhere => {}
                Set::Unknown => return None,
                Set::To(limit) => return Some(limit),
            }
        }
        if row.kinds.contains(&pools().sidekiq.kind) {
            for map in sidekiq::settings(self.world)? {
                for key in &row.keys {
                    match map.get(key) {
                        Found::Absent => {}
                        Found::Unknown => return None,
                        Found::Entry(entry) => {
                            let value = entry.value.as_scalar()?;
                            return self.evaluated(&Amount::of(value, &entry.rests_on, milliseconds));
                        }
                    }
                }
            }
        }
        for name in &row.variables {
            match self.world.variable(name, Moment::Late, &BTreeMap::new()) {
                Lookup::Unset => {}
                Lookup::Unknown => return None,
                Lookup::Set { .. } => {
                    let value = self.world.read_directly(name, Moment::Late, &BTreeMap::new())?;
                    return self.evaluated(&Amount::of(&value, &[], milliseconds));
                }
            }
        }
        self.default()
    }

    /// What initializers set: `config[:timeout] = 40`, `config.solid_queue.shutdown_timeout = 30`.
    fn of_setup(&self, setup: &Setup) -> Set {
        let mut found = Set::Nowhere;
        for call in setup.calls(&self.world.process.kind) {
            let Some(value) = self.set_by(call) else { continue };
            let made = (call.standing == Standing::Made).then(|| Amount::of(value, &call.rests_on, milliseconds));
            found = made.and_then(|amount| self.evaluated(&amount)).map_or(Set::Unknown, Set::To);
        }
        found
    }

    fn set_by<'c>(&self, call: &'c Call) -> Option<&'c Evaluated> {
        match (call.name.as_str(), call.arguments.as_slice()) {
            ("[]=", [key, value]) if self.row.call.is_empty() => {
                key.as_text().filter(|key| self.row.keys.iter().any(|known| known == key)).map(|_| value)
            }
            (name, [value]) if name == self.row.call && !self.row.call.is_empty() => {
                let receiver = call.receiver.as_deref().unwrap_or_default();
                (self.row.receivers.is_empty() || self.row.receivers.iter().any(|known| known == receiver))
                    .then_some(value)
            }
            _ => None,
        }
    }

    /// A server whose master stops its workers; alone it waits for ever.
    fn of_workers(&self) -> Option<Limit> {
        let (run, workers) = puma::called(self.world);
        if workers.value().is_none_or(|workers| workers < 2) {
            return None;
        }
        match run?.last(&self.row.call) {
            Last::Unknown(_) => None,
            Last::Never(sources) => {
                let mut limit = self.default()?;
                limit.unset.extend(sources.iter().filter_map(|source| match source {
                    crate::model::ruby::Source::Fallback { variable, .. } => Some(variable.clone()),
                    _ => None,
                }));
                Some(limit)
            }
            Last::Call(call, sources) => self.evaluated(&Amount::of(call.arguments.first()?, &sources, milliseconds)),
        }
    }

    fn evaluated(&self, amount: &Amount) -> Option<Limit> {
        let milliseconds = amount.value()?;
        let never = self.row.never.iter().any(|number| number.checked_mul(1_000) == Some(milliseconds));
        let time = amount.setting.clone().map(|_| if never { Some(NEVER) } else { u64::try_from(milliseconds).ok() });
        time.value?;
        let place = amount.setting.span().map(Place::from);
        Some(Limit { time, bare: Some(Unit::Seconds), unset: amount.unset.clone(), place, ..self.named() })
    }

    fn default(&self) -> Option<Limit> {
        let row = self.row;
        let version = self.world.version(std::slice::from_ref(&row.package));
        let seconds = row.default.at(version.as_ref())?;
        let origin = Origin::Default { library: row.label.clone(), version };
        let time = Setting { value: u64::try_from(*seconds).ok()?.checked_mul(1_000), origin };
        Some(Limit { time, ..self.named() })
    }

    fn named(&self) -> Limit {
        named(self.row)
    }
}

fn named(row: &Program) -> Limit {
    Limit {
        who: row.label.clone(),
        setting: row.written.clone(),
        bounds: Bounds::Drain,
        time: Setting::unknown(),
        bare: None,
        unset: Vec::new(),
        place: None,
    }
}

/// Reads a word of a command line.
fn of_word(row: &Program, text: &str, word: &Word) -> Option<Limit> {
    let never = row.never.iter().any(|number| number.to_string() == text.trim());
    let milliseconds = if never { NEVER } else { span::read(text, Unit::Seconds)?.milliseconds };
    let at = crate::model::pool::span_of(word.place);
    let (origin, unset) = match &word.fallback_of {
        None => (Origin::Literal(at), Vec::new()),
        Some(variable) => (Origin::Fallback { variable: variable.clone(), read_at: at }, vec![variable.clone()]),
    };
    let time = Setting { value: Some(milliseconds), origin };
    Some(Limit { time, bare: Some(Unit::Seconds), unset, place: Some(word.place), ..named(row) })
}

/// Makes milliseconds of a number of seconds.
#[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
pub(super) fn milliseconds(value: &Evaluated) -> Option<i64> {
    match &value.value {
        Value::Integer(seconds) => seconds.checked_mul(1_000),
        Value::Float(seconds) => (-1e9..1e9).contains(seconds).then(|| (seconds * 1_000.0).round() as i64),
        Value::Text(text) => {
            let seconds: f64 = text.trim().parse().ok()?;
            (-1e9..1e9).contains(&seconds).then(|| (seconds * 1_000.0).round() as i64)
        }
        _ => None,
    }
}
