//! Services of a compose file (compose-spec 05-services.md).

use super::tree::{Pair, Tree, fragment};
use super::{EnvironmentFile, Line, Setting, Start, probe};
use crate::source::Bytes;
use crate::syntax::data::{Document, Kind, Node};

pub(super) fn starts(document: &Document) -> Vec<Start> {
    let tree = Tree::of(document);
    let Some(root) = document.roots.first() else { return Vec::new() };
    let Some(services) = tree.get(root, "services") else { return Vec::new() };
    tree.pairs(services).into_iter().map(|service| start(&tree, &service)).collect()
}

fn start<'a>(tree: &Tree<'a>, service: &Pair<'a>) -> Start {
    let node = service.value;
    Start {
        name: service.key.to_owned(),
        entrypoint: tree.get(node, "entrypoint").and_then(|line| self::line(tree, line)),
        command: tree.get(node, "command").and_then(|line| self::line(tree, line)),
        files: tree.get(node, "env_file").map(|files| self::files(tree, files)).unwrap_or_default(),
        settings: tree.get(node, "environment").map(|all| settings(tree, all)).unwrap_or_default(),
        // Another service's variables, perhaps of another file.
        hidden: tree.get(node, "extends").is_some(),
        image: tree.get(node, "build").map(|build| image(tree, build)),
        copies: copies(tree, node),
        directory: tree.text(node, "working_dir").map(str::to_owned),
        stop: tree.get(node, "stop_grace_period").and_then(fragment),
        signal: tree.text(node, "stop_signal").map(str::to_owned),
        probes: probe::of_service(tree, service).into_iter().collect(),
        pulled: tree.text(node, "image").map(str::to_owned),
        labels: if tree.get(node, "healthcheck").is_some() { labels(tree, node) } else { Vec::new() },
        mounted: tree
            .get(node, "volumes")
            .is_some_and(|volumes| tree.items(volumes).into_iter().any(|one| mounts(tree, one))),
        ..Start::default()
    }
}

/// Says whether a volume is a directory beside the file that becomes the application's: `.:/app`, `./app:/srv/app`.
fn mounts<'a>(tree: &Tree<'a>, volume: &'a Node) -> bool {
    let (source, target) = match volume.as_text() {
        Some(text) => text.split_once(':').unwrap_or((text, "")),
        None => (tree.text(volume, "source").unwrap_or_default(), tree.text(volume, "target").unwrap_or_default()),
    };
    let target = target.split(':').next().unwrap_or_default();
    let source = source.trim_end_matches('/');
    // `./storage:/app/storage` is data.
    let whole = matches!(source, "." | "./" | ".." | "${PWD}" | "$PWD");
    let code = ["./src", "./app", "./backend", "./server", "./api", "./web", "./code", "../"];
    whole || code.iter().any(|known| source == *known || source.starts_with("../")) && !target.is_empty()
}

pub(super) fn line<'a>(tree: &Tree<'a>, node: &'a Node) -> Option<Line> {
    match &tree.resolve(node).kind {
        Kind::List(_) => Some(Line::Words(tree.items(node).into_iter().filter_map(fragment).collect())),
        Kind::Scalar(_) => fragment(tree.resolve(node)).map(Line::Plain),
        _ => None,
    }
}

fn files<'a>(tree: &Tree<'a>, node: &'a Node) -> Vec<EnvironmentFile> {
    let one = |node: &'a Node| match &node.kind {
        Kind::Map(_) => Some(EnvironmentFile {
            path: fragment(tree.get(node, "path")?)?,
            required: tree.text(node, "required") != Some("false"),
        }),
        _ => Some(EnvironmentFile { path: fragment(node)?, required: true }),
    };
    match &node.kind {
        Kind::List(_) => tree.items(node).into_iter().filter_map(one).collect(),
        _ => one(node).into_iter().collect(),
    }
}

fn settings<'a>(tree: &Tree<'a>, node: &'a Node) -> Vec<Setting> {
    if let Kind::List(_) = node.kind {
        let item = |item: &'a Node| {
            let text = item.as_text()?;
            // A name alone hands on what the shell of `docker compose` has.
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (text, None),
            };
            Some(Setting { name: name.to_owned(), value, bytes: item.bytes })
        };
        return tree.items(node).into_iter().filter_map(item).collect();
    }
    let pair = |pair: Pair<'a>| Setting {
        name: pair.key.to_owned(),
        value: value(pair.value),
        bytes: if pair.value.bytes == Bytes::default() { pair.bytes } else { pair.value.bytes },
    };
    tree.pairs(node).into_iter().map(pair).collect()
}

/// `KEY:` with nothing behind it hands on the shell's value; `KEY: ""` is empty.
fn value(node: &Node) -> Option<String> {
    node.as_text().filter(|text| !matches!(*text, "" | "~" | "null") || is_quoted(node)).map(str::to_owned)
}

fn is_quoted(node: &Node) -> bool {
    node.as_scalar().is_some_and(|scalar| scalar.style == crate::syntax::data::Style::Quoted)
}

fn image<'a>(tree: &Tree<'a>, build: &'a Node) -> String {
    if let Some(context) = build.as_text() {
        return format!("{}/Dockerfile", context.trim_end_matches('/'));
    }
    let context = tree.text(build, "context").unwrap_or(".");
    let file = tree.text(build, "dockerfile").unwrap_or("Dockerfile");
    format!("{}/{file}", context.trim_end_matches('/'))
}

/// `a: b`, or `a=b` in a list.
fn labels<'a>(tree: &Tree<'a>, node: &'a Node) -> Vec<(String, String)> {
    let Some(all) = tree.get(node, "labels") else { return Vec::new() };
    let listed = tree.items(all).into_iter().filter_map(|item| {
        let (name, value) = item.as_text()?.split_once('=')?;
        Some((name.to_owned(), value.to_owned()))
    });
    let mapped =
        tree.pairs(all).into_iter().filter_map(|pair| Some((pair.key.to_owned(), pair.value.as_text()?.to_owned())));
    listed.chain(mapped).collect()
}

/// `deploy.replicas`, or `scale`.
fn copies<'a>(tree: &Tree<'a>, node: &'a Node) -> Option<u32> {
    let deployed = tree.get(node, "deploy").and_then(|deploy| tree.text(deploy, "replicas"));
    deployed.or_else(|| tree.text(node, "scale"))?.parse().ok()
}
