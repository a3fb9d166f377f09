//! Scripts that ask a web server whether it answers and restart it if it does not. A script is gone through twice, once
//! with a server that never answers and once with one that always does: what only the first comes to is its reaction.

mod arithmetic;
mod machine;
mod words;

use super::Around;
use crate::classify::{Kind, Standing};
use crate::facts::Body;
use crate::facts::start::Line;
use crate::knowledge::timeout::probes;
use crate::source::{Bytes, FileId, Span};
use crate::syntax::Fragment;
use crate::syntax::directive::Format;
use crate::syntax::shell::{self, Item, Node, Part, Word};
use machine::{Answer, Machine};

/// A script's reaction to a server that does not answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Watchdog {
    pub asks_at: Span,
    /// `curl`.
    pub asker: String,
    /// The port that it asks, if the address has one.
    pub port: Option<u16>,
    pub acts_at: Span,
    /// Tries without an answer until it acts.
    pub failures: u64,
    /// Milliseconds that one try may take.
    pub timeout: Option<u64>,
    /// Milliseconds from the first try to the reaction, at least.
    pub soonest: u64,
    /// At most; nothing if a try has no limit or a pause is not known.
    pub latest: Option<u64>,
    /// It stops to react after some times.
    pub capped: bool,
}

/// Lists in lists, deeper than anybody writes.
const DEPTH: usize = 24;

