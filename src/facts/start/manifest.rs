//! Workloads of Kubernetes and the manifests of platforms.

use super::tree::{Tree, fragment};
use super::{Line, Setting, Start, probe};
use crate::syntax::data::{Document, Node};

/// Deployments, StatefulSets, Jobs and the like: every container of the pod template.
pub(super) fn kubernetes(document: &Document) -> Vec<Start> {
    const KINDS: [&str; 7] = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod"];
    let tree = Tree::of(document);
    let mut starts = Vec::new();
    for root in &document.roots {
        if !tree.text(root, "kind").is_some_and(|kind| KINDS.contains(&kind)) {
            continue;
        }
        let name = tree.get(root, "metadata").and_then(|metadata| tree.text(metadata, "name")).unwrap_or_default();
        let copies = tree.get(root, "spec").and_then(|spec| tree.text(spec, "replicas")?.parse().ok());
        let Some(spec) = tree.get(root, "spec").map(|spec| pod(&tree, spec)) else { continue };
        let containers = tree.get(spec, "containers").map(|containers| tree.items(containers)).unwrap_or_default();
        let several = containers.len() > 1;
        for container in containers {
            let own = tree.text(container, "name").unwrap_or_default();
            let name = if several { format!("{name}/{own}") } else { name.to_owned() };
            let stop = tree.get(spec, "terminationGracePeriodSeconds").and_then(fragment);
            starts.push(Start { copies, stop, ..self::container(&tree, container, name) });
        }
    }
    starts
}

/// Finds the pod's spec: directly, in a template, or in a job's template.
fn pod<'a>(tree: &Tree<'a>, spec: &'a Node) -> &'a Node {
    let mut spec = spec;
    for key in ["jobTemplate", "template"] {
        if let Some(inner) = tree.get(spec, key).and_then(|template| tree.get(template, "spec")) {
            spec = inner;
        }
    }
    spec
}

fn container<'a>(tree: &Tree<'a>, node: &'a Node, name: String) -> Start {
    let words = |key: &str| {
        let items = tree.items(tree.get(node, key)?);
        Some(Line::Words(items.into_iter().filter_map(fragment).collect()))
    };
    let mut settings = Vec::new();
    for item in tree.get(node, "env").map(|list| tree.items(list)).unwrap_or_default() {
        let Some(name) = tree.text(item, "name") else { continue };
        // `$(X)` is filled from variables that stand before.
        let value = tree.text(item, "value").filter(|value| !value.contains("$(")).map(str::to_owned);
        let bytes = tree.get(item, "value").unwrap_or(item).bytes;
        settings.push(Setting { name: name.to_owned(), value, bytes });
    }
    Start {
        name,
        entrypoint: words("command"),
        command: words("args"),
        settings,
        hidden: tree.get(node, "envFrom").is_some(),
        directory: tree.text(node, "workingDir").map(str::to_owned),
        pause: probe::pause(tree, node),
        probes: probe::of_container(tree, node),
        ports: probe::ports(tree, node, "ports"),
        ..Start::default()
    }
}

/// fly.toml: `[processes]`, `[env]` for all of them.
pub(super) fn fly(document: &Document) -> Vec<Start> {
    let tree = Tree::of(document);
    let Some(root) = document.roots.first() else { return Vec::new() };
    let settings: Vec<Setting> = tree.get(root, "env").map(|all| pairs(&tree, all)).unwrap_or_default();
    let processes = tree.get(root, "processes").map(|all| tree.pairs(all)).unwrap_or_default();
    processes
        .into_iter()
        .filter_map(|pair| {
            Some(Start {
                name: pair.key.to_owned(),
                command: Some(Line::Plain(fragment(pair.value)?)),
                settings: settings.clone(),
                stop: tree.get(root, "kill_timeout").and_then(fragment),
                signal: tree.text(root, "kill_signal").map(str::to_owned),
                ..Start::default()
            })
        })
        .collect()
}

fn pairs<'a>(tree: &Tree<'a>, node: &'a Node) -> Vec<Setting> {
    tree.pairs(node)
        .into_iter()
        .map(|pair| Setting {
            name: pair.key.to_owned(),
            value: pair.value.as_text().map(str::to_owned),
            bytes: pair.value.bytes,
        })
        .collect()
}

/// render.yaml: services with a start command.
pub(super) fn render(document: &Document) -> Vec<Start> {
    let tree = Tree::of(document);
    let Some(root) = document.roots.first() else { return Vec::new() };
    let services = tree.get(root, "services").map(|services| tree.items(services)).unwrap_or_default();
    services
        .into_iter()
        .filter_map(|service| {
            let command = tree.get(service, "startCommand").and_then(fragment)?;
            let mut start = Start {
                name: tree.text(service, "name").unwrap_or_default().to_owned(),
                command: Some(Line::Shell(command)),
                directory: tree.text(service, "rootDir").map(str::to_owned),
                stop: tree.get(service, "maxShutdownDelaySeconds").and_then(fragment),
                ..Start::default()
            };
            for item in tree.get(service, "envVars").map(|list| tree.items(list)).unwrap_or_default() {
                match tree.text(item, "key") {
                    Some(name) => start.settings.push(Setting {
                        name: name.to_owned(),
                        value: tree.text(item, "value").map(str::to_owned),
                        bytes: tree.get(item, "value").unwrap_or(item).bytes,
                    }),
                    None => start.hidden = true,
                }
            }
            Some(start)
        })
        .collect()
}

/// Returns the keys of a manifest.
pub(super) fn keys(document: &Document) -> Vec<String> {
    let tree = Tree::of(document);
    document
        .roots
        .first()
        .map(|root| tree.pairs(root))
        .unwrap_or_default()
        .into_iter()
        .map(|pair| pair.key.to_owned())
        .collect()
}

/// app.json: the variables that an application is created with; its processes stand in a Procfile (Heroku's app.json
/// schema, `env`: a text, or a map with `value`).
pub(super) fn app(document: &Document) -> Vec<Start> {
    let tree = Tree::of(document);
    let Some(all) = document.roots.first().and_then(|root| tree.get(root, "env")) else { return Vec::new() };
    let setting = |pair: super::tree::Pair<'_>| {
        let value = tree.get(pair.value, "value").unwrap_or(pair.value);
        let text = value.as_text()?;
        Some(Setting { name: pair.key.to_owned(), value: Some(text.to_owned()), bytes: value.bytes })
    };
    let settings = tree.pairs(all).into_iter().filter_map(setting).collect();
    vec![Start { settings, ..Start::default() }]
}

#[cfg(test)]
mod tests {
    use super::super::{Format, of_document};
    use crate::syntax::data;

    #[test]
    fn a_service_of_render_starts_in_its_directory() {
        let text = "services:\n  - { name: web, rootDir: apps/web, startCommand: npm start }\n";
        let parsed = data::parse(data::Format::Yaml, text.as_bytes());
        let starts = of_document(Format::Render, &parsed.tree).starts;
        let directories: Vec<_> = starts.iter().map(|start| start.directory.as_deref()).collect();
        assert_eq!(directories, [Some("apps/web")]);
    }
}
