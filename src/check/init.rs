//! `foreshock init`: writes a first foreshock.toml that speaks of what is in the tree. Nothing in it is in force: a line
//! that begins with `#` and no blank is a setting, any other comment is for people.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::Roots;
use crate::cli::visible;
use crate::finding::Finding;
use crate::model::Model;
use crate::model::deploy::{self, Deploy};
use crate::model::pool::Amount;
use crate::model::setting::Origin;
use crate::reading::Reading;
use crate::rules::{Status, pages};
use crate::source::Look;

const FILE: &str = "foreshock.toml";

const HEAD: &str = "\
# What foreshock is told about this repository, written by `foreshock init` from what it found here.
# Nothing below is in force yet: in a line that begins with `#` and no blank, take the `#` away.
# A key that foreshock does not know is an error, so a misspelt one cannot pass unnoticed.

# Paths that are not read. Tests, examples, generated and vendored files are left out anyway.
#exclude = [\"legacy/**\"]
";

const CLOSING: &str = "
# What hosts execute of this repository: `foreshock audit --pins`, run on each host, prints it as [[deploy.pin]].
# Retry wrappers and pools of your own: `foreshock explain retry/no-match`, `foreshock explain wait/nested-checkout`.
";

/// Writes the file into the checked directory and returns what is to be said of it.
pub(super) fn write(
    directory: &Path,
    model: &Model<'_>,
    reading: &Reading,
    roots: &Roots,
    findings: &[Finding],
) -> Result<String, String> {
    let found = Found::of(model, reading, roots);
    let path = if directory == Path::new(".") { PathBuf::from(FILE) } else { directory.join(FILE) };
    let shown = visible(&path.display().to_string());
    // Neither an existing file nor the target of a link is written over.
    let created = OpenOptions::new().write(true).create_new(true).open(&path);
    let written = created.and_then(|mut file| file.write_all(found.text(findings).as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!("`{shown}` is already there; nothing was written"),
        ErrorKind::PermissionDenied => format!("`{shown}` cannot be written: no permission"),
        _ => format!("`{shown}` cannot be written: {error}"),
    })?;
    let here = if directory == Path::new(".") {
        String::new()
    } else {
        format!(" {}", visible(&directory.display().to_string()))
    };
    let mut said = format!("wrote {shown}: every setting in it is commented out\n");
    let _ = writeln!(
        said,
        "found {}, {}, {} that nothing here sets, {}",
        count(model.processes.len(), "process", "processes"),
        count(found.definitions.len(), "service definition", "service definitions"),
        count(found.unset.values().map(BTreeMap::len).sum(), "variable", "variables"),
        count(findings.len(), "finding", "findings"),
    );
    let _ = writeln!(said, "next:");
    let _ = writeln!(said, "  foreshock check{here}    # what is found, with the file in force");
    let _ = writeln!(said, "  foreshock model{here}    # the processes and values as they are read");
    Ok(said)
}

/// What the file has to speak of.
struct Found {
    /// Files that define services.
    definitions: BTreeSet<String>,
    /// Host directories that are this repository, and what says so.
    deployed: BTreeMap<PathBuf, String>,
    /// By process, the variables that nothing sets: the fallback, and where it is read.
    unset: BTreeMap<String, BTreeMap<String, (i64, String)>>,
}

impl Found {
    fn of(model: &Model<'_>, reading: &Reading, roots: &Roots) -> Self {
        let mut found = Self { definitions: BTreeSet::new(), deployed: BTreeMap::new(), unset: BTreeMap::new() };
        found.definitions.extend(model.jobs.iter().map(|job| visible(&model.places.file(job.file))));
        for (file, started) in &deploy::started(&reading.facts) {
            found.definitions.insert(visible(&model.places.file(*file)));
            let Some(root) = roots.sources.file(*file).map(|entry| entry.root) else { continue };
            for (path, bytes) in started.iter().map(|(text, bytes)| (Path::new(text), *bytes)) {
                let (_, inside) = deploy::inside(&Deploy::default(), root, path, &roots.sources);
                let is_here = |inside: &&PathBuf| {
                    matches!(roots.sources.look(root, &Path::new("/").join(inside)), Look::Present(_))
                };
                let base = inside.iter().find(is_here).and_then(|inside| above(path, inside));
                if let Some(base) = base {
                    let reason = format!("{} starts {}", model.places.name(file.span(bytes)), path.display());
                    found.deployed.entry(base).or_insert_with(|| visible(&reason));
                }
            }
        }
        for budget in &model.budgets {
            let Some(process) = model.processes.get(budget.process) else { continue };
            let sizes = budget.pools.iter().map(|pool| &pool.size);
            let extras = budget.extras.iter().map(|extra| &extra.count);
            for amount in [&budget.threads, &budget.copies].into_iter().chain(sizes).chain(extras) {
                if let Some((variable, value, place)) = fallback(amount, model) {
                    let variables = found.unset.entry(process.name.clone()).or_default();
                    variables.entry(variable).or_insert((value, place));
                }
            }
        }
        found
    }

