//! From the options of one class to what the library makes of them at its version.

use super::class::{Reading, Subject};
use super::setup::Given;
use super::time::time;
use super::{
    Asked, Kind, Known, Latency, OldOption, Package, Reader, Retries, Scope, Strategy, Time, Ttl, UniqueClass, gem,
};
use crate::facts::value::{Value, ValueKind};
use crate::knowledge::lock::{Conflict, Held, Released, sidekiq, unique};
use crate::model::evaluate;
use crate::model::resolve::{Fields, Located, Lookup, Settled};
use crate::source::{FileId, Span};

/// The options of one class.
pub(super) struct Options<'o, 'r, 'a> {
    pub reading: &'o Reading<'r, 'a>,
    pub file: FileId,
    pub subject: &'o Subject<'a>,
    pub fields: &'o Fields<'a>,
}

/// Numbers of repetitions above this are written by mistake or by nobody.
const RETRIES: f64 = 100_000.0;

impl<'a> Options<'_, '_, 'a> {
    /// Returns the lock that sidekiq-unique-jobs takes, or would have taken at another version.
    pub(super) fn unique_jobs<'l>(&self) -> Option<UniqueClass<'l>> {
        let table = unique();
        let (facts, sources) = (self.reading.resolver.facts(), self.reading.sources);
        let package = gem(facts, sources, self.file, &table.package)?;
        let old: Vec<OldOption<'_>> = table
            .old
            .iter()
            .filter(|row| row.ignored.holds(&package.version))
            .filter_map(|row| match self.fields.get(&row.name) {
                Lookup::Found { key_span, value } if !is_off(value.value) => Some(OldOption { row, key: key_span }),
                _ => None,
            })
            .collect();
        let lock = match self.fields.get(&table.lock) {
            Lookup::Found { key_span, value } => self.asked(key_span, &value),
            Lookup::Absent if table.behaviour.registers_itself.holds(&package.version) => {
                match self.fields.get(&table.lock_before) {
                    Lookup::Found { key_span, value } => self.asked(key_span, &value),
                    _ => None,
                }
            }
            Lookup::Absent => {
                // Without a lock an old option is all there is.
                let first = old.first().copied()?;
                let asked = Asked { text: first.row.name.clone(), key: first.key, value: first.key };
                return Some(self.class(package, asked, Kind::Own, Reader::UniqueJobs, old));
            }
            Lookup::Unknown => None,
        }?;
        let kind = self.kind(&lock, &package);
        Some(self.class(package, lock, kind, Reader::UniqueJobs, old))
    }

    /// Returns the lock that Sidekiq Enterprise takes.
    pub(super) fn enterprise<'l>(&self) -> Option<UniqueClass<'l>> {
        let table = &sidekiq().enterprise;
        let (facts, sources) = (self.reading.resolver.facts(), self.reading.sources);
        let Lookup::Found { key_span, value } = self.fields.get(&table.option) else { return None };
        if is_off(value.value) {
            return None;
        }
        let package = gem(facts, sources, self.file, &table.package)?;
        let asked = Asked { text: table.option.clone(), key: key_span, value: value.span() };
        let released = match self.fields.get(&table.until) {
            Lookup::Absent => Released::Success,
            Lookup::Found { value, .. } if value.value.as_text() == Some(&table.until_start) => Released::Start,
            Lookup::Found { value, .. } if value.value.as_text().is_some() => Released::Success,
            _ => return None,
        };
        let mut alike = unique().types.iter().filter(|row| row.held == Held::Push && row.released == released);
        let kind = alike.next().map_or(Kind::Own, Kind::Known);
        Some(self.class(package, asked, kind, Reader::Enterprise, Vec::new()))
    }

    fn asked(&self, key: Span, value: &Located<'a>) -> Option<Asked> {
        let place = value.span();
        let text = match self.reading.resolver.settle_located(value) {
            Settled::Value(located) => match &located.value.kind {
                ValueKind::Text(text) => text.clone(),
                ValueKind::Boolean(true) => "true".to_owned(),
                _ => return None,
            },
            _ => return None,
        };
        Some(Asked { text, key, value: place })
    }

