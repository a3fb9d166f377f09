//! Users and their homes, from the root's passwd, or from the home directories of a Mac.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::facts::Body;
use crate::facts::host::HostFacts;
use crate::model::resolve::FactsByFile;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accounts {
    homes: BTreeMap<String, PathBuf>,
}

impl Accounts {
    /// Reads the accounts of a host.
    pub fn of(host: &HostFacts, facts: &FactsByFile) -> Self {
        let mut homes = BTreeMap::new();
        if let Some(Body::Table(lines)) = host.passwd.and_then(|file| facts.get(&file)).map(|facts| &facts.body) {
            for line in lines {
                let field = |index: usize| line.fields.get(index).map(|field| field.text.as_str());
                if let (Some(name), Some(home)) = (field(0), field(5))
                    && home.starts_with('/')
                {
                    homes.insert(name.to_owned(), PathBuf::from(home));
                }
            }
        }
        Self { homes }
    }

    /// Returns the home of a user, if a file of the root says it.
    pub fn home(&self, user: &str) -> Option<&Path> {
        self.homes.get(user).map(PathBuf::as_path)
    }
}
