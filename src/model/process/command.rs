//! A command line: through wrappers, launchers, shells and scripts to the program that runs in the end.

use std::rc::Rc;

use super::ground::Seen;
use super::login::Invoked;
use super::shell::{Flow, Follower};
use super::state::{State, Value};
use super::{Closure, Found, Word};
use crate::classify::Kind;
use crate::facts::Body;
use crate::finding::Place;
use crate::knowledge::command::{Wrapper, commands};
use crate::knowledge::process::{Launcher, processes};
use crate::source::{Bytes, FileId, Span};
use crate::syntax::Fragment;
use crate::syntax::shell::{Part, Word as Written, parse};

/// What stands behind a word that a program gets.
#[derive(Clone, Debug, Default)]
pub(super) struct Behind {
    /// The text with the way back to the file, for a shell that reads it as a script.
    pub text: Option<Fragment>,
    /// The name before `=`, where the word looks like an assignment, its value known or not.
    pub variable: Option<String>,
}

/// Returns what stands behind a word of a shell.
pub(super) fn behind(word: &Written) -> Behind {
    let head = match word.parts.first() {
        Some(Part::Text { text, .. }) => text.split_once('=').map(|(name, _)| name),
        _ => None,
    };
    let variable = head.filter(|name| is_assignment(&format!("{name}="))).map(str::to_owned);
    let Some(text) = word.as_text() else { return Behind { text: None, variable } };
    let quoted = matches!(word.parts.as_slice(), [Part::Text { quoted: true, .. }]);
    let inner = quoted && word.bytes.len() == text.len() + 2;
    let bytes = if inner { Bytes { start: word.bytes.start + 1, end: word.bytes.end - 1 } } else { word.bytes };
    let mut fragment = Fragment::default();
    fragment.push(&text, bytes);
    Behind { text: Some(fragment), variable }
}

/// Returns what stands behind a word that no shell has read.
pub(super) fn plainly(text: &Fragment) -> Behind {
    let head = text.text.split_once('=').map(|(name, _)| name.to_owned());
    Behind { text: Some(text.clone()), variable: head.filter(|name| is_assignment(&format!("{name}="))) }
}

/// A command line that is being unwrapped.
#[derive(Clone)]
struct Argv<'w> {
    words: &'w [Word],
    /// What stands behind each word; nothing where a variable made the numbers of both differ.
    behind: &'w [Behind],
}

impl<'w> Argv<'w> {
    fn text(&self, at: usize) -> Option<&'w str> {
        self.words.get(at)?.text.as_deref()
    }

    fn from(&self, at: usize) -> Self {
        Self { words: self.words.get(at..).unwrap_or_default(), behind: self.behind.get(at..).unwrap_or_default() }
    }
}

/// Returns the span of a place; an empty one for a file without text.
fn span_of(place: Place) -> Span {
    place.file().span(place.bytes().unwrap_or_default())
}

impl Follower<'_, '_> {
    /// Follows the words of a command; `state` is what the program is given.
    pub(super) fn program(&mut self, file: FileId, words: &[Word], behind: Vec<Behind>, state: &mut State) {
        let behind = if behind.len() == words.len() { behind } else { vec![Behind::default(); words.len()] };
        self.unwrapped(file, &Argv { words, behind: &behind }, state);
    }

    fn unwrapped(&mut self, file: FileId, argv: &Argv<'_>, state: &mut State) {
        let Some(program) = argv.text(0) else { return };
        let name = program.rsplit('/').next().unwrap_or(program).to_owned();
        let rest = argv.from(1);
        let table = processes();
        if let Some(kind) = table.kind(program, rest.words.iter().map(|word| word.text.as_deref())) {
            self.process(kind.kind.clone(), argv, state);
        } else if let Some(shell) = commands().shell(&name) {
            self.shell(file, &name, &shell.with_value, &rest, state);
        } else if let Some(wrapper) = commands().wrapper(&name) {
            self.wrapper(file, &name, wrapper, &rest, state);
        } else if let Some(launcher) = table.launcher(&name) {
            self.launcher(file, launcher, &rest, state);
        } else {
            self.executed(argv, state);
        }
    }

    fn process(&mut self, kind: String, argv: &Argv<'_>, state: &State) {
        let Some((program, arguments)) = argv.words.split_first() else { return };
        self.found.push(Found {
            kind,
            place: program.place,
            arguments: arguments.to_vec(),
            directory: state.directory.clone(),
            environment: state.environment(),
            script: self.script,
        });
    }

    /// A file that is executed: followed if it is a shell script.
    fn executed(&mut self, argv: &Argv<'_>, state: &State) {
        let Some(program) = argv.text(0).filter(|program| program.contains('/')) else { return };
        self.script_file(program, argv.words.get(1..).unwrap_or_default(), state);
    }

    fn script_file(&mut self, path: &str, arguments: &[Word], state: &State) {
        let seen = self.library.look(self.ground, std::path::Path::new(path), state, Kind::Other);
        let Seen::Read(facts) = seen else { return };
        let Body::Script(script) = &facts.body else { return };
        let mut child = state.handed_on();
        child.arguments = Some(Rc::new(arguments.to_vec()));
        if let Some((shell, options)) = script.interpreter.split_first() {
            let has = |letter| options.iter().any(|option| option.starts_with('-') && option.contains(letter));
            let invoked = if has('l') { Invoked::ForLogin } else { Invoked::Plainly };
            self.login(shell, invoked, &mut child);
        }
        self.deeper(&mut child, |follower, child| {
            follower.script(facts.file, &script.list, child);
            Flow::Goes
        });
    }

