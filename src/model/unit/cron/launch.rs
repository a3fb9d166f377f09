//! What a host's crontabs execute, and with which variables.

use std::path::Path;

use super::{before_percent, split_user};
use crate::facts::Body;
use crate::facts::host::{HostFacts, Listed, Reader};
use crate::knowledge::unit::cron;
use crate::model::resolve::FactsByFile;
use crate::model::unit::Accounts;
use crate::model::unit::launch::{Around, Filling, Launch, LaunchVariable, LaunchWord};
use crate::source::FileId;
use crate::syntax::Fragment;
use crate::syntax::data::Lines;
use crate::syntax::directive::Directive;

/// Variables of one file at most.
const VARIABLES: usize = 50;
/// Entries of one file at most.
const ENTRIES: usize = 1_000;

/// Reads what the crontabs of a host execute.
pub(in crate::model::unit) fn launches(host: &HostFacts, facts: &FactsByFile, accounts: &Accounts) -> Vec<Launch> {
    let mut found = Vec::new();
    for directory in &host.directories {
        for entry in &directory.entries {
            let owner = match &directory.reader {
                Reader::SystemCrontab => None,
                Reader::UserCrontab => Some(entry.name.as_str()),
                _ => break,
            };
            let Some(file) = entry.text else { continue };
            let Some(Body::Table(lines)) = facts.get(&file).map(|facts| &facts.body) else { continue };
            let mut variables = Vec::new();
            for line in lines.iter().take(ENTRIES) {
                match &line.value {
                    Some(value) if variables.len() < VARIABLES => variables.push(LaunchVariable::Set {
                        name: line.key.text.clone(),
                        value: Some(value.text.clone()),
                        at: file.span(value.file_bytes()),
                    }),
                    Some(_) => {}
                    None => found.extend(launch(file, entry, owner, line, &variables, accounts)),
                }
            }
        }
    }
    found
}

/// A shell gets the command as one text. PAM may add variables.
fn launch(
    file: FileId,
    entry: &Listed,
    owner: Option<&str>,
    line: &Directive,
    variables: &[LaunchVariable],
    accounts: &Accounts,
) -> Option<Launch> {
    let special = line.fields.first()?.text.starts_with('@');
    let rest = line.fields.get(if special { 1 } else { 5 })?;
    let (user, command) = match owner {
        Some(user) => (user.to_owned(), rest.clone()),
        None => split_user(rest).map(|(user, command)| (user.text, command))?,
    };
    let home = accounts.home(&user).map(Path::to_path_buf);
    let word = |written: Fragment| LaunchWord {
        file,
        text: Some(written.text.clone()),
        written,
        filling: Filling::Nothing,
        lines: Lines::Text,
    };
    let before = |text: &str| {
        let mut fragment = Fragment::default();
        fragment.push(text, command.file_bytes());
        word(fragment)
    };
    Some(Launch {
        name: entry.path.display().to_string(),
        file,
        commands: vec![vec![before(&cron().shell), before("-c"), word(before_percent(&command))]],
        variables: variables.to_vec(),
        directory: home.clone(),
        home,
        around: Around::Manager,
    })
}
