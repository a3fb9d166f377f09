//! What a host's service directories hold: names, kinds and the files read in them. Order and meaning are the
//! manager's, and so the model's.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::source::{EntryKind, FileId, RootId};

/// The service directories of one host root that exist, and its accounts.
#[derive(Clone, Debug, PartialEq)]
pub struct HostFacts {
    pub root: RootId,
    pub directories: Vec<ServiceDirectory>,
    /// passwd of this root, if it could be read.
    pub passwd: Option<FileId>,
    pub group: Option<FileId>,
    /// Files that packages own and keep an administrator's changes of; only where there is a copy to compare with.
    pub conffiles: BTreeSet<PathBuf>,
    /// tmpfiles.d of this root.
    pub tmpfiles: Vec<FileId>,
    /// Settings of systemd itself, in the order in which they apply.
    pub managers: Vec<FileId>,
    /// What launchctl enable and disable left.
    pub launchd_overrides: Vec<FileId>,
}

/// One directory in which a manager looks for definitions.
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceDirectory {
    /// Absolute in the root.
    pub path: PathBuf,
    pub reader: Reader,
    pub entries: Vec<Listed>,
}

/// Who reads a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reader {
    SystemdSystem,
    /// The user manager of everybody, or of the owner of this home.
    SystemdUser {
        home: Option<PathBuf>,
    },
    LaunchDaemons,
    LaunchAgents {
        home: Option<PathBuf>,
    },
    /// Crontabs with a user field.
    SystemCrontab,
    /// Crontabs named after their user.
    UserCrontab,
    /// Scripts that run-parts runs at times.
    CronScripts,
    Anacrontab,
    /// supervisord's configuration and what it includes.
    Supervisord,
    /// monit's control file and what it includes.
    Monit,
    /// Links that start scripts of /etc/init.d in this level.
    RunLevel(String),
}

/// One name in a service directory, or in a `.d`, `.wants`, `.requires` directory of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Absolute in the root.
    pub path: PathBuf,
    pub name: String,
    /// The name of the subdirectory that it stands in: `x.service.d`, `multi-user.target.wants`.
    pub within: Option<String>,
    pub kind: EntryKind,
    /// The source, for everything that can be reported.
    pub file: FileId,
    /// The file with the text: itself, or what the link leads to inside the root.
    pub text: Option<FileId>,
}
