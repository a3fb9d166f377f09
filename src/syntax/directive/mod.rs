//! The directive view: files that are a list of settings, one or more lines each.
//!
//! systemd units, INI, nginx, postgresql.conf, redis.conf, sysctl, crontabs, Procfiles, dotenv, Dockerfiles, passwd,
//! fstab and the lockfiles that are lines. A directive keeps its raw value with the way back to the file; how the
//! value splits into words is its reader's rule (see [`words`]).

mod assignment;
mod print;
mod systemd;
mod table;
pub mod words;

use super::{Fragment, Parsed, code::Name};

pub use print::print;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Sections, `Key=value`, `\` continuations with comments between, repeated keys kept: systemd.syntax(7).
    Systemd,
    /// `key=value` lines, optional `export`, quotes and `#` comments: dotenv files and systemd's EnvironmentFile.
    Dotenv,
    /// `name: command` lines.
    Procfile,
    /// Fields separated by `:` (passwd, group).
    Colons,
    /// Fields separated by blanks, `#` comments (fstab, mounts).
    Blanks,
    /// cron: assignments and entries; whether there is a user field is the reader's rule.
    Crontab,
}

/// The view of one file: its directives in order.
pub type File = Vec<Directive>;

/// Lowers `text` into the directive view. Never fails: see [`Parsed::troubles`].
pub fn parse(format: Format, text: &[u8]) -> Parsed<File> {
    match format {
        Format::Systemd => systemd::parse(text),
        Format::Dotenv | Format::Procfile => assignment::parse(format, text),
        Format::Colons | Format::Blanks | Format::Crontab => table::parse(format, text),
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    /// The sections that it stands in, outermost first; empty before the first one.
    pub section: Vec<Name>,
    /// The key; for tables (`passwd`, `crontab` entries) the whole line has none and the text is empty.
    pub key: Name,
    /// The value, continuation lines joined and comments between them left out. `None` where the line has no `=`.
    pub value: Option<Fragment>,
    /// The fields of a table's line; empty for assignments.
    pub fields: Vec<Fragment>,
}

impl Directive {
    /// Returns the innermost section's name.
    pub fn section_name(&self) -> Option<&str> {
        self.section.last().map(|name| name.text.as_str())
    }
}
