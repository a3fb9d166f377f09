//! `rules/unit/commands.toml`: which programs run another one, and where the real target stands in their arguments.

use std::sync::LazyLock;

use serde::Deserialize;

/// Returns what is known of wrappers, shells and interpreters.
pub fn commands() -> &'static Commands {
    static TABLE: LazyLock<Commands> = LazyLock::new(|| super::read(include_str!("../../rules/unit/commands.toml")));
    &TABLE
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commands {
    #[serde(rename = "shell")]
    pub shells: Vec<Shell>,
    #[serde(rename = "wrapper")]
    pub wrappers: Vec<Wrapper>,
    pub opaque: Vec<Opaque>,
    #[serde(rename = "interpreter")]
    pub interpreters: Vec<Interpreter>,
    pub guards: Guards,
    #[serde(rename = "maker")]
    pub makers: Vec<Maker>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Shell {
    pub names: Vec<String>,
    #[serde(default)]
    pub with_value: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Wrapper {
    pub names: Vec<String>,
    /// Options that take the next word.
    pub with_value: Vec<String>,
    /// Words that stand before the program.
    pub skip: usize,
    /// `NAME=value` words may stand before the program.
    pub assignments: bool,
    /// Options whose value is a shell script.
    pub script: Vec<String>,
    /// Without such a script there is no program either.
    pub only_script: bool,
    /// Options after which the working directory is another one.
    pub leaves: Vec<String>,
    /// One of these must be there, or the words are something else.
    pub required_option: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opaque {
    pub names: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Interpreter {
    pub names: Vec<String>,
    /// `python3.11` is `python`.
    pub versions: bool,
    pub with_value: Vec<String>,
    pub no_script: Vec<String>,
    /// Short options may stand together: `-lne` is `-l -n -e`.
    pub clusters: bool,
    /// Options whose value is the script.
    pub script_option: Vec<String>,
    /// Without such an option there is no script.
    pub only_option: bool,
    /// What is tried after the script's name, in order; empty: the name alone.
    pub tries: Vec<String>,
    /// Subcommands that stand before the script.
    pub skip: Vec<String>,
    /// The script's name must end so.
    pub suffix: Option<String>,
    pub suffix_any: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Guards {
    pub commands: Vec<String>,
    pub no_op: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Maker {
    pub names: Vec<String>,
    pub with_value: Vec<String>,
    pub makes: Makes,
    /// Options with which every argument is made.
    pub every_with: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Makes {
    #[default]
    Every,
    Last,
}

fn named(names: &[String], program: &str) -> bool {
    names.iter().any(|name| name == program)
}

impl Commands {
    pub fn shell(&self, program: &str) -> Option<&Shell> {
        self.shells.iter().find(|shell| named(&shell.names, program))
    }

    pub fn wrapper(&self, program: &str) -> Option<&Wrapper> {
        self.wrappers.iter().find(|wrapper| named(&wrapper.names, program))
    }

    pub fn is_opaque(&self, program: &str) -> bool {
        self.opaque.iter().any(|opaque| named(&opaque.names, program))
    }

    pub fn interpreter(&self, program: &str) -> Option<&Interpreter> {
        let bare = program.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.');
        self.interpreters.iter().find(|interpreter| {
            named(&interpreter.names, program) || interpreter.versions && named(&interpreter.names, bare)
        })
    }

    pub fn maker(&self, program: &str) -> Option<&Maker> {
        self.makers.iter().find(|maker| named(&maker.names, program))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_type() {
        toml::from_str::<Commands>(include_str!("../../rules/unit/commands.toml")).unwrap();
        assert!(commands().interpreter("python3.11").is_some());
        assert!(commands().interpreter("nodemon").is_none());
    }
}
