//! The options that subcommands share, and their values.

use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use super::request::{
    Contents, DeployedAt, FindingsExit, History, Ignores, Job, Prune, Request, Scope, Stop, Target, Unread,
};
use super::selection::{Comparison, Selection};
use super::surroundings::When;
use super::{Refusal, Tool};
use crate::config::{Config, RulePattern, nearest};
use crate::finding::{Confidence, Severity};
use crate::report::{Blocks, Format};
use crate::rules::Page;

const FORMATS: [(&str, Format); 9] = [
    ("human", Format::Human),
    ("concise", Format::Concise),
    ("json", Format::Json),
    ("sarif", Format::Sarif),
    ("github", Format::Github),
    ("gitlab", Format::Gitlab),
    ("junit", Format::Junit),
    ("html", Format::Html),
    ("narrated", Format::Narrated),
];

#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Input")]
pub(super) struct InputOptions {
    /// Leave git's history alone
    ///
    /// A missing path is then reported without the commit that deleted it.
    #[arg(long)]
    no_history: bool,

    /// Use at most this many threads [default: one per processor]
    #[arg(long, value_name = "NUMBER")]
    threads: Option<NonZeroU16>,
}

#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Rules")]
pub(super) struct RuleOptions {
    /// Run these rules instead of the default ones (can be repeated)
    ///
    /// A rule's id, a family or `all`, several separated by commas. A rule that is off by default runs if it is
    /// named by its id.
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    select: Vec<String>,

    /// Run these rules too, off by default or not (can be repeated)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    extend_select: Vec<String>,

    /// Do not run these rules (can be repeated)
    ///
    /// Where several options and the configuration speak of a rule, the one that names it most specifically wins,
    /// then the command line, then `--ignore`.
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    ignore: Vec<String>,

    /// Show findings that are merely possible, too
    #[arg(long)]
    pedantic: bool,

    /// Show what comments and per-path tables hide
    #[arg(long)]
    no_ignores: bool,

    /// Read this configuration file
    ///
    /// Without it, the one that the variable FORESHOCK_CONFIG names is read; `check` then looks for foreshock.toml,
    /// .foreshock.toml, .config/foreshock.toml, pyproject.toml or Cargo.toml in the checked directory and above it,
    /// up to the one with `.git`.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Read no configuration file
    #[arg(long, conflicts_with = "config")]
    isolated: bool,
}

#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputOptions {
    /// Write human, concise, json, sarif, github, gitlab, junit, html or narrated (can be repeated)
    ///
    /// With `=FILE` the document goes to that file instead of standard output, for example
    /// `--format human --format sarif=foreshock.sarif`. The default is `human`.
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = output)]
    format: Vec<(Format, Target)>,

    /// Show findings from this severity on: advice, warning or error [default: advice]
    #[arg(long, value_name = "SEVERITY", value_parser = severity(), hide_possible_values = true)]
    min_severity: Option<Severity>,

    /// Exit with 1 for findings from this severity on [default: warning]
    #[arg(long, value_name = "SEVERITY", value_parser = severity(), hide_possible_values = true)]
    fail_on: Option<Severity>,

    /// Exit with 0 whatever is found
    ///
    /// What keeps foreshock from doing its job still ends in 2.
    #[arg(long)]
    exit_zero: bool,

    /// Exit with 2 if a file could not be read or understood, or nothing was there to check
    #[arg(long)]
    strict: bool,

    /// Show all findings in full, not the ten worst
    #[arg(long)]
    all: bool,

    /// Use colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, hide_possible_values = true)]
    color: When,
}

/// The parts of a request that differ from subcommand to subcommand.
pub(super) struct Subject {
    pub(super) job: Job,
    pub(super) paths: Vec<PathBuf>,
    pub(super) hosts: Vec<PathBuf>,
    pub(super) deployed_at: Vec<DeployedAt>,
    pub(super) contents: Contents,
    pub(super) scope: Scope,
    pub(super) stop: Stop,
    pub(super) baseline: Option<PathBuf>,
    pub(super) prune: Prune,
}

/// All shared options of one subcommand.
#[derive(Clone, Copy)]
pub(super) struct Options<'a> {
    pub(super) input: &'a InputOptions,
    pub(super) rules: &'a RuleOptions,
    pub(super) output: &'a OutputOptions,
}

impl Options<'_> {
    /// Makes the request, or says why it cannot be met.
    pub(super) fn request(self, subject: Subject, tool: &Tool<'_>) -> Result<Request, Refusal> {
        let Self { input, rules, output } = self;
        let comparison = match subject.scope {
            Scope::Everything => Comparison::None,
            Scope::Since(_) | Scope::Staged | Scope::StagedOrAll => Comparison::Revisions,
        };
        let selection = rules.selection(comparison, tool.pages)?;
        for path in &subject.paths {
            exists(path, Expected::Anything)?;
        }
        for path in &subject.hosts {
            exists(path, Expected::Directory)?;
        }
        let config = rules.config(&subject.paths, tool)?;
        Ok(Request {
            job: subject.job,
            paths: subject.paths,
            hosts: subject.hosts,
            deployed_at: subject.deployed_at,
            contents: subject.contents,
            scope: subject.scope,
            stop: subject.stop,
            baseline: subject.baseline,
            prune: subject.prune,
            history: if input.no_history { History::Left } else { History::Asked },
            threads: input.threads.map(|number| usize::from(number.get())),
            config,
            selection,
            min_confidence: if rules.pedantic { Confidence::Possible } else { Confidence::Likely },
            min_severity: output.min_severity.unwrap_or(Severity::Advice),
            fail_on: output.fail_on.unwrap_or(Severity::Warning),
            ignores: if rules.no_ignores { Ignores::Nothing } else { Ignores::Hide },
            outputs: output.outputs()?,
            unread: if output.strict { Unread::Fails } else { Unread::Counts },
            findings_exit: if output.exit_zero { FindingsExit::Zero } else { FindingsExit::One },
            look: tool.surroundings.look(output.color, output.all.then_some(Blocks::All)),
            step_summary: tool.surroundings.variable("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            today: tool.surroundings.today,
        })
    }
}

