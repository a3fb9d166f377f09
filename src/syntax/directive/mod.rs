//! The directive view: files that are a list of settings, one or more lines each.
//!
//! systemd units, INI, nginx, postgresql.conf, redis.conf, sysctl, crontabs, Procfiles, dotenv, Dockerfiles, passwd,
//! fstab and the lockfiles that are lines. A directive keeps its raw value with the way back to the file; how the
//! value splits into words is its reader's rule (see [`words`]).

mod anacrontab;
mod assignment;
mod dockerfile;
mod ini;
mod lines;
mod monit;
mod nginx;
mod print;
mod properties;
mod server;
mod systemd;
mod table;
pub mod words;

use super::{Fragment, Parsed, code::Name};

pub use print::print;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Sections, `Key=value`, `\` continuations with comments between, repeated keys kept: systemd.syntax(7).
    Systemd,
    /// `key=value` lines, optional `export`, quotes and `#` comments.
    Dotenv,
    /// The same for systemd, which knows no `export`.
    EnvironmentFile,
    /// `[section]`, `key = value`, `;` and `#` comments: Python's configparser as supervisord sets it up.
    Ini,
    /// `name: command` lines.
    Procfile,
    /// Fields separated by `:` (passwd, group).
    Colons,
    /// Fields separated by blanks, `#` comments (fstab, mounts).
    Blanks,
    /// cron: assignments and entries; whether there is a user field is the reader's rule.
    Crontab,
    Anacrontab,
    /// monit's control file.
    Monit,
    /// `INSTRUCTION value` with joined lines.
    Dockerfile,
    /// `key = value` or `key value`, perhaps in sections: postgresql.conf, my.cnf.
    Server,
    /// nginx: words up to `;`, blocks in braces.
    Nginx,
    /// Java's properties: `key=value`, `key: value`.
    Properties,
}

/// The view of one file: its directives in order.
pub type File = Vec<Directive>;

/// Lowers `text` into the directive view. Never fails: see [`Parsed::troubles`].
pub fn parse(format: Format, text: &[u8]) -> Parsed<File> {
    match format {
        Format::Systemd => systemd::parse(text),
        Format::Ini => ini::parse(text),
        Format::Server => server::parse(text),
        Format::Dotenv | Format::EnvironmentFile | Format::Procfile => assignment::parse(format, text),
        Format::Anacrontab => anacrontab::parse(text),
        Format::Monit => monit::parse(text),
        Format::Dockerfile => dockerfile::parse(text),
        Format::Nginx => nginx::parse(text),
        Format::Properties => properties::parse(text),
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

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    /// Checks that what is verbatim in the view stands in the text where its map says.
    fn slices_are_true(text: &str, file: &[Directive]) {
        for directive in file {
            for fragment in directive.value.iter().chain(&directive.fields) {
                for (at, character) in fragment.text.char_indices() {
                    let range = crate::source::Bytes::new(at, at + character.len_utf8());
                    let source = fragment.map.to_file(range).of(text);
                    let decoded = source.starts_with('\\') || character == '\u{fffd}';
                    assert!(decoded || source == character.to_string(), "{character:?} of {fragment:?} is {source:?}");
                }
            }
        }
    }

    /// Compares the printed view and the troubles with what is expected.
    pub(super) fn compare(text: &str, parsed: &Parsed<File>, expected: &str) {
        slices_are_true(text, &parsed.tree);
        let mut out = print(&parsed.tree);
        for trouble in &parsed.troubles {
            let _ = writeln!(out, "! {}", trouble.message);
        }
        assert_eq!(out, expected, "{text:?}");
    }

    /// A letter of Latin-1 is one byte of the file and three of the text.
    #[test]
    fn comments_end_where_the_file_does() {
        let formats = [
            Format::Systemd,
            Format::Dotenv,
            Format::EnvironmentFile,
            Format::Ini,
            Format::Procfile,
            Format::Colons,
            Format::Blanks,
            Format::Crontab,
            Format::Anacrontab,
            Format::Monit,
            Format::Dockerfile,
            Format::Server,
            Format::Nginx,
            Format::Properties,
        ];
        for text in
            [&b"[a]\nb = 1 # \xe9\xe9\xe9\xe9\xe9"[..], b"b = \xe9\xe9\xe9 # c", b"# \xe9\xe9\xe9\nset a # \xe9\xe9"]
        {
            for format in formats {
                for comment in parse(format, text).comments {
                    let bytes = comment.bytes;
                    let written = &text[bytes.start as usize..bytes.end as usize];
                    assert!(written.starts_with(b"#"), "{format:?} {bytes:?} of {text:?}");
                }
            }
        }
    }

    /// Checks that a long text takes well under the time of a quadratic reading.
    pub(super) fn long_input(text: &str, parse: impl Fn(&[u8]) -> Parsed<File>) {
        let start = std::time::Instant::now();
        let parsed = parse(text.as_bytes());
        assert!(start.elapsed().as_secs() < 20, "{} bytes took {:?}", text.len(), start.elapsed());
        drop(parsed);
    }
}
