//! Rules on service definitions: what they point at, and when it fails.

mod missing_target;
mod stale_copy;

use super::Rule;

pub(super) const RULES: &[Rule] = &[missing_target::RULE, stale_copy::RULE];
