//! Rules on work that begins before what it depends on is there.

mod deferral_setting_ignored;
mod enqueue_before_commit;

use super::Rule;

pub(super) const RULES: &[Rule] = &[deferral_setting_ignored::RULE, enqueue_before_commit::RULE];
