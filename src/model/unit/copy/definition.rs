//! A definition as it is compared: its settings after resets, with the place of each value.

use crate::classify::Kind;
use crate::facts::systemd::UnitFile;
use crate::facts::{Body, launchd, systemd};
use crate::knowledge::copy::{Settings, copies};
use crate::source::Bytes;
use crate::syntax::data::{self, Lines};
use crate::syntax::directive;

/// One file's settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Definition {
    pub form: Form,
    pub items: Vec<Item>,
    /// Where what is not there could stand: each section's header, or a property list's label.
    pub heads: Vec<(String, Bytes)>,
    pub lines: Lines,
    pub rendering: Rendering,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    #[default]
    Systemd,
    Launchd,
}

/// What stands between a file and what a manager reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::model::unit) enum Rendering {
    /// Nothing: it is copied.
    #[default]
    None,
    /// Placeholders are filled in.
    Filled,
    /// The template adds and leaves out: what is not in it may be in the result.
    Open,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub section: String,
    pub key: String,
    pub value: String,
    pub bytes: Bytes,
    pub written: Written,
}

/// Whether a value is in every rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Always,
    Conditionally,
}

impl Definition {
    /// Reads what was parsed; `text` is a template's.
    pub(super) fn of(body: &Body, template: Option<&str>) -> Option<Self> {
        let conditional = template.map(conditional_ranges).unwrap_or_default();
        let written = |bytes: Bytes| {
            let inside = conditional.iter().any(|range| range.start <= bytes.start && bytes.start < range.end);
            if inside { Written::Conditionally } else { Written::Always }
        };
        let mut definition = match body {
            Body::Systemd(unit) => Self::of_systemd(unit, &written),
            // A property list with statements in it is no property list.
            Body::Launchd(_) if !conditional.is_empty() => return None,
            Body::Launchd(job) => Self::of_launchd(job),
            _ => return None,
        };
        definition.rendering = match template {
            None => Rendering::None,
            Some(_) if conditional.is_empty() => Rendering::Filled,
            Some(_) => Rendering::Open,
        };
        Some(definition)
    }

    /// Reads bytes as a file of this kind.
    pub(super) fn of_bytes(kind: Kind, bytes: &[u8], rendering: Rendering) -> Option<Self> {
        let body = match kind {
            Kind::SystemdUnit => {
                Body::Systemd(systemd::collect(&directive::parse(directive::Format::Systemd, bytes).tree))
            }
            Kind::PropertyList => Body::Launchd(launchd::collect(&data::parse(data::Format::Plist, bytes).tree)?),
            _ => return None,
        };
        let text = String::from_utf8_lossy(bytes);
        Self::of(&body, (rendering != Rendering::None).then_some(&*text))
    }

    fn of_systemd(unit: &UnitFile, written: &dyn Fn(Bytes) -> Written) -> Self {
        let mut items: Vec<Item> = Vec::new();
        for setting in &unit.settings {
            let value = setting.value.text.split_whitespace().collect::<Vec<_>>().join(" ");
            if value.is_empty() {
                items.retain(|item| item.section != setting.section || item.key != setting.key);
                continue;
            }
            items.push(Item {
                section: setting.section.clone(),
                key: setting.key.clone(),
                value,
                bytes: setting.value.file_bytes(),
                written: written(setting.key_bytes),
            });
        }
        Self { items, heads: unit.sections.clone(), ..Self::default() }
    }

    fn of_launchd(job: &launchd::JobFile) -> Self {
        let item = |text: &launchd::Text| Item {
            section: String::new(),
            key: text.key_path.split('[').next().unwrap_or_default().to_owned(),
            value: text.text.text.clone(),
            bytes: if text.text.text.is_empty() { text.bytes } else { text.text.file_bytes() },
            written: Written::Always,
        };
        let heads = job.label.iter().map(|label| (String::new(), label.bytes)).collect();
        Self {
            form: Form::Launchd,
            items: job.values.iter().map(item).collect(),
            heads,
            lines: job.lines,
            ..Self::default()
        }
    }

    pub(super) fn table(&self) -> &'static Settings {
        match self.form {
            Form::Systemd => &copies().systemd,
            Form::Launchd => &copies().launchd,
        }
    }

    /// Returns the values of a key.
    pub(super) fn all<'a>(&'a self, section: &'a str, key: &'a str) -> impl Iterator<Item = &'a Item> {
        self.items.iter().filter(move |item| item.section == section && item.key == key)
    }

    /// Returns where a setting of this section would be looked for.
    pub(super) fn head(&self, section: &str) -> Bytes {
        let own = self.heads.iter().find(|(name, _)| name == section).or_else(|| self.heads.first());
        own.map(|(_, bytes)| *bytes).unwrap_or_default()
    }
}

/// Returns what stands between the statements that decide or repeat. A statement of ERB opens, unless it is an `end`.
fn conditional_ranges(text: &str) -> Vec<Bytes> {
    let table = copies();
    let starts = |rest: &str, words: &[String]| words.iter().any(|word| rest.starts_with(word.as_str()));
    let mut ranges = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (at, _) in text.char_indices().filter(|(_, c)| matches!(c, '{' | '<')) {
        let rest = text.get(at..).unwrap_or_default();
        let erb = rest.strip_prefix("<%").map(|code| code.trim_start_matches('-').trim_start());
        let ends = erb.is_some_and(|code| code.starts_with("end"));
        let begins = erb.is_some_and(|code| ["if ", "unless ", "case "].iter().any(|word| code.starts_with(word)))
            || erb.is_some_and(|code| {
                let code = code.split("%>").next().unwrap_or_default().trim_end_matches('-').trim_end();
                code.ends_with(" do") || code.ends_with('|') && code.contains(" do ")
            });
        if ends || starts(rest, &table.closes) {
            ranges.extend(open.pop().map(|start| Bytes::new(start, at)));
        } else if begins || starts(rest, &table.opens) {
            open.push(at);
        }
    }
    ranges.extend(open.into_iter().map(|start| Bytes::new(start, text.len())));
    ranges
}
