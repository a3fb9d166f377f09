//! clamonacc: what it watches and what it leaves out (Cisco-Talos/clamav clamonacc/inotif/inotif.c, hash.c,
//! fanotif/fanotif.c, misc/utils.c).

use std::path::{Path, PathBuf};

use super::Host;
use super::mount::{self, Mount};
use super::scan::{Blocks, Certainty, Datum, Despite, Exempts, Line, Reason, Scanned, Take};
use super::store::{Directory, Store};
use crate::finding::Place;
use crate::knowledge::host::scanners;
use crate::model::unit::Word;
use crate::source::{EntryKind, Look};
use crate::syntax::directive::{Directive, Format};

/// Bytes of dpkg's table that are looked through for one package.
const STATUS: usize = 32 << 20;

/// A path or a list's line, with its place.
struct Written {
    text: String,
    place: Place,
    option: &'static str,
}

/// What clamd.conf and the command line say.
#[derive(Default)]
struct Settings {
    includes: Vec<Written>,
    mounts: Vec<Written>,
    excludes: Vec<Written>,
    /// `ExcludePath`: clamd's own.
    others: Vec<Written>,
    users: Vec<String>,
    ids: Vec<String>,
    /// Whether `OnAccessDisableDDD` is set.
    is_flat: bool,
    prevents: bool,
    temporary: Option<String>,
}

/// Finds the lines of every clamonacc that some unit starts, with the data in their scope.
pub(super) fn scans(host: &Host<'_>, stores: &[Store]) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    for (service, command, at) in host.running(&scanners().clamav.programs) {
        let words = command.get(at + 1..).unwrap_or_default();
        let Some(settings) = settings(host, words) else { continue };
        let takes = takes(words, &service.launch.name);
        let watch = Watch {
            host,
            mounts: mount::mounts(host),
            version: version(host),
            users: users(host, &settings),
            settings: &settings,
        };
        let paths = if settings.mounts.is_empty() { &settings.includes } else { &settings.mounts };
        for line in paths {
            let data = stores
                .iter()
                .flat_map(|store| store.directories.iter().filter_map(|directory| watch.datum(line, store, directory)));
            found.push(Line {
                scanner: &scanners().clamav.label,
                exempts: Exempts::Accounts,
                place: line.place,
                written: format!("{} {}", line.option, line.text).trim().to_owned(),
                // A mount is watched without permission events (fanotif.c, onas_setup_fanotif).
                blocks: if settings.prevents && settings.mounts.is_empty() {
                    Blocks::EveryAccess
                } else {
                    Blocks::Nothing
                },
                data: data.collect(),
                takes: takes.clone(),
            });
        }
    }
    // A directory below two includes is one fault.
    let mut seen: Vec<PathBuf> = Vec::new();
    for line in &mut found {
        line.data.retain(|datum| !seen.contains(&datum.scanned.path));
        seen.extend(line.data.iter().map(|datum| datum.scanned.path.clone()));
    }
    found
}

/// Returns the value of an option: behind `=`, or the next word.
fn option<'w>(words: &'w [Word], flags: &[String]) -> Option<(String, &'w Word)> {
    words.iter().enumerate().find_map(|(at, word)| {
        let text = word.text.as_deref()?;
        let (flag, value) = text.split_once('=').map_or((text, None), |(flag, value)| (flag, Some(value)));
        if !flags.iter().any(|known| known == flag) {
            return None;
        }
        let value = match value {
            Some(value) => value.to_owned(),
            None => words.get(at + 1).and_then(|next| next.text.clone()).unwrap_or_default(),
        };
        Some((value, word))
    })
}

fn takes(words: &[Word], unit: &str) -> Option<Take> {
    let (value, word) = option(words, &scanners().clamav.moves)?;
    let text = word.text.clone().unwrap_or_default();
    let written = if text.contains('=') || text.ends_with("remove") { text } else { format!("{text} {value}") };
    Some(Take { unit: unit.to_owned(), place: word.place, written })
}

