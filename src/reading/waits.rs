//! What the tables of pools want to know of code, and what stands in a file that is worth parsing for them: whole names
//! of methods and modules, for these tables look into more files than any other.

use std::collections::BTreeMap;

use crate::facts::code::flow::FlowInterests;
use crate::knowledge::retry::Rows;
use crate::knowledge::wait::{Form, On, Pool, PoolKind, Slow, languages, queues, regions, slow, spellings};
use crate::version::Ecosystem;

/// Adds the wishes of all pools. Groups are added for the ecosystems that `groups` has.
pub(super) fn add(rows: &Rows, interests: &mut FlowInterests, groups: &mut BTreeMap<&'static str, Vec<Vec<String>>>) {
    for row in rows.pools.rows() {
        interests.calls.extend(row.calls().map(str::to_owned));
        let modules = row.needs.iter().flat_map(|need| &need.modules).filter_map(|module| module.split_once("::"));
        interests.paths.extend(modules.map(|(root, name)| (root.to_owned(), name.to_owned())));
        interests.channels.extend(row.channels.iter().cloned());
        interests.types.extend(row.types.iter().cloned());
        for (module, spelling) in row.mentions() {
            interests.modules.insert((module.to_owned(), spelling));
        }
        if let Some(groups) = groups.get_mut(row.ecosystem.name()) {
            groups.extend(needles(row));
        }
    }
    for region in regions() {
        interests.calls.insert(region.call.clone());
        interests.calls.extend(region.ends.iter().cloned());
    }
    for row in languages() {
        interests.carriers.extend(row.carriers.iter().cloned());
        interests.gathers.extend(row.gathers.iter().cloned());
        for names in [&row.drops, &row.process_ends] {
            interests.calls.extend(names.iter().cloned());
        }
        if let Some(tasks) = &row.tasks {
            interests.suffixes.extend(tasks.suffixes.iter().cloned());
            interests.reads.extend(tasks.asked.iter().chain(&tasks.reads).cloned());
            let several = [&tasks.started_by, &tasks.gathered_by, &tasks.waits_for_several].into_iter().flatten();
            interests.calls.extend(several.filter_map(|path| path.rsplit('.').next()).map(str::to_owned));
        }
    }
    interests.calls.extend(slow().iter().flat_map(Slow::calls).map(str::to_owned));
    for row in queues() {
        interests.calls.extend(row.delayed_with.iter().cloned());
        interests.calls.extend(Some(row.defaults_with.clone()).filter(|name| !name.is_empty()));
        if let Some(groups) = groups.get_mut(row.ecosystem.name()) {
            groups.extend(row.deferred_by.iter().chain(&row.setting).map(|name| vec![name.clone()]));
        }
        for module in &row.modules {
            interests.modules.extend(spellings(row.ecosystem, module).into_iter().map(|text| (module.clone(), text)));
        }
        interests.calls.extend(row.calls.iter().chain(&row.deferred_by).cloned());
    }
}

/// Returns the names of packages whose use or version counts.
pub(super) fn packages(rows: &Rows) -> impl Iterator<Item = String> {
    let pools = rows.pools.rows().flat_map(|row| row.packages.iter().chain(&row.ambient_packages));
    let queues = queues().iter().flat_map(|row| {
        row.packages.iter().chain(&row.same_database).chain(row.deferral.iter().map(|deferral| &deferral.package))
    });
    let servers = languages().iter().flat_map(|row| &row.servers);
    pools.chain(queues).chain(servers).cloned()
}

/// Returns what stands in a file where a slot of the pool is held or a pool that waits for ever is made.
fn needles(row: &Pool) -> Vec<Vec<String>> {
    let mut groups = Vec::new();
    for hold in &row.holds {
        for call in &hold.calls {
            let called = format!(".{call}");
            if row.ecosystem == Ecosystem::NuGet {
                let written = if hold.written.is_empty() { std::slice::from_ref(&called) } else { &hold.written };
                let pairs = written.iter().flat_map(|text| row.beside.iter().map(move |other| [text, other]));
                groups.extend(pairs.map(|pair| pair.map(Clone::clone).to_vec()));
                continue;
            }
            match (row.ecosystem, hold.form) {
                // `add` is a method of half of all classes.
                (Ecosystem::Npm, _) if row.kind == PoolKind::Executor => {
                    groups.extend(row.mentions().map(|(_, module)| vec![format!("{called}("), module]));
                }
                // The module stands in the file that makes the pool; where it is used, the method does.
                (Ecosystem::Npm, Form::Guard) => {
                    let ends = hold.ends.iter().map(|end| vec![format!("{called}("), format!(".{end}(")]);
                    groups.extend(ends);
                }
                (Ecosystem::Crates, _) if hold.on == On::Module => {
                    groups.extend(row.mentions().map(|(_, module)| vec![format!("{call}("), module]));
                }
                (Ecosystem::Crates, _) => {
                    groups.extend(row.mentions().map(|(_, module)| vec![format!("{called}("), module]));
                }
                (Ecosystem::RubyGems, Form::Guard) => {
                    groups.extend(row.via.iter().map(|via| vec![called.clone(), via.clone()]));
                }
                (Ecosystem::RubyGems, _) if hold.bases.is_empty() => {
                    groups.extend([" do", " {", "("].map(|after| vec![format!("{call}{after}")]));
                }
                // Callbacks stand in most models; only those count that hand work on.
                (Ecosystem::RubyGems, _) => {
                    let pushes =
                        queues().iter().filter(|queue| queue.ecosystem == row.ecosystem).flat_map(|row| &row.calls);
                    groups.extend(pushes.map(|push| vec![call.clone(), format!(".{push}")]));
                }
                _ => groups.push(vec![format!("{called}(")]),
            }
        }
    }
    if row.bound.as_ref().is_some_and(|bound| bound.reported) {
        let made = row.made.iter().filter(|made| !made.export.is_empty() || !made.method.is_empty());
        for made in made {
            let name = if made.method.is_empty() { &made.export } else { &made.method };
            groups.extend(row.mentions().map(|(_, module)| vec![module, format!("{name}(")]));
        }
    }
    groups.extend(row.ambient.iter().map(|call| vec![format!("{call}(")]));
    groups
}
