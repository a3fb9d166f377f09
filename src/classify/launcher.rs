//! Files that say what is started, by their names.

use std::path::Path;

/// The forms of file that declare starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StartFormat {
    Procfile,
    Compose,
    /// A Dockerfile.
    Image,
    Kubernetes,
    Fly,
    Render,
    /// `app.json`: variables of an application whose processes stand in a Procfile.
    App,
    /// A task definition of ECS, by the names that its tools give to it.
    Ecs,
}

/// Folders in which workloads of Kubernetes are kept.
const WORKLOAD_FOLDERS: [&str; 9] =
    ["k8s", ".k8s", "kubernetes", "kube", "manifests", "kustomize", "deploy", "deployment", "deployments"];
/// Folders in which launcher scripts are kept, beside the root.
const LAUNCHER_FOLDERS: [&str; 6] = ["bin", "script", "scripts", "deploy", "ops", "config"];

impl StartFormat {
    pub(super) fn of_path(path: &Path, name: &str) -> Option<Self> {
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let yaml = matches!(extension, "yml" | "yaml");
        let is = |word: &str| name == word || name.strip_prefix(word).is_some_and(|rest| rest.starts_with('.'));
        Some(match name {
            "fly.toml" => Self::Fly,
            "app.json" => Self::App,
            _ if yaml && stem == "render" => Self::Render,
            _ if is("Procfile") => Self::Procfile,
            _ if is("Dockerfile") || is("Containerfile") || extension == "Dockerfile" => Self::Image,
            _ if yaml && (is_compose(stem, "docker-compose") || is_compose(stem, "compose")) => Self::Compose,
            _ if extension == "json" && is_task(stem) => Self::Ecs,
            _ if yaml && is_below(path, &WORKLOAD_FOLDERS) => Self::Kubernetes,
            _ => return None,
        })
    }
}

/// `compose`, `compose.production`, `compose-production`.
fn is_compose(stem: &str, word: &str) -> bool {
    stem.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
}

/// `task-definition`, `taskdef`, `ecs-task-definition.production`, `web_task_definition`.
fn is_task(stem: &str) -> bool {
    let plain: String =
        stem.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect();
    plain.contains("taskdef")
}

fn is_below(path: &Path, folders: &[&str]) -> bool {
    path.parent().is_some_and(|parent| parent.iter().any(|part| folders.iter().any(|folder| part == *folder)))
}

/// Says whether a file of a repository may be a launcher: a shell script by its name, or a file whose name has no
/// extension, in one of the folders where launchers are kept or at the top.
pub fn may_launch(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let shell = path.extension().is_none_or(|extension| ["sh", "bash", "zsh"].iter().any(|known| extension == *known));
    if !shell || name.starts_with('.') {
        return false;
    }
    match path.parent().and_then(Path::file_name) {
        None => true,
        Some(parent) => LAUNCHER_FOLDERS.iter().any(|folder| parent == *folder),
    }
}

/// Says whether a file that declares starts is for development by its name.
pub(super) fn is_for_development(name: &str) -> bool {
    let declares = ["procfile", "dockerfile", "containerfile", "docker-compose", "compose"];
    if !declares.iter().any(|word| name.starts_with(word)) {
        return false;
    }
    let mut parts = name.split(['.', '-', '_']).skip(1);
    parts.any(|part| matches!(part, "dev" | "development" | "local" | "override" | "devcontainer" | "ci" | "test"))
}
