//! One file: bytes into a view into facts. The view is dropped here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::needle::Needles;
use super::{Reason, Task};
use crate::classify::{self, Kind, Standing};
use crate::facts::code::Interests;
use crate::facts::value::{Value, ValueKind};
use crate::facts::{Body, FileFacts, launchd, lockfile, script, start, systemd};
use crate::finding::{Problem, ProblemKind};
use crate::knowledge::process::processes;
use crate::knowledge::retry::{Library, Rows, Site, Use, regions};
use crate::model::Sought;
use crate::source::{Bytes, FileId, LineIndex, Sources};
use crate::syntax::{Comment, Trouble, TroubleKind, code, data, directive};

/// What begins every suppression; a file that holds one is parsed, so that an unused one can be told.
const SUPPRESSION: &str = "foreshock:";
/// Calls that send a request which changes something.
const SENDS: [&str; 2] = [".post(", ".patch("];
/// What a project calls the retry that a file of its own hands on.
const OWN_RETRIES: [&str; 4] = ["Retries(", "retries(", "Retry(", "retry("];
/// How rows write a module's default export.
const DEFAULT: &str = "default";
/// Lines longer than this on average are written by a machine.
const MEAN_LINE: usize = 300;

/// What the tables want to know of files.
pub struct Wanted {
    pub interests: Interests,
    /// By the name of the ecosystem whose libraries a file can use: fewer needles are found faster.
    needles: BTreeMap<&'static str, Needles>,
    /// Names of packages whose versions count.
    pub packages: BTreeSet<String>,
    /// A lockfile or manifest without any of them is not worth parsing.
    package_names: Needles,
    /// Paths (their last parts) of configuration files that are read by convention.
    pub conventions: BTreeSet<String>,
    /// Words that stand in a script which starts a process of some table.
    pub programs: Needles,
}

impl Wanted {
    /// Gathers the wishes of all tables.
    pub fn of_tables(rows: &Rows) -> Self {
        let mut wanted = Self {
            interests: Interests::default(),
            needles: BTreeMap::new(),
            programs: Needles::of(&[]),
            packages: BTreeSet::new(),
            package_names: Needles::of(&[]),
            conventions: BTreeSet::new(),
        };
        let mut groups: BTreeMap<&str, Vec<Vec<String>>> = BTreeMap::new();
        for ecosystem in LANGUAGES {
            groups.insert(ecosystem, vec![vec![SUPPRESSION.to_owned()]]);
        }
        for region in regions() {
            wanted.interests.calls.insert(region.call.clone());
            wanted.interests.calls.extend(region.ends.iter().cloned());
        }
        for library in rows.libraries() {
            wanted.add_library(library, groups.entry(library.ecosystem.name()).or_default());
        }
        wanted.needles = groups.into_iter().map(|(ecosystem, groups)| (ecosystem, Needles::of(&groups))).collect();
        let names: Vec<Vec<String>> = wanted.packages.iter().map(|name| vec![name.clone()]).collect();
        wanted.package_names = Needles::of(&names);
        let programs: Vec<Vec<String>> = processes().needles().map(|word| vec![word.to_owned()]).collect();
        wanted.programs = Needles::of(&programs);
        wanted
    }

    /// Says whether some table names the path; asks no more of the tables than that.
    pub fn is_named(rows: &Rows, path: &Path) -> bool {
        let mut names = rows.libraries().flat_map(|library| &library.files).flat_map(|file| &file.names);
        names.any(|name| path.ends_with(Path::new(name)))
    }

    /// Says whether a file of this kind holds the needles of some table; a kind without needles of its own may.
    fn meets(&self, kind: Kind, text: &[u8]) -> bool {
        let Kind::Code(language) = kind else { return true };
        self.needles.get(ecosystem(language)).is_none_or(|needles| needles.met(text))
    }

    fn add_library(&mut self, library: &Library, groups: &mut Vec<Vec<String>>) {
        let calls = &mut self.interests.calls;
        for site in &library.sites {
            groups.extend(needles(library, site));
            if site.export != DEFAULT {
                calls.extend(Some(site.export.clone()).filter(|name| !name.is_empty()));
            }
            for names in [&site.methods, &site.filtered_by, &site.excepted_by] {
                calls.extend(names.iter().cloned());
            }
        }
        if library.sites.iter().any(|site| site.used == Use::New) {
            calls.insert("super".to_owned());
        }
        if library.restarts {
            groups.push(vec!["rescue".to_owned(), "retry".to_owned()]);
        }
        if library.methods.is_some() {
            calls.extend(["post", "patch"].map(str::to_owned));
        }
        for victim in &library.victims {
            calls.insert(victim.call.clone());
            groups.push(vec![format!("{}(", victim.call)]);
        }
        if let Some(models) = &library.models {
            calls.insert(models.define.clone());
            calls.insert(models.init.clone());
        }
        for names in [&library.packages, &library.endless_beside] {
            self.packages.extend(names.iter().cloned());
        }
        for file in &library.files {
            self.packages.extend(file.evidence.iter().cloned());
            self.conventions.extend(file.names.iter().cloned());
        }
    }

