//! launchd's jobs: what each property list starts, under which user and in which directory.

mod definition;

use std::path::{Path, PathBuf};

use super::command::{Argument, Certainty, Found, Reference, Surroundings, follow};
use super::launch::{self, Launch};
use super::{
    Accounts, Binding, Command, Domain, Doubt, Evidence, Job, Manager, Need, Persistence, Role, Service, StartedBy,
    State, StopLimit, Written,
};
use crate::facts::Body;
use crate::facts::host::{HostFacts, Reader};
use crate::facts::launchd::{JobFile, KeepAlive, Text};
use crate::facts::value::ValueKind;
use crate::finding::Place;
use crate::knowledge::place::places;
use crate::knowledge::unit::launchd;
use crate::model::deploy;
use crate::model::resolve::FactsByFile;
use crate::source::{FileId, Look};
use crate::syntax::data::Lines;

pub(super) use definition::{examine_host, examine_repository};

/// Finds the jobs of a host's launchd directories.
pub(super) fn jobs(host: &HostFacts, facts: &FactsByFile, evidence: &Evidence<'_>, accounts: &Accounts) -> Vec<Job> {
    let mut found = Vec::new();
    for directory in &host.directories {
        let owner = match &directory.reader {
            Reader::LaunchDaemons => Owner::System,
            Reader::LaunchAgents { home } => Owner::User { home: home.as_deref() },
            _ => continue,
        };
        for entry in &directory.entries {
            let Some(Body::Launchd(job)) = entry.text.and_then(|file| facts.get(&file)).map(|facts| &facts.body) else {
                continue;
            };
            let name = job.label.as_ref().map(|label| label.text.text.clone()).unwrap_or_default();
            // A job that is off by its own word starts only if somebody switches it on, which launchd remembers.
            if overridden(host, facts, &name).or(job.disabled) == Some(true) {
                continue;
            }
            let file = entry.text.unwrap_or(entry.file);
            found.push(one(name, &Reading::of(file, job, &owner, evidence, accounts), &owner));
        }
    }
    found
}

/// Returns the job that the installed copy of a property list makes. The home of its user is a directory that somebody
/// fills in.
pub(super) fn job_of_file(file: FileId, job: &JobFile, evidence: &Evidence<'_>) -> Job {
    let name = job.label.as_ref().map(|label| label.text.text.clone()).unwrap_or_default();
    let mut reading = Reading::of(file, job, &Owner::System, evidence, &Accounts::default());
    reading.home = Some(deploy::filled_in());
    one(name, &reading, &Owner::System)
}

fn one(name: String, reading: &Reading<'_>, owner: &Owner<'_>) -> Job {
    let job = reading.job;
    let (needs, commands) = reading.needs();
    let written = |text: &Text| Written { text: text.text.text.clone(), place: reading.place(text.bytes) };
    Job {
        name,
        manager: Manager::Launchd,
        domain: owner.domain(),
        root: reading.evidence.root,
        file: reading.file,
        needs,
        commands,
        environment: reading.environment(),
        user: job.user.as_ref().filter(|_| matches!(owner, Owner::System)).map(written),
        directory: reading.directory(),
        persistence: persistence(job),
        stop: job.exit_timeout.and_then(|(seconds, bytes)| {
            let milliseconds = u64::try_from(seconds).ok()?.saturating_mul(1_000);
            // 0 is no limit, by launchd.plist(5).
            let milliseconds = if milliseconds == 0 { u64::MAX } else { milliseconds };
            Some(StopLimit { milliseconds, place: reading.place(bytes) })
        }),
        stop_signal: None,
        started_by: started_by(job),
    }
}

