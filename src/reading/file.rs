//! One file: bytes into a view into facts. The view is dropped here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::needle::{Needles, Sets};
use super::{Reason, Task, waits, words};
use crate::classify::{self, Kind, Standing, StartFormat};
use crate::facts::code::{Interests, flow};
use crate::facts::value::{Value, ValueKind};
use crate::facts::{Body, FileFacts, document, kernel, launchd, lockfile, ruby_config, script, start, systemd};
use crate::finding::{Problem, ProblemKind};
use crate::knowledge::lock;
use crate::knowledge::pool::{active_record, programs, servers};
use crate::knowledge::process::processes;
use crate::knowledge::restart::restarts;
use crate::knowledge::retry::{Library, Rows, Use, project};
use crate::knowledge::timeout;
use crate::knowledge::wait::regions;
use crate::model::Sought;
use crate::model::package::ecosystem;
use crate::source::{Bytes, FileId, LineIndex, Sources};
use crate::syntax::{Comment, Trouble, TroubleKind, code, data, directive, readable};

/// What begins every suppression; a file that holds one is parsed, so that an unused one can be told.
const SUPPRESSION: &str = "foreshock:";
/// Lines longer than this on average are written by a machine.
const MEAN_LINE: usize = 300;

/// What the tables want to know of files.
pub struct Wanted {
    pub interests: Interests,
    /// By the name of the ecosystem whose libraries a file can use: fewer needles are found faster. The first set is
    /// the tables', [`sign`] tells the others.
    needles: BTreeMap<&'static str, Needles>,
    /// Words of the documents of settings that some table asks about.
    documents: Needles,
    /// The same, and what sets a value of the kernel.
    settings: Needles,
    /// What sets a value of the kernel.
    kernel: Needles,
    /// The same for files of directives.
    directives: Needles,
    /// Names of packages whose versions count.
    pub packages: BTreeSet<String>,
    /// A lockfile or manifest without any of them is not worth parsing.
    package_names: Needles,
    /// Paths (their last parts) of configuration files that are read by convention, and what they are where their name
    /// does not tell.
    conventions: BTreeMap<String, Option<Kind>>,
    /// Words of property lists that describe a job.
    jobs: Needles,
    /// What must stand in a file that the model seeks, where the names are known then only.
    sought: BTreeMap<Sought, Needles>,
    /// Words that stand in a script which starts or restarts a process of some table.
    pub programs: Needles,
    /// Words of the shell scripts that matter wherever they are.
    shells: Needles,
    /// Words that stand in a file which sets up an application.
    setup: Needles,
}

impl Wanted {
    /// Gathers the wishes of all tables.
    pub fn of_tables(rows: &Rows) -> Self {
        let mut wanted = Self {
            interests: Interests::default(),
            needles: BTreeMap::new(),
            documents: Needles::of(&words::document(rows)),
            settings: Needles::of(&[words::document(rows), words::kernel()].concat()),
            kernel: Needles::of(&words::kernel()),
            directives: Needles::of(&words::directive(rows)),
            programs: Needles::of(&[]),
            shells: Needles::of(&[words::kernel(), words::watchdog()].concat()),
            setup: Needles::of(&[]),
            jobs: Needles::of(&[words::launchd(), vec![vec![SUPPRESSION.to_owned()]]].concat()),
            packages: BTreeSet::new(),
            package_names: Needles::of(&[]),
            conventions: BTreeMap::new(),
            sought: BTreeMap::new(),
        };
        let mut groups: BTreeMap<&str, Vec<Vec<String>>> = BTreeMap::new();
        let mut slots = groups.clone();
        for ecosystem in LANGUAGES {
            groups.insert(ecosystem, vec![vec![SUPPRESSION.to_owned()]]);
            slots.insert(ecosystem, Vec::new());
        }
        // How Ruby mixes the constants of a module into a class.
        wanted.interests.calls.insert("include".to_owned());
        // A decorator that opens a region is a call of its own.
        wanted.interests.calls.extend(regions().iter().map(|region| region.call.clone()));
        wanted.interests.calls.extend(project().ending_calls.iter().cloned());
        for library in rows.libraries() {
            wanted.add_library(library, groups.entry(library.ecosystem.name()).or_default());
        }
        wanted.add_timeouts(&mut groups);
        waits::add(rows, &mut wanted.interests.flow, &mut slots);
        wanted.packages.extend(waits::packages(rows));
        wanted.add_locks(&mut groups);
        let requests: Vec<_> = project().changing_methods.iter().map(|method| vec![format!(".{method}(")]).collect();
        let own: Vec<_> = project().own_names.iter().map(|name| vec![format!("{name}(")]).collect();
        for (ecosystem, groups) in groups {
            let bases: Vec<_> = extending(ecosystem).map(|word| vec![word.to_owned()]).into_iter().collect();
            let slots = slots.remove(ecosystem).unwrap_or_default();
            wanted.needles.insert(ecosystem, Needles::of_sets(&[&groups, &requests, &own, &bases, &slots]));
        }
        wanted.add_pools();
        let names: Vec<Vec<String>> = wanted.packages.iter().map(|name| vec![name.clone()]).collect();
        wanted.package_names = Needles::of(&names);
        let programs = processes().needles().chain(restarts().needles());
        let programs: Vec<Vec<String>> = programs.map(|word| vec![word.to_owned()]).collect();
        wanted.programs = Needles::of(&programs);
        wanted
    }

