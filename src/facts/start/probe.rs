//! What asks a started program whether it is well, and what sleeps before it is stopped: the checks of containers and
//! compose services, as written. Says nothing about what follows from an answer.

use super::Line;
use super::compose::line;
use super::tree::{Pair, Tree, fragment};
use crate::source::Bytes;
use crate::syntax::Fragment;
use crate::syntax::data::{Kind, Node};

/// One check.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    pub role: Role,
    /// The key: `livenessProbe`.
    pub key: Bytes,
    pub asks: Asks,
    /// `periodSeconds`, `interval` and their like, with their values as written.
    pub settings: Vec<(String, Fragment)>,
    /// Settings whose value is not a plain text, or that stand under a condition.
    pub unsure: bool,
}

/// What a failure leads to, by the name of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A restart.
    Liveness,
    /// No more requests.
    Readiness,
    /// A mark that something else may act upon.
    Health,
}

/// How it asks.
#[derive(Clone, Debug, PartialEq)]
pub enum Asks {
    Http {
        path: String,
        port: Option<String>,
    },
    Command(Line),
    /// An open socket, or something else that takes no request thread.
    Other,
}

/// A port that a container names.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    pub name: Option<String>,
    pub number: String,
}

const ROLES: [(&str, Role); 2] = [("livenessProbe", Role::Liveness), ("readinessProbe", Role::Readiness)];

pub(super) fn of_container<'a>(tree: &Tree<'a>, container: &'a Node) -> Vec<Probe> {
    let pairs = tree.pairs(container);
    let probe = |(key, role): (&str, Role)| {
        let pair = pairs.iter().find(|pair| pair.key == key)?;
        let asks = if let Some(http) = tree.get(pair.value, "httpGet") {
            Asks::Http {
                path: tree.text(http, "path").unwrap_or("/").to_owned(),
                port: tree.text(http, "port").map(str::to_owned),
            }
        } else if let Some(command) = tree.get(pair.value, "exec").and_then(|exec| tree.get(exec, "command")) {
            Asks::Command(line(tree, command)?)
        } else {
            Asks::Other
        };
        Some(probe(tree, pair, role, asks))
    };
    ROLES.into_iter().filter_map(probe).collect()
}

/// `healthcheck` of a compose service: `CMD` with words, `CMD-SHELL` and a plain text with a shell's.
pub(super) fn of_service<'a>(tree: &Tree<'a>, service: &Pair<'a>) -> Option<Probe> {
    tested(tree, service.value, "healthcheck", "test")
}

/// `healthCheck` of a container of ECS.
pub(super) fn of_task<'a>(tree: &Tree<'a>, container: &'a Node) -> Option<Probe> {
    tested(tree, container, "healthCheck", "command")
}

fn tested<'a>(tree: &Tree<'a>, node: &'a Node, key: &str, test: &str) -> Option<Probe> {
    let pairs = tree.pairs(node);
    let pair = pairs.iter().find(|pair| pair.key == key)?;
    let test = tree.get(pair.value, test)?;
    let shell = |node: &Node| fragment(node).map(Line::Shell);
    let line = match &test.kind {
        Kind::List(_) => {
            let items = tree.items(test);
            match items.first().and_then(|first| first.as_text())? {
                "CMD-SHELL" => shell(items.get(1)?)?,
                "CMD" => Line::Words(items.into_iter().skip(1).filter_map(fragment).collect()),
                _ => return None,
            }
        }
        _ => shell(test)?,
    };
    Some(probe(tree, pair, Role::Health, Asks::Command(line)))
}

fn probe<'a>(tree: &Tree<'a>, pair: &Pair<'a>, role: Role, asks: Asks) -> Probe {
    let mut settings = Vec::new();
    let mut unsure = pair.value.holds_error();
    for setting in tree.pairs(pair.value) {
        match &setting.value.kind {
            Kind::Scalar(_) => match fragment(setting.value) {
                Some(value) => settings.push((setting.key.to_owned(), value)),
                None => unsure = true,
            },
            Kind::Alias(_) => unsure = true,
            _ => {}
        }
    }
    unsure |= pair.value.entries().iter().any(|entry| !entry.conditions.is_empty());
    Probe { role, key: pair.key_bytes, asks, settings, unsure }
}

