//! Words into text: variables and their fallbacks by what is known of them; everything else is unknown.

use super::Word;
use super::state::{Known, State, Value};
use crate::finding::Place;
use crate::source::FileId;
use crate::syntax::shell::{self, Part};
use crate::syntax::{Fragment, directive::words};

/// Fallbacks inside fallbacks that are followed.
const DEPTH: usize = 8;

/// Returns the value that a word has as the right side of an assignment.
pub(super) fn value(word: &shell::Word, state: &State) -> Value {
    value_within(word, state, DEPTH)
}

fn value_within(word: &shell::Word, state: &State, depth: usize) -> Value {
    let mut whole = Value::known("");
    for (index, part) in word.parts.iter().enumerate() {
        let next = match part {
            Part::Text { text, quoted } => Value { text: tilde(text, *quoted || index > 0, state), fallback: None },
            Part::Variable { name, operator, argument, .. } => {
                variable(name, operator.as_deref(), argument.as_deref(), state, depth)
            }
            Part::Substitution { .. } | Part::Arithmetic(_) => Value::default(),
        };
        whole.text = whole.text.zip(next.text).map(|(before, after)| before + &after);
        whole.fallback = whole.fallback.or(next.fallback);
    }
    whole
}

fn tilde(text: &str, plain: bool, state: &State) -> Option<String> {
    match text.strip_prefix('~') {
        Some(rest) if !plain && (rest.is_empty() || rest.starts_with('/')) => {
            Some(format!("{}{rest}", state.home.as_ref()?.to_str()?))
        }
        _ => Some(text.to_owned()),
    }
}

fn variable(name: &str, operator: Option<&str>, argument: Option<&shell::Word>, state: &State, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::default() };
    let fallback = || argument.map_or_else(|| Value::known(""), |word| value_within(word, state, depth));
    let known = state.known(name);
    let set =
        |text: &str, other: Option<&str>| Value { text: Some(text.to_owned()), fallback: other.map(str::to_owned) };
    match (operator, known) {
        (None | Some(":?" | "?" | "-" | "="), Known::Set(text, other)) => set(text, other),
        (Some(":-" | ":="), Known::Set(text, other)) if !text.is_empty() => set(text, other),
        (Some(":+"), Known::Set("", _)) | (Some(":+" | "+"), Known::Unset) => Value::known(""),
        (Some(":-" | ":=" | ":+" | "+"), Known::Set(..)) | (Some(":-" | "-" | ":=" | "="), Known::Unset) => fallback(),
        (Some(":-" | "-" | ":=" | "="), Known::PerhapsUnset) => {
            let value = fallback();
            Value { fallback: value.fallback.or_else(|| Some(name.to_owned())), ..value }
        }
        // A name that nothing binds may be a loop's or a function's argument.
        _ => Value::default(),
    }
}

/// Returns the words that a command gets to see for one written word.
pub(super) fn fields(word: &shell::Word, state: &State, file: FileId) -> Vec<Word> {
    let place: Place = file.span(word.bytes).into();
    if let [Part::Variable { name, operator: None, quoted, .. }] = word.parts.as_slice() {
        if matches!(name.as_str(), "@" | "*")
            && let Some(arguments) = &state.arguments
        {
            return arguments.to_vec();
        }
        if !quoted && let Known::Set(text, other) = state.known(name) {
            let split = text.split_whitespace();
            return split
                .map(|text| Word { text: Some(text.to_owned()), fallback_of: other.map(str::to_owned), place })
                .collect();
        }
    }
    let value = value(word, state);
    vec![Word { text: value.text.filter(|_| !word.is_glob()), fallback_of: value.fallback, place }]
}

/// Returns the words of a text that is split at blanks and quotes without a shell; `$X` is filled by compose's rule.
pub(super) fn plain(text: &Fragment, state: &State, file: FileId) -> Vec<Word> {
    let (words, _) = words::systemd(text);
    words.into_iter().map(|word| filled(&word.text, state, file)).collect()
}

/// Returns a word with its variables filled in.
pub(super) fn filled(word: &Fragment, state: &State, file: FileId) -> Word {
    let value = interpolate(&word.text, state);
    Word { text: value.text, fallback_of: value.fallback, place: file.span(word.file_bytes()).into() }
}

/// Fills `$X`, `${X}`, `${X:-d}` and their like (compose-spec 12-interpolation.md); `$$` is a dollar sign.
pub(super) fn interpolate(text: &str, state: &State) -> Value {
    interpolate_within(text, state, DEPTH)
}

