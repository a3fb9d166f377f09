//! What is wrong with definitions themselves, apart from the paths that a start needs: settings that the manager
//! refuses or drops, links and names that lead nowhere, accounts that do not exist, restarts without a pause.

use std::path::PathBuf;

use super::{Manager, StartedBy};
use crate::finding::Place;
use crate::knowledge::pin::Pinned;

/// Everything that is wrong with the definitions of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definitions {
    pub settings: Vec<Unheeded>,
    pub links: Vec<DeadLink>,
    pub absent: Vec<AbsentUnit>,
    pub accounts: Vec<AbsentAccount>,
    pub restarts: Vec<Restarting>,
    pub unfit: Vec<Unfit>,
    pub pins: Vec<Pin>,
}

/// A setting that its manager does not take as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unheeded {
    /// The unit of the file.
    pub unit: String,
    pub place: Place,
    pub section: String,
    pub key: String,
    /// The text at the place.
    pub written: String,
    pub fault: Fault,
    pub effect: Effect,
}

/// What the manager does about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The unit is not loaded at all.
    Refused,
    /// The setting is left out with a line in the log.
    Dropped,
    /// The rest of the drop-in is not read.
    EndsDropIn,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A program with a slash that is not absolute.
    RelativeProgram,
    /// A program that ends in a slash.
    ProgramIsDirectory,
    UnbalancedQuote,
    UnknownSpecifier(char),
    RelativeDirectory,
    QuotedDirectory,
    /// A second command where one is allowed; the first stands at the place.
    SecondCommand(Place),
    /// `Restart=` with a value that `Type=oneshot` refuses.
    RestartOfOneshot,
    /// A path of `EnvironmentFile=` that is not absolute, or quoted.
    RelativeFile,
    /// A word of `Environment=` that is no assignment.
    NoAssignment,
    /// A key of another section.
    WrongSection(String),
    /// A key that looks like this one.
    MisspeltKey(String),
    /// A value that is none of these words; the likely one first, and what is in force instead.
    NoSuchWord {
        meant: Option<String>,
        words: Vec<String>,
        otherwise: Option<String>,
    },
    NotYesOrNo,
    NoTimeSpan,
}

/// A link in a unit directory that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLink {
    pub place: Place,
    pub manager: Manager,
    /// The link's own name.
    pub name: String,
    pub target: String,
    pub kind: LinkKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// The unit itself, linked from outside of the search path; it may hide one of the same name.
    Unit { hides: Option<PathBuf> },
    /// Another name of a unit that does not exist.
    Alias,
    /// `T.wants/x`: T starts without it.
    Wanted { by: String },
    /// `T.requires/x`: T does not start without it.
    Required { by: String },
    /// `rc2.d/S20x`: the level is reached without it.
    RunLevel { level: String },
}

/// A unit that another one names and that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsentUnit {
    pub unit: String,
    pub manager: Manager,
    pub place: Place,
    pub name: String,
    pub relation: Relation,
    pub masked: bool,
    pub started_by: StartedBy,
    pub scope: Scope,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// A timer, path or socket starts it; the key is absent if the name follows from its own.
    Triggers {
        key: Option<String>,
    },
    Requires {
        key: String,
    },
}

/// Where was looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All directories of a host's manager.
    Host,
    /// A repository.
    Repository,
}

/// A user or group that the root's tables do not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsentAccount {
    pub unit: String,
    pub manager: Manager,
    pub place: Place,
    pub key: String,
    pub name: String,
    pub kind: AccountKind,
    pub started_by: StartedBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountKind {
    User,
    Group,
}

/// How a job is started again, where that is worth a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restarting {
    pub unit: String,
    pub manager: Manager,
    pub place: Place,
    pub written: String,
    pub kind: RestartKind,
}

/// Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestartKind {
    /// No limit, and a delay under a second; where the delay is written, and where the restart is.
    Unbounded { delay: u64, delay_at: Option<Place>, restart: String, restart_at: Place },
    /// launchd's own pause is switched off.
    Unthrottled,
    /// `starts` tries within `within`, all by default.
    GivesUp { starts: u64, delay: u64, within: u64, interval: u64 },
}

/// A file that is there and cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    pub job: String,
    pub manager: Manager,
    pub place: Place,
    pub setting: String,
    pub path: PathBuf,
    pub why: Unfitness,
    pub started_by: StartedBy,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfitness {
    NoExecuteBit {
        mode: u32,
    },
    Directory,
    /// A text file that the manager executes itself.
    NoInterpreterLine,
    InterpreterMissing {
        interpreter: String,
    },
    /// The line ends in a carriage return.
    CarriageReturn {
        line: String,
    },
    LineTooLong,
}

/// A need that lies in a directory of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    pub job: String,
    pub manager: Manager,
    pub place: Place,
    pub setting: String,
    pub path: PathBuf,
    pub pinned: Pinned,
}
