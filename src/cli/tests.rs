//! The command line as its user meets it: exit codes, streams, help texts, and the request that comes of it.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::config::sample::pages;
use crate::finding::{Confidence, Severity};
use crate::report::{Blocks, Characters, Format};

thread_local! {
    static REQUEST: RefCell<Option<Request>> = const { RefCell::new(None) };
}

/// Keeps the request and answers with an exit code that nothing else returns.
fn keep(request: &Request, _: &mut dyn Write, _: &mut dyn Write) -> u8 {
    REQUEST.set(Some(request.clone()));
    77
}

struct Answer {
    code: u8,
    out: String,
    err: String,
    request: Option<Request>,
}

fn foreshock_in(surroundings: Surroundings, arguments: &[&str]) -> Answer {
    let pages = pages();
    let tool = Tool { pages: &pages, surroundings, run: keep };
    let arguments = std::iter::once("foreshock").chain(arguments.iter().copied()).map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    REQUEST.set(None);
    let code = run(arguments, &tool, &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Answer { code, out: text(out), err: text(err), request: REQUEST.take() }
}

/// Runs it with an empty configuration, so that one of this repository has no say.
fn foreshock(arguments: &[&str]) -> Answer {
    let empty = tempfile::NamedTempFile::new().unwrap();
    let variables = [("FORESHOCK_CONFIG", empty.path().as_os_str().to_owned())].into();
    foreshock_in(Surroundings { variables, columns: Some(100), ..Surroundings::default() }, arguments)
}

fn request(arguments: &[&str]) -> Request {
    let answer = foreshock(arguments);
    assert_eq!(answer.code, 77, "{}", answer.err);
    answer.request.unwrap()
}

/// Checks that arguments are refused, with exactly these lines if they are ours.
fn refused(arguments: &[&str], expected: &str) {
    let answer = foreshock(arguments);
    assert_eq!(answer.code, 2, "{arguments:?}");
    assert_eq!(answer.out, "");
    assert!(answer.request.is_none());
    assert!(answer.err.contains(expected), "{arguments:?}: {}", answer.err);
}

#[test]
fn help_texts() {
    for name in ["", "check", "audit", "explain", "rules", "demo"] {
        let arguments: Vec<_> = [name, "-h"].into_iter().filter(|word| !word.is_empty()).collect();
        let answer = foreshock(&arguments);
        assert_eq!((answer.code, answer.err.as_str()), (0, ""));
        insta::assert_snapshot!(format!("help-{}", if name.is_empty() { "foreshock" } else { name }), answer.out);
    }
    insta::assert_snapshot!("long-help-check", foreshock(&["check", "--help"]).out);
}

#[test]
fn the_version_is_an_answer() {
    let answer = foreshock(&["--version"]);
    assert_eq!((answer.code, answer.out), (0, format!("foreshock {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn without_arguments_the_current_directory_is_checked() {
    for arguments in [&[][..], &["check"]] {
        let request = request(arguments);
        assert_eq!((request.job, request.paths), (Job::Check, vec![PathBuf::from(".")]));
        assert_eq!((request.min_severity, request.fail_on), (Severity::Advice, Severity::Warning));
        assert_eq!(request.min_confidence, Confidence::Likely);
        assert_eq!(request.outputs, [(Format::Human, Target::Stdout)]);
        assert_eq!(request.selection, Selection::default());
        assert_eq!((request.contents, request.history), (Contents::WorkTree, History::Asked));
        assert_eq!((request.ignores, request.unread), (Ignores::Hide, Unread::Counts));
        assert_eq!((request.findings_exit, request.threads), (FindingsExit::One, None));
        assert_eq!(request.look.width, 100);
    }
}

#[test]
fn options_arrive_in_the_request() {
    let request = request(&[
        "check",
        "src",
        "tests",
        "--root",
        "src",
        "--root",
        "tests",
        "--deployed-at",
        "/srv/shop/=.",
        "--staged",
        "--no-history",
        "--threads",
        "3",
        "--select",
        "retry,pool/no-headroom",
        "--select=suppress",
        "--extend-select",
        "retry/inert",
        "--ignore",
        "retry/match-all",
        "--pedantic",
        "--no-ignores",
        "--isolated",
        "--format",
        "human",
        "--format",
        "sarif=x.sarif",
        "--min-severity",
        "warning",
        "--fail-on",
        "error",
        "--exit-zero",
        "--strict",
        "--all",
        "--color",
        "always",
    ]);
    assert_eq!(request.paths, [PathBuf::from("src"), PathBuf::from("tests")]);
    assert_eq!(request.hosts, [PathBuf::from("src"), PathBuf::from("tests")]);
    let deployed = DeployedAt { host: PathBuf::from("/srv/shop"), path: PathBuf::from(".") };
    assert_eq!(request.deployed_at, [deployed]);
    assert_eq!((request.contents, request.history, request.threads), (Contents::Index, History::Left, Some(3)));
    assert_eq!(request.selection.select.len(), 3);
    assert_eq!((request.selection.extend.len(), request.selection.ignore.len()), (1, 1));
    assert_eq!(request.selection.comparison, Comparison::Revisions);
    assert_eq!((request.min_confidence, request.ignores), (Confidence::Possible, Ignores::Nothing));
    let file = Target::File(PathBuf::from("x.sarif"));
    assert_eq!(request.outputs, [(Format::Human, Target::Stdout), (Format::Sarif, file.clone())]);
    assert_eq!((request.min_severity, request.fail_on), (Severity::Warning, Severity::Error));
    assert_eq!((request.findings_exit, request.unread), (FindingsExit::Zero, Unread::Fails));
    assert_eq!((request.look.blocks, request.look.color), (Blocks::All, Color::Always));
    assert_eq!(request.look_for(&file).color, Color::Never);
    assert_eq!(request.look_for(&Target::Stdout).color, Color::Always);
}

#[test]
fn an_audit_is_of_this_machine_unless_said_otherwise() {
    let audit = request(&["audit"]);
    assert_eq!((audit.job, audit.hosts, audit.paths), (Job::Audit, vec![PathBuf::from("/")], Vec::new()));
    assert_eq!(request(&["audit", "--root", "src", "--isolated"]).hosts, [PathBuf::from("src")]);
    assert_eq!(request(&["demo", "--all"]).job, Job::Demo);
}

#[test]
fn formats_are_refused_with_a_suggestion() {
    refused(&["check", "--format", "sarfi"], "did you mean `sarif`?");
    refused(&["check", "--format", "pdf"], "known formats: human, concise, json, sarif, github");
    refused(&["check", "--format", "json="], "the file name is missing");
    refused(
        &["check", "--format", "json", "--format", "human"],
        "error: two formats for standard output\n  help: give all but one a file",
    );
    refused(&["check", "--format", "json=a", "--format", "human=a"], "error: two formats for `a`\n");
    assert_eq!(request(&["check", "--format", "json=-"]).outputs, [(Format::Json, Target::Stdout)]);
}

#[test]
fn rules_are_refused_with_a_suggestion() {
    let expected = "error: unknown rule `retry/no-mach` in `--select`\n  help: did you mean `retry/no-match`?\n";
    refused(&["check", "--select", "retry/no-mach"], expected);
    refused(
        &["audit", "--ignore", "retry,pol"],
        "error: unknown rule `pol` in `--ignore`\n  help: did you mean `pool`?\n",
    );
    refused(&["check", "--extend-select", "x"], "in `--extend-select`\n  help: `foreshock rules` lists all rules\n");
    refused(&["explain", "no-match"], "error: unknown rule `no-match`\n  help: did you mean `retry/no-match`?\n");
    refused(&["explain", "pool"], "help: name one of its rules: pool/change-needs-full-restart, pool/no-headroom\n");
    refused(&["explain", "all"], "error: unknown rule `all`\n");
    refused(&["explain", "\u{1b}[31m"], "error: unknown rule `?[31m`\n");
}

#[test]
fn what_cannot_be_checked_is_refused() {
    refused(&["check", "no/such/path"], "error: cannot check `no/such/path`: it does not exist\n");
    refused(&["check", "--root", "Cargo.toml"], "error: cannot check `Cargo.toml`: it is not a directory\n");
    refused(&["audit", "--root", "no"], "error: cannot check `no`: it does not exist\n");
    refused(&["check", "--deployed-at", "srv=."], "DIR must be an absolute path on the host");
    refused(&["check", "--deployed-at", "/srv"], "write it as DIR=PATH");
    refused(&["check", "--deployed-at", "/srv="], "PATH is missing");
    refused(&["check", "--threads", "0"], "--threads");
    refused(&["check", "--fail-on", "warn"], "--fail-on");
    refused(&["check", "--isolated", "--config", "x"], "cannot be used with");
    refused(&["src"], "unrecognized subcommand");
    refused(&["audit", "src"], "unexpected argument");
    refused(&["check", "--config", "no.toml"], "error: cannot read `no.toml`: there is no such file\n");
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn the_configuration_is_that_of_the_checked_path() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    write(&folder.path().join("a/foreshock.toml"), "[rules]\n'retry/no-match' = 'off'\n");
    write(&folder.path().join("a/.git/HEAD"), "");
    write(&folder.path().join("b/foreshock.toml"), "[rules]\n'retry/no-mach' = 'off'\n");
    write(&folder.path().join("a/sub/x"), "");
    let directory = folder.path().join("a").canonicalize().unwrap();
    let found = |arguments: &[&str]| foreshock_in(Surroundings::default(), arguments);
    let config = |arguments: &[&str]| found(arguments).request.unwrap().config;
    assert_eq!(config(&["check", &at("a/sub")]).rules.len(), 1);
    assert_eq!(config(&["check", &at("a/sub")]).directory, directory);
    assert_eq!(config(&["check", &at("a"), &at("a/sub/x")]).rules.len(), 1);
    assert!(config(&["check", &at("b"), "--isolated"]).path.is_none());
    assert_eq!(config(&["check", &at("b"), "--config", &at("a/foreshock.toml")]).rules.len(), 1);
    let conflict = found(&["check", &at("a"), &at("b")]);
    assert_eq!(conflict.code, 2);
    assert!(conflict.err.contains("are configured by different files\n  help: check them one by one"));
    let broken = found(&["check", &at("b")]);
    assert_eq!(broken.code, 2);
    assert!(broken.err.starts_with("error: unknown rule `retry/no-mach`\n --> "), "{}", broken.err);
    let shown = "b/foreshock.toml:2:1\n  |\n2 | 'retry/no-mach' = 'off'\n  | ^^^^^^^^^^^^^^^\n  = help: did you mean `retry/no-match`?\n";
    assert!(broken.err.ends_with(shown), "{}", broken.err);

    let variables = [("FORESHOCK_CONFIG", OsString::from(at("a/foreshock.toml")))].into();
    let surroundings = Surroundings { variables, ..Surroundings::default() };
    let config = |arguments: &[&str]| foreshock_in(surroundings.clone(), arguments).request.unwrap().config;
    assert_eq!(config(&["check", &at("b")]).rules.len(), 1);
    assert_eq!(config(&["audit"]).rules.len(), 1);
    assert!(config(&["demo"]).rules.is_empty());
}

#[test]
fn a_page_is_printed_with_its_title() {
    let answer = foreshock(&["explain", "retry/no-match"]);
    assert_eq!(answer.code, 0);
    insta::assert_snapshot!(answer.out, @"
    retry/no-match: a fault
    error, race

    What is found,
    in one paragraph.

    ## When it bites

    Because.
    ");
}

#[test]
fn rules_are_listed_for_people() {
    let surroundings = Surroundings { columns: Some(40), ..Surroundings::default() };
    let answer = foreshock_in(surroundings, &["rules"]);
    assert_eq!(answer.code, 0);
    assert!(answer.out.lines().filter(|line| line.starts_with(' ')).all(|line| line.len() <= 40));
    insta::assert_snapshot!(answer.out);
}

#[test]
fn rules_are_listed_for_programs() {
    let answer = foreshock(&["rules", "--format", "json"]);
    let listing: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(listing["version"], 1);
    assert_eq!(listing["rules"].as_array().unwrap().len(), pages().len());
    let rule = &listing["rules"][2];
    assert_eq!(
        (&rule["id"], &rule["status"], &rule["severity"]),
        (&"retry/inert".into(), &"off".into(), &"advice".into())
    );
    assert_eq!(rule["summary"], "What is found, in one paragraph.");
    assert!(listing["rules"][5]["trigger"].is_null());
}

#[test]
fn shells_get_completions_and_man_gets_pages() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let answer = foreshock(&["completions", shell]);
        assert_eq!(answer.code, 0, "{shell}: {}", answer.err);
        assert!(answer.out.contains("fail-on") && answer.out.contains("foreshock"), "{shell}: {}", answer.out);
    }
    refused(&["completions", "korn"], "korn");
    let page = foreshock(&["man"]).out;
    assert!(page.contains(".TH foreshock 1") && page.contains("foreshock\\-audit"), "{page}");
    let audit = foreshock(&["man", "audit"]).out;
    assert!(audit.contains(".SH NAME") && audit.contains("\\-\\-root"), "{audit}");
    refused(&["man", "audt"], "there is no subcommand `audt`");
}

#[test]
fn colours_of_help_follow_the_surroundings() {
    let variables = [("FORCE_COLOR", OsString::from("1"))].into();
    let surroundings = Surroundings { variables, ..Surroundings::default() };
    assert!(foreshock_in(surroundings, &["-h"]).out.contains('\u{1b}'));
    assert!(!foreshock(&["-h"]).out.contains('\u{1b}'));
    #[cfg(target_os = "linux")]
    assert_eq!(request(&[]).look.characters, Characters::Ascii);
}

/// A writer whose reader has gone.
struct Closed(ErrorKind);

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let pages = pages();
    let tool = Tool { pages: &pages, surroundings: Surroundings::default(), run: keep };
    for (kind, expected) in [(ErrorKind::BrokenPipe, 0), (ErrorKind::StorageFull, 2)] {
        for arguments in [&["foreshock", "rules"][..], &["foreshock", "-h"], &["foreshock", "explain", "retry/inert"]] {
            let mut err = Vec::new();
            let code = run(arguments.iter().map(OsString::from), &tool, &mut Closed(kind), &mut err);
            assert_eq!((code, err.as_slice()), (expected, &[][..]), "{arguments:?}");
        }
    }
    assert_eq!(
        run(["foreshock", "-x"].map(OsString::from), &tool, &mut Vec::new(), &mut Closed(ErrorKind::BrokenPipe)),
        2
    );
}
