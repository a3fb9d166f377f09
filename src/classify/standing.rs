//! Whether a file is part of what runs in production: by its folders, then by its own name.
//!
//! The one place for all families; environments (`development`, `test`) that a production file speaks of are no matter
//! of it.

use std::path::Path;

use super::{Kind, kind, launcher};

/// Whether a file belongs to the program that runs, judged by the part of the path below the checked root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    Production,
    Test,
    Example,
    /// Placeholders are filled in before anything reads it.
    Template,
    Vendored,
    Generated,
    Documentation,
    Development,
}

impl Standing {
    /// Returns the word used in the summary.
    pub fn word(self) -> &'static str {
        match self {
            Self::Production => "production",
            Self::Test => "test",
            Self::Example => "example",
            Self::Template => "template",
            Self::Vendored => "vendored",
            Self::Generated => "generated",
            Self::Documentation => "documentation",
            Self::Development => "development",
        }
    }
}

/// Says whether a file is part of what runs in production, by its path below the checked root.
pub fn standing(path: &Path) -> Standing {
    // Once for the whole path: this is asked for every file.
    let path = path.to_string_lossy().to_ascii_lowercase();
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let mut in_templates = false;
    for directory in directories.split('/') {
        match directory {
            "test" | "tests" | "spec" | "specs" | "__tests__" | "__mocks__" | "e2e" | "fixtures" | "__fixtures__"
            | "testdata" | "test-data" | "cypress" | "playwright" | "benchmarks" | "bench" | "benches" => {
                return Standing::Test;
            }
            "example" | "examples" | "sample" | "samples" | "demo" | "demos" | "playground" => {
                return Standing::Example;
            }
            "vendor" | "third_party" | "third-party" | "node_modules" | "bower_components" | ".yarn"
            | "site-packages" => return Standing::Vendored,
            "docs" | "doc" => return Standing::Documentation,
            // Units are kept in `dist/` by hand (mastodon/mastodon dist/mastodon-web.service).
            "dist" if matches!(kind(Path::new(&path)), Kind::SystemdUnit | Kind::PropertyList) => {}
            ".devcontainer" => return Standing::Development,
            "dist" | "generated" | "__generated__" => return Standing::Generated,
            "templates" | "generators" => in_templates = true,
            _ => {
                if let Some(standing) = standing_of_words(directory) {
                    return standing;
                }
            }
        }
    }
    standing_of_name(name, in_templates)
}

/// Directories, and last words of file names, of what one person or one process runs once.
const RUN_ONCE: [&str; 7] = ["migrations", "migration", "migrate", "seeds", "seeders", "seeder", "seed"];

/// Says whether a path is one of what is run once, so that nothing competes with it.
pub fn is_run_once(path: &Path) -> bool {
    let of_directory = |name: &str| {
        RUN_ONCE.contains(&name)
            || matches!(name, "scripts" | "script" | "data_migrations" | "data_migration" | "tasks")
    };
    let mut directories = path.parent().into_iter().flat_map(Path::iter);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    directories.any(|part| part.to_str().is_some_and(of_directory))
        || stem.rsplit(['_', '-', '.']).next().is_some_and(|last| RUN_ONCE.contains(&last))
}

/// Suffixes of files that something renders before it is read (knowledge of deployment tools).
pub(super) const TEMPLATE_SUFFIXES: [&str; 14] = [
    "in", "j2", "jinja", "jinja2", "erb", "tmpl", "template", "tpl", "tera", "mustache", "hbs", "ejs", "tt", "example",
];

/// Words of a folder's name that make it one of tests: `Shop.Api.Tests`, `integration-tests`, `rtd_tests`.
const TEST_WORDS: [&str; 13] = [
    "tests",
    "unittest",
    "unittests",
    "integrationtest",
    "integrationtests",
    "functionaltests",
    "testframework",
    "testkit",
    "testutils",
    "loadtest",
    "loadtests",
    "benchmark",
    "microbenchmarks",
];