    fn shell(&mut self, file: FileId, name: &str, with_value: &[String], argv: &Argv<'_>, state: &State) {
        let mut at = 0;
        let mut reads_string = false;
        let mut login = Invoked::Plainly;
        while let Some(word) = argv.text(at) {
            let Some(letters) = word.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty()) else { break };
            let long = letters.starts_with('-');
            reads_string |= !long && letters.contains('c');
            if word == "--login" || !long && letters.contains('l') {
                login = Invoked::ForLogin;
            }
            let takes = with_value.iter().any(|option| option == word) || !long && letters.ends_with(['o', 'O']);
            at += if takes { 2 } else { 1 };
        }
        let mut child = state.handed_on();
        if !reads_string {
            if let Some(script) = argv.text(at) {
                self.login(name, login, &mut child);
                self.script_file(script, argv.words.get(at + 1..).unwrap_or_default(), &child);
            }
            return;
        }
        self.login(name, login, &mut child);
        // The word after the script is `$0`.
        child.arguments = Some(Rc::new(argv.words.get(at + 2..).unwrap_or_default().to_vec()));
        let written = argv.behind.get(at).and_then(|behind| behind.text.clone());
        let (file, text) = match (written, argv.words.get(at)) {
            (Some(text), _) => (file, text),
            (None, Some(Word { text: Some(known), place, .. })) => {
                let mut text = Fragment::default();
                text.push(known, span_of(*place).bytes);
                (place.file(), text)
            }
            _ => return,
        };
        let parsed = parse(&text);
        self.deeper(&mut child, |follower, child| follower.list(file, &parsed.tree, child));
    }

    fn wrapper(&mut self, file: FileId, name: &str, wrapper: &Wrapper, argv: &Argv<'_>, state: &mut State) {
        let handing = processes().handing(name);
        let is = |options: &[String], word: &str| options.iter().any(|option| option == word);
        let keeps =
            |keeps: &[String]| argv.words.iter().any(|word| word.text.as_deref().is_some_and(|word| is(keeps, word)));
        if handing.is_some_and(|row| row.loses && !keeps(&row.keeps_with)) {
            state.clear();
            state.worsen(Closure::Open);
        }
        let mut skip = wrapper.skip;
        let mut at = 0;
        while let Some(word) = argv.words.get(at) {
            let variable = argv.behind.get(at).and_then(|behind| behind.variable.as_deref());
            at += 1;
            let Some(text) = word.text.as_deref() else {
                match variable.filter(|_| wrapper.assignments) {
                    Some(name) => state.hand(name, Value::default(), span_of(word.place)),
                    // What an unknown word is, the words after it are not known either.
                    None => return,
                }
                continue;
            };
            if handing.is_some_and(|row| is(&row.clears_with, text)) {
                state.clear();
            } else if handing.is_some_and(|row| is(&row.unsets_with, text)) {
                if let Some(variable) = argv.text(at) {
                    state.unset(variable);
                }
                at += 1;
            } else if is(&wrapper.script, text) {
                let script = argv.from(at);
                let shell = [Word { text: Some("-c".to_owned()), fallback_of: None, place: word.place }];
                let words: Vec<Word> = shell.iter().chain(script.words).cloned().collect();
                let behind: Vec<Behind> =
                    [Behind::default()].into_iter().chain(script.behind.iter().cloned()).collect();
                self.shell(file, "sh", &[], &Argv { words: &words, behind: &behind }, state);
                return;
            } else if is(&wrapper.with_value, text) {
                at += 1;
            } else if text == "--" || text.starts_with('-') && text.len() > 1 || is(&wrapper.leaves, text) {
                // An option of the wrapper.
            } else if wrapper.assignments && is_assignment(text) {
                let (name, value) = text.split_once('=').unwrap_or((text, ""));
                state.hand(name, Value::known(value), span_of(word.place));
            } else if skip > 0 {
                skip -= 1;
            } else if !wrapper.only_script {
                self.unwrapped(file, &argv.from(at - 1), state);
                return;
            }
        }
    }

    fn launcher(&mut self, file: FileId, launcher: &Launcher, argv: &Argv<'_>, state: &mut State) {
        if launcher.opens {
            state.worsen(Closure::Open);
        }
        let mut then = !launcher.then.is_empty();
        let mut skip = launcher.skip;
        let mut at = 0;
        while let Some(text) = argv.text(at) {
            if launcher.with_value.iter().any(|option| option == text) {
                at += 2;
            } else if text.starts_with('-') {
                at += 1;
            } else if then && launcher.then.iter().any(|word| word == text) {
                then = false;
                at += 1;
            } else if skip > 0 {
                skip -= 1;
                at += 1;
            } else {
                if !then || launcher.optional_then {
                    self.unwrapped(file, &argv.from(at), state);
                }
                return;
            }
        }
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !name.starts_with(|first: char| first.is_ascii_digit())
    })
}
