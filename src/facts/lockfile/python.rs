//! Names and requirements of Python packages (PEP 503, PEP 508).

/// Returns the name that PyPI compares: lower case, runs of `-`, `_` and `.` as one dash.
pub(super) fn normalized(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    for letter in name.trim().chars() {
        if !matches!(letter, '-' | '_' | '.') {
            result.push(letter.to_ascii_lowercase());
        } else if !result.ends_with('-') {
            result.push('-');
        }
    }
    result
}

/// A requirement's parts as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked<'a> {
    pub(super) name: &'a str,
    /// `==1.2.3` or `>=1,<2`, without marker; what follows `@` for a URL; empty for any version.
    pub(super) range: &'a str,
    pub(super) from: From,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    Registry,
    /// `name @ https://…`
    Url,
}

/// Splits `name[extra] >=1,<2 ; marker`; `None` if no name begins the text.
pub(super) fn requirement(text: &str) -> Option<Asked<'_>> {
    let text = text.trim_start();
    let name_end = text.find(|next: char| !is_name(next)).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(name_end)?;
    if !name.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return None;
    }
    let mut rest = rest.trim_start_matches(is_blank);
    if rest.starts_with('[') {
        rest = rest.split_once(']')?.1.trim_start_matches(is_blank);
    }
    if let Some(url) = rest.strip_prefix('@') {
        return Some(Asked { name, range: url.trim_matches(is_blank), from: From::Url });
    }
    let range = rest.split_once(';').map_or(rest, |(range, _)| range).trim_matches(is_blank);
    let range = range.strip_prefix('(').and_then(|range| range.strip_suffix(')')).unwrap_or(range);
    let begins = range.is_empty() || range.starts_with(['=', '<', '>', '!', '~']);
    begins.then_some(Asked { name, range: range.trim_matches(is_blank), from: From::Registry })
}

fn is_name(next: char) -> bool {
    next.is_ascii_alphanumeric() || matches!(next, '-' | '_' | '.')
}

/// A backslash before a line end goes on with the line.
fn is_blank(next: char) -> bool {
    next.is_whitespace() || next == '\\'
}

/// Returns the version of an exact pin among the conditions: `==1.2.3` or `===1.2.3`, not `==1.2.*`.
pub(super) fn pin(range: &str) -> Option<&str> {
    range.split(',').find_map(|condition| {
        let condition = condition.trim_matches(is_blank);
        let version =
            condition.strip_prefix("===").or_else(|| condition.strip_prefix("=="))?.trim_start_matches(is_blank);
        (!version.is_empty() && !version.ends_with('*')).then_some(version)
    })
}