impl RuleOptions {
    /// Returns the defaults, with this configuration file, or without any.
    pub(super) fn configured(config: Option<PathBuf>, isolated: bool) -> Self {
        Self { config, isolated, ..Self::default() }
    }

    /// Returns the defaults, without any configuration.
    pub(super) fn isolated() -> Self {
        Self { isolated: true, ..Self::default() }
    }

    fn selection(&self, comparison: Comparison, pages: &[Page]) -> Result<Selection, Refusal> {
        let patterns = |option: &str, names: &[String]| {
            let parse = |name: &String| {
                RulePattern::parse(name.trim(), pages)
                    .map_err(|unknown| Refusal::new(format!("{unknown} in `{option}`"), unknown.help))
            };
            names.iter().map(parse).collect::<Result<Vec<_>, _>>()
        };
        Ok(Selection {
            select: patterns("--select", &self.select)?,
            extend: patterns("--extend-select", &self.extend_select)?,
            ignore: patterns("--ignore", &self.ignore)?,
            comparison,
        })
    }

    /// Loads the configuration that applies to all checked paths.
    fn config(&self, paths: &[PathBuf], tool: &Tool<'_>) -> Result<Config, Refusal> {
        if self.isolated {
            return Ok(Config::default());
        }
        let load = |path: &Path| Config::load(path, tool.pages).map_err(|error| Refusal::new(error.to_string(), ""));
        let variable = tool.surroundings.variable("FORESHOCK_CONFIG").map(PathBuf::from);
        if let Some(path) = self.config.clone().or(variable) {
            return load(&path);
        }
        let mut found = paths.iter().map(|path| (path, Config::find(path)));
        let Some((first, config)) = found.next() else { return Ok(Config::default()) };
        if let Some((other, _)) = found.find(|(_, each)| *each != config) {
            let message = format!("`{}` and `{}` are configured by different files", first.display(), other.display());
            return Err(Refusal::new(message, "check them one by one, or name a file with `--config`"));
        }
        config.map_or_else(|| Ok(Config::default()), |path| load(&path))
    }
}

impl OutputOptions {
    /// Returns the defaults, with one format for standard output.
    pub(super) fn of(format: Format) -> Self {
        Self { format: vec![(format, Target::Stdout)], ..Self::default() }
    }

    fn outputs(&self) -> Result<Vec<(Format, Target)>, Refusal> {
        if self.format.is_empty() {
            return Ok(vec![(Format::Human, Target::Stdout)]);
        }
        let mut seen = Vec::new();
        for (_, target) in &self.format {
            if seen.contains(&target) {
                return Err(match target {
                    Target::Stdout => Refusal::new(
                        "two formats for standard output",
                        "give all but one a file: `--format sarif=foreshock.sarif`",
                    ),
                    Target::File(path) => Refusal::new(format!("two formats for `{}`", path.display()), ""),
                });
            }
            seen.push(target);
        }
        Ok(self.format.clone())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Anything,
    Directory,
}

fn exists(path: &Path, expected: Expected) -> Result<(), Refusal> {
    let reason = match path.metadata() {
        Ok(found) if expected == Expected::Directory && !found.is_dir() => "it is not a directory".to_owned(),
        Ok(_) => return Ok(()),
        Err(error) => match error.kind() {
            std::io::ErrorKind::NotFound if path.is_symlink() => "the link leads nowhere".to_owned(),
            std::io::ErrorKind::NotFound => "it does not exist".to_owned(),
            std::io::ErrorKind::PermissionDenied => "no permission".to_owned(),
            _ => error.to_string(),
        },
    };
    Err(Refusal::new(format!("cannot check `{}`: {reason}", path.display()), ""))
}

fn output(text: &str) -> Result<(Format, Target), String> {
    let (name, file) = match text.split_once('=') {
        Some((name, file)) => (name, Some(file)),
        None => (text, None),
    };
    let Some((_, format)) = FORMATS.iter().find(|(known, _)| *known == name) else {
        let known = FORMATS.map(|(known, _)| known);
        return Err(match nearest(name, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known formats: {}", known.join(", ")),
        });
    };
    match file {
        None | Some("-") => Ok((*format, Target::Stdout)),
        Some("") => Err("the file name is missing".to_owned()),
        Some(file) => Ok((*format, Target::File(PathBuf::from(file)))),
    }
}

pub(super) fn deployed_at(text: &str) -> Result<DeployedAt, String> {
    let (host, path) = text.split_once('=').ok_or("write it as DIR=PATH")?;
    if !host.starts_with('/') {
        return Err("DIR must be an absolute path on the host".to_owned());
    }
    if path.is_empty() {
        return Err("PATH is missing: write `.` for the current directory".to_owned());
    }
    Ok(DeployedAt { host: Path::new(host).components().collect(), path: PathBuf::from(path) })
}

/// Reads a severity.
pub(super) fn severity() -> impl clap::builder::TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(["advice", "warning", "error"]).map(|name| match name.as_str() {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Advice,
    })
}