/// Finds them in scripts, crontabs and unit files.
pub(super) fn watchdogs(around: Around<'_>) -> Vec<Watchdog> {
    let mut found = Vec::new();
    for facts in around.facts.values().filter(|facts| facts.standing == Standing::Production) {
        match &facts.body {
            Body::Script(script) => found.extend(of_list(facts.file, &script.list)),
            Body::Table(lines) if facts.kind == Kind::Directive(Format::Crontab) => {
                for command in lines.iter().filter_map(|line| line.fields.last()) {
                    if is_about_it(&command.text) {
                        found.extend(of_entry(facts.file, command));
                    }
                }
            }
            Body::Systemd(unit) => {
                for setting in unit.settings.iter().filter(|setting| setting.key == "ExecStart") {
                    if is_about_it(&setting.value.text) {
                        found.extend(of_list(facts.file, &shell::parse(&setting.value).tree));
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Reads an entry of a crontab, before whose command a user may stand.
fn of_entry(file: FileId, command: &Fragment) -> Option<Watchdog> {
    of_list(file, &shell::parse(command).tree).or_else(|| {
        let user = command.text.find(char::is_whitespace)?;
        of_list(file, &shell::parse(&command.slice(Bytes::new(user, command.text.len()))).tree)
    })
}

/// Says whether a command line holds both halves, before it is parsed.
fn is_about_it(text: &str) -> bool {
    let any = |mut names: Box<dyn Iterator<Item = &String> + '_>| names.any(|name| text.contains(name.as_str()));
    any(Box::new(probes().askers.iter().flat_map(|row| &row.names)))
        && any(Box::new(probes().actions.iter().flat_map(|row| &row.names)))
}

/// Returns the path and the port that a check's command asks on this machine, if it fails when nobody answers.
pub(super) fn asked(line: &Line) -> Option<(String, Option<u16>)> {
    let words: Vec<&str> = match line {
        Line::Words(words) => words.iter().map(|word| word.text.as_str()).collect(),
        Line::Shell(text) | Line::Plain(text) => text.text.split_whitespace().collect(),
    };
    let script = &probes().script;
    let at = words.iter().position(|word| probes().asker(words::base(word)).is_some())?;
    let ends = words.iter().rev().take_while(|word| !matches!(**word, "||" | ";"));
    if words.contains(&"||") && ends.into_iter().any(|word| words::is_one(&script.harmless, word)) {
        return None;
    }
    words.iter().skip(at + 1).find_map(|word| {
        let word = word.trim_matches(['"', '\'']);
        let rest = word.split_once("://").map_or(word, |(_, rest)| rest);
        let path = rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or("/");
        Some((path.to_owned(), words::local(word)?.port))
    })
}

/// Reads one script.
fn of_list(file: FileId, list: &[Item]) -> Option<Watchdog> {
    if !asks(list, DEPTH) {
        return None;
    }
    let failing = Machine::run(list, Answer::Never);
    let act = failing.acts.first()?;
    let ask = failing.asks.iter().find(|ask| ask.at != act.at)?;
    // What happens as well while the server answers is no reaction.
    if Machine::run(list, Answer::Always).acts.iter().any(|other| other.at == act.at) {
        return None;
    }
    let before = failing.asks.iter().take(act.asks);
    let failures = before.clone().count();
    Some(Watchdog {
        asks_at: file.span(ask.at),
        asker: ask.program.clone(),
        port: ask.port,
        acts_at: file.span(act.at),
        failures: u64::try_from(failures).ok().filter(|failures| *failures > 0)?,
        timeout: ask.limit,
        soonest: act.soonest.saturating_sub(ask.soonest),
        latest: act.latest.zip(ask.latest).map(|(act, ask)| act.saturating_sub(ask)),
        capped: failing.ended && failing.loops && failing.acts.len() < machine::ACTS,
    })
}

/// Says whether some command asks a server of this machine.
fn asks(list: &[Item], depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let in_words = |words: &[Word]| {
        words.iter().flat_map(|word| &word.parts).any(|part| match part {
            Part::Substitution { list, .. } => asks(list, depth),
            _ => false,
        })
    };
    list.iter().any(|item| match &item.node {
        Node::Command(command) => {
            let name = |word: &Word| word.as_text().is_some_and(|text| probes().asker(words::base(&text)).is_some());
            command.words.iter().any(name)
                || in_words(&command.words)
                || command.assignments.iter().any(|assignment| in_words(std::slice::from_ref(&assignment.value)))
                // `sh -c '… curl …'`
                || command.words.iter().any(|word| word.as_text().is_some_and(|text| text.contains(' ') && is_about_it(&text)))
        }
        Node::Not(inner) => asks(std::slice::from_ref(inner), depth),
        Node::Group { list, .. } => asks(list, depth),
        Node::If { arms, otherwise } => {
            arms.iter().any(|arm| asks(&arm.test, depth) || asks(&arm.body, depth))
                || otherwise.as_deref().is_some_and(|list| asks(list, depth))
        }
        Node::Loop { list, body, .. } => asks(list, depth) || asks(body, depth),
        Node::Case { arms, .. } => arms.iter().any(|arm| asks(arm, depth)),
        Node::Function { body, .. } => asks(body, depth),
        Node::Arithmetic(_) | Node::Other => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns failures, soonest and latest in seconds, and whether it is capped.
    fn check(text: &str, expected: Option<(u64, u64, Option<u64>, bool)>) {
        let parsed = shell::parse(&Fragment::verbatim(text, 0));
        let found = of_list(FileId(0), &parsed.tree);
        let found = found.map(|dog| (dog.failures, dog.soonest / 1_000, dog.latest.map(|ms| ms / 1_000), dog.capped));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn loops_with_counters() {
        check(
            "fails=0\nwhile true; do\n  if curl -fsS --max-time 10 http://localhost:3000/up; then fails=0; else fails=$((fails + 1)); fi\n  if [ \"$fails\" -ge 3 ]; then systemctl restart web; fails=0; fi\n  sleep 30\ndone",
            Some((3, 60, Some(90), false)),
        );
        check(
            "MAX=4; n=0; while sleep 15; do curl -sf -m 5 localhost:3000/up || ((n++)); (( n >= MAX )) && { pkill puma; n=0; }; done",
            Some((4, 45, Some(65), false)),
        );
        check(
            "n=0; while :; do if ! curl -m 2 localhost; then n=`expr $n + 1`; [ $n -gt 2 ] && exit 1; kill $PID; fi; sleep 5; done",
            Some((1, 0, Some(2), true)),
        );
        check(
            "while true; do curl localhost:3000 && sleep 9 && continue; launchctl kickstart -k system/x; done",
            Some((1, 0, None, false)),
        );
    }

    #[test]
    fn functions_and_codes() {
        let text = "set -u\nURL=\"http://127.0.0.1:${PORT:-3000}/up\"\nMAX=3\nhealthy() {\n  local code\n  code=$(curl --silent --output /dev/null --write-out '%{http_code}' --max-time 10 \"$URL\")\n  [ \"$code\" = \"200\" ]\n}\nn=0\nwhile true; do\n  sleep 30\n  if healthy; then\n    n=0\n    continue\n  fi\n  n=$((n + 1))\n  if [ \"$n\" -ge \"$MAX\" ]; then\n    kill -USR2 \"$(cat tmp/pids/puma.pid)\"\n    n=0\n  fi\ndone\n";
        check(text, Some((3, 60, Some(90), false)));
    }

    #[test]
    fn tries_without_an_endless_loop() {
        check(
            "for try in 1 2 3; do if curl --max-time 5 \"$URL\"; then exit 0; fi; sleep 5; done\nsystemctl restart web",
            None,
        );
        check(
            "URL=http://localhost:3000/up\nfor try in 1 2 3; do if curl --max-time 5 \"$URL\"; then exit 0; fi; sleep 5; done\nlogger x; systemctl restart web",
            Some((3, 15, Some(30), false)),
        );
        check("curl -sf -m 3 http://127.0.0.1:8000/ || supervisorctl restart web", Some((1, 0, Some(3), false)));
        check(
            "code=$(curl -s -o /dev/null -w '%{http_code}' -m 4 localhost:80/)\nif [ \"$code\" != \"200\" ]; then service puma restart; fi",
            Some((1, 0, Some(4), false)),
        );
        check(
            "up() { wget -q -T 5 -O- http://localhost:3000/up; }\nup || sudo systemctl restart web",
            Some((1, 0, Some(5), false)),
        );
        check(
            "for i in $(seq 1 5); do curl -m 1 localhost && break; sleep 1; done\n[ $i -eq 5 ] && docker restart web",
            Some((5, 5, Some(10), false)),
        );
    }

    #[test]
    fn what_is_no_watchdog() {
        check("systemctl restart web; sleep 5; curl -f localhost:3000/up || exit 1", None);
        check("until curl -sf localhost:3000/up; do sleep 1; done; docker restart nginx", None);
        check("while sleep 30; do curl -m 10 localhost:3000 || logger 'no answer'; done", None);
        check("curl -f localhost:3000/up && systemctl restart old", None);
        check("while curl -m 1 localhost; do kill -0 $PID || exit; sleep 1; done", None);
        check("curl -f https://example.test/ping || systemctl restart network", None);
        check("for i in 1 2 3; do curl localhost && break; done; systemctl restart nginx", None);
    }
}
