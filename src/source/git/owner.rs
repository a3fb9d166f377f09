//! As whom git runs: never with our rights on settings that somebody else wrote.

use std::path::PathBuf;
use std::process::Command;

use super::NoHistory;

/// As whom git runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum User {
    Ourselves,
    #[cfg(unix)]
    Other(u32),
}

#[cfg(unix)]
impl User {
    /// Decides by the owners of all that tells git what to do.
    pub(super) fn of(decisive: &[PathBuf]) -> Result<Self, NoHistory> {
        use std::os::unix::fs::MetadataExt;
        let status = decisive.iter().filter_map(|path| path.metadata().ok());
        // Root needs no git settings to do what it likes.
        let owners: std::collections::BTreeSet<u32> =
            status.map(|status| status.uid()).filter(|owner| *owner != 0).collect();
        let owners: Vec<u32> = owners.into_iter().collect();
        Self::choose(&owners, rustix::process::geteuid().as_raw())
    }

    fn choose(owners: &[u32], ourselves: u32) -> Result<Self, NoHistory> {
        match owners {
            [] => Ok(Self::Ourselves),
            [owner] if *owner == ourselves => Ok(Self::Ourselves),
            [owner] if ourselves == 0 => Ok(Self::Other(*owner)),
            _ => Err(NoHistory::Owner),
        }
    }

    /// Makes a command run as this user.
    pub(super) fn take_over(self, command: &mut Command) {
        use std::os::unix::process::CommandExt;
        if let Self::Other(user) = self {
            // With a user and no groups, the standard library drops all of root's supplementary groups.
            command.uid(user).gid(group(user));
        }
    }
}

/// Returns a user's own group. Never the group of a file, which may be one that its owner is not in.
#[cfg(unix)]
fn group(user: u32) -> u32 {
    const NOBODY: u32 = 65_534;
    let accounts = std::fs::read("/etc/passwd").unwrap_or_default();
    let accounts = String::from_utf8_lossy(&accounts);
    let mut fields = accounts.lines().map(|line| line.split(':').skip(2));
    let group = fields.find_map(|mut fields| (fields.next()?.parse() == Ok(user)).then(|| fields.next()?.parse().ok()));
    group.flatten().unwrap_or(NOBODY)
}

#[cfg(not(unix))]
impl User {
    /// There is one user here.
    pub(super) fn of(_decisive: &[PathBuf]) -> Result<Self, NoHistory> {
        Ok(Self::Ourselves)
    }

    /// Changes nothing.
    pub(super) fn take_over(self, _command: &mut Command) {}
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn git_never_obeys_a_stranger() {
        assert_eq!(User::choose(&[], 0), Ok(User::Ourselves));
        assert_eq!(User::choose(&[], 1000), Ok(User::Ourselves));
        assert_eq!(User::choose(&[1000], 1000), Ok(User::Ourselves));
        assert_eq!(User::choose(&[1000], 0), Ok(User::Other(1000)));
        assert_eq!(User::choose(&[1000], 1001), Err(NoHistory::Owner));
        assert_eq!(User::choose(&[1000, 1001], 0), Err(NoHistory::Owner));
        assert_eq!(User::choose(&[1000, 1001], 1000), Err(NoHistory::Owner));
    }
}
