//! Options of a command line.

use crate::model::process::Word;

/// The options of a command line, in order, with the words that are their values.
pub(in crate::model) struct Flags<'w> {
    given: Vec<(&'w str, Option<&'w str>, &'w Word)>,
    /// A word that is not known stands where an option may stand.
    pub opaque: bool,
}

impl<'w> Flags<'w> {
    /// Reads `-t 5:5`, `-t5:5`, `--threads 5:5`, `--threads=5:5`. An option of neither list takes no value.
    pub(in crate::model) fn of(words: &'w [Word], wanted: &[String], with_value: &[String]) -> Self {
        let mut flags = Self { given: Vec::new(), opaque: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(text) = word.text.as_deref() else {
                flags.opaque = true;
                continue;
            };
            let known = |name: &str| wanted.iter().chain(with_value).any(|known| known == name);
            if known(text) {
                let Some(value) = words.next() else { continue };
                flags.given.push((text, value.text.as_deref(), value));
            } else if let Some((name, value)) = text.split_once('=').filter(|_| text.starts_with("--")) {
                flags.given.push((name, Some(value), word));
            } else if let Some(name) = text.get(..2).filter(|name| text.starts_with('-') && known(name)) {
                flags.given.push((name, text.get(2..), word));
            } else if text.starts_with('-') {
                flags.given.push((text, None, word));
            }
        }
        flags
    }

    /// Returns the last value of an option, if it is known.
    pub(in crate::model) fn value(&self, names: &[String]) -> Option<(&'w str, &'w Word)> {
        self.last(names).and_then(|(value, word)| Some((value?, word)))
    }

    /// Returns the last value of an option, `None` inside for one that is not known.
    pub(in crate::model) fn last(&self, names: &[String]) -> Option<(Option<&'w str>, &'w Word)> {
        let found = self.given.iter().rev().find(|(name, ..)| names.iter().any(|known| known == name))?;
        Some((found.1, found.2))
    }

    pub(in crate::model) fn has(&self, names: &[String]) -> bool {
        self.last(names).is_some()
    }
}
