//! The text of a directive: `foreshock: ignore[rule, rule] until=YYYY-MM-DD reason`. Knows neither rules nor lines.

use super::Date;
use crate::config::nearest;
use crate::source::Bytes;

/// Limits that no honest file reaches: each name of each directive is compared with all rules.
const NAMES: usize = 32;
const NAME_LENGTH: usize = 64;

/// What may stand before the directive in a comment: the markers of all languages, and blanks.
const MARKERS: [char; 9] = ['/', '*', '#', ';', '!', '-', '<', '%', '='];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Lines,
    File,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) bytes: Bytes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) reach: Reach,
    pub(super) names: Vec<Name>,
    pub(super) until: Option<(Date, Bytes)>,
    /// From `foreshock:` to the closing bracket.
    pub(super) bytes: Bytes,
}

/// Something that was meant as a directive: where, and what is wrong.
pub(super) type Fault = (Bytes, String);

/// Reads one line of a comment; `offset` is its place in the file. `None`: it is no directive.
pub(super) fn read(line: &str, offset: usize) -> Option<Result<Written, Fault>> {
    let start = line.trim_start_matches(|each: char| each.is_whitespace() || MARKERS.contains(&each));
    let after = start.strip_prefix("foreshock:")?;
    let cursor = Cursor { line, offset };
    let word_start = after.trim_start();
    let length = word_start.find(|each: char| !each.is_ascii_alphanumeric() && each != '-' && each != '_');
    let (word, rest) = word_start.split_at_checked(length.unwrap_or(word_start.len()))?;
    let list = rest.trim_start().strip_prefix('[');
    let whole = cursor.range(start, rest);
    let reach = match word {
        "ignore" => Reach::Lines,
        "ignore-file" => Reach::File,
        _ => {
            let meant = nearest(word, ["ignore", "ignore-file"]);
            if meant.is_none() && !rest.starts_with('[') {
                return None; // prose that begins with our name
            }
            let help = meant.map_or("write `ignore[family/rule]`".to_owned(), |word| format!("did you mean `{word}`?"));
            return Some(Err((whole, format!("`{word}` is no directive: {help}"))));
        }
    };
    let Some(list) = list else {
        return Some(Err((whole, format!("`{word}` names no rule: write `{word}[family/rule]`"))));
    };
    Some(inside(cursor, start, word, reach, list))
}

fn inside(cursor: Cursor<'_>, start: &str, word: &str, reach: Reach, list: &str) -> Result<Written, Fault> {
    let Some((inner, reason)) = list.split_once(']') else {
        return Err((cursor.range(start, list), format!("`{word}[` has no closing bracket")));
    };
    let bytes = cursor.range(start, reason);
    let mut names = Vec::new();
    for part in inner.split(',') {
        let name = part.trim();
        let at = cursor.at(name);
        match name {
            "" => {}
            "all" | "*" => return Err((at, format!("`{word}[{name}]` would hide every rule: name the rules"))),
            _ if name.len() > NAME_LENGTH => return Err((at, "this is too long for a rule's name".to_owned())),
            _ => names.push(Name { text: name.to_owned(), bytes: at }),
        }
    }
    if names.is_empty() {
        return Err((bytes, format!("`{word}[]` names no rule: write `{word}[family/rule]`")));
    }
    if names.len() > NAMES {
        return Err((bytes, format!("more than {NAMES} names in one directive: name families")));
    }
    Ok(Written { reach, names, until: until(cursor, reason)?, bytes })
}

/// Returns the date of `until=` in the text after the bracket.
fn until(cursor: Cursor<'_>, reason: &str) -> Result<Option<(Date, Bytes)>, Fault> {
    let Some((before, after)) = reason.split_once("until=") else { return Ok(None) };
    if before.ends_with(|each: char| each.is_alphanumeric() || each == '_' || each == '-') {
        return Ok(None);
    }
    let token = reason.get(before.len()..).unwrap_or_default();
    let (date, rest) = after.split_at_checked(10).unwrap_or((after, ""));
    match Date::parse(date) {
        Some(date) if !rest.starts_with(|each: char| each.is_alphanumeric()) => {
            Ok(Some((date, cursor.range(token, rest))))
        }
        _ => {
            let word = token.split_whitespace().next().unwrap_or(token);
            Err((cursor.at(word), "this is no date: write `until=YYYY-MM-DD`".to_owned()))
        }
    }
}

/// Places of parts of one line.
#[derive(Clone, Copy)]
struct Cursor<'l> {
    line: &'l str,
    offset: usize,
}

