//! What a shell text needs: a small, honest reading that gives up where a branch or a variable decides.

use super::Role;
use super::command::{Argument, Certainty, Follower, Found, Surroundings};
use crate::knowledge::command::commands;
use crate::syntax::Fragment;
use crate::syntax::shell::{Assignment, Command, Item, Joined, Node, Part, Word, parse};

/// Follows a shell text. What it makes and where it goes changes `around`.
pub(super) fn follow(text: &Fragment, around: &mut Surroundings, found: &mut Found, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let parsed = parse(text);
    Reader { around, found, depth, on_error: OnError::GoesOn }.list(&parsed.tree);
}

/// Whether the commands after this point still run for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Goes,
    Ended,
}

/// What the shell does after a command that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnError {
    GoesOn,
    /// `set -e`.
    Ends,
}

struct Reader<'a> {
    around: &'a mut Surroundings,
    found: &'a mut Found,
    depth: usize,
    on_error: OnError,
}

impl Reader<'_> {
    fn list(&mut self, items: &[Item]) -> Flow {
        // Within one chain of `&&` and `||`: everything after a test or an alternative is optional.
        let mut optional = false;
        for (index, item) in items.iter().enumerate() {
            match item.joined {
                Joined::First | Joined::Then | Joined::AfterBackground => optional = false,
                Joined::And | Joined::Pipe => {}
                Joined::Or => optional = true,
            }
            if item.tainted {
                // What follows may belong to the broken part.
                return Flow::Ended;
            }
            let next = next_link(items, index);
            if optional {
                let effects = Effects::of(item);
                // `[ -x F ] || exit 0`, `test -x F && exec F`: whether the rest runs is not known. After `|| exit 1` the
                // job has failed in its own words.
                if effects.leaves && !(item.joined == Joined::Or && fails(item)) {
                    return Flow::Ended;
                }
                if !(effects.leaves && fails(item)) {
                    self.forget(effects);
                }
                continue;
            }
            let alternative = next.is_some_and(|next| next.joined == Joined::Or && !fails(next));
            match &item.node {
                Node::Command(command) => {
                    let name = name(command);
                    let guard = name.as_deref().is_some_and(is_guard);
                    // A shell that is not interactive ends with 127 where `exec` finds nothing.
                    let tried = alternative && name.as_deref() != Some("exec");
                    if tried || guard {
                        optional = true;
                        self.forget(Effects::of(item));
                    } else if self.run(command, next) == Flow::Ended {
                        return Flow::Ended;
                    }
                }
                Node::Group { list, subshell } => {
                    if alternative {
                        optional = true;
                        self.forget(Effects::of(item));
                    } else if *subshell {
                        let mut copy = self.around.clone();
                        Reader { around: &mut copy, found: self.found, depth: self.depth, on_error: self.on_error }
                            .list(list);
                        self.around.made = copy.made;
                    } else if self.list(list) == Flow::Ended {
                        return Flow::Ended;
                    }
                }
                Node::Not(_) => {
                    optional = true;
                    self.forget(Effects::of(item));
                }
                // Which way they go is not decided here.
                Node::If { .. } | Node::Loop { .. } | Node::Case { .. } | Node::Arithmetic(_) | Node::Other => {
                    let effects = Effects::of(item);
                    if effects.leaves {
                        return Flow::Ended;
                    }
                    self.forget(effects);
                }
                Node::Function { .. } => {}
            }
        }
        Flow::Goes
    }

    fn forget(&mut self, effects: Effects) {
        if effects.moves {
            self.around.directory = None;
        }
        if effects.assigns {
            self.around.variables.clear();
            self.around.home = None;
        }
    }

    fn run(&mut self, command: &Command, next: Option<&Item>) -> Flow {
        let Some(name) = name(command) else {
            self.command(command);
            return Flow::Goes;
        };
        match name.as_str() {
            "cd" | "pushd" => self.change_directory(command, next),
            "." | "source" => {
                // Without a slash it is searched in PATH.
                if let Some(word) = command.words.get(1) {
                    let target = argument(word, self.around);
                    if target.as_known().is_some_and(|text| text.contains('/')) {
                        self.follower().need(&target, Role::Sourced);
                    }
                }
                self.around.variables.clear();
            }
            "exit" | "return" => return Flow::Ended,
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for word in command.words.iter().skip(1) {
                    let word = argument(word, self.around);
                    self.around.assign(&word);
                }
            }
            "eval" | "read" | "unset" | "mapfile" | "readarray" | "getopts" => self.around.variables.clear(),
            "set" => {
                let options: Vec<String> = command.words.iter().skip(1).filter_map(Word::as_text).collect();
                let short = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('e');
                if options.iter().any(|word| short(word) || word == "errexit") {
                    self.on_error = OnError::Ends;
                }
            }
            "trap" => {}
            _ => {
                self.command(command);
                if name == "exec" && command.words.len() > 1 {
                    return Flow::Ended;
                }
            }
        }
        Flow::Goes
    }

    fn change_directory(&mut self, command: &Command, next: Option<&Item>) {
        let target = command.words.iter().skip(1).find(|word| word.as_text().is_none_or(|text| !is_cd_option(&text)));
        let target = target.map(|word| argument(word, self.around));
        let directory = match &target {
            None => self.around.home.clone(),
            Some(target) => target.as_known().and_then(|word| self.around.absolute(word)),
        };
        // Elsewhere the commands that follow run in the wrong directory, which shows at them.
        let required = self.on_error == OnError::Ends
            || next.is_some_and(|next| next.joined == Joined::And || next.joined == Joined::Or && fails(next));
        if let Some(target) = target.filter(|_| required && directory.is_some()) {
            self.follower().need(&target, Role::Directory);
        }
        self.around.directory = directory;
    }

    /// Runs a simple command with the variables that stand before it; alone, they stay.
    fn command(&mut self, command: &Command) {
        let before = (self.around.home.clone(), self.around.variables.clone());
        for Assignment { name, value, append, .. } in &command.assignments {
            let value = argument(value, self.around);
            self.around.set(name, value.as_known().filter(|_| !append));
        }
        let argv: Vec<Argument> = command.words.iter().map(|word| argument(word, self.around)).collect();
        if argv.is_empty() {
            return;
        }
        let depth = self.depth;
        self.follower().command(&argv, depth);
        (self.around.home, self.around.variables) = before;
    }

    fn follower(&mut self) -> Follower<'_> {
        Follower { around: self.around, found: self.found }
    }
}

