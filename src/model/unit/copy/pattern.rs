//! One value against another: placeholders stand for anything, and spellings of one place are equal.

use crate::knowledge::copy::copies;

use super::definition::Rendering;

/// A value of the repository's copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// The text around the holes: one part more than there are holes.
    parts: Vec<String>,
}

impl Pattern {
    pub(super) fn of(text: &str, rendering: Rendering) -> Self {
        let mut parts = vec![String::new()];
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(hole) = hole(rest, rendering) {
                parts.push(String::new());
                rest = rest.get(hole..).unwrap_or_default();
                continue;
            }
            if let Some(part) = parts.last_mut() {
                part.push(first);
            }
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
        Self { parts }
    }

    pub(super) fn has_holes(&self) -> bool {
        self.parts.len() > 1
    }

    /// Says whether nothing is known of the value.
    pub(super) fn is_hole(&self) -> bool {
        self.has_holes() && self.parts.iter().all(String::is_empty)
    }

    /// Says whether the value can be this text.
    pub(super) fn matches(&self, text: &str) -> bool {
        let Some((first, others)) = self.parts.split_first() else { return true };
        let Some((last, middle)) = others.split_last() else { return first == text };
        let Some(rest) = text.strip_prefix(first.as_str()) else { return false };
        let Some(mut rest) = rest.strip_suffix(last.as_str()) else { return false };
        for part in middle {
            let Some((_, after)) = rest.split_once(part.as_str()) else { return false };
            rest = after;
        }
        true
    }

    fn map(&self, change: impl Fn(&str) -> String) -> Self {
        // Behind a hole a path has begun already: its text is left alone.
        let part = |(at, part): (usize, &String)| if at == 0 { change(part) } else { part.clone() };
        Self { parts: self.parts.iter().enumerate().map(part).collect() }
    }
}

/// Returns the length of the placeholder at the start of `text`.
pub(in crate::model::unit) fn hole(text: &str, rendering: Rendering) -> Option<usize> {
    copies().holes.iter().find_map(|[open, close]| {
        if open.starts_with('$') && rendering == Rendering::None {
            return None;
        }
        let inner = text.strip_prefix(open.as_str())?;
        let length = inner.find(close.as_str())?;
        let name = inner.get(..length)?;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-') || c == ' ' && open == "<";
        let plain = open.len() == 1 || open == close;
        (!name.is_empty() && (!plain || name.chars().all(is_name))).then_some(open.len() + length + close.len())
    })
}

/// Splits a value at blanks outside of quotes, which are dropped, and of placeholders, which are kept whole.
pub(super) fn words(text: &str, rendering: Rendering) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = hole(rest, rendering).unwrap_or(first.len_utf8());
        let (piece, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = after;
        match (first, quote) {
            ('"' | '\'', None) => quote = Some(first),
            (c, Some(open)) if c == open => quote = None,
            (c, None) if c.is_whitespace() => words.push(String::new()),
            _ => words.last_mut().into_iter().for_each(|word| word.push_str(piece)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Says whether an installed value is what the repository's copy makes of it, apart from spellings: merged /usr,
/// /usr/local, another home directory, another user's name, quotes.
pub(super) fn agree(installed: &str, repository: &str, users: (&[&str], &[&str]), rendering: Rendering) -> bool {
    let pattern = Pattern::of(repository, rendering);
    if pattern.matches(installed) {
        return true;
    }
    let plain = |text: &str| text.replace(['"', '\''], "");
    let ours = Pattern::of(&plain(&spelled(repository, users.1)), rendering);
    let theirs = plain(&spelled(installed, users.0));
    ours.matches(&theirs) || pattern.map(|part| plain(&spelled(part, users.1))).matches(&theirs)
}

/// Returns a text in which places with several names have one.
fn spelled(text: &str, users: &[&str]) -> String {
    let mut out = String::new();
    let mut rest = text;
    let mut at_start = true;
    while let Some(first) = rest.chars().next() {
        if at_start && let Some((short, length)) = shorter(rest, users) {
            out.push_str(short);
            rest = rest.get(length..).unwrap_or_default();
            at_start = short == "/";
            continue;
        }
        at_start = first.is_whitespace() || "\"'=:;,(&|-+!@".contains(first);
        out.push(first);
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    out.replace("/sbin/", "/bin/")
}

/// Returns another spelling of what stands at the start, and the length of what it stands for.
fn shorter(text: &str, users: &[&str]) -> Option<(&'static str, usize)> {
    let ends = |length: usize| {
        let next = text.get(length..).and_then(|rest| rest.chars().next());
        next.is_none_or(|next| !next.is_alphanumeric() && !matches!(next, '_' | '-' | '.'))
    };
    for home in ["/home/", "/Users/"] {
        if let Some(rest) = text.strip_prefix(home) {
            let name = rest.find(|c: char| c == '/' || c.is_whitespace() || "\"':;".contains(c)).unwrap_or(rest.len());
            return Some(("~", home.len() + name));
        }
    }
    for home in ["/root", "/var/root", "%h", "$HOME", "${HOME}", "~"] {
        if text.starts_with(home) && ends(home.len()) {
            return Some(("~", home.len()));
        }
    }
    for prefix in ["/usr/local/", "/usr/"] {
        if text.starts_with(prefix) {
            return Some(("/", prefix.len()));
        }
    }
    users
        .iter()
        .find(|user| !user.is_empty() && text.starts_with(**user) && ends(user.len()))
        .map(|user| ("\u{1}", user.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let check = |installed: &str, repository: &str, expected: bool| {
            let found = agree(installed, repository, (&["app"], &["deploy"]), Rendering::Filled);
            assert_eq!(found, expected, "{installed} / {repository}");
        };
        check("/srv/x/bin/run --port 80", "{{ root }}/bin/run --port {{ port }}", true);
        check("/srv/x/bin/run --port 80", "{{ root }}/bin/go --port {{ port }}", false);
        check("/bin/kill -HUP $MAINPID", "/usr/bin/kill -HUP $MAINPID", true);
        check("/usr/local/bin/x", "/usr/bin/x", true);
        check("/usr/lib/x/@b@", "@bindir@/x/y", false);
        check("/home/app/x/run", "/Users/deploy/x/run", true);
        check("/home/app/x/run", "/home/deploy/y/run", false);
        check("app:app", "deploy:deploy", true);
        check("application", "deployment", false);
        check("A=b c", "\"A=b c\"", true);
        check("/opt/a/bin", "@prefix@/bin", true);
        check("x${Y}", "x${Y}", true);
        assert!(!agree("/opt/x --old", "/opt/${X} --new", (&[], &[]), Rendering::None));
    }
}
