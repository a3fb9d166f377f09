//! Shell lists, followed in order: what they assign, export, source and start. A branch is followed on a copy, and
//! what its ways leave different is unknown afterwards. Nothing is executed.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::expand::{fields, value};
use super::ground::{Ground, Library, Seen, normal};
use super::state::{Export, Function, Known, State, Value};
use super::{Closure, Found, Word};
use crate::classify::Kind;
use crate::facts::Body;
use crate::knowledge::process::processes;
use crate::source::FileId;
use crate::syntax::shell::{Command, Item, Joined, Node, Part, Word as Written};

/// Lists inside lists, scripts inside scripts, functions inside functions.
const DEPTH: usize = 24;
/// Commands that are followed for one start; a script that calls itself over and over ends there.
const STEPS: usize = 20_000;

/// Follows one start.
pub(super) struct Follower<'r, 'a> {
    pub library: &'r Library<'a>,
    pub ground: Ground<'r>,
    pub found: &'r mut Vec<Found>,
    /// The script that is followed, or nothing in the words of the start itself.
    pub script: Option<FileId>,
    pub depth: usize,
    pub steps: usize,
}

/// Whether the commands after this point still run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Goes,
    Ended,
}

impl<'r, 'a> Follower<'r, 'a> {
    pub(super) fn new(library: &'r Library<'a>, ground: Ground<'r>, found: &'r mut Vec<Found>) -> Self {
        Self { library, ground, found, script: None, depth: DEPTH, steps: STEPS }
    }

    /// Runs `inside` one level deeper; too deep, nothing is known of what it would have done.
    pub(super) fn deeper(&mut self, state: &mut State, inside: impl FnOnce(&mut Self, &mut State) -> Flow) -> Flow {
        if self.depth == 0 {
            state.worsen(Closure::Open);
            return Flow::Goes;
        }
        self.depth -= 1;
        let flow = inside(self, state);
        self.depth += 1;
        flow
    }

    /// Follows a script to its end, and then the functions that it defines and never calls by name.
    pub(super) fn script(&mut self, file: FileId, list: &[Item], state: &mut State) {
        let before = self.script.replace(file);
        self.list(file, list, state);
        let called = self.found.len();
        for function in state.functions() {
            let already = |found: &Found| {
                let inside = function.body.iter().map(|item| item.bytes);
                found.place.file() == function.file
                    && found.place.bytes().is_some_and(|bytes| inside.into_iter().any(|body| body.contains(bytes)))
            };
            if !self.found.iter().take(called).any(already) {
                let mut copy = state.clone();
                self.deeper(&mut copy, |follower, state| follower.list(function.file, &function.body, state));
            }
        }
        self.script = before;
    }

