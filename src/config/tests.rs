//! What a configuration file may hold, and what is said of one that holds something else.

use std::path::{Path, PathBuf};

use super::sample::pages;
use super::*;

fn config(text: &str) -> Config {
    Config::parse(text, Path::new("foreshock.toml"), &pages()).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Each expected fault: the text it points at, its message, its help.
fn check(text: &str, expected: &[(&str, &str, &str)]) {
    let errors = Config::parse(text, Path::new("foreshock.toml"), &pages()).expect_err(text);
    let found: Vec<_> =
        errors.iter().map(|error| (error.bytes.of(text), error.message.as_str(), error.help.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn an_empty_file_configures_nothing() {
    let config = config("");
    assert!(!config.excludes_file(Path::new("a")));
    assert!(config.rules.is_empty() && config.rows.is_empty());
}

#[test]
fn rules_take_levels_by_id_and_family() {
    let config = config("[rules]\n\"retry/no-match\" = \"off\"\npool = \"advice\"\nall = \"on\"");
    let found: Vec<_> = config.rules.iter().map(|rule| (rule.pattern.clone(), rule.level)).collect();
    assert_eq!(
        found,
        [
            (RulePattern::Rule("retry/no-match".to_owned()), Level::Off),
            (RulePattern::Family("pool".to_owned()), Level::At(Severity::Advice)),
            (RulePattern::All, Level::On),
        ]
    );
}

#[test]
fn per_path_hides_named_rules_in_matching_files() {
    let config = config("[per-path]\n\"legacy/**\" = { ignore = [\"retry/no-match\", \"pool\"] }");
    assert!(config.ignores(Path::new("legacy/a.js"), "retry/no-match"));
    assert!(config.ignores(Path::new("legacy/a.js"), "pool/no-headroom"));
    assert!(!config.ignores(Path::new("legacy/a.js"), "retry/match-all"));
    assert!(!config.ignores(Path::new("a.js"), "retry/no-match"));
}

#[test]
fn deploy_holds_mappings_and_pins_side_by_side() {
    let text = "[deploy]\n\"/srv/shop/current/\" = \"./app\"\n\"/srv/b\" = \".\"\n\
        [[deploy.pin]]\npath = \"bin/start.sh\"\nby = \"mac-1\"\n[[deploy.pin]]\npath = \"x\"\n";
    let config = config(text);
    let mapped: Vec<_> = config.deploy.iter().map(|each| (each.host.clone(), each.repository.clone())).collect();
    assert_eq!(
        mapped,
        [(PathBuf::from("/srv/shop/current"), PathBuf::from("app")), (PathBuf::from("/srv/b"), PathBuf::new())]
    );
    let pins: Vec<_> = config.pins.iter().map(|pin| (pin.path.clone(), pin.by.as_str(), pin.bytes.of(text))).collect();
    assert_eq!(pins, [(PathBuf::from("bin/start.sh"), "mac-1", "\"bin/start.sh\""), (PathBuf::from("x"), "", "\"x\"")]);
}

#[test]
fn assumed_values_read_as_an_environment_holds_them() {
    let text = "[assume.web]\nRAILS_MAX_THREADS = 16\nDEBUG = true\nMASK = 0x1_f\nNAME = 'x'\n\
        [assume.queue]\nSIZE = 1\n[assume.queue.default]\nlatency = \"2h\"\n";
    let config = config(text);
    let values: Vec<_> = config
        .assumed
        .iter()
        .map(|each| (each.process.as_str(), each.variable.as_str(), each.value.as_str()))
        .collect();
    assert_eq!(
        values,
        [
            ("web", "RAILS_MAX_THREADS", "16"),
            ("web", "DEBUG", "true"),
            ("web", "MASK", "31"),
            ("web", "NAME", "x"),
            ("queue", "SIZE", "1"),
        ]
    );
    assert_eq!(config.assumed.first().unwrap().bytes.of(text), "16");
    assert_eq!(config.queues.len(), 1);
    assert_eq!((config.queues[0].name.as_str(), config.queues[0].latency_ms), ("default", Some(7_200_000)));
}

#[test]
fn rows_are_kept_with_the_places_of_their_keys() {
    let text = "[[retry.library]]\nname = \"ours\"\noptions = { max = 3 }\n[[wait.pool]]\nname = \"p\"\n";
    let config = config(text);
    let tables: Vec<_> = config.rows.iter().map(|row| row.table).collect();
    assert_eq!(tables, ["retry.library", "wait.pool"]);
    let row = &config.rows[0];
    assert_eq!(row.values["options"]["max"].as_integer(), Some(3));
    let keys: Vec<_> = row.keys.iter().map(|(key, at, value)| (key.as_str(), at.of(text), value.of(text))).collect();
    assert_eq!(keys, [("name", "name", "\"ours\""), ("options", "options", "{ max = 3 }")]);
}

#[test]
fn unknown_names_are_pointed_at_with_a_suggestion() {
    check("exlude = []", &[("exlude", "unknown key `exlude`", "did you mean `exclude`?")]);
    check(
        "[rules]\n\"retry/no-mach\" = \"off\"",
        &[("\"retry/no-mach\"", "unknown rule `retry/no-mach`", "did you mean `retry/no-match`?")],
    );
    check(
        "[rules]\nretry = \"warn\"\npool = \"eror\"",
        &[
            ("\"warn\"", "unknown level `warn`", "write one of \"off\", \"on\", \"error\", \"warning\", \"advice\""),
            ("\"eror\"", "unknown level `eror`", "did you mean `error`?"),
        ],
    );
    check("[[retry.libary]]\nname = 1", &[("libary", "unknown table `libary`", "did you mean `library`?")]);
    check("[per-path]\na = { ignroe = [] }", &[("ignroe", "unknown key `ignroe`", "did you mean `ignore`?")]);
    check("[per-path]\na = { ignore = ['retyr'] }", &[("'retyr'", "unknown rule `retyr`", "did you mean `retry`?")]);
    check("[[deploy.pin]]\npath = 'a'\nfile = 'x'", &[("file", "unknown key `file`", "known here: `path`, `by`")]);
    check(
        "[deploy]\npins = 'a'",
        &[("pins", "`pins` is not an absolute path on a host", "did you mean `[[deploy.pin]]`?")],
    );
    check("[assume.queue.q]\nlatncy = '2h'", &[("latncy", "unknown key `latncy`", "did you mean `latency`?")]);
}

#[test]
fn values_of_the_wrong_form_are_pointed_at() {
    check(
        "exclude = 'a'",
        &[("'a'", "`exclude` must be a list of strings, not a string", "write it in brackets: [\"…\"]")],
    );
    check(
        "exclude = ['a', 1, '{']",
        &[
            ("1", "an entry of `exclude` must be a string, not an integer", ""),
            ("'{'", "not a path pattern: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)", ""),
        ],
    );
    check("rules = 1", &[("1", "`rules` must be a table, not an integer", "")]);
    check(
        "retry = { library = { name = 'x' } }",
        &[("{ name = 'x' }", "`retry.library` must be an array of tables, not a table", "write `[[retry.library]]`")],
    );
    check(
        "[assume.queue.q]\nlatency = 2",
        &[(
            "2",
            "`latency` must be a string, not an integer",
            "write a number with a unit: \"30s\", \"5m\", \"2h\" or \"1d\"",
        )],
    );
    check(
        "[assume.queue.q]\nlatency = '2 w'",
        &[("'2 w'", "`2 w` is not a duration", "write a number with a unit: \"30s\", \"5m\", \"2h\" or \"1d\"")],
    );
    check(
        "[assume.queue.q]\nrate = 0",
        &[("0", "`rate` must be a whole number above 0", "write how many jobs of it are done in a second: 56")],
    );
    check("[assume]\nweb = 1", &[("1", "an entry of `assume` must be a table, not an integer", "")]);
    check(
        "[assume.web]\na = 1.5\nb = 99999999999999999999",
        &[
            ("1.5", "an assumed value must be a string, an integer or a boolean, not a float", ""),
            ("99999999999999999999", "the number is too large", ""),
        ],
    );
    check(
        "[deploy]\n'/a' = '../b'\n'/c' = ''\n'/d/../e' = '.'",
        &[
            ("'../b'", "`../b` is not a path in this repository", "write it relative to this file's directory"),
            ("''", "the path is empty", "write \".\" for this file's directory"),
            ("'/d/../e'", "`/d/../e` is not an absolute path on a host", "write \"/host/path\" = \"repository/path\""),
        ],
    );
    check(
        "[[deploy.pin]]\nby = 'x'",
        &[("[[deploy.pin]]", "a pin without `path`", "add `path`, relative to this file's directory")],
    );
}

#[test]
fn broken_toml_is_an_error_with_a_place() {
    let text = "exclude = [\"a\"\n[rules]\n";
    let errors = Config::parse(text, Path::new("foreshock.toml"), &pages()).unwrap_err();
    assert!(render(&errors, text, "foreshock.toml").contains("--> foreshock.toml:"), "{errors:?}");
    check("a = 1\na = 2", &[("a", "duplicate key", "")]);
    for text in ["[".repeat(100_000), format!("{}a = 1", "a.".repeat(100_000)), "\u{0}".to_owned()] {
        assert!(Config::parse(&text, Path::new("foreshock.toml"), &pages()).is_err());
    }
}

#[test]
fn tables_in_files_of_others_keep_their_places() {
    let text = "[project]\nname = \"ü\"\n[tool.other]\nx = 1\n[tool.foreshock]\nexlude = []\n";
    let errors = Config::parse(text, Path::new("a/pyproject.toml"), &pages()).unwrap_err();
    assert_eq!(errors[0].bytes.of(text), "exlude");
    let text = "[package.metadata.foreshock]\nexclude = [\"a\"]\n";
    let config = Config::parse(text, Path::new("Cargo.toml"), &pages()).unwrap();
    assert!(config.excludes_file(Path::new("a")));
    let text = "[workspace.metadata]\nforeshock = { exclude = [\"b\"] }\n";
    let config = Config::parse(text, Path::new("Cargo.toml"), &pages()).unwrap();
    assert!(config.excludes_file(Path::new("b")));
    let errors = Config::parse("[project]\n", Path::new("pyproject.toml"), &pages()).unwrap_err();
    assert_eq!(errors[0].message, "no table for foreshock in this file");
}

#[test]
fn a_byte_order_mark_does_not_shift_places() {
    let text = "\u{feff}exlude = []";
    let errors = Config::parse(text, Path::new("foreshock.toml"), &pages()).unwrap_err();
    assert_eq!(errors[0].bytes.of(text), "exlude");
}

#[test]
fn a_file_full_of_faults_is_refused_in_bearable_time() {
    let names = "'retry/no-mach',".repeat(9_000);
    let entries: Vec<_> = (0..25).map(|at| format!("a{at} = {{ ignore = [{names}] }}")).collect();
    let text = format!("per-path = {{ {} }}", entries.join(", "));
    assert_eq!(Config::parse(&text, Path::new("foreshock.toml"), &pages()).unwrap_err().len(), 100);
    let text = format!("exclude = [{}]", "'a',".repeat(10_001));
    check(&text, &[(text.trim_start_matches("exclude = "), "`exclude` has more than 10000 entries", "")]);
}