    /// Says whether some table names the path; asks no more of the tables than that.
    pub fn is_named(rows: &Rows, path: &Path) -> bool {
        let mut names = rows.libraries().flat_map(|library| &library.files).flat_map(|file| &file.names);
        names.any(|name| path.ends_with(Path::new(name))) || Self::configures(path).is_some()
    }

    fn add_timeouts(&mut self, groups: &mut BTreeMap<&str, Vec<Vec<String>>>) {
        self.packages.insert(timeout::inner().request.package.clone());
        for option in timeout::options() {
            self.interests.calls.extend(option.calls.iter().cloned());
            groups.entry(option.ecosystem.name()).or_default().extend(option.needles());
        }
        // A timer that ends a program which is asked to stop.
        for runtime in timeout::runtimes() {
            groups.entry(runtime.ecosystem.name()).or_default().extend(runtime.needles());
            self.interests.calls.extend(runtime.calls().cloned());
        }
        for server in timeout::servers().iter().filter(|server| !server.written_in.is_empty()) {
            let npm = groups.entry("npm").or_default();
            npm.push(vec![format!(".{}", server.written_in)]);
            let listens = format!(".{}(", server.listens_with);
            let quoted = server.modules.iter().flat_map(|name| [format!("'{name}'"), format!("\"{name}\"")]);
            npm.extend(quoted.map(|name| vec![name, listens.clone()]));
            self.interests.calls.insert(server.listens_with.clone());
        }
    }

    fn add_locks(&mut self, groups: &mut BTreeMap<&str, Vec<Vec<String>>>) {
        let lists = &lock::lists();
        self.interests.calls.extend(lists.calls.iter().cloned());
        self.interests.words.extend(lists.words.iter().cloned());
        self.packages.extend(lists.packages.iter().cloned());
        for list in &lists.needles {
            groups.entry(list.ecosystem.name()).or_default().extend(list.groups.iter().cloned());
        }
    }

    fn add_pools(&mut self) {
        let (programs, records) = (programs(), active_record());
        self.packages.extend(programs.packages().map(str::to_owned));
        self.packages.extend(records.packages.iter().chain(&records.setup.packages).cloned());
        self.setup = Needles::of(&records.setup.words.iter().map(|word| vec![word.clone()]).collect::<Vec<_>>());
    }

    /// Returns what a file is whose name or place says that it configures a process, and why it is read.
    pub(super) fn configures(path: &Path) -> Option<(Kind, Reason)> {
        let bytes = path.as_os_str().as_encoded_bytes();
        if timeout::supervisors().iter().any(|row| row.is_configured_by(path)) {
            return Some((classify::kind(path), Reason::Convention));
        }
        if bytes.ends_with(b".py") {
            let server = timeout::servers().iter().any(|server| server.is_configured_by(path));
            return server.then_some((Kind::Code(code::Language::Python), Reason::Convention));
        }
        if bytes.ends_with(b".conf") || bytes.ends_with(b".cnf") || bytes.ends_with(b".ini") {
            let limits = servers().iter().any(|server| server.is_configured_by(path));
            return limits.then_some((Kind::Directive(directive::Format::Server), Reason::Convention));
        }
        memchr::memmem::find(bytes, b"config")?;
        let ruby = bytes.ends_with(b".rb");
        if !ruby && !bytes.ends_with(b".yml") && !bytes.ends_with(b".erb") {
            return None;
        }
        let (programs, records) = (programs(), active_record());
        let below = |directory: &str| path.parent().is_some_and(|parent| parent.ends_with(directory));
        if ruby {
            let own = path.ends_with(&programs.puma.file) || below(&programs.puma.directory);
            let setup = records.setup.directories.iter().any(|directory| below(directory))
                || records.setup.files.iter().any(|file| match file.split_once("/{stage}") {
                    Some((directory, _)) => below(directory),
                    None => path.ends_with(file),
                });
            let kind = Kind::Code(code::Language::Ruby);
            return match (own, setup) {
                (true, _) => Some((kind, Reason::Convention)),
                (false, true) => Some((kind, Reason::Setup)),
                _ => None,
            };
        }
        let mut files = programs.files().chain([records.file.as_str()]);
        files
            .any(|file| bytes.ends_with(file.as_bytes()) && path.ends_with(file))
            .then_some((Kind::Data(data::Format::ErbYaml), Reason::Convention))
    }