    pub(super) fn list(&mut self, file: FileId, items: &[Item], state: &mut State) -> Flow {
        // The ways that left the chain of `&&` and `||` that is being followed.
        let mut left: Vec<State> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            self.steps = self.steps.saturating_sub(1);
            if self.steps == 0 {
                state.worsen(Closure::Open);
                return Flow::Goes;
            }
            let next = items.get(index + 1).map(|next| next.joined);
            match item.joined {
                Joined::And | Joined::Or if !succeeds_always(items.get(index.wrapping_sub(1)), item.joined) => {
                    left.push(state.clone());
                }
                Joined::And | Joined::Or => {}
                _ => rejoin(state, &mut left),
            }
            if item.tainted {
                state.worsen(Closure::Open);
                continue;
            }
            let own =
                next == Some(Joined::AfterBackground) || next == Some(Joined::Pipe) || item.joined == Joined::Pipe;
            let flow = if own {
                self.item(file, item, &mut state.clone());
                Flow::Goes
            } else {
                self.item(file, item, state)
            };
            if flow == Flow::Ended {
                // `cmd || exit 1` and `a && exec b`: the other way goes on.
                match State::join(std::mem::take(&mut left)) {
                    Some(rest) => *state = rest,
                    None => return Flow::Ended,
                }
            }
        }
        rejoin(state, &mut left);
        Flow::Goes
    }

    fn item(&mut self, file: FileId, item: &Item, state: &mut State) -> Flow {
        match &item.node {
            Node::Command(command) => self.command(file, command, state),
            Node::Not(inner) => self.item(file, inner, state),
            Node::Group { list, subshell: true } => {
                self.deeper(&mut state.clone(), |follower, state| follower.list(file, list, state));
                Flow::Goes
            }
            Node::Group { list, subshell: false } => {
                self.deeper(state, |follower, state| follower.list(file, list, state))
            }
            Node::If { arms, otherwise } => {
                let mut ways = Vec::new();
                for arm in arms {
                    self.deeper(state, |follower, state| follower.list(file, &arm.test, state));
                    let mut way = state.clone();
                    if self.deeper(&mut way, |follower, way| follower.list(file, &arm.body, way)) == Flow::Goes {
                        ways.push(way);
                    }
                }
                let mut way = state.clone();
                let rest = otherwise.as_deref().unwrap_or_default();
                if self.deeper(&mut way, |follower, way| follower.list(file, rest, way)) == Flow::Goes {
                    ways.push(way);
                }
                one_of(state, ways)
            }
            Node::Loop { list, body, .. } => {
                let mut way = state.clone();
                self.deeper(&mut way, |follower, way| {
                    follower.list(file, list, way);
                    follower.list(file, body, way)
                });
                one_of(state, vec![state.clone(), way])
            }
            Node::Case { arms, .. } => {
                let mut ways = vec![state.clone()];
                for arm in arms {
                    let mut way = state.clone();
                    if self.deeper(&mut way, |follower, way| follower.list(file, arm, way)) == Flow::Goes {
                        ways.push(way);
                    }
                }
                one_of(state, ways)
            }
            Node::Function { name, body } => {
                state.define(name, Function { file, body: body.clone() });
                Flow::Goes
            }
            Node::Arithmetic(_) | Node::Other => {
                state.worsen(Closure::Open);
                Flow::Goes
            }
        }
    }

    fn command(&mut self, file: FileId, command: &Command, state: &mut State) -> Flow {
        assign_fallbacks(file, command, state);
        if command.words.is_empty() {
            for assignment in &command.assignments {
                let value = if assignment.append { Value::default() } else { value(&assignment.value, state) };
                state.assign(&assignment.name, value, file.span(assignment.bytes));
            }
            return Flow::Goes;
        }
        let name = command.words.first().and_then(Written::as_text).unwrap_or_default();
        match name.as_str() {
            "export" | "declare" | "typeset" | "readonly" | "local" => declare(file, &name, command, state),
            "unset" => {
                let names = command.words.iter().skip(1).filter_map(Written::as_text);
                names.filter(|name| !name.starts_with('-')).for_each(|name| state.unset(&name));
            }
            "read" | "mapfile" | "readarray" | "getopts" | "let" => {
                for name in command.words.iter().skip(1).filter_map(Written::as_text) {
                    let name = name.split('=').next().unwrap_or_default();
                    if !name.starts_with('-') {
                        state.assign(name, Value::default(), file.span(command_bytes(command)));
                    }
                }
            }
            "set" => set(file, command, state),
            "shift" => {
                if let Some(arguments) = &mut state.arguments
                    && !arguments.is_empty()
                {
                    Rc::make_mut(arguments).remove(0);
                }
            }
            "cd" | "pushd" => state.directory = self.directory(command, state),
            "." | "source" => self.source(command, state),
            "eval" => evaluate(command, state),
            "exit" | "return" => return Flow::Ended,
            _ => return self.start(file, command, state),
        }
        Flow::Goes
    }

    fn directory(&self, command: &Command, state: &State) -> Option<PathBuf> {
        let target = command.words.get(1).map(|word| value(word, state).text);
        let target = match target {
            None => state.home.clone()?,
            Some(text) => PathBuf::from(text?),
        };
        match self.ground {
            // Where a deployed application lies is not known here: it is this one.
            Ground::Repository { .. } if target.is_absolute() => Some(PathBuf::new()),
            _ if target.is_absolute() => Some(normal(&target)),
            _ => state.directory.as_ref().map(|directory| normal(&directory.join(target))),
        }
    }

    fn source(&mut self, command: &Command, state: &mut State) {
        let Some(path) = command.words.get(1).and_then(|word| value(word, state).text) else {
            state.worsen(Closure::Open);
            return;
        };
        self.read_in(Path::new(&path), state);
    }

    /// Reads a file in as `.` does.
    pub(super) fn read_in(&mut self, path: &Path, state: &mut State) {
        match self.library.look(self.ground, path, state, Kind::Shell) {
            Seen::Read(facts) => {
                state.look_at(self.library.sources.shown(facts.file));
                match &facts.body {
                    Body::Script(script) => {
                        self.deeper(state, |follower, state| follower.list(facts.file, &script.list, state));
                    }
                    Body::Table(lines) => {
                        for line in lines {
                            let Some(value) = &line.value else { continue };
                            let at = facts.file.span(line.key.bytes.to(value.file_bytes()));
                            state.assign(&line.key.text, Value::known(value.text.clone()), at);
                        }
                    }
                    _ => state.worsen(Closure::Open),
                }
            }
            // The shell complains and goes on.
            Seen::Absent => {}
            Seen::Unknown => state.worsen(Closure::Open),
        }
    }

    fn start(&mut self, file: FileId, command: &Command, state: &mut State) -> Flow {
        let words: Vec<Word> = command.words.iter().flat_map(|word| fields(word, state, file)).collect();
        let called = words.first().and_then(|word| word.text.as_deref());
        let is_exec = called == Some("exec");
        if let Some(function) = called.and_then(|name| state.function(name)) {
            let before = state.arguments.replace(Rc::new(words.into_iter().skip(1).collect()));
            self.deeper(state, |follower, state| follower.list(function.file, &function.body, state));
            state.arguments = before;
            return Flow::Goes;
        }
        let mut child = state.clone();
        for assignment in &command.assignments {
            let value = if assignment.append { Value::default() } else { value(&assignment.value, &child) };
            child.hand(&assignment.name, value, file.span(assignment.bytes));
        }
        let behind = command.words.iter().map(super::command::behind).collect();
        self.deeper(&mut child, |follower, child| {
            follower.program(file, &words, behind, child);
            Flow::Goes
        });
        if is_exec && words.len() > 1 { Flow::Ended } else { Flow::Goes }
    }
}

