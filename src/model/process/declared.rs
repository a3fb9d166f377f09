//! Starts that files of a repository declare: Procfiles, compose services, images, workloads, platforms.

use std::path::{Path, PathBuf};

use super::command::{Behind, plainly};
use super::expand::{filled, interpolate, plain};
use super::ground::{Ground, Library, Seen, normal};
use super::shell::{Flow, Follower};
use super::state::{State, Value};
use super::{Closure, Origin, Start, Word};
use crate::classify::Kind;
use crate::facts::start::{Format, Line, Setting, Start as Declared, StartFile};
use crate::facts::{Body, FileFacts};
use crate::source::{FileId, RootId};
use crate::syntax::directive;
use crate::syntax::{Fragment, shell};

/// The manifest of an application whose processes stand in a Procfile.
const APPLICATION: &str = "app.json";
/// Lines of an environment file at most.
const LINES: usize = 2_000;

/// Follows every start that a file declares.
pub(super) fn follow(library: &Library<'_>, facts: &FileFacts, file: &StartFile, starts: &mut Vec<Start>) {
    let Some(root) = library.root_of(facts.file) else { return };
    let path = library.entry_path(facts.file);
    for (entry, declared) in file.starts.iter().enumerate() {
        let own = path.parent().unwrap_or(Path::new(""));
        let image = declared.image.as_ref().and_then(|image| image_of(library, root, &normal(&own.join(image))));
        let application = match (&image, file.format, &declared.directory) {
            (Some((_, image_path)), ..) => library.application_of(root, image_path),
            (None, Format::Render, Some(directory)) => normal(&own.join(directory)),
            _ => library.application_of(root, path),
        };
        let ground = Ground::Repository { root, application: &application, host: None };
        let mut found = Vec::new();
        let mut follower = Follower::new(library, ground, &mut found);
        let mut start = Starting { follower: &mut follower, format: file.format, file: facts.file, own };
        start.follow(declared, image.as_ref().map(|(image, _)| *image));
        let name = if declared.name.is_empty() {
            library.entry_path(facts.file).display().to_string()
        } else {
            declared.name.clone()
        };
        let origin = if file.format == Format::Image { Origin::Image } else { Origin::Declared };
        starts.push(Start {
            name,
            origin,
            root,
            application: application.clone(),
            copies: declared.copies,
            file: facts.file,
            entry: Some(entry),
            found,
        });
    }
}

/// Returns the start of a Dockerfile, with its file.
fn image_of<'a>(library: &Library<'a>, root: RootId, path: &Path) -> Option<((FileId, &'a Declared), PathBuf)> {
    let file = library.sources.id(root, path)?;
    match &library.facts.get(&file)?.body {
        Body::Starts(image) => Some(((file, image.starts.first()?), path.to_path_buf())),
        _ => None,
    }
}

struct Starting<'s, 'r, 'a> {
    follower: &'s mut Follower<'r, 'a>,
    format: Format,
    file: FileId,
    /// The directory of the file that declares the start.
    own: &'s Path,
}

