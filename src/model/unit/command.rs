//! From a command line to every file that it needs: through wrappers, shells and interpreters.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Role;
use super::script;
use crate::knowledge::command::{Interpreter, Makes, Shell, Wrapper, commands};
use crate::knowledge::place::places;
use crate::source::Bytes;
use crate::syntax::Fragment;

/// Programs inside programs that are followed: `sudo env nice sh -c …` is four.
const DEPTH: usize = 12;

/// One word of a command line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Argument {
    /// What the program gets to see.
    pub text: Fragment,
    pub certainty: Certainty,
}

/// Whether a word's text is what it will be at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    Known,
    /// It holds a variable or a placeholder.
    Variable,
}

/// Where a command runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Surroundings {
    /// The working directory, if it is known.
    pub directory: Option<PathBuf>,
    /// `$HOME`, if it is known.
    pub home: Option<PathBuf>,
    /// Paths that earlier commands of the job made.
    pub made: BTreeSet<PathBuf>,
}

/// A path that a command needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reference {
    /// One of these must exist; the first is the one to name.
    pub paths: Vec<PathBuf>,
    pub role: Role,
    pub bytes: Bytes,
    pub written: String,
}

impl Argument {
    fn as_known(&self) -> Option<&str> {
        (self.certainty == Certainty::Known).then_some(self.text.text.as_str())
    }
}

impl Surroundings {
    /// Returns the absolute path that a word means here.
    pub(super) fn absolute(&self, word: &str) -> Option<PathBuf> {
        if word.is_empty() || places().has_placeholder(word) {
            return None;
        }
        let path = Path::new(word);
        if path.is_absolute() {
            return Some(normal(path));
        }
        self.directory.as_ref().map(|directory| normal(&directory.join(path)))
    }

    /// Says whether the job itself makes the path or a directory above it.
    pub(super) fn makes(&self, path: &Path) -> bool {
        self.made.iter().any(|made| path.starts_with(made))
    }
}

/// Drops `.` and doubled slashes; `..` stays for the root to resolve, since a link may stand before it.
fn normal(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect()
}

/// Follows a command line and adds what it needs. `around` is changed by what the command makes.
pub(super) fn follow(argv: &[Argument], around: &mut Surroundings, found: &mut Vec<Reference>) {
    Follower { around, found }.command(argv, DEPTH);
}

pub(super) struct Follower<'a> {
    pub around: &'a mut Surroundings,
    pub found: &'a mut Vec<Reference>,
}