/// Comes back from the ways that left a chain.
fn rejoin(state: &mut State, left: &mut Vec<State>) {
    if !left.is_empty() {
        let mut ways = std::mem::take(left);
        ways.push(state.clone());
        *state = State::join(ways).unwrap_or_default();
    }
}

fn one_of(state: &mut State, ways: Vec<State>) -> Flow {
    match State::join(ways) {
        Some(joined) => {
            *state = joined;
            Flow::Goes
        }
        None => Flow::Ended,
    }
}

/// Says whether a chain cannot be left here: assignments and changes of directory are taken to succeed, or nothing
/// after them would run either.
fn succeeds_always(before: Option<&Item>, joined: Joined) -> bool {
    let Some(Item { node: Node::Command(command), .. }) = before else { return false };
    let name = command.words.first().and_then(Written::as_text);
    let succeeds = match name.as_deref() {
        None => command.words.is_empty(),
        Some(name) => {
            matches!(name, "cd" | "." | "source" | "export" | "set" | "umask" | "ulimit" | "true" | ":" | "mkdir")
        }
    };
    succeeds && joined == Joined::And
}

/// `: "${X:=5}"` assigns.
fn assign_fallbacks(file: FileId, command: &Command, state: &mut State) {
    for word in &command.words {
        for part in &word.parts {
            if let Part::Variable { name, operator: Some(operator), .. } = part
                && matches!(operator.as_str(), ":=" | "=")
                && matches!(state.known(name), Known::Unset | Known::PerhapsUnset)
            {
                let one = Written { parts: vec![part.clone()], bytes: word.bytes };
                let value = value(&one, state);
                state.assign(name, value, file.span(word.bytes));
            }
        }
    }
}