fn settings(host: &Host<'_>, words: &[Word]) -> Option<Settings> {
    let table = &scanners().clamav;
    let told = option(words, &table.file_flags).map(|(path, _)| PathBuf::from(path));
    let path = told.or_else(|| table.files.iter().map(PathBuf::from).find(|path| host.exists(path)))?;
    let (file, lines) = host.table(&path, Format::Server)?;
    let mut settings = Settings::default();
    let mut leaves_root_out = false;
    for line in lines {
        let text = line.value.as_ref().map(|value| value.text.trim_matches('"').to_owned()).unwrap_or_default();
        let bytes = line.value.as_ref().map_or(line.key.bytes, |value| line.key.bytes.to(value.file_bytes()));
        let written = |option| Written { text: text.clone(), place: file.span(bytes).into(), option };
        let yes = || matches!(text.to_ascii_lowercase().as_str(), "yes" | "true" | "1");
        match line.key.text.as_str() {
            // clamd refuses the file that was not edited.
            "Example" => return None,
            "OnAccessIncludePath" => settings.includes.push(written("OnAccessIncludePath")),
            "OnAccessMountPath" => settings.mounts.push(written("OnAccessMountPath")),
            "OnAccessExcludePath" => settings.excludes.push(written("OnAccessExcludePath")),
            "ExcludePath" => settings.others.push(written("ExcludePath")),
            "OnAccessExcludeUname" => settings.users.push(text),
            "OnAccessExcludeUID" => settings.ids.push(text),
            "OnAccessExcludeRootUID" => leaves_root_out = yes(),
            "OnAccessDisableDDD" => settings.is_flat = yes(),
            "OnAccessPrevention" => settings.prevents = yes(),
            "TemporaryDirectory" => settings.temporary = Some(text),
            _ => {}
        }
    }
    settings.users.extend(leaves_root_out.then(|| "root".to_owned()));
    for (flags, is_watch) in [(&table.watch_flags, true), (&table.exclude_flags, false)] {
        let Some((path, _)) = option(words, flags) else { continue };
        let Some((file, lines)) = host.table(Path::new(&path), Format::Blanks) else { continue };
        let written = |line: &Directive| {
            let text = line.fields.first()?.text.clone();
            let option = if is_watch { "--watch-list" } else { "--exclude-list" };
            Some(Written { text, place: file.span(line.key.bytes).into(), option })
        };
        let lists = lines.iter().filter_map(written);
        if is_watch { settings.includes.extend(lists) } else { settings.excludes.extend(lists) }
    }
    Some(settings)
}

/// Returns whose accesses are left out: names are compared by their beginning (misc/utils.c), ids through passwd.
fn users(host: &Host<'_>, settings: &Settings) -> Vec<String> {
    let mut users = settings.users.clone();
    let passwd = host.table(Path::new("/etc/passwd"), Format::Colons);
    for line in passwd.into_iter().flat_map(|(_, lines)| lines) {
        let field = |at: usize| line.fields.get(at).map(|field| field.text.as_str()).unwrap_or_default();
        // 0 switches the option off.
        if field(2) != "0" && settings.ids.iter().any(|id| id == field(2)) {
            users.push(field(0).to_owned());
        }
    }
    users
}

/// Returns the version of the installed package, where dpkg's table says it.
fn version(host: &Host<'_>) -> Option<String> {
    let table = &scanners().clamav;
    let status = host.sources.head(host.root, Path::new(&table.status), STATUS)?;
    for package in &table.packages {
        let start = format!("Package: {package}\n");
        let Some(at) = memchr::memmem::find(&status, start.as_bytes()) else { continue };
        let rest = status.get(at..).unwrap_or_default();
        let end = memchr::memmem::find(rest, b"\n\n").unwrap_or(rest.len());
        let entry = String::from_utf8_lossy(rest.get(..end).unwrap_or_default()).into_owned();
        let installed = entry.lines().any(|line| line.starts_with("Status:") && line.ends_with(" installed"));
        if let Some(version) = entry.lines().find_map(|line| line.strip_prefix("Version: ")).filter(|_| installed) {
            // `1:1.4.6+dfsg-0+deb12u1`.
            let version = version.split_once(':').map_or(version, |(_, version)| version);
            return Some(version.split(['+', '-', '~']).next().unwrap_or(version).to_owned());
        }
    }
    None
}