impl Starting<'_, '_, '_> {
    fn follow(&mut self, declared: &Declared, image: Option<(FileId, &Declared)>) {
        let closure = match self.format {
            _ if declared.hidden => Closure::Open,
            Format::Compose | Format::Kubernetes | Format::Ecs => Closure::Closed,
            Format::Procfile | Format::Image | Format::Fly | Format::Render | Format::App => Closure::Unstated,
        };
        let mut state = State::new(closure);
        state.directory = Some(PathBuf::new());
        if let Some((file, image)) = image {
            settings(file, &image.settings, Filled::AsWritten, &mut state);
        }
        if self.format == Format::Procfile {
            self.application(&mut state);
        }
        for file in &declared.files {
            self.environment_file(&file.path, file.required, &mut state);
        }
        let filled = if self.format == Format::Compose { Filled::ByCompose } else { Filled::AsWritten };
        settings(self.file, &declared.settings, filled, &mut state);
        self.lines(declared, image, &mut state);
    }

    /// Binds what `app.json` beside a Procfile says.
    fn application(&self, state: &mut State) {
        let Ground::Repository { root, .. } = self.follower.ground else { return };
        let Some(file) = self.follower.library.sources.id(root, &self.own.join(APPLICATION)) else { return };
        let Some(Body::Starts(beside)) = self.follower.library.facts.get(&file).map(|facts| &facts.body) else {
            return;
        };
        for start in beside.starts.iter().filter(|_| beside.format == Format::App) {
            settings(file, &start.settings, Filled::AsWritten, state);
        }
    }

    /// What is missing may be beside the deployed file.
    fn environment_file(&mut self, path: &Fragment, required: bool, state: &mut State) {
        let Ground::Repository { root, .. } = self.follower.ground else { return };
        let inside = normal(&self.own.join(&path.text));
        let ground = Ground::Repository { root, application: Path::new(""), host: None };
        let kind = Kind::Directive(directive::Format::Dotenv);
        let seen = self.follower.library.look(ground, &inside, &State::new(Closure::Closed), kind);
        match seen {
            Seen::Read(facts) => read_environment(self.follower.library, facts, state),
            Seen::Absent if !required => {}
            _ => state.worsen(Closure::Open),
        }
    }

    /// Runs entrypoint and command together, as an image does: a new entrypoint takes the image's command away.
    fn lines(&mut self, declared: &Declared, image: Option<(FileId, &Declared)>, state: &mut State) {
        let of_image =
            |line: fn(&Declared) -> &Option<Line>| image.and_then(|(file, image)| Some((file, line(image).as_ref()?)));
        let entrypoint = match &declared.entrypoint {
            Some(line) => Some((self.file, line)),
            None => of_image(|image| &image.entrypoint),
        };
        let command = match (&declared.command, &declared.entrypoint) {
            (Some(line), _) => Some((self.file, line)),
            (None, Some(_)) => None,
            (None, None) => of_image(|image| &image.command),
        };
        match (entrypoint, command) {
            (None, Some((file, Line::Shell(text)))) | (Some((file, Line::Shell(text))), _) => {
                self.shell(file, text, state);
            }
            (None, Some((file, line))) => {
                let (words, texts) = self.words(file, line);
                self.follower.program(file, &words, texts, state);
            }
            (Some((file, line)), command) => {
                let (mut words, mut texts) = self.words(file, line);
                let known = self.leads_on(&words, state);
                let (own, own_texts) = match command {
                    Some((file, line)) => self.words(file, line),
                    None => (Vec::new(), Vec::new()),
                };
                if known || own.is_empty() {
                    words.extend(own);
                    texts.extend(own_texts);
                    self.follower.program(file, &words, texts, state);
                } else {
                    // An entrypoint that is not in the repository: it hands the command on, with what it likes.
                    state.worsen(Closure::Open);
                    self.follower.program(file, &own, own_texts, state);
                }
            }
            (None, None) => {}
        }
    }

    /// Says whether the entrypoint is a program that is known to start another one, or a script that was read.
    fn leads_on(&self, words: &[Word], state: &State) -> bool {
        let Some(program) = words.first().and_then(|word| word.text.as_deref()) else { return false };
        let name = program.rsplit('/').next().unwrap_or(program);
        let table = crate::knowledge::process::processes();
        let shells = crate::knowledge::command::commands();
        if shells.wrapper(name).is_some() || shells.shell(name).is_some() || table.launcher(name).is_some() {
            return true;
        }
        let arguments = words.iter().skip(1).map(|word| word.text.as_deref());
        if table.kind(program, arguments).is_some() {
            return true;
        }
        let seen = self.follower.library.look(self.follower.ground, Path::new(program), state, Kind::Other);
        matches!(seen, Seen::Read(FileFacts { body: Body::Script(_), .. }))
    }

    fn shell(&mut self, file: FileId, text: &Fragment, state: &mut State) {
        let parsed = shell::parse(text);
        self.follower.deeper(state, |follower, state| {
            follower.list(file, &parsed.tree, state);
            Flow::Goes
        });
    }

    /// Compose fills variables of its own surroundings into the command, not those of the service.
    fn words(&self, file: FileId, line: &Line) -> (Vec<Word>, Vec<Behind>) {
        let around = State::new(Closure::Unstated);
        match line {
            Line::Words(texts) => {
                let compose = file == self.file && self.format == Format::Compose;
                let word = |text: &Fragment| {
                    if compose {
                        filled(text, &around, file)
                    } else {
                        Word {
                            text: Some(text.text.clone()),
                            fallback_of: None,
                            place: file.span(text.file_bytes()).into(),
                        }
                    }
                };
                (texts.iter().map(word).collect(), texts.iter().map(plainly).collect())
            }
            Line::Plain(text) | Line::Shell(text) => {
                let words = plain(text, &around, file);
                let behind = vec![Behind::default(); words.len()];
                (words, behind)
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Filled {
    ByCompose,
    AsWritten,
}

fn settings(file: FileId, settings: &[Setting], filled: Filled, state: &mut State) {
    let around = State::new(Closure::Unstated);
    for setting in settings {
        let value = match (&setting.value, filled) {
            (None, _) => Value::default(),
            (Some(text), Filled::ByCompose) => interpolate(text, &around),
            (Some(text), Filled::AsWritten) => Value::known(text.clone()),
        };
        state.hand(&setting.name, value, file.span(setting.bytes));
    }
}

/// Binds what an environment file says; one with more lines than anybody writes leaves the environment open.
pub(super) fn read_environment(library: &Library<'_>, facts: &FileFacts, state: &mut State) {
    state.look_at(library.sources.shown(facts.file));
    match &facts.body {
        Body::Table(lines) if lines.len() <= LINES => {
            for line in lines {
                let at = facts
                    .file
                    .span(line.key.bytes.to(line.value.as_ref().map_or(line.key.bytes, Fragment::file_bytes)));
                let value = line.value.as_ref().map_or_else(Value::default, |value| Value::known(value.text.clone()));
                state.hand(&line.key.text, value, at);
            }
        }
        Body::Script(script) => {
            for item in &script.list {
                let shell::Node::Command(command) = &item.node else { continue };
                for assignment in &command.assignments {
                    let value = Value { text: assignment.value.as_text(), fallback: None };
                    state.hand(&assignment.name, value, facts.file.span(assignment.bytes));
                }
            }
        }
        _ => state.worsen(Closure::Open),
    }
}
