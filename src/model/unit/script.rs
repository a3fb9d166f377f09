//! What a shell text needs: a small, honest reading that gives up where a branch or a variable decides.

use super::Role;
use super::command::{Argument, Certainty, Follower, Reference, Surroundings};
use crate::knowledge::command::commands;
use crate::syntax::Fragment;
use crate::syntax::shell::{Command, Item, Joined, Node, Part, Word, parse};

/// Follows a shell text. What it makes and where it goes changes `around`.
pub(super) fn follow(text: &Fragment, around: &mut Surroundings, found: &mut Vec<Reference>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let parsed = parse(text);
    list(&parsed.tree, around, found, depth);
}

/// Whether the commands after this point still run for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Goes,
    Ended,
}

fn list(items: &[Item], around: &mut Surroundings, found: &mut Vec<Reference>, depth: usize) -> Flow {
    // Within one chain of `&&` and `||`: everything after a test or an alternative is optional.
    let mut optional = false;
    for (index, item) in items.iter().enumerate() {
        match item.joined {
            Joined::First | Joined::Then | Joined::AfterBackground | Joined::Pipe => optional = false,
            Joined::And => {}
            Joined::Or => optional = true,
        }
        let next = items.get(index + 1).map(|next| next.joined);
        if item.tainted {
            // What follows may belong to the broken part.
            return Flow::Ended;
        }
        match &item.node {
            Node::Command(command) => {
                let name = name(command);
                let alternative = next == Some(Joined::Or) && name.as_deref() != Some("exec");
                let guard = name.as_deref().is_some_and(is_guard);
                if !optional && !alternative && !guard {
                    if run(command, next, around, found, depth) == Flow::Ended {
                        return Flow::Ended;
                    }
                } else if name.as_deref() == Some("cd") {
                    around.directory = None;
                }
                optional |= guard || alternative;
            }
            Node::Group { list: inner, subshell } => {
                if optional || next == Some(Joined::Or) {
                    around.directory = None;
                    optional = true;
                } else if *subshell {
                    let mut copy = around.clone();
                    list(inner, &mut copy, found, depth);
                    around.made = copy.made;
                } else if list(inner, around, found, depth) == Flow::Ended {
                    return Flow::Ended;
                }
            }
            Node::Not(_) => optional = true,
            // Which way they go is not decided here, nor what they leave behind.
            Node::If { .. } | Node::Loop { .. } | Node::Case { .. } | Node::Other => around.directory = None,
            Node::Function { .. } => {}
        }
    }
    Flow::Goes
}

fn is_guard(name: &str) -> bool {
    commands().guards.commands.iter().any(|guard| guard == name)
}

fn name(command: &Command) -> Option<String> {
    command.words.first()?.as_text()
}

fn run(
    command: &Command,
    next: Option<Joined>,
    around: &mut Surroundings,
    found: &mut Vec<Reference>,
    depth: usize,
) -> Flow {
    let Some(name) = name(command) else {
        let argv = arguments(command, around);
        Follower { around, found }.command(&argv, depth);
        return Flow::Goes;
    };
    match name.as_str() {
        "cd" | "pushd" => {
            let target = command.words.get(1).map(|word| argument(word, around));
            let known = target.as_ref().filter(|target| target.certainty == Certainty::Known);
            let directory = match (&target, known) {
                (None, _) => around.home.clone(),
                (_, Some(target)) => around.absolute(&target.text.text),
                _ => None,
            };
            if let (Some(directory), Some(target)) = (&directory, &target)
                && next == Some(Joined::And)
                && !around.makes(directory)
            {
                found.push(Reference {
                    paths: vec![directory.clone()],
                    role: Role::Directory,
                    bytes: target.text.file_bytes(),
                    written: target.text.text.clone(),
                });
            }
            around.directory = directory;
            Flow::Goes
        }
        "." | "source" => {
            if let Some(word) = command.words.get(1) {
                let target = argument(word, around);
                // Without a slash it is searched in PATH.
                if target.certainty == Certainty::Known
                    && target.text.text.contains('/')
                    && let Some(path) = around.absolute(&target.text.text)
                    && !around.makes(&path)
                {
                    found.push(Reference {
                        paths: vec![path],
                        role: Role::Sourced,
                        bytes: target.text.file_bytes(),
                        written: target.text.text.clone(),
                    });
                }
            }
            Flow::Goes
        }
        "exit" | "return" => Flow::Ended,
        _ => {
            let argv = arguments(command, around);
            Follower { around, found }.command(&argv, depth);
            if name == "exec" && command.words.len() > 1 { Flow::Ended } else { Flow::Goes }
        }
    }
}

fn arguments(command: &Command, around: &Surroundings) -> Vec<Argument> {
    command.words.iter().map(|word| argument(word, around)).collect()
}

/// Reads a word; `$HOME` and an unquoted `~` are the job's user's home.
fn argument(word: &Word, around: &Surroundings) -> Argument {
    let mut text = String::new();
    let mut certainty = if word.is_glob() { Certainty::Variable } else { Certainty::Known };
    for (index, part) in word.parts.iter().enumerate() {
        match part {
            Part::Text { text: written, quoted: false } if index == 0 && written.starts_with('~') => {
                let rest = written.strip_prefix('~').unwrap_or_default();
                match home(around).filter(|_| rest.is_empty() || rest.starts_with('/')) {
                    Some(home) => {
                        text.push_str(&home);
                        text.push_str(rest);
                    }
                    None => certainty = Certainty::Variable,
                }
            }
            Part::Text { text: written, .. } => text.push_str(written),
            Part::Variable { name, operator: None, .. } if name == "HOME" => match home(around) {
                Some(home) => text.push_str(&home),
                None => certainty = Certainty::Variable,
            },
            _ => certainty = Certainty::Variable,
        }
    }
    let mut fragment = Fragment::default();
    fragment.push(&text, word.bytes);
    if text.is_empty() {
        certainty = Certainty::Variable;
    }
    Argument { text: fragment, certainty }
}

fn home(around: &Surroundings) -> Option<String> {
    around.home.as_deref().and_then(|home| home.to_str()).map(str::to_owned)
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
        let mut found = Vec::new();
        follow(&Fragment::verbatim(text, 0), &mut around, &mut found, 5);
        let paths: Vec<String> =
            found.iter().map(|reference| reference.paths.first().unwrap().display().to_string()).collect();
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
        check("if [ -f /opt/a ]; then /opt/a; fi; bin/x", &[]);
        check("command -v /opt/a >/dev/null && /opt/a", &[]);
        check("for f in a b; do /opt/a $f; done", &[]);
        check("mkdir -p /srv/out && cd /srv/out && /opt/a", &["/opt/a"]);
    }
}
