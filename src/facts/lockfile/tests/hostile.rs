//! Broken, truncated and hostile texts: nothing panics, offsets stay inside, time stays linear.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::super::manifest::{self, ManifestKind};
use super::*;

const KINDS: [LockfileKind; 12] = [
    LockfileKind::PackageLock,
    LockfileKind::Yarn,
    LockfileKind::Pnpm,
    LockfileKind::Bun,
    LockfileKind::Gemfile,
    LockfileKind::Cargo,
    LockfileKind::Poetry,
    LockfileKind::Uv,
    LockfileKind::Pdm,
    LockfileKind::Pipfile,
    LockfileKind::Requirements,
    LockfileKind::NuGet,
];

const MANIFESTS: [ManifestKind; 7] = [
    ManifestKind::PackageJson,
    ManifestKind::Gemfile,
    ManifestKind::CargoToml,
    ManifestKind::Pyproject,
    ManifestKind::Pipfile,
    ManifestKind::Requirements,
    ManifestKind::CsProj,
];

fn read_as(kinds: &[LockfileKind], text: &[u8]) {
    for kind in kinds {
        for package in parse(*kind, text, &|_, _| true).packages {
            assert!(package.bytes.end as usize <= text.len(), "{kind:?} {package:?}");
        }
    }
}

fn read_all(text: &[u8]) {
    read_as(&KINDS, text);
    for kind in MANIFESTS {
        for package in manifest::parse(kind, text, &|_, _| true).dependencies {
            assert!(package.bytes.end as usize <= text.len(), "{kind:?} {package:?}");
        }
    }
}

#[test]
fn a_truncated_package_lock_keeps_what_stands_before_the_cut() {
    let text = r#"{"packages": {"node_modules/a": {"version": "1.0.0"}, "node_modules/b": {"version": "2.0.0", "lic"#;
    assert_eq!(found_in(LockfileKind::PackageLock, text), ["a 1.0.0 node_modules/a", "b 2.0.0 node_modules/b"]);
    let end = text.len();
    assert_eq!(
        troubles(LockfileKind::PackageLock, text),
        [
            format!("{}: a string is not closed", end - 4),
            format!("{}: a key without a value", end - 3),
            format!("{end}: ends inside a value"),
        ]
    );
}

#[test]
fn wrong_bytes_move_no_offset() {
    let text = b"GEM\n  specs:\n    p\xffma (1.0)\n    puma (6.4.0)\n";
    let lockfile = parse(LockfileKind::Gemfile, text, &|_, name| name == "puma");
    let package = &lockfile.packages[0];
    assert_eq!(&text[package.bytes.start as usize..package.bytes.end as usize], b"6.4.0");
    assert_eq!(lockfile.troubles[0].at, Bytes::new(18, 19));
    let utf16 = parse(LockfileKind::Requirements, b"\xff\xfea\0=\0=\0", &|_, _| true);
    assert_eq!(utf16.packages, []);
    assert_eq!(utf16.troubles.len(), 1);
}

#[test]
fn deep_nesting_is_skipped_and_said() {
    let deep = "[".repeat(100_000);
    let closed = format!("{deep}{}", "]".repeat(100_000));
    let text = format!(r#"{{"a": {closed}, "packages": {{"node_modules/b": {{"version": "1.0.0"}}}}}}"#);
    assert_eq!(found_in(LockfileKind::PackageLock, &text), ["b 1.0.0 node_modules/b"]);
    assert_eq!(troubles(LockfileKind::PackageLock, &text), ["205: nests too deep to be read further"]);
    let toml = format!("a = {closed}\n[[package]]\nname = \"b\"\nversion = \"1.0.0\"\n");
    assert_eq!(found_in(LockfileKind::Cargo, &toml), ["b 1.0.0 other"]);
    let dotted = format!("[{}]\nx = 1\n[[package]]\nname = \"b\"\nversion = \"1.0.0\"\n", "a.".repeat(100_000));
    assert_eq!(found_in(LockfileKind::Cargo, &dotted), ["b 1.0.0 other"]);
}

#[test]
fn four_mebibytes_of_anything_take_linear_time() {
    let size = 4 << 20;
    let one_level = |name: &str| format!(r#"{{"dependencies":{{"{name}":"#);
    let pieces: Vec<String> = [
        "[",
        "{",
        "\"",
        "\\",
        "a",
        "'",
        "\n",
        " ",
        "@",
        "/",
        "a.",
        "a@1, ",
        "[[",
        "\"\"\"",
        "# ",
        "\\\n",
        "= ",
        "{\"\":",
        "<<<<<<< a\n",
        "<<<<<<< a\n{\n=======\n>>>>>>> b\n",
        "||||||| a\n",
        "=======\n",
        "a = [\n",
        "a = {\n",
        "x = \"\n",
        "a@1:\n",
        "a==1\\\n",
        "a ; ",
        " --",
        "[a.",
        "  ? ",
        "  /a/1:\n",
        "    a (1)\n",
        "gem \"a\", ",
        "/*",
        "//",
        "\u{feff}",
        "[package]\nname='a'\nversion='1'\n",
        "\"dependencies\":{\"a\":{",
        "a\t#",
        "(((",
        "==1,",
        "ü",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([one_level("a"), one_level(&"n".repeat(1000))])
    .collect();
    // A hundred times what a debug build takes; quadratic work on 32 KiB is far above it.
    let limit = |size: usize| Duration::from_secs(if size > 1 << 20 { 60 } else { 10 });
    let within = |head: &str, piece: &str, size: usize, kinds: &[LockfileKind]| {
        let text = format!("{head}{}", piece.repeat(size / piece.len()));
        let start = Instant::now();
        read_as(kinds, text.as_bytes());
        assert!(start.elapsed() < limit(size), "{head:?} {piece:?} takes {:?}", start.elapsed());
    };
    for piece in &pieces {
        within("", piece, size / 128, &KINDS);
        within("packages:\n", piece, size / 128, &[LockfileKind::Pnpm]);
        within("GEM\n  specs:\n", piece, size / 128, &[LockfileKind::Gemfile]);
        within("[[package]]\n", piece, size / 128, &[LockfileKind::Cargo]);
        within("{\"packages\":{", piece, size / 128, &[LockfileKind::PackageLock, LockfileKind::Bun]);
        within("{\"dependencies\":{", piece, size / 128, &[LockfileKind::PackageLock]);
    }
    within("{\"dependencies\":{", &one_level("a"), size, &[LockfileKind::PackageLock]);
    within("", "<<<<<<< a\n", size, &[LockfileKind::PackageLock, LockfileKind::Cargo]);
    within("{", "<<<<<<< a\n{\"\":\n=======\n>>>>>>> b\n", size, &[LockfileKind::PackageLock]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_bytes_make_it_panic(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        read_all(&text);
    }

    #[test]
    fn no_shuffled_pieces_make_it_panic(
        pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "{", "}", "[", "]", "\"", "'", ":", ",", "=", "\n", "  ", "    ", "packages", "\"packages\": {", "dependencies",
                "\"version\": \"1.0.0\"", "version", "name = \"a\"", "version = \"1\"", "[[package]]", "a@1", "ü", "\\", "#", "?", "/",
                "<<<<<<< a\n", "=======\n", "||||||| b\n", ">>>>>>> c\n", "GEM\n", "    a (1.0)\n", "a==1.0", "gem \"a\", \"1\"",
                "\"node_modules/a\": {", "[dependencies]\n", "a.b = ", "\"\"\"", "true", "npm:", "patch:", "_", "(",
            ]),
            0..60,
        ),
    ) {
        read_all(pieces.concat().as_bytes());
    }
}
