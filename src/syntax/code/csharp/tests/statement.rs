//! Snippets.

use super::check;

#[test]
fn probe() {
    check("\n", "\n");
}