/// What an item that may or may not run leaves behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Effects {
    /// It may end the shell.
    leaves: bool,
    /// It may change the directory.
    moves: bool,
    /// It may change variables.
    assigns: bool,
}

impl Effects {
    fn of(item: &Item) -> Self {
        let mut effects = Self::default();
        effects.add(item);
        effects
    }

    fn add_all(&mut self, items: &[Item]) {
        for item in items {
            self.add(item);
        }
    }

    fn add(&mut self, item: &Item) {
        match &item.node {
            Node::Command(command) => {
                self.assigns |= command.words.is_empty() && !command.assignments.is_empty();
                match name(command).as_deref() {
                    Some("exit" | "return") => self.leaves = true,
                    Some("exec") => self.leaves |= command.words.len() > 1,
                    Some("cd" | "pushd" | "popd") => self.moves = true,
                    Some("." | "source" | "eval") => {
                        self.moves = true;
                        self.assigns = true;
                    }
                    Some("export" | "declare" | "typeset" | "read" | "unset" | "readonly") => self.assigns = true,
                    _ => {}
                }
            }
            Node::Not(inner) => self.add(inner),
            Node::Group { list, .. } => self.add_all(list),
            Node::If { arms, otherwise } => {
                for arm in arms {
                    self.add_all(&arm.test);
                    self.add_all(&arm.body);
                }
                self.add_all(otherwise.as_deref().unwrap_or_default());
            }
            Node::Loop { list, body, .. } => {
                // Its variable, and whether it ends at all.
                self.assigns = true;
                self.add_all(list);
                self.add_all(body);
            }
            Node::Case { arms, .. } => arms.iter().for_each(|arm| self.add_all(arm)),
            Node::Function { .. } => {}
            Node::Arithmetic(_) | Node::Other => {
                self.leaves = true;
                self.moves = true;
            }
        }
    }
}