/// Returns what the jobs of a host's launchd directories execute.
pub(super) fn launches(
    host: &HostFacts,
    facts: &FactsByFile,
    evidence: &Evidence<'_>,
    accounts: &Accounts,
) -> Vec<Launch> {
    let mut found = Vec::new();
    for directory in &host.directories {
        let owner = match &directory.reader {
            Reader::LaunchDaemons => Owner::System,
            Reader::LaunchAgents { home } => Owner::User { home: home.as_deref() },
            _ => continue,
        };
        for entry in &directory.entries {
            let file = entry.text.unwrap_or(entry.file);
            let Some(Body::Launchd(job)) = facts.get(&file).map(|facts| &facts.body) else { continue };
            let name = job.label.as_ref().map_or("", |label| label.text.text.as_str());
            if overridden(host, facts, name).or(job.disabled) != Some(true) {
                let home = Reading::of(file, job, &owner, evidence, accounts).home;
                found.push(launch::of_launchd(file, job, home));
            }
        }
    }
    found
}

/// Returns the jobs of a host's launchd directories as services; the key of a limit is its path in the property list.
pub(super) fn services(
    host: &HostFacts,
    facts: &FactsByFile,
    evidence: &Evidence<'_>,
    accounts: &Accounts,
) -> Vec<Service> {
    let mut found = Vec::new();
    for launch in launches(host, facts, evidence, accounts) {
        let file = launch.file;
        let Some(Body::Launchd(job)) = facts.get(&file).map(|facts| &facts.body) else { continue };
        let written = |text: &Text| Written { text: text.text.text.clone(), place: file.span(text.bytes).into() };
        let limits = job.values.iter().filter(|value| value.key_path.contains("ResourceLimits."));
        found.push(Service {
            launch,
            manager: Manager::Launchd,
            user: job.user.as_ref().map(written),
            settings: limits.map(|value| (value.key_path.clone(), Some(written(value)))).collect(),
            started_by: started_by(job),
        });
    }
    found
}

/// KeepAlive starts a job when it is loaded, RunAtLoad too, a trigger when it comes.
fn started_by(job: &JobFile) -> StartedBy {
    let kept = job.keep_alive != KeepAlive::No || job.run_at_load == Some(true);
    if kept || !job.triggers.is_empty() { StartedBy::Manager } else { StartedBy::Nobody }
}

/// What launchctl enable and disable left for a label; where two files disagree, nothing.
fn overridden(host: &HostFacts, facts: &FactsByFile, label: &str) -> Option<bool> {
    let mut said = None;
    for file in &host.launchd_overrides {
        let Some(Body::Config(value)) = facts.get(file).map(|facts| &facts.body) else { continue };
        let ValueKind::Object(pairs) = &value.kind else { continue };
        for pair in pairs.iter().filter(|pair| pair.key.as_deref() == Some(label)) {
            let ValueKind::Boolean(disabled) = pair.value.kind else { continue };
            if said.replace(disabled).is_some_and(|before| before != disabled) {
                return None;
            }
        }
    }
    said
}

enum Owner<'a> {
    System,
    User { home: Option<&'a Path> },
}

impl Owner<'_> {
    fn domain(&self) -> Domain {
        let name = |home: &Path| home.file_name().map(|name| name.to_string_lossy().into_owned());
        match self {
            Self::System => Domain::System,
            Self::User { home } => home.and_then(name).map_or(Domain::Everybody, Domain::User),
        }
    }
}

struct Reading<'a> {
    file: FileId,
    job: &'a JobFile,
    evidence: &'a Evidence<'a>,
    home: Option<PathBuf>,
    base: Option<PathBuf>,
}

impl<'a> Reading<'a> {
    fn of(file: FileId, job: &'a JobFile, owner: &Owner<'_>, evidence: &'a Evidence<'a>, accounts: &Accounts) -> Self {
        let home = match (owner, &job.user) {
            (Owner::User { home }, _) => home.map(Path::to_path_buf),
            (Owner::System, Some(user)) => home_of(&user.text.text, evidence, accounts),
            (Owner::System, None) => home_of("root", evidence, accounts),
        };
        let base = job.root_directory.as_ref().map(|root| PathBuf::from(&root.text.text));
        Self { file, job, evidence, home, base }
    }

