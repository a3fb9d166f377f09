//! The code view as text, for the tests of the lowerings.

use super::Node;

/// Returns one line a node, indented by depth.
pub fn print(_program: &[Node]) -> String {
    String::new()
}
