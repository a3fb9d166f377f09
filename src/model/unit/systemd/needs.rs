//! The paths that the settings of one unit need, and what is at each.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::environment::Variables;
use super::load::Unit;
use super::section;
use crate::facts::systemd::Setting;
use crate::knowledge::place::places;
use crate::knowledge::unit::{PathSetting, Reads, systemd};
use crate::model::resolve::FactsByFile;
use crate::model::unit::command::{Argument, Certainty, Found, Reference, Surroundings, follow};
use crate::model::unit::specifier::Specifiers;
use crate::model::unit::{Accounts, Binding, Command, Doubt, Evidence, Need, Role, State};
use crate::source::{Bytes, FileId};
use crate::syntax::Fragment;
use crate::syntax::directive::words;

/// One unit being read.
pub(super) struct Reading<'a> {
    unit: &'a Unit<'a>,
    section: &'static str,
    manager: &'static str,
    pub(super) evidence: &'a Evidence<'a>,
    specifiers: Specifiers<'a>,
    home: Option<PathBuf>,
    /// Set where `RootDirectory=` moves every path.
    base: Option<PathBuf>,
    /// What the manager makes before it starts a command.
    made: BTreeSet<PathBuf>,
    variables: Variables,
}

/// What the words of an Exec line say before the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Prefix {
    optional: bool,
    renamed: bool,
}

impl<'a> Reading<'a> {
    pub(super) fn of(
        unit: &'a Unit<'a>,
        manager: &'static str,
        manager_home: Option<&'a Path>,
        evidence: &'a Evidence<'a>,
        accounts: &Accounts,
        facts: Option<&FactsByFile>,
    ) -> Self {
        let specifiers = Specifiers { manager, name: &unit.name, home: manager_home, fragment: &unit.fragment.path };
        let section = section(&unit.name).unwrap_or("Service");
        let text = |key: &str| unit.last(section, key).map(|(_, setting)| setting.value.text.trim());
        let user = text("User").and_then(|user| specifiers.expand(user));
        let home = match (manager, user) {
            ("system", Some(user)) => accounts.home(&user).map(Path::to_path_buf),
            // Without `User=` the system manager sets no $HOME (systemd.exec(5)).
            ("system", None) => None,
            _ => manager_home.map(Path::to_path_buf),
        };
        let base = text("RootDirectory").and_then(|root| specifiers.expand(root)).map(PathBuf::from);
        let (made, variables) = (BTreeSet::new(), Variables::default());
        let mut reading = Self { unit, section, manager, evidence, specifiers, home, base, made, variables };
        reading.made = reading.made_by_the_manager();
        reading.variables = Variables::of(&reading, facts);
        reading
    }

    pub(super) fn expand(&self, text: &str) -> Option<String> {
        let text = self.specifiers.expand(text)?;
        (!places().has_placeholder(&text)).then_some(text)
    }

    fn made_by_the_manager(&self) -> BTreeSet<PathBuf> {
        let mut made = BTreeSet::new();
        for row in &systemd().made {
            let parent = match (self.manager, &row.user, &self.home) {
                ("system", _, _) => Some(PathBuf::from(&row.system)),
                (_, Some(path), Some(home)) => path.strip_prefix("~/").map(|rest| home.join(rest)),
                _ => None,
            };
            let Some(parent) = parent else { continue };
            for (_, setting) in self.unit.all(self.section, &row.key) {
                for word in setting.value.text.split_whitespace() {
                    // `dir:link` of v247 and later makes a link too.
                    for name in word.split(':') {
                        made.extend(self.expand(name).map(|name| parent.join(name)));
                    }
                }
            }
        }
        made
    }

    /// Returns every path that a start of the unit needs, and every program that it runs.
    pub(super) fn needs(&self) -> (Vec<Need>, Vec<Command>) {
        if section(&self.unit.name).is_none() || self.unit.last(self.section, "RootImage").is_some() {
            return (Vec::new(), Vec::new());
        }
        let mut needs = Vec::new();
        let mut commands = Vec::new();
        let mut around = Surroundings {
            directory: self.working_directory(),
            home: self.home_variable(),
            variables: self.variables.values.clone(),
            made: self.made.clone(),
        };
        // What the manager applies to every command comes first: no command of the unit can make it.
        for (file, setting) in &self.unit.settings {
            if setting.section != self.section {
                continue;
            }
            let Some(row) = systemd().setting(&setting.key) else { continue };
            if row.reads != Reads::Command {
                self.read_path(*file, setting, row, &mut needs);
            }
        }
        for key in
            ["ExecCondition", "ExecStartPre", "ExecStart", "ExecStartPost", "ExecReload", "ExecStop", "ExecStopPost"]
        {
            let Some(row) = systemd().setting(key) else { continue };
            for (file, setting) in self.unit.all(self.section, key) {
                commands.extend(self.read_command(file, setting, row, &mut around, &mut needs));
            }
        }
        needs.extend(self.socket_commands(&mut around));
        (needs, commands)
    }

