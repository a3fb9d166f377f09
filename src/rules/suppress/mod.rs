//! Rules on suppressions. They are found where suppressions are applied; here stand their pages.

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule { id: "suppress/expired", page: include_str!("../../../rules/suppress/expired.md"), check: None },
    Rule { id: "suppress/unknown-rule", page: include_str!("../../../rules/suppress/unknown-rule.md"), check: None },
    Rule { id: "suppress/unused", page: include_str!("../../../rules/suppress/unused.md"), check: None },
];
