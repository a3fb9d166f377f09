//! `rules/lock/*.toml`: what libraries do with uniqueness locks and leases, by version.

mod claim;
mod lease;
mod list;
mod queue;
mod unique;

use serde::{Deserialize, Deserializer};

pub use claim::{Claim, Claims, Plugin, claims};
pub use lease::{Celery, Held as HeldLock, Leases, Region, Renewed, Site, Work, leases};
pub use list::{Lists, Needles, lists};
pub use queue::{Limit, Queues, Uniqueness, queues};
pub use unique::{Conflict, Held, LockType, Loss, Old, Released, Sidekiq, Unique, sidekiq, unique};

use crate::version::{Ecosystem, Requirement, Version};

/// A range of versions of a gem.
#[derive(Clone, Debug)]
pub struct Range(Requirement);

impl Range {
    pub fn holds(&self, version: &Version) -> bool {
        self.0.matches(version)
    }
}

impl<'de> Deserialize<'de> for Range {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let range = Requirement::parse(Ecosystem::RubyGems, &text);
        range.map(Self).ok_or_else(|| serde::de::Error::custom(format!("{text} is no range")))
    }
}

impl Default for Range {
    /// No version at all.
    fn default() -> Self {
        Self(Requirement::none(Ecosystem::RubyGems))
    }
}
