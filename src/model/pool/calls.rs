//! The calls that the files of an application make while it is set up, for one process.

use std::collections::BTreeMap;
use std::path::Path;

use super::world::{Moment, RUBY, Seen, World};
use crate::knowledge::pool::{active_record, programs};
use crate::knowledge::process::processes;
use crate::model::ruby::{Call, Evaluated, Run, Standing};

/// What the files that set up the application call, in the order in which they are read.
pub(in crate::model) struct Setup {
    runs: Vec<Run>,
}

impl Setup {
    pub(in crate::model) fn of(world: &World<'_>, stage: Option<&str>, set: &BTreeMap<String, Evaluated>) -> Self {
        let table = &active_record().setup;
        let mut runs = Vec::new();
        for file in &table.files {
            let file = file.replace("{stage}", stage.unwrap_or_default());
            if let Seen::Read(facts) = world.look(Path::new(&file), RUBY)
                && let Some(program) = &facts.program
            {
                runs.push(world.run(program, Moment::Late, stage, set));
            }
        }
        for directory in &table.directories {
            for program in world.programs_below(directory) {
                runs.push(world.run(program, Moment::Late, stage, set));
            }
        }
        Self { runs }
    }

    /// Adds what the program's own file calls.
    pub(in crate::model) fn with(mut self, run: Option<Run>) -> Self {
        self.runs.extend(run);
        self
    }

    /// Returns every list of calls that are made one after another in a process of this kind.
    pub(in crate::model) fn lists(&self, kind: &str) -> Vec<&[Call]> {
        let mut lists = Vec::new();
        for run in &self.runs {
            gather(&run.calls, kind, &mut lists, DEPTH);
        }
        lists
    }

    /// Returns the calls of a process of this kind.
    pub(in crate::model) fn calls(&self, kind: &str) -> impl Iterator<Item = &Call> {
        self.lists(kind).into_iter().flatten().filter(|call| call.standing != Standing::Skipped)
    }
}

/// Blocks inside blocks.
const DEPTH: usize = 6;

fn gather<'c>(calls: &'c [Call], kind: &str, lists: &mut Vec<&'c [Call]>, depth: usize) {
    lists.push(calls);
    let Some(depth) = depth.checked_sub(1) else { return };
    for call in calls.iter().filter(|call| call.standing != Standing::Skipped) {
        if let Some(block) = &call.block
            && is_run(&call.name, kind)
        {
            gather(&block.calls, kind, lists, depth);
        }
    }
}

/// Blocks of the one kind of process are not run in the other.
fn is_run(name: &str, kind: &str) -> bool {
    match name {
        "configure_server" => kind == programs().sidekiq.kind,
        "configure_client" => kind != programs().sidekiq.kind,
        // A capsule is read where capsules are.
        "capsule" => false,
        _ if programs().puma.worker_hooks.iter().any(|hook| hook == name) => {
            processes().runs(kind, &programs().puma.kind)
        }
        _ => true,
    }
}
