//! A run of the whole program on a small tree that a text describes.
//!
//! `=== PATH` begins a file, `=== PATH -> TARGET` is a link; what follows is the file's content. The first part of a
//! path is `repo` or `host`, as in a case below `fixtures/`.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use foreshock::cli::{self, Surroundings, Tool};
use foreshock::fuzzing::Fault;

const FORMATS: [&str; 9] = ["json", "human", "concise", "sarif", "github", "gitlab", "junit", "narrated", "html"];
const MARK: &str = "=== ";

/// Runs foreshock on the tree, with these arguments and a format that the text's length chooses.
pub(crate) fn run(bytes: &[u8], arguments: &[&str]) -> Result<(), Fault> {
    let home = home();
    for root in ["repo", "host"] {
        let _ = fs::remove_dir_all(home.join(root));
        let _ = fs::create_dir_all(home.join(root));
    }
    let format = FORMATS[bytes.len() % FORMATS.len()];
    put(bytes, &home);
    std::env::set_current_dir(&home).map_err(|error| error.to_string())?;
    let pages = foreshock::rules::pages();
    let tool = Tool { pages: &pages, surroundings: Surroundings::of_process(), run: foreshock::check::run };
    let options = ["--no-history", "--pedantic", "--all", "--threads", "1", "--format", format];
    let all = ["foreshock"].iter().chain(arguments).chain(&options).map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = cli::run(all, &tool, &mut out, &mut err);
    let said = String::from_utf8(err).map_err(|_| "standard error is no text".to_owned())?;
    let text = String::from_utf8(out).map_err(|_| "the report is no text".to_owned())?;
    if said.contains("foreshock failed") || text.contains("foreshock failed") {
        return Err("it failed on a file".to_owned());
    }
    let acts = |character: char| character.is_control() && character != '\n';
    match format {
        "json" | "sarif" | "gitlab" if code < 2 && !text.starts_with(['{', '[']) => Err(format!("no document: {text}")),
        "human" | "concise" if text.chars().any(acts) => Err(format!("acts on a terminal: {text:?}")),
        _ if code > 2 => Err(format!("the exit code is {code}")),
        _ => Ok(()),
    }
}

fn home() -> PathBuf {
    std::env::temp_dir().join(format!("foreshock-fuzz-{}", std::process::id()))
}

fn put(bytes: &[u8], home: &Path) {
    let mut content: Vec<u8> = Vec::new();
    let mut file: Option<PathBuf> = None;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let head = std::str::from_utf8(line).ok().and_then(|line| line.trim_end().strip_prefix(MARK));
        let Some(head) = head else {
            content.extend(line);
            continue;
        };
        write(file.take(), &content);
        content.clear();
        let (path, target) = head.split_once(" -> ").map_or((head, None), |(path, target)| (path, Some(target)));
        file = inside(home, path);
        if let (Some(link), Some(target)) = (&file, target) {
            let _ = symlink(target, link);
            file = None;
        }
    }
    write(file, &content);
}

/// Returns where a path lies, its folder made; nothing for one that leaves the tree, also by a link in it.
fn inside(home: &Path, path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_))) && path.components().count() < 16;
    let rooted = ["repo", "host"].iter().any(|root| path.starts_with(root) && path != Path::new(root));
    let folder = home.join(path.parent()?);
    let mut above = home.to_path_buf();
    for part in path.parent()?.components() {
        above.push(part);
        if above.is_symlink() {
            return None;
        }
    }
    (plain && rooted && fs::create_dir_all(folder).is_ok()).then(|| home.join(path))
}

fn write(file: Option<PathBuf>, content: &[u8]) {
    let Some(file) = file.filter(|file| !file.is_symlink()) else { return };
    // A name that no file can have is no file.
    if fs::write(&file, content).is_ok() && content.starts_with(b"#!") {
        let _ = fs::set_permissions(&file, fs::Permissions::from_mode(0o755));
    }
}
