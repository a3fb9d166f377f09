//! Rows of the user's own that do not fit: refused with their place, and nothing is checked.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what is wrong by panicking"
)]

use std::process::Command;

#[test]
fn a_row_that_does_not_fit_is_refused_where_it_stands() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let check = |row: &str, expected: &str| {
        std::fs::write(scratch.path().join("foreshock.toml"), row).expect("a file");
        let output = Command::new(env!("CARGO_BIN_EXE_foreshock"))
            .arg("check")
            .current_dir(scratch.path())
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{row}: {said}");
        assert!(output.stdout.is_empty(), "{row}");
        assert!(said.contains(expected), "{row}: {said}");
    };
    check("[[retry.library]]\nname = \"x\"\nfilte = 1\n", "foreshock.toml:3:1");
    check("[[retry.library]]\nname = \"x\"\n", "foreshock.toml:1:1");
    check("[[retry.library]]\nname = \"x\"\n", "missing field");
    check("[[retry.library]]\necosystem = \"cargo\"\n", "npm, rubygems, pypi, crates");
}