/// Judges a folder by the words that its name is made of.
fn standing_of_words(directory: &str) -> Option<Standing> {
    // Most names have none of them.
    if !["test", "bench", "stor", "example", "mock"].iter().any(|word| directory.contains(word)) {
        return None;
    }
    // .NET names a project's folder by its namespace: `Shop.Test.Common`.
    let mut spaces = directory.split('.');
    if directory.contains('.') && spaces.clone().any(|space| space == "test") {
        return Some(Standing::Test);
    }
    if directory.contains('.') && spaces.any(|space| matches!(space, "examples" | "samples")) {
        return Some(Standing::Example);
    }
    let mut words = directory.split(['.', '-', '_', ' ']);
    let first = words.clone().next().unwrap_or_default();
    let last = words.clone().next_back().unwrap_or_default();
    let helps = first == "test" && matches!(last, "utils" | "helpers" | "support" | "fixtures" | "data");
    let of_tests = helps
        || words.any(|word| TEST_WORDS.contains(&word))
        || matches!(
            directory,
            "_test"
                | "testing"
                | "integration_testing"
                | "integration-testing"
                | "mocks"
                | "mock"
                | "stories"
                | ".storybook"
                | "storybook"
        );
    of_tests.then_some(Standing::Test)
}

/// Programs that run tests: what is named after them sets them up (`vitest.setup.ts`, `jest.config.js`).
const TEST_RUNNERS: [&str; 7] = ["vitest", "jest", "playwright", "cypress", "karma", "mocha", "wdio"];

/// Stems of files that only tests use.
const TEST_STEMS: [&str; 10] = [
    "tests",
    "test_utils",
    "test_helpers",
    "test_support",
    "test-utils",
    "test-helpers",
    "test-setup",
    "setup-test",
    "setup-tests",
    "setuptests",
];

fn standing_of_name(name: &str, in_templates: bool) -> Standing {
    let parts: Vec<&str> = name.split('.').collect();
    let has = |word: &str| parts.iter().skip(1).any(|part| *part == word);
    if has("test") || has("spec") || has("e2e") || name.starts_with("test_") && has("py") || has("stories") {
        return Standing::Test;
    }
    if name.ends_with("_test.rb") || name.ends_with("_spec.rb") || name.ends_with("_test.py") || name == "conftest.py" {
        return Standing::Test;
    }
    let first = parts.first().copied().unwrap_or_default();
    if parts.len() > 1 && (TEST_RUNNERS.contains(&first) || TEST_STEMS.contains(&first)) {
        return Standing::Test;
    }
    if has("min") || has("bundle") {
        return Standing::Generated;
    }
    if has("sample") || has("dist") && parts.len() > 2 {
        return Standing::Example;
    }
    if parts.last().is_some_and(|last| parts.len() > 1 && TEMPLATE_SUFFIXES.contains(last)) {
        return Standing::Template;
    }
    if in_templates {
        return Standing::Template;
    }
    if launcher::is_for_development(name) {
        return Standing::Development;
    }
    if parts.last().is_some_and(|last| matches!(*last, "md" | "markdown" | "rst" | "adoc")) {
        return Standing::Documentation;
    }
    Standing::Production
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standings() {
        let check = |path: &str, expected: Standing| assert_eq!(standing(Path::new(path)), expected, "{path}");
        check("src/db.js", Standing::Production);
        check("src/latest/testing.js", Standing::Production);
        check("test/db.test.js", Standing::Test);
        check("src/db.spec.ts", Standing::Test);
        check("src/Shop.Api.Tests/Orders.cs", Standing::Test);
        check("src/Shop.Test.Common/Clock.cs", Standing::Test);
        check("src/Shop.Examples.Worker/Program.cs", Standing::Example);
        check("packages/api/integration-tests/pool.ts", Standing::Test);
        check("shop/test_utils/db.py", Standing::Test);
        check("vitest.global-setup.ts", Standing::Test);
        check("src/queue/tests.rs", Standing::Test);
        for path in [
            "app/attestations/a.rb",
            "src/stores/db.ts",
            "src/latest.ts",
            "app/ab_test_report/a.rb",
            "src/contest/a.cs",
        ] {
            check(path, Standing::Production);
        }
        check("public/vendor/uploader.min.js", Standing::Vendored);
        check("templates/service/src/db.js.hbs", Standing::Template);
        check("deploy/agent.service.in", Standing::Template);
        check("packaging/x.service", Standing::Production);
        check("docs/retries.md", Standing::Documentation);
        check("dist/web.service", Standing::Production);
        check("dist/web.js", Standing::Generated);
        check("Procfile.dev", Standing::Development);
        check("docker-compose.override.yml", Standing::Development);
        check("compose.production.yaml", Standing::Production);
    }

    #[test]
    fn what_is_run_once() {
        let check = |path: &str, expected: bool| assert_eq!(is_run_once(Path::new(path)), expected, "{path}");
        check("db/data_migration/20240101_a.rb", true);
        check("src/db/background_migrations.rs", true);
        check("prisma/seed.ts", true);
        check("app/tasks/mail.py", true);
        check("shop/tasks.py", false);
        check("src/migrator.rs", false);
    }
}
