//! Rules on time limits that stand inside one another.

mod kill_before_drain;
mod words;

use super::Rule;

pub(super) const RULES: &[Rule] = &[kill_before_drain::RULE];
