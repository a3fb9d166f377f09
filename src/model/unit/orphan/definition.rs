//! A definition in a repository, read alone: which jobs its installed copy makes, with what a start of each needs.

use std::path::{Path, PathBuf};

use crate::classify::{self, Kind, Standing};
use crate::facts::host::Listed;
use crate::facts::{launchd as property_list, systemd as unit_file};
use crate::knowledge::copy::copies;
use crate::model::deploy::FILLED_IN;
use crate::model::unit::copy::{Rendering, hole};
use crate::model::unit::{Evidence, Job, cron, launchd, supervisord, systemd};
use crate::source::{Bytes, EntryKind, FileId};
use crate::syntax::{Fragment, data, directive};

/// Whose definition a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Systemd,
    Launchd,
    /// A file for /etc/cron.d.
    Crontab,
    Supervisord,
}

/// A file that is installed on hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Installed {
    pub form: Form,
    rendering: Rendering,
}

impl Installed {
    /// Says by its path whether a file of a repository is installed as a definition.
    pub(super) fn of(path: &Path) -> Option<Self> {
        if let Some(kind) = classify::template_of(path) {
            let form = if kind == Kind::SystemdUnit { Form::Systemd } else { Form::Launchd };
            return Some(Self { form, rendering: Rendering::Filled });
        }
        let form = match classify::kind(path) {
            Kind::SystemdUnit => Form::Systemd,
            Kind::PropertyList => Form::Launchd,
            _ if path.parent()?.file_name().is_some_and(|name| name == "cron.d") => Form::Crontab,
            _ if is_supervisords(path) => Form::Supervisord,
            _ => return None,
        };
        (classify::standing(path) == Standing::Production).then_some(Self { form, rendering: Rendering::None })
    }

    /// Returns the jobs that a text of the file makes. What a template fills in is a directory of the name
    /// [`FILLED_IN`] in their paths.
    pub(super) fn jobs(self, file: FileId, path: &Path, text: &[u8], evidence: &Evidence<'_>) -> Vec<Job> {
        let text = &without_erb(text);
        let listed = listed(file, path);
        match self.form {
            Form::Systemd => {
                let mut unit = unit_file::collect(&directive::parse(directive::Format::Systemd, text).tree);
                unit.settings.iter_mut().for_each(|setting| self.fill_in(&mut setting.value));
                systemd::job_of_file(&listed, &unit, evidence).into_iter().collect()
            }
            Form::Launchd => {
                let tree = data::parse(data::Format::Plist, text).tree;
                let Some(mut job) = property_list::collect(&tree) else { return Vec::new() };
                let texts = [&mut job.program, &mut job.working_directory, &mut job.root_directory];
                let texts = texts.into_iter().flatten().chain(&mut job.arguments);
                texts.for_each(|text| self.fill_in(&mut text.text));
                job.environment.iter_mut().for_each(|(_, text)| self.fill_in(&mut text.text));
                if job.disabled == Some(true) { Vec::new() } else { vec![launchd::job_of_file(file, &job, evidence)] }
            }
            Form::Crontab => {
                let mut lines = directive::parse(directive::Format::Crontab, text).tree;
                lines.iter_mut().flat_map(|line| &mut line.fields).for_each(|field| self.fill_in(field));
                cron::jobs_of_file(&listed, &lines, evidence)
            }
            Form::Supervisord => {
                let mut lines = directive::parse(directive::Format::Ini, text).tree;
                lines.iter_mut().filter_map(|line| line.value.as_mut()).for_each(|value| self.fill_in(value));
                supervisord::jobs_of_file(&listed, &lines, evidence)
            }
        }
    }

    /// Puts a directory of equal length where somebody fills in a name.
    fn fill_in(self, value: &mut Fragment) {
        let mut filled = String::new();
        let mut rest = value.text.as_str();
        while let Some(first) = rest.chars().next() {
            let length =
                hole(rest, self.rendering).filter(|length| !rest.get(..*length).unwrap_or("\n").contains('\n'));
            match length {
                Some(length) => filled.push_str(&directory(length)),
                None => filled.push(first),
            }
            rest = rest.get(length.unwrap_or(first.len_utf8())..).unwrap_or_default();
        }
        value.text = filled;
    }
}

/// supervisord reads what it is told to; these are the names that its files have.
fn is_supervisords(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let parent = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let has_end = [".conf", ".ini"].iter().any(|end| name.ends_with(end));
    has_end && (name.contains("supervisor") || parent.contains("supervisor"))
}

