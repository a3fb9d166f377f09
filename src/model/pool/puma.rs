//! Puma: its configuration file, its command line, the variables that it reads itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::amount::Amount;
use super::flags::Flags;
use super::threads::Threads;
use super::world::{Moment, RUBY, Seen, World};
use crate::facts::ruby_config::Program;
use crate::knowledge::pool::{Puma, Steps, active_record, programs};
use crate::model::process::Word;
use crate::model::ruby::{Call, Evaluated, Last, Lookup, Run, Source};
use crate::version::Version;

/// Whether the arguments are Puma's own, or those of a program that starts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arguments {
    Own,
    Another,
}

/// Reads the threads and workers of a Puma.
pub(super) fn threads(world: &World<'_>, arguments: Arguments) -> Threads {
    let table = &programs().puma;
    let words: &[Word] = match arguments {
        Arguments::Own => &world.process.arguments,
        Arguments::Another => &[],
    };
    let wanted: Vec<String> = [&table.threads_flags, &table.workers_flags, &table.file_flags, &table.stage_flags]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let flags = Flags::of(words, &wanted, &table.with_value);
    let version = world.version(std::slice::from_ref(&table.package));
    let puma = Reader { world, table, version: version.as_ref() };
    let stage = puma.stage(&flags);
    let (file, ran) = match puma.file(&flags, stage.as_deref()) {
        Config::Read(program) => {
            // `rails server` loads the application before Puma reads its file.
            let late = arguments == Arguments::Another || loads_dotenv(program);
            let moment = if late { Moment::Late } else { Moment::Early };
            (Some(program.file), Ran::Done(world.run(program, moment, stage.as_deref(), &BTreeMap::new())))
        }
        Config::None => (None, Ran::Nothing),
        Config::Unknown => (None, Ran::Unknown),
    };
    let mut threads = puma.bounds(&flags, &ran);
    threads.copies = puma.workers(&flags, &ran);
    threads.file = file;
    if let Ran::Done(run) = ran {
        threads.set.clone_from(&run.environment);
        threads.run = Some(run);
    }
    threads
}

/// Returns what the configuration file calls, if it is known, and how many workers there are.
pub(in crate::model) fn called(world: &World<'_>) -> (Option<Run>, Amount) {
    let own = if world.process.kind == programs().puma.kind { Arguments::Own } else { Arguments::Another };
    let threads = threads(world, own);
    (threads.run, threads.copies)
}

/// A configuration file that reads `.env` itself sees what is in it.
fn loads_dotenv(program: &Program) -> bool {
    let gems = &active_record().setup.packages;
    program.requires().iter().any(|name| gems.iter().any(|gem| name.split('/').next() == Some(gem)))
}

enum Config<'w> {
    Read(&'w Program),
    None,
    Unknown,
}

enum Ran {
    Done(Run),
    /// There is no file.
    Nothing,
    Unknown,
}

struct Reader<'w> {
    world: &'w World<'w>,
    table: &'w Puma,
    version: Option<&'w Version>,
}

impl<'w> Reader<'w> {
    /// Returns the environment by which the file is chosen.
    fn stage(&self, flags: &Flags<'_>) -> Option<String> {
        if let Some((text, _)) = flags.value(&self.table.stage_flags) {
            return Some(text.to_owned());
        }
        self.world.process.stage().map(str::to_owned)
    }

