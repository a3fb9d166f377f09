//! Microsoft Defender for Endpoint on Linux: its managed settings (MicrosoftDocs/defender-docs, linux-preferences.md and
//! linux-exclusions.md). Settings made on the host itself are in no file that we read.

use std::path::Path;

use super::scan::{Blocks, Certainty, Datum, Despite, Exempts, Line, Reason, Scanned};
use super::store::{Directory, Store};
use super::{Host, mount};
use crate::classify::Kind;
use crate::facts::Body;
use crate::facts::value::{Pair, Value, ValueKind};
use crate::knowledge::host::scanners;
use crate::source::Span;
use crate::syntax::data::Format;

/// Returns the line that switches real-time protection on, with the data that it scans.
pub(super) fn scan(host: &Host<'_>, stores: &[Store]) -> Option<Line> {
    let table = &scanners().defender;
    host.running(&table.programs).first()?;
    let facts = host.read(Path::new(&table.file), Kind::Data(Format::Jsonc))?;
    let Body::Config(whole) = &facts.body else { return None };
    let engine = get(whole, "antivirusEngine")?;
    let (place, written) = real_time(engine)?;
    let exclusions = exclusions(whole, engine);
    let mounts = mount::mounts(host);
    let mutes = text(get(engine, "nonExecMountPolicy")) == Some("mute");
    let unmonitored: Vec<&str> =
        items(get(engine, "unmonitoredFilesystems")).iter().filter_map(|item| text(Some(item))).collect();
    let alone =
        [get(engine, "exclusionsMergePolicy"), get(whole, "exclusionSettings").and_then(|all| get(all, "mergePolicy"))]
            .into_iter()
            .any(|policy| text(policy) == Some("admin_only"));
    let certainty = if alone && facts.troubles.is_empty() { Certainty::Decided } else { Certainty::Assumed };
    let mut data = Vec::new();
    for store in stores {
        for directory in &store.directories {
            let mount = mount::of(&mounts, &directory.real);
            let is_left_out = mount.is_some_and(|mount| {
                let known = table.monitored.contains(&mount.kind) || mount.kind == "auto";
                !known
                    || unmonitored.contains(&mount.kind.as_str())
                    || mutes && mount.options.iter().any(|option| option == "noexec")
            });
            if is_left_out || whole.tainted {
                continue;
            }
            match excluded(&exclusions, store, directory) {
                Excluded::Yes => {}
                Excluded::No(despite) => {
                    data.push(Datum { scanned: Scanned::of(store, directory), certainty, despite });
                }
            }
        }
    }
    Some(Line {
        scanner: &table.label,
        exempts: Exempts::Paths,
        place: place.into(),
        written,
        blocks: Blocks::Nothing,
        data,
        takes: None,
    })
}

/// Returns where real-time protection is switched on. What holds where nothing is written depends on the version.
fn real_time(engine: &Value) -> Option<(Span, String)> {
    if let Some(level) = get(engine, "enforcementLevel") {
        return (text(Some(level)) == Some("real_time"))
            .then(|| (level.span, "\"enforcementLevel\": \"real_time\"".into()));
    }
    let is = |key: &str, wanted: bool| get(engine, key).filter(|value| value.kind == ValueKind::Boolean(wanted));
    let on = is("enableRealTimeProtection", true)?;
    is("passiveMode", true).is_none().then(|| (on.span, "\"enableRealTimeProtection\": true".into()))
}

enum Excluded {
    Yes,
    No(Option<Despite>),
}

fn excluded(exclusions: &[Exclusion<'_>], store: &Store, directory: &Directory) -> Excluded {
    let mut despite = None;
    let name = store.program.rsplit('/').next().unwrap_or_default();
    for exclusion in exclusions {
        match exclusion {
            Exclusion::Process(process) if *process == name || *process == store.program => return Excluded::Yes,
            Exclusion::Process(_) => {}
            Exclusion::Path { path, is_directory, span } => {
                let covers = covers(path, &directory.real);
                if covers && *is_directory {
                    return Excluded::Yes;
                }
                let reason = if covers {
                    Reason::NoDirectory
                } else if self::covers(path, &directory.written) {
                    Reason::Link(directory.real.clone())
                } else {
                    continue;
                };
                despite.get_or_insert(Despite {
                    place: (*span).into(),
                    written: format!("\"path\": \"{path}\""),
                    reason,
                });
            }
        }
    }
    Excluded::No(despite)
}

/// What one entry of the lists leaves out.
enum Exclusion<'a> {
    Path {
        path: &'a str,
        is_directory: bool,
        span: Span,
    },
    /// Every file that this process opens.
    Process(&'a str),
}

fn exclusions<'a>(whole: &'a Value, engine: &'a Value) -> Vec<Exclusion<'a>> {
    let settings = get(whole, "exclusionSettings").and_then(|settings| get(settings, "exclusions"));
    let lists = [get(engine, "exclusions"), settings];
    lists.into_iter().flat_map(items).filter_map(exclusion).collect()
}

fn exclusion(item: &Value) -> Option<Exclusion<'_>> {
    match text(get(item, "$type"))? {
        "excludedPath" => {
            let path = get(item, "path")?;
            let is_directory = get(item, "isDirectory").is_some_and(|value| value.kind == ValueKind::Boolean(true));
            Some(Exclusion::Path { path: text(Some(path))?, is_directory, span: path.span })
        }
        "excludedFileName" => Some(Exclusion::Process(text(get(item, "name"))?)),
        _ => None,
    }
}

/// Says whether a pattern names a directory or one above it; `*` stands for one level.
fn covers(pattern: &str, directory: &Path) -> bool {
    let pattern = Path::new(pattern.trim_end_matches('/'));
    let mut parts = directory.components();
    // The root, without its slash, is not absolute: it would leave out everything.
    pattern.is_absolute()
        && pattern.components().all(|wanted| {
            parts.next().is_some_and(|part| part == wanted || wanted.as_os_str() == "*" && part.as_os_str() != "/")
        })
}

fn get<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    let ValueKind::Object(pairs) = &value.kind else { return None };
    pairs.iter().rfind(|pair: &&Pair| pair.key.as_deref() == Some(key)).map(|pair| &pair.value)
}

fn text(value: Option<&Value>) -> Option<&str> {
    match &value?.kind {
        ValueKind::Text(text) => Some(text),
        _ => None,
    }
}

fn items(value: Option<&Value>) -> &[Value] {
    match value.map(|value| &value.kind) {
        Some(ValueKind::List(items)) => items,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_cover_whole_levels() {
        let check = |pattern: &str, directory: &str, expected: bool| {
            assert_eq!(covers(pattern, Path::new(directory)), expected, "{pattern} {directory}");
        };
        check("/var/lib/mysql", "/var/lib/mysql", true);
        check("/var/lib/", "/var/lib/mysql", true);
        check("/var/*/mysql", "/var/lib/mysql", true);
        check("/var/lib/mysql/shop", "/var/lib/mysql", false);
        check("/var/lib/my", "/var/lib/mysql", false);
        check("/", "/var/lib/mysql", false);
    }
}
