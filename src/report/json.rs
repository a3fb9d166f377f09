//! The `json` format.

use super::{Rendered, Report};

pub(super) fn render(_report: &Report<'_>) -> Rendered {
    Rendered::default()
}