    /// Returns the sets of needles that a file of this kind holds; a kind without needles of its own holds the tables'.
    fn met(&self, kind: Kind, text: &[u8]) -> Sets {
        let needles = match kind {
            Kind::Code(language) => self.needles.get(ecosystem(language).name()),
            Kind::Data(_) => Some(&self.settings),
            Kind::Shell => Some(&self.shells),
            Kind::PropertyList => Some(&self.jobs),
            Kind::Directive(directive::Format::Nginx | directive::Format::Properties) => Some(&self.directives),
            _ => None,
        };
        needles.map_or(Sets::only(TABLES), |needles| needles.met_sets(text))
    }

    fn add_library(&mut self, library: &Library, groups: &mut Vec<Vec<String>>) {
        let calls = &mut self.interests.calls;
        for site in &library.sites {
            groups.extend(words::site(library, site));
            if site.export != words::DEFAULT {
                calls.extend(Some(site.export.clone()).filter(|name| !name.is_empty()));
            }
            for names in [&site.methods, &site.filtered_by, &site.excepted_by] {
                calls.extend(names.iter().cloned());
            }
        }
        if library.sites.iter().any(|site| site.used == Use::New) {
            calls.insert("super".to_owned());
        }
        if let Some(row) = &library.configure {
            calls.insert(row.method.clone());
            groups.push(vec![format!("{}.{}", row.export, row.reader)]);
            groups.push(vec![format!("{}.{}", row.export, row.method)]);
        }
        if let Some(row) = &library.beneath {
            groups.push(vec![row.setting.clone(), row.value.clone()]);
        }
        if let Some(row) = &library.decider {
            let spellings = library.imports.iter().flat_map(|import| library.spellings(import));
            groups.extend(spellings.map(|import| vec![import, row.implements.clone()]));
        }
        if library.restarts {
            groups.push(vec!["rescue".to_owned(), "retry".to_owned()]);
        }
        if library.methods.is_some() {
            calls.extend(project().changing_methods.iter().cloned());
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
            let kind = file.like.as_deref().map(|name| classify::kind(Path::new(name)));
            self.conventions.extend(file.names.iter().map(|name| (name.clone(), kind)));
        }
    }

    /// Returns what a file is whose path some table names.
    pub fn convention(&self, path: &Path) -> Option<Kind> {
        // Bytes first: taking paths apart costs more than reading small files.
        let bytes = path.as_os_str().as_encoded_bytes();
        let fits = |name: &String| bytes.ends_with(name.as_bytes()) && path.ends_with(Path::new(name));
        let (_, kind) = self.conventions.iter().find(|(name, _)| fits(name))?;
        Some(kind.unwrap_or_else(|| classify::kind(path)))
    }

    /// Seeks what defines or extends one of the names, from now on.
    pub fn seek(&mut self, what: Sought, names: &[String]) {
        let spellings = |name: &String| match what {
            Sought::Subclasses => vec![format!("extends {name}"), format!("({name})"), format!("({name},")],
            Sought::Kept => vec![name.clone()],
            _ => vec![format!("{name} "), format!("{name}=")],
        };
        let groups: Vec<Vec<String>> = names.iter().flat_map(spellings).map(|text| vec![text]).collect();
        self.sought.insert(what, Needles::of(&groups));
    }
}

const LANGUAGES: [&str; 5] = ["npm", "rubygems", "pypi", "crates", "nuget"];

/// The set of needles that make a file worth parsing by themselves.
const TABLES: usize = 0;
/// The set of those that ask about held slots, which what is run once does not fight for.
const SLOTS: usize = 4;

/// Returns the set of needles that a file must hold to answer, later, what the model seeks; nothing if any file may.
pub(super) fn sign(sought: Sought) -> Option<usize> {
    match sought {
        Sought::Requests => Some(1),
        Sought::OwnRetries => Some(2),
        Sought::Subclasses => Some(3),
        Sought::Constants | Sought::Kept => None,
    }
}

