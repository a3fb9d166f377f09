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
    #[serde(rename = "launcher")]
    pub launchers: Vec<Launcher>,
    #[serde(rename = "interpreter")]
    pub interpreters: Vec<Interpreter>,
    #[serde(rename = "program")]
    pub programs: Vec<ProgramFiles>,
    #[serde(rename = "project-tool")]
    pub project_tools: Vec<ProjectTool>,
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
    /// The first word that is no option must be one of these, or the words are something else.
    pub subcommand: Vec<String>,
    /// After the subcommand, the program stands behind `--`.
    pub after_dashes: bool,
    /// Options whose value is the directory in which the program runs.
    pub chdir: Vec<String>,
    /// Options whose value is the rest of the command line in one string.
    pub split: Vec<String>,
    /// What is another for the program than for the wrapper.
    pub changes: Vec<Change>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The working directory: which one is not known.
    Directory,
    /// The user, and with it the home and the variables.
    User,
}

/// A program that starts another one which an option names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Launcher {
    pub names: Vec<String>,
    /// One of these must be there, or it starts nothing.
    pub required: Vec<String>,
    /// Options whose value is the program, the one that wins first.
    pub program: Vec<String>,
    pub chdir: Vec<String>,
}

/// A program whose arguments name files without which it ends at once.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ProgramFiles {
    pub names: Vec<String>,
    /// `php-fpm8.2` is `php-fpm`.
    pub versions: bool,
    /// Options whose value is a file.
    pub option: Vec<String>,
    /// The first word is a file, unless it is an option.
    pub first_word: bool,
    /// The first word that is no option must be one of these.
    pub subcommand: Vec<String>,
    /// A relative name is relative to the program's own directory.
    pub absolute: bool,
}

/// A tool that looks for a file in its directory and in those above.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ProjectTool {
    pub names: Vec<String>,
    pub file: String,
    /// What it does only with that file.
    pub subcommand: Vec<String>,
    pub directory_option: Vec<String>,
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
    /// Options whose value is a file that must be there.
    pub file_option: Vec<String>,
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

/// `python3.11` without its version.
fn without_version(program: &str) -> &str {
    program.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.')
}

impl Commands {
    pub fn shell(&self, program: &str) -> Option<&Shell> {
        self.shells.iter().find(|shell| named(&shell.names, program))
    }

    pub fn wrapper(&self, program: &str) -> Option<&Wrapper> {
        self.wrappers.iter().find(|wrapper| named(&wrapper.names, program))
    }

    pub fn launcher(&self, program: &str) -> Option<&Launcher> {
        self.launchers.iter().find(|launcher| named(&launcher.names, program))
    }

    pub fn program(&self, program: &str) -> Option<&ProgramFiles> {
        let bare = without_version(program);
        self.programs.iter().find(|files| named(&files.names, program) || files.versions && named(&files.names, bare))
    }

    pub fn project_tool(&self, program: &str) -> Option<&ProjectTool> {
        self.project_tools.iter().find(|tool| named(&tool.names, program))
    }

    pub fn interpreter(&self, program: &str) -> Option<&Interpreter> {
        let bare = without_version(program);
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