fn listed(file: FileId, path: &Path) -> Listed {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let within = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    Listed {
        path: Path::new("/").join(path),
        name: classify::plain_name(&name).to_owned(),
        within: within.filter(|within| classify::is_drop_in_directory(within)),
        kind: EntryKind::File,
        file,
        text: Some(file),
    }
}

fn directory(length: usize) -> String {
    std::iter::once('/').chain(std::iter::repeat_n(FILLED_IN, length.saturating_sub(1))).collect()
}

/// Replaces what ERB fills in, and blanks what it decides: neither is XML.
fn without_erb(text: &[u8]) -> Vec<u8> {
    let mut plain = text.to_vec();
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| memchr::memmem::find(rest, b"<%")).map(|at| from + at) {
        let rest = text.get(start..).unwrap_or_default();
        let Some(length) = memchr::memmem::find(rest, b"%>").map(|at| at + 2) else { break };
        let filled = rest.starts_with(b"<%=");
        let new = if filled { directory(length) } else { " ".repeat(length) };
        for (byte, new) in plain.iter_mut().skip(start).zip(new.bytes()) {
            // Lines stay where they are.
            *byte = if *byte == b'\n' { b'\n' } else { new };
        }
        from = start + length;
    }
    plain
}

/// Returns what stands at a place of a text, in one line.
pub(super) fn written(text: &[u8], bytes: Bytes) -> Option<String> {
    let written = text.get(bytes.start as usize..bytes.end as usize)?;
    let written = String::from_utf8_lossy(written).trim().to_owned();
    (!written.is_empty() && !written.contains('\n')).then_some(written)
}

/// Says whether a file of the repository puts the definition into a package, which brings what it starts along.
pub(super) fn is_packager(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let whole = path.to_string_lossy();
    copies().packagers.iter().any(|packager| match packager.split_once('*') {
        Some((start, end)) => {
            let text = if packager.contains('/') { &whole } else { &name };
            text.len() >= start.len() + end.len() && text.starts_with(start) && text.ends_with(end)
        }
        None => packager.as_str() == name,
    })
}

/// Says whether two files define one job under two names of the file.
pub(super) fn is_same_name(one: &Path, other: &Path) -> bool {
    let plain = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let within = path.parent().and_then(Path::file_name).map(PathBuf::from);
        let is_drop_in = within.as_ref().is_some_and(|name| classify::is_drop_in_directory(&name.to_string_lossy()));
        (classify::plain_name(&name).to_owned(), within.filter(|_| is_drop_in))
    };
    plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_a_directory() {
        let check = |text: &str, rendering: Rendering, expected: &str| {
            let mut value = Fragment::verbatim(text, 0);
            Installed { form: Form::Systemd, rendering }.fill_in(&mut value);
            assert_eq!(value.text, expected);
        };
        check("{{ x }}/bin/run", Rendering::Filled, "/______/bin/run");
        check("/srv/${X}/run", Rendering::Filled, "/srv//___/run");
        check("/srv/${X}/run", Rendering::None, "/srv/${X}/run");
        check("__ROOT__/run é", Rendering::None, "/_______/run é");
    }

    #[test]
    fn erb_leaves_lines_alone() {
        assert_eq!(without_erb(b"a <%= b %>c\n<% if d\n %>\n<%"), b"a /_______c\n       \n   \n<%");
    }

    #[test]
    fn definitions_by_name() {
        let check = |path: &str, expected: Option<Form>| {
            assert_eq!(Installed::of(Path::new(path)).map(|it| it.form), expected, "{path}");
        };
        check("deploy/shop.service", Some(Form::Systemd));
        check("deploy/shop.service.j2", Some(Form::Systemd));
        check("launchd/io.shop.plist.erb", Some(Form::Launchd));
        check("etc/cron.d/shop", Some(Form::Crontab));
        check("config/supervisord.conf", Some(Form::Supervisord));
        check("config/nginx.conf", None);
        check("test/shop.service", None);
        check("examples/shop.service", None);
    }

    #[test]
    fn packagers() {
        for (path, expected) in
            [("rpm/shop.spec", true), ("debian/shop.install", true), ("nfpm.yaml", true), ("a/b.rs", false)]
        {
            assert_eq!(is_packager(Path::new(path)), expected, "{path}");
        }
    }
}