/// Returns what stands before the base of a class, where classes are sought by their base.
fn extending(ecosystem: &str) -> Option<&'static str> {
    match ecosystem {
        "npm" => Some("extends "),
        "pypi" => Some("class "),
        _ => None,
    }
}

/// What became of a file's bytes.
pub(super) enum Parsed {
    Facts(Box<FileFacts>),
    /// Nothing in it concerns any table.
    NoNeedle,
    /// The same, but it holds some of what the model may seek.
    Signs(Sets),
    LeftOut(Standing),
}

/// Parses a file's bytes.
pub(super) fn parse(task: Task, bytes: &[u8], wanted: &Wanted) -> Parsed {
    let sets_up = task.reason == Reason::Setup && wanted.setup.met(bytes);
    if matches!(task.reason, Reason::Needles | Reason::NeedlesOfOnce | Reason::Setup) && !sets_up {
        let met = wanted.met(task.kind, bytes);
        let slots = met.has(SLOTS) && task.reason != Reason::NeedlesOfOnce;
        if !met.has(TABLES) && !slots {
            return if met.is_empty() { Parsed::NoNeedle } else { Parsed::Signs(met) };
        }
    }
    if let Reason::Sought(sought) = task.reason
        && wanted.sought.get(&sought).is_some_and(|needles| !needles.met(bytes))
    {
        return Parsed::NoNeedle;
    }
    let kind = match task.kind {
        Kind::Other => classify::kind_by_bytes(bytes),
        known => known,
    };
    // What a script reads or starts is asked for by the model; otherwise only one that starts something matters.
    let may_set = !matches!(kind, Kind::Code(_) | Kind::Lockfile(_) | Kind::Manifest(_));
    let sets_values = may_set && wanted.kernel.met(bytes);
    let unasked =
        task.reason == Reason::Convention && !sets_values && !wanted.shells.met(bytes) && !wanted.programs.met(bytes);
    let names_values = task.reason == Reason::Sought(Sought::Kept);
    if !names_values && (task.kind == Kind::Other && kind != Kind::Shell || kind == Kind::Shell && unasked) {
        return Parsed::NoNeedle;
    }
    if matches!(kind, Kind::Code(_)) && is_minified(bytes) {
        return Parsed::LeftOut(Standing::Generated);
    }
    let masked = (task.reason == Reason::Copy && task.kind == Kind::PropertyList).then(|| mask_erb(bytes));
    let bytes = masked.as_deref().unwrap_or(bytes);
    let mut comments = Vec::new();
    let mut troubles = Vec::new();
    let mut program = None;
    let mut documents = Vec::new();
    let body = match kind {
        Kind::Code(language) => {
            let text = readable(bytes);
            let parsed = code::parse(language, &text);
            let configures = sets_up || matches!(task.reason, Reason::Convention | Reason::Asked);
            if language == code::Language::Ruby && configures {
                program = Some(ruby_config::program(task.file, &parsed.tree));
            }
            let mut facts =
                crate::facts::code::collect(task.file, language, &parsed.tree, text.len(), &wanted.interests);
            let flow = flow::collect(task.file, &parsed.tree, &text, &facts, &wanted.interests.flow);
            facts.flow = Some(Box::new(flow));
            comments = parsed.comments;
            troubles = parsed.troubles;
            Body::Code(facts)
        }
        Kind::Data(data::Format::ErbYaml) => {
            let template = ruby_config::Template::of(task.file, &readable(bytes));
            comments.clone_from(&template.comments);
            troubles.clone_from(&template.troubles);
            Body::Template(template)
        }
        Kind::Data(format) => {
            let parsed = data::parse(format, bytes);
            comments = parsed.comments;
            troubles = parsed.troubles;
            if wanted.documents.met(bytes) {
                documents = document::of_data(task.file, &parsed.tree);
            }
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
            if format == directive::Format::Properties {
                documents.push(document::of_properties(task.file, &parsed.tree));
            }
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
        Kind::Starts(StartFormat::Kubernetes) => {
            let parsed = data::parse(data::Format::Yaml, bytes);
            if wanted.documents.met(bytes) {
                documents = document::of_data(task.file, &parsed.tree);
            }
            comments = parsed.comments;
            troubles = parsed.troubles;
            Body::Starts(start::of_document(StartFormat::Kubernetes, &parsed.tree))
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
    let kernel = (sets_values || names_values).then(|| kernel::collect(kind, bytes));
    Parsed::Facts(Box::new(FileFacts {
        file: task.file,
        kind,
        standing: task.standing,
        body,
        program,
        documents,
        kernel,
        comments,
        troubles,
    }))
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