pub(super) fn ports<'a>(tree: &Tree<'a>, container: &'a Node, key: &str) -> Vec<Port> {
    let ports = tree.get(container, key).map(|ports| tree.items(ports)).unwrap_or_default();
    let port = |port: &'a Node| {
        let number = tree.text(port, "containerPort")?.to_owned();
        Some(Port { name: tree.text(port, "name").map(str::to_owned), number })
    };
    ports.into_iter().filter_map(port).collect()
}

/// `lifecycle.preStop`: `sleep: { seconds: 5 }`, `exec: { command: ["sleep", "5"] }`, `["sh", "-c", "sleep 5"]`.
pub(super) fn pause<'a>(tree: &Tree<'a>, container: &'a Node) -> Option<Fragment> {
    let before = tree.get(tree.get(container, "lifecycle")?, "preStop")?;
    if let Some(sleep) = tree.get(before, "sleep") {
        return tree.get(sleep, "seconds").and_then(fragment);
    }
    let command = tree.get(tree.get(before, "exec")?, "command")?;
    let words: Vec<Fragment> = tree.items(command).into_iter().filter_map(fragment).collect();
    let after_sleep = |text: &Fragment| {
        let (before, rest) = text.text.split_once("sleep ")?;
        let digits = rest.trim_start().bytes().take_while(u8::is_ascii_digit).count();
        let start = before.len() + "sleep ".len() + (rest.len() - rest.trim_start().len());
        (digits > 0 && (before.is_empty() || before.ends_with([' ', ';', '/', '&'])))
            .then(|| text.slice(Bytes::new(start, start + digits)))
    };
    match words.as_slice() {
        [program, seconds] if program.text.rsplit('/').next() == Some("sleep") => Some(seconds.clone()),
        words => words.last().and_then(after_sleep),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Start, of_document};
    use super::*;
    use crate::syntax::data;

    fn container(text: &str) -> Start {
        let text = format!("kind: Pod\nmetadata: {{ name: web }}\nspec:\n  containers:\n    - name: a\n{text}");
        let parsed = data::parse(data::Format::Yaml, text.as_bytes());
        of_document(Format::Kubernetes, &parsed.tree).starts.into_iter().next().unwrap_or_default()
    }

    #[test]
    fn pauses() {
        let check = |before: &str, expected: Option<&str>| {
            let start = container(&format!("      lifecycle: {{ preStop: {before} }}\n"));
            assert_eq!(start.pause.map(|pause| pause.text).as_deref(), expected, "{before}");
        };
        check("{ sleep: { seconds: 5 } }", Some("5"));
        check("{ exec: { command: [sleep, '10'] } }", Some("10"));
        check("{ exec: { command: [/bin/sh, -c, 'sleep 15'] } }", Some("15"));
        check("{ exec: { command: [sh, -c, 'touch /tmp/x; sleep 7 && nginx -s quit'] } }", Some("7"));
        check("{ exec: { command: [sh, -c, 'sleep  20'] } }", Some("20"));
        check("{ exec: { command: [nosleep, x] } }", None);
        check("{ httpGet: { path: / } }", None);
    }

    #[test]
    fn checks() {
        let start = container(
            "      livenessProbe:\n        httpGet: { port: http }\n        periodSeconds: 5\n      readinessProbe:\n        tcpSocket: { port: 1 }\n",
        );
        let [live, ready] = start.probes.as_slice() else { panic!("{:?}", start.probes) };
        assert_eq!(live.asks, Asks::Http { path: "/".to_owned(), port: Some("http".to_owned()) });
        assert_eq!(
            live.settings.iter().map(|(key, value)| (key.as_str(), value.text.as_str())).collect::<Vec<_>>(),
            [("periodSeconds", "5")]
        );
        assert_eq!((ready.role, &ready.asks), (Role::Readiness, &Asks::Other));
    }
}