    fn kind<'l>(&self, lock: &Asked, package: &Package) -> Kind<'l> {
        let (table, setup) = (unique(), self.reading.setup);
        if let Some(row) = table.lock_type(&lock.text, &package.version) {
            return Kind::Known(row);
        }
        let own = setup.locks.as_ref();
        match own {
            Some(own) if !own.contains(&lock.text.as_str()) && table.behaviour.checks_type.holds(&package.version) => {
                Kind::Unknown(nearest(&lock.text, table.names(&package.version)))
            }
            _ => Kind::Own,
        }
    }

    fn class<'l>(
        &self,
        package: Package,
        lock: Asked,
        kind: Kind<'l>,
        reader: Reader,
        old: Vec<OldOption<'l>>,
    ) -> UniqueClass<'l> {
        let ttl = match reader {
            Reader::UniqueJobs => self.ttl(&package),
            Reader::Enterprise => match self.fields.get(&sidekiq().enterprise.option) {
                Lookup::Found { value, .. } => self.expiry(value.value, value.span(), Scope::Class),
                _ => Ttl::Unknown,
            },
        };
        let (client, server) = match (reader, kind) {
            (Reader::UniqueJobs, Kind::Known(row)) if row.conflict != Conflict::Fixed => self.strategies(&package),
            _ => (Strategy::Unknown, Strategy::Unknown),
        };
        let active_job = &sidekiq().mixins.active_job;
        UniqueClass {
            name: self.subject.lineage.paths.first().map(|path| path.join("::")).unwrap_or_default(),
            file: self.file,
            reader,
            lock,
            kind,
            ttl,
            retries: self.retries(),
            client,
            server,
            latency: self.latency(),
            unregistered: false,
            active_job: self.subject.lineage.unread.iter().any(|unread| unread.path == *active_job),
            old,
            reaper_off: self.reaper_off(&package),
            package,
        }
    }

    fn ttl(&self, package: &Package) -> Ttl {
        let table = unique();
        let Some(names) = table.ttl.at(Some(&package.version)) else { return Ttl::Unknown };
        for name in names {
            match self.fields.get(name) {
                Lookup::Found { value, .. } if is_off(value.value) => {}
                Lookup::Found { value, .. } => return self.expiry(value.value, value.span(), Scope::Class),
                Lookup::Absent => {}
                Lookup::Unknown => return Ttl::Unknown,
            }
        }
        match self.reading.setup.ttl {
            Given::Nothing => Ttl::Never,
            Given::Value(value) if is_off(value) => Ttl::Never,
            Given::Value(value) => self.expiry(value, value.span, Scope::Application),
            Given::Unknown => Ttl::Unknown,
        }
    }

    fn expiry(&self, value: &'a Value, at: Span, scope: Scope) -> Ttl {
        match time(self.reading.resolver, value) {
            Some(time @ Time { seconds, .. }) if seconds > 0.0 => Ttl::After { time, at, scope },
            _ => Ttl::Unknown,
        }
    }

    fn retries(&self) -> Retries {
        let table = &sidekiq().retry;
        let own_delay = self
            .subject
            .lineage
            .parts
            .iter()
            .any(|part| part.code.calls_within(part.fact.bytes).any(|call| call.name == table.delay_block));
        if own_delay || self.fields.get(&table.until_option) != Lookup::Absent {
            return Retries::Unknown;
        }
        match self.fields.get(&table.option) {
            Lookup::Absent => Retries::Default(table.retries),
            Lookup::Unknown => Retries::Unknown,
            Lookup::Found { value, .. } => {
                let at = value.span();
                let count = match &value.value.kind {
                    ValueKind::Boolean(true) => return Retries::Default(table.retries),
                    ValueKind::Boolean(false) | ValueKind::Null => Some(0.0),
                    _ => evaluate::number(self.reading.resolver, &value).value,
                };
                match count {
                    Some(count) if (0.0..=RETRIES).contains(&count) => {
                        #[expect(
                            clippy::cast_possible_truncation,
                            clippy::cast_sign_loss,
                            reason = "within the bounds"
                        )]
                        let count = count as u32;
                        Retries::Written { count, at }
                    }
                    _ => Retries::Unknown,
                }
            }
        }
    }

    /// Returns the strategies of the push and of the run.
    fn strategies(&self, package: &Package) -> (Strategy, Strategy) {
        let table = unique();
        let both = match self.fields.get(&table.conflict) {
            Lookup::Found { value, .. } => self.sides(&value),
            Lookup::Unknown => (Strategy::Unknown, Strategy::Unknown),
            Lookup::Absent if table.behaviour.global_conflict.holds(&package.version) => {
                match self.reading.setup.conflict {
                    Given::Nothing => (Strategy::None, Strategy::None),
                    Given::Value(value) => self.sides(&Located::of(value)),
                    Given::Unknown => (Strategy::Unknown, Strategy::Unknown),
                }
            }
            Lookup::Absent => (Strategy::None, Strategy::None),
        };
        let own = |name: &str, other: Strategy| match self.fields.get(name) {
            Lookup::Found { value, .. } => self.strategy(&value),
            Lookup::Absent => other,
            Lookup::Unknown => Strategy::Unknown,
        };
        (own(&table.client_conflict, both.0), own(&table.server_conflict, both.1))
    }

    fn sides(&self, value: &Located<'a>) -> (Strategy, Strategy) {
        let alternatives = self.reading.resolver.alternatives(value);
        match alternatives.as_slice() {
            [] => {
                let same = self.strategy(value);
                (same.clone(), same)
            }
            [only] => {
                let [client, server] = &unique().sides;
                let side = |name: &str| match only.fields.get(name) {
                    Lookup::Found { value, .. } => self.strategy(&value),
                    Lookup::Absent => Strategy::None,
                    Lookup::Unknown => Strategy::Unknown,
                };
                (side(client), side(server))
            }
            _ => (Strategy::Unknown, Strategy::Unknown),
        }
    }

    fn strategy(&self, value: &Located<'a>) -> Strategy {
        let at = value.span();
        let Settled::Value(located) = self.reading.resolver.settle_located(value) else { return Strategy::Unknown };
        match &located.value.kind {
            ValueKind::Null | ValueKind::Boolean(false) => Strategy::None,
            ValueKind::Text(name) => {
                let is_ours = unique().strategies.names.contains(name);
                let own = self.reading.setup.strategies.as_ref();
                let known = match own {
                    _ if is_ours => Known::Yes,
                    Some(own) if !own.contains(&name.as_str()) => Known::No,
                    _ => return Strategy::Unknown,
                };
                Strategy::Named { name: name.clone(), at, known }
            }
            _ => Strategy::Unknown,
        }
    }

    fn latency(&self) -> Option<Latency> {
        let queue = match self.fields.get(&sidekiq().queue_option) {
            Lookup::Absent => sidekiq().queue_default.clone(),
            Lookup::Found { value, .. } => value.value.as_text()?.to_owned(),
            Lookup::Unknown => return None,
        };
        self.reading.queues.iter().rfind(|said| said.queue == queue).cloned()
    }

    fn reaper_off(&self, package: &Package) -> Option<Span> {
        let table = unique();
        let Given::Value(value) = self.reading.setup.reaper else { return None };
        let off = match &value.kind {
            ValueKind::Null | ValueKind::Boolean(false) => true,
            ValueKind::Text(name) => !table.reapers.contains(name),
            _ => false,
        };
        (off && table.behaviour.reaps.holds(&package.version)).then_some(value.span)
    }
}

/// Returns what stands beside the name that begins and ends most like a misspelt one, if more than half of it is so.
fn nearest<'n>(word: &str, names: impl Iterator<Item = (&'n str, &'n str)>) -> Option<&'n str> {
    let shared = |pairs: &mut dyn Iterator<Item = (char, char)>| pairs.take_while(|(a, b)| a == b).count();
    let alike = |name: &str| {
        shared(&mut word.chars().zip(name.chars())) + shared(&mut word.chars().rev().zip(name.chars().rev()))
    };
    // Of two that are alike the first is the one that people mean.
    let best = names.fold(None, |best: Option<(&str, &str)>, name| match best {
        Some(best) if alike(best.0) >= alike(name.0) => Some(best),
        _ => Some(name),
    });
    best.filter(|best| alike(best.0) * 2 > word.chars().count()).map(|best| best.1)
}

/// `nil` and `false` switch an option off.
fn is_off(value: &Value) -> bool {
    matches!(value.kind, ValueKind::Null | ValueKind::Boolean(false))
}