/// Returns the first two numbers of a version.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// One clamonacc.
struct Watch<'a> {
    host: &'a Host<'a>,
    mounts: Vec<Mount>,
    version: Option<String>,
    users: Vec<String>,
    settings: &'a Settings,
}

impl Watch<'_> {
    fn datum(&self, line: &Written, store: &Store, directory: &Directory) -> Option<Datum> {
        // Whose accesses they are is not known.
        let account = store.account.as_deref()?;
        if self.users.iter().any(|user| account.starts_with(user.as_str())) {
            return None;
        }
        let certainty = self.covers(line, directory)?;
        let despite = match self.excluded(line, directory) {
            Excluded::Yes | Excluded::Perhaps => return None,
            Excluded::No(despite) => despite,
        };
        Some(Datum { scanned: Scanned::of(store, directory), certainty, despite })
    }

    /// Says whether a line's scope holds a directory.
    fn covers(&self, line: &Written, directory: &Directory) -> Option<Certainty> {
        let path = Path::new(&line.text);
        if !path.is_absolute() {
            return None;
        }
        let real = self.real(path);
        if !self.settings.mounts.is_empty() {
            let (Some(of_line), Some(of_data)) =
                (mount::of(&self.mounts, &real), mount::of(&self.mounts, &directory.real))
            else {
                return directory.real.starts_with(&real).then_some(Certainty::Assumed);
            };
            return (of_line.path == of_data.path).then_some(Certainty::Decided);
        }
        let temporary = self.settings.temporary.as_deref().unwrap_or(&scanners().clamav.temporary);
        // Both are refused with a line in the log. So is a link: the walk does not follow it.
        if line.text == temporary || real == Path::new("/") && !self.settings.is_flat || self.is_link(path) {
            return None;
        }
        if self.settings.is_flat {
            return (real == directory.real).then_some(Certainty::Decided);
        }
        let inside = directory.real.starts_with(&real) || real.starts_with(&directory.real);
        // The walk stays on one file system (hash.c, FTS_XDEV).
        let crosses = match (mount::of(&self.mounts, &real), mount::of(&self.mounts, &directory.real)) {
            (Some(of_line), Some(of_data)) => of_line.path != of_data.path && directory.real != real,
            _ => false,
        };
        (inside && !crosses).then_some(Certainty::Decided)
    }

    fn excluded(&self, line: &Written, directory: &Directory) -> Excluded {
        let mut despite = None;
        let mode = if !self.settings.mounts.is_empty() {
            Some("OnAccessMountPath")
        } else if self.settings.is_flat {
            Some("OnAccessDisableDDD")
        } else {
            None
        };
        // What the walk calls the directory: the include as written, and the rest below it.
        let below = directory.real.strip_prefix(self.real(Path::new(&line.text))).unwrap_or(Path::new(""));
        let walked = Path::new(&line.text).join(below);
        let since = numbers(&scanners().clamav.regex_since);
        let is_regex = self.version.as_deref().and_then(numbers).map(|version| Some(version) >= since);
        for exclusion in &self.settings.excludes {
            let text = exclusion.text.as_str();
            let is_list = exclusion.option == "--exclude-list";
            let despite_of =
                |reason| Despite { place: exclusion.place, written: format!("{} {text}", exclusion.option), reason };
            let is_plain = !text.contains(['^', '$', '*', '+', '(', '[', '|', '\\', '?']);
            let plain_path = Path::new(text);
            let hits = is_plain && (walked.starts_with(plain_path) || directory.real.starts_with(plain_path));
            if hits && mode.is_none() && (is_list || is_regex == Some(true) || !text.ends_with('/')) {
                return Excluded::Yes;
            }
            let meant = Self::meant(text, directory);
            if !is_plain && mode.is_none() && !is_list {
                match is_regex {
                    Some(true) | None if may_match(text, &walked) => return Excluded::Perhaps,
                    Some(true) | None => continue,
                    Some(false) => {}
                }
            }
            if !meant || despite.is_some() {
                continue;
            }
            despite = match (mode, &self.version) {
                (Some(mode), _) => Some(despite_of(Reason::Mode(mode))),
                (None, Some(version)) if !is_list && (!is_plain || text.ends_with('/')) => {
                    let since = scanners().clamav.regex_since.as_str();
                    Some(despite_of(Reason::Literal { version: version.clone(), since }))
                }
                (None, _) if is_plain && !hits => Some(despite_of(Reason::Link(directory.real.clone()))),
                // Which version reads it is not known.
                (None, _) => return Excluded::Perhaps,
            };
        }
        if despite.is_none() {
            let other = self.settings.others.iter().find(|other| Self::meant(&other.text, directory));
            despite = other.map(|other| Despite {
                place: other.place,
                written: format!("ExcludePath {}", other.text),
                reason: Reason::OtherOption,
            });
        }
        Excluded::No(despite)
    }

    /// Says whether an exclusion is meant for a directory: as a text or as the beginning of a path, with the marks of a
    /// regular expression taken off.
    fn meant(text: &str, directory: &Directory) -> bool {
        let bare: String = text.trim_start_matches('^').replace('\\', "");
        let bare = bare.trim_end_matches(['$', '*', '.', '+', '/', '?', ')']).trim_end_matches("(/|$");
        let path = Path::new(bare);
        let names = |data: &Path| path.components().count() > 1 && data.starts_with(path);
        names(&directory.written) || names(&directory.real)
    }

    fn real(&self, path: &Path) -> PathBuf {
        match self.host.sources.look(self.host.root, path) {
            Look::Present(present) => present.real,
            _ => path.components().collect(),
        }
    }

    fn is_link(&self, path: &Path) -> bool {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let entries = self.host.sources.list(self.host.root, parent).unwrap_or_default();
        entries.iter().any(|entry| entry.name() == name && matches!(entry.kind, EntryKind::Link(_)))
    }
}