/// The item behind the pipeline that the item at `index` stands in.
fn next_link(items: &[Item], index: usize) -> Option<&Item> {
    items.iter().skip(index + 1).find(|item| item.joined != Joined::Pipe)
}

/// Says whether the item ends the shell with a status other than 0 (`exit` alone keeps the status of what failed).
fn fails(item: &Item) -> bool {
    match &item.node {
        Node::Command(command) => match name(command).as_deref() {
            Some("false") => true,
            Some("exit" | "return") => match command.words.get(1) {
                None => true,
                Some(word) => word.as_text().is_some_and(|status| status != "0"),
            },
            _ => false,
        },
        Node::Group { list, .. } => list.last().is_some_and(|last| last.joined != Joined::Or && exits(last)),
        _ => false,
    }
}

/// As [`fails`], behind other commands: `exit` alone has their status there.
fn exits(item: &Item) -> bool {
    let bare = matches!(&item.node, Node::Command(command) if command.words.len() < 2);
    fails(item) && !bare
}

fn is_guard(name: &str) -> bool {
    commands().guards.commands.iter().any(|guard| guard == name)
}

fn is_cd_option(word: &str) -> bool {
    matches!(word, "-L" | "-P" | "-e" | "--")
}

fn name(command: &Command) -> Option<String> {
    command.words.first()?.as_text()
}

