//! Rules on retry policies.

mod dead_match;
mod no_match;

use super::Rule;

pub(super) const RULES: &[Rule] = &[dead_match::RULE, no_match::RULE];