fn command_bytes(command: &Command) -> crate::source::Bytes {
    let bytes = command.words.iter().map(|word| word.bytes);
    bytes.reduce(crate::source::Bytes::to).unwrap_or_default()
}

/// `export A=1 B`, `declare -x A=1`, `local A=1`.
fn declare(file: FileId, name: &str, command: &Command, state: &mut State) {
    let options: Vec<String> = command
        .words
        .iter()
        .skip(1)
        .filter_map(Written::as_text)
        .take_while(|word| word.starts_with(['-', '+']))
        .collect();
    let has = |letter: char| options.iter().any(|option| option.starts_with('-') && option.contains(letter));
    let export = match name {
        "export" if has('n') => Some(Export::Kept),
        "export" => Some(Export::Handed),
        "declare" | "typeset" if has('x') => Some(Export::Handed),
        _ => None,
    };
    for word in command.words.iter().skip(1 + options.len()) {
        let Some((name, right)) = assignment(word) else { continue };
        if let Some(right) = right {
            state.assign(&name, value(&right, state), file.span(word.bytes));
        }
        if let Some(export) = export {
            state.mark(&name, export);
        }
    }
}

/// Splits `NAME=rest`; a name alone has no right side.
fn assignment(word: &Written) -> Option<(String, Option<Written>)> {
    let Some(Part::Text { text, quoted }) = word.parts.first() else { return None };
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match text.split_once('=') {
        None => (word.parts.len() == 1 && is_name(text)).then(|| (text.clone(), None)),
        Some((name, rest)) => {
            let mut parts = vec![Part::Text { text: rest.to_owned(), quoted: *quoted }];
            parts.extend(word.parts.iter().skip(1).cloned());
            is_name(name).then(|| (name.to_owned(), Some(Written { parts, bytes: word.bytes })))
        }
    }
}

/// `set -a`, `set +a`, `set -o allexport`, `set -- words`.
fn set(file: FileId, command: &Command, state: &mut State) {
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        let text = word.as_text().unwrap_or_default();
        match text.as_str() {
            "--" => {
                let rest: Vec<&Written> = words.collect();
                state.arguments = Some(Rc::new(rest.into_iter().flat_map(|word| fields(word, state, file)).collect()));
                return;
            }
            "-o" | "+o" => {
                let allexport = words.next().and_then(Written::as_text).as_deref() == Some("allexport");
                state.exports_all = if allexport { text == "-o" } else { state.exports_all };
            }
            _ if text.starts_with('-') && text.contains('a') => state.exports_all = true,
            _ if text.starts_with('+') && text.contains('a') => state.exports_all = false,
            _ => {}
        }
    }
}

/// What is evaluated may bind anything, unless a program is known to print its path alone.
fn evaluate(command: &Command, state: &mut State) {
    let harmless = command.words.iter().skip(1).flat_map(|word| &word.parts).any(|part| {
        let Part::Substitution { list, .. } = part else { return false };
        list.iter().any(|item| {
            let Node::Command(inner) = &item.node else { return false };
            let name = inner.words.first().and_then(Written::as_text).unwrap_or_default();
            let name = name.rsplit('/').next().unwrap_or_default();
            processes().words.harmless_eval.iter().any(|known| known == name)
        })
    });
    if !harmless {
        state.worsen(Closure::Open);
    }
}
