//! `docs/security.md` names every attack.

use std::fs;
use std::path::Path;

#[test]
fn every_attack_is_listed() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(top.join("docs/security.md")).expect("the page");
    let mut attacks = Vec::new();
    let files = fs::read_dir(top.join("tests/attacks")).expect("this folder").flatten().map(|entry| entry.path());
    for path in files.filter(|path| !path.ends_with("listed.rs")) {
        let text = fs::read_to_string(&path).expect("Rust");
        let kind = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let after =
            text.split("#[test]\n").skip(1).filter_map(|after| after.lines().find_map(|line| line.strip_prefix("fn ")));
        attacks.extend(after.filter_map(|line| Some(format!("{kind}::{}", line.split_once('(')?.0))));
    }
    let missing: Vec<&String> = attacks.iter().filter(|attack| !page.contains(&format!("`{attack}`"))).collect();
    assert!(missing.is_empty(), "docs/security.md does not name {missing:?}");
    assert!(attacks.len() >= 40, "only {} attacks", attacks.len());
    // Nothing is listed that is no longer tried.
    for listed in page.split('`').filter(|word| word.contains("::")) {
        let (kind, name) = listed.rsplit_once("::").unwrap_or_default();
        let file = ["tests/attacks", "tests", "src/report"].map(|folder| top.join(folder).join(format!("{kind}.rs")));
        let has = |path: &Path| fs::read_to_string(path).is_ok_and(|text| text.contains(&format!("fn {name}(")));
        assert!(file.iter().any(|path| has(path)), "docs/security.md names `{listed}`, which is no test");
    }
}