    /// `$HOME` is set for units with `User=` and those of user managers (v257 src/core/exec-invoke.c).
    fn home_variable(&self) -> Option<PathBuf> {
        if let Some(home) = self.variables.values.get("HOME") {
            return Some(PathBuf::from(home)).filter(|home| home.is_absolute());
        }
        let is_set = self.manager != "system" || self.unit.last(self.section, "User").is_some();
        self.home.clone().filter(|_| is_set)
    }

    pub(super) fn last(&self, key: &str) -> Option<&Setting> {
        self.unit.last(self.section, key).map(|(_, setting)| setting)
    }

    pub(super) fn all(&self, key: &'static str) -> impl Iterator<Item = (FileId, &Setting)> {
        self.unit.all(self.section, key)
    }

    pub(super) fn environment(&self) -> Vec<Binding> {
        let mut bindings = Vec::new();
        for (file, setting) in self.unit.all(self.section, "Environment") {
            for word in words::systemd(&setting.value).0 {
                let Some((name, value)) = word.text.text.split_once('=') else { continue };
                bindings.push(Binding {
                    name: name.to_owned(),
                    value: self.expand(value),
                    place: file.span(word.text.file_bytes()).into(),
                });
            }
        }
        bindings
    }

    fn socket_commands(&self, around: &mut Surroundings) -> Vec<Need> {
        let mut needs = Vec::new();
        if self.section == "Socket" {
            for key in ["ExecStartPre", "ExecStartPost", "ExecStopPre", "ExecStopPost"] {
                let Some(row) = systemd().setting("ExecStart") else { continue };
                if systemd().setting(key).is_none() {
                    for (file, setting) in self.unit.all(self.section, key) {
                        drop(self.read_command(file, setting, row, around, &mut needs));
                    }
                }
            }
        }
        needs
    }