    /// Says whether the path is one that a table names.
    pub fn is_conventional(&self, path: &Path) -> bool {
        // Bytes first: taking paths apart costs more than reading small files.
        let bytes = path.as_os_str().as_encoded_bytes();
        self.conventions.iter().any(|name| bytes.ends_with(name.as_bytes()) && path.ends_with(Path::new(name)))
    }
}

/// Returns what must stand in a file for a site of the library to stand there.
const LANGUAGES: [&str; 4] = ["npm", "rubygems", "pypi", "crates"];

/// Returns the ecosystem whose libraries a language uses.
fn ecosystem(language: code::Language) -> &'static str {
    match language {
        code::Language::JavaScript | code::Language::TypeScript | code::Language::Tsx => "npm",
        code::Language::Ruby => "rubygems",
        code::Language::Python => "pypi",
        code::Language::Rust => "crates",
    }
}

fn needles(library: &Library, site: &Site) -> Vec<Vec<String>> {
    let named = Some(site.export.as_str()).filter(|name| !name.is_empty() && *name != DEFAULT);
    match (site.used, named) {
        // `new Orm(`, where the import or the destructuring gave it another name.
        (Use::New, Some(name)) => ["(", " as ", ": "].map(|end| vec![format!("{name}{end}")]).into(),
        (Use::Bare, _) | (Use::Method, Some(_)) if library.imports.is_empty() => {
            site.methods.iter().map(|method| vec![method.clone()]).collect()
        }
        (Use::Instance, _) => vec![vec![library.option.clone(), format!("{}: {{", library.option)]],
        _ => {
            let option = Some(&library.option).filter(|option| !option.is_empty());
            let methods = if site.used == Use::Method { site.methods.first() } else { None };
            let more: Vec<String> = named
                .map(str::to_owned)
                .into_iter()
                .chain(option.cloned())
                .chain(methods.filter(|_| named.is_some()).cloned())
                .collect();
            // A file of the project is imported by whatever path leads to it: its name stands in all of them.
            let names = |import: &String| match import.strip_prefix("./").and_then(|path| path.rsplit('/').next()) {
                Some(file) => vec![file.to_owned()],
                None => library.spellings(import),
            };
            let group = |name: String| std::iter::once(name).chain(more.iter().cloned()).collect();
            library.imports.iter().flat_map(names).map(group).collect()
        }
    }
}

/// What became of a file's bytes.
pub(super) enum Parsed {
    Facts(Box<FileFacts>),
    /// Nothing in it concerns any table.
    NoNeedle,
    LeftOut(Standing),
}