    fn environment(&self) -> Vec<Binding> {
        let binding = |(name, text): &(String, Text)| Binding {
            name: name.clone(),
            value: (!places().has_placeholder(&text.text.text)).then(|| text.text.text.clone()),
            place: self.place(text.bytes),
        };
        self.job.environment.iter().map(binding).collect()
    }

    fn needs(&self) -> (Vec<Need>, Vec<Command>) {
        let mut needs = Vec::new();
        let mut around =
            Surroundings { directory: self.directory(), home: self.home.clone(), ..Surroundings::default() };
        for binding in self.environment() {
            around.set(&binding.name, binding.value.as_deref());
        }
        let mut argv: Vec<Argument> = self.job.arguments.iter().map(|text| self.argument(text)).collect();
        let first = match (&self.job.program, self.job.arguments.first()) {
            (Some(program), _) => {
                // Element 0 is only a name then.
                let program_word = self.argument(program);
                match argv.first_mut() {
                    Some(name) => *name = program_word,
                    None => argv.push(program_word),
                }
                Some(program)
            }
            (None, first) => first,
        };
        if let Some(first) = first {
            let bare = !first.text.text.contains('/');
            if bare && self.job.program.is_none() {
                needs.extend(self.bare_name(first));
            }
        }
        let mut found = Found::default();
        follow(&argv, &mut around, &mut found);
        let place = |bytes| self.place(bytes);
        let of = |program| Command::of(program, "ProgramArguments", &place);
        let commands = found.programs.into_iter().map(of).collect();
        for reference in found.references {
            let setting = self.setting_at(&reference);
            needs.push(self.need(reference, setting, "at every try"));
        }
        for (text, role) in [
            (&self.job.working_directory, Role::Directory),
            (&self.job.standard_out, Role::ParentOf(PathBuf::new())),
            (&self.job.standard_error, Role::ParentOf(PathBuf::new())),
        ] {
            needs.extend(text.as_ref().and_then(|text| self.path_need(text, role)));
        }
        (needs, commands)
    }

    fn directory(&self) -> Option<PathBuf> {
        match &self.job.working_directory {
            Some(text) => self.absolute(&text.text.text),
            None => Some(PathBuf::from("/")),
        }
    }

    fn absolute(&self, text: &str) -> Option<PathBuf> {
        (text.starts_with('/') && !places().has_placeholder(text)).then(|| self.in_root(Path::new(text)))
    }

    fn in_root(&self, path: &Path) -> PathBuf {
        match &self.base {
            Some(base) => base.join(path.strip_prefix("/").unwrap_or(path)),
            None => path.to_path_buf(),
        }
    }

    /// launchd expands nothing, unless globbing is switched on.
    fn argument(&self, text: &Text) -> Argument {
        let written = text.text.text.as_str();
        let shell_text = written.contains(char::is_whitespace);
        let unknown = self.job.globbing == Some(true) || places().has_placeholder(written) && !shell_text;
        let certainty = if unknown { Certainty::Variable } else { Certainty::Known };
        Argument { text: text.text.clone(), certainty }
    }

    /// Which key the reference stands under.
    fn setting_at(&self, reference: &Reference) -> String {
        let texts = self.job.program.iter().chain(&self.job.arguments);
        texts
            .filter(|text| text.bytes.contains(reference.bytes) || text.text.text == reference.written)
            .map(|text| text.key_path.clone())
            .next()
            .unwrap_or_else(|| "ProgramArguments".to_owned())
    }

    fn place(&self, bytes: crate::source::Bytes) -> Place {
        match self.job.lines {
            Lines::Text => self.file.span(bytes).into(),
            Lines::Binary => Place::Whole(self.file),
        }
    }

