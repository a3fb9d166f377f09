//! What a manager executes and with which variables, as its definition says; follows no command and reads no file.

use std::path::{Path, PathBuf};

use super::specifier::Specifiers;
use crate::facts::launchd::JobFile;
use crate::facts::systemd::{Setting, UnitFile};
use crate::knowledge::place::places;
use crate::source::{Bytes, FileId, Span};
use crate::syntax::Fragment;
use crate::syntax::data::Lines;
use crate::syntax::directive::words;

/// A definition of a job, of a host or kept in a repository.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// `relay.service`, a launchd label.
    pub name: String,
    pub file: FileId,
    /// One for each program that is started.
    pub commands: Vec<Vec<LaunchWord>>,
    /// In the order in which they come into force.
    pub variables: Vec<LaunchVariable>,
    pub directory: Option<PathBuf>,
    /// `$HOME` of the job, if it is known.
    pub home: Option<PathBuf>,
    pub around: Around,
}

/// What a job gets beside the variables of its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// The manager adds nothing of its own.
    Nothing,
    /// The manager hands on what it was started with, which no file shows.
    Manager,
}

/// One word of a command, variables not yet filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchWord {
    pub file: FileId,
    pub written: Fragment,
    /// What the manager makes of it; `None`: not known.
    pub text: Option<String>,
    /// Whether the manager fills in `$X`.
    pub filling: Filling,
    pub lines: Lines,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// systemd: `${X}` and `$X`.
    Variables,
    /// launchd.
    Nothing,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LaunchVariable {
    Set { name: String, value: Option<String>, at: Span },
    File { path: Option<String>, optional: bool, at: Span },
    Unset(String),
}

/// Reads a unit's settings, in the order in which they apply.
pub(super) fn of_systemd(
    file: FileId,
    settings: &[(FileId, &Setting)],
    specifiers: &Specifiers<'_>,
    home: Option<&Path>,
) -> Launch {
    let expand = |text: &str| specifiers.expand(text).filter(|text| !places().has_placeholder(text));
    let all = |key: &'static str| {
        settings.iter().filter(move |(_, setting)| setting.section == "Service" && setting.key == key)
    };
    let mut launch = Launch {
        name: specifiers.name.to_owned(),
        file,
        commands: Vec::new(),
        variables: Vec::new(),
        directory: Some(PathBuf::from("/")),
        home: home.map(Path::to_path_buf),
        around: Around::Nothing,
    };
    for (file, setting) in all("ExecStart") {
        let (words, _) = words::systemd(&setting.value);
        launch.commands.extend(words.split(|word| word.text.text == ";").map(|words| exec(*file, words, &expand)));
    }
    for (file, setting) in all("PassEnvironment") {
        for word in words::systemd(&setting.value).0 {
            let at = file.span(word.text.file_bytes());
            launch.variables.push(LaunchVariable::Set { name: word.text.text, value: None, at });
        }
    }
    for (file, setting) in all("Environment") {
        for word in words::systemd(&setting.value).0 {
            let at = file.span(word.text.file_bytes());
            let Some((name, value)) = word.text.text.split_once('=') else { continue };
            launch.variables.push(LaunchVariable::Set { name: name.to_owned(), value: expand(value), at });
        }
    }
    for (file, setting) in all("EnvironmentFile") {
        let text = setting.value.text.trim();
        let optional = text.starts_with('-');
        let path = expand(text.trim_start_matches('-')).filter(|path| !path.contains(['*', '?', '[']));
        launch.variables.push(LaunchVariable::File { path, optional, at: file.span(setting.value.file_bytes()) });
    }
    for (_, setting) in all("UnsetEnvironment") {
        let names = setting.value.text.split_whitespace();
        launch.variables.extend(names.map(|name| LaunchVariable::Unset(name.to_owned())));
    }
    if let Some((_, setting)) = all("WorkingDirectory").next_back() {
        let text = setting.value.text.trim().trim_start_matches('-');
        launch.directory = if text == "~" { launch.home.clone() } else { expand(text).map(PathBuf::from) };
    }
    launch
}

fn exec(file: FileId, words: &[words::Word], expand: &dyn Fn(&str) -> Option<String>) -> Vec<LaunchWord> {
    let mut renamed = false;
    let mut argv = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let mut written = word.text.clone();
        if index == 0 {
            let prefix = written.text.len() - written.text.trim_start_matches(['-', '@', ':', '+', '!']).len();
            renamed = written.text.get(..prefix).is_some_and(|prefix| prefix.contains('@'));
            written = written.slice(Bytes::new(prefix, written.text.len()));
        } else if index == 1 && renamed {
            continue;
        }
        // A text for a shell may hold what looks like a placeholder.
        let text = expand(&written.text).or_else(|| written.text.contains(' ').then(|| written.text.clone()));
        argv.push(LaunchWord { file, written, text, filling: Filling::Variables, lines: Lines::Text });
    }
    argv
}

/// Reads the unit file of a repository.
pub fn of_unit_file(file: FileId, path: &Path, unit: &UnitFile) -> Launch {
    let mut settings: Vec<(FileId, &Setting)> = Vec::new();
    for setting in &unit.settings {
        if setting.value.text.trim().is_empty() {
            settings.retain(|(_, earlier)| earlier.section != setting.section || earlier.key != setting.key);
        } else {
            settings.push((file, setting));
        }
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    of_systemd(file, &settings, &Specifiers { manager: "system", name: &name, home: None, fragment: path }, None)
}

/// Reads a launchd job.
pub fn of_launchd(file: FileId, job: &JobFile, home: Option<PathBuf>) -> Launch {
    let word = |text: &crate::facts::launchd::Text| {
        let written = text.text.text.as_str();
        let placeholder = places().has_placeholder(written) && !written.contains(char::is_whitespace);
        LaunchWord {
            file,
            written: text.text.clone(),
            text: (!placeholder).then(|| written.to_owned()),
            filling: Filling::Nothing,
            lines: job.lines,
        }
    };
    let mut argv: Vec<LaunchWord> = job.arguments.iter().map(word).collect();
    if let Some(program) = &job.program {
        // Element 0 is only a name then.
        match argv.first_mut() {
            Some(name) => *name = word(program),
            None => argv.push(word(program)),
        }
    }
    let variables = job.environment.iter().map(|(name, value)| LaunchVariable::Set {
        name: name.clone(),
        value: Some(value.text.text.clone()),
        at: file.span(value.bytes),
    });
    Launch {
        name: job.label.as_ref().map(|label| label.text.text.clone()).unwrap_or_default(),
        file,
        commands: vec![argv],
        variables: variables.collect(),
        directory: job.working_directory.as_ref().map_or(Some(PathBuf::from("/")), |text| {
            let path = PathBuf::from(&text.text.text);
            path.is_absolute().then_some(path)
        }),
        home,
        around: Around::Nothing,
    }
}