/// Parses a file's bytes.
pub(super) fn parse(task: Task, bytes: &[u8], wanted: &Wanted) -> Parsed {
    if task.reason == Reason::Needles && !wanted.meets(task.kind, bytes) {
        return Parsed::NoNeedle;
    }
    if let Reason::Calls(sought) = task.reason {
        let calls = match sought {
            Sought::Requests => &SENDS[..],
            Sought::OwnRetries => &OWN_RETRIES[..],
        };
        if !calls.iter().any(|call| memchr::memmem::find(bytes, call.as_bytes()).is_some()) {
            return Parsed::NoNeedle;
        }
    }
    let kind = match task.kind {
        Kind::Other => classify::kind_by_bytes(bytes),
        known => known,
    };
    // What a script reads or starts is asked for by the model; otherwise only one that starts something matters.
    let unasked = task.reason == Reason::Convention && !wanted.programs.met(bytes);
    if task.kind == Kind::Other && kind != Kind::Shell || kind == Kind::Shell && unasked {
        return Parsed::NoNeedle;
    }
    if matches!(kind, Kind::Code(_)) && is_minified(bytes) {
        return Parsed::LeftOut(Standing::Generated);
    }
    let masked = (task.reason == Reason::Copy && task.kind == Kind::PropertyList).then(|| mask_erb(bytes));
    let bytes = masked.as_deref().unwrap_or(bytes);
    let mut comments = Vec::new();
    let mut troubles = Vec::new();
    let body = match kind {
        Kind::Code(language) => {
            let text = String::from_utf8_lossy(bytes);
            let parsed = code::parse(language, &text);
            let facts = crate::facts::code::collect(task.file, language, &parsed.tree, text.len(), &wanted.interests);
            comments = parsed.comments;
            troubles = parsed.troubles;
            Body::Code(facts)
        }
        Kind::Data(format) => {
            let parsed = data::parse(format, bytes);
            comments = parsed.comments;
            troubles = parsed.troubles;
            let root = parsed.tree.roots.first();
            Body::Config(root.map_or_else(
                || Value::new(task.file, Bytes::default(), ValueKind::Unknown),
                |root| Value::of_data(task.file, root),
            ))
        }
        Kind::SystemdUnit => {
            let parsed = directive::parse(directive::Format::Systemd, bytes);
            comments = parsed.comments;
            troubles = parsed.troubles;
            Body::Systemd(systemd::collect(&parsed.tree))
        }
        Kind::PropertyList => {
            let parsed = data::parse(data::Format::Plist, bytes);
            comments = parsed.comments;
            troubles = parsed.troubles;
            launchd::collect(&parsed.tree).map_or(Body::Nothing, Body::Launchd)
        }
        Kind::Directive(format) => {
            let parsed = directive::parse(format, bytes);
            // A script that is called `x.cron` is no crontab; a crontab may begin with `#!` all the same.
            if task.reason == Reason::Needles && bytes.starts_with(b"#!") && !parsed.troubles.is_empty() {
                return Parsed::NoNeedle;
            }
            comments = parsed.comments;
            troubles = parsed.troubles;
            Body::Table(parsed.tree)
        }
        Kind::Lockfile(kind) => {
            if !wanted.package_names.met(bytes) {
                return Parsed::NoNeedle;
            }
            let lockfile = lockfile::parse(kind, bytes, &|_, name| wanted.packages.contains(name));
            troubles.clone_from(&lockfile.troubles);
            Body::Lockfile(lockfile)
        }
        Kind::Manifest(kind) => {
            if !wanted.package_names.met(bytes) {
                return Parsed::NoNeedle;
            }
            let manifest = lockfile::manifest::parse(kind, bytes, &|_, name| wanted.packages.contains(name));
            troubles.clone_from(&manifest.troubles);
            Body::Manifest(manifest)
        }
        Kind::Shell => {
            let parsed = script::collect(bytes);
            comments = parsed.comments;
            troubles = parsed.troubles;
            Body::Script(parsed.tree)
        }
        Kind::Starts(format) => {
            let parsed = start::collect(format, bytes);
            comments = parsed.comments;
            troubles = parsed.troubles;
            Body::Starts(parsed.tree)
        }
        Kind::Other => Body::Nothing,
    };
    comments.retain(|comment: &Comment| comment.text.contains(SUPPRESSION));
    Parsed::Facts(Box::new(FileFacts { file: task.file, kind, standing: task.standing, body, comments, troubles }))
}

/// Returns the suppressing comments of a definition that is read for a comparison of revisions alone.
pub fn comments_of_definition(path: &Path, bytes: &[u8]) -> Vec<Comment> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let directives = |format| directive::parse(format, bytes).comments;
    let mut comments = match classify::kind(&path.with_file_name(classify::plain_name(&name))) {
        Kind::SystemdUnit => directives(directive::Format::Systemd),
        Kind::PropertyList => data::parse(data::Format::Plist, &mask_erb(bytes)).comments,
        _ if path.parent().is_some_and(|parent| parent.ends_with("cron.d")) => directives(directive::Format::Crontab),
        _ => directives(directive::Format::Ini),
    };
    comments.retain(|comment: &Comment| comment.text.contains(SUPPRESSION));
    comments
}

/// `<%= x %>` is no XML: the marks become those of another template language, of equal length.
fn mask_erb(bytes: &[u8]) -> Vec<u8> {
    let mut masked = bytes.to_vec();
    let mut inside = false;
    for at in 0..masked.len() {
        let pair = masked.get(at..at + 2).map(<[u8]>::to_vec);
        let replace: &[u8] = match pair.as_deref() {
            Some(b"<%") if !inside => {
                inside = true;
                b"{{"
            }
            Some(b"%>") if inside => {
                inside = false;
                b"}}"
            }
            Some([b'<' | b'>' | b'&', _]) if inside => b" ",
            _ => continue,
        };
        for (byte, new) in masked.iter_mut().skip(at).zip(replace) {
            *byte = *new;
        }
    }
    masked
}

fn is_minified(bytes: &[u8]) -> bool {
    let lines = memchr::memchr_iter(b'\n', bytes).count() + 1;
    bytes.len() > 20 * MEAN_LINE && bytes.len() / lines > MEAN_LINE
}

/// Returns the problem that a trouble is, with its position.
pub(super) fn problem(sources: &Sources, file: FileId, bytes: &[u8], lines: &LineIndex, trouble: &Trouble) -> Problem {
    let position = lines.position(bytes, trouble.at.start);
    let kind = match trouble.kind {
        TroubleKind::Syntax => ProblemKind::Syntax,
        TroubleKind::Unparsable => ProblemKind::Unparsable,
        TroubleKind::Limit => ProblemKind::Limit,
        TroubleKind::Encoding => ProblemKind::Encoding,
    };
    Problem {
        path: sources.shown(file),
        kind,
        line: Some(position.line),
        column: Some(position.column),
        message: trouble.message.clone(),
    }
}