    fn bare_name(&self, first: &Text) -> Option<Need> {
        let name = first.text.text.as_str();
        if name.is_empty() || !self.evidence.is_complete() || places().has_placeholder(name) {
            return None;
        }
        // `~/x` and `$HOME/x` hold a slash and are no bare names.
        let mut missing = None;
        for directory in &launchd().search.programs {
            match self.evidence.state(&self.in_root(&Path::new(directory).join(name))) {
                State::Missing { ancestor, .. } => missing = Some(State::Missing { ancestor, dangling: None }),
                State::There(_) | State::Unknown(_) => return None,
            }
        }
        Some(Need {
            path: PathBuf::from(name),
            written: name.to_owned(),
            place: self.place(first.bytes),
            setting: first.key_path.clone(),
            role: Role::Program,
            fails: "at every try".to_owned(),
            state: missing?,
            program_in_string: self.program_in_string(name),
            removal: None,
            unexplained: None,
            variables: Vec::new(),
            repository: None,
        })
    }

    fn need(&self, reference: Reference, setting: String, fails: &str) -> Need {
        let paths: Vec<PathBuf> = reference.paths.iter().map(|path| self.in_root(path)).collect();
        let mut state = State::Unknown(Doubt::NotNeeded);
        for path in paths.iter().rev() {
            state = self.evidence.state(path);
            if !matches!(state, State::Missing { .. }) {
                break;
            }
        }
        let fails = match &reference.role {
            Role::Directory => "because the shell cannot enter it".to_owned(),
            role => role.fails_behind_a_program().unwrap_or_else(|| fails.to_owned()),
        };
        Need {
            program_in_string: self.program_in_string(&reference.written),
            removal: None,
            unexplained: None,
            variables: Vec::new(),
            repository: None,
            path: paths.into_iter().next().unwrap_or_default(),
            place: self.place(reference.bytes),
            written: reference.written,
            setting,
            role: reference.role,
            fails,
            state,
        }
    }

    fn program_in_string(&self, written: &str) -> Option<PathBuf> {
        let (program, _) = written.split_once(' ')?;
        let path = self.absolute(program)?;
        matches!(self.evidence.sources.look(self.evidence.root, &path), Look::Present(_)).then_some(path)
    }

    fn path_need(&self, text: &Text, role: Role) -> Option<Need> {
        let path = self.absolute(&text.text.text)?;
        let (looked_at, role, fails) = match role {
            Role::ParentOf(_) => {
                (path.parent()?.to_path_buf(), Role::ParentOf(path), "with last exit code 78 (EX_CONFIG)")
            }
            role => (path, role, "or runs in the wrong directory"),
        };
        Some(Need {
            state: self.evidence.state(&looked_at),
            path: looked_at,
            written: text.text.text.clone(),
            place: self.place(text.bytes),
            setting: text.key_path.clone(),
            role,
            fails: fails.to_owned(),
            program_in_string: None,
            removal: None,
            unexplained: None,
            variables: Vec::new(),
            repository: None,
        })
    }
}

fn home_of(user: &str, evidence: &Evidence<'_>, accounts: &Accounts) -> Option<PathBuf> {
    if let Some(home) = accounts.home(user) {
        return Some(home.to_path_buf());
    }
    // A Mac keeps its accounts in a directory service; homes stand in /Users, root's in /var/root.
    let home = if user == "root" { PathBuf::from("/var/root") } else { Path::new("/Users").join(user) };
    matches!(evidence.sources.look(evidence.root, &home), Look::Present(_)).then_some(home)
}

fn persistence(job: &JobFile) -> Persistence {
    match job.keep_alive {
        KeepAlive::No => Persistence::StaysDown,
        KeepAlive::Always | KeepAlive::Conditional => {
            let seconds = job
                .throttle_interval
                .and_then(|(seconds, _)| u64::try_from(seconds).ok())
                .unwrap_or(launchd().restart.throttle);
            Persistence::Forever { every: seconds.saturating_mul(1_000) }
        }
    }
}
