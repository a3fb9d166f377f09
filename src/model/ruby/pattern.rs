//! Regular expressions as far as configuration asks with them: a text, perhaps bound to the start or the end.

use super::operation;
use super::value::{Pattern, Value, Why};

impl Pattern {
    /// Reads a regular expression that is no more than a text. Anchors of lines are taken for those of the text: what is
    /// asked about has one line.
    pub(super) fn of(pattern: &str, flags: &str) -> Option<Self> {
        let (at_start, rest) = match pattern.strip_prefix("\\A").or_else(|| pattern.strip_prefix('^')) {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let end = rest.strip_suffix("\\z").or_else(|| rest.strip_suffix("\\Z")).or_else(|| rest.strip_suffix('$'));
        let text = end.unwrap_or(rest);
        let plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '-' | '/' | ':' | ' ' | '=' | ',');
        let simple = flags.is_empty() && !text.is_empty() && text.chars().all(plain);
        simple.then(|| Self { text: text.to_owned(), at_start, at_end: end.is_some() })
    }

    /// Returns the character at which the pattern fits, or nothing; an error if that is not known.
    pub(super) fn find(&self, subject: &Value, kind: Option<&str>) -> Result<Option<usize>, Why> {
        let text = match subject {
            Value::Unknown(why) => return Err(*why),
            Value::Nil => return Ok(None),
            Value::Program => {
                let holds = operation::program_holds(&self.text, kind).ok_or(Why::Undecided)?;
                return if holds && self.at_start { Err(Why::Undecided) } else { Ok(holds.then_some(0)) };
            }
            other => other.as_text().ok_or(Why::NotUnderstood)?,
        };
        if text.contains('\n') {
            return Err(Why::NotUnderstood);
        }
        let found = match (self.at_start, self.at_end) {
            (true, true) => (text == self.text).then_some(0),
            (true, false) => text.starts_with(&self.text).then_some(0),
            (false, true) => text.ends_with(&self.text).then(|| text.len() - self.text.len()),
            (false, false) => text.find(&self.text),
        };
        Ok(found.map(|at| text.get(..at).unwrap_or_default().chars().count()))
    }
}