    /// The directory in which commands run: `/` for the system manager, the home for a user's.
    pub(super) fn working_directory(&self) -> Option<PathBuf> {
        let Some((_, setting)) = self.unit.last(self.section, "WorkingDirectory") else {
            return if self.manager == "system" { Some(PathBuf::from("/")) } else { self.home.clone() };
        };
        let text = setting.value.text.trim().trim_start_matches('-');
        if text == "~" {
            return self.home.clone();
        }
        self.expand(text).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    fn in_root(&self, path: &Path) -> PathBuf {
        match &self.base {
            Some(base) => base.join(path.strip_prefix("/").unwrap_or(path)),
            None => path.to_path_buf(),
        }
    }

    /// Destinations that are mounted for this unit alone: what is at them is not what is in the root.
    fn is_mounted_over(&self, path: &Path) -> bool {
        ["BindPaths", "BindReadOnlyPaths", "TemporaryFileSystem", "MountImages", "ExtensionImages"].iter().any(|key| {
            self.unit.all(self.section, key).any(|(_, setting)| {
                setting.value.text.split_whitespace().any(|word| {
                    let mut parts = word.trim_start_matches(['-', '+']).split(':');
                    let source = parts.next().unwrap_or_default();
                    let destination =
                        if *key == "TemporaryFileSystem" { source } else { parts.next().unwrap_or(source) };
                    !destination.is_empty() && path.starts_with(destination) && destination != "/"
                })
            })
        })
    }

    fn state(&self, path: &Path) -> State {
        if self.is_mounted_over(path) {
            return State::Unknown(Doubt::NotNeeded);
        }
        self.evidence.state(&self.in_root(path))
    }

    fn read_command(
        &self,
        file: FileId,
        setting: &Setting,
        row: &PathSetting,
        around: &mut Surroundings,
        needs: &mut Vec<Need>,
    ) -> Vec<Command> {
        let mut commands = Vec::new();
        let (words, _) = words::systemd(&setting.value);
        // A word that is `;` alone separates commands.
        for command in words.split(|word| word.text.text == ";") {
            let Some((first, rest)) = command.split_first() else { continue };
            let (prefix, program) = prefixes(&first.text);
            let mut argv = self.argument(&program, FirstWord::Yes, around);
            let rest = if prefix.renamed { rest.get(1..).unwrap_or_default() } else { rest };
            argv.extend(rest.iter().flat_map(|word| self.argument(&word.text, FirstWord::No, around)));
            let mut found = Found::default();
            if !program.text.contains('/') {
                needs.extend(self.bare_name(file, setting, row, &program).filter(|_| !prefix.optional));
            }
            follow(&argv, around, &mut found);
            let place = |bytes| file.span(bytes).into();
            commands.extend(found.programs.into_iter().map(|program| Command::of(program, &setting.key, &place)));
            if prefix.optional {
                continue;
            }
            for reference in found.references {
                let mut need = self.need(file, &setting.key, row, reference);
                if matches!(need.state, State::Missing { .. }) {
                    need.variables = self.variables.in_path(rest, &need.path);
                }
                needs.push(need);
            }
        }
        commands
    }

    /// Returns the arguments that a word becomes: `$NAME` alone splits into words, `${NAME}` stays one.
    fn argument(&self, word: &Fragment, first: FirstWord, around: &Surroundings) -> Vec<Argument> {
        let unknown = vec![Argument { text: word.clone(), certainty: Certainty::Variable }];
        let Some(expanded) = self.specifiers.expand(&word.text) else { return unknown };
        if first == FirstWord::No
            && let Some(name) = expanded.strip_prefix('$').filter(|name| is_variable_name(name))
        {
            let Some(value) = around.variable(name) else { return unknown };
            return value
                .split_whitespace()
                .map(|part| {
                    let mut text = Fragment::default();
                    text.push(part, word.file_bytes());
                    Argument { text, certainty: Certainty::Known }
                })
                .collect();
        }
        // What is not known stays as written: a shell may know it.
        let expanded = if first == FirstWord::No { braces(&expanded, around) } else { expanded };
        let text = if expanded == word.text {
            word.clone()
        } else {
            let mut text = Fragment::default();
            text.push(&expanded, word.file_bytes());
            text
        };
        let variable = first == FirstWord::No && expanded.contains('$') && !expanded.contains(char::is_whitespace);
        let certainty = if variable || places().has_placeholder(&expanded) && !expanded.contains(char::is_whitespace) {
            Certainty::Variable
        } else {
            Certainty::Known
        };
        vec![Argument { text, certainty }]
    }

    /// A program without a slash is looked for in a fixed list, never in `$PATH`.
    fn bare_name(&self, file: FileId, setting: &Setting, row: &PathSetting, program: &Fragment) -> Option<Need> {
        let name = self.expand(&program.text)?;
        if name.is_empty() || name.contains(['/', '$']) || !self.evidence.is_complete() {
            return None;
        }
        if self.unit.last(self.section, "ExecSearchPath").is_some() {
            return None;
        }
        let mut missing = None;
        for directory in &systemd().search.programs {
            match self.state(&Path::new(directory).join(&name)) {
                State::Missing { ancestor, .. } => missing = Some(State::Missing { ancestor, dangling: None }),
                State::There(_) | State::Unknown(_) => return None,
            }
        }
        let reference = Reference {
            paths: vec![PathBuf::from(&name)],
            role: Role::Program,
            bytes: program.file_bytes(),
            written: name,
        };
        Some(Need { state: missing?, ..self.need_without_state(file, &setting.key, row, reference) })
    }

    fn need(&self, file: FileId, key: &str, row: &PathSetting, reference: Reference) -> Need {
        let state = self.state_of_any(&reference.paths);
        Need { state, ..self.need_without_state(file, key, row, reference) }
    }

    fn state_of_any(&self, paths: &[PathBuf]) -> State {
        let mut first = None;
        for path in paths {
            match self.state(path) {
                State::Missing { ancestor, dangling } => {
                    first.get_or_insert(State::Missing { ancestor, dangling });
                }
                other => return other,
            }
        }
        first.unwrap_or(State::Unknown(Doubt::NotNeeded))
    }

    fn need_without_state(&self, file: FileId, key: &str, row: &PathSetting, reference: Reference) -> Need {
        let first = reference.paths.into_iter().next().unwrap_or_default();
        let path = if first.is_absolute() { self.in_root(&first) } else { first };
        // Behind an interpreter or a shell it is the program, not the manager, that finds nothing.
        let fails = match &reference.role {
            Role::Directory if row.reads == Reads::Command => "because the shell cannot enter it".to_owned(),
            role => role.fails_behind_a_program().unwrap_or_else(|| row.fails.clone()),
        };
        Need {
            path,
            written: reference.written,
            place: file.span(reference.bytes).into(),
            setting: key.to_owned(),
            role: reference.role,
            fails,
            state: State::Unknown(Doubt::NotNeeded),
            program_in_string: None,
            removal: None,
            unexplained: None,
            variables: Vec::new(),
            repository: None,
        }
    }

    fn read_path(&self, file: FileId, setting: &Setting, row: &PathSetting, needs: &mut Vec<Need>) {
        let mut push = |text: &Fragment, role: Role| {
            needs.extend(self.path_need(file, setting, row, text, role));
        };
        let value = trimmed(&setting.value);
        match row.reads {
            Reads::Directory => push(&value, Role::Directory),
            Reads::File => push(&value, Role::EnvironmentFile),
            Reads::Paths => words::systemd(&setting.value).0.iter().for_each(|word| push(&word.text, Role::File)),
            Reads::Binds => {
                for word in words::systemd(&setting.value).0 {
                    let end = word.text.text.find(':').unwrap_or(word.text.text.len());
                    push(&word.text.slice(Bytes::new(0, end)), Role::File);
                }
            }
            Reads::Output => {
                for kind in ["file:", "append:", "truncate:"] {
                    if value.text.starts_with(kind) {
                        let path = value.slice(Bytes::new(kind.len(), value.text.len()));
                        push(&path, Role::ParentOf(PathBuf::from(&path.text)));
                    }
                }
            }
            Reads::Input => {
                if value.text.starts_with("file:") {
                    push(&value.slice(Bytes::new(5, value.text.len())), Role::File);
                }
            }
            Reads::Credential => {
                if let Some((id, _)) = value.text.split_once(':') {
                    push(&value.slice(Bytes::new(id.len() + 1, value.text.len())), Role::File);
                }
            }
            Reads::Command => {}
        }
    }

    fn path_need(
        &self,
        file: FileId,
        setting: &Setting,
        row: &PathSetting,
        text: &Fragment,
        role: Role,
    ) -> Option<Need> {
        let written = text.text.as_str();
        if written.starts_with('-') {
            return None;
        }
        let plain = written.trim_start_matches('+');
        let expanded = self.expand(plain)?;
        if !expanded.starts_with('/') || expanded.contains(['*', '?', '[']) {
            return None;
        }
        let path = PathBuf::from(&expanded);
        let looked_at = match &role {
            Role::ParentOf(_) => path.parent()?.to_path_buf(),
            _ => path.clone(),
        };
        // Standard streams are opened before the unit's directories are made (v257 exec-invoke.c).
        let streams = matches!(row.reads, Reads::Output | Reads::Input);
        if !streams && self.made.iter().any(|made| looked_at.starts_with(made)) {
            return None;
        }
        let role = if let Role::ParentOf(_) = role { Role::ParentOf(path) } else { role };
        let inside = row.reads == Reads::Directory && setting.key == "WorkingDirectory" || written.starts_with('+');
        let shown = if inside { self.in_root(&looked_at) } else { looked_at };
        Some(Need {
            state: self.evidence.state(&shown),
            path: shown,
            written: written.to_owned(),
            place: file.span(text.file_bytes()).into(),
            setting: setting.key.clone(),
            role,
            fails: row.fails.clone(),
            program_in_string: None,
            removal: None,
            unexplained: None,
            variables: Vec::new(),
            repository: None,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstWord {
    Yes,
    No,
}

fn is_variable_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Puts known values for `${NAME}`; `$$` is one dollar sign.
fn braces(text: &str, around: &Surroundings) -> String {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        whole.push_str(before);
        let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        if let Some(escaped) = after.strip_prefix('$') {
            whole.push('$');
            rest = escaped;
        } else if let Some((name, behind)) = braced
            && let Some(value) = around.variable(name)
        {
            whole.push_str(&value);
            rest = behind;
        } else {
            whole.push('$');
            rest = after;
        }
    }
    whole.push_str(rest);
    whole
}

/// Splits `-@:+!` off the first word (v257 config_parse_exec: any order, no blank between).
fn prefixes(word: &Fragment) -> (Prefix, Fragment) {
    let mut prefix = Prefix::default();
    let mut length = 0;
    for letter in word.text.chars() {
        match letter {
            '-' => prefix.optional = true,
            '@' => prefix.renamed = true,
            ':' | '+' | '!' => {}
            _ => break,
        }
        length += letter.len_utf8();
    }
    (prefix, word.slice(Bytes::new(length, word.text.len())))
}

fn trimmed(value: &Fragment) -> Fragment {
    let text = value.text.as_str();
    let start = text.len() - text.trim_start().len();
    let end = start + text.trim().len();
    value.slice(Bytes::new(start, end))
}
