//! From a command line to every file that it needs: through wrappers, shells and interpreters.

mod follow;
mod tool;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Role;
use crate::knowledge::place::places;
use crate::source::Bytes;
use crate::syntax::Fragment;

pub(super) use follow::{Follower, follow, follow_script, is_assignment};

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
    /// Variables whose value is known.
    pub variables: BTreeMap<String, String>,
    /// Paths that earlier commands of the job made.
    pub made: BTreeSet<PathBuf>,
}

/// What following a command line brought to light.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Found {
    pub references: Vec<Reference>,
    pub programs: Vec<Program>,
}

/// A program that runs in the end, wrappers and shells taken off.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Program {
    /// The program and its arguments.
    pub words: Vec<Argument>,
    pub directory: Option<PathBuf>,
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
    pub(super) fn as_known(&self) -> Option<&str> {
        (self.certainty == Certainty::Known).then_some(self.text.text.as_str())
    }

    /// Returns the word from an offset on.
    fn part(&self, from: usize) -> Self {
        let text = self.text.slice(Bytes::new(from, self.text.text.len()));
        Self { text, certainty: self.certainty }
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

    /// Takes `NAME=value` into the environment of what runs next.
    pub(super) fn assign(&mut self, word: &Argument) {
        let Some((name, value)) = word.text.text.split_once('=') else { return };
        let known = word.certainty == Certainty::Known;
        self.set(name, known.then_some(value));
    }

    /// Sets a variable, or makes its value unknown.
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) {
        if name == "HOME" {
            self.home = value.filter(|value| value.starts_with('/')).map(PathBuf::from);
        }
        match value {
            Some(value) => {
                self.variables.insert(name.to_owned(), value.to_owned());
            }
            None => {
                self.variables.remove(name);
            }
        }
    }

    /// Returns the value of a variable, if it is known.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        if name == "HOME" {
            return self.home.as_deref().and_then(Path::to_str).map(str::to_owned);
        }
        self.variables.get(name).cloned()
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
            ..Surroundings::default()
        };
        let mut found = Found::default();
        follow(&argv, &mut around, &mut found);
        let paths: Vec<String> =
            found.references.iter().map(|reference| reference.paths.first().unwrap().display().to_string()).collect();
        assert_eq!(paths, expected, "{line}");
    }

    #[test]
    fn wrappers_and_interpreters() {
        check("/usr/bin/env A=1 -u B python3 -u run.py", &["/usr/bin/env", "/srv/app/run.py"]);
        check("/usr/bin/python3 -m app", &["/usr/bin/python3"]);
        check("/usr/bin/python3.11 -W ignore /opt/x.py a", &["/usr/bin/python3.11", "/opt/x.py"]);
        check("/usr/bin/node --env-file .env server.js", &["/usr/bin/node", "/srv/app/.env", "/srv/app/server.js"]);
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
    fn tools_that_find_their_program() {
        check("/usr/bin/bundle exec puma -C config/puma.rb", &["/usr/bin/bundle", "/srv/app/config/puma.rb"]);
        check("/usr/bin/bundle exec --keep-file-descriptors bin/x", &["/usr/bin/bundle", "/srv/app/bin/x"]);
        check("/usr/bin/bundle install --path x/y", &["/usr/bin/bundle"]);
        check("/usr/local/bin/mise exec node@20 -- node app.js", &["/usr/local/bin/mise", "/srv/app/app.js"]);
        check("/usr/bin/poetry run python a/run.py", &["/usr/bin/poetry", "/srv/app/a/run.py"]);
        check("/usr/bin/env -S python3 -u x.py", &["/usr/bin/env", "/srv/app/x.py"]);
        check("/usr/bin/env -S 'A=1 python3 -u x.py'", &["/usr/bin/env", "/srv/app/x.py"]);
        check("/usr/bin/env -C /srv/b bin/x", &["/usr/bin/env", "/srv/b", "/srv/b/bin/x"]);
        check("/usr/bin/env A=/opt sh -c '$A/run'", &["/usr/bin/env", "/opt/run"]);
        check("/usr/bin/systemd-run --unit x -p A=b /opt/run bin/y", &["/usr/bin/systemd-run", "/opt/run"]);
        check(
            "/sbin/start-stop-daemon --start --pidfile /run/x --exec /usr/sbin/x --chdir /srv -- -c y",
            &["/sbin/start-stop-daemon", "/srv", "/usr/sbin/x"],
        );
        check("/sbin/start-stop-daemon --stop --exec /usr/sbin/x", &["/sbin/start-stop-daemon"]);
    }

    #[test]
    fn files_that_programs_are_told() {
        check("/usr/bin/gunicorn -c conf.py app:app", &["/usr/bin/gunicorn", "/srv/app/conf.py"]);
        check("/usr/bin/gunicorn -c python:app.conf app:app", &["/usr/bin/gunicorn"]);
        check("/usr/sbin/nginx -c nginx.conf", &["/usr/sbin/nginx"]);
        check("/usr/sbin/nginx -c /etc/n.conf", &["/usr/sbin/nginx", "/etc/n.conf"]);
        check("/usr/bin/redis-server /etc/redis.conf --port 1", &["/usr/bin/redis-server", "/etc/redis.conf"]);
        check("/usr/bin/redis-server --port 1", &["/usr/bin/redis-server"]);
        check("/usr/bin/caddy run --config=/etc/C", &["/usr/bin/caddy", "/etc/C"]);
        check("/usr/bin/caddy reload --config /etc/C", &["/usr/bin/caddy"]);
        check("/usr/sbin/php-fpm8.2 --fpm-config /etc/p", &["/usr/sbin/php-fpm8.2", "/etc/p"]);
        check("/usr/bin/npm run start", &["/usr/bin/npm", "/srv/app/package.json"]);
        check("/usr/bin/npm --prefix=/x run start", &["/usr/bin/npm", "/x/package.json"]);
        check("/usr/bin/npm ci", &["/usr/bin/npm"]);
    }

    #[test]
    fn shells() {
        check("/bin/sh /opt/start.sh", &["/bin/sh", "/opt/start.sh"]);
        check("/bin/bash -lc 'exec bin/x'", &["/bin/bash", "/srv/app/bin/x"]);
        check("/bin/bash -euo pipefail -c '/opt/x; /opt/y'", &["/bin/bash", "/opt/x", "/opt/y"]);
        check("/bin/bash --login -c /opt/x", &["/bin/bash", "/opt/x"]);
    }
}
