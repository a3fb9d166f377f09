//! Words that stand in a file which some table has a question to: what a file is searched for before it is parsed.

use crate::knowledge::retry::{Library, Rows, Site, Use};
use crate::knowledge::timeout;

/// How rows write a module's default export.
pub(super) const DEFAULT: &str = "default";

/// Returns the words of every place in documents where a table knows policies.
pub(super) fn document(rows: &Rows) -> Vec<Vec<String>> {
    rows.libraries().flat_map(|library| &library.documents).map(|row| row.words.clone()).collect()
}

/// Returns what stands in a file that sets a value of the kernel.
pub(super) fn kernel() -> Vec<Vec<String>> {
    crate::facts::kernel::NEEDLES.iter().map(|needle| vec![(*needle).to_owned()]).collect()
}

/// Returns what stands in a property list that describes a job of launchd: `Program` or `ProgramArguments`, as text, in
/// the strings of a binary list, or in UTF-16. Most property lists are settings of applications, some of many megabytes.
pub(super) fn launchd() -> Vec<Vec<String>> {
    let program = "Program";
    let wide = program.chars().map(String::from).collect::<Vec<_>>().join("\0");
    vec![vec![program.to_owned()], vec![wide]]
}

/// Returns the same for directives, with what their groups are called: those may stand in files of their own.
pub(super) fn directive(rows: &Rows) -> Vec<Vec<String>> {
    let servers = rows.libraries().flat_map(|library| &library.next_servers);
    let own = servers.flat_map(|row| [vec![row.conditions.clone()], vec![row.group.clone()]]);
    let limits = timeout::proxies().iter().map(|proxy| vec![proxy.pass.clone(), proxy.read.setting.clone()]);
    let idle = timeout::proxies().iter().map(|proxy| vec![proxy.group.clone(), proxy.idle.switch.clone()]);
    own.chain(limits).chain(idle).chain(document(rows)).collect()
}

/// Returns what stands together in a script that asks a server and restarts it.
pub(super) fn watchdog() -> Vec<Vec<String>> {
    let table = timeout::probes();
    let askers = table.askers.iter().flat_map(|row| &row.names);
    let actions: Vec<String> = table.actions.iter().flat_map(|row| &row.names).map(|name| format!("{name} ")).collect();
    askers.flat_map(|asker| actions.iter().map(move |action| vec![format!("{asker} "), action.clone()])).collect()
}

/// Returns what must stand in a file for a site of the library to stand there.
pub(super) fn site(library: &Library, site: &Site) -> Vec<Vec<String>> {
    let named = Some(site.export.as_str()).filter(|name| !name.is_empty() && *name != DEFAULT);
    if let Some(word) = &site.word {
        let is_constant = word.starts_with(|first: char| first.is_uppercase());
        return vec![vec![if is_constant { word.clone() } else { format!(":{word}") }]];
    }
    match (site.used, named) {
        // `new Orm(`, where the import or the destructuring gave it another name.
        (Use::New, Some(name)) => ["(", " as ", ": "].map(|end| vec![format!("{name}{end}")]).into(),
        (Use::Bare, _) | (Use::Method, Some(_)) if library.imports.is_empty() => {
            site.methods.iter().map(|method| vec![method.clone()]).collect()
        }
        (Use::Instance, _) if library.option.is_empty() => {
            library.imports.iter().flat_map(|import| library.spellings(import)).map(|import| vec![import]).collect()
        }
        (Use::Instance, _) => vec![vec![library.option.clone(), format!("{}: {{", library.option)]],
        _ => {
            let option = Some(&library.option).filter(|option| !option.is_empty());
            let methods = if site.used == Use::Method { site.methods.first() } else { None };
            let more: Vec<String> = named
                .map(str::to_owned)
                .into_iter()
                .chain(option.cloned())
                .chain(methods.filter(|_| named.is_some()).cloned())
                .collect();
            // A file of the project is imported by whatever path leads to it: its name stands in all of them.
            let names = |import: &String| match import.strip_prefix("./").and_then(|path| path.rsplit('/').next()) {
                Some(file) => vec![file.to_owned()],
                None => library.spellings(import),
            };
            let imports = library.imports.iter().flat_map(names);
            if site.used == Use::Bare {
                return imports
                    .flat_map(|name| site.methods.iter().map(move |method| vec![name.clone(), method.clone()]))
                    .collect();
            }
            imports.map(|name| std::iter::once(name).chain(more.iter().cloned()).collect()).collect()
        }
    }
}
