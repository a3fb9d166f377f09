//! Two definitions of one job: which settings that matter agree, and which do not.

use std::collections::{BTreeMap, BTreeSet};

use super::definition::{Definition, Form, Item, Rendering, Written};
use super::pattern::{Pattern, agree, words};
use crate::knowledge::copy::Sort;
use crate::model::unit::restart::time_span;
use crate::source::Bytes;

/// What came out of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Comparison {
    /// Settings that agree.
    pub equal: usize,
    /// In the order of the installed file, what is only in the other one last.
    pub different: Vec<Different>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Different {
    pub section: String,
    /// `ExecStart`, `Environment RAILS_ENV`.
    pub setting: String,
    pub installed: Option<Bytes>,
    pub repository: Option<Bytes>,
    /// The repository's value, if it is one word that is worth to be named.
    pub value: Option<String>,
}

/// Compares. `elsewhere` are the settings that another file of the host decides.
pub(super) fn compare(
    installed: &Definition,
    repository: &Definition,
    elsewhere: &BTreeSet<(&str, &str)>,
) -> Comparison {
    let pair = Pair { installed, repository, users: (users(installed), users(repository)) };
    let mut keys: BTreeSet<(&str, &str)> = BTreeSet::new();
    for item in installed.items.iter().chain(&repository.items) {
        let counts = item.section != "Install" && installed.table().is_material(&item.key);
        if counts && !elsewhere.contains(&(item.section.as_str(), item.key.as_str())) {
            keys.insert((&item.section, &item.key));
        }
    }
    let mut comparison = Comparison::default();
    for (section, key) in keys {
        pair.compare(section, key, &mut comparison);
    }
    comparison.different.sort_by_key(|different| {
        (different.installed.is_none(), different.installed.unwrap_or_default(), different.setting.clone())
    });
    comparison
}

fn users(definition: &Definition) -> Vec<&str> {
    let named = definition.items.iter().filter(|item| definition.table().names_user(&item.key));
    named.map(|item| item.value.as_str()).filter(|user| *user != "root").collect()
}

struct Pair<'a> {
    installed: &'a Definition,
    repository: &'a Definition,
    users: (Vec<&'a str>, Vec<&'a str>),
}

