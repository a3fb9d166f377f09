//! What the process finds around it: environment variables, the terminal, the day. Read once, passed to everything.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal as _;

use clap::ValueEnum;

use crate::report::{Blocks, Characters, Color, Look};
use crate::suppress::Date;

/// The only environment variables that foreshock itself obeys.
const VARIABLES: [&str; 10] = [
    "FORESHOCK_CONFIG",
    "PRE_COMMIT_FROM_REF",
    "GITHUB_STEP_SUMMARY",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
    "TERM",
    "LC_ALL",
    "LC_CTYPE",
    "LANG",
];

const WIDEST: usize = 120;
const NARROWEST: usize = 40;
const WIDTH: usize = 80;

/// The surroundings of a run; the default is that of a pipe without any environment.
#[derive(Clone, Debug)]
pub struct Surroundings {
    pub variables: BTreeMap<&'static str, OsString>,
    pub stdout: Stream,
    /// Columns of the terminal, if there is one.
    pub columns: Option<usize>,
    pub today: Date,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Terminal,
    Other,
}

/// `--color`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    #[default]
    Auto,
    Always,
    Never,
}

impl Surroundings {
    /// Reads the surroundings of this process.
    pub fn of_process() -> Self {
        let variables = VARIABLES.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))).collect();
        let stdout = if std::io::stdout().is_terminal() { Stream::Terminal } else { Stream::Other };
        let columns = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self { variables, stdout, columns, today: Date::today() }
    }

    /// Returns a variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(name).filter(|value| !value.is_empty())
    }

    /// Returns the width of the terminal within bounds in which text is pleasant to read.
    pub fn width(&self) -> usize {
        self.columns.map_or(WIDTH, |columns| columns.clamp(NARROWEST, WIDEST))
    }

    /// Says whether colours are used: the option, then `NO_COLOR`, `FORCE_COLOR` or `CLICOLOR_FORCE`, `TERM=dumb`,
    /// and last whether standard output is a terminal.
    pub(super) fn color(&self, when: When) -> Color {
        let forces = |name| self.variable(name).is_some_and(|value| value != "0");
        let colored = match when {
            When::Always => true,
            When::Never => false,
            When::Auto if self.variable("NO_COLOR").is_some() => false,
            When::Auto if forces("FORCE_COLOR") || forces("CLICOLOR_FORCE") => true,
            When::Auto if self.variable("TERM").is_some_and(|term| term == "dumb") => false,
            When::Auto => self.stdout == Stream::Terminal,
        };
        if colored { Color::Always } else { Color::Never }
    }

    /// Returns the characters of the locale. The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set counts (POSIX,
    /// Base Definitions 8.2); with none set the locale is C, which is ASCII, except on systems where text is Unicode
    /// whatever the environment says.
    pub fn characters(&self) -> Characters {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| self.variable(name));
        let unicode = match locale {
            Some(locale) => {
                let locale = locale.to_string_lossy().to_ascii_lowercase();
                locale.contains("utf-8") || locale.contains("utf8")
            }
            None => cfg!(any(windows, target_os = "macos")),
        };
        if unicode { Characters::Unicode } else { Characters::Ascii }
    }

    pub(super) fn look(&self, when: When, all: Option<Blocks>) -> Look {
        let blocks = all.unwrap_or(match self.stdout {
            Stream::Terminal => Blocks::Worst,
            Stream::Other => Blocks::All,
        });
        Look { color: self.color(when), characters: self.characters(), width: self.width(), blocks }
    }
}

impl Default for Surroundings {
    fn default() -> Self {
        Self { variables: BTreeMap::new(), stdout: Stream::Other, columns: None, today: Date::today() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings(variables: &[(&'static str, &str)], stdout: Stream) -> Surroundings {
        let variables = variables.iter().map(|(name, value)| (*name, OsString::from(value))).collect();
        Surroundings { variables, stdout, ..Surroundings::default() }
    }

    #[test]
    fn colour_follows_the_first_that_speaks() {
        use Stream::{Other, Terminal};
        use When::{Always, Auto, Never};
        for (when, variables, stdout, expected) in [
            (Auto, &[][..], Terminal, Color::Always),
            (Auto, &[], Other, Color::Never),
            (Auto, &[("TERM", "dumb")], Terminal, Color::Never),
            (Auto, &[("TERM", "dumb"), ("FORCE_COLOR", "1")], Other, Color::Always),
            (Auto, &[("CLICOLOR_FORCE", "1")], Other, Color::Always),
            (Auto, &[("FORCE_COLOR", "0"), ("CLICOLOR_FORCE", "0")], Other, Color::Never),
            (Auto, &[("FORCE_COLOR", "0")], Terminal, Color::Always),
            (Auto, &[("FORCE_COLOR", "")], Other, Color::Never),
            (Auto, &[("NO_COLOR", "1"), ("FORCE_COLOR", "1")], Terminal, Color::Never),
            (Auto, &[("NO_COLOR", "0")], Terminal, Color::Never),
            (Auto, &[("NO_COLOR", "")], Terminal, Color::Always),
            (Always, &[("NO_COLOR", "1")], Other, Color::Always),
            (Never, &[("FORCE_COLOR", "1")], Terminal, Color::Never),
        ] {
            assert_eq!(surroundings(variables, stdout).color(when), expected, "{when:?} {variables:?} {stdout:?}");
        }
    }

    #[test]
    fn characters_follow_the_locale() {
        use Characters::{Ascii, Unicode};
        for (variables, expected) in [
            (&[("LANG", "en_US.UTF-8")][..], Unicode),
            (&[("LANG", "C.utf8")], Unicode),
            (&[("LC_CTYPE", "UTF-8")], Unicode),
            (&[("LANG", "de_DE@euro")], Ascii),
            (&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")], Ascii),
            (&[("LC_ALL", ""), ("LANG", "en_US.UTF-8")], Unicode),
            (&[("LC_CTYPE", "POSIX"), ("LANG", "en_US.UTF-8")], Ascii),
        ] {
            assert_eq!(surroundings(variables, Stream::Other).characters(), expected, "{variables:?}");
        }
        #[cfg(target_os = "linux")]
        assert_eq!(surroundings(&[], Stream::Terminal).characters(), Ascii);
    }

    #[test]
    fn width_is_that_of_the_terminal_within_bounds() {
        for (columns, expected) in [(None, 80), (Some(100), 100), (Some(400), 120), (Some(0), 40)] {
            assert_eq!(Surroundings { columns, ..Surroundings::default() }.width(), expected);
        }
    }

    #[test]
    fn only_a_terminal_gets_the_worst_findings_alone() {
        assert_eq!(surroundings(&[], Stream::Terminal).look(When::Auto, None).blocks, Blocks::Worst);
        assert_eq!(surroundings(&[], Stream::Terminal).look(When::Auto, Some(Blocks::All)).blocks, Blocks::All);
        assert_eq!(surroundings(&[], Stream::Other).look(When::Auto, None).blocks, Blocks::All);
    }
}