impl Follower<'_> {
    pub(super) fn command(&mut self, argv: &[Argument], depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let Some((program, arguments)) = argv.split_first() else { return };
        let Some(word) = program.as_known() else { return };
        if word.contains('/') {
            self.need(program, Role::Program);
        }
        let name = word.rsplit('/').next().unwrap_or(word);
        let table = commands();
        if let Some(shell) = table.shell(name) {
            self.shell(name, shell, arguments, depth);
        } else if let Some(wrapper) = table.wrapper(name) {
            self.wrapper(wrapper, arguments, depth);
        } else if table.is_opaque(name) {
            // What it runs is found by a rule of its own.
        } else if let Some(interpreter) = table.interpreter(name) {
            self.interpreter(name, interpreter, arguments);
        } else {
            self.remember_made(name, arguments);
        }
    }

    fn need(&mut self, argument: &Argument, role: Role) {
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
        if paths.iter().any(|path| self.around.makes(path)) {
            return;
        }
        self.found.push(Reference { paths, role, bytes: argument.text.file_bytes(), written: word.to_owned() });
    }

    fn shell(&mut self, name: &str, shell: &Shell, arguments: &[Argument], depth: usize) {
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
        let mut around = self.around.clone();
        script::follow(&argument.text, &mut around, self.found, depth);
        self.around.made = around.made;
    }

    fn wrapper(&mut self, wrapper: &Wrapper, arguments: &[Argument], depth: usize) {
        let has = |options: &[String]| {
            arguments.iter().any(|argument| options.iter().any(|option| *option == argument.text.text))
        };
        if !wrapper.required_option.is_empty() && !has(&wrapper.required_option) && wrapper.script.is_empty() {
            return;
        }
        let mut inner = self.around.clone();
        let mut skip = wrapper.skip;
        let mut index = 0;
        while let Some(argument) = arguments.get(index) {
            index += 1;
            let text = argument.text.text.as_str();
            if wrapper.leaves.iter().any(|option| option == text || text.starts_with(&format!("{option}="))) {
                inner.directory = None;
            }
            if wrapper.script.iter().any(|option| option == text) {
                if let Some(script) = arguments.get(index) {
                    Follower { around: &mut inner, found: self.found }.script_text(script, depth);
                }
                return;
            }
            if text == "--" {
                continue;
            }
            if wrapper.with_value.iter().any(|option| option == text) {
                index += 1;
            } else if text.starts_with('-') && text.len() > 1 || wrapper.leaves.iter().any(|option| option == text) {
                // An option of the wrapper.
            } else if wrapper.assignments && is_assignment(text) {
                // A variable for the program.
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

    fn interpreter(&mut self, name: &str, interpreter: &Interpreter, arguments: &[Argument]) {
        let mut words = arguments.iter();
        let mut skipped = false;
        while let Some(argument) = words.next() {
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
                if let Some(script) = words.next() {
                    self.need_script(name, interpreter, script);
                }
                return;
            }
            if is(&interpreter.no_script) {
                return;
            }
            if interpreter.with_value.iter().any(|option| option == text) {
                words.next();
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

/// `-e'code'` and `-lne` hold the short option `-e`.
fn holds_short(text: &str, option: &str) -> bool {
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    let cluster = text.strip_prefix('-').filter(|cluster| !cluster.starts_with('-'));
    letter.zip(cluster).is_some_and(|(letter, cluster)| cluster.contains(letter))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|first: char| first.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[&str]) {
        let fragment = Fragment::verbatim(line, 0);
        let (words, _) = crate::syntax::directive::words::systemd(&fragment);
        let argv: Vec<Argument> =
            words.into_iter().map(|word| Argument { text: word.text, certainty: Certainty::Known }).collect();
        let mut around = Surroundings {
            directory: Some(PathBuf::from("/srv/app")),
            home: Some(PathBuf::from("/home/deploy")),
            made: BTreeSet::new(),
        };
        let mut found = Vec::new();
        follow(&argv, &mut around, &mut found);
        let paths: Vec<String> =
            found.iter().map(|reference| reference.paths.first().unwrap().display().to_string()).collect();
        assert_eq!(paths, expected, "{line}");
    }

    #[test]
    fn wrappers_and_interpreters() {
        check("/usr/bin/env A=1 -u B python3 -u run.py", &["/usr/bin/env", "/srv/app/run.py"]);
        check("/usr/bin/python3 -m app", &["/usr/bin/python3"]);
        check("/usr/bin/python3.11 -W ignore /opt/x.py a", &["/usr/bin/python3.11", "/opt/x.py"]);
        check("/usr/bin/node --env-file .env server.js", &["/usr/bin/node", "/srv/app/server.js"]);
        check("/usr/bin/node -e 'x()' y", &["/usr/bin/node"]);
        check("/usr/bin/sudo -u app -- /opt/run", &["/usr/bin/sudo", "/opt/run"]);
        check("/usr/bin/flock -n /tmp/lock /opt/run", &["/usr/bin/flock", "/opt/run"]);
        check("/usr/bin/flock /tmp/lock -c '/opt/run now'", &["/usr/bin/flock", "/opt/run"]);
        check("/usr/bin/timeout -k 5 30 bin/x", &["/usr/bin/timeout", "/srv/app/bin/x"]);
        check("/usr/bin/java -Xmx1g -jar /opt/a.jar", &["/usr/bin/java", "/opt/a.jar"]);
        check("/usr/bin/java -cp a:b Main", &["/usr/bin/java"]);
        check("/usr/bin/dotnet run", &["/usr/bin/dotnet"]);
        check("/usr/bin/dotnet App.dll", &["/usr/bin/dotnet", "/srv/app/App.dll"]);
        check("/usr/bin/perl -we 'print 1'", &["/usr/bin/perl"]);
        check("/bin/su - app -c '/opt/run'", &["/bin/su", "/opt/run"]);
        check("/usr/bin/nice -n 5 nohup /opt/run", &["/usr/bin/nice", "/opt/run"]);
    }

    #[test]
    fn shells() {
        check("/bin/sh /opt/start.sh", &["/bin/sh", "/opt/start.sh"]);
        check("/bin/bash -lc 'exec bin/x'", &["/bin/bash", "/srv/app/bin/x"]);
        check("/bin/bash -euo pipefail -c '/opt/x; /opt/y'", &["/bin/bash", "/opt/x", "/opt/y"]);
        check("/bin/bash --login -c /opt/x", &["/bin/bash", "/opt/x"]);
    }
}