    /// The first of the environment's own file and the common one, unless the command line names one.
    fn file(&self, flags: &Flags<'_>, stage: Option<&str>) -> Config<'w> {
        if flags.opaque && flags.last(&self.table.file_flags).is_none() {
            return Config::Unknown;
        }
        if flags.has(&self.table.no_file_flags) {
            return Config::None;
        }
        let given = flags.last(&self.table.file_flags);
        let candidates = match given {
            Some((Some("-"), _)) => return Config::None,
            Some((Some(path), _)) => vec![PathBuf::from(path)],
            Some((None, _)) => return Config::Unknown,
            None => {
                let Some(stage) = stage else { return Config::Unknown };
                vec![Path::new(&self.table.directory).join(format!("{stage}.rb")), PathBuf::from(&self.table.file)]
            }
        };
        for path in candidates {
            match self.world.look(&path, RUBY) {
                Seen::Read(facts) => return facts.program.as_ref().map_or(Config::Unknown, Config::Read),
                // A file that is named and not there is made by the deploy.
                Seen::Absent if given.is_some() => return Config::Unknown,
                Seen::Absent => {}
                Seen::Unknown => return Config::Unknown,
            }
        }
        Config::None
    }

    fn bounds(&self, flags: &Flags<'_>, ran: &Ran) -> Threads {
        if let Some((text, word)) = flags.last(&self.table.threads_flags) {
            let Some(text) = text else { return Threads::unknown() };
            let (least, most) = text.split_once(':').unwrap_or((text, text));
            let mut threads = Threads::of(Amount::of_word(word, most));
            threads.least = Some(Amount::of_word(word, least));
            threads.set_at = Some(word.place);
            return threads;
        }
        match ran {
            Ran::Unknown => Threads::unknown(),
            Ran::Nothing => self.defaults(&[]),
            Ran::Done(run) if !run.unseen.is_empty() => Threads::unknown(),
            Ran::Done(run) => match run.last("threads") {
                Last::Unknown(_) => Threads::unknown(),
                Last::Never(sources) => self.defaults(&sources),
                Last::Call(call, sources) => self.called(run, call, &sources),
            },
        }
    }

    fn called(&self, run: &Run, call: &Call, sources: &[Source]) -> Threads {
        let (least, most) = match call.arguments.as_slice() {
            [least, most] => (least, most),
            [only] if self.version.is_some_and(|version| self.table.one_bound_from.holds(version)) => (only, only),
            _ => return Threads::unknown(),
        };
        let mut threads = Threads::of(Amount::of(most, sources, Evaluated::integer));
        threads.least = Some(Amount::of(least, sources, Evaluated::integer));
        threads.set_at = Some(call.name_span.into());
        // Requests that are marked so may run beyond the maximum.
        if let Last::Call(io, sources) = run.last("max_io_threads")
            && let Some(number) = io.arguments.first()
        {
            threads.most = threads.most.plus(&Amount::of(number, &sources, Evaluated::integer));
        }
        threads
    }

    /// What holds where neither the command line nor the file says anything.
    fn defaults(&self, sources: &[Source]) -> Threads {
        let table = self.table;
        let version = self.version;
        let most = self.default(&table.threads_variables, table.threads.at(version).copied());
        let least = self.default(&table.least_variables, Some(table.least));
        let mut threads = Threads::of(most.unless(sources));
        threads.least = Some(least.unless(sources));
        threads
    }

    fn default(&self, variables: &Steps<Vec<String>>, value: Option<i64>) -> Amount {
        let known = variables.at(self.version);
        let mut asked: Vec<String> = known.or_else(|| variables.all().last()).cloned().unwrap_or_default();
        for name in &asked {
            match self.world.variable(name, Moment::Early, &BTreeMap::new()) {
                Lookup::Unset => {}
                // What an unknown version makes of a variable is not known.
                Lookup::Set { .. } if known.is_none() => return Amount::unknown(),
                Lookup::Set { .. } => {
                    let read = self.world.read_directly(name, Moment::Early, &BTreeMap::new());
                    return read.map_or_else(Amount::unknown, |value| Amount::of(&value, &[], Evaluated::integer));
                }
                Lookup::Unknown => return Amount { variables: asked.clone(), ..Amount::unknown() },
            }
        }
        if known.is_none() {
            asked.clear();
        }
        Amount::default(&self.table.label, self.version, value, &asked)
    }

    /// A single process is one copy, too.
    fn workers(&self, flags: &Flags<'_>, ran: &Ran) -> Amount {
        let table = self.table;
        let workers = if let Some((text, word)) = flags.last(&table.workers_flags) {
            text.map_or_else(Amount::unknown, |text| Amount::of_word(word, text))
        } else {
            match ran {
                Ran::Unknown => Amount::unknown(),
                Ran::Nothing => self.default(&table.workers_variables, Some(table.workers)),
                Ran::Done(run) if !run.unseen.is_empty() => Amount::unknown(),
                Ran::Done(run) => match run.last("workers") {
                    Last::Unknown(_) => Amount::unknown(),
                    Last::Never(sources) => {
                        self.default(&table.workers_variables, Some(table.workers)).unless(&sources)
                    }
                    Last::Call(call, sources) => call
                        .arguments
                        .first()
                        .map_or_else(Amount::unknown, |number| Amount::of(number, &sources, Evaluated::to_integer)),
                },
            }
        };
        workers.map(|count| Some(count.max(1)))
    }
}