fn interpolate_within(text: &str, state: &State, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::default() };
    let mut whole = Value::known("");
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        whole.text = whole.text.map(|text| text + before);
        let (next, left) = if let Some(left) = after.strip_prefix('$') {
            (Value::known("$"), left)
        } else if let Some(inner) = after.strip_prefix('{') {
            let end = closing(inner);
            let (inner, left) = inner.split_at_checked(end).unwrap_or((inner, ""));
            (braced(inner, state, depth), left.strip_prefix('}').unwrap_or(left))
        } else {
            let end = name_length(after);
            let (name, left) = after.split_at_checked(end).unwrap_or((after, ""));
            (if name.is_empty() { Value::known("$") } else { variable(name, None, None, state, depth) }, left)
        };
        whole.text = whole.text.zip(next.text).map(|(before, after)| before + &after);
        whole.fallback = whole.fallback.or(next.fallback);
        rest = left;
    }
    whole.text = whole.text.map(|text| text + rest);
    whole
}

fn braced(inner: &str, state: &State, depth: usize) -> Value {
    let (name, rest) = inner.split_at_checked(name_length(inner)).unwrap_or((inner, ""));
    let operator = [":-", ":+", ":?", "-", "+", "?"].into_iter().find(|operator| rest.starts_with(operator));
    let Some(operator) = operator else {
        return if rest.is_empty() { variable(name, None, None, state, depth) } else { Value::default() };
    };
    let argument = interpolate_within(rest.strip_prefix(operator).unwrap_or_default(), state, depth);
    let word = argument.text.map(|text| shell::Word {
        parts: vec![Part::Text { text, quoted: true }],
        bytes: crate::source::Bytes::default(),
    });
    match word {
        Some(word) => {
            let value = variable(name, Some(operator), Some(&word), state, depth);
            // The innermost variable is the one that has to stay unset.
            Value { fallback: value.fallback.map(|outer| argument.fallback.unwrap_or(outer)), ..value }
        }
        None => match state.known(name) {
            Known::Set(text, _) if !text.is_empty() && operator != ":+" && operator != "+" => Value::known(text),
            _ => Value::default(),
        },
    }
}

fn name_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

/// Returns where the brace closes that opened before `text`.
fn closing(text: &str) -> usize {
    let mut open = 1usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::super::Closure;
    use super::*;
    use crate::source::Bytes;

    fn state(closure: Closure) -> State {
        let mut state = State::new(closure);
        state.hand("SET", Value::known("7"), FileId(0).span(Bytes::new(0, 1)));
        state.hand("EMPTY", Value::known(""), FileId(0).span(Bytes::new(0, 1)));
        state
    }

    fn of_shell(text: &str, state: &State) -> Value {
        let parsed = shell::parse(&Fragment::verbatim(&format!("A={text}"), 0));
        let shell::Node::Command(command) = &parsed.tree[0].node else { panic!("{text}") };
        value(&command.assignments[0].value, state)
    }

    fn check(text: &str, closure: Closure, expected: Option<&str>, fallback: Option<&str>) {
        let state = state(closure);
        let of_compose = interpolate(text, &state);
        assert_eq!((of_compose.text.as_deref(), of_compose.fallback.as_deref()), (expected, fallback), "{text}");
        assert_eq!(of_shell(text, &state), of_compose, "{text}");
    }

    #[test]
    fn what_only_a_shell_knows() {
        let check = |text: &str, expected: Option<&str>, fallback: Option<&str>| {
            let value = of_shell(text, &state(Closure::Unstated));
            assert_eq!((value.text.as_deref(), value.fallback.as_deref()), (expected, fallback), "{text}");
        };
        check("\"${X:=5}\"", Some("5"), Some("X"));
        check("${SET:=5}", Some("7"), None);
        check("${X:-${EMPTY:=6}}", Some("6"), Some("X"));
        check("$(nproc)", None, None);
        check("${X:-$(nproc)}", None, Some("X"));
        check("$((SET * 2))", None, None);
    }

    #[test]
    fn fallbacks() {
        use Closure::{Closed, Open, Unstated};
        check("${SET:-5}", Unstated, Some("7"), None);
        check("${EMPTY:-5}", Unstated, Some("5"), None);
        check("${EMPTY-5}", Unstated, Some(""), None);
        check("${X:-5}", Unstated, Some("5"), Some("X"));
        check("${X:-5}", Closed, Some("5"), None);
        check("${X:-5}", Open, None, None);
        check("${X:-${Y:-5}}", Unstated, Some("5"), Some("Y"));
        check("${X:-$SET}", Unstated, Some("7"), Some("X"));
        check("a${SET}b", Unstated, Some("a7b"), None);
        check("$X", Unstated, None, None);
        check("${X:?no}", Closed, None, None);
        check("${SET:+on}", Unstated, Some("on"), None);
    }
}
