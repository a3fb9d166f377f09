//! Follows a command line through wrappers, shells and interpreters.

use std::path::PathBuf;

use super::{Argument, Certainty, Found, Program, Reference, Surroundings};
use crate::knowledge::command::{Change, Interpreter, Launcher, Makes, Shell, Wrapper, commands};
use crate::model::unit::{Role, script};
use crate::syntax::directive::words;

/// Programs inside programs that are followed: `sudo env nice sh -c …` is four.
const DEPTH: usize = 12;

/// Follows a command line and adds what it needs. `around` is changed by what the command makes.
pub(in crate::model::unit) fn follow(argv: &[Argument], around: &mut Surroundings, found: &mut Found) {
    Follower { around, found }.command(argv, DEPTH);
}

/// Follows a shell text that stands where a command line could.
pub(in crate::model::unit) fn follow_script(script: &Argument, around: &mut Surroundings, found: &mut Found) {
    Follower { around, found }.script_text(script, DEPTH);
}

pub(in crate::model::unit) struct Follower<'a> {
    pub around: &'a mut Surroundings,
    pub found: &'a mut Found,
}

impl Follower<'_> {
    pub(in crate::model::unit) fn command(&mut self, argv: &[Argument], depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let Some((program, arguments)) = argv.split_first() else { return };
        let Some(word) = program.as_known() else { return };
        if word.contains('/') {
            self.need(program, Role::Program);
        }
        let name = word.rsplit('/').next().unwrap_or(word);
        let table = commands();
        if let Some(shell) = table.shell(name) {
            self.shell(argv, name, shell, arguments, depth);
            return;
        }
        if let Some(wrapper) = table.wrapper(name) {
            self.wrapper(wrapper, arguments, depth);
            return;
        }
        if let Some(launcher) = table.launcher(name) {
            self.launcher(launcher, arguments, depth);
            return;
        }
        self.runs(argv);
        if let Some(interpreter) = table.interpreter(name) {
            self.interpreter(name, interpreter, arguments);
        } else if let Some(program) = table.program(name) {
            self.files_of_program(name, program, arguments);
        } else if let Some(tool) = table.project_tool(name) {
            self.project_file(argv, tool);
        } else {
            self.remember_made(name, arguments);
        }
    }

    fn runs(&mut self, argv: &[Argument]) {
        self.found.programs.push(Program { words: argv.to_vec(), directory: self.around.directory.clone() });
    }

    pub(in crate::model::unit) fn need(&mut self, argument: &Argument, role: Role) {
        self.need_one_of(argument, role, &[]);
    }

    fn need_one_of(&mut self, argument: &Argument, role: Role, tries: &[String]) {
        let Some(word) = argument.as_known() else { return };
        let Some(path) = self.around.absolute(word) else { return };
        let mut paths: Vec<PathBuf> = tries
            .iter()
            .map(|suffix| {
                let mut text = path.clone().into_os_string();
                text.push(suffix);
                PathBuf::from(text)
            })
            .collect();
        if paths.is_empty() {
            paths.push(path);
        }
        self.refer(paths, role, argument);
    }

    pub(in crate::model::unit) fn refer(&mut self, paths: Vec<PathBuf>, role: Role, argument: &Argument) {
        if !paths.iter().any(|path| self.around.makes(path)) {
            let written = argument.text.text.clone();
            self.found.references.push(Reference { paths, role, bytes: argument.text.file_bytes(), written });
        }
    }

    fn shell(&mut self, argv: &[Argument], name: &str, shell: &Shell, arguments: &[Argument], depth: usize) {
        let mut words = arguments.iter();
        let mut reads_string = false;
        while let Some(argument) = words.next() {
            let text = argument.text.text.as_str();
            if text == "--" {
                continue;
            }
            let Some(letters) = text.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty()) else {
                if reads_string {
                    self.script_text(argument, depth);
                } else if argument.certainty == Certainty::Known {
                    self.runs(argv);
                    self.need(argument, Role::Script { interpreter: name.to_owned() });
                }
                return;
            };
            let long = letters.starts_with('-');
            reads_string |= !long && letters.contains('c');
            if shell.with_value.iter().any(|option| option == text) || !long && letters.ends_with(['o', 'O']) {
                words.next();
            }
        }
    }

    fn script_text(&mut self, argument: &Argument, depth: usize) {
        // A word of which a part is not known is no text to read.
        if argument.certainty == Certainty::Variable {
            return;
        }
        let mut around = self.around.clone();
        script::follow(&argument.text, &mut around, self.found, depth);
        self.around.made = around.made;
    }

    fn wrapper(&mut self, wrapper: &Wrapper, arguments: &[Argument], depth: usize) {
        let has = |options: &[String]| arguments.iter().any(|argument| options.contains(&argument.text.text));
        if !wrapper.required_option.is_empty() && !has(&wrapper.required_option) && wrapper.script.is_empty() {
            return;
        }
        let mut inner = self.around.clone();
        if wrapper.changes.contains(&Change::Directory) {
            inner.directory = None;
        }
        if wrapper.changes.contains(&Change::User) {
            inner.home = None;
            inner.variables.clear();
        }
        let mut skip = wrapper.skip;
        let mut subcommand = wrapper.subcommand.is_empty();
        let mut index = 0;
        while let Some(argument) = arguments.get(index) {
            index += 1;
            let text = argument.text.text.as_str();
            if wrapper.leaves.iter().any(|option| option == text || text.starts_with(&format!("{option}="))) {
                inner.directory = None;
            }
            if let Some(directory) = value_of(&wrapper.chdir, argument, arguments.get(index)) {
                Follower { around: &mut inner, found: self.found }.need(&directory, Role::Directory);
                inner.directory = directory.as_known().and_then(|word| inner.absolute(word));
            }
            if let Some(line) = value_of(&wrapper.split, argument, arguments.get(index)) {
                let attached = !wrapper.split.iter().any(|option| option == text);
                let rest = arguments.get(if attached { index } else { index + 1 }..).unwrap_or_default();
                let argv = split(&line).into_iter().chain(rest.iter().cloned()).collect::<Vec<_>>();
                Follower { around: &mut inner, found: self.found }.wrapper(wrapper, &argv, depth.saturating_sub(1));
                self.around.made = inner.made;
                return;
            }
            if wrapper.script.iter().any(|option| option == text) {
                if let Some(script) = arguments.get(index) {
                    Follower { around: &mut inner, found: self.found }.script_text(script, depth);
                }
                return;
            }
            if text == "--" {
                skip = if wrapper.after_dashes { 0 } else { skip };
                continue;
            }
            if wrapper.with_value.iter().chain(&wrapper.chdir).any(|option| option == text) {
                index += 1;
            } else if text.starts_with('-') && text.len() > 1 || wrapper.leaves.iter().any(|option| option == text) {
                // An option of the wrapper.
            } else if wrapper.assignments && is_assignment(text) {
                inner.assign(argument);
            } else if !subcommand {
                if !wrapper.subcommand.iter().any(|name| name == text) {
                    return;
                }
                subcommand = true;
                skip = if wrapper.after_dashes { usize::MAX } else { skip };
            } else if skip > 0 {
                skip -= 1;
            } else if wrapper.only_script {
                // The name of a user.
            } else {
                let rest = arguments.get(index - 1..).unwrap_or_default();
                Follower { around: &mut inner, found: self.found }.command(rest, depth);
                self.around.made = inner.made;
                return;
            }
        }
    }

    /// start-stop-daemon and its like: the program is an option's value, its arguments stand after `--`.
    fn launcher(&mut self, launcher: &Launcher, arguments: &[Argument], depth: usize) {
        let dashes = arguments.iter().position(|argument| argument.text.text == "--").unwrap_or(arguments.len());
        let (own, rest) = arguments.split_at_checked(dashes).unwrap_or((arguments, &[]));
        if !own.iter().any(|argument| launcher.required.contains(&argument.text.text)) {
            return;
        }
        let value = |options: &[String]| {
            own.iter().enumerate().find_map(|(index, argument)| value_of(options, argument, own.get(index + 1)))
        };
        let mut inner = self.around.clone();
        // It changes to the root directory, unless told otherwise (start-stop-daemon(8)).
        inner.directory = Some(PathBuf::from("/"));
        if let Some(directory) = value(&launcher.chdir) {
            self.need(&directory, Role::Directory);
            inner.directory = directory.as_known().and_then(|word| inner.absolute(word));
        }
        let program = launcher.program.iter().find_map(|option| value(std::slice::from_ref(option)));
        let Some(program) = program else { return };
        let argv: Vec<Argument> = std::iter::once(program).chain(rest.iter().skip(1).cloned()).collect();
        Follower { around: &mut inner, found: self.found }.command(&argv, depth);
    }

    fn interpreter(&mut self, name: &str, interpreter: &Interpreter, arguments: &[Argument]) {
        let mut index = 0;
        let mut skipped = false;
        while let Some(argument) = arguments.get(index) {
            index += 1;
            let text = argument.text.text.as_str();
            // `-Wignore`: the value is attached.
            let attached = interpreter
                .with_value
                .iter()
                .any(|option| option.len() == 2 && text.len() > 2 && text.starts_with(option.as_str()));
            let is = |options: &[String]| {
                !attached
                    && options.iter().any(|option| {
                        option == text
                            || interpreter.clusters && holds_short(text, option)
                            || option.starts_with("--") && text.starts_with(&format!("{option}="))
                    })
            };
            if interpreter.script_option.iter().any(|option| option == text) {
                if let Some(script) = arguments.get(index) {
                    self.need_script(name, interpreter, script);
                }
                return;
            }
            if is(&interpreter.no_script) {
                return;
            }
            if let Some(file) = value_of(&interpreter.file_option, argument, arguments.get(index)) {
                self.need(&file, Role::Configuration { program: name.to_owned() });
            }
            if interpreter.with_value.iter().any(|option| option == text) {
                index += 1;
            } else if text.starts_with('-') && text != "-" || text == "--" {
                // An option of the interpreter.
            } else if !skipped && interpreter.skip.iter().any(|word| word == text) {
                skipped = true;
            } else {
                if !interpreter.only_option && text != "-" {
                    self.need_script(name, interpreter, argument);
                }
                return;
            }
        }
    }

    fn need_script(&mut self, name: &str, interpreter: &Interpreter, script: &Argument) {
        let text = script.text.text.as_str();
        let fits = interpreter.suffix.as_ref().is_none_or(|suffix| text.ends_with(suffix.as_str()))
            && (interpreter.suffix_any.is_empty()
                || interpreter.suffix_any.iter().any(|suffix| text.ends_with(suffix.as_str())));
        if fits {
            self.need_one_of(script, Role::Script { interpreter: name.to_owned() }, &interpreter.tries);
        }
    }

    fn remember_made(&mut self, name: &str, arguments: &[Argument]) {
        let Some(maker) = commands().maker(name) else { return };
        let mut paths = Vec::new();
        let mut every = maker.makes == Makes::Every;
        let mut words = arguments.iter();
        while let Some(argument) = words.next() {
            let text = argument.text.text.as_str();
            every |= maker.every_with.iter().any(|option| option == text);
            if maker.with_value.iter().any(|option| option == text) {
                words.next();
            } else if !text.starts_with('-') {
                paths.extend(argument.as_known().and_then(|word| self.around.absolute(word)));
            }
        }
        if every {
            self.around.made.extend(paths);
        } else {
            self.around.made.extend(paths.pop());
        }
    }
}