impl Pair<'_> {
    fn compare(&self, section: &str, key: &str, comparison: &mut Comparison) {
        let theirs: Vec<&Item> = self.installed.all(section, key).collect();
        let ours: Vec<&Item> = self.repository.all(section, key).collect();
        let rendering = self.repository.rendering;
        if ours.iter().any(|item| item.written == Written::Conditionally)
            || ours.is_empty() && rendering == Rendering::Open
        {
            return;
        }
        let before = comparison.different.len();
        match self.installed.table().sort(key) {
            Sort::One => self.one(key, theirs.last(), ours.last(), comparison),
            Sort::List => self.list(key, &theirs, &ours, comparison),
            Sort::Words => self.words(key, &theirs, &ours, comparison),
            Sort::Assignments => self.assignments(key, &theirs, &ours, comparison),
        }
        if comparison.different.len() == before && !theirs.is_empty() && !ours.is_empty() {
            comparison.equal += 1;
        }
        for different in comparison.different.iter_mut().skip(before) {
            section.clone_into(&mut different.section);
        }
    }

    fn agree(&self, key: &str, theirs: &str, ours: &str) -> bool {
        if agree(theirs, ours, (&self.users.0, &self.users.1), self.repository.rendering) {
            return true;
        }
        let table = self.installed.table();
        // Another account is another machine's habit; root is another matter.
        if table.names_user(key) && theirs != "root" && ours != "root" {
            return true;
        }
        if self.installed.form == Form::Systemd && table.sort(key) == Sort::One {
            let same_span = key.ends_with("Sec") && time_span(theirs).is_some_and(|span| Some(span) == time_span(ours));
            return same_span || truth(theirs).is_some_and(|truth| Some(truth) == self::truth(ours));
        }
        false
    }

    fn one(&self, key: &str, theirs: Option<&&Item>, ours: Option<&&Item>, comparison: &mut Comparison) {
        let default = self.installed.table().defaults.get(key).map(String::as_str);
        let theirs_value = theirs.map(|item| item.value.as_str()).or(default);
        let ours_value = ours.map(|item| item.value.as_str()).or(default);
        let same = match (theirs_value, ours_value) {
            (Some(theirs), Some(ours)) => self.agree(key, theirs, ours),
            (theirs, ours) => theirs.is_none() && ours.is_none(),
        };
        if !same {
            comparison.different.push(different(key, theirs.copied(), ours.copied()));
        }
    }

    fn list(&self, key: &str, theirs: &[&Item], ours: &[&Item], comparison: &mut Comparison) {
        for at in 0..theirs.len().max(ours.len()) {
            let (their, our) = (theirs.get(at).copied(), ours.get(at).copied());
            let same = their.zip(our).is_some_and(|(their, our)| self.agree(key, &their.value, &our.value));
            if !same {
                // The rest is moved along at best: one difference.
                let place = |items: &[&'_ Item]| items.get(at).or_else(|| items.last()).map(|item| item.bytes);
                let mut found = different(key, their, our);
                found.installed = place(theirs);
                found.repository = place(ours);
                comparison.different.push(found);
                return;
            }
        }
    }

    fn words(&self, key: &str, theirs: &[&Item], ours: &[&Item], comparison: &mut Comparison) {
        let split = |items: &[&'_ Item], rendering: Rendering| -> Vec<String> {
            items.iter().flat_map(|item| words(&item.value, rendering)).collect()
        };
        let (their_words, our_words) = (split(theirs, Rendering::None), split(ours, self.repository.rendering));
        let whole = our_words.iter().any(|word| Pattern::of(word, self.repository.rendering).is_hole());
        let has = |word: &String| our_words.iter().any(|our| self.agree(key, word, our));
        let extra = !whole && !their_words.iter().all(has);
        let lacks = our_words.iter().any(|our| {
            !Pattern::of(our, self.repository.rendering).is_hole()
                && !their_words.iter().any(|their| self.agree(key, their, our))
        });
        if extra || lacks {
            comparison.different.push(different(key, theirs.first().copied(), ours.first().copied()));
        }
    }

    fn assignments(&self, key: &str, theirs: &[&Item], ours: &[&Item], comparison: &mut Comparison) {
        let rendering = self.repository.rendering;
        let (their, our) = (variables(theirs, Rendering::None), variables(ours, rendering));
        let names: BTreeSet<&String> = their.keys().chain(our.keys()).collect();
        // A whole word that somebody fills in may be any of the variables.
        let open = ours.iter().any(|item| {
            words(&item.value, rendering)
                .iter()
                .any(|word| !word.contains('=') && Pattern::of(word, rendering).has_holes())
        });
        for name in names {
            let (their, our) = (their.get(name), our.get(name));
            let same = match (their, our) {
                (Some((_, their)), Some((_, our))) => self.agree(key, their, our),
                (Some(_), None) => open,
                _ => false,
            };
            if !same {
                let mut found = different(key, their.map(|(item, _)| *item), our.map(|(item, _)| *item));
                found.setting = format!("{key} {name}");
                found.value = None;
                comparison.different.push(found);
            }
        }
    }
}

/// `A=b "C=d e"` by name.
fn variables<'i>(items: &[&'i Item], rendering: Rendering) -> BTreeMap<String, (&'i Item, String)> {
    let mut found = BTreeMap::new();
    for item in items {
        for word in words(&item.value, rendering) {
            if let Some((name, value)) = word.split_once('=') {
                found.insert(name.to_owned(), (*item, value.to_owned()));
            }
        }
    }
    found
}

fn different(key: &str, theirs: Option<&Item>, ours: Option<&Item>) -> Different {
    let worth = |item: &&Item| item.value.len() <= 40 && !item.value.contains(char::is_whitespace);
    let secret = key.starts_with("Environment");
    Different {
        section: String::new(),
        setting: key.to_owned(),
        installed: theirs.map(|item| item.bytes),
        repository: ours.map(|item| item.bytes),
        value: ours.filter(worth).filter(|_| !secret).map(|item| item.value.clone()),
    }
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "yes" | "y" | "true" | "t" | "on" => Some(true),
        "0" | "no" | "n" | "false" | "f" | "off" => Some(false),
        _ => None,
    }
}
