//! What the version of the library does with a class's lock.

use super::{Form, Held, Kind, Reader, Released, Side, Strategy, Ttl, UniqueClass};
use crate::knowledge::lock::{LockType, Range, unique};

/// What becomes of a job whose lock expired before it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expired {
    /// It is acknowledged without a run.
    Dropped,
    /// The same, if a newer job took the lock meanwhile.
    Superseded,
    /// It runs, and so does a duplicate that was pushed meanwhile.
    Doubled,
}

/// What the version makes of a duration as the lock's expiry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfDuration {
    Nothing,
    Raises,
}

impl Strategy {
    /// Says whether the strategy lets the job go.
    pub fn drops(&self) -> bool {
        matches!(self, Self::Named { name, .. } if unique().strategies.drops.contains(name))
    }

    /// Says whether the strategy does nothing good on a side.
    pub fn is_out_of_place(&self, side: Side) -> bool {
        let table = &unique().strategies;
        let names = match side {
            Side::Client => &table.not_on_client,
            Side::Server => &table.not_on_server,
        };
        matches!(self, Self::Named { name, .. } if names.contains(name))
    }

    /// Says whether the strategy pushes the job again.
    pub fn pushes_again(&self) -> bool {
        matches!(self, Self::Named { name, .. } if unique().strategies.pushes_again.contains(name))
    }
}

impl UniqueClass<'_> {
    /// Returns what is known of the type of lock.
    pub fn lock_type(&self) -> Option<&LockType> {
        match self.kind {
            Kind::Known(row) => Some(row),
            Kind::Unknown(_) | Kind::Own => None,
        }
    }

    fn holds(&self, range: &Range) -> bool {
        self.reader == Reader::UniqueJobs && range.holds(&self.package.version)
    }

    /// Returns what becomes of a job that waits longer than its lock lives; nothing if the lock's end does no harm.
    pub fn expired_before_run(&self) -> Option<Expired> {
        let row = self.lock_type()?;
        if self.reader == Reader::Enterprise {
            return (row.released == Released::Success).then_some(Expired::Doubled);
        }
        let behaviour = &unique().behaviour;
        if !self.holds(&behaviour.expires_from_push) {
            return None;
        }
        match (row.held, row.released) {
            (Held::Both, _) if self.holds(&behaviour.drops_expired) => Some(Expired::Dropped),
            (Held::Both, _) if self.holds(&behaviour.drops_superseded) => Some(Expired::Superseded),
            // The run takes the lock again, and finds it taken.
            (Held::Push, Released::Success) => Some(Expired::Superseded),
            _ => None,
        }
    }

    /// Says whether a queue may be expected to keep a job for longer than the lock lives.
    pub fn may_end_in_the_queue(&self) -> bool {
        matches!(self.ttl, Ttl::After { time, .. } if time.seconds < unique().longest_wait)
    }

    /// Says whether the lock lives on while a failed job waits for its repetition.
    pub fn outlives_failures(&self) -> bool {
        let of_type = self.lock_type().is_some_and(|row| row.held == Held::Push && row.released == Released::Success);
        let behaviour = &unique().behaviour;
        let of_version = match self.reader {
            Reader::Enterprise => true,
            Reader::UniqueJobs => {
                self.holds(&behaviour.keeps_lock_on_failure) && self.holds(&behaviour.expires_from_push)
            }
        };
        of_type && of_version
    }

    /// Returns what the version makes of the expiry if that is a duration.
    pub fn of_duration(&self) -> Option<OfDuration> {
        let Ttl::After { time, .. } = self.ttl else { return None };
        let behaviour = &unique().behaviour;
        match time.form {
            Form::Duration if self.holds(&behaviour.duration_is_none) => Some(OfDuration::Nothing),
            Form::Duration if self.holds(&behaviour.duration_raises) => Some(OfDuration::Raises),
            _ => None,
        }
    }

    /// Says whether the job that finds the run's lock taken needs a strategy to survive.
    pub fn drops_busy(&self) -> bool {
        let behaviour = &unique().behaviour;
        self.lock_type().is_some_and(|row| match row.held {
            Held::Run => self.holds(&behaviour.drops_busy),
            Held::Both => self.holds(&behaviour.drops_busy_run),
            Held::Push => false,
        })
    }

    /// Says whether a strategy that pushes the job again meets itself without an end.
    pub fn recurses(&self) -> bool {
        self.holds(&unique().behaviour.reschedule_recurses)
    }

    /// Says whether the version releases locks whose job is gone.
    pub fn reaps(&self) -> bool {
        self.holds(&unique().behaviour.reaps)
    }

    /// Says whether the push takes the lock, and what.
    pub fn is_held_from_push(&self) -> bool {
        self.lock_type().is_some_and(|row| row.held != Held::Run)
    }
}
