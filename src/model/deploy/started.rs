//! What the service definitions of a tree start, as they write it. Asks nobody whether it is there.

use std::collections::BTreeMap;

use crate::facts::Body;
use crate::model::FactsByFile;
use crate::source::{Bytes, FileId};

/// Returns every service definition that was read, with the absolute paths that it starts and where they are set.
pub fn started(facts: &FactsByFile) -> BTreeMap<FileId, Vec<(String, Bytes)>> {
    facts.iter().filter_map(|(file, facts)| Some((*file, paths(&facts.body)?))).collect()
}

fn paths(body: &Body) -> Option<Vec<(String, Bytes)>> {
    let words: Vec<(&str, Bytes)> = match body {
        Body::Systemd(unit) => {
            let starts = |key: &str| key.starts_with("Exec") || key == "WorkingDirectory";
            let settings = unit.settings.iter().filter(|setting| starts(&setting.key));
            settings.map(|setting| (setting.value.text.as_str(), setting.key_bytes)).collect()
        }
        Body::Launchd(job) => {
            let texts = job.program.iter().chain(&job.arguments).chain(&job.working_directory);
            texts.map(|text| (text.text.text.as_str(), text.bytes)).collect()
        }
        _ => return None,
    };
    let first = |(text, bytes): (&str, Bytes)| {
        // systemd's prefixes of a command (systemd.service(5)).
        let path = text.split_whitespace().next()?.trim_start_matches(['-', '@', ':', '+', '!', '|']);
        path.starts_with('/').then(|| (path.to_owned(), bytes))
    };
    Some(words.into_iter().filter_map(first).collect())
}
