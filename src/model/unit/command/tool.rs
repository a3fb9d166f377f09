//! Programs whose arguments name the files that they need, and tools that need a file in their directory.

use std::path::Path;

use super::{Argument, Certainty, follow};
use crate::knowledge::command::{ProgramFiles, ProjectTool};
use crate::model::unit::Role;

impl super::Follower<'_> {
    /// `puma -C config/puma.rb`, `redis-server /etc/redis.conf`.
    pub(super) fn files_of_program(&mut self, name: &str, program: &ProgramFiles, arguments: &[Argument]) {
        let mut subcommand = program.subcommand.is_empty();
        for (index, argument) in arguments.iter().enumerate() {
            let text = argument.text.text.as_str();
            if text == "--" {
                return;
            }
            if !subcommand && !text.starts_with('-') {
                if !program.subcommand.iter().any(|name| name == text) {
                    return;
                }
                subcommand = true;
                continue;
            }
            if let Some(value) = follow::value_of(&program.option, argument, arguments.get(index + 1)) {
                self.file_of_program(name, program, &value);
            } else if program.first_word && index == 0 && !text.starts_with('-') {
                self.file_of_program(name, program, argument);
            }
        }
    }

    fn file_of_program(&mut self, name: &str, program: &ProgramFiles, value: &Argument) {
        let text = value.text.text.as_str();
        // `-` is standard input; a colon or a percent sign is a scheme, a section or a placeholder of the program.
        let plain = text != "-" && !text.contains([':', '%', '*']) && !text.starts_with('~');
        if plain && (text.starts_with('/') || !program.absolute) {
            self.need(value, Role::Configuration { program: name.to_owned() });
        }
    }

    /// `npm run start` looks for package.json in its directory and in those above.
    pub(super) fn project_file(&mut self, argv: &[Argument], tool: &ProjectTool) {
        let Some((program, arguments)) = argv.split_first() else { return };
        let mut directory = self.around.directory.clone();
        for (index, argument) in arguments.iter().enumerate() {
            if argument.certainty == Certainty::Variable {
                return;
            }
            if let Some(value) = follow::value_of(&tool.directory_option, argument, arguments.get(index + 1)) {
                directory = value.as_known().and_then(|word| self.around.absolute(word));
            }
        }
        let mut words = arguments.iter().map(|argument| argument.text.text.as_str());
        let runs = words.any(|word| tool.subcommand.iter().any(|name| name == word));
        let Some(directory) = directory.filter(|_| runs) else { return };
        let paths = directory.ancestors().map(|above: &Path| above.join(&tool.file)).collect();
        let role = Role::ProjectFile { tool: program.text.text.clone() };
        self.refer(paths, role, program);
    }
}
