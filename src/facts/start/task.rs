//! Containers of a task definition of ECS (Amazon ECS API reference, ContainerDefinition).

use super::tree::{Tree, fragment};
use super::{Line, Setting, Start, probe};
use crate::syntax::data::{Document, Node};

/// Returns one start for each container. What describes a task has its definition one level deeper.
pub(super) fn starts(document: &Document) -> Vec<Start> {
    let tree = Tree::of(document);
    let Some(root) = document.roots.first() else { return Vec::new() };
    let task = tree.get(root, "taskDefinition").unwrap_or(root);
    let containers = tree.get(task, "containerDefinitions").map(|all| tree.items(all)).unwrap_or_default();
    containers.into_iter().map(|one| container(&tree, one)).collect()
}

fn container<'a>(tree: &Tree<'a>, node: &'a Node) -> Start {
    let words = |key: &str| {
        // `[]` is how tools write that the image has the say.
        let items = Some(tree.items(tree.get(node, key)?)).filter(|items| !items.is_empty())?;
        Some(Line::Words(items.into_iter().filter_map(fragment).collect()))
    };
    let list = |key: &str| tree.get(node, key).map(|list| tree.items(list)).unwrap_or_default();
    let mut settings = Vec::new();
    for (key, shown) in [("environment", true), ("secrets", false)] {
        for item in list(key) {
            let Some(name) = tree.text(item, "name") else { continue };
            let value = tree.text(item, "value").filter(|_| shown).map(str::to_owned);
            let bytes = tree.get(item, "value").unwrap_or(item).bytes;
            settings.push(Setting { name: name.to_owned(), value, bytes });
        }
    }
    Start {
        name: tree.text(node, "name").unwrap_or_default().to_owned(),
        entrypoint: words("entryPoint"),
        command: words("command"),
        settings,
        hidden: !list("environmentFiles").is_empty(),
        directory: tree.text(node, "workingDirectory").map(str::to_owned),
        stop: tree.get(node, "stopTimeout").and_then(fragment),
        probes: probe::of_task(tree, node).into_iter().collect(),
        ports: probe::ports(tree, node, "portMappings"),
        ..Start::default()
    }
}
