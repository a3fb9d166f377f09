//! Python into the code view.

use super::{Parsed, Program};

pub(super) fn parse(_text: &str) -> Parsed<Program> {
    Parsed::default()
}
