//! What declares that programs are started, in files that are neither code nor shell: Procfiles, compose services,
//! images, workloads, tasks, platform manifests. Interpolates nothing and looks into no other file.

mod compose;
mod image;
mod manifest;
mod probe;
mod task;
pub(super) mod tree;

pub use crate::classify::StartFormat as Format;
use crate::source::Bytes;
use crate::syntax::{Fragment, data, directive};
pub use probe::{Asks, Port, Probe, Role};

/// Everything that one such file declares.
#[derive(Clone, Debug, PartialEq)]
pub struct StartFile {
    pub format: Format,
    pub starts: Vec<Start>,
    /// Of an `app.json`: its keys, which say whose it is.
    pub keys: Vec<String>,
}

/// A named thing that is started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// Procfile key, compose service, workload, process group; empty for an image.
    pub name: String,
    pub entrypoint: Option<Line>,
    pub command: Option<Line>,
    /// Files that are read into the environment, before `settings`.
    pub files: Vec<EnvironmentFile>,
    /// A later one wins.
    pub settings: Vec<Setting>,
    /// Names a source of variables that is not a file: a secret, a group.
    pub hidden: bool,
    /// The Dockerfile of the image, relative to the file that declares the start.
    pub image: Option<String>,
    /// How many of it are started, where the file says so.
    pub copies: Option<u32>,
    /// Where it runs, as written.
    pub directory: Option<String>,
    /// How long it has between the request to stop and the kill, as written.
    pub stop: Option<Fragment>,
    /// The signal that asks it to stop, as written.
    pub signal: Option<String>,
    /// Seconds of that time that are slept before it is asked to stop, as written.
    pub pause: Option<Fragment>,
    /// What asks it whether it is well.
    pub probes: Vec<Probe>,
    pub ports: Vec<Port>,
    /// A directory of the repository is mounted into it: it runs what a developer edits.
    pub mounted: bool,
    /// The image that it is pulled as.
    pub pulled: Option<String>,
    /// What is written on it for others to act upon, where something asks whether it is well.
    pub labels: Vec<(String, String)>,
}

/// How a command line is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// Words, taken as they are.
    Words(Vec<Fragment>),
    /// A text for `sh -c`.
    Shell(Fragment),
    /// Split into words at blanks and quotes, without a shell.
    Plain(Fragment),
}

#[derive(Clone, Debug, PartialEq)]
pub struct EnvironmentFile {
    pub path: Fragment,
    pub required: bool,
}

/// One variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    pub name: String,
    /// `None`: taken from somewhere that the file does not show.
    pub value: Option<String>,
    pub bytes: Bytes,
}

/// Collects the starts of a file.
pub fn collect(format: Format, bytes: &[u8]) -> crate::syntax::Parsed<StartFile> {
    let of_data = |as_format: data::Format| {
        let parsed = data::parse(as_format, bytes);
        crate::syntax::Parsed {
            tree: of_document(format, &parsed.tree),
            comments: parsed.comments,
            troubles: parsed.troubles,
        }
    };
    let of_lines = |as_format: directive::Format, read: &dyn Fn(&directive::File) -> Vec<Start>| {
        let parsed = directive::parse(as_format, bytes);
        let starts = read(&parsed.tree);
        crate::syntax::Parsed {
            tree: StartFile { format, starts, keys: Vec::new() },
            comments: parsed.comments,
            troubles: parsed.troubles,
        }
    };
    match format {
        Format::Procfile => of_lines(directive::Format::Procfile, &procfile),
        Format::Image => of_lines(directive::Format::Dockerfile, &image::starts),
        Format::Compose | Format::Kubernetes | Format::Render => of_data(data::Format::Yaml),
        Format::App | Format::Ecs => of_data(data::Format::Json),
        Format::Fly => of_data(data::Format::Toml),
    }
}

/// Returns the starts of a document; none for a format that is lines.
pub fn of_document(format: Format, document: &data::Document) -> StartFile {
    let starts = match format {
        Format::Compose => compose::starts(document),
        Format::Kubernetes => manifest::kubernetes(document),
        Format::Fly => manifest::fly(document),
        Format::Render => manifest::render(document),
        Format::App => manifest::app(document),
        Format::Ecs => task::starts(document),
        Format::Procfile | Format::Image => Vec::new(),
    };
    let keys = if format == Format::App { manifest::keys(document) } else { Vec::new() };
    StartFile { format, starts, keys }
}

/// Returns the starts of a Procfile's lines.
pub fn procfile(file: &directive::File) -> Vec<Start> {
    file.iter()
        .filter_map(|line| {
            let command = line.value.clone()?;
            Some(Start { name: line.key.text.clone(), command: Some(Line::Shell(command)), ..Start::default() })
        })
        .collect()
}

impl Default for StartFile {
    fn default() -> Self {
        Self { format: Format::Procfile, starts: Vec::new(), keys: Vec::new() }
    }
}