/// Says whether a regular expression may match a path: by the text before its first mark.
fn may_match(expression: &str, path: &Path) -> bool {
    let path = format!("{}/", path.display());
    let bare = expression.trim_start_matches('^');
    let is_anchored = bare.len() < expression.len();
    let end = bare.find(['$', '*', '+', '(', '[', '|', '\\', '?', '.', '{']).unwrap_or(bare.len());
    let mut start = bare.get(..end).unwrap_or_default();
    if bare.get(end..).is_some_and(|rest| rest.starts_with(['*', '?', '{'])) {
        start = start.char_indices().next_back().map_or("", |(last, _)| start.get(..last).unwrap_or_default());
    }
    let is_choice = bare.contains('|') && !bare.contains('(');
    is_choice || if is_anchored { path.starts_with(start) } else { path.contains(start) }
}

enum Excluded {
    Yes,
    /// It is not known whether the version reads it so.
    Perhaps,
    No(Option<Despite>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_that_may_match() {
        let check = |expression: &str, expected: bool| {
            assert_eq!(may_match(expression, Path::new("/var/lib/mysql")), expected, "{expression}");
        };
        check("^/var/lib/(mysql|redis)", true);
        check("/lib/.*sql", true);
        check("mysql", true);
        check("^/var/log/.*", false);
        check("/var/log/.*", false);
        check("^/home|^/var", true);
        check("^/var/libx?/mysql", true);
        check("^/lib", false);
    }

    #[test]
    fn versions_of_packages() {
        assert_eq!(numbers("1.4.6"), Some((1, 4)));
        assert_eq!(numbers("1.5"), Some((1, 5)));
        assert_eq!(numbers("main"), None);
    }
}
