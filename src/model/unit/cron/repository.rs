//! Crontabs that a repository keeps, to be installed on a host.
//!
//! Nothing in the tree says where it is deployed, so a path counts as missing only if it is what git knows a commit to
//! have removed from the tree.

use std::path::{Path, PathBuf};

use super::{Crontab, FAILS, Form};
use crate::classify::{Kind, Standing};
use crate::facts::Body;
use crate::knowledge::command::commands;
use crate::model::deploy::Mapping;
use crate::model::resolve::FactsByFile;
use crate::model::unit::command::{Reference, is_assignment};
use crate::model::unit::{Domain, Job, Need, Role, State};
use crate::source::{FileId, Look, RootId, RootKind, Sources};
use crate::syntax::Fragment;
use crate::syntax::directive::{Directive, Format};

/// Words that begin a command and are no programs of their own.
const BUILTINS: [&str; 8] = ["cd", ".", "source", "export", "set", "if", "(", "{"];

/// Finds the entries of the crontabs of repositories. Every path is taken for missing until git is asked.
pub(in crate::model::unit) fn jobs(facts: &FactsByFile, sources: &Sources) -> Vec<Job> {
    let mut found = Vec::new();
    for (file, facts) in facts {
        if facts.kind != Kind::Directive(Format::Crontab) || facts.standing != Standing::Production {
            continue;
        }
        let Some(entry) = sources.file(*file) else { continue };
        let in_repository = sources.root(entry.root).is_some_and(|root| root.kind != RootKind::Host);
        let Body::Table(lines) = &facts.body else { continue };
        if !in_repository {
            continue;
        }
        let with_user = has_users(&entry.path, lines);
        let form = |line: &Directive| {
            if with_user {
                return Some(Form::WithUser);
            }
            line.fields.last().is_some_and(begins_a_command).then_some(Form::OfUser(""))
        };
        let tab = Crontab { file: *file, listed: None, form: &form, home: &|_| None };
        for mut one in tab.entries(lines) {
            let references = std::mem::take(&mut one.found.references).into_iter();
            let needs = references.filter_map(|reference| need(reference, *file)).collect();
            found.push(one.job(entry.path.display().to_string(), entry.root, *file, Domain::System, needs));
        }
    }
    found
}

/// Says whether a user stands before each command: by where the file is, or because one is `root`.
fn has_users(path: &Path, lines: &[Directive]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let place = path.parent().and_then(Path::file_name).unwrap_or_default();
    let by_place = place == "cron.d" || name.ends_with(".cron.d") || place == "etc" && name == "crontab";
    by_place || lines.iter().any(|line| line.fields.last().is_some_and(|rest| first_word(rest) == "root"))
}

fn first_word(rest: &Fragment) -> &str {
    rest.text.split_ascii_whitespace().next().unwrap_or_default()
}

/// Says whether the first word is a command for certain; it could be a user.
fn begins_a_command(rest: &Fragment) -> bool {
    let word = first_word(rest);
    let table = commands();
    word.contains('/')
        || is_assignment(word)
        || BUILTINS.contains(&word)
        || table.guards.commands.iter().any(|guard| guard == word)
        || table.shell(word).is_some()
        || table.wrapper(word).is_some()
        || table.interpreter(word).is_some()
        || table.project_tool(word).is_some()
}

fn need(reference: Reference, file: FileId) -> Option<Need> {
    // git knows files only.
    if reference.role == Role::Directory {
        return None;
    }
    Some(Need {
        state: State::Missing { ancestor: PathBuf::from("/"), dangling: None },
        fails: reference.role.fails_behind_a_program().unwrap_or_else(|| FAILS.to_owned()),
        path: reference.paths.into_iter().next()?,
        place: file.span(reference.bytes).into(),
        written: reference.written,
        setting: "the command".to_owned(),
        role: reference.role,
        program_in_string: None,
        removal: None,
        unexplained: None,
        variables: Vec::new(),
        repository: None,
    })
}

/// Returns what the path of a host may be in the repository that keeps the crontab, where it is not there: as the user
/// says, beside an `etc` that is laid over a host's root, and below what looks like a checkout.
pub(in crate::model::unit) fn places(
    job: &Job,
    path: &Path,
    mapping: &Mapping<'_>,
    sources: &Sources,
) -> Vec<(RootId, PathBuf)> {
    let mut found: Vec<(RootId, PathBuf)> = mapping.stated_path(path).into_iter().collect();
    let crontab = sources.file(job.file).map(|entry| entry.path.as_path());
    let etc = crontab.and_then(|path| path.ancestors().skip(1).find(|above| above.ends_with("etc")));
    if let Some(over) = etc.and_then(Path::parent) {
        found.push((job.root, over.join(path.strip_prefix("/").unwrap_or(path))));
    }
    found.extend(mapping.guesses(job.root, path));
    found.retain(|(root, path)| matches!(sources.look(*root, &Path::new("/").join(path)), Look::Absent { .. }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::directive;

    #[test]
    fn where_users_stand() {
        let check = |path: &str, text: &str, expected: bool| {
            let lines = directive::parse(Format::Crontab, text.as_bytes()).tree;
            assert_eq!(has_users(Path::new(path), &lines), expected, "{path} {text}");
        };
        check("deploy/cron.d/shop", "@daily deploy /srv/x\n", true);
        check("debian/shop.cron.d", "@daily deploy /srv/x\n", true);
        check("etc/crontab", "@daily deploy /srv/x\n", true);
        check("deploy/crontab", "@daily deploy /srv/x\n", false);
        check("deploy/crontab", "@daily deploy /srv/x\n0 1 * * * root /srv/y\n", true);
    }

    #[test]
    fn users_or_commands() {
        for (rest, expected) in [
            ("cd /srv/x && y", true),
            ("/srv/x", true),
            ("A=1 x", true),
            ("bundle exec x", true),
            ("python3 x.py", true),
            ("deploy /srv/x", false),
            ("rsync /srv/x y:", false),
            ("", false),
        ] {
            assert_eq!(begins_a_command(&Fragment::verbatim(rest, 0)), expected, "{rest}");
        }
    }
}