/// Reads a word; `$HOME` and an unquoted `~` are the job's user's home, other variables what the job sets.
fn argument(word: &Word, around: &Surroundings) -> Argument {
    let mut text = String::new();
    let mut certainty = if word.is_glob() { Certainty::Variable } else { Certainty::Known };
    for (index, part) in word.parts.iter().enumerate() {
        let piece = match part {
            Part::Text { text: written, quoted: false } if index == 0 && written.starts_with('~') => {
                let rest = written.strip_prefix('~').unwrap_or_default();
                let home = around.variable("HOME").filter(|_| rest.is_empty() || rest.starts_with('/'));
                home.map(|home| format!("{home}{rest}"))
            }
            Part::Text { text: written, .. } => Some(written.clone()),
            Part::Variable { name, operator: None, quoted, .. } => {
                let splits = |value: &String| value.is_empty() || value.contains([' ', '\t', '\n', '*', '?', '[']);
                around.variable(name).filter(|value| *quoted || !splits(value))
            }
            _ => None,
        };
        match piece {
            Some(piece) => text.push_str(&piece),
            None => certainty = Certainty::Variable,
        }
    }
    let mut fragment = Fragment::default();
    fragment.push(&text, word.bytes);
    if text.is_empty() {
        certainty = Certainty::Variable;
    }
    Argument { text: fragment, certainty }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut around = Surroundings {
            directory: Some(std::path::PathBuf::from("/srv/app")),
            home: Some(std::path::PathBuf::from("/home/deploy")),
            ..Surroundings::default()
        };
        let mut found = Found::default();
        follow(&Fragment::verbatim(text, 0), &mut around, &mut found, 5);
        let paths: Vec<String> =
            found.references.iter().map(|reference| reference.paths.first().unwrap().display().to_string()).collect();
        assert_eq!(paths, expected, "{text}");
    }

    #[test]
    fn chains() {
        check(
            "export PATH=\"$HOME/.asdf/shims:$PATH\"; cd /x/y && RAILS_ENV=production exec bin/dev",
            &["/x/y", "/x/y/bin/dev"],
        );
        check("exec /opt/a || exec /opt/b", &["/opt/a"]);
        check("/opt/a || true", &[]);
        check("/opt/a | /opt/b", &["/opt/a", "/opt/b"]);
        check("exec /opt/a; /opt/b", &["/opt/a"]);
        check("\"$HOME/bin/x\" && ~/y", &["/home/deploy/bin/x", "/home/deploy/y"]);
        check("$APP/bin/x; /opt/*/run", &[]);
        check(". /etc/app.env && bin/x", &["/etc/app.env", "/srv/app/bin/x"]);
    }

    #[test]
    fn guards() {
        check("test -x /opt/a && /opt/a", &[]);
        check("[ -x /opt/a ] && /opt/a; /opt/b", &["/opt/b"]);
        check("test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }", &[]);
        check("if [ -f /opt/a ]; then /opt/a; fi; bin/x", &["/srv/app/bin/x"]);
        check("command -v /opt/a >/dev/null && /opt/a", &[]);
        check("for f in a b; do /opt/a $f; done", &[]);
        check("mkdir -p /srv/out && cd /srv/out && /opt/a", &["/opt/a"]);
    }

    #[test]
    fn guards_that_end_the_shell() {
        check("[ -x /opt/a ] || exit 0; /opt/a", &[]);
        check("[ -x /opt/a ] || { echo gone; exit 0; }; /opt/a", &[]);
        check("[ \"$ON\" = 1 ] && exit; /opt/a", &[]);
        check("if [ ! -x /opt/a ]; then exit 0; fi; /opt/a", &[]);
        check("test -x /opt/a && exec /opt/a; exec /opt/b", &[]);
        check("[ -x /opt/a ] || exit 1; /opt/a", &["/opt/a"]);
        check("[ -x /opt/a ] || { echo gone; exit 1; }; /opt/a", &["/opt/a"]);
        check("/opt/check || exit 1; /opt/a", &["/opt/check", "/opt/a"]);
        check("/opt/check || exit 0; /opt/a", &[]);
        check("[ -x /opt/a ] && /opt/a | /opt/b; /opt/c", &["/opt/c"]);
        check("/opt/a | /opt/b || true; /opt/c", &["/opt/c"]);
        check("if [ -f /opt/e ]; then A=1; fi; exec bin/x", &["/srv/app/bin/x"]);
    }

    #[test]
    fn directories() {
        check("cd /x || exit 1; exec bin/y", &["/x", "/x/bin/y"]);
        check("cd /x || { echo no; exit 1; }\nexec bin/y", &["/x", "/x/bin/y"]);
        check("cd /x || true; exec bin/y", &[]);
        check("cd /x; exec bin/y", &["/x/bin/y"]);
        check("set -eu; cd /x; exec bin/y", &["/x", "/x/bin/y"]);
        check("(cd /x && bin/y); bin/z", &["/x", "/x/bin/y", "/srv/app/bin/z"]);
        check("if true; then cd /x; fi; bin/y", &[]);
        check("for f in a; do cd $f; done; bin/y", &[]);
    }

    #[test]
    fn variables() {
        check("APP=/opt/app; exec \"$APP/bin/x\"", &["/opt/app/bin/x"]);
        check("export APP=/opt/app && exec ${APP}/bin/x", &["/opt/app/bin/x"]);
        check("APP=/opt/app; . /etc/x.env; $APP/bin/x", &["/etc/x.env"]);
        check("APP=/opt/app; if a; then APP=/y; fi; $APP/bin/x", &[]);
        check("APP='/opt/a /opt/b'; $APP", &[]);
        check("APP=$(which x); $APP/y", &[]);
        check("trap '/opt/z' EXIT; f() { /opt/y; }; f", &[]);
        check("cat <<EOF >/tmp/x\n/opt/gone\nEOF\n/opt/a", &["/opt/a"]);
    }
}
