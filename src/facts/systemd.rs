//! A systemd unit file or drop-in: its settings in order, words not yet split.

use crate::source::Bytes;
use crate::syntax::{Fragment, directive};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnitFile {
    pub settings: Vec<Setting>,
    /// Each section header, in order, with its bytes.
    pub sections: Vec<(String, Bytes)>,
}

/// `Key=value` under a section.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    pub section: String,
    pub key: String,
    pub key_bytes: Bytes,
    pub value: Fragment,
}

/// Collects the settings of a unit file. Lines before any section have no reader and are left out.
pub fn collect(file: &directive::File) -> UnitFile {
    let mut unit = UnitFile::default();
    for directive in file {
        let Some(section) = directive.section.last() else { continue };
        if unit.sections.last().is_none_or(|(_, bytes)| *bytes != section.bytes) {
            unit.sections.push((section.text.clone(), section.bytes));
        }
        let Some(value) = &directive.value else { continue };
        unit.settings.push(Setting {
            section: section.text.clone(),
            key: directive.key.text.clone(),
            key_bytes: directive.key.bytes,
            value: value.clone(),
        });
    }
    unit
}
