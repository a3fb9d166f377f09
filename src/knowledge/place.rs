//! `rules/unit/places.toml`: where a missing path proves something, and what text is a placeholder.

use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

/// Returns what is known of places in a file system.
pub fn places() -> &'static Places {
    static TABLE: LazyLock<Places> = LazyLock::new(|| super::read(include_str!("../../rules/unit/places.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Places {
    pub run_time: Vec<String>,
    pub system: Vec<String>,
    pub generated: Vec<String>,
    pub complete: Vec<Complete>,
    pub placeholders: Placeholders,
}

/// Paths that together prove that a root holds an operating system.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Complete {
    pub all: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placeholders {
    pub marks: Vec<String>,
    pub words: Vec<String>,
}

impl Places {
    /// Says whether the path lies where files come and go while the system runs.
    pub fn is_run_time(&self, path: &Path) -> bool {
        self.run_time.iter().any(|place| path.starts_with(place))
    }

    /// Says whether the path lies in a directory that a build fills.
    pub fn is_generated(&self, path: &Path) -> bool {
        path.iter().any(|part| self.generated.iter().any(|name| part == name.as_str()))
    }

    /// Returns the operating system's directory that holds the path.
    pub fn system_directory(&self, path: &Path) -> Option<&Path> {
        self.system
            .iter()
            .map(Path::new)
            .filter(|place| path.starts_with(place))
            .max_by_key(|place| place.as_os_str().len())
    }

    /// Says whether the text holds a placeholder that somebody replaces before the file is used.
    pub fn has_placeholder(&self, text: &str) -> bool {
        self.placeholders.words.iter().any(|word| text.contains(word.as_str()))
            || self.placeholders.marks.iter().any(|mark| holds_mark(text, mark))
    }
}

/// Says whether `text` holds `mark`, in which one `*` stands for a name: letters, digits, `_` and `-`, blanks between
/// brackets, and capitals alone between marks that ordinary names use too (`__init__`, `%i-%p`).
fn holds_mark(text: &str, mark: &str) -> bool {
    let Some((open, close)) = mark.split_once('*') else {
        return text.contains(mark);
    };
    let bracketed = open != close;
    let fits = |c: char| match c {
        '-' | ' ' => bracketed,
        '_' => true,
        _ if bracketed => c.is_alphanumeric(),
        _ => c.is_ascii_uppercase() || c.is_ascii_digit() || open == "@" && c.is_ascii_lowercase(),
    };
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(open) {
        let length: usize = after.chars().take_while(|c| fits(*c)).map(char::len_utf8).sum();
        let (name, tail) = after.split_at_checked(length).unwrap_or((after, ""));
        let (name, closed) = match name.strip_suffix(close) {
            Some(name) => (name, true),
            None => (name, tail.starts_with(close)),
        };
        if closed && name.chars().any(char::is_alphanumeric) {
            return true;
        }
        rest = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_type() {
        toml::from_str::<Places>(include_str!("../../rules/unit/places.toml")).unwrap();
    }

    #[test]
    fn placeholders() {
        let check = |text: &str, expected: bool| assert_eq!(places().has_placeholder(text), expected, "{text}");
        check("{{ app_root }}/current", true);
        check("@bindir@/agent", true);
        check("__HOME__/.agent/bin/agent", true);
        check("${AGENT_ROOT}/scripts/run.sh", true);
        check("/Users/USERNAME/agent", true);
        check("%INSTALL_DIR%/x", true);
        check("/home/<your user>/x", true);
        check("/srv/app/__init__.py", false);
        check("/srv/app/bin/x@1", false);
        check("user@host", false);
        check("/srv/%i-%p/x", false);
        check("/srv/app/__main__.py", false);
        check("/opt/a%20b/50%", false);
    }
}