    fn text(&self, findings: &[Finding]) -> String {
        let mut out = HEAD.to_owned();
        Self::rules(findings, &mut out);
        self.deploy(&mut out);
        self.assume(&mut out);
        out.push_str(CLOSING);
        out
    }

    fn rules(findings: &[Finding], out: &mut String) {
        let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
        findings.iter().for_each(|finding| *rules.entry(finding.rule).or_default() += 1);
        let _ = writeln!(
            out,
            "\n# A rule, a family or `all`: \"off\", \"on\", or another severity. `foreshock rules` lists them."
        );
        if !rules.is_empty() {
            let _ = writeln!(out, "# Found when this was written:");
        }
        for (rule, number) in rules {
            let _ = writeln!(out, "#   {number} x {rule}");
        }
        let _ = writeln!(out, "[rules]");
        for page in pages().iter().filter(|page| page.status == Status::Off) {
            let _ = writeln!(out, "#\"{}\" = \"on\"  # off unless switched on: {}", page.id, page.title);
        }
        let _ = writeln!(
            out,
            "\n# Rules that are not reported in some files.\n[per-path]\n#\"scripts/**\" = {{ ignore = [\"retry\"] }}"
        );
    }

    fn deploy(&self, out: &mut String) {
        let _ = writeln!(out, "\n# Where this repository stands on its hosts: a path there = the path in here.");
        for file in &self.definitions {
            let _ = writeln!(out, "# Service definition: {file}");
        }
        let _ = writeln!(out, "[deploy]");
        for (base, reason) in &self.deployed {
            let _ = writeln!(out, "#{} = \".\"  # {reason}", quoted(&base.to_string_lossy()));
        }
        if self.deployed.is_empty() {
            let _ = writeln!(out, "#\"/srv/NAME/current\" = \".\"");
        }
    }

    fn assume(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "\n# What processes see though no file here shows it: variables by the process's name, the wait in a queue."
        );
        for (process, variables) in &self.unset {
            let _ = writeln!(out, "[assume.{}]", quoted(process));
            for (variable, (value, place)) in variables {
                let _ = writeln!(
                    out,
                    "#{} = {value}  # the fallback, read at {place}: nothing here sets it",
                    quoted(variable)
                );
            }
        }
        let _ = writeln!(out, "[assume.queue]\n#default.latency = \"10m\"");
    }
}

/// Returns what stands above `inside` in `path`.
fn above(path: &Path, inside: &Path) -> Option<PathBuf> {
    let kept = path.components().count().checked_sub(inside.components().count())?;
    path.ends_with(inside).then(|| path.components().take(kept).collect())
}

fn fallback(amount: &Amount, model: &Model<'_>) -> Option<(String, i64, String)> {
    let Origin::Fallback { variable, read_at } = &amount.setting.origin else { return None };
    Some((variable.clone(), amount.value()?, visible(&model.places.name(*read_at))))
}

/// Writes a key of TOML: bare where that is enough, else as a basic string in one line.
fn quoted(text: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !text.is_empty() && text.bytes().all(is_bare) {
        return text.to_owned();
    }
    let mut key = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => key.extend(['\\', character]),
            control if control.is_control() => key += &format!("\\u{:04X}", u32::from(control)),
            other => key.push(other),
        }
    }
    key + "\""
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