impl Cursor<'_> {
    /// Returns the place of a part of the line.
    fn at(self, part: &str) -> Bytes {
        let start = self.start(part);
        Bytes::new(start, start + part.len())
    }

    /// Returns the range from the beginning of one part of the line to that of a later one.
    fn range(self, from: &str, to: &str) -> Bytes {
        Bytes::new(self.start(from), self.start(to))
    }

    fn start(self, part: &str) -> usize {
        let inside = (part.as_ptr() as usize).saturating_sub(self.line.as_ptr() as usize);
        self.offset + inside.min(self.line.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each name with the text at its place, then the date with the text at its place.
    fn check(line: &str, reach: Reach, names: &[&str], until: Option<&str>) {
        let text = format!("12345{line}");
        let written = read(line, 5).unwrap().unwrap();
        assert_eq!(written.reach, reach, "{line}");
        let found: Vec<_> = written.names.iter().map(|name| name.bytes.of(&text)).collect();
        assert_eq!(found, names, "{line}");
        assert!(written.names.iter().all(|name| name.text == name.bytes.of(&text)));
        let found = written.until.map(|(date, bytes)| (format!("until={date}"), bytes.of(&text)));
        assert_eq!(found, until.map(|text| (text.to_owned(), text)), "{line}");
        assert!(written.bytes.of(&text).starts_with("foreshock:") && written.bytes.of(&text).ends_with(']'));
    }

    fn check_fault(line: &str, place: &str, message: &str) {
        let (bytes, found) = read(line, 0).unwrap().unwrap_err();
        assert_eq!((bytes.of(line), found.as_str()), (place, message), "{line}");
    }

    #[test]
    fn reads_it_in_the_comments_of_all_languages() {
        let one = &["retry/no-match"];
        for line in [
            "// foreshock: ignore[retry/no-match] reason",
            "/* foreshock: ignore[retry/no-match] */",
            " * foreshock: ignore[retry/no-match]",
            "# foreshock: ignore[retry/no-match]",
            "; foreshock: ignore[retry/no-match]",
            "<!-- foreshock: ignore[retry/no-match] -->",
            "<%# foreshock: ignore[retry/no-match] %>",
            "//! foreshock: ignore[retry/no-match]",
            "/// foreshock:ignore [ retry/no-match ]",
            "-- foreshock: ignore[retry/no-match,]",
            "foreshock:\tignore[retry/no-match]",
        ] {
            check(line, Reach::Lines, one, None);
        }
        check(
            "# foreshock: ignore-file[retry, pool/no-headroom] why",
            Reach::File,
            &["retry", "pool/no-headroom"],
            None,
        );
    }

    #[test]
    fn the_end_may_stand_anywhere_after_the_bracket() {
        let names = &["a/b"];
        for line in [
            "# foreshock: ignore[a/b] until=2026-12-31 then it goes",
            "# foreshock: ignore[a/b] it goes until=2026-12-31",
            "/* foreshock: ignore[a/b] (until=2026-12-31) */",
            "/* foreshock: ignore[a/b]until=2026-12-31*/",
            "<!-- foreshock: ignore[a/b] until=2026-12-31-->",
        ] {
            check(line, Reach::Lines, names, Some("until=2026-12-31"));
        }
        check("# foreshock: ignore[a/b] wait_until=5", Reach::Lines, names, None);
    }

    #[test]
    fn what_was_meant_as_a_directive_is_said_to_be_wrong() {
        let bare = "`ignore` names no rule: write `ignore[family/rule]`";
        check_fault("// foreshock: ignore", "foreshock: ignore", bare);
        check_fault("// foreshock: ignore this one", "foreshock: ignore", bare);
        check_fault(
            "# foreshock: ignore[ , ] x",
            "foreshock: ignore[ , ]",
            "`ignore[]` names no rule: write `ignore[family/rule]`",
        );
        check_fault("# foreshock: ignore[all]", "all", "`ignore[all]` would hide every rule: name the rules");
        check_fault("# foreshock: ignore-file[*]", "*", "`ignore-file[*]` would hide every rule: name the rules");
        check_fault("# foreshock: ignore[a/b", "foreshock: ignore[", "`ignore[` has no closing bracket");
        check_fault(
            "# foreshock: ignroe[a/b]",
            "foreshock: ignroe",
            "`ignroe` is no directive: did you mean `ignore`?",
        );
        check_fault(
            "# foreshock: ignore_file[a]",
            "foreshock: ignore_file",
            "`ignore_file` is no directive: did you mean `ignore-file`?",
        );
        check_fault("# foreshock: off[a/b]", "foreshock: off", "`off` is no directive: write `ignore[family/rule]`");
        let date = "this is no date: write `until=YYYY-MM-DD`";
        check_fault("# foreshock: ignore[a/b] until=2026-02-30 x", "until=2026-02-30", date);
        check_fault("# foreshock: ignore[a/b] until=soon", "until=soon", date);
        check_fault("# foreshock: ignore[a/b] until=", "until=", date);
        check_fault("# foreshock: ignore[a/b] until=2026-01-011", "until=2026-01-011", date);
        check_fault("# foreshock: ignore[a/b] until=２026-01-01", "until=２026-01-01", date);
        check_fault(
            &format!("# foreshock: ignore[{}]", "a".repeat(65)),
            &"a".repeat(65),
            "this is too long for a rule's name",
        );
        check_fault(
            &format!("# foreshock: ignore[{}]", "a,".repeat(33)),
            &format!("foreshock: ignore[{}]", "a,".repeat(33)),
            "more than 32 names in one directive: name families",
        );
    }

    #[test]
    fn prose_is_no_directive() {
        for line in [
            "// write `foreshock: ignore[retry/no-match]` to hide it",
            "# see foreshock: ignore[a/b]",
            "# foreshock: measured at 20 req/s",
            "# foreshock: see docs [1]",
            "# foreshock",
            "# foreshock:",
            "# foreshocks: ignore[a/b]",
            "",
        ] {
            assert_eq!(read(line, 0), None, "{line}");
        }
    }
}