/// Returns the value of one of the options, if `argument` is it: the next word, or what stands after `=`.
pub(super) fn value_of(options: &[String], argument: &Argument, next: Option<&Argument>) -> Option<Argument> {
    let text = argument.text.text.as_str();
    for option in options {
        if text == option {
            return next.cloned();
        }
        if let Some(value) = text.strip_prefix(option.as_str()).and_then(|rest| rest.strip_prefix('='))
            && !value.is_empty()
        {
            return Some(argument.part(text.len() - value.len()));
        }
    }
    None
}

/// Splits the string of `env -S`: blanks separate, quotes protect; a variable makes its word unknown.
fn split(line: &Argument) -> Vec<Argument> {
    let (words, _) = words::systemd(&line.text);
    let certainty = |text: &str| {
        let known = line.certainty == Certainty::Known && !text.contains("${");
        if known { Certainty::Known } else { Certainty::Variable }
    };
    words.into_iter().map(|word| Argument { certainty: certainty(&word.text.text), text: word.text }).collect()
}

/// `-e'code'` and `-lne` hold the short option `-e`.
fn holds_short(text: &str, option: &str) -> bool {
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    let cluster = text.strip_prefix('-').filter(|cluster| !cluster.starts_with('-'));
    letter.zip(cluster).is_some_and(|(letter, cluster)| cluster.contains(letter))
}

pub(in crate::model::unit) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|first: char| first.is_ascii_digit())
    })
}
